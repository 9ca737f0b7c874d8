"""Writers: programs that say, for each column of the target, where its text comes from.

MaltParser's layout (formats of its modes): ids counted, unused columns as their default, columns matched by name.
Our own conversion: everything that has a place in the target is kept as it is in the file.
"""

from __future__ import annotations

import codecs
from collections.abc import Collection, Mapping
from dataclasses import dataclass

from malt.data.block import Block
from malt.data.charsets import writing_codec
from malt.data.deps import write_deps
from malt.data.formats.dataformat import EMPTY, HEAD, INPUT, LABEL, PLUS, SDP, Column, DataFormat
from malt.data.formats.plus import declaration, undeclared
from malt.data.formats.sdp import HEADER, from_conllu
from malt.errors import DataError, UsageError, counted
from malt.kernel import writer as kernel

Operation = tuple[int, int, int, str]

# Where a column's text may come from when the source has none of that name: columns of the same meaning, best first.
# CPOSTAG and UPOSTAG are the coarse tags, POSTAG and XPOSTAG the fine ones. A format with a single one of these columns
# takes the next one for words that have `_` in the first.
SAME_MEANING = {
    "CPOSTAG": ("UPOSTAG", "POSTAG"),
    "UPOSTAG": ("CPOSTAG", "POSTAG"),
    "POSTAG": ("XPOSTAG", "CPOSTAG", "UPOSTAG"),
    "XPOSTAG": ("POSTAG",),
}
WORDS_ONLY = ("conllx", "conll2009")  # formats of shared tasks, which have no comments, ranges or empty nodes


@dataclass(frozen=True)
class Losses:
    """What had no place in what was written: columns with something other than `_`, whole lines, and ends of lines.

    >>> print(*(Losses(("LEMMA",)) + Losses(("FEATS", "LEMMA"), 2)).messages("malttab"), sep="\\n")
    malttab has no column for LEMMA, FEATS: left out
    malttab has no place for multiword tokens, empty nodes and comments with a TAB: 2 lines left out
    """

    columns: tuple[str, ...] = ()
    lines: int = 0
    trimmed: int = 0

    def __add__(self, other: Losses) -> Losses:
        columns = tuple(dict.fromkeys([*self.columns, *other.columns]))
        return Losses(columns, self.lines + other.lines, self.trimmed + other.trimmed)

    def messages(self, target: str) -> list[str]:
        """What a user is told, line by line; `target` is the name of the format that was written."""
        found = []
        if self.columns:
            found.append(f"{target} has no column for {', '.join(self.columns)}: left out")
        if self.lines:
            kinds = "multiword tokens, empty nodes and comments" + ("" if target in WORDS_ONLY else " with a TAB")
            found.append(f"{target} has no place for {kinds}: {counted(self.lines, 'line')} left out")
        if self.trimmed:
            size = counted(self.trimmed, "line")
            found.append(f"blanks and control characters at the ends of {size} are left out")
        return found


