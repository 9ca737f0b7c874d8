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

from functools import cache, lru_cache

from malt.drawing.page.markup import visible
from malt.drawing.trees.layout import label_text
from malt.drawing.trees.tree import MISSED, WRONG_HEAD, WRONG_LABEL, Arc, Tree
from malt.drawing.trees.width import cells, shorten
from malt.kernel.layout import Pen

# By where lines go from the middle of a cell: 1 up, 2 right, 4 down, 8 left.
LIGHT, HEAVY, DASHED = 0, 1, 2
_LINES = (" ····│···┘─┴┐┤┬┼", " ····┃···┛━┻┓┫┳╋", " ····╎···┘╌┴┐┤┬┼")
_CHARACTERS = "".join(f"{line:<16}" for line in (*_LINES, "")) + "◄" * 64  # cells as the kernel has them
PLANES = ("34", "33", "32", "35", "36", "37")  # colours of terminals
KINDS = {WRONG_HEAD: "1;31", WRONG_LABEL: "1;33", MISSED: "32"}
COLOURS = ("", "2", *PLANES, *KINDS.values())
LONGEST = 32  # letters of a form that are shown
HIGHEST = 100  # arcs over one another that are drawn


def text(tree: Tree, *, colour: bool = False) -> list[str]:
    """The lines of a picture."""
    return encoded_text(tree, colour=colour).decode().split("\n")[:-1]


def encoded_text(tree: Tree, *, colour: bool = False) -> bytes:
    """The same in UTF-8, with line ends."""
    heads, labels = [-1] * len(tree.forms), [""] * len(tree.forms)
    for head, word, label, _, star, kind, wanted in tree.arcs:
        if kind != MISSED:
            shown = _label(label, star, kind, wanted, head == word)
            if heads[word - 1] >= 0:  # of a graph: after the first head, all others with their labels
                labels[word - 1] += f"  {head} {shown}"
                continue
            heads[word - 1], labels[word - 1] = head, _paint(shown, kind, colour) if kind else shown
    if tree.comparison:
        for arc in tree.arcs:
            if arc.kind == MISSED:
                labels[arc.word - 1] += f"  (right: {arc.head} {visible(label_text(arc))})"
    forms, tags = list(map(_form, tree.forms)), list(map(_field, tree.tags))
    lines, left_out = _pen(colour).draw(forms, tags, heads, labels, _brackets(tree))
    if left_out:
        said = f"{left_out:,} arcs are not drawn: over {HIGHEST} others at a place; all have their heads in numbers\n"
        lines += said.encode()
    return lines


@cache
def _pen(colour: bool) -> Pen:
    return Pen(_CHARACTERS, HIGHEST, COLOURS if colour else ())


def _brackets(tree: Tree) -> list[tuple[int, int, int, int]]:
    """The arcs as the kernel draws them, in this order."""
    if not tree.comparison and tree.planes <= 1:
        return [(arc[0], arc[1], LIGHT, 1) for arc in tree.arcs if arc[0] not in (0, arc[1])]
    # What is wrong comes last, so that it is seen where lines share a place; and of others, later planes.
    order = ["", MISSED, WRONG_LABEL, WRONG_HEAD]
    arcs = sorted(
        (arc for arc in tree.arcs if arc.head not in (0, arc.word)), key=lambda arc: (order.index(arc.kind), arc.plane)
    )
    return [(arc.head, arc.word, _style(arc), _colour(arc, tree.planes)) for arc in arcs]


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


@lru_cache(1 << 12)
def _label(label: str, star: bool, kind: str, wanted: str, itself: bool) -> str:
    return visible(label_text(Arc(1, 1 if itself else 2, label, 0, star, kind, wanted)))


def _paint(label: str, kind: str, colour: bool) -> str:
    return f"\x1b[{KINDS[kind]}m{label}\x1b[0m" if colour else label
