"""Phase 1 in words: each property of a treebank, and what follows from it."""

from __future__ import annotations

from dataclasses import dataclass

from malt.optimizer.facts import Facts
from malt.profile import Profile

LARGE = 100_000  # words of a treebank from which on one split is enough (MaltOptimizer's advice)
FOLDS = 5


@dataclass(frozen=True)
class Finding:
    """A property, its value, and the rule that a decision follows."""

    name: str
    value: str
    rule: str


def number_of_folds(tokens: int, sentences: int) -> int:
    """How trials are tested: 1 is a single split of 80 and 20 percent, more is cross-validation.

    >>> number_of_folds(983_221, 40_000), number_of_folds(94_386, 5190), number_of_folds(30, 3)
    (1, 5, 3)
    """
    return 1 if tokens > LARGE else min(FOLDS, sentences)


def findings(facts: Facts, profile: Profile) -> list[Finding]:
    """The six properties of the paper's section 3.1, and how planar the trees are."""
    numbers = facts.numbers
    tokens, sentences = int(numbers["tokens"]), int(numbers["sentences"])
    nonprojective, roots = numbers["nonprojective"], profile.root_labels.total()
    arcs = 100 * profile.counts["nonproj_arcs"] / max(1, profile.counts["word_arcs"])
    labels = [f"{label} {100 * profile.root_labels[label] / max(1, roots):.1f} %" for label in facts.lists["root labels"][:3]]
    further = len(facts.lists["root labels"]) - len(labels)
    covered = int(numbers["covered roots"])
    planar = [f"not planar {numbers['nonplanar']:.2f} %", f"not 2-planar {numbers['not2planar']:.2f} %"]
    return [
        Finding(
            "size",
            f"{tokens:,} words in {sentences:,} {'sentence' if sentences == 1 else 'sentences'}",
            f"more than {LARGE:,} words: a single split is enough"
            if tokens > LARGE
            else f"at most {LARGE:,} words: cross-validation",
        ),
        Finding(
            "covered roots",
            f"{covered:,} in {profile.counts['trees_with_covered_root']:,} trees" if covered else "none",
            "the ways of attaching them (-pcr) are tried" if covered else "-pcr stays none",
        ),
        Finding(
            "root labels",
            ", ".join(labels) + (f" and {further} more" if further > 0 else "") or "none",
            "the most frequent ones are tried as the default label (-grl)"
            if len(facts.lists["root labels"]) > 1
            else "one label: it is the default label (-grl)",
        ),
        Finding(
            "non-projective trees",
            f"{nonprojective:.2f} % of the trees, {arcs:.2f} % of the arcs",
            "none: projective algorithms only"
            if nonprojective == 0
            else "at most 15 %: projective algorithms, then non-projective ones"
            if nonprojective <= 15
            else "more than 15 %: non-projective algorithms",
        ),
        Finding("planarity", ", ".join(planar), "2-Planar can derive all others" if numbers["not2planar"] else "2-Planar can derive all trees"),
        Finding(
            "LEMMA and FEATS",
            " and ".join(name for name in ("LEMMA", "FEATS") if name in facts.columns) or "both are empty",
            "columns with values get features",
        ),
        Finding(
            "CPOSTAG and POSTAG",
            "different" if "CPOSTAG" in facts.columns else "the same, or one is empty",
            "CPOSTAG gets features of its own" if "CPOSTAG" in facts.columns else "CPOSTAG adds nothing, and is not tried",
        ),
    ]
