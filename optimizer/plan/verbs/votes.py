"""A verb about parsers that vote: blend."""

from __future__ import annotations

from dataclasses import dataclass

from malt.data.yaml import YamlNode
from malt.optimizer.plan.step import Pairs, Searcher, Step, StepReader
from malt.optimizer.plan.values import OPTION, REMOVE
from malt.optimizer.trial.attempt import WORST
from malt.optimizer.trial.setup import Changes, Setup, flags_of, is_possible

FEWEST = 3  # parsers: of two, one always has its way


@dataclass(frozen=True)
class Blend(Step):
    """`blend: [CANDIDATE, {OPTION: VALUE}, ...]`: the best so far, and others, which are candidates or the best so far
    with other options, vote. It is kept if it is good enough; then those are left out without which it is no worse, the
    weakest first. If it is not, the best three are tried."""

    also = ("rule",)

    margin: str
    others: tuple[tuple[str, Pairs], ...]  # candidates, or else options

    @classmethod
    def read(cls, given: StepReader) -> Blend:
        common, margin = given.common(), given.margin(OPTION)
        others = tuple(_other(given, item) for item in given.values.listed(given.argument))
        if len(others) < FEWEST - 1:
            raise given.error(f"a vote needs {FEWEST} parsers or more: the best so far, and {FEWEST - 1} others")
        return cls(*common, margin, others)

    def run(self, search: Searcher) -> bool:
        if search.best.setup.members:
            return False
        voters = self._voters(search)
        if not search.sure or len(voters) < FEWEST:
            return False
        kept = self._vote(search, voters, self.margin)
        if not kept and len(voters) > FEWEST:
            voters = voters[:FEWEST]
            kept = self._vote(search, voters, self.margin)
        if kept:
            for weakest in voters[:0:-1]:
                rest = [voter for voter in search.best.setup.members if voter != weakest]
                if len(rest) >= FEWEST:
                    self._vote(search, rest, REMOVE, f"without {flags_of(weakest.options)}")
        return kept

    def _voters(self, search: Searcher) -> list[Setup]:
        """The best so far and then the others, as good as they are by themselves; those that failed or are impossible
        are left out."""
        first = search.best.setup
        found: dict[str, tuple[float, Setup]] = {}
        for candidate, pairs in self.others:
            options: Changes = search.candidates[candidate] if candidate else search.resolve(pairs)
            setup = search.with_algorithm(options) if candidate else first.having(options)
            if setup.key in found or setup.key == first.key or not is_possible(setup):
                continue
            verdict = search.verdict(setup, None, OPTION)
            search.record(setup, verdict, self.margin, flags_of(options), False, WORST, candidate)
            if not verdict.error:
                found[setup.key] = verdict.score, setup
        ranking = sorted(found.values(), key=lambda pair: -pair[0])  # of equal ones the first
        return [first, *(setup for _, setup in ranking)]

    def _vote(self, search: Searcher, voters: list[Setup], margin: str, what: str = "") -> bool:
        return search.attempt(Setup((), (), tuple(voters)), margin, what or f"{len(voters)} parsers that vote")


def _other(given: StepReader, item: YamlNode) -> tuple[str, Pairs]:
    if isinstance(item.value, dict):
        return "", given.values.options(item)
    return given.values.one_of(item, given.values.candidates, "candidate"), ()
