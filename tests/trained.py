"""A model that was trained and used on the command line, as a user would."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import pytest

from malt import sample
from malt.commands import malt


class Trained(NamedTuple):
    """Its name, the files that there are, and what `malt info` says of it."""

    name: str
    train: str
    gold: str
    out: str
    two: str
    info: str


def trained(algorithm: str, folder: Path, capfd: pytest.CaptureFixture[str]) -> Trained:
    """A model of an algorithm that only the structured learner can teach; it parses the same with three threads."""
    train, gold, out, two = (str(folder / name) for name in ("train.conll", "gold.conll", "out.conll", "two.conll"))
    Path(train).write_text("".join(sample.text(60, seed=1)))
    Path(gold).write_text("".join(sample.text(30, seed=3)))
    name = str(folder / "m")
    assert malt(["train", "-c", name, "-a", algorithm, "--passes", "3", "--dev", gold, train]) == 0
    assert "on the development set" in capfd.readouterr().err
    assert malt(["parse", "-c", name, gold, "-o", out]) == 0
    assert malt(["parse", "-c", name, "-j", "3", gold, "-o", two]) == 0
    assert Path(out).read_bytes() == Path(two).read_bytes()
    assert malt(["info", name]) == 0
    return Trained(name, train, gold, out, two, capfd.readouterr().out)
