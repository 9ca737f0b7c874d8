"""A data format: which columns a treebank file has, and what each is for (MaltParser's data-format XML)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from pathlib import Path

from malt.data.files import local_path, read_small
from malt.data.web import is_web
from malt.errors import DataError, UsageError, nearest, quoted
from malt.kernel.symbols import Category, ColumnType
from malt.ownfiles import read_own

PARTIAL = ("PARTHEAD", "PARTDEPREL")  # the columns of arcs that are given beforehand (-up)
DEPS = "DEPS"  # the column of CoNLL-U that has graphs
EMPTY = "_"  # what CoNLL formats write where there is no value
BUILT_IN = ("conllx", "conllu", "malttab", "conll2009")
SDP = "sdp"  # of the SDP shared tasks, which is read as CoNLL-U (malt/data/formats/sdp.py)
PLUS = "conllup"  # CoNLL-U Plus, whose columns a file names itself
MOST = 1000  # columns that a file may name
_NAME = re.compile(r"[\w:.+-]+")
UNIVERSAL = {"UPOS": "UPOSTAG", "XPOS": "XPOSTAG"}  # what Universal Dependencies calls columns that MaltParser names so

CATEGORIES = {name: int(member) for name, member in Category.__members__.items()}
INPUT, HEAD, LABEL = CATEGORIES["INPUT"], CATEGORIES["HEAD"], CATEGORIES["OUTPUT"]
TYPES = {name: int(member) for name, member in ColumnType.__members__.items()}
INTEGER = TYPES["INTEGER"]


@dataclass(frozen=True)
class Column:
    """One column: its name, category, type, and what is written where nothing is known."""

    name: str
    category: int
    type: int
    default: str = ""


@dataclass(frozen=True)
class DataFormat:
    """The columns of a treebank file.

    >>> find_format("malttab").names
    ('FORM', 'POSTAG', 'HEAD', 'DEPREL')
    """

    name: str
    columns: tuple[Column, ...]
    extra: str  # what further columns are called, which are allowed then, and left alone
    file_name: str
    xml: bytes  # the definition as it was read, for the model file

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The columns' names in order."""
        return tuple(column.name for column in self.columns)

    @cached_property
    def coded(self) -> tuple[str, ...]:
        """The columns whose texts become codes: those of categories INPUT and DEPENDENCY_EDGE_LABEL."""
        return tuple(column.name for column in self.columns if column.category in (INPUT, LABEL))

    @cached_property
    def places(self) -> dict[str, int]:
        """Where the codes of each of these are in a block."""
        return {name: place for place, name in enumerate(self.coded)}

    @cached_property
    def label_columns(self) -> tuple[str, ...]:
        """The columns of arc labels."""
        return tuple(column.name for column in self.columns if column.category == LABEL)

    @cached_property
    def form_column(self) -> str:
        """The column of the words: FORM, or else the first that is not the id; nothing if there is none."""
        inputs = [column.name for column in self.columns if column.category == INPUT and column.name != "ID"]
        return "FORM" if "FORM" in inputs else next(iter(inputs), "")

    @cached_property
    def id_column(self) -> int:
        """Where the ids are: an INPUT column of type INTEGER named ID; -1 if there is none and words are counted."""
        for place, column in enumerate(self.columns):
            if column.name == "ID" and column.category == INPUT and column.type == INTEGER:
                return place
        return -1

    @cached_property
    def head_column(self) -> int:
        """Where the heads are; -1 if the format has none."""
        return max((place for place, column in enumerate(self.columns) if column.category == HEAD), default=-1)

    @cached_property
    def partial(self) -> bool:
        """Whether it has columns of arcs that are given beforehand."""
        return set(PARTIAL) <= set(self.names)


def find_format(name: str) -> DataFormat:
    """The format of a name (conllx, conllu, malttab, conll2009), or of a data-format XML file, or with the columns that
    are named with commas between.

    MaltParser's names of its own files, such as /appdata/dataformat/conll2009.xml, find ours.

    >>> find_format("/appdata/dataformat/conll2009.xml").id_column, find_format("ID,FORM,HEAD").head_column
    (0, 2)
    """
    if name in BUILT_IN:
        return _built_in(name)
    if name == SDP:
        return replace(_built_in("conllu"), name=SDP)
    path = local_path(name)
    if not is_web(path) and not Path(path).exists():
        known = path.removeprefix("/appdata/dataformat/").removesuffix(".xml")
        if path.startswith("/appdata/dataformat/") and known in BUILT_IN:
            return _built_in(known)
        if "," in name:
            try:
                return plus_format(name.split(","))
            except DataError as error:
                raise UsageError(f"data format {quoted(name)}: {error.message}") from None
        hint = nearest(name, BUILT_IN) or f"; known are {', '.join(BUILT_IN)}, and the path of a data-format XML file"
        hint = hint if hint.startswith("; did") else f"{hint}, or columns with commas between, as ID,FORM,HEAD"
        raise UsageError(f"data format {quoted(name)} is neither a file nor a known format{hint}")
    return parse_format(read_small(path, "data format"), path)


