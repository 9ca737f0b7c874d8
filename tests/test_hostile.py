"""Input that nobody wishes for: it is handled as the format allows, or answered with file, line, column and reason."""

from __future__ import annotations

import errno
import io
import json
import os
import random
import subprocess
import sys
from pathlib import Path

import pytest

from malt.commands import malt
from malt.data.formats.dataformat import find_format
from malt.data.symbols import make_tables
from malt.data.treebank import Treebank
from malt.errors import MaltError


def row(id: object, head: object, form: str = "word", label: str = "x") -> str:
    return f"{id}\t{form}\t_\tN\tN\t_\t{head}\t{label}\t_\t_"


GOOD = "\n".join([row(1, 2), row(2, 0, label="ROOT"), "", row(1, 0, label="ROOT"), "", ""])

REFUSED = {
    "Latin-1 bytes under UTF-8": (
        "\n".join([row(1, 0), row(2, 1, form="smørrebrød"), ""]).encode("latin-1"),
        "line 2, column 5: byte 0xF8 is not UTF-8; give the file's charset with -ic, for example -ic ISO-8859-1",
    ),
    "a missing column": (
        (GOOD + "1\tword\t_\tN\t_\t0\tROOT\t_\t_\n").encode(),
        "line 6, column 16: HEAD is 'ROOT'; expected the ID of a word of this sentence, 0 for the root, or _ "
        "(the line has 9 fields, conllx 10: is one missing?)",
    ),
    "missing columns at the end": (
        (GOOD + "1\tword\t_\tN\tN\t_\t0\n").encode(),
        "line 6, column 17: the line ends after 7 fields; DEPREL is missing",
    ),
    "a column too many": (
        (row(1, 0) + "\tmore\n").encode(),
        "line 1, column 1: 11 fields, but conllx has 10 columns",
    ),
    "an empty field": (row(1, 0, form="").encode(), "line 1, column 3: FORM is empty; expected a value, or _ for none"),
    "a head out of range": (
        f"{row(1, 3)}\n{row(2, 0)}\n".encode(),
        "line 1, column 16: the head is 3, but this sentence has no word 3 (its last is 2)",
    ),
    "a huge head": (
        f"{row(1, '99999999999')}\n".encode(),
        "line 1, column 16: HEAD is '99999999999'; expected the ID of a word of this sentence, 0 for the root, or _",
    ),
    "a negative head": (
        f"{row(1, -1)}\n".encode(),
        "line 1, column 16: HEAD is '-1'; expected the ID of a word of this sentence, 0 for the root, or _",
    ),
    "a head that is no number": (
        f"{row(1, 'two')}\n".encode(),
        "line 1, column 16: HEAD is 'two'; expected the ID of a word of this sentence, 0 for the root, or _",
    ),
    "a duplicate id": (
        f"{row(1, 0)}\n{row(2, 1)}\n{row(2, 1)}\n".encode(),
        "line 3, column 1: ID is 2, but the ids of a sentence ascend; 3 was expected",
    ),
    "ids out of order": (
        f"{row(1, 0)}\n{row(3, 1)}\n{row(2, 1)}\n".encode(),
        "line 3, column 1: ID is 2, but the ids of a sentence ascend; 4 was expected",
    ),
    "no blank line between sentences": (
        f"{row(1, 0)}\n{row(1, 0)}\n".encode(),
        "line 2, column 1: ID is 1, but the ids of a sentence ascend; 2 was expected "
        "(is a blank line missing between two sentences?)",
    ),
    "an id that is none": (
        f"{row(1, 0)}\n{row('x', 1)}\n{row(3, 1)}\n".encode(),
        "line 2, column 1: ID is 'x'; expected a number, a range such as 3-4, or an empty node such as 8.1",
    ),
    "a file cut in the middle of a line": (
        (GOOD + row(1, 0)[:9]).encode(),
        "line 6, column 9: the line ends after 3 fields; CPOSTAG, POSTAG, FEATS, HEAD, DEPREL are missing",
    ),
    "a file cut in the middle of the label": (
        (GOOD + "1\tword\t_\tN\tN\t_\t0\tRO").encode(),
        "line 6, column 20: the file ends in the middle of a line: 8 fields here, 10 in the words before",
    ),
    "a file cut after its first field": (
        (GOOD + "1").encode(),
        "line 6, column 2: the line ends after 1 field; FORM, LEMMA, CPOSTAG, POSTAG, FEATS, HEAD, DEPREL are missing",
    ),
    "a range that ends before it begins": (
        f"{row(1, 0)}\n{row('10-9', '_')}\n".encode(),
        "line 2, column 1: ID is 10-9, but a range of words does not end before its first word",
    ),
    "Latin-1 bytes in a file with CR line ends": (
        "\r".join([row(1, 0), "", row(1, 0, form="smørrebrød"), ""]).encode("latin-1"),
        "line 3, column 5: byte 0xF8 is not UTF-8; give the file's charset with -ic, for example -ic ISO-8859-1",
    ),
    "Latin-1 bytes in a file with CRLF line ends": (
        "\r\n".join([row(1, 0), "", row(1, 0, form="smørrebrød"), ""]).encode("latin-1"),
        "line 3, column 5: byte 0xF8 is not UTF-8; give the file's charset with -ic, for example -ic ISO-8859-1",
    ),
}

