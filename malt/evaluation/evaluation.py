"""Parsed files against a gold standard: one pass over all of them, side by side."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from itertools import chain, combinations, product
from typing import cast

import numpy

from malt.data.sentence import Sentence
from malt.data.source import Source, is_path, open_source
from malt.data.treebank import Treebank
from malt.errors import DataError, UsageError, nearest, quoted
from malt.evaluation.alignment import Opener, Stretch, align, open_together, openers_of, pos_column
from malt.evaluation.attachment import Arcs, Flags, Integers, complete_sentences, count_by_sentence
from malt.evaluation.convention import CONTENT, CONVENTIONS, Lookup, convention_of, is_punctuation, without_subtype
from malt.evaluation.result import BY_GOLD, DEPTHS, SENTENCE_LENGTHS, Comparison, Evaluation, ScoredFile, Scores
from malt.evaluation.shape import Shape, shape
from malt.evaluation.significance import bootstrap, interval, mcnemar
from malt.evaluation.tally import NONE, ratio
from malt.kernel.symbols import SymbolTable
from malt.trees.profile import LENGTHS

NOTHING = "there is nothing to score: the second argument is empty"
GOLD, SYSTEM = "the gold standard", "the system"  # what errors call those that are no files


def evaluate(
    gold: Source,
    systems: Source | Iterable[Source] | Mapping[str, Source],
    format: str = "",
    charset: str = "UTF-8",
    convention: str = "",
    punctuation: bool | None = None,
) -> Evaluation:
    r"""Score what a parser made, or what several did, against a gold standard: files, texts or sentences.

    Several systems are a list of them, or a dict by name. Without a convention (conllx or ud), the format of the gold
    standard decides it, and that decides whether words of punctuation count. The result has the scores as numbers, and
    `to_dict()` gives everything that was counted.

    >>> gold = "1\tHunde\t_\tN\tN\t_\t2\tsubj\n2\tgør\t_\tV\tV\t_\t0\tROOT\n"
    >>> result = evaluate(gold, gold.replace("subj", "obj"))
    >>> result
    <Evaluation LAS 50.00 %, UAS 100.00 %; 1 sentence, 2 words; CoNLL-X (eval.pl), without punctuation>
    >>> result.las, result.uas, result.to_dict()["words"]
    (0.5, 1.0, 2)
    """
    openers, names = sources_of(gold, systems)
    return _evaluate(openers, names, format, charset, convention, punctuation)


def evaluate_files(
    gold: str,
    systems: Sequence[str],
    format: str = "",
    charset: str = "UTF-8",
    convention: str = "",
    punctuation: bool | None = None,
) -> Evaluation:
    """The same for files, whatever their names look like."""
    return _evaluate(openers_of([gold, *systems]), (), format, charset, convention, punctuation)


def _evaluate(
    openers: Sequence[Opener],
    names: Sequence[str],
    format: str,
    charset: str,
    convention: str,
    punctuation: bool | None,
) -> Evaluation:
    """`names` are those of the systems; without them they have those of their files."""
    if convention and convention not in CONVENTIONS:
        known = " or ".join(CONVENTIONS)
        raise UsageError(f"convention: expected {known}, not {quoted(convention)}{nearest(convention, CONVENTIONS)}")
    with open_together(openers, format, charset) as (reference, *parsed):
        names = names_of(names, parsed)
        rules = CONVENTIONS[convention or convention_of(reference.format.name)]
        result = Evaluation(reference.name, reference.format.name, rules, punctuation)
        counter = _Counter(result, names)
        if not reference.format.label_columns:
            raise DataError(f"the format {reference.format.name} has no labels", reference.name)
        for stretches in align(reference, parsed):
            counter.add(stretches)
    if not result.words:
        raise DataError("there are no sentences to score", result.gold)
    counter.finish()
    return result


def sources_of(
    gold: Source, systems: Source | Iterable[Source] | Mapping[str, Source]
) -> tuple[list[Opener], Sequence[str]]:
    """What opens a gold standard and systems, and the names of systems that have some."""
    if isinstance(systems, Mapping):
        names, sources = [str(name) for name in systems], list(systems.values())
    else:
        sources = _several(systems)
        names = [f"system {number}" for number in range(1, len(sources) + 1)] if len(sources) > 1 else [SYSTEM]
    if not sources:
        raise UsageError(NOTHING)
    openers: list[Opener] = [
        partial(open_source, source, name=name) for name, source in zip([GOLD, *names], [gold, *sources], strict=True)
    ]
    return openers, names if isinstance(systems, Mapping) else ()


def names_of(names: Sequence[str], systems: Sequence[Treebank]) -> Sequence[str]:
    """The names of systems: those that are given, or else those of their files, each of which is there once."""
    names = names or [treebank.name for treebank in systems]
    if twice := [name for place, name in enumerate(names) if name in names[:place]]:
        raise UsageError(f"{twice[0]} is given twice; name each system once")
    return names


def _several(systems: Source | Iterable[Source]) -> list[Source]:
    """The systems that are given: one, unless it is a list of files or of lists."""
    if isinstance(systems, (str, bytes, bytearray, os.PathLike, Sentence)) or not isinstance(systems, Iterable):
        return [cast(Source, systems)]  # or what is no source, which is told where it is opened
    rest = iter(systems)
    first = next(rest, None)
    if first is None:
        raise UsageError(NOTHING)
    every = chain([first], rest)
    if isinstance(first, Sentence) or (isinstance(first, str) and not is_path(first)):
        return [cast(Source, every)]  # the sentences of one
    return list(cast("Iterable[Source]", every))


class _Counter:
    """Fills an evaluation."""

    def __init__(self, result: Evaluation, names: Sequence[str]) -> None:
        self.result = result
        rules, marks = result.convention, result.counts_punctuation(result.convention)
        result.systems = [
            ScoredFile(name, {key: Scores(one) for key, one in CONVENTIONS.items()}, rules, marks) for name in names
        ]
        self.lookups: list[Lookup] = []
        self.tables: dict[str, SymbolTable] = {}  # of the classes in groups that have no list of them
        self.words: list[Integers] = []  # that count, in each sentence
        self.only = numpy.zeros((len(names), len(names)), numpy.int64)  # words that one has right and another has not

    def _prepare(self, gold: Stretch) -> None:
        """Make what depends on the tables, which are the same in all blocks."""
        tables = gold.block.tables
        labels = tables[gold.block.format.label_columns[0]]
        self.tables = {"label": labels, "pos": tables.get(pos_column(gold.block.format), labels)}
        self.lookups = [
            Lookup(tables[gold.block.format.form_column], is_punctuation, bool),
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
        self.words.append(count_by_sentence(counted, gold.starts))
        found = shape(gold.heads, gold.starts)
        result.validity.add(gold, found)
        classes = self._classes(gold, found)
        right = []
        for system, stretch in zip(result.systems, parsed, strict=True):
            both = self._score(system, gold, stretch, classes, marks) & counted
            system.right.append(count_by_sentence(both, gold.starts))
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
        self, system: ScoredFile, gold: Stretch, stretch: Stretch, gold_classes: dict[str, Integers], marks: Flags
    ) -> Flags:
        """Count for one parsed file, by all conventions; gives what is right by the chosen one."""
        blind = stretch.heads < 0
        system.blind += int(blind.sum())
        shaped = shape(stretch.heads, stretch.starts)
        system.validity.add(stretch, shaped)
        classes = self._classes(stretch, shaped)
        classes |= {group: gold_classes[group] for group in BY_GOLD}
        right: dict[str, Flags] = {}
        for key, scores in system.scores.items():
            theirs, ours = gold.labels, stretch.labels
            if not scores.convention.subtypes:
                theirs, ours = (numpy.where(codes < 0, NONE, self.lookups[1](codes)) for codes in (theirs, ours))
            wanted, found = Arcs(gold.heads, theirs), Arcs(stretch.heads, ours)
            head, label, both = found.right_heads(wanted), found.right_labels(wanted), found.right(wanted)
            scores.tallies["label"].add(theirs, ours, head, label, marks)
            scores.confusion.add(theirs, ours, marks)
            content = numpy.where(blind, NONE, self.lookups[2](ours))
            scores.tallies["content"].add(self.lookups[2](theirs), content, head, label, marks)
            for group in classes:
                scores.tallies[group].add(gold_classes[group], classes[group], head, label, marks)
            for punctuation in (False, True):
                counted = numpy.ones(len(marks), bool) if punctuation else ~marks
                words, *hits = (count_by_sentence(counted & flags, gold.starts) for flags in (counted, both, head))
                scores.sentences[int(punctuation)] += [
                    (words > 0).sum(),
                    *(complete_sentences(right, words).sum() for right in hits),
                ]
            right[key] = both
        return right[self.result.convention.name]

    def finish(self) -> None:
        """Intervals and tests, once everything has been counted."""
        systems = self.result.systems
        names = {
            group: [table.symbol(code) or "" for code in range(table.next_code)] for group, table in self.tables.items()
        }
        for scores in chain.from_iterable(system.scores.values() for system in systems):
            scores.names = names
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
                    ratio(second - first, counted),
                    interval(sampled[two] - sampled[one]),
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
