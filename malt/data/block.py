"""A block of sentences: columns of integers, with the text that they were read from.

The text is kept so that whatever no format knows of (comments, multiword tokens, empty nodes, unused columns, line
ends) can be written back byte for byte.
"""

from __future__ import annotations

import codecs
from dataclasses import dataclass, field, replace

import numpy
import numpy.typing

from malt.data.formats.dataformat import HEAD, INPUT, LABEL, DataFormat
from malt.data.formats.faults import explain
from malt.data.graph import Graph
from malt.data.graph import Integers as Integers  # for all who have blocks
from malt.data.symbols import Tables
from malt.kernel import reader as kernel

Offsets = numpy.typing.NDArray[numpy.int64]

_KINDS = {INPUT: kernel.VALUE, HEAD: kernel.HEAD, LABEL: kernel.LABEL}


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
    graph: Graph | None = None  # beside the tree, where a parser has made one

    def __len__(self) -> int:
        return len(self.starts) - 1

    def codes(self, column: str) -> Integers:
        """The codes of a column; a view, not a copy."""
        return self.values[:, self.format.places[column]]

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
            graph=self.graph and self.graph.take(range(first, last)),
        )

    def mirrored(self) -> Block:
        """The same sentences, each from its last word to its first. What lines were read stays as it is."""
        sizes = numpy.diff(self.starts)
        order = numpy.repeat(self.starts[:-1] + self.starts[1:] - 1, sizes) - numpy.arange(len(self.heads))
        heads = numpy.where(self.heads > 0, numpy.repeat(sizes + 1, sizes) - self.heads, self.heads)
        return replace(
            self,
            heads=heads[order].astype(numpy.int32),
            values=numpy.ascontiguousarray(self.values[order]),
            word_lines=self.word_lines[order],
        )

    def line_number(self, offset: int) -> int:
        """The number in the file of the line at a place of the text."""
        return self.first_line + count_lines(self.text[:offset])


class TextReader:
    """Reads the texts of one file, each of whole sentences, into blocks."""

    def __init__(self, format: DataFormat, name: str) -> None:
        """`name` is what errors call the file."""
        self._format, self._name = format, name
        kinds = [_KINDS.get(column.category, kernel.SKIP) for column in format.columns]
        self._reader = kernel.BlockReader(kinds, format.id_column, bool(format.extra))

    def read(self, text: bytes, tables: Tables, first_line: int = 1) -> Block:
        """The block of a text in UTF-8; symbols that the tables lack are added to them."""
        mark = mark_length(text, first_line)
        try:
            columns = self._reader.read(text, [tables[column] for column in self._format.coded], mark)
        except kernel.LineFault as fault:
            raise explain(fault, text, first_line, self._name, self._format) from None
        return Block(text, first_line, *columns, self._format, tables, self._name)


def mark_length(text: bytes, first_line: int) -> int:
    """The bytes of a byte order mark at the beginning of a file, which are no part of its first line."""
    return len(codecs.BOM_UTF8) if first_line == 1 and text.startswith(codecs.BOM_UTF8) else 0


def count_lines(text: str | bytes) -> int:
    """The number of line ends: \\n, \\r and \\r\\n.

    >>> count_lines(b"a\\nb\\r\\nc\\rd"), count_lines("a\\rb")
    (3, 1)
    """
    if isinstance(text, bytes):
        return kernel.count_lines(text)
    return text.count("\n") + text.count("\r") - text.count("\r\n")
