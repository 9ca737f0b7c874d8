"""One sentence of a block, for people: words, heads and labels as Python sees them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from malt.data.block import Block, TextReader
from malt.data.formats.dataformat import UNIVERSAL, DataFormat, find_format
from malt.data.formats.recognise import recognise_format
from malt.data.symbols import make_tables
from malt.errors import DataError, UsageError, nearest, quoted

Row = str | Sequence[object] | Mapping[str, object]

TAGS = ("CPOSTAG", "POSTAG", "UPOSTAG", "XPOSTAG", "PPOSTAG")  # what a pair of a word and its tag fills
NAME = "the sentence"
_LINE = re.compile(rb"[^\r\n]*")


class Sentence:
    r"""A view of a sentence; nothing is copied before it is asked for.

    >>> sentence = Sentence.from_text("1\tHunde\t_\tNOUN\tNN\t_\t2\tsubj\n2\tgør\t_\tVERB\tVB\t_\t0\tROOT\n")
    >>> sentence.forms, sentence.heads, sentence["DEPREL"]
    (['Hunde', 'gør'], [2, 0], ['subj', 'ROOT'])
    """

    def __init__(self, block: Block, index: int) -> None:
        self.format, self.index = block.format, index
        self._text: str | None = None
        self._block: Block | None = block
        self._words = slice(int(block.starts[index]), int(block.starts[index + 1]))

    @classmethod
    def from_text(cls, text: str, format: str | DataFormat = "") -> Sentence:
        """The sentence that a text holds, in a format that is named, or else recognised."""
        if isinstance(format, str):
            format = find_format(format) if format else recognise_format(text.encode(), NAME)[0]
        sentence = _unread(text, format)
        sentence.block  # noqa: B018  so that what is wrong is said here
        return sentence

    @classmethod
    def from_rows(cls, rows: Iterable[Row], format: str | DataFormat = "conllx") -> Sentence:
        r"""A sentence from its words. Each is a pair of the word and its tag, or just the word, or a row in full: as a
        list of fields, as text with TABs between, or as a dict by the names of columns. What is not given is `_`.

        >>> sentence = Sentence.from_rows([("Hunde", "NOUN"), {"form": "gør", "postag": "VB", "head": 0}])
        >>> sentence.text
        '1\tHunde\t_\tNOUN\tNOUN\t_\t_\t_\t_\t_\n2\tgør\t_\t_\tVB\t_\t0\t_\t_\t_\n\n'
        >>> Sentence.from_rows(["Hunde", "gør"], "malttab").rows[1]
        {'FORM': 'gør', 'POSTAG': '_', 'HEAD': '_', 'DEPREL': '_'}
        """
        if isinstance(rows, (str, Mapping)):
            raise UsageError("expected a list of words; for text there is Sentence.from_text")
        format = find_format(format) if isinstance(format, str) else format
        lines = ["\t".join(_fields(row, number, format)) + "\n" for number, row in enumerate(rows, 1)]
        if not lines:
            raise UsageError("there are no words; expected a list of at least one")
        return cls.from_text("".join([*lines, "\n"]), format)

    @property
    def block(self) -> Block:
        """The block that it is in."""
        if self._block is None:
            block = TextReader(self.format, NAME).read(self.text.encode(), make_tables(self.format))
            if len(block) != 1:
                raise DataError(f"expected the text of one sentence; there are {len(block)} in it")
            self._words = slice(0, len(block.heads))
            self._block = block
        return self._block

    def _slice(self) -> slice:
        """Where its words are in the block."""
        self.block  # noqa: B018  which may have to be read
        return self._words

    def __len__(self) -> int:
        words = self._slice()
        return int(words.stop - words.start)

    def __getitem__(self, column: str) -> list[str | None]:
        """The values of a column, None where a field is missing."""
        coded = self.format.coded
        if column not in coded:
            hint = "; heads are numbers: see .heads" if column == "HEAD" else ""
            raise KeyError(f"{column} is no column with values here; there are {', '.join(coded)}{hint}")
        table = self.block.tables[column]
        return [table.symbol(int(code)) for code in self.block.codes(column)[self._slice()]]

    __iter__ = None  # by words, or by columns? see .forms and .rows

    @property
    def forms(self) -> list[str | None]:
        """The word forms."""
        return self["FORM"]

    @property
    def heads(self) -> list[int]:
        """The head of each word: a position from 1, 0 for the artificial root, -1 where there is none."""
        return [int(head) for head in self.block.heads[self._slice()]]

    @property
    def labels(self) -> list[str | None]:
        """The label of each word's arc to its head."""
        return self[self.format.label_columns[0]]

    @property
    def rows(self) -> list[dict[str, str]]:
        r"""The words as the file has them, each a dict by column: what `from_rows` takes, and pandas too.

        >>> Sentence.from_text("Hej\tI\t0\tROOT\n").rows
        [{'FORM': 'Hej', 'POSTAG': 'I', 'HEAD': '0', 'DEPREL': 'ROOT'}]
        """
        block, names = self.block, self.format.names
        lines = (_LINE.match(block.text, begin) for begin in block.word_lines[self._slice()].tolist())
        fields = (line[0].decode().strip(" ").split("\t") for line in lines if line)
        return [dict(zip(names, row, strict=False)) for row in fields]

    @property
    def text(self) -> str:
        """The lines of the file, comments included."""
        if self._text is not None:
            return self._text
        begin, end = self.block.bounds[self.index : self.index + 2]
        return self.block.text[begin:end].decode()

    @property
    def line(self) -> int:
        """The number in the file of the line of the first word."""
        return self.block.line_number(int(self.block.word_lines[self._slice().start]))

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"<Sentence at line {self.line}: {len(self)} word{'s' * (len(self) != 1)}>"

    def _repr_svg_(self) -> str:
        """The tree, as notebooks show it."""
        from malt.drawing.trees.svg import standalone
        from malt.drawing.trees.tree import tree_of

        return standalone([tree_of(self)])

    def _repr_html_(self) -> str:
        """The tree in a box that scrolls, as notebooks show it."""
        return f'<div style="overflow-x:auto">{self._repr_svg_()}</div>'

    def __reduce__(self) -> tuple[Any, ...]:
        # Alone, and not with its block and the vocabulary of all of them.
        return _unread, (self.text, self.format)


