"""Parsers that vote: trees of the class, weights that are learned and told honestly, and blends as models."""

from __future__ import annotations

import pickle
import re
from pathlib import Path

import numpy
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from test_spanning import projective, single
from test_structured import sample, score
from trees import forests

import malt
from malt.blending.weights import BlendWeights, VoterWeights, equal_weights, read_weights, write_weights
from malt.commands import malt as main
from malt.errors import DataError, UsageError
from malt.kernel.arcs import TooLong
from malt.kernel.spanning import ProjectiveTree, SpanningTree
from malt.kernel.votes import Roots, vote
from malt.model import Blend


@st.composite
def ballots(draw: st.DrawFn) -> tuple[list[list[int]], list[list[int]], list[float]]:
    """Some parsers' heads, which may be cyclic, their labels, and their weights."""
    n, voters = draw(st.integers(1, 5)), draw(st.integers(1, 4))
    head = st.integers(-1, n)
    heads = draw(st.lists(st.lists(head, min_size=n, max_size=n), min_size=voters, max_size=voters))
    labels = draw(st.lists(st.lists(st.integers(1, 3), min_size=n, max_size=n), min_size=voters, max_size=voters))
    weights = draw(st.lists(st.integers(0, 3).map(float), min_size=voters, max_size=voters))
    return heads, labels, weights


@pytest.mark.parametrize("decoder", [SpanningTree, ProjectiveTree])
@given(ballot=ballots(), roots=st.sampled_from(list(Roots)))
@settings(deadline=None, max_examples=150)
def test_the_tree_has_the_most_votes(decoder, ballot, roots) -> None:
    heads, labels, weights = ballot
    n = len(heads[0])
    arrays = numpy.array(heads, numpy.int32), numpy.array(labels, numpy.int32)
    by_word = numpy.repeat(numpy.array(weights)[:, None], n, axis=1)
    found, named = vote(numpy.array([0, n], numpy.int32), *arrays, by_word, decoder(), int(roots))
    voted = [[max(head, 0) for head in row] for row in heads]

    def votes(tree: tuple[int, ...]) -> float:
        return sum(w for row, w in zip(voted, weights, strict=True) for a, b in zip(row, tree, strict=True) if a == b)

    one = roots == Roots["SINGLE"] or (roots == Roots["AS_VOTED"] and all(row.count(0) == 1 for row in voted))
    every = [tree for tree in forests(n) if not one or single(tree)]
    every = [tree for tree in every if decoder is SpanningTree or projective(tree)]
    assert tuple(found.tolist()) in every
    # an arc from a word to itself is nobody's: no tree has it
    assert votes(tuple(found.tolist())) == max(votes(tree) for tree in every)
    for word, (head, label) in enumerate(zip(found.tolist(), named.tolist(), strict=True)):
        having = [v for v in range(len(heads)) if voted[v][word] == head] or list(range(len(heads)))
        sums = {k: sum(weights[v] for v in having if labels[v][word] == k) for k in {labels[v][word] for v in having}}
        assert sums[label] == max(sums.values())


def test_arrays_that_do_not_fit_are_refused() -> None:
    starts, two = numpy.array([0, 2], numpy.int32), numpy.array([[0, 1]], numpy.int32)
    with pytest.raises(ValueError, match="do not fit together"):
        vote(starts, two, two[:, :1].copy(), numpy.ones((1, 2)), SpanningTree())
    with pytest.raises(ValueError, match="the head of word 2 of sentence 0 is no word of it"):
        vote(starts, two + 2, two, numpy.ones((1, 2)), SpanningTree())
    with pytest.raises(TooLong):
        vote(starts, two, two, numpy.ones((1, 2)), SpanningTree(), megabytes=0)


# Files


ROWS = [("a", "N"), ("b", "V"), ("c", "P")]


def written(*trees: str) -> str:
    """Sentences of three words, each as heads and labels: 2 0 2 s r p."""
    found = []
    for tree in trees:
        parts = tree.split()
        heads, labels = parts[:3], parts[3:]
        rows = zip(range(1, 4), ROWS, heads, labels, strict=True)
        found.append("".join(f"{i}\t{form}\t_\t{tag}\t{tag}\t_\t{h}\t{k}\t_\t_\n" for i, (form, tag), h, k in rows))
    return "\n".join(found) + "\n"


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    texts = [
        written("2 0 2 s r p", "2 0 2 s r p"),
        written("2 0 1 s r p", "2 3 0 s x y"),
        written("3 0 2 s r q", "2 0 2 t r q"),
    ]
    paths = [str(tmp_path / f"{name}.conll") for name in "abc"]
    for path, text in zip(paths, texts, strict=True):
        Path(path).write_text(text)
    return paths


