"""The language of transition systems, and what the theory says of the systems that are written in it."""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Iterator
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from trees import acyclic, crossing

from malt.commands import malt
from malt.errors import DataError, MaltError, UsageError
from malt.settings.catalogue import catalogue
from malt.systems import MALTPARSER, OURS, configuration, find_system
from malt.systems.compiler import compile_system
from malt.systems.configuration import Configuration
from malt.systems.language import OPERATIONS, PREDICATES, Atom, Definition, parse_system
from malt.systems.theory import derive_theory

HEAD = "stack: [root]\nend empty(buffer)\n"
# The systems of the theory: without restrictions, no treebank format can hold their graphs.
PLANAR_GRAPHS = HEAD + "SH = SHIFT\nRE = REDUCE\nRA = RIGHT-ARC\nLA = LEFT-ARC\ndefault SH\n"
SINGLE_HEADED = HEAD + (
    "SH = SHIFT\nRE = REDUCE\nRA = RIGHT-ARC | not headed(front)\nLA = LEFT-ARC | not headed(top)\ndefault SH\n"
)
ACYCLIC = HEAD + (
    "SH = SHIFT\nRE = REDUCE\nRA = RIGHT-ARC | not connected(top, front)\n"
    "LA = LEFT-ARC | not connected(top, front)\ndefault SH\n"
)
ARCS_TO_THE_LEFT = HEAD + "SH = SHIFT\nLA = LEFT-ARC | not root(top), not headed(top) ; REDUCE\ndefault SH\n"
ELEMENTARY = HEAD + "SH = SHIFT\nUS = UNSHIFT\nRE = REDUCE\nRA = RIGHT-ARC\nLA = LEFT-ARC\ndefault SH\n"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("SH = SHFT", "line 1, column 6: 'SHFT' is no operation"),
        ("SH = SHIFT ;", "line 1, column 6: an operation is missing"),
        ("stack: [root]\nRE = REDUCE | haeded(top)", "line 2, column 15: 'haeded(top)' is no predicate here"),
        ("RE = REDUCE | gold(front, top)", "line 1, column 15: 'gold(front, top)' is no predicate here"),
        ("LA = LEFT-ARC ; REDUCE | haeded(top)", "line 1, column 26: 'haeded(top)' is no predicate here"),
        ("RE = REDUCE | headed(top) if -xy", "line 1, column 30: -xy is no option of transition systems"),
        ("RE = REDUCE | headed(top) if -prh", "-prh needs a value here"),
        ("RE = REDUCE | headed(top) if -ne true", "-ne is on or off and takes no value here"),
        ("stack: root", "line 1, column 8: 'root' are no stacks"),
        ("stacks: 65 [root]", "65 stacks; expected 1 to 64"),
        ("lists: from 7", "'from 7' are no lists"),
        ("buffer: everything", "'everything' is no buffer"),
        ("stack: [root]\nfeatures: Stack = stak", "line 2, column 19: expected NAME = one of stack, buffer, swapped"),
        ("stack: [root]\nfeatures: Stack", "line 2, column 11: expected NAME = one of stack, buffer, swapped"),
        ("stack: [root]\nfeatures: Left = left", "line 2, column 18: left is not for a system with stacks"),
        ("lists: from 0\nfeatures: Input = buffer", "line 2, column 19: buffer is not for a system with lists"),
        ("stack: [root]\nfeatures: Stack = stack\nlists: from 0", "line 3, column 1: `lists` comes before `features`"),
        ("stack: [root]\nfeatures: Stack = next stacks", "line 2, column 19: there is one stack only"),
        ("stack: [root]\nhello", "line 2, column 1: 'hello' is no statement"),
        (
            "stack: [root]\nSH = SHIFT\noracle XX",
            "line 3, column 8: 'XX' is no transition of this system; there are SH",
        ),
        (
            HEAD + "SH = SHIFT\ncosts about | root -> word",
            "line 4, column 7: 'about' are no costs; expected lower bound",
        ),
        (HEAD + "SH = SHIFT\ncosts exact", "line 4, column 1: expected for example: costs exact | root -> word, stack"),
        (HEAD + "SH = SHIFT\ncosts exact | top -> front", "line 4, column 15: 'top -> front' is no pair of nodes here"),
        (HEAD + "SH = SHIFT\ncosts exact | left -> right", "line 4, column 15: 'left -> right' is no pair of nodes"),
        (HEAD + "SH = SHIFT\ncosts exact | not root -> word", "line 4, column 15: say which nodes can be joined"),
        ("stacks: 2 [root]\ncosts exact | below -> stack", "line 2, column 15: 'below -> stack' is no pair of nodes"),
        ("lists: from 0\ncosts exact | stack -> buffer", "line 2, column 15: 'stack -> buffer' is no pair of nodes"),
        (
            HEAD + "costs exact | root -> word\ncosts exact | root -> word",
            "line 4, column 1: there is a line `costs` already",
        ),
        (
            HEAD + "SH = SHIFT\ncosts exact | root -> word if -ne",
            "line 4, column 1: expected for example: costs exact | root -> word, stack",
        ),
        ("costs exact | root -> word\nstack: [root]", "line 2, column 1: `stack` comes before `costs`"),
        (HEAD + "SH = SHIFT\ndefault SH | root(top)", "line 4, column 1: the last default is restricted"),
        (HEAD + "SH = SHIFT\noracle SH | root(top)\n\n", "line 4, column 1: the last oracle rule is restricted"),
        (HEAD + "SH = NEXT\ndefault SH", "line 3, column 6: transition SH: NEXT is not for a system with stacks"),
        ("lists: from 0\nSH = SHIFT", "line 2, column 6: transition SH: SHIFT is not for a system with lists"),
        (HEAD + "SH = SHIFT\nSW = SWITCH", "line 4, column 6: transition SW: SWITCH needs two stacks or more"),
        (HEAD + "SH = SHIFT\nfirst XX\n", "line 4, column 1: `first` names no transition"),
        ("heads: many\nSH = SHIFT\n", "line 1, column 1: the definition has no `oracle`"),
        ("stack: []\nbuffer: words\nSH = SHIFT", "line 2, column 1: the definition has no place for the root"),
        ("stack: [root]\nstacks: 2 [root]\nSH = SHIFT", "line 2, column 1: there is a line `stack` already, in line 1"),
        ("title: a\nSH = SHIFT\ntitle: b", "line 3, column 1: there is a line `title` already, in line 1"),
        ("features: Stack = stack, Stack = buffer\nSH = SHIFT", "line 1, column 11: Stack is there twice"),
        ("SH = SHIFT\nRE = REDUCE |", "line 2, column 13: a predicate is missing"),
        ("SH = SHIFT\nRE = REDUCE | headed(top),", "line 2, column 13: a predicate is missing"),
        (
            "model: EasyFirst\nSH = SHIFT",
            "line 1, column 1: the feature model EasyFirst is for systems that are built in",
        ),
        ("", "the definition has no transitions"),
    ],
)
def test_errors_name_the_place(text: str, message: str) -> None:
    with pytest.raises(DataError) as error:
        parse_system(text, "mine")
    assert message in str(error.value)


