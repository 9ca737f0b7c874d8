"""A step of a plan: what all verbs have in common, what they may ask of a search, and how their parts are read."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import ClassVar, Protocol

from malt.data.yaml import Tree
from malt.errors import DataError
from malt.optimizer.plan.condition import Condition
from malt.optimizer.plan.facts import Facts
from malt.optimizer.plan.values import Values
from malt.optimizer.trial.attempt import Best, Verdict
from malt.optimizer.trial.setup import Changes, Setup

Pairs = tuple[tuple[str, str], ...]  # options with their values, where a value may be a fact, and "" takes one away
Words = Mapping[str, tuple[str, ...]]  # of an algorithm: name -> what it stands for


class Searcher(Protocol):
    """What a step may ask of the search that it is part of. `margin` is the name of a rule of the plan."""

    facts: Facts
    best: Best
    sure: bool  # whether no score has been assumed so far
    starts: dict[str, Best]  # of each candidate that was tried
    tree: str  # the decision tree, the heading and the contest under which attempts are recorded
    heading: str
    contest: str

    @property
    def candidates(self) -> Mapping[str, Mapping[str, str]]:
        """The candidates of the plan, with their options."""

    @property
    def words(self) -> Words:
        """The words of the algorithm that is the best so far."""

    def walk(self, steps: Iterable[Step]) -> bool:
        """Go through steps; whether any of them kept something."""

    def attempt(self, setup: Setup, margin: str, what: str, lent: Changes | None = None, name: str = "") -> bool:
        """Try a setup, and keep it if it is good enough; whether it was. Options that are lent are not kept."""

    def try_features(self, features: Iterable[str], margin: str) -> bool:
        """The same for other features."""

    def verdict(self, setup: Setup, best: Setup | None, margin: str) -> Verdict:
        """How good a setup is, compared with another one."""

    def is_good(self, verdict: Verdict, margin: str) -> bool:
        """Whether a verdict is good enough for a trial to be kept."""

    def record(
        self, setup: Setup, verdict: Verdict, margin: str, what: str, kept: bool, before: float, name: str = ""
    ) -> None:
        """Write an attempt down."""

    def with_algorithm(self, options: Changes) -> Setup:
        """The best so far with another algorithm and its default features."""

    def resolve(self, options: Iterable[tuple[str, str]]) -> dict[str, str | None]:
        """Options with their values: a fact stands for its first value, nothing takes an option away."""

    def fill(self, templates: Iterable[str], x: str = "") -> Iterator[str]:
        """The features of templates. A word that stands for several gives one feature for each."""

    def in_format(self, features: Iterable[str]) -> tuple[str, ...]:
        """Features with the columns of the treebank's format; those whose column it lacks are left out."""


@dataclass(frozen=True)
class Step(ABC):
    """One step of a search. Each verb is a class of its own: what else may stand beside it, its fields, how it is read,
    and how it is run."""

    also: ClassVar[tuple[str, ...]] = ()  # what may stand in such a step, besides the verb and COMMON

    place: str  # its file and line
    name: str
    condition: Condition | None
    algorithms: tuple[str, ...]  # for which it is taken; none: for all
    then: tuple[Step, ...]
    otherwise: tuple[Step, ...]

    @classmethod
    @abstractmethod
    def read(cls, given: StepReader) -> Step:
        """Read it from a plan."""

    @abstractmethod
    def run(self, search: Searcher) -> bool:
        """Carry it out; whether something was kept."""

    @property
    def inner(self) -> tuple[Step, ...]:
        """The steps that it consists of."""
        return ()

    @property
    def chooses_algorithm(self) -> bool:
        """Whether it is about which algorithm is the best: it is left out where one is asked for."""
        return False

    @property
    def needed(self) -> tuple[str, ...]:
        """The words that an algorithm must have, besides those in templates."""
        return ()

    @property
    def templates(self) -> tuple[str, ...]:
        """What must be a feature, once slots are filled, for every algorithm that the step is for."""
        return ()

    def sample(self, words: Words) -> dict[str, str | int]:
        """What the slots of its templates that it fills in anew each time may stand for."""
        return {}


COMMON = ("name", "if", "for", "then", "else")


@dataclass(frozen=True)
class StepReader:
    """What a plan says in one step, part by part. What is not there is empty, or as `default` says."""

    values: Values
    parts: Mapping[str, Tree]
    argument: Tree  # what stands after the verb
    place: str
    algorithms: tuple[str, ...]
    named: Mapping[str, tuple[Step, ...]]  # the steps under one name that the plan has
    read: Callable[[Tree], tuple[Step, ...]]

    def error(self, message: str) -> DataError:
        """What is wrong with the step."""
        return self.values.error(self.argument, message)

    def common(
        self,
    ) -> tuple[str, str, Condition | None, tuple[str, ...], tuple[Step, ...], tuple[Step, ...]]:
        """The fields that all steps have."""
        name, condition = self.text("name"), self.parts.get("if")
        taken = self.values.condition(condition) if condition else None
        return self.place, name, taken, self.algorithms, self.steps("then"), self.steps("else")

    def steps(self, part: str) -> tuple[Step, ...]:
        """One step or a list of them."""
        return self.read(self.parts[part]) if part in self.parts else ()

    def text(self, part: str) -> str:
        """A text."""
        return self.values.text(self.parts[part]) if part in self.parts else ""

    def texts(self, part: str) -> tuple[str, ...]:
        """One text or a list of them."""
        return self.values.texts(self.parts[part]) if part in self.parts else ()

    def number(self, part: str) -> int | None:
        """A whole number."""
        return self.values.number(self.parts[part]) if part in self.parts else None

    def flag(self, part: str, default: bool = False) -> bool:
        """Yes or no."""
        return self.values.flag(self.parts[part]) if part in self.parts else default

    def options(self, part: str) -> Pairs:
        """Options with their values."""
        return tuple(self.values.options(self.parts[part])) if part in self.parts else ()

    def margin(self, default: str) -> str:
        """The rule by which trials of the step are kept."""
        return self.values.one_of(self.parts["rule"], self.values.margins, "rule") if "rule" in self.parts else default
