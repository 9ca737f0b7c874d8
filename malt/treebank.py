"""Treebanks: files of sentences, read block by block into columns of integers.

A block keeps the text that it was read from, so that whatever no format knows of (comments, multiword tokens, empty
nodes, unused columns, line ends) can be written back byte for byte; memory grows with the vocabulary and the longest
sentence, not with the file.
"""

from __future__ import annotations

import codecs
import contextlib
import logging
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import BinaryIO

import numpy
import numpy.typing

from malt.charsets import charset as find_charset
from malt.charsets import with_byte_order
from malt.errors import DataError
from malt.files import STANDARD_INPUT, open_input
from malt.formats.dataformat import HEAD, INPUT, LABEL, DataFormat, find_format
from malt.formats.faults import explain
from malt.formats.recognise import recognise
from malt.kernel import reader as kernel
from malt.sentence import Sentence
from malt.symbols import Tables, make_tables

Integers = numpy.typing.NDArray[numpy.int32]
Offsets = numpy.typing.NDArray[numpy.int64]

CHUNK = 1 << 20
_KINDS = {INPUT: kernel.VALUE, HEAD: kernel.HEAD, LABEL: kernel.LABEL}
_BOM = codecs.BOM_UTF8


@dataclass
class Block:
    """Whole sentences, one after another, as integers."""

    text: bytes = field(repr=False)  # UTF-8
    first_line: int  # the number of the text's first line in its file
    starts: Integers  # sentence i has the words starts[i] .. starts[i + 1] - 1
    heads: Integers  # of each word, as a position in its sentence: 0 is the artificial root, -1 no head
    values: Integers  # words x coded columns: symbol codes, -1 where a field is missing
    word_lines: Offsets  # where the line of each word begins in the text
    bounds: Offsets  # sentence i has the text bounds[i] .. bounds[i + 1]
    format: DataFormat
    tables: Tables
    name: str  # the file

    def __len__(self) -> int:
        return len(self.starts) - 1

    def codes(self, column: str) -> Integers:
        """The codes of a column; a view, not a copy."""
        return self.values[:, self.format.coded.index(column)]

    def sentences(self) -> Iterator[Sentence]:
        """The sentences, each as a view."""
        return (Sentence(self, i) for i in range(len(self)))

    def only(self, index: int) -> Block:
        """A block of one sentence of this one."""
        first, last = (int(i) for i in self.starts[index : index + 2])
        words = slice(first, last)
        return replace(
            self,
            starts=numpy.array([0, last - first], numpy.int32),
            heads=self.heads[words].copy(),
            values=self.values[words].copy(),
            word_lines=self.word_lines[words].copy(),
            bounds=self.bounds[index : index + 2].copy(),
        )

    def line_number(self, offset: int) -> int:
        """The number in the file of the line at a place of the text."""
        return self.first_line + count_lines(self.text[:offset])


