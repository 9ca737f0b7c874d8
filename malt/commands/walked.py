"""What `malt trace` knows of a sentence: what was done with it, and how that differs from its tree or graph."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from malt.data.graph import Graph
from malt.drawing.reports.steps import BeamView, DerivationStep

MUST = "(must)"
MOST_STEPS = 500_000  # of a sentence that are shown: they take 0.7 GB


@dataclass
class Walked:
    """What was done with a sentence."""

    steps: list[DerivationStep]
    remarks: list[str]  # such as which arcs were not derived
    leaves: int = -1  # the first step that is not the one of the gold derivation
    gold: str = ""  # which is this one
    later: list[BeamView] = field(default_factory=list)  # the beam, when the derivation has come to its end


def differences(title: str, expected: Sequence[int], found: Sequence[int]) -> Iterator[str]:
    """The arcs of a tree that another does not have."""
    wrong = [f"({a}, {i})" for i, (a, b) in enumerate(zip(expected, found, strict=True), 1) if a != b]
    if wrong:
        yield f"{title}: {', '.join(wrong)}"


def arcs_of(graph: Graph) -> list[tuple[int, int]]:
    """The arcs of the graph of one sentence, each as (head, word)."""
    return list(zip(graph.heads.tolist(), (graph.words + 1).tolist(), strict=True))


def arc_differences(title: str, one: Sequence[tuple[int, int]], two: Sequence[tuple[int, int]]) -> Iterator[str]:
    """The arcs that only the one has."""
    missing = [str(arc) for arc in dict.fromkeys(one) if arc not in set(two)]
    if missing:
        yield f"{title}: {', '.join(missing)}"
