"""A setup: what a trial trains with. Options as in MaltParser, and a feature model as a list of features."""

from __future__ import annotations

import hashlib
import json
import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any

from malt.settings.catalogue import catalogue
from malt.systems import is_own
from malt.systems.own import ALGORITHM, TEXT

LEARNER_OPTIONS = "lib.options"
Changes = Mapping[str, str | None]  # of options; None takes one away
NOT_CHOSEN = ("input.", "output.", "guide.features", "lib.save_instance_files", "singlemalt.propagation")


def choosable(key: str) -> bool:
    """Whether an option is one that a search may choose: training depends on it, and it names no file.

    >>> choosable("pproj.marking_strategy"), choosable("input.infile"), choosable("lib.external")
    (True, False, False)
    """
    option = catalogue().options[key]
    saved = option.usage == "save" or option in catalogue().ours
    return saved and option.effect and not key.startswith(NOT_CHOSEN)


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

    @classmethod
    def of(cls, options: Mapping[str, str], features: tuple[str, ...] | list[str]) -> Setup:
        """With these options and features."""
        said = {key: value for key, value in options.items() if key == ALGORITHM or value != _default(key)}
        if not is_own(said.get(ALGORITHM, "")):  # another algorithm was tried since
            said.pop(TEXT, None)
        return cls(tuple(sorted(said.items())), tuple(map(_plain, features)))

    @property
    def options(self) -> dict[str, str]:
        """The options."""
        return dict(self.items)

    @property
    def algorithm(self) -> str:
        """The parsing algorithm."""
        return self.options.get(ALGORITHM, "nivreeager")

    @property
    def key(self) -> str:
        """A name for it that does not depend on the order of features: the same model gets the same name."""
        return _key(self.items, self.features)

    def having(self, options: Changes) -> Setup:
        """The same with other options; None takes one away."""
        merged = {**self.options, **options}
        return self.of({key: value for key, value in merged.items() if value is not None}, self.features)

    def with_features(self, features: tuple[str, ...] | list[str]) -> Setup:
        """The same with other features."""
        return self.of(self.options, features)

    def as_json(self) -> dict[str, Any]:
        """For the journal and reports."""
        return {"options": self.options, "features": list(self.features)}


@dataclass(frozen=True)
class Trial:
    """A setup to be tried on a fold."""

    setup: Setup
    fold: int


def flags_of(options: Changes) -> str:
    """Options as on the command line of `malt train`; None is the default. The text of a system is not shown.

    >>> flags_of({"lib.options": "-s_4_-c_0.2", "singlemalt.parsing_algorithm": "planar"})
    '-a planar -lo -s_4_-c_0.2'
    """
    every = catalogue().options
    keys = [key for key in every if key in options and key != TEXT]
    values = {key: _default(key) if options[key] is None else options[key] for key in keys}
    return " ".join(f"{every[key].flag} {shlex.quote(str(value))}" for key, value in values.items())
