"""One root: what `malt train` takes from a treebank, what the parser then gives, and what a model remembers of it."""

from __future__ import annotations

import json
import os
import random
import re
import shutil
import subprocess
import warnings
import zipfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from trees import acyclic

import malt
from malt.commands import malt as main
from malt.data.source import blocks_of
from malt.data.treebank import open_treebank
from malt.errors import DataError, MaltWarning, UsageError
from malt.mco import additions
from malt.optimizer.report.page import ROOTS, page_of
from malt.optimizer.trial.corpus import Corpus
from malt.optimizer.trial.setup import Setup, choosable
from malt.optimizer.trial.workbench import Workbench, ordinary_model
from malt.systems import ALGORITHMS, find_system
from malt.systems.configuration import Configuration
from malt.systems.language import parse_system

FEATURES = ["InputColumn(POSTAG,Stack[0])", "InputColumn(POSTAG,Input[0])"]


def sample(number: int, seed: int = 1, label: str = "root") -> str:
    """Sentences of the sample; their roots have another label than MaltParser's default."""
    return "".join(malt.sample.text(number, seed=seed)).replace("\tROOT\t", f"\t{label}\t")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("roots")
    (folder / "train.conll").write_text(sample(60), encoding="utf-8")
    (folder / "test.conll").write_text(sample(150, seed=7), encoding="utf-8")
    return folder


def faults(sentences: list[malt.Sentence], label: str = "root") -> int:
    """How many trees have another number of roots than one, or other labels there, or this label elsewhere."""
    found = 0
    for sentence in sentences:
        assert acyclic(sentence.heads)
        found += [pair for pair in zip(sentence.heads, sentence.labels, strict=True) if 0 in pair or label in pair] != [
            (0, label)
        ]
    return found


# The parser


@pytest.mark.parametrize("name", ALGORITHMS)
def test_every_system_gives_trees_with_one_root(name: str, folder: Path) -> None:
    model = malt.train(folder / "train.conll", algorithm=name)
    assert model.specification.definition.roots == "labelled"
    assert faults(list(model.parse(folder / "test.conll"))) == 0


@pytest.mark.parametrize(
    "options",
    [
        {"a": "nivreeager", "nr": False},
        {"a": "nivrestandard", "nr": False},
        {"a": "nivreeager", "ne": True},
        {"a": "covproj", "cr": False},
        {"a": "planar", "prh": "relaxed"},
        {"a": "2planar", "prh": "relaxed", "2pr": True},
        {"a": "nivreeager", "gds": "T.TRANS#A.DEPREL"},
        {"a": "stacklazy", "gds": "T.TRANS,A.DEPREL"},
        {"a": "nivreeager", "d": "POSTAG", "s": "Stack[0]"},
        {"a": "nivreeager", "pp": "head"},
        {"a": "covproj", "pp": "path", "pcr": "head"},
        {"a": "stackproj", "pp": "head+path", "pcr": "left"},
        {"a": "nivreeager", "l": "libsvm"},
        # Parts of the data lack labels that others have.
        {"a": "nivreeager", "d": "POSTAG", "s": "Input[0]", "T": 2},
        {"a": "2planar", "d": "POSTAG", "s": "Input[0]", "T": 2, "gds": "T.TRANS,A.DEPREL"},
        {"a": "nivreeager", "l": "perceptron"},
        {"a": "nivreeager", "l": "perceptron", "beam": 4},
        {"a": "nivreeager", "l": "perceptron", "rp": "first", "beam": 4},
        {"a": "stacklazy", "l": "perceptron", "beam": 4},
    ],
    ids=lambda options: "-".join(map(str, options.values())),
)
def test_whatever_else_is_asked_for(options: dict[str, object], folder: Path) -> None:
    model = malt.train(folder / "train.conll", options=options)
    assert faults(list(model.parse(folder / "test.conll"))) == 0


