"""A window of work: several things are under way at once, and what comes of them is in their order."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable
from concurrent.futures import Future
from queue import SimpleQueue
from threading import Condition, Thread
from typing import TypeVar

Given = TypeVar("Given")
Found = TypeVar("Found")


def in_order(
    things: Iterable[Given], submit: Callable[[Given], Future[Found]], most: Callable[[], int]
) -> Generator[Found, None, None]:
    """What comes of things, in their order. At any time at most so many are under way, or done and not yet taken.

    Another thread takes the things, so that a result need not wait for what comes next in a pipe.

    >>> from concurrent.futures import ThreadPoolExecutor
    >>> with ThreadPoolExecutor() as pool:
    ...     list(in_order("window", lambda letter: pool.submit(str.upper, letter), lambda: 4))
    ['W', 'I', 'N', 'D', 'O', 'W']
    """
    results: SimpleQueue[Future[Found] | BaseException | None] = SimpleQueue()
    taken = Condition()
    under_way, stopped = 0, False

    def read() -> None:
        nonlocal under_way
        try:
            for thing in things:
                with taken:
                    while under_way >= max(1, most()) and not stopped:
                        taken.wait(1)  # and then `most` may be more
                    if stopped:
                        return
                    under_way += 1
                results.put(submit(thing))
            results.put(None)
        except BaseException as error:  # raised again where the results are awaited
            results.put(error)

    Thread(target=read, daemon=True).start()  # it may wait for input that never comes, which must not keep us here
    try:
        while (result := results.get()) is not None:
            if isinstance(result, BaseException):
                raise result
            yield result.result()
            with taken:
                under_way -= 1
                taken.notify()
    finally:
        with taken:
            stopped = True
            taken.notify()
