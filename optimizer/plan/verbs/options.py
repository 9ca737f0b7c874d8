"""Verbs about options and algorithms: set, try, choose."""

from __future__ import annotations

from dataclasses import dataclass

from malt.data.yaml import YamlNode
from malt.optimizer.plan.step import Pairs, Searcher, Step, StepReader
from malt.optimizer.plan.values import OPTION
from malt.optimizer.trial.attempt import Best, Verdict
from malt.optimizer.trial.setup import Changes, Setup, flags_of, is_possible


@dataclass(frozen=True)
class Set(Step):
    """`set: {OPTION: VALUE}`: options that are taken without a trial."""

    options: Pairs

    @classmethod
    def read(cls, given: StepReader) -> Set:
        return cls(*given.common(), given.values.options(given.argument))

    def run(self, search: Searcher) -> bool:
        search.best.setup = search.best.setup.having(search.resolve(self.options))
        return False


@dataclass(frozen=True)
class Try(Step):
    """`try: CANDIDATE`, with its default features, or `try: {OPTION: VALUE}`."""

    also = ("rule", "with")

    lent: Pairs  # options of the trial that are not kept
    margin: str
    candidate: str  # "": the options
    options: Pairs

    @classmethod
    def read(cls, given: StepReader) -> Try:
        common, values = given.common(), given.values
        lent, margin = given.part("with", values.options, ()), given.margin(OPTION)
        if isinstance(given.argument.value, dict):
            return cls(*common, lent, margin, "", values.options(given.argument))
        return cls(*common, lent, margin, values.one_of(given.argument, values.candidates, "candidate"), ())

    def run(self, search: Searcher) -> bool:
        options: Changes
        if self.candidate:
            options = search.candidates[self.candidate]
            setup = search.with_algorithm(options)
        else:
            options = search.resolve(self.options)
            setup = search.best.setup.having(options)
        lent = search.resolve(self.lent)
        if not is_possible(setup.having(lent)):  # as a beam for easyfirst
            return False
        return search.attempt(setup, self.margin, flags_of(options), lent, self.candidate)

    @property
    def chooses_algorithm(self) -> bool:
        return bool(self.candidate)


@dataclass(frozen=True)
class Choose(Step):
    """`choose: {OPTION: [VALUE, ...]}`: all are tried, then the best one is kept, if it is good enough."""

    also = ("rule", "most")

    margin: str
    most: int | None  # values
    option: str
    values: tuple[str, ...]  # a value may be a fact that is a list

    @classmethod
    def read(cls, given: StepReader) -> Choose:
        common, margin, most = given.common(), given.margin(OPTION), given.part("most", given.values.number, None)
        found = given.values.mapping(given.argument, "an option with its values")
        if len(found) != 1:
            raise given.error("choose has one option with its values")
        [(option, values)] = found.items()
        for value in given.values.listed(values):
            given.values.options(YamlNode(value.line, {option: value}))
        return cls(*common, margin, most, option, given.values.texts(values))

    def run(self, search: Searcher) -> bool:
        values = [value for item in self.values for value in search.facts.lists.get(item, (item,))]
        start = search.best
        found: list[tuple[Setup, Verdict, str]] = []
        for value in values[: self.most]:
            setup = start.setup.having({self.option: value or None})
            if setup != start.setup and is_possible(setup):
                verdict = search.verdict(setup, start.measured, self.margin)
                found.append((setup, verdict, flags_of({self.option: value})))
        good = [one for one in found if search.is_good(one[1], self.margin)]
        winner = max(good, key=lambda one: one[1].score, default=None)  # of equal ones the first
        for one in found:
            setup, verdict, what = one
            search.record(setup, verdict, self.margin, what, one is winner, start.score)
        if winner and search.sure:
            search.best = Best(winner[0], winner[0], winner[1].score, start.name)
        return winner is not None
