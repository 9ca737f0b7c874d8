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
import yaml

DOCS = Path(__file__).resolve().parent.parent / "docs"
PAGES = sorted(path.name for path in DOCS.glob("*.md"))
NEEDS = {"integrations.md": ("nltk", "spacy"), "scale.md": ("dask",)}
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
BLOCK = re.compile(r"^```(pycon|python|console)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def read(page: str) -> str:
    return (DOCS / page).read_text(encoding="utf-8")


def blocks(page: str) -> Iterator[tuple[str, str, int]]:
    """Kind, text and first line of every block that is run."""
    text = read(page)
    for match in BLOCK.finditer(text):
        yield match[1], match[2], text.count("\n", 0, match.start(2))


@pytest.mark.slow
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


def test_every_page_is_listed() -> None:
    def listed(nav: object) -> Iterator[str]:
        for item in nav if isinstance(nav, list) else nav.values() if isinstance(nav, dict) else [nav]:
            yield from [item] if isinstance(item, str) else listed(item)

    nav = yaml.safe_load((DOCS.parent / "mkdocs.yml").read_text(encoding="utf-8"))["nav"]
    assert sorted(listed(nav)) == PAGES, "mkdocs.yml lists the pages"
    assert sorted(["index.md", *targets("index.md")]) == PAGES, "docs/index.md lists the pages"


@pytest.mark.parametrize("page", PAGES)
def test_links(page: str) -> None:
    for target, anchor in targets(page).items():
        assert (DOCS / target).exists(), f"{page} links to {target}"
        assert anchor <= anchors(target), f"{page} links to {target}"


def targets(page: str) -> dict[str, set[str]]:
    """The files of this folder that a page links to, each with the headings."""
    found: dict[str, set[str]] = {}
    for link in re.findall(r"\]\(([^)\s]+)\)", re.sub(r"^```.*?^```$", "", read(page), flags=re.MULTILINE | re.DOTALL)):
        if "://" not in link:
            target, _, anchor = link.partition("#")
            found.setdefault(target or page, set()).update([anchor] if anchor else [])
    return found


def anchors(page: str) -> set[str]:
    """The headings of a page as links name them."""
    headings = re.findall(r"^#+ (.*)$", read(page), flags=re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}
