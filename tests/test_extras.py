"""What only some need is asked for in one line, where it is absent."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

WITHOUT = """\
import sys
class Absent:
    def find_spec(self, name, *_):
        if name == "{module}":
            raise ModuleNotFoundError(name=name)
sys.meta_path.insert(0, Absent())
import malt.{module}
"""


@pytest.mark.parametrize(("module", "name"), [("nltk", "NLTK"), ("spacy", "spaCy")])
def test_absent(module: str, name: str, tmp_path: Path) -> None:
    command = [sys.executable, "-c", WITHOUT.format(module=module)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path)
    expected = f"ModuleNotFoundError: malt.{module} needs {name}: pip install 'maltkit[{module}]'"
    assert done.stderr.splitlines()[-1] == expected
