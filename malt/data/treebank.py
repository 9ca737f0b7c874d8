"""Treebanks: files of sentences, read block by block into columns of integers.

Memory grows with the vocabulary and the longest sentence, not with the file.
"""

from __future__ import annotations

import codecs
import contextlib
import io
import logging
import os
import stat
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import chain
from typing import BinaryIO

from malt.data.block import Block, TextReader, count_lines
from malt.data.charsets import charset_mismatch, find_charset, with_byte_order
from malt.data.compression import Unpacked, kind_of, refuse_packed
from malt.data.files import STANDARD_INPUT, Keyboard, Readable, local_path, open_input, read_some
from malt.data.formats.dataformat import PLUS, SDP, DataFormat, find_format
from malt.data.formats.plus import declarations, declared_format, spelling
from malt.data.formats.recognise import has_words, recognise_format
from malt.data.formats.sdp import as_read, is_sdp, to_conllu
from malt.data.sentence import WHITE, Sentence, sentences_of
from malt.data.symbols import Tables, make_tables
from malt.errors import DataError, MaltError
from malt.kernel.reader import last_boundary

CHUNK = 1 << 17  # small blocks stay in the processor's cache, and several threads end at the same time
LONGEST_LINE = 1 << 26  # bytes
BEGINNING, FAR = 1 << 16, 1 << 24  # what is looked at to recognise a format: so much, or more if it has no words