def test_what_is_printed_says_how_many_stacks_there_are() -> None:
    """Saved and read again, it is the same system."""
    four = find_system("4planar")
    assert "\nstacks: 4 [root]\n" in "\n" + four.text
    assert parse_system(four.text, "mine").stacks == four.stacks == 4


def test_tabs_are_space() -> None:
    case = parse_system("SH = SHIFT\nRE\t=\tREDUCE\t|\tnot\theaded(top)\n", "mine").transitions["RE"][0]
    assert str(case) == "REDUCE | not headed(top), not root(top)"


@given(st.text("SHIFTRED=|;,()[]! \nnotheadedtopif-ne:root", max_size=120))
def test_any_text_is_a_definition_or_an_error(text: str) -> None:
    with contextlib.suppress(MaltError):
        compile_system(parse_system(text, "mine"))


def test_chains_reach_as_far_as_they_like() -> None:
    definition = parse_system(HEAD + "EF = SHIFT ; SHIFT ; SHIFT ; LEFT-ARC\nSH = SHIFT\ndefault SH", "mine")
    compile_system(definition)
    c = Configuration(definition, 5)
    assert c.legal() == ["EF", "SH"]
    assert c.apply("EF").legal() == ["SH"]
    assert c.arcs == {(4, 3)}


def test_every_operation_of_a_chain_may_be_restricted() -> None:
    """Definition 7: t1|s1 ; t2|s2 ; ... is defined where each is defined after the one before it."""
    definition = parse_system(
        HEAD + "SH = SHIFT\nTW = SHIFT ; SHIFT | not single(buffer)\nRA = RIGHT-ARC ; SHIFT | headed(front), root(top)",
        "mine",
    )
    assert definition.transitions["TW"][0].guards[1] == (Atom("single(buffer)", negated=True),)
    assert "RA  = RIGHT-ARC ; SHIFT | headed(front), root(top)" in definition.text
    c = Configuration(definition, 3)
    assert c.legal() == ["SH", "TW", "RA"]  # two words more, and the front has its head when it is shifted
    assert c.apply("SH").legal() == ["SH"]  # one word more; the top is not the root


