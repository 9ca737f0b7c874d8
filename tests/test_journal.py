"""The journal: only ever appended to, whole after anything, and closed to two at once."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from malt.errors import DataError, MaltError
from malt.optimizer import Outcome, Setup
from malt.optimizer.search.folder import Folder
from malt.optimizer.search.journal import open_journal

ABOUT = {"metric": "las", "treebank": "0123456789abcdef0123456789abcdef"}
TRIAL = Setup.of(
    {"pproj.marking_strategy": "head"}, ["InputColumn(FORM, Stack[0])", "Split(InputColumn(FEATS,Stack[0]),\\|)"]
)
OUTCOME = Outcome((3, 0), (4, 1), 0.25, 1.5)


def made(path: Path, trials: int = 3) -> bytes:
    with open_journal(path, ABOUT) as journal:
        for fold in range(trials):
            journal.write(TRIAL, fold, OUTCOME)
    return path.read_bytes()


def folds(path: Path) -> list[int]:
    with open_journal(path, ABOUT) as journal:
        assert all(trial == TRIAL and outcome == OUTCOME for trial, _, outcome in journal.trials)
        return [fold for _, fold, _ in journal.trials]


def test_what_is_written_stays(tmp_path: Path) -> None:
    path = tmp_path / "j"
    first = made(path)
    assert folds(path) == [0, 1, 2]
    assert path.read_bytes() == first
    assert made(path, 1).startswith(first)
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    assert lines[0] == {"study": ABOUT}
    assert set(lines[1]) == {"time", "trial", "fold", "right", "of", "seconds", "megabytes", "error"}
    assert lines[1]["trial"] == TRIAL.as_json()


def test_texts_come_back(tmp_path: Path) -> None:
    odd = Setup.of({"graph.root_label": "ROOT\n\u2028\x1b \u00e6 \ud800"}, ["Exists(Stack[0])"])
    failed = Outcome(error="line\nend \x00 \U0001f332")
    with open_journal(tmp_path / "j", ABOUT) as journal:
        journal.write(odd, 0, failed)
    assert len((tmp_path / "j").read_bytes().split(b"\n")) == 3
    with open_journal(tmp_path / "j", ABOUT) as journal:
        [(trial, _, outcome)] = journal.trials
    assert outcome == failed
    assert trial.features == odd.features


def test_torn_lines(tmp_path: Path) -> None:
    """Cut anywhere, a journal keeps all whole lines, and goes on."""
    path = tmp_path / "j"
    data = made(path)
    ends = [place + 1 for place, byte in enumerate(data) if byte == 10]
    for cut in {*range(0, len(data), 37), *ends, *(end - 1 for end in ends), *(end + 1 for end in ends)}:
        path.write_bytes(data[:cut])
        whole = sum(end <= cut for end in ends)
        assert folds(path) == list(range(whole))[: max(0, whole - 1)]
        with open_journal(path, ABOUT) as journal:
            journal.write(TRIAL, 7, OUTCOME)
        assert folds(path)[-1] == 7


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (b"hello", "line 3: expected an object in JSON"),
        (b"[1]", "line 3: expected an object in JSON"),
        (b"", "line 3: expected an object in JSON"),
        (b"[" * 100_000, "line 3: expected an object in JSON"),
        (b"\xff\xfe", "line 3: expected an object in JSON"),
        (b"9" * 5000, "line 3: expected an object in JSON"),
        (b"{}", "line 3: this is no trial .it lacks 'right'"),
        (b'{"study":{}}', "line 3: this is no trial"),
        ({"fold": "x"}, "line 3: .*expected a whole number from 0 on, not 'x'"),
        ({"fold": -1}, "line 3: .*expected a whole number"),
        ({"fold": 1e300}, "line 3: .*expected a whole number"),
        ({"fold": True}, "line 3: .*expected a whole number"),
        ({"right": [10**30, 0]}, "line 3: .*expected a whole number"),
        ({"right": [-1, 0]}, "line 3: .*expected a whole number"),
        ({"right": [1.5, 0]}, "line 3: .*expected a whole number"),
        ({"right": [1]}, "line 3: .*do not fit"),
        ({"right": [5, 0]}, "line 3: .*do not fit"),
        ({"right": [], "of": []}, "line 3: .*do not fit"),
        ({"right": "ab", "of": "cd"}, "line 3: .*expected a whole number"),
        ({"right": None}, "line 3: this is no trial"),
        ({"seconds": float("inf")}, "line 3: .*without end"),
        ({"seconds": float("nan")}, "line 3: .*without end"),
        ({"megabytes": "much"}, "line 3: this is no trial"),
        ({"trial": []}, "line 3: this is no trial"),
        ({"trial": {"options": {"no.option": "1"}, "features": []}}, "line 3: this is no trial"),
        ({"trial": {"options": [], "features": []}}, "line 3: this is no trial"),
        ({"trial": {"options": {}, "features": 3}}, "line 3: this is no trial"),
    ],
    ids=str,
)
def test_lines_of_someone_else(line: bytes | dict[str, object], message: str, tmp_path: Path) -> None:
    path = tmp_path / "j"
    first, second, third, *_ = made(path).splitlines(keepends=True)
    if isinstance(line, dict):
        line = json.dumps({**json.loads(second), **line}).encode()
    path.write_bytes(first + second + line + b"\n" + third)
    before = path.read_bytes()
    with pytest.raises(DataError, match=f"j, {message}") as found, open_journal(path, ABOUT):
        pass
    assert "\n" not in str(found.value)
    assert path.read_bytes() == before


@pytest.mark.parametrize("text", [b"hello", b"hello\n", b"{}\n", b'{"studies": 1}', b'{"study": 3}\n', b"\0" * 50])
def test_files_of_someone_else(text: bytes, tmp_path: Path) -> None:
    path = tmp_path / "j"
    path.write_bytes(text)
    with pytest.raises(DataError), open_journal(path, ABOUT):
        pass
    assert path.read_bytes() == text


def test_another_study(tmp_path: Path) -> None:
    path = tmp_path / "j"
    made(path)
    with (
        pytest.raises(MaltError, match=r"about another metric \(las, not uas\); give another name with -c"),
        open_journal(path, {**ABOUT, "metric": "uas"}),
    ):
        pass
    with (
        pytest.raises(MaltError, match=r"about another treebank; give another"),
        open_journal(path, {**ABOUT, "treebank": "0" * 64}),
    ):
        pass
    assert folds(path) == [0, 1, 2]


def test_two_at_once(tmp_path: Path) -> None:
    path = tmp_path / "j"
    made(path)
    program = (
        "import sys; from pathlib import Path; from malt.optimizer.search.journal import open_journal\n"
        f"with open_journal(Path({str(path)!r}), {ABOUT!r}): print('mine', flush=True); sys.stdin.read()"
    )
    other = subprocess.Popen([sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    try:
        assert other.stdout is not None
        assert other.stdout.readline() == b"mine\n"
        with pytest.raises(MaltError, match="another maltopt is at work in this folder"), open_journal(path, ABOUT):
            pass
    finally:
        other.kill()
        other.wait()
        other.communicate()
    assert folds(path) == [0, 1, 2]  # the lock is gone with its process


def test_many_threads(tmp_path: Path) -> None:
    path = tmp_path / "j"
    with open_journal(path, ABOUT) as journal:
        workers = [
            threading.Thread(target=lambda: [journal.write(TRIAL, fold, OUTCOME) for fold in range(20)])
            for _ in range(4)
        ]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
    assert sorted(folds(path)) == sorted(list(range(20)) * 4)


def test_a_full_disk(tmp_path: Path) -> None:
    """Half a line is taken back, so that a run can go on when there is room again."""
    path = tmp_path / "j"
    whole = made(path)
    program = f"""
