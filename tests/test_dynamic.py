"""Dynamic oracles: what a transition costs is what is lost by it, found by trying every continuation."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Any

import numpy
import numpy.typing
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from trees import forests, random_forests

from malt.commands import malt
from malt.errors import MaltError
from malt.kernel.system import System
from malt.systems import ALGORITHMS, configuration, find_system
from malt.systems.compiler import compile_system
from malt.systems.configuration import Configuration
from malt.systems.language import NO_COSTS, PAIRS, Definition
from malt.systems.oracle import Oracle

Options = dict[str, Any]
Variant = tuple[str, Options]
Counts = numpy.typing.NDArray[numpy.int32]

EXACT: list[Variant] = [
    ("nivreeager", {}),
    ("nivreeager", {"-nr": False}),
    ("nivreeager", {"-ne": True}),
    ("nivreeager", {"-ne": True, "-nr": False}),
    ("nivreeager", {"-rp": "last"}),
    ("nivreeager", {"-rp": "last", "-ne": True}),
    ("archybrid", {}),
    ("planarproj", {}),
    ("planarproj", {"-prh": "relaxed"}),
    ("covproj", {}),
    ("covproj", {"-cr": False}),
    ("covproj", {"-cs": True}),
    ("covproj", {"-cs": True, "-cr": False}),
    ("covnonproj", {}),
    ("covnonproj", {"-cr": False}),
    ("covnonproj", {"-cs": True}),
    ("covnonproj", {"-cs": True, "-cr": False}),
    ("covproj", {"-rp": "last"}),
    ("covproj", {"-rp": "last", "-cs": True}),
    ("covnonproj", {"-rp": "last"}),
    ("covnonproj", {"-rp": "last", "-cs": True}),
    ("planar", {}),
    ("planar", {"-prh": "relaxed"}),
    ("planar", {"-pcov": True}),
    ("planar", {"-pcov": True, "-prh": "relaxed"}),
    ("planar", {"-pacy": False}),
    ("planar", {"-pacy": False, "-pcov": True}),
    ("planar", {"-rp": "last"}),
    ("planar", {"-rp": "last", "-pcov": True}),
    ("planar", {"-rp": "last", "-pacy": False}),
    ("planarproj", {"-rp": "last"}),
]
BOUNDS: list[Variant] = [
    ("planar", {"-pcon": "full"}),
    ("planar", {"-pcon": "reduceonly"}),
    ("planar", {"-pcon": "full", "-pcov": True}),
    ("2planar", {}),
    ("2planar", {"-prh": "relaxed"}),
    ("2planar", {"-pcov": True}),
    ("2planar", {"-pacy": False}),
    ("2planar", {"-2pr": True}),
    ("3planar", {}),
    ("3planar", {"-pacy": False, "-prh": "relaxed"}),
    ("planar", {"-rp": "last", "-pcon": "full"}),
    ("2planar", {"-rp": "last"}),
    ("2planar", {"-rp": "last", "-pcov": True}),
    ("3planar", {"-rp": "last"}),
]
NONE = ["nivrestandard", "stackproj", "stackeager", "stacklazy", "arcstandard2", "attardi"]


@dataclass
class Place:
    """A configuration that can be reached."""

    history: list[int]
    ended: bool  # where nothing is permissible and it has not, nothing but SHIFT comes, which is the default
    next: dict[int, Place]
    kept: Counts  # the most arcs of each gold tree that any continuation has in the end


class Space:
    """All configurations of a system for n words, each once, those that follow first; and all trees."""

    def __init__(self, definition: Definition, n: int) -> None:
        self.system, self.names, self.n = compile_system(definition), [*definition.transitions], n
        self.one_root = definition.roots != "any"
        self.trees = numpy.array(forests(n), numpy.int32)
        self.places: list[Place] = []
        self._found: dict[object, Place] = {}
        self.start = self._visit(Configuration(definition, n))
        self.derivable = self.start.kept == n

    def _visit(self, c: Configuration) -> Place:
        stacks = tuple(map(tuple, c.stacks))
        key = (stacks, c.active, c.switches, tuple(c.buffer), c.left, c.right, frozenset(c.arcs))
        if key not in self._found:
            # Words that are left over hang on the root, or on the only word that may do so, whichever that will be.
            heads = [c.H(word) if self.one_root else max(c.H(word), 0) for word in range(1, self.n + 1)]
            after = {self.names.index(name): self._visit(c.copy().apply(name)) for name in c.legal()}
            kept = [place.kept for place in after.values()] or [(self.trees == heads).sum(axis=1, dtype=numpy.int32)]
            history = [*map(self.names.index, c.history)]
            place = Place(history, c.terminal, after, functools.reduce(numpy.maximum, kept))
            self._found[key] = place
            self.places.append(place)
        return self._found[key]


@pytest.mark.parametrize("n", [1, 2, 3, 4])
@pytest.mark.parametrize("roots", ["any", "one"])
def test_with_the_root_last_all_derivations_have_the_same_length(n: int, roots: str) -> None:
    """So a beam never compares a short one with a long one."""
    space = Space(find_system("nivreeager", {"-rp": "last", "-rt": roots}), n)
    assert {len(place.history) for place in space.places if place.ended} == {2 * n}
    assert all(place.next for place in space.places if not place.ended)
    first = Space(find_system("nivreeager", {"-rt": roots}), n)
    assert len({len(place.history) for place in first.places if place.ended}) > (n > 1)


@pytest.mark.parametrize("n", [1, 2, 3, 4, pytest.param(5, marks=pytest.mark.slow)])
@pytest.mark.parametrize(("name", "options"), EXACT)
def test_exact_costs_are_what_is_lost(name: str, options: Options, n: int) -> None:
    """On every tree that the system can derive, in every configuration, whatever was done wrong before."""
    definition = find_system(name, options)
    assert definition.costs == "exact"
    space = Space(definition, n)
    assert space.derivable.any()
    for place in space.places:
        costs = space.system.costs(place.history, space.trees)
        for transition in range(len(space.names)):
            cost = costs[:, transition]
            if transition not in place.next:
                assert (cost == -1).all()
                continue
            lost = place.kept - place.next[transition].kept
            assert (cost[space.derivable] == lost[space.derivable]).all(), (place.history, transition)
        if place.next:
            assert (numpy.where(costs < 0, n, costs).min(axis=1)[space.derivable] == 0).all()


def losses(space: Space) -> dict[int, Counts]:
    """What the costs of the transitions to each place are together."""
    found = {id(space.start): numpy.zeros(len(space.trees), numpy.int32)}
    for place in reversed(space.places):  # as each is after all that follow it, this is before them
        costs = space.system.costs(place.history, space.trees)
        assert (costs[:, [*place.next]] >= 0).all()
        for transition, after in place.next.items():
            loss = found[id(place)] + costs[:, transition]
            assert (found.setdefault(id(after), loss) == loss).all()  # whichever way leads there
    return found


@pytest.mark.parametrize(
    ("name", "options", "n"),
    [(name, options, 2 if name == "3planar" else 3) for name, options in BOUNDS]
    + [(name, options, 4) for name, options in EXACT],
)
def test_costs_are_never_more_than_what_is_lost(name: str, options: Options, n: int) -> None:
    """On all trees, those among them that the system cannot derive."""
    space = Space(find_system(name, options), n)
    found = losses(space)
    for place in space.places:
        assert (found[id(place)] <= n - place.kept).all()
        if place.ended:
            assert (found[id(place)] == n - place.kept).all()


@pytest.mark.parametrize(
    ("name", "options", "n"),
    [
        ("nivreeager", {}, 4),
        ("nivreeager", {"-rp": "last"}, 4),
        ("archybrid", {}, 4),
        ("covproj", {}, 4),
        ("planarproj", {"-rp": "last"}, 4),
        ("planar", {"-rp": "last", "-pcov": True}, 4),
        ("covproj", {"-rp": "last", "-cs": True}, 4),
        ("covnonproj", {}, 3),
        ("covnonproj", {"-rp": "last", "-cs": True}, 3),
        ("2planar", {"-rp": "last", "-pcov": True}, 3),
    ],
)
def test_with_one_root_costs_are_those_of_arcs_that_transitions_make(name: str, options: Options, n: int) -> None:
    """What words that are left over hang on is not foreseen."""
    definition = find_system(name, {**options, "-rt": "one"})
    assert definition.costs == "lower bound"
    space = Space(definition, n)
    found = losses(space)
    one = (space.trees == 0).sum(axis=1) == 1
    assert (space.derivable & one).any()
    for place in space.places:
        assert (found[id(place)] <= n - place.kept)[one].all()


@pytest.mark.parametrize("name", ["nivreeager", "covproj", "covnonproj"])
def test_with_the_root_last_it_costs_something_to_pass_its_word(name: str) -> None:
    """With one root, which may be looked for among several words."""
    space = Space(find_system(name, {"-rp": "last", "-rt": "one", "-cs": True}), 3)
    passing = space.names.index("RE" if name == "nivreeager" else "SH")
    found = 0
    for place in space.places:
        costs = space.system.costs(place.history, space.trees)
        c = Configuration(find_system(name, {"-rp": "last", "-rt": "one", "-cs": True}), 3)
        for step in place.history:
            c.apply(space.names[step])
        if place.next and c.B(0) == 0 and c.S(0) > 0 and c.H(c.S(0)) < 0 and passing in place.next:
            roots = (space.trees[:, c.S(0) - 1] == 0) & space.derivable
            assert (costs[roots, passing] == 1).all()
            found += int(roots.sum())
    assert found > 0


# In how many configurations, each with every tree that can be derived, the sum of costs is less than what is lost, and
# of how many: what docs/transition-systems.md tells.
LESS = [
    pytest.param("2planar", {}, 3, (168, 48_992)),
    pytest.param("2planar", {"-2pr": True}, 3, (936, 31_120)),
    pytest.param("2planar", {"-rp": "last", "-pcov": True}, 3, (15, 62_512)),
    pytest.param("planar", {"-pcon": "full"}, 4, (3_625, 62_775)),
    pytest.param("planar", {"-pcon": "reduceonly"}, 4, (300, 83_853)),
    pytest.param("2planar", {}, 4, (30_024, 8_163_250), marks=pytest.mark.slow),
    pytest.param("2planar", {"-2pr": True}, 4, (150_201, 5_476_750), marks=pytest.mark.slow),
    pytest.param("2planar", {"-rp": "last", "-pcov": True}, 4, (3_896, 9_149_750), marks=pytest.mark.slow),
    pytest.param("3planar", {}, 3, (2_544, 416_544), marks=pytest.mark.slow),
]


@pytest.mark.parametrize(("name", "options", "n", "less"), LESS)
def test_how_often_a_lower_bound_is_less(name: str, options: Options, n: int, less: tuple[int, int]) -> None:
    definition = find_system(name, options)
    assert definition.costs == "lower bound"
    space = Space(definition, n)
    found = losses(space)
    wrong = [(found[id(place)] < n - place.kept)[space.derivable] for place in space.places]
    assert all((found[id(place)] <= n - place.kept).all() for place in space.places)
    assert (sum(int(each.sum()) for each in wrong), len(wrong) * int(space.derivable.sum())) == less


@pytest.mark.parametrize(("name", "options"), EXACT + BOUNDS)
@given(heads=random_forests(9), data=st.data())
@settings(max_examples=20)
def test_the_kernel_and_the_plain_configuration_count_the_same(
    name: str, options: Options, heads: list[int], data: st.DataObject
) -> None:
    definition = find_system(name, options)
    system, names = compile_system(definition), [*definition.transitions]
    c, tree = Configuration(definition, len(heads)), numpy.array([heads], numpy.int32)
    history: list[int] = []
    while legal := c.legal():
        costs = system.costs(history, tree)[0].tolist()
        expected = dict.fromkeys(names, -1) | {transition: c.cost(transition, heads) for transition in legal}
        assert dict(zip(names, costs, strict=True)) == expected
        transition = data.draw(st.sampled_from(legal))
        c.apply(transition)
        history.append(names.index(transition))
    if not c.terminal:  # nothing is permissible: -pcon full
        return
    assert c.loss(heads) == sum(max(c.H(word), 0) != head for word, head in enumerate(heads, 1))
    assert (system.costs(history, tree) == -1).all()


@pytest.mark.parametrize(("name", "options"), EXACT + BOUNDS)
def test_the_static_oracle_goes_where_nothing_is_lost(name: str, options: Options) -> None:
    definition = find_system(name, options)
    oracle, system = Oracle(definition), compile_system(definition)
    trees = forests(4)
    starts = numpy.arange(0, 4 * len(trees) + 1, 4, dtype=numpy.int32)
    derived = oracle.derive(numpy.array(trees, numpy.int32).ravel(), starts)
    seen = 0
    for i, tree in enumerate(trees):
        if derived.heads[4 * i : 4 * i + 4].tolist() != [*tree]:
            continue
        steps = derived.transitions[derived.bounds[i] : derived.bounds[i + 1]].tolist()
        history = [step if step >= 0 else -1 - step for step in steps]
        gold = numpy.array([tree], numpy.int32)
        costs = {system.costs(history[:length], gold)[0, step] for length, step in enumerate(history)}
        assert costs == {0} or -1 in costs  # oracles are not bound to what is permissible
        seen += costs == {0}
    assert seen >= 55  # the projective trees


@pytest.mark.parametrize("name", NONE)
def test_systems_without_costs_say_so(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    definition = find_system(name)
    assert definition.costs == NO_COSTS
    with pytest.raises(ValueError, match="no costs"):
        compile_system(definition).costs([], numpy.zeros((1, 2), numpy.int32))
    with pytest.raises(MaltError, match=f"{name} has a static oracle only"):
        Configuration(definition, 2).cost("SH", [0, 1])
    assert malt(["systems", name]) == 0
    assert "costs          not known: the oracle is static" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (["nivreeager"], "costs          exact: on trees that it can derive"),
        (["nivreeager", "-nt", "true"], "costs          not known: the oracle is static"),
        (["covnonproj"], "costs          exact, cycles counted"),
        (["2planar"], "costs          a lower bound, cycles counted: more may be lost"),
        (["planar", "-rt", "one"], "a lower bound of the arcs that transitions make, cycles counted: more may be lost"),
        (["planar", "-pacy", "false"], "costs          exact: on trees that it can derive"),
    ],
)
def test_malt_systems_says_what_costs_are(arguments: list[str], line: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert malt(["systems", *arguments]) == 0
    assert line in capsys.readouterr().out


def test_every_system_is_tested_here() -> None:
    assert {name for name, _ in EXACT + BOUNDS} | {*NONE} == {*ALGORITHMS}
    assert [*configuration._PAIRS] == [*PAIRS]


def test_wrong_arguments_are_refused() -> None:
    system: System = compile_system(find_system("nivreeager"))
    assert system.dynamic == 2
    tree = numpy.array([[2, 0]], numpy.int32)
    with pytest.raises(ValueError, match="no transition 9"):
        system.costs([9], tree)
    with pytest.raises(ValueError, match="goes on after its end"):
        system.costs([system.names.index("SH")] * 3, tree)
    for wrong in ("3 0", "-1 0", ""):
        with pytest.raises(ValueError, match="no node of its sentence"):
            system.costs([], numpy.array([wrong.split()], numpy.int32))