HANDLED = {
    "an empty file": b"",
    "only blank lines": b"\n\n \n",
    "only comments": b"# nothing\n",
    "a cycle": f"{row(1, 2)}\n{row(2, 1)}\n\n".encode(),
    "a self-loop": f"{row(1, 1)}\n\n".encode(),
    "two roots": f"{row(1, 0)}\n{row(2, 0)}\n\n".encode(),
    "no heads": f"{row(1, '_', label='_')}\n\n".encode(),
    "CRLF line ends": GOOD.replace("\n", "\r\n").encode(),
    "CR line ends": GOOD.replace("\n", "\r").encode(),
    "no final newline": GOOD.rstrip("\n").encode(),
    "several blank lines in a row": ("\n\n" + GOOD.replace("\n\n", "\n\n\n\n") + "\n \t \n").encode(),
    "a byte-order mark": ("\ufeff" + GOOD).encode(),
    "ids with gaps": f"{row(2, 5)}\n{row(5, 0)}\n\n".encode(),
    "no ignored columns": b"1\tword\t_\tN\tN\t_\t0\tROOT\n",
    "no heads and labels": b"1\tword\t_\tN\tN\t_\n",
    "white space at the end of lines": (row(1, 0) + " \n\n").encode(),
    "a head of -0": (row(1, "-0") + "\n\n").encode(),
    "a blank as a form": (row(1, 0, form=" ") + "\n\n").encode(),
    "odd ranges and empty nodes": f"{row('9-12', '_')}\n{row(1, 0)}\n{row('7.1', '_')}\n{row('3-3', '_')}\n\n".encode(),
    "unused columns missing in some lines": b"1\ta\t_\tN\tN\t_\t0\tROOT\n2\tb\t_\tN\tN\t_\t1\tx\t_\t_\n\n",
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused_with_its_place_and_reason(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text, message = REFUSED[name]
    path, out = tmp_path / "bad.conll", tmp_path / "out.conll"
    path.write_bytes(text)
    for arguments in (["analyze", str(path)], ["convert", str(path), "-o", str(out)]):
        assert malt([*arguments, "-v", "error"]) == 1
        assert capsys.readouterr() == ("", f"malt: {path}, {message}\n")
    assert list(tmp_path.iterdir()) == [path]  # no output, whole or half


@pytest.mark.parametrize("name", HANDLED)
def test_handled_without_loss(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path, out = tmp_path / "odd.conll", tmp_path / "out.conll"
    path.write_bytes(HANDLED[name])
    assert malt(["convert", str(path), "-if", "conllx", "-of", "conllx", "-o", str(out)]) == 0
    assert out.read_bytes() == HANDLED[name]
    assert malt(["analyze", str(path), "-if", "conllx"]) == 0
    assert "Traceback" not in capsys.readouterr().err


def counts(path: Path, capsys: pytest.CaptureFixture[str]) -> dict[str, int]:
    capsys.readouterr()
    assert malt(["analyze", "--json", str(path)]) == 0
    numbers: dict[str, int] = json.loads(capsys.readouterr().out)[str(path)]
    return numbers


def test_cycles_and_several_roots_are_counted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "odd.conll"
    path.write_bytes(HANDLED["a cycle"] + HANDLED["a self-loop"] + HANDLED["two roots"])
    numbers = counts(path, capsys)
    assert (numbers["trees"], numbers["bad"], numbers["multi_root"]) == (1, 2, 1)


def test_blank_lines_do_not_end_a_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "odd.conll"
    path.write_bytes(HANDLED["several blank lines in a row"])
    assert counts(path, capsys)["trees"] == 2


@pytest.mark.slow
def test_a_sentence_of_100000_words(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    choose = random.Random(1).randrange
    n = 100_000
    path, out = tmp_path / "long.conll", tmp_path / "out.conll"
    # One chain of 100,000, and one tree with every head random: hundreds of millions of crossings.
    chain = "\n".join(row(i, i - 1) for i in range(1, n + 1))
    wild = "\n".join(row(i, choose(i)) for i in range(1, n + 1))
    path.write_text(f"{chain}\n\n{wild}\n\n")
    numbers = counts(path, capsys)
    assert (numbers["trees"], numbers["tokens"], numbers["nonproj"]) == (2, 2 * n, 1)
    assert malt(["convert", str(path), "-o", str(out)]) == 0
    assert out.read_bytes() == path.read_bytes()


@pytest.mark.parametrize("command", ["analyze", "convert"])
def test_files_that_cannot_be_read(command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert malt([command, str(tmp_path / "none.conll")]) == 1
    assert capsys.readouterr().err == f"malt: {tmp_path}/none.conll: no such file\n"
    assert malt([command, str(tmp_path)]) == 1
    assert capsys.readouterr().err == f"malt: {tmp_path}: this is a directory; give the treebank file itself\n"


COMPRESSED = "the file is compressed; unzstd it first, or `zstdcat FILE | malt ...`"
DOUBTFUL = {
    "zstd": (b"\x28\xb5\x2f\xfd" + GOOD.encode(), COMPRESSED),
    "UTF-16": (GOOD.encode("utf-16"), "the file begins as UTF-16LE does; give its charset with -ic UTF-16LE"),
    "UTF-16BE": (GOOD.encode("utf-16-be"), "the file begins as UTF-16BE does; give its charset with -ic UTF-16BE"),
    "UTF-32": (GOOD.encode("utf-32-le"), "the file begins as UTF-32LE does; give its charset with -ic UTF-32LE"),
    "Chinese": ("1\t北京".encode("utf-16")[:2] + "北京".encode("utf-16-le"), "-ic UTF-16"),
}


@pytest.mark.parametrize("name", DOUBTFUL)
def test_files_that_are_something_else(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "x.conll"
    path.write_bytes(DOUBTFUL[name][0])
    assert malt(["analyze", str(path)]) == 1
    said = capsys.readouterr().err
    assert said.startswith(f"malt: {path}: the file ")
    assert said.endswith(f"{DOUBTFUL[name][1]}\n")


def test_an_error_in_the_middle_of_reading_names_the_file(capsys: pytest.CaptureFixture[str]) -> None:
    class Broken(io.BytesIO):
        def read(self, size: int | None = -1) -> bytes:
            if self.tell() >= len(GOOD):
                raise OSError(errno.EIO, "Input/output error")
            return super().read(size)

    conllx = find_format("conllx")
    treebank = Treebank(Broken(GOOD.encode()), "a.conll", conllx, "utf-8", make_tables(conllx), False, b"")
    with pytest.raises(MaltError, match=r"^a\.conll: Input/output error; it cannot be read$"):
        list(treebank)


def test_long_output_names(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "good.conll"
    path.write_text(GOOD)
    for name in ("x" * 245, "å" * 120):
        assert malt(["convert", str(path), "-o", str(tmp_path / name)]) == 0
        assert (tmp_path / name).read_text() == GOOD
    assert malt(["convert", str(path), "-o", str(tmp_path / ("x" * 300))]) == 1
    assert capsys.readouterr().err.endswith(": File name too long\n")
    if Path("/proc/self").exists():
        assert malt(["convert", str(path), "-o", "/proc/x"]) == 1
        assert capsys.readouterr().err.endswith("malt: /proc/x: no file can be made in the directory /proc\n")


def test_time_is_linear_in_the_length_of_a_block() -> None:
    class Slow(io.BytesIO):  # a pipe gives a little at a time
        def read(self, size: int | None = -1) -> bytes:
            return super().read(4096)

    comments = b"# a comment, and then another, and another, without end\n" * 1_000_000
    conllx = find_format("conllx")
    for text in (comments, comments.replace(b"\n", b" ")):
        treebank = Treebank(Slow(text), "long", conllx, "utf-8", make_tables(conllx), False, b"")
        assert [len(block) for block in treebank] == [0]  # copying everything for each piece would take minutes


def test_outputs_that_cannot_be_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "good.conll"
    path.write_text(GOOD)
    assert malt(["convert", str(path), "-o", str(tmp_path)]) == 1
    assert capsys.readouterr().err.endswith("this is a directory; give a file name for the output\n")
    assert malt(["convert", str(path), "-o", str(tmp_path / "no" / "out")]) == 1
    assert capsys.readouterr().err.endswith(f"the directory {tmp_path}/no does not exist\n")


def test_outputs_are_refused_before_anything_is_read(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for words in (
        ["train", "-c", "no/m"],
        ["train", "-w", "no", "-c", "m"],
        ["parse", "-c", "m", "-o", "no/m.mco"],
        ["proj", "-c", "no/m"],
        ["eval", "gold", "--html", "no/m.mco"],
        ["analyze", "--html", "no/m.mco"],
    ):
        assert malt([*words, str(tmp_path / "absent")]) == 1
        assert capsys.readouterr().err == f"malt: no/m.mco: the directory {Path.cwd() / 'no'} does not exist\n"


def test_a_protected_file_is_not_replaced(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    source, out = tmp_path / "in.conll", tmp_path / "out.conll"
    source.write_text(GOOD)
    out.write_text("old")
    out.chmod(0o444)
    if os.access(out, os.W_OK):  # as for root
        known = os.access
        monkeypatch.setattr(os, "access", lambda place, *rest, **more: place != out and known(place, *rest))
        monkeypatch.setattr(os, "supports_effective_ids", ())
    assert malt(["convert", "-v", "error", "-of", "conllu", str(source), "-o", str(out)]) == 1
    assert capsys.readouterr().err == f"malt: {out}: Permission denied\n"
    assert out.read_text() == "old"
    assert sorted(os.listdir(tmp_path)) == ["in.conll", "out.conll"]


def test_a_line_without_an_end(capsys: pytest.CaptureFixture[str]) -> None:
    for words in (["analyze"], ["convert", "-if", "conllx", "-of", "conllu"], ["eval", "/dev/zero"]):
        assert malt([*words, "/dev/zero", "-v", "error", *(["-if", "conllx"] if words[0] != "convert" else [])]) == 1
        assert "/dev/zero, line 1: the line has more than 64 MB" in capsys.readouterr().err


def test_a_failure_leaves_the_old_output(tmp_path: Path) -> None:
    bad, out = tmp_path / "bad.conll", tmp_path / "out.conll"
    bad.write_bytes(REFUSED["a duplicate id"][0])
    out.write_text("old")
    assert malt(["convert", str(bad), "-o", str(out)]) == 1
    assert out.read_text() == "old"
    assert malt(["convert", str(bad), "-o", str(bad)]) == 2
    assert bad.read_bytes() == REFUSED["a duplicate id"][0]


def test_an_output_keeps_owner_and_permissions(tmp_path: Path) -> None:
    source, out = tmp_path / "in.conll", tmp_path / "out.conll"
    source.write_text(GOOD)
    out.write_text("old")
    other = 12345 if os.geteuid() == 0 else os.geteuid()
    os.chown(out, other, -1)
    out.chmod(0o640)
    assert malt(["convert", str(source), "-o", str(out)]) == 0
    assert (out.stat().st_uid, out.stat().st_mode & 0o7777, out.read_text()) == (other, 0o640, GOOD)


def test_an_output_is_no_input(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("good.conll").write_text(GOOD)
    Path("link.conll").symlink_to("good.conll")
    Path("hard.conll").hardlink_to("good.conll")
    Path("f.xml").write_text(
        "<featuremodels><featuremodel><feature>InputColumn(POSTAG,Stack[0])</feature></featuremodel></featuremodels>"
    )
    for words in (
        ["convert", "good.conll", "-of", "malttab", "-o", "good.conll"],
        ["convert", "good.conll", "-o", "./link.conll"],
        ["convert", "link.conll", "-o", "hard.conll"],
        ["-m", "convert", "-c", "m", "-i", "good.conll", "-o", "link.conll"],
        ["draw", "good.conll", "-o", "good.conll", "--as", "html"],
        ["eval", "good.conll", "hard.conll", "--html", "link.conll"],
        ["train", "-c", "m", "good.conll", "-di", "true", "-dif", "link.conll"],
        ["train", "-c", "m", "good.conll", "-F", "f.xml", "--derived", "f.xml"],
        ["-m", "learn", "-c", "m", "-i", "good.conll", "-lfi", "good.conll"],
        ["features", "convert", "f.xml", "f.xml"],
    ):
        assert malt(words) == 2, words
        assert "so it cannot be the output too; give another name\n" in capsys.readouterr().err
    assert Path("good.conll").read_text() == GOOD
    with open("good.conll", "rb") as stream:
        command = [
            sys.executable,
            "-c",
            "import sys, malt.commands; sys.exit(malt.commands.malt())",
            *("convert", "-o", "good.conll"),
        ]
        done = subprocess.run(command, stdin=stream, capture_output=True, check=False)
    assert done.stderr.startswith(b"malt: good.conll: this is read as /dev/stdin, so")
    with open("good.conll", "ab") as stream:  # malt convert good.conll >> good.conll would read what it writes
        done = subprocess.run([*command[:-2], "link.conll"], stdout=stream, stderr=subprocess.PIPE, check=False)
    assert done.stderr.startswith(b"malt: standard output: this is read as link.conll, so")
    assert done.returncode == 2
    assert Path("good.conll").read_text() == GOOD


def test_no_output_is_written_over_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("good.conll").write_text(GOOD)
    assert malt(["train", "-q", "-c", "m", "good.conll"]) == 0
    for words in (
        ["parse", "-c", "m", "good.conll", "-o", "out", "-di", "true", "-dif", "./out"],
        ["parse", "-c", "m", "good.conll", "-o", "out", "-lfi", "out"],
        ["train", "-c", "n", "good.conll", "--derived", "n.mco"],
        ["train", "-c", "n", "good.conll", "-di", "true", "-dif", "./n.mco"],
    ):
        assert malt(words) == 2, words
        assert "two outputs are to be written there; give one of them another name\n" in capsys.readouterr().err
        assert not Path("out").exists()
        assert not Path("n.mco").exists()
    before = Path("m.mco").read_bytes()
    assert malt(["train", "-c", "n", "good.conll", "-lfi", "m.mco"]) == 1
    assert capsys.readouterr().err == "malt: m.mco: this is a model; give another name, or remove the file first\n"
    assert Path("m.mco").read_bytes() == before
    words = ["train", "-q", "-c", "n", "good.conll", "-di", "true", "-dif", "stdout", "-lfi", "log", "--derived", "o"]
    assert malt(words) == 0


def test_what_an_output_replaces(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("good.conll").write_text(GOOD)
    makers = {
        "page": ["eval", "good.conll", "good.conll", "--html"],
        "picture": ["draw", "good.conll", "--as", "svg", "-o"],
        "LaTeX file": ["draw", "good.conll", "--as", "latex", "-o"],
        "drawing": ["draw", "good.conll", "--as", "text", "-o"],
        "model": ["train", "good.conll", "-c"],
        "trees": ["convert", "good.conll", "-o"],
    }
    made = {}
    for kind, words in makers.items():
        assert malt([*words, "made.mco"]) == 0
        made[kind] = Path("made.mco").read_bytes()
        Path("made.mco").unlink()
    capsys.readouterr()
    for kind, words in makers.items():
        for there, data in {**made, "nothing": b""}.items():
            Path("there.mco").write_bytes(data)
            fits = there in (kind, "nothing") or (kind == "trees" and there != "model")
            assert malt([*words, "there.mco"]) == (0 if fits else 1), (kind, there)
            assert fits or Path("there.mco").read_bytes() == data, (kind, there)
            reason = "this is a model" if kind == "trees" else f"this is no {kind}, and only a {kind} is replaced"
            assert fits or f"malt: there.mco: {reason}" in capsys.readouterr().err
    for words in (["trace", "--html"], ["trace", "-o"], ["analyze", "--html"], ["draw", "--as", "html", "-o"]):
        Path("other.conll").write_text(GOOD)
        assert malt([*words, "other.conll", "good.conll"]) == 1
        assert Path("other.conll").read_text() == GOOD
