"""Trials give what `malt train`, `malt parse` and `malt eval` give, bit by bit, whatever work they share."""

from __future__ import annotations

import pickle
import random
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy
import pytest

import malt
from malt.commands import malt as command
from malt.data.formats.dataformat import find_format
from malt.errors import DataError, UsageError
from malt.evaluation.evaluation import evaluate
from malt.features.defaults import default_features
from malt.features.model import MAIN
from malt.features.syntax import FeatureText
from malt.features.values import STRING
from malt.features.xml import write_xml
from malt.learning.classifier import LinearClassifier, VectorClassifier
from malt.learning.derivations import NotShared
from malt.learning.trials import NotWanted
from malt.model import Model, model_of
from malt.optimizer.trial.corpus import Corpus, Fold
from malt.optimizer.trial.setup import Setup, Trial
from malt.optimizer.trial.workbench import Workbench
from malt.settings.catalogue import catalogue

pytestmark = pytest.mark.slow

SAMPLE = "".join(malt.sample.text(40, nonprojective=0.4, nonplanar=0.3, seed=3))
CORPUS = Corpus.read(SAMPLE)
SMALL = Corpus.read("".join(malt.sample.text(15, nonprojective=0.4, seed=4)))
P, F, X, D = "InputColumn(POSTAG,{})", "InputColumn(FORM,{})", "InputColumn(FEATS,{})", "OutputColumn(DEPREL,{})"
MORE = (
    *(f"Split({X.format(address)},\\|)" for address in ("Stack[0]", "Input[0]", "Input[1]", "ldep(Stack[0])")),
    f"Merge({P.format('Stack[0]')},{P.format('Input[0]')})",
    f"Merge3({P.format('Stack[0]')},{P.format('Input[0]')},{D.format('ldep(Stack[0])')})",
    f"Merge({P.format('Stack[1]')},{F.format('Input[0]')})",
    f"Merge(Merge({P.format('Stack[1]')},{P.format('Stack[2]')}),{D.format('Stack[0]')})",
    f"Suffix({F.format('Input[0]')},2)",
    f"Merge(Suffix({F.format('Input[0]')},2),{P.format('Stack[0]')})",
    f"Prefix({F.format('Stack[0]')},3)",
    "Exists(Stack[1])",
    "Merge(Exists(Stack[1]),Exists(Input[2]))",
    "Distance(Stack[0],Input[0],0|1|2|4)",
    f"Merge(Distance(Stack[0],Input[0],0|1|2|4),{P.format('Input[0]')})",
    "NumOf(Stack[0],ldeps,0|1|2)",
    "OutputArc(HEAD,Stack[0],Input[0])",
    "ArcDir(HEAD,Stack[0])",
    "InputTable(LEMMA,pred(Input[0]))",
)


def setup_of(algorithm: str, more: tuple[str, ...] = (), format: str = "conllx", **options: str) -> Setup:
    form = find_format(format)
    features = [feature.text for feature in default_features(algorithm, "liblinear", form).submodels[MAIN]]
    given = {key.replace("__", "."): value for key, value in options.items()}
    return Setup.of({"singlemalt.parsing_algorithm": algorithm, **given}, [*features, *more])


def by_commands(folder: Path, wanted: Setup, fold: Fold, format: str) -> Model:
    """Train and parse as a user does; the model is given, and the files stay in the folder."""
    (folder / "train").write_bytes(fold.train)
    (folder / "test").write_bytes(fold.test)
    (folder / "f.xml").write_bytes(write_xml({MAIN: [FeatureText(feature) for feature in wanted.features]}))
    flags = [word for key, value in wanted.items for word in (catalogue().options[key].flag, value)]
    model, output = str(folder / "model"), str(folder / "output")
    given = ["-c", model, "-if", format, "-F", str(folder / "f.xml"), *flags]
    assert command(["train", str(folder / "train"), *given]) == 0
    assert command(["parse", str(folder / "test"), "-c", model, "-o", output]) == 0
    return model_of((folder / "model.mco").read_bytes())


