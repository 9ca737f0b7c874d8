"""What kind of value a feature has: its type, and the symbol table that its symbols live in."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from malt.data.formats.dataformat import CATEGORIES, HEAD, INPUT, INTEGER, LABEL, TYPES, Column, DataFormat
from malt.errors import nearest, quoted
from malt.features.model import FeatureModel
from malt.features.nodes import CONJUNCTIONS, Feature
from malt.features.syntax import FeatureError, buckets
from malt.kernel.features import Direction
from malt.trees.pseudoprojectivity import COVERED, LIFTED, PATH, PseudoProjectivity

STRING, BOOLEAN = TYPES["STRING"], TYPES["BOOLEAN"]
MARKS = (LIFTED, PATH, COVERED)
DIRECTIONS = tuple(name.removeprefix("ARC_") for name in Direction.__members__)
PREFIXES = {"Merge": "MERGE2", "Merge3": "MERGE3", "Join": "JOIN"}  # of the names of tables
BUCKETED = {"Distance": "DISTANCE_", "NumOf": "NUMOF", "Crossings": "CROSSINGS_"}  # likewise, of numbers by limits
TYPE_NAMES = {number: name for name, number in reversed(TYPES.items())}
MOST_REPEATS = 2  # in a separator: the time that it takes grows with the length of a value to the power of one more
_SIGNS = re.compile(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*(?:\]|\Z)|\(\?|(\)?(?:[*+?]|\{[0-9,]+\})[?+]?|\|)", re.DOTALL)
# What Java understands differently in a regular expression, or Python does not know, and the sets of characters that
# have a name there. A class in brackets stays as it is.
_JAVA = re.compile(
    r"(?P<same>\[\^?\]?(?:\\.|[^\]\\])*(?:\]|\Z))|\\Q(?P<literal>.*?)(?:\\E|\Z)"
    r"|\\(?P<not>[pP])\{(?P<set>\w+)\}|(?P<sign>\\.|\.)",
    re.DOTALL,
)
_SETS = {
    "Lower": "a-z",
    "Upper": "A-Z",
    "ASCII": r"\x00-\x7f",
    "Alpha": "a-zA-Z",
    "Digit": "0-9",
    "Alnum": "0-9a-zA-Z",
    "Punct": r"!-/:-@\[-`{-~",
    "Graph": "!-~",
    "Print": " -~",
    "Blank": r" \t",
    "Cntrl": r"\x00-\x1f\x7f",
    "XDigit": "0-9a-fA-F",
    "Space": r"\s",
}
_SIGNS_OF_JAVA = {
    ".": r"[^\n\r\x85\u2028\u2029]",
    r"\b": r"(?u:\b)",  # the only sign that looks at more than ASCII there
    r"\B": r"(?u:\B)",
    r"\h": r"[ \t\xa0\u1680\u180e\u2000-\u200a\u202f\u205f\u3000]",
    r"\H": r"[^ \t\xa0\u1680\u180e\u2000-\u200a\u202f\u205f\u3000]",
    r"\v": r"[\n-\r\x85\u2028\u2029]",
    r"\V": r"[^\n-\r\x85\u2028\u2029]",
    r"\z": r"\Z",
}
CATEGORY_NAMES = {number: name for name, number in reversed(CATEGORIES.items())}


@dataclass(frozen=True)
class TableHeader:
    """A symbol table that features need: what its header says, and the symbols that it begins with."""

    name: str
    category: int
    type: int
    strategy: str  # of null values: one, One (for MERGE tables), or nothing for that of -nv
    symbols: tuple[str, ...] = ()


@dataclass(frozen=True)
class ValueType:
    """The value of a feature: its type, its table (none for Exists), and whether it may be several at once."""

    type: int
    table: TableHeader | None
    multiple: bool = False
    known: bool = True  # False: no word ever has a value in this table, so it is always null
    identifier: str = ""  # what stands for it in the names of MERGE tables


def marks(marking: str = "none", covered: str = "none") -> tuple[Column, ...]:
    """The internal columns of pseudo-projective parsing (-pp, -pcr).

    >>> [column.name for column in marks("head+path", "left")]
    ['PPLIFTED', 'PPPATH', 'PPCOVERED']
    """
    return PseudoProjectivity(marking, covered).columns


class Columns:
    """The columns that features can name: those of a data format, marks, and propagated ones (-fp).

    >>> from malt.features.syntax import parse_feature
    >>> from malt.data.formats.dataformat import find_format
    >>> columns = Columns(find_format("conllx"))
    >>> columns.value(parse_feature("Merge(InputColumn(POSTAG,Stack[0]),OutputColumn(DEPREL,Stack[0]))")).table.name
    'MERGE2_POSTAG_DEPREL'
    >>> columns.value(parse_feature("InputColumn(POSTG,Stack[0])"))
    Traceback (most recent call last):
    malt.features.syntax.FeatureError: conllx has no column POSTG; did you mean POSTAG?
    """

    def __init__(self, format: DataFormat, marks: tuple[Column, ...] = (), propagated: tuple[Column, ...] = ()) -> None:
        self.format = format
        self.marks = {column.name: column for column in marks}
        self.propagated = {column.name: column for column in propagated}
        self.columns = {column.name: column for column in (*format.columns, *marks, *propagated)}
        self._values: dict[Feature, ValueType] = {}

    def value(self, feature: Feature) -> ValueType:
        """The value of a feature; an error if it cannot be computed."""
        if feature not in self._values:
            self._values[feature] = self._value(feature)
        return self._values[feature]

    def tables(self, model: FeatureModel) -> tuple[TableHeader, ...]:
        """The tables that a model needs beside those of columns, in the order in which MaltParser creates them."""
        made: dict[str, TableHeader] = {}
        for feature in model.creation_order()[1]:
            table = self.value(feature).table
            if table is not None and table.name not in self.columns:
                made.setdefault(table.name, table)
        return tuple(made.values())

    def is_label(self, name: str) -> bool:
        """Whether a column is one that the parser fills."""
        column = self.columns.get(name)
        return column is not None and column.category == LABEL and name not in self.propagated

    def _value(self, feature: Feature) -> ValueType:
        name, arguments = feature.function, feature.arguments
        first = arguments[0]
        if isinstance(first, Feature):
            return self._map(name, first, arguments)
        if name == "Exists":
            return ValueType(BOOLEAN, None, identifier="EXISTS")
        if name in BUCKETED:
            text = str(arguments[2])
            symbols = tuple(f">={number}" for number in buckets(text))
            return _single(STRING, TableHeader(f"{BUCKETED[name]}{text}", INPUT, STRING, "one", symbols))
        if name in ("LabelSet", "Between"):
            return self._set(name, str(first))
        if name in ("InputTable", "OutputTable"):
            return self._table(name, str(first))
        if name == "ArcLabel":
            return self._table("OutputTable", str(first))
        if name in ("InputColumn", "OutputColumn"):
            column = self._column(name, str(first))
            return _single(column.type, TableHeader(column.name, column.category, column.type, ""))
        return self._arc(name, str(first))

    def _set(self, function: str, name: str) -> ValueType:
        """A set of labels is one symbol; what stands between two words are symbols of a column."""
        column, category = self._known(name), LABEL if function == "LabelSet" else INPUT
        legal = [c.name for c in self.format.columns if c.category == category and c.type == STRING]
        if name not in legal:
            what = "labels" if function == "LabelSet" else "the input"
            raise FeatureError(
                f"{function} needs a column of {what} with texts, and {name} is none; "
                f"there are {', '.join(legal) or 'none at all'}"
            )
        if function == "LabelSet":
            return _single(STRING, TableHeader(f"LABELSET_{name}", INPUT, STRING, ""))
        return ValueType(STRING, TableHeader(name, column.category, STRING, ""), True, identifier=name)

    def _column(self, function: str, name: str) -> Column:
        """The column of InputColumn or OutputColumn. MaltParser stops in the middle of a sentence if it is not one."""
        column = self._known(name)
        category = CATEGORY_NAMES[column.category]
        if name in self.marks:
            raise FeatureError(f"{name} is made by pseudo-projective parsing; write OutputTable({name},...)")
        if name in self.propagated:
            raise FeatureError(f"not every word has the propagated column {name}; write InputTable({name},...)")
        if function == "InputColumn" and column.category == LABEL:
            raise FeatureError(f"{name} is filled by the parser ({category}); write OutputColumn({name},...)")
        if function == "OutputColumn" and column.category == INPUT:
            raise FeatureError(f"{name} is given in the input ({category}); write InputColumn({name},...)")
        if column.category not in (INPUT, LABEL):
            legal = [c.name for c in self.format.columns if c.category == (LABEL if function[0] == "O" else INPUT)]
            raise FeatureError(
                f"{name} is of category {category}, which is not read as a feature; "
                f"{function} can use {', '.join(legal) or 'none of the columns'}"
            )
        return column

    def _known(self, name: str) -> Column:
        if name not in self.columns:
            hint = nearest(name, self.columns) or f"; it has {', '.join(self.columns)}"
            if name in MARKS:
                hint = "; it exists only with -pp or -pcr"
            raise FeatureError(f"{self.format.name} has no column {name}{hint}")
        return self.columns[name]

    def _table(self, function: str, name: str) -> ValueType:
        if function == "InputTable" and name not in self.columns:
            return ValueType(STRING, None, known=False)
        column = self._known(name)
        if function == "OutputTable" and not self.is_label(name):
            labels = ", ".join(filter(self.is_label, self.columns)) or "none"
            raise FeatureError(f"{name} is not filled by the parser; tables of OutputTable are {labels}")
        known = function == "OutputTable" or name in self.propagated or column.category == INPUT
        return ValueType(STRING, TableHeader(name, column.category, column.type, ""), known=known, identifier=name)

    def _arc(self, function: str, name: str) -> ValueType:
        column = self._known(name)
        if column.type != INTEGER:
            legal = [column.name for column in self.columns.values() if column.type == INTEGER]
            raise FeatureError(
                f"{function} needs a column of type INTEGER, and {name} is {TYPE_NAMES[column.type]}; "
                f"there are {', '.join(legal) or 'none'}"
            )
        if function.startswith("Input") and column.category not in (INPUT, HEAD):
            category = CATEGORY_NAMES[column.category]
            raise FeatureError(
                f"{name} is of category {category}, which is not read; declare it as INPUT in a data format"
            )
        if function in ("InputArc", "OutputArc"):
            table = TableHeader(f"ARC_{name}", INPUT, STRING, "one", DIRECTIONS[:2])
        else:
            table = TableHeader(f"ARCDIR_{name}", INPUT, STRING, "one", DIRECTIONS)
        return _single(STRING, table)

    def _map(self, function: str, first: Feature, arguments: tuple[object, ...]) -> ValueType:
        """The value of a function of values: Merge, Merge3, Join, Split, Prefix, Suffix."""
        if function in CONJUNCTIONS:
            return _merged(function, [(str(f), self.value(f)) for f in arguments if isinstance(f, Feature)])
        table = self.value(first).table
        known = table is not None and (table.name in self.columns or _is_column(first.function))
        if table is None or not known or first.function == "Between":
            hint = "; a propagated column exists only with -fp" if first.function == "InputTable" else ""
            raise FeatureError(f"{function} needs the value of a column, and {first} is none{hint}")
        if table.type != STRING:
            raise FeatureError(
                f"{function} needs a column of type STRING, and {table.name} is {TYPE_NAMES[table.type]}"
            )
        if function == "Split":
            pattern(str(arguments[1]))
            return ValueType(STRING, _derived(f"SPLIT_{table.name}", table), True, identifier=f"SPLIT_{table.name}")
        return _single(STRING, _derived(f"{function.upper()}_{arguments[1]}_{table.name}", table))


def _single(type: int, table: TableHeader) -> ValueType:
    return ValueType(type, table, identifier=table.name)


def _derived(name: str, parent: TableHeader) -> TableHeader:
    """A table for parts of the symbols of another, which it resembles."""
    return TableHeader(name, parent.category, parent.type, parent.strategy)


def _is_column(function: str) -> bool:
    """Whether what a function gives is kept in a column of its own, which can be split again."""
    return function in ("Split", "Prefix", "Suffix")


def _merged(function: str, values: Iterable[tuple[str, ValueType]]) -> ValueType:
    values = list(values)
    sets = [text for text, value in values if value.multiple]
    if function == "Join" and len(sets) > 1:
        raise FeatureError(f"Join takes one value that is a set, and here both {sets[0]} and {sets[1]} are")
    for text, value in values:
        if value.multiple and function != "Join":
            raise FeatureError(f"{function} needs single values, and {text} gives several; Join takes such a value")
        if not value.identifier:
            raise FeatureError(f"{function} needs a value with a symbol table, and there is none for {text}")
        if value.type != values[0][1].type:
            raise FeatureError(
                f"{function} needs values of the same type: {values[0][0]} is {TYPE_NAMES[values[0][1].type]}, "
                f"{text} is {TYPE_NAMES[value.type]}"
            )
        if function == "Join" and value.type != STRING:
            raise FeatureError(f"{function} needs values of type STRING, and {text} is {TYPE_NAMES[value.type]}")
    name = "_".join([PREFIXES[function], *(value.identifier for _, value in values)])
    table = TableHeader(name, INPUT, STRING, "One")
    return ValueType(values[0][1].type, table, bool(sets), identifier=name)


def pattern(separator: str) -> re.Pattern[str]:
    """The regular expression of Split, as Java reads it: what \\w, \\d and \\s stand for is ASCII. Repetitions within
    others or one after another could try without end.

    >>> pattern(r"\\W").split("å-a"), pattern(r"\\b").split("å-a"), pattern(r"\\Q|\\E").split("a|b")
    (['', '', 'a'], ['', 'å', '-', 'a', ''], ['a', 'b'])
    >>> pattern("*")
    Traceback (most recent call last):
    malt.features.syntax.FeatureError: the separator * is no regular expression: nothing to repeat at position 0
    """
    translated = _JAVA.sub(_translated, separator)
    signs = [match[1] for match in _SIGNS.finditer(translated) if match[1]]
    repeats = [sign for sign in signs if sign != "|"]
    if len(repeats) > MOST_REPEATS or (len(signs) > 1 and any(sign.startswith(")") for sign in repeats)):
        raise FeatureError(
            f"the separator {quoted(separator)} repeats too much to be found in good time; "
            f"expected at most {MOST_REPEATS} repetitions, none of them of a group with another or with a choice"
        )
    try:
        return re.compile(translated, re.ASCII)
    except (re.error, OverflowError, RecursionError) as error:
        raise FeatureError(f"the separator {separator} is no regular expression: {error}") from None


def _translated(found: re.Match[str]) -> str:
    """A piece of one of Java's regular expressions in Python's."""
    if found["literal"] is not None:
        return re.escape(found["literal"])
    if found["set"] in _SETS:
        return f"[{'^' if found['not'] == 'P' else ''}{_SETS[found['set']]}]"
    return _SIGNS_OF_JAVA.get(found["sign"], found[0])
