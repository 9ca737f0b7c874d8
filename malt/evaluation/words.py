"""The words of an evaluation: what its groups are called, what its scores mean, and how numbers are written."""

from __future__ import annotations

from malt.evaluation.significance import EXACT, RESAMPLES
from malt.evaluation.tally import ClassCounts

TITLES = {
    "label": "label",
    "pos": "coarse part of speech",
    "length": "length of arc",
    "direction": "direction of arc",
    "depth": "depth in the tree",
    "sentence": "length of sentence",
    "projectivity": "projectivity of arc",
}
LEGEND = {
    "LAS": "words with the right head and the right label",
    "UAS": "words with the right head",
    "CLAS": "F-score of the relations between content words: all of UD but functional ones and punct",
    "complete match": "sentences in which all words that count are right",
    "non-projective": "a word between the ends of the arc is not dominated by its head",
    "precision": "of the system's arcs in a class, those with the right head and label",
    "recall": "of the gold standard's arcs in a class, those that the system has, with the right label",
    "left": "the head comes after its dependent; eval.pl calls this right",
    "depth": "number of arcs from the artificial root",
    "95 % interval": f"bootstrap over sentences, {RESAMPLES:,} resamples",
    "McNemar's test": f"exact where fewer than {EXACT} words are right in only one of two systems, else\n"
    "chi-square with continuity correction",
}
EMPTY = ClassCounts(0, 0, 0, 0, 0, 0, 0, 0)


def points(share: float | None) -> str:
    """A share in percent, as a number."""
    return "-" if share is None else f"{100 * share:.2f}"


def percent(share: float | None) -> str:
    """A share in percent."""
    return "-  " if share is None else f"{100 * share:.2f} %"


def interval(ends: tuple[float, float] | None, sign: str = "") -> str:
    """The ends of an interval, in percent."""
    return "-  " if ends is None else " to ".join(f"{100 * end:{sign}.2f}" for end in ends)


def p_value(p: float) -> str:
    """A probability by chance."""
    return "p < 0.001" if p < 0.001 else f"p = {p:.3f}"