def expected(folder: Path, format: str, metric: str, punctuation: bool) -> tuple[list[int], float]:
    """What `malt eval` says: words right in each sentence, by las, and the score."""
    result = evaluate(str(folder / "test"), [str(folder / "output")], format, "UTF-8", "conllx", punctuation)
    [system] = result.systems
    scores = system.scores["conllx"]
    line, (labelled, unlabelled) = scores.counts(punctuation), scores.complete(punctuation)
    shares = {"las": line.las, "uas": line.uas, "lcm": labelled, "ucm": unlabelled}
    return numpy.concatenate(system.right).tolist(), shares[metric] or 0.0


def by_rows(model: Model) -> tuple[list[int], list[tuple[int, str | None]], list[tuple[bytes, bytes]]]:
    """A model as its classes, its features in the order of their rows, and the weights of each, to the last bit."""
    classifier = model.classifiers["odm0"][None]
    assert isinstance(classifier, LinearClassifier)
    rows, vector = classifier.weights, model.specification.features.main
    order = numpy.argsort(classifier.stored.rows)
    values = [model.specification.columns.value(feature) for feature in vector]
    # Nobody asks for the symbols of numbers.
    tables = [
        model.tables[value.table.name] if value.table is not None and value.type == STRING else None for value in values
    ]
    keys = [((key >> 48) - 1, key & 0xFFFFFFFFFFFF) for key in classifier.stored.keys[order].tolist()]
    names = [(place, str(code) if (table := tables[place]) is None else table.symbol(code)) for place, code in keys]
    return (
        classifier.codes.tolist(),
        names,
        [
            (rows.places[own].tobytes(), rows.numbers[own].tobytes())
            for own in map(slice, rows.first.tolist(), (rows.first + rows.count).tolist())
        ],
    )


CASES = {
    "nivreeager": setup_of("nivreeager", MORE),
    "nivreeager, -grl and cost": setup_of("nivreeager", MORE[:6], graph__root_label="TOP", lib__options="-s_4_-c_0.4"),
    "nivreeager, -nr and -ne": setup_of(
        "nivreeager", pproj__marking_strategy="head", nivre__allow_root="false", nivre__allow_reduce="true"
    ),
    "nivrestandard, -pp head+path": setup_of("nivrestandard", MORE[4:6], pproj__marking_strategy="head+path"),
    "stackproj, -pp and marks": setup_of(
        "stackproj", ("OutputTable(PPLIFTED,rdep(Stack[0]))",), pproj__marking_strategy="head"
    ),
    "stackproj, -pp path": setup_of("stackproj", pproj__marking_strategy="path"),
    "stackproj, -pcr head": setup_of("stackproj", pproj__marking_strategy="baseline", pproj__covered_root="head"),
    "stacklazy": setup_of("stacklazy"),
    "stackeager": setup_of("stackeager"),
    "covnonproj": setup_of("covnonproj", ("InputColumn(LEMMA,Left[0])", "Split(InputColumn(FEATS,Left[0]),\\|)")),
    "covnonproj, -cs and -cr": setup_of("covnonproj", covington__allow_shift="true", covington__allow_root="false"),
    "covproj, -pcr right": setup_of("covproj", pproj__covered_root="right"),
    "planar, -pp": setup_of("planar", MORE[:2], pproj__marking_strategy="head"),
    "planar, -prh": setup_of("planar", multiplanar__planar_root_handling="relaxed"),
    "2planar": setup_of("2planar", ("Split(InputColumn(FEATS,ActiveStack[0]),\\|)",)),
    "2planar, -2pr and -prh": setup_of(
        "2planar", **{"2planar__reduceonswitch": "true", "multiplanar__planar_root_handling": "relaxed"}
    ),
    "3planar": setup_of("3planar"),
    "-nv none": setup_of("nivreeager", MORE, singlemalt__null_value="none"),
    "-nv rootnode": setup_of("nivreeager", MORE, singlemalt__null_value="rootnode"),
    "-nv novalue": setup_of("nivreeager", MORE, singlemalt__null_value="novalue"),
    "another solver": setup_of("nivreeager", lib__options="-s_0_-c_0.1"),
}
ORDINARY = {
    "-gds": setup_of("nivreeager", guide__decision_settings="T.TRANS,A.DEPREL"),
    "label sets": setup_of("nivreeager", (f"Merge({P.format('Stack[0]')},LabelSet(DEPREL,Stack[0],ldeps))",)),
    "what is between": setup_of("nivreeager", ("Between(POSTAG,Stack[0],Input[0])",)),
    "joined values": setup_of("nivreeager", (f"Join(Split({X.format('Stack[0]')},\\|),{P.format('Input[0]')})",)),
    "parts of parts": setup_of("nivreeager", (f"Split(Suffix({F.format('Stack[0]')},3),i)",)),
    "numbers": setup_of("nivreeager", ("InputColumn(ID,Stack[0])",)),
    "-d and -s": setup_of("nivreeager", guide__data_split_column="CPOSTAG", guide__data_split_structure="Input[0]"),
}