class TextWriter:
    """Turns blocks into bytes of one format and charset."""

    def __init__(
        self,
        writer: kernel.BlockWriter | None,
        charset: str,
        source: DataFormat | None = None,
        target: DataFormat | None = None,
    ) -> None:
        """`source` and `target` are needed where something may have no place in the target, or has to name columns."""
        self._writer, self._charset = writer, charset
        self._source, self._target = source, target
        self._begun = False
        self._lines = self._trimmed = 0
        self._lost: set[str] = set()  # columns that SDP has no place for
        self.advice = "choose another charset with -oc, for example -oc UTF-8"  # where a character cannot be written
        codec, self._mark = writing_codec(charset)
        self._encoder = codecs.getincrementalencoder(codec)()

    def take_losses(self) -> Losses:
        """What had no place in what was written since this was last asked."""
        columns: list[str] = []
        if self._writer is not None and self._source is not None:
            names = [*self._source.names, self._source.extra]
            columns = [names[place] for place in sorted(self._writer.lost)]
        columns += sorted(self._lost)
        lines, trimmed = self._lines, self._trimmed
        self._lines = self._trimmed = 0
        return Losses(tuple(columns), lines, trimmed)

    def go_on(self) -> None:
        """What is written is not the beginning of a file, and has no mark of its byte order."""
        self._mark, self._begun = "", True

    def write(self, block: Block) -> bytes:
        """The block's text; it is what was read, byte for byte, where nothing has to change."""
        text = block.text
        if self._writer is not None:
            coded = [block.tables[column] for column in block.format.coded]
            try:
                text = self._writer.write(text, block.starts, block.heads, block.values, block.word_lines, coded)
            except kernel.BlankEdge as edge:
                raise self._blank(block, edge) from None
            self._lines += self._writer.dropped_lines
            self._trimmed += self._writer.trimmed_lines
        if block.graph is not None:
            text = write_deps(text, block, self._target or block.format)
        if self._target is not None and self._target.name == SDP:
            text, lost, dropped = from_conllu(text)
            self._lost |= lost
            self._lines += dropped
            text = text if self._begun or text.startswith(HEADER.rstrip()) else HEADER + text
        if not self._begun:
            text, self._begun = self._named(text, block.text), True
        if self._charset == "utf-8":
            return text
        mark, self._mark = self._mark, ""
        decoded = text.decode()
        try:
            # Blocks end where lines do, so a shift state can end there too.
            return self._encoder.encode(decoded if decoded.startswith("\ufeff") else mark + decoded, final=True)
        except UnicodeEncodeError as error:
            character = error.object[error.start]
            place = block.text.find(character.encode())
            raise DataError(
                f"{character!r} (U+{ord(character):04X}) cannot be written in {self._charset.upper()}; {self.advice}",
                *((block.name, block.line_number(place)) if place >= 0 else ()),
            ) from None

    def _named(self, text: bytes, read: bytes) -> bytes:
        """The beginning of a file with a line that names its columns, if the target is CoNLL-U Plus, and without one
        that names those of the source."""
        if self._source is None or self._target is None:
            return text
        rest, names = undeclared(text), self._target.name == PLUS
        if self._source.columns == self._target.columns and not (names and rest == text):
            return text
        if rest == text and undeclared(read) != read:
            self._lines -= 1  # that line, which is no loss
        mark = codecs.BOM_UTF8 if rest.startswith(codecs.BOM_UTF8) else b""
        return mark + (declaration(self._target) if names else b"") + rest[len(mark) :]

    def _blank(self, block: Block, edge: kernel.BlankEdge) -> DataError:
        assert self._target is not None
        which, how, where = (-1, "ends", "last") if edge.at_end else (0, "begins", "first")
        name, format = self._target.names[which], self._target.name
        reason = f"{name} {how} with a blank, which {format} cannot hold in its {where} column"
        return DataError(reason, block.name, block.line_number(edge.line))


def malt_writer(
    source: DataFormat,
    target: DataFormat,
    labels: Mapping[str, str],
    charset: str = "utf-8",
    made: Collection[str] | None = None,
) -> TextWriter:
    """What MaltParser's modes write; `labels` are the default labels of root arcs.

    made: the columns of labels that a parser has filled, where the trees are its own: others then have the default.
    """
    made = source.label_columns if made is None else made
    inputs = {column.name for column in source.columns if column.category == INPUT}
    program: list[Operation] = []
    for column in target.columns:
        if column.category == INPUT and column.name == "ID":
            program.append((kernel.COUNT, 0, 0, ""))
        elif column.category == INPUT and column.name in inputs:
            program.append((kernel.SYMBOL, source.coded.index(column.name), 0, "_"))
        elif column.category == INPUT:
            program.append((kernel.CONSTANT, 0, 0, "_"))
        elif column.category == HEAD:
            program.append((kernel.HEAD, 0, 0, "0"))
        elif column.category == LABEL and column.name in source.label_columns and column.name in made:
            program.append((kernel.LABEL, source.coded.index(column.name), 0, labels.get(column.name, "ROOT")))
        elif column.category == LABEL:
            program.append((kernel.CONSTANT, 0, 0, labels.get(column.name, "ROOT")))
        else:
            program.append((kernel.CONSTANT, 0, 0, column.default))
    return TextWriter(kernel.BlockWriter(program, "malt", len(source.columns), source.id_column, True), charset)


