"""How good graphs are: precision, recall and F of arcs, with and without labels, and whole sentences."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, fields
from typing import Any

import numpy
import numpy.typing

from malt.data.block import Block
from malt.data.deps import PATH, deps_column, read_deps
from malt.data.graph import Graph, Integers
from malt.errors import DataError
from malt.evaluation.alignment import Opener, Stretch, align, open_together, openers_of
from malt.evaluation.convention import without_subtype

Keys = numpy.typing.NDArray[numpy.int64]


@dataclass(frozen=True)
class ArcScore:
    """Arcs of a gold standard, of a system, and those that both have.

    >>> score = ArcScore(4, 5, 3)
    >>> score.precision, score.recall, round(score.f, 4)
    (0.6, 0.75, 0.6667)
    """

    gold: int = 0
    system: int = 0
    right: int = 0

    @property
    def precision(self) -> float | None:
        """The share of the system's arcs that are right."""
        return self.right / self.system if self.system else None

    @property
    def recall(self) -> float | None:
        """The share of the gold standard's arcs that were found."""
        return self.right / self.gold if self.gold else None

    @property
    def f(self) -> float | None:
        """The harmonic mean of both."""
        return 2 * self.right / (self.gold + self.system) if self.gold + self.system else None

    def __add__(self, other: ArcScore) -> ArcScore:
        return ArcScore(self.gold + other.gold, self.system + other.system, self.right + other.right)


@dataclass(frozen=True)
class GraphScores:
    """The counts of one file against a gold standard."""

    labelled: ArcScore = ArcScore()
    unlabelled: ArcScore = ArcScore()
    universal: ArcScore = ArcScore()  # EULAS of the IWPT 2020 shared task, whose ELAS is `labelled`: without subtypes
    sentences: int = 0
    exact: int = 0  # sentences with all arcs and no other, labels included
    exact_unlabelled: int = 0

    def to_dict(self) -> dict[str, Any]:
        """The counts and shares, for JSON."""
        named = {"labelled": self.labelled, "unlabelled": self.unlabelled}
        named |= {"ELAS": self.labelled, "EULAS": self.universal}
        scores = {
            name: {**asdict(one), "precision": one.precision, "recall": one.recall, "F": one.f}
            for name, one in named.items()
        }
        return {**scores, "exact": self.exact, "exact_unlabelled": self.exact_unlabelled}

    def __add__(self, other: GraphScores) -> GraphScores:
        return GraphScores(*(getattr(self, one.name) + getattr(other, one.name) for one in fields(self)))


def score_graphs(
    gold: Graph, system: Graph, starts: Integers, gold_types: Integers, system_types: Integers
) -> GraphScores:
    """Compare the graphs of the same sentences. Labels are codes of the same table; `types` are the codes of the labels
    of each arc without their subtypes."""
    sentence = numpy.repeat(numpy.arange(len(starts) - 1), numpy.diff(starts))
    found: list[ArcScore] = []
    exact: list[int] = []
    for labels in (
        (gold.labels, system.labels),
        (numpy.zeros_like(gold.labels), numpy.zeros_like(system.labels)),
        (gold_types, system_types),
    ):
        one, two = (numpy.unique(_keys(graph, codes)) for graph, codes in zip((gold, system), labels, strict=True))
        common = numpy.intersect1d(one, two, assume_unique=True)
        counts = [
            numpy.bincount(sentence[keys >> _WORD], minlength=len(starts) - 1)
            if len(keys)
            else numpy.zeros(len(starts) - 1, numpy.int64)
            for keys in (one, two, common)
        ]
        found.append(ArcScore(len(one), len(two), len(common)))
        exact.append(int(((counts[0] == counts[2]) & (counts[1] == counts[2])).sum()))
    labelled, unlabelled, _ = found
    # EULAS counts pairs of equal arcs, as that of the shared task does: two arcs of a word may become equal.
    universal = ArcScore(
        len(gold.heads), len(system.heads), _pairs(_keys(gold, gold_types), _keys(system, system_types))
    )
    return GraphScores(labelled, unlabelled, universal, len(starts) - 1, exact[0], exact[1])


def universal_type(label: str) -> str:
    """A label without the subtypes of its parts.

    >>> universal_type("conj:and>nmod:of"), universal_type("nsubj")
    ('conj>nmod', 'nsubj')
    """
    return PATH.join(without_subtype(part) for part in label.split(PATH))


_WORD, _HEAD = 42, 21  # bits of a label and of a head, and of a label alone


def _keys(graph: Graph, labels: Integers) -> Keys:
    """Each arc as a number."""
    return graph.words.astype(numpy.int64) << _WORD | graph.heads.astype(numpy.int64) << _HEAD | labels


def _pairs(one: Keys, two: Keys) -> int:
    keys, counts = numpy.unique(one, return_counts=True)
    others, times = numpy.unique(two, return_counts=True)
    _, at, there = numpy.intersect1d(keys, others, assume_unique=True, return_indices=True)
    return int((counts[at] * times[there]).sum())


@dataclass
class GraphEvaluation:
    """Files of graphs against a gold standard."""

    gold: str
    sentences: int = 0
    words: int = 0
    arcs: int = 0
    systems: dict[str, GraphScores] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """All counts, for JSON."""
        known = {"gold": self.gold, "sentences": self.sentences, "words": self.words, "arcs": self.arcs}
        return {**known, "systems": {name: scores.to_dict() for name, scores in self.systems.items()}}


def evaluate_graph_files(
    gold: str, systems: Sequence[str], format: str = "", charset: str = "UTF-8"
) -> GraphEvaluation:
    """Score files with the same words."""
    return _evaluate(openers_of([gold, *systems]), format, charset)


def _evaluate(openers: Sequence[Opener], format: str, charset: str) -> GraphEvaluation:
    with open_together(openers, format, charset) as (reference, *parsed):
        for treebank in (reference, *parsed):
            deps_column(treebank.format)
        result = GraphEvaluation(reference.name, systems={one.name: GraphScores() for one in parsed})
        types: dict[int, int] = {}
        numbers: dict[str, int] = {}

        def types_of(graph: Graph) -> Integers:
            for code in set(graph.labels.tolist()) - set(types):
                name = universal_type(reference.tables[reference.format.label_columns[0]].symbol(code) or "")
                types[code] = numbers.setdefault(name, len(numbers))
            return numpy.array([types[code] for code in graph.labels.tolist()], numpy.int32)

        sources = [_Source() for _ in (reference, *parsed)]
        for stretches in align(reference, parsed):
            right, *found = (source.graph(stretch) for source, stretch in zip(sources, stretches, strict=True))
            starts = stretches[0].starts
            result.sentences += len(starts) - 1
            result.words += int(starts[-1])
            result.arcs += len(right.heads)
            for treebank, graph in zip(parsed, found, strict=True):
                result.systems[treebank.name] += score_graphs(right, graph, starts, types_of(right), types_of(graph))
    if not result.arcs:
        raise DataError("there are no graphs to score: DEPS has no arcs", result.gold)
    return result


class _Source:
    """Reads the graphs of each block of a file once."""

    def __init__(self) -> None:
        self._block: Block | None = None
        self._graph: Graph | None = None

    def graph(self, stretch: Stretch) -> Graph:
        """The graphs of some sentences."""
        if stretch.block is not self._block or self._graph is None:
            self._block, self._graph = stretch.block, read_deps(stretch.block)
        return self._graph.take(range(stretch.words.start, stretch.words.stop))
