"""`malt eval`: every number by hand, against plain re-computations, and what it says of files that do not match."""

from __future__ import annotations

import io
import json
import math
import re
import unicodedata
from collections import Counter
from pathlib import Path
from typing import Any

import numpy
import pytest
import structure
from hypothesis import given, settings
from hypothesis import strategies as st
from refusals import eval_error

from malt.commands import malt
from malt.evaluation.evaluation import evaluate
from malt.evaluation.shape import shape
from malt.evaluation.significance import bootstrap, interval, mcnemar

Word = tuple[str, str, int, str]  # form, part of speech, head (-1: none), label
Sentence = list[Word]

# A sentence with a full stop, and one with a non-projective arc (4 -> 2) and a label with a subtype.
GOLD: list[Sentence] = [
    [("the", "D", 2, "det"), ("dog", "N", 3, "nsubj"), ("barks", "V", 0, "root"), (".", "P", 3, "punct")],
    [("a", "V", 0, "root"), ("b", "N", 4, "obj"), ("c", "N", 1, "nsubj:pass"), ("d", "V", 1, "xcomp")],
]
# Wrong: the head of "the", the label of "dog", the head of ".", the subtype of "c".
ONE: list[Sentence] = [
    [("the", "D", 3, "det"), ("dog", "N", 3, "obj"), ("barks", "V", 0, "root"), (".", "P", 2, "punct")],
    [("a", "V", 0, "root"), ("b", "N", 4, "obj"), ("c", "N", 1, "nsubj"), ("d", "V", 1, "xcomp")],
]
# Wrong: "b" and its label; "d" has no head.
TWO: list[Sentence] = [
    GOLD[0],
    [("a", "V", 0, "root"), ("b", "N", 1, "iobj"), ("c", "N", 1, "nsubj:pass"), ("d", "V", -1, "_")],
]


def conllx(sentences: list[Sentence]) -> str:
    """Sentences in CoNLL-X (or CoNLL-U: it depends on the name of the file)."""
    lines = []
    for sentence in sentences:
        for number, (form, pos, head, label) in enumerate(sentence, 1):
            arc = [str(head), label] if head >= 0 else ["_", "_"]
            lines.append("\t".join([str(number), form, "_", pos, pos, "_", *arc, "_", "_"]))
        lines.append("")
    return "\n".join(lines) + "\n"


@pytest.fixture
def files(tmp_path: Path) -> dict[str, str]:
    """The files of the sentences above."""
    paths = {}
    for name, sentences in {"gold": GOLD, "one": ONE, "two": TWO}.items():
        path = tmp_path / f"{name}.conll"
        path.write_text(conllx(sentences))
        paths[name] = str(path)
    return paths


def scores(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, Any]:
    """What --json prints."""
    assert malt(["eval", "--json", "-if", "conllx", *arguments]) == 0
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


# -- known scores


