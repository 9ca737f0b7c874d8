"""What a search makes of trials: attempts, the best so far, and what each phase led to."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from malt.errors import counted
from malt.optimizer.trial.setup import Setup

WORST = float("-inf")


@dataclass(frozen=True)
class Verdict:
    """What a judge says of a trial. A score that is not there yet is assumed to be the worst, or as is promised."""

    score: float = WORST  # in percent, with two decimals
    p: float | None = None  # of the difference to the best so far, by a paired test over sentences
    folds: int = 0  # on how many it was tried
    hopeless: bool = False  # whether it was stopped before the last fold
    assumed: bool = False
    error: str = ""
    rough: bool = False  # whether rough trials ruled it out
    promising: bool = False  # whether it is assumed to have the score that rough trials promise

    @property
    def untried(self) -> bool:
        """Whether there was no time for it."""
        return bool(self.error) and not self.folds


@dataclass(frozen=True)
class Attempt:
    """One trial of the search, and whether it was kept."""

    phase: str
    step: str  # the heading under which it was made
    tree: str  # the decision tree that it is part of
    what: str  # what is different from the best so far
    name: str  # of a candidate in a tree
    setup: Setup
    before: float  # the best score so far
    verdict: Verdict
    rule: str  # what its gain had to be
    kept: bool
    place: str = ""  # of its step in the plan
    contest: str = ""  # the candidate that is tuned, where several compete

    @property
    def gain(self) -> float:
        """Points over the best so far."""
        return round(self.verdict.score - self.before, 2)

    def as_json(self) -> dict[str, Any]:
        """For reports."""
        verdict = self.verdict
        return {
            "phase": self.phase,
            "step": self.step,
            "tree": self.tree,
            "name": self.name,
            "what": self.what,
            "score": _finite(verdict.score),
            "before": _finite(self.before),
            "gain": _finite(self.gain),
            "p": verdict.p,
            "kept": self.kept,
            "rule": self.rule,
            "folds": verdict.folds,
            "hopeless": verdict.hopeless,
            "rough": verdict.rough,
            "error": verdict.error,
            "place": self.place,
            "contest": self.contest,
        }


def _finite(number: float) -> float | None:
    return number if math.isfinite(number) else None


def leading(attempts: Sequence[Attempt]) -> list[bool]:
    """Of each attempt whether it was kept and leads to the choice: those of candidates that lost a contest do not."""
    found, winner = [], ""
    for one in reversed(attempts):
        if one.kept and one.name and not one.contest:
            winner = one.name
        found.append(one.kept and one.contest in ("", winner))
    return found[::-1]


@dataclass
class Best:
    """The best so far: a setup, the one that was measured for it, its score, and the candidate it came from."""

    setup: Setup
    measured: Setup | None  # None: a model without features, which cannot be trained
    score: float
    name: str = ""


@dataclass(frozen=True)
class Phase:
    """What a phase led to, or what there was before the first one."""

    name: str
    setup: Setup
    score: float


def phase_rows(phases: Sequence[Phase]) -> list[dict[str, Any]]:
    """What phases led to, one after another, and what they gained, for reports."""
    return [
        {
            "name": phase.name.replace("phase", "phase "),
            "score": phase.score,
            "gain": round(phase.score - before.score, 2),
            "chosen": phase.setup.description
            + (
                f", {counted(len(phase.setup.features), 'feature')}"
                if phase.name == "phase3" and phase.setup.features
                else ""
            ),
        }
        for before, phase in pairwise([*phases[:1], *phases])
    ]
