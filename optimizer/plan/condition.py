"""The conditions on which steps of a plan are taken, and the facts that they may name."""

from __future__ import annotations

import operator
from collections.abc import Callable
from dataclasses import dataclass

NUMBERS = ("tokens", "sentences", "nonprojective", "nonplanar", "not2planar", "covered roots", "root labels")
LISTS = ("root labels",)
COMPARISONS: dict[str, Callable[[float, float], bool]] = {
    ">=": operator.ge,
    "<=": operator.le,
    ">": operator.gt,
    "<": operator.lt,
    "=": operator.eq,
}


@dataclass(frozen=True)
class Condition:
    """When a step is taken. `kind` is leads, kept, uses, given, number or scores."""

    kind: str
    words: tuple[str, ...]
    compare: str = ""
    number: float = 0.0
    text: str = ""
