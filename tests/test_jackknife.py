"""The optimizer on tags that are predicted (--jackknife)."""

from __future__ import annotations

from pathlib import Path

import pytest

import malt
from malt.commands import maltopt
from malt.errors import DataError
from malt.optimizer.search.run import Terms, open_run
from malt.optimizer.trial.corpus import Corpus
from malt.optimizer.trial.jackknife import Jackknifed

PREDICTED = ("LEMMA", "UPOSTAG", "XPOSTAG", "FEATS")


def treebank(number: int = 60, seed: int = 1) -> str:
    return "".join(malt.sample.text(number, "conllu", seed=seed))


def test_tags_are_predicted_and_all_else_stays() -> None:
    gold = Corpus.read(treebank())
    found = Jackknifed.of(gold, 4)
    assert set(found.columns) == set(PREDICTED)
    right = words = 0
    for one, two in zip(malt.read(gold.text.decode()), malt.read(found.corpus.text.decode()), strict=True):
        for name in one.format.names:
            if name not in PREDICTED and name in one.format.coded:
                assert one[name] == two[name]
        assert one.heads == two.heads
        right += sum(a == b for a, b in zip(one["UPOSTAG"], two["UPOSTAG"], strict=True))
        words += len(one)
    assert 0.5 < right / words < 1  # learned from others, and so not always right
    assert Jackknifed.of(gold, 4).corpus.text == found.corpus.text


def test_tags_do_not_depend_on_those_of_the_same_part() -> None:
    gold = Corpus.read(treebank())
    half = len(gold) // 2
    # Other tags, but none that is not elsewhere, too: their numbers stay.
    nominative, accusative = (b"\tNOUN\tNc\tCase=%s|Gender=Fem|Number=Sing\t" % case for case in (b"Nom", b"Acc"))
    late = b"".join(gold.sentences[half - 10 : half])
    assert nominative in late
    rest = b"".join(gold.sentences[half:])
    text = b"".join(gold.sentences[: half - 10]) + late.replace(nominative, accusative) + rest
    changed = Corpus.read(text.decode())
    one, two = Jackknifed.of(gold, 2).corpus, Jackknifed.of(changed, 2).corpus
    assert one.sentences[:half] == two.sentences[:half]
    assert one.sentences[half:] != two.sentences[half:]


def test_other_files_are_tagged_by_all_of_it(tmp_path: Path) -> None:
    (tmp_path / "dev.conllu").write_text(treebank(20, 7), encoding="utf-8")
    (tmp_path / "test.conllu").write_text(treebank(20, 8), encoding="utf-8")
    terms = Terms(development=str(tmp_path / "dev.conllu"), holdout=str(tmp_path / "test.conllu"), jackknife=True)
    with open_run(treebank(), None, terms) as (found, _):
        model = Jackknifed.of(Corpus.read(treebank()))
        assert found.corpus.text == model.corpus.text
        assert found.folds[0].test == model.tag(Corpus.read(treebank(20, 7))).text != treebank(20, 7).encode()
        assert found.held_out is not None
        assert found.held_out.text == model.tag(Corpus.read(treebank(20, 8))).text
        assert [finding.value for finding in found.findings if finding.name == "tags"] == ["predicted"]


def test_the_command_keeps_the_tagged_treebank(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "train.conllu").write_text(treebank(), encoding="utf-8")
    words = ["-c", str(tmp_path / "found"), "--jackknife", str(tmp_path / "train.conllu")]
    assert maltopt(["phase1", *words]) == 0
    assert " --jackknife " in capfd.readouterr().out
    assert maltopt(["run", *words, "--time", "1s"]) == 0
    kept = (tmp_path / "found" / "treebank.conll").read_bytes()
    assert kept == Jackknifed.of(Corpus.read(treebank())).corpus.text
    assert "treebank.conll" in (tmp_path / "found" / "options.yaml").read_text("utf-8")
    # Without it, the study would be another one.
    assert maltopt(["run", "-c", str(tmp_path / "found"), str(tmp_path / "train.conllu")]) == 1
    assert "about another held-out part" in capfd.readouterr().err


def test_what_cannot_be_jackknifed() -> None:
    with pytest.raises(DataError, match="--jackknife is for CoNLL-U"):
        Jackknifed.of(Corpus.read("".join(malt.sample.text(10))))
    with pytest.raises(DataError, match="no tags and no lemmas"):
        Jackknifed.of(Corpus.read("1\ta\t_\t_\t_\t_\t0\troot\t_\t_\n\n", "conllu"))
