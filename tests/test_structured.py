"""Structured learning: searches and averages that are what they claim, models that can be trusted, options that fit."""

from __future__ import annotations

import io
import os
import pickle
import random
import re
import subprocess
import sys
import zipfile
from collections import defaultdict
from collections.abc import Callable
from dataclasses import replace
from itertools import product
from pathlib import Path
from threading import Event

import numpy
import pytest
from hypothesis import given
from hypothesis import strategies as st
from refusals import error
from sklearn.base import clone

import malt
from malt.commands import malt as main
from malt.data.source import blocks_of
from malt.errors import DataError, MaltError, UsageError
from malt.kernel.structured import BeamPolicy, GreedyPolicy, PathPolicy, StructuredPolicy
from malt.kernel.weights import UNIT, PackedTable, Scorer, WeightTable
from malt.mco.weights import ENTRY, StructuredWeights, read_weights, write_weights
from malt.model import Model
from malt.parsing import structured
from malt.parsing.machine import Machine
from malt.parsing.parser import Parser
from malt.parsing.structured import make_classes
from malt.systems import ALGORITHMS, find_system
from malt.systems.language import parse_system

Made = Callable[[Scorer, object], StructuredPolicy]


def sample(number: int, seed: int = 1) -> str:
    return "".join(malt.sample.text(number, seed=seed))


def learn(number: int = 40, **options: object) -> Model:
    """A model of some sentences of the sample, after few passes unless more are asked for."""
    return malt.train(sample(number), **{"learner": "perceptron", "passes": 2, **options})  # type: ignore[arg-type]


def score(model: Model, text: str) -> float:
    """LAS, with all words counted."""
    pairs = [
        (one, two)
        for found, gold in zip(model.parse(text), malt.read(text), strict=True)
        for one, two in zip(
            zip(found.heads, found.labels, strict=True), zip(gold.heads, gold.labels, strict=True), strict=True
        )
    ]
    return 100 * sum(one == two for one, two in pairs) / len(pairs)


def entry_of(model: Model) -> bytes:
    with zipfile.ZipFile(io.BytesIO(model.content())) as archive:
        [name] = [name for name in archive.namelist() if name.endswith(ENTRY)]
        return archive.read(name)


def trees(model: Model, text: str, make: Made) -> list[tuple[list[int], list[int]]]:
    """What a policy with the weights of a model makes of some sentences: heads, and codes of labels."""
    assert model.structured is not None
    machine = Machine(model.specification, model.tables)
    codes = model.structured.found.codes.tolist()
    classes = make_classes(machine, codes, "test")
    return parsed(model, text, Parser(machine, make(model.structured.scorer(machine, classes), classes)))


def parsed(model: Model, text: str, parser: Parser) -> list[tuple[list[int], list[int]]]:
    found = []
    for block in blocks_of(text, model.format, "UTF-8", model.tables):
        trees = parser.parse(block)
        found.append((trees.heads.tolist(), trees.codes("DEPREL").tolist()))
    return found


# The search


@pytest.mark.parametrize("name", ALGORITHMS)
def test_every_system_is_learned_and_a_beam_of_one_is_greedy(name: str) -> None:
    model, unseen = learn(60, algorithm=name), sample(40, seed=3)
    greedy = trees(model, unseen, GreedyPolicy)
    assert greedy == trees(model, unseen, lambda scorer, classes: BeamPolicy(scorer, classes, 1))
    assert greedy != trees(model, unseen, lambda scorer, classes: BeamPolicy(scorer, classes, 8))
    assert score(model, unseen) > 45
    lifted = find_system(name).graphs.startswith("projective") or name == "planar"
    assert model.options["pproj.marking_strategy"] == ("head" if lifted else "none")
    assert all(sentence.heads.count(0) == 1 for sentence in model.parse(unseen))


SHORT = """\
1\tla\tla\tDET\tDa\t_\t2\tdet\t_\t_
2\tkasta\tkasta\tNOUN\tNc\t_\t0\tROOT\t_\t_

1\tMira\tMira\tPROPN\tNp\t_\t2\tnsubj\t_\t_
2\tdomé\tdomir\tVERB\tVf\t_\t0\tROOT\t_\t_

1\tdomé\tdomir\tVERB\tVf\t_\t0\tROOT\t_\t_
2\tla\tla\tDET\tDa\t_\t1\tdet\t_\t_

1\tla\tla\tDET\tDa\t_\t2\tdet\t_\t_
2\tkasta\tkasta\tNOUN\tNc\t_\t3\tnsubj\t_\t_
3\tdomé\tdomir\tVERB\tVf\t_\t0\tROOT\t_\t_

"""


