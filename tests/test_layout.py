"""How the code is laid out: what docs/layout.md promises of modules and imports."""

from __future__ import annotations

import ast
import re
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

from malt.features.functions import FUNCTIONS
from malt.systems.language import OPERATIONS, PAIRS, PREDICATES, QUESTIONS

ROOT = Path(__file__).parent.parent
PACKAGES = {"malt": "malt", "optimizer": "malt.optimizer", "options": "malt.options"}  # folder -> package
_CYTHON = re.compile(r"^\s*(?:from (malt[\w.]*) c?import ([\w, *]+|\()|c?import (malt[\w.]*))", re.M)


def modules() -> dict[str, list[Path]]:
    """The files of each module; those of the kernel have several."""
    found: dict[str, list[Path]] = {}
    for folder, package in PACKAGES.items():
        for path in sorted((ROOT / folder).rglob("*.p*")):
            if path.suffix in (".py", ".pyx", ".pxd"):
                parts = path.relative_to(ROOT / folder).with_suffix("").parts
                found.setdefault(".".join([package, *parts]).removesuffix(".__init__"), []).append(path)
    return found


def only_re_exports(path: Path) -> bool:
    """Whether a package's file has nothing but imports."""
    kinds = (ast.Import, ast.ImportFrom, ast.Expr)  # an expression is its docstring
    body = ast.parse(path.read_text()).body if path.name == "__init__.py" else [ast.Pass()]
    return all(isinstance(node, kinds) or ast.unparse(node).startswith("__all__ =") for node in body)


def imports(path: Path, known: set[str]) -> set[str]:
    """The modules that a file imports, anywhere in it: in functions and for types, too."""

    def module(base: str, name: str) -> str:
        return f"{base}.{name}" if f"{base}.{name}" in known else base

    text = path.read_text()
    if path.suffix != ".py":
        found = set()
        for base, names, whole in _CYTHON.findall(text):
            found |= {module(base, name.strip()) for name in names.split(",")} if base else {whole}
        return found
    found = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}, line {node.lineno}: a relative import"
            found |= {module(node.module or "", name.name) for name in node.names}
        elif isinstance(node, ast.Import):
            found |= {name.name for name in node.names}
    return found


def test_imports_have_no_cycle() -> None:
    files = modules()
    counted = {name for name, paths in files.items() if not only_re_exports(paths[0])}
    graph = {
        name: set().union(*(imports(path, set(files)) for path in files[name])) & counted - {name} for name in counted
    }
    assert len(graph) > 150
    assert graph["malt.data.treebank"] >= {"malt.data.block", "malt.kernel.reader"}
    assert "malt.kernel.symbols" in graph["malt.kernel.reader"]
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        raise AssertionError(f"modules import each other: {' -> '.join(reversed(error.args[1]))}") from None


_NAMED = re.compile(r"`([^`]+)`")
_SUFFIXES = (".py", ".pyx", ".pxd", ".pyi", ".yaml", ".md", ".txt", ".css", ".toml", ".yml", ".xml")


def paths_in(text: str) -> list[str]:
    """The paths among what a text has in backticks; NAME, NOUN and LEARNER stand for whatever one adds."""
    words = [word for word in _NAMED.findall(text) if re.fullmatch(r"[\w.*/-]+", word)]
    found = [word for word in words if word.endswith((*_SUFFIXES, "/")) or (ROOT / word).exists()]
    named = [word for word in found if word not in _SUFFIXES and ("/" in word or word.endswith(_SUFFIXES))]
    return [re.sub("NAME|NOUN|LEARNER", "*", word) for word in named]


def test_every_path_exists() -> None:
    page = (ROOT / "docs" / "layout.md").read_text()
    paths = paths_in(page)
    assert len(paths) > 70
    assert [path for path in paths if not any(ROOT.glob(path.rstrip("/")))] == []


def test_every_name_in_the_table_of_where_to_add_exists() -> None:
    """A name has to stand in one of the files that its row names, or in a file of a folder that it names."""
    table = (ROOT / "docs" / "layout.md").read_text().partition("## Where to add")[2].partition("\n## ")[0]
    rows = [line for line in table.splitlines() if line.startswith("| ") and not line.startswith("| what ")]
    wanted = [
        "operation",
        "predicate",
        "feature function",
        "learner",
        "policy of search",
        "verb of a plan",
        "format",
        "page",
    ]
    assert [what for what in wanted if not any(row.split(" | ")[0].endswith(what) for row in rows)] == []
    missing, checked = [], 0
    for row in rows:
        files = [file for path in paths_in(row) for file in ROOT.glob(path.rstrip("/"))]
        files += [inner for folder in files if folder.is_dir() for inner in folder.glob("*.p*")]
        text = "\n".join(file.read_text() for file in files if file.is_file())
        for name in re.findall(r"`([A-Za-z_]\w*(?:\.\w+)*)`", row):
            if name.isupper() or re.search(r"[A-Z_.]", name) or name in ("demand", "dependent", "train", "page"):
                checked += 1
                missing += [f"{name} in: {row[:40]}"] * any(part not in text for part in name.split("."))
    assert missing == []
    assert checked >= 30


def test_the_pages_name_every_operation_predicate_and_function() -> None:
    systems = (ROOT / "docs" / "transition-systems.md").read_text().replace(", ", ",")
    assert [name for name in (*OPERATIONS, *PREDICATES, *PAIRS) if name not in systems] == []
    assert [name for name in QUESTIONS if name.partition("(")[0] not in systems] == []
    features = (ROOT / "docs" / "feature-models.md").read_text()
    assert [name for name in FUNCTIONS if name not in features] == []


def test_every_package_is_installed() -> None:
    """`pip install .` takes the packages that pyproject.toml lists, and a clone has them all without it."""
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    listed = set(re.findall(r'^  "(malt[\w.]*)",$', text, re.MULTILINE))
    folders = {"malt": "malt", "optimizer": "malt.optimizer", "options": "malt.options"}
    found = {
        ".".join([name, *file.parent.relative_to(ROOT / folder).parts])
        for folder, name in folders.items()
        for file in (ROOT / folder).rglob("__init__.py")
    }
    assert found <= listed
