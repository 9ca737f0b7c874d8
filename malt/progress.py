"""Progress on standard error, where that is a terminal; nothing otherwise."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from malt.treebank import Block, Treebank


class Show(Protocol):
    """Tells a bar how much is done."""

    def __call__(self, done: int, note: str = "", /) -> None: ...


@contextlib.contextmanager
def bar(what: str, total: int | None, unit: str, *, scale: bool = False) -> Iterator[Show]:
    """A bar. What it gives is called with how much is done so far, and maybe a note. Every bar is made here.

    >>> with bar("work", 2, "steps") as show:
    ...     show(1)
    """
    if not _visible():
        yield lambda done, note="": None
        return
    from tqdm import tqdm

    with tqdm(desc=what, total=total, unit=unit, unit_scale=scale, leave=False) as shown:

        def show(done: int, note: str = "") -> None:
            shown.set_postfix_str(note, refresh=False)
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
