"""A treebank that trials learn from and are tested on: its sentences as the file has them, and their folds."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy

from malt.data.block import Block
from malt.data.formats.dataformat import DataFormat
from malt.data.source import Source, open_source
from malt.data.treebank import read_text
from malt.errors import DataError, UsageError, quoted
from malt.settings.catalogue import catalogue
from malt.trees.profile import find_fault

ENDS = (b"\n\n", b"\r\n\r\n", b"\r\r")  # of a text after which another sentence can follow


@dataclass(frozen=True)
class Fold:
    """What a trial learns from and what it is tested on: texts in UTF-8, of whole sentences as in their files."""

    train: bytes
    test: bytes
    name: str = "fold 1"


@dataclass(frozen=True)
class Corpus:
    """A treebank whose sentences are all trees, with a head and a label for every word.

    >>> import malt
    >>> corpus = Corpus.read(malt.sample.text(12))
    >>> len(corpus.sentences), corpus.tokens, corpus.format.name
    (12, 196, 'conllx')
    >>> [fold.test.count(b"\\n\\n") for fold in corpus.folds(5)]
    [3, 3, 2, 2, 2]
    >>> corpus.split().test == corpus.folds(5)[0].test == b"".join(corpus.sentences[::5])
    True
    >>> rest, held_out = corpus.hold_out(10)
    >>> len(rest), len(held_out), held_out.sentences == corpus.sentences[9:10], rest.tokens + held_out.tokens
    (11, 1, True, 196)
    """

    name: str  # what errors call it
    format: DataFormat
    sentences: tuple[bytes, ...]  # the UTF-8 text of each, with its comments and the empty line after it
    lengths: tuple[int, ...]  # words of each

    @classmethod
    def read(cls, source: Source, format: str = "", charset: str = "UTF-8") -> Corpus:
        """Read a file, or text; without a format it is recognised. What a parser cannot learn from is refused."""
        sentences: list[bytes] = []
        lengths: list[int] = []
        with open_source(source, format, charset) as treebank:
            for block in treebank:
                check_trees(block)
                lengths += numpy.diff(block.starts).tolist()
                sentences += (block.text[begin:end] for begin, end in pairwise(block.bounds.tolist()))
        if not sentences:
            raise DataError("there are no sentences", treebank.name)
        sentences[0] = sentences[0].removeprefix(b"\xef\xbb\xbf")
        # A file need not end with an empty line; whatever follows in a fold does.
        if not sentences[-1].endswith(ENDS):
            sentences[-1] += b"\n" if sentences[-1].endswith((b"\n", b"\r")) else b"\n\n"
        return cls(treebank.name, treebank.format, tuple(sentences), tuple(lengths))

    def __len__(self) -> int:
        return len(self.sentences)

    @property
    def tokens(self) -> int:
        """How many words there are."""
        return sum(self.lengths)

    @property
    def text(self) -> bytes:
        """All sentences."""
        return b"".join(self.sentences)

    def blocks(self) -> Iterator[Block]:
        """The sentences as integers, block by block; for a Profile, say."""
        return iter(read_text(self.text, self.format, self.name))

    def folds(self, k: int) -> tuple[Fold, ...]:
        """As many folds: of k sentences that follow each other, each is tested in another one."""
        if k < 2:
            raise UsageError(f"{k} folds; expected 2 or more")
        if k > len(self):
            raise DataError(f"{k} folds need as many sentences; there are {len(self)}", self.name)
        return tuple(self._fold(place, k) for place in range(k))

    def split(self) -> Fold:
        """The first of five folds: every fifth sentence is for testing, from the first on."""
        if len(self) < 2:
            raise DataError("there is one sentence; to learn from some and test on others takes two or more", self.name)
        return self._fold(0, 5)

    def hold_out(self, every: int) -> tuple[Corpus, Corpus]:
        """All but every tenth sentence, say, and these: the tenth, the twentieth, ...; a short treebank has none."""
        places = range(len(self))
        rest, held_out = ([i for i in places if ((i + 1) % every == 0) is out] for out in (False, True))
        return self._part(rest), self._part(held_out)

    def _part(self, places: Sequence[int]) -> Corpus:
        sentences, lengths = tuple(self.sentences[i] for i in places), tuple(self.lengths[i] for i in places)
        return replace(self, sentences=sentences, lengths=lengths)

    def against(self, other: Corpus) -> Fold:
        """All sentences to learn from, and those of another corpus to test on."""
        if other.format.columns != self.format.columns:
            raise DataError(
                f"the file is in {other.format.name} ({', '.join(other.format.names)}), but the treebank "
                f"in {self.format.name} ({', '.join(self.format.names)}); if that is not so, give the format with -if",
                other.name,
            )
        return Fold(self.text, other.text, other.name)

    def _fold(self, place: int, k: int) -> Fold:
        train = [sentence for i, sentence in enumerate(self.sentences) if i % k != place]
        return Fold(b"".join(train), b"".join(self.sentences[place::k]), f"fold {place + 1}")


def check_trees(block: Block) -> None:
    """Refuse sentences that are no trees, labels that cannot be learned, both with file and line, and formats without
    labels."""
    if not block.format.label_columns:
        raise DataError(f"the format {block.format.name} has no labels", block.name)
    if fault := find_fault(block):
        sentence, reason = fault
        line = block.line_number(int(block.word_lines[block.starts[sentence]]))
        raise DataError(f"the sentence is no tree ({reason}); a search needs whole trees", block.name, line)
    separator = str(catalogue().options["guide.classitem_separator"].default)
    for column in block.format.label_columns:
        bad = {code: label for code, label in block.tables[column].symbols() if separator in label}
        words = numpy.flatnonzero(numpy.isin(block.codes(column), list(bad)))
        if len(words):
            line, label = block.line_number(int(block.word_lines[words[0]])), bad[int(block.codes(column)[words[0]])]
            reason = f"has the character {separator}, which separates the parts of a class; write another one there"
            raise DataError(f"the label {quoted(label)} {reason}", block.name, line)
