"""Where everything in the picture of a tree is: from the tree alone, without a font at hand.

Words stand in a row, and arcs run above or below them as brackets with round corners. Any two arcs on one side that
run over the same stretch have different heights, a shorter one inside a longer one is lower, and each arc is at least
as long as its label. So arcs meet only where the tree has a crossing, and labels never.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from itertools import pairwise
from typing import NamedTuple

from malt.drawing.trees.tree import MISSED, Arc, Tree
from malt.drawing.trees.width import is_right_to_left, pixels, shorten
from malt.kernel.layout import heights

FORM, TAG, LABEL = 15.0, 10.5, 11.5  # sizes of letters
LONGEST, LONGEST_LABEL = 40, 28  # letters of a form and of a label that are shown
GAP, PORT, STEP, FOOT = 16.0, 8.0, 19.0, 8.0  # between words, between arcs at a word, of heights, from word to arc
TAIL = 24.0  # an arc has so much more room than its label


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
        for one, two in self.tree.crossings:
            low, high = sorted((bows[one], bows[two]), key=lambda bow: bow.height)
            if low.below == high.below:
                left, right = sorted((low.x1, low.x2))
                found.append((high.x1 if left < high.x1 < right else high.x2, float(low.height), low, high))
        return found


def lay_out(tree: Tree, below: bool = False) -> Layout:
    """Put a tree in its place. With `below`, the arcs of every second plane run below the words."""
    arcs = tree.arcs
    down = [arc.kind == MISSED or (below and arc.plane % 2 == 1) for arc in arcs]
    labels = [label_text(arc) for arc in arcs]
    height = _heights(arcs, down)
    ports = _ports(arcs, down)
    forms = [shorten(form, LONGEST) for form in tree.forms]
    crowd = [0] * (len(forms) + 1)  # the most arcs on one side of each word
    for (word, _), here in ports.items():
        crowd[word] = max(crowd[word], len(here))
    room = [
        max(pixels(form, FORM), pixels(tag, TAG), PORT * crowd[word])
        for word, (form, tag) in enumerate(zip(forms, tree.tags, strict=True), 1)
    ]
    wide = [pixels(label, LABEL) for label in labels]
    x = _columns(room, arcs, wide)
    overhang = [label / 2 for arc, label in zip(arcs, wide, strict=True) if arc.word == len(x)]
    width = (x[-1] + max([room[-1] / 2, *overhang]) if x else 0) + GAP
    begins, ends = [0.0] * len(arcs), [0.0] * len(arcs)
    for (word, _), here in ports.items():
        at = x[word - 1] - PORT * (len(here) - 1) / 2
        for place in here:
            arc = arcs[place]
            if arc.word == word:
                ends[place] = at
            if arc.head in (0, word, arc.word):
                begins[place] = at
            at += PORT
    if is_right_to_left(tree.text):
        x, begins, ends = ([width - middle for middle in row] for row in (x, begins, ends))
    legs = [_Legs(begins, ends, height, down, side) for side in (False, True)]
    bows = [
        Bow(arc, begins[i], ends[i], height[i], down[i], labels[i], legs[down[i]].gap(i, wide[i] / 2 + 4))
        for i, arc in enumerate(arcs)
    ]
    highest = [max((h for h, d in zip(height, down, strict=True) if d == side), default=0) for side in (False, True)]
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


def _heights(arcs: list[Arc], down: list[bool]) -> list[int]:
    found = [1] * len(arcs)
    for side in (False, True) if True in down else (False,):
        here = [i for i, below in enumerate(down) if below == side]
        bows = [i for i in here if arcs[i].head not in (0, arcs[i].word)]
        straight = [i for i in here if arcs[i].head in (0, arcs[i].word)]  # these end above all that they pass
        levels, over = heights([arcs[i].ends for i in bows], words=[arcs[i].word for i in straight])
        for place, level in zip(bows, levels, strict=True):
            found[place] = level
        for place, level in zip(straight, over, strict=True):
            found[place] = 1 + level
    return found


class _Legs:
    """Where the arcs of one side come down to the words."""

    def __init__(self, begins: list[float], ends: list[float], height: list[int], down: list[bool], side: bool) -> None:
        self._begins, self._ends, self._height = begins, ends, height
        here = [i for i, below in enumerate(down) if below == side]
        legs = sorted({(x, height[i]) for i in here for x in (begins[i], ends[i])})
        self._x, self._heights = [x for x, _ in legs], [level for _, level in legs]

    def gap(self, place: int, room: float) -> float:
        """Where a label goes: in the middle, or where a leg of a higher arc would go through it, in the widest gap."""
        left, right, level = self._begins[place], self._ends[place], self._height[place]
        if left > right:
            left, right = right, left
        middle = (left + right) / 2
        first, last = bisect_right(self._x, left), bisect_left(self._x, right)
        if last - first < 1 or max(self._heights[first:last]) <= level:
            return middle
        legs = [x for x, other in zip(self._x[first:last], self._heights[first:last], strict=True) if other > level]
        if all(abs(x - middle) > room for x in legs):
            return middle
        widest = max(pairwise([left, *legs, right]), key=lambda gap: gap[1] - gap[0])
        return sum(widest) / 2


def _ports(arcs: list[Arc], down: list[bool]) -> dict[tuple[int, bool], list[int]]:
    """The arcs at each word and side from left to right, so that they do not meet: to the left, the shortest first."""
    found: dict[tuple[int, bool], list[tuple[int, int, int]]] = {}
    for place, (arc, side) in enumerate(zip(arcs, down, strict=True)):
        left, right = arc.ends
        if arc.head in (0, arc.word):
            found.setdefault((arc.word, side), []).append((1, 0, place))
        else:
            found.setdefault((right, side), []).append((0, right - left, place))
            found.setdefault((left, side), []).append((2, left - right, -place))
    return {key: [abs(place) for _, _, place in sorted(here)] for key, here in found.items()}


def _columns(room: list[float], arcs: list[Arc], labels: list[float]) -> list[float]:
    """The middle of each word: as far left as words, labels inside arcs, and root labels beside each other allow."""
    ending: dict[int, list[tuple[int, float]]] = {}
    over: dict[int, float] = {}  # the label over a word that hangs on the root
    for arc, label in zip(arcs, labels, strict=True):
        if arc.head in (0, arc.word):
            over[arc.word] = max(label, over.get(arc.word, 0))
        else:
            ending.setdefault(arc.ends[1], []).append((arc.ends[0], label + TAIL))
    x: list[float] = []
    last = 0  # word on the root
    for word, width in enumerate(room, 1):
        at = GAP + max(width, over.get(word, 0) - GAP) / 2 if word == 1 else x[-1] + (room[word - 2] + width) / 2 + GAP
        at = max([at, *(x[left - 1] + long for left, long in ending.get(word, []))])
        if word in over:
            at = max(at, x[last - 1] + (over[last] + over[word]) / 2 + GAP if last else over[word] / 2)
            last = word
        x.append(at)
    return x
