"""Progress on standard error, where that is a terminal; nothing otherwise."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterable, Iterator, Sized
from typing import IO, TYPE_CHECKING, Any, Protocol, TypeVar

from malt.running import log

if TYPE_CHECKING:
    from tqdm import tqdm

Part = TypeVar("Part", bound=Sized)
Piece = TypeVar("Piece", bound=Sized, covariant=True)


class Show(Protocol):
    """Tells a bar how much is done, and maybe of how much."""

    def __call__(self, done: float, note: str = "", total: int | None = None, /) -> None: ...


class ReadFile(Protocol[Piece]):
    """A file that is read piece by piece, such as a treebank: it says how much of it has been read."""

    name: str
    size: int | None  # a pipe has none: only a count is shown

    @property
    def bytes_read(self) -> int: ...

    def __iter__(self) -> Iterator[Piece]: ...


_PERCENT = "{desc}: {percentage:3.0f}%|{bar}| [{elapsed}<{remaining}{postfix}]"
_shown: list[tqdm[Any]] = []  # bars that are on the screen now


@contextlib.contextmanager
def bar(what: str, total: int | None, unit: str, *, scale: bool = False) -> Iterator[Show]:
    """A bar. What it gives is called with how much is done so far, and maybe a note. Every bar is made here.

    unit: what is counted; % has 100 of them, and shows no others.

    >>> with bar("work", 2, "steps") as show:
    ...     show(1)
    """
    if not _visible():
        yield lambda done, note="", total=None: None
        return
    from tqdm import tqdm

    layout = _PERCENT if unit == "%" else None
    # With miniters it looks at the time whenever it is told of something, and not only where much was done.
    with tqdm(desc=what, total=total, unit=unit, unit_scale=scale, leave=False, miniters=0, bar_format=layout) as shown:

        def show(done: float, note: str = "", total: int | None = None) -> None:
            shown.total = total or shown.total
            shown.set_postfix_str(note, refresh=False)
            shown.update(done - shown.n)

        _shown.append(shown)
        try:
            yield show
        finally:
            _shown.remove(shown)


def say(text: str) -> None:
    """Print a line; where a bar is shown, above it."""
    if _visible():
        from tqdm import tqdm

        tqdm.write(text)
    else:
        print(text, flush=True)


_written: list[None] = []  # one for each output that goes to the terminal now


@contextlib.contextmanager
def hide_bars(stream: IO[Any]) -> Iterator[None]:
    """Show no bar from here on if the stream is a terminal: what is written there is progress enough."""
    mark = [None] if stream.isatty() else []
    _written.extend(mark)
    for shown in _shown if mark else ():
        shown.close()
    try:
        yield
    finally:
        del _written[: len(mark)]


def _visible() -> bool:
    """Whether there is someone who wants to see it: standard error may be closed, a file or a pipe."""
    try:
        return not _written and not log.quiet() and sys.stderr is not None and sys.stderr.isatty()
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
        log.logger.warning("warning: %s: no sentences were found", treebank.name)
