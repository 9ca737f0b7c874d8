"""The outcome of a trial on one fold: what was right, sentence by sentence."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

METRICS = ("las", "uas", "lcm", "ucm")
DECIMALS = 2  # of a score
SELDOM = ("weights", "rough")  # what most outcomes lack


@dataclass(frozen=True)
class Outcome:
    """How well a setup parsed the test part of a fold, by the metric of the study.

    `right` has for each sentence how many of its words are right or, with lcm and ucm, whether all of them are (1 or
    0); `of` how many words count, or 1. A trial that failed has its reason in `error`, and no numbers.
    """

    right: tuple[int, ...] = ()
    of: tuple[int, ...] = ()
    seconds: float = 0.0
    megabytes: float = 0.0  # what the trial held at its end: instances, weights and the columns that it added
    error: str = ""
    weights: str = ""  # of the votes of a blend, as they were learned
    rough: str = ""  # of a rough trial: the name of the lineage that its dual variables come from

    @property
    def score(self) -> float:
        """In percent; 0 for a trial that failed.

        >>> Outcome((3, 4), (4, 4)).score
        87.5
        """
        return 100 * sum(self.right) / sum(self.of) if sum(self.of) else 0.0

    def as_json(self) -> dict[str, Any]:
        """For the journal."""
        return {key: value for key, value in vars(self).items() if value or key not in SELDOM}


def score_of(outcomes: Sequence[Outcome]) -> float:
    """The score over several folds, in percent, with two decimals.

    >>> score_of([Outcome((3,), (4,)), Outcome((1, 1), (1, 1))])
    83.33
    """
    of = sum(sum(outcome.of) for outcome in outcomes)
    return round(100 * sum(sum(outcome.right) for outcome in outcomes) / of, DECIMALS) if of else 0.0
