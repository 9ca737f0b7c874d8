"""A run: a treebank read, and its study carried through on all cores."""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from malt.data.compression import kind_of
from malt.data.files import open_output
from malt.data.formats.dataformat import PLUS
from malt.data.source import Source, is_path
from malt.errors import DataError, MaltError, UsageError, counted
from malt.features.defaults import STRUCTURED, find_features
from malt.features.model import MAIN
from malt.features.values import Columns
from malt.optimizer.plan.facts import Facts
from malt.optimizer.plan.findings import Finding, findings, number_of_folds
from malt.optimizer.plan.plan import PHASES, Plan
from malt.optimizer.plan.reader import DEFAULT, find_plan
from malt.optimizer.search.estimate import Luck, luck_of
from malt.optimizer.search.folder import TREEBANK, Folder
from malt.optimizer.search.journal import (
    ALLOWED,
    FILE,
    HOLDOUT,
    SCREENING,
    Journal,
    holdout_of,
    open_journal,
    screening_of,
)
from malt.optimizer.search.study import NO_TIME, Study
from malt.optimizer.trial.attempt import Attempt, Phase
from malt.optimizer.trial.corpus import Corpus, Fold
from malt.optimizer.trial.jackknife import FOLDS, Jackknifed
from malt.optimizer.trial.outcome import METRICS, Outcome
from malt.optimizer.trial.runners import Runner, Threads
from malt.optimizer.trial.setup import Changes, Trial, is_structured
from malt.optimizer.trial.workbench import MEMORY, Workbench
from malt.running import progress
from malt.systems.own import ALGORITHM
from malt.trees.profile import Profile

REFRESH = 0.2  # seconds after which the bar is drawn again
MOST_DIGITS = 9  # of a number of sentences
_NUMBER = re.compile(r"[-+]?\d*\.?\d+")


@dataclass(frozen=True)
class Terms:
    """On what terms trials are compared."""

    metric: str = "las"
    punctuation: bool = True
    folds: int = 0  # 1: a single split, 0: by the size of the treebank
    development: str = ""  # a file to test on, instead of parts of the treebank
    holdout: str = ""  # every so many sentences one is held out, 0: none; or a file; "": as the plan says
    jackknife: bool = False  # with tags and lemmas as they are predicted
    exact: bool = False  # whether all trials are exact, whatever the plan says

    def __post_init__(self) -> None:
        if self.metric not in METRICS:
            raise UsageError(f"metric {self.metric!r}; expected {', '.join(METRICS)}")
        if self.folds < 0:
            raise UsageError(f"folds: expected a number from 1 on, not {self.folds}")
        number = bool(_NUMBER.fullmatch(self.holdout))
        if number and (len(self.holdout) > MOST_DIGITS or not self.holdout.isdecimal() or int(self.holdout) == 1):
            expected = "0 for none, 10 for every tenth sentence, or a file"
            raise UsageError(f"holdout: expected {expected}, not {self.holdout}")


