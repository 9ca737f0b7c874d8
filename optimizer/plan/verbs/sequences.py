"""Verbs that go through other steps: steps, use, compete."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from malt.optimizer.plan.step import Searcher, Step, StepReader
from malt.optimizer.plan.values import OPTION
from malt.optimizer.trial.attempt import WORST, Best, Verdict


@dataclass(frozen=True)
class Steps(Step):
    """`steps: [...]`: steps one after another, which may be a decision tree."""

    also: ClassVar[tuple[str, ...]] = ("tree",)

    tree: str
    steps: tuple[Step, ...]

    @classmethod
    def read(cls, given: StepReader) -> Steps:
        return cls(*given.common(), given.part("tree", given.values.text, ""), given.steps(given.argument))

    def run(self, search: Searcher) -> bool:
        search.tree = self.tree or search.tree
        return search.walk(self.steps)

    @property
    def inner(self) -> tuple[Step, ...]:
        return self.steps

    @property
    def chooses_algorithm(self) -> bool:
        return bool(self.tree)


@dataclass(frozen=True)
class Use(Steps):
    """`use: NAME`: the steps of a part of the plan."""

    also = ()

    @classmethod
    def read(cls, given: StepReader) -> Use:
        return cls(*given.common(), "", given.named[given.values.one_of(given.argument, given.named, "part")])


@dataclass(frozen=True)
class Compete(Step):
    """`compete: NUMBER`: the best candidates so far, each with another algorithm, go through the same steps. The best
    one wins; something is kept, if that is another than the best so far."""

    also = ("steps",)

    steps: tuple[Step, ...]
    most: int  # candidates

    @classmethod
    def read(cls, given: StepReader) -> Compete:
        common, steps = given.common(), given.part("steps", given.steps, ())
        if not steps:
            raise given.error("compete needs the steps that each of the best candidates goes through")
        return cls(*common, steps, given.values.number(given.argument, 1))

    def run(self, search: Searcher) -> bool:
        ranking = sorted(search.starts.values(), key=lambda best: -best.score)
        entrants: dict[str, Best] = {search.best.setup.algorithm: search.best}
        for entrant in ranking:
            entrants.setdefault(entrant.setup.algorithm, entrant)
        results = []
        for entrant in list(entrants.values())[: self.most]:
            # One that was hopeless has been measured on some folds only.
            verdict = search.verdict(entrant.setup, None, OPTION)
            search.contest = entrant.name
            search.best = Best(entrant.setup, entrant.setup, verdict.score, entrant.name)
            search.walk(self.steps)
            results.append(search.best)
        search.contest = ""
        search.best = winner = max(results, key=lambda best: best.score)
        others = ", ".join(f"{best.name} {best.score:.2f}" for best in results if best is not winner)
        search.heading = "the choice between them"
        what = f"{winner.name} is the best; the others: {others}" if others else winner.name
        search.record(winner.setup, Verdict(winner.score), OPTION, what, True, WORST, winner.name)
        return winner.setup != next(iter(entrants.values())).setup

    @property
    def inner(self) -> tuple[Step, ...]:
        return self.steps