def test_without_it_trees_have_other_roots(folder: Path) -> None:
    model = malt.train(folder / "train.conll", roots="any")
    assert faults(list(model.parse(folder / "test.conll"))) > 10
    one = malt.train(folder / "train.conll", roots="one")
    parsed = list(one.parse(folder / "test.conll"))
    assert all(sentence.heads.count(0) == 1 for sentence in parsed)


def test_enforced_trees_end_with_one_root(folder: Path) -> None:
    main(["train", "-c", str(folder / "nt"), str(folder / "train.conll")])
    # -nt is an option of parsing; the derivation must not go round in circles when the root is full
    assert (
        main(
            [
                "-m",
                "parse",
                "-nt",
                "true",
                "-c",
                str(folder / "nt"),
                "-i",
                str(folder / "test.conll"),
                "-o",
                str(folder / "nt.conll"),
            ]
        )
        == 0
    )
    for roots in ("one", "labelled"):
        system = find_system("nivreeager", {"-nt": True, "-rt": roots})
        c = Configuration(system, 3)
        for transition in ("RA", "RE", "SH", "SH", "USH"):
            assert transition in c.legal()
            c.apply(transition)
        assert c.legal() != [], "word 3 can still be joined with word 2"
        assert c.apply("LA").terminal, "word 3 is left, and the root is full"


def test_one_word_is_left_where_the_score_says() -> None:
    """Only verbs are roots in training; all that the parser leaves over hangs on the verb."""
    text = "1\tdog\t_\tN\tN\t_\t2\tsubj\n2\tbarks\t_\tV\tV\t_\t0\troot\n\n" * 5
    model = malt.train(text, format="conllx")
    [sentence] = model.parse("1\tx\t_\tX\tX\t_\n2\tbarks\t_\tV\tV\t_\n3\ty\t_\tX\tX\t_\n4\tz\t_\tX\tX\t_\n")
    assert sentence.heads[1] == 0
    assert sentence.labels == ["subj", "root", "subj", "subj"]


@pytest.mark.parametrize(("name", "least"), [("nivreeager", 18), ("nivrestandard", 30), ("covproj", 36)])
def test_the_word_that_scores_best_goes_to_the_root(name: str, least: int) -> None:
    """Of several words that are left over, the right one goes to the root 20 of 57, 33 of 48 and 40 of 73 times; it
    is the first of them 11, 34 and 12 times. Weighed where more words follow, nivrestandard has 10 right."""
    model = malt.train(sample(60), algorithm=name)
    parser, right = model.make_parser(recording=True), 0
    for block in blocks_of(sample(600, seed=7), model.format, "UTF-8", model.tables):
        for place in range(len(block)):
            alone = block.only(place)
            heads, left = parser.parse(alone).heads.tolist(), parser.left_over()
            if len(left) > 1 and heads.index(0) + 1 in left:
                right += heads.index(0) == alone.heads.tolist().index(0)
    assert right >= least


def test_long_sentences_take_no_longer_a_word(folder: Path) -> None:
    model = malt.train(folder / "train.conll")
    word = "\tqqq\t_\tQ\tQ\t_\n"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", MaltWarning)
        [sentence] = model.parse("".join(f"{i}{word}" for i in range(1, 20001)))
    assert sentence.heads.count(0) == 1


# The systems


@pytest.mark.parametrize("name", ALGORITHMS)
def test_no_second_arc_from_the_root_is_permissible(name: str) -> None:
    for seed in range(60):
        dice = random.Random(seed)
        c = Configuration(name, 6, {"-rt": "one"})
        while legal := c.legal():
            c.apply(dice.choice(legal))
        assert sum(head == 0 for head, _ in c.arcs) <= 1


def test_the_text_says_it_and_any_system_may() -> None:
    assert "roots: one\n" in find_system("planar", {"-rt": "one"}).text
    assert "roots" not in find_system("planar").text
    assert "full(top)" not in find_system("planar").text
    with pytest.raises(DataError, match="'two' are no roots; expected any, one, labelled"):
        parse_system("stack: [root]\nroots: two\nSH = SHIFT\nend empty(buffer)\ndefault SH", "mine")


