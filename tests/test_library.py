"""The library: training, loading, parsing and saving, from one thread and from several."""

from __future__ import annotations

import gc
import pickle
import subprocess
import sys
import warnings
import zipfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

import malt
from malt.commands import malt as command
from malt.library import settings_of

TRAIN, TEST = "".join(malt.sample.text(120)), "".join(malt.sample.text(40, seed=9))
PLAIN = "".join("\t".join(line.split("\t")[:6]) + "\n" if line else "\n" for line in TEST.splitlines())


@pytest.fixture(scope="module")
def model() -> malt.Model:
    return malt.train(TRAIN, algorithm="2planar")


def text_of(sentences: object) -> str:
    return "".join(map(str, sentences))  # type: ignore[call-overload]


# -- what is the same


def test_as_the_commands(model: malt.Model, tmp_path: Path) -> None:
    (tmp_path / "train.conll").write_text(TRAIN, encoding="utf-8")
    (tmp_path / "test.conll").write_text(TEST, encoding="utf-8")
    name, out = str(tmp_path / "m"), tmp_path / "out.conll"
    assert command(["train", "-v", "off", "-c", name, "-a", "2planar", str(tmp_path / "train.conll")]) == 0
    assert command(["parse", "-v", "off", "-c", name, "-o", str(out), str(tmp_path / "test.conll")]) == 0
    expected = out.read_text(encoding="utf-8")
    assert text_of(model.parse(TEST)) == expected
    assert text_of(model.parse(tmp_path / "test.conll")) == expected
    assert text_of(malt.load(name).parse(str(tmp_path / "test.conll"))) == expected
    model.save(tmp_path / "n")
    one, two = (zipfile.ZipFile(tmp_path / file) for file in ("m.mco", "n.mco"))
    for entry in ("odm0.liblinear.moo", "odm0.liblinear.map", "symboltables.sym", "savedoptions.sop"):
        assert one.read(f"m/{entry}") == two.read(f"n/{entry}")


@pytest.mark.parametrize("options", [{}, {"algorithm": "nivreeager", "pp": "head"}, {"a": "3planar"}])
def test_saved_and_loaded(options: dict[str, Any], tmp_path: Path) -> None:
    model = malt.train(malt.read(TRAIN), **options)
    model.save(tmp_path / "first")
    loaded = malt.load(tmp_path / "first")
    loaded.save(tmp_path / "second.mco")
    again = malt.load(str(tmp_path / "second.mco"))
    expected = text_of(model.parse(TEST))
    assert expected != TEST
    for other in (loaded, again, pickle.loads(pickle.dumps(model)), malt.train(TRAIN, **options)):
        assert text_of(other.parse(TEST)) == expected
    with zipfile.ZipFile(tmp_path / "second.mco") as archive:
        assert all(name.startswith("second/") for name in archive.namelist())
        assert b"Configuration name:   second\n" in archive.read("second/second_singlemalt.info")


def test_sources(model: malt.Model, tmp_path: Path) -> None:
    path = tmp_path / "test.conll"
    path.write_text(TEST, encoding="utf-8")
    expected = text_of(model.parse(TEST))
    sentences = malt.read(path)
    for source in (str(path), sentences, iter(sentences), (text for text in malt.sample.text(40, seed=9))):
        assert text_of(model.parse(source)) == expected
    assert text_of(model.parse(sentences[3])) == str(list(model.parse(sentences))[3])


def test_without_heads(model: malt.Model) -> None:
    """Heads and labels of the input do not matter, and need not be there."""
    parsed, plain = list(model.parse(TEST)), list(model.parse(PLAIN))
    assert [s.heads for s in parsed] == [s.heads for s in plain]
    assert [s.labels for s in parsed] == [s.labels for s in plain]
    assert all(min(s.heads) >= 0 for s in plain)


def test_comments_and_more_are_kept() -> None:
    text = "".join(malt.sample.text(30, "conllu"))
    assert text.startswith("#")
    extra = "1-2\tla\t_\t_\t_\t_\t_\t_\t_\tX=Y\n"
    first = next(i for i, line in enumerate(text.splitlines(True)) if line.startswith("1\t"))
    lines = text.splitlines(True)
    source = "".join([*lines[:first], extra, *lines[first:]])
    parsed = text_of(malt.train(text).parse(source))
    assert len(parsed.splitlines()) == len(source.splitlines())
    assert [x for x in parsed.splitlines() if x.startswith("#")] == [x for x in source.splitlines() if x[:1] == "#"]
    assert extra in parsed


