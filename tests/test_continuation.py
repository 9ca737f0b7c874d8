"""malt train --from: learning on from a model, what it keeps, and what must be the same."""

from __future__ import annotations

import io
import zipfile
from dataclasses import replace
from pathlib import Path

import numpy
import pytest
from refusals import error
from sklearn.base import clone

import malt
from malt.commands import malt as main
from malt.errors import DataError, UsageError
from malt.kernel.weights import UNIT, WeightTable
from malt.mco.weights import ENTRY, read_weights, write_weights
from malt.model import Model
from malt.systems import ALGORITHMS


def sample(number: int, seed: int = 1) -> str:
    return "".join(malt.sample.text(number, seed=seed))


def weights(model: Model) -> dict[tuple[int, str], int]:
    """The weights by feature and class, in words: classes may have other numbers in another model."""
    assert model.structured is not None
    spec, found = model.specification, model.structured.found
    [decision] = spec.decisions
    names = [decision.symbol(code, spec.transitions, model.tables) for code in found.codes.tolist()]
    keys = numpy.repeat(found.keys, found.counts).tolist()
    classes = [names[number] for number in found.classes.tolist()]
    return dict(zip(zip(keys, classes, strict=True), found.weights.tolist(), strict=True))


def right(model: Model) -> int:
    """How many heads it finds in other sentences."""
    unseen = sample(40, 3)
    return sum(
        one == two
        for found, gold in zip(model.parse(unseen), malt.read(unseen), strict=True)
        for one, two in zip(found.heads, gold.heads, strict=True)
    )


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("continuation")
    (place / "train.conll").write_text(sample(60), encoding="utf-8")
    (place / "more.conll").write_text(sample(40, 5), encoding="utf-8")
    malt.train(place / "train.conll").save(place / "liblinear")
    malt.train(place / "train.conll", learner="perceptron", passes=2, beam=3).save(place / "beam")
    malt.train(place / "train.conll", learner="perceptron", passes=2).save(place / "greedy")
    return place


