"""`maltopt run` and its phases, as a user calls them."""

from __future__ import annotations

import gc
import io
import json
import os
import random
import shlex
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Generator, Iterator
from html import escape
from pathlib import Path
from typing import Any

import pytest
from test_workbench import by_rows

import malt
from malt.commands import malt as parser
from malt.commands import maltopt
from malt.model import model_of
from malt.optimizer.plan.reader import find_plan, plan_names
from malt.optimizer.search import run
from malt.optimizer.search.run import Terms, carry_out, open_run
from malt.optimizer.trial.runners import Record, Wants
from malt.optimizer.trial.setup import Trial

pytestmark = pytest.mark.slow

# A search with a few trials that has a bit of everything.
PLAN = r"""
like: default
phase2:
  - {name: algorithms, tree: one, steps: [{try: stackproj}, {try: planar, else: [{try: covproj}]}]}
  - use: options
phase3:
  - {name: tags, window: POSTAG, of: S, templates: trigrams, grow: 1}
  - {name: lemmas, if: uses LEMMA, add: ["InputColumn(LEMMA,{left})", "InputColumn(LEMMA,{right})"], stop: false}
  - {name: morphology, if: uses FEATS, add: "Split(InputColumn(FEATS,{right}),\\|)"}
"""
FILES = [
    "features.xml",
    "journal.jsonl",
    "options.xml",
    "options.yaml",
    "phase1.yaml",
    "phase2.yaml",
    "phase3.yaml",
    "report.html",
    "report.json",
]
TINY = "like: default\nphase1: []\nphase2: [{try: planar}]\nphase3: [{add: 'InputColumn(LEMMA,{left})'}]\n"


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder with a treebank and a plan."""
    monkeypatch.chdir(tmp_path)
    Path("plan.yaml").write_text(PLAN)
    Path("tiny.yaml").write_text(TINY)
    Path("t.conll").write_text("".join(malt.sample.text(30, seed=4)))
    return tmp_path


def tuned(*words: str, plan: str = "plan.yaml", command: str = "run") -> int:
    folds = () if "--dev" in words else ("--folds", "2")
    return maltopt([command, "--plan", plan, *folds, *words])


def said(capsys: pytest.CaptureFixture[str]) -> str:
    """The one line of an error."""
    lines = capsys.readouterr().err.splitlines()
    return lines[-1]


def report(folder: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(
        Path(folder, "report.json").read_text(), parse_constant=lambda word: pytest.fail(word)
    )
    return found


def without_times(found: dict[str, Any]) -> dict[str, Any]:
    return {**found, "trials": {key: value for key, value in found["trials"].items() if key == "decisions"}}


def model_in(path: str) -> object:
    return by_rows(model_of(Path(path).read_bytes()))


def journal(folder: str) -> list[tuple[str, int, str]]:
    lines = Path(folder, "journal.jsonl").read_text().splitlines()[1:]
    return [
        (
            json.dumps([line["trial"]["options"], sorted(line["trial"]["features"])], sort_keys=True),
            line["fold"],
            line.get("rough", ""),
        )
        for line in map(json.loads, lines)
    ]


def test_what_a_run_leaves(place: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    assert tuned("t.conll") == 0
    text = capsys.readouterr().out
    assert sorted(os.listdir("t")) == sorted([*FILES, "t.mco"])
    found = report("t")
    assert found["complete"]
    assert [row["name"] for row in found["phases"]] == ["default", "phase 1", "phase 2", "phase 3"]
    assert [tree["name"] for tree in found["trees"]] == ["one"]
    assert found["chosen"]["score"] == found["phases"][-1]["score"] > found["phases"][0]["score"]
    assert max(map(len, text.splitlines())) <= 120
    for words in (
        "non-projective trees",
        "Phase 2: the parsing algorithm",
        "  tags",
        "kept",
        "phase 3",
        "malt parse -c t/t FILE",
    ):
        assert words in text
    # The option files give the same model, wherever one is.
    (place / "elsewhere").mkdir()
    monkeypatch.chdir(place / "elsewhere")
    for suffix in ("xml", "yaml"):
        assert parser(["train", "-v", "error", "-f", f"../t/options.{suffix}", "-c", suffix]) == 0
        assert model_in(f"{suffix}.mco") == model_in("../t/t.mco")
    assert parser(["parse", "-v", "error", "-c", "../t/t", "../t.conll", "-o", "out.conll"]) == 0
    # The command of the report can be pasted.
    monkeypatch.chdir(place)
    command = json.loads(Path("t/report.json").read_text())["command"]
    assert escape(command) in Path("t/report.html").read_text()
    assert command.startswith("malt train -c t-again -a ")
    assert parser([*shlex.split(command)[1:], "-v", "error"]) == 0
    assert model_in("t-again.mco") == model_in("t/t.mco")
    again, best = (malt.load(name).specification.features for name in ("t-again", "t/t"))
    assert again == best
    # Once more: all is known, and the same is said and left.
    before = Path("t/journal.jsonl").read_bytes()
    assert tuned("t.conll") == 0
    assert Path("t/journal.jsonl").read_bytes() == before
    again = capsys.readouterr().out
    assert again.splitlines()[10:] == text.splitlines()[10:]
    assert f"nothing to try; {found['trials']['runs']} trials of an earlier run are known" in again
    assert without_times(report("t")) == without_times(found)
    assert report("t")["trials"]["here"] == 0


@pytest.mark.parametrize("metric", ["las", "uas", "lcm", "ucm"])
def test_a_score_is_that_of_the_commands(metric: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Train, parse and score by hand, on the same parts of the treebank."""
    punctuation = metric in ("las", "ucm")
    words = ["--metric", metric, "--punctuation", str(punctuation).lower(), "--holdout", "0"]
    assert tuned("t.conll", *words, plan="tiny.yaml") == 0
    assert report("t")["heldout"] is None
    sentences = [f"{sentence}\n\n" for sentence in Path("t.conll").read_text().strip().split("\n\n")]
    capsys.readouterr()
    name = {"lcm": "complete_labelled", "ucm": "complete_unlabelled"}.get(metric, metric)
    right = total = 0.0
    for fold in range(2):
        Path("train").write_text("".join(sentences[1 - fold :: 2]))
        Path("test").write_text("".join(sentences[fold::2]))
        options = ["-if", "conllx", "-a", "nivreeager", "-lo", "-s_4_-c_0.1", "-v", "error"]
        assert parser(["-m", "learn", "-i", "train", "-c", "m", *options]) == 0
        assert parser(["-m", "parse", "-i", "test", "-c", "m", "-o", "out", "-v", "error"]) == 0
        assert parser(["eval", "test", "out", "--json", "-if", "conllx", "-v", "error"]) == 0
        scores = json.loads(capsys.readouterr().out)["systems"]["out"]["conllx"]["in" if punctuation else "out"]
        count = scores["complete_sentences" if "complete" in name else "words"]
        right, total = right + round(scores[name] * count), total + count
    assert report("t")["phases"][0]["score"] == round(100 * right / total, 2)