# -- one sentence


def test_tokens(model: malt.Model) -> None:
    [sentence] = model.parse(malt.read(TEST)[:1])
    rows = sentence.rows
    expected = (sentence.heads, sentence.labels)
    lines = [line for line in str(malt.read(TEST)[0]).splitlines() if line]
    inputs = [{key.lower(): row[key] for key in ("FORM", "LEMMA", "CPOSTAG", "POSTAG", "FEATS")} for row in rows]
    for tokens in (lines, rows, inputs, [list(row.values())[:6] for row in rows]):
        parsed = model.parse_tokens(tokens)
        assert (parsed.heads, parsed.labels) == expected
    assert len(model.parse_tokens(["la", "kasta"])) == 2
    pair = model.parse_tokens([("la", "Da"), ("kasta", "Nc")])
    assert pair["POSTAG"] == pair["CPOSTAG"] == ["Da", "Nc"]


@pytest.mark.parametrize(
    ("tokens", "message"),
    [
        ([], "there are no words"),
        ("la kasta", "expected a list of words"),
        ([("a\tb", "X")], r"word 1: 'a\\tb' cannot be a field"),
        ([{"word": "x"}], "'word' is no column of conllx"),
        ([{"from": "x"}], "did you mean FORM"),
        ([("a", "X"), ("", "X")], "word 2 has an empty field; expected some text"),
        ([("a",)], "word 1 has 1 field; expected a pair of form and tag, or a full row: ID, FORM"),
        ([("a", "N", "x")], "word 1 has 3 fields; expected a pair"),
        ([("\ud800", "N")], r"word 1: .* cannot be a field; expected Unicode text"),
        ([range(20)], "word 1 has 20 fields"),
        (["1\ta\t_\tX\tX\t_\tzwei"], "HEAD is 'zwei'"),
        (5, "expected a list of words"),
        ([5], "word 1 is '5'; expected"),
        ([None], "word 1 is 'None'; expected"),
    ],
)
def test_wrong_tokens(model: malt.Model, tokens: list[object], message: str) -> None:
    with pytest.raises(malt.MaltError, match=message):
        model.parse_tokens(tokens)  # type: ignore[arg-type]


def test_a_model_has_a_name(model: malt.Model) -> None:
    for name in ("", ".mco", "..", "folder/"):
        with pytest.raises(malt.UsageError, match=r"is no name of a model; expected NAME, for the file NAME\.mco"):
            model.save(name)
        with pytest.raises(malt.UsageError, match="is no name of a model"):
            malt.load(name)


def test_two_costs() -> None:
    with pytest.raises(malt.UsageError, match=r"the cost is given twice: cost=0\.2 and '-c_1'"):
        malt.train(TEST, cost=0.2, lo="-c_1")


def test_a_damaged_model(model: malt.Model, tmp_path: Path) -> None:
    from malt.model import model_of

    data = model.content()
    for bad, reason in (
        (data[:-100], "cut off"),
        (b"x" * 100, "a model is a ZIP file"),
        (b"", "a model is a ZIP file"),
    ):
        with pytest.raises(malt.MaltError, match=reason):
            model_of(bad)
        (tmp_path / "m.mco").write_bytes(bad)
        with pytest.raises(malt.MaltError, match=reason):
            malt.load(tmp_path / "m")


def test_another_charset(tmp_path: Path) -> None:
    text = tmp_path / "latin.conll"
    text.write_bytes("1\trød\t_\tA\tA\t_\t0\tROOT\n\n".encode("latin-1") * 3)
    model = malt.train(text, charset="ISO-8859-1")
    assert model.tables["FORM"].code("rød") == 1


def test_sentences_pickle() -> None:
    sentences = malt.read(TEST)
    alone = pickle.dumps(sentences[1])
    assert len(alone) < len(str(sentences[1]).encode()) + 5000
    back = pickle.loads(pickle.dumps(sentences))
    assert [str(s) for s in back] == [str(s) for s in sentences]
    assert [(s.forms, s.heads, s.rows) for s in back] == [(s.forms, s.heads, s.rows) for s in sentences]
    with pytest.raises(malt.MaltError, match="one sentence; there are 40"):
        malt.Sentence.from_text(TEST)


# -- threads


