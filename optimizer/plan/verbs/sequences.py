"""Verbs that go through other steps: steps, use, compete."""

from __future__ import annotations

from dataclasses import dataclass

from malt.optimizer.plan.margin import OPTION
from malt.optimizer.plan.step import Searcher, Step, StepReader
from malt.optimizer.trial.attempt import WORST, Best, Verdict


@dataclass(frozen=True)
class Steps(Step):
    """Steps one after another, which may be a decision tree."""

    also = ("tree",)

    tree: str
    steps: tuple[Step, ...]

    @classmethod
    def read(cls, given: StepReader) -> Steps:
        """A step `steps: [...]`."""
        return cls(*given.common(), given.text("tree"), given.steps("steps"))

    def run(self, search: Searcher) -> bool:
        """Go through them."""
        search.tree = self.tree or search.tree
        return search.walk(self.steps)

    @property
    def inner(self) -> tuple[Step, ...]:
        """The steps."""
        return self.steps

    @property
    def chooses_algorithm(self) -> bool:
        """Decision trees do."""
        return bool(self.tree)


@dataclass(frozen=True)
class Use(Step):
    """The steps of a part of the plan."""

    steps: tuple[Step, ...]

    @classmethod
    def read(cls, given: StepReader) -> Use:
        """A step `use: PART`."""
        return cls(*given.common(), given.named[given.values.one_of(given.argument, given.named, "part")])

    def run(self, search: Searcher) -> bool:
        """Go through them."""
        return search.walk(self.steps)

    @property
    def inner(self) -> tuple[Step, ...]:
        """The steps of the part."""
        return self.steps


@dataclass(frozen=True)
class Compete(Step):
    """Let the best candidates so far, each with another algorithm, go through the same steps; the best one wins."""

    also = ("steps",)

    steps: tuple[Step, ...]
    most: int  # candidates

    @classmethod
    def read(cls, given: StepReader) -> Compete:
        """A step `compete: N`."""
        common, steps = given.common(), given.steps("steps")
        if not steps:
            raise given.error("compete needs the steps that each of the best candidates goes through")
        return cls(*common, steps, given.values.number(given.argument, 1))

    def run(self, search: Searcher) -> bool:
        """Let them compete; whether another than the best so far has won."""
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
        """The steps that candidates go through."""
        return self.steps