import resource, signal
from pathlib import Path
from malt.errors import MaltError
from malt.optimizer import Setup, Outcome
from malt.optimizer.search.journal import open_journal
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, ({len(whole)} + 100, {len(whole)} + 100))
with open_journal(Path({str(path)!r}), {ABOUT!r}) as journal:
    for _ in range(2):
        try:
            journal.write(Setup.of({{}}, ["Exists(Stack[0])"] * 50), 3, Outcome((1,) * 500, (1,) * 500))
        except MaltError as error:
            print(error)
"""
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert result.stdout == f"{path}: File too large\n" * 2
    assert path.read_bytes() == whole
    assert folds(path) == [0, 1, 2]


def test_a_folder_that_cannot_be_written(tmp_path: Path) -> None:
    """As someone who may not write there: root may."""
    program = """
import os
from pathlib import Path
from malt.errors import MaltError
from malt.optimizer.search.folder import Folder
from malt.optimizer.search.journal import open_journal
if os.geteuid() == 0:
    os.setgid(65534)
    os.setuid(65534)
for call in (
    lambda: open_journal(Path("open/j"), {}).__enter__(),
    lambda: open_journal(Path("open/new"), {}).__enter__(),
    lambda: Folder("open/new").make(),
    lambda: Folder("closed").make(),
):
    try:
        call()
    except MaltError as error:
        print(error)
"""
    for folder in (tmp_path, *list(tmp_path.parents)[:2]):
        folder.chmod(0o755)
    for name, mode in (("open", 0o555), ("closed", 0o000)):
        (tmp_path / name).mkdir()
        made(tmp_path / name / "j")
        (tmp_path / name / "j").chmod(0o444)
        (tmp_path / name).chmod(mode)
    try:
        result = subprocess.run(
            [sys.executable, "-c", program], capture_output=True, text=True, check=True, cwd=tmp_path
        )
    finally:
        (tmp_path / "open").chmod(0o755)
        (tmp_path / "closed").chmod(0o755)
    assert result.stdout.splitlines() == [
        f"{name}: Permission denied" for name in ("open/j", "open/new", "open/new", "closed")
    ]


def test_folders(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "thesis.tex").write_text("")
    (tmp_path / "empty").mkdir()
    for name, message in (
        ("file", "this is a file"),
        ("other", "holds something else"),
        ("file/below", "Not a directory"),
    ):
        with pytest.raises(MaltError, match=message):
            Folder(tmp_path / name).make()
    assert os.listdir(tmp_path / "other") == ["thesis.tex"]
    for name in ("empty", "new/and/deep"):
        Folder(tmp_path / name).make()
        assert (tmp_path / name).is_dir()
