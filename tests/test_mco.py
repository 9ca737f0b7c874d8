"""Model files: ours, MaltParser's, and those that nobody should trust."""

from __future__ import annotations

import contextlib
import io
import random
import struct
import tempfile
import zipfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from malt import __version__
from malt.data.symbols import Tables
from malt.errors import DataError, MaltError, UsageError
from malt.kernel.symbols import SymbolTable
from malt.mco import container, info, savedoptions, tables
from malt.mco.container import model_path, open_container, write_container
from malt.settings.settings import Settings

SYMBOLS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\r\n"), min_size=1, max_size=8)


def archive(path: Path, entries: dict[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> str:
    with zipfile.ZipFile(path, "w", method) as out:
        for name, data in entries.items():
            out.writestr(name, data)
    return str(path)


def read_all(path: str) -> dict[str, bytes]:
    with open_container(path) as model:
        return {name: model.read(name) for name in model.names}


def plain(content: Tables) -> dict[str, tuple[int, int, str, dict[int, str]]]:
    return {
        name: (table.category, table.type, table.null_strategy, dict(table.symbols()))
        for name, table in content.items()
    }


# -- the container


def test_a_model_is_what_was_written_and_may_be_renamed(tmp_path: Path) -> None:
    entries = {"a_pseudo.info": b"x", "symboltables.sym": b"\0" * 1000}
    write_container(str(tmp_path / "a.mco"), entries)
    assert zipfile.ZipFile(tmp_path / "a.mco").namelist() == ["a/a_pseudo.info", "a/symboltables.sym"]
    (tmp_path / "a.mco").rename(tmp_path / "b.mco")
    assert read_all(str(tmp_path / "b.mco")) == entries
    with open_container(str(tmp_path / "b.mco")) as model:
        assert model.folder == "a"
        assert model.find(".info") == "a_pseudo.info"


def test_a_model_from_windows(tmp_path: Path) -> None:
    assert read_all(archive(tmp_path / "a.mco", {"a\\x.info": b"1", "a\\y.sop": b"2"})) == {
        "x.info": b"1",
        "y.sop": b"2",
    }


def test_the_file_of_a_model() -> None:
    assert model_path("a") == model_path("a.mco") == "a.mco"
    assert model_path("x/a", ".") == str(Path("x/a.mco"))
    assert model_path("a", "/models") == str(Path("/models/a.mco"))
    with pytest.raises(UsageError):
        model_path(".mco")


@pytest.mark.parametrize(
    ("names", "reason"),
    [
        (["a/x", "a/../../x"], "not of the form NAME/FILE"),
        (["a/x", "../x"], "not of the form NAME/FILE"),
        (["/etc/passwd"], "not of the form NAME/FILE"),
        (["a/b/c"], "not of the form NAME/FILE"),
        (["x"], "not of the form NAME/FILE"),
        (["9" * 5000], f"the entry '{'9' * 60}...' is not of the form NAME/FILE"),
        (["a/.."], "not of the form NAME/FILE"),
        (["a\\..\\x"], "not of the form NAME/FILE"),
        (["a/x", "b/x"], "the entry x is there twice"),
        (["a/x", "b/y"], "in one folder; found a, b"),
        ([], "in one folder; found none"),
    ],
)
def test_names_that_no_model_has(tmp_path: Path, names: list[str], reason: str) -> None:
    path = archive(tmp_path / "a.mco", dict.fromkeys(names, b""))
    with pytest.raises(DataError, match=reason):
        read_all(path)


def test_what_is_not_a_model(tmp_path: Path) -> None:
    with pytest.raises(MaltError, match="no such model"):
        read_all(str(tmp_path / "none.mco"))
    with pytest.raises(MaltError, match="directory"):
        read_all(str(tmp_path))
    for content in (b"", b"PK\3\4 and no more", b"1\tHello\t_\n" * 10_000, b"PK\5\6", b"PK\5\6" + b"\xff" * 18):
        (tmp_path / "a.mco").write_bytes(content)
        with pytest.raises(DataError):
            read_all(str(tmp_path / "a.mco"))
    (tmp_path / "a.mco").unlink()
    write_container(str(tmp_path / "a.mco"), {"x": b"1"})
    with open_container(str(tmp_path / "a.mco")) as model:
        with pytest.raises(DataError, match="the entry y is missing"):
            model.read("y")
        with pytest.raises(DataError, match=r"no \*\.info in it"):
            model.find(".info")


def test_a_bomb_is_not_unpacked(tmp_path: Path) -> None:
    dice = random.Random(1)
    often = b"".join(dice.randbytes(16) + bytes(1984) for _ in range(17 << 9))  # 87 times as large as when compressed
    path = archive(tmp_path / "a.mco", {"a/x.info": b"\0" * (17 << 20), "a/z.moo": often, "a/y.sop": b" " * 10})
    with open_container(path) as model:
        for name in ("x.info", "z.moo"):
            with pytest.raises(DataError, match="cannot be right"):
                model.read(name)
        with pytest.raises(DataError, match="more than 5 cannot be right"):
            model.read("y.sop", limit=5)


def test_a_size_that_is_not_true(tmp_path: Path) -> None:
    path = tmp_path / "a.mco"
    archive(path, {"a/x.info": b"\0" * (17 << 20)})
    data = bytearray(path.read_bytes())
    at = data.rfind(b"PK\1\2")
    data[at + 24 : at + 28] = struct.pack("<L", 100)  # the size in the directory
    path.write_bytes(data)
    with open_container(str(path)) as model, pytest.raises(DataError, match="is damaged"):
        model.read("x.info")


def test_a_directory_without_end(tmp_path: Path) -> None:
    path = tmp_path / "a.mco"
    archive(path, {"a/x.info": b""})
    data = bytearray(path.read_bytes())
    at = data.rfind(b"PK\5\6")
    data[at + 12 : at + 16] = struct.pack("<L", container.DIRECTORY_LIMIT + 1)
    path.write_bytes(data)
    with pytest.raises(DataError, match="its directory has"):
        read_all(str(path))


@given(st.binary(min_size=1, max_size=3), st.integers(0, 400))
def test_no_damage_goes_unnoticed_or_unanswered(garbage: bytes, place: int) -> None:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in ("x.info", "y.sym"):
            archive.writestr(f"a/{name}", b"some text " * 30)
    data = bytearray(out.getvalue())
    data[place : place + len(garbage)] = garbage
    with tempfile.TemporaryDirectory() as folder, contextlib.suppress(DataError):
        path = Path(folder) / "a.mco"
        path.write_bytes(data)
        assert set(read_all(str(path)).values()) == {b"some text " * 30}


# -- symbol tables


@given(st.lists(SYMBOLS, max_size=30), st.sampled_from(["none", "one", "rootnode", "novalue"]))
def test_tables_come_back(symbols: list[str], strategy: str) -> None:
    content = {"FORM": SymbolTable("FORM", 1, 1, strategy), "DEPREL": SymbolTable("DEPREL", 3, 1, strategy)}
    for symbol in symbols:
        content["FORM"].add(symbol)
        content["DEPREL"].add(symbol[::-1])
    again = tables.read_tables(tables.write_tables(content, "UTF-8"), "UTF-8", "a.mco")
    assert plain(again) == plain(content)
    assert [table.next_code for table in again.values()] == [max(t.next_code, 1) for t in content.values()]


def test_any_order_and_any_line_end() -> None:
    data = b"\tB\t3\t3\tone\r\n\tA\t1\tone\r\n\r\nA\r\n7\tx\ty\r\n2\t\xc3\xa6\r\n\r\nB\r\n\r\n"
    assert plain(tables.read_tables(data, "UTF-8", "a.mco")) == {
        "B": (3, 3, "one", {}),
        "A": (1, 1, "one", {2: "æ", 7: "x\ty"}),
    }


def test_real_numbers_have_no_codes_there() -> None:
    data = b"\tX\t1\t4\tone\n\nX\n\x01\t0.5\n\x01\t2.5\n\n"
    assert plain(tables.read_tables(data, "UTF-8", "a.mco"))["X"][3] == {1: "0.5", 2: "2.5"}


@pytest.mark.parametrize("charset", ["UTF-8", "ISO-8859-1", "UTF-16"])
def test_charsets(charset: str) -> None:
    table = SymbolTable("FORM")
    table.add("smörgås")
    data = tables.write_tables({"FORM": table}, charset)
    assert plain(tables.read_tables(data, charset, "a.mco")) == plain({"FORM": table})
    with pytest.raises(MaltError, match="'ö' is not in US-ASCII"):
        tables.write_tables({"FORM": table}, "US-ASCII")
    with pytest.raises(DataError, match=r"symboltables\.sym: byte 0xF6 is not UTF-8"):
        tables.read_tables("\tö".encode("latin-1"), "UTF-8", "a.mco")


def test_symbols_that_another_charset_makes_the_same() -> None:
    table = SymbolTable("FORM")
    for symbol in ("får", "før", "hus", "fur"):
        table.add(symbol)
    data = b"\tFORM\t1\t1\tone\n\nFORM\n3\thus\n4\tfur\n2\tf?r\n1\tf?r\n\n"  # as MaltParser writes it with -oc US-ASCII
    read = tables.read_tables(data, "ISO-8859-1", "a.mco")["FORM"]
    assert [read.symbol(code) for code in (1, 2, 3, 4)] == ["f?r", "f?r", "hus", "fur"]
    assert (read.code("f?r"), read.code("hus"), read.add("x")) == (1, 3, 5)  # the last one that is read counts
    swapped = data.replace(b"2\tf", b"9\tf").replace(b"1\tf", b"2\tf").replace(b"9\tf", b"1\tf")
    assert tables.read_tables(swapped, "ISO-8859-1", "a.mco")["FORM"].code("f?r") == 2
    data = tables.write_tables({"FORM": table}, "ISO-8859-1")
    read = tables.read_tables(data, "UTF-8", "a.mco", "ISO-8859-1")["FORM"]
    assert [read.symbol(code) for code in (1, 2)] == ["f\ufffdr", "f\ufffdr"]
    assert read.code("f\ufffdr") == 2
    with pytest.raises(DataError, match=r"symboltables\.sym: byte 0xE5 is not UTF-8"):
        tables.read_tables(data, "UTF-8", "a.mco", "UTF-8")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("\tA\t1\n", "line 1: expected the name"),
        ("\tA\tx\t1\tone\n", "line 1: expected the name"),
        ("\tA\t1\t1\tmany\n", "line 1: expected the name"),
        ("\tA\t99999999999999999999\t1\tone\n", "line 1: expected the name"),
        ("\tA\t1\t1\tone\n\tA\t1\t1\tone\n", "line 2: the table A is there twice"),
        ("\tA\t1\t1\tone\n\nB\n", "line 3: 'B' is no table"),
        ("\tA\t1\t1\tone\n\nA\nx\ty\n", "line 4: expected a code"),
        ("\tA\t1\t1\tone\n\nA\n-1\ty\n", "line 4: expected a code"),
        ("\tA\t1\t1\tone\n\nA\n1\t\n", "line 4: expected a code"),
        ("\tA\t1\t1\tone\n\nA\n1\ty\n1\tz\n", "line 5: .*twice"),
        ("\tA\t1\t1\tone\n\nA\n1\ty\n2\ty\n", "line 5: .*twice"),
        ("\tA\t1\t1\tone\n\nA\n999999999\ty\n", "line 4: .*out of order"),
    ],
)
def test_damaged_tables(text: str, reason: str) -> None:
    with pytest.raises(DataError, match=f"a.mco: symboltables.sym, {reason}"):
        tables.read_tables(text.encode(), "UTF-8", "a.mco")