def random_weights(model: Model, seed: int) -> Model:
    """The same model with weights drawn by lot, so that no choice is obvious and no two derivations are equal."""
    assert model.structured is not None
    found = model.structured.found
    dice = numpy.random.Generator(numpy.random.PCG64(seed))
    weights = dice.integers(1, 1 << 15, len(found.weights), dtype=numpy.int32) * dice.choice(
        [-1, 1], len(found.weights)
    )
    model.structured = replace(model.structured, found=replace(found, weights=weights.astype(numpy.int16)))
    return model


@pytest.mark.parametrize("name", ["nivreeager", "stackproj", "covnonproj", "2planar"])
@pytest.mark.parametrize("roots", ["any", "labelled"])
def test_a_beam_of_all_derivations_finds_the_best(name: str, roots: str) -> None:
    text = SHORT.replace("nsubj", "det")
    last = {"rp": "last"} if name == "covnonproj" else {}  # which greedy learning has not by itself
    learned = malt.train(text, algorithm=name, learner="perceptron", passes=3, roots=roots, pp="none", **last)  # type: ignore[arg-type]
    better = 0
    for seed in range(5):
        model = random_weights(learned, seed)
        assert model.structured is not None
        machine = Machine(model.specification, model.tables)
        codes = model.structured.found.codes.tolist()
        classes = make_classes(machine, codes, "test")
        policy = PathPolicy(model.structured.scorer(machine, classes), classes)
        parser = Parser(machine, policy)
        for sentence in text.strip().split("\n\n")[-2:] if name == "stackproj" else text.split("\n\n")[:3]:
            [block] = blocks_of(sentence + "\n\n", model.format, "UTF-8", model.tables)
            found: dict[int, list[tuple[list[int], list[int]]]] = defaultdict(list)
            paths: list[list[int]] = [[]]
            while paths:
                policy.follow(path := paths.pop())
                parsed = parser.parse(block)
                following = policy.following
                paths += [[*path, klass] for klass in following]
                if not following:
                    found[policy.score].append((parsed.heads.tolist(), parsed.codes("DEPREL").tolist()))
            count = sum(map(len, found.values()))
            assert count > 3
            [best] = trees(model, sentence + "\n\n", lambda scorer, classes: BeamPolicy(scorer, classes, count))  # noqa: B023
            assert best in found[max(found)]
            [greedy] = trees(model, sentence + "\n\n", GreedyPolicy)
            better += greedy not in found[max(found)]
    assert better  # what greedy search misses is there to be found


# The weights

CHANGES = st.lists(
    st.tuples(
        st.integers(0, 5), st.integers(0, 19), st.sampled_from([UNIT, -UNIT, 3 * UNIT]), st.sampled_from([0, 0, 1, 7])
    ),
    max_size=200,
)


def as_dict(table: WeightTable) -> dict[tuple[int, int], int]:
    keys, counts, classes, weights = table.averaged()
    pairs = zip(numpy.repeat(keys, counts).tolist(), classes.tolist(), strict=True)
    return dict(zip(pairs, weights.tolist(), strict=True))


@given(CHANGES, st.sampled_from([1, 2, 3, 8, 20, 500]))
def test_averaged_weights_equal_a_naive_average(changes: list[tuple[int, int, int, int]], classes: int) -> None:
    """A weight counts from the example on in which it was changed: the sum over all examples, by their number."""
    table = WeightTable(classes)
    now: dict[tuple[int, int], int] = defaultdict(int)
    sums: dict[tuple[int, int], int] = defaultdict(int)
    examples = 0
    keys = [2, 4, 1 << 63, (1 << 64) - 2, (1 << 63) + 2, 12345678901234566]
    for which, klass, amount, later in changes:
        place = keys[which], klass * 7 % classes  # rows of few classes, and of all
        table.change(*place, amount)
        now[place] += amount
        for _ in range(later):
            for one, weight in now.items():
                sums[one] += weight
            examples += 1
        table.clock = examples
    found = as_dict(table)
    if not examples:
        assert found == {place: weight for place, weight in now.items() if weight}
        return
    for place, total in sums.items():
        assert abs(found.get(place, 0) - total / examples) <= 0.5
        assert (place in found) == bool(found.get(place, 0))
    assert set(found) <= set(sums)


