"""The search: a plan walked through, with a judge who says how good each configuration is.

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
from malt.optimizer.plan import edits
from malt.optimizer.plan.facts import Facts
from malt.optimizer.plan.plan import COMPARISONS, Condition, Plan, Rule, Step
from malt.optimizer.trial.configuration import ALGORITHM, LEARNER_OPTIONS, Configuration, shown

Options = Mapping[str, str | None]
MARKING = "pproj.marking_strategy"
WORST = float("-inf")


@dataclass(frozen=True)
class Verdict:
    """What a judge says of a trial. A score that is not there yet is assumed to be the worst."""

    score: float = WORST  # in percent, with two decimals
    p: float | None = None  # of the difference to the best so far, by a paired test over sentences
    folds: int = 0  # on how many it was tried
    hopeless: bool = False  # whether it was stopped before the last fold
    assumed: bool = False
    error: str = ""


class Compare(Protocol):
    """Says how good a configuration is, compared with the best so far; with None it is measured by itself."""

    def __call__(self, trial: Configuration, best: Configuration | None, rule: Rule) -> Verdict: ...


@dataclass(frozen=True)
class Decision:
    """One trial of the search, and whether it was kept."""

    phase: str
    step: str  # the heading under which it was made
    tree: str  # the decision tree that it is part of
    what: str  # what is different from the best so far
    name: str  # of a candidate in a tree
    configuration: Configuration
    before: float  # the best score so far
    verdict: Verdict
    rule: str
    kept: bool
    place: str = ""  # of its step in the plan
    contest: str = ""  # the candidate that is tuned, where several compete

    @property
    def gain(self) -> float:
        """Points over the best so far."""
        return round(self.verdict.score - self.before, 2)


@dataclass
class Best:
    """The best so far: a configuration, the one that was measured for it, its score, and the candidate it came from."""

    configuration: Configuration
    measured: Configuration | None  # None: a model without features, which cannot be trained
    score: float
    name: str = ""


@dataclass
class Search:
    """Walks through the phases of a plan."""

    plan: Plan
    facts: Facts
    judge: Compare
    defaults: Callable[[str], tuple[str, ...]]  # the default features of an algorithm
    best: Best = field(init=False)
    decisions: list[Decision] = field(default_factory=list)  # those that depend on no assumed score
    sure: bool = True  # whether no score has been assumed so far
    _scores: dict[str, float] = field(default_factory=dict)
    _starts: dict[str, Best] = field(default_factory=dict)  # of each candidate that was tried
    _kept: set[str] = field(default_factory=set)
    taken: dict[str, bool] = field(default_factory=dict)  # place of a step in the plan -> whether it was gone into
    _place: list[str] = field(default_factory=lambda: ["", "", ""])  # phase, tree, step
    _at: str = ""
    _forced: str = ""
    _contest: str = ""
    _refused: set[tuple[str, str]] = field(default_factory=set)  # feature models, and what they were not better than

    def begin(self, options: Options | None = None, features: Iterable[str] = (), score: float | None = None) -> None:
        """Begin with the plan's first candidate, or with other options; without a score it is tried."""
        what = "default settings" if options is None else "as chosen before"
        learner = {LEARNER_OPTIONS: f"-s_4_-c_{self.plan.cost}"}
        candidate = {**learner, **self.plan.candidates[self.plan.start], **(options or {})}
        found = {key: value for key, value in candidate.items() if value is not None}
        self.plan.check(found[ALGORITHM])
        first = Configuration.of(found, tuple(features) or self.defaults(found[ALGORITHM]))
        name = self.plan.start if options is None else self.name_of(first)
        self.best = Best(first, first, WORST, name)
        if score is None:
            verdict = self._judged(first, None, self.plan.rules["option"])
            self._decide(first, first, verdict, self.plan.rules["option"], name, what, first_of_all=True)
            score = verdict.score
        self.best.score = score
        self._scores[name] = score
        self._starts[name] = replace(self.best)

    def name_of(self, configuration: Configuration) -> str:
        """The candidate of a plan that a configuration comes from."""
        pseudo = configuration.options.get(MARKING, "none") != "none"
        for name, options in self.plan.candidates.items():
            if options.get(ALGORITHM) == configuration.algorithm and (MARKING in options) == pseudo:
                return name
        return configuration.algorithm

    def run(self, phase: str, forced: str = "") -> None:
        """Walk through a phase. With a forced algorithm, the decision trees and all other candidates are left out."""
        self._place[0], self._forced = phase, forced
        if phase == "phase2" and forced:
            self._force(forced)
        self._walk(self.plan.phases[phase])

    def _force(self, algorithm: str) -> None:
        """Begin anew with an algorithm; where trees are not projective, with pseudo-projective parsing if the plan
        has that for it."""
        self.plan.check(algorithm)
        marked = f"{algorithm}+pp"
        name = marked if self.facts.numbers["nonprojective"] > 0 and marked in self.plan.candidates else algorithm
        options = self.plan.candidates.get(name, {ALGORITHM: algorithm})
        candidate = self._candidate(options)
        # What is asked for is kept, however it compares, so it is measured to the end.
        verdict = self._judged(candidate, None, self.plan.rules["option"])
        if verdict.error:
            raise MaltError(f"-a {algorithm}: {verdict.error}")
        what = f"{shown(options)}, as asked for"
        self._decide(candidate, candidate, verdict, self.plan.rules["option"], name, what, forced=True)
        self._scores = {name: verdict.score}
        self._starts = {name: replace(self.best)}

    # -- steps

    def _walk(self, steps: Iterable[Step]) -> bool:
        kept = False
        for step in steps:
            if self._forced and (step.tree or (step.verb == "try" and step.items)):
                continue
            applies = self._applies(step)
            if self.sure:
                self.taken[step.place] = applies
            if not applies:
                continue
            before = list(self._place)
            self._place[1] = step.tree or self._place[1]
            self._place[2] = step.name or self._place[2]
            self._at = step.place
            found = bool(getattr(self, f"_{step.verb}")(step))
            kept = self._walk(step.then if found else step.otherwise) or found or kept
            self._place = before
        return kept

    def _applies(self, step: Step) -> bool:
        if step.algorithms and self.best.configuration.algorithm not in step.algorithms:
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
            return any(self.best.configuration.options.get(word, "none") != "none" for word in words)
        compare = COMPARISONS[condition.compare]
        if condition.kind == "number":
            return compare(self.facts.numbers[words[0]], condition.number)
        return compare(*(self._scores.get(word, WORST) for word in words))

    def _steps(self, step: Step) -> bool:
        return self._walk(step.steps)

    _use = _steps

    def _set(self, step: Step) -> bool:
        self.best.configuration = self.best.configuration.having(self._options(step.options))
        return False

    def _begin(self, step: Step) -> bool:
        self.best = Best(self.best.configuration.with_features(()), None, 0.0, self.best.name)
        return False

    def _try(self, step: Step) -> bool:
        if step.items:
            name = step.items[0]
            options: Options = self.plan.candidates[name]
            candidate = self._candidate(options)
        else:
            name, options = "", self._options(step.options)
            candidate = self.best.configuration.having(options)
        lent = self._options(step.lent)
        kept = self._attempt(candidate, step.rule, shown(options), lent, name)
        if name:
            self._kept.discard(name)
            if kept:
                self._kept.add(name)
        return kept

    def _candidate(self, options: Options) -> Configuration:
        """The best so far with another algorithm and its default features."""
        changed = {MARKING: None, **options}
        algorithm = options[ALGORITHM] or ""
        return self.best.configuration.having(changed).with_features(self.defaults(algorithm))

    def _choose(self, step: Step) -> bool:
        option = step.options[0][0]
        values = [value for item in step.items for value in self.facts.lists.get(item, (item,))]
        rule, start = self.plan.rules[step.rule], self.best
        found: list[tuple[Configuration, Verdict, str]] = []
        for value in values[: step.numbers.get("most", len(values))]:
            candidate = start.configuration.having({option: value or None})
            if candidate != start.configuration:
                found.append((candidate, self._judged(candidate, start.measured, rule), shown({option: value})))
        good = [one for one in found if self._good(one[1], rule)]
        winner = max(good, key=lambda one: one[1].score, default=None)  # of equal ones the first
        for one in found:
            candidate, verdict, what = one
            self._record(candidate, verdict, rule, "", what, one is winner, start.score)
        if winner and self.sure:
            self.best = Best(winner[0], winner[0], winner[1].score, start.name)
        return winner is not None

    def _good(self, verdict: Verdict, rule: Rule) -> bool:
        """Whether a verdict is good enough for a trial to be kept."""
        fair = not (verdict.assumed or verdict.hopeless or verdict.error)
        return fair and rule.keeps(verdict.score, self.best.score)

    def _window(self, step: Step) -> bool:
        column = self.facts.columns_of.get(step.items[0], step.items[0])
        words = self._words()
        kept = False
        for structure in [value for word in step.of for value in words[word]] if column else []:
            kept = self._one_window(step, column, structure) or kept
        return kept

    def _one_window(self, step: Step, column: str, structure: str) -> bool:
        """Take the last place away; if that is worse, add places one by one as long as it helps.

        Not greedy: take places away one after another, then add some to what there was, whatever comes of it.
        """
        greedy = "greedy" in step.flags
        features = start = self.best.configuration.features
        kept = False
        for _ in range(step.numbers.get("shrink", 1)):
            shorter = edits.shrunk(features, column, structure)
            if shorter == features:
                break
            found = self._try_features(shorter, "remove")
            features, kept = shorter, kept or found
            if greedy and not found:
                break
        if greedy and kept:
            return True
        features = self.best.configuration.features if greedy else start
        words = {name: values[0] for name, values in self._words().items() if values}
        for _ in range(step.numbers.get("grow", 3)):
            longer = edits.grown(features, column, structure, step.templates, words)
            features = edits.plus(features, *self._real(longer[len(features) :]))
            found = self._try_features(features, "add")
            kept = kept or found
            if greedy and not found:
                break
        return kept

    def _remove(self, step: Step) -> bool:
        features = self.best.configuration.features
        if step.each:
            listed = edits.merged if step.each == "merged" else edits.single
            items = [
                item for column in step.items for item in listed(features, self.facts.columns_of.get(column, column))
            ]
        else:
            items = [item for item in self._filled(step.items) if item in features]
        place, kept = 0, False
        while place < min(len(items), step.numbers.get("most", len(items))):
            item = items[place]
            found = self._try_features(edits.minus(self.best.configuration.features, item), step.rule)
            if found and "skip" in step.flags:  # MaltOptimizer counts on in the shorter list
                items.remove(item)
            place, kept = place + 1, kept or found
        return kept

    def _add(self, step: Step) -> bool:
        kept = False
        features = self.best.configuration.features
        series = self._series(step)
        for items in series:
            base = features if "build" in step.flags else self.best.configuration.features
            features = edits.plus(base, *items)
            if features == base:
                continue
            found = self._try_features(features, step.rule)
            kept = kept or found
            if "stop" in step.flags and not found:
                break
        return kept

    def _series(self, step: Step) -> list[list[str]]:
        """The features to add, one trial after another."""
        if step.each:
            words = self._words()
            structures = [value for word in step.of for value in words[word]]
            fixed = {name: values[0] for name, values in words.items() if values}
            [pattern] = self._real((edits.filled(step.each, {**fixed, "x": "{x}"}),)) or ("",)
            places = edits.addresses(self.best.configuration.features, pattern, structures) if pattern else []
            series = [list(self._filled(step.items, x)) for x in places]
        else:
            series = [[item] for item in self._filled(step.items)]
        if "together" not in step.flags:
            series = [[item] for items in series for item in items]
        return series[: step.numbers.get("most", len(series))]

    def _compete(self, step: Step) -> bool:
        """Let the best candidates so far, each with another algorithm, go through the same steps; the best one wins."""
        ranking = sorted(self._starts.values(), key=lambda best: -best.score)
        entrants: dict[str, Best] = {self.best.configuration.algorithm: self.best}
        for entrant in ranking:
            entrants.setdefault(entrant.configuration.algorithm, entrant)
        results = []
        for entrant in list(entrants.values())[: step.numbers["most"]]:
            # One that was hopeless has been measured on some folds only.
            rule = self.plan.rules["option"]
            verdict = self._judged(entrant.configuration, None, rule)
            self._contest = entrant.name
            self.best = Best(entrant.configuration, entrant.configuration, verdict.score, entrant.name)
            self._walk(step.steps)
            results.append(self.best)
        self._contest = ""
        self.best = max(results, key=lambda best: best.score)
        others = ", ".join(f"{best.name} {best.score:.2f}" for best in results if best is not self.best)
        self._place[2] = "the choice between them"
        chosen = Verdict(self.best.score)
        what = f"{self.best.name} is the best; the others: {others}" if others else self.best.name
        self._record(self.best.configuration, chosen, rule, self.best.name, what, True, WORST)
        return self.best.configuration != next(iter(entrants.values())).configuration

    # -- trials

    def _try_features(self, features: Iterable[str], rule: str) -> bool:
        best = self.best.configuration
        candidate = best.with_features(tuple(features))
        if (candidate.key, best.key) in self._refused:
            return False  # another step had it already
        added = [f"+ {feature}" for feature in candidate.features if feature not in best.features]
        removed = [f"- {feature}" for feature in best.features if feature not in candidate.features]
        kept = self._attempt(candidate, rule, ", ".join(removed + added))
        if not kept:
            self._refused.add((candidate.key, best.key))
        return kept

    def _attempt(
        self, candidate: Configuration, rule: str, what: str, lent: Options | None = None, name: str = ""
    ) -> bool:
        trial = candidate.having(lent) if lent else candidate
        verdict = self._judged(trial, self.best.measured, self.plan.rules[rule])
        if name:
            self._scores[name] = verdict.score
            self._starts[name] = Best(candidate, trial, verdict.score, name)
        return self._decide(candidate, trial, verdict, self.plan.rules[rule], name, what)

    def _judged(self, trial: Configuration, best: Configuration | None, rule: Rule) -> Verdict:
        verdict = self.judge(trial, best, rule)
        self.sure = self.sure and not verdict.assumed
        return verdict

    def _decide(
        self,
        candidate: Configuration,
        trial: Configuration,
        verdict: Verdict,
        rule: Rule,
        name: str,
        what: str,
        *,
        first_of_all: bool = False,
        forced: bool = False,
    ) -> bool:
        kept = self._good(verdict, rule) or (not verdict.assumed and (first_of_all or forced))
        self._record(trial, verdict, rule, name, what, kept, self.best.score)
        if kept:
            self.best = Best(candidate, trial, verdict.score, name or self.best.name)
        return kept

    def _record(
        self, trial: Configuration, verdict: Verdict, rule: Rule, name: str, what: str, kept: bool, before: float
    ) -> None:
        if self.sure:
            phase, tree, step = self._place
            step = f"{self._contest}: {step}" if self._contest else step
            self.decisions.append(
                Decision(
                    phase, step, tree, what, name, trial, before, verdict, str(rule), kept, self._at, self._contest
                )
            )

    # -- words

    def _words(self) -> Mapping[str, tuple[str, ...]]:
        return self.plan.words[self.best.configuration.algorithm]

    def _options(self, options: Iterable[tuple[str, str]]) -> dict[str, str | None]:
        """Options with their values: a fact stands for its first value, nothing takes an option away."""
        return {key: next(iter(self.facts.lists.get(value, (value,))), None) or None for key, value in options}

    def _filled(self, templates: Iterable[str], x: str = "") -> Iterator[str]:
        """The features of templates. A word that stands for several gives one feature for each."""
        words = {**self._words(), "x": (x,)}
        for template in templates:
            names = edits.slots(template)
            for values in product(*(words[name] for name in names)):
                yield from self._real((edits.filled(template, dict(zip(names, values, strict=True))),))

    def _real(self, features: Iterable[str]) -> tuple[str, ...]:
        """Features with the columns of the treebank's format; those whose column it lacks are left out."""
        found = []
        for feature in features:
            if all(map(self._column, _COLUMN.finditer(feature))):
                found.append("".join(_COLUMN.sub(self._column, feature).split()))
        return tuple(found)

    def _column(self, name: re.Match[str]) -> str:
        return self.facts.columns_of.get(name[0], name[0])


_COLUMN = re.compile(r"(?<=\()[A-Z]+(?=,)")