@dataclass
class Run:
    """Everything about one run. `study` can be looked at while it goes on."""

    corpus: Corpus
    facts: Facts
    profile: Profile
    folds: tuple[Fold, ...]  # of the search
    held_out: Corpus | None  # what no trial of the search has to do with
    holdout: str  # how it was chosen: 10 for every tenth sentence, 0 for none, `file`
    terms: Terms
    plan: Plan
    study: Study
    bench: Workbench
    runner: Runner  # who runs trials
    folder: Folder | None = None
    treebank: str = ""  # the file
    format: str = ""  # the name of its format, or the file that describes it
    charset: str = "UTF-8"
    earlier: Study | None = None  # the phases before, where they are run one by one
    began: float = field(default_factory=time.monotonic)
    ran: int = 0  # trials that were run here, and not found in the journal
    before: float = 0.0  # seconds that earlier runs of the same study were at work

    @property
    def jobs(self) -> int:
        """How many trials are run at a time."""
        return self.runner.jobs

    @property
    def split(self) -> str:
        """How trials are tested, in words."""
        if self.terms.development:
            return f"tested on {os.path.basename(self.terms.development)}"
        return "a single split, 80 % and 20 %" if len(self.folds) == 1 else f"{len(self.folds)}-fold cross-validation"

    @property
    def attempts(self) -> list[Attempt]:
        """All attempts, those of earlier phases too."""
        earlier = self.earlier.attempts if self.earlier else []
        return [*earlier, *self.study.attempts[bool(earlier) and not self.edited :]]

    @property
    def edited(self) -> bool:
        """Whether the user has changed what an earlier phase led to."""
        begun = self.study.attempts[0].setup
        return self.earlier is not None and begun.key != self.earlier.results[-1].setup.key

    @property
    def phases(self) -> list[Phase]:
        """What each phase led to, earlier ones too, and what they began with: default settings, or what an earlier
        phase has chosen, or the user instead of it."""
        first, begun = self.attempts[0], self.study.attempts[0]
        name = "default" if self.earlier or self.study.start is None else "before"
        found = [Phase(name, first.setup, first.verdict.score), *(self.earlier.results if self.earlier else ())]
        if self.edited and self.study.results:
            found.append(Phase("edited", begun.setup, begun.verdict.score))
        return [*found, *self.study.results]

    @property
    def outcomes(self) -> list[Outcome]:
        """Those of all trials, exact and rough ones, and those on the held-out part."""
        study = self.study
        tried = [
            outcome for known in (study.outcomes, study.roughs) for one in known.values() for outcome in one.values()
        ]
        return [*tried, *study.finals.values()]

    @property
    def unmeasured(self) -> str:
        """What is to be known of the score that choices were made by, where it is not that of the chosen setup: a step
        may change options without a trial, or lend some to it. Nothing if it is."""
        best = self.study.best
        if best.measured is None or best.measured.key == best.setup.key:
            return ""
        return f"{best.score:.2f} was measured with {best.measured.description}: the plan changed that without a trial."

    @property
    def luck(self) -> Luck | None:
        """Whether all that was kept is together better than chance."""
        first, last = self.attempts[0].setup, self.study.best.measured
        return luck_of(self.attempts, self.study.measured(first), self.study.measured(last))

    def taken(self, place: str) -> bool:
        """Whether the search went into a step of the plan."""
        earlier = self.earlier.taken if self.earlier else {}
        return earlier.get(place, False) or self.study.taken.get(place, False)

    @property
    def findings(self) -> list[Finding]:
        """Phase 1 in words."""
        asked = self.terms.folds or self.terms.development
        tags = [Finding("tags", "predicted", f"each part by what {FOLDS - 1} others of {FOLDS} teach; lemmas, too")]
        found = findings(self.facts, self.profile, self.split if asked else "")
        return [*found, *(tags if self.terms.jackknife else ()), self._holding_out()]

    def _holding_out(self) -> Finding:
        if self.held_out is None:
            few = f"there are fewer than {self.holdout} sentences: " if self.holdout != "0" else ""
            return Finding("held out", "nothing", f"{few}scores are those that choices are made by")
        size = f"{counted(self.held_out.tokens, 'word')} in {counted(len(self.held_out), 'sentence')}"
        which = self.held_out.name if self.holdout == FILE else f"one sentence in {self.holdout}"
        return Finding("held out", size, f"{which}: for the score at the end, and nothing else")


