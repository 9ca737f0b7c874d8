"""`maltopt run`, and its three phases one by one: tune a parser to a treebank."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from malt import sample
from malt.commands.given import find_treebank
from malt.data.formats.dataformat import PLUS
from malt.errors import UsageError, counted, printable
from malt.optimizer.plan.plan import PHASES
from malt.optimizer.plan.reader import find_plan
from malt.optimizer.report.report import readable
from malt.optimizer.search.estimate import UNLIKELY
from malt.optimizer.search.folder import Folder, training_commands, word_of
from malt.optimizer.search.run import Run, Terms, begin_with, carry_out, open_run, recall
from malt.optimizer.trial.attempt import Attempt, Phase, phase_rows
from malt.optimizer.trial.runners import choose_runner, open_cluster
from malt.optimizer.trial.setup import flags_of
from malt.optimizer.tuning import finish
from malt.running import log, progress
from malt.running.colours import coloured
from malt.running.log import logger
from malt.settings.catalogue import catalogue
from malt.settings.settings import Settings
from malt.systems import is_own
from malt.systems.own import ALGORITHM, TEXT

SAMPLE = 100  # sentences of the built-in treebank, where no file is given
_TIME = re.compile(r"(?:([0-9]{1,9})h)?(?:([0-9]{1,9})m)?(?:([0-9]{1,9})s?)?")
TITLES = {
    "phase1": "Phase 1: the data",
    "phase2": "Phase 2: the parsing algorithm",
    "phase3": "Phase 3: the features",
}


def run(options: Settings) -> int:
    """All three phases."""
    return tune(options, PHASES)


def tune(options: Settings, phases: tuple[str, ...]) -> int:
    """Carry out some phases of a study."""
    assert options.command is not None
    group = options.command.name
    plan = find_plan(options[f"{group}.plan"])
    seconds = duration(options[f"{group}.time"])
    terms = Terms(
        options[f"{group}.metric"],
        options[f"{group}.punctuation"],
        options[f"{group}.folds"],
        options[f"{group}.dev"],
        options[f"{group}.holdout"],
        options[f"{group}.jackknife"],
        options[f"{group}.exact"],
    )
    asked = options["singlemalt.parsing_algorithm"] if options.given("singlemalt.parsing_algorithm") else ""
    if is_own(asked):
        plan = plan.with_system(asked, options[TEXT])
    if asked:
        plan.check(asked)
    treebank = next(iter(find_treebank(options.files, options[f"{group}.sample"])), "")
    name = options["config.name"] or (_stem(treebank) if treebank else "sample")
    before = PHASES[PHASES.index(phases[0]) - 1] if phases[0] != PHASES[0] else ""
    if phases == PHASES and (before := Folder(name).find_edited(PHASES[:-1])):
        phases = PHASES[PHASES.index(before) + 1 :]
    chosen, features = Folder(name).read_phase(before) if before else ({}, "")
    if is_own(system := chosen.get(ALGORITHM) or "") and chosen.get(TEXT):
        plan = plan.with_system(system, str(chosen[TEXT]))
    with (
        open_cluster(options[f"{group}.dask"] if options.given(f"{group}.dask") else None) as cluster,
        _treebank(treebank, options[f"{group}.sample"]) as source,
        open_run(
            source,
            name,
            terms,
            plan=plan,
            format=options["input.format"],
            charset=options["input.charset"],
            memory=options[f"{group}.memory"] << 20,
        ) as (found, journal),
    ):
        found.runner = choose_runner(found.bench, cluster, options[f"{group}.jobs"])
        study, folder = found.study, found.folder
        assert folder is not None
        study.phases, study.algorithm = phases, asked
        if before:
            begin_with(found, chosen, features)
            recall(found, phases[0], chosen.get(ALGORITHM) or "")
            _say(f"{TITLES[phases[0]]}, beginning with what {folder.path / before}.yaml says")
        if phases == PHASES[2:] and study.algorithm:
            study.phases = PHASES[1:]  # another algorithm than the one that was chosen: its options first
        screen = _Screen(found, lambda other: command_line(options, "run", treebank, found, other))
        screen.show_beginning()
        try:
            carry_out(found, journal, seconds, screen.show_attempt, screen.keep_phase)
        except KeyboardInterrupt:
            _say("\nNothing is lost: the same command goes on from here.")
            raise
        if phases[-1] == PHASES[-1]:
            finish(found)
            screen.show_end()
        else:
            path = folder.write_phase(phases[-1], study.best.setup)
            following = PHASES[PHASES.index(phases[-1]) + 1]
            _say(f"\nchosen: {flags_of(study.best.setup.options)}")
            command = command_line(options, following, treebank, found)
            _say(f"It is in {path}: change it there if you like, and go on with\n  {command}")
    return 0


def command_line(options: Settings, command: str, treebank: str, found: Run, plan: str = "") -> str:
    """The command line that goes on with the same study, maybe by another plan. What came through a pipe is read from
    the folder, where it is kept in UTF-8; but with --jackknife, it has other tags there."""
    assert options.command is not None
    assert found.folder is not None
    group, words = options.command.name, f"maltopt {command}"
    kept = bool(treebank) and not os.path.isfile(treebank) and not found.terms.jackknife
    if kept or options["config.name"]:
        words += f" -c {word_of(options['config.name'] or found.folder.name)}"
    if plan:
        words += f" --plan {plan}"
    for key in ("folds", "metric", "punctuation", "dev", "holdout", *(() if plan else ("plan",))):
        if options.given(f"{group}.{key}"):
            words += f" --{key} {word_of(catalogue().options[f'{group}.{key}'].write(options[f'{group}.{key}']))}"
    words += "".join(f" --{key}" for key in ("jackknife", "exact") if options[f"{group}.{key}"])
    for key in ("input.format", *(() if kept else ("input.charset",))):
        if options.given(key):
            option = catalogue().options[key]
            words += f" {option.spelling} {word_of(option.write(options[key]))}"
        elif key == "input.format" and kept and found.corpus.format.name != PLUS:  # it may be known by its name only
            words += f" -if {found.format}"
    return f"{words} {word_of(found.treebank if kept else treebank) if treebank else '--sample'}"


class _Screen:
    """What a person sees of a run. `command` is the command line that carries out another plan."""

    def __init__(self, found: Run, command: Callable[[str], str]) -> None:
        self.found, self.command = found, command
        self.metric = found.terms.metric.upper()
        self.place = ("", "")

    def show_beginning(self) -> None:
        """What the treebank is like, and what is going to be done."""
        if log.quiet():
            return
        found, study = self.found, self.found.study
        known = len(found.outcomes)
        if found.study.phases[0] == PHASES[0]:
            rows = [(row.name, printable(row.value), row.rule) for row in found.findings]
            left, middle, _ = (max(map(len, texts)) for texts in zip(*rows, strict=True))
            for name, value, rule in rows:
                _say(f"{name:{left}}  {value:{middle}}  {rule}")
            _say("")
        trials = len({setup for setup, _, _ in study.waiting()})
        count = f"{counted(trials, 'configuration')} to try if none is kept, {found.jobs} at a time"
        if study.algorithm:
            count = f"tuning {study.algorithm}, {found.jobs} trials at a time"
        which = " of an earlier run is" if known == 1 else "s of an earlier run are"
        again = f"; {known} trial{which} known" if known else ""
        _say(f"{self.metric}, {found.split}, plan {found.plan.name}: {count if trials else 'nothing to try'}{again}")

    def show_attempt(self, attempt: Attempt) -> None:
        """One line per attempt, with its evidence."""
        if log.quiet() or (attempt.verdict.folds == 0 and attempt.verdict.error):
            return
        place = (attempt.phase, attempt.step)
        if place[0] and place[0] != self.place[0]:
            _say(f"\n{TITLES[place[0]]}")
        if place != self.place and place[1]:
            _say(f"  {place[1]}")
        self.place = place
        what = readable(attempt.what, self.found.corpus.format)
        style = "bad" if attempt.verdict.error else "good" if attempt.kept else "dim"
        _say(f"    {line_of(attempt, what, self.metric, len(self.found.folds))}", style)

    def keep_phase(self, phase: Phase) -> None:
        """A phase is over: what it chose can be seen at once."""
        assert self.found.folder is not None
        self.found.folder.write_phase(phase.name, phase.setup)

    def show_end(self) -> None:
        """A table of phases and gains, and what to do with the result."""
        found = self.found
        assert found.folder is not None
        self._show_held_out()
        _say(f"\n{'':10}{self.metric:>7}{'gain':>8}  on the text that choices were made by: too good, as a rule")
        for row in phase_rows(found.phases):
            gain = f"{row['gain']:+.2f}" if row["name"].startswith("phase") else ""
            _say(f"{row['name']:10}{row['score']:7.2f}{gain:>8}  {row['chosen']}")
        if found.unmeasured:
            _say(found.unmeasured)
        luck = found.luck
        if luck is not None and luck.p > UNLIKELY:
            _say(luck.meaning)
        if found.study.closed:
            _say("The time was up: what had not been tried by then was left out. The same command goes on from here.")
        folder, name = found.folder.path, found.folder.name
        _say(f"\n{folder / 'report.html'} shows all of it. To parse, and to train the same again:")
        chosen = found.study.chosen
        again = training_commands(chosen, f"./{folder}" if str(folder).startswith("-") else str(folder), name)
        _say("\n  ".join([f"  malt parse -c {word_of(str(folder / name))} FILE", *again]))
        if chosen.unlike_maltparser:
            _say(f"There are no options.xml and features.xml for MaltParser: {chosen.unlike_maltparser}.")
        if found.plan.more:
            more = find_plan(found.plan.more)
            _say(f"To try more ({_first_words(more.about)}):\n  {self.command(more.name)}")

    def _show_held_out(self) -> None:
        """The headline: what to expect on new text. Where the part is small, its interval stands before its score."""
        said = self.found.study.expectation
        if said is None:
            for error in {outcome.error for outcome in self.found.study.finals.values() if outcome.error}:
                _say(f"\nThe held-out part could not be scored: {error}")
            return
        part = f"{counted(said.words, 'word')} in {counted(said.sentences, 'sentence')}"
        heads = f"{self.metric:>7}", f"{'95 % interval':^18}"
        _say(f"\nOn {part} that were held out:\n{'':10}{'  '.join(heads if said.decides else heads[::-1])}".rstrip())
        for name, one, sign in (("default", said.default, ""), ("chosen", said.chosen, ""), ("gain", said.gain, "+")):
            low, high = (f"{end:{sign}.2f}" for end in one.interval or (one.score, one.score))
            cells = f"{one.score:{sign}7.2f}", f"{f'{low} to {high}':^18}"
            p = f"  {chance(said.p)}" if sign else ""
            _say(f"{name:10}{'  '.join(cells if said.decides else cells[::-1])}{p}".rstrip(), "good" * said.better)
        _say(said.meaning)


def chance(p: float) -> str:
    """
    >>> chance(0.031), chance(0.31)
    ('p = 0.03', 'p = 0.3')
    """
    return f"p = {p:.1g}" if p < 0.095 else f"p = {p:.1f}"


def line_of(attempt: Attempt, what: str, metric: str, folds: int) -> str:
    """An attempt in one line: the score, the evidence, what follows from it, and what was tried. Hopeless 2/5 is a
    trial that was stopped after two folds of five, ruled out is one of which rough trials were enough; of several
    features that are added or removed at once, the shortest is shown."""
    verdict = attempt.verdict
    first, *more = sorted(what.split(", "), key=len)
    if more and first.startswith(("+ ", "- ")):
        what = f"{first} and {len(more)} more"
    if verdict.error:
        return f"failed: {what} ({verdict.error})"
    if attempt.before == float("-inf"):
        return f"{verdict.score:5.2f}  {what}"
    evidence = f"{attempt.gain:+.2f} {metric}"
    if verdict.p is not None:
        evidence += f", {chance(verdict.p)}"
    answer = "kept" if attempt.kept else "not kept"
    if verdict.rough:
        answer = "ruled out"
    elif verdict.hopeless:
        answer = f"hopeless {verdict.folds}/{folds}"
    return f"{verdict.score:5.2f}  {evidence + ':':22} {answer:12}  {what}"


def _say(text: str, style: str = "") -> None:
    progress.say(coloured("\n".join(map(printable, text.split("\n"))), style))


def _first_words(about: str) -> str:
    """The first sentence of what a plan says of itself, in the middle of another."""
    first = about.partition(". ")[0].rstrip(".")
    return first[:1].lower() + first[1:]


def duration(text: str) -> float:
    """A time in seconds; 0 if none is given.

    >>> duration("90s"), duration("1h30m"), duration("45"), duration("")
    (90.0, 5400.0, 45.0, 0.0)
    >>> duration("soon")
    Traceback (most recent call last):
    malt.errors.UsageError: --time: expected for example 90s, 10m or 1h30m, not 'soon'
    """
    match = _TIME.fullmatch(text)
    if text and (not match or not any(match.groups())):
        raise UsageError(f"--time: expected for example 90s, 10m or 1h30m, not {text!r}")
    hours, minutes, seconds = (int(part or 0) for part in match.groups()) if match else (0, 0, 0)
    if text and not hours + minutes + seconds:
        raise UsageError("--time: expected more than nothing")
    return float(3600 * hours + 60 * minutes + seconds)


def _stem(treebank: str) -> str:
    name = Path(treebank).name
    stem = name.split(".")[0]
    if treebank == "-" or not stem:
        return "study"
    return f"{name}.study" if stem == name else stem  # a file and a folder of the same name cannot be in one place


@contextmanager
def _treebank(path: str, asked: bool) -> Iterator[str]:
    if path:
        yield path
    else:
        if not asked:
            logger.info("no treebank is given: tuning to the built-in sample (`malt sample -n %d`)", SAMPLE)
        yield "".join(sample.text(SAMPLE))
