"""The same sentences of several files, side by side. Files whose words differ are refused, with the place."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass
from functools import cached_property, partial

import numpy

from malt.data.block import Block, Integers
from malt.data.formats.dataformat import DataFormat
from malt.data.symbols import Tables, make_tables
from malt.data.treebank import Treebank, open_treebank
from malt.errors import DataError, quoted
from malt.running import progress

Opener = Callable[
    [str, str, Callable[[DataFormat], Tables]], AbstractContextManager[Treebank]
]  # format, charset, tables

POS = ("CPOSTAG", "UPOSTAG", "UPOS", "POSTAG")  # coarse parts of speech, by the names that formats give them


def pos_column(format: DataFormat) -> str:
    """The column of the coarse parts of speech, if there is one."""
    return next((name for name in POS if name in format.coded), "")


class WordsDiffer(DataError):
    """Files do not have the same words in the same sentences. `text`: they can be scored as text."""

    def __init__(self, difference: str, file: str, line: int = 0, *, text: bool = False) -> None:
        super().__init__(f"{difference}; both files need the same words in the same order", file, line)
        self.difference, self.text = str(DataError(difference, file, line)), text


@dataclass
class Stretch:
    """Some whole sentences of a block."""

    block: Block
    begin: int  # the first sentence
    end: int  # the one after the last

    @cached_property
    def words(self) -> slice:
        """Where the words are in the block."""
        return slice(int(self.block.starts[self.begin]), int(self.block.starts[self.end]))

    @cached_property
    def starts(self) -> Integers:
        """Where the sentences begin, counted from the first word of the stretch."""
        starts: Integers = self.block.starts[self.begin : self.end + 1] - self.block.starts[self.begin]
        return starts

    @property
    def heads(self) -> Integers:
        """The heads, as positions in their sentences."""
        return self.block.heads[self.words]

    def codes(self, column: str) -> Integers:
        """The codes of a column; -1 throughout where the file has no such column."""
        if column not in self.block.format.coded:
            return numpy.full(len(self.heads), -1, numpy.int32)
        return self.block.codes(column)[self.words]

    @property
    def forms(self) -> Integers:
        """The codes of the words."""
        return self.codes(self.block.format.form_column)

    @property
    def labels(self) -> Integers:
        """The codes of the labels."""
        return self.codes(next(iter(self.block.format.label_columns), ""))

    def form(self, word: int) -> str:
        """A word, counted from the first of the stretch."""
        table = self.block.tables[self.block.format.form_column]
        return table.symbol(int(self.forms[word])) or ""

    def line(self, word: int) -> int:
        """The number of its line in the file."""
        return self.block.line_number(int(self.block.word_lines[self.words][word]))

    def place(self, word: int) -> str:
        """The file and the line of a word."""
        return f"{self.block.name}, line {self.line(word)}"


class _Cursor:
    """How far a file has been read."""

    def __init__(self, blocks: Iterator[Block]) -> None:
        self._blocks = blocks
        self._block: Block | None = None
        self._at = 0
        self.sentences = 0

    def left(self) -> int:
        """The number of sentences at hand; 0 at the end of the file."""
        while self._block is None or self._at == len(self._block):
            self._block, self._at = next(self._blocks, None), 0
            if self._block is None:
                return 0
        return len(self._block) - self._at

    def take(self, sentences: int) -> Stretch:
        """The next sentences."""
        assert self._block is not None
        self._at += sentences
        self.sentences += sentences
        return Stretch(self._block, self._at - sentences, self._at)


@contextmanager
def open_together(openers: Sequence[Opener], format: str, charset: str) -> Iterator[list[Treebank]]:
    """Open a gold standard and what systems made. Equal words, equal labels, and all that is equal in columns of one
    name and kind, have equal codes in all of them."""

    def tables_of(format: DataFormat) -> Tables:
        if not treebanks:
            return make_tables(format)
        gold = treebanks[0]
        pairs = [(gold.format.form_column, format.form_column)]
        pairs += [(column.name, column.name) for column in format.columns if column in gold.format.columns]
        pairs += list(zip(gold.format.label_columns[:1], format.label_columns[:1], strict=False))
        return make_tables(format) | {theirs: gold.tables[ours] for ours, theirs in pairs if ours and theirs}

    treebanks: list[Treebank] = []
    with ExitStack() as stack:
        for opener in openers:
            treebanks.append(stack.enter_context(opener(format, charset, tables_of)))
        yield treebanks


def openers_of(files: Sequence[str]) -> list[Opener]:
    """What opens files."""
    return [partial(open_treebank, file) for file in files]


def align(gold: Treebank, systems: Sequence[Treebank], what: str = "eval") -> Iterator[list[Stretch]]:
    """Stretches of the gold file and of each system, with the same words. what: a word for the bar."""
    for treebank in (gold, *systems):
        if not treebank.format.form_column:
            raise DataError(f"the format {treebank.format.name} has no words to compare", treebank.name)
    treebanks = [gold, *systems]
    text = gold.format.name == "conllu" and {treebank.format.name for treebank in systems} <= {"conllu", "conllx"}
    cursors = [_Cursor(progress.blocks(gold, what, needed=True)), *(_Cursor(iter(system)) for system in systems)]
    while any(left := [cursor.left() for cursor in cursors]):
        if not all(left):
            short, long = left.index(0), next(i for i, n in enumerate(left) if n)
            goes_on = cursors[long].take(1)
            end = cursors[short].sentences
            has = f"ends after {end:,} sentence{'s' * (end != 1)}" if end else "has no sentences"
            raise WordsDiffer(
                f"the file {has}, but {goes_on.place(0)}, goes on with {quoted(goes_on.form(0))}",
                treebanks[short].name,
                text=end > 0 and text,
            )
        stretches = [cursor.take(min(left)) for cursor in cursors]
        for stretch in stretches[1:]:
            require_same_words(stretches[0], stretch, text)
        yield stretches


def require_same_words(gold: Stretch, system: Stretch, text: bool = False) -> None:
    """Refuse a stretch whose words, or ends of sentences, are not those of the gold standard."""
    some = min(len(gold.heads), len(system.heads))
    words = numpy.flatnonzero(gold.forms[:some] != system.forms[:some])
    word = int(words[0]) if len(words) else some
    ends = numpy.flatnonzero(gold.starts != system.starts)
    if len(ends):
        first = int(ends[0])
        end = min(int(gold.starts[first]), int(system.starts[first]))  # here one sentence ends, and the other goes on
        if end <= word:
            short, long = (gold, system) if gold.starts[first] == end else (system, gold)
            raise WordsDiffer(
                f"the sentence ends after {quoted(short.form(end - 1))}, "
                f"but in {long.place(end)}, it goes on with {quoted(long.form(end))}",
                short.block.name,
                short.line(end - 1),
                text=text,
            )
    if word < some:
        raise WordsDiffer(
            f"the word is {quoted(system.form(word))}, but {gold.place(word)}, has {quoted(gold.form(word))}",
            system.block.name,
            system.line(word),
            text=text,
        )
