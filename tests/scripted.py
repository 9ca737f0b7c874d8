"""A treebank that is not there, and scores that are made up: the same setup always gets the same ones."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Callable
from dataclasses import replace

from malt.data.formats.dataformat import find_format
from malt.features.standins import columns_by_name
from malt.optimizer import Outcome, Plan, Setup, Study, Trial
from malt.optimizer.plan.facts import Facts

CONLLX = find_format("conllx")
SENTENCES, WORDS = 12, 20  # in each fold

Scorer = Callable[[Trial], Outcome]


def facts_of(nonprojective: float = 5.0, columns: str = "CPOSTAG LEMMA FEATS", **more: float) -> Facts:
    """Facts of a treebank in CoNLL-X."""
    numbers = {"tokens": 1000.0, "sentences": 60.0, "nonplanar": 1.0, "not2planar": 0.0, "covered roots": 2.0}
    numbers |= {"root labels": 2.0, "nonprojective": nonprojective}
    numbers |= {name.replace("_", " "): number for name, number in more.items()}
    return Facts(
        numbers,
        {"root labels": ("ROOT", "TOP")},
        columns_by_name(CONLLX),
        frozenset({"FORM", "POSTAG", *columns.split()}),
    )


def scorer(seed: int, spread: float = 0.04) -> Scorer:
    """Scores that differ a little from one setup to another, and from sentence to sentence."""

    def score(trial: Trial) -> Outcome:
        digest = hashlib.sha256(f"{seed} {trial.setup.key}".encode()).digest()
        share = 0.75 + spread * (digest[0] / 255 - 0.5)
        dice = random.Random(f"{seed} {trial.setup.key} {trial.fold}")
        right = tuple(sum(dice.random() < share for _ in range(WORDS)) for _ in range(SENTENCES))
        return Outcome(right, (WORDS,) * SENTENCES)

    return score


def rough_scorer(seed: int) -> Scorer:
    """The same, where rough trials are off by a word in some sentences."""
    exact = scorer(seed)

    def score(trial: Trial) -> Outcome:
        found = exact(trial)
        if not trial.rough:
            return found
        dice = random.Random(f"{seed} {trial.rough} {trial.fold}")
        right = tuple(min(WORDS, number + dice.choice((-1, 0, 0, 0, 1))) for number in found.right)
        return replace(found, right=right, rough=trial.rough)

    return score


def even(score: Callable[[Setup], float], per_fold: int = 10_000) -> Scorer:
    """Scores as a function says, in percent: one sentence per fold, the same in each."""
    return lambda trial: Outcome((round(score(trial.setup) * per_fold / 100),), (per_fold,))


def carried(study: Study, score: Scorer, at_a_time: int = 1, order: random.Random | None = None) -> list[Trial]:
    """Carry a study out: so many trials are asked for at a time, and told one by one. The trials, as asked for."""
    asked: list[Trial] = []
    waiting: list[Trial] = []
    while True:
        fresh = study.ask(at_a_time - len(waiting)) if len(waiting) < at_a_time else []
        asked += fresh
        waiting += fresh
        if not waiting:
            study.look()
            assert study.done
            return asked
        trial = waiting.pop(order.randrange(len(waiting)) if order else 0)
        study.tell(trial, score(trial))


def study_of(plan: Plan, folds: int = 3, facts: Facts | None = None, **more: object) -> Study:
    """A study of the treebank that is not there."""
    return Study(plan, facts or facts_of(), CONLLX, folds, **more)  # type: ignore[arg-type]
