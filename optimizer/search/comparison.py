"""Two setups compared sentence by sentence: a paired test, and whether a trial can still win."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy

from malt.optimizer.trial.outcome import Outcome

CHANCE = 0.1  # a trial is stopped when its chance to be kept is below this


def paired_test(differences: Sequence[int]) -> float:
    """How likely so large a difference is, if the sign of each sentence's difference were a matter of luck.

    This is the sign-flip permutation test, two-sided, by its normal approximation.

    >>> round(paired_test([1, 1, 1, 1, 0, -1]), 3), paired_test([0, 0]), round(paired_test([1] * 20), 6)
    (0.18, 1.0, 8e-06)
    """
    values = numpy.asarray(differences, numpy.int64)
    squares = int(values @ values)
    return math.erfc(abs(int(values.sum())) / math.sqrt(2 * squares)) if squares else 1.0


def differences_of(outcomes: Sequence[Outcome], others: Sequence[Outcome]) -> list[int]:
    """How many words more are right in each sentence."""
    pairs = zip(outcomes, others, strict=True)
    return [a - b for mine, its in pairs for a, b in zip(mine.right, its.right, strict=True)]


def chance_of(differences: Sequence[int], needed: float) -> float:
    """How likely a trial wins as many words as it needs, if a rough one has won these: it may differ from that one as
    far as that one differs from what it is compared with.

    >>> round(chance_of([1, 1, 0, -1], 0), 2), round(chance_of([1, 1, 0, -1], 3), 2), chance_of([0, 0], 1)
    (0.72, 0.12, 0.0)
    """
    values = numpy.asarray(differences, numpy.int64)
    lacking, squares = needed - int(values.sum()), int(values @ values)
    return math.erfc(lacking / math.sqrt(2 * squares)) / 2 if squares else float(lacking <= 0)


def is_hopeless(differences: Sequence[int], remaining: int, needed: float, chance: float = CHANCE) -> bool:
    """Whether a trial that is seen on some sentences has less than a chance to gain what it needs on all of them.

    The sentences that remain are predicted from those that were seen: their mean difference, with the uncertainty of
    both samples. However alike these are, one word in one of them may well have been different. Needed is how many
    words must be won in all.

    >>> is_hopeless([-1, 0, -1, 0, -1, -1, 0, -1], 8, 0), is_hopeless([1, 0, -1, 0, 1, -1, 0, 0], 8, 0)
    (True, False)
    """
    seen = len(differences)
    if seen < 2 or not remaining:
        return False
    values = numpy.asarray(differences, numpy.float64)
    expected = float(values.sum()) * (1 + remaining / seen)
    variance = max(float(values.var(ddof=1)), 1 / seen)
    spread = math.sqrt(variance * (remaining + remaining * remaining / seen))
    return math.erfc((needed - expected) / spread / math.sqrt(2)) / 2 < chance
