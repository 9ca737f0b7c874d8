"""Which words are right: the one definition of LAS and UAS, for many words at once.

`malt eval`, the trials of the optimizer, the score of an estimator and the picture of a comparison all ask here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy
import numpy.typing

from malt.evaluation.convention import Convention

Flags = numpy.typing.NDArray[numpy.bool_]
Integers = numpy.typing.NDArray[Any]

LABELLED = ("las", "lcm")  # metrics for which the label has to be right, too


@dataclass(frozen=True)
class Arcs:
    """The arcs to some words: heads as positions in their sentences, labels as codes; -1 where there is none.

    >>> gold, found = Arcs(numpy.array([2, 0]), numpy.array([5, 1])), Arcs(numpy.array([2, -1]), numpy.array([6, -1]))
    >>> found.right(gold), found.right(gold, "uas"), found.as_written(1).right(gold)
    (array([False, False]), array([ True, False]), array([False,  True]))
    """

    heads: Integers
    labels: Integers

    @classmethod
    def from_names(
        cls, heads: Sequence[int], labels: Sequence[str | None], convention: Convention, codes: dict[str, int]
    ) -> Arcs:
        """Arcs whose labels are texts; `codes` has those of the labels so far, and gets the others."""
        same = (label if label is None else convention.label(label) for label in labels)
        found = [-1 if label is None else codes.setdefault(label, len(codes)) for label in same]
        return cls(numpy.array(heads, numpy.int32), numpy.array(found, numpy.int32))

    def as_written(self, root_label: int) -> Arcs:
        """What a file has of them: a word without a head hangs on the root there, with the default label."""
        complete = (self.heads >= 0) & (self.labels >= 0)
        return Arcs(numpy.maximum(self.heads, 0), numpy.where(complete, self.labels, root_label))

    def right_heads(self, gold: Arcs) -> Flags:
        """Of which words the head is right."""
        right: Flags = gold.heads == self.heads
        return right

    def right_labels(self, gold: Arcs) -> Flags:
        """Of which words the label is right, wherever they hang."""
        right: Flags = gold.labels == self.labels
        return right

    def right(self, gold: Arcs, metric: str = "las") -> Flags:
        """Which words are right by a metric."""
        heads = self.right_heads(gold)
        return heads & self.right_labels(gold) if metric in LABELLED else heads


def count_by_sentence(flags: Flags, starts: Integers) -> Integers:
    """How many words have a flag, in each sentence, none of which is empty."""
    return numpy.add.reduceat(flags, starts[:-1], dtype=numpy.int32)


def complete_sentences(right: Integers, words: Integers) -> Flags:
    """In which sentences all words that count are right, and there are some."""
    complete: Flags = (words > 0) & (right == words)
    return complete