def sentences_of(block: Block) -> Iterator[Sentence]:
    """The sentences of a block, each as a view."""
    return (Sentence(block, index) for index in range(len(block)))


def _unread(text: str, format: DataFormat) -> Sentence:
    """A sentence whose text is read when it is first asked for: thousands of them come to a process at once."""
    sentence = Sentence.__new__(Sentence)
    sentence.format, sentence.index = format, 0
    sentence._text, sentence._block = text.removeprefix("\ufeff"), None
    return sentence


def _fields(row: Row, number: int, format: DataFormat) -> list[str]:
    """The fields of one word in the order of the format."""
    form = "FORM" if "FORM" in format.names else next(name for name in format.names if name != "ID")
    given: dict[str, object]
    if isinstance(row, str):
        if "\t" in row:
            return row.rstrip("\r\n").split("\t")
        given = {form: row}
    elif isinstance(row, Mapping):
        given = {_column(str(name), format): value for name, value in row.items()}
    else:
        fields = list(row)
        if len(fields) > len(format.names) and not format.extra:
            raise DataError(
                f"word {number} has {len(fields)} fields; expected (word, tag), or at most {', '.join(format.names)}"
            )
        if len(fields) in (1, 3) and format.id_column == 0 and not str(fields[0]).isdecimal():
            many = f"{len(fields)} field{'s' * (len(fields) != 1)}"
            reason = f"word {number} has {many}; expected a pair of form and tag, or a full row"
            raise DataError(f"{reason}: {', '.join(format.names)}")
        if len(fields) == 2 and format.names[1:2] != ("POSTAG",):
            given = {form: fields[0]} | dict.fromkeys((tag for tag in TAGS if tag in format.names), fields[1])
        else:
            return [_text(field, number) for field in fields] + ["_"] * (len(format.names) - len(fields))
    if format.id_column >= 0:
        given.setdefault("ID", number)
    return [_text(given.get(name), number) for name in format.names]


def _column(name: str, format: DataFormat) -> str:
    column = name.upper()
    if column not in format.names:
        column = UNIVERSAL.get(column, column)
    if column not in format.names:
        hint = nearest(column, format.names) or f"; there are {', '.join(format.names)}"
        raise UsageError(f"{quoted(name)} is no column of {format.name}{hint}")
    return column


def _text(value: object, number: int) -> str:
    text = "_" if value is None else str(value)
    if not text.strip():
        raise DataError(f"word {number} has an empty field; expected some text, or None for what is not known")
    if any(character in "\t\r\n" or "\ud800" <= character <= "\udfff" for character in text):
        raise DataError(
            f"word {number}: {quoted(text)} cannot be a field; expected Unicode text without TABs and line ends"
        )
    return text
