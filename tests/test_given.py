"""Where a treebank comes from that nobody names: standard input, or the built-in sample."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import malt

RUN = "import sys; from malt.commands import {0}; sys.exit({0}())"


def run(*words: str, program: str = "malt", stdin: object = subprocess.DEVNULL, text: str = "") -> tuple[int, str]:
    given = {"input": text.encode()} if text else {"stdin": stdin}
    words = (sys.executable, "-c", RUN.format(program), *words)
    done = subprocess.run(words, capture_output=True, check=False, **given)
    return done.returncode, done.stderr.decode()


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_pipe_is_learned_from() -> None:
    code, said = run("train", "-c", "m", text="".join(malt.sample.text(20, "conllu")))
    assert code == 0
    assert said.startswith("no treebank is named: reading it from standard input, which is a pipe\n")
    assert malt.load("m").format.name == "conllu"  # that of the pipe, and not of the sample


def test_a_file_at_standard_input_is_learned_from() -> None:
    Path("t.conllu").write_text("".join(malt.sample.text(20, "conllu")))
    with open("t.conllu", "rb") as stream:
        assert run("train", "-c", "m", "-v", "error", stdin=stream) == (0, "")
    assert malt.load("m").format.name == "conllu"


def test_an_empty_pipe_is_an_error() -> None:
    reading, writing = os.pipe()
    os.close(writing)
    code, said = run("train", "-c", "m", stdin=reading)
    os.close(reading)
    assert code == 1
    assert said.endswith("malt: there is nothing to learn from: the treebank has no sentences\n")
    assert not Path("m.mco").exists()


def test_the_sample_is_in_the_format_that_is_asked_for() -> None:
    code, said = run("train", "-c", "m", "--sample")
    assert code == 0
    assert said.startswith("Learned nivreeager")  # no word of a file that the user has not named
    assert run("train", "-c", "m", "--sample", "-if", "conllu", "-ic", "UTF-16", "-v", "error") == (0, "")
    assert malt.load("m").format.name == "conllu"
    wrong = "malt: a sample cannot be written as malttab; expected conllx or conllu\n"
    assert run("train", "-c", "m", "--sample", "-if", "malttab") == (2, wrong)


def test_the_sample_never_replaces_a_model_unless_it_is_asked_for() -> None:
    assert run("train", "-c", "m", "-v", "error") == (0, "")
    assert malt.load("m").format.name == "conllx"
    Path("t.conllu").write_text("".join(malt.sample.text(20, "conllu")))
    assert run("train", "-c", "m", "-v", "error", "t.conllu") == (0, "")
    before = Path("m.mco").read_bytes()
    code, said = run("train", "-c", "m")
    assert (code, said.count("\n")) == (2, 1)
    assert "no treebank is given, and m.mco is there already" in said
    assert Path("m.mco").read_bytes() == before
    assert run("train", "-c", "m", "--sample", "-v", "error") == (0, "")
    assert malt.load("m").format.name == "conllx"
    assert run("train", "-c", "m", "--sample", "t.conllu")[0] == 2


@pytest.mark.slow
def test_a_search_goes_on_with_the_sample() -> None:
    words = ["phase1", "--folds", "1", "-j", "1"]
    code, said = run(*words, program="maltopt")
    assert code == 0
    assert "no treebank is given: tuning to the built-in sample" in said
    assert run(*words, "--sample", program="maltopt")[0] == 0
    lines = Path("sample/journal.jsonl").read_text().splitlines()
    code, _ = run(*words, program="maltopt")
    assert code == 0
    assert Path("sample/journal.jsonl").read_text().splitlines() == lines  # nothing is tried again
    code, said = run(*words, program="maltopt", text="".join(malt.sample.text(30, seed=3)))
    assert code == 0
    assert "standard input, which is a pipe" in said
    assert Path("study/phase1.yaml").exists()


def test_a_keyboard_is_waited_for_aloud() -> None:
    pty = pytest.importorskip("pty")
    malt.train(malt.sample.text(20)).save("m")
    ours, theirs = pty.openpty()
    os.write(ours, b"1\tla\t_\tDET\tDa\t_\n\n\x04")
    code, said = run("parse", "-c", "m", stdin=theirs)
    os.close(ours)
    os.close(theirs)
    assert code == 0
    assert said.startswith("reading from the keyboard; Ctrl-D on a line of its own ends the input\n")


@pytest.mark.parametrize(
    ("typed", "said"), [(b"", "no sentences were found"), (b"1\tla\t_\tDET\tDa\t_\n\n", "read as")]
)
def test_one_end_is_enough_at_a_keyboard(typed: bytes, said: str) -> None:
    """Whatever looks at the beginning to recognise the format, which may be all there is."""
    pty = pytest.importorskip("pty")
    ours, theirs = pty.openpty()
    os.write(ours, typed + b"\x04")
    command = [sys.executable, "-c", RUN.format("malt"), "convert", "-of", "malttab"]
    done = subprocess.run(command, stdin=theirs, capture_output=True, check=False, timeout=60)
    os.close(ours)
    os.close(theirs)
    assert done.returncode == 0
    assert said in done.stderr.decode()
