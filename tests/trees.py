"""Trees for tests of the theory: all of a size, and random ones."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Iterator

from hypothesis import strategies as st


def acyclic(heads: tuple[int, ...] | list[int]) -> bool:
    """Whether every word leads to the root."""
    for word in range(1, len(heads) + 1):
        node, steps = word, 0
        while node and steps <= len(heads):
            node, steps = heads[node - 1], steps + 1
        if node:
            return False
    return True


@functools.cache
def forests(n: int) -> tuple[tuple[int, ...], ...]:
    """All forests of n words, as heads: (n + 1) ** (n - 1) of them."""
    choices = [[h for h in range(n + 1) if h != word] for word in range(1, n + 1)]
    return tuple(heads for heads in itertools.product(*choices) if acyclic(heads))


@st.composite
def random_forests(draw: st.DrawFn, most: int = 25) -> list[int]:
    """A forest: words are taken in some order, and each hangs on the root or on one that was taken before."""
    n = draw(st.integers(1, most))
    order = draw(st.permutations(range(1, n + 1)))
    heads = [0] * n
    for place, word in enumerate(order):
        heads[word - 1] = ([0, *order[:place]])[draw(st.integers(0, place))]
    return heads


def arcs(heads: list[int] | tuple[int, ...]) -> Iterator[tuple[int, int]]:
    """The arcs between words."""
    return ((head, word) for word, head in enumerate(heads, 1) if head > 0)


def crossing(one: tuple[int, int], two: tuple[int, int]) -> bool:
    """Whether two links cross."""
    (a, b), (c, d) = sorted([(min(one), max(one)), (min(two), max(two))])
    return a < c < b < d


def planes_needed(links: list[tuple[int, int]], most: int = 4) -> int:
    """The least number of planes, by trying."""
    pairs = [(i, j) for i, j in itertools.combinations(range(len(links)), 2) if crossing(links[i], links[j])]
    involved = sorted({i for pair in pairs for i in pair})
    for k in range(1, most):
        for colours in itertools.product(range(k), repeat=len(involved)):
            colour = dict(zip(involved, colours, strict=True))
            if all(colour[i] != colour[j] for i, j in pairs):
                return k
    return most
