"""MaltParser in Python: data-driven, transition-based dependency parsing.

import malt

model = malt.train("train.conll", algorithm="2planar")
model.save("danish")

model = malt.load("danish")
for sentence in model.parse("test.conll"):
    print(sentence)
model.parse_tokens([("Hunde", "NOUN"), ("gør", "VERB")]).heads

from sklearn.model_selection import cross_val_score
cross_val_score(malt.DependencyParser("2planar"), malt.read("train.conll"))
"""

from __future__ import annotations

from malt.version import __version__ as __version__

__all__ = [
    "Blend",
    "Configuration",
    "DataError",
    "DependencyParser",
    "MaltError",
    "MaltWarning",
    "Model",
    "Oracle",
    "Sentence",
    "UsageError",
    "blend",
    "derive_theory",
    "evaluate",
    "evaluate_text",
    "find_system",
    "load",
    "open_treebank",
    "parse_partition",
    "parse_system",
    "read",
    "sample",
    "train",
]

TYPE_CHECKING = False  # checkers take it for true; to import typing would be most of the time that this takes
if TYPE_CHECKING:
    from malt import sample
    from malt.data.sentence import Sentence
    from malt.data.treebank import open_treebank
    from malt.errors import DataError, MaltError, MaltWarning, UsageError
    from malt.evaluation.evaluation import evaluate
    from malt.evaluation.text import evaluate_text
    from malt.integrations.partitions import parse_partition
    from malt.integrations.sklearn import DependencyParser
    from malt.library import blend, load, read, train
    from malt.model import Blend, Model
    from malt.systems import find_system
    from malt.systems.configuration import Configuration
    from malt.systems.language import parse_system
    from malt.systems.oracle import Oracle
    from malt.systems.theory import derive_theory

_MODULES = {
    "Blend": "malt.model",
    "Configuration": "malt.systems.configuration",
    "DataError": "malt.errors",
    "DependencyParser": "malt.integrations.sklearn",
    "MaltError": "malt.errors",
    "MaltWarning": "malt.errors",
    "Model": "malt.model",
    "Oracle": "malt.systems.oracle",
    "Sentence": "malt.data.sentence",
    "UsageError": "malt.errors",
    "blend": "malt.library",
    "derive_theory": "malt.systems.theory",
    "evaluate": "malt.evaluation.evaluation",
    "evaluate_text": "malt.evaluation.text",
    "find_system": "malt.systems",
    "load": "malt.library",
    "open_treebank": "malt.data.treebank",
    "parse_partition": "malt.integrations.partitions",
    "parse_system": "malt.systems.language",
    "read": "malt.library",
    "train": "malt.library",
}


def __getattr__(name: str) -> object:
    """Import what is asked for, and not before: `malt --version` needs none of it."""
    from importlib import import_module

    if name in ("optimizer", "sample"):
        return import_module(f"malt.{name}")
    if name not in _MODULES:
        raise AttributeError(f"module 'malt' has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(_MODULES[name]), name)
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
