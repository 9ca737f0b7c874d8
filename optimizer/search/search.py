"""The search: a plan walked through, with a judge who says how good each setup is.

It is a pure function of the plan, the facts of the treebank and the scores. So a run that was killed goes on where it
was, recorded scores can be played back, and trials can be run ahead of the decisions that they wait for.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import product
from typing import Protocol

from malt.errors import MaltError
from malt.features.defaults import STRUCTURED
from malt.optimizer.plan import edits
from malt.optimizer.plan.facts import Facts
from malt.optimizer.plan.plan import Plan
from malt.optimizer.plan.step import Meanings, Pairs, Step
from malt.optimizer.plan.values import COMPARISONS, OPTION, Condition, Margin
from malt.optimizer.trial.attempt import WORST, Attempt, Best, Verdict
from malt.optimizer.trial.setup import (
    ADAPTED,
    LEARNER,
    LEARNER_OPTIONS,
    MARKING,
    REVERSE,
    Changes,
    Setup,
    flags_of,
    is_structured,
)
from malt.systems.own import ALGORITHM

_COLUMN = re.compile(r"(?<=\()[A-Z]+(?=,)")


class Judge(Protocol):
    """Says how good a setup is, compared with the best so far; with None it is measured by itself."""

    def __call__(self, setup: Setup, best: Setup | None, margin: Margin, /) -> Verdict: ...


@dataclass
class Search:
    """Walks through the phases of a plan. Its steps run themselves, with what a `Searcher` offers."""

    plan: Plan
    facts: Facts
    judge: Judge
    defaults: Callable[[str, bool], tuple[str, ...]]  # the default features of an algorithm, structured or not
    grouped: Callable[[str], Mapping[str, tuple[str, ...]]] = lambda algorithm: {}  # templates of an algorithm
    best: Best = field(init=False)
    attempts: list[Attempt] = field(default_factory=list)  # those that depend on no assumed score
    tried: int = 0  # setups that were compared with the best so far
    sure: bool = True  # whether no score has been assumed so far
    starts: dict[str, Best] = field(default_factory=dict)  # of each candidate that was tried
    taken: dict[str, bool] = field(default_factory=dict)  # place of a step in the plan -> whether it was gone into
    phase: str = ""
    tree: str = ""
    heading: str = ""
    contest: str = ""
    worth: dict[str, float] = field(default_factory=dict)  # of groups of templates: points that were lost without them
    last: Verdict = field(default_factory=Verdict)  # the last that was given
    late: bool = False  # whether there was no time for something
    _left: tuple[Best, int] | None = None  # what was best when a model from nothing was begun, after how many attempts
    _place: str = ""  # of the step that is being run
    _forced: str = ""
    _scores: dict[str, float] = field(default_factory=dict)
    _kept: set[str] = field(default_factory=set)
    _refused: set[tuple[str, str]] = field(default_factory=set)  # feature models, and what they were not better than

    def begin(self, options: Changes | None = None, features: Iterable[str] = (), score: float | None = None) -> None:
        """Begin with the plan's first candidate, or with other options; without a score it is tried."""
        what = "default settings" if options is None else "as chosen before"
        first = self.first(options, features)
        name = self.plan.start if options is None else self.name_of(first)
        self.best = Best(first, first, WORST, name)
        if score is None:
            verdict = self.verdict(first, None, OPTION)
            self._decide(first, first, verdict, OPTION, name, what, asked=True)
            score = verdict.score
        self.best.score = score
        self._scores[name] = score
        self.starts[name] = replace(self.best)

    def first(self, options: Changes | None = None, features: Iterable[str] = ()) -> Setup:
        """The default configuration: the plan's first candidate; or that with other options and features."""
        candidate = {**self.plan.candidates[self.plan.start], **(options or {})}
        found = {key: value for key, value in candidate.items() if value is not None}
        found = {**self._learner(found), **found}
        self.plan.check(found[ALGORITHM])
        return Setup.of(found, tuple(features) or self.defaults(found[ALGORITHM], is_structured(found)))

    def _learner(self, options: Changes) -> dict[str, str]:
        """The parameters of the learner that options are for: structured learning has none of LIBLINEAR's."""
        return {} if is_structured(options) else {LEARNER_OPTIONS: f"-s_4_-c_{self.plan.cost}"}

    def name_of(self, setup: Setup) -> str:
        """The candidate of a plan that a setup comes from."""
        kind = setup.algorithm, setup.options.get(MARKING, "none") != "none", setup.structured
        for name, options in self.plan.candidates.items():
            if (options.get(ALGORITHM), options.get(MARKING, "none") != "none", is_structured(options)) == kind:
                return name
        return setup.algorithm

    def run(self, phase: str, forced: str = "") -> None:
        """Walk through a phase. With a forced algorithm, the decision trees and all other candidates are left out."""
        self.phase, self._forced, self._place = phase, forced, ""
        if phase == "phase2" and forced:
            self._force(forced)
        self.walk(self.plan.phases[phase])
        if self._left is not None and self.sure:
            self._return(*self._left)

    def leave(self) -> None:
        """Begin with no features, whatever is the best so far."""
        self._left = self.best, len(self.attempts)
        self.best = Best(self.best.setup.with_features(()), None, 0.0, self.best.name)

    def _return(self, left: Best, since: int) -> None:
        """Go back to what was left for a model from nothing, if nothing was built, or there was no time for a better
        one. What was kept since leads nowhere, as in a contest that was lost."""
        self._left = None
        if self.best.measured is not None and not (self.late and self.best.score < left.score):
            return
        self.attempts[since:] = [replace(one, contest="a model from nothing") for one in self.attempts[since:]]
        self.best, self.heading = left, "the best so far"
        why = "there was no time to build a better model" if self.late else "nothing was built in its place"
        what = f"{left.name} as it was: {why}"
        self.record(left.setup, Verdict(left.score), "", what, True, left.score, left.name)
        self.heading = ""

    def _force(self, algorithm: str) -> None:
        """Begin anew with an algorithm; where trees are not projective, with pseudo-projective parsing if the plan
        has that for it."""
        self.plan.check(algorithm)
        marked = f"{algorithm}+pp"
        name = marked if self.facts.numbers["nonprojective"] > 0 and marked in self.plan.candidates else algorithm
        options = self.plan.candidates.get(name) or self.plan.options_of(algorithm)
        candidate = self.with_algorithm(options)
        # What is asked for is kept, however it compares, so it is measured to the end.
        verdict = self.verdict(candidate, None, OPTION)
        if verdict.error:
            raise MaltError(f"-a {algorithm}: {verdict.error}")
        what = f"{flags_of(options)}, as asked for"
        self._decide(candidate, candidate, verdict, OPTION, name, what, asked=True)
        self._scores = {name: verdict.score}
        self.starts = {name: replace(self.best)}

    # -- steps

    def walk(self, steps: Iterable[Step]) -> bool:
        """Go through steps; whether any of them kept something."""
        kept = False
        for step in steps:
            if self._forced and step.chooses_algorithm:
                continue
            applies = self._applies(step)
            if self.sure:
                self.taken[step.place] = applies
            if not applies:
                continue
            tree, heading = self.tree, self.heading
            self.heading, self._place = step.name or heading, step.place
            found = step.run(self)
            kept = self.walk(step.then if found else step.otherwise) or found or kept
            self.tree, self.heading = tree, heading
        return kept

    def _applies(self, step: Step) -> bool:
        if step.algorithms and self.best.setup.algorithm not in step.algorithms:
            return False
        return step.condition is None or self._holds(step.condition)

    def _holds(self, condition: Condition) -> bool:
        words = condition.words
        if condition.kind == "leads":
            return self.best.name in words
        if condition.kind == "kept":
            return any(word in self._kept for word in words)
        if condition.kind == "uses":
            return all(word in self.facts.columns for word in words)
        if condition.kind == "given":
            return any(self.best.setup.options.get(word, "none") != "none" for word in words)
        compare = COMPARISONS[condition.compare]
        if condition.kind == "number":
            return bool(compare(self.facts.numbers[words[0]], condition.number))
        return bool(compare(*(self._scores.get(word, WORST) for word in words)))

    # -- trials

    def attempt(self, setup: Setup, margin: str, what: str, lent: Changes | None = None, name: str = "") -> bool:
        """Try a setup, and keep it if it is good enough; whether it was. Options that are lent are not kept."""
        trial = setup.having(lent) if lent else setup
        verdict = self.verdict(trial, self.best.measured, margin)
        if name:
            self._scores[name] = verdict.score
            self.starts[name] = Best(setup, trial, verdict.score, name)
        kept = self._decide(setup, trial, verdict, margin, name, what)
        if name:
            (self._kept.add if kept else self._kept.discard)(name)
        return kept

    def try_features(self, features: Iterable[str], margin: str, what: str = "") -> bool:
        """Try other features, unless another step had them already; what that is, if not the features themselves."""
        best = self.best.setup
        setup = best.with_features(tuple(features))
        if (setup.key, best.key) in self._refused:
            return False
        added = [f"+ {feature}" for feature in setup.features if feature not in best.features]
        removed = [f"- {feature}" for feature in best.features if feature not in setup.features]
        kept = self.attempt(setup, margin, what or ", ".join(removed + added))
        if not kept:
            self._refused.add((setup.key, best.key))
        return kept

    def verdict(self, setup: Setup, best: Setup | None, margin: str) -> Verdict:
        """How good a setup is, compared with another one."""
        verdict = self.judge(setup, best, self.plan.margins[margin])
        self.tried += best is not None
        self.sure, self.last = self.sure and not verdict.assumed, verdict
        self.late = self.late or verdict.untried
        return verdict

    def is_good(self, verdict: Verdict, margin: str) -> bool:
        """Whether a verdict is good enough for a trial to be kept."""
        fair = not (verdict.assumed or verdict.hopeless or verdict.rough or verdict.error) or verdict.promising
        rule = self.plan.margins[margin]
        return fair and rule.keeps(verdict.score, self.best.score) and rule.convinces(verdict.p, self.tried)

    def _decide(
        self, setup: Setup, trial: Setup, verdict: Verdict, margin: str, name: str, what: str, *, asked: bool = False
    ) -> bool:
        """Keep a setup if it is good enough, or if it was asked for, however it compares."""
        kept = self.is_good(verdict, margin) or (not verdict.assumed and asked)
        self.record(trial, verdict, margin, what, kept, self.best.score, name)
        if kept:
            self.best = Best(setup, trial, verdict.score, name or self.best.name)
        return kept

    def record(
        self, setup: Setup, verdict: Verdict, margin: str, what: str, kept: bool, before: float, name: str = ""
    ) -> None:
        """Write an attempt down. Without a margin it was kept by no rule, but as the best of several."""
        if self.sure:
            step = ": ".join(filter(None, (self.contest, self.heading)))
            rule = str(self.plan.margins[margin]) if margin else ""
            made = self.phase, step, self.tree, what, name, setup, before, verdict, rule, kept, self._place
            self.attempts.append(Attempt(*made, self.contest))

    # -- words

    @property
    def candidates(self) -> Mapping[str, Changes]:
        """The candidates of the plan, with their options."""
        return self.plan.candidates

    @property
    def groups(self) -> Mapping[str, tuple[str, ...]]:
        """The templates of the structured learner by groups, for the algorithm that is the best so far."""
        return self.grouped(self.best.setup.algorithm)

    @property
    def default_features(self) -> tuple[str, ...]:
        """Those of the algorithm that is the best so far."""
        return self.defaults(self.best.setup.algorithm, self.best.setup.structured)

    @property
    def words(self) -> Meanings:
        """The words of the algorithm that is the best so far."""
        return self.plan.words[self.best.setup.algorithm]

    def with_algorithm(self, options: Changes) -> Setup:
        """The best so far with another algorithm and its default features."""
        changed: dict[str, str | None] = {MARKING: None, **options}
        structured = is_structured(options)
        if structured or self.best.setup.structured:  # what one learner is told means nothing to the other
            own = [key for key in self.best.setup.options if key.startswith(f"{STRUCTURED}.")]
            reset = dict.fromkeys((*own, *ADAPTED, LEARNER, LEARNER_OPTIONS, REVERSE), None)
            changed = {**reset, **self._learner(options), **options}
        return self.best.setup.having(changed).with_features(self.defaults(options[ALGORITHM] or "", structured))

    def resolve(self, options: Pairs) -> dict[str, str | None]:
        """Options with their values: a fact stands for its first value, nothing takes an option away."""
        return {key: next(iter(self.facts.lists.get(value, (value,))), None) or None for key, value in options}

    def fill(self, templates: Iterable[str], x: str = "") -> Iterator[str]:
        """The features of templates. A word that stands for several gives one feature for each."""
        words = {**self.words, "x": (x,)}
        for template in templates:
            names = edits.slots(template)
            for values in product(*(words[name] for name in names)):
                yield from self.in_format((edits.fill(template, dict(zip(names, values, strict=True))),))

    def in_format(self, features: Iterable[str]) -> tuple[str, ...]:
        """Features with the columns of the treebank's format; those whose column it lacks are left out."""
        found = []
        for feature in features:
            if all(map(self._column, _COLUMN.finditer(feature))):
                found.append("".join(_COLUMN.sub(self._column, feature).split()))
        return tuple(found)

    def _column(self, name: re.Match[str]) -> str:
        return self.facts.column(name[0])
