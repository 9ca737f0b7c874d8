"""Plans by their names or files, and how they are read from YAML: their sections, and the steps in them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from pathlib import Path

from malt.data.files import read_small
from malt.data.yaml import YamlNode, YamlReader
from malt.errors import DataError, UsageError, nearest, quoted
from malt.features.check import find_problems
from malt.features.syntax import FeatureText, excerpt, strip_blanks
from malt.optimizer.plan.edits import fill, slots
from malt.optimizer.plan.plan import HOLDOUT, PHASES, Plan, usual_words
from malt.optimizer.plan.step import COMMON, Slots, Step, StepReader
from malt.optimizer.plan.values import MARGINS, ValueReader
from malt.optimizer.plan.verbs import VERBS
from malt.ownfiles import own_folder, read_own
from malt.systems import find_system, is_own
from malt.systems.compiler import compile_system
from malt.systems.own import ALGORITHM, TEXT

DEFAULT = "default"
MOST_STEPS = 10_000
NAMED = ("rules", "systems", "groups", "words", "candidates", "windows", "parts")  # sections that give names to things
SECTIONS = ("about", "like", "more", "start", "cost", "holdout", "screen", *NAMED, *PHASES)
NEEDED = ("start", "rules", "words", "candidates", "phase2")  # in a plan that is like no other
_CHANCE = re.compile(r"0(?:\.[0-9]{1,9})?|1(?:\.0{1,9})?")
_COLUMN = re.compile(r"(?<=putColumn\()\w+(?=,)")


def plan_names() -> list[str]:
    """The plans that are built in."""
    found = (path.stem for path in Path(own_folder("malt.optimizer"), "plans").glob("*.yaml"))
    return sorted(found, key=lambda name: (name != DEFAULT, name))


def find_plan(name: str = DEFAULT) -> Plan:
    """A plan that is built in, by its name, or one of the user's, by its file.

    >>> find_plan("default").start
    'nivreeager'
    >>> find_plan("defalt")
    Traceback (most recent call last):
    malt.errors.UsageError: plan defalt: there is no such file, and no built-in plan of that name; did you mean default?
    """
    if name in plan_names():
        return _built_in(name)
    if not Path(name).exists():
        hint = nearest(name, plan_names()) or f" ({', '.join(plan_names())})"
        raise UsageError(f"plan {name}: there is no such file, and no built-in plan of that name{hint}")
    return parse_plan(read_small(name, "plan"), name)


@cache
def _built_in(name: str) -> Plan:
    file = f"{name}.yaml"
    return parse_plan(read_own("malt.optimizer", "plans", file), file)


def parse_plan(data: bytes, file: str) -> Plan:
    """Read a plan.

    >>> parse_plan(b"start: nivreeager\\nrules: {option: sometimes}", "my.yaml")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    malt.errors.DataError: my.yaml, line 2: 'sometimes' is no rule; expected for example "> 0.05" or ">= 0", ...
    """
    reader = YamlReader(data, file, "a plan", "this is no YAML")
    first = reader.first()
    if first is None:
        raise DataError("the plan is empty; `maltopt plan default` prints one to begin with", file)
    tree = reader.tree(first)
    reader.finish()
    return PlanReader(file).plan(tree, data.decode("utf-8", "replace"))


class PlanReader(ValueReader):
    """Turns the tree of a file into a plan. What does not fit is refused with its line."""

    def __init__(self, file: str) -> None:
        super().__init__(file)
        self.parts: dict[str, tuple[Step, ...]] = {}
        self._places: dict[int, int] = {}  # line -> steps that begin there
        self._scope: tuple[str, ...] = ()  # the algorithms for which the steps are that are being read

    def plan(self, tree: YamlNode, text: str) -> Plan:
        """The whole of it."""
        parts = self.mapping(tree, "a plan")
        self.refuse_unknown(parts, SECTIONS, "a plan")
        base = self.like(parts["like"]) if "like" in parts else None
        found = {name: self.mapping(parts[name], name) for name in NAMED if name in parts}
        for name, rule in found.get("rules", {}).items():
            self.margins[name] = self.margin(rule)
        missing = [name for name in NEEDED if name not in parts]
        if missing and base is None:
            raise DataError(
                f"the plan lacks {', '.join(missing)}; `maltopt plan default` prints one to begin with", self.file
            )
        for name in MARGINS:
            if name not in self.margins:
                raise self.error(parts["rules"], f"there is no rule {name}; expected {', '.join(MARGINS)}")
        for name, system in found.get("systems", {}).items():
            self.system(name, system)
        for name, group in found.get("groups", {}).items():
            self.groups[name] = tuple(self.algorithm(item) for item in self.listed(group))
        for name, words in found.get("words", {}).items():
            self.words[self.algorithm(YamlNode(words.line, name))] = self.meanings(words)
        for name, text in self.systems.items():
            if name not in self.words and (usual := usual_words(find_system(name, text=text), self.words)):
                self.words[name] = dict(usual)
        for name, candidate in found.get("candidates", {}).items():
            self.candidates[name] = self.candidate(name, candidate)
        for name, window in found.get("windows", {}).items():
            self.windows[name] = {kind: self.text(item) for kind, item in self.mapping(window, "a window").items()}
            self.refuse_unknown(self.mapping(window, "a window"), ("InputColumn", "Merge", "Merge3"), "a window")
        for name, steps in found.get("parts", {}).items():
            self.parts[name] = self.steps(steps)
        phases = dict(base.phases) if base else dict.fromkeys(PHASES, ())
        phases |= {phase: self.steps(parts[phase]) for phase in PHASES if phase in parts}
        if count_steps([step for phase in PHASES for step in phases[phase]]) > MOST_STEPS:
            raise self.error(tree, f"the plan has more than {MOST_STEPS:,} steps, those of its parts each time counted")
        about = self.text(parts["about"]) if "about" in parts else ""
        start, cost = (base.start, base.cost) if base else ("", "0.1")
        if "start" in parts:
            start = self.one_of(parts["start"], self.candidates, "candidate")
        if "cost" in parts:
            cost = self.cost(parts["cost"])
        holdout = base.holdout if base else HOLDOUT
        if "holdout" in parts:
            holdout = self.holdout(parts["holdout"])
        screen = base.screen if base else None
        if "screen" in parts:
            screen = self.screen(parts["screen"])
        more = base.more if base else ""
        if "more" in parts:
            more = self.text(parts["more"]) and self.one_of(parts["more"], plan_names(), "built-in plan")
        return Plan(
            Path(self.file).name.removesuffix(".yaml"),
            about,
            self.margins,
            self.words,
            self.candidates,
            self.windows,
            self.groups,
            self.parts,
            phases,
            self.columns,
            start,
            cost,
            holdout,
            more,
            text,
            self.systems,
            screen,
        )

    def like(self, tree: YamlNode) -> Plan:
        """The plan that this one is like: what is not said here is as there."""
        base = find_plan(self.one_of(tree, plan_names(), "built-in plan"))
        self.margins.update(base.margins)
        self.systems.update(base.systems)
        self.words.update({name: dict(words) for name, words in base.words.items()})
        self.candidates.update({name: dict(options) for name, options in base.candidates.items()})
        self.windows.update({name: dict(window) for name, window in base.windows.items()})
        self.groups.update(base.groups)
        self.parts.update(base.parts)
        self.columns.update(base.columns)
        return base

    def holdout(self, tree: YamlNode) -> int:
        """Every how many sentences one is held out."""
        every = self.number(tree)
        if every == 1:
            raise self.error(
                tree, "holdout: with 1, every sentence would be held out; expected 0 for none, or 2 or more"
            )
        return every

    def screen(self, tree: YamlNode) -> float | None:
        """The chance below which rough trials rule a change out."""
        text = self.text(tree)
        if text == "none":
            return None
        if not _CHANCE.fullmatch(text):
            raise self.error(tree, f"screen: expected a chance, such as 0.4, or none, not {quoted(text)}")
        return float(text)

    def system(self, name: str, tree: YamlNode) -> None:
        """A transition system, as its text."""
        if not is_own(name) or "/" in name:
            raise self.error(tree, f"a system is called like a file, such as {name.replace('/', '')}.txt, not {name}")
        self.systems[name] = self.text(tree)
        try:
            compile_system(find_system(name, text=self.systems[name]))
        except (DataError, UsageError) as error:
            raise self.error(tree, f"systems: {error}") from None

    def meanings(self, tree: YamlNode) -> dict[str, tuple[str, ...]]:
        """What the words of an algorithm stand for."""
        found = {}
        for word, value in self.mapping(tree, "the words of an algorithm").items():
            found[word] = self.texts(value)
            if not all(found[word]):
                raise self.error(value, f"{word} stands for nothing; expected for example Stack, or Stack[0]")
        return found

    def candidate(self, name: str, tree: YamlNode) -> dict[str, str]:
        """A candidate of a decision tree."""
        options = dict(self.options(tree, algorithm=True))
        if ALGORITHM not in options:
            raise self.error(tree, f"the candidate {name} does not say its {ALGORITHM}")
        self.one_of(YamlNode(tree.line, options[ALGORITHM]), self.words, "entry in `words` for")
        if options[ALGORITHM] in self.systems:
            options[TEXT] = self.systems[options[ALGORITHM]]
        return options

    # -- steps

    def steps(self, tree: YamlNode) -> tuple[Step, ...]:
        """One step or a list of them."""
        return tuple(map(self.step, self.listed(tree)))

    def step(self, tree: YamlNode) -> Step:
        """A step, with those that are part of it."""
        parts = self.mapping(tree, "a step")
        verbs = [verb for verb in VERBS if verb in parts and not (verb == "steps" and "compete" in parts)]
        if len(verbs) != 1:
            found = f"it has {' and '.join(verbs)}" if verbs else f"it has {', '.join(parts) or 'nothing'}"
            raise self.error(tree, f"a step has one of {', '.join(VERBS)}; {found}")
        [name] = verbs
        verb = VERBS[name]
        self.refuse_unknown(parts, (name, *verb.also, *COMMON), f"a step that says {name}")
        place = self.place(tree)
        algorithms = self.algorithms(parts["for"]) if "for" in parts else ()
        outer, self._scope = self._scope, algorithms or self._scope
        step = verb.read(StepReader(self, parts, parts[name], place, algorithms, self.parts, self.steps))
        self.check_features(step, tree)
        self._scope = outer
        return step

    def place(self, tree: YamlNode) -> str:
        """A name for a step: its file and line, and a number if others begin there too."""
        self._places[tree.line] = number = self._places.get(tree.line, 0) + 1
        return f"{self.file}:{tree.line}" + (f".{number}" if number > 1 else "")

    def check_features(self, step: Step, tree: YamlNode) -> None:
        """Every template must give a feature for every algorithm that it is meant for."""
        for name in self._scope or self.words:
            words = self.words.get(name)
            if words is None:
                raise self.error(tree, f"the plan has no words for {name}; add them to `words`")
            try:
                templates, own = step.templates(words)
            except KeyError as error:
                raise self.error(tree, f"{name} has no word {error}; it has {', '.join(words)}") from None
            for text in templates:
                first = {word: values[0] for word, values in words.items()}
                self.check(text, {**first, **own}, name, tree)

    def check(self, text: str, words: Slots, algorithm: str, tree: YamlNode) -> None:
        """A template with its slots filled must be a feature of an algorithm."""
        for word in slots(text):
            if word not in words:
                raise self.error(tree, f"{excerpt(text)}: {algorithm} has no word {word!r}; it has {', '.join(words)}")
        try:
            feature = strip_blanks(fill(text, words))
        except ValueError as error:
            raise self.error(tree, f"{excerpt(text)}: {error}") from None
        definition = find_system(algorithm, text=self.systems.get(algorithm, ""))
        for problem in find_problems({"": [FeatureText(feature, self.file, tree.line)]}, definition):
            if not problem.warning:
                raise problem.error
        for column in _COLUMN.findall(feature):
            self.column(column, tree)


def count_steps(steps: Iterable[Step], known: dict[int, int] | None = None) -> int:
    """How many steps there are, those of parts each time counted; parts that are used again are not gone through."""
    known = {} if known is None else known
    total = 0
    for step in steps:
        if id(step) not in known:
            known[id(step)] = 1 + count_steps([*step.inner, *step.then, *step.otherwise], known)
        total += known[id(step)]
    return total