def test_a_table_begins_with_weights_and_averages_them() -> None:
    table = WeightTable(4)
    keys, counts = numpy.array([4, 8], numpy.uint64), numpy.array([2, 1], numpy.int32)
    table.begin_with(keys, counts, numpy.array([0, 3, 1], numpy.uint16), numpy.array([10, -20, 30], numpy.int32))
    table.clock = 1
    table.change(8, 1, UNIT)  # counts from the second of two examples on
    table.clock = 2
    rows, sizes, classes, amounts = (part.tolist() for part in table.averaged())
    features = [row for row, size in zip(rows, sizes, strict=True) for _ in range(size)]
    found = dict(zip(zip(features, classes, strict=True), amounts, strict=True))
    assert found == {(4, 0): 10, (4, 3): -20, (8, 1): 30 + UNIT // 2}
    with pytest.raises(ValueError, match="do not fit together"):  # something is there already
        table.begin_with(keys, counts, numpy.zeros(3, numpy.uint16), numpy.zeros(3, numpy.int32))
    for wrong in ([2, 2], [3, 1], [0, 3], [-1, 4]):
        with pytest.raises(ValueError, match="do not fit"):
            WeightTable(4).begin_with(
                keys, numpy.array(wrong, numpy.int32), numpy.zeros(3, numpy.uint16), numpy.zeros(3, numpy.int32)
            )
    with pytest.raises(ValueError, match="a class that there is not"):
        WeightTable(4).begin_with(keys, counts, numpy.full(3, 4, numpy.uint16), numpy.zeros(3, numpy.int32))


@pytest.mark.parametrize("name", ALGORITHMS)
def test_what_knows_all_stays_as_it_is(name: str, tmp_path: Path) -> None:
    """Where nothing is left to learn, weights are those that the training began with, under the same codes."""
    text = sample(6)
    known = malt.train(text, algorithm=name, learner="perceptron", passes=40, explore=0, rp="first")
    known.save(tmp_path / "known")
    again = malt.train(text, from_=tmp_path / "known", passes=1, explore=0)
    # So it had learned it; where costs are a lower bound, a tree may come of another derivation than the oracle's.
    decided = known.specification.definition.oracle_decides
    if not decided and [s.heads for s in known.parse(text)] == [s.heads for s in malt.read(text)]:
        assert weights(again) == weights(known)
    assert again.algorithm == name
    assert again.structured is not None
    assert again.structured.found.passes == 41


def test_new_words_and_labels_are_added(folder: Path) -> None:
    old = malt.load(folder / "greedy")
    text = sample(40, 5).replace("\tnsubj\t", "\tsubject\t").replace("\tVf\t", "\tVerb\t")
    new = malt.train(text, from_=folder / "greedy", passes=3)
    for name, table in old.tables.items():
        mine = {pair for pair in table.symbols() if (name, pair[1]) != ("PPLIFTED", "ROOT")}  # only for parsing
        theirs = dict(new.tables[name].symbols())
        assert mine <= theirs.items(), name
    assert "subject" in dict(new.tables["DEPREL"].symbols()).values()
    assert old.structured is not None
    assert new.structured is not None
    assert set(old.structured.found.codes.tolist()) < set(new.structured.found.codes.tolist())
    labels = {label for sentence in new.parse(text) for label in sentence.labels}
    assert "subject" in labels
    # what only the old treebank has is remembered: most weights are where they were
    kept = set(weights(old)) & set(weights(new))
    assert len(kept) > 0.9 * len(weights(old))
    assert new.options["pproj.marking_strategy"] == old.options["pproj.marking_strategy"] == "head"
    assert new.specification.features == old.specification.features
    assert new.specification.definition == old.specification.definition


def test_it_goes_on_where_the_model_was(folder: Path) -> None:
    """One pass more is worth more than one pass."""
    more = folder / "more.conll"
    assert right(malt.train(more, from_=folder / "greedy", passes=1)) > right(
        malt.train(more, learner="perceptron", passes=1)
    )


@pytest.mark.parametrize("options", [{"algorithm": "mst"}, {"algorithm": "mg1", "reverse": True}])
def test_models_of_arcs_learn_on(options: dict[str, object], folder: Path, tmp_path: Path) -> None:
    """Also with labels of their own, which change the places of all classes."""
    start, text = tmp_path / "arcs", sample(40, 5).replace("\tnsubj\t", "\tA-subject\t")
    malt.train(folder / "train.conll", passes=2, **options).save(start)  # type: ignore[arg-type]
    old, new = malt.load(start), malt.train(text, from_=start, passes=1, memory=10)
    assert (new.algorithm, new.backwards) == (old.algorithm, old.backwards) == (options["algorithm"], len(options) > 1)
    assert old.structured is not None
    assert new.structured is not None
    assert new.structured.found.passes == 3
    assert len(set(new.structured.found.codes.tolist()) - set(old.structured.found.codes.tolist())) >= 1
    assert right(new) > right(malt.train(text, passes=1, **options))  # type: ignore[arg-type]
    with pytest.raises(UsageError, match=r"--beam is for derivations, and -a m.* scores arcs"):
        malt.train(text, from_=start, beam=2)


def test_a_class_that_makes_no_arc_is_refused(folder: Path, tmp_path: Path) -> None:
    model = malt.train(folder / "train.conll", passes=1, algorithm="mst")
    assert model.structured is not None
    found = model.structured.found
    codes = found.codes.copy()
    codes[0] = model.tables["T.TRANS+A.DEPREL"].code("NA")
    with zipfile.ZipFile(io.BytesIO(model.content())) as archive:
        entries = {name: archive.read(name) for name in archive.namelist()}
    with zipfile.ZipFile(tmp_path / "bad.mco", "w") as archive:
        for name, data in entries.items():
            archive.writestr(name, write_weights(replace(found, codes=codes)) if name.endswith(ENTRY) else data)
    with pytest.raises(DataError, match=r"bad\.mco: the weights are damaged: a class is none of this algorithm$"):
        malt.train(folder / "more.conll", from_=tmp_path / "bad")


def test_what_reads_from_left_to_right_goes_on_so(folder: Path) -> None:
    with pytest.raises(UsageError, match=r"--reverse is given, but the model reads from left to right; leave it out"):
        malt.train(folder / "more.conll", from_=folder / "greedy", reverse=True)


def test_a_blend_learns_nothing(folder: Path, tmp_path: Path) -> None:
    malt.blend([malt.load(folder / name) for name in ("greedy", "liblinear")]).save(tmp_path / "b")
    with pytest.raises(UsageError, match=r"b\.mco: it is a blend; name one of the models that it was made of$"):
        malt.train(folder / "more.conll", from_=tmp_path / "b")


def test_the_command_and_the_beam(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    target = folder / "next"
    words = ["train", "-c", target, "--from", folder / "beam", "--passes", "1", folder / "more.conll"]
    assert main([str(word) for word in words]) == 0
    found = malt.load(target).structured
    assert found is not None
    assert (found.found.beam, found.found.passes) == (3, 3)
    first = target.with_suffix(".mco").read_bytes()
    assert main([str(word) for word in words]) == 0
    assert target.with_suffix(".mco").read_bytes() == first
    assert main([str(word) for word in [*words, "--beam", "2", "-a", "nivreeager", "-l", "perceptron"]]) == 0
    found = malt.load(target).structured
    assert found is not None
    assert found.found.beam == 2
    # the same name: the model is replaced by what follows from it
    words[2] = folder / "beam2"
    malt.load(folder / "beam").save(folder / "beam2")
    words[4] = folder / "beam2"
    assert main([str(word) for word in words]) == 0
    with zipfile.ZipFile(folder / "beam2.mco") as one, zipfile.ZipFile(folder / "next.mco") as other:
        assert read_weights(one.read(f"beam2/{ENTRY}"), "").beam == 3
        assert one.read(f"beam2/{ENTRY}") != other.read(f"next/{ENTRY}")


def test_a_label_of_roots_that_the_model_lacks(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """That is the model's to say: no advice is given that would be refused."""
    other = folder / "root.conll"
    other.write_text(sample(20, 5).replace("\tROOT\t", "\troot\t"), encoding="utf-8")
    words = ["train", "-c", folder / "better", "--from", folder / "greedy", "--passes", "1", other]
    assert main([str(word) for word in words]) == 0
    assert "-grl" not in capsys.readouterr().err


def test_a_model_that_no_pass_makes_better_is_kept(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The development set is what the model was trained on, and the treebank is nonsense."""
    rows = [line.split("\t") for line in (folder / "train.conll").read_text(encoding="utf-8").split("\n")]
    wrong = [[*row[:6], str(int(row[0]) - 1), "det", *row[8:]] if len(row) > 8 else row for row in rows]
    nonsense = "\n".join(map("\t".join, wrong))
    (folder / "nonsense.conll").write_text(nonsense, encoding="utf-8")
    target, start = folder / "kept", folder / "greedy"
    dev = ["--dev", folder / "train.conll", folder / "nonsense.conll"]
    assert main([str(word) for word in ["train", "-c", target, "--from", start, "--passes", "2", *dev]]) == 0
    assert "seed 1, before the first pass: LAS" in capsys.readouterr().err
    assert weights(malt.load(target)) == weights(malt.load(start))
    assert main([str(word) for word in ["train", "-c", target, "--from", start, "--seeds", "2", *dev]]) == 0
    assert weights(malt.load(target)) == weights(malt.load(start))


def test_features_that_are_rare_now_are_kept(folder: Path) -> None:
    old = malt.load(folder / "greedy")
    new = malt.train(folder / "more.conll", from_=folder / "greedy", passes=1, min_count=1000)
    assert len({key for key, _ in weights(old)} - {key for key, _ in weights(new)}) < 0.1 * len(weights(old))
    extra = {key for key, _ in weights(new)} - {key for key, _ in weights(old)}
    anew = malt.train(folder / "more.conll", from_=folder / "greedy", passes=1)
    assert len(extra) < 0.5 * len({key for key, _ in weights(anew)} - {key for key, _ in weights(old)})


REFUSED = {
    "-a stacklazy": "the model was trained with -a nivreeager",
    "-pp path": "the model was trained with -pp head",
    "-nr false": "the model was trained with -nr true",
    "-grl TOP": "the model was trained with -grl ROOT",
    "-nv none": "the model was trained with -nv one",
    "-rt one": "the model was trained with -rt ",
    "-if malttab": "the model is for conllx (ID, FORM, ",
    "-F other.yaml": "the model has other features",
    "-F nothing": "there is no such file",
    "-l liblinear": "--from is for -l perceptron, not for -l liblinear",
    "-gds T.TRANS#A.DEPREL": "-gds is for classifiers",
    "-lo -c_1": "-lo is for classifiers",
}


@pytest.mark.parametrize("option", REFUSED)
def test_what_differs_is_told(
    option: str, folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    (folder / "other.yaml").write_text("features:\n- InputColumn(POSTAG, Stack[0])\n")
    words = ["train", "-q", "-c", folder / "none", "--from", folder / "greedy", *option.split(), folder / "more.conll"]
    assert REFUSED[option] in error(capsys, *words)
    assert not (folder / "none.mco").exists()


def test_what_is_the_same_may_be_given(folder: Path) -> None:
    with zipfile.ZipFile(folder / "greedy.mco") as archive:
        (folder / "same.xml").write_bytes(archive.read("greedy/NivreEager.xml"))
    model = malt.train(
        folder / "more.conll",
        from_=folder / "greedy",
        algorithm="nivreeager",
        pp="head",
        features=folder / "same.xml",
        format="conllx",
        passes=1,
    )
    assert model.specification.features == malt.load(folder / "greedy").specification.features


def test_models_that_cannot_be_learned_on_from(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "text.mco").write_text("no model")
    told = {
        "liblinear": "it is a model of -l liblinear; only those of -l perceptron learn on",
        "absent": "absent.mco: no such model",
        "text": "it is not a model of MaltParser",
    }
    for name, what in told.items():
        words = ["train", "-q", "-c", folder / "none", "--from", folder / name, folder / "more.conll"]
        assert what in error(capsys, *words)
    (folder / "u.conllu").write_text("".join(malt.sample.text(5, "conllu")), encoding="utf-8")
    words = ["train", "-c", folder / "none", "--from", folder / "greedy", "--passes", "1", folder / "u.conllu"]
    assert main([str(word) for word in words]) in (0, 1)
    assert "the model of --from is for conllx" in capsys.readouterr().err
    assert "malt: " in error(capsys, "-m", "learn", "-c", folder / "none", "--from", folder / "greedy")


def test_a_format_of_ones_own_is_that_of_the_model(tmp_path: Path) -> None:
    (tmp_path / "own.xml").write_text(
        '<?xml version="1.0"?><dataformat name="own">'
        '<column name="ID" category="INPUT" type="INTEGER"/><column name="FORM" category="INPUT" type="STRING"/>'
        '<column name="POSTAG" category="INPUT" type="STRING"/><column name="HEAD" category="HEAD" type="INTEGER"/>'
        '<column name="DEPREL" category="DEPENDENCY_EDGE_LABEL" type="STRING"/></dataformat>'
    )
    text = "".join(
        "\t".join(fields[i] for i in (0, 1, 4, 6, 7)) + "\n" if len(fields) > 1 else "\n"
        for fields in (line.split("\t") for line in sample(20).splitlines())
    )
    (tmp_path / "own.txt").write_text(text, encoding="utf-8")
    malt.train(tmp_path / "own.txt", learner="perceptron", format=str(tmp_path / "own.xml"), passes=1).save(
        tmp_path / "m"
    )
    again = malt.train(tmp_path / "own.txt", from_=tmp_path / "m", passes=1)
    assert again.format.names == ("ID", "FORM", "POSTAG", "HEAD", "DEPREL")


def test_the_library_and_the_estimator_take_it(folder: Path) -> None:
    sentences = malt.read(sample(20, 7))
    parser = clone(malt.DependencyParser(from_=str(folder / "greedy"), passes=1, explore_from=1)).fit(sentences)
    assert parser.get_params()["from_"] == str(folder / "greedy")
    assert parser.model_.options["guide.learner"] == "perceptron"
    other = malt.train(sentences, options={"from": str(folder / "greedy")}, passes=1, explore_from=1)
    assert weights(parser.model_) == weights(other)
    with pytest.raises(UsageError, match="-a stacklazy is given, but the model was trained with -a nivreeager"):
        malt.train(sentences, from_=folder / "greedy", algorithm="stacklazy")


def test_when_wrong_choices_are_followed(folder: Path) -> None:
    """Before --explore-from, a training is the same as one that never explores."""

    def learned(**options: object) -> dict[tuple[int, str], int]:
        return weights(malt.train(folder / "train.conll", learner="perceptron", **options))  # type: ignore[arg-type]

    never = learned(passes=2, explore=0)
    assert learned(passes=2, explore_from=3) == never
    assert learned(passes=2, explore_from=2) == learned(passes=2) != never
    assert learned(passes=1, explore_from=1) != learned(passes=1, explore_from=2) == learned(passes=1, explore=0)
