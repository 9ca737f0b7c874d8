"""A study in a few lines, for notebooks."""

from __future__ import annotations

from collections.abc import Sequence

from malt.drawing.page.markup import element
from malt.drawing.page.notebook import snippet
from malt.drawing.page.page import note, table
from malt.optimizer.report.attempts import signed
from malt.optimizer.report.curve import curve
from malt.optimizer.search.estimate import Expectation
from malt.optimizer.trial.attempt import Attempt, Phase, phase_rows


def summarise(
    attempts: Sequence[Attempt], results: Sequence[Phase], done: bool, expected: Expectation | None = None
) -> str:
    """What is to be expected on new text, what the phases of a study led to, and how the score grew."""
    tried = [one.as_json() for one in attempts if one.verdict.folds]
    if not tried:
        return snippet(element("p", "A study in which nothing has been tried yet"))
    phases = phase_rows([Phase("default", attempts[0].setup, attempts[0].verdict.score), *results])
    rows = [
        [row["name"], row["score"], signed(row["gain"]) if place else None, row["chosen"]]
        for place, row in enumerate(phases)
    ]
    state = note("It is not over yet.") if not done else note(expected.summary) if expected else ""
    drawing = curve(tried, "Best score over trials")
    return snippet(table(["", "score", "gain", "chosen"], rows, align="lrrl"), state, drawing)
