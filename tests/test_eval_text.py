"""`malt eval` of files whose tokens differ: the counts of the CoNLL 2018 scorer, and what is refused as it does."""

from __future__ import annotations

import io
import json
import math
import sys
from pathlib import Path
from typing import Any

import pytest
from refusals import eval_error

import malt as library
from malt.commands import malt
from malt.errors import DataError, UsageError
from malt.evaluation import spans
from malt.evaluation.spans import longest_common
from malt.evaluation.text import METRICS, Score, TextEvaluation, evaluate_text

sys.path.insert(0, str(Path(__file__).parent / "reference"))

from conll2018 import CASES, HERE, make_pair

RECORDED: dict[str, dict[str, list[int | None]]] = json.loads((HERE / "conll2018.json").read_text())
Row = tuple[str, str, str, int, str]  # id, form, UPOS, head (-1: none), label


def conllu(*sentences: list[Row]) -> str:
    """Sentences in CoNLL-U; multiword tokens are rows with a range."""
    lines = []
    for sentence in sentences:
        lines.append("# text = x")
        for id, form, pos, head, label in sentence:
            arc = [str(head), label] if head >= 0 else ["_", "_"]
            lines.append("\t".join([id, form, form.lower(), pos, "_", "_", *arc, "_", "_"]))
        lines.append("")
    return "\n".join(lines) + "\n"


GOLD = conllu(
    [
        ("1", "Je", "PRON", 2, "nsubj"),
        ("2", "vais", "VERB", 0, "root"),
        ("3-4", "au", "_", -1, "_"),
        ("3", "à", "ADP", 5, "case"),
        ("4", "le", "DET", 5, "det"),
        ("5", "parc", "NOUN", 2, "obl"),
    ],
    [("1", "Tu", "PRON", 2, "nsubj"), ("2", "viens", "VERB", 0, "root")],
)
# The multiword token is one word, "parc" is two, and one sentence is all.
SYSTEM = conllu(
    [
        ("1", "Je", "PRON", 2, "nsubj"),
        ("2", "vais", "VERB", 0, "root"),
        ("3", "au", "ADP", 4, "case"),
        ("4", "pa", "NOUN", 2, "obl"),
        ("5", "rc", "NOUN", 4, "flat"),
        ("6", "Tu", "DET", 7, "nsubj:pass"),
        ("7", "viens", "VERB", 2, "conj"),
    ]
)


def counts(result: TextEvaluation) -> dict[str, list[int | None]]:
    """What was counted for the first system."""
    return {name: [one.gold, one.system, one.right, one.aligned] for name, one in result.systems[0].scores.items()}


@pytest.fixture
def files(tmp_path: Path) -> dict[str, str]:
    """The files of the sentences above."""
    paths = {name: tmp_path / f"{name}.conllu" for name in ("gold", "system")}
    for path, text in zip(paths.values(), (GOLD, SYSTEM), strict=True):
        path.write_text(text, "utf-8")
    return {name: str(path) for name, path in paths.items()}


def refused(gold: str, system: str) -> str:
    """What is wrong with one of two texts."""
    with pytest.raises(DataError) as caught:
        evaluate_text(gold, system)
    assert "\n" not in str(caught.value)
    return str(caught.value)


# -- scores


def test_there_are_enough_pairs() -> None:
    assert list(RECORDED) == list(CASES)
    assert len(RECORDED) >= 50
    assert all(list(one) == list(METRICS) for one in RECORDED.values())


@pytest.mark.parametrize("name", CASES)
def test_counts_are_those_of_the_shared_task(name: str) -> None:
    assert counts(evaluate_text(*make_pair(name))) == RECORDED[name]


def test_blocks_and_line_ends_change_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    name = "all, 10%, 0"
    for place, text in enumerate(make_pair(name)):
        ends = ("\r\n", "\r")[place]
        (tmp_path / f"{place}.conllu").write_bytes(b"\xef\xbb\xbf" + text.replace("\n", ends).encode())
    monkeypatch.setattr("malt.data.treebank.CHUNK", 1000)
    monkeypatch.setattr("malt.data.treebank.BEGINNING", 1000)
    assert counts(evaluate_text(tmp_path / "0.conllu", tmp_path / "1.conllu")) == RECORDED[name]