@given(
    st.dictionaries(
        st.tuples(st.integers(1, (1 << 63) - 1).map(lambda key: 2 * key), st.integers(0, 11)),
        st.integers(1, 0x7FFF),
        max_size=60,
    )
)
def test_weights_that_are_written_are_read_again(weights: dict[tuple[int, int], int]) -> None:
    table = WeightTable(12, learning=False)
    for place, weight in weights.items():
        table.change(*place, weight)
    found = StructuredWeights(4, 2, numpy.arange(12, dtype=numpy.int32), *table.averaged())
    again = read_weights(data := write_weights(found), "test")
    pairs = zip(numpy.repeat(again.keys, again.counts).tolist(), again.classes.tolist(), strict=True)
    assert dict(zip(pairs, again.weights.tolist(), strict=True)) == as_dict(table) == weights
    assert write_weights(again) == data
    PackedTable(12, again.keys, again.counts, again.classes, again.weights)
    assert again.keys.tolist() == sorted({key for key, _ in weights})


def test_keys_that_would_make_every_search_long_are_refused() -> None:
    """Mixed keys are spread evenly; a file could have others, and each look-up would go through all of them."""
    keys = numpy.arange(2, 2 * 5000, 2, dtype=numpy.uint64)
    arrays = (
        numpy.ones(len(keys), numpy.int32),
        numpy.zeros(len(keys), numpy.uint16),
        numpy.ones(len(keys), numpy.int16),
    )
    with pytest.raises(ValueError, match="not spread"):
        PackedTable(3, keys, *arrays)
    PackedTable(3, keys << numpy.uint64(50) | keys, *arrays)
    twice = keys << numpy.uint64(50)
    with pytest.raises(ValueError, match="two rows"):
        PackedTable(3, numpy.sort(numpy.concatenate([twice[1:], twice[1:2]])), *arrays)


def test_only_features_that_are_allowed_have_weights() -> None:
    table = WeightTable(3)
    table.allow(numpy.array([4, 6], numpy.uint64))
    for key in (4, 6, 8):
        table.change(key, 1, UNIT)
    assert as_dict(table) == {(4, 1): UNIT, (6, 1): UNIT}
    for wrong in ((0, 1, 1), (5, 1, 1), (4, 3, 1), (4, -1, 1)):
        with pytest.raises(ValueError, match="no such weight"):
            table.change(*wrong)


@pytest.mark.parametrize("beam", [1, 4])
def test_packed_weights_score_as_those_that_are_learned(beam: int) -> None:
    """Whatever is left out of a sum: rows of few weights and of many, and the classes that are not permissible."""
    model, unseen = learn(60, passes=4), sample(40, seed=3)
    assert model.structured is not None
    found = model.structured.found
    machine = Machine(model.specification, model.tables)
    classes = make_classes(machine, found.codes.tolist(), "test")
    learned = WeightTable(classes.room, learning=False)
    for key, place, weight in zip(
        numpy.repeat(found.keys, found.counts).tolist(),
        classes.places[found.classes].tolist(),
        found.weights.tolist(),
        strict=True,
    ):
        learned.change(key, place, weight)
    packed = PackedTable(
        classes.room, found.keys, found.counts, classes.places[found.classes].astype(numpy.uint16), found.weights
    )
    results = []
    for table in (packed, learned):
        for some, groups in product((classes, None), range(4)):
            machine = Machine(model.specification, model.tables)
            still = (*machine.lasting_templates, machine.still_templates)
            assert all(len(group) > 10 for group in still)
            assert len(set().union(*still)) == sum(len(group) for group in still) < len(machine.templates)
            scorer = Scorer(table, machine.templates, some, still[:groups])
            policy = BeamPolicy(scorer, classes, beam) if beam > 1 else GreedyPolicy(scorer, classes)
            results.append(parsed(model, unseen, Parser(machine, policy)))
    assert all(result == results[0] for result in results)


# Learning


@pytest.mark.parametrize("beam", [1, 3])
def test_the_same_seed_gives_the_same_bytes(beam: int, monkeypatch: pytest.MonkeyPatch) -> None:
    one = entry_of(learn(beam=beam, seed=7))
    assert one == entry_of(learn(beam=beam, seed=7)) != entry_of(learn(beam=beam, seed=8))
    two = entry_of(learn(beam=beam, seeds=2))
    assert two != entry_of(learn(beam=beam))
    for cores in (1, 2, 3, 9):
        monkeypatch.setattr(structured, "cores", lambda cores=cores: cores)
        assert one == entry_of(learn(beam=beam, seed=7))
        assert two == entry_of(learn(beam=beam, seeds=2))


