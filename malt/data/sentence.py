"""One sentence of a block, for people: words, heads and labels as Python sees them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any, overload

import numpy
import numpy.typing

from malt.data.block import Block, TextReader, mark_length
from malt.data.deps import read_deps
from malt.data.formats.dataformat import EMPTY, DataFormat, find_column, find_format, meant_column
from malt.data.formats.recognise import recognise_format
from malt.data.symbols import make_tables
from malt.errors import DataError, UsageError, quoted, utf8

Row = str | Sequence[object] | Mapping[str, object]

TAGS = ("CPOSTAG", "POSTAG", "UPOSTAG", "XPOSTAG", "PPOSTAG")  # what a pair of a word and its tag fills
NAME = "the sentence"
WORD, COMMENT, OTHER = "word", "comment", "other"  # kinds of lines; others are multiword tokens and empty nodes
_LINE = re.compile(rb"[^\r\n]+")
_RANGE = re.compile("[0-9]+-0*([0-9]+)")  # the id of a multiword token
WHITE = bytes(range(0x21))  # what the reader leaves out at the ends of a line, but for TABs before it


class Word(dict[str, str]):
    """A word: its fields as the file has them, by column, and the arc that it hangs on.

    >>> word = Sentence.from_rows([{"form": "Hej", "upos": "INTJ", "head": 0, "deprel": "root"}], "conllu")[0]
    >>> word["UPOS"], word["MISC"]
    ('INTJ', '_')
    >>> word.position, word.form, word.head, word.label
    (1, 'Hej', 0, 'root')
    """

    def __init__(
        self, fields: Iterable[tuple[str, str]], position: int, form: str | None, head: int, label: str | None
    ) -> None:
        super().__init__(fields)
        self.position = position  # from 1, as heads are
        self.form, self.head, self.label = form, head, label

    def __missing__(self, name: object) -> str:
        column = meant_column(str(name), tuple(self))
        if column not in self:
            raise KeyError(f"{name} is no column of the word; there are {', '.join(self)}")
        return self[column]


class Sentence:
    r"""A view of a sentence; nothing is copied before it is asked for. To iterate over it gives its words.

    >>> sentence = Sentence.from_text("1\tHunde\t_\tNOUN\tNN\t_\t2\tsubj\n2\tgør\t_\tVERB\tVB\t_\t0\tROOT\n")
    >>> sentence.forms, sentence.heads, sentence["DEPREL"]
    (['Hunde', 'gør'], [2, 0], ['subj', 'ROOT'])
    >>> [(word.form, word["POSTAG"], word.head) for word in sentence]
    [('Hunde', 'NN', 2), ('gør', 'VB', 0)]
    >>> sentence.text, sentence == Sentence.from_text(str(sentence))
    ('Hunde gør', True)
    """

    def __init__(self, block: Block, index: int) -> None:
        self.format, self.index = block.format, index
        self.offsets: list[tuple[int, int]] | None = None  # where each word begins and ends, if it is of a text
        self._source: str | None = None
        self._block: Block | None = block
        self._words = slice(int(block.starts[index]), int(block.starts[index + 1]))

    @classmethod
    def from_text(cls, text: str, format: str | DataFormat = "") -> Sentence:
        """The sentence that a text holds, in a format that is named, or else recognised."""
        if isinstance(format, str):
            format = find_format(format) if format else recognise_format(utf8(text, NAME), NAME)[0]
        sentence = _unread(text, format)
        sentence.block  # noqa: B018  so that what is wrong is said here
        return sentence

    @classmethod
    def from_rows(cls, rows: Iterable[Row], format: str | DataFormat = "conllx") -> Sentence:
        r"""A sentence from its words. Each is a pair of the word and its tag, or just the word, or a row in full: as a
        list of fields, as text with TABs between, or as a dict by the names of columns. What is not given is `_`.

        >>> sentence = Sentence.from_rows([("Hunde", "NOUN"), {"form": "gør", "postag": "VB", "head": 0}])
        >>> str(sentence)
        '1\tHunde\t_\tNOUN\tNOUN\t_\t_\t_\t_\t_\n2\tgør\t_\t_\tVB\t_\t0\t_\t_\t_\n\n'
        >>> Sentence.from_rows(["Hunde", "gør"], "malttab").rows[1]
        {'FORM': 'gør', 'POSTAG': '_', 'HEAD': '_', 'DEPREL': '_'}
        """
        if isinstance(rows, (str, Mapping)) or not isinstance(rows, Iterable):
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
            block = TextReader(self.format, NAME).read(utf8(str(self), NAME), make_tables(self.format))
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

    def __iter__(self) -> Iterator[Word]:
        block, names = self.block, self.format.names
        forms, heads, labels = self.forms, self.heads, self.labels
        for place, begin in enumerate(block.word_lines[self._slice()].tolist()):
            line = _LINE.match(block.text, begin)
            fields = _split(line[0]) if line else []
            yield Word(zip(names, fields, strict=False), place + 1, forms[place], heads[place], labels[place])

    @overload
    def __getitem__(self, column: str) -> list[str | None]: ...
    @overload
    def __getitem__(self, column: int) -> Word: ...
    @overload
    def __getitem__(self, column: slice) -> list[Word]: ...
    def __getitem__(self, column: str | int | slice) -> list[str | None] | Word | list[Word]:
        """The values of a column, None where a field is missing; by a number from 0, as in a list, a word."""
        if not isinstance(column, str):
            return list(self)[column]
        name = meant_column(column, self.format.names)
        if name in self.format.coded:
            return self.block.tables[name].decode(self.block.codes(name)[self._slice()])
        if name not in self.format.names or name == self._head_name:
            known = ", ".join(other for other in self.format.names if other != self._head_name)
            hint = "; heads are numbers: see .heads" if name in (self._head_name, "HEAD") else ""
            raise KeyError(f"{column} is no column with values here; there are {known}{hint}")
        return [word.get(name) for word in self]

    @property
    def _head_name(self) -> str:
        return self.format.names[self.format.head_column] if self.format.head_column >= 0 else ""

    @property
    def forms(self) -> list[str | None]:
        """The word forms."""
        column = self.format.form_column
        return self[column] if column else [None] * len(self)

    @property
    def heads(self) -> list[int]:
        """The head of each word: a position from 1, 0 for the artificial root, -1 where there is none."""
        heads: list[int] = self.block.heads[self._slice()].tolist()
        return heads

    @property
    def labels(self) -> list[str | None]:
        """The label of each word's arc to its head."""
        columns = self.format.label_columns
        return self[columns[0]] if columns else [None] * len(self)

    @property
    def graph(self) -> list[list[tuple[int, str]]]:
        r"""Of each word all heads and labels that the column DEPS has, or that a parser of graphs has found; a path
        over empty nodes is one arc.

        >>> rows = [{"form": "Hej", "deps": "0:root"}, {"form": "du", "deps": "0:y|1:x"}]
        >>> Sentence.from_rows(rows, "conllu").graph
        [[(0, 'root')], [(0, 'y'), (1, 'x')]]
        """
        alone = self.block.only(self.index)
        graph = alone.graph or read_deps(alone)
        labels = alone.tables[self.format.label_columns[0]].decode(graph.labels)
        arcs = [(head, label or EMPTY) for head, label in zip(graph.heads.tolist(), labels, strict=True)]
        return [arcs[begin:end] for begin, end in pairwise(graph.starts.tolist())]

    @property
    def lemmas(self) -> list[str | None]:
        """The lemma of each word; None where the format has none."""
        return self["LEMMA"] if "LEMMA" in self.format.names else [None] * len(self)

    @property
    def tags(self) -> list[str | None]:
        """The part of speech of each word: of the columns of tags the first that the format has."""
        column = next((name for name in ("UPOSTAG", *TAGS) if name in self.format.names), "")
        return self[column] if column else [None] * len(self)

    @property
    def rows(self) -> list[dict[str, str]]:
        r"""The words as the file has them, each a dict by column: what `from_rows` takes, and pandas too.

        >>> Sentence.from_text("Hej\tI\t0\tROOT\n").rows
        [{'FORM': 'Hej', 'POSTAG': 'I', 'HEAD': '0', 'DEPREL': 'ROOT'}]
        """
        return list(self)

    @property
    def text(self) -> str:
        r"""The sentence as it is read: what its comment `# text = ` says, or its words with blanks between, unless MISC
        says SpaceAfter=No.

        >>> Sentence.from_text("1-2\tim\t_\t_\n1\tin\t_\t_\n2\tdem\t_\t_\n3\tZug\t_\t_\n", "conllu").text
        'im Zug'
        """
        return self._said("text") or "".join(self._spaced()).strip(" ")

    @property
    def sent_id(self) -> str | None:
        """What its comment `# sent_id = ` says."""
        return self._said("sent_id")

    @property
    def comments(self) -> list[str]:
        """Its lines of comment, as they are."""
        return [line.decode() for line, kind in self._lines() if kind == COMMENT]

    @property
    def lines(self) -> list[str]:
        """Its lines in the file, comments included, without line ends and blank lines."""
        return [line.decode() for line, _ in self._lines()]

    def _lines(self) -> Iterator[tuple[bytes, str]]:
        """Its lines, and what each is."""
        block, words = self.block, set(self.block.word_lines[self._slice()].tolist())
        begin, end = (int(place) for place in block.bounds[self.index : self.index + 2])
        for line in _LINE.finditer(block.text, begin or mark_length(block.text, block.first_line), end):
            if content := line[0].strip(WHITE):
                kind = COMMENT if content.startswith(b"#") else OTHER
                yield line[0], WORD if line.start() in words else kind

    def _said(self, name: str) -> str | None:
        """The value of a comment `# name = value`."""
        parts = (comment.strip().removeprefix("#").partition("=") for comment in self.comments)
        return next((value.strip() for key, is_there, value in parts if is_there and key.strip() == name), None)

    def _spaced(self) -> Iterator[str]:
        """The words with the blanks after them; those of a multiword token are not there, but that itself is."""
        names = self.format.names
        covered = 0  # by a multiword token: the words up to this id
        for line, kind in self._lines():
            fields = dict(zip(names, _split(line), strict=False))
            number = fields.get(names[self.format.id_column], "") if self.format.id_column >= 0 else ""
            if kind == OTHER and (token := _RANGE.fullmatch(number)):
                covered = int(token[1][:10])  # those of words are shorter
            elif kind != WORD or (number and int(number) <= covered):
                continue
            blank = "" if "SpaceAfter=No" in fields.get("MISC", "").split("|") else " "
            yield fields.get(self.format.form_column, "") + blank

    @property
    def line(self) -> int:
        """The number in the file of the line of the first word."""
        return self.block.line_number(int(self.block.word_lines[self._slice().start]))

    def __str__(self) -> str:
        """The lines of the file, comments and the blank line at the end included."""
        if self._source is not None:
            return self._source
        begin, end = self.block.bounds[self.index : self.index + 2].tolist()
        return self.block.text[begin:end].decode()

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Sentence):
            return NotImplemented
        return self.format.columns == other.format.columns and self.lines == other.lines

    def __hash__(self) -> int:
        return hash(tuple(self.lines))

    def __array__(self, dtype: object = None, copy: bool | None = None) -> numpy.typing.NDArray[Any]:
        # One thing in an array, and not as many as it has words.
        array = numpy.empty((), object)
        array[()] = self
        return array

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
        return _unread, (str(self), self.format, self.offsets)