def test_scores_by_hand() -> None:
    found = evaluate_text(GOLD, SYSTEM)
    assert (found.sentences, found.tokens, found.words) == (2, 6, 7)
    scores = found.systems[0].scores
    assert scores["Tokens"] == Score(6, 7, 5)
    assert scores["Sentences"] == Score(2, 1, 0)
    assert scores["Words"] == Score(7, 7, 4)  # Je vais Tu viens
    assert scores["UPOS"] == Score(7, 7, 3, 4)
    assert scores["LAS"] == Score(7, 7, 3, 4)  # viens is no root, and a subtype does not count
    assert scores["CLAS"] == Score(5, 6, 3, 4)
    assert found["LAS"] == 3 / 7
    assert found["CLAS"] == 6 / 11
    assert scores["UPOS"].aligned_accuracy == 3 / 4
    assert str(found).startswith("<TextEvaluation Tokens 76.92 %, Sentences 0.00 %, Words 57.14 %")
    assert "42.86 %" in found._repr_html_()


def test_longest_common_sequence_is_that_of_the_scorer() -> None:
    assert longest_common([], [1]) == longest_common([1], [2]) == []
    assert longest_common([1, 2], [2, 1]) == [(1, 0)]  # of two that are as long, the one without the first gold word
    assert longest_common([1, 2, 1, 3], [1, 1, 2, 3]) == [(0, 0), (2, 1), (3, 3)]


def test_a_multiword_token_of_thousands_of_words(monkeypatch: pytest.MonkeyPatch) -> None:
    def token(words: int) -> str:
        first: Row = (f"1-{words}", "xyz", "_", -1, "_")
        return conllu(
            [first, *((str(n), f"w{n}", "X", n - 1, "root" if n == 1 else "dep") for n in range(1, words + 1))]
        )

    assert evaluate_text(token(2000), token(2001))["Words"] == 4000 / 4001
    monkeypatch.setattr(spans, "MOST", 1000)
    assert "the gold standard, line 3: multiword tokens here have 50 words" in refused(token(50), token(51))


def test_empty_nodes_in_multiword_tokens() -> None:
    node = "3.1\te\te\tX\t_\t_\t_\t_\t_\t_\n4\tle"
    assert counts(evaluate_text(GOLD.replace("4\tle", node), GOLD)) == counts(evaluate_text(GOLD, GOLD))


def test_without_trees() -> None:
    bare = "\n".join("\t".join([*line.split("\t")[:6], *"____"]) if "\t" in line else line for line in GOLD.split("\n"))
    found = evaluate_text(GOLD, bare)
    assert list(found.systems[0].scores) == list(METRICS)[: list(METRICS).index("UAS")]
    assert found["Lemmas"] == 1
    assert math.isnan(found["LAS"])


# -- the command


