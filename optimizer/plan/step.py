"""A step of a plan: what all verbs have in common, what they may ask of a search, and how their parts are read."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import ClassVar, Protocol, TypeVar

from malt.data.yaml import YamlNode
from malt.errors import DataError
from malt.optimizer.plan.facts import Facts
from malt.optimizer.plan.values import Condition, ValueReader
from malt.optimizer.trial.attempt import Best, Verdict
from malt.optimizer.trial.setup import Changes, Setup

Pairs = tuple[tuple[str, str], ...]  # options with their values, where a value may be a fact, and "" takes one away
COMMON = ("name", "if", "for", "then", "else")  # what may stand in every step
Read = TypeVar("Read")
Default = TypeVar("Default")
Meanings = Mapping[str, tuple[str, ...]]  # of the words of an algorithm
Slots = Mapping[str, str | int]


class Searcher(Protocol):
    """What a step may ask of the search that it is part of; `Search` says what each does."""

    facts: Facts
    best: Best
    sure: bool
    starts: dict[str, Best]
    tree: str
    heading: str
    contest: str
    worth: dict[str, float]
    last: Verdict

    @property
    def groups(self) -> Mapping[str, tuple[str, ...]]: ...
    @property
    def default_features(self) -> tuple[str, ...]: ...
    @property
    def candidates(self) -> Mapping[str, Changes]: ...
    @property
    def words(self) -> Meanings: ...
    def leave(self) -> None: ...
    def walk(self, steps: Iterable[Step]) -> bool: ...
    def attempt(self, setup: Setup, margin: str, what: str, lent: Changes | None = ..., name: str = ...) -> bool: ...
    def try_features(self, features: Iterable[str], margin: str, what: str = ...) -> bool: ...
    def verdict(self, setup: Setup, best: Setup | None, margin: str) -> Verdict: ...
    def is_good(self, verdict: Verdict, margin: str) -> bool: ...
    def record(
        self, setup: Setup, verdict: Verdict, margin: str, what: str, kept: bool, before: float, name: str = ...
    ) -> None: ...
    def with_algorithm(self, options: Changes) -> Setup: ...
    def resolve(self, options: Pairs) -> Changes: ...
    def fill(self, templates: Iterable[str], x: str = ...) -> Iterator[str]: ...
    def in_format(self, features: Iterable[str]) -> tuple[str, ...]: ...


@dataclass(frozen=True)
class Step(ABC):
    """One step of a search. Each verb is a class of its own, which has its fields, reads itself and runs itself."""

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

    def templates(self, words: Meanings) -> tuple[tuple[str, ...], Slots]:
        """What must be features of every algorithm that it is for, once slots are filled, and what the slots may stand
        for that it fills in by itself. A word that an algorithm lacks is a KeyError."""
        return (), {}


@dataclass(frozen=True)
class StepReader:
    """What a plan says in one step, part by part."""

    values: ValueReader
    parts: Mapping[str, YamlNode]
    argument: YamlNode  # what stands after the verb
    place: str
    algorithms: tuple[str, ...]
    named: Mapping[str, tuple[Step, ...]]  # the steps under one name that the plan has
    steps: Callable[[YamlNode], tuple[Step, ...]]  # reads one step, or a list of them

    def error(self, message: str) -> DataError:
        """What is wrong with the step."""
        return self.values.error(self.argument, message)

    def part(self, name: str, read: Callable[[YamlNode], Read], default: Default) -> Read | Default:
        """A part, read as a number, say; the default, if it is not there."""
        return read(self.parts[name]) if name in self.parts else default

    def common(self) -> tuple[str, str, Condition | None, tuple[str, ...], tuple[Step, ...], tuple[Step, ...]]:
        """The fields that all steps have."""
        name = self.part("name", self.values.text, "")
        condition = self.part("if", self.values.condition, None)
        then, otherwise = self.part("then", self.steps, ()), self.part("else", self.steps, ())
        return self.place, name, condition, self.algorithms, then, otherwise

    def margin(self, default: str) -> str:
        """The rule by which trials of the step are kept."""
        return self.part("rule", lambda rule: self.values.one_of(rule, self.values.margins, "rule"), default)
