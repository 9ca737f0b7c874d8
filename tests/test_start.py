"""How commands start: what they do not load, and that the compiled catalogue is never an old one."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from malt import ownfiles
from malt.settings import catalogue

LIBRARIES = {
    "numpy",
    "scipy",
    "sklearn",
    "joblib",
    "liblinear",
    "lxml",
    "yaml",
    "tqdm",
    "hashlib",
    "importlib.resources",
}
SENTENCE = "1\tHunde\t_\tNOUN\tNN\t_\t2\tsubj\t_\t_\n2\tgør\t_\tVERB\tVB\t_\t0\troot\t_\t_\n\n"


def loaded(command: str, folder: Path) -> set[str]:
    """The modules that a command loads."""
    code = "import sys; from malt.commands import malt; code = malt(sys.argv[1:]); print(code, *sys.modules)"
    result = subprocess.run(
        [sys.executable, "-c", code, *command.split()], capture_output=True, text=True, check=True, cwd=folder
    )
    status, *modules = result.stdout.splitlines()[-1].split()
    assert status == "0", result.stderr
    return set(modules)


@pytest.mark.parametrize(
    ("command", "needed"),
    [
        ("--help", set()),
        ("help draw", set()),
        ("help -i", set()),
        ("completion bash", set()),
        ("sample -n 1", set()),
        ("systems", set()),
        ("systems nivreeager", set()),
        ("convert one.conll", {"numpy", "lxml"}),
        ("draw one.conll", {"numpy", "lxml"}),
        ("trace one.conll", {"numpy", "lxml"}),
    ],
)
def test_what_a_command_loads(command: str, needed: set[str], tmp_path: Path) -> None:
    (tmp_path / "one.conll").write_text(SENTENCE, encoding="utf-8")
    modules = loaded(command, tmp_path)
    assert modules & LIBRARIES == needed
    assert not modules & {"malt.model", "malt.parsing.trainer"}


def test_the_compiled_catalogue_says_what_its_texts_say() -> None:
    compiled = json.loads(ownfiles.read_own("malt.options", "compiled.json"))
    for name, text in compiled["texts"].items():
        assert yaml.load(text, Loader=yaml.BaseLoader) == compiled["content"][name]


def test_a_catalogue_that_was_compiled_of_other_texts_is_not_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def read(package: str, name: str) -> bytes:
        return (tmp_path / name).read_bytes()

    known = catalogue._load()
    for name in ("commands.yaml", "maltparser.yaml"):
        (tmp_path / name).write_bytes(ownfiles.read_own("malt.options", name))
    monkeypatch.setattr(catalogue, "read_own", read)
    assert catalogue._load() == known  # without a compiled one
    (tmp_path / "compiled.json").write_text('{"texts": ')
    assert catalogue._load() == known  # with half of one
    texts = {path.name: path.read_text(encoding="utf-8") for path in tmp_path.glob("*.yaml")}
    (tmp_path / "compiled.json").write_text(json.dumps({"texts": texts, "content": "compiled"}))
    assert catalogue._load() == "compiled"
    with (tmp_path / "commands.yaml").open("a") as stream:
        stream.write("# a word more\n")
    assert catalogue._load() == known