@contextlib.contextmanager
def open_run(
    treebank: Source,
    folder: str | os.PathLike[str] | None,
    terms: Terms,
    *,
    plan: str | Plan = DEFAULT,
    format: str = "",
    charset: str = "UTF-8",
    memory: int = MEMORY,
) -> Iterator[tuple[Run, Journal | None]]:
    """Read a treebank, and open the journal of its study if there is a folder."""
    plan = plan if isinstance(plan, Plan) else find_plan(plan)
    corpus = Corpus.read(treebank, format, charset)
    jackknifed = Jackknifed.of(corpus) if terms.jackknife else None
    if jackknifed is not None:
        corpus = jackknifed.corpus

    def other(path: str) -> Corpus:
        """A file that trials are tested on."""
        found = Corpus.read(Path(path), format, charset)
        corpus.against(found)  # it has the same columns
        return jackknifed.tag(found) if jackknifed is not None else found

    holdout = _holdout(terms, plan, Folder(folder) if folder is not None else None)
    rest, held_out = corpus, None
    if not holdout.isdecimal():
        holdout, held_out = FILE, other(terms.holdout)
    elif holdout != "0":
        rest, held_out = corpus.hold_out(int(holdout))
    facts, profile = Facts.of(rest)
    for column, place in plan.columns.items():
        if column not in facts.columns_of and column not in corpus.format.names:
            known = ", ".join(dict.fromkeys([*facts.columns_of, *corpus.format.names]))
            raise DataError(f"{corpus.format.name} has no column {column}; there are {known}", *place)
    if terms.development:
        if terms.folds:
            raise UsageError("--dev and --folds do not go together: all trials are tested on the development file")
        development = other(terms.development)
        if development.text == corpus.text:
            raise DataError("this file is to choose by, and yet it is to be learned from", development.name)
        folds: tuple[Fold, ...] = (rest.against(development),)
    else:
        number = terms.folds or number_of_folds(rest.tokens, len(rest))
        folds = (rest.split(),) if number == 1 or len(rest) < 2 else rest.folds(number)
    held_out = held_out if held_out is not None and len(held_out) else None
    last = (rest.against(held_out),) if held_out is not None else ()
    if last and last[0].test in (last[0].train, folds[0].test):
        raise DataError("this file is held out, and yet it is to be learned from or to choose by", last[0].name)
    words = held_out.tokens if held_out is not None else 0
    study = Study(plan, facts, corpus.format, len(folds), held_out=words, rough=not terms.exact)
    bench = Workbench((*folds, *last), corpus.format, terms.metric, terms.punctuation, memory)
    found = Run(
        corpus, facts, profile, folds, held_out, holdout, terms, plan, study, bench, Threads(bench), charset=charset
    )
    found.format = format or corpus.format.name
    if folder is None:
        yield found, None
        return
    found.folder = Folder(folder)
    found.folder.make()
    screening = screening_of(found.folder.journal)
    study.rough = study.rough and screening == ALLOWED
    with open_journal(found.folder.journal, {**identity(found), SCREENING: screening}) as journal:
        for line, trial in enumerate(journal.trials, 2):
            try:
                study.replay([trial])
            except UsageError as error:
                raise DataError(f"{error}; the journal was changed by hand", str(found.folder.journal), line) from None
        found.treebank = str(treebank) if _is_file(treebank) and jackknifed is None else _keep_treebank(found)
        if corpus.format.name == PLUS:  # so that MaltParser knows the columns, too
            found.format = str(found.folder.path / corpus.format.file_name)
            with open_output(found.format) as out:
                out.write(corpus.format.xml)
        yield found, journal


def _holdout(terms: Terms, plan: Plan, folder: Folder | None) -> str:
    """What is held out: as the user says, or as the study in the folder has begun, or as the plan says."""
    if terms.holdout:
        return str(int(terms.holdout)) if terms.holdout.isdecimal() else terms.holdout
    begun = holdout_of(folder.journal) if folder is not None else None
    if begun == FILE:
        raise UsageError("a file was held out when the study in this folder began; give it again with --holdout")
    return str(plan.holdout if begun is None else begun)


def identity(found: Run) -> dict[str, object]:
    """What the scores of a study depend on, besides the setup."""
    text = hashlib.sha256()
    for fold in found.folds:
        for part in (fold.train, fold.test):
            text.update(len(part).to_bytes(8, "big") + part)
    return {
        "format": found.corpus.format.name,
        "metric": found.terms.metric,
        "punctuation": "in" if found.terms.punctuation else "out",
        "number of folds": len(found.folds),
        HOLDOUT: found.holdout,
        "held-out part": hashlib.sha256(found.held_out.text).hexdigest() if found.held_out is not None else "",
        "treebank": text.hexdigest(),
    }


def _is_file(treebank: Source) -> bool:
    """Whether a treebank is a file that MaltParser can read, too."""
    if not is_path(treebank) or os.fspath(treebank) == "-" or not os.path.isfile(treebank):
        return False
    with open(treebank, "rb") as stream:
        return not kind_of(stream.read(8))


