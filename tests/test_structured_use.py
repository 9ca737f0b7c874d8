"""Models of -l perceptron in every place where a model is used, and what breaks in on their training."""

from __future__ import annotations

import errno
import gzip
import hashlib
import pickle
import signal
import subprocess
import sys
import time
import warnings
from pathlib import Path
from typing import BinaryIO

import pytest
from refusals import error
from sklearn.base import clone

import malt
from malt.commands import malt as main
from malt.errors import DataError, MaltError, UsageError
from malt.integrations.sklearn import OPTIONS
from malt.kernel.structured import BeamPolicy
from malt.settings.catalogue import catalogue
from malt.systems import ALGORITHMS, find_system

PROGRAM = "import sys; from malt.commands import malt; sys.exit(malt(sys.argv[1:]))"


def sample(number: int, seed: int = 1) -> str:
    return "".join(malt.sample.text(number, seed=seed))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Treebanks, a model with a beam, and what it makes of the test set: with its own beam, and greedily."""
    place = tmp_path_factory.mktemp("use")
    (place / "train.conll").write_text(sample(50), encoding="utf-8")
    (place / "test.conll").write_text(sample(30, 3), encoding="utf-8")
    malt.train(place / "train.conll", learner="perceptron", passes=2, beam=4).save(place / "m")
    for name, more in (("own.out", []), ("greedy.out", ["--beam", "1"])):
        words = ["parse", "-q", "-c", place / "m", *more, "-o", place / name, place / "test.conll"]
        assert main([str(word) for word in words]) == 0
    assert (place / "own.out").read_bytes() != (place / "greedy.out").read_bytes()
    return place


# Where a model is used


@pytest.mark.parametrize("more", [[], ["-j", "1"], ["-j", "2"], ["-j", "5"]])
def test_the_command_parses_the_same_with_any_number_of_threads(more: list[str], folder: Path) -> None:
    for beam, name in (([], "own.out"), (["--beam", "1"], "greedy.out")):
        out = folder / "out.conll"
        words = ["parse", "-q", "-c", folder / "m", *beam, *more, "-o", out, folder / "test.conll"]
        assert main([str(word) for word in words]) == 0
        assert out.read_bytes() == (folder / name).read_bytes()


def test_pipes_and_packed_files(folder: Path) -> None:
    text = (folder / "test.conll").read_bytes()
    (folder / "test.conll.gz").write_bytes(gzip.compress(text))
    packed = folder / "out.conll.gz"
    assert main(["parse", "-q", "-c", str(folder / "m"), "-o", str(packed), str(folder / "test.conll.gz")]) == 0
    assert gzip.decompress(packed.read_bytes()) == (folder / "own.out").read_bytes()
    command = [sys.executable, "-c", PROGRAM, "parse", "-q", "-c", "m"]
    done = subprocess.run(command, cwd=folder, input=text, capture_output=True, check=True)
    assert done.stdout == (folder / "own.out").read_bytes()


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such signals")
def test_a_parse_that_is_interrupted_says_that_alone(folder: Path, tmp_path: Path) -> None:
    """What it had not read yet is left when Python ends, and was caught in by what is gone then."""
    (tmp_path / "long.conll").write_text((folder / "test.conll").read_text(encoding="utf-8") * 1000, encoding="utf-8")
    (tmp_path / "out").mkdir()
    words = ["parse", "-c", str(folder / "m"), "--beam", "64", "-o", "out/x.conll", "long.conll"]
    process = subprocess.Popen([sys.executable, "-m", "malt", *words], cwd=tmp_path, stderr=subprocess.PIPE)
    limit = time.monotonic() + 60
    while not list((tmp_path / "out").iterdir()) and time.monotonic() < limit:  # until it has begun
        time.sleep(0.01)
    time.sleep(0.3)
    process.send_signal(signal.SIGINT)
    assert process.communicate(timeout=60)[1] == b"malt: interrupted\n"
    assert process.returncode == 130


def test_eval_reads_what_is_parsed(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["eval", str(folder / "test.conll"), str(folder / "own.out"), str(folder / "greedy.out")]) == 0
    assert "LAS" in capsys.readouterr().out


def test_info_explains_it(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["info", str(folder / "m")]) == 0
    told = capsys.readouterr().out
    assert "structured  beam 4, 2 passes" in told
    assert "MaltParser has no such models" in told
    assert main(["-m", "info", "-c", str(folder / "m")]) == 0
    assert "\nperceptron INTERFACE\n" in capsys.readouterr().out  # whoever unpacks the file sees what it is


def test_no_comparison_with_maltparser_where_it_has_no_such_models(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "suffix.yaml").write_text("- Suffix(FORM(Stack[0]), 2)\n")
    for learner, times in (("liblinear", 2), ("perceptron", 0)):
        common = ["-q", "-c", folder / "suffix"]
        train = ["train", *common, "-l", learner, "-F", folder / "suffix.yaml", folder / "train.conll"]
        parse = ["parse", *common, "-o", folder / "none.out", folder / "test.conll"]
        assert [main([str(word) for word in words]) for words in (train, parse)] == [0, 0]
        assert capsys.readouterr().err.count("which MaltParser does not do") == times


def test_the_library_takes_another_beam(folder: Path) -> None:
    expected = {None: "own.out", 4: "own.out", 1: "greedy.out"}
    for beam, name in expected.items():
        model = malt.load(folder / "m", beam=beam)
        for one in (model, pickle.loads(pickle.dumps(model))):  # to another process it goes with its beam
            parsed = "".join(map(str, one.parse(folder / "test.conll")))
            assert parsed.split() == (folder / name).read_text(encoding="utf-8").split()
            with one.parser() as parser:
                assert isinstance(parser._policy, BeamPolicy) == (beam != 1)
    for wrong in (0, -1, 1025, 10**9, 2.5, "x"):
        with pytest.raises(UsageError, match="beam: expected a whole number from 1 to 1024"):
            malt.load(folder / "m", beam=wrong)  # type: ignore[arg-type]
    malt.train(folder / "train.conll").save(folder / "liblinear")
    with pytest.raises(UsageError, match="--beam is for models of -l perceptron"):
        malt.load(folder / "liblinear", beam=2)


def test_every_option_of_the_group_is_a_parameter_of_the_estimator() -> None:
    group = {option.key for option in catalogue().ours if option.group == "perceptron"}
    names = {key: name for name, key in OPTIONS.items() if key in group}
    assert set(names) == group
    values: dict[str, object] = {"perceptron.beam": 2, "perceptron.passes": 1, "perceptron.update": "early"}
    values |= {"perceptron.seed": 3, "perceptron.seeds": 2, "perceptron.min_count": 2, "perceptron.min_lifted": 3}
    parser = malt.DependencyParser(learner="perceptron", **{names[key]: value for key, value in values.items()})
    parser = clone(parser).fit(malt.read(sample(20)))
    assert parser.get_params() | {names[key]: value for key, value in values.items()} == parser.get_params()
    assert parser.model_.structured is not None
    assert (parser.model_.structured.found.beam, parser.model_.structured.found.passes) == (2, 1)
    assert 0.2 < parser.score(malt.read(sample(20))) < 1


@pytest.mark.slow
def test_spacy_and_nltk(folder: Path) -> None:
    pytest.importorskip("spacy", reason="spaCy is absent: pip install 'maltkit[spacy]'")
    pytest.importorskip("nltk", reason="NLTK is absent: pip install 'maltkit[nltk]'")
    import spacy
    from spacy.tokens import Doc

    from malt.nltk import MaltParser

    [expected] = malt.load(folder / "m").parse(sample(1, 3))
    nlp = spacy.blank("xx")
    nlp.add_pipe("malt", config={"model": str(folder / "m")})
    rows = [line.split("\t") for line in str(expected).strip().split("\n")]
    doc = Doc(
        nlp.vocab,
        words=[row[1] for row in rows],
        lemmas=[row[2] for row in rows],
        pos=[row[3] for row in rows],
        tags=[row[4] for row in rows],
        morphs=["" if row[5] == "_" else row[5] for row in rows],
    )
    found = [0 if token.head is token else token.head.i + 1 for token in nlp(doc)]
    assert sum(a == b for a, b in zip(found, expected.heads, strict=True)) >= len(found) - 1
    parser = MaltParser(model_filename=str(folder / "m"))
    [graph] = next(iter(parser.parse_tagged_sents([[(row[1], row[4]) for row in rows]])))
    assert len(graph.nodes) == len(rows) + 1
    learner = MaltParser(learner="perceptron", passes=1, beam=2)
    learner.train([graph])
    assert learner.model is not None
    assert learner.model.structured is not None


@pytest.mark.slow
def test_a_cluster_has_the_beam_that_is_asked_for(folder: Path) -> None:
    pytest.importorskip("distributed", reason="Dask is absent: pip install 'maltkit[dask]'")
    for beam, name in (([], "own.out"), (["--beam", "1"], "greedy.out")):
        out = folder / "dask.conll"
        words = ["parse", "-q", "-c", folder / "m", "--dask", "local:2", *beam, "-o", out, folder / "test.conll"]
        assert main([str(word) for word in words]) == 0
        assert out.read_bytes() == (folder / name).read_bytes()


def test_a_model_is_the_same_file_on_every_day(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(time, "gmtime", lambda: time.struct_time((2001, 2, 3, 4, 5, 6, 5, 34, 0)))
    again = malt.train(folder / "train.conll", learner="perceptron", passes=2, beam=4)
    (folder / "again").mkdir()
    again.save(folder / "again" / "m")
    assert (folder / "again" / "m.mco").read_bytes() == (folder / "m.mco").read_bytes()


def test_modes_of_maltparser_refuse_it(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    told = error(capsys, "-m", "parse", "-c", folder / "m", "-i", folder / "test.conll", "-o", folder / "none.conll")
    assert "MaltParser has no -l perceptron; `malt parse` parses with such a model" in told
    assert not (folder / "none.conll").exists()


# What is refused

CLASSIFIERS = {
    "decision_settings": ("-gds", "T.TRANS#A.DEPREL"),
    "data_split_column": ("-d", "POSTAG"),
    "data_split_threshold": ("-T", "5"),
    "kbest": ("-k", "2"),
    "options": ("-lo", "-s_4"),
    "external": ("-lx", "trainer"),
    "save_instance_files": ("-li", "true"),
}


@pytest.mark.parametrize("name", CLASSIFIERS)
def test_options_of_classifiers_in_files_and_in_the_library(
    name: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    flag, value = CLASSIFIERS[name]
    group = "lib" if name in ("options", "external", "save_instance_files") else "guide"
    more = ["-s", "Input[0]"] if flag == "-d" else []
    lines = f'<option name="{name}" value="{value}"/>'
    if more:
        lines += '<option name="data_split_structure" value="Input[0]"/>'
    (folder / "options.xml").write_text(
        f'<?xml version="1.0"?><experiment><optioncontainer><optiongroup groupname="{group}">{lines}</optiongroup>'
        '<optiongroup groupname="guide"><option name="learner" value="perceptron"/></optiongroup>'
        "</optioncontainer></experiment>"
    )
    words = ["train", "-q", "--trust", "-c", folder / "none", "-f", folder / "options.xml", folder / "train.conll"]
    if name != "external":  # for which `malt` asks whether the file is trusted
        words.remove("--trust")
    assert f"{flag} is for classifiers, and -l perceptron learns derivations" in error(capsys, *words)
    with pytest.raises(UsageError, match=f"{flag} is for classifiers"):
        malt.train(
            folder / "train.conll",
            learner="perceptron",
            options={f"{group}_{name}": value, **({"s": "Input[0]"} if more else {})},
        )
    assert not (folder / "none.mco").exists()


def test_their_defaults_may_be_given(folder: Path) -> None:
    defaults = {"gds": "T.TRANS+A.DEPREL", "T": 50, "k": -1, "li": False}
    model = malt.train(sample(10), learner="perceptron", passes=1, options=defaults)
    assert model.structured is not None


@pytest.mark.parametrize("option", ["beam", "passes", "explore", "explore-from", "seed", "seeds", "min-count"])
@pytest.mark.parametrize("value", ["-1", "nan", "inf", "1e400", "9" * 30, "x", "", "1.5"])
def test_numbers_that_are_none(option: str, value: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["train", "-q", "-c", folder / "none", "-l", "perceptron", f"--{option}", value, folder / "train.conll"]
    assert f"--{option}: expected a" in error(capsys, *words)


def test_a_development_set_that_is_not_there(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """It is missed before anything is read or learned: that takes minutes where a tagger is learned, too (--text)."""
    words = ["train", "-c", folder / "none", "-l", "perceptron", "--dev", folder / "absent", folder / "train.conll"]
    assert error(capsys, *words) == f"malt: {folder / 'absent'}: no such file\n"


DEV = {
    "heads": ("1\tla\tla\tDET\tDa\t_\t_\t_\t_\t_\n\n", "line 1: the word has no head"),
    "words": ("", "there are no sentences to choose the best pass by"),
    "columns": ("la\tDa\t0\tROOT\n\n", "line 1, column 1: ID is 'la'"),
}


@pytest.mark.parametrize("what", DEV)
def test_development_sets_that_are_none(what: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text, reason = DEV[what]
    (folder / "dev.conll").write_text(text)
    words = ["train", "-q", "-c", folder / "none", "-l", "perceptron", "--dev", folder / "dev.conll"]
    assert reason in error(capsys, *words, folder / "train.conll")
    assert not (folder / "none.mco").exists()


def test_a_development_set_with_other_columns(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "dev.conllu").write_text("".join(malt.sample.text(5, "conllu")), encoding="utf-8")
    words = ["train", "-q", "-c", folder / "w", "-l", "perceptron", "--passes", "1", "--dev", folder / "dev.conllu"]
    assert main([str(word) for word in [*words, folder / "train.conll"]]) == 0
    assert "dev.conllu seems to be CoNLL-U" in capsys.readouterr().err


@pytest.mark.parametrize("option", ["--dev", "--from"])
def test_names_of_files_that_are_empty(option: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["train", "-q", "-c", folder / "none", "-l", "perceptron", option, "", folder / "train.conll"]
    assert f"{option} needs the name of a file; it is empty" in error(capsys, *words)


def test_the_help_has_a_page_of_the_group(capsys: pytest.CaptureFixture[str]) -> None:
    for word in ("perceptron", "options"):
        assert main(["help", word]) == 0
        shown = capsys.readouterr().out
        assert "\nperceptron: Structured learning (-l perceptron).\n" in f"\n{shown}"
        assert "  --passes NUMBER" in shown


def test_tags_that_are_there_stand_in_for_others(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Coarse tags where there are no fine ones: the same features, but for the column."""
    lines = [line.split("\t") for line in sample(30).splitlines()]
    found = []
    for empty, kept in ((3, 4), (4, 3)):
        for fields in lines:
            if len(fields) > 1:
                fields[kept], fields[empty] = fields[4] if fields[4] != "_" else fields[3], "_"
        text = "\n".join("\t".join(fields) for fields in lines) + "\n\n"
        model = malt.train(text, learner="perceptron", passes=1)
        found.append({str(feature) for feature in model.specification.features.main})
    fine, coarse = found
    assert {name.replace("POSTAG", "CPOSTAG") for name in fine} == coarse
    assert len(coarse) > 100
    (folder / "coarse.conll").write_text(text, encoding="utf-8")
    assert main(["train", "-c", str(folder / "c"), "-l", "perceptron", str(folder / "coarse.conll")]) == 0
    assert "POSTAG has no values, so the default features look at CPOSTAG in its place" in capsys.readouterr().err


