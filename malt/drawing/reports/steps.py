"""What there is to tell of a derivation, step by step."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class BeamRow:
    """A hypothesis of a beam after a choice."""

    place: int  # in the beam, from 1; 0 if it fell out
    total: float  # its score
    choice: str
    past: int  # the place of what it comes from in the beam before
    remark: str = ""


@dataclass(frozen=True)
class BeamView:
    """A beam after a choice."""

    number: int  # of the choice, from 1
    rows: list[BeamRow]  # the best first, and then the best that fell out
    gone: list[int]  # the places of the beam before of which nothing is left
    waits: bool = False  # does the derivation that is taken wait for the others?


@dataclass(slots=True)
class DerivationStep:
    """One transition, and what was known when it was chosen."""

    name: str
    change: Sequence[int]  # what it does to the configuration, as `malt.kernel.walk.Changes` says it
    permitted: int = 0  # a bit for each transition that was permissible
    label: str = ""  # of the arc, if it makes one
    remark: str = ""
    values: Sequence[tuple[str, str]] = ()  # features
    candidates: Sequence[list[tuple[str, float]]] = ()  # of each decision, the best first
    beam: BeamView | None = None  # after the choice, if there is one
    waits: Sequence[BeamView] = ()  # the beam before it, while this derivation waited for others

    @property
    def text(self) -> str:
        """As histories write it: `LA~subj`."""
        return f"{self.name}~{self.label}" if self.label else self.name


@dataclass
class Derivation:
    """All that was done with a sentence."""

    number: int  # of the sentence in its file
    forms: list[str]
    tags: list[str]
    steps: list[DerivationStep]
    remarks: list[str]  # such as which arcs were not derived
    leaves: int = -1  # the first step, from 0, that is not the one of the gold derivation; -1 if there is none
    gold: str = ""  # which is this one
