"""Oracles: what they derive, what they cannot, and that MaltParser's are MaltParser's."""

from __future__ import annotations

import random

import numpy
import pytest
import structure
from hypothesis import given, settings
from hypothesis import strategies as st
from trees import arcs, crossing, forests, planes_needed, random_forests

from malt.kernel.structure import planes
from malt.systems import ALGORITHMS, find_system
from malt.systems.configuration import Configuration
from malt.systems.language import Definition, parse_system
from malt.systems.oracle import Oracle, TransitionSequences
from malt.systems.theory import derive_theory

LINEAR = [name for name in ALGORITHMS if not name.startswith("cov") and name not in ("stackeager", "stacklazy")]
PROJECTIVE = ["nivreeager", "nivrestandard", "covproj", "stackproj", "archybrid", "arcstandard2", "planarproj"]
ANY_TREE = ["covnonproj", "stackeager", "stacklazy"]
VARIANTS = [(name, {}) for name in ALGORITHMS] + [
    ("nivreeager", {"-nr": False}),
    ("nivreeager", {"-ne": True}),
    ("nivrestandard", {"-nr": False}),
    ("covnonproj", {"-cr": False}),
    ("covproj", {"-cs": True}),
    ("planar", {"-prh": "relaxed"}),
    ("planar", {"-pcon": "full", "-pcov": True}),
    ("nivreeager", {"-rp": "last"}),
    ("nivreeager", {"-rp": "last", "-rt": "one"}),
    ("planar", {"-rp": "last"}),
    ("planarproj", {"-rp": "last", "-rt": "one"}),
    ("2planar", {"-rp": "last"}),
    ("3planar", {"-rp": "last", "-rt": "one"}),
    ("2planar", {"-2pr": True}),
    ("2planar", {"-prh": "relaxed", "-pcov": True, "-2pr": True}),
    ("4planar", {"-prh": "relaxed"}),
]


def derive(definition: Definition, *trees: list[int] | tuple[int, ...]) -> tuple[TransitionSequences, Oracle]:
    oracle = Oracle(definition)
    heads = numpy.array([head for tree in trees for head in tree], numpy.int32)
    starts = numpy.cumsum([0, *map(len, trees)]).astype(numpy.int32)
    return oracle.derive(heads, starts), oracle


def two_planes(relaxed: bool) -> Definition:
    """The 2-planar system with the oracle that colours beforehand."""
    from importlib import resources

    text = (resources.files("malt.systems") / "kplanar.txt").read_text(encoding="utf-8")
    return parse_system(text, "2planar", {"-prh": "relaxed" if relaxed else "normal"}, 2)


@pytest.mark.parametrize(("name", "options"), VARIANTS)
@given(heads=random_forests(12))
@settings(max_examples=25)
def test_the_kernel_and_the_plain_configuration_do_the_same(
    name: str, options: dict[str, object], heads: list[int]
) -> None:
    definition = find_system(name, options)  # type: ignore[arg-type]
    derivation, oracle = derive(definition, heads)
    c = Configuration(definition, len(heads))
    forbidden = 0
    for step, dependent in zip(derivation.transitions.tolist(), derivation.dependents.tolist(), strict=True):
        transition = oracle.names[step if step >= 0 else -1 - step]
        assert not c.terminal
        if step < 0:
            assert c.legal() == [transition]
        else:
            forbidden += transition not in c.legal()
        before = set(c.arcs)
        c.apply(transition, force=True)
        assert [d for _, d in c.arcs - before] == ([dependent] if dependent > 0 else [])
    assert c.terminal
    assert [max(c.H(word), 0) for word in range(1, len(heads) + 1)] == derivation.heads.tolist()
    assert forbidden == oracle.forbidden


