"""Trees as text, for a terminal: one word per line, and arcs as brackets beside the words.

The arrow stands at the dependent, and its label at the end of the line. Arcs of the second plane are dashed, those with
wrong heads heavy; a cross of lines is a crossing of arcs, and a star marks an arc that is not projective.

>>> from malt.data.sentence import Sentence
>>> from malt.drawing.trees.tree import tree_of
>>> rows = [("A", "D", 2, "det"), ("hearing", "N", 3, "subj"), ("is", "V", 0, "root"), ("held", "V", 3, "vc"),
...         ("on", "P", 2, "mod"), ("it", "N", 5, "obj"), ("today", "N", 4, "adv")]
>>> print("\\n".join(text(tree_of(Sentence.from_rows(rows, "malttab")))))
1  A        D  ─◄┐        2  det
2  hearing  N  ──┴◄┬─┐    3  subj
3  is       V  ──┬─┘ │    0  root
4  held     V  ╌◄┴╌╌╌┼╌┐  3  vc
5  on       P  ──┬──◄┘ ╎  2  mod*
6  it       N  ─◄┘     ╎  5  obj
7  today    N  ╌╌╌╌╌╌╌◄┘  4  adv*
"""

from __future__ import annotations

import codecs
from collections.abc import Iterator
from functools import lru_cache
from itertools import groupby

from malt.drawing.page.markup import visible
from malt.drawing.trees.layout import label_text
from malt.drawing.trees.tree import MISSED, WRONG_HEAD, WRONG_LABEL, Arc, Tree
from malt.drawing.trees.width import cells, shorten
from malt.kernel.layout import brackets as kernel_brackets

# By where lines go from the middle of a cell: 1 up, 2 right, 4 down, 8 left.
LIGHT, HEAVY, DASHED = 0, 1, 2
_LINES = (" ····│···┘─┴┐┤┬┼", " ····┃···┛━┻┓┫┳╋", " ····╎···┘╌┴┐┤┬┼")
_CHARACTERS = "".join(f"{line:<16}" for line in (*_LINES, "")) + "◄" * 64  # cells as the kernel has them
PLANES = ("34", "33", "32", "35", "36", "37")  # colours of terminals
KINDS = {WRONG_HEAD: "1;31", WRONG_LABEL: "1;33", MISSED: "32"}
COLOURS = ("", "2", *PLANES, *KINDS.values())
LONGEST = 32  # letters of a form that are shown
HIGHEST = 100  # arcs over one another that are drawn


def text(tree: Tree, *, colour: bool = False) -> Iterator[str]:
    """The lines of a picture."""
    drawing, left_out = brackets(tree, colour)
    wanted = {arc.word: arc for arc in tree.arcs if arc.kind == MISSED} if tree.comparison else {}
    forms, tags = [_form(form) for form in tree.forms], [_field(tag) for tag in tree.tags]
    heads, labels = ["-"] * len(forms), [""] * len(forms)
    for arc in tree.arcs:
        if not arc.kind:
            heads[arc.word - 1], labels[arc.word - 1] = str(arc.head), _label(arc)
        elif arc.kind != MISSED:
            heads[arc.word - 1], labels[arc.word - 1] = str(arc.head), _paint(_label(arc), arc, colour)
    for word, arc in wanted.items():
        labels[word - 1] += f"  (right: {arc.head} {_label(arc)})"
    form_room, tag_room = (max([width for _, width in column]) for column in (forms, tags))
    room, head_room = len(str(len(forms))), max(map(len, heads))
    gap, blanks = "  " if tag_room else "", " " * max(form_room, tag_room)
    for word, (form, width), (tag, wide), arcs, head, label in zip(
        map(str, range(1, len(forms) + 1)), forms, tags, drawing, heads, labels, strict=True
    ):
        left = f"{word.rjust(room)}  {form}{blanks[: form_room - width]}{gap}{tag}{blanks[: tag_room - wide]}"
        yield f"{left}  {arcs}  {head.rjust(head_room)}  {label}".rstrip()
    if left_out:
        yield f"{left_out:,} arcs are not drawn: over {HIGHEST} others at a place; all have their heads in numbers"


def brackets(tree: Tree, colour: bool) -> tuple[list[str], int]:
    """The arcs beside each word, and how many are not drawn."""
    arcs = [arc for arc in tree.arcs if arc.head not in (0, arc.word)]
    if tree.comparison or tree.planes > 1:
        # What is wrong comes last, so that it is seen where lines share a place; and of others, later planes.
        order = ["", MISSED, WRONG_LABEL, WRONG_HEAD]
        arcs.sort(key=lambda arc: (order.index(arc.kind), arc.plane))
        drawn = [(arc.head, arc.word, _style(arc), _colour(arc, tree.planes)) for arc in arcs]
    else:
        drawn = [(arc.head, arc.word, LIGHT, 1) for arc in arcs]
    marks, colours, width, left_out = kernel_brackets(len(tree.forms), drawn, HIGHEST)
    whole = codecs.charmap_decode(marks, "strict", _CHARACTERS)[0]
    ends = [(width * row, width * (row + 1)) for row in range(len(tree.forms))]
    if not colour:
        return [whole[begin:end] for begin, end in ends], left_out
    return [_colour_line(whole[begin:end], colours[begin:end]) for begin, end in ends], left_out


def _colour_line(line: str, colours: bytes) -> str:
    parts = []
    for paint, group in groupby(zip(line, colours, strict=True), lambda cell: COLOURS[cell[1]] * (cell[0] != " ")):
        run = "".join(mark for mark, _ in group)
        parts.append(f"\x1b[{paint}m{run}\x1b[0m" if paint else run)
    return "".join(parts)


@lru_cache(1 << 16)
def _form(form: str) -> tuple[str, int]:
    """A form as it is shown, and how wide that is."""
    return _field(shorten(form, LONGEST))


@lru_cache(1 << 12)
def _field(text: str) -> tuple[str, int]:
    shown = visible(text)
    return shown, cells(shown)


def _style(arc: Arc) -> int:
    if arc.kind:
        return {WRONG_HEAD: HEAVY, MISSED: DASHED}.get(arc.kind, LIGHT)
    return DASHED if arc.plane % 2 else LIGHT


def _colour(arc: Arc, planes: int) -> int:
    """The place of its colour in COLOURS."""
    if arc.kind:
        return COLOURS.index(KINDS[arc.kind])
    return 2 + arc.plane % len(PLANES) if planes > 1 else 1


def _label(arc: Arc) -> str:
    return visible(label_text(arc))


def _paint(label: str, arc: Arc, colour: bool) -> str:
    return f"\x1b[{KINDS[arc.kind]}m{label}\x1b[0m" if colour else label
