"""The values in a plan: numbers, margins, options, conditions. What is wrong is told with its file and line."""

from __future__ import annotations

import operator
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass

from malt.data.yaml import YamlNode
from malt.errors import DataError, UsageError, nearest, quoted
from malt.learning.learner import Learner
from malt.learning.parameters import DEFAULTS
from malt.optimizer.trial.setup import LEARNER_OPTIONS, choosable
from malt.settings.catalogue import catalogue
from malt.systems import find_system
from malt.systems.own import ALGORITHM

OPTION, REMOVE, ADD = MARGINS = ("option", "remove", "add")  # the rules that every plan has
NUMBERS = ("tokens", "sentences", "nonprojective", "nonplanar", "not2planar", "covered roots", "root labels")
LISTS = ("root labels",)
COMPARISONS = {">=": operator.ge, "<=": operator.le, ">": operator.gt, "<": operator.lt, "=": operator.eq}
LARGEST = 100  # number of anything in a plan
SIGNIFICANT = "significant"
LEVEL = 0.05  # chances below this count as unlikely
MANY = 20  # names, which an error does not list
_RULE = re.compile(r"(>=|>) *([0-9]{1,3}(?:\.[0-9]{1,9})?)")
_COMPARED = re.compile(r"([^<>=]+?) *(>=|<=|>|<|=) *([^<>=]+)")
_NUMBER = re.compile(r"[0-9]{1,12}(?:\.[0-9]{1,9})?")
_COST = re.compile(r"[0-9]{1,9}(?:\.[0-9]{1,9})?")


@dataclass(frozen=True)
class Margin:
    """How much better a trial must be to be kept: its score above, or not below, the best so far and so many points.
    Plans call it a rule, and have several, by name."""

    strict: bool
    points: float
    significant: bool = False  # whether the gain must be unlikely by chance, too

    def keeps(self, score: float, best: float) -> bool:
        """Whether a score is kept over the best. Both have two decimals; their sum is that of binary numbers, as in
        MaltOptimizer."""
        return score > best + self.points if self.strict else score >= best + self.points

    def convinces(self, p: float | None, tried: int) -> bool:
        """Whether a gain is no matter of chance, if that is asked for. The more are tried, the more of them look good
        by chance, so p is multiplied by how many were tried so far (Bonferroni)."""
        return not self.significant or p is None or p * max(1, tried) <= LEVEL

    def __str__(self) -> str:
        if self.significant:
            return SIGNIFICANT
        return f"{'>' if self.strict else '>='} {self.points:g}"


@dataclass(frozen=True)
class Condition:
    """When a step is taken. `kind` is leads, kept, uses, given, number or scores."""

    kind: str
    words: tuple[str, ...]
    compare: str = ""
    number: float = 0.0
    text: str = ""


