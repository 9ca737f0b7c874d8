"""Where everything in the picture of a tree is: from the tree alone, without a font at hand.

Words stand in a row, and arcs run above or below them as brackets with round corners. Any two arcs on one side that
run over the same stretch have different heights, a shorter one inside a longer one is lower, and each arc is at least
as long as its label. So arcs meet only where the tree has a crossing, and labels never.
"""

from __future__ import annotations

from typing import NamedTuple

from malt.drawing.trees.tree import MISSED, Arc, Tree
from malt.drawing.trees.width import is_right_to_left, pixels, shorten
from malt.kernel.layout import arrange

FORM, TAG, LABEL = 15.0, 10.5, 11.5  # sizes of letters
LONGEST, LONGEST_LABEL = 40, 28  # letters of a form and of a label that are shown
STEP, FOOT = 19.0, 8.0  # of heights, from word to arc


class Bow(NamedTuple):
    """An arc in its place: from x1 at its head to x2 at its word, `height` steps away from the words."""

    arc: Arc
    x1: float
    x2: float
    height: int
    below: bool
    label: str  # as it is written
    middle: float = 0.0  # of the label

    @property
    def straight(self) -> bool:
        """Whether it comes down from nowhere: from the artificial root, or from the word itself."""
        return self.arc.head in (0, self.arc.word)


class Layout(NamedTuple):
    """A tree in its place."""

    tree: Tree
    forms: list[str]  # as they are written
    x: list[float]  # the middle of each word
    bows: list[Bow]
    width: float
    above: int  # the greatest height above the words
    below: int  # ... and below

    def crossings(self) -> list[tuple[float, float, Bow, Bow]]:
        """Where arcs of one side cross: x, height, and the two. A leg of the higher one goes through the lower one."""
        found = []
        bows = {bow.arc.word: bow for bow in self.bows if bow.arc.kind != MISSED}
        if self.tree.graph:
            bows = dict(enumerate(self.bows))
        for one, two in self.tree.crossings:
            low, high = sorted((bows[one], bows[two]), key=lambda bow: bow.height)
            if low.below == high.below:
                left, right = sorted((low.x1, low.x2))
                found.append((high.x1 if left < high.x1 < right else high.x2, float(low.height), low, high))
        return found


def lay_out(tree: Tree, below: bool = False) -> Layout:
    """Put a tree in its place. With `below`, the arcs of every second plane run below the words."""
    labels = list(map(label_text, tree.arcs))
    down = [arc.kind == MISSED or (below and arc.plane % 2 == 1) for arc in tree.arcs]
    forms = [shorten(form, LONGEST) for form in tree.forms]
    x, begins, ends, height, middles, width, *highest = arrange(
        [max(pixels(form, FORM), pixels(tag, TAG)) for form, tag in zip(forms, tree.tags, strict=True)],
        [
            (arc.head, arc.word, pixels(label, LABEL), side)
            for arc, label, side in zip(tree.arcs, labels, down, strict=True)
        ],
        is_right_to_left(tree.text),
    )
    bows = list(map(Bow, tree.arcs, begins, ends, height, down, labels, middles))
    return Layout(tree, forms, x, bows, width, *highest)


def label_text(arc: Arc) -> str:
    """The label as it is written: with a star if the arc is not projective, with the right one after a wrong one.

    >>> label_text(Arc(2, 1, "obj", nonprojective=True)), label_text(Arc(2, 1, "obj", kind="label", wanted="iobj"))
    ('obj*', 'obj (iobj)')
    """
    label = shorten(arc.label, LONGEST_LABEL)
    if arc.nonprojective:
        label += "*"
    if arc.kind == "label":
        label += f" ({shorten(arc.wanted, LONGEST_LABEL)})"
    return f"{label} ↺" if arc.head == arc.word else label
