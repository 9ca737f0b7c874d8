"""The plans `best` and `blend`: structured learning in trials, groups of templates, and parsers that vote."""

from __future__ import annotations

import json
import os
import random
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from scripted import carried, facts_of, scorer, study_of
from test_search import played

import malt
from malt.commands import malt as parser
from malt.commands import maltopt
from malt.learning.trials import NotWanted
from malt.model import Blend
from malt.optimizer import Corpus, Setup, Workbench, find_plan
from malt.optimizer.plan.reader import parse_plan
from malt.optimizer.report.attempts import points_added
from malt.optimizer.search.folder import Folder
from malt.optimizer.search.search import Search
from malt.optimizer.search.study import Study
from malt.optimizer.trial.attempt import Verdict

STRUCTURED = {"guide.learner": "perceptron", "perceptron.passes": "2"}
ALGORITHM = "singlemalt.parsing_algorithm"
# As in the built-in plans, with less of everything.
TINY = """
like: blend
start: nivreeager+pp
phase2:
  - {tree: systems, steps: [{try: nivreeager+pp}, {try: archybrid+pp}]}
  - {compete: 2, with: {perceptron.beam: 2}}
phase3:
  - {select: groups, most: 2}
  - {select: templates, most: 1}
  - {try: {perceptron.beam: 4, perceptron.passes: 2}}
  - {select: all}
"""
VOTE = """
  - name: a vote
    blend: [{train.reverse: true}, stacklazy, mst]
    rule: always
rules: {always: ">= 0", option: ">= 0"}
candidates:
  stacklazy: {singlemalt.parsing_algorithm: stacklazy, guide.learner: perceptron, perceptron.passes: 2}
  mst: {singlemalt.parsing_algorithm: mst, guide.learner: perceptron, perceptron.passes: 2}
"""


def structured(algorithm: str = "nivreeager", **more: str) -> Setup:
    """A setup with a few of the default templates."""
    format = Corpus.read(malt.sample.text(3)).format
    features = [
        feature.text for feature in malt.features.default_features(algorithm, "perceptron", format).submodels["MAIN"]
    ]
    options = {ALGORITHM: algorithm, **STRUCTURED, **{key.replace("__", "."): value for key, value in more.items()}}
    return Setup.of(options, features[:12])


# -- setups


def test_what_structured_training_would_choose_is_said() -> None:
    without, nothing = structured(pproj__marking_strategy="none"), structured()
    assert without.options["pproj.marking_strategy"] == "none"
    assert without.key != nothing.key
    assert Setup.of({"pproj.marking_strategy": "none"}, ()).options == {}


def test_why_maltparser_cannot() -> None:
    blend = Setup((), (), (structured(), structured(perceptron__beam="2")))
    assert blend.unlike_maltparser == "MaltParser has no parsers that vote"
    assert structured().unlike_maltparser == "MaltParser has no structured learning (-l perceptron)"
    assert Setup.of({ALGORITHM: "archybrid"}, ()).unlike_maltparser == "MaltParser has no -a archybrid"
    assert Setup.of({"tree.roots": "one"}, ()).unlike_maltparser == "MaltParser has no -rt"
    assert Setup.of({ALGORITHM: "2planar", "pproj.marking_strategy": "head"}, ()).unlike_maltparser == ""
    assert blend.description.startswith("2 parsers that vote: -a nivreeager -l perceptron --passes 2; -a")


# -- verbs


def structured_search(steps: str, score: dict[str, float], phase: str = "phase3") -> Search:
    """A search by steps of its own; what it tries is scored by what it is about."""
    plan = parse_plan(f"like: best\n{phase}:\n{steps}".encode(), "plan.yaml")
    groups = {"a": ("A1", "A2"), "b": ("B1",), "c": ("C1",), "more": ("M1",)}

    def judge(trial: Setup, best: Setup | None, rule: object) -> Verdict:
        if trial.members:
            return Verdict(score["vote"] + len(trial.members))
        if trial.algorithm == "easyfirst" and "perceptron.beam" in trial.options:
            return Verdict(error="--beam is for derivations from left to right")
        total = 50.0 + sum(score.get(feature, 0.0) for feature in trial.features)
        options = [f"{key}={value}" for key, value in trial.items]
        return Verdict(total + sum(score.get(option, 0.0) for option in options), 0.5)

    def defaults(algorithm: str, structured: bool) -> tuple[str, ...]:
        return ("A1", "A2", "B1", "C1") if structured else ("X",)

    search = Search(plan, facts_of(), judge, defaults, lambda algorithm: groups)
    search.begin(
        {ALGORITHM: "nivreeager", **STRUCTURED}, score=50.0 + sum(score.get(f, 0.0) for f in ("A1", "A2", "B1", "C1"))
    )
    search.run(phase)
    return search


