"""What a dependency tree is: the definitions of the papers, and the kernel that measures whole treebanks by them."""

from __future__ import annotations

import doctest
from collections.abc import Sequence
from itertools import combinations, permutations, product
from types import ModuleType

import numpy
import pytest
import structure
from hypothesis import given, settings
from hypothesis import strategies as st

from malt import kernel
from malt.kernel.structure import MEASURE, STATES, crossings, measure, planarity, planes

Tree = Sequence[int]

# Small trees with names: heads, and what is true of them.
PROJECTIVE = [2, 0, 2, 3]
PLANAR = [3, 0, 2]  # planar, but the arc 3 -> 1 covers the root 2
CROSSING = [0, 4, 1, 1]  # 4 -> 2 crosses 1 -> 3
HEARING = [2, 3, 0, 3, 2, 7, 5, 4]  # A hearing is scheduled on the issue today
TWO_ROOTS = [0, 0, 1, 2]  # the trees of two root words interleave
TRIANGLE = [0, 5, 6, 1, 1, 1]  # three links that all cross: not 2-planar
PENTAGON = [0, 6, 1, 2, 1, 3]  # the links 2-6, 1-3, 2-4, 3-6, 1-5: each crosses the one before it and the one after it


def arrays(trees: Sequence[Tree]) -> tuple[list[int], list[int]]:
    """Trees one after another, and where each begins."""
    starts = [0]
    for heads in trees:
        starts.append(starts[-1] + len(heads))
    return [head for heads in trees for head in heads], starts


def as_array(heads: Tree) -> numpy.typing.NDArray[numpy.int32]:
    """Heads as the kernel takes them."""
    return numpy.array(heads, dtype=numpy.int32)


def by_definition(heads: Tree) -> dict[str, int]:
    """All measures of a tree, from the definitions."""
    lower, upper = structure.planarity(heads)
    lower_root, upper_root = structure.planarity(heads, root=True)
    return {
        "tokens": len(heads),
        "state": 0,
        "roots": list(heads).count(0),
        "depth": structure.depth(heads),
        "nonprojective": len(structure.nonprojective_arcs(heads)),
        "gap_degree": structure.gap_degree(heads),
        "ill_nested": structure.is_ill_nested(heads),
        "ill_nested_strict": structure.is_ill_nested(heads, strict=True),
        "mildness_lower": structure.mildness(heads),
        "mildness_upper": structure.mildness(heads),
        "covered_roots": len(structure.covered_roots(heads)),
        "crossings": len(structure.crossings(heads)),
        "crossings_root": len(structure.crossings(heads, root=True)),
        "planarity_lower": lower,
        "planarity_upper": upper,
        "planarity_root_lower": lower_root,
        "planarity_root_upper": upper_root,
    }


def check_kernel(trees: Sequence[Tree]) -> None:
    """The kernel says of each sentence what the definitions say."""
    measures, lengths = measure(*arrays(trees))
    expected_lengths: dict[int, int] = {}
    for heads, found in zip(trees, measures, strict=True):
        assert (STATES[found["state"]] == "tree") == structure.is_tree(heads), heads
        if found["state"] == 0:
            assert {name: found[name] for name in MEASURE} == by_definition(heads), heads
            for length in structure.arc_lengths(heads):
                expected_lengths[length] = expected_lengths.get(length, 0) + 1
    assert expected_lengths == {
        sign * length: n for sign, row in ((1, lengths[0]), (-1, lengths[1])) for length, n in enumerate(row) if n
    }


@st.composite
def trees(draw: st.DrawFn, most: int = 30) -> list[int]:
    """Any tree, with one root or several, over words in any order; heads are drawn from near or from far."""
    order = draw(st.permutations(range(1, draw(st.integers(1, most)) + 1)))
    reach = draw(st.sampled_from([1, 2, 4, most]))
    several = draw(st.booleans())
    heads = [0] * len(order)
    for place in range(1, len(order)):
        choices = ([0] if several else []) + list(order[max(0, place - reach) : place])
        heads[order[place] - 1] = draw(st.sampled_from(choices))
    return heads


@pytest.mark.parametrize("module", [structure, kernel.structure])
def test_examples_in_the_documentation(module: ModuleType) -> None:
    found = doctest.testmod(module)
    assert found.attempted
    assert not found.failed


# -- small trees with names


def test_a_projective_tree() -> None:
    assert structure.is_projective(PROJECTIVE)
    assert structure.is_planar(PROJECTIVE, root=True)
    assert structure.planarity(PROJECTIVE) == (1, 1)
    assert not structure.is_ill_nested(PROJECTIVE)


def test_a_planar_tree_may_cover_its_root() -> None:
    assert not structure.is_projective(PLANAR)
    assert structure.is_planar(PLANAR)
    assert structure.covered_roots(PLANAR) == [2]
    assert structure.planarity(PLANAR, root=True) == (2, 2)


