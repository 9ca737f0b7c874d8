"""Counts of what is right and wrong, by class: by label, by length of the arc, and so on."""

from __future__ import annotations

from dataclasses import asdict, dataclass

import numpy
import numpy.typing

Counts = numpy.typing.NDArray[numpy.int64]
NONE = -1  # the class of what has none, such as the length of an arc that is not there


@dataclass(frozen=True)
class ClassCounts:
    """The counts of one class, or of all.

    >>> line = ClassCounts(8, 4, 4, gold_head=4, gold_label=4, gold_both=2, system_head=2, system_both=2)
    >>> line.las, line.precision, line.recall, line.f
    (0.25, 0.5, 0.25, 0.3333333333333333)
    """

    gold: int  # words that are of this class in the gold standard
    system: int  # ... in the parser's output
    same: int  # ... in both
    gold_head: int  # of `gold`, those with the right head
    gold_label: int  # ... the right label
    gold_both: int  # ... both
    system_head: int  # of `system`, those with the right head
    system_both: int  # ... the right head and the right label

    @property
    def las(self) -> float | None:
        """Labelled attachment score; of a class, the same as `recall`."""
        return ratio(self.gold_both, self.gold)

    @property
    def uas(self) -> float | None:
        """Unlabelled attachment score."""
        return ratio(self.gold_head, self.gold)

    @property
    def label_accuracy(self) -> float | None:
        """The share of words with the right label."""
        return ratio(self.gold_label, self.gold)

    @property
    def precision(self) -> float | None:
        """Of the parser's arcs of this class, the share with the right head and the right label."""
        return ratio(self.system_both, self.system)

    @property
    def recall(self) -> float | None:
        """Of the gold arcs of this class, the share that the parser has, with the right label."""
        return ratio(self.gold_both, self.gold)

    @property
    def f(self) -> float | None:
        """The harmonic mean of precision and recall, one of which may be a share of nothing."""
        precision, recall = self.precision or 0.0, self.recall or 0.0
        if precision and recall:
            return 2 * precision * recall / (precision + recall)
        return 0.0 if self.gold or self.system else None

    def to_dict(self) -> dict[str, float | None]:
        """All numbers, by name."""
        shares = {name: getattr(self, name) for name in ("las", "uas", "label_accuracy", "precision", "recall", "f")}
        return {**asdict(self), **shares}


def ratio(part: int, whole: int) -> float | None:
    """A share; None of nothing.

    >>> ratio(1, 2), ratio(0, 0)
    (0.5, None)
    """
    return part / whole if whole else None


class Tally:
    """Words by class, each class with and without punctuation.

    >>> tally = Tally()
    >>> right = numpy.array([True, False, True])
    >>> tally.add([0, 1, 1], [0, 0, 1], right, right, [False, False, True])
    >>> tally.counts(1).recall, tally.counts(1, punctuation=False).recall, tally.counts(0).precision
    (0.5, 0.0, 0.5)
    """

    def __init__(self) -> None:
        # By class (shifted by one, so that NONE comes first), punctuation, head right, label right.
        self._gold: Counts = numpy.zeros((1, 2, 2, 2), numpy.int64)
        self._system: Counts = self._gold.copy()
        self._same: Counts = numpy.zeros((1, 2), numpy.int64)

    def add(
        self,
        gold: numpy.typing.ArrayLike,
        system: numpy.typing.ArrayLike,
        head: numpy.typing.ArrayLike,
        label: numpy.typing.ArrayLike,
        punctuation: numpy.typing.ArrayLike,
    ) -> None:
        """Take in words: the classes they have in both files, what is right, and which are punctuation."""
        gold, system = numpy.asarray(gold, numpy.int64), numpy.asarray(system, numpy.int64)
        marks = numpy.asarray(punctuation).astype(numpy.int64)
        outcome = 4 * marks + 2 * numpy.asarray(head).astype(numpy.int64) + numpy.asarray(label)
        classes = 2 + max(int(gold.max(initial=0)), int(system.max(initial=0)))
        self._gold = _sum(self._gold, numpy.bincount(8 * (gold + 1) + outcome, minlength=8 * classes))
        self._system = _sum(self._system, numpy.bincount(8 * (system + 1) + outcome, minlength=8 * classes))
        same = gold == system
        self._same = _sum(self._same, numpy.bincount(2 * (gold[same] + 1) + marks[same], minlength=2 * classes))

    def classes(self) -> list[int]:
        """The classes that occur in the gold standard or in the output, in order; NONE is no class."""
        words = self._gold.sum(axis=(1, 2, 3)) + self._system.sum(axis=(1, 2, 3))
        return [int(number) for number in numpy.flatnonzero(words[1:])]

    def counts(self, of: int | None = None, punctuation: bool = True) -> ClassCounts:
        """The counts of a class, or of all classes; `punctuation`: with the words of punctuation."""
        classes = slice(None) if of is None else slice(of + 1, of + 2)
        marks = slice(0, 2 if punctuation else 1)
        gold, system = (counts[classes, marks].sum(axis=(0, 1)) for counts in (self._gold, self._system))
        return ClassCounts(
            gold=int(gold.sum()),
            system=int(system.sum()),
            same=int(self._same[classes, marks].sum()),
            gold_head=int(gold[1].sum()),
            gold_label=int(gold[:, 1].sum()),
            gold_both=int(gold[1, 1]),
            system_head=int(system[1].sum()),
            system_both=int(system[1, 1]),
        )


def _sum(counts: Counts, more: Counts) -> Counts:
    """Add flat counts, which may have more classes."""
    more = more.reshape(-1, *counts.shape[1:])
    if len(more) > len(counts):
        counts, more = more, counts
    counts[: len(more)] += more
    return counts
