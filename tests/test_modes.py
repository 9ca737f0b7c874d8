"""MaltParser's modes and the options around a model: diagnostics, learnwo, testdata, info, unpack, -u, -w, -v, -lfi,
-cl; `malt trace` with a model; pipes, signals and full disks."""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import http.server
import os
import re
import resource
import signal
import struct
import subprocess
import sys
import termios
import time
import zipfile
from collections.abc import Iterator
from functools import partial
from itertools import takewhile
from pathlib import Path
from threading import Thread
from urllib.parse import parse_qs, urlsplit

import pytest

from malt.commands import malt
from malt.data.files import read_small
from malt.data.formats.dataformat import find_format
from malt.errors import MaltError

FULL = Path("/dev/full")

# The first digits of the SHA-256 of what MaltParser 1.9.2 writes for `malt sample -n 30`: the trees that its oracle
# derives (-m learnwo) and its transitions (-di).
LEARNED = {
    "-a nivreeager": ("4e7a3c311088aba6", "498343dea1c1a747"),
    "-a nivreeager -nr false": ("", "d358dc73873242be"),
    "-a nivreeager -pp head+path -pcr left": ("a5ac2c8209781327", "0793732a9ea5e02f"),
    "-a nivrestandard": ("4513b5ef40d166b3", "b32b94b4e7788e25"),
    "-a covnonproj": ("a5ac2c8209781327", "00a1edbd9bbc5abb"),
    "-a covproj": ("4e7a3c311088aba6", "73a38baa491025fa"),
    "-a stackproj": ("4513b5ef40d166b3", "e0a61108a32c176b"),
    "-a stackproj -k 1": ("4513b5ef40d166b3", "e0a61108a32c176b"),
    "-a stackeager": ("a5ac2c8209781327", "c32aba3bee731a5a"),
    "-a stacklazy": ("a5ac2c8209781327", "51dee1c538d061c9"),
    "-a planar": ("eb88103ecbe4b012", "1ce592410b39c06c"),
    "-a 2planar": ("a5ac2c8209781327", "5335e5c5655fa7ad"),
    "-a 2planar -prh relaxed": ("", "186be3a801ba07d1"),
}
# ... and the transitions of its parser, on the same sentences.
PARSED = {
    "-a nivreeager": "498343dea1c1a747",
    "-a nivreeager -nr false": "d358dc73873242be",
    "-a stackproj -k 1": "15c5b91184c9671c",  # with arcs from the root that are made by default
    "-a 2planar -prh relaxed": "fb29f95b4ba3d358",
}


def digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:16]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a sample and a model."""
    place = tmp_path_factory.mktemp("modes")
    assert malt(["sample", "-n", "30", "-o", str(place / "sample.conll")]) == 0
    assert malt(["sample", "-n", "20", "--seed", "2", "-o", str(place / "other.conll")]) == 0
    assert malt(["train", "-v", "error", "-rt", "any", "-c", str(place / "model"), str(place / "sample.conll")]) == 0
    return place


# -- diagnostics and learnwo


@pytest.mark.parametrize("options", LEARNED)
def test_what_the_oracle_does_is_what_maltparser_writes(folder: Path, tmp_path: Path, options: str) -> None:
    trees, actions = tmp_path / "trees", tmp_path / "actions"
    files = ["-c", str(tmp_path / "m"), "-i", str(folder / "sample.conll"), "-o", str(trees), "-dif", str(actions)]
    assert malt(["-m", "learnwo", "-v", "error", "-di", "true", *files, *options.split()]) == 0
    assert LEARNED[options][0] in ("", digest(trees.read_bytes()))
    assert digest(actions.read_bytes()) == LEARNED[options][1]
    if options in PARSED:
        files = ["-c", str(tmp_path / "m"), "-o", str(trees), "-dif", str(actions)]
        assert malt(["parse", "-v", "error", "-di", "true", *files, str(folder / "sample.conll")]) == 0
        assert digest(actions.read_bytes()) == PARSED[options]


# What MaltParser's oracles do with heads that run in circles: words that the root does not reach keep their places.
CIRCLES = {
    "-a stackeager": [
        ((4, 5, 6, 0, 0, 6), "SH SH SH SH SW SW LA+l1 RA+l4 SH SH SH SH SH SH SH SH"),
        ((2, 2, 4, 0, 4, 5), "SH SH LA+l1 SH SW SH SH SH SH RA+l6 RA+l5 SH SH SH"),
        ((0, 3, 2, 1, 5), "SH SH SH SH SW SH SH SH SH SH SH SH"),
    ],
    "-a stacklazy": [
        ((2, 2, 4, 0, 4, 5), "SH SH LA+l1 SH SH LA+l3 SH SH RA+l6 RA+l5 SH SH"),
        ((5, 4, 3, 2, 1, 0, 6, 3), "SH SH SH SH SH SH SH RA+l7 SW SW SW SW SH SH SH SH SH SH SH SH SH SH SH SH"),
        ((2, 4, 0, 1, 3, 5), "SH SH SH SW SH SH SH SH RA+l6 SW SH SH SH SH SH SH"),
    ],
}


@pytest.mark.parametrize("options", CIRCLES)
def test_what_the_oracle_does_with_circles(tmp_path: Path, options: str) -> None:
    treebank, actions = tmp_path / "circles.conll", tmp_path / "actions"
    with treebank.open("w") as file:
        for heads, _ in CIRCLES[options]:
            rows = [f"{i}\tw{i}\tw{i}\tX\tX\t_\t{head}\tl{i}\t_\t_\n" for i, head in enumerate(heads, 1)]
            file.write("".join([*rows, "\n"]))
    files = ["-c", str(tmp_path / "m"), "-i", str(treebank), "-dif", str(actions)]
    assert malt(["-m", "learn", "-v", "error", "-di", "true", *files, *options.split()]) == 0
    assert actions.read_text().splitlines() == [f"{i} {line}" for i, (_, line) in enumerate(CIRCLES[options], 1)]


def test_a_label_that_is_called_as_no_value(folder: Path, tmp_path: Path) -> None:
    """It has the code of that, and is decided like any other, as in MaltParser, whose output's digest this is."""
    treebank, out = tmp_path / "nulls.conll", tmp_path / "out"
    treebank.write_text((folder / "sample.conll").read_text().replace("\tpunct\t", "\t#null#\t"))
    files = ["-v", "error", "-c", str(tmp_path / "m"), "-i", str(treebank)]
    assert malt(["-m", "learn", "-gds", "T.TRANS,A.DEPREL", *files]) == 0
    assert malt(["-m", "parse", "-o", str(out), *files]) == 0
    assert digest(out.read_bytes()) == "2eeffa80d430be8c"


