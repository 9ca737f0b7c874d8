"""Several treebank files, read one after another as if they were one."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from malt.data.block import Block, count_lines
from malt.data.charsets import find_charset
from malt.data.files import STANDARD_INPUT, local_path, open_input
from malt.data.formats.dataformat import DataFormat
from malt.data.formats.plus import undeclared
from malt.data.symbols import Tables, make_tables
from malt.data.treebank import Treebank, open_treebank
from malt.data.web import is_web
from malt.errors import DataError, UsageError

MARK = b"\xef\xbb\xbf"


@dataclass(frozen=True)
class Piece:
    """Some sentences of a file, in UTF-8."""

    text: bytes
    line: int  # the number of its first line, for messages
    name: str  # the file
    begins: bool  # whether it is the very beginning of all


class Treebanks:
    """Open treebank files, of one format. Iterate over them once to get their blocks, or their texts.

    What a later file begins with is made such that all texts can be written one after another: an empty line is put
    before it, if the file before it does not end with one, and it has no byte-order mark and no line with the names of
    columns.
    """

    def __init__(
        self,
        first: Treebank,
        rest: Sequence[str],
        open_next: Callable[[str], contextlib.AbstractContextManager[Treebank]],
    ) -> None:
        self.name, self.format, self.charset = first.name, first.format, first.charset
        self._first, self._rest, self._open = first, rest, open_next
        sizes = [first.size, *(os.path.getsize(path) if os.path.isfile(path) else None for path in rest)]
        self.size: int | None = sum(size or 0 for size in sizes) if all(sizes) else None
        self._read, self._now = 0, first

    @property
    def beginning(self) -> bytes:
        """The beginning of the first file in UTF-8, as long as nothing was read of it."""
        return self._first.beginning

    @property
    def bytes_read(self) -> int:
        """How much of the files was read."""
        return self._read + self._now.bytes_read

    def __iter__(self) -> Iterator[Block]:
        tail = b""
        for treebank in self.each():
            begun = not tail
            for block in treebank:
                if not begun:
                    block, begun = _joined(block, tail), True
                tail = _tail(tail, block.text)
                yield block

    def texts(self, most: int) -> Iterator[Piece]:
        """Instead of blocks: texts of whole sentences, which grow up to about so many bytes."""
        tail = b""
        for treebank in self.each():
            begun = not tail
            for text, line in treebank.texts(most):
                begins = not tail
                if not begun:
                    head, begun = _joint(text, tail), True
                    text, line = head.before + text[head.cut :], line + head.lines
                tail = _tail(tail, text)
                yield Piece(text, line, treebank.name, begins)

    def each(self) -> Iterator[Treebank]:
        """The files, one after another."""
        yield self._first
        for path in self._rest:
            with self._open(path) as treebank:
                self._read, self._now = self.bytes_read, treebank
                yield treebank


@dataclass(frozen=True)
class _Joint:
    before: bytes  # what is put before a text
    cut: int  # how many bytes are left out of its beginning
    lines: int  # how much later its first line is


def _joint(text: bytes, tail: bytes) -> _Joint:
    """How a text follows another one, which ends so."""
    end = b"\r\n" if b"\r\n" in tail else b"\r" if tail.endswith(b"\r") else b"\n"
    missing = 0 if tail.endswith((2 * end, b"\n\n")) else 1 if tail.endswith((b"\n", b"\r")) else 2
    rest = undeclared(text).removeprefix(MARK)
    cut = len(text) - len(rest)
    return _Joint(missing * end, cut, count_lines(text[:cut]) - missing)


def _joined(block: Block, tail: bytes) -> Block:
    joint = _joint(block.text, tail)
    shift = len(joint.before) - joint.cut
    bounds = block.bounds + shift
    bounds[0] = 0
    return replace(
        block,
        text=joint.before + block.text[joint.cut :],
        first_line=block.first_line + joint.lines,
        word_lines=block.word_lines + shift,
        bounds=bounds,
    )


def _tail(tail: bytes, text: bytes) -> bytes:
    """The last bytes of what was read so far."""
    return (tail + text)[-4:] if len(text) < 4 else text[-4:]


@contextlib.contextmanager
def open_treebanks(
    paths: Sequence[str],
    format: str | DataFormat = "",
    charset: str = "UTF-8",
    tables: Tables | Callable[[DataFormat], Tables] = make_tables,
    *,
    frozen: bool = False,
    by_place: bool = False,
    on_open: Callable[[Treebank], None] = lambda treebank: None,
) -> Iterator[Treebanks]:
    """Open treebanks as `open_treebank` does; each must have the columns of the first. `on_open` is called with each.

    >>> import tempfile, pathlib
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> _ = (folder / "a").write_text("Hej\\tI\\t0\\tROOT"), (folder / "b").write_text("Farvel\\tI\\t0\\tROOT\\n")
    >>> with open_treebanks([str(folder / "a"), str(folder / "b")]) as treebanks:
    ...     b"".join(block.text for block in treebanks)
    b'Hej\\tI\\t0\\tROOT\\n\\nFarvel\\tI\\t0\\tROOT\\n'
    """
    _check(paths[1:], paths[0])
    find_charset(charset)
    with open_treebank(paths[0], format, charset, tables, frozen=frozen, by_place=by_place) as first:
        on_open(first)

        @contextlib.contextmanager
        def open_next(path: str) -> Iterator[Treebank]:
            with open_treebank(path, format, charset, first.tables, frozen=frozen, by_place=by_place) as treebank:
                if treebank.format.names != first.format.names or treebank.format.extra != first.format.extra:
                    raise DataError(
                        f"the file has other columns ({_described(treebank.format)}) than {first.name} "
                        f"({_described(first.format)}); files that are read together have the same ones, "
                        "and -if says which, where they are not recognised",
                        treebank.name,
                    )
                on_open(treebank)
                yield treebank

        yield Treebanks(first, paths[1:], open_next)


def _described(format: DataFormat) -> str:
    return f"{format.name}: {', '.join(filter(None, [*format.names, format.extra]))}"


def _check(rest: Sequence[str], first: str) -> None:
    """Refuse later files that cannot be read before the first is: that may take hours."""
    if sum(path in STANDARD_INPUT for path in (first, *rest)) > 1:
        raise UsageError("standard input is named twice; it can be read once")
    for path in rest:
        if path not in STANDARD_INPUT and not is_web(local_path(path)):
            with open_input(path):
                pass
