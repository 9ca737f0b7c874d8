"""How the code is laid out: what docs/layout.md promises of modules and imports."""

from __future__ import annotations

import ast
import re
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

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
