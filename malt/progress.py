"""Progress on standard error, where that is a terminal; nothing otherwise."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from malt.treebank import Block, Treebank


@contextlib.contextmanager
def bar(what: str, total: int | None, unit: str, *, scale: bool = False) -> Iterator[Callable[[int], None]]:
    """A bar. What it gives is called with how much is done so far. Every bar of every command is made here.

    >>> with bar("work", 2, "steps") as show:
    ...     show(1)
    """
    if not _visible():
        yield lambda done: None
        return
    from tqdm import tqdm

    with tqdm(desc=what, total=total, unit=unit, unit_scale=scale, leave=False) as shown:

        def show(done: int) -> None:
            shown.update(done - shown.n)

        yield show


def _visible() -> bool:
    """Whether there is someone to see it: standard error may be closed, a file or a pipe."""
    try:
        return sys.stderr is not None and sys.stderr.isatty()
    except ValueError:  # closed by a program that uses the library
        return False


def blocks(treebank: Treebank, what: str) -> Iterator[Block]:
    """The blocks of a treebank, with a bar over the bytes of its file."""
    try:
        size = os.path.getsize(treebank.name) or None
    except OSError:
        size = None  # a pipe has no size: only a count is shown
    with bar(what, size, "B", scale=True) as show:
        for block in treebank:
            yield block
            show(treebank.bytes_read)
