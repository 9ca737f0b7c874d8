"""The decision trees of phase 2 as pictures: what was tried, the path that was taken, and the scores that led there."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from malt.drawing.page.axes import picture, short, title_text
from malt.drawing.page.colour import ink
from malt.drawing.page.markup import Html, element
from malt.drawing.trees.width import pixels, shorten
from malt.optimizer.plan.facts import numbers_of
from malt.optimizer.report.attempts import signed

SIZE, SMALL = 12.5, 11.5
WIDTH, GAP = 164, 14  # of a box, and between two
ROW, PAD = 21, 6
BRANCH = 64  # from a box to the next below it
TOP = 30
SCORE = 22 + 12 + 58 + 10  # what a name has before and after it: the tick, a gap, the score or "no time", the edge
NAME, LABEL = 40, 48  # letters of a candidate and of a condition that are shown: more than any of ours has
_COMPARED = re.compile(r"(.+?) (<=|>=|<|>|=) (.+)")


@dataclass
class Candidate:
    """A candidate, and what came of it."""

    name: str
    score: float | None
    kept: bool
    attempt: Mapping[str, Any] = field(default_factory=dict)


@dataclass
class Branch:
    """A way on from a box, with what is said of it."""

    condition: str
    evidence: str
    box: Box
    taken: bool

    @property
    def room(self) -> float:
        """The width of all that is below it, and of what is said of it."""
        words = (pixels(shorten(said, LABEL), SMALL) + 6 for said in (self.condition, self.evidence))
        return max(self.box.room, *words)


@dataclass
class Box:
    """Candidates that are tried one after another, and the branches that follow."""

    rows: list[Candidate] = field(default_factory=list)
    branches: list[Branch] = field(default_factory=list)

    @property
    def height(self) -> float:
        return 2 * PAD + ROW * len(self.rows)

    @property
    def width(self) -> float:
        """Wide enough for the longest name and its score, in letters that may be bold."""
        names = [1.08 * pixels(shorten(row.name, NAME), SIZE) for row in self.rows]
        return max([WIDTH, *(name + SCORE for name in names)])

    @property
    def room(self) -> float:
        """The width of all that is below it."""
        below = sum(branch.room for branch in self.branches) + GAP * (len(self.branches) - 1)
        return max(self.width, below)

    @property
    def depth(self) -> float:
        """The height of it and all that is below it."""
        return self.height + max((BRANCH + branch.box.depth for branch in self.branches), default=0.0)


def reason(tree: Mapping[str, Any], report: Mapping[str, Any]) -> str:
    """Why a tree was not used; nothing if it was."""
    if tree["taken"]:
        return ""
    if report["forced"]:
        return f"Not used: the algorithm {report['forced']} was asked for."
    if all(phase["name"] != "phase 2" for phase in report["phases"]):
        return "Not used: phase 2 was not carried through."
    held = evidence(tree["condition"], {}, numbers_of(report["profile"]))
    return f"Not used: its condition, {tree['condition']}, does not hold" + (f" ({held})." if held else ".")


def draw_tree(tree: Mapping[str, Any], report: Mapping[str, Any]) -> Html:
    """The picture of a tree of `report["trees"]`."""
    attempts = [one for one in report["decisions"] if one["tree"] == tree["name"]]
    scores = {one["name"]: one["score"] for one in report["decisions"] if one["name"] and one["score"] is not None}
    first = _box(tree["steps"], attempts, scores, report)
    held = evidence(tree["condition"], scores, numbers_of(report["profile"]))
    whole = Box([], [Branch(plain(tree["condition"]), held, first, tree["taken"])])
    title = f"Tree: {tree['name']}"
    marks: list[Html] = []
    _draw(whole, 2.0, TOP - 2 * PAD, tree["taken"], marks)
    width = max(whole.room + 4, pixels(title, 13.5) + 4)
    return picture(
        f"{title}: {_in_words(first)}", width, TOP - 2 * PAD + whole.depth + 3, [title_text(title), *marks], wide=True
    )


def _box(
    steps: Sequence[Mapping[str, Any]],
    attempts: Sequence[Mapping[str, Any]],
    scores: Mapping[str, float],
    report: Mapping[str, Any],
) -> Box:
    """Steps up to the first condition are one box; what follows is below it."""
    box, rest = Box(), list(steps)
    conditional = False
    while rest:
        step = rest.pop(0)
        if step["condition"]:
            inner = _box([{**step, "condition": ""}], attempts, scores, report)
            if inner.rows or inner.branches:
                held = evidence(step["condition"], scores, numbers_of(report["profile"])) if step["taken"] else ""
                box.branches.append(Branch(plain(step["condition"]), held, inner, step["taken"]))
                conditional = True
        elif "try" not in step:
            rest[:0] = step.get("steps", [])
        elif conditional:  # it comes after the branches, whichever was taken
            inner = _box([step, *rest], attempts, scores, report)
            box.branches.append(Branch("in any case, then", "", inner, step["taken"]))
            break
        else:
            made = [one for one in attempts if one["place"] == step["place"]]
            score = step["score"] if step["score"] is not None and math.isfinite(step["score"]) else None
            box.rows.append(Candidate(step["try"], score, step["kept"], made[0] if made else {}))
            for key, word in (("then", "is kept"), ("else", "is not kept")):
                if step.get(key):
                    inner = _box(step[key], attempts, scores, report)
                    taken = any(one["taken"] for one in step[key])
                    box.branches.append(Branch(f"{step['try']} {word}", "", inner, taken))
    return box


def evidence(condition: str, scores: Mapping[str, float], facts: Mapping[str, float]) -> str:
    """The numbers behind a condition.

    >>> evidence("stacklazy > covnonproj", {"stacklazy": 77.94, "covnonproj": 75.96}, {})
    '77.94 > 75.96'
    >>> evidence("leads stackproj", {"stackproj": 80.1}, {})
    'with 80.10'
    >>> evidence("nonprojective <= 15", {}, {"nonprojective": 3.25})
    '3.25 %'
    """
    match = _COMPARED.fullmatch(condition)
    if match and match[1] in facts:
        percent = match[1] in ("nonprojective", "nonplanar", "not2planar")
        return f"{facts[match[1]]:.2f} %" if percent else f"{facts[match[1]]:,.0f}"
    if match and match[1] in scores and match[3] in scores:
        return f"{scores[match[1]]:.2f} {match[2]} {scores[match[3]]:.2f}"
    verb, _, name = condition.partition(" ")
    return f"with {scores[name]:.2f}" if verb == "leads" and name in scores else ""


def plain(condition: str) -> str:
    """A condition as one would say it.

    >>> plain("leads stackproj"), plain("nonprojective <= 15"), plain("")
    ('stackproj leads', 'nonprojective <= 15', 'always')
    """
    verb, _, rest = condition.partition(" ")
    return {"leads": f"{rest} leads", "kept": f"{rest} is kept"}.get(verb, condition) or "always"


def _in_words(box: Box) -> str:
    """The tree in words, for those who do not see it."""
    said = ", ".join(f"{row.name} {'-' if row.score is None else f'{row.score:.2f}'}" for row in box.rows)
    for branch in box.branches:
        if branch.taken:
            said += f"; {branch.condition}: {_in_words(branch.box)}"
    return said


def _draw(box: Box, left: float, top: float, taken: bool, marks: list[Html]) -> None:
    middle, bottom = left + box.room / 2, top + box.height
    below = sum(branch.room for branch in box.branches) + GAP * (len(box.branches) - 1)
    place = left + (box.room - below) / 2
    for branch in sorted(box.branches, key=lambda one: one.taken):  # what was taken is drawn over what was not
        at = place + sum(one.room + GAP for one in box.branches[: box.branches.index(branch)])
        marks.append(_line(middle, bottom, at + branch.room / 2, bottom + BRANCH, branch.taken))
    for branch in box.branches:
        centre, y = place + branch.room / 2, bottom + BRANCH
        marks.append(_label(centre, y - (26 if branch.evidence else 17), branch.condition, branch.taken))
        if branch.evidence:
            marks.append(_label(centre, y - 11, branch.evidence, branch.taken, bold=branch.taken))
        _draw(branch.box, centre - branch.box.room / 2, y, branch.taken, marks)
        place += branch.room + GAP
    if not box.rows:  # where the tree begins
        colour = ink("c1" if any(branch.taken for branch in box.branches) else "soft")
        marks.append(element("circle", cx=short(middle), cy=short(bottom), r=4.5, fill=colour))
    else:
        x, width = middle - box.width / 2, box.width
        marks.append(_frame(x, top, width, box.height, taken))
        marks += [_candidate(row, x, top + PAD + ROW * i, width, taken) for i, row in enumerate(box.rows)]


def _line(x1: float, y1: float, x2: float, y2: float, taken: bool) -> Html:
    turn = y1 + 14
    bend = min(8.0, abs(x2 - x1) / 2)
    side = bend if x2 > x1 else -bend
    path = f"M{short(x1)} {short(y1)}"
    if bend > 0.5:
        path += f"V{short(turn - bend)}Q{short(x1)} {short(turn)} {short(x1 + side)} {short(turn)}"
        path += f"H{short(x2 - side)}Q{short(x2)} {short(turn)} {short(x2)} {short(turn + bend)}"
    path += f"V{short(y2)}"
    return element(
        "path",
        d=path,
        fill="none",
        stroke=ink("c1" if taken else "soft"),
        stroke_width=2.5 if taken else 1,
        stroke_dasharray=None if taken else "3 4",
    )


def _frame(x: float, y: float, width: float, height: float, taken: bool) -> Html:
    return element(
        "rect",
        x=short(x),
        y=short(y),
        width=short(width),
        height=short(height),
        rx=8,
        fill=ink("paper"),
        stroke=ink("c1" if taken else "line"),
        stroke_width=1.5 if taken else 1,
    )


def _label(x: float, y: float, content: str, taken: bool, bold: bool = False) -> Html:
    """On a branch, with some paper around it."""
    shown = shorten(content, LABEL)
    wide = pixels(shown, SMALL) + 4
    size = {"width": short(wide), "height": 15, "x": short(x - wide / 2), "y": short(y - 7.5)}
    words = element(
        "text",
        element("title", content) if shown != content else "",
        shown,
        x=short(x),
        y=short(y),
        dy="0.35em",
        text_anchor="middle",
        fill=ink("ink" if taken else "soft"),
        font_size=SMALL,
        font_weight=650 if bold else None,
    )
    return element("g", element("rect", fill=ink("paper"), **size), words)


def _candidate(row: Candidate, x: float, y: float, width: float, taken: bool) -> Html:
    tried, failed = row.score is not None or bool(row.attempt), bool(row.attempt.get("error"))
    tone = ink("ink" if tried and taken else "soft")
    late = failed and not row.attempt.get("folds")
    result = "no time" if late else "failed" if failed else "" if row.score is None else f"{row.score:.2f}"
    said = row.attempt.get("error") or (f"{row.name}: {result}" if result else f"{row.name}: not tried")
    if row.attempt.get("gain") is not None and not failed:
        said += f", {signed(row.attempt['gain'])}, {'kept' if row.kept else 'not kept'}"
    weight = 650 if row.kept else None
    middle = short(y + ROW / 2)
    parts: list[Html] = [element("title", said)]
    if row.kept:
        size = {"width": short(width - 8), "height": ROW, "rx": 5}
        parts.append(element("rect", x=short(x + 4), y=short(y), fill=ink("c3"), fill_opacity=0.16, **size))
        parts.append(_word(x + 18, middle, "✓", "end", ink("c3"), weight))
    parts.append(_word(x + 22, middle, shorten(row.name, NAME), "start", tone, weight))
    parts.append(_word(x + width - 10, middle, result, "end", ink("head") if failed and not late else tone, weight))
    return element("g", *parts)


def _word(x: float, y: str, content: str, anchor: str, fill: str, weight: int | None) -> Html:
    return element(
        "text", content, x=short(x), y=y, dy="0.35em", text_anchor=anchor, fill=fill, font_size=SIZE, font_weight=weight
    )
