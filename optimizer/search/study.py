"""A study: a search over a treebank. Ask it for trials, and tell it their outcomes."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import takewhile

from malt.data.formats.dataformat import DataFormat
from malt.errors import MaltError, UsageError
from malt.features import default_features
from malt.features.defaults import STRUCTURED, default_groups
from malt.features.model import MAIN
from malt.optimizer.plan.facts import Facts
from malt.optimizer.plan.plan import PHASES, Plan
from malt.optimizer.plan.values import Margin
from malt.optimizer.search.comparison import CHANCE, chance_of, differences_of, is_hopeless, paired_test
from malt.optimizer.search.estimate import Expectation, expect
from malt.optimizer.search.search import Judge, Search
from malt.optimizer.trial.attempt import WORST, Attempt, Best, Phase, Verdict
from malt.optimizer.trial.outcome import DECIMALS, Outcome, score_of
from malt.optimizer.trial.setup import Changes, Lineage, Place, Setup, Trial, starts_from

ALL = 1 << 30  # trials: more than any plan has
NO_TIME = "the time was up before it could be tried"


class _Enough(Exception):
    """There are as many trials to run as were asked for."""


@dataclass(repr=False)
class Study:
    """Ask for trials, run them in any order, tell the outcomes, until `done`. Any number of threads may do so at once.

    What comes out does not depend on how many trials are run at a time, nor in which order they end.

    >>> from malt.data.formats.dataformat import find_format
    >>> from malt.optimizer.plan.reader import find_plan
    >>> format = find_format("malttab")
    >>> numbers = dict.fromkeys(("tokens", "sentences", "nonprojective", "covered roots", "root labels"), 0.0)
    >>> columns = {"POSTAG": "POSTAG", "FORM": "FORM", "DEPREL": "DEPREL"}
    >>> facts = Facts(numbers, {"root labels": ()}, columns, frozenset())
    >>> study = Study(find_plan(), facts, format, folds=1)
    >>> [trial] = study.ask()
    >>> trial.setup.algorithm, trial.fold
    ('nivreeager', 0)
    >>> study.tell(trial, Outcome((8, 9), (10, 10)))
    >>> study.best.score, study.ask()[0].setup.algorithm
    (85.0, 'stackproj')
    """

    plan: Plan
    facts: Facts
    format: DataFormat
    folds: int = 1
    algorithm: str = ""  # forced in phase 2
    phases: Sequence[str] = PHASES
    start: Changes | None = None  # options to begin with, other than the plan's
    features: Sequence[str] = ()  # features to begin with, other than the default ones
    held_out: int = 0  # words of a part of the treebank that is scored at the end; for it, the fold after the last one
    rough: bool = False  # whether trials may be rough, where the plan says so
    closed: bool = False  # whether no more trials may be run, but for that part
    outcomes: dict[str, dict[int, Outcome]] = field(default_factory=dict)  # by setup and fold
    roughs: dict[str, dict[int, Outcome]] = field(default_factory=dict)  # of rough trials, by lineage and fold
    finals: dict[str, Outcome] = field(default_factory=dict)  # on the held-out part, by setup
    running: set[Place] = field(default_factory=set)
    results: list[Phase] = field(default_factory=list)
    attempts: list[Attempt] = field(default_factory=list)  # those that are certain so far
    taken: dict[str, bool] = field(default_factory=dict)  # place of a step in the plan -> whether it was gone into
    searched: bool = False  # whether the search is over: what is left to run is on the held-out part
    done: bool = False
    _best: Best | None = None
    _fresh: bool = False  # whether nothing was told since the search was last walked through
    _open: set[Place] | None = None  # what it waits for, if all goes as it is assumed to; None: not known
    _sizes: dict[int, tuple[int, ...]] = field(default_factory=dict, repr=False)  # words of each sentence, by fold
    _verdicts: dict[tuple[str, str, str], Verdict] = field(default_factory=dict, repr=False)
    _defaults: dict[tuple[str, bool], tuple[str, ...]] = field(default_factory=dict, repr=False)
    _groups: dict[str, Mapping[str, tuple[str, ...]]] = field(default_factory=dict, repr=False)
    _lock: threading.RLock = field(default_factory=threading.RLock, repr=False)

    @property
    def best(self) -> Best:
        """The best setup so far, and its score."""
        with self._lock:
            self.look()
            if self._best is None or not self.attempts:
                raise MaltError("nothing has been tried yet")
            return self._best

    def ask(self, most: int = 1) -> list[Trial]:
        """Trials to run now, at most so many: those that the next attempts wait for, and then those that come next if
        what is still running is not kept, as most of it is not, or is kept, where rough trials promise it. None if all
        that could be run is running, or `done`."""
        with self._lock:
            found = self._look(most)
            self.running |= {trial.place for trial in found}
            return found

    def tell(self, trial: Trial, outcome: Outcome) -> None:
        """What came of a trial. What is known already stays as it is."""
        with self._lock:
            last = self.folds if self.held_out else self.folds - 1
            if not 0 <= trial.fold <= last:
                raise UsageError(f"fold {trial.fold}: there are {last + 1}, from 0 on")
            if not outcome.error and self._sizes.setdefault(trial.fold, outcome.of) != outcome.of:
                raise UsageError(f"fold {trial.fold}: the outcome is about other sentences than those before")
            key = trial.setup.key
            self.running.discard(trial.place)
            if rough := trial.rough or outcome.rough:  # of a journal, the outcome says whose it is
                self.roughs.setdefault(rough, {}).setdefault(trial.fold, outcome)
            elif trial.fold == self.folds:
                self.finals.setdefault(key, outcome)
            else:
                self.outcomes.setdefault(key, {}).setdefault(trial.fold, outcome)
            self._fresh, self._open = False, None

    def close(self) -> None:
        """No more trials may be run: what was not tried is not kept. What there is then is still scored on the held-out
        part, if there is one."""
        with self._lock:
            self.closed, self._fresh, self._open = True, False, None

    def wants(self, trial: Trial) -> bool:
        """Whether anything still depends on a trial that was asked for. Nothing does, if it was meant for the case that
        another one is not kept, and that one was; then it need not be told."""
        with self._lock:
            if self._open is None:
                self._look(ALL)
            assert self._open is not None
            if trial.place not in self._open:
                self.running.discard(trial.place)
            return trial.place in self._open

    def look(self) -> None:
        """Bring `attempts`, `results` and `done` up to date with what was told."""
        with self._lock:
            if not self._fresh:
                self._look(0)

    def waiting(self) -> set[Place]:
        """The trials that are running or still to be run, if all goes as it is assumed to."""
        with self._lock:
            return {trial.place for trial in self._look(ALL)} | self.running

    def replay(self, trials: Iterable[tuple[Setup, int, Outcome]]) -> None:
        """Take in the trials of a journal. Those that failed may do better now: they are run again."""
        for setup, fold, outcome in trials:
            if not outcome.error:
                self.tell(Trial(setup, fold), outcome)

    @property
    def default(self) -> Setup:
        """The default configuration, which the chosen one is compared with on the held-out part."""
        return self._search(lambda trial, best, margin: Verdict(assumed=True)).first()

    @property
    def chosen(self) -> Setup:
        """The best setup, as it is to be trained."""
        return self.final(self.best.setup)

    def final(self, setup: Setup) -> Setup:
        """A setup as it is to be trained once it is chosen: the votes of a blend get the weights that were learned on
        the first fold."""
        if not setup.members or setup.weights:
            return setup
        known = self.outcomes.get(setup.key, {}).get(0)
        return replace(setup, weights=known.weights) if known is not None else setup

    @property
    def expectation(self) -> Expectation | None:
        """What the held-out part says of the default configuration and of the best; None if it was not scored."""
        with self._lock:
            if not (self.done and self.finals):
                return None
            default = self.default.key
            first, last = self.finals.get(default), self.finals.get(self.chosen.key)
            if first is None or last is None or first.error or last.error:
                return None
            return expect(first, last, self.held_out, max(1, len(self.finals.keys() - {default})))

    def measured(self, setup: Setup | None) -> list[Outcome]:
        """The outcomes of a setup on all folds; none if some are not known, or failed."""
        known = self.outcomes.get(setup.key, {}) if setup is not None else {}
        found = [known[fold] for fold in range(self.folds) if fold in known and not known[fold].error]
        return found if len(found) == self.folds else []

    def __repr__(self) -> str:
        score = f", best {self._best.score:.2f}" if self._best is not None and len(self.attempts) > 1 else ""
        state = "done" if self.done else "not done"
        return f"<Study by the plan {self.plan.name}: {len(self.attempts)} decisions{score}, {state}>"

    def _repr_html_(self) -> str:
        from malt.optimizer.report.summary import summarise  # which loads all that draws

        self.look()
        return summarise(self.attempts, self.results, self.done, self.expectation)

    # -- the search, as far as outcomes are known

    def _look(self, most: int) -> list[Trial]:
        """Walk through the search; stop where more trials are wanted than asked for."""
        judge = _Judge(self, most)
        search = self._search(judge)
        results: list[Phase] = []
        try:
            search.begin(self.start, self.features)
            for phase in self.phases:
                search.run(phase, self.algorithm)
                if search.sure:
                    results.append(Phase(phase, search.best.setup, search.best.score))
            self.searched = search.sure
            self.done = search.sure and not self._finals(search, judge)
            self._open = judge.met
        except _Enough:
            pass
        self._fresh = True
        if len(search.attempts) >= len(self.attempts):
            self.attempts, self.results = search.attempts, results
            self._best, self.taken = search.best, search.taken
        return list(judge.wanted.values())

    def _search(self, judge: Judge) -> Search:
        return Search(self.plan, self.facts, judge, self._default_features, self._template_groups)

    def _finals(self, search: Search, judge: _Judge) -> list[Trial]:
        """What is still to be scored on the held-out part after the last phase, once the choice is certain."""
        if not self.held_out or PHASES[-1] not in self.phases:
            return []
        setups = {setup.key: setup for setup in (search.first(), self.final(search.best.setup))}
        missing = [Trial(setup, self.folds) for key, setup in setups.items() if key not in self.finals]
        judge.met.update(trial.place for trial in missing)
        for trial in missing:
            if len(judge.wanted) < judge.most and trial.place not in self.running:
                judge.wanted[trial.place] = trial
        return missing

    def _default_features(self, algorithm: str, structured: bool = False) -> tuple[str, ...]:
        key = algorithm, structured
        if key not in self._defaults:
            learner = STRUCTURED if structured else "liblinear"
            source = default_features(self.plan.system(algorithm), learner, self.format)
            if structured:  # templates are for whatever columns there may be
                source = source.without(self.facts.idle)
            self._defaults[key] = tuple(feature.text for feature in source.submodels[MAIN])
        return self._defaults[key]

    def _template_groups(self, algorithm: str) -> Mapping[str, tuple[str, ...]]:
        if algorithm not in self._groups:
            idle = {f"({column}," for column in self.facts.idle}
            found = default_groups(self.plan.system(algorithm), self.format)
            kept = {
                name: tuple(one for one in group if not any(part in one for part in idle))
                for name, group in found.items()
            }
            self._groups[algorithm] = {name: group for name, group in kept.items() if group}
        return self._groups[algorithm]

    # -- verdicts

    def _verdict(self, trial: Setup, best: Setup | None, margin: Margin) -> Verdict:
        """What exact trials say of a setup."""
        name = trial.key, best.key if best else "", str(margin)
        if name not in self._verdicts:
            found = self._compare(trial, best, margin)
            if found is None:
                return self._nothing
            self._verdicts[name] = found
        return self._verdicts[name]

    @property
    def _nothing(self) -> Verdict:
        """What is said as long as nothing is known."""
        return Verdict(error=NO_TIME) if self.closed else Verdict(assumed=True)

    def _compare(self, trial: Setup, best: Setup | None, margin: Margin) -> Verdict | None:
        """The verdict, if what is known suffices for it."""
        known, base = self.outcomes.get(trial.key, {}), self.outcomes.get(best.key, {}) if best else {}
        failed = best is None or any(outcome.error for outcome in base.values())
        if not failed and len(base) < self.folds:
            return None  # what it is to be compared with is not known yet
        return self._weigh(known, {} if failed else base, margin.points)

    def _glance(self, lineage: Lineage, margin: Margin) -> Verdict | None:
        """What rough trials say of the last setup of a lineage, if those that are known suffice: the gain over the
        exact score of the one before it, or, as long as that is being found out, over its rough score."""
        before = lineage.before
        assert before is not None
        assert self.plan.screen is not None
        exact = self.measured(before.setup)
        name = lineage.key, "rough" if exact else "rougher", str(margin)
        if name not in self._verdicts:
            base = self.outcomes[before.setup.key] if exact else self.roughs.get(before.key, {})
            if len(base) < self.folds:
                return None
            known = self.roughs.get(lineage.key, {})
            found = self._weigh(known, base, margin.points, self.plan.screen / 2)
            if found is None:
                return None
            others = [base[fold] for fold in range(self.folds)]
            than = score_of(others)
            good = chance = False
            if not found.hopeless and not found.error:
                tried = [known[fold] for fold in range(self.folds)]
                needed = margin.points * sum(sum(outcome.of) for outcome in others) / 100
                good = margin.keeps(found.score, than)
                chance = good or chance_of(differences_of(tried, others), needed) >= self.plan.screen
            gain = round(found.score - than, DECIMALS)
            self._verdicts[name] = replace(found, score=gain, rough=not chance and not found.error, promising=good)
        return self._verdicts[name]

    def _weigh(
        self, known: Mapping[int, Outcome], base: Mapping[int, Outcome], points: float, chance: float = CHANCE
    ) -> Verdict | None:
        """The verdict on outcomes that are compared with others, if there are any, and have to be better by so many
        points; before all folds are known, if they have less than a chance to be.

        Folds are gone through in their order, whether or not later ones were run meanwhile: so the answer, be it that
        a trial is hopeless or that it failed, is the same on any number of cores.
        """
        tried = [known[fold] for fold in takewhile(known.__contains__, range(self.folds))]
        others = [base[fold] for fold in range(self.folds)] if base else []
        sizes = [len(outcome.of) for outcome in others]
        words = [sum(outcome.of) for outcome in others]
        needed = points * sum(words) / 100
        differences: list[int] = []
        for place, mine in enumerate(tried, 1):
            if mine.error:
                return Verdict(0.0, folds=place, error=mine.error)
            if not others:
                continue
            differences += differences_of([mine], [others[place - 1]])
            if place < self.folds and is_hopeless(differences, sum(sizes[place:]), needed, chance):
                # Its score is reckoned from the same sentences of the best one.
                gain = 100 * sum(differences) / max(1, sum(words[:place]))
                return Verdict(round(score_of(others) + gain, DECIMALS), paired_test(differences), place, hopeless=True)
        if len(tried) < self.folds:
            return None
        return Verdict(score_of(tried), paired_test(differences) if others else None, len(tried))


class _Judge:
    """Judges the setups of one walk through the search by what is known, and notes which trials are missing."""

    def __init__(self, study: Study, most: int) -> None:
        """Most: how many trials are asked for."""
        self.study, self.most = study, most
        self.wanted: dict[Place, Trial] = {}  # those to be run now
        self.met: set[Place] = set()  # all that the walk would need
        self._lineages: dict[str, Lineage] = {}  # of each setup that may be the best
        self._scores: dict[str, float] = {}  # of each setup, those that are promised too

    def __call__(self, trial: Setup, best: Setup | None, margin: Margin) -> Verdict:
        if best is not None and trial.key == best.key:  # its exact score is known, or already being found out
            same = self.study._verdict(trial, None, margin)
            return same if same.assumed or same.error else replace(same, p=1.0)
        lineage = self._lineage(trial, best)
        looked = self.study._glance(lineage, margin) if lineage is not None else None
        if lineage is not None and looked is None:
            # Before the first of a lineage is known there is nothing to start from; but one may ask what is to come.
            ready = self.most == ALL or self.study.measured(lineage.first)
            return self._wait(trial, best, self.study._nothing, lineage) if ready else self.study._nothing
        verdict = None
        if best is not None and looked is not None and not looked.error:
            promised = round(self._score(best) + looked.score, DECIMALS)
            if looked.rough:
                return replace(looked, score=promised)
            verdict = Verdict(promised, assumed=True, promising=looked.promising)
        self._lineages[trial.key] = lineage if lineage is not None and verdict is not None else Lineage(trial)
        found = self.study._verdict(trial, best, margin)
        if found.assumed:
            found = self._wait(trial, best, verdict or found)
        self._scores[trial.key] = found.score
        return found

    def _lineage(self, trial: Setup, best: Setup | None) -> Lineage | None:
        """That of a rough trial; None if there is none to be made."""
        study = self.study
        if best is None or not study.rough or study.plan.screen is None or not starts_from(trial, best):
            return None
        before = self._lineages.get(best.key) or Lineage(best)
        failed = any(outcome.error for outcome in study.outcomes.get(before.first.key, {}).values())
        return None if failed else Lineage(trial, before)

    def _score(self, best: Setup) -> float:
        measured = self.study.measured(best)
        return score_of(measured) if measured else self._scores.get(best.key, WORST)

    def _wait(self, setup: Setup, best: Setup | None, verdict: Verdict, lineage: Lineage | None = None) -> Verdict:
        """Note which trials are missing for a verdict other than what is said of it meanwhile."""
        if not verdict.assumed:
            return verdict
        study = self.study
        known = study.roughs.get(lineage.key, {}) if lineage is not None else study.outcomes.get(setup.key, {})
        missing = [Trial(setup, fold, lineage) for fold in range(study.folds) if fold not in known]
        self.met.update(trial.place for trial in missing)
        # A trial that is not hopeless after its first fold will most likely need all others.
        for trial in missing if known or best is None or verdict.promising else missing[:1]:
            if len(self.wanted) >= self.most:
                raise _Enough
            if trial.place not in study.running:
                self.wanted.setdefault(trial.place, trial)
        if len(self.wanted) >= self.most:
            raise _Enough
        return verdict
