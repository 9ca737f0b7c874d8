"""A setup: what a trial trains with. Options as in MaltParser, and a feature model as a list of features."""

from __future__ import annotations

import hashlib
import json
import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from typing import Any

from malt.errors import UsageError
from malt.features.defaults import STRUCTURED
from malt.learning.liblinear import has_duals
from malt.learning.parameters import parse
from malt.library import settings_of
from malt.parsing.structured import check_structured
from malt.settings.catalogue import catalogue
from malt.systems import MALTPARSER, STRUCTURED_ONLY, is_own
from malt.systems.own import ALGORITHM, TEXT

LEARNER, LEARNER_OPTIONS = "guide.learner", "lib.options"
MARKING, REVERSE = "pproj.marking_strategy", "train.reverse"
Place = tuple[str, int, str]  # a name for a trial: the setup, the fold, and the lineage of a rough one
Changes = Mapping[str, str | None]  # of options; None takes one away
NOT_CHOSEN = ("input.", "output.", "guide.features", "lib.save_instance_files", "singlemalt.propagation")
FILES = ("perceptron.dev", "perceptron.from")
PASSES = 24  # of a rough training
METHOD = 2  # how it begins: a journal's rough trials of another kind are none of these
ADAPTED = (MARKING, "tree.root")  # what structured training chooses by itself, unless it is said, be it the default


def choosable(key: str) -> bool:
    """Whether an option is one that a search may choose: training depends on it, and it names no file.

    >>> choosable("pproj.marking_strategy"), choosable("input.infile"), choosable("lib.external")
    (True, False, False)
    """
    option = catalogue().options[key]
    saved = option.usage == "save" or option in catalogue().ours or key == REVERSE
    return saved and option.effect and not key.startswith(NOT_CHOSEN) and key not in FILES


def is_structured(options: Changes) -> bool:
    """Whether options are those of the structured learner."""
    return options.get(LEARNER) == STRUCTURED or options.get(ALGORITHM) in STRUCTURED_ONLY


@cache
def _default(key: str) -> str | None:
    option = catalogue().options[key]
    return None if option.default is None else option.write(option.default)


@lru_cache(maxsize=1 << 14)
def _plain(feature: str) -> str:
    return "".join(feature.split())


@lru_cache(maxsize=1 << 14)  # a search asks for it again at every step
def _key(items: tuple[tuple[str, str], ...], features: tuple[str, ...]) -> str:
    content = json.dumps([items, sorted(set(features))])
    return hashlib.sha256(content.encode()).hexdigest()[:16]


@dataclass(frozen=True)
class Setup:
    """Options by `group.name`, each as its text on the command line, and features, each as its text without blanks.

    Options that are not here have their defaults, and those that have them are left out, but for the algorithm.

    >>> one = Setup.of({"singlemalt.parsing_algorithm": "planar"}, ["InputColumn(FORM, Stack[0])"])
    >>> two = one.having({"pproj.marking_strategy": "head"})
    >>> two.options, two.features
    ({'pproj.marking_strategy': 'head', 'singlemalt.parsing_algorithm': 'planar'}, ('InputColumn(FORM,Stack[0])',))
    >>> Setup.of(**two.as_json()) == two, two.key == one.key
    (True, False)
    """

    items: tuple[tuple[str, str], ...]  # the options, sorted
    features: tuple[str, ...]
    members: tuple[Setup, ...] = ()  # of a blend, which has no options and features of its own: parsers that vote
    weights: str = ""  # of their votes, as a file has them; nothing: they are to be learned

    @classmethod
    def of(cls, options: Mapping[str, str], features: tuple[str, ...] | list[str]) -> Setup:
        """With these options and features."""
        kept = (ALGORITHM, *ADAPTED) if is_structured(options) else (ALGORITHM,)
        said = {key: value for key, value in options.items() if key in kept or value != _default(key)}
        if not is_own(said.get(ALGORITHM, "")):  # another algorithm was tried since
            said.pop(TEXT, None)
        return cls(tuple(sorted(said.items())), tuple(map(_plain, features)))

    @property
    def options(self) -> dict[str, str]:
        """The options."""
        return dict(self.items)

    @property
    def algorithm(self) -> str:
        """The parsing algorithm; of a blend, that of its first parser."""
        return self.members[0].algorithm if self.members else self.options.get(ALGORITHM, "nivreeager")

    @property
    def structured(self) -> bool:
        """Whether it learns derivations, or scores of arcs."""
        return is_structured(self.options)

    @property
    def key(self) -> str:
        """A name for it that does not depend on the order of features: the same model gets the same name."""
        if not self.members:
            return _key(self.items, self.features)
        content = json.dumps([[member.key for member in self.members], self.weights])
        return hashlib.sha256(content.encode()).hexdigest()[:16]

    @property
    def description(self) -> str:
        """Its options as on a command line; of a blend, those of all its parsers."""
        if not self.members:
            return flags_of(self.options)
        return f"{len(self.members)} parsers that vote: {'; '.join(flags_of(one.options) for one in self.members)}"

    def having(self, options: Changes) -> Setup:
        """The same with other options; None takes one away."""
        merged = {**self.options, **options}
        return self.of({key: value for key, value in merged.items() if value is not None}, self.features)

    def with_features(self, features: tuple[str, ...] | list[str]) -> Setup:
        """The same with other features."""
        return self.of(self.options, features)

    def as_json(self) -> dict[str, Any]:
        """For the journal and reports."""
        if self.members:
            return {"members": [member.as_json() for member in self.members], "weights": self.weights}
        return {"options": self.options, "features": list(self.features)}

    @classmethod
    def from_json(cls, content: Mapping[str, Any]) -> Setup:
        """From what `as_json` gives. What is not like that is a KeyError, a TypeError or an AttributeError.

        >>> blend = Setup((), (), (Setup.of({}, ["InputColumn(FORM,Stack[0])"]),) * 2)
        >>> Setup.from_json(blend.as_json()) == blend, blend.key == blend.members[0].key
        (True, False)
        """
        if "members" in content:
            members = tuple(cls.from_json(member) for member in content["members"])
            if len(members) < 2 or any(member.members for member in members):
                raise ValueError("a blend has two parsers or more, none of which is a blend")
            return cls((), (), members, str(content["weights"]))
        options = {str(key): str(value) for key, value in content["options"].items()}
        return cls.of(options, [str(feature) for feature in content["features"]])

    @property
    def unlike_maltparser(self) -> str:
        """Why MaltParser cannot do the same; nothing if it can."""
        if self.members:
            return "MaltParser has no parsers that vote"
        if self.structured:
            return "MaltParser has no structured learning (-l perceptron)"
        if self.algorithm not in MALTPARSER:
            return f"MaltParser has no -a {self.algorithm}"
        every = catalogue()
        own = [
            every.options[key].spelling for key in self.options if key == REVERSE or every.options[key] in every.ours
        ]
        return f"MaltParser has no {' and no '.join(own)}" if own else ""


