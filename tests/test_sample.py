"""The sample treebank: the same everywhere, of the shapes asked for, well formed, and like language."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from itertools import islice
from pathlib import Path

import pytest
from structure import gap_degree, is_ill_nested, is_planar, is_projective, planes, projection

from malt.commands import malt
from malt.errors import UsageError
from malt.sample import SampleSentence, sentences, text

THOUSAND = list(sentences(1000))


def counts(found: list[SampleSentence]) -> dict[str, int]:
    heads = [sentence.heads for sentence in found]
    assert all(planes(tree, 2) is not None for tree in heads)
    return {
        "nonprojective": sum(not is_projective(tree) for tree in heads),
        "nonplanar": sum(not is_planar(tree) for tree in heads),
        "illnested": sum(is_ill_nested(tree) for tree in heads),
    }


@pytest.mark.parametrize(
    ("format", "digest"),
    [
        ("conllx", "0bf3ddbc0a9195700c819002d54c956638aa4402899c495c57b7faa96fcda953"),
        ("conllu", "3cdc1db302d51ec73a1e48a6468841c412e4bc3554ea63f08063022d1ced1afc"),
    ],
)
def test_same_text_on_every_machine(format: str, digest: str) -> None:
    whole = "".join(text(200, format, seed=7)).encode()
    assert hashlib.sha256(whole).hexdigest() == digest


def test_a_longer_sample_begins_with_a_shorter_one() -> None:
    assert list(islice(sentences(10**9), 50)) == list(sentences(50)) == THOUSAND[:50]


def test_seeds_differ_but_the_language_is_one() -> None:
    other = list(sentences(1000, seed=-1))
    assert other[:20] != THOUSAND[:20]
    known = {word.lemma for sentence in THOUSAND for word in sentence.words}
    lemmas = [word.lemma for sentence in other for word in sentence.words]
    assert sum(lemma in known for lemma in lemmas) > 0.93 * len(lemmas)


def test_default_shares() -> None:
    found = counts(THOUSAND)
    assert found["nonprojective"] == pytest.approx(150, abs=2)
    assert found["nonplanar"] == pytest.approx(120, abs=2)
    assert found["illnested"] == pytest.approx(10, abs=2)


@pytest.mark.parametrize("shares", [(0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (1.0, 1.0, 0.5), (0.4, 0.35, 0.05)])
def test_shares_asked_for(shares: tuple[float, float, float]) -> None:
    nonprojective, nonplanar, illnested = shares
    found = list(sentences(200, seed=3, nonprojective=nonprojective, nonplanar=nonplanar, illnested=illnested))
    assert list(counts(found).values()) == pytest.approx([200 * share for share in shares], abs=2)


def test_shares_not_given_follow() -> None:
    assert counts(list(sentences(200, nonprojective=0.0))) == {"nonprojective": 0, "nonplanar": 0, "illnested": 0}
    assert counts(list(sentences(200, nonprojective=0.5)))["nonplanar"] == pytest.approx(80, abs=2)
    found = counts(list(sentences(200, nonplanar=0.5)))
    assert found["nonplanar"] == found["nonprojective"] == pytest.approx(100, abs=2)
    assert counts(list(sentences(100, illnested=0.3)))["illnested"] == pytest.approx(30, abs=2)


def test_gaps() -> None:
    degrees = Counter(gap_degree(sentence.heads) for sentence in THOUSAND)
    assert degrees[0] == pytest.approx(850, abs=2)
    assert degrees[1] > 20 * degrees[2] > 0
    assert set(degrees) <= {0, 1, 2, 3}


def test_trees() -> None:
    for sentence in THOUSAND:
        heads = sentence.heads
        assert heads.count(0) == 1
        assert all(0 <= head <= len(heads) for head in heads)
        assert len(projection(heads, heads.index(0) + 1)) == len(heads)
        assert all((word.deprel == "root") == (word.head == 0) for word in sentence.words)


def test_lengths() -> None:
    lengths = sorted(len(sentence.words) for sentence in THOUSAND)
    assert lengths[0] >= 3
    assert lengths[-1] <= 45
    assert 13 <= sum(lengths) / 1000 <= 16
    assert lengths[950] > 2.5 * lengths[500]


def test_vocabulary() -> None:
    forms = Counter(word.form for sentence in THOUSAND for word in sentence.words)
    tokens = sum(forms.values())
    assert 0.15 < sum(number for _, number in forms.most_common(10)) / tokens < 0.35
    assert 0.4 < sum(number == 1 for number in forms.values()) / len(forms) < 0.7
    nouns = Counter(word.lemma for sentence in THOUSAND for word in sentence.words if word.xpos == "Nc")
    ranked = [number for _, number in nouns.most_common()]
    assert ranked[0] > 5 * ranked[20] > 10 * ranked[200]
    labels = {word.deprel for sentence in THOUSAND for word in sentence.words}
    assert 20 <= len(labels) <= 27


def test_agreement() -> None:
    seen = 0
    for sentence in THOUSAND:
        for word in sentence.words:
            if word.deprel in ("det", "amod"):
                own, noun = (
                    dict(part.split("=") for part in w.feats.split("|")) for w in (word, sentence.words[word.head - 1])
                )
                assert {name: own[name] for name in ("Case", "Gender", "Number")}.items() <= noun.items()
                seen += 1
    assert seen > 1000


def test_ambiguous_forms() -> None:
    readings: dict[str, set[str]] = {}
    for sentence in THOUSAND:
        for word in sentence.words:
            readings.setdefault(word.form, set()).add(word.feats)
    assert sum(len(found) > 1 for found in readings.values()) > 100


def test_conllx() -> None:
    for sentence, block in zip(THOUSAND, text(1000), strict=True):
        assert block.endswith("\n\n")
        lines = [line.split("\t") for line in block.rstrip("\n").split("\n")]
        assert [line[0] for line in lines] == [str(number) for number in range(1, len(lines) + 1)]
        assert all(len(line) == 10 and all(line) for line in lines)
        assert [line[6] for line in lines] == [str(head) for head in sentence.heads]
        assert [line[7] for line in lines if line[6] == "0"] == ["ROOT"]


def test_conllu() -> None:
    multiword = empty = 0
    for block in text(1000, "conllu"):
        assert block.endswith("\n\n")
        name, shown, *rest = block.rstrip("\n").split("\n")
        assert re.fullmatch(r"# sent_id = sample-1-\d+", name)
        lines = [line.split("\t") for line in rest]
        assert all(len(line) == 10 and all(line) for line in lines)
        said = ""
        last = covered = 0
        for line in lines:
            if "-" in line[0]:
                first, covered = map(int, line[0].split("-"))
                assert first == last + 1 == covered - 1
                multiword += 1
            elif "." in line[0]:
                assert line[0] == f"{last}.1"
                empty += 1
                continue
            else:
                last += 1
                assert line[0] == str(last)
                names = [feature.split("=")[0] for feature in line[5].split("|")]
                assert names == sorted(names, key=str.lower)
            if "-" in line[0] or last > covered:
                said += line[1] + ("" if line[9] == "SpaceAfter=No" else " ")
        assert shown == "# text = " + said.strip()
        assert not re.search(r" [,.?!»]|« |,[,.]", shown)
    assert multiword > 50
    assert empty > 2


@pytest.mark.parametrize(
    ("shares", "message"),
    [
        ({"nonprojective": 1.5}, "nonprojective is 1.5; expected"),
        ({"nonplanar": -0.1}, "nonplanar is -0.1; expected"),
        ({"illnested": float("nan")}, "illnested is nan; expected"),
        ({"nonprojective": 0.2, "nonplanar": 0.3}, r"nonplanar \(0.3\) is more than nonprojective \(0.2\)"),
        ({"nonplanar": 0.05, "illnested": 0.06}, r"illnested \(0.06\) is more than nonplanar \(0.05\)"),
    ],
)
def test_impossible_shares(shares: dict[str, float], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        sentences(1, seed=1, **shares)  # before the first sentence is asked for


def test_impossible_number_and_format() -> None:
    with pytest.raises(UsageError, match="-1 sentences"):
        sentences(-1)
    with pytest.raises(UsageError, match="malttab; expected conllx or conllu"):
        text(1, "malttab")


def test_command_writes_to_standard_output(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    assert malt(["sample", "-n", "5", "--seed", "2", "-of", "conllu"]) == 0
    assert capfdbinary.readouterr().out == "".join(text(5, "conllu", seed=2)).encode()


def test_command_writes_a_file(tmp_path: Path) -> None:
    path = tmp_path / "sample.conll"
    assert malt(["sample", "-n", "50", "--nonprojective", "0", "-o", str(path)]) == 0
    assert path.read_bytes() == "".join(text(50, nonprojective=0)).encode()


def test_command_refuses_in_one_line(capfd: pytest.CaptureFixture[str]) -> None:
    assert malt(["sample", "--nonplanar", "0.5", "--nonprojective", "0.15"]) == 2
    written = capfd.readouterr()
    assert written.out == ""
    assert written.err.count("\n") == 1
    assert "nonplanar (0.5) is more than nonprojective (0.15)" in written.err