def test_two_crossing_links() -> None:
    assert structure.crossings(CROSSING) == [(2, 3)]
    assert structure.nonprojective_arcs(CROSSING) == [(4, 2)]
    assert structure.gap_degree(CROSSING) == 1
    assert structure.planes(CROSSING, 2) == {2: 0, 3: 1, 4: 0}


def test_a_hearing_is_ill_nested() -> None:
    """`hearing ... on the issue` and `scheduled ... today` interleave, and two planes are enough."""
    assert structure.projection(HEARING, 2) == [1, 2, 5, 6, 7]
    assert structure.projection(HEARING, 4) == [4, 8]
    assert structure.is_ill_nested(HEARING, strict=True)
    assert structure.gap_degree(HEARING) == 1
    assert structure.planarity(HEARING) == (2, 2)


def test_interleaved_trees_of_two_roots() -> None:
    assert structure.is_ill_nested(TWO_ROOTS)
    assert not structure.is_ill_nested(TWO_ROOTS, strict=True)


def test_three_links_that_all_cross() -> None:
    assert {(2, 3), (2, 4), (3, 4)} <= set(structure.crossings(TRIANGLE))
    assert structure.planes(TRIANGLE, 2) is None
    assert structure.planarity(TRIANGLE) == (3, 3)


def test_an_odd_cycle_needs_three_planes() -> None:
    """Five links of which each crosses two others: no three cross one another, and two planes are not enough."""
    graph = structure.crossings_graph(PENTAGON)
    assert [len(graph[link]) for link in graph] == [2, 2, 2, 2, 2]
    assert not any(graph[one] & graph[two] for one, two in structure.crossings(PENTAGON))
    assert structure.planarity(PENTAGON) == (3, 3)
    check_kernel([PENTAGON])


@pytest.mark.parametrize(
    ("heads", "state"),
    [
        ([0], "tree"),
        ([-1, -1], "blind"),
        ([-1, 0], "no head"),
        ([0, 3], "no such head"),
        ([0, -2], "no such head"),
        ([0, 2], "own head"),
        ([2, 1, 0], "cycle"),
        ([2, 1], "cycle"),
        ([], "tree"),
    ],
)
def test_what_is_no_tree(heads: list[int], state: str) -> None:
    measures, _ = measure(heads, [0, len(heads)])
    assert STATES[measures[0]["state"]] == state


def test_starts_must_fit() -> None:
    for starts in ([], [0, 3], [1, 0], [-1, 1]):
        with pytest.raises(ValueError, match="starts"):
            measure([0, 1], starts)


# -- the definitions against brute force, and the kernel against the definitions


@pytest.mark.parametrize("words", range(1, 6))
def test_all_graphs_of_up_to_five_words(words: int) -> None:
    """Trees or not: heads from -1, missing, to one more than there are words."""
    check_kernel(list(product(range(-1, words + 2), repeat=words)))


@pytest.mark.slow
def test_all_trees_of_six_words() -> None:
    """Mirror images have the same measures, so the definitions need to be asked about one of the two only."""
    everything = [heads for heads in product(range(7), repeat=6) if structure.is_tree(heads)]
    assert len(everything) == 7**5  # Cayley: trees on seven nodes, the artificial root among them
    mirrored = [tuple(head and 7 - head for head in reversed(heads)) for heads in everything]
    check_kernel([heads for heads, mirror in zip(everything, mirrored, strict=True) if heads <= mirror])
    measures, lengths = measure(*arrays(everything))
    mirror_measures, mirror_lengths = measure(*arrays(mirrored))
    assert (measures == mirror_measures).all()
    assert (lengths == mirror_lengths[::-1]).all()


@pytest.mark.parametrize("words", range(1, 5))
def test_definitions_by_brute_force(words: int) -> None:
    """Planes by trying all assignments, crossings and nesting by trying all orders of four words."""
    for heads in filter(structure.is_tree, product(range(words + 1), repeat=words)):
        below = {word: set(structure.projection(heads, word)) for word in range(1, words + 1)}
        four = list(combinations(range(1, words + 1), 4))
        linked = {frozenset((word, head)) for word, head in enumerate(heads, 1) if head}
        assert len(structure.crossings(heads)) == sum({i, k} in linked and {j, m} in linked for i, j, k, m in four)
        assert structure.is_ill_nested(heads) == any(
            {i, k} <= below[one] and {j, m} <= below[two]
            for one, two in permutations(below, 2)
            if not below[one] & below[two]
            for i, j, k, m in four
        )
        graph = structure.crossings_graph(heads, root=True)
        fewest = next(
            k
            for k in range(1, words + 1)
            for chosen in product(range(k), repeat=len(graph))
            for plane in [dict(zip(graph, chosen, strict=True))]
            if all(plane[one] != plane[two] for one in graph for two in graph[one])
        )
        assert structure.planarity(heads, root=True) == (fewest, fewest)


@given(st.lists(trees(), min_size=1, max_size=3))
def test_kernel_measures_as_defined(some: list[list[int]]) -> None:
    check_kernel(some)


