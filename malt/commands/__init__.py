"""The programs `malt` and `maltopt`: find the command, run it, and answer whatever goes wrong in one line.

One module a command, imported only when it is called for, with a function `run(options: Settings) -> int`.
"""

from __future__ import annotations

import contextlib
import gc
import os
import signal
import sys
import threading
from collections.abc import Iterator, Sequence
from types import FrameType
from typing import TYPE_CHECKING

from malt.errors import MaltError, printable
from malt.version import __version__

if TYPE_CHECKING:
    from malt.settings.settings import Settings

# Options that name a file to write.
OUTPUTS = {"output.outfile", "singlemalt.diafile", "config.logfile", "train.derived"}
OUTPUTS |= {"analyze.html", "eval.html", "trace.html"}
SIGNALLED = 128  # an exit code is this and the number of the signal, as the shell reports it of any program
INTERRUPTED, BROKEN_PIPE = SIGNALLED + 2, SIGNALLED + 13
MOMENT = 0.02  # seconds
NO_MEMORY = "there is not enough memory for this"


class Stopped(BaseException):
    """A signal that asks a program to end. What was begun is cleared away, as after an interrupt."""

    def __init__(self, number: int) -> None:
        self.number = number
        super().__init__(signal.Signals(number).name)


_asked: list[Stopped | KeyboardInterrupt] = []  # to end


def malt(argv: Sequence[str] | None = None) -> int:
    """Run `malt` and return its exit code.

    >>> malt(["--version"])
    malt 0.1.0
    0
    """
    return _main("malt", sys.argv[1:] if argv is None else argv)


def maltopt(argv: Sequence[str] | None = None) -> int:
    """Run `maltopt` and return its exit code."""
    return _main("maltopt", sys.argv[1:] if argv is None else argv)


def _main(program: str, argv: Sequence[str]) -> int:
    try:
        with _signals():
            code = _run(program, argv)
            if sys.stdout is not None:
                sys.stdout.flush()  # here, where a full disk or a closed pipe can still be answered
            return code
    except Stopped as error:
        return _fail(program, f"stopped by {error}", SIGNALLED + error.number, argv)
    except KeyboardInterrupt:
        return _fail(program, "interrupted", INTERRUPTED, argv)
    except BrokenPipeError:
        return BROKEN_PIPE
    except MaltError as error:
        return _fail(program, str(error), error.exit_code, argv)
    except OSError as error:
        reason = error.strerror or str(error) or type(error).__name__
        return _fail(program, f"{error.filename}: {reason}" if error.filename else reason, 1, argv)
    except MemoryError:
        return _fail(program, NO_MEMORY, 1, argv)
    except RecursionError:
        return _fail(program, "the input is nested too deeply", 1, argv)
    except Exception as error:
        if _asked:  # an interrupt may come out as something else of what it passes through
            return _fail(program, "interrupted", INTERRUPTED, argv)
        if any(words in str(error) for words in ("can't start new thread", "failed to map segment")):
            return _fail(program, NO_MEMORY, 1, argv)  # of the system, which Python has other names for
        kind = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
        bug = f"this is a bug of {program} ({kind}); run it again with --debug and please report what that shows"
        return _fail(program, bug, 1, argv)
    finally:
        _let_go()
        log = sys.modules.get("malt.running.log")
        if log is not None:
            log.stop()


@contextlib.contextmanager
def _signals() -> Iterator[None]:
    """Let SIGINT, SIGTERM and SIGHUP end the program, unless someone wants something else of them, as nohup does.

    An extension module may swallow what is raised while it is loaded. So what is asked then waits for a timer.
    """

    def stop(number: int, frame: FrameType | None) -> None:
        if number != alarm:
            _asked.append(KeyboardInterrupt() if number == signal.SIGINT else Stopped(number))
        if alarm in usual and _loading(frame):
            signal.setitimer(signal.ITIMER_REAL, MOMENT)
        else:
            raise _asked[-1]

    _asked.clear()
    alarm = getattr(signal, "SIGALRM", None)
    usual = {}
    if threading.current_thread() is threading.main_thread():  # others cannot
        for name in ("SIGINT", "SIGTERM", "SIGHUP", "SIGALRM"):
            number = getattr(signal, name, None)
            if number is not None and signal.getsignal(number) in (signal.SIG_DFL, signal.default_int_handler):
                usual[number] = signal.getsignal(number)
    try:
        for number in usual:
            signal.signal(number, stop)
        yield
    finally:
        if alarm in usual:
            signal.setitimer(signal.ITIMER_REAL, 0)
        for number, handler in usual.items():
            signal.signal(number, handler)