def test_what_is_held_out(capsys: pytest.CaptureFixture[str]) -> None:
    """Train with the default and the chosen configuration on the rest, parse the held-out part and score it."""
    assert tuned("t.conll") == 0
    text = capsys.readouterr().out
    said = report("t")["heldout"]
    sentences = [f"{sentence}\n\n" for sentence in Path("t.conll").read_text().strip().split("\n\n")]
    held_out = sentences[9::10]
    Path("rest").write_text("".join(sentence for sentence in sentences if sentence not in held_out))
    Path("test").write_text("".join(held_out))
    assert report("t")["profile"]["sentences"] == 27
    chosen = shlex.split(report("t")["chosen"]["flags"])
    for name, options in (
        ("default", ["-a", "nivreeager", "-lo", "-s_4_-c_0.1"]),
        ("chosen", [*chosen, "-F", "t/features.xml"]),
    ):
        common = ["-if", "conllx", "-v", "error"]
        assert parser(["-m", "learn", "-i", "rest", "-c", "m", *options, *common]) == 0
        assert parser(["-m", "parse", "-i", "test", "-c", "m", "-o", "out", "-v", "error"]) == 0
        assert parser(["eval", "test", "out", "--json", *common]) == 0
        scores = json.loads(capsys.readouterr().out)["systems"]["out"]["conllx"]["in"]
        assert said[name]["score"] == round(100 * scores["las"], 2)
        assert f"{name:10}" in text
    assert said["gain"]["score"] == round(said["chosen"]["score"] - said["default"]["score"], 2)
    assert (said["sentences"], said["words"]) == (3, sum(sentence.count("\n") - 1 for sentence in held_out))
    assert text.index("that were held out:") < text.index("on the text that choices were made by")
    assert text.index("95 % interval") < text.index("LAS", text.index("that were held out:"))
    assert "fewer than 2,000 words: it decides nothing" in text
    # Nothing but the end has to do with it: without these sentences the same is chosen.
    assert tuned("rest", "--holdout", "0", "-c", "alone", "-if", "conllx") == 0
    assert report("alone")["decisions"] == report("t")["decisions"]


def test_a_study_from_before_goes_on(capsys: pytest.CaptureFixture[str]) -> None:
    """Its journal does not say what is held out: nothing."""
    assert tuned("t.conll", "--holdout", "0", plan="tiny.yaml") == 0
    path = Path("t/journal.jsonl")
    first, *lines = path.read_text().splitlines(keepends=True)
    study = json.loads(first)["study"]
    old = {key: value for key, value in study.items() if not key.startswith("h")}
    assert len(old) == len(study) - 2
    path.write_text(json.dumps({"study": old}, separators=(",", ":")) + "\n" + "".join(lines[:3]))
    capsys.readouterr()
    assert tuned("t.conll", plan="tiny.yaml") == 0
    assert "3 trials of an earlier run are known" in capsys.readouterr().out
    assert report("t")["heldout"] is None
    assert tuned("t.conll", "--holdout", "10", plan="tiny.yaml") == 1
    assert "the study in this folder is about another holdout (0, not 10); give another name" in said(capsys)


def test_rough_trials(capsys: pytest.CaptureFixture[str]) -> None:
    """They are told from others, and may be forbidden; the study may go on either way."""
    assert tuned("t.conll") == 0
    rough = [attempt for attempt in report("t")["decisions"] if attempt["rough"]]
    assert rough
    assert not any(attempt["kept"] for attempt in rough)
    assert report("t")["trials"]["rough"] == sum(bool(line[2]) for line in journal("t"))
    assert capsys.readouterr().out.count(" ruled out ") == len(rough)
    assert "ruled out by a rough look" in Path("t/report.html").read_text()
    assert tuned("t.conll", "--exact") == 0
    assert tuned("t.conll", "--exact", "-c", "exact") == 0
    assert not any(line[2] for line in journal("exact"))
    assert report("t")["decisions"] == report("exact")["decisions"]
    assert "--exact" in capsys.readouterr().out.splitlines()[-1]
    assert tuned("t.conll") == 0
    assert [attempt for attempt in report("t")["decisions"] if attempt["rough"]] == rough
    assert malt.optimizer.run("t.conll", plan="plan.yaml", folds=2, exact=True).roughs == {}


