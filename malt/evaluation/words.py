"""An evaluation in words: what its groups are called, what its scores mean, and how they are written."""

from __future__ import annotations

from malt.evaluation.convention import Convention
from malt.evaluation.evaluation import GROUPS, Evaluation
from malt.evaluation.significance import EXACT, RESAMPLES
from malt.evaluation.tally import Line

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
EMPTY = Line(0, 0, 0, 0, 0, 0, 0, 0)


def has_clas(result: Evaluation) -> bool:
    """Whether CLAS is among the scores: the labels must be those of UD."""
    return any(one.labels_are_ud for one in result.systems[0].scores.values())


def rules_in_words(result: Evaluation, convention: Convention) -> str:
    """What is counted, for headings."""
    counted = "with" if result.counts_punctuation(convention) else "without"
    subtypes = "" if convention.subtypes else ", labels without subtypes"
    return f"{convention.title}, {counted} punctuation{subtypes}"


def heading(result: Evaluation, convention: Convention) -> str:
    """The rules, and how many words count by them."""
    total = result.systems[0].scores[convention.name].line(result.counts_punctuation(convention))
    return f"{rules_in_words(result, convention)}: {total.gold:,} word{'s' * (total.gold != 1)}"


def scores_of(result: Evaluation, convention: Convention) -> list[tuple[str, list[str]]]:
    """The scores by one convention: a name, and what each system has."""
    marks = result.counts_punctuation(convention)
    scores = [system.scores[convention.name] for system in result.systems]
    totals = [one.line(marks) for one in scores]
    rows = [("labelled attachment (LAS)", [percent(one.las) for one in totals])]
    if convention == result.convention:
        rows += [("  95 % interval", [interval(system.interval) for system in result.systems])]
    rows += [
        ("unlabelled attachment (UAS)", [percent(one.uas) for one in totals]),
        ("label accuracy", [percent(one.label_accuracy) for one in totals]),
    ]
    if not convention.subtypes and scores[0].labels_are_ud:
        content = [one.content(marks) for one in scores]
        words = content[0].gold
        rows += [(f"{words:,} content word{'s' * (words != 1)} (CLAS)", [percent(one.f) for one in content])]
    complete = [one.complete(marks) for one in scores]
    rows += [
        ("complete match, labelled", [percent(labelled) for labelled, _ in complete]),
        ("complete match, unlabelled", [percent(unlabelled) for _, unlabelled in complete]),
    ]
    if convention == result.convention:
        arcs = [one.nonprojective(marks) for one in scores]
        rows += [
            (f"non-projective arcs ({arcs[0].gold:,} in gold)", [f"{one.system:,}  " for one in arcs]),
            ("  labelled precision", [percent(one.precision) for one in arcs]),
            ("  labelled recall", [percent(one.recall) for one in arcs]),
        ]
    return rows


def classes_of(result: Evaluation, group: str) -> tuple[list[str], dict[str, int], list[dict[str, Line]]]:
    """The classes of a group in the order to show them, how many words they have in the gold standard, and the counts
    of each system, by the chosen convention."""
    marks = result.counts_punctuation(result.convention)
    found = [system.scores[result.convention.name].classes(group, marks) for system in result.systems]
    gold = {name: line.gold for lines in found for name, line in lines.items()}
    order = list(GROUPS[group]) or sorted(gold, key=lambda name: (-gold[name], name))
    return [name for name in order if name in gold], gold, found


def points(share: float | None) -> str:
    """A share in percent, as a number."""
    return "-" if share is None else f"{100 * share:.2f}"


def percent(share: float | None) -> str:
    """A share in percent."""
    return "-  " if share is None else f"{100 * share:.2f} %"


def interval(ends: tuple[float, float] | None, sign: str = "") -> str:
    """The ends of an interval, in percent."""
    return "-  " if ends is None else " to ".join(f"{100 * end:{sign}.2f}" for end in ends)


def chance(p: float) -> str:
    """A probability by chance."""
    return "p < 0.001" if p < 0.001 else f"p = {p:.3f}"
