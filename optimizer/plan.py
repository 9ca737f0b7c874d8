"""A plan: the search as data. Decision trees, steps, windows, templates and margins, read from YAML and checked.

docs/optimizer.md tells what may stand in a plan; `maltopt plan NAME` prints one.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from importlib import resources
from pathlib import Path

from malt.catalogue import catalogue
from malt.errors import DataError, UsageError
from malt.features.specification import FeatureError, parse_feature
from malt.files import read_small
from malt.option import nearest
from malt.optimizer.edits import filled, slots
from malt.systems import find_system
from malt.yaml import Tree, YamlReader

DEFAULT = "default"
PHASES = ("phase1", "phase2", "phase3")
VERBS = {  # each with what else may stand in such a step
    "steps": ("tree",),
    "set": (),
    "try": ("rule", "with"),
    "choose": ("rule", "most"),
    "window": ("of", "shrink", "grow", "templates", "greedy"),
    "remove": ("most", "skip"),
    "add": ("each", "of", "most", "stop", "build", "together"),
    "compete": ("steps",),
    "begin": (),
    "use": (),
}
COMMON = ("name", "if", "for", "then", "else")
SECTIONS = (
    *("about", "like", "start", "cost", "rules", "groups", "words", "candidates", "windows", "parts"),
    *PHASES,
)
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
_RULE = re.compile(r"(>=|>) *([0-9]+(?:\.[0-9]+)?)")
_COMPARED = re.compile(r"(.+?) *(>=|<=|>|<|=) *(.+)")
_NUMBER = re.compile(r"-?[0-9]+(?:\.[0-9]+)?")


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
    start: str
    cost: str
    text: str = field(default="", repr=False)


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
    reader = YamlReader(data, file, "a plan")
    first = reader.first()
    if first is None:
        raise DataError("the plan is empty; `maltopt plan default` prints one to begin with", file)
    tree = reader.tree(first)
    reader.finish()
    return _Reading(file).plan(tree, data.decode("utf-8", "replace"))


class _Reading:
    """Turns the tree of a file into a plan. What does not fit is refused with its line."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.rules: dict[str, Rule] = {}
        self.words: dict[str, dict[str, tuple[str, ...]]] = {}
        self.candidates: dict[str, dict[str, str]] = {}
        self.windows: dict[str, dict[str, str]] = {}
        self.groups: dict[str, tuple[str, ...]] = {}
        self.parts: dict[str, tuple[Step, ...]] = {}

    def error(self, tree: Tree, message: str) -> DataError:
        return DataError(message, self.file, tree.line)

    def plan(self, tree: Tree, text: str) -> Plan:
        parts = self.mapping(tree, "a plan")
        self.known(parts, SECTIONS, "a plan")
        base = self.like(parts["like"]) if "like" in parts else None
        empty = Tree(tree.line, {})
        for name, rule in self.mapping(parts.get("rules", empty), "rules").items():
            self.rules[name] = self.rule(rule)
        missing = [name for name in ("start", "rules", "words", "candidates", "phase2") if name not in parts]
        if missing and base is None:
            raise DataError(f"the plan lacks {', '.join(missing)}; `maltopt plan default` prints one to begin with", self.file)
        for name in RULES:
            if name not in self.rules:
                raise self.error(parts["rules"], f"there is no rule {name}; expected {', '.join(RULES)}")
        for name, group in self.mapping(parts.get("groups", empty), "groups").items():
            self.groups[name] = tuple(self.algorithm(item) for item in self.listed(group))
        for name, words in self.mapping(parts.get("words", empty), "words").items():
            self.algorithm(Tree(words.line, name))
            self.words[name] = {
                word: tuple(self.text(item) for item in self.listed(value))
                for word, value in self.mapping(words, "words of a configuration").items()
            }
        for name, candidate in self.mapping(parts.get("candidates", empty), "candidates").items():
            self.candidates[name] = dict(self.options(candidate))
        for name, window in self.mapping(parts.get("windows", empty), "windows").items():
            self.windows[name] = {kind: self.text(item) for kind, item in self.mapping(window, "a window").items()}
        for name, steps in self.mapping(parts.get("parts", empty), "parts").items():
            self.parts[name] = self.steps(steps)
        phases = dict(base.phases) if base else dict.fromkeys(PHASES, ())
        phases |= {phase: self.steps(parts[phase]) for phase in PHASES if phase in parts}
        start = self.candidate(parts["start"]) if "start" in parts else base.start if base else ""
        return Plan(
            Path(self.file).name.removesuffix(".yaml"),
            self.text(parts["about"]) if "about" in parts else "",
            self.rules,
            self.words,
            self.candidates,
            self.windows,
            self.groups,
            self.parts,
            phases,
            start,
            self.cost(parts["cost"]) if "cost" in parts else base.cost if base else "0.1",
            text,
        )

    def like(self, tree: Tree) -> Plan:
        """The plan that this one is like: what is not said here is as there."""
        if self.text(tree) not in names() or f"{self.text(tree)}.yaml" == self.file:
            raise self.error(tree, f"there is no built-in plan {self.text(tree)!r}; there are {', '.join(names())}")
        base = find_plan(self.text(tree))
        for mine, theirs in (
            (self.rules, base.rules),
            (self.words, base.words),
            (self.candidates, base.candidates),
            (self.windows, base.windows),
            (self.groups, base.groups),
            (self.parts, base.parts),
        ):
            mine.update(theirs)  # type: ignore[arg-type]
        return base

    def cost(self, tree: Tree) -> str:
        list(self.options(Tree(tree.line, {"lib.options": Tree(tree.line, f"-s_4_-c_{self.text(tree)}")})))
        return self.text(tree)

    # -- pieces

    def mapping(self, tree: Tree, what: str) -> dict[str, Tree]:
        if not isinstance(tree.value, dict):
            raise self.error(tree, f"expected {what}, as a mapping of names to values")
        return tree.value

    def listed(self, tree: Tree) -> list[Tree]:
        """The items of a list; anything else is a list of one."""
        return tree.value if isinstance(tree.value, list) else [tree]

    def text(self, tree: Tree) -> str:
        if not isinstance(tree.value, str):
            raise self.error(tree, "expected a single value, not a list or a mapping")
        return tree.value

    def number(self, tree: Tree) -> int:
        text = self.text(tree)
        if not text.isdecimal() or not text.isascii() or len(text) > 6:
            raise self.error(tree, f"expected a number, not {text!r}")
        return int(text)

    def flag(self, tree: Tree) -> bool:
        text = self.text(tree)
        if text not in ("true", "false"):
            raise self.error(tree, f"expected true or false, not {text!r}")
        return text == "true"

    def known(self, parts: Mapping[str, Tree], known: tuple[str, ...], what: str) -> None:
        for name, part in parts.items():
            if name not in known:
                hint = nearest(name, known) or f"; there are {', '.join(known)}"
                raise self.error(part, f"{what} has no {name!r}{hint}")

    def rule(self, tree: Tree) -> Rule:
        match = _RULE.fullmatch(self.text(tree))
        if not match:
            raise self.error(tree, f'{self.text(tree)!r} is no rule; expected for example "> 0.05" or ">= 0"')
        return Rule(match[1] == ">", float(match[2]))

    def algorithm(self, tree: Tree) -> str:
        name = self.text(tree)
        try:
            find_system(name)
        except UsageError as error:
            raise self.error(tree, str(error)) from None
        return name

    def options(self, tree: Tree) -> Iterator[tuple[str, str]]:
        """Options with their values, each checked by the catalogue."""
        every = catalogue().options
        for name, value in self.mapping(tree, "options").items():
            if name not in every:
                raise self.error(value, f"there is no option {name!r}{nearest(name, every)}")
            text = self.text(value)
            if text and text not in LISTS:
                try:
                    every[name].read(text, name)
                except UsageError as error:
                    raise self.error(value, str(error)) from None
            yield name, text

    def condition(self, tree: Tree) -> Condition:
        text = self.text(tree)
        kind, _, rest = text.partition(" ")
        words = tuple(word.strip() for word in rest.split(","))
        if kind in ("leads", "kept"):
            for word in words:
                if word not in self.candidates:
                    raise self.error(tree, f"there is no candidate {word!r}{nearest(word, self.candidates)}")
            return Condition(kind, words, text=text)
        if kind == "uses":
            return Condition(kind, words, text=text)
        if kind == "given":
            for word in words:
                if word not in catalogue().options:
                    raise self.error(tree, f"there is no option {word!r}{nearest(word, catalogue().options)}")
            return Condition(kind, words, text=text)
        match = _COMPARED.fullmatch(text)
        if match and match[1] in NUMBERS and _NUMBER.fullmatch(match[3]):
            return Condition("number", (match[1],), match[2], float(match[3]), text)
        if match and match[1] in self.candidates and match[3] in self.candidates:
            return Condition("scores", (match[1], match[3]), match[2], text=text)
        expected = f'"leads NAME", "kept NAME", "uses COLUMN", "given OPTION", "A > B", or one of {", ".join(NUMBERS)} and a number'
        raise self.error(tree, f"{text!r} is no condition; expected {expected}")

    # -- steps

    def steps(self, tree: Tree) -> tuple[Step, ...]:
        return tuple(self.step(item) for item in self.listed(tree))

    def step(self, tree: Tree) -> Step:
        parts = self.mapping(tree, "a step")
        verbs = [verb for verb in VERBS if verb in parts and not (verb == "steps" and "compete" in parts)]
        if len(verbs) != 1:
            found = f"it has {' and '.join(verbs)}" if verbs else f"it has {', '.join(parts) or 'nothing'}"
            raise self.error(tree, f"a step has one of {', '.join(VERBS)}; {found}")
        verb = verbs[0]
        self.known(parts, (verb, *VERBS[verb], *COMMON), f"a step that says {verb}")
        then, otherwise = (self.steps(parts[name]) if name in parts else () for name in ("then", "else"))
        algorithms: list[str] = []
        for item in self.listed(parts["for"]) if "for" in parts else []:
            algorithms += self.groups.get(self.text(item), ()) or [self.algorithm(item)]
        step = Step(
            verb,
            f"{self.file}:{tree.line}",
            self.text(parts["name"]) if "name" in parts else "",
            self.condition(parts["if"]) if "if" in parts else None,
            tuple(algorithms),
            then=then,
            otherwise=otherwise,
            lent=tuple(self.options(parts["with"])) if "with" in parts else (),
            rule=self.named_rule(parts, verb),
            of=tuple(self.text(item) for item in self.listed(parts["of"])) if "of" in parts else (),
            each=self.text(parts["each"]) if "each" in parts else "",
            tree=self.text(parts["tree"]) if "tree" in parts else "",
            numbers={name: self.number(parts[name]) for name in ("shrink", "grow", "most") if name in parts},
            flags=self.flags(parts),
            templates=self.templates(parts) if verb == "window" else {},
            steps=self.steps(parts["steps"]) if "steps" in parts else (),
        )
        fill = getattr(self, f"_{verb}")
        found: Step = fill(step, parts[verb])
        self.check_features(found, tree)
        return found

    def named_rule(self, parts: Mapping[str, Tree], verb: str) -> str:
        default = {"window": "", "remove": "remove", "add": "add"}.get(verb, "option")
        if "rule" not in parts:
            return default
        name = self.text(parts["rule"])
        if name not in self.rules:
            raise self.error(parts["rule"], f"there is no rule {name!r}; there are {', '.join(self.rules)}")
        return name

    def flags(self, parts: Mapping[str, Tree]) -> frozenset[str]:
        names = ("stop", "build", "skip", "together", "greedy")
        said = {name: self.flag(parts[name]) for name in names if name in parts}
        return frozenset(name for name in names if said.get(name, name in ("stop", "greedy")))

    def templates(self, parts: Mapping[str, Tree]) -> dict[str, str]:
        name = self.text(parts["templates"]) if "templates" in parts else ""
        if name and name not in self.windows:
            raise self.error(parts["templates"], f"there is no window {name!r}; there are {', '.join(self.windows)}")
        return self.windows.get(name, {"InputColumn": "InputColumn({column},{A}[{n+1}])"})

    def _steps(self, step: Step, argument: Tree) -> Step:
        return step

    def _set(self, step: Step, argument: Tree) -> Step:
        return _with(step, options=tuple(self.options(argument)))

    def _try(self, step: Step, argument: Tree) -> Step:
        if isinstance(argument.value, dict):
            return _with(step, options=tuple(self.options(argument)))
        return _with(step, items=(self.candidate(argument),))

    def _choose(self, step: Step, argument: Tree) -> Step:
        """One option with several values, or with a fact that is a list."""
        [*options] = self.mapping(argument, "an option with its values").items()
        if len(options) != 1:
            raise self.error(argument, "choose has one option with its values")
        name, values = options[0]
        texts = [self.text(value) for value in self.listed(values)]
        for value in self.listed(values):
            list(self.options(Tree(value.line, {name: value})))
        return _with(step, items=tuple(texts), options=((name, ""),))

    def _window(self, step: Step, argument: Tree) -> Step:
        if not step.of:
            raise self.error(argument, "a window says `of` which words it is, such as S")
        return _with(step, items=(self.text(argument),))

    def _remove(self, step: Step, argument: Tree) -> Step:
        if isinstance(argument.value, dict):
            kinds = self.mapping(argument, "merged or single, and a column")
            self.known(kinds, ("merged", "single"), "remove")
            return _with(step, items=tuple(self.text(column) for column in kinds.values()), each=next(iter(kinds), ""))
        return _with(step, items=tuple(self.text(item) for item in self.listed(argument)))

    def _add(self, step: Step, argument: Tree) -> Step:
        return _with(step, items=tuple(self.text(item) for item in self.listed(argument)))

    def _compete(self, step: Step, argument: Tree) -> Step:
        if not step.steps:
            raise self.error(argument, "compete needs the steps that each of the best candidates goes through")
        return _with(step, numbers={"most": self.number(argument)})

    def _begin(self, step: Step, argument: Tree) -> Step:
        if self.text(argument) != "empty":
            raise self.error(argument, f"begin: expected empty, not {self.text(argument)!r}")
        return step

    def _use(self, step: Step, argument: Tree) -> Step:
        name = self.text(argument)
        if name not in self.parts:
            raise self.error(argument, f"there is no part {name!r}; there are {', '.join(self.parts) or 'none'}")
        return _with(step, steps=self.parts[name])

    def candidate(self, tree: Tree) -> str:
        name = self.text(tree)
        if name not in self.candidates:
            raise self.error(tree, f"there is no candidate {name!r}{nearest(name, self.candidates)}")
        return name

    def check_features(self, step: Step, tree: Tree) -> None:
        """Every template must give a feature for every algorithm that it is meant for."""
        texts = [*step.templates.values(), *([] if step.each in ("merged", "single") else [step.each])]
        texts += step.items if step.verb in ("add", "remove") and step.each not in ("merged", "single") else []
        sample = {"x": "Input[0]", "n": 1, "column": "POSTAG", "A": "Input"}
        for name in step.algorithms or self.words:
            words = self.words.get(name)
            if words is None:
                raise self.error(tree, f"the plan has no words for {name}; add them to `words`")
            if step.verb in ("window", "add"):
                for word in step.of:
                    if word not in words:
                        raise self.error(tree, f"{name} has no word {word!r}; it has {', '.join(words)}")
            for text in filter(None, texts):
                for word in slots(text) - {*words, *sample}:
                    raise self.error(tree, f"{text}: {name} has no word {word!r}; it has {', '.join(words)}")
                first = {word: values[0] for word, values in words.items() if values}
                try:
                    parse_feature("".join(filled(text, {**first, **sample}).split()))
                except (FeatureError, ValueError) as error:
                    raise self.error(tree, f"{text}: {error}") from None


def _with(step: Step, **changes: object) -> Step:
    return replace(step, **changes)  # type: ignore[arg-type]