def test_the_oracle_beside_training(folder: Path, tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    sample, derived = str(folder / "sample.conll"), tmp_path / "derived.conll"
    files = ["-c", str(tmp_path / "m"), "--derived", str(derived)]
    assert malt(["train", "-v", "error", "-a", "nivreeager", "-di", "true", *files, sample]) == 0
    assert digest(derived.read_bytes()) == LEARNED["-a nivreeager"][0]
    assert digest(capfdbinary.readouterr().out) == LEARNED["-a nivreeager"][1]
    # The model is the same with or without.
    ours, plain = zipfile.ZipFile(tmp_path / "m.mco"), zipfile.ZipFile(folder / "model.mco")
    assert ours.read("m/odm0.liblinear.moo") == plain.read("model/odm0.liblinear.moo")


def test_several_threads_and_diagnostics(folder: Path, tmp_path: Path) -> None:
    written = []
    for jobs in ("1", "3"):
        out, dia = tmp_path / f"out{jobs}", tmp_path / f"dia{jobs}"
        files = ["-c", str(folder / "model"), "-o", str(out), "-dif", str(dia), str(folder / "other.conll")]
        assert malt(["parse", "-v", "error", "-j", jobs, "-di", "true", *files]) == 0
        written.append((out.read_bytes(), dia.read_bytes()))
    assert written[0] == written[1]


# -- testdata, info, unpack


def test_instances_by_the_codes_of_a_model(
    folder: Path, tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    sample, other = str(folder / "sample.conll"), str(folder / "other.conll")
    assert malt(["instances", "-v", "error", sample]) == 0
    plain = capfdbinary.readouterr().out
    assert malt(["instances", "-v", "error", "-c", str(folder / "model"), sample]) == 0
    assert capfdbinary.readouterr().out == plain  # the model has seen it all
    assert malt(["instances", "-v", "error", other]) == 0
    alone = capfdbinary.readouterr().out
    assert malt(["instances", "-v", "error", "-c", str(folder / "model"), other]) == 0
    coded = capfdbinary.readouterr().out
    assert coded != alone
    # It is as if the new data had come after that of the model.
    both = tmp_path / "both.conll"
    both.write_bytes(Path(sample).read_bytes() + Path(other).read_bytes())
    assert malt(["instances", "-v", "error", str(both)]) == 0
    assert capfdbinary.readouterr().out == plain + coded
    (tmp_path / "model.mco").write_bytes((folder / "model.mco").read_bytes())
    monkeypatch.chdir(tmp_path)
    assert malt(["-m", "testdata", "-c", "model", "-i", other, "-v", "error"]) == 0
    assert Path("model/odm0.liblinear.ins").read_bytes() == coded
    assert capfdbinary.readouterr().out == b""


def test_info(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert malt(["info", str(folder / "model")]) == 0
    text = capsys.readouterr().out
    for line in (r"algorithm   nivreeager: arc-eager", r"learner     liblinear", r"format      conllx: ID, FORM"):
        assert re.search(f"^{line}", text, re.MULTILINE)
    assert re.search(r"^  odm0 +[0-9]+ +[0-9,]+ +[0-9,]+$", text, re.MULTILINE)
    assert malt(["-m", "info", "-c", str(folder / "model")]) == 0
    kept = zipfile.ZipFile(folder / "model.mco").read("model/model_singlemalt.info").decode()
    assert capsys.readouterr().out == kept
    assert malt(["info"]) == 2
    assert "which model?" in capsys.readouterr().err


def test_unpack(folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    renamed = tmp_path / "other.mco"
    renamed.write_bytes((folder / "model.mco").read_bytes())
    assert malt(["unpack", str(renamed)]) == 0
    archive = zipfile.ZipFile(renamed)
    for name in archive.namelist():
        assert (tmp_path / "other" / name.split("/")[1]).read_bytes() == archive.read(name)
    before = sorted(os.listdir(tmp_path / "other"))
    assert len(before) == len(archive.namelist())
    (tmp_path / "other" / "mine").write_text("not to be lost")
    capsys.readouterr()
    assert malt(["-m", "unpack", "-c", str(renamed)]) == 1
    assert "this exists already; move it away first" in capsys.readouterr().err
    assert (tmp_path / "other" / "mine").exists()
    renamed.write_bytes(renamed.read_bytes()[:-30])
    assert malt(["unpack", str(renamed)]) == 1
    (tmp_path / "place").mkdir()
    assert malt(["unpack", "-u", (folder / "model.mco").as_uri(), "-w", str(tmp_path / "place")]) == 0
    assert sorted(os.listdir(tmp_path / "place" / "model")) == sorted(n.split("/")[1] for n in archive.namelist())


# -- where a model is, and what is said


def test_a_model_by_address_path_and_folder(
    folder: Path, tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    sample, quiet = str(folder / "other.conll"), ["-v", "error"]
    assert malt(["parse", *quiet, "-c", str(folder / "model"), sample]) == 0
    expected = capfdbinary.readouterr().out
    place = tmp_path / "a b"
    place.mkdir()
    (place / "renamed.mco").write_bytes((folder / "model.mco").read_bytes())
    monkeypatch.chdir(tmp_path)
    for words in (
        ["parse", "-u", (place / "renamed.mco").as_uri(), sample],
        ["-m", "parse", "-u", (place / "renamed.mco").as_uri(), "-i", sample],
        ["-u", (place / "renamed.mco").as_uri(), "-i", sample, "-c", "not-this"],
        ["parse", "-c", "a b/renamed", sample],
        ["parse", "-c", "a b/renamed.mco", sample],
        ["parse", "-w", "a b", "-c", "renamed", sample],
        ["-m", "parse", "-w", str(place), "-c", "renamed.mco", "-i", sample],
        ["-w", "user.dir", "-c", "a b/renamed", "-i", sample],
    ):
        assert malt([*words, *quiet]) == 0, words
        assert capfdbinary.readouterr() == (expected, b""), words


sent: dict[str, int] = {}  # bytes, by the path they were asked for with


@pytest.fixture(scope="module")
def web(folder: Path) -> Iterator[str]:
    """The address of that folder, on this machine."""

    class Quiet(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *words: object) -> None:
            pass

        def do_GET(self) -> None:
            place = parse_qs(urlsplit(self.path).query).get("to")
            if place:
                self.send_response(302)
                self.send_header("Location", place[0])
                self.end_headers()
            elif self.path == "/cut.conll":
                self.send_response(200)
                self.send_header("Content-Length", "1000")
                self.end_headers()
                self.wfile.write((folder / "sample.conll").read_bytes()[:500])
            elif self.path in ("/endless", "/slow", "/slow-header"):
                size = 1 if "slow" in self.path else 1 << 16
                if self.path != "/slow-header":
                    self.send_response(200)
                    self.end_headers()
                for _ in range(200 if size == 1 else 1 << 16):  # which ends, should the reader not
                    try:
                        self.wfile.write(b"H" * size)
                    except OSError:
                        return
                    sent[self.path] = sent.get(self.path, 0) + size
                    time.sleep(0.05 * (size == 1))
            else:
                super().do_GET()

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(folder))) as server:
        Thread(target=server.serve_forever).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def test_files_from_the_web(
    folder: Path, web: str, tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    sample, quiet = folder / "sample.conll", ["-v", "error"]
    assert malt(["parse", *quiet, "-c", str(folder / "model"), str(sample)]) == 0
    expected = capfdbinary.readouterr().out
    assert malt(["parse", *quiet, "-u", f"{web}/model.mco", f"{web}/sample.conll"]) == 0
    assert malt(["-m", "parse", *quiet, "-u", f"{web}/model.mco", "-i", sample.as_uri()]) == 0
    assert capfdbinary.readouterr() == (expected + expected, b"")
    (folder / "f.xml").write_text(
        "<featuremodels><featuremodel><feature>InputColumn(FORM, Stack[0])</feature></featuremodel></featuremodels>"
    )
    (folder / "my.xml").write_bytes(find_format("conllx").xml)
    monkeypatch.chdir(tmp_path)
    words = ["-m", "learn", "-c", "m", "-i", f"{web}/sample.conll", "-if", f"{web}/my.xml", "-F", f"{web}/f.xml"]
    assert malt([*words, *quiet]) == 0
    assert {"m/my.xml", "m/f.xml"} < set(zipfile.ZipFile("m.mco").namelist())
    assert malt(["unpack", *quiet, "-u", f"{web}/model.mco"]) == 0
    assert (tmp_path / "model" / "odm0.liblinear.moo").exists()
    assert malt(["-m", "info", "-u", f"{web}/model.mco"]) == 0
    assert capfdbinary.readouterr().out.startswith(b"CONFIGURATION\n")
    for path, reason in (("cut.conll", "the connection ended 500 bytes before the end"), ("no", "(File not found)")):
        assert malt(["analyze", f"{web}/{path}"]) == 1
        assert reason in capfdbinary.readouterr().err.decode()


def test_addresses_that_have_no_end(
    folder: Path, web: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for words in (["-F"], ["-if"]):
        assert malt(["train", "-c", "m", *words, f"{web}/endless", str(folder / "sample.conll")]) == 1
        assert f"{web}/endless: the file has more than 1048576 bytes, which is too much" in capsys.readouterr().err
    assert sent["/endless"] < 1 << 25  # what the two ends of a connection hold, and not the 4 GB
    monkeypatch.setattr("malt.data.files.PATIENCE", 0.5)
    for path in ("slow", "slow-header"):
        begin = time.monotonic()
        with pytest.raises(MaltError, match=f"/{path}: it was not there after 0.5 seconds"):
            read_small(f"{web}/{path}", "data format")
        assert time.monotonic() - begin < 5


def test_addresses_that_lead_elsewhere(folder: Path, web: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert read_small(f"{web}/?to={web}/sample.conll", "sample") == (folder / "sample.conll").read_bytes()
    for place, reason in (
        ("ftp://127.0.0.1:1/a", "only http: and https: are read"),
        ((folder / "sample.conll").as_uri(), "is not allowed"),
    ):
        assert malt(["analyze", f"{web}/?to={place}"]) == 1
        assert reason in capsys.readouterr().err


def test_a_model_that_is_not_there(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for words, code, reason in (
        (["-u", "http://127.0.0.1:1/a.mco"], 1, "http://127.0.0.1:1/a.mco: it cannot be fetched (Connection refused)"),
        (["-u", "ftp://example.org/a.mco"], 2, "only http:, https: and file: addresses are read"),
        (["-u", (tmp_path / "a.mco").as_uri()], 1, "no such model"),
        (["-c", str(tmp_path / "a")], 1, "a.mco: no such model"),
        (["-c", ""], 2, "which model?"),
        (["-w", str(tmp_path / "none"), "-c", "a"], 1, "no such model"),
    ):
        for mode in (["parse"], ["info"], ["unpack"], ["-m", "parse"], ["-m", "info"], ["-m", "unpack"]):
            assert malt([*mode, *words]) == code
            errors = capsys.readouterr().err
            assert reason in errors
            assert errors.count("\n") == 1


def test_how_much_is_said(folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["parse", "-c", str(folder / "model"), "-o", str(tmp_path / "out"), "-nt", "true"]
    good, bad = str(folder / "sample.conll"), str(tmp_path / "none")
    said = {}
    for level in ("off", "fatal", "error", "warn", "info", "debug"):
        assert malt([*words, good, "-v", level]) == 0
        said[level] = "Parsed 384 words" in capsys.readouterr().err
        assert malt([*words, bad, "-v", level]) == 1
        assert ("no such file" in capsys.readouterr().err) == (level != "off")
    assert said == {"off": False, "fatal": False, "error": False, "warn": False, "info": True, "debug": True}


def test_the_log_file(folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "model.mco").write_bytes((folder / "model.mco").read_bytes())
    sample, out, log = str(folder / "sample.conll"), str(tmp_path / "out"), tmp_path / "my.log"
    words = ["-m", "parse", "-w", str(tmp_path), "-c", "model", "-i", sample, "-o", out, "-lfi", "my.log"]
    assert malt([*words, "-v", "off"]) == 0
    assert capsys.readouterr().err == ""
    first = log.read_text()
    assert "Parsed 384 words" in first
    assert malt([*words, "-cl", "warn"]) == 0
    assert "Parsed 384 words" in capsys.readouterr().err
    assert log.read_text() == first
    assert malt(["parse", *words[2:6], "-lfi", "my.log", "-o", out, sample]) == 0
    assert log.read_text().startswith(first)
    assert log.read_text().count("Parsed") == 2
    assert malt([*words[:-1], "stdout"]) == 0  # that is standard error
    assert malt([*words[:-1], "no/such/folder/log"]) == 1
    errors = capsys.readouterr().err.splitlines()
    assert errors[-1].endswith("log: No such file or directory")


# -- malt trace with a model


@pytest.mark.parametrize(
    "options", ["-a nivreeager", "-a 2planar", "-a covnonproj", "-a stacklazy -gds T.TRANS,A.DEPREL"]
)
def test_trace_shows_what_the_parser_does(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], options: str
) -> None:
    other, model = str(folder / "other.conll"), str(tmp_path / "m")
    assert malt(["train", "-v", "error", "-c", model, *options.split(), str(folder / "sample.conll")]) == 0
    actions = tmp_path / "actions"
    words = ["-c", model, "-o", str(tmp_path / "out"), "-dif", str(actions), other]
    assert malt(["parse", "-v", "error", "-di", "true", *words]) == 0
    capsys.readouterr()
    assert malt(["trace", "-c", model, other]) == 0
    sentences = capsys.readouterr().out.split("\n\n")[:-1]
    heads = [block.split("\n") for block in (tmp_path / "out").read_text().strip().split("\n\n")]
    for text, line, parsed in zip(sentences, actions.read_text().splitlines(), heads, strict=True):
        steps = re.findall(r"^(\w+)( \(must\))? ⇒", text, re.MULTILINE)
        recorded = re.findall(r"(\* )?([A-Z]+)(?:\+\S+)?", line.split(" ", 1)[1])
        assert [name for name, _ in steps] == [name for _, name in recorded]
        assert [bool(must) for _, must in steps] == [bool(star) for star, _ in recorded]
        arcs = {(int(dependent), int(head)) for head, dependent in re.findall(r"\{\((\d+), (\d+)\)\}", text)}
        for rest in re.findall(r"^left over, .*", text, re.MULTILINE):
            arcs |= {(int(dependent), int(head)) for head, dependent in re.findall(r"\((\d+), (\d+)\)", rest)}
        expected = {(int(row.split("\t")[0]), int(row.split("\t")[6])) for row in parsed}
        assert arcs <= expected
        assert {arc for arc in expected if arc[1]} <= arcs
        scores = [
            [float(number) for number in re.findall(r" (-?[\d.]+(?:e-\d+)?)(?=  |$)", row)] for row in ranked(text)
        ]
        assert len(scores) >= sum(not must for _, must in steps)
        assert all(row == sorted(row, reverse=True) for row in scores)


def ranked(text: str) -> Iterator[str]:
    """The lines of candidates; what also begins so is the head of the table, with its stacks 1 and 2."""
    return (line for line in text.split("\n") if re.match(r"      [^\s\[]+ -?\d", line) and "  stack 2" not in line)


def test_trace_shows_the_features_of_the_parser(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert malt(["trace", "--features", "-c", str(folder / "model"), str(folder / "sample.conll")]) == 0
    text = capsys.readouterr().out
    assert re.search(r"^ +InputColumn\(FORM,Input\[0\]\) +Materé$", text, re.MULTILINE)
    assert re.search(
        r"^ +Merge\(InputColumn\(POSTAG,Stack\[0\]\),InputColumn\(POSTAG,Input\[0\]\)\) +#null#~Vf$", text, re.M
    )
    assert re.search(r"^      RA~ROOT 1\.\d+  SH ", text, re.MULTILINE)


# -- pipes, signals and full disks


def command(*words: str) -> list[str]:
    return [sys.executable, "-c", "import sys; from malt.commands import malt; sys.exit(malt())", *words]


def first_sentences(folder: Path) -> list[bytes]:
    return [text.encode() + b"\n\n" for text in (folder / "sample.conll").read_text().split("\n\n")[:-1]]


@pytest.mark.slow
@pytest.mark.parametrize("options", [[], ["-j", "2"]])
def test_a_pipe_is_answered_sentence_by_sentence(folder: Path, options: list[str]) -> None:
    words = command("parse", "-c", str(folder / "model"), *options)
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdin
        assert process.stdout
        assert process.stderr
        answers = []
        for sentence in first_sentences(folder)[:3]:
            process.stdin.write(sentence)
            process.stdin.flush()
            lines = iter(process.stdout.readline, b"")  # waits for ever if it is not answered
            answers.append(b"".join(takewhile(lambda line: line != b"\n", lines)))
            assert answers[-1].count(b"\n") == sentence.count(b"\n") - 1
        process.send_signal(signal.SIGINT)  # while it waits for more
        assert process.wait(20) == 130
        assert process.stderr.read() == b"malt: interrupted\n"


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
@pytest.mark.parametrize("words", ["parse -c MODEL", "parse -c MODEL -j 2", "convert -if conllx", "proj -if conllx"])
def test_what_is_stopped_leaves_the_old_file(folder: Path, tmp_path: Path, number: signal.Signals, words: str) -> None:
    out = tmp_path / "out.conll"
    out.write_text("old")
    words = command(*words.replace("MODEL", str(folder / "model")).split(), "-o", str(out))
    with subprocess.Popen(words, stdin=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
        assert process.stdin
        process.stdin.write(first_sentences(folder)[0])
        process.stdin.flush()
        limit = time.monotonic() + 30
        while len(os.listdir(tmp_path)) < 2 and time.monotonic() < limit:  # until it has begun to write
            time.sleep(0.01)
        time.sleep(0.05)
        process.send_signal(number)
        assert process.wait(20) == (-number if number == signal.SIGKILL else 128 + number)
    assert out.read_text() == "old"
    if number != signal.SIGKILL:
        assert os.listdir(tmp_path) == ["out.conll"]


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_long_sentence_can_be_stopped_on_any_thread(folder: Path, tmp_path: Path, number: signal.Signals) -> None:
    model, long, out = tmp_path / "m", tmp_path / "long.conll", tmp_path / "out"
    assert malt(["train", "-v", "error", "-a", "covnonproj", "-c", str(model), str(folder / "sample.conll")]) == 0
    long.write_text("".join(f"{i}\ta\ta\tNOUN\tNc\t_\t0\tROOT\t_\t_\n" for i in range(1, 12001)))
    out.mkdir()
    words = command("parse", "-c", str(model), "-j", "2", "-o", str(out / "x"), str(long))
    with subprocess.Popen(words, stderr=subprocess.PIPE) as process:
        assert process.stderr
        limit = time.monotonic() + 30
        while not os.listdir(out) and time.monotonic() < limit:  # until it has begun to write
            time.sleep(0.01)
        time.sleep(0.3)
        begin = time.monotonic()
        process.send_signal(number)
        assert process.wait(60) == 128 + number
        assert time.monotonic() - begin < 5  # the sentence takes 20 s or more
        said = b"malt: interrupted\n" if number == signal.SIGINT else b"malt: stopped by SIGTERM\n"
        assert process.stderr.read() == said
    assert os.listdir(out) == []


@pytest.mark.slow
def test_training_that_is_killed_leaves_the_old_model(folder: Path, tmp_path: Path) -> None:
    model = tmp_path / "m.mco"
    model.write_bytes(b"old")
    words = command("train", "-c", str(model), "-if", "conllx", "-")
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGKILL):
        with subprocess.Popen(words, stdin=subprocess.PIPE, stderr=subprocess.PIPE) as process:
            assert process.stdin
            process.stdin.write(first_sentences(folder)[0])
            process.stdin.flush()
            time.sleep(0.5)
            process.send_signal(number)
            process.wait(20)
        assert model.read_bytes() == b"old"
        assert os.listdir(tmp_path) == ["m.mco"]


@pytest.mark.skipif(not FULL.exists(), reason="there is no /dev/full")
def test_a_full_disk_is_one_line(folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    sample, model, nowhere = str(folder / "sample.conll"), str(folder / "model"), os.devnull
    for words in (
        ["parse", "-c", model, "-o", str(FULL), sample],
        ["parse", "-c", model, "-j", "2", "-o", str(FULL), sample],
        ["parse", "-c", model, "-di", "true", "-dif", str(FULL), "-o", nowhere, sample],
        ["train", "-c", str(tmp_path / "m"), "--derived", str(FULL), sample],
        ["trace", "-c", model, "-o", str(FULL), sample],
        ["instances", "-c", model, "-o", str(FULL), sample],
    ):
        assert malt([*words, "-v", "error"]) == 1, words
        assert capsys.readouterr().err == "malt: /dev/full: No space left on device\n"
    assert os.listdir(tmp_path) == []
    with FULL.open("wb") as full:
        result = subprocess.run(command("parse", "-c", model, sample), stdout=full, stderr=subprocess.PIPE, check=False)
    assert (result.returncode, result.stderr) == (1, b"malt: No space left on device\n")
    assert malt(["parse", "-c", model, "-lfi", str(FULL), "-o", nowhere, sample]) == 0  # a log is not the result
    assert capsys.readouterr().err.splitlines()[-1].startswith("warning: /dev/full: No space left on device")


@pytest.mark.slow
def test_what_cannot_be_written_leaves_what_was_there(folder: Path, tmp_path: Path) -> None:
    def small_disk() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (5000, 5000))  # no file can be longer

    sample, model, old = str(folder / "sample.conll"), tmp_path / "model.mco", str(tmp_path / "old")
    model.write_bytes((folder / "model.mco").read_bytes())
    Path(old).write_text("old")
    for words, place in (
        (["train", "-c", str(model), sample], model),
        (["train", "-c", str(tmp_path / "new"), sample], tmp_path / "new.mco"),
        (["parse", "-c", str(model), "-o", old, sample], old),
        (["convert", "-o", old, sample], old),
        (["unpack", str(model)], tmp_path / "model"),
        (["-m", "testdata", "-c", str(model), "-i", sample, "-o", old], old),
    ):
        result = subprocess.run(
            command(*words, "-v", "error"), preexec_fn=small_disk, stderr=subprocess.PIPE, text=True, check=False
        )
        assert (result.returncode, result.stderr) == (1, f"malt: {place}: File too large; nothing was written\n")
        assert sorted(os.listdir(tmp_path)) == ["model.mco", "old"]
    assert Path(old).read_text() == "old"
    assert model.read_bytes() == (folder / "model.mco").read_bytes()


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="there is no /proc")
def test_a_long_stream_needs_no_more_memory_than_a_short_one(folder: Path) -> None:
    script = (
        "import re, sys; from malt.commands import malt; code = malt();"
        "print(re.findall(r'VmHWM:\\s+(\\d+)', open('/proc/self/status').read())[0], file=sys.stderr); sys.exit(code)"
    )
    words = [sys.executable, "-c", script, "parse", "-v", "error", "-c", str(folder / "model"), "-o", os.devnull]
    peaks, text = [], (folder / "sample.conll").read_bytes()
    for times in (100, 500):  # 2 and 12 MB
        with subprocess.Popen(words, stdin=subprocess.PIPE, stderr=subprocess.PIPE) as process:
            assert process.stdin
            assert process.stderr
            for _ in range(times):
                process.stdin.write(text)
            process.stdin.close()
            peaks.append(int(process.stderr.read()) >> 10)
    assert peaks[1] < peaks[0] + 5


# -- the terminal


def on_a_terminal(*words: str) -> str:
    """What a command shows on a terminal."""
    master, slave = os.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 100, 0, 0))
    always = {**os.environ, "TQDM_MININTERVAL": "0"}
    with subprocess.Popen(command(*words), stdout=slave, stderr=slave, env=always) as process:
        os.close(slave)
        shown = b""
        with contextlib.suppress(OSError):  # how a terminal ends
            while piece := os.read(master, 1 << 16):
                shown += piece
    os.close(master)
    assert process.returncode == 0
    return shown.decode().replace("\r\n", "\n")


def test_words_of_a_file_do_nothing_to_a_terminal(folder: Path, tmp_path: Path) -> None:
    sample, model = tmp_path / "a\x1b[1mb.conll", str(tmp_path / "m")
    label, shown = "R\x1b[31m", "R\\x1b[31m"
    text = (folder / "sample.conll").read_text().replace("\tROOT\t", f"\t{label}\t")
    sample.write_text(text)
    assert label in text
    said = on_a_terminal("train", "-c", model, str(sample), "-di", "true")
    assert f"the DEPREL {shown} in this treebank" in said
    assert f"RA+{shown}" in said
    assert "a\\x1b[1mb.conll: read as conllx" in said
    for words in (["trace"], ["trace", "-c", model], ["parse", "-c", model, "-di", "true", "-o", os.devnull]):
        found = on_a_terminal(*words, str(sample))
        assert shown in found
        said += found
    with zipfile.ZipFile(f"{model}.mco") as good, zipfile.ZipFile(tmp_path / "bad.mco", "w") as doctored:
        for name in good.namelist():
            doctored.writestr(name, good.read(name).replace(b"maltkit", b"malt\x1b[2Jkit"))
    found = on_a_terminal("info", "-c", str(tmp_path / "bad"))
    assert "made by     malt\\x1b[2Jkit" in found
    said += found
    assert "\x1b" not in said.replace("\x1b[A", "")  # which moves the bars
    # What is data stays as it is: in files and pipes, and in MaltParser's own command line.
    assert label in on_a_terminal("-m", "parse", "-c", model, "-i", str(sample), "-o", os.devnull, "-di", "true")
    for words in (["trace", "-o"], ["parse", "-c", model, "-o", os.devnull, "-di", "true", "-dif"]):
        assert malt([*words, str(tmp_path / "out"), str(sample)]) == 0
        assert label in (tmp_path / "out").read_text()


@pytest.mark.slow
def test_bars(folder: Path, tmp_path: Path) -> None:
    sample, model = str(folder / "sample.conll"), str(tmp_path / "m")
    shown = on_a_terminal("train", "-c", model, sample)
    assert "\rread:   0%|" in shown
    assert re.search(r"\rlearn: +0%\|.*pass \d+, [\d,]+ instances left, violation \d", shown)
    assert shown.split("\r")[-1].startswith("Learned nivreeager in ")  # all bars are gone
    shown = on_a_terminal("parse", "-c", model, "-o", str(tmp_path / "out"), sample)
    assert "\rparse:   0%|" in shown
    for words in (["parse", "-c", model], ["trace"], ["parse", "-c", model, "-o", os.devnull, "-di", "true"]):
        assert "%|" not in on_a_terminal(*words, sample)  # where the result is on the terminal, a bar would be amid it
