"""Parsed files against a gold standard: one pass over all of them, side by side."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from itertools import combinations, product
from typing import Any

import numpy
import numpy.typing

from malt.data.treebank import open_treebank
from malt.errors import DataError
from malt.evaluation.alignment import Stretch, form_column, pos_column, side_by_side
from malt.evaluation.confusion import Confusion
from malt.evaluation.convention import (
    CONTENT,
    CONVENTIONS,
    FUNCTIONAL,
    Convention,
    Lookup,
    convention_of,
    is_punctuation,
    without_subtype,
)
from malt.evaluation.shape import Shape, shape
from malt.evaluation.significance import McNemar, bootstrap, interval, mcnemar
from malt.evaluation.tally import NONE, Line, Tally, ratio
from malt.kernel.symbols import SymbolTable
from malt.trees.profile import LENGTHS

Flags = numpy.typing.NDArray[numpy.bool_]
Integers = numpy.typing.NDArray[Any]

DIRECTIONS = ("root", "left", "right", "self")
ARC_LENGTHS = ("root", *LENGTHS)
DEPTHS = ("1", "2", "3", "4", "5", "6", "7+")
SENTENCE_LENGTHS = ("1-10", "11-20", "21-30", "31-40", "41-50", "51+")
PROJECTIVITY = ("projective", "non-projective")
CONTENT_WORDS = ("other", "content")
GROUPS: dict[str, tuple[str, ...]] = {  # and their classes, where these are known beforehand
    "label": (),
    "pos": (),
    "length": ARC_LENGTHS,
    "direction": DIRECTIONS,
    "depth": DEPTHS,
    "sentence": SENTENCE_LENGTHS,
    "projectivity": PROJECTIVITY,
}
BY_GOLD = ("pos", "sentence")  # classes that the parser has no say in: there is no precision and recall


class Scores:
    """One parsed file by one convention: counts by class and whole sentences, with and without punctuation."""

    def __init__(self, convention: Convention) -> None:
        self.convention = convention
        self.tallies = {group: Tally() for group in (*GROUPS, "content")}
        self.confusion = Confusion()  # of labels
        # By whether punctuation counts: sentences with a word that counts; of these, all right, and all heads right.
        self.sentences = numpy.zeros((2, 3), numpy.int64)
        self.names: dict[str, SymbolTable] = {}  # of the classes in groups that have no list of them

    def line(self, punctuation: bool, group: str = "direction", of: int | None = None) -> Line:
        """The counts of a class of a group, or of all words."""
        return self.tallies[group].line(of, punctuation)

    def classes(self, group: str, punctuation: bool) -> dict[str, Line]:
        """The classes of a group that occur, each with its counts."""
        found: dict[str, Line] = {}
        for number in self.tallies[group].classes():
            line = self.line(punctuation, group, number)
            if line.gold or line.system:
                found[self._name(group, number)] = line
        return found

    def _name(self, group: str, number: int) -> str:
        return GROUPS[group][number] if GROUPS[group] else self.names[group].symbol(number) or ""

    def confusions(self, punctuation: bool) -> list[tuple[str, str, int]]:
        """Labels taken for others: the gold label, the system's (empty for none), and how often; most first."""
        name = self.names["label"].symbol
        pairs = self.confusion.pairs(punctuation).items()
        found = [(name(one) or "", name(two) or "" if two >= 0 else "", n) for (one, two), n in pairs if one != two]
        return sorted(found, key=lambda item: (-item[2], item[:2]))

    def complete(self, punctuation: bool) -> tuple[float | None, float | None]:
        """The shares of sentences in which all is right: heads and labels, and heads."""
        sentences, labelled, unlabelled = (int(n) for n in self.sentences[int(punctuation)])
        return ratio(labelled, sentences), ratio(unlabelled, sentences)

    def content(self, punctuation: bool) -> Line:
        """The counts of content words; its `f` is CLAS."""
        return self.line(punctuation, "content", CONTENT_WORDS.index("content"))

    @property
    def labels_are_ud(self) -> bool:
        """Whether most labels of the gold standard are relations of UD, without which CLAS says nothing."""
        counts = {name: line.gold for name, line in self.classes("label", True).items()}
        known = CONTENT | FUNCTIONAL
        return 2 * sum(n for name, n in counts.items() if without_subtype(name) in known) >= sum(counts.values())

    def nonprojective(self, punctuation: bool) -> Line:
        """The counts of non-projective arcs."""
        return self.line(punctuation, "projectivity", PROJECTIVITY.index("non-projective"))


