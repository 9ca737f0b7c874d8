"""benchmarks/papers.py: our figures beside those of the papers."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import malt

ROOT = Path(__file__).resolve().parent.parent
LATER = ("--without", "libsvm", "--without", "optimizer")
pytestmark = pytest.mark.slow


def ended(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """How the script ends, and what it prints."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "benchmarks")}
    script = [sys.executable, str(ROOT / "benchmarks" / "papers.py"), *words]
    return subprocess.run(script, cwd=folder, env=environment, capture_output=True, text=True)


def run(folder: Path, *words: str) -> str:
    """What the script prints."""
    found = ended(folder, *words)
    assert found.returncode == 0, found.stderr
    return found.stdout


def made(folder: Path, *words: str, language: str = "Danish") -> str:
    """The page of a small treebank that is called Danish, say."""
    for name, seed in (("train", 1), ("test", 2)):
        text = "".join(malt.sample.text(40 if seed == 1 else 15, nonprojective=0.4, seed=seed))
        (folder / f"{name}.conll").write_text(text)
    run(folder, "--keep", str(folder / "kept"), "-o", "out.md", *words, f"{language}=train.conll,test.conll")
    return (folder / "out.md").read_text()


def test_pages_and_going_on(tmp_path: Path) -> None:
    page = made(tmp_path, *LATER)
    assert "| Danish | 5,512 / 55 | 853 / " in page
    assert "| Danish, LIBLINEAR | 2-planar | 83.8 / " in page
    assert "LIBSVM" not in page
    assert "MaltOptimizer (2012)" not in page
    place = tmp_path / "kept" / "results.json"
    results = json.loads(place.read_text())
    gone = next(key for key in results if key.endswith("2-planar"))
    place.write_text(json.dumps({key: value for key, value in results.items() if key != gone}))
    assert made(tmp_path, *LATER) == page
    assert json.loads(place.read_text()) == results
    whole = made(tmp_path)
    assert "| Danish, LIBSVM | 2-planar | 84.8 / " in whole
    row = next(line for line in whole.splitlines() if line.startswith("| Danish | 81.01 / "))
    assert row.count(" / ") == 6


def test_remarks_are_about_languages_that_are_there(tmp_path: Path) -> None:
    words = made(tmp_path, *LATER, language="Klingon").split()
    assert not {"Danish", "Swedish", "Swedish,"} & set(words)
    assert "Training and test set together." in " ".join(words)
    danish = " ".join(made(tmp_path, *LATER).split())
    assert "The Danish row of the paper has 5,430 trees" in danish
    assert "the same to the last tree" not in danish  # it is another treebank


def test_help_says_what_options_are(tmp_path: Path) -> None:
    shown = " ".join(run(tmp_path, "--help").split())
    for words in ("a treebank in CoNLL-X", "where what was measured is kept", "what is not measured now", "the page"):
        assert words in shown


@pytest.mark.parametrize(
    ("treebank", "message"),
    [
        ("Danish=train.conll", "expected LANGUAGE=TRAIN,TEST, not 'Danish=train.conll'"),
        ("Danish=train.conll,nowhere.conll", "nowhere.conll: no such file"),
        ("Danish=train.conll,empty.conll", "empty.conll: there are no sentences"),
    ],
)
def test_what_is_wrong_is_one_line(treebank: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "train.conll").write_text("".join(malt.sample.text(5)))
    (tmp_path / "empty.conll").touch()
    found = ended(tmp_path, "-o", "out.md", *LATER, treebank)
    assert found.returncode == 1
    assert found.stderr.splitlines()[-1].startswith(f"papers: {message}")
    assert "Traceback" not in found.stderr
