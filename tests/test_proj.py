"""The commands proj and deproj: what MaltParser writes, and that what was lifted comes back."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

from malt.commands import malt
from malt.mco import savedoptions, tables
from malt.mco.container import open_container

Capture = pytest.CaptureFixture[str]

HEADS = [(0, "A"), (4, "B"), (1, "C"), (1, "D")]
COVERED = [(3, "A"), (0, "B"), (0, "C")]
CYCLE = [(2, "A"), (1, "B|C")]


def conllx(*sentences: list[tuple[int, str]], end: str = "\n") -> str:
    lines = []
    for sentence in sentences:
        for i, (head, label) in enumerate(sentence, 1):
            lines.append(f"{i}\tør{i}\tl{i}\tX\tY\tf=1\t{head}\t{label}\t9\tP")
        lines.append("")
    return "".join(line + end for line in lines)


def arcs(text: str) -> list[tuple[int, str]]:
    return [(int(line.split("\t")[6]), line.split("\t")[7]) for line in text.splitlines() if line]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write(name: str, text: str, charset: str = "utf-8") -> str:
    Path(name).write_bytes(text.encode(charset))
    return name


# -- the friendly forms


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ([], [(0, "A"), (1, "B|D"), (1, "C"), (1, "D")]),
        (["-pp", "path"], [(0, "A"), (1, "B|"), (1, "C"), (1, "D%")]),
        (["-pp", "head+path"], [(0, "A"), (1, "B|D"), (1, "C"), (1, "D%")]),
        (["-pp", "baseline"], [(0, "A"), (1, "B"), (1, "C"), (1, "D")]),
    ],
)
def test_marks(options: list[str], expected: list[tuple[int, str]]) -> None:
    source = write("in.conll", conllx(HEADS))
    assert malt(["proj", *options, source, "-o", "out.conll"]) == 0
    assert arcs(Path("out.conll").read_text()) == expected
    if "baseline" not in options:
        assert malt(["deproj", *options, "out.conll", "-o", "back.conll"]) == 0
        assert Path("back.conll").read_bytes() == Path("in.conll").read_bytes()


def test_marks_of_other_options(capsys: pytest.CaptureFixture[str]) -> None:
    source = write("in.conll", conllx(HEADS))
    for made in ("head", "path", "head+path"):
        assert malt(["proj", "-pp", made, source, "-o", "out.conll"]) == 0
        for given in ("head", "path", "head+path", "baseline"):
            capsys.readouterr()
            assert malt(["deproj", "-pp", given, "out.conll", "-o", "back.conll"]) == 0
            said = capsys.readouterr().err
            told = f" has a mark that -pp {given} -pcr none does not make; give the options that proj got\n" in said
            unmarked = "none ends with %, as -pp head+path makes them; give the options that proj got\n" in said
            assert unmarked == ((made, given) == ("head", "head+path")), (made, given, said)
            assert told == (made != given and not unmarked), (made, given, said)


@pytest.mark.parametrize(("where", "head"), [("left", 1), ("right", 3), ("head", 3)])
def test_covered_roots(where: str, head: int) -> None:
    source = write("in.conll", conllx(COVERED))
    assert malt(["proj", "-pp", "none", "-pcr", where, source, "-o", "out.conll"]) == 0
    assert arcs(Path("out.conll").read_text()) == [(3, "A"), (head, "B|null"), (0, "C")]
    assert malt(["deproj", "-pp", "none", "-pcr", where, "out.conll", "-o", "back.conll"]) == 0
    assert Path("back.conll").read_bytes() == Path("in.conll").read_bytes()


def test_everything_else_is_kept() -> None:
    text = "\n".join(
        [
            "# text = ja nej",
            "1-2\tjanej\t_\t_\t_\t_\t_\t_\t_\tX=y",
            *(
                "\t".join([str(i), "a", "_", "X", "_", "_", str(head), label, "0:x", "Z"])
                for i, head, label in [(3, 0, "A"), (5, 9, "B"), (7, 3, "C"), (9, 3, "D")]
            ),
            "9.1\te\t_\t_\t_\t_\t_\t_\t3:dep\t_",
            "",
            "",
            "# the end",
        ]
    ).replace("\n", "\r\n")
    source = write("in.conllu", "\ufeff" + text)
    assert malt(["proj", source, "-o", "out.conllu"]) == 0
    changed = [
        (old, new)
        for old, new in zip(text.split("\r\n"), Path("out.conllu").read_bytes()[3:].decode().split("\r\n"), strict=True)
        if old != new
    ]
    assert changed == [("5\ta\t_\tX\t_\t_\t9\tB\t0:x\tZ", "5\ta\t_\tX\t_\t_\t3\tB|D\t0:x\tZ")]
    assert malt(["deproj", "out.conllu", "-o", "back.conllu"]) == 0
    assert Path("back.conllu").read_bytes() == Path(source).read_bytes()


def test_a_model_file_instead_of_options() -> None:
    source = write("in.conll", conllx(HEADS, COVERED))
    assert malt(["proj", "-pp", "head+path", "-pcr", "left", "-c", "models.mco", source, "-o", "out.conll"]) == 0
    Path("models.mco").rename("other.mco")
    assert malt(["deproj", "-c", "other", "out.conll", "-o", "back.conll"]) == 0
    assert Path("back.conll").read_bytes() == Path(source).read_bytes()


def test_the_charset_stays(capsys: Capture) -> None:
    source = write("in.conll", conllx(HEADS), "latin-1")
    assert malt(["proj", "-ic", "ISO-8859-1", source, "-o", "out.conll", "-c", "m"]) == 0
    assert "ør1".encode("latin-1") in Path("out.conll").read_bytes()
    assert malt(["proj", "-ic", "ISO-8859-1", "-oc", "UTF-8", source, "-o", "out.conll"]) == 0
    assert "ør1".encode() in Path("out.conll").read_bytes()
    with open_container("m.mco") as model:
        values = savedoptions.read_saved(model.read(savedoptions.ENTRY), "m.mco")
        assert values["output.charset"] == "ISO-8859-1"
        assert tables.read_tables(model.read(tables.ENTRY), "ISO-8859-1", "m.mco")["FORM"].symbol(1) == "ør1"


def test_what_is_not_a_tree_is_left_alone(capsys: Capture) -> None:
    source = write("in.conll", conllx(HEADS, CYCLE, HEADS, CYCLE))
    assert malt(["proj", source, "-o", "out.conll"]) == 1  # because of the label
    assert "in.conll, line 7: the label 'B|C' has '|' in it" in capsys.readouterr().err
    source = write("in.conll", conllx(HEADS, [(2, "A"), (1, "B")], HEADS, [(2, "A"), (1, "B")]))
    assert malt(["proj", source, "-o", "out.conll"]) == 0
    message = capsys.readouterr().err
    assert "warning: in.conll, line 6: not a tree (the heads run in a circle); left as it is\n" in message
    assert "warning: 2 sentences are no trees; they were left as they are\n" in message
    assert "4 sentences: 2 changed, 2 words lifted, 0 covered root words attached\n" in message
    assert arcs(Path("out.conll").read_text())[4:6] == [(2, "A"), (1, "B")]
    assert malt(["deproj", "out.conll", "-o", "back.conll"]) == 0
    assert Path("back.conll").read_bytes() == Path(source).read_bytes()
    source = write("in.conll", conllx(HEADS).replace("\t0\tA", "\t_\t_"))
    assert malt(["proj", source, "-o", "out.conll"]) == 0
    assert "line 1: not a tree (a word has no head); left as it is\n" in capsys.readouterr().err
    assert Path("out.conll").read_bytes() == Path(source).read_bytes()


def test_labels_that_look_like_marks(capsys: Capture) -> None:
    source = write("in.conll", conllx([(0, "A%")], [(0, "null")]))
    assert malt(["proj", "-pp", "path", source]) == 1
    assert (
        "in.conll, line 1: the label 'A%' has '%' in it, which deproj cannot tell from a mark"
        in capsys.readouterr().err
    )
    assert malt(["proj", "-pp", "head", "-pcr", "left", source, "-o", "out.conll"]) == 1
    assert "line 3: the label 'null' has 'null' in it" in capsys.readouterr().err
    assert not Path("out.conll").exists()
    assert malt(["proj", "-pp", "head", source, "-o", "out.conll"]) == 0  # there neither is a mark
    assert malt(["-m", "proj", "-c", "m", "-pp", "path", "-i", source, "-o", "out.conll"]) == 0
    assert "warning: in.conll, line 1: the label 'A%' has '%' in it" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["proj", "-pp", "none", "in.conll"], 2, "with -pp none and -pcr none there is nothing to do"),
        (["deproj", "-pp", "none", "in.conll"], 2, "with -pp none and -pcr none there is nothing to undo"),
        (["-m", "proj", "-pp", "head", "-i", "in.conll"], 2, "-m proj needs -c NAME"),
        (["-m", "deproj", "-i", "in.conll"], 2, "-m deproj needs -c NAME"),
        (["-m", "deproj", "-c", "none", "-i", "in.conll"], 1, "none.mco: no such model"),
        (["deproj", "-c", "in.conll", "in.conll"], 1, "in.conll.mco: no such model"),
        (["proj", "none.conll"], 1, "none.conll: no such file"),
        (["proj", "-pp", "heat", "in.conll"], 2, "did you mean head?"),
    ],
)
def test_errors(arguments: list[str], code: int, message: str, capsys: Capture) -> None:
    write("in.conll", conllx(HEADS))
    assert malt(arguments) == code
    assert message in capsys.readouterr().err


def test_a_hostile_model(capsys: Capture) -> None:
    write("in.conll", conllx(HEADS))
    assert malt(["-m", "proj", "-c", "m", "-pp", "head", "-i", "in.conll", "-o", "out.conll"]) == 0
    with zipfile.ZipFile("m.mco") as archive:
        entries = {name: archive.read(name) for name in archive.namelist()}
    for name, old, new, message in [
        ("m/savedoptions.sop", b"\tconllx.xml", b"\t../../etc/passwd", "the entry ../../etc/passwd is missing"),
        ("m/savedoptions.sop", b"marking_strategy\thead", b"marking_strategy\tx", "marking_strategy: expected none"),
        ("m/savedoptions.sop", b"0\tpproj", b"pproj", "savedoptions.sop, line"),
        ("m/conllx.xml", b"<dataformat", b"<!DOCTYPE x [<!ENTITY a 'b'>]><dataformat", "x.mco: conllx.xml"),
        ("m/conllx.xml", b"</dataformat>", b"", "x.mco: conllx.xml"),
        ("m/m_pseudo.info", b"1.9.2", b"1.4.1", "it is a model of MaltParser 1.4.1"),
    ]:
        changed = {**entries, name: entries[name].replace(old, new)}
        assert changed != entries
        with zipfile.ZipFile("x.mco", "w") as archive:
            for entry, data in changed.items():
                archive.writestr(entry, data)
        assert malt(["-m", "deproj", "-c", "x", "-i", "out.conll", "-o", "back.conll"]) == 1
        assert message in capsys.readouterr().err


# -- MaltParser's modes


def test_the_model_file_of_maltparsers_mode(folder: Path) -> None:
    source = write("in.conll", conllx(HEADS, COVERED, HEADS))
    (folder / "models").mkdir()
    arguments = ["-m", "proj", "-pp", "head", "-pcr", "right", "-c", "models/pp", "-i", source, "-o", "out.conll"]
    assert malt(arguments) == 0
    assert arcs(Path("out.conll").read_text())[:4] == [(0, "A"), (1, "B|D"), (1, "C"), (1, "D")]
    assert "\t9\tP" not in Path("out.conll").read_text()  # unused columns are written as their default
    with open_container("models/pp.mco") as model:
        assert sorted(model.names) == ["conllx.xml", "pp_pseudo.info", "savedoptions.sop", "symboltables.sym"]
        values = savedoptions.read_saved(model.read(savedoptions.ENTRY), "")
        assert (values["input.format"], values["pproj.marking_strategy"]) == ("conllx.xml", "head")
        content = tables.read_tables(model.read(tables.ENTRY), "UTF-8", "")
    # The labels of a sentence, then its marked ones, then those of the next.
    assert dict(content["DEPREL"].symbols()) == dict(enumerate(["ROOT", "A", "B", "C", "D", "B|D", "B|null"], 1))
    assert dict(content["PPLIFTED"].symbols()) == {1: "#false#", 2: "D"}
    assert list(content)[-2:] == ["PPLIFTED", "PPCOVERED"]
    assert malt(["-m", "deproj", "-c", "models/pp", "-i", "out.conll", "-o", "back.conll"]) == 0
    assert arcs(Path("back.conll").read_text()) == [*HEADS, *COVERED, *HEADS]


def test_without_options_maltparsers_mode_only_copies() -> None:
    source = write("in.conll", conllx(HEADS))
    assert malt(["-m", "proj", "-c", "pp", "-i", source, "-o", "out.conll"]) == 0
    assert malt(["-m", "deproj", "-c", "pp", "-i", "out.conll", "-o", "back.conll"]) == 0
    assert arcs(Path("out.conll").read_text()) == arcs(Path("back.conll").read_text()) == HEADS


def golden(shared: Path) -> list[Path]:
    return sorted(path for path in (shared / "golden" / "transforms").iterdir() if path.name.startswith("proj-"))


def test_what_maltparser_writes(shared: Path) -> None:
    cases = golden(shared)
    assert cases
    for case in cases:
        spec = dict(line.split(": ", 1) for line in (case / "case.txt").read_text().splitlines())
        source = str(shared / "golden" / "data" / spec["input"])
        for step in ("one", "two"):
            assert malt(["-v", "warn", "-c", "pp", "-i", source, "-o", f"{step}.conll", *spec[step].split()]) == 0
            assert Path(f"{step}.conll").read_bytes() == (case / f"{step}.conll").read_bytes(), f"{case.name}, {step}"
            source = f"{step}.conll"


def test_real_trees_come_back(shared: Path) -> None:
    """Nivre and Nilsson (2005), table 2: with head marks, nearly all arcs of a treebank are recovered."""
    for language, least in [("danish", 0.99), ("swedish", 0.99)]:
        source = str(shared / "data" / language / "test.conll")
        for options in (["-pp", "head"], ["-pp", "head+path", "-pcr", "left"]):
            assert malt(["proj", "-v", "warn", *options, source, "-o", "out.conll"]) == 0
            assert malt(["deproj", "-v", "warn", *options, "out.conll", "-o", "back.conll"]) == 0
            old, new = arcs(Path(source).read_text()), arcs(Path("back.conll").read_text())
            assert [label for _, label in old] == [label for _, label in new]
            assert sum(a == b for a, b in zip(old, new, strict=True)) > least * len(old)


def test_only_marks_need_trees(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A sentence that is no tree is learned from as it is where nothing is marked, as in MaltParser."""
    circle = "".join(f"{i}\tw{i}\t_\tX\tX\t_\t{head}\tlabel\t_\t_\n" for i, head in enumerate((2, 1, 0), 1))
    treebank, out = tmp_path / "in.conll", {name: tmp_path / name for name in ("none", "baseline")}
    treebank.write_text(f"{circle}\n")
    for name, path in out.items():
        assert malt(["instances", "-v", "error", "-pp", name, "-o", str(path), str(treebank)]) == 0
    assert out["none"].read_bytes() == out["baseline"].read_bytes() != b""
    assert malt(["instances", "-v", "error", "-pp", "head", str(treebank)]) == 1
    assert "line 1: the sentence is no tree (the heads run in a circle)" in capsys.readouterr().err


def test_a_parser_is_not_replaced_by_marks(capsys: Capture) -> None:
    source = write("in.conll", conllx(*[HEADS] * 3))
    assert malt(["train", "-q", "-c", "m", "-pp", "head", source]) == 0
    parser = Path("m.mco").read_bytes()
    assert malt(["proj", "-c", "m", source, "-o", "out.conll"]) == 1
    said = "malt: m.mco: this is no model of malt proj, and only a model of malt proj is replaced by one; "
    assert said in capsys.readouterr().err
    assert Path("m.mco").read_bytes() == parser
    assert not Path("out.conll").exists()
    for _ in range(2):
        assert malt(["proj", "-c", "marks", source, "-o", "out.conll"]) == 0
