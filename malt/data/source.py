"""What the library takes for a treebank: the path of a file, text, or sentences."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from itertools import chain, islice
from typing import BinaryIO, TypeGuard, cast

from malt.data.block import Block, count_lines
from malt.data.formats.dataformat import DataFormat, find_format
from malt.data.formats.recognise import recognise_format
from malt.data.sentence import Sentence
from malt.data.symbols import Tables, make_tables
from malt.data.treebank import Treebank, open_treebank, read_text
from malt.errors import DataError, UsageError, quoted, utf8

Source = str | os.PathLike[str] | Sentence | Iterable[Sentence | str]

TEXT, SENTENCES = "the text", "the sentences"  # what errors call them
MOST = 256  # sentences that are parsed together


def read(source: Source, format: str = "", charset: str = "UTF-8") -> list[Sentence]:
    r"""The sentences of a treebank: of a file, or of text; without a format it is recognised.

    >>> sentences = read("1\tHej\t_\tI\tI\t_\t0\tROOT\n\n1\tFarvel\t_\tI\tI\t_\t0\tROOT\n")
    >>> [sentence.forms for sentence in sentences]
    [['Hej'], ['Farvel']]
    """
    with open_source(source, format, charset) as treebank:
        return list(treebank.sentences())


@contextmanager
def open_source(
    source: Source,
    format: str | DataFormat = "",
    charset: str = "UTF-8",
    tables: Callable[[DataFormat], Tables] = make_tables,
    *,
    name: str = "",
) -> Iterator[Treebank]:
    """A treebank of whatever is given; its symbol tables are made when its format is known. `name` is what errors call
    it, if it is no file."""
    if is_path(source):
        with open_treebank(source, format, charset, tables) as treebank:
            yield treebank
        return
    if isinstance(source, str):
        data = utf8(source, name or TEXT)
        if isinstance(format, str):
            format = find_format(format) if format else recognise_format(data, name or TEXT)[0]
        yield read_text(data, format, name or TEXT, tables(format))
        return
    pieces = Pieces(source, find_format(format) if isinstance(format, str) and format else format or None)
    stream = cast(BinaryIO, pieces)
    yield Treebank(stream, name or SENTENCES, pieces.format, "utf-8", tables(pieces.format), False, b"")


def blocks_of(source: Source, format: DataFormat, charset: str, tables: Tables) -> Iterator[Block]:
    """Blocks to be parsed. What is wrong with a file or a text is told at once, if its beginning shows it."""
    if not isinstance(source, (str, os.PathLike)):
        return _groups(Pieces(source, format), format, tables)
    blocks = _read(source, format, charset, tables)
    return chain(list(islice(blocks, 1)), blocks)


def _read(source: str | os.PathLike[str], format: DataFormat, charset: str, tables: Tables) -> Iterator[Block]:
    """The blocks of a file, or of a text."""
    if is_path(source):
        with open_treebank(source, format, charset, tables, frozen=True) as treebank:
            yield from treebank
    else:
        yield from read_text(utf8(source, TEXT), format, TEXT, tables, frozen=True)


def _groups(sentences: Pieces, format: DataFormat, tables: Tables) -> Iterator[Block]:
    """The blocks of sentences, which are taken in groups that grow, so that the first ones are soon done."""
    pieces, line, size = iter(sentences), 1, 1
    while group := b"".join(islice(pieces, size)):
        yield from read_text(group, format, SENTENCES, tables, frozen=True, first_line=line)
        line += count_lines(group)
        size = min(2 * size, MOST)


def is_path(source: object) -> TypeGuard[str | os.PathLike[str]]:
    """Whether a path is meant: text of a treebank has a TAB or a line end in it.

    >>> is_path("train.conll"), is_path("Hej\\tI\\t0\\tROOT\\n")
    (True, False)
    """
    if isinstance(source, str) and not source.strip():
        raise UsageError("there is no text; expected a treebank: the path of a file, text, or sentences")
    return isinstance(source, os.PathLike) or (isinstance(source, str) and "\t" not in source and "\n" not in source)


class Pieces:
    """Sentences as UTF-8, each with an empty line at its end: to iterate over, or to be read as a stream."""

    def __init__(self, sentences: object, format: DataFormat | None) -> None:
        if isinstance(sentences, Sentence):
            sentences = [sentences]
        if isinstance(sentences, (bytes, bytearray)) or not isinstance(sentences, Iterable):
            kind = type(sentences).__name__
            raise UsageError(f"expected a treebank, not {kind}: the path of a file, text, or sentences")
        self._rest = iter(sentences)
        if format is None:
            first = next(self._rest, None)
            if first is None:
                raise DataError("there are no sentences")
            format = first.format if isinstance(first, Sentence) else recognise_format(_encode(first), TEXT)[0]
            self._rest = chain([first], self._rest)
        self.format: DataFormat = format

    def __iter__(self) -> Iterator[bytes]:
        return map(self._piece, self._rest)

    def read(self, size: int) -> bytes:
        """Some sentences, at least so many bytes while there are that many; nothing at the end."""
        found, length = [], 0
        while length < size and (sentence := next(self._rest, None)) is not None:
            found.append(self._piece(sentence))
            length += len(found[-1])
        return b"".join(found)

    def _piece(self, sentence: Sentence | str) -> bytes:
        if not isinstance(sentence, Sentence):
            return _encode(sentence)
        if sentence.format is not self.format and sentence.format.columns != self.format.columns:
            raise DataError(
                f"a sentence is in {sentence.format.name} ({', '.join(sentence.format.names)}), where "
                f"{self.format.name} ({', '.join(self.format.names)}) is expected; "
                "`malt convert` turns one into the other"
            )
        return _encode(str(sentence))


def _encode(text: object) -> bytes:
    if not isinstance(text, str):
        kind = type(text).__name__
        raise UsageError(
            f"expected sentences, not {quoted(str(text))} ({kind}); malt.Sentence.from_rows makes one of words"
        )
    if is_path(text):
        raise UsageError(f"expected sentences, not {quoted(str(text))}; give one file by itself, or str(sentence)")
    data = utf8(text.removeprefix("\ufeff"), TEXT)
    return data if data.endswith((b"\n\n", b"\r\n\r\n", b"\r\r")) else data + b"\n\n"
