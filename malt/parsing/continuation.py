"""Learning on from a model (--from): what a training takes from it, and what must be the same.

The symbol tables go on from those of the model, so that all that it knows keeps its code, and with it its weights; new
words, tags and labels get further ones. The system, the features and the columns are the model's.
"""

from __future__ import annotations

from dataclasses import dataclass

from malt.data.formats.dataformat import find_format
from malt.data.symbols import Tables
from malt.errors import UsageError
from malt.features.defaults import STRUCTURED
from malt.mco import blend, weights
from malt.mco.container import model_address, open_container
from malt.model import Parts, blaming, read_parts
from malt.parsing.sources import Sources, find_sources
from malt.parsing.specification import Specification
from malt.parsing.structured import StructuredModel, check_structured
from malt.parsing.tables import complete_tables
from malt.settings.catalogue import catalogue
from malt.settings.settings import Settings
from malt.systems import system_of
from malt.systems.own import ALGORITHM, TEXT

TRAINING = ("input.infile", "singlemalt.diafile")  # what is saved of one training, and nothing to another
CHARSETS = ("input.charset", "output.charset")  # of the treebank, which may have its own
OF_TREES = ("tree.roots", "tree.root", "tree.heads", "tree.acyclic")  # which MaltParser does not save
FILES = ("input.format", "guide.features", "singlemalt.propagation")  # what counts is in them, not their names
CHECKED = ("guide.decision_settings",)  # by `check_structured`


@dataclass(frozen=True)
class Start:
    """The model that a training begins with."""

    parts: Parts
    model: StructuredModel

    @property
    def path(self) -> str:
        """Its file."""
        return self.model.file

    @property
    def backwards(self) -> bool:
        """Whether it reads sentences from their last word to their first, and so learns on (--reverse)."""
        return self.parts.added is not None and self.parts.added.reverse

    def settle(self, settings: Settings) -> Settings:
        """The settings of the training: what is not given is as in the model, and what is given must be."""
        own, options = self.parts.settings, catalogue().options
        if not settings.given("guide.learner"):
            settings = settings.derive({"guide.learner": STRUCTURED})
        if not settings.given(ALGORITHM):  # what may be given depends on it
            settings = settings.derive({ALGORITHM: own[ALGORITHM], TEXT: own[TEXT]})
        elif settings[TEXT] != own[TEXT]:
            raise self._differs(f"-a {settings[ALGORITHM]}", "has another transition system")
        check_structured(settings)
        if settings.get("train.reverse", False) and not self.backwards:
            raise self._differs("--reverse", "reads from left to right")
        taken = {key: own[key] for key in (*own.save(), *OF_TREES) if key not in (*TRAINING, *FILES)}
        for key, value in taken.items():
            option = options[key]
            if settings.given(key) and settings[key] != value and key not in (*CHARSETS, *CHECKED):
                had = f"{option.spelling} {option.write(value)}".rstrip()
                raise self._differs(f"{option.spelling} {option.write(settings[key])}", f"was trained with {had}")
        if settings.given("input.format"):
            format = find_format(settings["input.format"])
            if format.columns != self.parts.format.columns:
                had = f"is for {self.parts.format.name} ({', '.join(self.parts.format.names)})"
                raise self._differs(f"-if {settings['input.format']}", had)
        taken |= {"perceptron.beam": self.model.found.beam}
        return settings.derive({key: value for key, value in taken.items() if not settings.given(key)})

    def sources(self, settings: Settings) -> Sources:
        """The features and the propagation, which are the model's; others may not be given."""
        own, format = self.parts.sources, self.parts.format
        for key, flag in (("guide.features", "-F"), ("singlemalt.propagation", "-fp")):
            if settings.given(key):
                other = find_sources(settings, format)
                same = other.rules == own.rules
                if flag == "-F":
                    had, found = (one.specify(settings, format).features.vectors for one in (own, other))
                    same = had == found
                if not same:
                    what = "features" if flag == "-F" else "propagation"
                    raise self._differs(f"{flag} {settings[key]}", f"has other {what}")
        return own

    def tables(self, specification: Specification) -> Tables:
        """Its tables, to which the treebank adds."""
        return complete_tables(specification, self.parts.tables)

    def _differs(self, given: str, had: str) -> UsageError:
        return UsageError(
            f"--from {self.path}: {given} is given, but the model {had}; leave it out, or learn without --from"
        )


def open_start(settings: Settings) -> Start | None:
    """The model that --from names, if it is given."""
    name = settings["perceptron.from"]
    if not name:
        return None
    path = model_address(name)
    with open_container(path) as container:
        if blend.ENTRY in container.names:
            raise UsageError(f"--from {path}: it is a blend; name one of the models that it was made of")
        parts = read_parts(container, Settings().derive({"config.flowchart": ""}))
        learner = parts.settings["guide.learner"]
        if learner != STRUCTURED:
            raise UsageError(f"--from {path}: it is a model of -l {learner}; only those of -l perceptron learn on")
        with blaming(container):
            found = weights.read_weights(container.read(weights.ENTRY), path)
    return Start(parts, StructuredModel(found, path, system_of(parts.settings).structured))
