"""What was tried, as tables: every attempt with its gain, its chance, and what became of it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from typing import Any

from malt.data.formats.dataformat import find_format
from malt.drawing.page.axes import short as coordinate
from malt.drawing.page.colour import ink
from malt.drawing.page.markup import Content, Html, element, join
from malt.drawing.page.page import badge, table
from malt.errors import MaltError
from malt.features.shorthand import short
from malt.features.syntax import FeatureError, parse_feature
from malt.features.values import Columns

Attempts = Sequence[Mapping[str, Any]]
BAR, THICK = 132, 12
FILTERS = {
    "all": "all",
    "kept": "kept",
    "not": "not kept",
    "rough": "ruled out by a rough look",
    "early": "stopped early",
    "failed": "failed",
}
_PARTS = re.compile(r", (?=[-+] )")


def find_columns(format: str) -> Columns | None:
    """The columns of a format by its name; None for one that only its user has."""
    try:
        return Columns(find_format(format))
    except MaltError:
        return None


def in_shorthand(feature: str, columns: Columns | None) -> str:
    """A feature as YAML has it; what is none stays as it is.

    >>> in_shorthand("Merge(InputColumn(POSTAG,Stack[0]),InputColumn(FORM,Input[0]))", find_columns("conllx"))
    'POSTAG(Stack[0]) & FORM(Input[0])'
    >>> in_shorthand("<b>", None)
    '<b>'
    """
    try:
        return short(parse_feature(feature), columns)
    except FeatureError:
        return feature


def was_tried(attempt: Mapping[str, Any]) -> bool:
    """Whether there was time for it."""
    return bool(attempt["folds"]) or not attempt["error"]


def group_by_step(attempts: Attempts) -> list[tuple[str, str, list[Mapping[str, Any]]]]:
    """The attempts in the order in which they were made, by phase and step."""
    return [
        (phase, step, list(made))
        for (phase, step), made in groupby(attempts, lambda one: (one["phase"], title_of(one)))
    ]


def title_of(attempt: Mapping[str, Any]) -> str:
    """The name of an attempt's step, or what stands for it.

    >>> [title_of({"phase": phase, "step": "", "place": place}) for phase, place in (("", ""), ("phase2", "2.1"))]
    ['start', 'steps without a name']
    """
    if attempt["step"] or not attempt["phase"]:
        return str(attempt["step"] or "start")
    return "steps without a name" if attempt["place"] else "the algorithm that was asked for"


def result_of(attempt: Mapping[str, Any], folds: int) -> tuple[str, str]:
    """What became of a trial, as one of FILTERS and in words.

    >>> result_of({"error": "", "kept": False, "rough": False, "hopeless": True, "folds": 2}, 5)
    ('early', 'stopped at 2 of 5')
    """
    if attempt["error"]:
        return "failed", "failed"
    if attempt["kept"]:
        return "kept", "kept"
    if attempt["rough"]:
        return "rough", "ruled out by a rough look"
    if attempt["hopeless"]:
        return "early", f"stopped at {attempt['folds']} of {folds}"
    return "not", "not kept"


def attempt_table(
    attempts: Attempts, reach: tuple[float, float], folds: int, columns: Columns | None, steps: bool = False
) -> Html:
    """A table of attempts. `reach` are the ends of the scale of gains. With `steps`, each says of which step it is."""
    rows = [
        [
            join([element("div", _step_name(one), class_="soft small"), change(one, columns)])
            if steps
            else change(one, columns),
            _gain(one, reach),
            _score(one),
            chance(one["p"]),
            one["rule"] if one["gain"] is not None else "",
            _answer(one, folds),
        ]
        for one in attempts
    ]
    return table(["what", "gain", "score", "p", "needed", "result"], rows, align="lrrrrl", sortable=True)


def _step_name(attempt: Mapping[str, Any]) -> str:
    return ", ".join(filter(None, [attempt["phase"].replace("phase", "phase "), title_of(attempt)]))


def reach(attempts: Attempts) -> tuple[float, float]:
    """The ends of a scale for gains. What is much worse than the best is good goes off it, so that gains can be seen.

    >>> reach([{"gain": 0.5, "error": ""}, {"gain": -30.0, "error": ""}])
    (-2.0, 0.5)
    """
    gains = [one["gain"] for one in attempts if one["gain"] is not None and not one["error"]]
    most = max([*gains, 0.0])
    return max(min([*gains, 0.0]), -max(2.0, most)), most


def change(attempt: Mapping[str, Any], columns: Columns | None) -> Html:
    """What is different from the best so far: features, each with its sign, or options."""
    what = str(attempt["what"])
    if not what.startswith(("+ ", "- ")):
        name = attempt["name"]
        name = element("b", name, " ") if name and name not in what.split() else ""
        return join([name, element("code", what)])
    lines: list[Content] = []
    for part in _PARTS.split(what):
        sign, feature = part[0], part[2:]
        said = in_shorthand(feature, columns)
        both = [element("code", said, class_="brief", title=feature), element("code", feature, class_="full")]
        shown = "\N{MINUS SIGN}" if sign == "-" else "+"
        word = "without" if sign == "-" else "with"
        lines.append(element("div", element("span", shown, class_="sign", title=word), *both, class_="change"))
    return join(lines)


def untried_list(attempts: Attempts, columns: Columns | None) -> Html:
    """What there was no time for."""
    if not attempts:
        return Html()
    said = f"{len(attempts):,} that there was no time for"
    items = [element("li", element("span", one["step"], ": ", class_="soft"), change(one, columns)) for one in attempts]
    return element("details", element("summary", said), element("ul", *items, class_="untried"))


def filters(name: str, attempts: Attempts) -> Html:
    """Choices of what is shown, which need no script: to begin with what was kept, if anything was."""
    first = "kept" if count_kept(attempts) else "all"
    choices = [
        element(
            "label", element("input", type="radio", name=f"{name}-show", value=value, checked=value == first), title
        )
        for value, title in _titles(attempts).items()
    ]
    full = element("label", element("input", type="checkbox", value="full"), "features in full")
    return element("div", *choices, full, class_="filters")


def _titles(attempts: Attempts) -> dict[str, str]:
    """What can be shown, each with how many there are."""
    kinds = [result_of(one, 0)[0] for one in attempts]
    counts = {"all": len(kinds), "not": kinds.count("not") + kinds.count("early")}
    return {value: f"{title} ({counts.get(value, kinds.count(value)):,})" for value, title in FILTERS.items()}


def _answer(attempt: Mapping[str, Any], folds: int) -> Html:
    kind, said = result_of(attempt, folds)
    colour = {"kept": "good", "failed": "bad"}.get(kind, "")
    why = element("div", attempt["error"], class_="soft small why") if attempt["error"] else ""
    return join([element("span", badge(said, colour), class_=f"is-{kind}"), why])


def _gain(attempt: Mapping[str, Any], reach: tuple[float, float]) -> Content:
    gain = attempt["gain"]
    if gain is None or attempt["error"]:
        return ""
    number = element("span", signed(gain))
    return join([number, _bar(gain, reach, attempt["kept"])])


def signed(points: float) -> str:
    """A gain as the page writes it.

    >>> signed(0.5), signed(-0.25), signed(-0.001)
    ('+0.50', '−0.25', '0.00')
    """
    points = round(points, 2)
    return f"{points:+.2f}".replace("-", "\N{MINUS SIGN}") if points else "0.00"


def _bar(gain: float, reach: tuple[float, float], kept: bool) -> Html:
    least, most = reach
    room = (BAR - 4) / ((most - least) or 1)
    zero = 2 - least * room
    shown = max(least, min(most, gain))
    begin, end = sorted((zero, zero + shown * room))
    colour = ink("c3" if kept else "c2" if gain < 0 else "c6")
    tip = 6 if gain < least else 0  # a point where it goes off the scale
    mark = element(
        "path",
        d=f"M{coordinate(end)} 1V{THICK - 1}H{coordinate(begin + tip)}L{coordinate(begin)} {THICK // 2}"
        f"L{coordinate(begin + tip)} 1Z",
        fill=colour,
        stroke=colour,
        fill_opacity=1 if kept else 0.45,
    )
    middle = coordinate(zero)
    axis = element("line", x1=middle, x2=middle, y1=0, y2=THICK, stroke=ink("soft"))
    size = {"width": BAR, "height": THICK, "viewBox": f"0 0 {BAR} {THICK}"}
    return element("svg", mark, axis, class_="gain", preserveAspectRatio="none", aria_hidden="true", **size)


def _score(attempt: Mapping[str, Any]) -> Content:
    if attempt["score"] is None or attempt["error"]:
        return "-"
    score = f"{attempt['score']:.2f}"
    reckoned = "reckoned from rough trials" if attempt["rough"] else "reckoned from the folds that were run"
    return element("span", score, class_="soft", title=reckoned) if attempt["rough"] or attempt["hopeless"] else score


def chance(p: float | None) -> str:
    """How likely something is, as the page writes it.

    >>> chance(0.0004), chance(0.04), chance(0.4), chance(None)
    ('<0.001', '0.040', '0.40', '')
    """
    return "" if p is None else "<0.001" if p < 0.001 else f"{p:.3f}" if p < 0.1 else f"{p:.2f}"


def points_added(attempts: Attempts) -> float:
    """How many points a step has added to the score that it began with."""
    begin = next((one["before"] for one in attempts if one["before"] is not None), 0.0)
    end = [one["score"] for one in attempts if one["kept"] and one["score"] is not None]
    return round(end[-1] - begin, 2) if end else 0.0


def count_kept(attempts: Iterable[Mapping[str, Any]]) -> int:
    """How many were kept."""
    return sum(bool(one["kept"]) for one in attempts)
