"""Transition systems for graphs: what they derive, against the plain configuration and the article's claims."""

from __future__ import annotations

from itertools import combinations, permutations

import numpy
import pytest
from hypothesis import given
from hypothesis import strategies as st

import malt
from malt import sample
from malt.data.graph import Graph
from malt.errors import UsageError
from malt.kernel.structure import graph_planarity
from malt.systems import find_system
from malt.systems.configuration import Configuration
from malt.systems.language import Options, parse_system
from malt.systems.oracle import Oracle
from malt.trees.graphs import has_cycle

MANY: Options = {"-hd": "many"}
ACYCLIC: Options = {"-hd": "many", "-ac": True}
SYSTEMS: list[tuple[str, Options]] = [
    ("planar", MANY),
    ("2planar", MANY),
    ("3planar", MANY),
    ("dageager", {}),
    ("dagstandard", {}),
    ("planar", ACYCLIC),
    ("2planar", ACYCLIC),
    ("dageager", ACYCLIC),
    ("dagstandard", ACYCLIC),
]

Arc = tuple[int, int]  # head, word


def graph_of(words: int, arcs: set[Arc]) -> Graph:
    heads, dependents = ([arc[side] for arc in arcs] for side in (0, 1))
    return Graph.of(words, [word - 1 for word in dependents], heads, [0] * len(arcs))


def arcs_of(graph: Graph) -> set[Arc]:
    return set(zip(graph.heads.tolist(), (graph.words + 1).tolist(), strict=True))


def derived(oracle: Oracle, words: int, arcs: set[Arc]) -> tuple[list[int], set[Arc]]:
    """The transitions that the oracle chooses, and what they derive."""
    found, made = oracle.derive_graphs(graph_of(words, arcs), numpy.array([0, words], numpy.int32))
    return [step if step >= 0 else -1 - step for step in found.transitions.tolist()], arcs_of(made)


def planes(words: int, arcs: set[Arc]) -> int:
    links = sorted({(min(arc), max(arc)) for arc in arcs})
    one, two = (numpy.array([link[side] for link in links], numpy.int32) for side in (0, 1))
    return graph_planarity(one, two, words)[2]


@st.composite
def graphs(draw: st.DrawFn) -> tuple[int, set[Arc]]:
    words = draw(st.integers(1, 8))
    nodes = st.tuples(st.integers(0, words), st.integers(1, words)).filter(lambda arc: arc[0] != arc[1])
    return words, draw(st.sets(nodes, max_size=3 * words))


# Claims of the article


def reachable(system: str, options: Options, words: int) -> set[frozenset[Arc]]:
    """All graphs that a system derives, without an artificial root, as in the article."""
    start = Configuration(system, words, options, root=False)
    waiting, seen, found = [start], set(), set()
    while waiting:
        c = waiting.pop()
        key = (tuple(map(tuple, c.stacks)), tuple(c.buffer), frozenset(c.arcs), c.active, c.switches)
        if key in seen:
            continue
        seen.add(key)
        if c.terminal:
            found.add(frozenset(c.arcs))
        waiting += [c.copy().apply(name) for name in c.legal()]
    return found


def test_the_planar_system_reaches_all_64_graphs_with_three_nodes() -> None:
    """Lemma 5: without the single-head restriction, S_P is correct for planar graphs, and with three nodes all are."""
    every = list(permutations(range(1, 4), 2))
    all_graphs = {frozenset(chosen) for size in range(7) for chosen in combinations(every, size)}
    assert len(all_graphs) == 64
    assert reachable("planar", MANY, 3) == all_graphs


def test_the_dag_systems_reach_fewer_graphs_with_three_nodes() -> None:
    """Neither joins two nodes in both directions; example 8 covers no root."""
    both = [{(a, b), (b, a)} for a, b in combinations(range(1, 4), 2)]
    eager = reachable("dageager", {}, 3)
    assert not any(pair <= graph for graph in eager for pair in both)
    assert frozenset({(1, 3)}) not in eager  # the second would be covered
    assert frozenset({(1, 3), (1, 2)}) in eager
    # Example 8's own words: it can produce cycles, of length 3, of which three nodes have two.
    assert frozenset({(1, 2), (2, 3), (3, 1)}) in eager
    assert not any(has_cycle(*_arrays(graph), 3) for graph in reachable("dageager", ACYCLIC, 3))