def test_files_vote(files: list[str], tmp_path: Path) -> None:
    out = str(tmp_path / "out.conll")
    assert main(["blend", *files, "-o", out]) == 0
    assert Path(out).read_text() == written("2 0 2 s r p", "2 0 2 s r p")
    weights = tmp_path / "w.yaml"
    weights.write_bytes(write_weights(equal_weights("abc")))
    assert main(["blend", "--weights", str(weights), *files, "-o", str(tmp_path / "same")]) == 0
    assert (tmp_path / "same").read_text() == Path(out).read_text()
    heavy = BlendWeights("CPOSTAG", (VoterWeights("a"), VoterWeights("b", 0, {"P": 5}), VoterWeights("c", 0)))
    weights.write_bytes(write_weights(heavy))
    assert main(["blend", "--weights", str(weights), *files, "-o", out]) == 0
    assert Path(out).read_text() == written("2 0 1 s r p", "2 3 0 s x y")


def test_comments_and_ranges_stay(tmp_path: Path) -> None:
    text = "# text = ab\n1-2\tab" + 8 * "\t_" + "\n1\ta\t_\tX\t_\t_\t{}\t{}\t_\t_\n2\tb\t_\tX\t_\t_\t{}\t{}\t_\t_\n\n"
    one, two, three = text.format(0, "root", 1, "x"), text.format(2, "x", 0, "root"), text.format(2, "x", 0, "root")
    paths = [str(tmp_path / name) for name in "abc"]
    for path, content in zip(paths, (one, two, three), strict=True):
        Path(path).write_text(content)
    assert main(["blend", "-if", "conllu", *paths, "-o", str(tmp_path / "out")]) == 0
    assert (tmp_path / "out").read_text() == two


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["{a}"], "a vote needs two or more"),
        (["{a}", "m.mco"], "give what parsers wrote, or models (.mco), not both"),
        (["-c", "x", "{a}", "{b}"], "-c NAME makes a model of models"),
        (["x.mco", "y.mco"], "-c NAME makes a model of models"),
        (["-a", "nivreeager", "{a}", "{b}"], "expected mst, eisner, wg1 or mg1, not 'nivreeager'"),
        (["{a}", "{b}", "--weights", "{w}"], "has weights of 3 parsers, and 2 vote"),
        (["{a}", "{other}"], "the word is 'z', but"),
        (["{a}", "{short}"], "the file ends after 1 sentence"),
    ],
)
def test_what_is_wrong_is_one_line(
    files: list[str], tmp_path: Path, capfd: pytest.CaptureFixture[str], arguments: list[str], message: str
) -> None:
    (tmp_path / "w.yaml").write_bytes(write_weights(equal_weights("abc")))
    (tmp_path / "other.conll").write_text(Path(files[0]).read_text().replace("\tb\t", "\tz\t"))
    (tmp_path / "short.conll").write_text(written("2 0 2 s r p"))
    names = {"a": files[0], "b": files[1], "w": str(tmp_path / "w.yaml")}
    names |= {name: str(tmp_path / f"{name}.conll") for name in ("other", "short")}
    out = tmp_path / "out"
    assert main(["blend", *(argument.format(**names) for argument in arguments), "-o", str(out)]) != 0
    told = capfd.readouterr().err.splitlines()
    assert message in told[-1]
    assert "Traceback" not in "".join(told)
    assert not out.exists()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b"", "line 1: expected weights of parsers"),
        (b"parsers: []", "expected a list `parsers`"),
        (b"parsers: [{name: a, wieght: 1}]", "there is no 'wieght' here; expected name, weight, tags"),
        (b"parsers: [{name: a, weight: x}]", "expected a number that is not below 0, not 'x'"),
        (b"parsers: [{name: a, weight: nan}]", "expected a number that is not below 0"),
        (b"parsers: [{name: a, tags: [[N]]}]", "tags: expected a part of speech and a weight"),
        (b"parsers: [a]", "expected name, weight, tags"),
        (b"column: [a]\nparsers: [{name: a}]", "expected a text"),
        (b"parsers: {a: &x 1}", "anchors"),
        (b"{", "it is no YAML"),
        (b"parsers: [{name: a, weight: 0, tags: [[N, 0]]}]", "all weights are 0, so that no vote counts"),
    ],
)
def test_weights_that_are_wrong(text: bytes, message: str) -> None:
    with pytest.raises(DataError, match=re.escape(message)):
        read_weights(text, "w.yaml")