def _keep_treebank(found: Run) -> str:
    """A treebank that is no such file, as from a pipe, is kept in the folder."""
    assert found.folder is not None
    place = found.folder.path / TREEBANK
    with open_output(str(place)) as out:
        out.write(found.corpus.text)
    found.charset = "UTF-8"
    return str(place)


def begin_with(found: Run, options: Changes, features: str) -> None:
    """Begin with what an earlier phase has chosen, or the user instead of it."""
    found.study.start = options
    if features:
        assert found.folder is not None
        place = found.folder.path / features
        name = str(place) if place.exists() else features
        algorithm = str(options.get(ALGORITHM) or "nivreeager")
        learner = STRUCTURED if is_structured(options) else "liblinear"
        source = find_features(name, found.plan.system(algorithm), learner, Columns(found.corpus.format))
        found.study.features = tuple(feature.text for feature in source.submodels[MAIN])


def recall(found: Run, phase: str, algorithm: str) -> None:
    """Find out from the journal how the phases before this one went: freely, or with the algorithm that was chosen."""
    before = PHASES[: PHASES.index(phase)]
    study = found.study
    for forced in ("", algorithm):
        earlier = Study(found.plan, found.facts, found.corpus.format, len(found.folds), forced, before)
        earlier.outcomes, earlier.roughs, earlier.rough = study.outcomes, study.roughs, study.rough
        earlier.look()
        if earlier.done:
            found.earlier = earlier
            return


def carry_out(
    found: Run,
    journal: Journal | None,
    seconds: float = 0,
    on_attempt: Callable[[Attempt], None] = lambda attempt: None,
    on_phase: Callable[[Phase], None] = lambda phase: None,
) -> None:
    """Run trials until the search is done, or the time is up. Two functions are called with what is decided and with
    what phases lead to, as soon as that is certain."""
    study = found.study
    found.before = journal.seconds if journal is not None else 0.0
    deadline = found.began + seconds if seconds else float("inf")
    decided, over, seen = 0, 0, 0.0
    wrong: list[MaltError] = []

    def late() -> bool:
        """Whether the time is up. The choice is then scored on the held-out part, however late it is."""
        return time.monotonic() >= deadline and not study.searched

    def record(trial: Trial, outcome: Outcome) -> None:
        if journal is not None:
            journal.write(trial.setup, trial.fold, outcome)
        study.tell(trial, outcome)

    def following() -> Trial | None:  # joblib asks in other threads, where an error would be lost
        try:
            return next(iter(study.ask()), None) if not late() else None
        except MaltError as error:
            wrong.append(error)
            return None

    def wants(trial: Trial) -> bool:
        """When the time is up, what is running is given up, but for the very first trials."""
        return study.wants(trial) and (not late() or not study.attempts)

    def follow() -> None:
        nonlocal decided, over
        study.look()
        attempts, results = study.attempts, study.results  # other threads may put longer lists in their place
        failure = attempts[0].verdict.error if attempts else ""
        if failure == NO_TIME:
            raise MaltError("the time was up before anything could be tried; give more of it")
        if failure:
            raise MaltError(f"nothing can be learned from the treebank to begin with: {failure}")
        for attempt in attempts[decided:]:
            on_attempt(attempt)
        for phase in results[over:]:
            on_phase(phase)
        decided, over = len(attempts), len(results)

    with progress.bar("search", None, " trials") as show, warnings.catch_warnings():
        warnings.filterwarnings("ignore", module="joblib")  # of trials that are under way when something is wrong
        follow()
        while not study.done:
            # No generator: one that is left when a run is interrupted ends with Python, when no exception has a name.
            trials = iter(following, None)
            with contextlib.closing(found.runner.run(trials, record, wants)) as ends:
                for recorded in ends:
                    found.ran += recorded
                    follow()
                    if time.monotonic() > seen + REFRESH:
                        seen = time.monotonic()
                        best = f"best {study.best.score:.2f}" if study.attempts else ""
                        show(found.ran, best, found.ran + len(study.waiting()))
            if wrong:
                raise wrong[0]
            if late():
                study.close()
            follow()