def test_a_batch_of_one_changes_the_weights_after_each_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    batches = entry_of(learn(beam=3, update="max-violation"))
    monkeypatch.setattr(structured, "BATCH", 1)
    one = entry_of(learn(beam=3, update="max-violation"))

    def at_once(lanes: list[structured.Lane], trees: structured.Trees, _: object, stop: Event) -> None:
        lanes[0].scorer.postpones = False
        lanes[0].run(trees, stop)
        lanes[0].scorer.postpones = True

    monkeypatch.setattr(structured, "learn_together", at_once)
    assert entry_of(learn(beam=3, update="max-violation")) == one != batches


def test_weights_of_several_seeds_are_their_mean() -> None:
    def weights(model: Model) -> dict[tuple[int, int], int]:
        assert model.structured is not None
        found = model.structured.found
        pairs = zip(numpy.repeat(found.keys, found.counts).tolist(), found.classes.tolist(), strict=True)
        return dict(zip(pairs, found.weights.tolist(), strict=True))

    one, two, both = (weights(learn(**more)) for more in ({"seed": 1}, {"seed": 2}, {"seeds": 2}))
    assert both
    for place in {*one, *two, *both}:
        assert abs(both.get(place, 0) - (one.get(place, 0) + two.get(place, 0)) / 2) <= 0.5


@pytest.mark.slow
@pytest.mark.parametrize(
    "more",
    [
        {"beam": 4},
        {"beam": 4, "update": "max-violation"},
        {"beam": 4, "update": "early"},
        {"explore": 0.9},
        {"explore": 0},
    ],
)
def test_it_learns_more_than_classifiers_do(more: dict[str, object]) -> None:
    train, unseen = sample(300, seed=2), sample(300, seed=5)
    usual = score(malt.train(train), unseen)
    assert score(malt.train(train, learner="perceptron", passes=8, **more), unseen) > usual + 3  # type: ignore[arg-type]


BOTTOM_UP = ["stacklazy", "archybrid", "nivrestandard"]


