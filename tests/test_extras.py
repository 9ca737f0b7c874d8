"""What only some need is asked for in one line, where it is absent."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from absent import without


@pytest.mark.parametrize(("module", "name"), [("nltk", "NLTK"), ("spacy", "spaCy")])
def test_absent(module: str, name: str, tmp_path: Path) -> None:
    command = [sys.executable, "-c", without(module, f"import malt.{module}")]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path)
    expected = f"ModuleNotFoundError: malt.{module} needs {name}: pip install 'maltkit[{module}]'"
    assert done.stderr.splitlines()[-1] == expected
