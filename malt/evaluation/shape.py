"""How deep each word is, and which arcs are not projective, for whole blocks of sentences.

This is for any heads that a parser may have written: words without a head and heads that run in a circle included.
tests/structure.py says the same of one tree in plain words.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy
import numpy.typing

Places = numpy.typing.NDArray[numpy.int64]
Flags = numpy.typing.NDArray[numpy.bool_]


@dataclass
class Shape:
    """Of each word of a block."""

    depth: Places  # arcs from the artificial root; -1 where no path leads there
    nonprojective: Flags  # is the arc from its head not projective?


def shape(heads: numpy.typing.ArrayLike, starts: numpy.typing.ArrayLike) -> Shape:
    """Sentence i has the words starts[i] .. starts[i + 1] - 1; heads are positions in it, 0 the root, -1 none.

    An arc between words is not projective if some word between its ends is not dominated by its head (Gómez-Rodríguez
    and Nivre 2013, section 5.2).

    >>> found = shape([2, 0, 2, 0, 4, 1, 1, 2, 1], [0, 3, 7, 9])
    >>> found.depth, numpy.flatnonzero(found.nonprojective)
    (array([ 2,  1,  2,  1,  3,  2,  2, -1, -1]), array([4]))
    """
    heads = numpy.asarray(heads, numpy.int64)
    starts = numpy.asarray(starts, numpy.int64)
    lengths = numpy.diff(starts)
    words, longest = len(heads), int(lengths.max(initial=0))
    first = numpy.repeat(starts[:-1], lengths)  # the first word of each word's sentence
    root, nowhere = words, words + 1  # one root for all sentences
    head = numpy.where(heads > 0, first + heads - 1, numpy.where(heads == 0, root, nowhere))
    head = numpy.append(head, [root, nowhere])
    steps, above, lowest = _climb(head, nowhere, longest)
    depth = numpy.where(above == root, steps, -1)[:words]
    circle = numpy.zeros(words + 2, bool)
    circle[above[above < words]] = True
    tree, entry = head, numpy.arange(words + 2)  # entry: whose projection a word has
    if circle.any():
        # Whoever is in a circle dominates all that hangs on it: cut the circle at one word, and use its projection.
        entry = numpy.where(circle, lowest, entry)
        cut = numpy.unique(entry[circle])
        tree = head.copy()
        tree[cut] = nowhere
        steps, _, _ = _climb(tree, nowhere, longest)
    rank, size = _preorder(tree, steps, longest)
    arcs = numpy.flatnonzero((heads > 0) & (numpy.abs(head[:words] - numpy.arange(words)) > 1))
    left = numpy.minimum(arcs, head[arcs]) + 1
    right = numpy.maximum(arcs, head[arcs])
    low, high = _extremes(rank, left, right)
    top = entry[head[arcs]]
    nonprojective = numpy.zeros(words, bool)
    nonprojective[arcs] = (low < rank[top]) | (high >= rank[top] + size[top])
    return Shape(depth, nonprojective)


def _climb(head: Places, nowhere: int, longest: int) -> tuple[Places, Places, Places]:
    """Go up from all words at once, twice as far each time.

    Gives the number of arcs to the root or to nowhere, where each word has come to, and the leftmost word on the way.
    Whoever has not come to one of these two by then goes round in a circle, and so does the word that it has come to.
    """
    steps = (numpy.arange(len(head)) < nowhere - 1).astype(numpy.int64)
    above, lowest = head, numpy.minimum(head, numpy.arange(len(head)))
    reach = 1
    while reach <= longest:
        steps = steps + steps[above]
        lowest = numpy.minimum(lowest, lowest[above])
        above = above[above]
        reach *= 2
    return steps, above, lowest


def _preorder(head: Places, depth: Places, longest: int) -> tuple[Places, Places]:
    """Ranks such that a projection has consecutive ones, rank[word] .. rank[word] + size[word] - 1; and its size."""
    order = numpy.lexsort((head, depth))  # by depth; siblings together
    levels = numpy.searchsorted(depth[order], numpy.arange(int(depth.max()) + 2))
    size = numpy.ones(len(head), numpy.int64)
    for level in range(len(levels) - 2, 0, -1):
        below = order[levels[level] : levels[level + 1]]
        numpy.add.at(size, head[below], size[below])
    before = numpy.cumsum(size[order]) - size[order]  # in all that comes earlier in this order ...
    family = numpy.append(True, head[order][1:] != head[order][:-1])
    eldest = numpy.flatnonzero(family)
    before -= numpy.repeat(before[eldest], numpy.diff(numpy.append(eldest, len(order))))  # ... only in elder siblings
    rank = numpy.zeros(len(head), numpy.int64)
    rank[order] = before + 1
    rank[-2:] = 0  # the root and nowhere
    above, reach = head, 1
    while reach <= longest:
        rank = rank + rank[above]
        above = above[above]
        reach *= 2
    return rank + numpy.where(above == len(head) - 1, size[-2], 0), size  # what hangs nowhere comes after the root's


def _extremes(values: Places, left: Places, right: Places) -> tuple[Places, Places]:
    """The smallest and the largest of values[left:right] for each pair of places; no range is empty."""
    low, high = numpy.empty(len(left), numpy.int64), numpy.empty(len(left), numpy.int64)
    # Two ranges of 2^k, which may overlap, are as good as the whole range.
    power = numpy.frexp((right - left).astype(numpy.float64))[1] - 1
    least, most = values, values
    for k in range(int(power.max(initial=-1)) + 1):
        if k:
            half = 1 << (k - 1)
            least, most = numpy.minimum(least[:-half], least[half:]), numpy.maximum(most[:-half], most[half:])
        asked = numpy.flatnonzero(power == k)
        one, two = left[asked], right[asked] - (1 << k)
        low[asked] = numpy.minimum(least[one], least[two])
        high[asked] = numpy.maximum(most[one], most[two])
    return low, high
