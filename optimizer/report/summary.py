"""A study in a few lines, for notebooks."""

from __future__ import annotations

from collections.abc import Sequence

from malt.drawing.page.markup import Content, element
from malt.drawing.page.notebook import snippet
from malt.drawing.page.page import note, table
from malt.optimizer.plan.plan import PHASES
from malt.optimizer.report.attempts import signed
from malt.optimizer.report.curve import curve
from malt.optimizer.trial.attempt import Attempt, Phase
from malt.optimizer.trial.setup import flags_of


def summarise(attempts: Sequence[Attempt], results: Sequence[Phase], done: bool) -> str:
    """What the phases of a study led to, and how the score grew."""
    tried = [one.as_json() for one in attempts if one.verdict.folds]
    if not tried:
        return snippet(element("p", "A study in which nothing has been tried yet"))
    first = attempts[0]
    rows: list[list[Content]] = [["default", first.verdict.score, None, flags_of(first.setup.options)]]
    for phase in results:
        features = f", {len(phase.setup.features)} features" if phase.name == PHASES[2] else ""
        chosen = f"{flags_of(phase.setup.options)}{features}"
        rows.append([f"phase {phase.name[-1]}", phase.score, signed(phase.score - float(str(rows[-1][1]))), chosen])
    state = "" if done else note("It is not over yet.")
    drawing = curve(tried, "Best score over trials")
    return snippet(table(["", "score", "gain", "chosen"], rows, align="lrrl"), state, drawing)
