"""The way up: the score of every trial, and the best so far."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from malt.drawing.page.axes import Frame, Scale, rule, short, text
from malt.drawing.page.colour import ink
from malt.drawing.page.markup import Html, element

HEIGHT = 300
BELOW = 2.0  # so many points below the first score are shown; what is worse is a mark on the ground


def curve(attempts: Sequence[Mapping[str, Any]], title: str) -> Html:
    """A dot per trial, a line through the best, and where phases begin.

    >>> first = {"phase": "", "step": "", "what": "", "score": 80.0, "before": None, "kept": True, "error": ""}
    >>> svg = curve([first, {**first, "phase": "phase2", "score": 81.5, "before": 80.0}], "LAS")
    >>> svg.count("<circle"), "phase 2" in svg, "81.50, kept" in svg
    (2, True, True)
    """
    known = [one["score"] for one in attempts if one["score"] is not None and not one["error"]]
    least, most = min(known, default=0.0), max(known, default=1.0)
    scale = Scale(max(least, (known[0] if known else 0.0) - BELOW), most)
    lost = any(score < scale.least for score in known)
    frame = Frame(title, [], scale, HEIGHT, f"trial{' (▾: below the scale)' * lost}", "")
    frame.top += 16  # for the names of phases

    def at(place: int) -> float:
        return frame.left + 8 + place / max(1, len(attempts) - 1) * (frame.room - 16)

    marks = _phases(attempts, at, frame)
    best, path = None, ""
    for place, one in enumerate(attempts):
        x = at(place)
        before = one["before"]
        begins = bool(place) and one["step"] != attempts[place - 1]["step"]
        if begins and best is not None and before is not None and before != best:  # with another algorithm
            path += f"H{short(at(place - 1))}M{short(x)} {short(frame.at(before))}"
            best = before
        if one["score"] is None or one["error"]:
            continue
        y = short(frame.at(one["score"]))
        kept = bool(one["kept"])
        if kept:
            path += f"H{short(x)}V{y}" if best is not None else f"M{short(x)} {y}"
            best = one["score"]
        said = element("title", f"{place + 1}: {one['what']}: {one['score']:.2f}{', kept' if kept else ''}")
        size = {"r": 3.2, "fill": ink("c1")} if kept else {"r": 2.2, "fill": ink("soft"), "fill_opacity": 0.55}
        if one["score"] < scale.least:
            tip = f"M{short(x - 3.5)} {short(frame.bottom - 7)}h7l-3.5 6z"
            marks.append(element("path", said, d=tip, fill=ink("soft"), class_="below"))
        else:
            marks.append(element("circle", said, cx=short(x), cy=y, **size))
    if best is not None:
        path += f"H{short(at(len(attempts) - 1))}"
    line = element("path", d=path, fill="none", stroke=ink("c1"), stroke_width=2, stroke_linejoin="round")
    ticks = [int(tick) for tick in Scale(1, max(2, len(attempts)), exact=True).ticks(6) if tick == int(tick)]
    below = [text(at(tick - 1), frame.bottom + 12, f"{tick:,}", "middle") for tick in ticks if tick <= len(attempts)]
    return frame.svg([line, *marks], below)


def _phases(attempts: Sequence[Mapping[str, Any]], at: Callable[[int], float], frame: Frame) -> list[Html]:
    """Where phases begin, and their names above; where there is little room, only their numbers."""
    begins = [
        place
        for place, one in enumerate(attempts)
        if one["phase"] and (not place or attempts[place - 1]["phase"] != one["phase"])
    ]
    edges = [(at(place - 1) + at(place)) / 2 if place else at(0) - 4 for place in begins]
    marks = []
    ends = [*edges[1:], at(len(attempts) - 1)]
    for place, begin, end in zip(begins, edges, ends, strict=False):
        number = attempts[place]["phase"][-1]
        room = end - begin
        name = f"phase {number}" if room > 52 else number if room > 10 else ""
        marks.append(rule(begin, frame.top - 8, begin, frame.bottom, "line"))
        marks.append(text(begin + room / 2, frame.top - 4, name, "middle", "soft", size=11))
    return marks