def test_example_7_makes_the_cycle_of_the_article() -> None:
    """With two nodes on the stack: Right-Attach, Right-Reduce, Shift and Left-Attach."""
    c = Configuration("dagstandard", 3, root=False).apply("SH").apply("SH")
    for name in ("RT", "RR", "SH", "LT"):
        c.apply(name)
    assert c.arcs == {(2, 3), (1, 2), (3, 1)}


def _arrays(graph: frozenset[Arc]) -> tuple[numpy.ndarray, numpy.ndarray]:
    heads, words = (numpy.array([arc[side] for arc in graph], numpy.int32) for side in (0, 1))
    return heads, words


@pytest.mark.parametrize(("system", "most"), [("planar", 1), ("2planar", 2)])
def test_oracles_derive_every_graph_with_four_nodes_that_has_so_few_planes(system: str, most: int) -> None:
    """Lemma 5 and proposition 10, and what the oracle cannot derive is what they exclude: all 4096 graphs."""
    oracle, every, full = Oracle(find_system(system, MANY)), list(permutations(range(1, 5), 2)), 0
    for size in range(len(every) + 1):
        for chosen in combinations(every, size):
            arcs = set(chosen)
            made = derived(oracle, 4, arcs)[1]
            assert made <= arcs
            assert (made == arcs) == (planes(4, arcs) <= most)
            full += made == arcs
    assert full == {1: 4096 - 3 * 3 * 4**4, 2: 4096}[most]


# The kernel and the plain configuration


@pytest.mark.parametrize(("system", "options"), SYSTEMS)
@given(graphs())
def test_the_kernel_derives_what_the_plain_configuration_derives(
    system: str, options: Options, drawn: tuple[int, set[Arc]]
) -> None:
    words, arcs = drawn
    definition = find_system(system, options)
    oracle = Oracle(definition)
    steps, made = derived(oracle, words, arcs)
    assert oracle.forbidden == 0
    c = Configuration(definition, words)
    for step in steps:
        c.apply(oracle.names[step])  # which refuses what is not permissible
    assert c.terminal
    assert c.arcs == made <= arcs
    if definition.options["-ac"]:
        assert not has_cycle(*_arrays(frozenset(made)), words)


@pytest.mark.parametrize(("system", "k"), [("planar", 1), ("2planar", 2), ("3planar", 3), ("5planar", 5)])
@given(graphs())
def test_k_stacks_derive_all_graphs_with_k_planes(system: str, k: int, drawn: tuple[int, set[Arc]]) -> None:
    words, arcs = drawn
    made = derived(Oracle(find_system(system, MANY)), words, arcs)[1]
    assert planes(words, made) <= k
    if planes(words, arcs) <= k:
        assert made == arcs


@given(graphs(), st.randoms(use_true_random=False))
def test_no_transition_closes_a_cycle_where_that_is_forbidden(drawn: tuple[int, set[Arc]], random: object) -> None:
    words, _ = drawn
    c = Configuration("2planar", words, ACYCLIC)
    while not c.terminal:
        c.apply(random.choice(c.legal()))  # type: ignore[attr-defined]
        assert not has_cycle(*_arrays(frozenset(c.arcs)), words)


def test_paths_follow_arcs_and_not_links() -> None:
    c = Configuration("planar", 3, ACYCLIC, root=False).apply("SH").apply("RA").apply("SH").apply("RA")
    assert c.reaches(1, 3)
    assert not c.reaches(3, 1)
    assert "LA" not in c.legal()  # from 3 to 2 is the way back
    assert c.apply("RE").legal() == ["SH", "RE", "RA"]  # and from 3 to 1 it would be a cycle of three


def test_a_text_says_how_many_heads_there_are() -> None:
    text = "stack: [root]\nheads: many\nSH = SHIFT\nRA = RIGHT-ARC\nend empty(buffer)\ndefault SH\noracle SH"
    assert parse_system(text, "mine").many
    assert not parse_system(text.replace("many", "one"), "mine").many
    with pytest.raises(Exception, match="'two' are no heads; expected one or many"):
        parse_system(text.replace("many", "two"), "mine")


@pytest.mark.parametrize("algorithm", ["nivreeager", "easyfirst", "mst"])
def test_who_asks_for_graphs_gets_no_trees(algorithm: str) -> None:
    learner = "liblinear" if algorithm == "nivreeager" else "perceptron"
    with pytest.raises(UsageError, match=f"-hd many is for -a planar, 2planar and Kplanar, and {algorithm} derives"):
        malt.train(sample.text(5), algorithm=algorithm, learner=learner, heads="many")