def sentences_of(block: Block) -> Iterator[Sentence]:
    """The sentences of a block, each as a view."""
    return (Sentence(block, index) for index in range(len(block)))


def _unread(text: str, format: DataFormat, offsets: list[tuple[int, int]] | None = None) -> Sentence:
    """A sentence whose text is read when it is first asked for: thousands of them come to a process at once."""
    sentence = Sentence.__new__(Sentence)
    sentence.format, sentence.index = format, 0
    sentence.offsets, sentence._source, sentence._block = offsets, text.removeprefix("\ufeff"), None
    return sentence


def _fields(row: Row, number: int, format: DataFormat) -> list[str]:
    """The fields of one word in the order of the format."""
    form = format.form_column
    given: dict[str, object]
    if isinstance(row, str):
        if "\t" in row:
            return row.rstrip("\r\n").split("\t")
        given = {form: row}
    elif isinstance(row, Mapping):
        given = {find_column(str(name), format.names, format.name): value for name, value in row.items()}
    elif not isinstance(row, Iterable):
        raise UsageError(f"word {number} is {quoted(str(row))}; expected (word, tag), a word, or a row in full")
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


def _split(line: bytes) -> list[str]:
    """The fields of a line."""
    return line.rstrip(WHITE).lstrip(WHITE.replace(b"\t", b"")).decode().split("\t")


def _text(value: object, number: int) -> str:
    text = "_" if value is None else str(value)
    if not text.strip():
        raise DataError(f"word {number} has an empty field; expected some text, or None for what is not known")
    if any(character in "\t\r\n" or "\ud800" <= character <= "\udfff" for character in text):
        raise DataError(
            f"word {number}: {quoted(text)} cannot be a field; expected Unicode text without TABs and line ends"
        )
    return text
