"""Phase 1 in words: each property of a treebank, and what follows from it."""

from __future__ import annotations

from dataclasses import dataclass

from malt.errors import counted
from malt.optimizer.plan.facts import Facts
from malt.trees.profile import Profile

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


def findings(facts: Facts, profile: Profile, asked: str = "") -> list[Finding]:
    """The six properties of the paper's section 3.1, and how planar the trees are; `asked` is how the user wants trials
    to be tested, whatever the size."""
    numbers = facts.numbers
    tokens, sentences = int(numbers["tokens"]), int(numbers["sentences"])
    nonprojective, roots = numbers["nonprojective"], profile.root_labels.total()
    arcs = 100 * profile.counts["nonproj_arcs"] / max(1, profile.counts["word_arcs"])
    labels = [
        f"{label if len(label) < 16 else label[:12] + '...'} {100 * number / max(1, roots):.1f} %"
        for label, number in sorted(profile.root_labels.items(), key=lambda item: (-item[1], item[0]))[:3]
    ]
    further = len(profile.root_labels) - len(labels)
    covered = int(numbers["covered roots"])
    planar = [f"{100 - numbers['nonplanar']:.2f} % planar", f"{100 - numbers['not2planar']:.2f} % 2-planar"]
    tag, coarse, lemma, morphology = (
        facts.columns_of.get(name) or name for name in ("POSTAG", "CPOSTAG", "LEMMA", "FEATS")
    )
    used = [name for name, column in ((lemma, "LEMMA"), (morphology, "FEATS")) if column in facts.columns]
    return [
        Finding(
            "size",
            f"{counted(tokens, 'word')} in {counted(sentences, 'sentence')}",
            f"as asked for: {asked}"
            if asked
            else f"more than {LARGE:,} words: a single split is enough"
            if tokens > LARGE
            else f"at most {LARGE:,} words: cross-validation",
        ),
        Finding(
            "covered roots",
            f"{covered:,} in {counted(profile.counts['trees_with_covered_root'], 'tree')}" if covered else "none",
            "the ways of attaching them (-pcr) are tried" if covered else "-pcr stays none",
        ),
        Finding(
            "root labels",
            ", ".join(labels) + (f" and {further} more" if further > 0 else "") or "none",
            "the most frequent are tried as default label (-grl)"
            if len(facts.lists["root labels"]) > 1
            else "one label: it is the default label (-grl)"
            if facts.lists["root labels"]
            else "no label that -grl can name: it stays ROOT",
        ),
        Finding(
            "non-projective trees",
            f"{nonprojective:.2f} % of trees, {arcs:.2f} % of arcs",
            "none: projective algorithms only"
            if nonprojective == 0
            else "at most 15 %: projective algorithms, then others"
            if nonprojective <= 15
            else "more than 15 %: non-projective algorithms only",
        ),
        Finding(
            "planarity",
            ", ".join(planar),
            "2-Planar can derive the 2-planar ones" if numbers["not2planar"] else "2-Planar can derive all trees",
        ),
        Finding(
            f"{lemma} and {morphology}",
            "both have values" if len(used) == 2 else f"only {used[0]} has values" if used else "neither has values",
            "columns with values get features",
        ),
        Finding(
            f"{coarse} and {tag}",
            "different" if "CPOSTAG" in facts.columns else f"the same, or no {coarse}",
            f"{coarse} gets features of its own" if "CPOSTAG" in facts.columns else f"{coarse} gets no features",
        ),
    ]