def meant_column(name: str, columns: Sequence[str]) -> str:
    """A column as a format names it, if it has one.

    >>> meant_column("upos", ("FORM", "UPOSTAG")), meant_column("tag", ("FORM",))
    ('UPOSTAG', 'TAG')
    """
    column = name.upper()
    return column if column in columns else UNIVERSAL.get(column, column)


def find_column(name: str, columns: Sequence[str], owner: str) -> str:
    """One of the columns, which must be there; `owner` is what an error calls what has them."""
    column = meant_column(name, columns)
    if column not in columns:
        hint = nearest(column, columns) or f"; there are {', '.join(columns)}"
        raise UsageError(f"{quoted(name)} is no column of {owner}{hint}")
    return column


def plus_format(names: Iterable[str]) -> DataFormat:
    """The columns of a file in CoNLL-U Plus. Those that CoNLL-U has, too, are what they are there; all others are given
    in the input, and features can name them.

    >>> plus_format(["ID", "FORM", "UPOS", "PARSEME:MWE"]).names
    ('ID', 'FORM', 'UPOSTAG', 'PARSEME:MWE')
    """
    from xml.sax.saxutils import quoteattr  # which imports much that hardly anyone needs

    known = {column.name: column for column in _built_in("conllu").columns}
    categories = {number: name for name, number in reversed(CATEGORIES.items())}
    types = {number: name for name, number in reversed(TYPES.items())}
    found: dict[str, str] = {}
    for word in names:
        name = UNIVERSAL.get(word.upper(), word.upper())
        if not _NAME.fullmatch(name):
            raise DataError(f"{quoted(word)} cannot be the name of a column")
        if name in found:
            raise DataError(f"the column {word} is there twice")
        column = known.get(name)
        category, kind = (categories[column.category], types[column.type]) if column else ("INPUT", "STRING")
        default = f" default={quoteattr(column.default)}" if column and column.default else ""
        found[name] = f'  <column name={quoteattr(name)} category="{category}" type="{kind}"{default}/>\n'
    if not found or len(found) > MOST:
        raise DataError(f"there are {len(found)} columns; expected 1 to {MOST}")
    xml = (
        f'<?xml version="1.0" encoding="UTF-8"?>\n<dataformat name="{PLUS}">\n{"".join(found.values())}</dataformat>\n'
    )
    return parse_format(xml.encode(), f"{PLUS}.xml")


@cache
def _built_in(name: str) -> DataFormat:
    return parse_format(read_own("malt.data.formats", f"{name}.xml"), f"{name}.xml")


def parse_format(xml: bytes, file: str) -> DataFormat:
    """Read a data-format XML."""
    from malt.data.xml import line_of, parse_xml

    root = parse_xml(xml, file)
    if root.tag != "dataformat":
        raise DataError(
            f"the root element is <{root.tag}>; a data format begins with <dataformat>", file, line_of(root)
        )
    columns: dict[str, Column] = {}
    for element in root.iter("column"):
        line = line_of(element)
        name = element.get("name", "").upper()
        category, kind = element.get("category", "").upper(), element.get("type", "").upper()
        if not name:
            raise DataError("a <column> has no name", file, line)
        if category not in CATEGORIES:
            raise DataError(f"column {name}: category {category!r} is not one of {', '.join(CATEGORIES)}", file, line)
        if kind not in TYPES:
            raise DataError(f"column {name}: type {kind!r} is not one of {', '.join(TYPES)}", file, line)
        default = element.get("default", "")
        if any(character in default for character in "\t\r\n"):
            raise DataError(f"column {name}: a default cannot hold a TAB or a line end", file, line)
        columns[name] = Column(name, CATEGORIES[category], TYPES[kind], default)
    if not columns:
        raise DataError("the format has no <column>", file)
    base = Path(file).name
    return DataFormat(
        root.get("name") or base.removesuffix(".xml"), tuple(columns.values()), root.get("extra", ""), base, xml
    )
