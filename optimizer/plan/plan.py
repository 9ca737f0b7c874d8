"""A plan: the search as data. Decision trees, steps, windows, templates and margins, read from YAML and checked.

docs/optimizer.md tells what may stand in a plan; `maltopt plan NAME` prints one.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib import resources
from pathlib import Path

from malt.data.files import read_small
from malt.data.yaml import YamlReader
from malt.errors import DataError, UsageError, nearest

DEFAULT = "default"
PHASES = ("phase1", "phase2", "phase3")
RULES = ("option", "remove", "add")  # these every plan has
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
class Rule:
    """When a trial is kept: if its score is above, or not below, the best so far and a margin."""

    strict: bool
    margin: float

    def keeps(self, score: float, best: float) -> bool:
        """Whether a score is kept over the best. Both have two decimals; their sum is that of binary numbers, as in
        MaltOptimizer."""
        return score > best + self.margin if self.strict else score >= best + self.margin

    def __str__(self) -> str:
        return f"{'>' if self.strict else '>='} {self.margin:g}"


@dataclass(frozen=True)
class Condition:
    """When a step is taken. `kind` is leads, kept, uses, given, number or scores."""

    kind: str
    words: tuple[str, ...]
    compare: str = ""
    number: float = 0.0
    text: str = ""


@dataclass(frozen=True)
class Step:
    """One step of a search: a verb with its argument and what else the plan says of it."""

    verb: str
    place: str  # its file and line
    name: str = ""
    condition: Condition | None = None
    algorithms: tuple[str, ...] = ()  # for which it is taken; none: for all
    items: tuple[str, ...] = ()  # templates, candidates, or what the verb is about
    options: tuple[tuple[str, str], ...] = ()  # option and value, a value may be a fact; "" takes one away
    lent: tuple[tuple[str, str], ...] = ()  # options of the trial that are not kept
    rule: str = ""
    of: tuple[str, ...] = ()
    each: str = ""
    tree: str = ""
    numbers: Mapping[str, int] = field(default_factory=dict)  # shrink, grow, most
    flags: frozenset[str] = frozenset()  # stop, build, skip, together, greedy
    templates: Mapping[str, str] = field(default_factory=dict)
    steps: tuple[Step, ...] = ()
    then: tuple[Step, ...] = ()
    otherwise: tuple[Step, ...] = ()


@dataclass(frozen=True)
class Plan:
    """A search, ready to be run. `text` is what it was read from."""

    name: str
    about: str
    rules: Mapping[str, Rule]
    words: Mapping[str, Mapping[str, tuple[str, ...]]]  # algorithm -> name -> what it stands for
    candidates: Mapping[str, Mapping[str, str]]
    windows: Mapping[str, Mapping[str, str]]  # what a window grows by: name -> kind of feature -> template
    groups: Mapping[str, tuple[str, ...]]  # algorithms under one name
    parts: Mapping[str, tuple[Step, ...]]  # steps under one name
    phases: Mapping[str, tuple[Step, ...]]
    columns: Mapping[str, tuple[str, int]]  # those that it names, each with a file and a line
    start: str
    cost: str
    text: str = field(default="", repr=False)

    def check(self, algorithm: str) -> None:
        """Refuse an algorithm that it has no words for."""
        if algorithm not in self.words:
            known = ", ".join(self.words)
            raise UsageError(f"-a {algorithm}: the plan {self.name} does not know this algorithm; it knows {known}")


def names() -> list[str]:
    """The plans that are built in."""
    folder = resources.files("malt.optimizer") / "plans"
    found = (entry.name.removesuffix(".yaml") for entry in folder.iterdir() if entry.name.endswith(".yaml"))
    return sorted(found, key=lambda name: (name != DEFAULT, name))


def find_plan(name: str = DEFAULT) -> Plan:
    """A plan that is built in, by its name, or one of the user's, by its file.

    >>> find_plan("default").start
    'nivreeager'
    >>> find_plan("defalt")
    Traceback (most recent call last):
    malt.errors.UsageError: plan defalt: there is no such file, and no built-in plan of that name; did you mean default?
    """
    if name in names():
        return _built_in(name)
    if not Path(name).exists():
        hint = nearest(name, names()) or f" ({', '.join(names())})"
        raise UsageError(f"plan {name}: there is no such file, and no built-in plan of that name{hint}")
    return parse_plan(read_small(name, "plan"), name)


@cache
def _built_in(name: str) -> Plan:
    file = f"{name}.yaml"
    return parse_plan((resources.files("malt.optimizer") / "plans" / file).read_bytes(), file)


def parse_plan(data: bytes, file: str) -> Plan:
    """Read a plan.

    >>> parse_plan(b"start: nivreeager\\nrules: {option: sometimes}", "my.yaml")
    Traceback (most recent call last):
    malt.errors.DataError: my.yaml, line 2: 'sometimes' is no rule; expected for example "> 0.05" or ">= 0"
    """
    from malt.optimizer.plan.reader import Reading  # which needs the words of this page

    reader = YamlReader(data, file, "a plan", "this is no YAML")
    first = reader.first()
    if first is None:
        raise DataError("the plan is empty; `maltopt plan default` prints one to begin with", file)
    tree = reader.tree(first)
    reader.finish()
    return Reading(file).plan(tree, data.decode("utf-8", "replace"))