@lru_cache
def is_possible(setup: Setup) -> bool:
    """Whether its options go together.

    >>> easy = Setup.of({ALGORITHM: "easyfirst", LEARNER: STRUCTURED}, [])
    >>> is_possible(easy), is_possible(easy.having({"perceptron.beam": "8"}))
    (True, False)
    """
    try:
        check_structured(settings_of(setup.items))
    except UsageError:
        return False
    return True


def starts_from(setup: Setup, other: Setup) -> bool:
    """Whether a training can start from the dual variables of another one: the derivations are the same, and the solver
    is the default one.

    >>> one, two = Setup.of({}, ["InputColumn(FORM,Stack[0])"]), Setup.of({"lib.options": "-s_4_-c_0.2"}, [])
    >>> starts_from(one, two), starts_from(one, Setup.of({ALGORITHM: "stackproj"}, []))
    (True, False)
    """
    if setup.structured or setup.members or other.members:
        return False
    found, known = ({**one.options, LEARNER_OPTIONS: ""} for one in (setup, other))
    if found != known or found.get(LEARNER, "liblinear") != "liblinear":
        return False
    return all(_has_duals(one.options.get(LEARNER_OPTIONS, "")) for one in (setup, other))


@cache
def _has_duals(options: str) -> bool:
    return has_duals(parse(options, "liblinear"))


@dataclass(frozen=True)
class Lineage:
    """Where a rough training comes from: the first setup is trained exactly, and each other one goes on roughly from
    the dual variables of the one before it. So what it finds depends on its lineage and the fold alone.

    >>> first, second = (Setup.of({}, [f"InputColumn({column},Stack[0])"]) for column in ("FORM", "POSTAG"))
    >>> len(Lineage(first).key), Lineage(second, Lineage(first)).key == Lineage(second).key
    (16, False)
    """

    setup: Setup
    before: Lineage | None = None  # None: the setup is the first

    @cached_property
    def first(self) -> Setup:
        """The one that is trained exactly."""
        return self.before.first if self.before is not None else self.setup

    @cached_property
    def key(self) -> str:
        """A name for it."""
        content = f"{PASSES} {METHOD} {self.before.key if self.before else ''} {self.setup.key}"
        return hashlib.sha256(content.encode()).hexdigest()[:16]


@dataclass(frozen=True)
class Trial:
    """A setup to be tried on a fold."""

    setup: Setup
    fold: int
    lineage: Lineage | None = None  # of the setup, if the trial is to be a rough one

    @property
    def rough(self) -> str:
        """The name of its lineage; nothing if it is exact."""
        return self.lineage.key if self.lineage is not None else ""

    @property
    def place(self) -> Place:
        """A name for it."""
        return self.setup.key, self.fold, self.rough


def flags_of(options: Changes) -> str:
    """Options as on the command line of `malt train`; None is the default. The text of a system is not shown.

    >>> flags_of({"lib.options": "-s_4_-c_0.2", "singlemalt.parsing_algorithm": "planar"})
    '-a planar -lo -s_4_-c_0.2'
    >>> flags_of({"perceptron.beam": "8", "train.reverse": "true"})
    '--beam 8 --reverse'
    """
    every = catalogue().options
    keys = [key for key in every if key in options and key != TEXT]
    values = {key: _default(key) if options[key] is None else options[key] for key in keys}
    words = []
    for key, value in values.items():
        if every[key].type != "unary":
            words.append(f"{every[key].spelling} {shlex.quote(str(value))}")
        elif value == "true":
            words.append(every[key].spelling)
    return " ".join(words)