def test_cycles_and_one_root_do_not_go_together(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(UsageError, match="-rt one and -pacy false do not go together"):
        malt.train(folder / "train.conll", algorithm="planar", pacy=False, roots="one")
    model = malt.train(folder / "train.conll", algorithm="planar", pacy=False)
    capsys.readouterr()
    for learner in (["-l", "liblinear"], ["-l", "perceptron", "--passes", "1"]):
        argv = ["train", "-c", "cycles", "-w", str(folder), "-a", "planar", *learner, str(folder / "train.conll")]
        assert main([*argv, "-pacy", "false"]) == 0
        assert capsys.readouterr().err.count("with -pacy false a parse need not be a tree") == 1
        assert main(argv) == 0
        assert "-pacy" not in capsys.readouterr().err
    assert model.added is not None
    assert model.added.roots == "any"


# What is taken from the treebank


def test_the_label_of_roots_is_that_of_the_treebank(folder: Path) -> None:
    assert malt.train(folder / "train.conll").options["graph.root_label"] == "root"
    assert malt.train(folder / "train.conll", grl="TOP").options["graph.root_label"] == "TOP"
    assert malt.train(sample(60, label="ROOT")).options["graph.root_label"] == "ROOT"


def test_a_few_trees_that_forbid_it_are_told(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    two = "1\tla\t_\tDET\tDa\t_\t0\troot\t_\t_\n2\tla\t_\tDET\tDa\t_\t0\troot\t_\t_\n\n"
    line = (
        "of 61 trees, 1 has not one root, and so those of the parser need not have one either; with -rt one they have"
    )
    for number, argv, told in ((1, [], True), (0, [], False), (1, ["-rt", "one"], False), (9, [], False)):
        (folder / "few.conll").write_text(sample(60) + two * number, encoding="utf-8")
        capsys.readouterr()
        assert main(["train", "-c", str(folder / "few"), str(folder / "few.conll"), *argv]) == 0
        assert (line in capsys.readouterr().err.splitlines()) == told
    (folder / "few.conll").write_text(sample(60) + two, encoding="utf-8")
    main(["-m", "learn", "-c", "few", "-w", str(folder), "-i", str(folder / "few.conll")])
    assert "not one root" not in capsys.readouterr().err


def test_what_all_trees_have_in_common_is_asked_of_the_parser() -> None:
    def roots(text: str, **options: object) -> str:
        added = malt.train(text, format="conllx", **options).added
        assert added is not None
        return added.roots

    tree = "1\ta\t_\tA\tA\t_\t2\tx\n2\tb\t_\tB\tB\t_\t0\troot\n3\tc\t_\tC\tC\t_\t2\tx\n\n"
    assert roots(tree * 3) == "labelled"
    assert roots(tree * 3 + tree.replace("2\tx", "2\troot")) == "one"
    assert roots(tree * 3, grl="TOP") == "one"
    assert roots(tree * 3 + tree.replace("2\tx", "0\troot")) == "any"
    assert roots(tree * 3, roots="any") == "any"
    assert roots(tree * 3 + tree.replace("2\tx", "0\troot"), roots="one") == "one"


def entries(path: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(path) as archive:
        return {name.partition("/")[2]: archive.read(name) for name in archive.namelist()}


def test_a_model_is_what_maltparser_learns_and_an_entry(folder: Path) -> None:
    train = str(folder / "train.conll")
    assert main(["train", "-c", str(folder / "ours"), train]) == 0
    assert main(["-m", "learn", "-c", "theirs", "-w", str(folder), "-i", train, "-grl", "root"]) == 0
    ours, theirs = entries(folder / "ours.mco"), entries(folder / "theirs.mco")
    assert additions.ENTRY not in theirs
    added = json.loads(ours.pop(additions.ENTRY))
    assert {key: added[key] for key in ("version", "roots", "file", "sentences")} == {
        "version": 1,
        "roots": "labelled",
        "file": "train.conll",
        "sentences": 60,
    }
    assert b"\troots\t" not in ours["savedoptions.sop"]
    same = [name for name in theirs if not name.endswith(".info")]
    assert {name: ours[name] for name in same} == {name: theirs[name] for name in same}


def test_modes_of_maltparser_do_not_look_at_it(folder: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    train, test = str(folder / "train.conll"), str(folder / "test.conll")
    main(["train", "-c", str(folder / "ours"), train])
    main(["-m", "learn", "-c", "theirs", "-w", str(folder), "-i", train, "-grl", "root"])
    outputs = []
    for name in ("ours", "theirs"):
        capfdbinary.readouterr()
        assert main(["-m", "parse", "-c", name, "-w", str(folder), "-i", test]) == 0
        outputs.append(capfdbinary.readouterr().out)
    assert outputs[0] == outputs[1]
    assert main(["parse", "-c", str(folder / "ours"), test]) == 0
    assert capfdbinary.readouterr().out != outputs[0]


def test_maltparser_opens_and_parses_with_it(folder: Path) -> None:
    path = os.environ.get("MALTPARSER_CP")
    if not path:
        pytest.skip("maltparser is absent: MALTPARSER_CP names a Java class path that has it")
    main(["train", "-c", str(folder / "java"), str(folder / "train.conll")])
    command = [
        "java",
        "-cp",
        path,
        "org.maltparser.Malt",
        "-c",
        "java",
        "-m",
        "parse",
        "-i",
        "test.conll",
        "-o",
        "java.out",
    ]
    subprocess.run(command, cwd=folder, check=True, capture_output=True)
    main(
        [
            "-m",
            "parse",
            "-c",
            "java",
            "-w",
            str(folder),
            "-i",
            str(folder / "test.conll"),
            "-o",
            str(folder / "our.out"),
        ]
    )
    assert (folder / "java.out").read_bytes() == (folder / "our.out").read_bytes()


# The entry


@given(
    st.binary(max_size=80)
    | st.recursive(st.none() | st.integers() | st.text(), st.lists).map(lambda x: json.dumps(x).encode())
)
def test_any_bytes_are_an_entry_or_an_error(data: bytes) -> None:
    with pytest.raises(DataError, match="it is damaged"):
        additions.read_additions(data, "x.mco")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"version": 2}, "it has the version 2, which a later maltkit wrote; this one reads 1"),
        ({"version": True}, "expected a version"),
        ({"beam": 8}, "'beam' is not as it should be"),
        ({"roots": "two"}, "'roots' is not as it should be"),
        ({"words": -1}, "'words' is not as it should be"),
        ({"words": 1 << 70}, "'words' is not as it should be"),
        ({"file": 3}, "'file' is not as it should be"),
        ({"strange": {"FORM": 1.5}}, "'strange' is not as it should be"),
        ({"strange": {"FORM": float("nan")}}, "'strange' is not as it should be"),
        ({"strange": ["FORM"]}, "'strange' is not as it should be"),
    ],
)
def test_a_damaged_entry_is_refused(change: dict[str, object], message: str) -> None:
    good = json.loads(additions.write_additions(additions.Additions("one", "last", "a.conll", 3, 40, {"FORM": 0.25})))
    assert additions.read_additions(json.dumps(good).encode(), "x.mco").strange == {"FORM": 0.25}
    with pytest.raises(DataError, match=f"x.mco: maltkit.json: .*{message}"):
        additions.read_additions(json.dumps({**good, **change}).encode(), "x.mco")
    with pytest.raises(DataError, match="damaged"):
        additions.read_additions(b"[" * 100_000, "x.mco")
    with pytest.raises(DataError, match="damaged"):
        additions.read_additions(b'{"version": ' + b"9" * 5000 + b"}", "x.mco")


