"""Which kind of tree: projective, planar, 2-planar, ill-nested. Plain definitions; every sentence is checked.

`heads[i]` is the head of word i + 1; 0 is the artificial root, whose link is no link between words (Gómez-Rodríguez and
Nivre 2010, sections 2 and 3; Gómez-Rodríguez, Weir and Carroll 2009, section 2).
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

SHAPES = ("projective", "planar", "2-planar", "ill-nested", "other")


def projections(heads: Sequence[int]) -> list[list[int]]:
    """For each word the words that it dominates, itself included, from left to right."""
    found: list[list[int]] = [[] for _ in heads]
    for word in range(1, len(heads) + 1):
        above = word
        while above:
            found[above - 1].append(word)
            above = heads[above - 1]
    return found


def crossing(heads: Sequence[int]) -> list[tuple[int, int]]:
    """The pairs of links that cross, each link named by its dependent."""
    links = [(min(word, head), max(word, head), word) for word, head in enumerate(heads, 1) if head]
    links.sort()
    pairs = []
    for place, (_, right, word) in enumerate(links):
        left = links[place][0]
        for left2, right2, word2 in links[place + 1 :]:
            if left2 >= right:
                break
            if left < left2 and right < right2:
                pairs.append((word, word2))
    return pairs


def two_colourable(pairs: Sequence[tuple[int, int]]) -> bool:
    """Whether the links can be given two planes so that no two of one plane cross."""
    beside: dict[int, list[int]] = {}
    for one, other in pairs:
        beside.setdefault(one, []).append(other)
        beside.setdefault(other, []).append(one)
    plane: dict[int, int] = {}
    for start in beside:
        if start in plane:
            continue
        plane[start] = 0
        ahead = [start]
        while ahead:
            link = ahead.pop()
            for other in beside[link]:
                if other not in plane:
                    plane[other] = 1 - plane[link]
                    ahead.append(other)
                elif plane[other] == plane[link]:
                    return False
    return True


def interleaved(one: Sequence[int], other: Sequence[int]) -> bool:
    """Whether two sets without a common word alternate: one, other, one, other; or the reverse."""
    if set(one) & set(other):
        return False
    turns = 0
    merged = sorted([(word, 0) for word in one] + [(word, 1) for word in other])
    for (_, before), (_, after) in pairwise(merged):
        turns += before != after
    return turns > 2


def shape(heads: Sequence[int]) -> str:
    """The narrowest of SHAPES that the tree is of: planar means so but not projective, and so on.

    >>> shape([2, 0, 2]), shape([2, 0, 1]), shape([3, 0, 2, 2]), shape([0, 4, 5, 1, 1])
    ('projective', 'planar', '2-planar', 'ill-nested')
    """
    gapped = [words for words in projections(heads) if words[-1] - words[0] >= len(words)]
    if not gapped:
        return "projective"
    pairs = crossing(heads)
    if not pairs:
        return "planar"
    if not two_colourable(pairs):
        return "other"
    for place, one in enumerate(gapped):
        if any(interleaved(one, other) for other in gapped[place + 1 :]):
            return "ill-nested"
    return "2-planar"
