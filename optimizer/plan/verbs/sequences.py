"""Verbs that go through other steps: steps, use, compete."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from malt.optimizer.plan.step import Pairs, Searcher, Step, StepReader
from malt.optimizer.plan.values import OPTION
from malt.optimizer.trial.attempt import WORST, Best, Verdict
from malt.optimizer.trial.setup import flags_of, is_possible


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
    """`compete: NUMBER`: the best candidates so far, each with another algorithm, go through the same steps, or are
    tried with options that are lent to them, which are not kept; those that cannot have them, or fail with them, stand
    as they are. The best one wins; something is kept, if that is another than the best so far."""

    also = ("steps", "with")

    lent: Pairs
    steps: tuple[Step, ...]
    most: int  # candidates

    @classmethod
    def read(cls, given: StepReader) -> Compete:
        common, steps = given.common(), given.part("steps", given.steps, ())
        lent = given.part("with", given.values.options, ())
        if bool(steps) == bool(lent):
            raise given.error(
                "compete needs the steps that each of the best candidates goes through, or options: `with`"
            )
        return cls(*common, lent, steps, given.values.number(given.argument, 1))

    def run(self, search: Searcher) -> bool:
        ranking = sorted(search.starts.values(), key=lambda best: -best.score)
        entrants: dict[str, Best] = {search.best.setup.algorithm: search.best}
        for entrant in ranking:
            entrants.setdefault(entrant.setup.algorithm, entrant)
        if self.lent:
            return self._compare(search, list(entrants.values())[: self.most])
        results = []
        for entrant in list(entrants.values())[: self.most]:
            # One that was hopeless has been measured on some folds only.
            verdict = search.verdict(entrant.setup, None, OPTION)
            if verdict.untried:
                break
            search.contest = entrant.name
            search.best = Best(entrant.setup, entrant.setup, verdict.score, entrant.name)
            search.walk(self.steps)
            results.append(search.best)
        search.contest = ""
        if not results:
            return False
        search.best = winner = max(results, key=lambda best: best.score)
        others = ", ".join(f"{best.name} {best.score:.2f}" for best in results if best is not winner)
        search.heading = "the choice between them"
        what = f"{winner.name} is the best; the others: {others}" if others else winner.name
        search.record(winner.setup, Verdict(winner.score), "", what, True, results[0].score, winner.name)
        return winner.setup != next(iter(entrants.values())).setup

    def _compare(self, search: Searcher, entrants: list[Best]) -> bool:
        """Try each with the options that are lent; the winner goes on as it was. Of equal ones the first wins. Where
        there was no time for all of them, the best so far stays."""
        lent, found = search.resolve(self.lent), []
        for entrant in entrants:
            trial = entrant.setup.having(lent)
            trial = trial if is_possible(trial) else entrant.setup  # easyfirst has no beam
            found.append((search.verdict(trial, None, OPTION), entrant, trial))
        own = [search.verdict(one[1].setup, None, OPTION) if one[0].error else one[0] for one in found]
        winner = max(range(len(found)), key=lambda place: own[place].score)
        best = entrants[winner]
        ways = ["as it is" if trial == entrant.setup else f"with {flags_of(lent)}" for _, entrant, trial in found]
        for (verdict, entrant, trial), how in zip(found, ways, strict=True):
            search.record(trial, verdict, OPTION, f"{entrant.name} {how}", False, WORST)
        if not search.sure or any(verdict.untried for verdict in (*(one[0] for one in found), *own)):
            return False
        how = "as it is" if found[winner][0].error else ways[winner]
        verdict = search.verdict(best.setup, None, OPTION)  # of one that was hopeless only some folds were tried
        if verdict.untried:
            return False
        search.best = Best(best.setup, best.setup, verdict.score, best.name)
        what = f"{best.name} goes on: it is the best {how}"
        search.record(best.setup, verdict, "", what, True, entrants[0].score, best.name)
        return best is not entrants[0]

    @property
    def inner(self) -> tuple[Step, ...]:
        return self.steps