@dataclass
class System:
    """A parsed file and its scores."""

    name: str
    scores: dict[str, Scores]  # by convention
    blind: int = 0  # words without a head
    right: list[Integers] = field(default_factory=list)  # words right in each sentence, by the chosen rules
    interval: tuple[float, float] | None = None  # of LAS


@dataclass
class Comparison:
    """Two parsed files, by the chosen rules."""

    first: str
    second: str
    only_first: int  # words that only the first has right: head and label
    only_second: int
    mcnemar: McNemar
    difference: float | None  # of LAS
    interval: tuple[float, float] | None


@dataclass
class Evaluation:
    """Everything that is known about some parsed files."""

    gold: str
    format: str
    convention: Convention  # the chosen one
    punctuation: bool | None  # are words of punctuation counted? None: as each convention says
    sentences: int = 0
    words: int = 0
    marks: int = 0  # words of punctuation
    systems: list[System] = field(default_factory=list)
    comparisons: list[Comparison] = field(default_factory=list)

    def counts_punctuation(self, convention: Convention) -> bool:
        """Whether words of punctuation count."""
        return convention.punctuation if self.punctuation is None else self.punctuation

    def _repr_html_(self) -> str:
        from malt.drawing.reports.scores import summary_of

        return summary_of(self)


def evaluate(
    gold: str,
    systems: str | Sequence[str],
    format: str = "",
    charset: str = "UTF-8",
    convention: str = "",
    punctuation: bool | None = None,
) -> Evaluation:
    """Score parsed files, or one, against a gold standard. Without a convention, the format of the gold file decides
    it."""
    systems = [systems] if isinstance(systems, str) else systems
    with ExitStack() as stack:
        reference, *parsed = (stack.enter_context(open_treebank(file, format, charset)) for file in (gold, *systems))
        rules = CONVENTIONS[convention or convention_of(reference.format.name)]
        result = Evaluation(reference.name, reference.format.name, rules, punctuation)
        counter = _Counter(result, [treebank.name for treebank in parsed])
        if not reference.format.label_columns:
            raise DataError(f"the format {reference.format.name} has no labels", reference.name)
        for stretches in side_by_side(reference, parsed):
            counter.add(stretches)
    if not result.words:
        raise DataError("there are no sentences to score", result.gold)
    counter.finish()
    return result