@pytest.mark.parametrize(
    ("options", "kept"),
    [({}, "ab"), ({"-rp": "last"}, "c"), ({"-2pr": True}, "b"), ({"-rp": "last", "-2pr": True}, "bcd")],
)
def test_conditions_are_joined_by_and_and_or(options: dict[str, object], kept: str) -> None:
    lines = {
        "a": "unless -rp last and unless -2pr",
        "b": "unless -rp last or if -2pr",
        "c": "if -rp last",
        "d": "if -hd many or if -rp last and if -2pr",
    }
    text = HEAD + "SH = SHIFT\n" + "".join(f"{name.upper() * 2} = REDUCE [{when}]\n" for name, when in lines.items())
    found = parse_system(text, "mine", find_system("2planar", options).options)
    assert set(found.transitions) == {"SH", *(name.upper() * 2 for name in kept)}


def test_the_stacks_that_are_asked_for() -> None:
    text = (
        "stacks: 2 []\nbuffer: words, root\nSH = SHIFT | first(stack), not root(front)\n"
        "SW = SWITCH | not empty(other)\nRE = REDUCE | not first(stack)\nLA = LEFT-ARC\ndefault SH\n"
    )
    c = Configuration(parse_system(text, "mine"), 2)
    assert c.legal() == ["SH"]
    assert c.apply("SH").legal() == ["SH", "SW", "LA"]
    assert c.apply("SW").legal() == ["SW", "RE", "LA"]
    assert c.apply("RE").legal() == ["SW"]
    assert c.apply("SW").legal() == ["SH", "LA"]
    compile_system(parse_system(text, "mine"))


def test_options_change_the_text() -> None:
    assert "RE  = REDUCE | not root(top), headed(top)" in find_system("nivreeager").text
    assert "RE  = REDUCE | not root(top)\n" in find_system("nivreeager", {"-ne": True}).text
    assert (
        "SW  = SWITCH | not root(other), headed(other) ; REDUCE"
        in find_system("2planar", {"-2pr": True, "-pcov": True}).text
    )
    assert "must    SH | root(top)" in find_system("planar", {"-prh": "relaxed"}).text


@pytest.mark.parametrize("name", [*MALTPARSER, *OURS, "3planar", "12planar"])
def test_the_text_of_a_system_is_all_there_is(name: str) -> None:
    """What `malt systems` shows, read again, is the same system, whatever the options were."""
    for flag, option in catalogue().of_systems.items():
        for value in option.values or [not option.default]:
            definition = find_system(name, {flag: value})
            again = parse_system(definition.text, name, k=definition.stacks)
            assert replace(again, options=definition.options) == definition
            assert len({definition, parse_system(definition.text, name, definition.options, definition.stacks)}) == 1
            compile_system(again)