@pytest.mark.slow
@pytest.mark.parametrize("options", [{"a": "2planar"}, {"pp": "head+path", "pcr": "left"}])
def test_threads(options: dict[str, Any]) -> None:
    model = malt.train(TRAIN, **options)
    sentences = [s for seed in range(20, 28) for s in malt.read("".join(malt.sample.text(20, seed=seed)))]
    sequential = [str(s) for s in malt.train(TRAIN, **options).parse(sentences)]

    def work(number: int) -> list[str]:
        if number % 2:
            return [str(s) for s in model.parse(sentences)]
        return [str(model.parse_tokens(s.rows)) for s in sentences]

    tokens = [str(model.parse_tokens(s.rows)) for s in sentences]
    model = pickle.loads(pickle.dumps(model))  # without a parser yet
    with ThreadPoolExecutor(4) as pool:
        for number, result in enumerate(pool.map(work, range(8))):
            assert result == (sequential if number % 2 else tokens)


def test_iterators_do_not_disturb_each_other(model: malt.Model) -> None:
    expected = [str(s) for s in model.parse(TEST)]
    one, two = model.parse(malt.read(TEST)), model.parse(malt.read(TEST))
    both = list(zip(one, two, strict=True))
    assert [str(s) for s, _ in both] == [str(s) for _, s in both] == expected
    next(model.parse(TEST)).heads  # noqa: B018  left half way
    assert [str(s) for s in model.parse(TEST)] == expected


def test_sentences_are_taken_as_needed(model: malt.Model) -> None:
    taken = 0

    def endless() -> object:
        nonlocal taken
        while True:
            taken += 1
            yield from malt.sample.text(1)

    parsed = model.parse(endless())  # type: ignore[arg-type]
    next(parsed)
    assert taken < 4


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("nofile", "nofile: no such file"),
        (Path("nofile"), "nofile: no such file"),
        ("", "there is no text"),
        ("1\tx\n2\n", "the text, line 2"),
        (17, "expected a treebank, not int"),
    ],
)
def test_errors_come_at_the_call(source: Any, message: str, model: malt.Model) -> None:
    with pytest.raises(malt.MaltError, match=message):
        model.parse(source)


def test_a_file_that_is_not_parsed_is_closed(model: malt.Model, tmp_path: Path) -> None:
    (tmp_path / "a.conll").write_text(TEST, encoding="utf-8")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.parse(tmp_path / "a.conll")
        gc.collect()


# -- options and errors


@pytest.mark.parametrize(
    ("name", "value", "key", "expected"),
    [
        ("algorithm", "planar", "singlemalt.parsing_algorithm", "planar"),
        ("parsing_algorithm", "planar", "singlemalt.parsing_algorithm", "planar"),
        ("singlemalt_parsing_algorithm", "planar", "singlemalt.parsing_algorithm", "planar"),
        ("singlemalt.parsing_algorithm", "planar", "singlemalt.parsing_algorithm", "planar"),
        ("a", "planar", "singlemalt.parsing_algorithm", "planar"),
        ("-a", "planar", "singlemalt.parsing_algorithm", "planar"),
        ("F", Path("my.xml"), "guide.features", "my.xml"),
        ("2pr", True, "2planar.reduceonswitch", True),
        ("T", 50, "guide.data_split_threshold", 50),
        ("lib_options", "-c_2", "lib.options", "-c_2"),
        ("format", "conllu", "input.format", "conllu"),
        ("pp", None, "pproj.marking_strategy", "none"),
    ],
)
def test_options(name: str, value: object, key: str, expected: object) -> None:
    assert settings_of([(name, value)])[key] == expected


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"algorithm": "2planer"}, "algorithm: expected .*; did you mean 2planar"),
        ({"marking_strateg": "head"}, "did you mean marking_strategy"),
        ({"ppp": "head"}, "unknown option 'ppp'"),
        ({"c": "name"}, "model.save"),
        ({"infile": "x"}, "the treebank is the first argument"),
        ({"derived": "x"}, "malt train --derived writes them"),
        ({"logfile": "x"}, "logging.getLogger"),
        ({"kbest": "many"}, "kbest: expected"),
        ({"options": "-c 1"}, "options: expected a dict"),
        ({"features": ["x"]}, "expected a text or a number"),
        ({"cost": -1}, "the cost"),
        ({"features": "no/such.xml"}, "no/such.xml"),
        ({"d": "POSTAG"}, "-d and -s go together"),
        ({"format": "conlx"}, "did you mean conllx"),
        ({"f": "no/such.yaml"}, "no/such.yaml"),
    ],
)
def test_wrong_options(options: dict[str, object], message: str) -> None:
    with pytest.raises(malt.MaltError, match=message):
        malt.train(TRAIN, **options)  # type: ignore[arg-type]


