"""What a person at a terminal sees: bars that are out of the way of the output, colours, quiet, and interrupts."""

from __future__ import annotations

import os
import re
import signal
import struct
import subprocess
import sys
from pathlib import Path

import pytest

from malt.commands import malt

if sys.platform == "win32":
    pytest.skip("windows has no such terminals", allow_module_level=True)

import fcntl
import pty
import termios

PROGRAM = [sys.executable, "-m", "malt"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("terminal")
    assert malt(["sample", "-q", "-n", "300", "-o", str(place / "sample.conll")]) == 0
    assert (
        malt(["parse", "-q", "-c", train(place), str(place / "sample.conll"), "-o", str(place / "parsed.conll")]) == 0
    )
    return place


def train(place: Path) -> str:
    assert malt(["train", "-q", "-c", str(place / "model"), str(place / "sample.conll")]) == 0
    return str(place / "model")


def in_terminal(words: list[str], folder: Path, program: list[str] = PROGRAM, **environment: str) -> str:
    """All that a program writes to a terminal of 100 columns."""
    pid, terminal = pty.fork()
    if pid == 0:
        os.chdir(folder)
        os.environ.pop("NO_COLOR", None)
        os.environ.update({"TERM": "xterm", **environment})
        while os.get_terminal_size().columns != 100:  # until the other side has set it
            pass
        os.execv(program[0], [*program, *words])
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 30, 100, 0, 0))
    written = b""
    try:
        while part := os.read(terminal, 1 << 16):
            written += part
    except OSError:  # the other side is gone
        pass
    os.close(terminal)
    assert os.waitpid(pid, 0)[1] == 0
    return written.decode()


def on_screen(written: str) -> list[str]:
    """The lines that are left on the screen: what follows a carriage return is written over the line's beginning."""
    lines = []
    for line in written.replace("\r\n", "\n").split("\n"):
        shown = ""
        for part in line.split("\r"):
            shown = part + shown[len(part) :]
        lines.append(shown.rstrip())
    return lines


@pytest.mark.parametrize(
    "words",
    [
        "draw --sentences 1-9",
        "draw --sentences 2-9 sample.conll",
        "parse -c model",
        "convert",
        "proj",
        "deproj",
        "instances",
        "trace",
        "convert -o /dev/tty",
    ],
)
def test_bars_and_output_share_a_terminal(words: str, folder: Path) -> None:
    argv = [*words.split(), "sample.conll"]
    piped = [word for word in argv if word not in ("-o", "/dev/tty")]
    plain = subprocess.run([*PROGRAM, *piped], cwd=folder, capture_output=True, text=True, check=True).stdout
    shown = on_screen(in_terminal(argv, folder, NO_COLOR="1"))
    expected = [line.rstrip() for line in plain.splitlines()]
    begin = shown.index(expected[0])
    assert shown[begin : begin + len(expected)] == expected


def test_the_bar_of_training_tells_when_it_ends(folder: Path) -> None:
    written = in_terminal(["train", "-c", "other", "-lo", "-e_0.00001", "sample.conll"], folder)  # which takes a while
    assert "\rlearn:   0%|" in written
    assert ", ends below 1e-05]" in written
    assert on_screen(written)[1].startswith("Learned nivreeager in ")
    written = in_terminal(["train", "-c", "other", "-lo", "-s_0", "sample.conll"], folder)
    assert re.search(r"class \d+ of \d+\]", written)


def test_a_library_that_does_not_tell_how_far_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    from malt.running.threads import run_interruptibly

    told: list[int] = []
    assert run_interruptibly(lambda: __import__("time").sleep(0.5), lambda: told.append(1)) is None
    assert told


def test_bars_say_what_is_done(folder: Path) -> None:
    written = in_terminal(["draw", "sample.conll", "parsed.conll", "-o", "page.html"], folder)
    assert "\rdraw:   0%|" in written
    assert "eval" not in written
    assert "\reval:   0%|" in in_terminal(["eval", "sample.conll", "parsed.conll"], folder)


@pytest.mark.parametrize("quiet", ["-q", "--quiet", "-v warn"])
def test_quiet(quiet: str, folder: Path) -> None:
    assert in_terminal(["parse", *quiet.split(), "-c", "model", "sample.conll", "-o", "out.conll"], folder) == ""
    assert (folder / "out.conll").read_bytes() == (folder / "parsed.conll").read_bytes()


def test_quiet_and_verbose(folder: Path) -> None:
    words = ["parse", "-q", "-v", "info", "-c", "model", "sample.conll", "-o", "out.conll"]
    assert "Parsed " in in_terminal(words, folder)  # what is said in so many words counts


def test_colours_of_a_search(folder: Path) -> None:
    words = ["phase1", "-q", "-c", "plain", "--folds", "1", "sample.conll"]
    code = [sys.executable, "-c", "import sys; from malt.__main__ import maltopt; sys.exit(maltopt())"]
    assert "LAS" not in in_terminal(words, folder, code)
    words = ["phase1", "-c", "coloured", "--folds", "1", "sample.conll"]
    written = in_terminal(words, folder, code)
    kept = [line for line in written.split("\n") if " not kept " in line or " kept " in line]
    assert kept
    for line in kept:
        colour = "\x1b[2m" if " not kept " in line else "\x1b[32m"
        assert f"{colour}    " in line
        assert line.rstrip().endswith("\x1b[0m")
    words[2] = "grey"
    assert "\x1b[" not in in_terminal(words, folder, code, NO_COLOR="1")


def test_as_a_module() -> None:
    found = subprocess.run([*PROGRAM, "--version"], capture_output=True, text=True)
    assert (found.returncode, found.stderr) == (0, "")
    assert found.stdout.startswith("malt ")


def test_an_interrupt_before_the_program_has_begun() -> None:
    code = (
        "import signal, sys\n"
        "class Finder:\n"
        "    def find_spec(name, path=None, target=None):\n"
        "        if name == 'malt.errors':\n"
        "            signal.raise_signal(signal.SIGINT)\n"
        "sys.meta_path.insert(0, Finder)\n"
        "from malt.__main__ import malt\n"
        "malt()\n"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (found.returncode, found.stdout, found.stderr) == (-2, "", "")


def test_a_failure_ends_the_program_whatever_threads_wait_for() -> None:
    code = (
        "import sys, threading; from malt import __main__ as main; main.PATIENCE = 1;"
        "threading.Thread(target=threading.Event().wait).start(); sys.exit(main.malt())"
    )
    done = subprocess.run([sys.executable, "-c", code, "parse"], capture_output=True, text=True, timeout=60)
    assert done.stderr.startswith("malt: which model?")
    assert done.returncode == -signal.SIGALRM
