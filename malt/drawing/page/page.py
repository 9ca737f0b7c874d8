"""Pages that stand alone: one HTML file with its look and its scripts inside, which asks the network for nothing.

All pages look alike: paper and ink by the reader's preference for light or dark, and from the width of a telephone up.
What is given as text is shown as text; what is `markup.Html` is put in as it is, and so is the result of every
function here, of `malt.drawing.page.plot` and of `malt.drawing.trees.svg`.

>>> from malt.drawing.page import plot
>>> body = join([
...     figures([("LAS", "85.10"), ("words", 5_852)]),
...     section("Scores by length of arc", plots(plot.columns(["1", "2"], {"LAS": [94.1, 91.0]}, title="LAS"))),
...     section("By label", table(["label", "LAS"], [["subj", 88.2], ["<obj>", 79.0]])),
... ])
>>> text = page("Danish, 2-planar", body)
>>> text.startswith("<!DOCTYPE html>"), "&lt;obj&gt;" in text
(True, True)
"""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Iterable, Sequence
from functools import lru_cache

from malt.drawing.page.colour import FONT, variables
from malt.drawing.page.markup import Content, Html, data, element, escape, join, pack_data
from malt.ownfiles import read_own

__all__ = [
    "Html",
    "badge",
    "data",
    "element",
    "escape",
    "figures",
    "join",
    "note",
    "pack_data",
    "page",
    "plots",
    "scroll",
    "section",
    "table",
]

_NUMBER = re.compile(r"[-+−±]?[\d.,]+(e[-+]?\d+)?( ?(%|s|ms|min|h|kB|MB|GB))?|-|")


def page(title: str, body: Content, script: str = "", *, subtitle: Content = "", style: str = "") -> str:
    """A whole page. `title` is its heading as well; `subtitle` a line below it.

    `script` runs at the end of the page, `style` is more CSS; both are code and put in as they are. The page forbids
    itself (by a content security policy) every other script and every request.
    """
    if script or "sortable" in escape(body):
        script = f"{source('page.js')}\n{script}"
    style = f"{variables()}:root{{--font:{FONT}}}\n{source('page.css')}{style}"
    script, style = guard_end_tags(script), guard_end_tags(style)
    allowed = f"'sha256-{base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()}'" if script else "'none'"
    policy = f"default-src 'none'; style-src 'unsafe-inline'; img-src data:; script-src {allowed}"
    below = element("p", subtitle, class_="soft") if subtitle else ""
    return "".join(
        [
            '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n',
            f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n',
            '<meta name="viewport" content="width=device-width, initial-scale=1">\n',
            f"<title>{escape(title)}</title>\n<style>\n{style}</style>\n</head>\n<body>\n<main>\n",
            f'<header class="top">{element("h1", title)}{below}</header>\n',
            f"{escape(body)}\n</main>\n",
            f"<script>{script}</script>\n" if script else "",
            "</body>\n</html>\n",
        ]
    )


def section(title: str, *contents: Content, id: str | None = None) -> Html:
    """A part of a page, with a heading.

    >>> print(section("Scores", element("p", "none")))
    <section><h2>Scores</h2>
    <p>none</p></section>
    """
    heading = join([element("h2", title), "\n"]) if title else ""
    return element("section", heading, *contents, id=id)


def figures(pairs: Iterable[tuple[str, Content]]) -> Html:
    """The few numbers that matter most, large, each with its name.

    >>> print(figures([("words", 1234)]))
    <dl class="figures"><div><dt>words</dt><dd>1,234</dd></div></dl>
    """
    boxes = [element("div", element("dt", name), element("dd", cell_text(value))) for name, value in pairs]
    return element("dl", *boxes, class_="figures")


def table(
    headers: Sequence[Content],
    rows: Iterable[Sequence[Content]],
    *,
    caption: str = "",
    align: str = "",
    sortable: bool = False,
    best: int | None = None,
) -> Html:
    """A table. Numbers stand to the right, with 1,234 for an int and 1.23 for a float, None as `-`.

    `align` has a letter per column, l or r; without it, columns of numbers are recognised. `sortable`: by a click on
    the head of a column. `best` is the place of a row to stress.

    >>> print(table(["label", "n"], [["subj", 1200]]))  # doctest: +ELLIPSIS
    <div class="scroll" tabindex="0"><table><thead><tr>...<th scope="col" class="number">n</th></tr></thead>
    <tbody><tr><th scope="row">subj</th><td class="number">1,200</td></tr></tbody></table></div>
    """
    cells = [[cell_text(cell) for cell in row] for row in rows]
    right = [
        align[place : place + 1] == "r"
        if align
        else bool(cells) and place > 0 and all(_is_number(row[place]) for row in cells)
        for place in range(len(headers))
    ]
    kinds = ["number" if r else None for r in right]
    head = [element("th", name, scope="col", class_=kind) for name, kind in zip(headers, kinds, strict=True)]
    body = []
    for place, row in enumerate(cells):
        first = element("th", row[0], scope="row", class_=kinds[0]) if row else ""
        rest = [element("td", cell, class_=kind) for cell, kind in zip(row[1:], kinds[1:], strict=True)]
        body.append(element("tr", first, *rest, class_="best" if place == best else None))
    inner = [element("caption", caption)] if caption else []
    inner += [element("thead", element("tr", *head)), Html("\n"), element("tbody", join(body, "\n"))]
    return scroll(element("table", *inner, class_="sortable" if sortable else None))


def scroll(*contents: Content) -> Html:
    """Something wide, in a box that scrolls by itself instead of the page, also by the keyboard."""
    return element("div", *contents, class_="scroll", tabindex="0")


def plots(*pictures: Content) -> Html:
    """Plots beside each other where there is room. A pair of a plot and a caption gets the caption below it."""
    shown = []
    for picture in pictures:
        drawing, caption = picture if isinstance(picture, tuple) else (picture, "")
        shown.append(element("figure", drawing, element("figcaption", caption) if caption else ""))
    return element("div", *shown, class_="plots")


def note(*contents: Content) -> Html:
    """A remark, smaller and softer than the text."""
    return element("p", *contents, class_="soft small")


def badge(text: str, kind: str = "") -> Html:
    """A word in a frame. Kinds: c1 to c4 (planes, series), good, bad, head (wrong head), label (wrong label).

    >>> print(badge("kept", "good"))
    <span class="badge good">kept</span>
    """
    return element("span", text, class_=f"badge {kind}".strip())


def cell_text(value: Content) -> Content:
    """A value of a table as text.

    >>> cell_text(1234), cell_text(0.5), cell_text(None), cell_text("a")
    ('1,234', '0.50', '-', 'a')
    """
    if value is None:
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}"
    return f"{value:.2f}" if isinstance(value, float) else value


def guard_end_tags(code: str) -> str:
    """Code that cannot end the element that it stands in."""
    return code.replace("</", "<\\/")


@lru_cache
def source(name: str) -> str:
    """A file beside this one, such as a script."""
    return read_own("malt.drawing.page", name).decode()


def _is_number(cell: Content) -> bool:
    return _NUMBER.fullmatch(str(cell)) is not None
