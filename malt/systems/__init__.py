"""Transition systems: their texts, and how they are found by name."""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping
from functools import cache
from typing import Any

from malt.charts import CHARTS, find_chart, is_chart
from malt.errors import DataError, UsageError
from malt.ownfiles import read_own
from malt.settings.catalogue import catalogue
from malt.systems.language import MOST_STACKS, Definition, Options, parse_system

MALTPARSER = (
    "nivreeager", "nivrestandard", "covproj", "covnonproj", "stackproj", "stackeager", "stacklazy", "planar", "2planar",
)  # fmt: skip
OURS = ("archybrid", "arcstandard2", "planarproj", "attardi")
GRAPHS = (
    "dagstandard",
    "dageager",
)  # their nodes have any number of heads; planar and Kplanar derive graphs with -hd many
ARCS = ("mst", "eisner", *CHARTS)  # they score arcs, and their transitions only derive the best tree
EASY = ("easyfirst",)  # arcs anywhere in the sentence
STRUCTURED_ONLY = (*ARCS, *EASY)  # no classifier can teach them
ALGORITHMS = (*MALTPARSER, "3planar", *OURS)  # 3planar stands for all with more than two planes

_NOT_OWN = {"decoder": "algorithms that are built in, as mst is", "order": "easyfirst, which is built in"}
_K_PLANAR = re.compile(r"(\d{1,9})planar")


def is_algorithm(name: str) -> bool:
    """Whether a name is that of a parsing algorithm; the number of planes is not looked at.

    >>> is_algorithm("2planar"), is_algorithm("2planar.xml")
    (True, False)
    """
    return name in (*ALGORITHMS, *GRAPHS, *STRUCTURED_ONLY) or is_chart(name) or _K_PLANAR.fullmatch(name) is not None


def is_own(name: str) -> bool:
    """Whether a name is that of a system of the user's, which is called like a file.

    >>> is_own("my-system.txt"), is_own("nivreeager")
    (True, False)
    """
    return "." in name or "/" in name


def system_of(settings: Mapping[str, Any], *, parsing: bool = False) -> Definition:
    """The definition that the options of a command choose; -nt enforces trees in parsing only, as in MaltParser."""
    values = options_of(settings)
    values["-nt"] = parsing and values["-nt"]
    return find_system(settings["singlemalt.parsing_algorithm"], values, settings["own.system"])


def options_of(settings: Mapping[str, Any]) -> dict[str, Any]:
    """The options that the text of a system may ask for, by their flags."""
    return {flag: settings[option.key] for flag, option in catalogue().of_systems.items()}


def find_system(name: str, options: Options | None = None, text: str = "") -> Definition:
    """The definition of a parsing algorithm, with options by their flags; 3planar, 4planar ... have that many stacks.
    A name that looks like that of a file is one of the user's own, whose text is given too.

    >>> print(*find_system("2planar").transitions["RE"])
    REDUCE | not root(top)
    """
    return _read(name, tuple(sorted((options or {}).items())), text if is_own(name) else "")


@cache
def _read(name: str, options: tuple[tuple[str, Any], ...], own: str) -> Definition:
    k, file, chart = 2, name, None
    if is_own(name):
        if not own:
            raise UsageError(f"there is no text of the transition system {name}; -a FILE reads one")
        definition = parse_system(own, name, dict(options))
        for number, line in enumerate(own.splitlines() if definition.structured else (), 1):
            if (header := line.partition(":")[0]) in _NOT_OWN:
                raise DataError(f"`{header}` is for {_NOT_OWN[header]}", name, number)
        return definition
    if (match := _K_PLANAR.fullmatch(name)) and name != "2planar":
        k, file = int(match[1]), "kplanar"
        if not 3 <= k <= MOST_STACKS or match[1] != str(k):
            raise UsageError(
                f"{name}: for one plane say planar, for two 2planar; otherwise 3planar up to {MOST_STACKS}planar"
            )
    elif is_chart(name):
        chart, file = find_chart(name), "chart"
    elif name not in (known := MALTPARSER + OURS + GRAPHS + STRUCTURED_ONLY):
        near = difflib.get_close_matches(name, known, 1)
        hint = f"did you mean {near[0]}?" if near else f"there are {', '.join(known)} and Kplanar for K from 3"
        raise UsageError(f"there is no parsing algorithm {name!r}; {hint}")
    text = read_own("malt.systems", f"{file}.txt").decode()
    if chart is not None:
        text = text.replace("CHART", name).replace("TREES", chart.title)
    return parse_system(text, name, dict(options), k)
