"""Best trees over scores of arcs: against the best of all trees, with ties, forbidden arcs and one root or several."""

from __future__ import annotations

import itertools
import time

import numpy
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from trees import arcs, crossing, forests

from malt.kernel.spanning import best_projective_tree, best_tree, reduced_costs


def worth(scores: numpy.ndarray, heads: tuple[int, ...] | list[int]) -> float:
    """The sum of the scores of a tree, of which the first word has the first head."""
    return float(sum(scores[head, word] for word, head in enumerate(heads, 1)))


def projective(heads: tuple[int, ...]) -> bool:
    """No two arcs cross, those of the root among them."""
    every = [(head, word) for word, head in enumerate(heads, 1)]
    return not any(crossing(one, two) for one, two in itertools.combinations(every, 2))


def single(heads: tuple[int, ...]) -> bool:
    return heads.count(0) == 1


@st.composite
def matrices(draw: st.DrawFn, most: int = 5, forbid: bool = True) -> numpy.ndarray:
    """Small whole numbers, so that there are ties and no rounding; some arcs are not allowed."""
    size = draw(st.integers(1, most)) + 1
    number = st.integers(-4, 4).map(float)
    cell = st.one_of(number, number, number, st.just(-numpy.inf)) if forbid else number
    cells = draw(st.lists(cell, min_size=size * size, max_size=size * size))
    return numpy.array(cells).reshape(size, size)


CASES = pytest.mark.parametrize(
    ("function", "wanted"),
    [(best_tree, lambda heads: True), (best_projective_tree, projective)],
    ids=["all", "projective"],
)


@CASES
@pytest.mark.parametrize("single_root", [False, True])
@given(scores=matrices())
@settings(deadline=None, max_examples=150)
def test_it_is_the_best(function, wanted, single_root, scores) -> None:
    n = len(scores) - 1
    found = [h for h in forests(n) if wanted(h) and (single(h) or not single_root)]
    best = max(worth(scores, heads) for heads in found)
    if best == -numpy.inf:
        with pytest.raises(ValueError, match="there is no"):
            function(scores, single_root)
        return
    heads = function(scores, single_root).tolist()
    assert heads[0] == -1
    assert tuple(heads[1:]) in found
    assert worth(scores, heads[1:]) == best


@CASES
@pytest.mark.parametrize("single_root", [False, True])
def test_six_words(function, wanted, single_root) -> None:
    random = numpy.random.default_rng(6)
    every = numpy.array([h for h in forests(6) if wanted(h) and (single(h) or not single_root)])
    for _ in range(40):
        scores = random.normal(size=(7, 7))
        best = scores[every, numpy.arange(1, 7)].sum(1)
        assert function(scores, single_root).tolist()[1:] == every[best.argmax()].tolist()


@pytest.mark.parametrize("single_root", [False, True])
@given(scores=matrices(most=5))
@settings(deadline=None, max_examples=100)
def test_costs_bound_every_tree(single_root, scores) -> None:
    try:
        heads, costs = reduced_costs(scores, single_root)
    except ValueError:
        return
    n = len(scores) - 1
    assert heads.tolist() == best_tree(scores, single_root).tolist()
    best = worth(scores, heads.tolist()[1:])
    allowed = costs[:, 1:][~numpy.eye(n + 1, dtype=bool)[:, 1:]]
    if not single_root:
        assert (allowed <= 0).all()
    for tree in forests(n):
        if single(tree) or not single_root:
            assert worth(scores, tree) <= best + worth(costs, tree)
    assert worth(costs, heads.tolist()[1:]) == 0


@given(scores=matrices(most=30, forbid=False), single_root=st.booleans())
@settings(deadline=None, max_examples=50)
def test_longer_sentences(scores, single_root) -> None:
    """A best tree is a tree, no projective one is better, and the costs prove that it is the best."""
    heads, costs = reduced_costs(scores, single_root)
    other = best_projective_tree(scores, single_root)
    for found in (heads.tolist()[1:], other.tolist()[1:]):
        assert is_tree(found)
        assert found.count(0) == 1 or not single_root
    assert not any(crossing(a, b) for a, b in itertools.combinations(list(arcs(other.tolist()[1:])), 2))
    assert worth(scores, other.tolist()[1:]) <= worth(scores, heads.tolist()[1:])
    inner = costs[1:, 1:][~numpy.eye(len(scores) - 1, dtype=bool)]
    assert (inner <= 0).all()
    assert (costs[0, 1:] <= 0).all()
    assert worth(costs, heads.tolist()[1:]) == 0


def is_tree(heads: list[int]) -> bool:
    reached = {0}
    while True:
        more = {word for word, head in enumerate(heads, 1) if head in reached} - reached
        if not more:
            return len(reached) == len(heads) + 1
        reached |= more


@pytest.mark.parametrize("function", [best_tree, best_projective_tree, reduced_costs])
class TestHostile:
    def test_one_word(self, function) -> None:
        found = function(numpy.zeros((2, 2)), True)
        assert (found[0] if isinstance(found, tuple) else found).tolist() == [-1, 0]

    def test_no_word(self, function) -> None:
        found = function(numpy.zeros((1, 1)))
        assert (found[0] if isinstance(found, tuple) else found).tolist() == [-1]

    @pytest.mark.parametrize("wrong", [numpy.nan, numpy.inf])
    def test_what_is_no_number(self, function, wrong) -> None:
        scores = numpy.zeros((4, 4))
        scores[2, 3] = wrong
        with pytest.raises(ValueError, match=r"the score of the arc from 2 to 3 is (nan|inf); expected a number"):
            function(scores)

    def test_what_is_no_arc_is_not_looked_at(self, function) -> None:
        scores = numpy.zeros((4, 4))
        scores[:, 0] = scores[range(4), range(4)] = numpy.nan
        function(scores)

    def test_not_square(self, function) -> None:
        with pytest.raises(ValueError, match="expected as many heads as dependents"):
            function(numpy.zeros((3, 4)))
        with pytest.raises(ValueError, match="expected as many heads as dependents"):
            function(numpy.zeros((0, 0)))

    def test_too_long(self, function) -> None:
        with pytest.raises(ValueError, match="1,000 words: its best tree needs 24 megabytes, and 10 are allowed"):
            function(numpy.zeros((1001, 1001)), megabytes=10)
        with pytest.raises(
            ValueError, match="20,000 words: its best tree needs 9,600 megabytes, and 1,000 are allowed"
        ):
            function(numpy.empty((20_001, 20_001)))  # nothing is written there, so it takes no memory

    def test_it_is_the_same_twice(self, function) -> None:
        scores = numpy.zeros((30, 30))
        one, two = function(scores, True), function(scores, True)
        assert str(one) == str(two)


def test_a_long_chain_of_cycles_takes_no_time() -> None:
    """Cycles within cycles, 1,500 deep: each word's best head is what all before it are contracted to."""
    n = 1500
    scores = numpy.zeros((n + 1, n + 1))
    for word in range(1, n):
        scores[word, word + 1] = scores[word + 1, word] = 2 * n - word
    before = time.perf_counter()
    heads = best_tree(scores).tolist()
    best_tree(scores, True)
    reduced_costs(scores)
    assert time.perf_counter() - before < 5
    assert is_tree(heads[1:])
