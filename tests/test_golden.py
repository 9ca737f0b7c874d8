"""What -m convert writes is what MaltParser 1.9.2 wrote, byte for byte, on the recorded cases."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

from malt.commands import malt


@pytest.mark.parametrize("name", ["convert-conllu-conllx", "convert-conllx-malttab"])
def test_convert(name: str, shared: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    case = shared / "golden" / "transforms" / name
    lines = (line.partition(":") for line in (case / "case.txt").read_text().splitlines())
    spec = {key: value.strip() for key, _, value in lines}
    source = shared / "golden" / "data" / spec["input"]
    monkeypatch.chdir(tmp_path)
    assert malt(["-c", "pp", "-i", str(source), "-o", "one.conll", *shlex.split(spec["one"])]) == 0
    assert (tmp_path / "one.conll").read_bytes() == (case / "one.conll").read_bytes()
    assert [path.name for path in tmp_path.iterdir()] == ["one.conll"]  # no directory of the name that -c has


def test_every_recorded_case_of_convert_is_here(shared: Path) -> None:
    found = {path.name for path in (shared / "golden" / "transforms").iterdir() if path.name.startswith("convert-")}
    assert found == {"convert-conllu-conllx", "convert-conllx-malttab"}