def test_groups_and_templates() -> None:
    score = {"A1": 3.0, "A2": -1.0, "B1": -2.0, "C1": 0.0, "M1": 5.0}
    search = structured_search(
        "  - {select: groups}\n  - {select: groups, by: forward}\n  - {select: templates}", score
    )
    assert [attempt.what for attempt in search.attempts] == [
        "without a",
        "without b",
        "without c",
        "with b",
        "with c",
        "with more",
        "- A1",
        "- A2",
    ]
    assert [attempt.what for attempt in search.attempts if attempt.kept] == [
        "without b",
        "without c",
        "with more",
        "- A2",
    ]
    assert search.best.setup.features == ("A1", "M1")
    assert search.worth == {"a": 2.0, "b": 0.0, "c": 0.0}


def test_how_many_are_tried_and_all_again() -> None:
    search = structured_search("  - {select: groups, most: 1}\n  - {select: all}", {"A1": -1.0, "A2": -1.0})
    assert [attempt.what for attempt in search.attempts] == ["without a", "all default templates"]
    assert search.best.setup.features == ("B1", "C1")
    nothing = played("  - {select: groups}\n  - {select: all}", [])  # a classifier has no templates
    assert nothing.attempts == []


def test_a_contest_with_a_beam() -> None:
    """What is lent decides who goes on, and is not kept; what follows is compared without it."""
    score = {f"{ALGORITHM}=archybrid": 1.0, "perceptron.beam=8": 2.0, f"{ALGORITHM}=planar": 0.5}
    steps = "  - {try: archybrid+pp}\n  - {try: planar+pp}\n  - {compete: 2, with: {perceptron.beam: 8}}"
    search = structured_search(steps, score, "phase2")
    assert (search.best.name, search.best.score) == ("archybrid+pp", 51.0)
    assert "perceptron.beam" not in search.best.setup.options
    assert [attempt.what for attempt in search.attempts[2:]] == [
        "archybrid+pp with --beam 8",
        "planar+pp with --beam 8",
        "archybrid+pp goes on: it is the best with --beam 8",
    ]
    assert [attempt.kept for attempt in search.attempts] == [True, False, False, False, True]


@pytest.mark.parametrize(("gain", "wins"), [(2.0, "archybrid+pp"), (0.5, "easyfirst+pp")])
def test_one_without_a_beam_stands_as_it_is(gain: float, wins: str) -> None:
    score = {f"{ALGORITHM}=archybrid": 1.0, "perceptron.beam=8": gain, f"{ALGORITHM}=easyfirst": 2.0}
    steps = "  - {try: archybrid+pp}\n  - {try: easyfirst+pp}\n  - {compete: 2, with: {perceptron.beam: 8}}"
    search = structured_search(steps, score, "phase2")
    assert search.best.name == wins
    assert [attempt.what for attempt in search.attempts[2:4]] == ["easyfirst+pp as it is", "archybrid+pp with --beam 8"]
    assert not any(attempt.verdict.error for attempt in search.attempts)
    how = "as it is" if wins == "easyfirst+pp" else "with --beam 8"
    assert search.attempts[-1].what == f"{wins} goes on: it is the best {how}"


def contest_until(told: int) -> Study:
    """Archybrid leads, and planar is better with a beam; there is time for so many trials."""
    text = b"""
like: best
start: nivreeager
phase2:
  - {name: systems, steps: [{try: archybrid}, {try: planar}]}
  - {name: a beam, compete: 3, with: {perceptron.beam: 8}}
phase3: []
"""
    scores = {"nivreeager": 70, "archybrid": 80, "planar": 75}
    study = study_of(parse_plan(text, "p.yaml"), 1)
    for _ in range(told):
        for trial in study.ask():
            beam = trial.setup.algorithm == "planar" and "perceptron.beam" in trial.setup.options
            study.tell(trial, malt.optimizer.Outcome((scores[trial.setup.algorithm] + 15 * beam,), (100,)))
    study.close()
    study.look()
    return study


@pytest.mark.parametrize("told", [3, 4, 5])
def test_a_contest_that_there_was_no_time_for(told: int) -> None:
    """As long as not all were tried with what is lent, nobody wins, and the best so far stays."""
    study = contest_until(told)
    assert (study.best.name, study.best.score) == ("archybrid", 80.0)
    assert sum(bool(attempt.verdict.error) for attempt in study.attempts) == 6 - told
    assert not any("goes on" in attempt.what for attempt in study.attempts)


