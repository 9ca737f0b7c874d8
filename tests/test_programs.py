"""The programs malt and maltopt: help, exit codes, and one line for whatever goes wrong."""

from __future__ import annotations

import errno
import os
import re
import signal
import subprocess
import sys
import threading
import time
import types
from collections.abc import Callable
from pathlib import Path

import pytest

from malt import commands as malt_commands
from malt.commands import malt, maltopt
from malt.errors import DataError, UsageError
from malt.running.log import logger
from malt.settings.catalogue import catalogue
from malt.settings.settings import Settings

Capture = pytest.CaptureFixture[str]


@pytest.fixture
def command(monkeypatch: pytest.MonkeyPatch) -> Callable[[Callable[[Settings], int]], None]:
    """Put a function in the place of `malt sample`."""

    def put(run: Callable[[Settings], int]) -> None:
        module = types.ModuleType("malt.commands.sample")
        module.run = run  # type: ignore[attr-defined]
        monkeypatch.setitem(sys.modules, "malt.commands.sample", module)

    return put


Put = Callable[[Callable[[Settings], int]], None]


def failing(error: BaseException) -> Callable[[Settings], int]:
    def run(options: Settings) -> int:
        raise error

    return run


def test_a_command_gets_its_settings(command: Put, capsys: Capture) -> None:
    def run(options: Settings) -> int:
        print(options["sample.number"], options["sample.seed"])
        logger.info("said")
        return 3

    command(run)
    assert malt(["sample", "-n", "4", "--seed", "1", "--seed", "2"]) == 3
    captured = capsys.readouterr()
    assert captured.out == "4 2\n"
    assert captured.err == "warning: --seed is given more than once; the last one, '2', counts\nsaid\n"
    assert malt(["sample", "-v", "error", "--seed", "1", "--seed", "2"]) == 3
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize(
    ("error", "code", "line"),
    [
        (DataError("HEAD is 'x'", "a.conll", 3, 7), 1, "a.conll, line 3, column 7: HEAD is 'x'"),
        (UsageError("no"), 2, "no"),
        (DataError("two\nlines \x1b[31m"), 1, "two\\nlines \\x1b[31m"),
        (KeyboardInterrupt(), 130, "interrupted"),
        (
            FileNotFoundError(errno.ENOENT, "No such file or directory", "x.conll"),
            1,
            "x.conll: No such file or directory",
        ),
        (IsADirectoryError(errno.EISDIR, "Is a directory", "x"), 1, "x: Is a directory"),
        (OSError(errno.ENOSPC, "No space left on device"), 1, "No space left on device"),
        (MemoryError(), 1, "there is not enough memory for this"),
        (RuntimeError("can't start new thread"), 1, "there is not enough memory for this"),
        (RecursionError("deep"), 1, "the input is nested too deeply"),
        (
            KeyError("x"),
            1,
            "this is a bug of malt (KeyError: 'x'); run it again with --debug and please report what that shows",
        ),
    ],
)
def test_one_line_an_error(command: Put, capsys: Capture, error: BaseException, code: int, line: str) -> None:
    command(failing(error))
    assert malt(["sample"]) == code
    assert capsys.readouterr().err == f"malt: {line}\n"
    assert malt(["sample", "--debug"]) == code
    said = capsys.readouterr().err
    assert said.startswith("Traceback (most recent call last):\n")
    assert said.endswith(f"malt: {line}\n")


def test_a_closed_pipe_is_no_error(command: Put, capsys: Capture) -> None:
    command(failing(BrokenPipeError(errno.EPIPE, "Broken pipe")))
    assert malt(["sample"]) == 141
    assert capsys.readouterr().err == ""


def test_usage_errors(capsys: Capture) -> None:
    assert malt(["sample", "--sead", "1"]) == 2
    assert maltopt(["analyse"]) == 2
    assert malt(["-m"]) == 2
    assert capsys.readouterr().err == (
        "malt: unknown option '--sead'; did you mean --seed?\n"
        "maltopt: there is no command 'analyse'; did you mean analyze?\n"
        "malt: -m needs a value: -m VALUE\n"
    )


def test_no_arguments(capsys: Capture) -> None:
    assert malt([]) == 0
    assert "malt analyze sample.conll" in capsys.readouterr().out
    assert maltopt([]) == 0
    assert "maltopt help" in capsys.readouterr().out