def test_info_names_the_treebank_and_the_roots(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(["train", "-c", str(folder / "told"), str(folder / "train.conll")])
    with open_treebank(folder / "train.conll") as treebank:
        words = sum(len(block.heads) for block in treebank)
    capsys.readouterr()
    main(["info", str(folder / "told")])
    out = capsys.readouterr().out
    assert f"trained on  train.conll: 60 sentences, {words} words\n" in out
    assert "roots       labelled: exactly one word" in out
    shutil.copy(folder / "train.conll", folder / "more.conll")
    main(["train", "-c", str(folder / "both"), str(folder / "train.conll"), str(folder / "more.conll")])
    capsys.readouterr()
    main(["info", str(folder / "both")])
    assert f"trained on  train.conll, more.conll: 120 sentences, {2 * words:,} words\n" in capsys.readouterr().out
    main(["-m", "learn", "-c", "old", "-w", str(folder), "-i", str(folder / "train.conll")])
    capsys.readouterr()
    main(["info", str(folder / "old")])
    out = capsys.readouterr().out
    assert "trained on" not in out
    assert "roots " not in out


def test_a_trace_shows_what_is_attached_at_the_end(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(["train", "-c", str(folder / "traced"), str(folder / "train.conll")])
    capsys.readouterr()
    main(["trace", "-c", str(folder / "traced"), str(folder / "test.conll")])
    told = re.findall(
        r"left over, and then attached, as one word is to hang on the root: \((\d+), ", capsys.readouterr().out
    )
    assert len(told) > 5


# Values that are strange to the model


def untagged(text: str) -> str:
    return re.sub(r"(?m)^(\d+\t[^\t]*\t[^\t]*)\t[^\t]*\t[^\t]*", r"\1\t_\t_", text)


def test_missing_tags_are_told_in_one_line(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(["train", "-c", str(folder / "strict"), str(folder / "train.conll")])
    (folder / "untagged.conll").write_text(untagged(sample(150, seed=7)), encoding="utf-8")
    for jobs in ("1", "2"):
        capsys.readouterr()
        main(["parse", "-j", jobs, "-c", str(folder / "strict"), str(folder / "untagged.conll")])
        told = [line for line in capsys.readouterr().err.splitlines() if "warning" in line]
        assert len(told) == 1
        assert "unknown to the model: POSTAG 100 % (1 % in training); it parses by these columns" in told[0]
    for command in (["parse", "-c", str(folder / "strict"), str(folder / "test.conll")],):
        capsys.readouterr()
        main(command)
        assert "warning" not in capsys.readouterr().err


def test_of_several_files_the_one_that_lacks_tags_is_named(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(["train", "-c", str(folder / "strict"), str(folder / "train.conll")])
    tagged, lacking = folder / "tagged.conll", folder / "lacking.conll"
    tagged.write_text(sample(300, seed=8), encoding="utf-8")
    lacking.write_text(untagged(sample(60, seed=7)), encoding="utf-8")
    for jobs in ("1", "2"):
        capsys.readouterr()
        main(["parse", "-j", jobs, "-c", str(folder / "strict"), str(tagged), str(lacking)])
        (told,) = (line for line in capsys.readouterr().err.splitlines() if "warning" in line)
        assert told.startswith(f"warning: {lacking}: of ")
        assert "POSTAG 100 %" in told


def test_a_model_without_shares_is_judged_by_what_is_empty(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(["-m", "learn", "-c", "plain", "-w", str(folder), "-i", str(folder / "train.conll")])
    (folder / "untagged.conll").write_text(untagged(sample(150, seed=7)), encoding="utf-8")
    foreign = re.sub(r"(?m)^(\d+\t[^\t]*\t[^\t]*\t[^\t]*)\t[^\t]*", r"\1\tXX", sample(150, seed=7))
    (folder / "foreign.conll").write_text(foreign, encoding="utf-8")
    for file, told in (("untagged", True), ("foreign", False), ("test", False)):
        capsys.readouterr()
        main(["parse", "-c", str(folder / "plain"), str(folder / f"{file}.conll")])
        assert ("POSTAG 100 %" in capsys.readouterr().err) == told
    capsys.readouterr()
    main(["-m", "parse", "-c", "plain", "-w", str(folder), "-i", str(folder / "untagged.conll")])
    assert "POSTAG" not in capsys.readouterr().err


def test_the_library_warns_once(folder: Path) -> None:
    model = malt.train(folder / "train.conll")
    foreign = re.sub(r"(?m)^(\d+\t[^\t]*\t[^\t]*\t[^\t]*)\t[^\t]*", r"\1\tXX", sample(150, seed=7))
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        list(model.parse(folder / "test.conll"))
        assert told == []
        list(model.parse(foreign))
        list(model.parse(foreign))
    assert [one.category for one in told] == [MaltWarning]
    assert told[0].filename == __file__
    assert "POSTAG 100 % (1 % in training)" in str(told[0].message)


def test_the_place_of_a_warning_is_the_callers(folder: Path) -> None:
    model = malt.train(folder / "train.conll")
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        model.parse_tokens([("qx", "XX")] * 300)
    assert [one.filename for one in told] == [__file__]


# malt eval


def test_eval_says_what_is_not_valid_ud(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def sentence(*arcs: tuple[int, str]) -> str:
        lines = (f"{i}\tw{i}\t_\tX\t_\t_\t{head}\t{label}\t_\t_\n" for i, (head, label) in enumerate(arcs, 1))
        return "".join(lines) + "\n"

    good = sentence((2, "nsubj"), (0, "root"), (2, "obj"))
    trees = {
        "gold": good * 4,
        "fine": good * 4,
        "roots": good + sentence((0, "root"), (0, "root"), (2, "obj")) * 2 + good,
        "cycle": good * 3 + sentence((3, "nsubj"), (0, "root"), (1, "obj")),
        "labels": good * 2 + sentence((2, "root"), (0, "ROOT"), (2, "obj")) + good,
    }
    for name, text in trees.items():
        (tmp_path / f"{name}.conllu").write_text(text)
    main(["eval", *(str(tmp_path / f"{name}.conllu") for name in trees)])
    err = capsys.readouterr().err
    assert "roots.conllu is not valid UD: 2 sentences without exactly one word on the root\n" in err
    assert "cycle.conllu is not valid UD: 1 sentence with a cycle\n" in err
    assert "labels.conllu is not valid UD: 2 words on the root without the label root, or with it elsewhere\n" in err
    assert err.count("not valid") == 3


# The optimizer


def test_trials_are_without_it_unless_a_plan_sets_it(folder: Path) -> None:
    corpus = Corpus.read(sample(60))
    fold = corpus.split()
    plain, asked = Setup.of({}, FEATURES), Setup.of({"tree.roots": "one"}, FEATURES)
    assert ordinary_model(plain, corpus.format, fold).added is None
    assert choosable("tree.roots")
    bench = Workbench([fold], corpus.format)
    for setup, roots in ((plain, "any"), (asked, "one")):
        shared = bench.learn(setup, 0)[0].model
        alone = ordinary_model(setup, corpus.format, fold)
        assert shared.specification.definition.roots == alone.specification.definition.roots == roots
        test = fold.test.decode()
        assert [s.heads for s in shared.parse(test)] == [s.heads for s in alone.parse(test)]


def test_the_report_says_so(tmp_path: Path) -> None:
    malt.optimizer.run(sample(40), tmp_path / "study", phases=["phase1"], jobs=1)
    report = json.loads((tmp_path / "study" / "report.json").read_text())
    assert report["chosen"]["roots"] == ""
    assert ROOTS in page_of(report).replace("\n", " ")
    assert "roots" not in (tmp_path / "study" / "options.xml").read_text()
    with zipfile.ZipFile(tmp_path / "study" / "study.mco") as archive:
        assert json.loads(archive.read("study/maltkit.json"))["roots"] == "any"
    report["chosen"]["roots"] = "one"
    assert ROOTS not in page_of(report).replace("\n", " ")
