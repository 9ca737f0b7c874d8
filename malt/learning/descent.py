"""How far a learner has come, as a share and a note, for whoever shows it."""

from __future__ import annotations

import math
from collections.abc import Callable

Tell = Callable[[float, str], None]  # the share that is done, from 0 to 1, and a note


class Descent:
    """Passes over the instances have no number to end at: they end when the largest violation has fallen below the
    tolerance. So the share is how much of that fall is done, by its logarithm.

    >>> descent = Descent(0.1, lambda share, note: print(f"{share:.2f} {note}"))
    >>> descent(1, 500, 10.0)
    0.00 pass 1, 500 instances left, violation 10.000, ends below 0.1
    >>> descent(2, 300, 1.0)
    0.50 pass 2, 300 instances left, violation 1.000, ends below 0.1
    >>> descent(3, 500, 2.0)  # all instances are looked at again
    0.50 pass 3, 500 instances left, violation 2.000, ends below 0.1
    """

    def __init__(self, tolerance: float, tell: Tell) -> None:
        self.tolerance, self.tell = tolerance, tell
        self.highest = self.share = 0.0

    @classmethod
    def of(cls, tolerance: float, tell: Tell | None) -> Descent | None:
        """Nothing where nobody listens."""
        return None if tell is None else cls(tolerance, tell)

    def __call__(self, passes: int, active: int, violation: float) -> None:
        self.highest = max(self.highest, violation)
        if violation > 0 and self.highest > self.tolerance:
            fallen = math.log(self.highest / violation) / math.log(self.highest / self.tolerance)
            self.share = min(1.0, max(self.share, fallen))
        note = f"pass {passes}, {active:,} instances left, violation {violation:.3f}, ends below {self.tolerance:g}"
        self.tell(self.share, note)


def silence(instances: int, tell: Tell | None) -> Callable[[], None]:
    """What to call while a library learns that does not tell how far it is."""
    return lambda: None if tell is None else tell(0.0, f"{instances:,} instances, the library does not tell how far")