@pytest.mark.parametrize("name", ["1planar", "0planar", "65planar", "03planar", "planr", "2planar "])
def test_systems_that_do_not_exist(name: str) -> None:
    with pytest.raises(UsageError):
        find_system(name)


@pytest.mark.parametrize("name", [*MALTPARSER, *OURS, "7planar"])
def test_what_others_need_of_a_system_is_in_its_text(name: str) -> None:
    definition = find_system(name)
    assert (definition.shift, definition.swaps) == ("SH", "SW" in definition.transitions and definition.stacks == 1)
    assert [stack for what, stack in definition.structures.values() if what == "stack"] == [*range(definition.stacks)]
    assert parse_system(HEAD + "RA = RIGHT-ARC ; SHIFT\ndefault RA", "mine").shift == ""


def test_the_plain_machine_knows_what_the_kernel_knows() -> None:
    assert list(configuration._OPERATIONS) == list(OPERATIONS)
    assert list(configuration._PREDICATES) == list(PREDICATES)


# The theory


def explore(definition: Definition, n: int, most: int = 4000) -> Iterator[Configuration]:
    """The configurations that can be reached, up to a number of them; without the artificial root."""
    new = [Configuration(definition, n, root=False)]
    seen = set()
    while new and len(seen) < most:
        c = new.pop()
        key = (tuple(c.stacks[0]), tuple(c.buffer), frozenset(c.arcs))
        if key in seen:
            continue
        seen.add(key)
        yield c
        new += [c.copy().apply(transition) for transition in c.legal()]


def covered_roots(c: Configuration) -> bool:
    roots = {word for word in range(1, len(c.words) + 1) if c.H(word) == -1}
    return any(min(arc) < root < max(arc) for arc in c.arcs for root in roots)


def heads_of(c: Configuration) -> list[int]:
    return [max(c.H(word), 0) for word in range(1, len(c.words) + 1)]


def single_headed(c: Configuration) -> bool:
    return len({dependent for _, dependent in c.arcs}) == len(c.arcs)


def check(definition: Definition, n: int) -> None:
    """Whatever the propositions say of a system holds in every configuration that it reaches."""
    theory = derive_theory(definition)
    for c in explore(definition, n):
        if theory.planar:
            assert not any(crossing(a, b) for a, b in itertools.combinations(c.arcs, 2))
        if theory.single_head:
            assert single_headed(c)
        if theory.acyclic:
            # Without undirected cycles: as many arcs as joins of components.
            components = len({frozenset(j for j in range(1, n + 1) if c.connected(i, j)) for i in range(1, n + 1)})
            assert n - len(c.arcs) == components
        if theory.no_covered_roots and c.terminal:
            assert not covered_roots(c)
        if theory.robust and not c.terminal:
            assert c.legal()
        if theory.length:
            assert len(c.history) <= float(theory.length.removesuffix("n")) * n


CHAINS = [
    "SHIFT",
    "UNSHIFT",
    "REDUCE",
    "LEFT-ARC",
    "RIGHT-ARC",
    "LEFT-ARC ; REDUCE",
    "RIGHT-ARC ; SHIFT",
    "RIGHT-ARC ; SHIFT ; REDUCE",
    "RIGHT-ARC ; SHIFT ; REDUCE ; UNSHIFT",
    "UNSHIFT ; LEFT-ARC ; REDUCE ; SHIFT",
    "UNSHIFT ; RIGHT-ARC ; SHIFT ; REDUCE",
    "UNSHIFT ; LEFT-ARC ; SHIFT",
    "UNSHIFT ; REDUCE",
    "RIGHT-ARC ; UNSHIFT",
]
RESTRICTIONS = ["headed(top)", "headed(front)", "connected(top, front)"]


