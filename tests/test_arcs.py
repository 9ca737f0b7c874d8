"""Models of arcs: the best tree by the scores that were learned, options that fit, and models that read backwards."""

from __future__ import annotations

import io
import re
import zipfile
from dataclasses import replace
from pathlib import Path

import numpy
import pytest
from sklearn.base import clone
from test_spanning import projective, single, worth
from test_structured import entry_of, sample, score
from trained import trained
from trees import forests

import malt
from malt.charts import is_chart
from malt.commands import malt as main
from malt.data.formats.dataformat import find_format
from malt.data.source import blocks_of
from malt.errors import DataError, MaltError, UsageError
from malt.kernel.arcs import ArcModel, ArcPolicy
from malt.kernel.structured import StructuredPolicy
from malt.kernel.weights import Scorer
from malt.model import Model
from malt.parsing.decoders import make_decoder
from malt.parsing.machine import Machine
from malt.parsing.parser import Parser
from malt.parsing.structured import StructuredModel, make_classes
from malt.trees.nesting import is_derived


def learn(number: int = 60, algorithm: str = "mst", **options: object) -> Model:
    return malt.train(sample(number), algorithm=algorithm, **{"passes": 2, **options})  # type: ignore[arg-type]


def short_sentences(number: int, most: int = 6) -> str:
    """Sentences of few words, whose trees can be enumerated: the beginnings of others."""
    kept = []
    for place, sentence in enumerate(sample(number, seed=5).strip().split("\n\n")):
        lines = sentence.split("\n")[: 1 + place % most]
        kept.append("\n".join("\t".join([*line.split("\t")[:6], "0", "ROOT", "_", "_"]) for line in lines))
    return "\n\n".join(kept) + "\n\n"


@pytest.fixture(scope="module", params=["mst", "eisner", "mg1"])
def model(request: pytest.FixtureRequest) -> Model:
    return learn(algorithm=request.param)


def test_they_learn(model: Model) -> None:
    assert model.settings["guide.learner"] == "perceptron"  # which need not be named
    assert score(model, sample(40, seed=3)) > 60


def test_what_looks_at_one_word_is_summed_apart(model: Model) -> None:
    """With and without that, the same scores."""
    assert model.structured is not None
    machine = Machine(model.specification, model.tables)
    classes = make_classes(machine, model.structured.found.codes.tolist(), "test")
    model.structured.scorer(machine, classes)
    table, found = model.structured._table, []
    left, right = machine.sided_templates
    assert len(left) == len(right) > 10
    assert len(left) + len(right) < len(machine.templates) - 10
    for still in ((), (left,), (left, right)):
        scorer = Scorer(table, machine.templates, still=still)
        arcs = ArcModel(machine.system, scorer, classes, make_decoder("mst"), 1000)
        parser = Parser(machine, ArcPolicy(arcs))
        for block in blocks_of(sample(10, seed=3), model.format, "UTF-8", model.tables):
            for number in range(len(block)):
                parser.parse(block.only(number))
                found.append(arcs.matrix())
    third = len(found) // 3
    for one, two, three in zip(found[:third], found[third : 2 * third], found[2 * third :], strict=True):
        assert (one == two).all()
        assert (one == three).all()
    with pytest.raises(ValueError, match="4 groups of templates; expected 3 at most"):
        Scorer(table, machine.templates, still=([0], [1], [2], [3]))