IDLE = {
    "--update early": "--update is for a beam, and has no effect with --beam 1",
    "--beam 2 --explore 0.5": "--explore is for greedy learning, and has no effect with --beam 2",
    "--explore-from 5": "--explore-from has no effect: --explore-from is after the last of --passes 1",
    "-a stackproj --explore 1": "--explore has no effect: stackproj does not know the costs of its transitions",
    "-rp last -nr false": "-nr has no effect with -rp last: words come to the root by transitions",
    "-a covproj -rp last -cr false": "-cr has no effect with -rp last: words come to the root by transitions",
    "-a planar -rp last -prh relaxed": "-prh has no effect with -rp last: words come to the root by transitions",
    "-rp last -nr true": "",
    "-a covproj -cr false": "",
    "--beam 2 --update early": "",
    "--explore 1 --explore-from 1": "",
}


@pytest.mark.parametrize("options", IDLE)
def test_options_without_effect_are_told(options: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["train", "-q", "-c", folder / "w", "-l", "perceptron", "--passes", "1", *options.split()]
    assert main([str(word) for word in [*words, folder / "train.conll"]]) == 0
    told = capsys.readouterr().err
    assert told == (f"warning: {IDLE[options]}\n" if IDLE[options] else "")


# Strange treebanks


def tree(*arcs: tuple[int, str]) -> str:
    return "".join(f"{i}\tw{i}\tw\tN\tNn\t_\t{head}\t{label}\t_\t_\n" for i, (head, label) in enumerate(arcs, 1)) + "\n"


STRANGE = {
    "a word": tree((0, "ROOT")),
    "words": 4 * tree((0, "ROOT")),
    "only roots": 3 * tree(*[(0, "ROOT")] * 6),
    "no labels": 3 * tree((2, "_"), (0, "_"), (2, "_")),
    "crossing arcs": 4 * tree((3, "a"), (4, "b"), (0, "ROOT"), (3, "c"), (2, "d"))
    + 3 * tree((4, "a"), (0, "ROOT"), (2, "b"), (2, "c"), (3, "d"), (1, "e")),
    "a circle": 3 * tree((2, "a"), (1, "b"), (0, "ROOT")),
}


@pytest.mark.parametrize("name", ALGORITHMS)
@pytest.mark.parametrize("what", STRANGE)
def test_strange_treebanks(what: str, name: str) -> None:
    for beam in (1, 4):
        for pp in (None, "none"):

            def learn(beam: int = beam, pp: str | None = pp) -> malt.Model:
                return malt.train(STRANGE[what], algorithm=name, learner="perceptron", passes=2, beam=beam, pp=pp)

            lifted = find_system(name).graphs.startswith("projective") or name == "planar"
            if what == "a circle" and pp is None and lifted:
                with pytest.raises(DataError, match=r"the heads run in a circle.*-pp none learns it as it is"):
                    learn()
                continue
            model = learn()
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                parsed = [sentence.heads for sentence in model.parse(STRANGE[what])]
            assert [len(heads) for heads in parsed] == [len(one.heads) for one in malt.read(STRANGE[what])]


@pytest.mark.parametrize("beam", [1, 3])
def test_a_label_with_the_character_between_the_parts_of_a_class(beam: int) -> None:
    text = 3 * tree((2, "a~b"), (0, "ROOT"))
    with pytest.raises(MaltError, match=r"line 1: the label 'a~b' has the character '~'.*choose another with -gcs"):
        malt.train(text, learner="perceptron", beam=beam)
    model = malt.train(text, learner="perceptron", beam=beam, gcs="|")
    assert [sentence.labels for sentence in model.parse(text)] == 3 * [["a~b", "ROOT"]]


PARTIAL = """<?xml version="1.0"?><dataformat name="partial">
<column name="ID" category="INPUT" type="INTEGER"/><column name="FORM" category="INPUT" type="STRING"/>
<column name="POSTAG" category="INPUT" type="STRING"/><column name="HEAD" category="HEAD" type="INTEGER"/>
<column name="DEPREL" category="DEPENDENCY_EDGE_LABEL" type="STRING"/>
<column name="PARTHEAD" category="INPUT" type="INTEGER"/>
<column name="PARTDEPREL" category="INPUT" type="STRING"/></dataformat>"""


@pytest.mark.parametrize("beam", [1, 3])
@pytest.mark.parametrize("name", ["nivreeager", "nivrestandard", "2planar"])
def test_arcs_that_are_given(beam: int, name: str, tmp_path: Path) -> None:
    """With -up, words whose head is given have it; in training, too, derivations begin with these arcs."""
    (tmp_path / "partial.xml").write_text(PARTIAL)
    lines = []
    for line in sample(40).splitlines():
        fields = line.split("\t")
        given = fields[6:8] if len(fields) > 1 and fields[7] == "det" else ["0", "_"]
        lines.append("\t".join([*fields[:2], fields[4], *fields[6:8], *given]) if len(fields) > 1 else "")
    text = "\n".join(lines) + "\n\n"
    options = {"up": True, "format": str(tmp_path / "partial.xml"), "learner": "perceptron", "passes": 2}
    model = malt.train(text, algorithm=name, beam=beam, **options)  # type: ignore[arg-type]
    assert model.specification.partial
    other = malt.train(text, algorithm=name, beam=beam, **{**options, "up": False})  # type: ignore[arg-type]
    assert model.structured is not None
    assert other.structured is not None
    assert model.structured.found.keys.tolist() != other.structured.found.keys.tolist()
    wanted = [fields for fields in (line.split("\t") for line in lines) if len(fields) > 1]
    found = [head for sentence in model.parse(text) for head in sentence.heads]
    assert [head for head, row in zip(found, wanted, strict=True) if row[6] == "det"] == [
        int(row[5]) for row in wanted if row[6] == "det"
    ]


# What breaks in on a training


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="Windows has other signals")
@pytest.mark.parametrize("how", ["SIGINT", "SIGTERM", "SIGKILL"])
@pytest.mark.parametrize("options", ["--beam 1", "--seeds 3", "--beam 256", "--beam 8 --dev test.conll"])
def test_an_interrupted_training_loses_nothing_else(how: str, options: str, folder: Path, tmp_path: Path) -> None:
    (tmp_path / "train.conll").write_text(sample(400), encoding="utf-8")
    (tmp_path / "test.conll").write_text(sample(100, 3), encoding="utf-8")
    (tmp_path / "m.mco").write_bytes(old := (folder / "m.mco").read_bytes())
    before = {path.name for path in tmp_path.iterdir()}
    words = ["train", "-v", "info", "-c", "m", "-l", "perceptron", "--passes", "900", *options.split(), "train.conll"]
    process = subprocess.Popen(
        [sys.executable, "-c", PROGRAM, *words], cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert process.stderr is not None
    assert b"read as" in process.stderr.readline()
    time.sleep(1.5)
    assert process.poll() is None
    process.send_signal(getattr(signal, how))
    begin = time.monotonic()
    told = process.communicate(timeout=60)[1]
    assert time.monotonic() - begin < 15
    if how != "SIGKILL":
        assert told.endswith(b"malt: interrupted\n" if how == "SIGINT" else b"malt: stopped by SIGTERM\n")
        assert b"Traceback" not in told
    assert process.returncode in (130, 143, -2, -15, -9)
    assert hashlib.sha256((tmp_path / "m.mco").read_bytes()).digest() == hashlib.sha256(old).digest()
    assert {path.name for path in tmp_path.iterdir()} == before


def test_a_full_disk_keeps_the_old_model(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """What cannot be written is not there, and what was there before is whole."""
    (tmp_path / "m.mco").write_bytes(old := (folder / "m.mco").read_bytes())

    def full(stream: BinaryIO, *_: object) -> None:
        stream.write(b"PK")
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("malt.mco.container.pack", full)
    words = ["train", "-q", "-c", tmp_path / "m", "-l", "perceptron", "--passes", "1", folder / "train.conll"]
    assert "No space left on device; nothing was written" in error(capsys, *words)
    assert (tmp_path / "m.mco").read_bytes() == old
    assert [path.name for path in tmp_path.iterdir()] == ["m.mco"]


def test_passes_are_told(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["train", "-c", folder / "w", "-l", "perceptron", "--passes", "2", folder / "train.conll"]
    assert main([str(word) for word in words]) == 0
    told = capsys.readouterr().err
    assert told.count("seed 1, pass 1: ") == told.count("seed 1, pass 2: ") == 1
    assert " updates\n" in told