def test_a_study_from_before_has_no_rough_trials() -> None:
    assert tuned("t.conll", "--exact", "-c", "exact") == 0
    path, old = Path("exact/journal.jsonl"), Path("old/journal.jsonl")
    first, *lines = path.read_text().splitlines(keepends=True)
    study = {key: value for key, value in json.loads(first)["study"].items() if key != "rough trials"}
    old.parent.mkdir()
    old.write_text(json.dumps({"study": study}, separators=(",", ":")) + "\n" + "".join(lines[:9]))
    assert tuned("t.conll", "-c", "old") == 0
    assert report("old")["decisions"] == report("exact")["decisions"]
    assert not any(line[2] for line in journal("old"))


def test_what_a_score_was_measured_with(capsys: pytest.CaptureFixture[str]) -> None:
    """A step may change options without a trial: the score is that of others."""
    phase3 = "phase3: [{begin: empty}, {add: 'InputColumn(FORM,{left})'}, {set: {lib.options: -s_4_-c_0.7}}]"
    Path("set.yaml").write_text(f"like: default\nphase1: []\nphase2: []\n{phase3}\n")
    assert tuned("t.conll", plan="set.yaml") == 0
    text, found = capsys.readouterr().out, report("t")["chosen"]
    said = (
        f"{found['score']:.2f} was measured with -a nivreeager -lo -s_4_-c_0.1: the plan changed that without a trial."
    )
    assert said == found["unmeasured"]
    assert said in text
    assert said in Path("t/report.html").read_text()
    assert "-a nivreeager -lo -s_4_-c_0.7, 1 feature\n" in text
    assert tuned("t.conll", "-c", "other", plan="tiny.yaml") == 0
    assert report("other")["chosen"]["unmeasured"] == ""
    assert "was measured with" not in capsys.readouterr().out


def test_plans_of_maltoptimizer_hold_nothing_out() -> None:
    for name in plan_names():
        assert find_plan(name).holdout == (10 if name in ("default", "thorough", "best", "blend") else 0)
    assert maltopt(["run", "t.conll", "--plan", "only-backward", "--folds", "1", "--time", "1"]) == 0
    assert report("t")["heldout"] is None
    assert report("t")["profile"]["sentences"] == 30
    # In a folder that has begun with a held-out part, they keep to it.
    assert tuned("t.conll", "-c", "two", plan="tiny.yaml") == 0
    assert tuned("t.conll", "-c", "two", "--time", "1", plan="only-backward") == 0
    assert report("two")["heldout"]["sentences"] == 3


def test_a_file_that_is_held_out(capsys: pytest.CaptureFixture[str]) -> None:
    Path("new.conll").write_text("".join(malt.sample.text(7, seed=9)))
    assert tuned("t.conll", "--holdout", "new.conll", plan="tiny.yaml") == 0
    assert report("t")["profile"]["sentences"] == 30
    assert (report("t")["heldout"]["holdout"], report("t")["heldout"]["sentences"]) == ("file", 7)
    assert tuned("t.conll", plan="tiny.yaml") == 2
    assert said(capsys) == (
        "maltopt: a file was held out when the study in this folder began; give it again with --holdout"
    )
    Path("new.conll").write_text("".join(malt.sample.text(8, seed=9)))
    assert tuned("t.conll", "--holdout", "new.conll", plan="tiny.yaml") == 1
    assert "about another held-out part; give another name" in said(capsys)
    Path("dev.conll").write_text(Path("new.conll").read_text())
    for words, code, message in (
        (
            ["--holdout", "t.conll"],
            1,
            "t.conll: this file is held out, and yet it is to be learned from or to choose by",
        ),
        (["--holdout", "new.conll", "--dev", "dev.conll"], 1, "new.conll: this file is held out, and yet"),
        (["--holdout", "none.conll"], 1, "none.conll: no such file"),
        (["--holdout", "1"], 2, "holdout: expected 0 for none, 10 for every tenth sentence, or a file, not 1"),
        (["--holdout=-1"], 2, "holdout: expected 0 for none"),
        (["--holdout", "1.5"], 2, "holdout: expected 0 for none"),
        (["--holdout", "01"], 2, "holdout: expected 0 for none"),
        (["--holdout", "9" * 30], 2, "holdout: expected 0 for none"),
    ):
        assert tuned("t.conll", "-c", "other", *words, plan="tiny.yaml") == code
        assert message in said(capsys)
        assert not Path("other").exists()
    assert tuned("t.conll", "-c", "other", "--holdout", "31", plan="tiny.yaml") == 0
    assert report("other")["heldout"] is None
    assert "there are fewer than 31 sentences" in capsys.readouterr().out
    assert tuned("t.conll", "-c", "third", "--holdout", "3", "--metric", "lcm", plan="tiny.yaml") == 0
    assert report("third")["heldout"]["sentences"] == 10
    assert report("third")["heldout"]["words"] > 60