@pytest.mark.parametrize("name", ["nivreeager", *BOTTOM_UP, "covnonproj", "2planar"])
def test_a_search_begins_anew_where_it_went_wrong(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """So a sentence can teach more than once; with the other rules it does not."""
    path = tmp_path / "train.conll"
    path.write_text(sample(30), encoding="utf-8")
    updates = {}
    for rule in ("restart", "max-violation", "early", "unless it is given"):
        options = ["-a", name, "--beam", "4", "--passes", "1", "--dev", str(path), str(path)]
        given = [] if rule == "unless it is given" else ["--update", rule]
        assert main(["train", "-c", str(tmp_path / "m"), "-l", "perceptron", *given, *options]) == 0
        [told] = re.findall(r"pass 1: ([\d,]+) updates", capsys.readouterr().err)
        updates[rule] = int(told.replace(",", ""))
    assert updates["early"] <= 30
    assert updates["max-violation"] <= 30
    assert updates["restart"] > 60
    usual = "restart" if name in (*BOTTOM_UP, "covnonproj") else "max-violation"
    assert updates["unless it is given"] == updates[usual]


def test_a_development_set_chooses_the_pass(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name, seed in (("train", 1), ("dev", 5)):
        (tmp_path / f"{name}.conll").write_text(sample(60, seed), encoding="utf-8")
    options = ["-l", "perceptron", "--passes", "5", "--dev", str(tmp_path / "dev.conll"), str(tmp_path / "train.conll")]
    assert main(["train", "-c", str(tmp_path / "m"), *options]) == 0
    told = re.findall(
        r"seed 1, pass (\d): [\d,]+ updates, LAS ([\d.]+) on the development set", capsys.readouterr().err
    )
    assert [int(number) for number, _ in told] == [1, 2, 3, 4, 5]
    scores = [float(las) for _, las in told]
    model = malt.load(tmp_path / "m")
    assert model.structured is not None
    assert model.structured.found.passes == 1 + scores.index(max(scores))
    assert score(model, sample(60, 5)) == pytest.approx(max(scores), abs=0.005)


def test_rare_features_are_left_out() -> None:
    all_of_them, fewer = learn(80, min_count=1), learn(80, min_count=2)
    assert all_of_them.structured is not None
    assert fewer.structured is not None
    assert 0 < len(fewer.structured.found.keys) < 0.6 * len(all_of_them.structured.found.keys)
    assert score(fewer, sample(40, 3)) > 45


def test_a_model_without_features_is_refused() -> None:
    """It was written without a word, and gave every word the same."""
    with pytest.raises(
        MaltError, match=r"^there is nothing to learn from: no feature is seen 100,000 times .*min-count"
    ):
        learn(20, min_count=100000)
    one = "1\tw\t_\tN\tN\t_\t0\troot\t_\t_\n\n"  # greedily there is no choice, and nothing to be seen
    model = malt.train(one, algorithm="covproj", learner="perceptron", min_count=100000)
    assert [sentence.heads for sentence in model.parse(one)] == [[0]]


def test_small_treebanks_need_all_features() -> None:
    def weights(number: int, **options: object) -> int:
        model = learn(number, **options)
        assert model.structured is not None
        return len(model.structured.found.keys)

    assert weights(5) == weights(5, min_count=1) > weights(5, min_count=2)
    assert weights(200) == weights(200, min_count=2) < weights(200, min_count=1)


def test_rare_marks_of_lifted_arcs_are_left_out() -> None:
    def classes(least: int) -> int:
        model = learn(100, min_lifted=least, passes=1)
        assert model.structured is not None
        return len(model.structured.found.codes)

    assert classes(0) == classes(1) > classes(10) > classes(1000)


@pytest.mark.parametrize("beam", [1, 4])
def test_little_treebanks(beam: int) -> None:
    with pytest.raises(MaltError, match="there are no sentences"):
        malt.train([], learner="perceptron", beam=beam)
    model = malt.train("1\tdomé\tdomir\tVERB\tVf\t_\t0\tROOT\t_\t_\n\n", learner="perceptron", beam=beam)
    assert model.parse_tokens([("domé", "Vf")]).heads == [0]
    assert len(model.parse_tokens([("la", "Da"), ("kasta", "Nc"), ("domé", "Vf")]).heads) == 3


# Models


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A treebank, and models of it: liblinear, greedy, beam."""
    place = tmp_path_factory.mktemp("structured")
    (place / "train.conll").write_text(sample(60), encoding="utf-8")
    (place / "test.conll").write_text(sample(40, 3), encoding="utf-8")
    (place / "empty.conll").write_text("")
    malt.train(place / "train.conll").save(place / "liblinear")
    for name, beam in (("greedy", 1), ("beam", 4)):
        malt.train(place / "train.conll", learner="perceptron", passes=2, beam=beam).save(place / name)
    return place


def parse(folder: Path, model: str, *options: str) -> bytes:
    out = folder / "out.conll"
    assert main(["parse", "-q", "-c", str(folder / model), "-o", str(out), *options, str(folder / "test.conll")]) == 0
    return out.read_bytes()


@pytest.mark.parametrize("name", ["greedy", "beam"])
def test_a_model_is_the_same_everywhere(name: str, folder: Path) -> None:
    model = malt.load(folder / name)
    expected = parse(folder, name)
    assert parse(folder, name, "-j", "2") == expected
    model.save(folder / "copy")
    assert parse(folder, "copy") == expected
    text = (folder / "test.conll").read_text(encoding="utf-8")
    for one in (model, pickle.loads(pickle.dumps(model))):
        assert "".join(map(str, one.parse(text))).split() == expected.decode().split()


def test_the_beam_of_parsing_overrides_that_of_training(folder: Path) -> None:
    assert parse(folder, "beam", "--beam", "4") == parse(folder, "beam")
    assert parse(folder, "beam", "--beam", "1") != parse(folder, "beam")
    assert parse(folder, "greedy", "--beam", "1") == parse(folder, "greedy")
    assert parse(folder, "greedy", "--beam", "5") != parse(folder, "greedy")


def test_what_a_model_is(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["info", str(folder / "beam")]) == 0
    told = capsys.readouterr().out
    assert re.search(r"^structured +beam 4, 2 passes", told, re.MULTILINE)
    assert re.search(r"^root +last: at the end of the buffer$", told, re.MULTILINE)
    assert re.search(r"^ *-pp .* head$", told, re.MULTILINE)
    assert "perceptron" in told
    assert "structured," in malt.load(folder / "beam")._repr_html_()


@pytest.mark.parametrize("name", ["greedy", "beam"])
def test_a_trace_has_the_scores_of_all_permissible_classes(
    name: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "short.conll").write_text(SHORT, encoding="utf-8")
    assert main(["trace", "-c", str(folder / name), str(folder / "short.conll")]) == 0
    told = capsys.readouterr().out
    beam = r"(?: +(?:beam|out|nothing|\d+) .*\n)*"
    lines = re.findall(rf"^ +((?:[A-Z]{{2}}\S* -?[\d.e+]+(?:  |$)){{2,}})\n{beam}(\w\w) ⇒", told, re.MULTILINE)
    assert len(lines) > 8
    for candidates, taken in lines:
        names, scores = zip(*(one.split(" ") for one in candidates.split("  ")), strict=True)
        assert [float(one) for one in scores] == sorted(map(float, scores), reverse=True)
        assert taken in {one[:2] for one in names}
    assert main(["trace", "--features", "-c", str(folder / name), str(folder / "short.conll")]) == 0
    assert "InputColumn(POSTAG,Input[0])" in capsys.readouterr().out


CLASSIFIERS = ["-gds T.TRANS#A.DEPREL", "-d POSTAG -s Input[0]", "-T 5", "-k 2", "-lo -c_1", "-lx x", "-li true"]


@pytest.mark.parametrize("option", CLASSIFIERS)
def test_options_of_classifiers_are_refused(option: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["train", "-q", "-c", folder / "none", "-l", "perceptron", *option.split(), folder / "train.conll"]
    assert f"{option.split()[0]} is for classifiers, and -l perceptron learns derivations" in error(capsys, *words)
    assert not (folder / "none.mco").exists()


def test_commands_that_have_no_place_for_it(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    told = error(capsys, "-c", folder / "none", "-m", "learn", "-l", "perceptron", "-i", folder / "train.conll")
    assert "`malt train -l perceptron` learns such a model" in told
    assert not (folder / "none.mco").exists()
    for words in (["-l", "perceptron"], ["-c", folder / "greedy"]):
        told = error(capsys, "instances", *words, folder / "train.conll")
        assert "-l perceptron has no instances" in told
    told = error(capsys, "-m", "testdata", "-c", folder / "greedy", "-i", folder / "train.conll")
    assert "-l perceptron has no instances" in told
    for option in ("--beam", "--passes", "--seeds"):
        told = error(capsys, "train", "-q", "-c", folder / "none", option, "4", folder / "train.conll")
        assert f"{option} is for -l perceptron, not for -l liblinear" in told
    told = error(capsys, "parse", "-c", folder / "liblinear", "--beam", "4", folder / "test.conll")
    assert "--beam is for models of -l perceptron" in told
    assert "nothing to learn from" in error(
        capsys, "train", "-q", "-c", folder / "none", "-l", "perceptron", folder / "empty.conll"
    )
    told = error(
        capsys, "train", "-q", "-c", folder / "none", "-l", "perceptron", "--dev", "absent", folder / "train.conll"
    )
    assert "absent" in told
    words = [
        "train",
        "-q",
        "-c",
        folder / "none",
        "-l",
        "perceptron",
        "--dev",
        folder / "empty.conll",
        folder / "train.conll",
    ]
    assert "empty.conll: there are no sentences to choose the best pass by" in error(capsys, *words)
    assert not (folder / "none.mco").exists()


# Damage


def rebuilt(folder: Path, data: bytes) -> Path:
    """A copy of a model with another entry of weights."""
    path = folder / "damaged.mco"
    with zipfile.ZipFile(folder / "beam.mco") as archive, zipfile.ZipFile(path, "w") as target:
        for name in archive.namelist():
            target.writestr(name.replace("beam", "damaged"), data if name.endswith(ENTRY) else archive.read(name))
    return path


def changed(found: StructuredWeights, name: str, place: int, value: int) -> StructuredWeights:
    array = getattr(found, name).copy()
    array[place] = value
    return replace(found, **{name: array})


DAMAGE: dict[str, Callable[[StructuredWeights], bytes]] = {
    "cut off": lambda found: write_weights(found)[:-1],
    "cut off early": lambda found: write_weights(found)[:30],
    "longer": lambda found: write_weights(found) + b"\0",
    "empty": lambda found: b"",
    "no header": lambda found: write_weights(found).split(b"\n")[0] + b"\n",
    "other lengths": lambda found: re.sub(rb'"weights": \d+', b'"weights": 3', write_weights(found)),
    "huge lengths": lambda found: re.sub(rb'"keys": \d+', b'"keys": 1099511627775', write_weights(found)),
    "longer numbers": lambda found: re.sub(rb'"keys": \d+', b'"keys": ' + b"9" * 5000, write_weights(found)),
    "a negative length": lambda found: re.sub(rb'"keys": \d+', b'"keys": -1', write_weights(found)),
    "a later version": lambda found: write_weights(found).replace(b'"version": 1', b'"version": 2'),
    "a wide beam": lambda found: write_weights(replace(found, beam=1 << 30)),
    "no beam": lambda found: write_weights(replace(found, beam=0)),
    "a class out of range": lambda found: write_weights(changed(found, "classes", 5, len(found.codes))),
    "a code out of range": lambda found: write_weights(changed(found, "codes", 0, 1 << 30)),
    "a negative code": lambda found: write_weights(changed(found, "codes", 0, -1)),
    "a code twice": lambda found: write_weights(changed(found, "codes", 0, int(found.codes[1]))),
    "a key of 0": lambda found: write_weights(changed(found, "keys", 0, 0)),
    "a key twice": lambda found: write_weights(changed(found, "keys", 0, int(found.keys[1]))),
    "a row too long": lambda found: raw_counts(found, 0, 1 << 30),
    "a row of nothing": lambda found: raw_counts(found, 0, 0),
    "a negative row": lambda found: raw_counts(found, 0, -5),
    "no classes": lambda found: write_weights(replace(found, codes=found.codes[:0])),
}


def raw_counts(found: StructuredWeights, place: int, value: int) -> bytes:
    data = write_weights(found)
    count = numpy.array([found.counts[0], value], "<i4")
    begin = data.index(b"\n", data.index(b"\n") + 1) + 1 + 4 * len(found.codes) + 8 * len(found.keys)
    assert data[begin : begin + 4] == count[:1].tobytes()
    return data[:begin] + count[1:].tobytes() + data[begin + 4 :]


@pytest.mark.parametrize("what", DAMAGE)
def test_damaged_weights_are_refused(what: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = malt.load(folder / "beam").structured
    assert found is not None
    path = rebuilt(folder, DAMAGE[what](found.found))
    onwards = ["train", "-q", "-c", folder / "none", "--from", path, folder / "train.conll"]
    for words in (["parse", "-c", path, folder / "test.conll"], onwards):
        told = error(capsys, *words)
        assert "damaged" in told.replace("damaged.mco", "") or "a later maltkit wrote" in told


def test_weights_of_any_size_are_added_up(folder: Path) -> None:
    """Numbers that no treebank leads to make no sense, and do no harm."""
    found = malt.load(folder / "beam").structured
    assert found is not None
    weights = numpy.full(len(found.found.weights), (1 << 31) - 1, numpy.int32)
    model = malt.load(rebuilt(folder, write_weights(replace(found.found, weights=weights))))
    assert len(list(model.parse(folder / "test.conll"))) == 40


@pytest.mark.slow
def test_random_damage(folder: Path) -> None:
    """Whatever happens to the bytes, either it is told, or the model parses."""
    found = malt.load(folder / "beam").structured
    assert found is not None
    whole, dice, refused = write_weights(found.found), random.Random(1), 0
    for _ in range(150):
        data = bytearray(whole)
        for _ in range(dice.choice([1, 1, 5])):
            at = dice.randrange(dice.choice([300, 2000, len(data)]))
            data[at] = dice.randrange(256)
        try:
            assert len(list(malt.load(rebuilt(folder, bytes(data))).parse(SHORT))) == 4
        except DataError:
            refused += 1
    assert 20 < refused < 150


LONG = """
import resource, sys, malt
model = malt.load(sys.argv[1])
list(model.parse(sys.argv[2]))
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
list(model.parse(sys.argv[3]))
print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) // 1024)
"""


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="Windows has no limits of resources")
def test_what_is_remembered_within_a_sentence_has_a_bound(folder: Path) -> None:
    """The list-based system goes through a quarter of a million configurations, and their features and scores would be
    300 MB."""
    learn(algorithm="covnonproj").save(folder / "lists")
    words = "".join(f"{i}\tw{i}\tw\tNOUN\tNc\t_\t_\t_\t_\t_\n" for i in range(1, 701))
    (folder / "long.conll").write_text(words + "\n", encoding="utf-8")
    arguments = [str(folder / name) for name in ("lists", "test.conll", "long.conll")]
    command = [sys.executable, "-W", "ignore", "-c", LONG, *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert int(done.stdout) < 120


# The library


def test_the_library_and_the_estimator() -> None:
    model = malt.train(sample(40), learner="perceptron", beam=4, passes=2)
    assert model.structured is not None
    assert model.structured.found.beam == 4
    with pytest.raises(UsageError, match="-lo is for classifiers"):
        malt.train(sample(40), learner="perceptron", cost=1)
    sentences = list(malt.read(sample(40)))
    parser = clone(malt.DependencyParser(learner="perceptron", beam=4, passes=2)).fit(sentences)
    assert parser.get_params()["beam"] == 4
    unseen = list(malt.read(sample(20, 3)))
    assert [one.heads for one in parser.predict(unseen)] == [one.heads for one in model.parse(sample(20, 3))]


def test_where_the_root_stands(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """Last, unless something is said of the root; a model remembers it."""
    assert learn().specification.definition.root_last
    assert not learn(rp="first").specification.definition.root_last
    assert not learn(nr=False).specification.definition.root_last
    assert learn(algorithm="2planar").specification.definition.root_last
    assert not learn(algorithm="planar", prh="relaxed").specification.definition.root_last
    assert not learn(algorithm="stackproj").specification.definition.root_last
    assert learn(algorithm="covproj", beam=2).specification.definition.root_last
    assert not learn(algorithm="covnonproj", beam=2, cr=False).specification.definition.root_last
    greedy = learn(algorithm="covnonproj").specification.definition
    assert not greedy.root_last
    assert greedy.left == 1  # what is left over hangs on the root
    assert not learn(algorithm="covproj", beam=2, up=True).specification.definition.root_last
    learn().save(tmp_path / "m")
    assert malt.load(tmp_path / "m").specification.definition.root_last
    for options, said in (
        (["-l", "liblinear", "-rp", "last"], "-rp last is for -l perceptron, not for -l liblinear"),
        (
            ["-l", "perceptron", "-a", "stackproj", "-rp", "last"],
            "-rp last is for nivreeager, the planar algorithms and those of Covington: stackproj has its root first",
        ),
        (["-l", "perceptron", "-a", "2planar", "-rp", "last", "-2pr", "true"], "-rp last and -2pr true do not go"),
    ):
        assert main(["train", "-c", str(tmp_path / "x"), "--sample", *options]) != 0
        assert said in capsys.readouterr().err


@pytest.mark.parametrize("algorithm", ["covproj", "covnonproj"])
def test_lists_may_be_passed_at_once(algorithm: str) -> None:
    """Unless it is said; and a beam that went wrong begins anew."""
    definition = learn(algorithm=algorithm).specification.definition
    assert definition.options["-cs"]
    assert definition.restarts
    assert not definition.bottom_up
    assert not learn(algorithm=algorithm, cs=False).specification.definition.options["-cs"]


def test_planar_systems_reduce_words_with_heads() -> None:
    """Unless something else is said; a single plane learns lifted trees, too, and other systems do not hear of it."""
    covered, lifting = "planar.no_covered_roots", "pproj.marking_strategy"
    for options, expected in (
        ({"algorithm": "2planar"}, ("true", "none")),
        ({"algorithm": "planar"}, ("true", "head")),
        ({"algorithm": "planar", "pp": "none"}, ("true", "none")),
        ({"algorithm": "planar", "pcov": False}, ("false", "none")),
        ({"algorithm": "2planar", "pp": "head"}, ("true", "head")),
        ({"algorithm": "2planar", "pcov": False}, ("false", "none")),
        ({"algorithm": "2planar", "rp": "first"}, ("false", "none")),
        ({"algorithm": "nivreeager"}, ("false", "head")),
        ({"algorithm": "stacklazy"}, ("false", "none")),
    ):
        model = learn(20, **options)
        assert (model.options[covered], model.options[lifting]) == expected, options


def test_where_the_oracle_decides() -> None:
    """Where the text says that costs are a lower bound, and not where one root alone makes them one."""
    decides = {name: find_system(name, {"-rt": "one"}).oracle_decides for name in ALGORITHMS}
    assert {name for name, does in decides.items() if does} == {"2planar", "3planar"}
    lines = "SH = SHIFT\nRE = REDUCE | headed(top)\nLA = LEFT-ARC | not headed(top)\nRA = RIGHT-ARC | not headed(front)"
    searched = parse_system(lines, "mine.txt")
    assert searched.costs == "lower bound"
    assert not searched.oracle_decides


def test_classes_without_room_are_refused_in_a_line(monkeypatch: pytest.MonkeyPatch) -> None:
    model = learn()
    machine = Machine(model.specification, model.tables)
    monkeypatch.setattr("malt.parsing.structured.class_parts", lambda *_: [[64, 1, 1]])
    with pytest.raises(DataError, match=r"m\.mco: there are more transitions than a set of them has room for"):
        make_classes(machine, [1], "m.mco")
