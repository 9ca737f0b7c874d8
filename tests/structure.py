"""What a dependency tree is like: projective, planar, k-planar, of which gap degree, well-nested.

Each function takes one tree as the list of its heads: `heads[0]` is the head of word 1, 0 is the artificial root, and
-1 or None a head that is missing. A word has one head, so an arc, and the link that is left when its direction is
forgotten, goes by the name of its dependent.

These are the definitions in plain words, quadratic in the length of a sentence: what `malt.kernel.structure`, which
measures whole treebanks in linear time, is held against. The papers are

- 2010: Gómez-Rodríguez and Nivre, A Transition-Based Parser for 2-Planar Dependency Structures, ACL 2010
- 2009: Gómez-Rodríguez, Weir and Carroll, Parsing Mildly Non-projective Dependency Structures, EACL 2009

>>> heads = [2, 3, 0, 3, 2, 7, 5, 4]  # A hearing is scheduled on the issue today
>>> is_projective(heads), gap_degree(heads), is_ill_nested(heads), planarity(heads)
(False, 1, True, (2, 2))
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations, pairwise

Heads = Sequence[int | None]

EFFORT = 10_000  # steps in the search for planes, after which only bounds of the planarity are given


def is_tree(heads: Heads) -> bool:
    """Whether every word has a head, and following the heads always leads to the artificial root (2009, section 2).

    Several words may hang on the artificial root: with it, they still make one tree.

    >>> is_tree([2, 0, 2]), is_tree([0, 0]), is_tree([2, 1, 0]), is_tree([0, None])
    (True, True, False, False)
    """
    return all(head is not None and 0 <= head <= len(heads) for head in heads) and not has_cycle(heads)


def has_cycle(heads: Heads) -> bool:
    """Whether some word is reached again by following its heads (2010, definition 2).

    >>> has_cycle([2, 1, 0]), has_cycle([1]), has_cycle([0, 1, 2])
    (True, True, False)
    """
    return any(len(ancestors(heads, word)) > len(heads) for word in range(1, len(heads) + 1))


def ancestors(heads: Heads, word: int) -> list[int]:
    """The word and all that dominate it, the word first; in a cycle, cut off after one word too many.

    >>> ancestors([2, 0, 2], 3)
    [3, 2]
    """
    chain: list[int] = []
    while 1 <= word <= len(heads) and len(chain) <= len(heads):
        chain.append(word)
        word = heads[word - 1] or 0
    return chain


def dominates(heads: Heads, above: int, below: int) -> bool:
    """Whether a directed path, possibly empty, leads from `above` to `below` (2010, section 2.1).

    >>> dominates([2, 0, 2], 2, 3), dominates([2, 0, 2], 3, 3), dominates([2, 0, 2], 0, 1)
    (True, True, True)
    """
    return above == 0 or above in ancestors(heads, below)


def projection(heads: Heads, word: int) -> list[int]:
    """The words that `word` dominates, itself among them, from left to right (2010, section 2.1).

    >>> projection([0, 4, 1, 1], 4)
    [2, 4]
    """
    return [other for other in range(1, len(heads) + 1) if dominates(heads, word, other)]


def depth(heads: Heads) -> int:
    """The number of arcs on the longest path from the artificial root.

    >>> depth([2, 0, 2])
    2
    """
    return max((len(ancestors(heads, word)) for word in range(1, len(heads) + 1)), default=0)


def arc_lengths(heads: Heads) -> list[int]:
    """The length of each arc between words, negative where the head follows its dependent (a left arc).

    >>> arc_lengths([3, 3, 0, 3])
    [-2, -1, 1]
    """
    return [word - head for word, head in enumerate(heads, 1) if head]


# -- intervals: projectivity, gap degree, nesting


def is_projective(heads: Heads) -> bool:
    """Whether the projection of each word is an interval (2010, definition 3).

    >>> is_projective([2, 0, 2]), is_projective([0, 4, 1, 1])
    (True, False)
    """
    return gap_degree(heads) == 0


def nonprojective_arcs(heads: Heads) -> list[tuple[int, int]]:
    """The arcs (head, dependent) between words with a word between them that the head does not dominate.

    >>> nonprojective_arcs([0, 4, 1, 1])
    [(4, 2)]
    """
    return [
        (head, word)
        for word, head in enumerate(heads, 1)
        if head and not all(dominates(heads, head, between) for between in range(min(head, word) + 1, max(head, word)))
    ]


def gaps(heads: Heads, word: int) -> int:
    """The number of discontinuities in the projection of a word (2009, section 2.1).

    >>> gaps([0, 4, 1, 1], 4)
    1
    """
    return sum(right > left + 1 for left, right in pairwise(projection(heads, word)))


def gap_degree(heads: Heads) -> int:
    """The largest number of gaps of any word (2009, section 2.1).

    >>> gap_degree([2, 0, 2]), gap_degree([0, 4, 1, 1])
    (0, 1)
    """
    return max((gaps(heads, word) for word in range(1, len(heads) + 1)), default=0)


def interleaved(some: Sequence[int], others: Sequence[int]) -> bool:
    """Whether i < k < j < l, or the same with the sides exchanged, for i, j in `some`, k, l in `others` (2009, 2.1).

    >>> interleaved([1, 3], [2, 4]), interleaved([1, 4], [2, 3])
    (True, False)
    """
    sides = [side for _, side in sorted([(word, 0) for word in some] + [(word, 1) for word in others])]
    return sum(left != right for left, right in pairwise(sides)) >= 3


def is_ill_nested(heads: Heads, strict: bool = False) -> bool:
    """Whether the projections of two words, neither of which dominates the other, interleave (2009, section 2.1).

    The paper speaks of trees with one root. Where several words hang on the artificial root, their subtrees may
    interleave as well; `strict` leaves such pairs out and looks into the subtree of each root word by itself.

    >>> is_ill_nested([0, 1, 1, 2, 3]), is_ill_nested([0, 0, 1, 2]), is_ill_nested([0, 0, 1, 2], strict=True)
    (True, True, False)
    """
    words = range(1, len(heads) + 1)
    below = {word: projection(heads, word) for word in words}
    top = {word: ancestors(heads, word)[-1] for word in words}
    return any(
        interleaved(below[one], below[two])
        for one, two in combinations(words, 2)
        if two not in below[one] and one not in below[two] and (not strict or top[one] == top[two])
    )


def mildness(heads: Heads) -> int:
    """The least k for which the tree is mildly ill-nested of gap degree k (2009, section 5.1), by trying.

    The projections of a head's dependents are merged two at a time, in every way. The head itself does not count as a
    gap or an end of one: it is taken to be in whatever has the next word.

    >>> mildness([0, 1, 1, 2, 3]), mildness([0, 0, 0, 1, 0, 2, 0, 3, 5, 7])
    (1, 2)
    """
    least = gap_degree(heads)
    for head in range(len(heads) + 1):
        pieces = [frozenset(projection(heads, word)) for word, its in enumerate(heads, 1) if its == head]
        least = max(least, _merged([piece | {head} if head + 1 in piece else piece for piece in pieces]))
    return least


def _merged(pieces: list[frozenset[int]]) -> int:
    """The fewest gaps on the way of merging sets two at a time until they are one."""
    everything = frozenset[int]().union(*pieces)
    for k in range(max(map(_gaps, [everything, *pieces])), len(everything)):
        reached, new = set(pieces), list(pieces)
        while new and everything not in reached:  # the last one first: it soon has everything, if that can be
            one = new.pop()
            merged = {one | two for two in reached if not one & two} - reached
            new += sorted((both for both in merged if _gaps(both) <= k), key=len)
            reached.update(new)
        if everything in reached:
            return k
    return 0  # there are no pieces


def _gaps(words: frozenset[int]) -> int:
    return sum(right > left + 1 for left, right in pairwise(sorted(words)))


def covered_roots(heads: Heads) -> list[int]:
    """The words on the artificial root that some arc passes over: what planarity allows and projectivity does not.

    >>> covered_roots([3, 0, 0])
    [2]
    """
    roots = [word for word, head in enumerate(heads, 1) if head == 0]
    return [root for root in roots if any(left < root < right for left, right in links(heads).values())]


# -- links: planarity, k-planarity


def links(heads: Heads, root: bool = False) -> dict[int, tuple[int, int]]:
    """The ends (left, right) of the link of each word to its head; `root`: those to the artificial root as well.

    >>> links([2, 0, 2]), links([2, 0, 2], root=True)
    ({1: (1, 2), 3: (2, 3)}, {1: (1, 2), 2: (0, 2), 3: (2, 3)})
    """
    return {
        word: (min(word, head), max(word, head))
        for word, head in enumerate(heads, 1)
        if head is not None and (head > 0 or (root and head == 0))
    }


def crossings(heads: Heads, root: bool = False) -> list[tuple[int, int]]:
    """The pairs of links, each named by its dependent, whose ends alternate: i < j < k < l (2010, section 2.3).

    >>> crossings([0, 4, 1, 1])  # 2 <- 4 and 1 -> 3
    [(2, 3)]
    >>> crossings([3, 0, 2]), crossings([3, 0, 2], root=True)  # 1 <- 3 passes over the root word 2
    ([], [(1, 2)])
    """
    ends = links(heads, root)
    return [
        (one, two)
        for one, two in combinations(sorted(ends), 2)
        for (left, right), (left2, right2) in [sorted([ends[one], ends[two]])]
        if left < left2 < right < right2
    ]


def crossings_graph(heads: Heads, root: bool = False) -> dict[int, set[int]]:
    """For each link, the links that cross it: the graph whose colourings are the planes (2010, section 3).

    >>> crossings_graph([0, 4, 1, 1])
    {2: {3}, 3: {2}, 4: set()}
    """
    graph: dict[int, set[int]] = {word: set() for word in links(heads, root)}
    for one, two in crossings(heads, root):
        graph[one].add(two)
        graph[two].add(one)
    return graph


def is_planar(heads: Heads, root: bool = False) -> bool:
    """Whether no two links cross (2010, definition 4). With the links of the root words it is projectivity (note 3).

    >>> is_planar([3, 0, 2]), is_planar([3, 0, 2], root=True)
    (True, False)
    """
    return not crossings(heads, root)


def planes(heads: Heads, k: int, root: bool = False, effort: int = EFFORT) -> dict[int, int] | None:
    """A plane, 0 to k - 1, for each link so that no two links of a plane cross (2010, definition 5).

    None where there is no such way; TimeoutError where none is known after `effort` attempts to place a link.

    >>> planes([0, 4, 1, 1], 1), planes([0, 4, 1, 1], 2)
    (None, {2: 0, 3: 1, 4: 0})
    """
    graph = crossings_graph(heads, root)
    plane: dict[int, int] = {}
    for component in _components(graph):  # each by itself (2010, section 3)
        found = _colours(graph, component, k, effort)
        if found is None:
            return None
        plane |= found
    return dict(sorted(plane.items()))


def planarity(heads: Heads, root: bool = False, effort: int = EFFORT) -> tuple[int, int]:
    """The least k for which the tree is k-planar, as (k, k); (lower, upper) where the effort did not settle it.

    >>> planarity([2, 0, 2]), planarity([0, 4, 1, 1]), planarity([0, 5, 6, 1, 1, 1])
    ((1, 1), (2, 2), (3, 3))
    """
    lower = 1
    for k in range(1, len(heads) + 2):
        try:
            if planes(heads, k, root, effort) is not None:
                return lower, k
            lower = k + 1
        except TimeoutError:
            continue
    return lower, max(lower, len(links(heads, root)))  # a plane for each link is always enough


def _components(graph: dict[int, set[int]]) -> list[list[int]]:
    """The connected components of a graph."""
    found: list[list[int]] = []
    seen: set[int] = set()
    for start in graph:
        if start not in seen:
            seen.add(start)
            component = [start]
            for node in component:  # grows while it is walked through
                component += sorted(graph[node] - seen)
                seen |= graph[node]
            found.append(component)
    return found


def _colours(graph: dict[int, set[int]], component: list[int], k: int, effort: int) -> dict[int, int] | None:
    """A colour for each node of a component so that neighbours differ: always at the node with least choice left."""
    colour: dict[int, int] = {}  # in the order in which the nodes were coloured

    def taken(node: int) -> set[int]:
        return {colour[other] for other in graph[node] if other in colour}

    node, attempt = component[0], 0
    for _ in range(effort):
        # Colours are interchangeable: of those not used yet, only the first is tried.
        choices = range(attempt, min(k, max(colour.values(), default=-1) + 2))
        choice = next((c for c in choices if c not in taken(node)), None)
        if choice is not None:
            colour[node] = choice
            if len(colour) == len(component):
                return colour
            rest = (other for other in component if other not in colour)
            node, attempt = max(rest, key=lambda other: (len(taken(other)), len(graph[other]))), 0
        elif colour:  # back to the last node that was coloured, and on to its next colour
            node, last = colour.popitem()
            attempt = last + 1
        else:
            return None
    raise TimeoutError(f"no answer within {effort} steps whether {k} planes are enough")
