"""MaltParser's own results on the sample treebank, recorded by tests/reference/record.py, are ours."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent / "reference"))

from record import CASES, HERE, digest, entries, files_of, make_data

from malt.commands import malt
from malt.data.formats.dataformat import find_format
from malt.data.treebank import open_treebank
from malt.mco.tables import write_tables
from malt.parsing.instances import Extraction
from malt.parsing.trainer import Trainer
from malt.settings import commandline

RECORDED = json.loads((HERE / "maltparser.json").read_text())


@pytest.fixture(scope="session")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sample treebanks that MaltParser was run on."""
    folder = tmp_path_factory.mktemp("sample")
    make_data(folder)
    return folder


def extract(arguments: str, path: Path) -> Extraction:
    """The instances of a case, as text."""
    settings, _ = commandline.read(["-c", "model", "-m", "convert", *arguments.replace("REFERENCE", str(HERE)).split()])
    format = find_format(settings["input.format"])
    trainer = Trainer(settings)
    with open_treebank(str(path), format, "UTF-8", trainer.prepare) as treebank:
        extraction = Extraction(trainer.machine, as_text=True)
        for block in treebank:
            extraction.add(block)
    return extraction


@pytest.mark.parametrize("name", [name for name in CASES if "split" not in name])
def test_instances(name: str, sample: Path) -> None:
    extraction = extract(CASES[name], sample / files_of(CASES[name])[0])
    recorded = {key: value for key, value in RECORDED[name]["model"].items() if key.endswith(".ins")}
    learner = "libsvm" if "libsvm" in CASES[name] else "liblinear"
    ours = {f"{model}.{learner}.ins": digest(sink.take_text()) for model, sink in extraction.sinks.items()}
    assert ours == recorded


@pytest.mark.parametrize("name", [name for name in CASES if "split" not in name])
def test_symbol_tables(name: str, sample: Path) -> None:
    """Every table has MaltParser's codes: the sorted lines of symboltables.sym are the same."""
    extraction = extract(CASES[name], sample / files_of(CASES[name])[0])
    lines = write_tables(extraction.machine.tables, "UTF-8").split(b"\n")
    assert digest(b"\n".join(sorted(lines))) == RECORDED[name]["model"]["symboltables.sym"]


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=pytest.mark.slow if name.startswith("functions") else ())
        for name in CASES
        if name != "libsvm"
    ],
)
def test_models_and_output(name: str, sample: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Weights, feature maps, tables and saved options are MaltParser's, and so is what the model parses."""
    train, test = files_of(CASES[name])
    options = CASES[name].replace("REFERENCE", str(HERE)).split()
    model, out = tmp_path / "model", tmp_path / "out"
    arguments = ["-c", str(model), "-i", str(sample / train), "-m", "learn", "-li", "true", *options, "-v", "error"]
    assert malt(arguments) == 0, capsys.readouterr().err
    assert entries(tmp_path / "model.mco") == RECORDED[name]["model"]
    assert malt(["-c", str(model), "-i", str(sample / test), "-o", str(out), "-m", "parse", "-v", "error"]) == 0
    assert digest(out.read_bytes()) == RECORDED[name]["parsed"]