@pytest.mark.parametrize("name", CASES)
def test_as_the_commands(name: str, tmp_path: Path) -> None:
    wanted, fold = CASES[name], CORPUS.split()
    ordinary = by_commands(tmp_path, wanted, fold, "conllx")
    bench = Workbench([fold], "conllx")
    # Another trial first, so that some columns are there and others are not.
    assert not bench.run(wanted.with_features(wanted.features[::2]), 0).error
    assert by_rows(bench.learn(wanted, 0)[0].model) == by_rows(ordinary)
    outcome = bench.run(wanted, 0)
    right, share = expected(tmp_path, "conllx", "las", True)
    assert (list(outcome.right), outcome.score / 100) == (right, pytest.approx(share, abs=1e-15))


def test_another_learner(tmp_path: Path) -> None:
    wanted, fold = setup_of("nivreeager", MORE[4:6], guide__learner="libsvm"), SMALL.split()
    by_commands(tmp_path, wanted, fold, "conllx")
    bench = Workbench([fold], "conllx")
    assert isinstance(bench.learn(wanted, 0)[0].model.classifiers["odm0"][None], VectorClassifier)
    assert list(bench.run(wanted, 0).right) == expected(tmp_path, "conllx", "las", True)[0]


@pytest.mark.parametrize("name", ORDINARY)
def test_what_is_not_shared(name: str, tmp_path: Path) -> None:
    wanted, fold = ORDINARY[name], SMALL.split()
    by_commands(tmp_path, wanted, fold, "conllx")
    bench = Workbench([fold], "conllx")
    with pytest.raises(NotShared):
        bench.learn(wanted, 0)
    assert list(bench.run(wanted, 0).right) == expected(tmp_path, "conllx", "las", True)[0]


@pytest.mark.parametrize("punctuation", [True, False])
@pytest.mark.parametrize("metric", ["las", "uas", "lcm", "ucm"])
def test_metrics(metric: str, punctuation: bool, tmp_path: Path) -> None:
    fold, wanted = CORPUS.folds(4)[2], CASES["2planar"]
    by_commands(tmp_path, wanted, fold, "conllx")
    outcome = Workbench([fold], "conllx", metric, punctuation).run(wanted, 0)
    assert outcome.score / 100 == pytest.approx(expected(tmp_path, "conllx", metric, punctuation)[1], abs=1e-15)
    assert len(outcome.right) == len(outcome.of) == 10