class Treebank:
    """An open treebank file. Iterate over it once to get its blocks.

    `tables` are filled while reading; with `frozen`, they stay as they are, and each block has a layer of its own for
    symbols that they lack.
    """

    def __init__(
        self, stream: BinaryIO, name: str, format: DataFormat, charset: str, tables: Tables, frozen: bool, first: bytes
    ) -> None:
        self.name, self.format, self.charset, self.tables, self.frozen = name, format, charset, tables, frozen
        self.bytes_read = 0
        self._stream, self._first = stream, first
        self._line = 1

    def __iter__(self) -> Iterator[Block]:
        reader = self._reader(self.tables)
        begin = len(_BOM)
        for text in self._texts():
            tables = self.tables
            if self.frozen:
                tables = {name: table.overlay() for name, table in self.tables.items()}
                reader.set_tables([tables[column] for column in self.format.coded])
            begin = len(_BOM) if self._line == 1 and begin and text.startswith(_BOM) else 0
            result = reader.read(text, begin)
            if isinstance(result[0], str):
                raise explain(result, text, self._line, self.name, self.format)
            starts, heads, values, word_lines, bounds = result
            yield Block(text, self._line, starts, heads, values, word_lines, bounds, self.format, tables, self.name)
            self._line += count_lines(text)

    def sentences(self) -> Iterator[Sentence]:
        """All sentences, one after another."""
        for block in self:
            yield from block.sentences()

    def _reader(self, tables: Tables) -> kernel.BlockReader:
        kinds = [_KINDS.get(column.category, kernel.SKIP) for column in self.format.columns]
        coded = [tables[column] for column in self.format.coded]
        return kernel.BlockReader(kinds, self.format.id_column, self.format.extra, coded)

    def _texts(self) -> Iterator[bytes]:
        """The file as texts of whole sentences."""
        rest, searched, wanted = b"", 0, CHUNK
        for chunk in self._utf8():
            rest += chunk
            if len(rest) < wanted and len(chunk) >= CHUNK:
                continue
            cut, searched = kernel.last_boundary(rest, searched)
            if cut > 0:
                yield rest[:cut]
                rest, searched, wanted = rest[cut:], searched - cut, CHUNK
            else:  # a sentence longer than all that was read: double, so that its text is not copied too often
                wanted = 2 * len(rest)
        if rest:
            yield rest

    def _utf8(self) -> Iterator[bytes]:
        """The file's bytes, checked and as UTF-8."""
        decoder = codecs.getincrementaldecoder(self.charset)()
        lines, column = 0, 0  # line ends, and characters after the last of them, in what was read before
        while True:
            chunk, self._first = self._first or self._stream.read(CHUNK) or b"", b""
            self.bytes_read += len(chunk)
            try:
                text = decoder.decode(chunk, final=not chunk)
            except UnicodeDecodeError as error:
                good = error.object[: error.start].decode(self.charset, "replace")
                cut = good.rfind("\n") + 1
                raise DataError(
                    f"byte 0x{error.object[error.start]:02X} is not {self.charset.upper()}; "
                    "give the file's charset with -ic, for example -ic ISO-8859-1",
                    self.name,
                    1 + lines + good.count("\n"),
                    1 + len(good) - cut + (0 if cut else column),
                ) from None
            cut = text.rfind("\n") + 1
            lines, column = lines + text.count("\n"), len(text) - cut + (0 if cut else column)
            yield chunk if self.charset == "utf-8" else text.encode()
            if not chunk:
                return


def count_lines(text: bytes) -> int:
    """The number of line ends: \\n, \\r and \\r\\n.

    >>> count_lines(b"a\\nb\\r\\nc\\rd")
    3
    """
    if b"\r" not in text:
        return text.count(b"\n")
    return text.count(b"\n") + text.count(b"\r") - text.count(b"\r\n")


@contextlib.contextmanager
def open_treebank(
    path: str,
    format: str | DataFormat = "",
    charset: str = "UTF-8",
    tables: Tables | None = None,
    *,
    frozen: bool = False,
) -> Iterator[Treebank]:
    """Open a treebank; without a format it is recognised from the file, and what was recognised is logged.

    >>> import tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "hej.tab"
    >>> _ = path.write_text("Hej\\tI\\t0\\tROOT\\n")
    >>> with open_treebank(str(path)) as treebank:
    ...     [sentence.forms for sentence in treebank.sentences()]
    [['Hej']]
    """
    name = "standard input" if path in STANDARD_INPUT else path
    with open_input(path) as stream:
        encoding = find_charset(charset)
        first = stream.read(1 << 16) or b""
        encoding = with_byte_order(encoding, first)
        if isinstance(format, str):
            if not format:
                while len(first) < 1 << 16 and (more := stream.read(1 << 16)):  # a pipe gives what it has
                    first += more
                format, reason = recognise(first.decode(encoding, "replace").encode(), name)
                logging.getLogger("malt").info("%s: read as %s (%s)", name, format, reason)
            format = find_format(format)
        yield Treebank(stream, name, format, encoding, tables or make_tables(format), frozen, first)
