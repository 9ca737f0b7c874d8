"""Plots as SVG, as plain functions: columns, bars, lines, and a heat map. Made for `malt.drawing.page.page`.

Each is drawn for a width of 440 pixels, so that its text can be read on a telephone, and grows with the page. Numbers
are given with every mark as well (a title that shows under the pointer), and no value is told by colour alone.

>>> svg = columns(["1", "2", "3-6"], {"nivreeager": [94.2, 91.0, 88.5], "2planar": [94.3, 91.4, 89.9]}, title="LAS")
>>> svg = lines({"best": [(1, 79.9), (2, 81.0), (7, 82.4)]}, title="Best score", x="trial", steps=True)
>>> svg = heat(["subj", "obj"], ["subj", "obj"], [[90, 4], [7, 60]], title="Gold against system", diagonal=False)
>>> svg.startswith("<svg "), svg.endswith("</svg>")
(True, True)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from malt.drawing.page.axes import (
    SIZE,
    WIDTH,
    Frame,
    Scale,
    heading,
    picture,
    plain,
    rectangle,
    rule,
    short,
    text,
    title_text,
)
from malt.drawing.page.colour import ink, series
from malt.drawing.page.markup import Html, element
from malt.drawing.trees.width import pixels, shorten

HEIGHT = 260
WIDER = 1.2  # than reckoned, some fonts are: DejaVu Sans, which browsers on Linux take, is the widest that was tried
NAMES = 0.55  # of the width, that names of bars may take
LINES = 3  # of them, that one may take
Values = Sequence[float | None]


def columns(
    names: Sequence[str],
    values: Mapping[str, Values],
    *,
    title: str,
    x: str = "",
    y: str = "",
    least: float = 0.0,
    most: float | None = None,
    notes: Sequence[str] = (),
    height: int = HEIGHT,
) -> Html:
    """Upright bars: for each name a group with a bar a series. `least` and `most` are the ends of the axis; `notes`
    say more about each name, under the pointer, such as how many words there are."""
    known = _known(values)
    scale = Scale(min([least, *known]), max(known, default=1.0) if most is None else most, least)
    frame = Frame(title, list(values), scale, height, x, y)
    step = frame.room / max(len(names), 1)
    width = min(step * 0.76 / max(len(values), 1), 34)
    marks = []
    for place, name in enumerate(names):
        middle = frame.left + step * (place + 0.5)
        for number, (label, column) in enumerate(values.items()):
            value = column[place]
            if value is None:
                continue
            begin = middle + (number - len(values) / 2) * width
            ends = sorted([frame.at(min(value, scale.most)), frame.at(max(scale.least, min(0.0, scale.most)))])
            said = f"{name}, {label}: {plain(value)}" + (f" ({notes[place]})" if notes else "")
            marks.append(rectangle(begin, ends[0], width - 1.5, max(ends[1] - ends[0], 0.5), number, said))
    return frame.svg(marks, frame.below([(frame.left + step * (i + 0.5), name) for i, name in enumerate(names)], step))


def bars(
    names: Sequence[str],
    values: Mapping[str, Values],
    *,
    title: str,
    digits: int = 2,
    sign: bool = False,
    kinds: Sequence[str] = (),
) -> Html:
    """Level bars, one below the other, for names that are long, such as features; with the value beside each.

    `sign` writes +0.21. With one series, `kinds` gives each bar a colour by name: c1 to c6, soft, head for what is bad.
    """
    known = _known(values)
    scale = Scale(min([0.0, *known]), max([0.0, *known]) or (1.0 if not known or not min(known) < 0 else 0.0), 0.0)
    names_shown = [lines_of(name, NAMES * WIDTH) for name in names]
    left = max((WIDER * pixels(part, SIZE) for parts in names_shown for part in parts), default=0) + 8
    number_room = max((WIDER * pixels(_signed(value, digits, sign), SIZE) for value in known), default=0) + 8
    room = WIDTH - left - number_room - (number_room if scale.least < 0 else 0)
    zero = left + (number_room if scale.least < 0 else 0) - scale.least / scale.span * room
    line, group = 17, max(17 * max(len(values), 1) + 5, 15 * max(map(len, names_shown), default=1) + 4)
    legend, top = heading(title, list(values))
    marks: list[Html] = []
    for place, name in enumerate(names):
        y = top + place * group
        parts = names_shown[place]
        for row, part in enumerate(parts):
            at = y + (group - 4) / 2 + 14 * (row - (len(parts) - 1) / 2)
            marks.append(text(left - 6, at, part, "end", title=name))
        for number, (label, column) in enumerate(values.items()):
            value = column[place]
            if value is None:
                continue
            length = abs(value) / scale.span * room
            said, at = _signed(value, digits, sign), y + 2 + number * line
            kind = ink(kinds[place]) if kinds else series(number)
            begin = zero if value >= 0 else zero - length
            marks.append(rectangle(begin, at, max(length, 1), line - 3, number, f"{name}, {label}: {said}", kind))
            side, end = ("start", zero + length + 4) if value >= 0 else ("end", zero - length - 4)
            marks.append(text(end, at + line / 2 - 1, said, side, "soft"))
    bottom = top + len(names) * group
    marks.append(rule(zero, top - 2, zero, bottom, "soft"))
    return picture(title, WIDTH, bottom + 6, [*legend, *marks])


def lines(
    values: Mapping[str, Sequence[tuple[float, float]]],
    *,
    title: str,
    x: str = "",
    y: str = "",
    least: float | None = None,
    most: float | None = None,
    steps: bool = False,
    dots: bool = True,
    names: Mapping[float, str] | None = None,
    height: int = HEIGHT,
) -> Html:
    """Curves through points (x, y). `steps`: level until the next point, as for a best score so far. `names` are what
    to write at places of the x axis, if not numbers."""
    every = [point for points in values.values() for point in points]
    low, high = min((p[1] for p in every), default=0.0), max((p[1] for p in every), default=1.0)
    scale = Scale(low if least is None else least, high if most is None else most)
    frame = Frame(title, list(values), scale, height, x, y)
    across = Scale(min((p[0] for p in every), default=0.0), max((p[0] for p in every), default=1.0), exact=True)

    def at(value: float) -> float:
        return frame.left + 6 + (value - across.least) / across.span * (frame.room - 12)

    marks: list[Html] = []
    for number, (label, points) in enumerate(values.items()):
        path = ""
        for px, py in points:
            sx, sy = short(at(px)), short(frame.at(py))
            path += f"M{sx} {sy}" if not path else f"H{sx}V{sy}" if steps else f"L{sx} {sy}"
        dashes = ("", "6 3", "2 3", "8 3 2 3", "1 3", "10 4")[number % 6] or None
        marks.append(
            element(
                "path",
                d=path,
                fill="none",
                stroke=series(number),
                stroke_width=2,
                stroke_linejoin="round",
                stroke_dasharray=dashes,
            )
        )
        for px, py in points:
            said = f"{label}, {(names or {}).get(px) or plain(px)}: {plain(py)}"
            radius = 3 if dots and len(points) <= 60 else 1.5
            fill = series(number) if dots else "transparent"
            cx, cy = short(at(px)), short(frame.at(py))
            marks.append(element("circle", element("title", said), cx=cx, cy=cy, r=radius, fill=fill))
    if names is not None:
        below = [(at(place), name) for place, name in names.items()]
    else:
        whole = all(p[0] == int(p[0]) for p in every)
        ticks = [tick for tick in across.ticks(6) if not whole or tick == int(tick)]
        below = [(at(tick), plain(tick)) for tick in ticks]
    return frame.svg(marks, frame.below(below, frame.room / max(len(below), 1)))


def heat(
    rows: Sequence[str],
    columns: Sequence[str],
    values: Sequence[Values],
    *,
    title: str,
    x: str = "",
    y: str = "",
    diagonal: bool = True,
    digits: int = 0,
) -> Html:
    """A table of shades with its numbers, such as a confusion of labels; 0 and None are left empty.

    Without `diagonal`, what is on it (the same name on both sides) is written but does not count for the shades, as
    what is right would outshine what is wrong.
    """
    names_shown = [shorten(name, 16) for name in rows]
    heads = [shorten(name, 16) for name in columns]
    size = max(26.0, 8 + max((pixels(_fixed(v, digits), 11) for row in values for v in row if v), default=0.0))
    left = max((pixels(name, SIZE) for name in names_shown), default=0) + 8 + (18 if y else 0)
    top = 26 + max((pixels(head, SIZE) for head in heads), default=0) + 8 + (18 if x else 0)
    counted = [
        abs(value)
        for row, line in zip(rows, values, strict=True)
        for column, value in zip(columns, line, strict=True)
        if value and (diagonal or row != column)
    ]
    most = max(counted, default=1.0)
    marks = []
    if x:
        marks.append(text(left, 34, x, "start", "soft"))
    if y:
        marks.append(text(9, top, y, "end", "soft", turn=-90))
    for place, head in enumerate(heads):
        marks.append(text(left + size * (place + 0.5), top - 6, head, "start", turn=-90, title=columns[place]))
    for down, (row, line) in enumerate(zip(rows, values, strict=True)):
        marks.append(text(left - 6, top + size * (down + 0.5), names_shown[down], "end", title=row))
        for across, (column, value) in enumerate(zip(columns, line, strict=True)):
            marks.append(
                _cell(left + across * size, top + down * size, size, value, most, row, column, diagonal, digits)
            )
    width = left + size * len(columns) + 4
    return picture(title, max(width, 220), top + size * len(rows) + 6, [title_text(title), *marks], wide=True)


def _cell(
    x: float,
    y: float,
    size: float,
    value: float | None,
    most: float,
    row: str,
    column: str,
    diagonal: bool,
    digits: int,
) -> Html:
    aside = not diagonal and row == column
    share = 0.0 if aside or not value else min(abs(value) / most, 1.0)
    colour = ink("line") if aside else series(1 if (value or 0) < 0 else 0)
    square = element(
        "rect",
        x=short(x + 0.5),
        y=short(y + 0.5),
        width=short(size - 1),
        height=short(size - 1),
        rx=2,
        fill=colour,
        fill_opacity=0.35 if aside else short(0.04 + 0.9 * share**0.6) if value else 0.04,
    )
    said = element("title", f"{row} / {column}: {_fixed(value or 0, digits)}")
    if not value:
        return element("g", said, square)
    tone = "paper" if share > 0.3 else "soft" if aside else "ink"
    return element("g", said, square, text(x + size / 2, y + size / 2, _fixed(value, digits), "middle", tone, size=11))


def lines_of(name: str, room: float) -> list[str]:
    """A name in lines of so many pixels, in any font; a word that is longer is shortened, and so is a fourth line.

    >>> lines_of("subj", 100), lines_of("2: non-projective algorithms", 130)
    (['subj'], ['2: non-projective', 'algorithms'])
    """
    found: list[str] = []
    for word in name.split(" "):
        if found and WIDER * pixels(f"{found[-1]} {word}", SIZE) <= room:
            found[-1] += f" {word}"
        else:
            found.append(word)
    if len(found) > LINES:
        found = [*found[: LINES - 1], " ".join(found[LINES - 1 :])]
    return [shorten_to(part, room) for part in found]


def shorten_to(name: str, room: float) -> str:
    """A name that fits into so many pixels, in any font.

    >>> shorten_to("subj", 100), shorten_to("2: non-projective algorithms", 100)
    ('subj', '2: non…rithms')
    """
    most = len(name)
    while most > 3 and WIDER * pixels(shorten(name, most), SIZE) > room:
        most -= 1
    return shorten(name, most)


def _known(values: Mapping[str, Values]) -> list[float]:
    return [value for column in values.values() for value in column if value is not None]


def _fixed(value: float | None, digits: int) -> str:
    return f"{value or 0:,.{digits}f}"


def _signed(value: float, digits: int, sign: bool) -> str:
    """
    >>> _signed(0.5, 2, True), _signed(-0.5, 2, True), _signed(0.001, 2, True), _signed(5.0, 1, False)
    ('+0.50', '−0.50', '0.00', '5.0')
    """
    value = round(value, digits) or 0.0  # no sign where nothing is left of it
    return f"{value:{'+' if sign and value else ''}.{digits}f}".replace("-", "\N{MINUS SIGN}")
