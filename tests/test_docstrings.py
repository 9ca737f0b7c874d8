"""The examples in the docstrings run, every one of them."""

from __future__ import annotations

import doctest
import importlib
import pkgutil
import re
from pathlib import Path
from types import ModuleType

import pytest

import malt
import malt.optimizer

EXTRAS = {
    "malt.running.cluster": "dask",
    "malt.integrations.nltk": "nltk",
    "malt.integrations.spacy": "spacy",
}  # what these modules need, and pip installs only if asked to
KERNEL = Path(__file__).resolve().parent.parent / "malt" / "kernel"
# In a checkout, malt.optimizer is a folder that is not within that of malt.
MODULES = sorted(
    {
        module.name
        for top in (malt, malt.optimizer)
        for module in pkgutil.walk_packages(top.__path__, f"{top.__name__}.")
    }
)


def written(module: ModuleType) -> int:
    """How many examples stand in the source of a module."""
    assert module.__file__
    source = Path(module.__file__)
    if source.suffix != ".py":
        source = KERNEL / f"{module.__name__.rpartition('.')[2]}.pyx"
    return len(re.findall(r"^ *>>> ", source.read_text("utf-8"), re.MULTILINE)) if source.exists() else 0


@pytest.mark.parametrize("name", MODULES)
def test_examples(name: str) -> None:
    if name in EXTRAS:
        pytest.importorskip(EXTRAS[name], reason=f"{EXTRAS[name]} is absent: pip install 'maltkit[{EXTRAS[name]}]'")
    module = importlib.import_module(name)
    done = doctest.testmod(module)
    assert done.failed == 0
    assert done.attempted >= written(module), "doctest does not find some (of a cached_property, for one)"


def test_there_are_examples() -> None:
    assert {"malt.data.treebank", "malt.kernel.symbols", "malt.optimizer.plan.plan"} < set(MODULES)
    assert sum(written(importlib.import_module(name)) for name in MODULES if name not in EXTRAS) >= 500
