"""A plan: the search as data. Decision trees, steps, windows, templates and margins.

docs/optimizer.md tells what may stand in a plan; `maltopt plan NAME` prints one.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from malt.errors import UsageError
from malt.optimizer.plan.step import Meanings, Step
from malt.optimizer.plan.values import Margin
from malt.systems import find_system, is_own
from malt.systems.language import Definition
from malt.systems.own import ALGORITHM, TEXT

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
    systems: Mapping[str, str] = field(default_factory=dict, repr=False)  # texts of transition systems, by their names
    screen: float | None = None  # the chance below which rough trials rule a change out; None: there are none

    def system(self, algorithm: str) -> Definition:
        """The definition of an algorithm, which may be one of the plan's own."""
        return find_system(algorithm, text=self.systems.get(algorithm, ""))

    def options_of(self, algorithm: str) -> dict[str, str]:
        """The options that choose an algorithm."""
        own = {TEXT: self.systems[algorithm]} if algorithm in self.systems else {}
        return {ALGORITHM: algorithm, **own}

    def with_system(self, name: str, text: str) -> Plan:
        """The same plan with one more system, whose words are those of an algorithm with the same data structures."""
        words = usual_words(find_system(name, text=text), self.words)
        more = {name: words} if words else {}
        return replace(self, systems={**self.systems, name: text}, words={**more, **self.words})

    def check(self, algorithm: str) -> None:
        """Refuse an algorithm that it has no words for."""
        if algorithm not in self.words:
            known = ", ".join(self.words) + (f"; --plan {self.more} may know it" if self.more else "")
            raise UsageError(f"-a {algorithm}: the plan {self.name} does not know this algorithm; it knows {known}")


def usual_words(definition: Definition, known: Mapping[str, Meanings]) -> Meanings:
    """The words of an algorithm that has the same data structures, the same default features too if there is one."""
    alike = [
        (other.model == definition.model, words)
        for name, words in known.items()
        if not is_own(name) and (other := find_system(name)).structures == definition.structures
    ]
    return max(alike, key=lambda found: found[0])[1] if alike else {}