def test_circles_and_nothing(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """Sentences that are no trees are left out, and told."""
    circle = "".join(f"{word}\tw\t_\tA\tX\t_\t{head}\tx\t_\t_\n" for word, head in enumerate((2, 1, 0), 1))
    file, arguments = tmp_path / "train.conll", ["train", "-q", "-c", str(tmp_path / "m"), "-a", "mst", "--passes", "1"]
    for text, status, told in (
        (f"{circle}\n{sample(10)}{circle}\n", 0, "left out, as the heads run in a circle: 2 sentences"),
        (f"{circle}\n", 1, "there is nothing to learn from; left out, as the heads run in a circle: 1 sentence"),
        ("\n\n\n", 1, "there is nothing to learn from: the treebank has no sentences"),
    ):
        file.write_text(text)
        assert main([*arguments, str(file)]) == status
        assert told in capfd.readouterr().err
    file.write_text(sample(10))
    assert main([*arguments, str(file)]) == 0
    assert "circle" not in capfd.readouterr().err


def in_class(tree: tuple[int, ...], name: str) -> bool:
    """Whether a decoder may find a tree."""
    return name == "mst" or (is_derived(tree, name) if is_chart(name) else projective(tree))


@pytest.mark.parametrize("roots", ["any", "one"])
@pytest.mark.parametrize("name", ["mst", "eisner", "wg1", "mg1"])
def test_the_tree_is_the_best_of_all(name: str, roots: str) -> None:
    model = learn(algorithm=name, roots=roots, marking_strategy="none")
    assert model.structured is not None
    machine = Machine(model.specification, model.tables)
    classes = make_classes(machine, model.structured.found.codes.tolist(), "test")
    scorer = model.structured.scorer(machine, classes)
    arcs = ArcModel(machine.system, scorer, classes, make_decoder(name), 1000)
    parser, seen = Parser(machine, ArcPolicy(arcs)), 0
    for block in blocks_of(short_sentences(40), model.format, "UTF-8", model.tables):
        for number in range(len(block)):
            heads = tuple(parser.parse(block.only(number)).heads.tolist())
            scores = arcs.matrix()
            assert len(scores) == len(heads) + 1
            every = [tree for tree in forests(len(heads)) if in_class(tree, name)]
            every = [tree for tree in every if roots == "any" or single(tree)]
            assert heads in every
            assert worth(scores, heads) == max(worth(scores, tree) for tree in every)
            seen += 1
    assert seen == 40


def test_a_seed_makes_the_model(model: Model) -> None:
    again, other = (learn(algorithm=model.algorithm, seed=seed) for seed in (1, 2))
    assert entry_of(again) == entry_of(model)
    assert entry_of(other) != entry_of(model)
    assert entry_of(learn(20, model.algorithm, seeds=2)) not in (entry_of(model), entry_of(other))


def test_labelled_roots() -> None:
    """Where roots have a label of their own, one word has it, and it is on the root."""
    model = learn(roots="labelled", root_label="ROOT")
    for sentence in model.parse(sample(30, seed=4)):
        assert sentence.heads.count(0) == 1
        assert [head == 0 for head in sentence.heads] == [label == "ROOT" for label in sentence.labels]


def test_eisner_lifts_what_is_not_projective() -> None:
    assert learn(20, "eisner").settings["pproj.marking_strategy"] == "head"
    assert learn(20, "mst").settings["pproj.marking_strategy"] == "none"


def test_a_word_and_a_label(tmp_path: Path) -> None:
    """A treebank of one word, with arcs to one side only, is enough."""
    model = malt.train("1\ta\t_\tX\tX\t_\t0\tROOT\t_\t_\n\n", algorithm="mst", passes=1)
    assert model.parse_tokens([("a", "X")]).heads == [0]
    found = model.parse_tokens([("a", "X"), ("b", "Y"), ("c", "Z")])
    assert sorted(found.heads)[0] == 0


def test_on_the_command_line(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    name, train, gold, _, two, told = trained("mst", tmp_path, capfd)
    assert re.search(r"^algorithm   mst: the best of all trees", told, re.MULTILINE)
    assert re.search(r"^structured  arcs, decoder mst, [123] pass", told, re.MULTILINE)
    assert main(["trace", "-c", name, "--sentences", "1", gold]) == 0
    assert "RA" in capfd.readouterr().out
    assert main(["systems", "mst"]) == 0
    assert "decoder: mst" in capfd.readouterr().out
    assert main(["features", "eisner"]) == 0
    assert "Left[0]" in capfd.readouterr().out
    assert main(["analyze", "-a", "mst", gold]) == 0
    capfd.readouterr()
    assert main(["instances", "-a", "mst", train, "-o", two]) != 0
    assert "-l perceptron has no instances" in capfd.readouterr().err
    assert main(["-c", name, "-m", "parse", "-i", gold, "-o", two]) != 0
    assert "MaltParser has no -l perceptron" in capfd.readouterr().err


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"learner": "liblinear"}, r"^-a mst scores arcs, and that is for -l perceptron, not for -l liblinear$"),
        ({"beam": 4}, r"^--beam is for derivations, and -a mst scores arcs; leave it out$"),
        ({"explore": 0.5}, r"^--explore is for derivations"),
        ({"algorithm": "nivreeager", "learner": "perceptron", "memory": 5}, r"^--memory is for algorithms that score"),
    ],
)
def test_options_that_do_not_fit(options: dict[str, object], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        malt.train(sample(5), **{"algorithm": "mst", **options})  # type: ignore[arg-type]


def test_features_that_see_arcs_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "f.yaml"
    path.write_text("- POSTAG(Left[0])\n- POSTAG(head(Right[0]))\n")
    with pytest.raises(DataError, match=r"f\.yaml, line 2: .*mst scores arcs before any is made, so head has nothing"):
        malt.train(sample(5), algorithm="mst", features=path)
    path.write_text("- POSTAG(Left[0]) & POSTAG(Right[0])\n- POSTAG(Stack[0])\n")
    with pytest.raises(DataError, match=r"mst has no Stack; it has Left, Right"):
        malt.train(sample(5), algorithm="mst", features=path)
    path.write_text("- POSTAG(Left[0]) & POSTAG(Right[0])\n- POSTAG(Right[0])\n")
    assert score(malt.train(sample(60), algorithm="mst", features=path, passes=2), sample(20, seed=3)) > 30


def test_a_long_sentence_is_refused_in_one_line(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    name, text = str(tmp_path / "m"), str(tmp_path / "long.conll")
    learn(20).save(name)
    lines = [f"{i}\ta\ta\tX\tX\t_\t0\tROOT\t_\t_\n" for i in range(1, 1001)]
    Path(text).write_text("1\ta\ta\tX\tX\t_\t0\tROOT\t_\t_\n\n" + "".join(lines) + "\n")
    assert main(["parse", "-c", name, "--memory", "30", text]) == 1
    told = capfd.readouterr().err.splitlines()[-1]
    assert re.fullmatch(
        r"malt: .*long\.conll, line 3: a sentence of 1,000 words: its arcs take 36 megabytes; "
        r"--memory says how much a sentence may take",
        told,
    )
    assert main(["train", "-c", str(tmp_path / "n"), "-a", "mst", "--memory", "30", text]) == 1
    assert "long.conll, line 3: a sentence of 1,000 words" in capfd.readouterr().err
    assert main(["parse", "-c", name, "--memory", "37", text, "-o", str(tmp_path / "out")]) == 0


def test_a_development_set_is_scored_within_the_same_bounds(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A sentence that is too long there is refused before the first pass."""
    train, dev, make, bounds = str(tmp_path / "train.conll"), tmp_path / "dev.conll", StructuredModel.make_policy, []
    Path(train).write_text(sample(5))
    words = ["train", "-c", str(tmp_path / "m"), "-a", "mg1", "--passes", "1", "--dev", str(dev)]
    dev.write_text("".join(f"{i}\ta\ta\tX\tX\t_\t0\tROOT\t_\t_\n" for i in range(1, 401)) + "\n")
    assert main([*words, "--memory", "1", train]) == 1
    told = capfd.readouterr().err
    assert "dev.conll, line 1: a sentence of 400 words" in told
    assert "pass 1" not in told

    def make_policy(self: StructuredModel, machine: Machine, *given: int) -> StructuredPolicy:
        bounds.append(given[1:])
        return make(self, machine, *given)

    monkeypatch.setattr(StructuredModel, "make_policy", make_policy)
    dev.write_text(sample(5))
    assert main([*words, "--memory", "2000", "--items", "3", train]) == 0
    assert bounds == [(2000, 3)]


def test_words_without_forms_and_tags_teach_nothing(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    text = "".join(f"{i}\t_\t_\t_\t_\t_\t{i - 1}\tx\t_\t_\n" for i in range(1, 4)) + "\n"
    (tmp_path / "train.conll").write_text(text)
    assert main(["train", "-q", "-c", str(tmp_path / "m"), "-a", "mst", str(tmp_path / "train.conll")]) == 1
    assert "the default features of mst look at words and tags, and the treebank has none" in capfd.readouterr().err
    assert not (tmp_path / "m.mco").exists()
    (tmp_path / "own.yaml").write_text("- Distance(Left[0], Right[0], 0|1|2|5)\n")
    model = malt.train(text, algorithm="mst", features=tmp_path / "own.yaml")
    assert [list(sentence.heads) for sentence in model.parse(text)] == [[0, 1, 2]]
    malt.train(text, learner="perceptron").make_parser()  # which has features of arcs and distances


def test_a_class_that_makes_no_arc_is_refused() -> None:
    model = learn(20)
    assert model.structured is not None
    codes = model.structured.found.codes.copy()
    codes[0] = model.tables["T.TRANS+A.DEPREL"].code("NA")
    model.structured.found = replace(model.structured.found, codes=codes)
    with pytest.raises(DataError, match="the weights are damaged: a class makes no arc"):
        model.make_parser()


def test_weights_that_are_damaged_are_refused(tmp_path: Path) -> None:
    path = str(tmp_path / "m.mco")
    model = learn(20)
    model.save(path)
    with zipfile.ZipFile(path) as archive:
        entries = {name: archive.read(name) for name in archive.namelist()}
    [name] = [name for name in entries if name.endswith("perceptron.weights")]
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for entry, data in entries.items():
            archive.writestr(entry, data[:-1] if entry == name else data)
    Path(path).write_bytes(stream.getvalue())
    with pytest.raises(DataError, match="it is damaged"):
        malt.load(path)


def test_an_estimator_and_a_pickle() -> None:
    import pickle

    parser = clone(malt.DependencyParser("mst", passes=2))
    text = sample(40)
    assert parser.fit(malt.read(text)).score(malt.read(sample(10, seed=3))) > 0.5
    again = pickle.loads(pickle.dumps(parser.model_))
    one, two = (m.parse_tokens([("la", "Da"), ("kasta", "Nc"), ("domé", "Vf")]) for m in (parser.model_, again))
    assert one.heads == two.heads


# Reading backwards


def mirrored(text: str) -> str:
    """Every sentence from its last word to its first."""
    found = []
    for sentence in text.strip().split("\n\n"):
        rows = [line.split("\t") for line in sentence.split("\n")][::-1]
        for number, row in enumerate(rows, 1):
            row[0] = str(number)
            row[6] = str(len(rows) + 1 - int(row[6])) if row[6] != "0" else "0"
        found.append("\n".join("\t".join(row) for row in rows))
    return "\n\n".join(found) + "\n\n"


def test_a_block_in_a_mirror() -> None:
    text = sample(20)
    for block, other in zip(
        malt_blocks(text),
        malt_blocks(mirrored(text)),
        strict=True,
    ):
        turned = block.mirrored()
        assert turned.heads.tolist() == other.heads.tolist()
        forms = [block.tables["FORM"].symbol(code) for code in turned.codes("FORM").tolist()]
        assert forms == [other.tables["FORM"].symbol(code) for code in other.codes("FORM").tolist()]
        back = turned.mirrored()
        assert (back.heads == block.heads).all()
        assert (back.values == block.values).all()
        assert (back.word_lines == block.word_lines).all()


def malt_blocks(text: str) -> list:  # type: ignore[type-arg]
    from malt.data.source import open_source

    with open_source(text) as treebank:
        return list(treebank)


@pytest.mark.parametrize(("options", "least"), [({}, 0.98), ({"algorithm": "mst", "passes": 2}, 0.85)])
def test_reverse_is_the_same_as_a_mirrored_treebank(options: dict[str, object], least: float) -> None:
    """But for ties, which the order decides that symbols come in: when scores are learned, all begin with one."""
    text, unseen = sample(80), sample(30, seed=3)
    backwards = malt.train(text, reverse=True, **options)  # type: ignore[arg-type]
    forwards = malt.train(mirrored(text), **options)  # type: ignore[arg-type]
    plain = malt.train(text, **options)  # type: ignore[arg-type]
    assert backwards.backwards
    assert not forwards.backwards
    found = [sentence.heads for sentence in backwards.parse(unseen)]
    wanted = []
    for sentence in forwards.parse(mirrored(unseen)):
        size = len(sentence.heads)
        wanted.append([size + 1 - head if head else 0 for head in sentence.heads[::-1]])
    same = numpy.array([a == b for one, two in zip(found, wanted, strict=True) for a, b in zip(one, two, strict=True)])
    assert same.mean() > least
    assert found != [sentence.heads for sentence in plain.parse(unseen)]
    assert score(backwards, unseen) > 60


def test_reverse_is_remembered(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    name, text, out = str(tmp_path / "m"), str(tmp_path / "t.conll"), str(tmp_path / "out.conll")
    Path(text).write_text(sample(40))
    assert main(["train", "-c", name, "--reverse", "--derived", out, text]) == 0
    assert [line.split("\t")[1] for line in Path(out).read_text().split("\n") if line] == [
        line.split("\t")[1] for line in Path(text).read_text().split("\n") if line
    ]
    assert main(["info", name]) == 0
    assert "reads       from right to left (--reverse)" in capfd.readouterr().out
    assert main(["parse", "-c", name, text, "-o", out]) == 0
    assert score(malt.load(name), sample(40)) > 90
    for command in (["-c", name, "-m", "parse", "-i", text, "-o", out], ["trace", "-c", name, text]):
        assert main(command) != 0
        assert "reads from right to left (--reverse)" in capfd.readouterr().err
    features, format = tmp_path / "f.yaml", tmp_path / "f.xml"
    format.write_bytes(find_format("conllx").xml.replace(b'"PHEAD" category="IGNORE"', b'"PHEAD" category="INPUT"'))
    features.write_text("- InputArc(PHEAD, Stack[0], Input[0])\n")
    with pytest.raises(MaltError, match="numbers of words, which --reverse does not turn round"):
        malt.train(sample(5), features=features, format=str(format), reverse=True)
