"""Trees as text, for a terminal: one word per line, and arcs as brackets beside the words.

The arrow stands at the dependent, and its label at the end of the line. Arcs of the second plane are dashed, those with
wrong heads heavy; a cross of lines is a crossing of arcs, and a star marks an arc that is not projective.

>>> from malt.data.sentence import Sentence
>>> from malt.drawing.trees.tree import tree_of
>>> rows = [("A", "D", 2, "det"), ("hearing", "N", 3, "subj"), ("is", "V", 0, "root"), ("held", "V", 3, "vc"),
...         ("on", "P", 2, "mod"), ("it", "N", 5, "obj"), ("today", "N", 4, "adv")]
>>> print("\\n".join(text(tree_of(Sentence.from_rows(rows, "malttab")))))
1  A        D  ─◄┐          2  det
2  hearing  N  ──┴◄┬───┐    3  subj
3  is       V  ────┴─┐ │    0  root
4  held     V  ╌╌╌╌╌◄┴╌┼╌┐  3  vc
5  on       P  ──┬────◄┘ ╎  2  mod*
6  it       N  ─◄┘       ╎  5  obj
7  today    N  ╌╌╌╌╌╌╌╌╌◄┘  4  adv*
"""

from __future__ import annotations

from collections.abc import Iterator

from malt.drawing.page.markup import visible
from malt.drawing.trees.layout import heights, label_text
from malt.drawing.trees.tree import MISSED, WRONG_HEAD, WRONG_LABEL, Arc, Tree
from malt.drawing.trees.width import cells, pad, shorten

UP, RIGHT, DOWN, LEFT = 1, 2, 4, 8
ACROSS, ALONG = LEFT | RIGHT, UP | DOWN
LIGHT = {ACROSS: "─", ALONG: "│", LEFT | DOWN: "┐", LEFT | UP: "┘", LEFT | ALONG: "┤", ACROSS | DOWN: "┬"}
LIGHT |= {ACROSS | UP: "┴", ACROSS | ALONG: "┼"}
HEAVY = dict(zip(LIGHT, "━┃┓┛┫┳┻╋", strict=True))
DASHED = LIGHT | {ACROSS: "╌", ALONG: "╎"}
ARROW = "◄"
PLANES = ("34", "33", "32", "35", "36", "37")  # colours of terminals
KINDS = {WRONG_HEAD: "1;31", WRONG_LABEL: "1;33", MISSED: "32"}
LONGEST = 32  # letters of a form that are shown

Cell = tuple[int, dict[int, str], str]  # where lines go, the characters for them, and their colour


def text(tree: Tree, *, colour: bool = False) -> Iterator[str]:
    """The lines of a picture."""
    drawing = brackets(tree, colour)
    rows = []
    found = {arc.word: arc for arc in tree.arcs if arc.kind != MISSED}
    wanted = {arc.word: arc for arc in tree.arcs if arc.kind == MISSED}
    for word, (form, tag) in enumerate(zip(tree.forms, tree.tags, strict=True), 1):
        arc, right = found.get(word), wanted.get(word)
        label = label_text(arc) if arc else ""
        if right:
            label += f"  (right: {right.head} {label_text(right)})"
        head = str(arc.head) if arc else "-"
        form, tag, label = (visible(field) for field in (shorten(form, LONGEST), tag, label))
        rows.append((str(word), form, tag, drawing[word - 1], head, _paint(label, arc, colour)))
    room = [max(map(cells, column)) for column in list(zip(*rows, strict=True))[:3]]
    heads = max(cells(row[4]) for row in rows)
    for number, form, tag, arcs, head, label in rows:
        parts = [pad(number, room[0], right=True), pad(form, room[1]), pad(tag, room[2])]
        shown = [part for part, wide in zip(parts, room, strict=True) if wide]
        yield "  ".join([*shown, arcs, pad(head, heads, right=True), label]).rstrip()


def brackets(tree: Tree, colour: bool) -> list[str]:
    """The arcs beside each word."""
    arcs = [arc for arc in tree.arcs if arc.head not in (0, arc.word)]
    places = [2 * height for height in heights([arc.ends for arc in arcs], apart=True)]
    grid: list[dict[int, Cell]] = [{} for _ in tree.forms]
    arrows: dict[tuple[int, int], str] = {}

    def put(word: int, place: int, lines: int, style: dict[int, str], paint: str) -> None:
        there = grid[word - 1].get(place, (0, style, paint))
        grid[word - 1][place] = (there[0] | lines, style, paint)

    # What is wrong comes last, so that it is seen where lines share a place; and of others, later planes.
    order = ["", MISSED, WRONG_LABEL, WRONG_HEAD]
    for arc, end in sorted(zip(arcs, places, strict=True), key=lambda item: (order.index(item[0].kind), item[0].plane)):
        style, paint = _style(arc), _colour(arc, tree.planes)
        top, bottom = arc.ends
        for word, corner in ((top, DOWN), (bottom, UP)):
            for place in range(end):
                put(word, place, ACROSS, style, paint)
            put(word, end, LEFT | corner, style, paint)
        for word in range(top + 1, bottom):
            put(word, end, ALONG, style, paint)
        arrows[arc.word, end - 1] = paint
    lines = []
    for word, row in enumerate(grid, 1):
        line = ""
        for place in range(max(places, default=-1) + 1):
            bits, style, paint = row.get(place, (0, LIGHT, ""))
            mark = ARROW if (word, place) in arrows else style.get(bits, " ")
            line += f"\x1b[{paint}m{mark}\x1b[0m" if colour and paint and mark != " " else mark
        lines.append(line)
    return lines


def _style(arc: Arc) -> dict[int, str]:
    if arc.kind:
        return {WRONG_HEAD: HEAVY, MISSED: DASHED}.get(arc.kind, LIGHT)
    return DASHED if arc.plane % 2 else LIGHT


def _colour(arc: Arc, planes: int) -> str:
    return KINDS[arc.kind] if arc.kind else PLANES[arc.plane % len(PLANES)] if planes > 1 else "2"


def _paint(label: str, arc: Arc | None, colour: bool) -> str:
    return f"\x1b[{KINDS[arc.kind]}m{label}\x1b[0m" if colour and arc and arc.kind else label