def test_weights_are_learned(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """Of three parsers two copy each other: a single one that is better outvotes them once weights are learned."""
    random = numpy.random.default_rng(1)
    gold, good, bad = [], [], []
    trees = ["2 0 2 s r p", "2 0 1 s r p", "3 1 0 s p r", "0 1 2 r s p"]
    for _ in range(400):
        right = trees[random.integers(4)]
        gold.append(right)
        good.append(right if random.random() < 0.9 else trees[random.integers(4)])
        bad.append(right if random.random() < 0.6 else trees[random.integers(4)])
    paths = {name: str(tmp_path / f"{name}.conll") for name in ("gold", "good", "bad", "copy")}
    for name, made in (("gold", gold), ("good", good), ("bad", bad), ("copy", bad)):
        Path(paths[name]).write_text(written(*made))
    voters = [paths["bad"], paths["copy"], paths["good"]]
    target = str(tmp_path / "w.yaml")
    assert main(["blend", "--gold", paths["gold"], *voters, "--weights", target]) == 0
    told = capfd.readouterr().out
    lines = (re.match(r"  (\S.*?) +([0-9.]+)(?:  written to .*)?$", line) for line in told.splitlines())
    scores = {match[1]: float(match[2]) for match in lines if match}
    assert scores["one vote each"] == scores[paths["bad"]] < scores["by parser"]
    assert scores["by parser"] >= scores[paths["good"]] - 0.5
    bad_weight, copy_weight, good_weight = (v.weight for v in read_weights(Path(target).read_bytes(), target).voters)
    assert bad_weight + copy_weight < good_weight
    out = str(tmp_path / "out.conll")
    assert main(["blend", "--weights", target, *voters, "-o", out]) == 0
    assert malt.evaluate(paths["gold"], out).las >= scores["by parser"] / 100 - 0.01


def test_what_cannot_be_learned_from(files: list[str], tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    gold = tmp_path / "gold.conll"
    gold.write_text(written("_ 0 2 s r p", "2 0 2 s r p"))
    assert main(["blend", "--gold", str(gold), *files]) == 1
    assert "gold.conll, line 1" in capfd.readouterr().err


# Models


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    folder = tmp_path_factory.mktemp("models")
    text = sample(60)
    made = {
        "eager": malt.train(text),
        "back": malt.train(text, algorithm="stacklazy", reverse=True),
        "mst": malt.train(text, algorithm="mst", passes=2),
    }
    for name, model in made.items():
        model.save(folder / name)
    return [str(folder / f"{name}.mco") for name in made]


def test_several_models_vote(models: list[str], tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    text = str(tmp_path / "in.conll")
    Path(text).write_text(sample(120, seed=3))
    outs = [str(tmp_path / f"{number}.conll") for number in range(3)]
    for model, out in zip(models, outs, strict=True):
        assert main(["parse", "-c", model, text, "-o", out]) == 0
    weights = str(tmp_path / "w.yaml")
    assert main(["blend", "--gold", text, *outs, "--weights", weights]) == 0
    voted, parsed, threads, one = (str(tmp_path / f"{name}.conll") for name in ("voted", "parsed", "threads", "one"))
    assert main(["blend", "--weights", weights, *outs, "-o", voted]) == 0
    several = [word for model in models for word in ("-c", model)]
    assert main(["parse", *several, "--weights", weights, text, "-o", parsed]) == 0
    assert main(["parse", *several, "--weights", weights, "-j", "3", text, "-o", threads]) == 0
    name = str(tmp_path / "all")
    assert main(["blend", "-c", name, *models, "--weights", weights]) == 0
    assert main(["parse", "-c", name, text, "-o", one]) == 0
    assert Path(voted).read_text() == Path(parsed).read_text() == Path(threads).read_text() == Path(one).read_text()
    assert "given more than once" not in capfd.readouterr().err
    assert main(["info", name]) == 0
    told = capfd.readouterr().out
    assert re.search(r"^blend       .*all\.mco: 3 models", told)
    assert "votes       decoder mst" in told
    assert "from right to left (--reverse)" in told
    assert re.search(r"^3 +.*mst\.mco: weight", told, re.MULTILINE)


def test_a_blend_of_the_library(models: list[str], tmp_path: Path) -> None:
    text = sample(30, seed=3)
    loaded = [malt.load(path) for path in models]
    blend = malt.blend(loaded)
    assert isinstance(blend, Blend)
    trees = [sentence.heads for sentence in blend.parse(text)]
    assert score(blend, text) > min(score(model, text) for model in loaded)
    blend.save(tmp_path / "b")
    for other in (malt.load(tmp_path / "b"), pickle.loads(pickle.dumps(blend))):
        assert isinstance(other, Blend)
        assert [sentence.heads for sentence in other.parse(text)] == trees
    assert "3 models" in repr(blend)
    flat = malt.blend(loaded, decoder="eisner")
    assert all(projective(tuple(sentence.heads)) for sentence in flat.parse(text))
    with pytest.raises(UsageError, match="a blend has two models or more"):
        malt.blend(loaded[:1])
    with pytest.raises(UsageError, match="is a blend itself"):
        malt.blend([blend, loaded[0]])
    with pytest.raises(UsageError, match="nivreeager finds no best tree over votes"):
        malt.blend(loaded, decoder="nivreeager")
    with pytest.raises(UsageError, match="is for malttab, and"):
        malt.blend([loaded[0], malt.train("a\tX\t0\tROOT\n\n", format="malttab")])


def test_memory_of_votes(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """It bounds a sentence whether votes are counted or learned from."""
    rows = (f"{word}\tw\t_\tA\tX\t_\t{word - 1}\tx\t_\t_\n" for word in range(1, 401))
    (tmp_path / "long.conll").write_text("".join(rows) + "\n")
    files = [str(tmp_path / "long.conll")] * 2
    for more in ([], ["--gold", files[0]]):
        assert main(["blend", *more, *files, "--memory", "1", "-o", str(tmp_path / "o")]) == 1
        assert "a sentence of 400 words: its arcs take" in capfd.readouterr().err
        assert main(["blend", *more, *files, "-o", str(tmp_path / "o")]) == 0


def trees(path: Path) -> list[tuple[int, ...]]:
    return [tuple(sentence.heads) for sentence in malt.read(path)]


def test_one_model_and_another_decoder(models: list[str], tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    text, usual, flat, blended = (tmp_path / f"{name}.conll" for name in ("in", "usual", "flat", "blended"))
    text.write_text(sample(120, seed=3))
    assert main(["parse", "-c", models[2], str(text), "-o", str(usual)]) == 0
    assert main(["parse", "-c", models[2], "--decoder", "eisner", str(text), "-o", str(flat)]) == 0
    assert all(map(projective, trees(flat)))
    assert not all(map(projective, trees(usual)))
    name = str(tmp_path / "b")
    assert main(["blend", "-c", name, *models]) == 0
    assert main(["parse", "-c", name, "--decoder", "eisner", str(text), "-o", str(blended)]) == 0
    assert all(map(projective, trees(blended)))
    for path, parsed in ((models[2], flat), (name, blended)):
        model = malt.load(path, decoder="eisner")
        assert [tuple(one.heads) for one in pickle.loads(pickle.dumps(model)).parse(text)] == trees(parsed)
    capfd.readouterr()
    assert main(["parse", "-c", models[0], "--decoder", "mst", str(text)]) == 2
    assert "--decoder is for models that score arcs and for votes" in capfd.readouterr().err


def test_items_of_a_blend(models: list[str], tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """They are for the charts of its votes and of any of its models."""
    text, chart, out = (str(tmp_path / name) for name in ("in.conll", "mg1", "out.conll"))
    Path(text).write_text(sample(60, seed=3))
    malt.train(sample(60), algorithm="mg1", passes=1).save(chart)
    greedy = ["parse", "-c", models[0], "-c", models[1], "--items", "1"]
    assert main([*greedy, text, "-o", out]) == 2
    assert "--items is for charts" in capfd.readouterr().err
    assert main([*greedy, "-c", chart, text, "-o", out]) == 0
    assert "not certain to be the best" in capfd.readouterr().err
    assert main([*greedy, "--decoder", "wg1", "-v", "debug", text, "-o", out]) == 0
    told = capfd.readouterr().err
    assert "deduced by wg1" in told
    assert "does not derive" not in told
    several = [out, text, text]
    assert main(["blend", "--items", "1", *several]) == 2
    assert "--items is for charts (-a wg1, mg1 ...), not for -a mst" in capfd.readouterr().err
    assert main(["blend", "-a", "mg1", "--items", "1", *several, "-o", str(tmp_path / "v.conll")]) == 0


def test_what_a_blend_is_not_for(models: list[str], tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    text, name = str(tmp_path / "in.conll"), str(tmp_path / "b")
    Path(text).write_text(sample(2))
    malt.blend([malt.load(path) for path in models[:2]]).save(name)
    for command, message in (
        (["trace", "-c", name, text], "is a blend, which votes over whole trees"),
        (["-c", name, "-m", "parse", "-i", text, "-o", str(tmp_path / "o")], "which MaltParser does not know"),
        (["parse", "-c", models[0], "--weights", "w", text], "--weights is for several models"),
        (["parse", "-c", models[0], "-c", name, text], "is a blend itself"),
        (["train", "-c", "x", "-c", str(tmp_path / "y"), text], "given more than once"),
    ):
        main(command)
        told = capfd.readouterr().err
        assert message in told
        assert "Traceback" not in told


def test_a_blend_is_a_model_that_may_be_replaced(tmp_path: Path) -> None:
    models = [malt.train(malt.sample.text(20), algorithm=name) for name in ("nivreeager", "stackproj")]
    for _ in range(2):
        malt.blend(models).save(tmp_path / "m")
    models[0].save(tmp_path / "m")
    assert malt.load(tmp_path / "m").algorithm == "nivreeager"
