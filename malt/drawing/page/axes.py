"""What plots are made of: scales with round numbers, a frame with its axes, and marks."""

from __future__ import annotations

import math
from collections.abc import Sequence

from malt.drawing.page.colour import FONT, ink, series
from malt.drawing.page.markup import Content, Html, element, join
from malt.drawing.trees.width import pixels, shorten

WIDTH, SIZE = 440, 12


class Scale:
    """The ends of an axis, and round numbers between them."""

    def __init__(self, least: float, most: float, fixed: float | None = None, exact: bool = False) -> None:
        if not most > least:
            most = least + 1
        if not exact:
            step = round_step(most - least, 5)
            most = math.ceil(most / step - 1e-9) * step
            if fixed is None or least < fixed:
                least = math.floor(least / step + 1e-9) * step
        self.least, self.most = least, most
        self.span = most - least

    def ticks(self, about: int = 5) -> list[float]:
        step = round_step(self.span, about)
        first = math.ceil(self.least / step - 1e-9)
        return [i * step for i in range(first, first + 50) if i * step <= self.most + step * 1e-6]


class Frame:
    """A plot with an upright scale on its left."""

    def __init__(self, title: str, names: list[str], scale: Scale, height: int, x: str, y: str) -> None:
        self.title, self.scale, self.x = title, scale, x
        self.heading, self.top = heading(title, names)
        if y:
            self.heading = [*self.heading, text(0, self.top + 2, y, "start", "soft")]
            self.top += 16
        self.height = max(height, int(self.top) + 140)
        self.left = 10 + max(pixels(plain(tick), SIZE) for tick in scale.ticks())
        self.room = WIDTH - self.left - 4
        self.bottom = self.height - 24.0 - (18 if x else 0)

    def at(self, value: float) -> float:
        share = (value - self.scale.least) / self.scale.span
        return self.bottom - min(max(share, 0.0), 1.0) * (self.bottom - self.top - 6)

    def below(self, names: list[tuple[float, str]], step: float) -> list[Html]:
        """Names under the x axis; turned where they would not fit beside each other."""
        longest = max((pixels(name, SIZE) for _, name in names), default=0)
        every = 1
        if longest > step - 4:
            if all(name.replace(",", "").isdigit() for _, name in names):
                every = math.ceil((longest + 6) / step)
            else:
                names = [(at, shorten(name, 14)) for at, name in names]
                drop = min(longest, max(pixels(name, SIZE) for _, name in names)) * 0.71 + 6
                self.height += int(drop)
                return [text(at + 4, self.bottom + 12, name, "end", turn=-45) for at, name in names]
        shown = names[::every]
        return [text(at, self.bottom + 12, name, "middle") for at, name in shown]

    def svg(self, marks: list[Html], below: list[Html]) -> Html:
        grid = []
        for tick in self.scale.ticks():
            y = self.at(tick)
            grid.append(rule(self.left, y, WIDTH - 4, y, "line"))
            grid.append(text(self.left - 6, y, plain(tick), "end", "soft"))
        base = self.at(max(self.scale.least, min(0.0, self.scale.most)))
        marks = [*marks, rule(self.left, base, WIDTH - 4, base, "soft")]
        if self.x:
            marks.append(text(self.left + self.room / 2, self.height - 8, self.x, "middle", "soft"))
        return picture(self.title, WIDTH, self.height, [*self.heading, *grid, *marks, *below])


def heading(title: str, names: list[str]) -> tuple[list[Html], float]:
    """The title, and below it what the colours mean where there are several; and where the plot begins."""
    marks, x, y = [title_text(title)], 0.0, 34.0
    if len(names) < 2:
        return marks, 30.0
    for place, name in enumerate(names):
        room = 16 + pixels(name, SIZE) + 14
        if x and x + room > WIDTH:
            x, y = 0.0, y + 17
        marks.append(element("rect", x=short(x), y=short(y - 5), width=10, height=10, rx=2, fill=series(place)))
        marks.append(text(x + 15, y, name, "start"))
        x += room
    return marks, y + 16


def title_text(title: str) -> Html:
    return element("text", title, x=0, y=15, fill=ink("ink"), font_size=13.5, font_weight=650)


def rectangle(x: float, y: float, width: float, height: float, number: int, said: str, colour: str = "") -> Html:
    return element(
        "rect",
        element("title", said),
        x=short(x),
        y=short(y),
        width=short(max(width, 0.5)),
        height=short(height),
        rx=min(2, height / 2),
        fill=colour or series(number),
    )


def text(
    x: float,
    y: float,
    content: str,
    anchor: str,
    colour: str = "ink",
    *,
    turn: int = 0,
    title: str = "",
    size: float = SIZE,
) -> Html:
    return element(
        "text",
        element("title", title) if title and title != content else "",
        content,
        x=short(x),
        y=short(y),
        dy="0.35em",
        text_anchor=anchor if anchor != "start" else None,
        fill=ink(colour),
        font_size=size if size != SIZE else None,
        transform=f"rotate({turn} {short(x)} {short(y)})" if turn else None,
    )


def rule(x1: float, y1: float, x2: float, y2: float, colour: str) -> Html:
    x1, y1, x2, y2 = (round(v, 1) for v in (x1, y1, x2, y2))
    return element("line", x1=x1, y1=y1, x2=x2, y2=y2, stroke=ink(colour), stroke_width=1)


def picture(title: str, width: float, height: float, contents: Sequence[Content], wide: bool = False) -> Html:
    width, height = math.ceil(width), math.ceil(height)
    return element(
        "svg",
        join(contents),
        xmlns="http://www.w3.org/2000/svg",
        class_="plot wide" if wide else "plot",
        viewBox=f"0 0 {width} {height}",
        width=width,
        height=height,
        role="img",
        aria_label=title,
        font_family=FONT,
        font_size=SIZE,
    )


def round_step(span: float, about: int) -> float:
    """The round number nearest to a part of a span.

    >>> round_step(100, 5), round_step(0.9, 5), round_step(7, 5)
    (20.0, 0.2, 2.0)
    """
    rough = span / about
    power = 10.0 ** math.floor(math.log10(rough))
    return next((power * m for m in (1, 2, 5) if power * m >= rough * 0.9), power * 10)


def plain(value: float) -> str:
    """
    >>> plain(80.0), plain(0.30000000000000004), plain(12345)
    ('80', '0.3', '12,345')
    """
    return f"{int(value):,}" if value == int(value) else f"{round(value, 4):,}"


def short(value: float) -> str:
    """A coordinate in few letters."""
    return f"{value:.1f}".removesuffix(".0")