@st.composite
def divisible_systems(draw: st.DrawFn) -> Definition:
    lines = ["stack: [root]", "end empty(buffer)"]
    for i, chain in enumerate(draw(st.lists(st.sampled_from(CHAINS), min_size=2, max_size=5, unique=True))):
        atoms = [("not " if draw(st.booleans()) else "") + r for r in RESTRICTIONS if draw(st.integers(0, 2)) == 0]
        parts = chain.split(" ; ")
        if atoms:
            parts[draw(st.integers(0, len(parts) - 1)) if draw(st.booleans()) else 0] += f" | {', '.join(atoms)}"
        lines.append(f"T{i} = {' ; '.join(parts)}")
    return parse_system("\n".join([*lines, "default T0"]), "random")


@pytest.mark.slow
@given(divisible_systems())
@settings(max_examples=150)
def test_propositions_1_to_9_on_random_divisible_systems(definition: Definition) -> None:
    check(definition, 3)


@pytest.mark.parametrize(
    "name", ["nivreeager", "nivrestandard", "arcstandard2", "archybrid", "planar", "planarproj", "stackproj"]
)
def test_propositions_1_to_9_on_the_systems_of_the_article(name: str) -> None:
    check(find_system(name), 4)


@pytest.mark.parametrize("text", [PLANAR_GRAPHS, SINGLE_HEADED, ACYCLIC])
def test_the_planar_system_and_its_variants(text: str) -> None:
    check(parse_system(text, "theory"), 3)


def test_what_is_derived() -> None:
    def told(definition: Definition) -> tuple[bool, ...]:
        t = derive_theory(definition)
        return t.divisible, t.single_head, t.acyclic, t.no_covered_roots, t.projective

    assert told(find_system("nivreeager")) == (True, True, True, True, True)  # example 9
    assert told(find_system("nivreeager", {"-ne": True})) == (True, True, True, False, False)
    assert told(find_system("planar")) == (True, True, True, False, False)
    assert told(find_system("planar", {"-pcov": True})) == (True, True, True, True, True)  # section 3.3.2
    assert told(find_system("planarproj")) == (True, True, True, True, True)
    assert told(parse_system(PLANAR_GRAPHS, "theory")) == (True, False, False, False, False)
    assert told(parse_system(SINGLE_HEADED, "theory")) == (True, True, False, False, False)
    assert told(parse_system(ACYCLIC, "theory")) == (True, False, True, False, False)
    assert told(find_system("2planar"))[0] is False
    assert told(find_system("stacklazy"))[0] is False
    elementary = derive_theory(parse_system(ELEMENTARY, "theory"))
    assert (elementary.robust, elementary.bounded, elementary.length) == (True, False, "")  # example 10


def test_the_planar_system_derives_cycles_and_several_heads_where_nothing_forbids_them() -> None:
    assert any(not single_headed(c) for c in explore(parse_system(PLANAR_GRAPHS, "theory"), 3))
    assert any(single_headed(c) and not acyclic(heads_of(c)) for c in explore(parse_system(SINGLE_HEADED, "theory"), 3))


@pytest.mark.parametrize("length", [4, 5, 9, 20])
def test_chains_of_any_length(length: int) -> None:
    """They are too long for the kernel, but not for the theory, nor for the plain machine."""
    chain = " ; ".join(["SHIFT"] * length)
    definition = parse_system(ARCS_TO_THE_LEFT + f"FA = {chain}\n", "long")
    assert derive_theory(definition) == derive_theory(parse_system(ARCS_TO_THE_LEFT, "short"))
    c = Configuration(definition, length)
    assert c.legal() == ["SH", "FA"]
    assert c.apply("FA").terminal
    assert Configuration(definition, length - 1).legal() == ["SH"]


# The command


def test_malt_systems(capsys: pytest.CaptureFixture[str]) -> None:
    assert malt(["systems"]) == 0
    listing = capsys.readouterr().out
    assert all(f"\n{name} " in listing for name in (*MALTPARSER, *OURS))
    assert malt(["systems", "2planar", "-2pr", "true"]) == 0
    shown = capsys.readouterr().out
    assert "SW  = SWITCH | not root(other) ; REDUCE" in shown
    assert "proposition 11" in shown
    assert malt(["systems", "nivereager"]) == 2
    assert capsys.readouterr().err == "malt: there is no parsing algorithm 'nivereager'; did you mean nivreeager?\n"
