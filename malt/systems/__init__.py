"""Transition systems: their texts, and how they are found by name."""

from __future__ import annotations

import difflib
import re
from importlib import resources

from malt.errors import UsageError
from malt.systems.language import MOST_STACKS, Definition, Options, parse

MALTPARSER = (
    "nivreeager",
    "nivrestandard",
    "covproj",
    "covnonproj",
    "stackproj",
    "stackeager",
    "stacklazy",
    "planar",
    "2planar",
)
OURS = ("archybrid", "arcstandard2", "planarproj", "attardi")


def find_system(name: str, options: Options | None = None) -> Definition:
    """The definition of a parsing algorithm, with options by their flags; 3planar, 4planar ... have that many stacks.

    >>> find_system("2planar").transitions["RE"]
    [Case(operations=('REDUCE',), restriction=(Atom(predicate='root(top)', negated=True),), forced=False)]
    """
    k, file = 2, name
    if (match := re.fullmatch(r"(\d+)planar", name)) and name != "2planar":
        k, file = int(match[1]), "kplanar"
        if not 3 <= k <= MOST_STACKS or match[1] != str(k):
            raise UsageError(
                f"{name}: for one plane say planar, for two 2planar; otherwise 3planar up to {MOST_STACKS}planar"
            )
    elif name not in MALTPARSER + OURS:
        near = difflib.get_close_matches(name, MALTPARSER + OURS, 1)
        hint = (
            f"did you mean {near[0]}?" if near else f"there are {', '.join(MALTPARSER + OURS)} and Kplanar for K from 3"
        )
        raise UsageError(f"there is no parsing algorithm {name!r}; {hint}")
    text = (resources.files("malt.systems") / f"{file}.txt").read_text(encoding="utf-8")
    return parse(text, name, options, k)
