"""What killed processes leave behind goes with the next run, and what others are at work on stays."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest

from malt.commands import malt
from malt.data.files import open_output
from malt.data.leftovers import FOLDERS, hold, let_go, temporary_folder

if sys.platform == "win32":
    pytest.skip("windows has no such locks", allow_module_level=True)

START = [sys.executable, "-m", "malt", "convert", "-if", "malttab", "-o"]


def begin(out: Path, folder: Path) -> subprocess.Popen[str]:
    """A program that has begun to write."""
    before = set(folder.iterdir())
    process = subprocess.Popen([*START, str(out)], stdin=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdin is not None
    process.stdin.write("a\tN\t0\tROOT\n\n")
    process.stdin.flush()
    for _ in range(3000):
        if set(folder.iterdir()) != before:
            return process
        time.sleep(0.01)
    raise AssertionError("nothing was written")


def test_a_killed_process_and_a_living_one(tmp_path: Path) -> None:
    out = tmp_path / "out.conll"
    killed = begin(out, tmp_path)
    killed.send_signal(signal.SIGKILL)
    killed.communicate()
    (left,) = tmp_path.iterdir()
    assert left.name.endswith(".part")
    living = begin(out, tmp_path)
    assert left not in tmp_path.iterdir()
    (held,) = tmp_path.iterdir()
    with open_output(str(out)) as stream:
        assert held.exists()
        stream.write(b"whole")
    assert set(tmp_path.iterdir()) == {out, held}
    living.communicate()
    assert living.returncode == 0
    assert list(tmp_path.iterdir()) == [out]
    assert out.read_bytes() == b"a\tN\t0\tROOT\n\n"


def test_others_stay(tmp_path: Path) -> None:
    names = [".other.conll.12345678.part", "out.conll.12345678.part", ".out.conll.12345678"]
    for name in names:
        (tmp_path / name).write_text("mine")
    (tmp_path / ".out.conll.00000000.part").symlink_to(tmp_path / names[0])
    with open_output(str(tmp_path / "out.conll")):
        pass
    assert {path.name for path in tmp_path.iterdir()} == {*names, ".out.conll.00000000.part", "out.conll"}


def test_folders_of_killed_processes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    left, held = tmp_path / f"{FOLDERS}left", tmp_path / f"{FOLDERS}held"
    for folder in (left, held):
        folder.mkdir()
        (folder / "file").write_text("something")
    lock = hold(held)
    with temporary_folder() as folder:
        assert {path.name for path in tmp_path.iterdir()} == {held.name, folder.name}
        with temporary_folder():
            assert folder.is_dir()
    let_go(lock)
    assert malt(["train", "-q", "-c", str(tmp_path / "model"), sample(tmp_path)]) == 0
    assert not [path for path in tmp_path.iterdir() if path.name.startswith(FOLDERS)]


def test_a_folder_that_was_to_be_unpacked(tmp_path: Path) -> None:
    assert malt(["train", "-q", "-c", str(tmp_path / "model"), sample(tmp_path)]) == 0
    (tmp_path / ".unpack.left").mkdir()
    assert malt(["unpack", "-q", str(tmp_path / "model")]) == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == ["model", "model.mco", "sample.conll"]


def sample(folder: Path) -> str:
    path = folder / "sample.conll"
    assert malt(["sample", "-q", "-n", "10", "-o", str(path)]) == 0
    return str(path)


def test_what_is_taken_for_a_leftover_is_told(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text("")
    other = os.open(path, os.O_RDONLY)
    path.unlink()
    with pytest.raises(FileNotFoundError):
        hold(path)
    os.close(other)
