"""Progress on standard error, where that is a terminal; nothing otherwise."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterable, Iterator, Sized
from typing import Protocol, TextIO, TypeVar

from malt.running.log import logger

Part = TypeVar("Part", bound=Sized)
Piece = TypeVar("Piece", bound=Sized, covariant=True)


class Show(Protocol):
    """Tells a bar how much is done, and maybe of how much."""

    def __call__(self, done: int, note: str = "", total: int | None = None, /) -> None: ...


class ReadFile(Protocol[Piece]):
    """A file that is read piece by piece, such as a treebank: it says how much of it has been read."""

    name: str
    size: int | None  # a pipe has none: only a count is shown

    @property
    def bytes_read(self) -> int: ...

    def __iter__(self) -> Iterator[Piece]: ...


@contextlib.contextmanager
def bar(what: str, total: int | None, unit: str, *, scale: bool = False) -> Iterator[Show]:
    """A bar. What it gives is called with how much is done so far, and maybe a note. Every bar is made here.

    >>> with bar("work", 2, "steps") as show:
    ...     show(1)
    """
    if not _visible():
        yield lambda done, note="", total=None: None
        return
    from tqdm import tqdm

    with tqdm(desc=what, total=total, unit=unit, unit_scale=scale, leave=False) as shown:

        def show(done: int, note: str = "", total: int | None = None) -> None:
            shown.total = total or shown.total
            shown.set_postfix_str(note, refresh=False)
            shown.update(done - shown.n)

        yield show


def say(text: str) -> None:
    """Print a line; where a bar is shown, above it."""
    if _visible():
        from tqdm import tqdm

        tqdm.write(text)
    else:
        print(text, flush=True)


_written: list[None] = []  # one for each output that goes to the terminal now


@contextlib.contextmanager
def hide_bars(stream: TextIO) -> Iterator[None]:
    """Show no bar that begins in here if the stream is a terminal: what is written there is progress enough."""
    mark = [None] if stream.isatty() else []
    _written.extend(mark)
    try:
        yield
    finally:
        del _written[: len(mark)]


def _visible() -> bool:
    """Whether there is someone to see it: standard error may be closed, a file or a pipe."""
    try:
        return not _written and sys.stderr is not None and sys.stderr.isatty()
    except ValueError:  # closed by a program that uses the library
        return False


def blocks(treebank: ReadFile[Part], what: str, *, needed: bool = False) -> Iterator[Part]:
    """The blocks of a treebank, with a bar over the bytes of its file, and a warning if there was nothing in it.

    needed: whoever asks cannot do without, and says so.
    """
    return parts(treebank, treebank, what, needed=needed)


def parts(treebank: ReadFile[Sized], made: Iterable[Part], what: str, *, needed: bool = False) -> Iterator[Part]:
    """The same for what is made of a treebank while it is read. The length of each part is a number of sentences."""
    sentences = 0
    with bar(what, treebank.size, "B", scale=True) as show:
        for part in made:
            yield part
            sentences += len(part)
            show(treebank.bytes_read)
    if not sentences and not needed:
        logger.warning("warning: %s: no sentences were found", treebank.name)