@pytest.mark.parametrize("name", PROJECTIVE)
@pytest.mark.parametrize("n", [1, 2, 3, 4, 5])
def test_projective_systems_derive_exactly_the_projective_trees(name: str, n: int) -> None:
    oracle = Oracle(find_system(name))
    trees = forests(n)
    lost = oracle.lost(
        numpy.array(trees, numpy.int32).ravel(), numpy.arange(0, n * len(trees) + 1, n, dtype=numpy.int32)
    )
    assert [count == 0 for count in lost] == [not structure.nonprojective_arcs(list(tree)) for tree in trees]


@pytest.mark.parametrize("name", ANY_TREE)
@pytest.mark.parametrize("n", [3, 5])
def test_some_systems_derive_every_tree(name: str, n: int) -> None:
    derivations, oracle = derive(find_system(name), *forests(n))
    assert derivations.heads.tolist() == [head for tree in forests(n) for head in tree]
    assert oracle.forbidden == 0


def with_root(tree: tuple[int, ...]) -> list[tuple[int, int]]:
    return [(head, word) for word, head in enumerate(tree, 1)]


@pytest.mark.slow
@pytest.mark.parametrize("n", [2, 3, 4, 5, 6])
def test_planar_and_2_planar_are_complete(n: int) -> None:
    """Some permitted sequence of the system derives every tree of the class (article, lemmas 5 and 7)."""
    planar = [tree for tree in forests(n) if planes_needed(list(arcs(tree))) == 1]
    two_planar = [tree for tree in forests(n) if planes_needed(list(arcs(tree))) <= 2]
    for relaxed, kind, trees in (
        (True, find_system("planar", {"-prh": "relaxed"}), planar),
        (False, find_system("planar"), [t for t in planar if planes_needed(with_root(t)) == 1]),
        (True, two_planes(relaxed=True), two_planar),
        (False, two_planes(relaxed=False), [t for t in two_planar if planes_needed(with_root(t)) <= 2]),
        (False, find_system("2planar"), [t for t in two_planar if planes_needed(with_root(t)) <= 2]),
    ):
        derivations, oracle = derive(kind, *trees)
        assert derivations.heads.tolist() == [head for tree in trees for head in tree], (kind.name, relaxed)
        assert oracle.forbidden == 0


@pytest.mark.parametrize(("name", "k"), [("planar", 1), ("2planar", 2), ("3planar", 3)])
@given(data=st.data())
@settings(max_examples=60)
def test_k_stacks_are_sound(name: str, k: int, data: st.DataObject) -> None:
    """Whatever is permitted, the graph is a k-planar forest (article, proposition 10)."""
    n = data.draw(st.integers(1, 8))
    c = Configuration(name, n, root=False)
    while not c.terminal:
        c.apply(data.draw(st.sampled_from(c.legal())))
    heads = [max(c.H(word), 0) for word in range(1, n + 1)]
    assert len(c.arcs) == sum(head > 0 for head in heads)
    assert planes_needed(list(arcs(heads)), k + 1) <= k
    bound = k * (n + k * n + n) + k - 1
    assert len(c.history) <= bound  # proposition 11


@given(random_forests(30), st.integers(3, 4), st.booleans())
@settings(max_examples=100)
def test_k_planar_derives_what_k_planes_hold_and_nothing_could_be_added(heads: list[int], k: int, root: bool) -> None:
    """Words whose link was given up hang on the root; such a link crosses one in each of the planes."""
    derivations, oracle = derive(find_system(f"{k}planar", {"-prh": "normal" if root else "relaxed"}), heads)
    plane = planes(numpy.array(heads, numpy.int32), k, root).tolist()
    assert derivations.heads.tolist() == [head if p >= 0 else 0 for head, p in zip(heads, plane, strict=True)]
    assert oracle.forbidden == 0
    links = [link for link in with_root(tuple(heads)) if root or link[0]]
    for link in links:
        crossed = {plane[other[1] - 1] for other in links if crossing(link, other)} - {-1}
        mine = plane[link[1] - 1]
        assert crossed == set(range(k)) if mine < 0 else mine not in crossed
    if structure.planarity(heads, root=root)[1] <= k:
        assert all(plane[word - 1] >= 0 for _, word in links)