def test_a_run_begins_with_what_was_edited(capsys: pytest.CaptureFixture[str]) -> None:
    """With the file of a phase that the user has changed, and not with one that another plan has left."""
    assert tuned("t.conll", plan="tiny.yaml") == 0
    whole = report("t")["phases"]
    assert tuned("t.conll", plan="tiny.yaml") == 0
    assert report("t")["phases"] == whole
    capsys.readouterr()
    with open("t/phase1.yaml", "a") as out:
        out.write("graph: {root_label: TOP}\n")
    for _ in range(2):
        assert tuned("t.conll", plan="tiny.yaml") == 0
        assert "beginning with what t/phase1.yaml says" in capsys.readouterr().out
        assert report("t")["chosen"]["options"]["graph.root_label"] == "TOP"
        assert [row["name"] for row in report("t")["phases"]] == ["default", "phase 1", "edited", "phase 2", "phase 3"]
    Path("t/phase2.yaml").write_text("singlemalt.parsing_algorithm: covproj\n")
    assert tuned("t.conll", plan="tiny.yaml") == 0
    assert report("t")["chosen"]["algorithm"] == "covproj"
    assert "beginning with what t/phase2.yaml says" in capsys.readouterr().out


def test_the_command_line_of_maltoptimizer(capsys: pytest.CaptureFixture[str]) -> None:
    for phase in "123":
        words = ["-p", phase, "-m", "maltparser-1.9.2.jar", "-c", "t.conll", "-a", "OnlyBackward", "-e", "uas"]
        assert maltopt(words) == 0
        command = f"maltopt phase{phase} --plan only-backward --folds 1 --metric uas t.conll"
        assert f"MaltOptimizer's command line is here: {command}\n" in capsys.readouterr().err
    assert report("t")["terms"] == {**report("t")["terms"], "metric": "uas", "folds": 1}
    for words, message in (
        (["-p", "4", "-m", "x.jar", "-c", "t.conll"], "-p: expected 1, 2, 3, not '4'"),
        (["-m", "x.jar", "-c", "f"], "-p names the phase, 1, 2 or 3"),
        (["-p", "1", "-m", "x.jar"], "-c names the treebank"),
        (["-p", "1", "-m", "x.jar", "-c"], "-c needs a value"),
        (["-p", "1", "-x", "x.jar"], "MaltOptimizer has no '-x'"),
        (["-p", "1", "-c", "t.conll", "-v", "loo"], "-v: expected cv, not 'loo'"),
    ):
        assert maltopt(words) == 2
        assert message in said(capsys)
    assert maltopt(["-p", "2", "-m", "x.jar", "-c", "t.conll", "-e", "uas", "-v", "cv"]) == 1
    assert "about another number of folds (1, not 5)" in said(capsys)


@pytest.mark.parametrize("name", ["t.conll", "-"])
def test_the_command_that_goes_on_reads_the_same(
    name: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    data = "".join(malt.sample.text(12)).replace("a", "å").encode("iso-8859-1")
    Path("t.conll").write_bytes(data)
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(data)))
    assert tuned(name, "-ic", "iso-8859-1", "-if", "conllx", command="phase1", plan="tiny.yaml") == 0
    following = shlex.split(capsys.readouterr().out.splitlines()[-1])
    assert following[1] == "phase2"
    assert maltopt(following[1:]) == 0


def test_commands_read_what_came_through_a_pipe(capsys: pytest.CaptureFixture[str]) -> None:
    """It is kept, under another name: this one says which format it is in, as no comment does."""
    assert parser(["convert", "t.conll", "-of", "conllu", "-o", "t.conllu"]) == 0
    os.mkfifo("pipe.conllu")
    writer = threading.Thread(target=lambda: Path("pipe.conllu").write_bytes(Path("t.conllu").read_bytes()))
    writer.start()
    assert tuned("pipe.conllu", plan="tiny.yaml") == 0
    writer.join()
    following = shlex.split(capsys.readouterr().out.splitlines()[-1])
    assert following[:6] == ["maltopt", "run", "-c", "pipe", "--plan", "best"]
    assert maltopt([*following[1:], "--plan", "tiny.yaml"]) == 0
    assert report("pipe")["trials"]["here"] == 0
    command = report("pipe")["command"]
    assert parser([*shlex.split(command)[1:], "-v", "error"]) == 0
    assert model_in("pipe-again.mco") == model_in("pipe/pipe.mco")


def test_what_was_edited_is_kept(capsys: pytest.CaptureFixture[str]) -> None:
    assert tuned("t.conll", command="phase1", plan="tiny.yaml") == 0
    was = Path("t/phase1.yaml").read_text()
    Path("t/phase1.yaml").write_text("graph.root_label: TOP\n")
    assert tuned("t.conll", command="phase1", plan="tiny.yaml") == 0
    assert (
        "warning: t/phase1.yaml is written anew; what it said is now in t/phase1.yaml.old\n" in capsys.readouterr().err
    )
    assert Path("t/phase1.yaml").read_text() == was
    assert Path("t/phase1.yaml.old").read_text() == "graph.root_label: TOP\n"
    Path("other.yaml").write_text("like: default\nphase1: [{set: {graph.root_label: X}}]\n")
    assert tuned("t.conll", command="phase1", plan="other.yaml") == 0  # what a phase wrote itself is not kept
    assert "written anew" not in capsys.readouterr().err
    assert Path("t/phase1.yaml").read_text() != was
    assert Path("t/phase1.yaml.old").read_text() == "graph.root_label: TOP\n"