# -- options and info


def test_saved_options_come_back() -> None:
    values = Settings(command_line={"guide.learner": "libsvm", "singlemalt.parsing_algorithm": "2planar"}).save()
    assert len(values) == 32
    data = savedoptions.write_saved(values)
    assert b"class org.maltparser.parser.algorithm.twoplanar.TwoPlanarArcEagerFactory\n" in data
    assert savedoptions.read_saved(data, "a.mco") == values
    assert savedoptions.read_saved(data.replace(b"\n", b"\r\n"), "a.mco") == values


def test_options_that_cannot_be_saved() -> None:
    with pytest.raises(UsageError, match="control characters"):
        savedoptions.write_saved({"graph.root_label": "a\nb"})
    with pytest.raises(DataError, match=r"savedoptions\.sop, line 2"):
        savedoptions.read_saved(b"0\tguide\tkbest\t1\nguide\n", "a.mco")


def test_info() -> None:
    data = info.write_info("a", "pseudo", Settings())
    assert b"\nVersion:                       1.9.2\n" in data
    assert b"\n  marking_strategy ( -pp)               none\n" in data
    assert b"\n  no_covered_roots (-pcov)               false\n" in data
    assert info.read_info(data, "a.mco") == info.Info("1.9.2", f"maltkit {__version__}")
    with pytest.raises(DataError, match=r"of MaltParser 1\.6\.1; only those of 1\.7"):
        info.read_info(data.replace(b"1.9.2", b"1.6.1"), "a.mco")
    with pytest.raises(DataError, match="without a version"):
        info.read_info(b"", "a.mco")


# -- MaltParser's own


def test_models_of_maltparser(shared: Path) -> None:
    cases = sorted((shared / "golden" / "cases").iterdir())[::6]
    assert cases
    for case in cases:
        path = str(case / "model.mco")
        with open_container(path) as model:
            about = info.read_info(model.read(model.find(".info")), path)
            values = savedoptions.read_saved(model.read(savedoptions.ENTRY), path)
            Settings().load_saved(values)  # each is known
            content = tables.read_tables(model.read(tables.ENTRY), values["input.charset"], path)
        assert about.version == "1.9.2"
        assert len(values) == 32
        assert content["DEPREL"].code(values["graph.root_label"] or "ROOT") > 0
        again = tables.read_tables(tables.write_tables(content, "UTF-8"), "UTF-8", path)
        assert plain(again) == plain(content)
