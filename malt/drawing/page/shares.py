"""A whole and its parts as one bar, with the share of each part."""

from __future__ import annotations

from collections.abc import Mapping

from malt.drawing.page.axes import SIZE, WIDTH, picture, short, text, title_text
from malt.drawing.page.colour import series
from malt.drawing.page.markup import Html, element

THICK, LINE = 22, 19


def share(part: float, whole: float) -> str:
    """A percentage, as the papers give it.

    >>> share(853, 5512), share(1, 100_000), share(0, 5), share(0, 0)
    ('15.48 %', '<0.01 %', '0.00 %', '-')
    """
    if not whole:
        return "-"
    percent = f"{100 * part / whole:.2f} %"
    return percent if percent != "0.00 %" or not part else "<0.01 %"


def shares(parts: Mapping[str, int], *, title: str) -> Html:
    """The bar, and below it what each part is. A part that is there is at least a line wide.

    >>> svg = shares({"projective": 127, "planar": 5, "2-planar": 18}, title="Trees")
    >>> "84.67 %" in svg
    True
    """
    whole = sum(parts.values())
    room = [max(WIDTH * count / whole, 2.0) if count else 0.0 for count in parts.values()] if whole else []
    scale = WIDTH / max(sum(room), 1.0)
    marks, x, top = [], 0.0, 30.0
    for place, ((name, count), width) in enumerate(zip(parts.items(), room, strict=False)):
        if count:
            said = element("title", f"{name}: {count:,}, {share(count, whole)}")
            size = {"width": short(width * scale), "height": THICK}
            marks.append(element("rect", said, x=short(x), y=top, fill=series(place), **size))
        x += width * scale
    y = top + THICK + 18
    for place, (name, count) in enumerate(parts.items()):
        marks.append(element("rect", x=0, y=short(y - 5), width=10, height=10, rx=2, fill=series(place)))
        marks.append(text(16, y, name, "start"))
        marks.append(text(WIDTH - 78, y, f"{count:,}", "end"))
        marks.append(text(WIDTH, y, share(count, whole), "end", "soft", size=SIZE))
        y += LINE
    return picture(title, WIDTH, y - LINE / 2, [title_text(title), *marks])
