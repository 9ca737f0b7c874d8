"""Work in threads of their own that nobody has to wait for to the end."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from concurrent.futures import Future
from concurrent.futures import TimeoutError as FutureTimeout
from typing import TypeVar

Result = TypeVar("Result")


def cores() -> int:
    """How many processors there are for us."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def start(work: Callable[[], Result]) -> Future[Result]:
    """What comes of something that is being done now. It does not keep Python from ending.

    >>> start(lambda: 6 * 7).result()
    42
    """
    future: Future[Result] = Future()

    def run() -> None:
        try:
            future.set_result(work())
        except BaseException as error:
            future.set_exception(error)

    threading.Thread(target=run, daemon=True).start()
    return future


def ends_within(future: Future[Result], seconds: float) -> bool:
    """Whether something ends in so much time; if it fails, that is raised."""
    try:
        future.result(seconds)
    except FutureTimeout:
        if not future.done():
            return False
        raise
    return True


def run_interruptibly(work: Callable[[], Result], meanwhile: Callable[[], None] = lambda: None) -> Result:
    """Do something that does not look at signals, so that Ctrl-C ends the waiting at once. meanwhile: called as long as
    it is waited for.

    >>> run_interruptibly(lambda: 6 * 7)
    42
    """
    future = start(work)
    while not ends_within(future, 0.2):
        meanwhile()
    return future.result()