def test_the_number_of_jobs(capsys: pytest.CaptureFixture[str]) -> None:
    assert tuned("t.conll", "-c", "one", "-j", "1") == 0
    assert tuned("t.conll", "-c", "two", "-j", "2") == 0
    one, two = (without_times(report(name)) for name in ("one", "two"))
    assert {**two, "name": "one", "command": one["command"], "again": one["again"]} == one
    assert model_in("one/one.mco") == model_in("two/two.mco")


def test_phase_by_phase(capsys: pytest.CaptureFixture[str]) -> None:
    assert tuned("t.conll", command="phase2") == 2
    assert said(capsys) == "maltopt: t/phase1.yaml: no such file; run `maltopt phase1` first"
    assert tuned("t.conll", command="phase1") == 0
    text = capsys.readouterr().out
    assert text.endswith(
        "It is in t/phase1.yaml: change it there if you like, and go on with\n"
        "  maltopt phase2 --folds 2 --plan plan.yaml t.conll\n"
    )
    with open("t/phase1.yaml", "a") as out:
        out.write("graph:\n  root_label: TOP\n")
    assert tuned("t.conll", command="phase2") == 0
    assert "as chosen before" in capsys.readouterr().out
    chosen = Path("t/phase2.yaml").read_text()
    assert "root_label: TOP" in chosen
    Path("t/phase2.yaml").write_text(
        "singlemalt.parsing_algorithm: covproj\ngraph.root_label: TOP\ncovington.allow_shift: true\n"
    )
    assert tuned("t.conll", command="phase3") == 0
    options = report("t")["chosen"]["options"]
    assert (options["graph.root_label"], options["singlemalt.parsing_algorithm"], options["covington.allow_shift"]) == (
        "TOP",
        "covproj",
        "true",
    )
    assert parser(["train", "-v", "error", "-f", "t/options.xml", "-c", "again"]) == 0
    assert model_in("again.mco") == model_in("t/t.mco")
    # Features of one's own to begin with.
    Path("t/mine.xml").write_text(
        "<featuremodels><featuremodel><feature>InputColumn(POSTAG, Stack[0])</feature></featuremodel></featuremodels>"
    )
    Path("t/phase2.yaml").write_text("singlemalt.parsing_algorithm: planar\nguide.features: mine.xml\n")
    assert tuned("t.conll", command="phase3") == 0
    assert [row["name"] for row in report("t")["phases"]] == ["before", "phase 3"]
    assert report("t")["phases"][0]["score"] < 60
    assert report("t")["chosen"]["algorithm"] == "planar"
    for wrong, message in (
        ("input.infile: x", "input.infile is no option that a search may choose; remove it"),
        ("lib.external: /bin/sh", "lib.external is no option that a search may choose; remove it"),
        ("singlemalt.parsing_algorithm: 3planar", "-a 3planar: the plan plan does not know this algorithm"),
        ("nivre.allow_root: perhaps", "expected true or false"),
        ("guide.features: nowhere.xml", "nowhere.xml"),
        ("", "the file is empty"),
    ):
        Path("t/phase2.yaml").write_text(wrong)
        assert tuned("t.conll", command="phase3") in (1, 2)
        assert message in said(capsys)


def test_the_report_of_phases_one_by_one() -> None:
    """It has the phases before, and says where the user took another way."""
    for command in ("phase1", "phase2", "phase3"):
        assert tuned("t.conll", command=command) == 0
    apart = report("t")
    assert tuned("t.conll", "-c", "whole") == 0
    assert apart["heldout"]["words"] > 0
    for key in ("phases", "trees", "curve", "chosen", "heldout", "luck"):
        assert apart[key] == report("whole")[key]
    Path("t/phase2.yaml").write_text("singlemalt.parsing_algorithm: covproj\n")
    assert tuned("t.conll", command="phase3") == 0
    assert [row["name"] for row in report("t")["phases"]] == ["default", "phase 1", "phase 2", "edited", "phase 3"]


@pytest.mark.parametrize("algorithm", ["planar", "2planar"])
def test_an_algorithm_that_is_asked_for(algorithm: str) -> None:
    Path("t.conll").write_text("".join(malt.sample.text(30, nonprojective=0.5, seed=4)))
    assert tuned("t.conll", "-a", algorithm) == 0
    found = report("t")
    assert (found["forced"], found["chosen"]["algorithm"]) == (algorithm, algorithm)
    assert found["chosen"]["options"].get("pproj.marking_strategy", "none") != "none" or algorithm == "2planar"
    assert not any(attempt["tree"] for attempt in found["decisions"])
    assert tuned("t.conll", "-a", "covproj", command="phase3", plan="tiny.yaml") == 0
    assert report("t")["chosen"]["algorithm"] == "covproj"


