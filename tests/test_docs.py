"""The code in docs/*.md runs, and what it prints is what stands there.

The blocks of a page are run one after another, in an empty folder: `pycon` blocks are sessions with >>>, `python`
blocks are programs, and `console` blocks have commands after a $, with their output below. They share names and files.
Where a line of output may differ, `...` stands for the difference.
"""

from __future__ import annotations

import doctest
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

DOCS = Path(__file__).resolve().parent.parent / "docs"
PAGES = sorted(path.name for path in DOCS.glob("*.md"))
NEEDS = {"integrations.md": ("nltk", "spacy")}
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
BLOCK = re.compile(r"^```(pycon|python|console)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def blocks(page: str) -> Iterator[tuple[str, str, int]]:
    """Kind, text and first line of every block that is run."""
    text = (DOCS / page).read_text(encoding="utf-8")
    for match in BLOCK.finditer(text):
        yield match[1], match[2], text.count("\n", 0, match.start(2))


@pytest.mark.parametrize("page", [page for page in PAGES if any(blocks(page))])
def test_blocks(page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in NEEDS.get(page, ()):
        pytest.importorskip(module, reason=f"{module} is absent: pip install 'maltkit[{module}]'")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    names: dict[str, object] = {"__name__": "__main__"}
    for kind, text, line in blocks(page):
        if kind == "pycon":
            session(text, names, page, line)
        elif kind == "python":
            exec(compile("\n" * line + text, str(DOCS / page), "exec"), names)
        else:
            console(text, page, line)


def session(text: str, names: dict[str, object], page: str, line: int) -> None:
    test = doctest.DocTestParser().get_doctest(text, names, page, str(DOCS / page), line)
    test.globs = names  # not a copy, as what is defined here is used further down
    faults: list[str] = []
    doctest.DocTestRunner(verbose=False, optionflags=FLAGS).run(test, out=faults.append, clear_globs=False)
    assert not faults, "".join(faults)


def console(text: str, page: str, line: int) -> None:
    for part in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]:
        command, _, expected = part.partition("\n")
        while command.endswith("\\"):
            more, _, expected = expected.partition("\n")
            command = f"{command[:-1]}{more}"
        done = subprocess.run(
            command,
            shell=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            encoding="utf-8",
            check=False,
        )
        right = doctest.OutputChecker().check_output(expected, done.stdout, FLAGS)
        assert right, f"{page}, from line {line}: $ {command}\nexpected:\n{expected}\ngot:\n{done.stdout}"


def test_there_are_pages() -> None:
    assert {"integrations.md", "library.md"} <= set(PAGES)
