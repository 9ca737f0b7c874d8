"""How much better a trial must be to be kept. Plans call it a rule, and have several, by name."""

from __future__ import annotations

from dataclasses import dataclass

OPTION, REMOVE, ADD = NEEDED = ("option", "remove", "add")  # the rules that every plan has


@dataclass(frozen=True)
class Margin:
    """A trial is kept if its score is above, or not below, the best so far and so many points.

    >>> print(Margin(True, 0.05)), Margin(False, 0).keeps(80.0, 80.0), Margin(True, 0).keeps(80.0, 80.0)
    > 0.05
    (None, True, False)
    """

    strict: bool
    points: float

    def keeps(self, score: float, best: float) -> bool:
        """Whether a score is kept over the best. Both have two decimals; their sum is that of binary numbers, as in
        MaltOptimizer."""
        return score > best + self.points if self.strict else score >= best + self.points

    def __str__(self) -> str:
        return f"{'>' if self.strict else '>='} {self.points:g}"