def test_scores_by_hand(files: dict[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    found = scores(capsys, files["gold"], files["one"])
    assert (found["sentences"], found["words"], found["punctuation_words"]) == (2, 8, 1)
    assert (found["convention"], found["punctuation"], found["comparisons"]) == ("conllx", "out", [])
    one = found["systems"][files["one"]]
    conllx_out, conllx_in = one["conllx"]["out"], one["conllx"]["in"]
    assert (conllx_out["las"], conllx_out["uas"], conllx_out["label_accuracy"]) == (4 / 7, 6 / 7, 5 / 7)
    assert (conllx_in["las"], conllx_in["uas"], conllx_in["label_accuracy"]) == (4 / 8, 6 / 8, 6 / 8)
    assert (conllx_in["complete_labelled"], conllx_in["complete_unlabelled"]) == (0, 1 / 2)
    ud_out, ud_in = one["ud"]["out"], one["ud"]["in"]
    assert (ud_in["las"], ud_in["uas"], ud_in["label_accuracy"], ud_out["las"]) == (5 / 8, 6 / 8, 7 / 8, 5 / 7)
    assert (ud_in["complete_labelled"], ud_in["complete_unlabelled"]) == (1 / 2, 1 / 2)
    # nsubj root root obj nsubj xcomp in the gold standard; only "dog" is wrong among them
    assert (ud_in["clas"]["gold"], ud_in["clas"]["system"], ud_in["clas"]["f"]) == (6, 6, 5 / 6)


def test_complete_match_leaves_punctuation_out(tmp_path: Path) -> None:
    gold, system = tmp_path / "gold.conll", tmp_path / "system.conll"
    gold.write_text(conllx([GOLD[0], [("!", "P", 0, "root")]]))
    system.write_text(conllx([[*GOLD[0][:3], (".", "P", 2, "punct")], [("!", "P", 0, "root")]]))
    result = evaluate(str(gold), [str(system)]).systems[0].scores["conllx"]
    assert result.complete(punctuation=False) == (1.0, 1.0)  # of one sentence: in the other no word counts
    assert result.complete(punctuation=True) == (0.5, 0.5)


def test_groups_by_hand(files: dict[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    found = scores(capsys, files["gold"], files["two"])["systems"][files["two"]]
    assert found["without_head"] == 1
    by = found["conllx"]["in"]["by"]

    def line(group: str, name: str) -> tuple[Any, ...]:
        one = by[group][name]
        return one["gold"], one["system"], one["precision"], one["recall"], one["f"]

    assert line("label", "obj") == (1, 0, None, 0, 0)
    assert line("label", "iobj") == (0, 1, 0, None, 0)
    assert line("label", "root") == (2, 2, 1, 1, 1)
    assert line("label", "xcomp") == (1, 0, None, 0, 0)
    assert {name: one["las"] for name, one in by["pos"].items()} == {"D": 1, "N": 2 / 3, "V": 2 / 3, "P": 1}
    assert by["pos"]["N"]["uas"] == by["pos"]["N"]["label_accuracy"] == 2 / 3
    assert {name: (one["gold"], one["system"]) for name, one in by["length"].items()} == {
        "root": (2, 2),
        "1": (3, 4),
        "2": (2, 1),
        "3-6": (1, 0),
    }
    assert line("length", "1") == (3, 4, 3 / 4, 1, 6 / 7)
    assert line("direction", "left") == (3, 2, 1, 2 / 3, 4 / 5)
    assert line("direction", "right") == (3, 3, 2 / 3, 2 / 3, 2 / 3)
    assert line("depth", "2") == (4, 4, 3 / 4, 3 / 4, 3 / 4)
    assert line("depth", "3") == (2, 1, 1, 1 / 2, 2 / 3)
    assert line("sentence", "1-10")[:2] == (8, 8)
    assert by["projectivity"]["non-projective"]["gold"] == 1


def test_nonprojective_arcs(files: dict[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    found = scores(capsys, files["gold"], files["one"], files["two"])["systems"]
    one, two = (found[files[name]]["conllx"]["out"]["nonprojective"] for name in ("one", "two"))
    assert (one["gold"], one["system"], one["precision"], one["recall"]) == (1, 1, 1, 1)
    assert (two["gold"], two["system"], two["precision"], two["recall"]) == (1, 0, None, 0)


def test_recall_counts_arcs_that_are_projective_in_the_output(tmp_path: Path) -> None:
    # Section 5.2: "recall may nevertheless be greater than zero because arcs that are non-projective in the gold
    # standard can be projective in the output". The arc 4 -> 2 is right, but 3 now hangs on 4 as well.
    gold, system = tmp_path / "gold.conll", tmp_path / "system.conll"
    gold.write_text(conllx([GOLD[1]]))
    system.write_text(conllx([[*GOLD[1][:2], ("c", "N", 4, "nsubj"), GOLD[1][3]]]))
    line = evaluate(str(gold), [str(system)]).systems[0].scores["conllx"].nonprojective(False)
    assert (line.system, line.precision, line.recall) == (0, None, 1.0)


def test_convention_follows_the_format(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    paths = [tmp_path / f"{name}.conllu" for name in ("gold", "one")]
    for path, sentences in zip(paths, (GOLD, ONE), strict=True):
        path.write_text("# text = x\n" + conllx(sentences))
    assert malt(["eval", *map(str, paths)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[2] == "CoNLL 2018 (UD), with punctuation, labels without subtypes: 8 words"
    assert any(line.startswith("CoNLL-X (eval.pl), without punctuation: 7 words") for line in lines)
    assert malt(["eval", "--convention", "conllx", "--punctuation", "in", *map(str, paths)]) == 0
    assert capsys.readouterr().out.splitlines()[2] == "CoNLL-X (eval.pl), with punctuation: 8 words"


def test_formats_may_differ(files: dict[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    tab = tmp_path / "one.tab"
    tab.write_text("\n\n".join("\n".join(f"{f}\t{p}\t{h}\t{d}" for f, p, h, d in sentence) for sentence in ONE) + "\n")
    assert malt(["eval", "--json", files["gold"], str(tab)]) == 0
    assert json.loads(capsys.readouterr().out)["systems"][str(tab)]["conllx"]["out"]["las"] == 4 / 7


# -- the table


def test_table(files: dict[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    assert malt(["eval", "--by", "all", files["gold"], files["one"], files["two"]]) == 0
    output = capsys.readouterr()
    assert "two.conll: 1 word has no head and counts as wrong" in output.err
    lines = output.out.splitlines()
    assert lines[0] == "gold.conll: 2 sentences, 8 words, 1 of them punctuation"
    rows = {re.sub(r"\s{2,}.*", "", line): line.split()[-4:] for line in reversed(lines)}
    assert rows["labelled attachment (LAS)"] == ["57.14", "%", "71.43", "%"]
    assert next(line for line in lines if line.startswith("from one.conll to two.conll")).split()[4:] == [
        *("+14.29", "-25.00", "to", "+66.67", "2", "3", "p", "=", "1.000", "(exact)")
    ]
    for group in ("label", "coarse part of speech", "length of arc", "depth in the tree"):
        assert f"by {group}, in %: CoNLL-X (eval.pl), without punctuation" in lines


def test_standard_input(files: dict[str, str], monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(conllx(ONE).encode())))
    assert malt(["eval", "--json", files["gold"]]) == 0
    assert json.loads(capsys.readouterr().out)["systems"]["standard input"]["conllx"]["out"]["las"] == 4 / 7


# -- significance


def test_mcnemar_known_values() -> None:
    # By hand: (|121 - 59| - 1)^2 / 180 = 20.67; the exact value is that of the binomial test of 5 in 20.
    assert mcnemar(121, 59).statistic == pytest.approx(3721 / 180)
    assert mcnemar(121, 59).p == pytest.approx(5.45e-6, rel=1e-3)
    assert mcnemar(5, 15).p == pytest.approx(0.04138947, rel=1e-6)
    assert (mcnemar(5, 15).test, mcnemar(5, 20).test) == ("exact", "chi-square")
    assert mcnemar(12, 12).p == mcnemar(0, 0).p == mcnemar(50, 50).p == 1.0
    assert mcnemar(0, 100_000).p == 0.0


def test_mcnemar_of_two_systems(files: dict[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    (one,) = scores(capsys, files["gold"], files["one"], files["two"])["comparisons"]
    assert (one["first"], one["second"]) == (files["one"], files["two"])
    assert (one["only_first"], one["only_second"]) == (2, 3)  # b, d; the, dog, c
    assert one["difference"] == 1 / 7  # from the first to the second
    assert one["mcnemar"] == {"test": "exact", "statistic": None, "p": 1.0}


def test_bootstrap_known_values() -> None:
    rng = numpy.random.default_rng(0)
    words = rng.integers(5, 40, 2000)
    first = rng.binomial(words, 0.8)
    second = rng.binomial(words, 0.8)
    values = bootstrap(words, [first, second])
    low, high = interval(values[0]) or (0.0, 0.0)
    # For a share, the standard error is known: the interval is 1.96 times as wide on both sides.
    error = 1.96 * math.sqrt(0.8 * 0.2 / words.sum())
    assert (low + high) / 2 == pytest.approx(first.sum() / words.sum(), abs=error / 5)
    assert (high - low) / 2 == pytest.approx(error, rel=0.15)
    assert numpy.array_equal(values, bootstrap(words, [first, second]))
    assert not numpy.array_equal(values, bootstrap(words, [first, second], seed=2))
    same = bootstrap(words, [first, first])
    assert interval(same[0] - same[1]) == (0.0, 0.0)


def test_bootstrap_is_the_same_everywhere() -> None:
    raw = iter(numpy.random.PCG64(1).random_raw(20).tolist())
    plain = [sum((next(raw) >> 32) * 4 >> 32 == 0 for _ in range(4)) / 4 for _ in range(5)]
    assert bootstrap([1, 1, 1, 1], [[1, 0, 0, 0]], resamples=5).tolist() == [plain]
    assert plain == [0.25, 0.0, 0.25, 0.0, 0.5]


def test_bootstrap_without_words() -> None:
    assert interval(bootstrap([0, 0], [[0, 0]])[0]) is None


# -- plain re-computations

FORMS = ["a", "b", ".", "«»", "_", "$", "a."]
PUNCTUATION = {"Pc", "Pd", "Ps", "Pe", "Pi", "Pf", "Po"}  # Unicode's categories
LABELS = ["nsubj", "nsubj:pass", "punct", "det", "root", "x:y:z"]


@st.composite
def treebanks(draw: st.DrawFn) -> tuple[list[Sentence], list[Sentence]]:
    """A gold standard and a parsed file, with heads of all kinds."""
    gold: list[Sentence] = []
    system: list[Sentence] = []
    for _ in range(draw(st.integers(1, 4))):
        length = draw(st.integers(1, 9))
        forms = draw(st.lists(st.sampled_from(FORMS), min_size=length, max_size=length))
        heads = [draw(st.lists(st.integers(low, length), min_size=length, max_size=length)) for low in (0, -1)]
        labels = [draw(st.lists(st.sampled_from(LABELS), min_size=length, max_size=length)) for _ in range(2)]
        if draw(st.booleans()):  # else hardly anything is right
            some = draw(st.integers(0, length))
            heads[1][:some], labels[1][:some] = heads[0][:some], labels[0][:some]
        for side, sentences in enumerate((gold, system)):
            sentences.append(
                [(form, form[0], *arc) for form, *arc in zip(forms, heads[side], labels[side], strict=True)]  # type: ignore[misc]
            )
    return gold, system


def eval_pl(gold: list[Sentence], system: list[Sentence], punctuation: bool) -> dict[str, Any]:
    """The rules of eval.pl, one word at a time."""
    counts: Counter[str] = Counter()
    labels: dict[str, Counter[str]] = {"gold": Counter(), "system": Counter(), "right": Counter(), "both": Counter()}
    bins: dict[str, Counter[str]] = {"gold": Counter(), "system": Counter(), "same": Counter()}

    def bin_of(head: int, number: int) -> str:
        distance = max(1, abs(head - number))  # a word that is its own head is among those of length 1
        if head == 0:
            return "root"
        return str(distance) if distance <= 2 else "3-6" if distance <= 6 else "7+"

    for theirs, ours in zip(gold, system, strict=True):
        for number, ((form, _, head, label), (_, _, head2, label2)) in enumerate(zip(theirs, ours, strict=True), 1):
            if not punctuation and all(unicodedata.category(character) in PUNCTUATION for character in form):
                continue
            label2 = label2 if head2 >= 0 else ""
            counts["all"] += 1
            counts["head"] += head == head2
            counts["label"] += label == label2
            counts["both"] += (head, label) == (head2, label2)
            labels["gold"][label] += 1
            labels["system"][label2] += 1
            labels["right"][label] += label == label2
            labels["both"][label] += (head, label) == (head2, label2)
            bins["gold"][bin_of(head, number)] += 1
            if head2 >= 0:
                bins["system"][bin_of(head2, number)] += 1
                bins["same"][bin_of(head, number)] += bin_of(head, number) == bin_of(head2, number)
    return {"counts": counts, "labels": labels, "bins": bins}


@pytest.mark.slow
@settings(max_examples=60)
@given(treebanks())
def test_against_the_rules_of_eval_pl(tmp_path_factory: pytest.TempPathFactory, pair: Any) -> None:
    result = scored(tmp_path_factory, pair[0], pair[1]).scores["conllx"]
    for punctuation in (False, True):
        expected = eval_pl(pair[0], pair[1], punctuation)
        total, counts = result.counts(punctuation), expected["counts"]
        assert total.gold == counts["all"]
        assert [total.gold_both, total.gold_head, total.gold_label] == [counts[k] for k in ("both", "head", "label")]
        by_label = result.classes("label", punctuation)
        for side, name in (("gold", "gold"), ("system", "system"), ("right", "same"), ("both", "gold_both")):
            values = {label: getattr(line, name) for label, line in by_label.items()}
            assert +Counter(values) == +Counter({k: n for k, n in expected["labels"][side].items() if k})
        by_length = result.classes("length", punctuation)
        for side in ("gold", "system", "same"):
            values = {name: getattr(line, side) for name, line in by_length.items()}
            assert +Counter(values) == +expected["bins"][side]


@pytest.mark.slow
@settings(max_examples=60)
@given(treebanks())
def test_against_plain_counting(tmp_path_factory: pytest.TempPathFactory, pair: Any) -> None:
    """What eval.pl has not: UD's labels and content words, complete match, depth, direction, projectivity."""
    gold, system = pair
    result = scored(tmp_path_factory, gold, system)
    for name, scores in result.scores.items():
        for punctuation in (False, True):
            complete: Counter[str] = Counter()
            counts: Counter[tuple[str, str, str]] = Counter()
            for theirs, ours in zip(gold, system, strict=True):
                kept = [i for i, word in enumerate(theirs) if punctuation or word[0] not in (".", "«»", "_")]
                right = [theirs[i][2] == ours[i][2] for i in kept]
                both = []
                for i in kept:
                    labels = [word[3].split(":")[0] if name == "ud" else word[3] for word in (theirs[i], ours[i])]
                    both.append(theirs[i][2] == ours[i][2] and labels[0] == labels[1])
                    for side, sentence in (("gold", theirs), ("system", ours)):
                        for group, of in plain_classes(sentence, i, name).items():
                            counts[side, group, of] += 1
                            counts[f"{side}_both", group, of] += both[-1]
                            counts[f"{side}_head", group, of] += theirs[i][2] == ours[i][2]
                complete["sentences"] += bool(kept)
                complete["labelled"] += bool(kept) and all(both)
                complete["unlabelled"] += bool(kept) and all(right)
            assert scores.sentences[int(punctuation)].tolist() == [
                *(complete[key] for key in ("sentences", "labelled", "unlabelled"))
            ]
            found = {group: scores.classes(group, punctuation) for group in ("depth", "direction", "projectivity")}
            found["content"] = {"content": scores.content(punctuation)}
            values: Counter[tuple[str, str, str]] = Counter()
            for group, lines in found.items():
                for of, line in lines.items():
                    for side in ("gold", "system", "gold_both", "system_both", "gold_head", "system_head"):
                        values[side, group, of] = getattr(line, side)
            assert +values == +counts


def plain_classes(sentence: Sentence, place: int, convention: str) -> dict[str, str]:
    """The classes of one word."""
    heads = [word[2] for word in sentence]
    head, label = sentence[place][2:]
    if head < 0:
        return {}
    found = {"direction": "root" if head == 0 else "left" if head > place + 1 else "right"}
    if head == place + 1:
        found["direction"] = "self"
    chain = structure.ancestors(heads, place + 1)
    if len(chain) <= len(heads) and heads[chain[-1] - 1] == 0:
        found["depth"] = str(len(chain)) if len(chain) < 7 else "7+"
    crossing = (head, place + 1) in structure.nonprojective_arcs([None if h < 0 else h for h in heads])
    found["projectivity"] = "non-projective" if crossing else "projective"
    if label.split(":")[0] in ("nsubj", "root"):  # of LABELS
        found["content"] = "content"
    return found


def scored(factory: pytest.TempPathFactory, gold: list[Sentence], system: list[Sentence]) -> Any:
    """The scores of one parsed file."""
    folder = factory.getbasetemp()
    for name, sentences in (("gold", gold), ("system", system)):
        (folder / f"{name}.conll").write_text(conllx(sentences))
    return evaluate(str(folder / "gold.conll"), [str(folder / "system.conll")], "conllx").systems[0]


@given(st.lists(st.lists(st.integers(-1, 12), min_size=1, max_size=12), min_size=1, max_size=4))
def test_shape_is_that_of_the_plain_definition(sentences: list[list[int]]) -> None:
    sentences = [[min(head, len(heads)) for head in heads] for heads in sentences]
    starts = numpy.cumsum([0, *map(len, sentences)])
    found = shape([head for heads in sentences for head in heads], starts)
    for heads, start in zip(sentences, starts[:-1], strict=True):
        given_heads = [None if head < 0 else head for head in heads]
        arcs = {word for _, word in structure.nonprojective_arcs(given_heads)}
        for word in range(1, len(heads) + 1):
            assert found.nonprojective[start + word - 1] == (word in arcs)
            chain = structure.ancestors(given_heads, word)
            rooted = len(chain) <= len(heads) and heads[chain[-1] - 1] == 0
            assert found.depth[start + word - 1] == (len(chain) if rooted else -1)


def test_shape_of_a_long_sentence() -> None:
    words = 20_000
    chain = shape(numpy.arange(words), [0, words])
    assert chain.depth[-1] == words
    assert not chain.nonprojective.any()
    star = shape([0] + [1] * (words - 1), [0, words])
    assert star.depth.max() == 2
    assert not star.nonprojective.any()


def test_blocks_need_not_end_at_the_same_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    gold, one = tmp_path / "gold.conll", tmp_path / "one.conll"
    gold.write_text(conllx(GOLD * 400))
    one.write_text(conllx(ONE * 400).replace("\t_\t_\n", "\t_\t" + "x" * 30 + "\n"))
    whole = evaluate(str(gold), [str(one)])
    monkeypatch.setattr("malt.data.treebank.CHUNK", 1000)
    monkeypatch.setattr("malt.data.treebank.BEGINNING", 1000)
    pieces = evaluate(str(gold), [str(one)])
    assert pieces.systems[0].interval == whole.systems[0].interval
    line = pieces.systems[0].scores["conllx"].counts(False)
    assert line == whole.systems[0].scores["conllx"].counts(False)
    assert (line.gold, line.gold_both) == (2800, 1600)


# -- what cannot be scored


def test_other_words(files: dict[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    other = tmp_path / "other.conll"
    other.write_text("\n" + conllx([GOLD[0], [GOLD[1][0], ("B", "N", 4, "obj"), *GOLD[1][2:]]]))
    error = eval_error(capsys, files["gold"], str(other))
    assert f"{other}, line 8: the word is 'B', but {files['gold']}, line 7, has 'b'" in error


def test_sentences_end_elsewhere(files: dict[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    other = tmp_path / "other.conll"
    other.write_text(conllx([[*GOLD[0], GOLD[1][0]], [("b", "N", 0, "x"), *((*w[:2], 1, "x") for w in GOLD[1][2:])]]))
    error = eval_error(capsys, files["gold"], str(other))
    assert f"{files['gold']}, line 4: the sentence ends after '.', but in {other}, line 5, it goes on with 'a'" in error
    other.write_text(conllx([[("the", "D", 0, "root")], GOLD[1]]))
    error = eval_error(capsys, files["gold"], str(other))
    assert f"{other}, line 1: the sentence ends after 'the', but in {files['gold']}, line 2, it goes on" in error


def test_one_file_ends_first(files: dict[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    short = tmp_path / "short.conll"
    short.write_text(conllx(GOLD[:1]))
    error = eval_error(capsys, files["gold"], str(short))
    assert f"{short}: the file ends after 1 sentence, but {files['gold']}, line 6, goes on with 'a'" in error
    error = eval_error(capsys, str(short), files["one"])
    assert f"{short}: the file ends after 1 sentence, but {files['one']}, line 6, goes on with 'a'" in error


def test_empty_files(files: dict[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    empty, other = tmp_path / "empty.conll", tmp_path / "other.conll"
    empty.write_text("")
    other.write_text("\n\n")
    assert "empty.conll: the file has no sentences, but" in eval_error(capsys, files["gold"], str(empty))
    assert "empty.conll: the file has no sentences, but" in eval_error(capsys, str(empty), files["gold"])
    assert "empty.conll: there are no sentences to score" in eval_error(capsys, str(empty), str(other))


def test_gold_without_heads(tmp_path: Path, files: dict[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    error = eval_error(capsys, files["two"], files["gold"])
    assert f"{files['two']}, line 9: 'd' has no head, but in the gold standard every word needs one" in error
    short = tmp_path / "short.conll"
    short.write_text("".join(f"{n}\tw\t_\tN\tN\t_\t{n - 1}\n" for n in (1, 2)))
    assert f"{short}, line 1: 'w' has no label" in eval_error(capsys, "-if", "conllx", str(short), str(short))


def test_nothing_but_punctuation(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "dots.conll"
    path.write_text(conllx([[(".", "P", 0, "root")]]))
    other = tmp_path / "other.conll"
    other.write_text(path.read_text())
    found = scores(capsys, str(path), str(path), str(other))
    one = found["systems"][str(path)]
    assert (one["conllx"]["out"]["las"], one["conllx"]["in"]["las"], one["las_interval"]) == (None, 1, None)
    assert found["comparisons"][0]["difference"] is None
    assert malt(["eval", "--by", "all", str(path), str(path), str(other)]) == 0
    assert "nan" not in capsys.readouterr().out


@pytest.mark.parametrize("label", [":x", "none", "a\u2028b", "#null#", ":"])
def test_odd_labels(label: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "odd.conll"
    path.write_text(conllx([[("w", "N", 0, label)]]))
    found = scores(capsys, str(path), str(path))["systems"][str(path)]
    assert found["conllx"]["in"]["las"] == found["ud"]["in"]["las"] == 1
    assert list(found["conllx"]["in"]["by"]["label"]) == [label]


def test_usage(files: dict[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    assert "malt eval GOLD SYSTEM" in eval_error(capsys, code=2)
    assert "is given twice" in eval_error(capsys, files["gold"], files["one"], files["one"], code=2)
    assert "standard input can be read once" in eval_error(capsys, "-", "-", code=2)
    assert "--by: expected all or some of label,pos" in eval_error(capsys, "--by", "size", *files.values(), code=2)
    assert "no such file" in eval_error(capsys, files["gold"], "absent.conll")
