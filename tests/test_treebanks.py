"""Several files as one, and compressed ones."""

from __future__ import annotations

import bz2
import gzip
import lzma
from pathlib import Path

import pytest

import malt
from malt.commands import malt as command
from malt.data import compression
from malt.data.sentence import sentences_of
from malt.data.treebank import open_treebank
from malt.data.treebanks import open_treebanks

PACKERS = {"gz": gzip.compress, "bz2": bz2.compress, "xz": lzma.compress}


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a model and some treebanks."""
    monkeypatch.chdir(tmp_path)
    for number in range(3):
        Path(f"{number}.conll").write_text("".join(malt.sample.text(20, seed=number)))
    malt.train(Path("0.conll")).save("m")
    return tmp_path


def parsed(*words: str) -> bytes:
    assert command(["parse", "-v", "error", "-c", "m", *words, "-o", "out"]) == 0
    return Path("out").read_bytes()


@pytest.mark.parametrize("options", [(), ("-j", "2"), ("-of", "malttab"), ("-of", "conllu")])
def test_several_files_have_one_output_in_their_order(options: tuple[str, ...]) -> None:
    parts = [parsed(*options, f"{number}.conll") for number in (2, 1)]
    assert parsed(*options, "2.conll", "1.conll") == b"".join(parts)


@pytest.mark.parametrize(("end", "joint"), [("\n\n", ""), ("\n", "\n"), ("", "\n\n"), ("\r\n", "\r\n")])
def test_what_one_file_lacks_at_its_end_is_added_before_the_next(end: str, joint: str) -> None:
    text = Path("1.conll").read_text().rstrip("\n")
    text = text.replace("\n", "\r\n") if "\r" in end else text
    Path("1.conll").write_bytes((text + end).encode())
    Path("2.conll").write_bytes(b"\xef\xbb\xbf" + Path("2.conll").read_bytes())
    one, two = parsed("1.conll"), parsed("2.conll")
    assert parsed("1.conll", "2.conll") == one + joint.encode() + two.removeprefix(b"\xef\xbb\xbf")


def test_lines_are_those_of_the_file(capsys: pytest.CaptureFixture[str]) -> None:
    Path("1.conll").write_text(Path("1.conll").read_text().rstrip("\n"))
    Path("2.conll").write_text(Path("2.conll").read_text() + "x\ty\n")
    number = Path("2.conll").read_text().count("\n")
    for words in (["parse", "-c", "m"], ["train", "-c", "new"]):
        assert command([*words, "1.conll", "2.conll"]) == 1
        assert f"malt: 2.conll, line {number}, column 1: ID is 'x'" in capsys.readouterr().err
    alone = []
    for name in ("0.conll", "1.conll", "0.conll"):
        with open_treebank(name) as treebank:
            alone += [(sentence.line, str(sentence).strip()) for sentence in treebank.sentences()]
    with open_treebanks(["0.conll", "1.conll", "0.conll"]) as treebanks:
        together = [sentence for block in treebanks for sentence in sentences_of(block)]
    assert [(sentence.line, str(sentence).strip()) for sentence in together] == alone


def test_several_files_are_learned_from_as_one() -> None:
    Path("all.conll").write_bytes(b"".join(Path(f"{number}.conll").read_bytes() for number in range(3)))
    assert command(["train", "-v", "error", "-c", "one", "all.conll"]) == 0
    assert command(["train", "-v", "error", "-c", "many", *(f"{number}.conll" for number in range(3))]) == 0
    text = "".join(malt.sample.text(10, seed=9))
    one, many = ([s.heads for s in malt.load(name).parse(text)] for name in ("one", "many"))
    assert one == many


def test_files_that_do_not_go_together(capsys: pytest.CaptureFixture[str]) -> None:
    Path("u.conllu").write_text("".join(malt.sample.text(2, "conllu")))
    for files, reason in (
        (["1.conll", "u.conllu"], "malt: u.conllu: the file has other columns (conllu: ID, FORM"),
        (["1.conll", "no.conll"], "malt: no.conll: no such file"),
        (["-", "1.conll", "-"], "malt: standard input is named twice"),
    ):
        assert command(["train", "-c", "new", *files]) != 0
        assert reason in capsys.readouterr().err


@pytest.mark.parametrize("kind", PACKERS)
def test_compressed_files(kind: str) -> None:
    data = Path("1.conll").read_bytes()
    half = data.index(b"\n\n") + 2
    pack = PACKERS[kind]
    Path("packed").write_bytes(pack(data[:half]) + pack(data[half:]) + bytes(8))  # one after another, and padding
    assert parsed("packed") == parsed("1.conll")
    assert command(["train", "-v", "error", "-c", "one", "packed"]) == 0
    assert command(["parse", "-v", "error", "-c", "m", "packed", "-o", f"out.{kind}"]) == 0
    unpack = {"gz": gzip.decompress, "bz2": bz2.decompress, "xz": lzma.decompress}[kind]
    assert unpack(Path(f"out.{kind}").read_bytes()) == parsed("1.conll")


@pytest.mark.parametrize("kind", PACKERS)
def test_damaged_files(kind: str, capsys: pytest.CaptureFixture[str]) -> None:
    whole = PACKERS[kind](Path("1.conll").read_bytes())
    for data, reason in (
        (whole[:-20], "the file ends in the middle of what is compressed; it was cut off"),
        (whole[:50] + bytes(100) + whole[150:], "damaged"),
        (whole + b"something", "something else follows what is compressed"),
    ):
        Path("packed").write_bytes(data)
        assert command(["parse", "-c", "m", "packed", "-o", "never"]) == 1
        said = capsys.readouterr().err
        assert said.startswith("malt: packed: ")
        assert reason in said
        assert said.count("\n") == 1
    assert not Path("never").exists()


@pytest.mark.parametrize("kind", PACKERS)
def test_a_bomb_is_not_unfolded(kind: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(compression, "SMALL", 1 << 20)
    line = b"# " + b"x" * 1000 + b"\n"
    Path("bomb").write_bytes(PACKERS[kind](line * 20_000))
    for words in (["parse", "-c", "m"], ["train", "-c", "new"]):
        assert command([*words, "bomb", "-v", "error"]) == 1
        assert "bomb: the file has more than 100 times as many bytes in it" in capsys.readouterr().err