def test_a_contest_to_its_end() -> None:
    """What it has added is said against the best so far."""
    attempts = contest_until(6).attempts
    last = attempts[-1]
    assert points_added([attempt.as_json() for attempt in attempts if attempt.step == "a beam"]) == -5.0
    assert last.what == "planar goes on: it is the best with --beam 8"
    assert (last.before, last.gain, last.rule) == (80.0, -5.0, "")


def test_what_is_impossible_is_not_tried() -> None:
    """easyfirst has no beam, and a vote has no parser that has both."""
    steps = """  - {try: easyfirst+pp}
  - {try: {perceptron.beam: 8}, then: [{try: {perceptron.passes: 12}}], else: [{try: {perceptron.passes: 6}}]}
  - choose: {perceptron.beam: [8, 16]}
  - try: {perceptron.passes: 9}
    with: {perceptron.beam: 8}
  - blend: [{perceptron.beam: 8}, {train.reverse: true}, archybrid]
"""
    score = {f"{ALGORITHM}=easyfirst": 2.0, "vote": 10.0}
    search = structured_search(steps, score, "phase2")
    assert [attempt.what for attempt in search.attempts[1:3]] == ["--passes 6", "--reverse"]
    assert not any("beam" in attempt.what for attempt in search.attempts)
    assert not any(attempt.verdict.error for attempt in search.attempts)


def test_a_vote_is_kept_if_it_gains() -> None:
    steps = "  - {blend: [{train.reverse: true}, stacklazy, archybrid+pp]}"
    kept = structured_search(steps, {"vote": 60.0})
    assert len(kept.best.setup.members) == 4
    assert kept.best.setup.members[0].algorithm == "nivreeager"
    assert kept.attempts[-1].what.startswith("without ")
    lost = structured_search(steps, {"vote": 40.0})
    assert lost.best.setup.members == ()
    assert [attempt.what for attempt in lost.attempts][-2:] == ["4 parsers that vote", "3 parsers that vote"]


def test_learners_do_not_share_their_options() -> None:
    plan = parse_plan(b"like: best\ncandidates: {old: {singlemalt.parsing_algorithm: planar}}\nphase2: []", "plan.yaml")
    search = Search(plan, facts_of(), lambda *_: Verdict(50.0), lambda *given: (str(given),))
    search.begin()
    assert search.best.setup.options == {ALGORITHM: "nivreeager", "lib.options": "-s_4_-c_0.1"}
    learned = search.with_algorithm(plan.candidates["archybrid+pp"])
    assert "lib.options" not in learned.options
    assert learned.features == ("('archybrid',True)",)
    search.best.setup = learned
    again = search.with_algorithm(plan.candidates["old"])
    assert again.options == {ALGORITHM: "planar", "lib.options": "-s_4_-c_0.1"}
    assert search.name_of(learned) == "archybrid+pp"


def test_what_phase3_says_of_a_vote(tmp_path: Path) -> None:
    """The first parser, and the file that its features are in."""
    path = Folder(tmp_path).write_phase("phase3", Setup((), (), (structured("stackproj"), structured())))
    assert "parsing_algorithm: stackproj" in path.read_text()
    assert "features: features-1.yaml" in path.read_text()


@pytest.mark.parametrize("name", ["best", "blend"])
@pytest.mark.parametrize("nonprojective", [0.0, 5.0])
def test_any_number_at_a_time(name: str, nonprojective: float) -> None:
    """The same decisions, however many trials are run at a time and in whatever order they end."""
    facts = facts_of(nonprojective, not2planar=nonprojective)
    alone = study_of(find_plan(name), 2, facts)
    asked = carried(alone, scorer(3))
    assert len({trial.setup.algorithm for trial in asked}) > 3
    for number, seed in ((3, 1), (7, 2)):
        study = study_of(find_plan(name), 2, facts)
        carried(study, scorer(3), number, random.Random(seed))
        assert study.attempts == alone.attempts
        assert study.best == alone.best


def test_where_the_default_is_the_best() -> None:
    """The features of the default plan are selected then."""

    def score(trial: Any) -> Any:
        return malt.optimizer.Outcome((90 if not trial.setup.structured else 50,), (100,))

    study = study_of(find_plan("blend"), 1)
    carried(study, score)
    assert not study.best.setup.structured
    assert {attempt.step for attempt in study.attempts if attempt.phase == "phase3"} >= {"1. POSTAG", "7. cost"}


# -- trials


