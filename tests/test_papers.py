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


def made(folder: Path, *words: str) -> str:
    """The page of a small treebank that is called Danish."""
    for name, seed in (("train", 1), ("test", 2)):
        text = "".join(malt.sample.text(40 if seed == 1 else 15, nonprojective=0.4, seed=seed))
        (folder / f"{name}.conll").write_text(text)
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "benchmarks")}
    script = [sys.executable, str(ROOT / "benchmarks" / "papers.py"), "--keep", str(folder / "kept"), "-o", "out.md"]
    subprocess.run([*script, *words, "Danish=train.conll,test.conll"], cwd=folder, check=True, env=environment)
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