def test_conllu_with_multiword_tokens(tmp_path: Path) -> None:
    sentence = (
        "# text = Vámonos al mar.\n1-2\tVámonos\t_\t_\t_\t_\t_\t_\t_\t_\n"
        "1\tVamos\tir\tVERB\tV\tMood=Imp|Number=Plur\t0\troot\t_\t_\n2\tnos\tnosotros\tPRON\tP\t_\t1\tobj:x\t_\t_\n"
        "3-4\tal\t_\t_\t_\t_\t_\t_\t_\t_\n3\ta\ta\tADP\tE\t_\t5\tcase\t_\t_\n4\tel\tel\tDET\tD\tGender=Masc\t5\tdet\t_\t_\n"
        "4.1\tnada\t_\t_\t_\t_\t_\t_\t_\t_\n5\tmar\tmar\tNOUN\tN\tGender=Masc|Number=Sing\t1\tobl\t_\t_\n"
        "6\t.\t.\tPUNCT\tZ\t_\t1\tpunct\t_\t_\n\n"
    )
    text = "".join(f"{piece}{sentence}" for piece in malt.sample.text(30, "conllu"))
    corpus = Corpus.read(text)
    assert (corpus.format.name, len(corpus)) == ("conllu", 60)
    fold = corpus.folds(3)[1]
    split = tuple(f"Split(InputColumn(FEATS,{address}),\\|)" for address in ("Stack[0]", "Lookahead[0]"))
    wanted = setup_of("stacklazy", split, "conllu")
    ordinary = by_commands(tmp_path, wanted, fold, "conllu")
    bench = Workbench(corpus.folds(3), corpus.format)
    assert by_rows(bench.learn(wanted, 1)[0].model) == by_rows(ordinary)
    assert list(bench.run(wanted, 1).right) == expected(tmp_path, "conllu", "las", True)[0]


def test_odd_symbols(tmp_path: Path) -> None:
    """Words and tags that look like null values and like merged ones."""
    dice = random.Random(5)
    words = ["#null#", "#rootnode#", "a~b", "b", "a", "b~c", "c", "~", "æ", "|"]
    text = ""
    for _ in range(60):
        size = dice.randint(1, 6)
        for place in range(1, size + 1):
            form, tag, label = dice.choice(words), dice.choice(words), dice.choice("xyz")
            feats = "|".join(dice.choices(words[:-1], k=dice.randint(1, 4)))
            text += f"{place}\t{form}\t_\t{tag}\t{tag}\t{feats}\t{place - 1}\t{label}\t_\t_\n"
        text += "\n"
    fold = Corpus.read(text).split()
    for null_value in ("one", "none", "rootnode"):
        wanted = setup_of("nivreeager", MORE, singlemalt__null_value=null_value)
        ordinary = by_commands(tmp_path, wanted, fold, "conllx")
        bench = Workbench([fold], "conllx")
        assert by_rows(bench.learn(wanted, 0)[0].model) == by_rows(ordinary)
        assert list(bench.run(wanted, 0).right) == expected(tmp_path, "conllx", "las", True)[0]


def test_threads_and_memory() -> None:
    """The same results from several threads at once, and where there is no room to keep anything."""
    folds = SMALL.folds(2)
    trials = [(CASES[name], fold) for name in ("nivreeager", "2planar", "stacklazy") for fold in (0, 1)]
    trials += [(one.with_features(one.features[:-1]), fold) for one, fold in trials]
    plain = Workbench(folds, "conllx")
    one_by_one = [plain.run(*trial).right for trial in trials]
    for memory in (1 << 30, 100_000, 0):
        bench = pickle.loads(pickle.dumps(Workbench(folds, "conllx", memory=memory)))
        with ThreadPoolExecutor(4) as pool:
            assert [outcome.right for outcome in pool.map(bench.run, *zip(*trials, strict=True))] == one_by_one
        assert bench._cache.used <= memory


def test_nobody_waits_any_more() -> None:
    fold, wanted = CORPUS.split(), CASES["nivreeager"]
    bench, passes = Workbench([fold], "conllx"), iter([True, True, False])
    with pytest.raises(NotWanted):
        bench.attempt(Trial(wanted, 0), lambda: next(passes))
    assert next(passes, None) is None
    assert bench.run(wanted, 0).right == Workbench([fold], "conllx").run(wanted, 0).right


def test_columns_are_computed_once() -> None:
    bench, wanted = Workbench([CORPUS.split()], "conllx"), CASES["2planar"]
    bench.run(wanted, 0)
    made = bench._cache.made
    bench.run(wanted.having({"lib.options": "-s_4_-c_0.2"}), 0)
    assert bench._cache.made == made
    bench.run(wanted.with_features([*wanted.features, "InputColumn(LEMMA,Input[2])"]), 0)
    assert bench._cache.made == made + 1