@pytest.mark.slow
@pytest.mark.parametrize("reverse", [False, True])
def test_a_trial_is_what_the_commands_do(reverse: bool, tmp_path: Path) -> None:
    corpus = Corpus.read(malt.sample.text(40, nonprojective=0.3, seed=2))
    fold = corpus.split()
    more = {"train__reverse": "true"} if reverse else {}
    setup = structured("archybrid", pproj__marking_strategy="head", **more)
    outcome = Workbench([fold], corpus.format).run(setup, 0)
    assert outcome.error == ""
    (tmp_path / "train.conll").write_bytes(fold.train)
    (tmp_path / "test.conll").write_bytes(fold.test)
    (tmp_path / "f.xml").write_bytes(
        malt.features.xml.write_xml({"MAIN": [malt.features.syntax.FeatureText(text) for text in setup.features]})
    )
    flags = shlex.split(malt.optimizer.trial.setup.flags_of(setup.options))
    name, out = str(tmp_path / "m"), str(tmp_path / "out.conll")
    words = [*flags, "-F", str(tmp_path / "f.xml"), str(tmp_path / "train.conll")]
    assert parser(["train", "-q", "-c", name, *words]) == 0
    assert parser(["parse", "-q", "-c", name, str(tmp_path / "test.conll"), "-o", out]) == 0
    gold, found = (list(malt.read(tmp_path / file)) for file in ("test.conll", "out.conll"))
    right = [
        sum((a, b) == (c, d) for a, b, c, d in zip(g.heads, g.labels, f.heads, f.labels, strict=True))
        for g, f in zip(gold, found, strict=True)
    ]
    assert list(outcome.right) == right


@pytest.mark.slow
def test_nobody_waits_for_a_structured_trial() -> None:
    corpus = Corpus.read(malt.sample.text(40))
    with pytest.raises(NotWanted):
        Workbench([corpus.split()], corpus.format).run(structured(), 0, lambda: False)


@pytest.mark.slow
def test_a_vote_as_a_trial() -> None:
    corpus = Corpus.read(malt.sample.text(60, nonprojective=0.3, seed=2))
    fold = corpus.split()
    bench = Workbench([fold], corpus.format)
    members = tuple(structured(name) for name in ("nivreeager", "archybrid", "stacklazy"))
    alone = [bench.run(member, 0) for member in members]
    blend = Setup((), (), members)
    outcome = bench.run(blend, 0)
    assert outcome.of == alone[0].of
    assert outcome.weights.count("- name:") == 3
    assert bench.run(Setup.from_json(blend.as_json()), 0).right == outcome.right
    assert Workbench([fold], corpus.format).run(blend, 0).right == outcome.right  # nothing is known there
    # With weights it is what a blend of the models says.
    weighed = Setup((), (), members, outcome.weights)
    models = [malt.optimizer.trial.workbench.ordinary_model(member, corpus.format, fold) for member in members]
    weights = malt.blending.weights.read_weights(outcome.weights.encode(), "w")
    parsed = list(malt.blend(models, weights).parse(fold.test.decode()))
    gold = list(malt.read(fold.test.decode()))
    right = [
        sum((a, b) == (c, d) for a, b, c, d in zip(g.heads, g.labels, f.heads, f.labels, strict=True))
        for g, f in zip(gold, parsed, strict=True)
    ]
    assert list(bench.run(weighed, 0).right) == right