class _Counter:
    """Fills an evaluation."""

    def __init__(self, result: Evaluation, names: list[str]) -> None:
        self.result = result
        result.systems = [
            System(name, {key: Scores(convention) for key, convention in CONVENTIONS.items()}) for name in names
        ]
        self.lookups: list[Lookup] = []
        self.words: list[Integers] = []  # that count, in each sentence
        self.only = numpy.zeros((len(names), len(names)), numpy.int64)  # words that one has right and another has not

    def _prepare(self, gold: Stretch) -> None:
        """Make what depends on the tables, which are the same in all blocks."""
        tables = gold.block.tables
        labels = tables[gold.block.format.label_columns[0]]
        names = {"label": labels, "pos": tables.get(pos_column(gold.block.format), labels)}
        for system in self.result.systems:
            for scores in system.scores.values():
                scores.names = names
        self.lookups = [
            Lookup(tables[form_column(gold.block.format)], is_punctuation, bool),
            Lookup(labels, lambda label: labels.add(without_subtype(label)), numpy.int32),
            Lookup(labels, lambda label: without_subtype(label) in CONTENT, bool),
        ]

    def add(self, stretches: list[Stretch]) -> None:
        """Take in the same sentences of all files."""
        gold, *parsed = stretches
        _require_arcs(gold)
        if not self.lookups:
            self._prepare(gold)
        result = self.result
        marks = self.lookups[0](gold.forms).astype(bool)
        result.sentences += len(gold.starts) - 1
        result.words += len(gold.heads)
        result.marks += int(marks.sum())
        counted = numpy.ones(len(marks), bool) if result.counts_punctuation(result.convention) else ~marks
        self.words.append(_by_sentence(counted, gold))
        classes = self._classes(gold, shape(gold.heads, gold.starts))
        right = []
        for system, stretch in zip(result.systems, parsed, strict=True):
            both = self._score(system, gold, stretch, classes, marks) & counted
            system.right.append(_by_sentence(both, gold))
            right.append(both)
        for one, two in product(range(len(right)), repeat=2):
            self.only[one, two] += int((right[one] & ~right[two]).sum())

    def _classes(self, stretch: Stretch, found: Shape) -> dict[str, Integers]:
        """The class of each word in each group that is the same by all conventions."""
        heads, lengths = stretch.heads, numpy.diff(stretch.starts)
        position = numpy.arange(1, len(heads) + 1) - numpy.repeat(stretch.starts[:-1], lengths)
        distance = position - heads
        limits = [end for _, end in LENGTHS.values() if end is not None]
        length = 1 + numpy.searchsorted(limits, numpy.abs(distance), side="right")
        direction = numpy.select([distance < 0, distance > 0], [1, 2], 3)
        depth = numpy.minimum(found.depth, len(DEPTHS)) - 1
        sentence = numpy.repeat(numpy.minimum((lengths - 1) // 10, len(SENTENCE_LENGTHS) - 1), lengths)
        return {
            "pos": stretch.codes(pos_column(stretch.block.format)),
            "length": numpy.select([heads < 0, heads == 0], [NONE, 0], length),
            "direction": numpy.select([heads < 0, heads == 0], [NONE, 0], direction),
            "depth": numpy.where(found.depth < 0, NONE, depth),
            "sentence": sentence,
            "projectivity": numpy.where(heads < 0, NONE, found.nonprojective),
        }

    def _score(
        self, system: System, gold: Stretch, stretch: Stretch, gold_classes: dict[str, Integers], marks: Flags
    ) -> Flags:
        """Count for one parsed file, by all conventions; gives what is right by the chosen one."""
        blind = stretch.heads < 0
        system.blind += int(blind.sum())
        head: Flags = gold.heads == stretch.heads
        classes = self._classes(stretch, shape(stretch.heads, stretch.starts))
        classes |= {group: gold_classes[group] for group in BY_GOLD}
        chosen = head
        for key, scores in system.scores.items():
            theirs, ours = gold.labels, stretch.labels
            if not scores.convention.subtypes:
                theirs, ours = (numpy.where(codes < 0, NONE, self.lookups[1](codes)) for codes in (theirs, ours))
            label = theirs == ours
            scores.tallies["label"].add(theirs, ours, head, label, marks)
            scores.confusion.add(theirs, ours, marks)
            content = numpy.where(blind, NONE, self.lookups[2](ours))
            scores.tallies["content"].add(self.lookups[2](theirs), content, head, label, marks)
            for group in classes:
                scores.tallies[group].add(gold_classes[group], classes[group], head, label, marks)
            for punctuation in (False, True):
                counted = numpy.ones(len(marks), bool) if punctuation else ~marks
                words = _by_sentence(counted, gold)
                wrong = [_by_sentence(counted & ~right, gold) for right in (head & label, head)]
                full = words > 0
                scores.sentences[int(punctuation)] += [full.sum(), *((full & (n == 0)).sum() for n in wrong)]
            if key == self.result.convention.name:
                chosen = head & label
        return chosen

    def finish(self) -> None:
        """Intervals and tests, once everything has been counted."""
        systems = self.result.systems
        right = numpy.array([numpy.concatenate(system.right) for system in systems])
        sampled = bootstrap(numpy.concatenate(self.words), right)
        for system, values in zip(systems, sampled, strict=True):
            system.interval = interval(values)
        counted = sum(int(words.sum()) for words in self.words)
        for one, two in combinations(range(len(systems)), 2):
            first, second = int(self.only[one, two]), int(self.only[two, one])
            self.result.comparisons.append(
                Comparison(
                    systems[one].name,
                    systems[two].name,
                    first,
                    second,
                    mcnemar(first, second),
                    ratio(first - second, counted),
                    interval(sampled[one] - sampled[two]),
                )
            )


def _require_arcs(gold: Stretch) -> None:
    """Refuse a gold standard without heads or labels."""
    for codes, what in ((gold.heads, "head"), (gold.labels, "label")):
        if (missing := numpy.flatnonzero(codes < 0)).size:
            word = int(missing[0])
            raise DataError(
                f"{gold.form(word)!r} has no {what}, but in the gold standard every word needs one; "
                "is the gold file the first one?",
                gold.block.name,
                gold.line(word),
            )


def _by_sentence(flags: Flags, stretch: Stretch) -> Integers:
    """How many are true in each sentence, none of which is empty."""
    return numpy.add.reduceat(flags, stretch.starts[:-1], dtype=numpy.int32)