class Treebank:
    """An open treebank file. Iterate over it once to get its blocks.

    `tables` are filled while reading; with `frozen`, they stay as they are, and each block has a layer of its own for
    symbols that they lack.
    """

    def __init__(
        self,
        stream: Readable,
        name: str,
        format: DataFormat,
        charset: str,
        tables: Tables,
        frozen: bool,
        first: bytes,
        first_line: int = 1,
        *,
        size: int | None = None,
        charset_advice: str = "",
        sdp: bool = False,
        declares: bool = False,
    ) -> None:
        """`first` is what was read of the stream, and `size` how many bytes the file has, where that is known. With
        `sdp`, it is in the format of the SDP shared tasks, and read as the CoNLL-U that says the same. With `declares`,
        it counts what it says of its columns."""
        self._sdp, self._declares = sdp, declares
        self.name, self.format, self.charset, self.tables, self.frozen = name, format, charset, tables, frozen
        self.size, self._bytes, self._advice = size, 0, charset_advice
        self._stream, self._first = stream, first
        self._line = first_line
        self._begun = False

    def __iter__(self) -> Iterator[Block]:
        if self._begun:
            raise MaltError(f"{self.name}: a treebank can be gone through once; open it again")
        self._begun = True
        return self._blocks()

    def _blocks(self) -> Iterator[Block]:
        reader = TextReader(self.format, self.name)
        # Arcs that are given bring their labels into the table of all labels, in MaltParser sentence by sentence.
        single = self.format.partial and not self.frozen
        texts = self._read_texts()
        for text in chain.from_iterable(map(_sentences, texts)) if single else texts:
            tables = self.tables
            if self.frozen:
                tables = {name: table.overlay() for name, table in self.tables.items()}
            yield reader.read(text, tables, self._line)
            self._line += count_lines(text)

    def texts(self, most: int) -> Iterator[tuple[bytes, int]]:
        """Instead of blocks: texts of whole sentences in UTF-8, each with the number of its first line.

        They grow up to about so many bytes, so that a small file has several of them.
        """
        found, length, wanted = [], 0, min(CHUNK, most)
        for text in self._read_texts():
            found.append(text)
            length += len(text)
            if length >= wanted:
                yield self._join(found)
                found, length, wanted = [], 0, min(2 * wanted, most)
        if found:
            yield self._join(found)

    def _join(self, texts: list[bytes]) -> tuple[bytes, int]:
        text, line = b"".join(texts), self._line
        self._line += count_lines(text)
        return text, line

    @property
    def bytes_read(self) -> int:
        """How much of the file was read."""
        return self._stream.packed() if isinstance(self._stream, Unpacked) else self._bytes

    @property
    def beginning(self) -> bytes:
        """The beginning of the file in UTF-8, as long as nothing was read of it."""
        return self._first.decode(self.charset, "replace").encode()

    def looks_like(self) -> tuple[DataFormat, str]:
        """The format that its beginning shows, and the reason, as long as nothing was read of it."""
        return recognise_format(self.beginning, self.name)

    def sentences(self) -> Iterator[Sentence]:
        """All sentences, one after another."""
        for block in self:
            yield from sentences_of(block)

    def _read_texts(self) -> Iterator[bytes]:
        """The file as texts of whole sentences, in the columns of its format."""
        if self._sdp:
            return self._translated()
        return self._declared() if self._declares else self._texts()

    def _declared(self) -> Iterator[bytes]:
        """Columns are named once: in files that were put together, others may be meant further down."""
        line, names = self._line, self.format.names
        for text in self._texts():
            for at, declaration in declarations(text):
                number = line + count_lines(text[:at])
                found = declared_format(declaration, self.name, number)
                if found and found.names[: len(names)] != names:
                    raise DataError(
                        f"global.columns counts in the first line alone: here it names {', '.join(found.names)}, but "
                        f"the file is read with {', '.join(names)}; let a file of its own begin with this line",
                        self.name,
                        number,
                    )
            yield text
            line += count_lines(text)

    def _translated(self) -> Iterator[bytes]:
        line = self._line
        for text in self._texts():
            yield to_conllu(text, self.name, line)
            line += count_lines(text)

    def _texts(self) -> Iterator[bytes]:
        """The file as texts of whole sentences. Every byte is copied and searched a few times only, however long a
        sentence or a line is."""
        before: list[bytes] = []  # whole lines
        line: list[bytes] = []  # the last line, which may go on
        length = 0
        for chunk in self.utf8():
            line.append(chunk)
            if b"\n" not in chunk and b"\r" not in chunk:
                length += len(chunk)
                if length > LONGEST_LINE:
                    number = self._line + sum(map(count_lines, before))
                    reason = f"the line has more than {LONGEST_LINE >> 20} MB, so this is no treebank"
                    raise DataError(reason, self.name, number)
                continue
            text = b"".join(line)
            cut, at = last_boundary(text)
            if cut > 0:
                yield b"".join([*before, text[:cut]])
                before = []
            before.append(text[max(cut, 0) : at])
            line = [text[at:]]
            length = len(line[0])
        rest = b"".join(before + line)
        if rest:
            yield rest

    def utf8(self) -> Iterator[bytes]:
        """The file's bytes, checked and as UTF-8."""
        decoder = codecs.getincrementaldecoder(self.charset)()
        lines, column, last = 0, 0, ""  # line ends, characters after the last of them, and the very last character
        while True:
            chunk, self._first = self._first or read_some(self._stream, CHUNK, self.name), b""
            self._bytes += len(chunk)
            error = None
            try:
                text = decoder.decode(chunk, final=not chunk)
            except UnicodeDecodeError as found:
                error, text = found, found.object[: found.start].decode(self.charset, "replace")
            data = chunk if self.charset == "utf-8" and not error else text.encode()
            cut = max(text.rfind("\n"), text.rfind("\r")) + 1
            lines += count_lines(data) - (last == "\r" and text.startswith("\n"))
            column = len(text) - cut + (0 if cut else column)
            last = text[-1:] or last
            if error:
                what = self._advice or "give the file's charset with -ic, for example -ic ISO-8859-1"
                raise DataError(
                    f"byte 0x{error.object[error.start]:02X} is not {self.charset.upper()}; {what}",
                    self.name,
                    1 + lines,
                    1 + column,
                )
            yield data
            if not chunk:
                return