def _loading(frame: FrameType | None) -> bool:
    """Is a module being loaded?"""
    while frame is not None and frame.f_code is not _main.__code__:
        if frame.f_code.co_filename.startswith("<frozen importlib"):
            return True
        frame = frame.f_back
    return False


def _run(program: str, argv: Sequence[str]) -> int:
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):  # a terminal that lacks a letter is no reason to fail
            stream.reconfigure(errors="backslashreplace")
    if list(argv) == ["--version"]:  # before anything is loaded
        return _version(program)
    if not argv or argv[0] in ("-h", "--help"):
        from malt.commands import help as pages

        return pages.overview(program) if argv else pages.short(program)
    gc.set_threshold(50_000, 20, 20)  # objects, in place of 700: little of what a command makes goes round in circles
    # NumPy starts a thread a core for matrices that nobody here multiplies: it takes longer than loading NumPy itself.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    from malt.running import log
    from malt.settings import commandline

    settings, warnings = commandline.read(argv, program)
    _check_outputs(settings)
    log.start(
        "warn" if settings["common.quiet"] and not settings.given("system.verbosity") else settings["system.verbosity"],
        settings["config.logfile"],
        settings["config.logging"],
        settings["config.workingdir"],
    )
    for warning in warnings:
        log.logger.warning("warning: %s", warning)
    if settings["system.help"]:
        from malt.commands import help as pages

        return pages.command(settings.command) if settings.command else pages.overview(program)
    if settings["common.version"]:
        return _version(program)
    from importlib import import_module

    command = settings.command
    assert command is not None
    if any(mark in settings["singlemalt.parsing_algorithm"] for mark in "./"):  # a file
        from malt.systems.own import with_system

        settings = with_system(settings)
    run = import_module(f"malt.commands.{command.name}").run
    return int(run(settings) or 0)


def _check_outputs(settings: Settings) -> None:
    """Refuse to write to a file that is read, be it by the shell: malt convert a.conll >> a.conll; and to one twice."""
    from malt.data.files import check_apart, check_appended, check_not_read

    texts = {key: str(settings[key]) for key in settings if settings.given(key)}
    inputs = ["/dev/stdin", *settings.files, *(text for key, text in texts.items() if key not in OUTPUTS)]
    for output in ("-", *(texts[key] for key in OUTPUTS & texts.keys())):
        check_not_read(output, inputs)
    check_apart(texts[key] for key in OUTPUTS & texts.keys())
    check_appended(texts.get("config.logfile", ""))


def _version(program: str) -> int:
    print(f"{program} {__version__}")
    return 0


def _fail(program: str, message: str, code: int, argv: Sequence[str]) -> int:
    """Say in one line what is wrong; a line end or an escape sequence in a user's text stays visible as such."""
    if "--debug" in argv:
        import traceback

        for line in traceback.format_exc().splitlines():
            print(printable(line), file=sys.stderr)
    line = f"{program}: {printable(message)}"
    log = sys.modules.get("malt.running.log")
    if log is not None and log.logger.handlers:
        log.logger.critical("%s", line)
    elif sys.stderr is not None:
        print(line, file=sys.stderr)
    return code


def _let_go() -> None:
    """Write out what is still unwritten; if that fails, send it to nowhere, so that Python does not try it again."""
    try:
        if sys.stdout is not None:
            sys.stdout.flush()
    except OSError:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)