# -- runs


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a treebank and two plans."""
    monkeypatch.chdir(tmp_path)
    Path("one.yaml").write_text(TINY)
    Path("vote.yaml").write_text(TINY.rstrip() + VOTE)
    Path("t.conll").write_text("".join(malt.sample.text(40, nonprojective=0.3, seed=4)))
    return tmp_path


def report(folder: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(Path(folder, "report.json").read_text())
    return found


def same(found: dict[str, Any]) -> dict[str, Any]:
    """A report without times and names."""
    return {key: value for key, value in found.items() if key not in ("trials", "name", "command", "again")}


@pytest.mark.slow
def test_what_a_structured_run_leaves(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert maltopt(["run", "--plan", "default", "--folds", "1", "--time", "1s", "t.conll"]) == 0
    assert "maltopt run --plan best --folds 1 t.conll" in capsys.readouterr().out.splitlines()[-1]
    assert Path("t/options.xml").exists()
    assert maltopt(["run", "--plan", "one.yaml", "--folds", "1", "t.conll"]) == 0
    text = capsys.readouterr().out
    assert not list(Path("t").glob("*.xml")), "what MaltParser cannot run"
    assert {"options.yaml", "features.yaml", "t.mco"} <= set(os.listdir("t"))
    assert "no options.xml and features.xml for MaltParser: MaltParser has no structured learning" in text
    assert "no structured learning" in Path("t/report.html").read_text()
    assert "java -jar" not in Path("t/report.html").read_text()
    found = report("t")
    assert found["chosen"]["options"]["guide.learner"] == "perceptron"
    written = malt.load("t/t")
    assert parser(["train", "-q", "-f", "t/options.yaml", "-c", "again"]) == 0
    assert parser(["parse", "-q", "-c", "t/t", "t.conll", "-o", "1.conll"]) == 0
    assert parser(["parse", "-q", "-c", "again", "t.conll", "-o", "2.conll"]) == 0
    [line] = found["command"].splitlines()
    assert parser([*shlex.split(line)[1:], "-q"]) == 0
    assert parser(["parse", "-q", "-c", "t-again", "t.conll", "-o", "3.conll"]) == 0
    assert Path("1.conll").read_bytes() == Path("2.conll").read_bytes() == Path("3.conll").read_bytes()
    assert written.settings["guide.learner"] == "perceptron"


@pytest.mark.slow
def test_what_a_vote_leaves(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["--plan", "vote.yaml", "--folds", "2", "t.conll"]
    assert maltopt(["run", "-j", "1", *words]) == 0
    text, found = capsys.readouterr().out, report("t")
    members = found["chosen"]["members"]
    assert 3 <= len(members) <= 4
    model = malt.load("t/t")
    assert isinstance(model, Blend)
    assert len(model.members) == len(members)
    assert parser(["parse", "-q", "-c", "t/t", "t.conll", "-o", "1.conll"]) == 0
    assert found["heldout"]["sentences"] == 4
    assert "MaltParser has no parsers that vote" in text
    for line in [*found["command"].splitlines(), *found["again"]]:
        assert parser([*shlex.split(line)[1:], "-q"]) == 0
    for name in ("t", "t-again"):
        assert parser(["parse", "-q", "-c", name, "t.conll", "-o", "2.conll"]) == 0
        assert Path("1.conll").read_bytes() == Path("2.conll").read_bytes()
    # Another run, on two cores and with what is known of it.
    assert maltopt(["run", "-q", "-j", "2", "-c", "two", *words]) == 0
    assert same(report("two")) == same(found)
    lines = Path("t/journal.jsonl").read_text().splitlines(keepends=True)
    Path("t/journal.jsonl").write_text("".join(lines[: len(lines) // 2]))
    assert maltopt(["run", "-q", *words]) == 0
    assert same(report("t")) == same(found)


@pytest.mark.slow
def test_kills_of_a_vote(place: Path) -> None:
    words = ["run", "-q", "--plan", "vote.yaml", "--folds", "1"]
    assert maltopt([*words, "-c", "whole", "t.conll"]) == 0
    dice = random.Random(5)
    for _ in range(3):
        process = subprocess.Popen(
            [sys.executable, "-c", "from malt.commands import maltopt; maltopt()", *words, "t.conll"]
        )
        time.sleep(1.5 + 2 * dice.random())
        process.send_signal(signal.SIGKILL)
        process.wait()
    assert maltopt([*words, "t.conll"]) == 0
    assert same(report("t")) == same(report("whole"))


@pytest.mark.slow
def test_asked_and_told() -> None:
    corpus = Corpus.read(malt.sample.text(40, nonprojective=0.3, seed=4))
    facts, _ = malt.optimizer.Facts.of(corpus)
    plan = parse_plan((TINY.rstrip() + VOTE).encode(), "vote.yaml")
    fold = corpus.split()
    bench = Workbench([fold, fold], corpus.format)
    study = Study(plan, facts, corpus.format, held_out=100)
    while trials := study.ask(3):
        for trial in reversed(trials):
            study.tell(trial, bench.run(trial.setup, trial.fold))
    assert study.done
    assert study.chosen.weights
    assert study.expectation is not None


@pytest.mark.slow
def test_a_budget_of_time(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Whatever was found by then is one model."""
    assert maltopt(["run", "--plan", "vote.yaml", "--folds", "1", "--time", "2s", "t.conll"]) == 0
    assert report("t")["complete"] == ("The time was up" not in capsys.readouterr().out)
    assert parser(["parse", "-q", "-c", "t/t", "t.conll", "-o", "out.conll"]) == 0
    assert maltopt(["run", "-q", "--plan", "vote.yaml", "--folds", "1", "t.conll"]) == 0
    assert report("t")["complete"]
    assert isinstance(malt.load("t/t"), Blend)


def test_a_plan_says_which_other_may_know_an_algorithm() -> None:
    with pytest.raises(malt.errors.UsageError, match="stacklazy; --plan best may know it"):
        find_plan("default").check("easyfirst")
    find_plan("best").check("easyfirst")
