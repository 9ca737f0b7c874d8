"""Learning the weights of parsers that vote from what they make of a gold standard.

A word's candidates are the heads that parsers give it. The weights are those that make the right ones most probable,
where a candidate is the more probable the more those weigh who have it (a conditional logit: McFadden 1974). So parsers
that err together share their weight. Those of a part of speech are drawn to the weights for all words.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy
import numpy.typing

from malt.blending.voting import Ballot, Vote
from malt.blending.weights import BlendWeights, Numbers, VoterWeights, equal_weights
from malt.data.block import Integers
from malt.data.symbols import Tables

FOLDS = 10  # parts of the gold standard, each of which is scored with the weights of the others
PRIOR = 5.0  # how strongly weights are drawn to the usual ones: about as much as so many words say
LEAST = 0.01  # so that a vote decides where no other does
STEPS = 50

Flags = numpy.typing.NDArray[numpy.bool_]


@dataclass(frozen=True)
class Outcome:
    """What was learned: the weights of the best kind, the cross-validated LAS of each, of all words, and the heads and
    labels of the best kind, cross-validated: each sentence with weights from others."""

    weights: BlendWeights
    alone: dict[str, float]  # LAS of each parser
    kinds: dict[str, float]  # LAS of each kind of weights
    best: str
    trees: tuple[Integers, Integers]


Learn = Callable[[Flags], BlendWeights]


class WeightLearning:
    """Learns from one ballot and the right heads and labels of its words."""

    def __init__(
        self,
        names: Sequence[str],
        ballot: Ballot,
        heads: Integers,
        labels: Integers,
        tables: Tables,
        column: str,
        vote: Vote,  # but for its weights
    ) -> None:
        self.names, self.ballot, self.tables, self.column = names, ballot, tables, column
        self.heads, self.labels, self.vote = heads, labels, vote
        self.right = (numpy.maximum(ballot.heads, 0) == heads) & (ballot.labels == labels)
        sizes = numpy.diff(ballot.starts)
        self.fold = numpy.repeat(numpy.arange(len(sizes)) % FOLDS, sizes)

    def learn(self) -> Outcome:
        """The weights of the kind with the best cross-validated score, learned from everything."""
        kinds: dict[str, Learn] = {
            "one vote each": lambda words: equal_weights(self.names),
            "by parser": self.by_parser,
        }
        if self.column:
            kinds["by parser and part of speech"] = self.by_tag
        trees = {kind: self._cross_validated(learn) for kind, learn in kinds.items()}
        scores = {kind: 100 * self._count_right(*found) / max(1, len(self.heads)) for kind, found in trees.items()}
        best = max(scores, key=lambda kind: scores[kind])
        alone = {name: 100 * float(right.mean()) for name, right in zip(self.names, self.right, strict=True)}
        return Outcome(kinds[best](numpy.ones(len(self.heads), bool)), alone, scores, best, trees[best])

    def by_parser(self, words: Flags) -> BlendWeights:
        """A weight for each parser, from some of the words."""
        weights = self._fit(words, numpy.zeros(len(self.names)))
        return BlendWeights("", tuple(VoterWeights(*pair) for pair in zip(self.names, _written(weights), strict=True)))

    def by_tag(self, words: Flags) -> BlendWeights:
        """A weight for each parser and part of speech, from some of the words."""
        whole = self._fit(words, numpy.zeros(len(self.names)))
        tags: list[dict[str, float]] = [{} for _ in self.names]
        for code in numpy.unique(self.ballot.tags[words]):
            tag = self.tables[self.column].symbol(int(code)) if code >= 0 else ""
            if tag:
                own = _written(self._fit(words & (self.ballot.tags == code), whole))
                for known, weight in zip(tags, own, strict=True):
                    known[tag] = weight
        parts = zip(self.names, _written(whole), tags, strict=True)
        return BlendWeights(self.column, tuple(VoterWeights(*part) for part in parts))

    def _fit(self, words: Flags, usual: Numbers) -> Numbers:
        """The weights that make the right heads of some words most probable, drawn to the usual ones (Newton's method).
        Words on whose head all agree, or that nobody has right, say nothing."""
        heads = numpy.maximum(self.ballot.heads[:, words], 0)
        right = heads == self.heads[words]
        telling = right.any(0) & ~right.all(0)
        heads, right = heads[:, telling].T, right[:, telling].T.astype(float)
        same = heads[:, :, None] == heads[:, None, :]  # word, voter, voter: they have the same head
        first = ~numpy.tril(same, -1).any(2)  # of those with the same head, the first stands for the candidate
        alike, weights = same.astype(float), usual.copy()
        for _ in range(STEPS):
            scores = numpy.where(first, alike @ weights, -numpy.inf)
            chances = numpy.exp(scores - scores.max(1, keepdims=True, initial=0))
            chances /= chances.sum(1, keepdims=True)
            expected = numpy.einsum("wv,wvu->wu", chances, alike)
            slope = (right - expected).sum(0) - PRIOR * (weights - usual)
            curve = numpy.einsum("wv,wvu,wvt->ut", chances, alike, alike) - expected.T @ expected
            step = numpy.linalg.solve(curve + PRIOR * numpy.eye(len(weights)), slope)
            weights += step
            if numpy.abs(step).max(initial=0) < 1e-6:
                break
        return weights

    def _cross_validated(self, learn: Learn) -> tuple[Integers, Integers]:
        """The heads and labels of all words, each of them by weights that were learned from other sentences."""
        heads, labels = numpy.zeros_like(self.heads), numpy.zeros_like(self.labels)
        for fold in range(FOLDS):
            inside = self.fold == fold
            if inside.any():
                heads[inside], labels[inside] = self._trees(inside, replace(self.vote, weights=learn(~inside)))
        return heads, labels

    def _count_right(self, heads: Integers, labels: Integers) -> int:
        return int(((heads == self.heads) & (labels == self.labels)).sum())

    def _trees(self, words: Flags, vote: Vote) -> tuple[Integers, Integers]:
        """The heads and labels of the words of some whole sentences."""
        sizes = numpy.diff(self.ballot.starts)
        kept = words[self.ballot.starts[:-1].clip(max=max(0, len(words) - 1))] & (sizes > 0)
        starts = numpy.concatenate([[0], numpy.cumsum(sizes[kept])])
        part = Ballot(starts, self.ballot.heads[:, words], self.ballot.labels[:, words], self.ballot.tags[words])
        return vote.trees(part, self.tables)


def _written(weights: Numbers) -> list[float]:
    """Weights as a file has them: a vote never counts against what it is for."""
    return [round(max(LEAST, weight), 6) for weight in weights.tolist()]
