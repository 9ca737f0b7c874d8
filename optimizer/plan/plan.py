"""A plan: the search as data. Decision trees, steps, windows, templates and margins.

docs/optimizer.md tells what may stand in a plan; `maltopt plan NAME` prints one.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from malt.errors import UsageError
from malt.optimizer.plan.step import Meanings, Step
from malt.optimizer.plan.values import Margin

PHASES = ("phase1", "phase2", "phase3")
HOLDOUT = 10  # every tenth sentence


@dataclass(frozen=True)
class Plan:
    """A search, ready to be run. `text` is what it was read from."""

    name: str
    about: str
    margins: Mapping[str, Margin]  # its rules
    words: Mapping[str, Meanings]  # of each algorithm
    candidates: Mapping[str, Mapping[str, str]]
    windows: Mapping[str, Mapping[str, str]]  # what a window grows by: name -> kind of feature -> template
    groups: Mapping[str, tuple[str, ...]]  # algorithms under one name
    parts: Mapping[str, tuple[Step, ...]]  # steps under one name
    phases: Mapping[str, tuple[Step, ...]]
    columns: Mapping[str, tuple[str, int]]  # those that it names, each with a file and a line
    start: str
    cost: str
    holdout: int = HOLDOUT  # every so many sentences one is held out of the search, unless the user says otherwise
    more: str = ""  # the built-in plan that tries more
    text: str = field(default="", repr=False)

    def check(self, algorithm: str) -> None:
        """Refuse an algorithm that it has no words for."""
        if algorithm not in self.words:
            known = ", ".join(self.words)
            raise UsageError(f"-a {algorithm}: the plan {self.name} does not know this algorithm; it knows {known}")
