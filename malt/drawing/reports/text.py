"""The scores of text as a table and as a page."""

from __future__ import annotations

from collections.abc import Sequence

from malt.drawing.page import plot
from malt.drawing.page.markup import Content, Html, element, join
from malt.drawing.page.page import figures, page, section, source, table
from malt.evaluation.text import LEGEND, MEASURES, METRICS, NO_SCORE, TITLE, TextEvaluation
from malt.evaluation.words import points

FEW = 3  # systems that a title can name
FIGURES = ("Tokens", "Sentences", "UPOS", "Lemmas", "UAS", "LAS")


def text_table(result: TextEvaluation, names: Sequence[str]) -> Html:
    """A row per metric; `names` are those of the systems, as they are to be shown."""
    headers: list[Content] = ["", "gold"]
    for name in names:
        above = element("span", name, class_="small soft") if len(names) > 1 else ""
        headers += [join([above, element("br"), measure]) if above else measure for measure in ("system", *MEASURES)]
    rows: list[list[Content]] = []
    for metric in result.metrics:
        row: list[Content] = [metric, result.in_gold(metric)]
        for system in result.systems:
            score = system.scores.get(metric, NO_SCORE)
            row += [score.system, *map(points, score.shares())]
        rows.append(row)
    return table(headers, rows, caption=f"{TITLE}, in %", align="l" + "r" * (len(headers) - 1))


def text_page(result: TextEvaluation, names: Sequence[str], gold: str) -> str:
    """The page. `names` of the systems and `gold` are as they are to be shown."""
    main = "LAS" if "LAS" in result.metrics else "Words"
    scores = [f"{name} {_f(result, place, main)}" for place, name in enumerate(names)]
    title = f"{main}: {', '.join(scores)}" if len(names) <= FEW else f"{len(names)} systems"
    shown = {metric: _f(result, 0, metric) for metric in FIGURES if metric in result.metrics}
    if len(names) > 1:
        shown = {f"{main}, {name}": _f(result, place, main) for place, name in enumerate(names)}
    bars = {
        name: [None if (share := _share(result, place, metric)) is None else 100 * share for metric in result.metrics]
        for place, name in enumerate(names)
    }
    figure = element("figure", plot.bars(result.metrics, bars, title="F-score, in %"))
    words = {metric: METRICS[metric] for metric in result.metrics} | LEGEND
    pairs = [join([element("dt", name), element("dd", text)]) for name, text in words.items()]
    body = [
        figures(list(shown.items())),
        section(
            "Scores", element("div", text_table(result, names), figure, class_="plots" if len(names) == 1 else None)
        ),
        section("What the words mean", element("dl", *pairs, class_="words")),
    ]
    subtitle = f"Against {gold}: {result.size()}. {TITLE}."
    return page(title, join(body, "\n"), subtitle=subtitle, style=source("report.css"))


def _share(result: TextEvaluation, system: int, metric: str) -> float | None:
    return result.systems[system].scores.get(metric, NO_SCORE).f


def _f(result: TextEvaluation, system: int, metric: str) -> str:
    return points(_share(result, system, metric))