def test_words_that_differ_are_aligned(files: dict[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    assert malt(["eval", files["gold"], files["system"]]) == 0
    plain = capsys.readouterr()
    assert f"the word is 'au', but {files['gold']}, line 5, has 'à'; words are aligned by their characters" in plain.err
    lines = plain.out.splitlines()
    assert lines[0] == "gold.conllu: 2 sentences, 6 tokens, 7 words"
    assert next(line.split() for line in lines if line.startswith("LAS")) == ["LAS", "7", "7", *["42.86"] * 3, "75.00"]
    assert malt(["eval", "--text", files["gold"], files["system"]]) == 0
    assert capsys.readouterr().out == plain.out


def test_json_and_several_systems(files: dict[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    assert malt(["eval", "--text", "--json", files["gold"], files["system"], files["gold"]]) == 0
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    assert (found["sentences"], found["tokens"], found["words"], found["convention"]) == (2, 6, 7, "ud")
    assert list(found["systems"]) == [files["system"], files["gold"]]
    assert found["systems"][files["system"]]["CLAS"] == {
        "gold": 5,
        "system": 6,
        "right": 3,
        "aligned": 4,
        "precision": 3 / 6,
        "recall": 3 / 5,
        "f": 6 / 11,
        "aligned_accuracy": 3 / 4,
    }
    assert found["systems"][files["gold"]]["BLEX"]["f"] == 1
    result = library.evaluate_text(files["gold"], {"one": files["system"], "two": GOLD})
    assert [system["LAS"] for system in result.systems] == [3 / 7, 1]
    assert list(result.to_dict()["systems"].values()) == list(found["systems"].values())
    with pytest.raises(UsageError, match="there are 2 systems"):
        result["LAS"]
    with pytest.raises(KeyError, match="no metric; there are Tokens"):
        result.systems[0]["las"]


def test_page(files: dict[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for systems in (["system"], ["system", "gold"]):
        page = tmp_path / "scores.html"
        assert malt(["eval", "--html", str(page), files["gold"], *(files[name] for name in systems)]) == 0
        capsys.readouterr()
        text = page.read_text("utf-8")
        assert "2 sentences, 6 tokens, 7 words" in text
        for part in (*METRICS, "42.86", "54.55", "76.92", "<svg", *METRICS.values()):
            assert part in text


def test_pipes(files: dict[str, str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(SYSTEM.encode())))
    assert "has 'à'; --text aligns words by their characters" in eval_error(capsys, files["gold"])
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(SYSTEM.encode())))
    assert malt(["eval", "--text", files["gold"]]) == 0
    assert "76.92" in capsys.readouterr().out


def test_usage(files: dict[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    both = (files["gold"], files["system"])
    assert "--by is for files with the same words" in eval_error(capsys, "--text", "--by", "label", *both, code=2)
    assert "--text scores conllu only, not malttab" in eval_error(capsys, "--text", "-if", "malttab", *both, code=2)
    assert "is given twice" in eval_error(capsys, "--text", files["gold"], files["gold"], files["gold"], code=2)
    assert "the word is 'au'" in eval_error(capsys, "--by", "label", *both)  # text has no such groups


# -- what is refused


def test_other_characters(files: dict[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    Path(files["system"]).write_text(SYSTEM.replace("\trc\t", "\trq\t"), "utf-8")
    error = eval_error(capsys, files["gold"], files["system"])
    assert (
        f"{files['system']}, line 6: the text goes on with 'qTuviens', but {files['gold']}, line 7, goes on with 'c"
        in error
    )
    Path(files["system"]).write_text(SYSTEM.replace("\tau\t", "\tàu\t"), "utf-8")
    assert "line 4: the text goes on with 'àuparc" in eval_error(capsys, "--text", files["gold"], files["system"])
    assert "the system, line 11: the text ends, but the gold standard, line 11, goes on with 's'; both" in refused(
        GOLD, GOLD.replace("\tviens\t", "\tvien\t")
    )
    assert "the system, line 11: the text goes on with 's', but the gold standard, line 11, ends" in refused(
        GOLD.replace("\tviens\t", "\tvien\t"), GOLD
    )


def test_trees_that_are_none() -> None:
    cycle = SYSTEM.replace("\t2\tnsubj", "\t3\tnsubj").replace("\t4\tcase", "\t1\tcase")
    assert "the system, line 2: the sentence has a cycle" in refused(GOLD, cycle)
    assert "the gold standard, line 2: the sentence has a cycle" in refused(cycle, GOLD)
    assert "the system, line 2: the sentence has 2 words on the root" in refused(
        GOLD, SYSTEM.replace("\t2\tconj", "\t0\tconj")
    )
    assert "the system, line 3: the word has no head, but others have" in refused(
        GOLD, SYSTEM.replace("\t0\troot", "\t_\t_")
    )


@pytest.mark.parametrize("id", ["3-7", "2-3", "4-4", "3-999999999", "3-" + "9" * 5000])
def test_multiword_tokens_without_their_words(id: str) -> None:
    error = refused(GOLD, GOLD.replace("3-4\t", f"{id}\t"))
    assert f"the system, line 4: the multiword token {id[:20]}" in error
    assert len(error) < 200


def test_multiword_tokens_that_overlap() -> None:
    overlapping = GOLD.replace("4\tle", "4-5\tx\t_\t_\t_\t_\t_\t_\t_\t_\n4\tle")
    assert "line 6: the multiword token 4-5 needs its words right after it, which are in no other" in refused(
        GOLD, overlapping
    )


def test_nothing_to_score(tmp_path: Path, files: dict[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    empty = tmp_path / "empty.conllu"
    empty.write_text("")
    assert "empty.conllu: the text has no words, but" in eval_error(capsys, "--text", files["gold"], str(empty))
    assert "line 2: the text goes on with 'Jevais" in eval_error(capsys, "--text", str(empty), files["gold"])
    assert "empty.conllu: there are no sentences to score" in eval_error(capsys, "--text", str(empty), "/dev/null")
    assert "line 6: the word has no characters but blanks" in refused(GOLD, SYSTEM.replace("\trc\t", "\t\u00a0\t"))
    plus = tmp_path / "plus.conllup"
    plus.write_text("# global.columns = ID FORM UPOS\n1\tJe\tPRON\n")
    assert "the file has no column LEMMA" in eval_error(capsys, "--text", files["gold"], str(plus))
