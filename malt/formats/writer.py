"""Writers: programs that say, for each column of the target, where its text comes from.

MaltParser's layout (formats of its modes): ids counted, unused columns as their default, columns matched by name.
Our own conversion: everything that has a place in the target is kept as it is in the file.
"""

from __future__ import annotations

import codecs
from typing import TYPE_CHECKING

from malt.errors import MaltError
from malt.formats.dataformat import HEAD, INPUT, LABEL, DataFormat
from malt.kernel import writer as kernel

if TYPE_CHECKING:
    from malt.treebank import Block

Operation = tuple[int, int, int, str]

# Where a column's text may come from when the source has none of that name: columns of the same meaning, best first.
# CPOSTAG and UPOSTAG are the coarse tags, POSTAG and XPOSTAG the fine ones.
SAME_MEANING = {
    "CPOSTAG": ("UPOSTAG", "POSTAG"),
    "UPOSTAG": ("CPOSTAG", "POSTAG"),
    "POSTAG": ("XPOSTAG", "CPOSTAG", "UPOSTAG"),
    "XPOSTAG": ("POSTAG",),
}


class Writer:
    """Turns blocks into bytes of one format and charset."""

    def __init__(self, writer: kernel.BlockWriter | None, charset: str, lost: tuple[str, ...] = ()) -> None:
        self._writer, self._charset = writer, charset
        self.lost_columns, self.lost_lines = lost, 0
        # As Java does it: without an order of bytes in the name it is big-endian, with a mark at the beginning.
        marked = charset in ("utf-16", "utf-32")
        self._encoder = codecs.getincrementalencoder(f"{charset}-be" if marked else charset)()
        self._mark = "\ufeff" if marked else ""

    def write(self, block: Block) -> bytes:
        """The block's text; it is what was read, byte for byte, where nothing has to change."""
        text = block.text
        if self._writer is not None:
            coded = [block.tables[column] for column in block.format.coded]
            text = self._writer.write(text, block.starts, block.heads, block.values, block.word_lines, coded)
            self.lost_lines += self._writer.dropped_lines
        if self._charset == "utf-8":
            return text
        try:
            mark, self._mark = self._mark, ""
            return self._encoder.encode(mark + text.decode())
        except UnicodeEncodeError as error:
            character = error.object[error.start]
            raise MaltError(
                f"{character!r} (U+{ord(character):04X}) cannot be written in {self._charset.upper()}; "
                "choose another charset with -oc, for example -oc UTF-8"
            ) from None


def malt_writer(source: DataFormat, target: DataFormat, labels: dict[str, str], charset: str = "utf-8") -> Writer:
    """What MaltParser's modes write; `labels` are the default labels of root arcs."""
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
        elif column.category == LABEL and column.name in source.label_columns:
            program.append((kernel.LABEL, source.coded.index(column.name), 0, labels.get(column.name, "ROOT")))
        elif column.category == LABEL:
            program.append((kernel.CONSTANT, 0, 0, labels.get(column.name, "ROOT")))
        else:
            program.append((kernel.CONSTANT, 0, 0, column.default))
    return Writer(kernel.BlockWriter(program, "malt", len(source.columns), source.id_column, True), charset)


def converter(source: DataFormat, target: DataFormat, charset: str = "utf-8") -> Writer:
    """A conversion that keeps whatever has a place in the target."""
    if source.columns == target.columns:
        return Writer(None, charset)
    program: list[Operation] = []
    used: set[str] = set()
    for place, column in enumerate(target.columns):
        default = column.default or "_"
        names = [n for n in (column.name, *SAME_MEANING.get(column.name, ())) if n in source.names]
        if place == target.id_column and source.id_column < 0:
            program.append((kernel.COUNT, 0, 0, ""))
        elif column.category == HEAD and source.head_column >= 0:
            used.add(source.names[source.head_column])
            counted = source.id_column >= 0 and target.id_column < 0
            program.append((kernel.HEAD if counted else kernel.FIELD, source.head_column, -1, default))
        elif names:
            used.add(names[0])
            # A format with a single tag column takes the coarse tag where the fine one is empty.
            second = -1
            if column.name == "POSTAG" and "CPOSTAG" not in target.names and names[0] == "XPOSTAG" and names[1:]:
                second = source.names.index(names[1])
                used.add(names[1])
            program.append((kernel.FIELD, source.names.index(names[0]), second, default))
        else:
            program.append((kernel.CONSTANT, 0, 0, default))
    if source.id_column >= 0 and target.id_column < 0:
        used.add("ID")
    lost = tuple(name for name in source.names if name not in used)
    writer = kernel.BlockWriter(program, "keep", len(source.columns), source.id_column, target.id_column >= 0)
    return Writer(writer, charset, lost)


def keeper(source: DataFormat, charset: str = "utf-8") -> Writer:
    """New heads and labels in an otherwise unchanged text."""
    program: list[Operation] = []
    patch: dict[int, int] = {}
    for place, column in enumerate(source.columns):
        if column.category == HEAD:
            operation = kernel.HEAD_ID if source.id_column >= 0 else kernel.HEAD
            program.append((operation, max(source.id_column, 0), 0, "_"))
        elif column.category == LABEL:
            program.append((kernel.LABEL, source.coded.index(column.name), 0, "_"))
        else:
            continue
        patch[place] = len(program) - 1
    writer = kernel.BlockWriter(program, "keep", len(source.columns), source.id_column, True, patch)
    return Writer(writer, charset)
