"""The recorded instance files of MaltParser, byte for byte, with every algorithm, option and feature function."""

from __future__ import annotations

import shlex
import zipfile
from pathlib import Path

import pytest

from malt.data.formats.dataformat import find_format
from malt.data.treebank import open_treebank
from malt.parsing.instances import Extraction
from malt.parsing.trainer import Trainer
from malt.settings import commandline


def described(case: Path) -> dict[str, str]:
    lines = (case / "case.txt").read_text().splitlines()
    return dict(line.split(": ", 1) if ": " in line else (line.rstrip(":"), "") for line in lines)


@pytest.mark.slow
def test_every_recorded_instance_file(shared: Path) -> None:
    data = shared / "golden" / "data"
    different = []
    cases = sorted((shared / "golden" / "cases").iterdir())
    for case in cases:
        spec = described(case)
        arguments = shlex.split(spec["learn"].replace("DATA", str(data)))
        settings, _ = commandline.read(["-c", "model", "-m", "convert", *arguments])
        format = find_format(settings["input.format"])
        trainer = Trainer(settings)
        path = str(data / spec["train"])
        with open_treebank(path, format, settings["input.charset"], trainer.prepare) as treebank:
            extraction = Extraction(trainer.machine, as_text=True)
            for block in treebank:
                extraction.add(block)
        with zipfile.ZipFile(case / "model.mco") as archive:
            for entry in archive.namelist():
                if not entry.endswith(".ins"):
                    continue
                name, *code, _, _ = entry.split("/")[-1].split(".")
                if extraction.divisions and not code:
                    continue  # what is left over of a data split is put together from the others after training
                sink = extraction.divisions[name][int(code[0])] if code else extraction.sinks[name]
                if sink.take_text() != archive.read(entry):
                    different.append(f"{case.name}: {entry}")
    assert different == []
    assert len(cases) >= 60