def test_failures_are_told() -> None:
    bench = Workbench([CORPUS.split()], "conllx")
    for wanted, message in (
        (setup_of("nivreeager", ("InputColumn(POSTG,Stack[0])",)), "conllx has no column POSTG"),
        (setup_of("nivreeager", ("Exists(Left[0])",)), "nivreeager has no Left"),
        (setup_of("nivreeager", lib__options="-q 1"), "liblinear has no parameter -q"),
        (Setup.of({}, []), "no features"),
    ):
        outcome = bench.run(wanted, 0)
        assert message in outcome.error
        assert "\n" not in outcome.error
        assert (outcome.right, outcome.score) == ((), 0.0)


def test_a_label_with_the_separator() -> None:
    fold = Fold(SMALL.split().train.replace(b"\tnsubj\t", b"\tn~subj\t"), SMALL.split().test)
    outcome = Workbench([fold], "conllx").run(setup_of("nivreeager"), 0)
    assert outcome.error.startswith("fold 1, line ")
    assert "'n~subj'" in outcome.error


def test_folds() -> None:
    corpus = Corpus.read("".join(malt.sample.text(7)))
    folds = corpus.folds(3)
    assert folds[1].test == b"".join(corpus.sentences[i] for i in (1, 4))
    assert folds[1].train == b"".join(corpus.sentences[i] for i in (0, 2, 3, 5, 6))
    assert corpus.split().test == b"".join(corpus.sentences[i] for i in (0, 5))
    assert corpus.against(CORPUS) == Fold(b"".join(corpus.sentences), SAMPLE.encode(), CORPUS.name)
    assert sum(len(block) for block in corpus.blocks()) == 7
    with pytest.raises(DataError, match="8 folds need as many sentences"):
        corpus.folds(8)
    with pytest.raises(UsageError):
        corpus.folds(1)
    with pytest.raises(DataError, match="one sentence"):
        Corpus.read(next(malt.sample.text(1))).split()
    with pytest.raises(DataError, match="malttab"):
        corpus.against(Corpus.read("Hej\tI\t0\tROOT\n"))


def test_a_file_without_an_end(tmp_path: Path) -> None:
    path = tmp_path / "short.conll"
    path.write_bytes(b"\xef\xbb\xbf" + SAMPLE.encode().rstrip(b"\n"))
    assert b"".join(Corpus.read(path).sentences) == SAMPLE.encode()


@pytest.mark.parametrize(
    ("heads", "message"),
    [
        ("2 3 1", "line 5: .*circle"),
        ("2 0 3", "line 5: .*own head"),
        ("_ _ _", "line 5: .*no word has a head"),
        ("2 0 _", "line 5: .*has no head"),
    ],
)
def test_no_trees(heads: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "bad.conll"
    good = "1\ta\t_\tA\tA\t_\t2\tx\n2\tb\t_\tA\tA\t_\t0\tx\n3\tc\t_\tA\tA\t_\t2\tx\n\n"
    bad = "".join(f"{place}\ta\t_\tA\tA\t_\t{head}\tx\n" for place, head in enumerate(heads.split(), 1))
    path.write_text(f"{good}{bad}\n{good}")
    with pytest.raises(DataError, match=f"bad.conll, {message}"):
        Corpus.read(path, "conllx")


def test_the_real_treebank(shared: Path, tmp_path: Path) -> None:
    corpus = Corpus.read(shared / "data" / "swedish" / "train.conll")
    fold = Fold(*(b"".join(corpus.sentences[part]) for part in (slice(40), slice(40, 60))))
    split = tuple(f"Split(InputColumn(FEATS,{address}),\\|)" for address in ("Left[0]", "Right[0]", "Right[1]"))
    wanted = setup_of("covnonproj", split, pproj__marking_strategy="head+path")
    ordinary = by_commands(tmp_path, wanted, fold, "conllx")
    bench = Workbench([fold], "conllx")
    assert by_rows(bench.learn(wanted, 0)[0].model) == by_rows(ordinary)
    assert list(bench.run(wanted, 0).right) == expected(tmp_path, "conllx", "las", True)[0]