@pytest.mark.parametrize("name", ["a\0b", "http://a\0"])
def test_names_that_no_file_has(name: str, model: malt.Model) -> None:
    for call in (malt.read, malt.load, malt.train, model.parse, model.save):
        with pytest.raises(malt.UsageError, match=r"is no name of a|expected the name of a model"):
            call(name)  # type: ignore[operator]
    for option in ("features", "propagation", "learner", "option_file"):
        with pytest.raises(malt.MaltError, match=r"\\x00"):
            malt.train(TRAIN, **{option: name})  # type: ignore[arg-type]


def test_a_name_of_bytes(model: malt.Model, tmp_path: Path) -> None:
    """A name that is no Unicode, or that a regular expression would take for a group."""
    for name in ("\udc80", r"a\1b", r"\g<1>"):
        model.save(tmp_path / name)
        assert text_of(malt.load(tmp_path / name).parse(TEST)) == text_of(model.parse(TEST))


def test_texts_that_are_no_unicode(model: malt.Model) -> None:
    text = "1\ta\t_\tA\tA\t_\t0\tROOT\n\n1\t\udc80\t_\tA\tA\t_\t0\tROOT\n"
    message = r"line 3, column 3: '\\udc80' is no character"
    for call in (malt.read, malt.train, model.parse, malt.Sentence.from_text, lambda text: list(model.parse([text]))):
        with pytest.raises(malt.DataError, match=message):
            call(text)  # type: ignore[operator]
    with pytest.raises(malt.DataError, match=f"the gold standard, {message}"):
        malt.evaluate(text, TEST)


def test_numbers_without_end() -> None:
    with pytest.raises(malt.UsageError, match="expected a text or a number, not one of thousands of digits"):
        malt.train(TRAIN, kbest=10**5000)


def test_option_file(tmp_path: Path) -> None:
    (tmp_path / "options.yaml").write_text("singlemalt:\n  parsing_algorithm: stackproj\n", encoding="utf-8")
    assert malt.train(TRAIN, option_file=tmp_path / "options.yaml").algorithm == "stackproj"


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("no/such/file.conll", "no/such/file.conll: no such file"),
        ("", "there is no text"),
        ([], "there are no sentences"),
        (["a.conll"], "give one file by itself"),
        ([1], "expected sentences, not '1'"),
        (17, "expected a treebank, not int"),
        ([[("la", "Da")]], "expected sentences, .* malt.Sentence.from_rows makes one of words"),
        (b"1\ta\n", "expected a treebank, not bytes"),
        (PLAIN, "the text, line 1: the word has no head"),
        ([*malt.read(TEST)[:2], malt.Sentence.from_rows(["x"])], "the sentences, line .*: the word has no head"),
        ([*malt.read(TEST)[:2], malt.Sentence.from_rows(["x"], "malttab")], "a sentence is in malttab"),
    ],
)
def test_wrong_sources(source: object, message: str) -> None:
    with pytest.raises(malt.MaltError, match=message):
        malt.train(source)  # type: ignore[arg-type]


def test_other_columns(model: malt.Model) -> None:
    with pytest.raises(malt.DataError, match=r"a sentence is in malttab .* where conllx"):
        list(model.parse([malt.Sentence.from_rows(["x"], "malttab")]))


def test_models_that_are_none(tmp_path: Path) -> None:
    (tmp_path / "bad.mco").write_bytes(b"nothing of the kind")
    with pytest.raises(malt.DataError, match="not a model"):
        malt.load(tmp_path / "bad")
    with pytest.raises(malt.MaltError, match="no such model"):
        malt.load(tmp_path / "absent")


def test_save_fails_whole(model: malt.Model, tmp_path: Path) -> None:
    with pytest.raises(malt.MaltError, match="does not exist"):
        model.save(tmp_path / "no" / "such" / "place")
    assert list(tmp_path.iterdir()) == []


# -- the package


def test_import_is_light() -> None:
    code = "import sys, malt; print('numpy' in sys.modules, 'malt.library' in sys.modules, malt.train.__name__)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "False", "train"]


def test_names() -> None:
    assert set(malt.__all__) <= set(dir(malt))
    assert all(getattr(malt, name) for name in malt.__all__)
    with pytest.raises(AttributeError, match="no attribute 'trian'"):
        malt.trian  # noqa: B018