def converter(
    source: DataFormat, target: DataFormat, charset: str = "utf-8", labels: Mapping[str, str] | None = None
) -> TextWriter:
    """A conversion that keeps whatever has a place in the target.

    With the default `labels` of root arcs, heads and labels are those of the blocks, and not of their text.
    """
    if target.name == SDP and labels is not None:
        raise UsageError("sdp holds graphs, and trees are made here; -of conllu holds both")
    if source.columns == target.columns and (target.extra or not source.extra):
        return TextWriter(None, charset, source, target) if labels is None else keeper(source, charset, labels)
    names = source.names
    program: list[Operation] = []
    watched = [kernel.NOWHERE] * len(names)
    for place, column in enumerate(target.columns):
        default = column.default or "_"
        if place == target.id_column and source.id_column < 0:
            program.append((kernel.COUNT, 0, 0, ""))
            continue
        found = _sources(column, source, target)
        if not found:
            program.append((kernel.CONSTANT, 0, 0, default))
            continue
        first, second = found[0], found[1] if found[1:] else -1
        watched[first] = kernel.WHOLLY
        if second >= 0:
            watched[second] = first
        new = None if labels is None else _new(source, source.columns[first], labels, target.id_column >= 0)
        counted = column.category == HEAD and source.id_column >= 0 and target.id_column < 0
        program.append(new or (kernel.HEAD if counted else kernel.FIELD, first, second, default))
    if source.id_column >= 0 and target.id_column < 0:
        watched[source.id_column] = kernel.WHOLLY  # the place of a word says as much
    watched.append(kernel.NOWHERE)  # the further columns
    words_only = target.name in WORDS_ONLY
    writer = kernel.BlockWriter(
        program, "keep", len(names), source.id_column, target.id_column >= 0, watched=watched, words_only=words_only
    )
    return TextWriter(writer, charset, source, target)


def _new(source: DataFormat, column: Column, labels: Mapping[str, str], ids: bool) -> Operation | None:
    """What writes a head or a label that was found; nothing for other columns. A word without one is on the root."""
    if column.category == HEAD:
        return (kernel.HEAD_ID if ids and source.id_column >= 0 else kernel.HEAD, max(source.id_column, 0), 0, "0")
    if column.category == LABEL:
        return kernel.LABEL, source.coded.index(column.name), 0, labels.get(column.name, "ROOT")
    return None


def _sources(column: Column, source: DataFormat, target: DataFormat) -> list[int]:
    """The columns of the source from which one of the target is filled, best first."""
    if column.category == HEAD and source.head_column >= 0:
        return [source.head_column]
    names = [name for name in (column.name, *SAME_MEANING.get(column.name, ())) if name in source.names]
    if column.category == LABEL and not set(source.label_columns) & set(target.label_columns):
        first = target.label_columns[0] == column.name
        names = names or list(source.label_columns[:1] if first else ())  # whatever it is called
    alone = sum(name in SAME_MEANING for name in target.names) == 1
    return [source.names.index(name) for name in names[: 2 if alone else 1]]


def keeper(source: DataFormat, charset: str = "utf-8", labels: Mapping[str, str] | None = None) -> TextWriter:
    """New heads and labels in an otherwise unchanged text.

    With the default `labels` of root arcs, a word without a head is written as one on the root.
    """
    program: list[Operation] = []
    patch: dict[int, int] = {}
    for place, column in enumerate(source.columns):
        operation = _new(source, column, labels or {}, ids=True)
        if operation is not None:
            patch[place] = len(program)
            program.append(operation if labels is not None else (*operation[:3], "_"))
    writer = kernel.BlockWriter(
        program, "keep", len(source.columns), source.id_column, True, patch, fills=labels is not None
    )
    return TextWriter(writer, charset)


def filler(source: DataFormat, columns: Collection[str]) -> TextWriter:
    """The values of some columns in an otherwise unchanged text."""
    patch: dict[int, int] = {}
    program: list[Operation] = []
    for place, name in enumerate(source.names):
        if name in columns:
            patch[place] = len(program)
            program.append((kernel.SYMBOL, source.places[name], 0, EMPTY))
    writer = kernel.BlockWriter(program, "keep", len(source.columns), source.id_column, True, patch, fills=True)
    return TextWriter(writer, "utf-8")
