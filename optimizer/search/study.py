"""A study: a search over a treebank. Ask it for trials, and tell it their outcomes."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import takewhile

from malt.data.formats.dataformat import DataFormat
from malt.errors import MaltError, UsageError
from malt.features import default_features
from malt.features.model import MAIN
from malt.optimizer.plan.facts import Facts
from malt.optimizer.plan.plan import PHASES, Plan
from malt.optimizer.plan.values import Margin
from malt.optimizer.search.comparison import is_hopeless, paired_test
from malt.optimizer.search.search import Search
from malt.optimizer.trial.attempt import Attempt, Best, Phase, Verdict
from malt.optimizer.trial.outcome import Outcome
from malt.optimizer.trial.setup import Changes, Setup, Trial

DECIMALS = 2
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
    closed: bool = False  # whether no more trials may be run
    outcomes: dict[str, dict[int, Outcome]] = field(default_factory=dict)  # by setup and fold
    running: set[tuple[str, int]] = field(default_factory=set)
    results: list[Phase] = field(default_factory=list)
    attempts: list[Attempt] = field(default_factory=list)  # those that are certain so far
    taken: dict[str, bool] = field(default_factory=dict)  # place of a step in the plan -> whether it was gone into
    done: bool = False
    _best: Best | None = None
    _fresh: bool = False  # whether nothing was told since the search was last walked through
    _open: set[tuple[str, int]] | None = None  # what it waits for, if none of it is kept; None: not known
    _sizes: dict[int, tuple[int, ...]] = field(default_factory=dict, repr=False)  # words of each sentence, by fold
    _verdicts: dict[tuple[str, str, str], Verdict] = field(default_factory=dict, repr=False)
    _defaults: dict[str, tuple[str, ...]] = field(default_factory=dict, repr=False)
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
        what is still running is not kept, as most of it is not. None if all that could be run is running, or `done`."""
        with self._lock:
            found = self._look(most)
            self.running |= {(trial.setup.key, trial.fold) for trial in found}
            return found

    def tell(self, trial: Trial, outcome: Outcome) -> None:
        """What came of a trial. What is known already stays as it is."""
        with self._lock:
            if not 0 <= trial.fold < self.folds:
                raise UsageError(f"fold {trial.fold}: there are {self.folds}, from 0 on")
            if not outcome.error and self._sizes.setdefault(trial.fold, outcome.of) != outcome.of:
                raise UsageError(f"fold {trial.fold}: the outcome is about other sentences than those before")
            key = trial.setup.key
            self.running.discard((key, trial.fold))
            self.outcomes.setdefault(key, {}).setdefault(trial.fold, outcome)
            self._fresh, self._open = False, None

    def close(self) -> None:
        """No more trials may be run: what was not tried is not kept."""
        with self._lock:
            self.closed, self._fresh, self._open = True, False, None

    def wants(self, trial: Trial) -> bool:
        """Whether anything still depends on a trial that was asked for. Nothing does, if it was meant for the case that
        another one is not kept, and that one was; then it need not be told."""
        with self._lock:
            if self._open is None:
                self._look(ALL)
            assert self._open is not None
            place = trial.setup.key, trial.fold
            if place not in self._open:
                self.running.discard(place)
            return place in self._open

    def look(self) -> None:
        """Bring `attempts`, `results` and `done` up to date with what was told."""
        with self._lock:
            if not self._fresh:
                self._look(0)

    def waiting(self) -> set[tuple[str, int]]:
        """The trials that are running or still to be run, if none of them is kept, by setup and fold."""
        with self._lock:
            return {(trial.setup.key, trial.fold) for trial in self._look(ALL)} | self.running

    def replay(self, trials: Iterable[tuple[Setup, int, Outcome]]) -> None:
        """Take in the trials of a journal. Those that failed may do better now: they are run again."""
        for setup, fold, outcome in trials:
            if not outcome.error:
                self.tell(Trial(setup, fold), outcome)

    def __repr__(self) -> str:
        score = f", best {self.attempts[-1].before:.2f}" if len(self.attempts) > 1 else ""
        state = "done" if self.done else "not done"
        return f"<Study by the plan {self.plan.name}: {len(self.attempts)} decisions{score}, {state}>"

    def _repr_html_(self) -> str:
        from malt.optimizer.report.summary import summarise  # which loads all that draws

        self.look()
        return summarise(self.attempts, self.results, self.done)

    # -- the search, as far as outcomes are known

    def _look(self, most: int) -> list[Trial]:
        """Walk through the search; stop where more trials are wanted than asked for."""
        wanted: dict[tuple[str, int], Trial] = {}
        met: set[tuple[str, int]] = set()

        def judge(trial: Setup, best: Setup | None, margin: Margin) -> Verdict:
            verdict = self._verdict(trial, best, margin)
            if not verdict.assumed:
                return verdict
            known = self.outcomes.get(trial.key, {})
            missing = [fold for fold in range(self.folds) if fold not in known]
            met.update((trial.key, fold) for fold in missing)
            # A trial that is not hopeless after its first fold will most likely need all others.
            for fold in missing if known or best is None else missing[:1]:
                if len(wanted) >= most:
                    raise _Enough
                if (trial.key, fold) not in self.running:
                    wanted.setdefault((trial.key, fold), Trial(trial, fold))
            if len(wanted) >= most:
                raise _Enough
            return verdict

        search = Search(self.plan, self.facts, judge, self._default_features)
        results: list[Phase] = []
        try:
            search.begin(self.start, self.features)
            for phase in self.phases:
                search.run(phase, self.algorithm)
                if search.sure:
                    results.append(Phase(phase, search.best.setup, search.best.score))
            self.done = search.sure
            self._open = met
        except _Enough:
            pass
        self._fresh = True
        if len(search.attempts) >= len(self.attempts):
            self.attempts, self.results = search.attempts, results
            self._best, self.taken = search.best, search.taken
        return list(wanted.values())

    def _default_features(self, algorithm: str) -> tuple[str, ...]:
        if algorithm not in self._defaults:
            source = default_features(algorithm, "liblinear", self.format)
            self._defaults[algorithm] = tuple(feature.text for feature in source.submodels[MAIN])
        return self._defaults[algorithm]

    def _verdict(self, trial: Setup, best: Setup | None, margin: Margin) -> Verdict:
        name = (trial.key, best.key if best else "", str(margin))
        if name not in self._verdicts:
            found = self._compare(trial, best, margin)
            if found is None:
                return Verdict(error=NO_TIME) if self.closed else Verdict(assumed=True)
            self._verdicts[name] = found
        return self._verdicts[name]

    def _compare(self, trial: Setup, best: Setup | None, margin: Margin) -> Verdict | None:
        """The verdict, if what is known suffices for it.

        Folds are gone through in their order, whether or not later ones were run meanwhile: so the answer, be it that
        a trial is hopeless or that it failed, is the same on any number of cores.
        """
        known = self.outcomes.get(trial.key, {})
        tried = [known[fold] for fold in takewhile(known.__contains__, range(self.folds))]
        base = self.outcomes.get(best.key, {}) if best else {}
        failed = best is None or any(outcome.error for outcome in base.values())
        if not failed and len(base) < self.folds:
            return None  # what it is to be compared with is not known yet
        others = [] if failed else [base[fold] for fold in range(self.folds)]
        sizes = [len(outcome.of) for outcome in others]
        words = [sum(outcome.of) for outcome in others]
        needed = margin.points * sum(words) / 100
        differences: list[int] = []
        for place, mine in enumerate(tried, 1):
            if mine.error:
                return Verdict(0.0, folds=place, error=mine.error)
            if not others:
                continue
            differences += [a - b for a, b in zip(mine.right, others[place - 1].right, strict=True)]
            if place < self.folds and is_hopeless(differences, sum(sizes[place:]), needed):
                # Its score is reckoned from the same sentences of the best one.
                gain = 100 * sum(differences) / max(1, sum(words[:place]))
                return Verdict(round(_score(others) + gain, DECIMALS), paired_test(differences), place, hopeless=True)
        if len(tried) < self.folds:
            return None
        return Verdict(_score(tried), paired_test(differences) if others else None, len(tried))


def _score(outcomes: Sequence[Outcome]) -> float:
    """The score over all folds, in percent, with two decimals."""
    of = sum(sum(outcome.of) for outcome in outcomes)
    return round(100 * sum(sum(outcome.right) for outcome in outcomes) / of, DECIMALS) if of else 0.0
