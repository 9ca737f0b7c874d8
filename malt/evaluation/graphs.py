"""How good graphs are: precision, recall and F of arcs, with and without labels, and whole sentences."""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy
import numpy.typing

from malt.data.deps import PATH
from malt.data.graph import Graph, Integers
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
    enhanced: ArcScore = ArcScore()  # ELAS of the IWPT 2020 shared task: labelled, as DEPS has the arcs
    universal: ArcScore = ArcScore()  # EULAS: the same with labels up to their first colon
    sentences: int = 0
    exact: int = 0  # sentences with all arcs and no other, labels included
    exact_unlabelled: int = 0

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
            numpy.bincount(sentence[keys >> _WORD], minlength=len(starts) - 1) if len(keys) else
            numpy.zeros(len(starts) - 1, numpy.int64)
            for keys in (one, two, common)
        ]
        found.append(ArcScore(len(one), len(two), len(common)))
        exact.append(int(((counts[0] == counts[2]) & (counts[1] == counts[2])).sum()))
    labelled, unlabelled, _ = found
    # EULAS counts pairs of equal arcs, as that of the shared task does: two arcs of a word may become equal.
    universal = ArcScore(len(gold.heads), len(system.heads), _pairs(_keys(gold, gold_types), _keys(system, system_types)))
    return GraphScores(labelled, unlabelled, labelled, universal, len(starts) - 1, exact[0], exact[1])


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