def test_a_development_file(capsys: pytest.CaptureFixture[str]) -> None:
    Path("dev.conll").write_text("".join(malt.sample.text(9, seed=5)))
    assert tuned("t.conll", "--dev", "dev.conll", plan="tiny.yaml") == 0
    assert report("t")["terms"]["split"] == "tested on dev.conll"
    line = json.loads(Path("t/journal.jsonl").read_text().splitlines()[1])
    assert len(line["of"]) == 9
    Path("dev.conll").write_text("1\ta\ta\tN\tN\t_\t2\tx\t_\t_\n2\tb\tb\tN\tN\t_\t1\tx\t_\t_\n\n")
    assert tuned("t.conll", "--dev", "dev.conll", plan="tiny.yaml") == 1
    assert said(capsys).startswith("maltopt: dev.conll, line 1: the sentence is no tree")
    assert tuned("t.conll", "--dev", "none.conll", plan="tiny.yaml") == 1
    assert said(capsys) == "maltopt: none.conll: no such file"
    assert tuned("t.conll", "--dev", "dev.conll", "--folds", "3") == 2
    assert said(capsys).startswith("maltopt: --dev and --folds do not go together")
    assert tuned("t.conll", "--dev", "t.conll", plan="tiny.yaml") == 1
    assert said(capsys) == "maltopt: t.conll: this file is to choose by, and yet it is to be learned from"
    Path("dev.conllu").write_text("".join(malt.sample.text(9, "conllu", seed=5)))
    assert tuned("t.conll", "--dev", "dev.conllu", plan="tiny.yaml") == 1
    assert said(capsys).startswith("maltopt: dev.conllu: the file is in conllu (")


def test_labels_that_cannot_be_learned(capsys: pytest.CaptureFixture[str]) -> None:
    lines = Path("t.conll").read_text().split("\n")
    cells = lines[40].split("\t")
    lines[40] = "\t".join([*cells[:7], "a~b", *cells[8:]])
    Path("t.conll").write_text("\n".join(lines))
    assert tuned("t.conll") == 1
    assert said(capsys) == (
        "maltopt: t.conll, line 41: the label 'a~b' has the character ~, which separates the parts of a class; "
        "write another one there"
    )
    assert not Path("t").exists()


def test_a_journal_of_other_sentences(capsys: pytest.CaptureFixture[str]) -> None:
    assert tuned("t.conll", plan="tiny.yaml") == 0
    capsys.readouterr()
    journal = Path("t/journal.jsonl")
    lines = journal.read_text().splitlines()
    for change, message in (
        ({"fold": 77}, "fold 77: there are 3, from 0 on; the journal was changed by hand"),
        (
            {"right": [0], "of": [9]},
            "the outcome is about other sentences than those before; the journal was changed by hand",
        ),
    ):
        last = json.dumps({**json.loads(lines[-1]), **change})
        journal.write_text("\n".join([*lines[:-1], last]) + "\n")
        assert tuned("t.conll", plan="tiny.yaml") == 1
        text = said(capsys)
        assert text.startswith(f"maltopt: t/journal.jsonl, line {len(lines)}: ")
        assert text.endswith(message)


