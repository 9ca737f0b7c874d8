"""The journal of a study: one line per trial, only ever appended to, so that a killed run loses nothing."""

from __future__ import annotations

import contextlib
import json
import math
import operator
import os
import re
import threading
import time
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, BinaryIO

from malt.errors import DataError, MaltError, quoted
from malt.optimizer.trial.outcome import Outcome
from malt.optimizer.trial.setup import Setup

LARGEST = 1 << 24  # bytes of a line
MOST = 1 << 31  # words of a sentence
BEGIN = b'{"study":'
HOLDOUT = "holdout"  # what is held out; journals from before that held nothing out
FILE = "file"  # a held-out part that is no part of the treebank
_HELD_OUT = re.compile(rf"0|[2-9]|[1-9][0-9]{{1,8}}|{FILE}")
SCREENING = "rough trials"  # whether there may be some; in journals from before there are none
ALLOWED, FORBIDDEN = "allowed", "none"
BEFORE = {HOLDOUT: "0", "held-out part": "", SCREENING: FORBIDDEN}
NO_JOURNAL = "this is no journal of a study; move it away, or give another name with -c"


class Journal:
    """A file of JSON lines: first what the study is about, then a line for each trial on each fold.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "journal.jsonl"
    >>> trial = Setup.of({}, ["InputColumn(FORM,Stack[0])"])
    >>> with open_journal(path, {"treebank": "abc"}) as journal:
    ...     journal.write(trial, 0, Outcome((3,), (4,)))
    >>> with open_journal(path, {"treebank": "abc"}) as journal:
    ...     [(setup == trial, fold, outcome.score) for setup, fold, outcome in journal.trials]
    [(True, 0, 75.0)]
    >>> with open_journal(path, {"treebank": "xyz"}) as journal:
    ...     pass  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    malt.errors.MaltError: ...journal.jsonl: the study in this folder is about another treebank (abc, not xyz); ...
    """

    def __init__(
        self, stream: BinaryIO, path: Path, trials: list[tuple[Setup, int, Outcome]], seconds: float = 0.0
    ) -> None:
        self.trials, self.seconds = trials, seconds  # of earlier runs: and how long they were at work
        self._stream, self._path = stream, path
        self._lock = threading.Lock()

    def write(self, setup: Setup, fold: int, outcome: Outcome) -> None:
        """Write a trial down, for good. Any number of threads may do so at once."""
        line = {"time": round(time.time(), 3), "trial": setup.as_json(), "fold": fold, **outcome.as_json()}
        with self._lock:
            _append(self._stream, line, self._path)


@contextlib.contextmanager
def open_journal(path: Path, about: dict[str, Any]) -> Iterator[Journal]:
    """Open a journal or begin one. Only one process at a time has it; another study than its own is refused."""
    try:
        stream = open(path, "a+b", buffering=0)  # noqa: SIM115
    except OSError as error:
        raise MaltError(f"{path}: {error.strerror}") from None
    with stream:
        _lock(stream, path)
        stream.seek(0)
        lines, end = _lines(stream, path)
        if not lines:
            stream.seek(0)
            begin = stream.read(len(BEGIN))
            if not BEGIN.startswith(begin):
                raise DataError(NO_JOURNAL, str(path))
            stream.truncate(0)
            _append(stream, {"study": about}, path)
        else:
            stream.truncate(end)  # a line that was being written when the process was killed
            found = lines[0].get("study")
            if not isinstance(found, dict):
                raise DataError(NO_JOURNAL, str(path), 1)
            for key, value in about.items():
                was = found.get(key, BEFORE.get(key))
                if was != value:
                    what = f"about another {key}" + (f" ({was}, not {value})" if _short(value) else "")
                    raise MaltError(
                        f"{path}: the study in this folder is {what}; give another name with -c, or remove the folder"
                    )
        trials = [_trial(line, number, path) for number, line in enumerate(lines[1:], 2)]
        yield Journal(stream, path, trials, time_at_work(lines[1:]))


def holdout_of(path: Path) -> str | None:
    """What the study of a journal has held out from its beginning; None if there is no journal yet."""
    found = _begun_with(path, HOLDOUT)
    return found if isinstance(found, str) and _HELD_OUT.fullmatch(found) else None


def screening_of(path: Path) -> str:
    """Whether trials of a study may be rough: a study goes on as it began."""
    return FORBIDDEN if _begun_with(path, SCREENING) == FORBIDDEN else ALLOWED


