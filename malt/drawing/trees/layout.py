"""Where everything in the picture of a tree is: from the tree alone, without a font at hand.

Words stand in a row, and arcs run above or below them as brackets with round corners. Any two arcs on one side that
run over the same stretch have different heights, a shorter one inside a longer one is lower, and each arc is at least
as long as its label. So arcs meet only where the tree has a crossing, and labels never.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from malt.drawing.trees.tree import MISSED, Arc, Tree
from malt.drawing.trees.width import is_right_to_left, pixels, shorten

FORM, TAG, LABEL = 15.0, 10.5, 11.5  # sizes of letters
LONGEST, LONGEST_LABEL = 40, 28  # letters of a form and of a label that are shown
GAP, PORT, STEP, FOOT = 16.0, 8.0, 19.0, 8.0  # between words, between arcs at a word, of heights, from word to arc
TAIL = 24.0  # an arc has so much more room than its label


@dataclass(frozen=True)
class Bow:
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


@dataclass(frozen=True)
class Layout:
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


def heights(spans: Sequence[tuple[int, int]], apart: bool = False) -> list[int]:
    """For arcs by their ends, the height of each, from 1: above all that is inside it or crosses it and is shorter.

    With `apart`, arcs that meet at a word have different heights as well.

    >>> heights([(1, 2), (1, 4), (2, 3), (3, 5)]), heights([(1, 2), (2, 3)], apart=True)
    ([1, 2, 1, 1], [1, 2])
    """
    top: dict[int, int] = {}  # of the space after each word
    found = [0] * len(spans)
    for place in sorted(range(len(spans)), key=lambda i: (spans[i][1] - spans[i][0], spans[i])):
        spaces = range(spans[place][0], spans[place][1] + apart)
        found[place] = 1 + max((top.get(space, 0) for space in spaces), default=0)
        top |= dict.fromkeys(spaces, found[place])
    return found


def lay_out(tree: Tree, below: bool = False) -> Layout:
    """Put a tree in its place. With `below`, the arcs of every second plane run below the words."""
    arcs = tree.arcs
    down = [arc.kind == MISSED or (below and arc.plane % 2 == 1) for arc in arcs]
    labels = [label_text(arc) for arc in arcs]
    height = _heights(arcs, down)
    ports = _ports(arcs, down)
    forms = [shorten(form, LONGEST) for form in tree.forms]
    room = [
        max(
            pixels(form, FORM), pixels(tag, TAG), PORT * max(len(ports.get((word, side), ())) for side in (False, True))
        )
        for word, (form, tag) in enumerate(zip(forms, tree.tags, strict=True), 1)
    ]
    x = _columns(room, arcs, [pixels(label, LABEL) for label in labels])
    overhang = [pixels(label, LABEL) / 2 for arc, label in zip(arcs, labels, strict=True) if arc.word == len(x)]
    width = (x[-1] + max([room[-1] / 2, *overhang]) if x else 0) + GAP

    def at(word: int, place: int) -> float:
        here = ports[word, down[place]]
        return x[word - 1] + PORT * (here.index(place) - (len(here) - 1) / 2)

    mirrored = is_right_to_left(tree.text)
    bows = []
    for place, (arc, label) in enumerate(zip(arcs, labels, strict=True)):
        end = at(arc.word, place)
        begin = at(arc.head, place) if arc.head not in (0, arc.word) else end
        if mirrored:
            begin, end = width - begin, width - end
        bows.append(Bow(arc, begin, end, height[place], down[place], label))
    if mirrored:
        x = [width - middle for middle in x]
    bows = [replace(bow, middle=_middle(bow, bows)) for bow in bows]
    highest = [max((h for h, d in zip(height, down, strict=True) if d == side), default=0) for side in (False, True)]
    return Layout(tree, forms, x, bows, width, *highest)


def label_text(arc: Arc) -> str:
    """The label as it is written: with a star if the arc is not projective, with the right one after a wrong one.

    >>> label_text(Arc(2, 1, "obj", nonprojective=True)), label_text(Arc(2, 1, "obj", kind="label", wanted="iobj"))
    ('obj*', 'obj (iobj)')
    """
    label = shorten(arc.label, LONGEST_LABEL) + "*" * arc.nonprojective
    if arc.kind == "label":
        label += f" ({shorten(arc.wanted, LONGEST_LABEL)})"
    return f"{label} ↺" if arc.head == arc.word else label


def _heights(arcs: list[Arc], down: list[bool]) -> list[int]:
    found = [1] * len(arcs)
    for side in (False, True):
        bows = [i for i, arc in enumerate(arcs) if down[i] == side and arc.head not in (0, arc.word)]
        for place, height in zip(bows, heights([arcs[i].ends for i in bows]), strict=True):
            found[place] = height
        for place, arc in enumerate(arcs):  # straight ones end above all that they pass
            if down[place] == side and arc.head in (0, arc.word):
                over = [found[i] for i in bows if arcs[i].ends[0] <= arc.word <= arcs[i].ends[1]]
                found[place] = 1 + max(over, default=0)
    return found


def _middle(bow: Bow, bows: list[Bow]) -> float:
    """Where the label goes: in the middle, or where a leg of a higher arc would go through it, in the widest gap."""
    left, right = sorted((bow.x1, bow.x2))
    middle, room = (left + right) / 2, pixels(bow.label, LABEL) / 2 + 4
    legs = {
        x
        for other in bows
        if other.below == bow.below and other.height > bow.height
        for x in (other.x1, other.x2)
        if left < x < right
    }
    if all(abs(x - middle) > room for x in legs):
        return middle
    ends = [left, *sorted(legs), right]
    widest = max(pairwise(ends), key=lambda gap: gap[1] - gap[0])
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
