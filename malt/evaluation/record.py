"""An evaluation as numbers with names, for programs to read."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from malt.evaluation.result import GROUPS, Evaluation, ScoredFile, Scores
from malt.evaluation.significance import LEVEL, RESAMPLES, SEED
from malt.evaluation.tally import ClassCounts


def as_json(result: Evaluation) -> dict[str, Any]:
    """All numbers, by name. Shares are between 0 and 1; None is a share of nothing.

    Every system has its scores by convention and by whether punctuation is in or out; intervals and comparisons are by
    the convention and the punctuation that are named at the top.
    """
    return {
        "gold": result.gold,
        "format": result.format,
        "sentences": result.sentences,
        "words": result.words,
        "punctuation_words": result.marks,
        "convention": result.convention.name,
        "punctuation": "in" if result.counts_punctuation(result.convention) else "out",
        "bootstrap": {"resamples": RESAMPLES, "seed": SEED, "level": LEVEL},
        "systems": {system.name: _system(system) for system in result.systems},
        "comparisons": [asdict(one) for one in result.comparisons],
    }


def _system(system: ScoredFile) -> dict[str, Any]:
    scores = {
        name: {way: _scores(one, marks) for way, marks in (("in", True), ("out", False))}
        for name, one in system.scores.items()
    }
    return {"without_head": system.blind, "las_interval": system.interval, **scores}


def _scores(scores: Scores, marks: bool) -> dict[str, Any]:
    total = scores.counts(marks)
    labelled, unlabelled = scores.complete(marks)
    return {
        "words": total.gold,
        "las": total.las,
        "uas": total.uas,
        "label_accuracy": total.label_accuracy,
        "complete_sentences": int(scores.sentences[int(marks)][0]),
        "complete_labelled": labelled,
        "complete_unlabelled": unlabelled,
        **({} if scores.convention.subtypes else {"clas": _line(scores.content(marks))}),
        "nonprojective": _line(scores.nonprojective(marks)),
        "by": {group: {name: _line(one) for name, one in scores.classes(group, marks).items()} for group in GROUPS},
    }


def _line(line: ClassCounts) -> dict[str, Any]:
    shares = {name: getattr(line, name) for name in ("las", "uas", "label_accuracy", "precision", "recall", "f")}
    return {**asdict(line), **shares}