@contextlib.contextmanager
def open_treebank(
    path: str | os.PathLike[str],
    format: str | DataFormat = "",
    charset: str = "UTF-8",
    tables: Tables | Callable[[DataFormat], Tables] = make_tables,
    *,
    frozen: bool = False,
    by_place: bool = False,
) -> Iterator[Treebank]:
    """Open a treebank, compressed or not; without a format it is recognised from the file, and what was recognised is
    logged. `tables` are its symbol tables, or what makes them when the format is known.

    A file in CoNLL-U Plus names its columns itself, and has to have those of the format, if one is given, unless that
    is just conllu. With `by_place` it does not count what a file says of its columns, as in MaltParser.

    >>> import tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "hej.tab"
    >>> _ = path.write_text("Hej\\tI\\t0\\tROOT\\n")
    >>> with open_treebank(path) as treebank:
    ...     [sentence.forms for sentence in treebank.sentences()]
    [['Hej']]
    """
    path = local_path(os.fspath(path))
    name = "standard input" if path in STANDARD_INPUT else path
    advice = "the model reads no other charset: `malt convert -ic {} -oc {}` makes one that it reads"
    with open_input(path) as raw:
        stream: Readable = raw
        encoding = find_charset(charset)
        if path in STANDARD_INPUT and raw.isatty():
            logging.getLogger("malt").info("reading from the keyboard; Ctrl-D on a line of its own ends the input")
            stream = Keyboard(raw)
        first = read_some(stream, BEGINNING, name)
        if kind_of(first):
            stream = Unpacked(raw, name, first)
            first = read_some(stream, BEGINNING, name)
        refuse_packed(first, name)
        if found := charset_mismatch(encoding, first):
            what = advice.format(found, charset) if frozen and by_place else f"give its charset with -ic {found}"
            raise DataError(f"the file begins as {found} does; {what}", name)
        encoding = with_byte_order(encoding, first)
        given = format
        if isinstance(format, str) and not format:
            first = read_words(stream, first, encoding, name)
            format, reason = recognise_format(first.decode(encoding, "replace").encode(), name)
            logging.getLogger("malt").info("%s: read as %s (%s)", name, format.name, reason)
        elif isinstance(format, str):
            format = find_format(format)
        if given and not by_place:
            while not set(b"\r\n") & set(first) and (more := read_some(stream, BEGINNING, name)):
                first += more  # a whole line, of which a pipe may give a part
                if len(first) > BEGINNING:
                    break
            declared = declared_format(first.decode(encoding, "replace").encode(), name)
            format = _fitted(format, declared, name, given == "conllu") if declared else format
        sdp = format.name == SDP or (format.name == "conllu" and is_sdp(first.decode(encoding, "replace").encode()))
        format = as_read(format)
        known = tables(format) if callable(tables) else tables
        yield Treebank(
            stream,
            name,
            format,
            encoding,
            known,
            frozen,
            first,
            size=_size(raw),
            charset_advice=advice.format("CHARSET", charset) if frozen and by_place else "",
            sdp=sdp and not by_place,
            declares=not by_place and format.name in ("conllu", PLUS),
        )


def _fitted(format: DataFormat, declared: DataFormat, name: str, any_columns: bool) -> DataFormat:
    """The format that a file is read with if it declares its columns: it may have more than are wanted."""
    if declared.names[: len(format.names)] == format.names:
        more = declared.names[len(format.names) :]
        return replace(format, extra=format.extra or ", ".join(more)) if more else format
    if any_columns:
        return declared
    raise DataError(
        f"the columns of the file are {', '.join(declared.names)} (global.columns), but those of {format.name} are "
        f"{', '.join(format.names)}; `malt convert -of {spelling(format)}` makes them fit",
        name,
        1,
    )


def _sentences(text: bytes) -> Iterator[bytes]:
    """A text of whole sentences, cut after each blank line."""
    begin = end = 0
    for line in text.splitlines(keepends=True):
        end += len(line)
        if not line.strip(WHITE):
            yield text[begin:end]
            begin = end
    if begin < end:
        yield text[begin:]


def _size(stream: BinaryIO) -> int | None:
    """The bytes of a file; a pipe has no size."""
    try:
        status = os.fstat(stream.fileno())
    except (OSError, ValueError):
        return None
    return status.st_size or None if stat.S_ISREG(status.st_mode) else None


def read_text(
    text: bytes,
    format: DataFormat,
    name: str,
    tables: Tables | None = None,
    *,
    frozen: bool = False,
    first_line: int = 1,
) -> Treebank:
    """A treebank that is at hand, in UTF-8; `name` and `first_line` are what errors call it and where they count from.

    >>> [block] = read_text(b"Hej\\tI\\t0\\tROOT\\n", find_format("malttab"), "the text")
    >>> block.heads
    array([0], dtype=int32)
    """
    return Treebank(io.BytesIO(text), name, format, "utf-8", tables or make_tables(format), frozen, b"", first_line)


def read_words(stream: Readable, first: bytes, charset: str, name: str) -> bytes:
    """Read on until the beginning of a file is long enough, and has words, however many blank lines or comments come
    first; up to a limit, as nobody has more of them."""
    wanted = BEGINNING
    while len(first) < FAR:
        while len(first) < wanted and (more := read_some(stream, wanted - len(first), name)):
            first += more  # a pipe gives what it has
        if len(first) < wanted or has_words(first.decode(charset, "replace").encode()):
            break
        wanted = 4 * len(first)
    return first
