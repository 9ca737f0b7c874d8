"""Text as a treebank without trees: read bit by bit, cut into words, and given as blocks of CoNLL-U."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager

from malt.data.block import Block, TextReader
from malt.data.formats.dataformat import DataFormat
from malt.data.symbols import Tables
from malt.data.treebank import Treebank, open_treebank, read_text
from malt.data.treebanks import Piece, Treebanks
from malt.errors import UsageError, utf8
from malt.text.entries import TextModel
from malt.text.tokenised import HORIZONTAL, VERTICAL, Tokenised

AUTO, COLUMNS, TEXT, LINES = "auto", "columns", "text", "lines"
TEXT_KINDS = (TEXT, LINES, HORIZONTAL, VERTICAL)
MARK = b"\xef\xbb\xbf"
CHUNK = 1 << 15  # bytes of text that become a block, whose lines are about four times as many
_ID = re.compile(rb"[0-9]+(?:[-.][0-9]+)?\t")
_COMMENT = re.compile(rb"# ?(?:new(?:doc|par)\b|[\w:.-]+ ?=)")


Text = str | os.PathLike[str] | Iterable[str]


@contextmanager
def open_text(text: Text, format: DataFormat, tables: Tables) -> Iterator[Treebank]:
    """A text, the path of a file, or the parts of a text, to be read."""
    if isinstance(text, os.PathLike):
        with open_treebank(text, format, "UTF-8", tables, frozen=True, by_place=True) as treebank:
            yield treebank
    elif isinstance(text, str):
        yield read_text(utf8(text, "the text"), format, "the text", tables, frozen=True)
    elif isinstance(text, (bytes, bytearray)) or not isinstance(text, Iterable):
        raise UsageError(f"expected a text, the path of a file, or parts of a text, not {type(text).__name__}")
    else:
        yield Treebank(_Parts(text), "the text", format, "utf-8", tables, True, b"")


class _Parts:
    """Parts of a text, to be read as a stream."""

    def __init__(self, parts: Iterable[str]) -> None:
        self._rest = filter(None, parts)

    def read(self, size: int, /) -> bytes:
        """The next part; nothing at the end."""
        return utf8(next(self._rest, ""), "the text")


def is_text(beginning: bytes) -> bool:
    r"""Whether the beginning of a file cannot be CoNLL-U: the first line that is no comment does not begin with the
    number of a word.

    >>> is_text(b"# 1. Introduction\n\nIt was\n"), is_text(b"# text = Hi\n1\tHi\t_\n"), is_text(b"\n")
    (True, False, False)
    """
    lines = beginning.removeprefix(MARK).splitlines()
    if len(lines) > 1 and not beginning.endswith((b"\n", b"\r")):
        lines.pop()  # which may be cut off
    for line in lines:
        if line.strip() and not line.startswith(b"#"):
            return _ID.match(line.lstrip(b" ")) is None
    return any(line.startswith(b"#") and not _COMMENT.match(line) for line in lines)


class TextSource:
    """Texts, of one file or of several. Iterate over it once to get blocks, or texts of CoNLL-U. Memory does not grow
    with the length of a text, of a line or of a sentence: what is too long for a sentence is cut."""

    def __init__(self, model: TextModel, treebanks: Treebanks | Treebank, kind: str, tables: Tables) -> None:
        """`kind` is TEXT, LINES for one sentence a line, or one of those that are tokenised already."""
        self._model, self._from, self._kind, self._tables = model, treebanks, kind, tables
        self.name, self.format, self.charset, self.size = (
            treebanks.name,
            treebanks.format,
            treebanks.charset,
            treebanks.size,
        )

    @property
    def bytes_read(self) -> int:
        """How much of the files was read."""
        return self._from.bytes_read

    def __iter__(self) -> Iterator[Block]:
        reader, line = TextReader(self.format, self.name), 1
        for text in self._texts():
            tables = {name: table.overlay() for name, table in self._tables.items()}
            block = reader.read(text, tables, line)
            line += text.count(b"\n")
            yield block

    def texts(self, most: int) -> Iterator[Piece]:
        """Instead of blocks: texts of CoNLL-U."""
        line, begins = 1, True
        for text in self._texts():
            yield Piece(text, line, self.name, begins)
            line, begins = line + text.count(b"\n"), False

    def _texts(self) -> Iterator[bytes]:
        treebanks = self._from.each() if isinstance(self._from, Treebanks) else iter([self._from])
        number = 0
        for treebank in treebanks:
            cut = self._cutter(number)
            rest, first = b"", True
            for chunk in treebank.utf8():
                if first and chunk:
                    chunk, first = chunk.removeprefix(MARK), False
                for begin in range(0, max(1, len(chunk)), CHUNK):
                    rest += chunk[begin : begin + CHUNK]
                    final = not chunk
                    text, done, number = cut(rest, final)
                    rest = rest[done:]
                    if text:
                        yield text

    def _cutter(self, number: int) -> Callable[[bytes, bool], tuple[bytes, int, int]]:
        """What makes CoNLL-U of the next part of a text: (CoNLL-U, how much was used, sentences so far)."""
        if self._kind in (HORIZONTAL, VERTICAL):
            return Tokenised(self._kind, number).cut
        tokenizer = self._model.tokenizer.make_tokenizer()
        paragraph = whole = True

        def cut(text: bytes, final: bool) -> tuple[bytes, int, int]:
            nonlocal number, paragraph, whole
            end = _whole_characters(text, final)
            found, done, number, begins = tokenizer.tokenize(
                text[:end], final, self._kind == LINES, number, paragraph, whole
            )
            if found:
                paragraph, whole = begins, False
            return found, done, number

        return cut


def _whole_characters(text: bytes, final: bool) -> int:
    """How many bytes are whole characters: a part of a text may end within one."""
    end = len(text)
    if not final:
        while end and len(text) - end < 4 and text[end - 1] & 0xC0 == 0x80:
            end -= 1
        if end and text[end - 1] >= 0xC0:
            end -= 1
    return end