def _begun_with(path: Path, key: str) -> Any:
    """What the first line of a journal says; None if there is no journal. A file that is none is left to
    `open_journal`."""
    try:
        with open(path, "rb") as stream:
            return json.loads(stream.readline(LARGEST))["study"].get(key, BEFORE[key])
    except (OSError, ValueError, RecursionError, KeyError, TypeError, AttributeError):
        return None


def time_at_work(lines: Iterable[Mapping[str, Any]]) -> float:
    """The seconds in which at least one of some trials was running: several may run at a time.

    >>> time_at_work([{"time": 10.0, "seconds": 4.0}, {"time": 11.0, "seconds": 4.0}, {"time": 90.0, "seconds": 2.0}])
    7.0
    """
    spans = []
    for line in lines:
        end, seconds = line.get("time"), line.get("seconds")
        if isinstance(end, float) and isinstance(seconds, float) and math.isfinite(end) and seconds > 0:
            spans.append((end - seconds, end))
    total, last = 0.0, -math.inf
    for begin, end in sorted(spans):
        total += max(0.0, end - max(begin, last))
        last = max(last, end)
    return total


def _short(value: Any) -> bool:
    return not isinstance(value, str) or len(value) < 20


def _append(stream: BinaryIO, line: dict[str, Any], path: Path) -> None:
    text = json.dumps(line, ensure_ascii=False, separators=(",", ":"))
    data = memoryview(text.encode("utf-8", "backslashreplace") + b"\n")
    end = stream.seek(0, os.SEEK_END)
    try:
        while data:
            data = data[stream.write(data) :]
        os.fsync(stream.fileno())
    except OSError as error:
        with contextlib.suppress(OSError):
            stream.truncate(end)  # half a line, after which nothing could follow
        raise MaltError(f"{path}: {error.strerror}") from None


def _lines(stream: BinaryIO, path: Path) -> tuple[list[dict[str, Any]], int]:
    """The whole lines, and where they end."""
    found: list[dict[str, Any]] = []
    end = 0
    with open(stream.fileno(), "rb", closefd=False) as reader:
        while line := reader.readline(LARGEST):
            if not line.endswith(b"\n"):
                if len(line) == LARGEST:
                    raise DataError("a line is too long for a journal", str(path), len(found) + 1)
                break
            try:
                value = json.loads(line)
            except (ValueError, RecursionError):
                value = None
            if not isinstance(value, dict):
                raise DataError(
                    "expected an object in JSON; the journal was changed by hand", str(path), len(found) + 1
                )
            found.append(value)
            end += len(line)
    return found, end


def _trial(line: dict[str, Any], number: int, path: Path) -> tuple[Setup, int, Outcome]:
    try:
        right, of = ([_whole(value) for value in line[name]] for name in ("right", "of"))
        seconds, megabytes = (float(line[name]) for name in ("seconds", "megabytes"))
        if not (math.isfinite(seconds) and math.isfinite(megabytes)):
            raise ValueError("a number without end")
        texts = str(line["error"]), str(line.get("weights", "")), str(line.get("rough", ""))
        outcome = Outcome(tuple(right), tuple(of), seconds, megabytes, *texts)
        if len(right) != len(of) or any(map(operator.gt, right, of)) or not (of or outcome.error):
            raise ValueError("right and of do not fit together")
        return Setup.from_json(line["trial"]), _whole(line["fold"]), outcome
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
        reason = f"it lacks {error}" if isinstance(error, KeyError) else str(error)
        raise DataError(f"this is no trial ({reason}); the journal was changed by hand", str(path), number) from None


def _whole(value: object) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value < MOST:
        raise ValueError(f"expected a whole number from 0 on, not {quoted(str(value))}")
    return value


def _lock(stream: BinaryIO, path: Path) -> None:
    """The system lets go of the lock when the process ends, however it ends."""
    busy = f"{path.parent}: another maltopt is at work in this folder; wait for it, or give another name with -c"
    try:
        import fcntl
    except ImportError:  # Windows
        import msvcrt

        try:
            stream.seek(1 << 62)
            msvcrt.locking(stream.fileno(), msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined]
        except OSError:
            raise MaltError(busy) from None
        return
    try:
        fcntl.flock(stream.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        raise MaltError(busy) from None
