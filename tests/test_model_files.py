"""Model files that are damaged, incomplete or something else: one clear line, at once."""

from __future__ import annotations

import dataclasses
import io
import random
import re
import time
import zipfile
from collections.abc import Iterator
from pathlib import Path

import numpy
import pytest

from malt.commands import malt
from malt.data.treebank import open_treebank
from malt.errors import MaltError
from malt.kernel.classifiers import LinearWeights
from malt.kernel.symbols import SymbolTable
from malt.learning.classifier import LinearClassifier
from malt.learning.rows import Rows
from malt.mco import additions
from malt.mco.featuremap import StoredMap
from malt.model import Model, read_model
from malt.parsing.textworker import Output
from malt.settings import commandline

resource = pytest.importorskip("resource", reason="Windows has no limits of resources")

Entries = dict[str, bytes]
ROOM = 1 << 30  # bytes of memory that damage may ask for
MUTATIONS = {"liblinear": 500, "libsvm": 150, "split": 150}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a sample and models of it."""
    place = tmp_path_factory.mktemp("models")
    sample = str(place / "sample.conll")
    assert malt(["sample", "-n", "30", "-o", sample]) == 0
    for name, options in {
        "liblinear": [],
        "libsvm": ["-l", "libsvm", "-F", str(few_features(place))],
        "split": ["-d", "POSTAG", "-s", "Input[0]", "-T", "60"],
    }.items():
        assert malt(["train", "-v", "error", "-c", str(place / name), *options, sample]) == 0
    return place


def few_features(place: Path) -> Path:
    """Features that support vectors are found with in no time."""
    path = place / "few.yaml"
    path.write_text("- POSTAG(Stack[0..1], Input[0..1])\n")
    assert malt(["features", "convert", str(path), str(place / "few.xml")]) == 0
    return place / "few.xml"


@pytest.fixture(autouse=True)
def limited() -> Iterator[None]:
    """A limit to memory, so that a file which asks for too much is found out."""
    if not Path("/proc/self/status").exists():
        yield
        return
    before = resource.getrlimit(resource.RLIMIT_AS)
    used = int(re.findall(r"VmSize:\s+(\d+)", Path("/proc/self/status").read_text())[0]) << 10
    resource.setrlimit(resource.RLIMIT_AS, (used + ROOM, before[1]))
    yield
    resource.setrlimit(resource.RLIMIT_AS, before)


def entries_of(path: Path) -> Entries:
    with zipfile.ZipFile(path) as archive:
        return {info.filename.split("/")[1]: archive.read(info) for info in archive.infolist()}


def packed(entries: Entries, folder: str = "m") -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, data in entries.items():
            archive.writestr(f"{folder}/{name}", data)
    return out.getvalue()


def load(path: Path) -> Model:
    settings, _ = commandline.read(["parse", "-c", str(path)])
    return read_model(str(path), settings)


def parse(model: Model, sample: Path) -> bytes:
    with open_treebank(sample, model.format, model.settings["input.charset"], model.tables, frozen=True) as treebank:
        parser, writer = model.make_parser(), Output(model.format, model.format, "utf-8", True).make_writer(model)
        return b"".join(writer.write(parser.parse(block)) for block in treebank)


def mutations(whole: bytes, inside: Entries, dice: random.Random) -> Iterator[tuple[str, bytes]]:
    """Damage to the file, and damage to what is in it, which no checksum tells of."""
    while True:
        yield "cut", whole[: dice.randrange(len(whole))]
        flipped = bytearray(whole)
        flipped[dice.randrange(len(whole))] ^= 1 << dice.randrange(8)
        yield "flipped", bytes(flipped)
        name = dice.choice(list(inside))
        data = bytearray(inside[name])
        place = dice.randrange(len(data))
        if dice.random() < 0.4:  # where the lengths are
            place = min(place, dice.randrange(600))
        kind = dice.choice(["flipped", "cut", "overwritten", "longer", "shorter"])
        if kind == "flipped":
            data[place] ^= 1 << dice.randrange(8)
        elif kind == "cut":
            del data[place:]
        elif kind == "overwritten":
            data[place : place + 4] = dice.randbytes(4)
        elif kind == "longer":
            data[place:place] = dice.randbytes(4)
        else:
            del data[place : place + dice.randrange(1, 20)]
        yield f"{name} {kind} at {place}", packed({**inside, name: bytes(data)})


@pytest.mark.slow
@pytest.mark.parametrize("name", MUTATIONS)
def test_damage_is_answered_at_once(folder: Path, tmp_path: Path, name: str) -> None:
    sample, path = folder / "sample.conll", tmp_path / "m.mco"
    whole, inside = (folder / f"{name}.mco").read_bytes(), entries_of(folder / f"{name}.mco")
    expected = parse(load(folder / f"{name}.mco"), sample)
    refused = 0
    for number, (what, data) in zip(
        range(MUTATIONS[name]), mutations(whole, inside, random.Random(name)), strict=False
    ):
        path.write_bytes(data)
        begin = time.process_time()
        try:
            result = parse(load(path), sample)  # such as another name, or another weight: it need not be noticed
            assert what != "cut", number
            assert what != "flipped" or result == expected, number  # such as the date of an entry
        except MaltError:
            refused += 1
        except Exception as error:
            pytest.fail(f"mutation {number}, {what}: {error!r}")
        assert time.process_time() - begin < 1, (number, what)
    assert refused > MUTATIONS[name] * 0.7


def without(tables: str, name: str) -> bytes:
    head, *bodies = tables.split("\n\n")
    head = "\n".join(line for line in head.split("\n") if not line.startswith(f"\t{name}\t"))
    return "\n\n".join([head, *(body for body in bodies if body.split("\n")[0] != name)]).encode()


def contents(good: Entries) -> dict[str, tuple[Entries, str]]:
    """Entries that are whole, but do not fit, and what is said of them."""
    tables, saved = good["symboltables.sym"].decode(), good["savedoptions.sop"].decode()
    features = good["NivreEager.xml"].decode()

    def with_tables(old: str, new: str) -> Entries:
        assert re.search(old, tables)
        return {"symboltables.sym": re.sub(old, new, tables).encode()}

    def with_saved(old: str, new: str) -> Entries:
        assert old in saved
        return {"savedoptions.sop": saved.replace(old, new).encode()}

    def with_features(old: str, new: str) -> Entries:
        assert old in features
        return {"NivreEager.xml": features.replace(old, new).encode()}

    return {
        "no FORM": ({"symboltables.sym": without(tables, "FORM")}, "the model's symbol tables lack FORM"),
        "no classes": ({"symboltables.sym": without(tables, "T.TRANS+A.DEPREL")}, "lack T.TRANS\\+A.DEPREL"),
        "no tables": ({"symboltables.sym": b""}, "symbol tables lack ID, FORM"),
        "no transition": (with_tables("\tRA~ROOT", "\tXX~ROOT"), "the class 'XX~ROOT' is no transition of nivreeager"),
        "no label": (
            with_tables("\tRA~ROOT", "\tRA~NONE"),
            "the class 'RA~NONE' has a label that the table DEPREL lacks",
        ),
        "three parts": (with_tables("\tRA~ROOT", "\tRA~ROOT~X"), "has 3 parts where 2 are expected"),
        "no such class": (with_tables("\n[0-9]+\tRA~ROOT\n", "\n"), "odm0 has the class 2, which no symbol stands for"),
        "a far code": (with_tables("\n[0-9]+\tRA~ROOT\n", "\n999999999\tRA~ROOT\n"), "code 999999999 is out of order"),
        "half of the words": (
            with_tables("(?s)(\nFORM\n(?:[^\n]+\n){9})[^\t\n]+\t[^\n]+\n.*?\n\n", r"\1\n"),
            "odm0 knows the symbol [0-9]+ of FORM, but that table ends with 9; the model is damaged",
        ),
        "covnonproj": (
            with_saved("nivre.NivreArcEagerFactory", "covington.CovingtonNonProjFactory"),
            "NivreEager.xml, line 5: .* covnonproj has no Input",
        ),
        "stackproj": (
            with_saved("nivre.NivreArcEagerFactory", "stack.StackProjFactory"),
            "the class 'RE' is no transition of stackproj",
        ),
        "no algorithm": (
            with_saved("nivre.NivreArcEagerFactory", "nivre.Nivre"),
            "parsing_algorithm: expected nivreeager",
        ),
        "an unknown option": (with_saved("guide\tkbest", "guide\tbest"), "unknown option 'guide.best'"),
        "an unknown charset": (
            with_saved("input\tcharset\tUTF-8", "input\tcharset\tUTF-9"),
            "charset 'UTF-9' is not known",
        ),
        "another learner": (with_saved("LibLinear", "LibSvm"), "no classifier of libsvm in it"),
        "sequential": (with_saved("T.TRANS+A.DEPREL", "T.TRANS,A.DEPREL"), "the classifier sdm0 is missing"),
        "marks": (
            with_saved("marking_strategy\tnone", "marking_strategy\thead"),
            "lack T.TRANS\\+A.DEPREL\\+A.PPLIFTED",
        ),
        "a file outside": (
            with_saved("propagation\t", "propagation\t/etc/passwd"),
            "propagation file '/etc/passwd' is missing",
        ),
        "features outside": (with_saved("NivreEager.xml", "../x.xml"), "the feature model '../x.xml' is missing"),
        "other columns": (with_features("POSTAG", "UPOS"), "NivreEager.xml, line .* conllx has no column UPOS"),
        "fewer features": (
            with_features("<feature>InputColumn(FORM,Input[0])</feature>", ""),
            "odm0 was trained with 22 features or more, but the feature model has 21",
        ),
        "no features": ({"NivreEager.xml": b"<a/>"}, "NivreEager.xml"),
        "no version": ({"m_singlemalt.info": b"CONFIGURATION\n"}, "without a version"),
        "an old version": (
            {"m_singlemalt.info": b"Version:                       1.4\n"},
            "of MaltParser 1.4; only those",
        ),
    }


def test_content_that_does_not_fit(folder: Path, tmp_path: Path) -> None:
    good = entries_of(folder / "liblinear.mco")
    good["m_singlemalt.info"] = good.pop("liblinear_singlemalt.info")
    path = tmp_path / "m.mco"
    path.write_bytes(packed(good))
    load(path).make_parser()
    for title, (changed, reason) in contents(good).items():
        path.write_bytes(packed({**good, **changed}))
        with pytest.raises(MaltError, match=reason) as found:
            load(path).make_parser()
        assert str(found.value).startswith(str(path)), title
        assert "\n" not in str(found.value), title


def test_entries_that_are_missing(folder: Path, tmp_path: Path) -> None:
    good, path = entries_of(folder / "liblinear.mco"), tmp_path / "m.mco"
    for name in good.keys() - {additions.ENTRY}:  # of this, models of MaltParser have none
        path.write_bytes(packed({other: data for other, data in good.items() if other != name}))
        with pytest.raises(MaltError, match=r"missing|there is no"):
            load(path).make_parser()
    other = entries_of(folder / "libsvm.mco")
    path.write_bytes(packed({**good, "odm0.liblinear.moo": other["odm0.libsvm.moo"]}))
    with pytest.raises(
        MaltError, match=r"MaltLiblinearModel was expected, not org\.maltparser\.ml\.lib\.MaltLibsvmModel"
    ):
        load(path)


def test_a_split_that_does_not_fit(folder: Path, tmp_path: Path) -> None:
    good, path = entries_of(folder / "split.mco"), tmp_path / "m.mco"
    code = next(name.split(".")[1] for name in good if re.fullmatch(r"odm0\.[0-9]+\.liblinear\.moo", name))
    lines = good["odm0.dsm"]
    for changed, reason in {
        lines.replace(b"\t", b" ", 1): "line 1: expected a code, a TAB and a frequency",
        lines + lines: "the code -1 is there twice",
        lines + b"9999\t77\n": "the classifier for the value 9999 is missing",
        lines + b"99999999999999\t77\n": "expected a code",
    }.items():
        path.write_bytes(packed({**good, "odm0.dsm": changed}))
        with pytest.raises(MaltError, match=reason):
            load(path)
    path.write_bytes(packed({name: data for name, data in good.items() if not name.startswith(f"odm0.{code}.")}))
    with pytest.raises(MaltError, match=f"the classifier for the value {int(code)} is missing"):
        load(path)


def test_an_entry_with_a_number_without_end(folder: Path, tmp_path: Path) -> None:
    good, path = entries_of(folder / "split.mco"), tmp_path / "m.mco"
    name = next(name for name in good if re.fullmatch(r"odm0\.[0-9]+\.liblinear\.moo", name))
    more = {f"odm0.{'9' * 5000}.liblinear.{kind}": good[name[:-3] + kind] for kind in ("moo", "map")}
    path.write_bytes(packed({**good, **more}))
    load(path).make_parser()


def test_classes_that_no_symbol_stands_for(folder: Path, tmp_path: Path) -> None:
    good, path = entries_of(folder / "liblinear.mco"), tmp_path / "m.mco"
    entry = "odm0.liblinear"
    for code, reason in {0: "has the class 0, which no symbol stands for", 3: "odm0 has a class twice"}.items():
        classifier = LinearClassifier.read(good[f"{entry}.moo"], good[f"{entry}.map"])
        assert 3 in classifier.codes[1:]
        classifier.codes[0] = code
        out = io.BytesIO()
        classifier.write_model(out)
        path.write_bytes(packed({**good, f"{entry}.moo": out.getvalue()}))
        with pytest.raises(MaltError, match=reason):
            load(path).make_parser()


def test_what_a_few_symbols_cost() -> None:
    """Codes that are far apart, each of which would double the table."""
    table = SymbolTable("FORM")
    table.put(1, "a")
    table.put(1000, "b")
    with pytest.raises(ValueError, match="code 2000 is out of order"):
        table.put(2000, "c")
    assert not SymbolTable("FORM").load(b"".join(b"%d\tw%d\n" % (3**i, i) for i in range(1, 16)))


def test_an_empty_row_before_many_that_are_one() -> None:
    """Shared, they take a few megabytes; not shared, more than there may be."""
    first, count = numpy.zeros(200_001, numpy.int64), numpy.full(200_001, 1000, numpy.int32)
    count[0] = 0
    rows = LinearWeights(first, count, numpy.arange(1000, dtype=numpy.int32), numpy.ones(1000), 1000)
    assert rows.scores([0, 7, 200_000]).tolist() == [2.0] * 1000


def test_a_row_that_no_vector_has(folder: Path, tmp_path: Path) -> None:
    good, path = entries_of(folder / "libsvm.mco"), tmp_path / "m.mco"
    stored = StoredMap.read(good["odm0.libsvm.map"])
    stored.rows[0] = 2**31 - 3
    out = io.BytesIO()
    StoredMap(stored.keys, stored.rows, stored.capacity, 2**31 - 1).write(out)
    path.write_bytes(packed({**good, "odm0.libsvm.map": out.getvalue()}))
    with pytest.raises(MaltError, match=r"odm0.libsvm.moo: the model has [0-9]+ features, and .* names row 2147483646"):
        load(path).make_parser()


def test_other_files_in_place_of_a_model(folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path, sample = tmp_path / "m.mco", str(folder / "sample.conll")
    for data, reason in {
        packed({"document.xml": b"<x/>"}, "word"): "no *_singlemalt.info in it, so it is not a model",
        b"PK\5\6" + bytes(18): "a model has its files in one folder; found none",
        b"": "a model is a ZIP file",
        Path(sample).read_bytes(): "a model is a ZIP file",
        (folder / "liblinear.mco").read_bytes()[:-100]: "the model is cut off",
    }.items():
        path.write_bytes(data)
        assert malt(["parse", "-c", str(path), sample]) == 1
        output, errors = capsys.readouterr()
        assert output == ""
        assert errors.startswith(f"malt: {path}: ")
        assert reason in errors
        assert errors.count("\n") == 1


def test_a_file_with_other_columns(folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    sample, model = folder / "sample.conll", str(folder / "liblinear")
    rows = [line.split("\t") for line in sample.read_text().splitlines()]
    files = {
        "malttab": ([[row[1], row[4], *row[6:8]] if row[0] else row for row in rows], "ID is 'Mater"),
        "eleven": ([[*row, "x"] if row[0] else row for row in rows], "11 fields, but conllx has 10 columns"),
        "shifted": ([[row[0], "x", *row[1:-1]] if row[0] else row for row in rows], "HEAD is 'Mood="),
        "four": ([row[:4] for row in rows], "the word has no POSTAG, which the features of the model look at"),
        "words": ([row[1:2] for row in rows], "ID is 'Mater"),
    }
    for name, (lines, reason) in files.items():
        path = tmp_path / name
        path.write_text("".join("\t".join(line) + "\n" for line in lines))
        assert malt(["parse", "-v", "error", "-c", model, str(path)]) == 1, name
        output, errors = capsys.readouterr()
        assert output == ""
        assert errors.startswith(f"malt: {path}, line ")
        assert reason in errors
        if name != "four":
            assert "; the model is for conllx, with the columns ID, FORM, LEMMA" in errors
        assert errors.count("\n") == 1


def test_more_rows_of_weights_than_features(folder: Path, tmp_path: Path) -> None:
    good, entry = entries_of(folder / "liblinear.mco"), "odm0.liblinear"
    classifier = LinearClassifier.read(good[f"{entry}.moo"], good[f"{entry}.map"])
    rows, out = classifier.weights, io.BytesIO()
    kept = numpy.concatenate([numpy.arange(len(rows)), numpy.zeros(100_000, dtype=int)])  # each takes five bytes
    more = Rows(rows.first[kept], rows.count[kept], rows.length[kept], rows.places, rows.numbers)
    dataclasses.replace(classifier, weights=more).write_model(out)
    path = tmp_path / "model.mco"
    path.write_bytes(packed({**good, f"{entry}.moo": out.getvalue()}))
    reason = rf"odm0.liblinear.moo: byte [0-9]+: there are {len(kept)} rows of numbers, and use for {len(rows) + 1};"
    with pytest.raises(MaltError, match=reason):
        load(path)