def test_a_budget_of_time(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    assert tuned("t.conll", "--time", "1s", "-j", "1", plan="thorough") == 0
    text = capsys.readouterr().out
    assert "The time was up: what had not been tried by then was left out. The same command goes on from here." in text
    found = report("t")
    assert not found["complete"]
    assert found["heldout"]["sentences"] == 3
    assert "that were held out:" in text
    assert found["chosen"]["score"] >= found["phases"][0]["score"]
    assert Path("t/t.mco").exists()
    for wrong in ("soon", "0", "-3s", "1x"):
        assert tuned("t.conll", "--time", wrong) == 2


def test_conllu(capsys: pytest.CaptureFixture[str]) -> None:
    sentence = (
        "# text = Vámonos al mar.\n1-2\tVámonos\t_\t_\t_\t_\t_\t_\t_\t_\n"
        "1\tVamos\tir\tVERB\tV\tMood=Imp|Number=Plur\t0\troot\t_\t_\n2\tnos\tnosotros\tPRON\tP\t_\t1\tobj:x\t_\t_\n"
        "3\ta\ta\tADP\tE\t_\t4\tcase\t_\t_\n3.1\tnada\t_\t_\t_\t_\t_\t_\t_\t_\n4\tmar\tmar\tNOUN\tN\tGender=Masc\t1\tobl\t_\t_\n\n"
    )
    Path("t.conllu").write_text("".join(f"{piece}{sentence}" for piece in malt.sample.text(15, "conllu")))
    assert tuned("t.conllu") == 0
    text = capsys.readouterr().out
    assert "XPOSTAG and UPOSTAG" in text
    assert "- UPOSTAG(Stack[" in text
    assert report("t")["profile"]["sentences"] == 27
    assert report("t")["heldout"]["sentences"] == 3
    assert '<option name="format" value="conllu"/>' in Path("t/options.xml").read_text()
    assert parser(["train", "-v", "error", "-f", "t/options.yaml", "-c", "again"]) == 0
    assert model_in("again.mco") == model_in("t/t.mco")


def changed(column: int, value: str) -> str:
    """The treebank with one column made the same everywhere."""
    lines = Path("t.conll").read_text().split("\n")
    cells = [line.split("\t") for line in lines]
    return "\n".join("\t".join([*row[:column], value, *row[column + 1 :]]) if row[1:] else "" for row in cells)


def test_odd_treebanks(capsys: pytest.CaptureFixture[str]) -> None:
    text = Path("t.conll").read_text()
    sentences = text.split("\n\n")
    tab = "\n".join("\t".join(line.split("\t")[i] for i in (1, 4, 6, 7)) if line else "" for line in text.split("\n"))
    hostile = text.replace("\tROOT\t", "\t\x1b[31mR<b>\t").replace("\tN", "\t';--\u2028")
    for name, content, expected in (
        ("two.conll", "\n\n".join(sentences[:2]) + "\n", "2 sentences"),
        ("lemma.conll", changed(2, "_"), "only FEATS has values"),
        ("feats.conll", changed(5, "_"), "only LEMMA has values"),
        ("label.conll", changed(7, "x"), "x 100.0 %"),
        ("tab.tab", tab, "neither has values"),
        ("hostile.conll", hostile, r"\x1b[31mR<b> 100.0 %  no label that -grl can name"),
        ("words.conll", "1\tw\tw\tA\tA\t_\t0\tROOT\t_\t_\n\n" * 9, "9 words in 9 sentences"),
    ):
        Path(name).write_text(content)
        assert tuned(name, plan="tiny.yaml") == 0, name
        said_of_it = capsys.readouterr().out
        assert " ".join(expected.split()) in " ".join(said_of_it.split())
        assert "\x1b" not in said_of_it
        assert report(name.split(".")[0])["complete"]


def test_treebanks_that_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    text = Path("t.conll").read_text()
    line = text.count("\n") + 1
    row = "{}\tw\tw\tA\tA\t_\t{}\tx\t_\t_\n".format
    for content, message in (
        ("", "there are no sentences"),
        (row(1, 0) + "\n", "there is one sentence"),
        (text + row(1, 2) + row(2, 1) + "\n", f"line {line}: the sentence is no tree (the heads run in a circle)"),
        (text + row(1, "_") + row(2, "_") + "\n", f"line {line}: the sentence is no tree (no word has a head)"),
        (text + row(1, 0) + row(2, "_") + "\n", f"line {line}: the sentence is no tree (a word has no head"),
        (text + row(1, 7) + row(2, 0) + "\n", f"line {line}, "),
        (text + row(1, "x") + "\n", f"line {line}, "),
    ):
        Path("bad.conll").write_text(content)
        assert tuned("bad.conll", "-if", "conllx", plan="tiny.yaml") == 1
        assert f"bad.conll{'' if message.startswith('there') else ','}" in (found := said(capsys))
        assert message in found
        assert not Path("bad").exists()


def test_names_of_files(capsys: pytest.CaptureFixture[str], place: Path) -> None:
    content = Path("t.conll").read_text()
    for name, folder in (
        ("a b'c\".conll", "a b'c\""),
        ("-x.conll", "-x"),
        ("plain", "plain.study"),
        ("\u00e6\u03b1.conll", "\u00e6\u03b1"),
    ):
        Path(name).write_text(content)
        assert tuned("--", name, plan="tiny.yaml") == 0
        [parse, train, _, more] = capsys.readouterr().out.splitlines()[-4:]
        assert more.startswith("  maltopt run --plan best --folds 2 ")
        assert shlex.split(more)[-1].removeprefix("./") == name
        once_more = report(folder)["command"]
        for command in (parse.replace("FILE", "t.conll -o out"), f"{train} -c again", once_more):
            [program, *words] = shlex.split(command)
            assert (program, parser([*words, "-v", "error"])) == ("malt", 0)
        assert model_in(f"{folder}-again.mco") == model_in("again.mco") == model_in(f"{folder}/{folder}.mco")


def test_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    text = Path("t.conll").read_text()
    for charset, name in (("UTF-8", "one"), ("ISO-8859-1", "two")):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode(charset)), charset))
        assert tuned("-", "-c", name, "-ic", charset, plan="tiny.yaml") == 0
        assert Path(name, "treebank.conll").read_text() == text
        assert parser(["train", "-v", "error", "-f", f"{name}/options.xml", "-c", "again"]) == 0
        assert model_in("again.mco") == model_in(f"{name}/{name}.mco")
    assert model_in("one/one.mco") == model_in("two/two.mco")


def test_the_built_in_treebank(capsys: pytest.CaptureFixture[str]) -> None:
    assert maltopt(["run", "--plan", "tiny.yaml", "--folds", "1"]) == 0
    assert "no treebank is given: tuning to the built-in sample" in capsys.readouterr().err
    assert Path("sample/sample.mco").exists()


def test_a_format_of_ones_own() -> None:
    Path("my.xml").write_text(
        '<dataformat name="mine" reader="tab" writer="tab">'
        + "".join(
            f'<column name="{name}" category="INPUT" type="{kind}"/>'
            for name, kind in (
                ("ID", "INTEGER"),
                ("FORM", "STRING"),
                ("LEMMA", "STRING"),
                ("NER", "STRING"),
                ("POSTAG", "STRING"),
                ("FEATS", "STRING"),
            )
        )
        + '<column name="HEAD" category="HEAD" type="INTEGER"/>'
        + '<column name="DEPREL" category="DEPENDENCY_EDGE_LABEL" type="STRING"/>'
        + "".join(f'<column name="{name}" category="IGNORE" type="STRING" default="_"/>' for name in "AB")
        + "</dataformat>"
    )
    Path("ner.yaml").write_text(
        "like: default\nphase2: []\nphase3: [{if: uses NER, add: 'InputColumn(NER,{left})', rule: label}]\n"
    )
    assert tuned("t.conll", "-if", "my.xml", plan="ner.yaml") == 0
    assert any("NER" in attempt["what"] for attempt in report("t")["decisions"])
    assert '<option name="format" value="../my.xml"/>' in Path("t/options.xml").read_text()
    assert parser(["train", "-v", "error", "-f", "t/options.xml", "-c", "again"]) == 0
    assert model_in("again.mco") == model_in("t/t.mco")


