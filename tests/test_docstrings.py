"""The examples in the docstrings run."""

from __future__ import annotations

import doctest
import importlib
import pkgutil

import pytest

import malt

EXTRAS = {
    "malt.running.cluster": "dask",
    "malt.integrations.nltk": "nltk",
    "malt.integrations.spacy": "spacy",
}  # what these modules need, and pip installs only if asked to
MODULES = sorted(module.name for module in pkgutil.walk_packages(malt.__path__, "malt."))


@pytest.mark.parametrize("name", MODULES)
def test_examples(name: str) -> None:
    if name in EXTRAS:
        pytest.importorskip(EXTRAS[name], reason=f"{EXTRAS[name]} is absent: pip install 'maltkit[{EXTRAS[name]}]'")
    assert doctest.testmod(importlib.import_module(name)).failed == 0


def test_there_are_modules() -> None:
    assert "malt.data.treebank" in MODULES
    assert "malt.kernel.symbols" in MODULES
