"""From the YAML of a plan to the plan: its sections and its steps."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from malt.data.yaml import Tree
from malt.errors import DataError
from malt.features.check import problems
from malt.features.syntax import FeatureText, shown, stripped
from malt.optimizer.plan.edits import filled, slots
from malt.optimizer.plan.plan import PHASES, RULES, Plan, Rule, Step, find_plan, names
from malt.optimizer.plan.values import Values
from malt.optimizer.trial.configuration import ALGORITHM

VERBS = {  # each with what else may stand in such a step
    "steps": ("tree",),
    "set": (),
    "try": ("rule", "with"),
    "choose": ("rule", "most"),
    "window": ("of", "shrink", "grow", "templates", "greedy"),
    "remove": ("rule", "most", "skip"),
    "add": ("rule", "each", "of", "most", "stop", "build", "together"),
    "compete": ("steps",),
    "begin": (),
    "use": (),
}
COMMON = ("name", "if", "for", "then", "else")
MOST_STEPS = 10_000
SECTIONS = (
    *("about", "like", "start", "cost", "rules", "groups", "words", "candidates", "windows", "parts"),
    *PHASES,
)
NEEDED = ("start", "rules", "words", "candidates", "phase2")  # in a plan that is like no other
LISTED = ("merged", "single")  # what `remove` may be about, besides features
NEXT = {"InputColumn": "InputColumn({column},{A}[{n+1}])"}  # what a window grows by, if nothing is said
_COLUMN = re.compile(r"(?<=putColumn\()\w+(?=,)")


class Reading(Values):
    """Turns the tree of a file into a plan. What does not fit is refused with its line."""

    def __init__(self, file: str) -> None:
        super().__init__(file)
        self.rules: dict[str, Rule] = {}
        self.words: dict[str, dict[str, tuple[str, ...]]] = {}
        self.windows: dict[str, dict[str, str]] = {}
        self.groups: dict[str, tuple[str, ...]] = {}
        self.parts: dict[str, tuple[Step, ...]] = {}
        self._places: dict[int, int] = {}  # line -> steps that begin there
        self._scope: tuple[str, ...] = ()  # the algorithms for which the steps are that are being read

    def plan(self, tree: Tree, text: str) -> Plan:
        """The whole of it."""
        parts = self.mapping(tree, "a plan")
        self.known(parts, SECTIONS, "a plan")
        base = self.like(parts["like"]) if "like" in parts else None
        found = {name: self.mapping(parts[name], name) for name in SECTIONS[4:10] if name in parts}
        for name, rule in found.get("rules", {}).items():
            self.rules[name] = self.rule(rule)
        missing = [name for name in NEEDED if name not in parts]
        if missing and base is None:
            raise DataError(
                f"the plan lacks {', '.join(missing)}; `maltopt plan default` prints one to begin with", self.file
            )
        for name in RULES:
            if name not in self.rules:
                raise self.error(parts["rules"], f"there is no rule {name}; expected {', '.join(RULES)}")
        for name, group in found.get("groups", {}).items():
            self.groups[name] = tuple(self.algorithm(item) for item in self.listed(group))
        for name, words in found.get("words", {}).items():
            self.words[self.algorithm(Tree(words.line, name))] = self.meanings(words)
        for name, candidate in found.get("candidates", {}).items():
            self.candidates[name] = self.competitor(name, candidate)
        for name, window in found.get("windows", {}).items():
            self.windows[name] = {kind: self.text(item) for kind, item in self.mapping(window, "a window").items()}
            self.known(self.mapping(window, "a window"), ("InputColumn", "Merge", "Merge3"), "a window")
        for name, steps in found.get("parts", {}).items():
            self.parts[name] = self.steps(steps)
        phases = dict(base.phases) if base else dict.fromkeys(PHASES, ())
        phases |= {phase: self.steps(parts[phase]) for phase in PHASES if phase in parts}
        if length([step for phase in PHASES for step in phases[phase]]) > MOST_STEPS:
            raise self.error(tree, f"the plan has more than {MOST_STEPS:,} steps, those of its parts each time counted")
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
            self.columns,
            self.one_of(parts["start"], self.candidates, "candidate")
            if "start" in parts
            else base.start
            if base
            else "",
            self.cost(parts["cost"]) if "cost" in parts else base.cost if base else "0.1",
            text,
        )

    def like(self, tree: Tree) -> Plan:
        """The plan that this one is like: what is not said here is as there."""
        base = find_plan(self.one_of(tree, names(), "built-in plan"))
        self.rules.update(base.rules)
        self.words.update({name: dict(words) for name, words in base.words.items()})
        self.candidates.update({name: dict(options) for name, options in base.candidates.items()})
        self.windows.update({name: dict(window) for name, window in base.windows.items()})
        self.groups.update(base.groups)
        self.parts.update(base.parts)
        self.columns.update(base.columns)
        return base

    def meanings(self, tree: Tree) -> dict[str, tuple[str, ...]]:
        """What the words of an algorithm stand for."""
        found = {}
        for word, value in self.mapping(tree, "the words of an algorithm").items():
            found[word] = tuple(self.text(item) for item in self.listed(value))
            if not all(found[word]):
                raise self.error(value, f"{word} stands for nothing; expected for example Stack, or Stack[0]")
        return found

    def competitor(self, name: str, tree: Tree) -> dict[str, str]:
        """A candidate of a decision tree."""
        options = dict(self.options(tree, algorithm=True))
        if ALGORITHM not in options:
            raise self.error(tree, f"the candidate {name} does not say its {ALGORITHM}")
        self.one_of(Tree(tree.line, options[ALGORITHM]), self.words, "entry in `words` for")
        return options

    # -- steps

    def steps(self, tree: Tree) -> tuple[Step, ...]:
        """One step or a list of them."""
        return tuple(self.step(item) for item in self.listed(tree))

    def step(self, tree: Tree) -> Step:
        """A step, with those that are part of it."""
        parts = self.mapping(tree, "a step")
        verbs = [verb for verb in VERBS if verb in parts and not (verb == "steps" and "compete" in parts)]
        if len(verbs) != 1:
            found = f"it has {' and '.join(verbs)}" if verbs else f"it has {', '.join(parts) or 'nothing'}"
            raise self.error(tree, f"a step has one of {', '.join(VERBS)}; {found}")
        verb = verbs[0]
        self.known(parts, (verb, *VERBS[verb], *COMMON), f"a step that says {verb}")
        place = self.place(tree)
        algorithms = self.algorithms(parts["for"]) if "for" in parts else ()
        outer, self._scope = self._scope, algorithms or self._scope
        step = Step(
            verb,
            place,
            self.text(parts["name"]) if "name" in parts else "",
            self.condition(parts["if"]) if "if" in parts else None,
            algorithms,
            then=self.steps(parts["then"]) if "then" in parts else (),
            otherwise=self.steps(parts["else"]) if "else" in parts else (),
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
        result: Step = fill(step, parts[verb])
        self.check_features(result, tree)
        self._scope = outer
        return result

    def place(self, tree: Tree) -> str:
        """A name for a step: its file and line, and a number if others begin there too."""
        self._places[tree.line] = number = self._places.get(tree.line, 0) + 1
        return f"{self.file}:{tree.line}" + (f".{number}" if number > 1 else "")

    def algorithms(self, tree: Tree) -> tuple[str, ...]:
        """Algorithms, by their names and those of groups."""
        found: list[str] = []
        for item in self.listed(tree):
            found += self.groups.get(self.text(item), ()) or [self.algorithm(item)]
        if not found:
            raise self.error(tree, "`for` names no algorithm")
        return tuple(found)

    def named_rule(self, parts: Mapping[str, Tree], verb: str) -> str:
        """The rule that a step goes by."""
        if "rule" in parts:
            return self.one_of(parts["rule"], self.rules, "rule")
        return {"window": "", "remove": "remove", "add": "add"}.get(verb, "option")

    def flags(self, parts: Mapping[str, Tree]) -> frozenset[str]:
        """What is true of a step; stop and greedy are if nothing is said."""
        names = ("stop", "build", "skip", "together", "greedy")
        said = {name: self.flag(parts[name]) for name in names if name in parts}
        return frozenset(name for name in names if said.get(name, name in ("stop", "greedy")))

    def templates(self, parts: Mapping[str, Tree]) -> dict[str, str]:
        """What a window grows by."""
        if "templates" not in parts:
            return NEXT
        return self.windows[self.one_of(parts["templates"], self.windows, "window")]

    def _steps(self, step: Step, argument: Tree) -> Step:
        return step

    def _set(self, step: Step, argument: Tree) -> Step:
        return replace(step, options=tuple(self.options(argument)))

    def _try(self, step: Step, argument: Tree) -> Step:
        if isinstance(argument.value, dict):
            return replace(step, options=tuple(self.options(argument)))
        return replace(step, items=(self.one_of(argument, self.candidates, "candidate"),))

    def _choose(self, step: Step, argument: Tree) -> Step:
        """One option with several values, or with a fact that is a list."""
        given = self.mapping(argument, "an option with its values")
        if len(given) != 1:
            raise self.error(argument, "choose has one option with its values")
        [(name, values)] = given.items()
        for value in self.listed(values):
            list(self.options(Tree(value.line, {name: value})))
        return replace(step, items=tuple(self.text(value) for value in self.listed(values)), options=((name, ""),))

    def _window(self, step: Step, argument: Tree) -> Step:
        if not step.of:
            raise self.error(argument, "a window says `of` which words it is, such as S")
        return replace(step, items=(self.column(self.text(argument), argument),))

    def _remove(self, step: Step, argument: Tree) -> Step:
        if isinstance(argument.value, dict):
            self.known(argument.value, LISTED, "remove")
            if len(argument.value) != 1:
                raise self.error(argument, "remove has features, or one of merged and single with a column")
            [(kind, column)] = argument.value.items()
            return replace(step, items=(self.column(self.text(column), column),), each=kind)
        return replace(step, items=tuple(self.text(item) for item in self.listed(argument)))

    def _add(self, step: Step, argument: Tree) -> Step:
        if step.each and "x" not in slots(step.each):
            raise self.error(argument, f"each: there is no {{x}} in {shown(step.each)}, the place that is looked for")
        if step.of and not step.each:
            raise self.error(argument, "`of` says where {x} of `each` may be; there is no `each`")
        return replace(step, items=tuple(self.text(item) for item in self.listed(argument)))

    def _compete(self, step: Step, argument: Tree) -> Step:
        if not step.steps:
            raise self.error(argument, "compete needs the steps that each of the best candidates goes through")
        return replace(step, numbers={"most": self.number(argument, 1)})

    def _begin(self, step: Step, argument: Tree) -> Step:
        self.one_of(argument, ("empty",), "way to begin")
        return step

    def _use(self, step: Step, argument: Tree) -> Step:
        return replace(step, steps=self.parts[self.one_of(argument, self.parts, "part")])

    def check_features(self, step: Step, tree: Tree) -> None:
        """Every template must give a feature for every algorithm that it is meant for."""
        listed = step.each in LISTED
        texts = [*step.templates.values(), *([step.each] if not listed and step.each else [])]
        texts += step.items if step.verb in ("add", "remove") and not listed else []
        for name in self._scope or self.words:
            words = self.words.get(name)
            if words is None:
                raise self.error(tree, f"the plan has no words for {name}; add them to `words`")
            for word in step.of:
                if word not in words:
                    raise self.error(tree, f"{name} has no word {word!r}; it has {', '.join(words)}")
            sample = self.sample(step, words)
            for text in texts:
                self.check(text, {**{word: values[0] for word, values in words.items()}, **sample}, name, tree)

    def sample(self, step: Step, words: Mapping[str, tuple[str, ...]]) -> dict[str, str | int]:
        """What the slots that are filled in anew each time may stand for."""
        if step.verb == "window":
            return {"column": step.items[0], "A": words[step.of[0]][0], "n": 1}
        place = (
            words[step.of[0]][0] + "[0]" if step.of else next((w for v in words.values() for w in v if "[" in w), "")
        )
        return {"x": place} if step.each and step.each not in LISTED else {}

    def check(self, text: str, words: Mapping[str, str | int], algorithm: str, tree: Tree) -> None:
        """A template with its slots filled must be a feature of an algorithm."""
        for word in slots(text):
            if word not in words:
                raise self.error(tree, f"{shown(text)}: {algorithm} has no word {word!r}; it has {', '.join(words)}")
        try:
            feature = stripped(filled(text, words))
        except ValueError as error:
            raise self.error(tree, f"{shown(text)}: {error}") from None
        for problem in problems({"": [FeatureText(feature, self.file, tree.line)]}, algorithm):
            if not problem.warning:
                raise problem.error
        for column in _COLUMN.findall(feature):
            self.column(column, tree)


def length(steps: Sequence[Step], known: dict[int, int] | None = None) -> int:
    """How many steps there are, those of parts each time counted; parts that are used again are not gone through."""
    known = {} if known is None else known
    total = 0
    for step in steps:
        if id(step) not in known:
            known[id(step)] = 1 + length([*step.steps, *step.then, *step.otherwise], known)
        total += known[id(step)]
    return total