class ValueReader:
    """Turns the leaves of a file into values, which may be names that the plan itself has given to things."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.margins: dict[str, Margin] = {}
        self.groups: dict[str, tuple[str, ...]] = {}
        self.words: dict[str, dict[str, tuple[str, ...]]] = {}
        self.candidates: dict[str, dict[str, str]] = {}
        self.windows: dict[str, dict[str, str]] = {}
        self.columns: dict[str, tuple[str, int]] = {}
        self.systems: dict[str, str] = {}  # texts

    def error(self, tree: YamlNode, message: str) -> DataError:
        """What is wrong with a value."""
        return DataError(message, self.file, tree.line)

    def mapping(self, tree: YamlNode, what: str) -> dict[str, YamlNode]:
        """Names with values."""
        if not isinstance(tree.value, dict):
            raise self.error(tree, f"expected {what}, as a mapping of names to values")
        return tree.value

    def listed(self, tree: YamlNode) -> list[YamlNode]:
        """The items of a list; anything else is a list of one."""
        return tree.value if isinstance(tree.value, list) else [tree]

    def text(self, tree: YamlNode) -> str:
        """A text."""
        if not isinstance(tree.value, str):
            raise self.error(tree, "expected a single value, not a list or a mapping")
        return tree.value

    def texts(self, tree: YamlNode) -> tuple[str, ...]:
        """One text or a list of them."""
        return tuple(map(self.text, self.listed(tree)))

    def number(self, tree: YamlNode, least: int = 0) -> int:
        """A whole number."""
        text = self.text(tree)
        if not (text.isdecimal() and text.isascii() and len(text) <= 6 and least <= int(text) <= LARGEST):
            raise self.error(tree, f"expected a number from {least} to {LARGEST}, not {quoted(text)}")
        return int(text)

    def flag(self, tree: YamlNode) -> bool:
        """Yes or no."""
        text = self.text(tree)
        if text not in ("true", "false"):
            raise self.error(tree, f"expected true or false, not {quoted(text)}")
        return text == "true"

    def cost(self, tree: YamlNode) -> str:
        """The cost of errors in training."""
        text = self.text(tree)
        if not _COST.fullmatch(text) or float(text) <= 0:
            expected = "a number above 0 and below 1000000000, such as 0.1"
            raise self.error(tree, f"cost: expected {expected}, not {quoted(text)}")
        return text

    def one_of(self, tree: YamlNode, known: Collection[str], what: str) -> str:
        """The name of something that there is."""
        name = self.text(tree)
        if name not in known:
            listed = f"; there are {', '.join(known) or 'none'}" if len(known) < MANY else ""
            raise self.error(tree, f"there is no {what} {quoted(name)}{nearest(name, known) or listed}")
        return name

    def refuse_unknown(self, parts: Mapping[str, YamlNode], known: Collection[str], what: str) -> None:
        """Refuse names that mean nothing here."""
        for name, part in parts.items():
            if name not in known:
                hint = nearest(name, known) or f"; there are {', '.join(known)}"
                raise self.error(part, f"{what} has no {quoted(name)}{hint}")

    def margin(self, tree: YamlNode) -> Margin:
        """When a trial is kept."""
        if self.text(tree) == SIGNIFICANT:
            return Margin(True, 0.0, True)
        match = _RULE.fullmatch(self.text(tree))
        if not match:
            expected = f'for example "> 0.05" or ">= 0", or {SIGNIFICANT}'
            raise self.error(tree, f"{quoted(self.text(tree))} is no rule; expected {expected}")
        return Margin(match[1] == ">", float(match[2]))

    def algorithms(self, tree: YamlNode) -> tuple[str, ...]:
        """Algorithms, by their names and those of groups."""
        found: list[str] = []
        for item in self.listed(tree):
            found += self.groups.get(self.text(item), ()) or [self.algorithm(item)]
        if not found:
            raise self.error(tree, "`for` names no algorithm")
        return tuple(found)

    def algorithm(self, tree: YamlNode) -> str:
        """A parsing algorithm."""
        name = self.text(tree)
        try:
            find_system(name, text=self.systems.get(name, ""))
        except UsageError as error:
            raise self.error(tree, str(error)) from None
        return name

    def column(self, name: str, tree: YamlNode) -> str:
        """A column; whether the treebank has it is seen when there is one."""
        if not re.fullmatch(r"\w+", name):
            raise self.error(tree, f"expected the name of a column, such as POSTAG, not {quoted(name)}")
        self.columns.setdefault(name, (self.file, tree.line))
        return name

    def options(self, tree: YamlNode, *, algorithm: bool = False) -> tuple[tuple[str, str], ...]:
        """Options with their values, each checked by the catalogue. Only a candidate says which algorithm is meant."""
        every = catalogue().options
        given = self.mapping(tree, "options")
        if not given:
            raise self.error(tree, "expected one option or more, as a mapping of names to values")
        found = []
        for name, value in given.items():
            if name not in every:
                raise self.error(value, f"there is no option {quoted(name)}{nearest(name, every)}")
            if not choosable(name):
                raise self.error(value, f"{name} is no option that a search may choose")
            if name == ALGORITHM and not algorithm:
                raise self.error(value, f"{name}: another algorithm has other features; try a candidate instead")
            found.append((name, self.value(name, value)))
        return tuple(found)

    def value(self, name: str, tree: YamlNode) -> str:
        """The value of an option: one that it can have, a fact that is a list of texts, or nothing for its default."""
        text, option = self.text(tree), catalogue().options[name]
        if name == ALGORITHM:
            return self.algorithm(tree)
        if not text or (text in LISTS and option.type == "string"):
            return text
        try:
            option.read(text, name)
            if name == LEARNER_OPTIONS:
                _check_learner(text)
        except UsageError as error:
            raise self.error(tree, str(error)) from None
        return text

    def condition(self, tree: YamlNode) -> Condition:
        """When a step is taken."""
        text = self.text(tree)
        kind, _, rest = text.partition(" ")
        words = tuple(word.strip() for word in rest.split(","))
        known: dict[str, tuple[str, Collection[str]]] = dict.fromkeys(("leads", "kept"), ("candidate", self.candidates))
        known["given"] = ("option that a search may choose,", [name for name in catalogue().options if choosable(name)])
        if kind in known:
            for word in words:
                self.one_of(YamlNode(tree.line, word), known[kind][1], known[kind][0])
            return Condition(kind, words, text=text)
        if kind == "uses":
            return Condition(kind, tuple(self.column(word, tree) for word in words), text=text)
        match = _COMPARED.fullmatch(text)
        if match and match[1] in NUMBERS and _NUMBER.fullmatch(match[3]):
            return Condition("number", (match[1],), match[2], float(match[3]), text)
        if match and match[1] in self.candidates and match[3] in self.candidates:
            return Condition("scores", (match[1], match[3]), match[2], text=text)
        kinds = '"leads NAME", "kept NAME", "uses COLUMN", "given OPTION", "CANDIDATE > CANDIDATE"'
        expected = f"{kinds}, or a number, such as nonprojective > 15, of {', '.join(NUMBERS)}"
        raise self.error(tree, f"{quoted(text)} is no condition; expected {expected}")


def _check_learner(text: str) -> None:
    """Refuse parameters that no learner has."""
    wrong: list[UsageError] = []
    for name in DEFAULTS:
        try:
            Learner(name, text)
        except UsageError as error:
            wrong.append(error)
    if len(wrong) == len(DEFAULTS):
        raise wrong[0]