@given(trees(), st.booleans())
def test_crossings_graph(heads: list[int], root: bool) -> None:
    first, other, total = crossings(as_array(heads), root)
    graph = structure.crossings_graph(heads, root)
    for link in range(1, len(heads) + 1):
        assert other[first[link] : first[link + 1]].tolist() == sorted(graph.get(link, ()))
    assert 2 * total == len(other)
    assert crossings(as_array(heads), root, limit=-1)[2] == total  # counted without being stored


@given(trees(), st.booleans(), st.integers(1, 4), st.sampled_from([0, 50, 1_000_000]))
def test_planes_hold_no_crossing(heads: list[int], root: bool, k: int, effort: int) -> None:
    plane = dict(enumerate(planes(as_array(heads), k, root, effort=effort).tolist(), 1))
    graph = structure.crossings_graph(heads, root)
    assert all(-1 <= plane[link] < k for link in graph)
    assert all(plane[one] != plane[two] for one in graph for two in graph[one] if plane[one] >= 0)
    if effort == 1_000_000:
        given_up = [link for link in graph if plane[link] < 0]
        assert bool(given_up) == (structure.planarity(heads, root)[0] > k)


@given(trees(), st.booleans(), st.integers(0, 200))
def test_bounds_hold_with_any_effort(heads: list[int], root: bool, effort: int) -> None:
    k, same = planarity(as_array(heads), root)
    assert k == same
    for limit in (-1, 1 << 20):
        lower, upper = planarity(as_array(heads), root, limit, effort)
        assert lower <= k <= upper
    lower, upper = structure.planarity(heads, root, effort)
    assert lower <= k <= upper


# -- propositions of the papers


@given(trees())
def test_projective_is_planar_with_the_root(heads: list[int]) -> None:
    """2010, note 3."""
    assert structure.is_projective(heads) == structure.is_planar(heads, root=True)


@given(trees())
def test_projective_trees_are_well_nested(heads: list[int]) -> None:
    """2009, section 2.1; and a tree is projective if and only if no arc is non-projective and no root covered."""
    assert not (structure.is_projective(heads) and structure.is_ill_nested(heads))
    covered = bool(structure.covered_roots(heads))
    assert structure.is_projective(heads) == (not structure.nonprojective_arcs(heads) and not covered)


@given(trees())
def test_root_links_need_at_most_one_plane_more(heads: list[int]) -> None:
    """They begin at one place, so they do not cross each other."""
    without, with_root = structure.planarity(heads)[0], structure.planarity(heads, root=True)[0]
    assert without <= with_root <= without + 1


@given(trees())
def test_interleaved_subtrees_have_crossing_arcs(heads: list[int]) -> None:
    """Ill-nested is the same as: two links cross, and of their heads neither dominates the other."""
    head = dict(enumerate(heads, 1))
    assert structure.is_ill_nested(heads) == any(
        not structure.dominates(heads, head[one], head[two]) and not structure.dominates(heads, head[two], head[one])
        for one, two in structure.crossings(heads)
    )


# -- long sentences


def random_tree(words: int, reach: int, seed: int = 1) -> numpy.typing.NDArray[numpy.int32]:
    """Each word, in a random order, hangs on one of the `reach` words before it in that order."""
    generator = numpy.random.default_rng(seed)
    order = generator.permutation(words).astype(numpy.int32) + 1
    places = numpy.arange(1, words)
    heads = numpy.zeros(words, dtype=numpy.int32)
    heads[order[1:] - 1] = order[places - 1 - (generator.random(words - 1) * numpy.minimum(places, reach)).astype(int)]
    return heads


@pytest.mark.parametrize("reach", [1, 100_000])
def test_a_hundred_thousand_words_in_any_order(reach: int) -> None:
    """About n^2 / 6 crossings, which are counted but not stored; a path for `reach` 1: as deep as it can be."""
    words = 100_000
    measures, _ = measure(random_tree(words, reach), [0, words])
    found = measures[0]
    assert found["state"] == 0
    assert found["depth"] == words if reach == 1 else found["depth"] < 100
    assert 0.16 < found["crossings"] / words**2 < 0.17
    assert 300 < found["planarity_lower"] < found["planarity_upper"] < 1000


@settings(max_examples=5)
@given(st.integers(0, 1000))
def test_a_thousand_words(seed: int) -> None:
    """The same numbers, stored or counted, for a sentence too long to be settled."""
    heads = random_tree(1000, 1000, seed)
    few, many = (measure(heads, [0, 1000], limit=limit)[0][0] for limit in (1000, 1_000_000))
    assert few["crossings"] == many["crossings"]
    assert few["planarity_lower"] <= many["planarity_upper"]
    assert many["planarity_lower"] <= few["planarity_upper"]


def test_a_chain_of_a_hundred_thousand_words() -> None:
    measures, lengths = measure(numpy.arange(100_000), [0, 100_000])
    assert measures[0]["depth"] == 100_000
    assert measures[0]["gap_degree"] == 0
    assert lengths[0, 1] == 99_999