def test_folders_of_something_else(capsys: pytest.CaptureFixture[str]) -> None:
    Path("full").mkdir()
    Path("full/thesis.tex").write_text("")
    assert tuned("t.conll", "-c", "full") == 1
    assert said(capsys) == "maltopt: full: this folder holds something else; give the study another name with -c"
    assert tuned("t.conll", "-c", "t.conll") == 1
    assert said(capsys) == "maltopt: t.conll: this is a file; give the study another name with -c"
    assert tuned("t.conll", plan="tiny.yaml") == 0
    Path("t.conll").write_text("".join(malt.sample.text(31, seed=4)))
    assert tuned("t.conll", plan="tiny.yaml") == 1
    assert "the study in this folder is about another treebank; give another name" in said(capsys)
    Path("t.conll").write_text("".join(malt.sample.text(30, seed=4)))
    assert tuned("t.conll", "--metric", "uas", plan="tiny.yaml") == 1
    assert "about another metric (las, not uas)" in said(capsys)
    assert tuned("t.conll", "-a", "3planar", "-c", "new") == 2
    assert not Path("new").exists()


def started(*words: str) -> subprocess.Popen[str]:
    program = "import sys; from malt.commands import maltopt; sys.exit(maltopt(sys.argv[1:]))"
    command = [sys.executable, "-c", program, "run", "--plan", "plan.yaml", "--folds", "2", *words]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def wait_for_lines(number: int, process: subprocess.Popen[str]) -> None:
    path = Path("t/journal.jsonl")
    for _ in range(3000):
        if process.poll() is not None or (path.exists() and path.read_bytes().count(b"\n") >= number):
            return
        time.sleep(0.01)


def test_kills() -> None:
    assert tuned("t.conll", "-c", "whole") == 0
    dice, lines = random.Random(1), 0
    for _ in range(2):
        process = started("t.conll")
        wait_for_lines(lines + dice.randint(2, 9), process)
        process.kill()
        process.communicate()
        lines = Path("t/journal.jsonl").read_bytes().count(b"\n")
    kept = journal("t")
    assert tuned("t.conll") == 0
    found = journal("t")
    assert found[: len(kept)] == kept
    assert len(set(found)) == len(found), "a trial was run twice"
    whole = without_times(report("whole"))
    assert {
        **without_times(report("t")),
        "name": "whole",
        "command": whole["command"],
        "again": whole["again"],
    } == whole
    assert model_in("t/t.mco") == model_in("whole/whole.mco")


def test_a_kill_while_the_held_out_part_is_scored() -> None:
    assert tuned("t.conll") == 0
    whole, path = without_times(report("t")), Path("t/journal.jsonl")
    lines = path.read_text().splitlines(keepends=True)
    assert [json.loads(line)["fold"] for line in lines[-2:]] == [2, 2]
    assert not any('"fold":2' in line for line in lines[:-2])
    for kept, torn in ((1, ""), (2, lines[-2][:50]), (1, lines[-1][:-1])):
        path.write_text("".join(lines[:-kept]) + torn)
        assert tuned("t.conll") == 0
        assert without_times(report("t")) == whole
        assert len(journal("t")) == len(lines) - 1
        assert report("t")["trials"]["here"] == kept


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt(number: signal.Signals) -> None:
    process = started("t.conll")
    wait_for_lines(3, process)
    again = tuned("t.conll")  # two in one folder
    process.send_signal(number)
    _, errors = process.communicate(timeout=60)
    assert again == 1
    assert process.returncode == 128 + number
    assert errors.splitlines()[1:] == [
        "maltopt: interrupted" if number == signal.SIGINT else "maltopt: stopped by SIGTERM"
    ]
    assert len(set(journal("t"))) == len(journal("t")) >= 2


def test_nothing_speaks_after_an_interrupt(monkeypatch: pytest.MonkeyPatch) -> None:
    left: list[Iterator[Trial]] = []

    class Interrupted:
        jobs = 1

        def run(self, trials: Iterator[Trial], record: Record, wants: Wants) -> Generator[bool, None, None]:
            left.append(trials)
            yield bool(next(trials).fold)
            raise KeyboardInterrupt

    with open_run("t.conll", None, Terms(folds=2)) as (found, _):
        found.runner = Interrupted()
        with pytest.raises(KeyboardInterrupt):
            carry_out(found, None)
    said: list[object] = []
    monkeypatch.setattr(sys, "unraisablehook", said.append)
    monkeypatch.setattr(run, "MaltError", None)  # as when Python ends
    del found
    left.clear()
    gc.collect()
    assert not said


def test_the_library(place: Path) -> None:
    study = malt.optimizer.run("t.conll", "out", plan="tiny.yaml", folds=2, jobs=1)
    assert study.done
    assert Path("out/out.mco").exists()
    assert malt.optimizer.run("t.conll", plan="tiny.yaml", folds=2).best == study.best
    asked = malt.optimizer.run("t.conll", plan="tiny.yaml", folds=2, algorithm="2planar")
    assert asked.best.setup.algorithm == "2planar"
    assert study.expectation is not None
    assert study.expectation.sentences == 3
    assert malt.optimizer.run("t.conll", plan="tiny.yaml", folds=2, holdout=0).expectation is None
    for wrong in (
        {"metric": "f1"},
        {"folds": -1},
        {"holdout": 1},
        {"phases": ["phase4"]},
        {"phases": []},
        {"algorithm": "3planar"},
        {"algorithm": "x"},
        {"plan": "x"},
    ):
        with pytest.raises(malt.errors.UsageError):
            malt.optimizer.run("t.conll", **{"plan": "tiny.yaml", **wrong})
