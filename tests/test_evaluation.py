"""`malt.evaluate`: scores of files, texts and sentences, as numbers."""

from __future__ import annotations

import json
import math
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy
import pytest

import malt
from malt.commands import malt as command

GOLD = malt.read(malt.sample.text(30, "conllu", seed=9))


@pytest.fixture(scope="module")
def model() -> malt.Model:
    return malt.train(malt.sample.text(60, "conllu"))


@pytest.fixture(scope="module")
def parsed(model: malt.Model) -> list[malt.Sentence]:
    return list(model.parse(GOLD))


@pytest.fixture
def files(parsed: list[malt.Sentence], tmp_path: Path) -> tuple[str, str]:
    for name, sentences in (("gold", GOLD), ("parsed", parsed)):
        (tmp_path / name).write_text("".join(map(str, sentences)), encoding="utf-8")
    return str(tmp_path / "gold"), str(tmp_path / "parsed")


def test_sources(files: tuple[str, str], model: malt.Model, parsed: list[malt.Sentence]) -> None:
    gold, path = files
    expected = malt.evaluate(gold, path)
    assert 0.3 < expected.las < expected.uas < 1
    text = "".join(map(str, parsed))
    array = numpy.array(parsed, dtype=object)
    kept = (parsed, array, text, list(map(str, parsed)), Path(path), [Path(path)])
    once: list[Callable[[], Any]] = [lambda: iter(parsed), lambda: model.parse(GOLD), lambda: map(str, parsed)]
    for make in [*once, *(lambda one=one: one for one in kept)]:
        for reference in (GOLD, gold):
            result = malt.evaluate(reference, make())
            assert repr(result) == repr(expected)
            [system] = result.systems
            [wanted] = expected.systems
            assert system.to_dict() == wanted.to_dict()


def test_pickle(parsed: list[malt.Sentence]) -> None:
    """A result goes to other processes and comes back."""
    result = malt.evaluate(GOLD, parsed)
    again = pickle.loads(pickle.dumps(result))
    assert again.to_dict() == result.to_dict()
    assert again.las == result.las


def test_one_sentence() -> None:
    assert malt.evaluate(GOLD[0], GOLD[0]).las == 1.0


def test_numbers(files: tuple[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    result = malt.evaluate(*files)
    total = result.to_dict()["systems"][files[1]]["ud"]["in"]
    assert (result.las, result.uas, result.label_accuracy) == (total["las"], total["uas"], total["label_accuracy"])
    assert (result.clas, result.complete_match) == (total["clas"]["f"], total["complete_labelled"])
    assert command(["eval", "--json", *files]) == 0
    assert json.loads(capsys.readouterr().out) == json.loads(json.dumps(result.to_dict()))
    assert repr(result) == (
        f"<Evaluation LAS {100 * result.las:.2f} %, UAS {100 * result.uas:.2f} %; 30 sentences, {result.words} words; "
        "CoNLL 2018 (UD), with punctuation, labels without subtypes>"
    )
    without = malt.evaluate(*files, convention="conllx")
    assert without.las == without.to_dict()["systems"][files[1]]["conllx"]["out"]["las"] != result.las


def test_nothing_counts() -> None:
    dot = malt.Sentence.from_text("1\t.\t_\tP\tP\t_\t0\tROOT\n", "conllx")
    result = malt.evaluate(dot, dot)
    assert math.isnan(result.las)
    assert math.isnan(result.clas)
    assert repr(result).startswith("<Evaluation LAS -, UAS -; 1 sentence, 1 word;")


def test_several(files: tuple[str, str], parsed: list[malt.Sentence]) -> None:
    gold, path = files
    cases: list[tuple[Any, list[str]]] = [
        ([gold, path], [gold, path]),
        ([GOLD, parsed], ["system 1", "system 2"]),
        ({"ours": GOLD, "theirs": path}, ["ours", "theirs"]),
    ]
    for systems, names in cases:
        result = malt.evaluate(GOLD, systems)
        assert [system.name for system in result.systems] == names == list(result.to_dict()["systems"])
        assert result.systems[0].las == 1.0 > result.systems[1].las
        assert result.comparisons[0].second == names[1]
        assert f"; {names[1]}: LAS " in repr(result)
        with pytest.raises(malt.UsageError, match=r"2 systems; .* \.systems\[0\]\.las"):
            print(result.las)


def test_wrong(files: tuple[str, str], parsed: list[malt.Sentence]) -> None:
    with pytest.raises(malt.DataError, match="the system: the file ends after 29 sentences, but the gold standard"):
        malt.evaluate(GOLD, parsed[:-1])
    with pytest.raises(malt.DataError, match=r"the system, line .*: the word is .*, but the gold standard, line"):
        malt.evaluate(GOLD, parsed[1:] + parsed[:1])
    with pytest.raises(malt.UsageError, match=r"convention: expected conllx or ud, not 'udd'; did you mean ud\?"):
        malt.evaluate(GOLD, parsed, convention="udd")
    with pytest.raises(malt.UsageError, match="is given twice"):
        malt.evaluate(files[0], [files[1], files[1]])
    for nothing in ([], {}):
        with pytest.raises(malt.UsageError, match="nothing to score"):
            malt.evaluate(GOLD, nothing)  # type: ignore[arg-type]
    with pytest.raises(malt.UsageError, match="expected a treebank, not bytes"):
        malt.evaluate(GOLD, b"1\tx\n")  # type: ignore[arg-type]
    with pytest.raises(malt.UsageError, match="expected a treebank, not int"):
        malt.evaluate(GOLD, 7)  # type: ignore[arg-type]
    with pytest.raises(malt.MaltError, match="no such file"):
        malt.evaluate("nofile", parsed)


def test_names_that_look_like_text(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """On the command line a name is a name."""
    path = tmp_path / "a\tb"
    path.write_text("".join(map(str, GOLD)), encoding="utf-8")
    assert command(["eval", str(path), str(path)]) == 0
    assert "100.00 %" in capsys.readouterr().out