def test_ways_to_ask_for_help(capsys: Capture) -> None:
    pages = []
    for argv in (["--help"], ["-h"], ["help"], ["-c", "model", "-h"]):
        assert malt(argv) == 0
        pages.append(capsys.readouterr().out)
    assert len(set(pages)) == 1
    assert "Commands:\n  analyze" in pages[0]
    assert malt(["sample", "--help"]) == malt(["help", "sample"]) == 0
    page = capsys.readouterr().out
    assert page[: len(page) // 2] == page[len(page) // 2 :]
    assert malt(["sample", "--version"]) == malt(["-c", "x", "--version"]) == malt(["--version"]) == 0
    assert len(set(capsys.readouterr().out.splitlines())) == 1


@pytest.mark.parametrize(
    ("topic", "text"),
    [
        ("-lo", "Parameters of the learner"),
        ("-lso", "Parameters of the learner"),
        ("root_label", "-grl LABEL, --root_label=LABEL"),
        ("--root-label", "-grl LABEL"),
        ("graph.root_label", "-grl LABEL"),
        ("--graph-root_label", "-grl LABEL"),
        ("sample.seed", "Seed of the random"),
        ("-it", "without effect"),
        ("format", "-of FORMAT, --output-format=FORMAT"),
        ("-of", "With `malt convert`: Format of what is written"),
        ("pproj", "-plo VALUE  Which crossing arc"),
        ("options", "\npproj: Pseudo-projective"),
        ("files", "<optioncontainer>"),
        ("-r", "-r was replaced"),
        ("analyze", "Usage: malt analyze"),
    ],
)
def test_topics(capsys: Capture, monkeypatch: pytest.MonkeyPatch, topic: str, text: str) -> None:
    monkeypatch.setenv("COLUMNS", "100")
    assert malt(["help", topic]) == 0
    assert text in capsys.readouterr().out


def test_unknown_topics(capsys: Capture) -> None:
    assert malt(["help", "analyse"]) == 2
    assert capsys.readouterr().err == "malt: there is no help on 'analyse'; did you mean analyze?\n"


@pytest.mark.parametrize("columns", [1, 40, 72, 200])
def test_help_fits_the_terminal(capsys: Capture, monkeypatch: pytest.MonkeyPatch, columns: int) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    for topic in [*catalogue().options, *catalogue().groups, "options"]:
        assert malt(["help", topic]) == 0
    lines = capsys.readouterr().out.splitlines()
    wide = [
        line for line in lines if len(line) > max(columns, 60) and "--" not in line
    ]  # forms of an option are not cut
    assert wide == []


def test_every_command_of_the_examples_is_understood() -> None:
    from malt.settings.commandline import read

    for program in catalogue().programs.values():
        for command in program.commands.values():
            for line in command.examples:
                for part in line.partition(" > ")[0].split(" | "):
                    name, *argv = part.split()
                    if name not in catalogue().programs:  # such as less
                        continue
                    settings, warnings = read(argv, name)
                    assert settings.command is not None
                    assert warnings == []


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such shell")
def test_in_a_shell() -> None:
    program = f"'{sys.executable}' -c 'import sys; from malt.commands import malt; sys.exit(malt())'"

    def shell(line: str) -> tuple[int, str]:
        result = subprocess.run(["sh", "-c", line.replace("MALT", program)], capture_output=True, text=True, timeout=60)
        return result.returncode, result.stderr

    assert shell("MALT help options | true")[1] == ""
    if os.path.exists("/dev/full"):
        assert shell("MALT help options > /dev/full") == (1, "malt: No space left on device\n")
    assert shell("MALT help options >&-") == (0, "")
    assert shell("MALT sample --sead 2>&-")[0] == 2
    assert shell("MALT sample -n 3 2>&- | MALT convert 2>&-") == (0, "")
    assert shell("MALT sample -n 3 -o /dev/null 2>&-") == (0, "")
    closed = "malt: standard output is closed, so there is nowhere to print to\n"
    assert shell("MALT sample -n 3 | MALT analyze >&-") == (1, closed)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such signals")
@pytest.mark.parametrize("name", ["SIGTERM", "SIGHUP", "SIGINT"])
def test_a_signal_leaves_no_half_file(name: str, tmp_path: Path) -> None:
    out, number = tmp_path / "out.conll", int(getattr(signal, name))
    code = "import sys; from malt.commands import malt; sys.exit(malt())"
    process = subprocess.Popen(
        [sys.executable, "-c", code, "convert", "-if", "malttab", "-o", str(out)],
        stdin=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdin is not None
    process.stdin.write("a\tN\t0\tROOT\n\n")
    process.stdin.flush()
    for _ in range(3000):
        if list(tmp_path.iterdir()):
            break
        time.sleep(0.01)
    process.send_signal(number)
    said = process.communicate(timeout=60)[1]
    assert process.returncode == 128 + number
    assert said == ("malt: interrupted\n" if name == "SIGINT" else f"malt: stopped by {name}\n")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such signals")
@pytest.mark.parametrize("name", ["SIGTERM", "SIGINT"])
def test_a_module_that_swallows_signals(
    name: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: Capture
) -> None:
    swallow = (
        f"import contextlib, signal\nwith contextlib.suppress(BaseException): signal.raise_signal(signal.{name})\n"
    )
    (tmp_path / "sample.py").write_text(f"{swallow}import time\ndef run(options): time.sleep(20)\n")
    monkeypatch.setattr(malt_commands, "__path__", [str(tmp_path)])
    monkeypatch.delitem(sys.modules, "malt.commands.sample", raising=False)
    assert malt(["sample"]) == 128 + int(getattr(signal, name))
    sys.modules.pop("malt.commands.sample", None)
    assert capsys.readouterr().err == ("malt: interrupted\n" if name == "SIGINT" else f"malt: stopped by {name}\n")


def test_signals_are_as_before(command: Put) -> None:
    handlers = []

    def run(options: Settings) -> int:
        handlers.append(signal.getsignal(signal.SIGTERM))
        return 0

    command(run)
    assert malt(["sample"]) == 0
    assert callable(handlers[0])
    assert signal.getsignal(signal.SIGTERM) == signal.SIG_DFL
    thread = threading.Thread(target=malt, args=(["sample"],))
    thread.start()
    thread.join()
    assert handlers[1] == signal.SIG_DFL


def test_help_shows_choices(capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "100")
    for command, line in (
        ("draw", "--as KIND            What to make (text, svg, html, latex)"),
        ("proj", "(none, baseline, head, path, head+path) [head]"),
        ("train", "-l LEARNER      Learning library (liblinear, libsvm, perceptron) [liblinear]"),
        ("eval", "direction, depth, projectivity, sentence, all)"),
        ("convert", "Format of what is written: conllx, conllu, malttab, conll2009, a data-format XML"),
    ):
        assert malt([command, "--help"]) == 0
        assert line in capsys.readouterr().out


def test_defaults_that_come_from_the_treebank_are_told_so(capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "100")
    assert malt(["train", "--help"]) == 0
    said = " ".join(capsys.readouterr().out.split())
    for flag, default in (
        ("-rt", "from the treebank"),
        ("-grl", "from the treebank"),
        ("-pp", "none; with -l perceptron head, where the system is projective"),
    ):
        assert re.search(rf" {flag}\b[^\[]*\[([^\]]*)\]", said)[1] == default  # type: ignore[index]
    assert malt(["help", "options"]) == 0
    assert re.search(r"-grl LABEL +Label .*\[ROOT\]", capsys.readouterr().out)  # MaltParser's own command line


def test_limits_of_large_numbers(capsys: Capture, tmp_path: Path) -> None:
    source = tmp_path / "sample.conll"
    assert malt(["sample", "-q", "-n", "5", "-o", str(source)]) == 0
    argv = ["train", "-c", str(tmp_path / "m"), "-l", "perceptron", "--passes", "1", str(source), "--seed"]
    assert malt([*argv, "9007199254740992"]) == 2
    assert "expected a whole number from 0 to 9007199254740991, not '9007199254740992'" in capsys.readouterr().err
    assert malt([*argv, "9007199254740991"]) == 0


def test_the_groups_of_the_catalogue_are_those_of_eval() -> None:
    from malt.commands.eval import ALL
    from malt.evaluation.result import GROUPS

    assert set(catalogue().options["eval.by"].values) == {*GROUPS, ALL}


@pytest.mark.parametrize("name", ["train", "instances", "trace"])
def test_help_with_many_options_has_the_common_ones_first(name: str) -> None:
    from malt.commands.help import sorted_options
    from malt.settings.commandline import options_of

    command = catalogue().programs["malt"].commands[name]
    groups = sorted_options(command, catalogue())
    shown = [option for options in groups.values() for option in options]
    assert sorted(option.key for option in shown) == sorted(o.key for o in options_of(command, catalogue()))
    assert [option.flag for option in shown[: len(command.first)]] == list(command.first)
    assert next(iter(groups)) == "Common options:"
    assert max(len(options) for options in groups.values()) < 14
    assert [option.flag for option in list(groups.values())[-1]][:2] == ["-v", "-h"]