@pytest.mark.slow
@pytest.mark.parametrize("name", LINEAR)
@given(heads=random_forests(40))
@settings(max_examples=30)
def test_derivations_are_no_longer_than_their_bound(name: str, heads: list[int]) -> None:
    """The bound of propositions 8, 9 and 11 where it is derived, otherwise that which is cited."""
    definition = find_system(name)
    n, k = len(heads), definition.stacks
    bound = derive_theory(definition).length
    assert bool(bound) == (name != "attardi")
    assert k == 1 or bound == f"{k}(n + {k}n + n) + {k - 1}"
    most = k * (n + k * n + n) + k - 1 if k > 1 else int(bound.removesuffix("n") or 1) * n if bound else 2 * n
    assert len(derive(definition, heads)[0].transitions) <= most


# The longest derivations of the trees of 1, 2 ... words.
LONGEST = {
    "nivreeager": [1, 3, 5, 7, 9],
    "nivrestandard": [1, 3, 5, 7, 9],
    "stackproj": [2, 4, 6, 8, 10],
    "planar": [2, 5, 8, 11, 14],
    "2planar": [2, 5, 10, 14, 20],
    "3planar": [2, 5, 11, 17, 24],
    "archybrid": [2, 4, 6, 8, 10],
    "arcstandard2": [2, 4, 6, 8, 10],
    "planarproj": [2, 5, 8, 11, 14],
    "attardi": [1, 3, 5, 7, 9],
}


@pytest.mark.parametrize("name", LINEAR)
def test_the_longest_derivations(name: str) -> None:
    found = [derive(find_system(name), *forests(n))[0] for n in range(1, 6)]
    assert [int(numpy.diff(derivations.bounds).max()) for derivations in found] == LONGEST[name]


def long_trees(n: int) -> dict[str, list[int]]:
    choose = random.Random(1).randrange
    middle = n // 2
    return {
        "a chain to the right": list(range(n)),
        "a chain to the left": [*range(2, n + 1), 0],
        "a fan": [0 if i == middle else middle for i in range(1, n + 1)],
        "leaves in front": [n] * (n - 1) + [0],
        "near heads": [max(0, i - 1 - choose(3)) for i in range(1, n + 1)],
        "two woven chains": [max(0, i - 2) for i in range(1, n + 1)],
    }


@pytest.mark.parametrize("name", LINEAR)
def test_a_sentence_of_20000_words(name: str) -> None:
    trees = long_trees(20_000)
    derivations, _ = derive(find_system(name), *trees.values())
    assert numpy.diff(derivations.bounds).max() <= 20_000 * 9 / 2
    projective = [head for tree in list(trees.values())[:4] for head in tree]
    assert derivations.heads[: len(projective)].tolist() == projective


@pytest.mark.parametrize(("name", "in_buffer"), [("nivreeager", 3), ("planar", 3), ("2planar", 4)])
def test_partial_trees_are_there_before(name: str, in_buffer: int) -> None:
    oracle = Oracle(find_system(name))
    heads, given_heads = numpy.array([2, 0, 2, 3], numpy.int32), numpy.array([0, 0, 0, 3], numpy.int32)
    derivations = oracle.derive(heads, numpy.array([0, 4], numpy.int32), given_heads)
    assert derivations.heads.tolist() == [2, 0, 2, 3]
    assert derivations.dependents.max() == 3
    shifts = ("SH", "RA") if name == "nivreeager" else ("SH",)
    assert sum(oracle.names[step] in shifts for step in derivations.transitions.tolist()) == in_buffer


def test_heads_that_are_no_nodes_are_refused() -> None:
    oracle = Oracle(find_system("nivreeager"))
    for wrong in (-1, 3):
        with pytest.raises(ValueError, match="is no node of its sentence"):
            oracle.derive(numpy.array([wrong, 0], numpy.int32), numpy.array([0, 2], numpy.int32))
