"""The derivations of the article, transition by transition."""

from __future__ import annotations

import pytest

from malt.errors import MaltError
from malt.systems.configuration import Configuration, show_nodes

# Figure 3: the arc-standard derivation of Figure 2. After each transition: stack, buffer, new arc.
FIGURE_3 = """
SH  [1]             [2, ..., 9]
LA  []              [2, ..., 9]   2 1
SH  [2]             [3, ..., 9]
LA  []              [3, ..., 9]   3 2
SH  [3]             [4, ..., 9]
SH  [3, 4]          [5, ..., 9]
LA  [3]             [5, ..., 9]   5 4
SH  [3, 5]          [6, ..., 9]
SH  [3, 5, 6]       [7, 8, 9]
SH  [3, 5, 6, 7]    [8, 9]
LA  [3, 5, 6]       [8, 9]        8 7
RA  [3, 5]          [6, 9]        6 8
RA  [3]             [5, 9]        5 6
RA  []              [3, 9]        3 5
SH  [3]             [9]
RA  []              [3]           3 9
SH  [3]             []
"""

# Figure 6: the 2-planar derivation of Figure 1. Active stack, inactive stack, buffer, new arc.
FIGURE_6 = """
SH  [1]             [1]              [2, ..., 9]
SH  [1, 2]          [1, 2]           [3, ..., 9]
RA  [1, 2]          [1, 2]           [3, ..., 9]  2 3
SH  [1, 2, 3]       [1, 2, 3]        [4, ..., 9]
RE  [1, 2]          [1, 2, 3]        [4, ..., 9]
RE  [1]             [1, 2, 3]        [4, ..., 9]
RA  [1]             [1, 2, 3]        [4, ..., 9]  1 4
SH  [1, 4]          [1, ..., 4]      [5, ..., 9]
SH  [1, 4, 5]       [1, ..., 5]      [6, ..., 9]
LA  [1, 4, 5]       [1, ..., 5]      [6, ..., 9]  6 5
RE  [1, 4]          [1, ..., 5]      [6, ..., 9]
RA  [1, 4]          [1, ..., 5]      [6, ..., 9]  4 6
SW  [1, ..., 5]     [1, 4]           [6, ..., 9]
RE  [1, ..., 4]     [1, 4]           [6, ..., 9]
RE  [1, 2, 3]       [1, 4]           [6, ..., 9]
RE  [1, 2]          [1, 4]           [6, ..., 9]
LA  [1, 2]          [1, 4]           [6, ..., 9]  6 2
SH  [1, 2, 6]       [1, 4, 6]        [7, 8, 9]
SW  [1, 4, 6]       [1, 2, 6]        [7, 8, 9]
RE  [1, 4]          [1, 2, 6]        [7, 8, 9]
RA  [1, 4]          [1, 2, 6]        [7, 8, 9]    4 7
SH  [1, 4, 7]       [1, 2, 6, 7]     [8, 9]
RA  [1, 4, 7]       [1, 2, 6, 7]     [8, 9]       7 8
SH  [1, 4, 7, 8]    [1, 2, 6, 7, 8]  [9]
RE  [1, 4, 7]       [1, 2, 6, 7, 8]  [9]
RE  [1, 4]          [1, 2, 6, 7, 8]  [9]
RE  [1]             [1, 2, 6, 7, 8]  [9]
RA  [1]             [1, 2, 6, 7, 8]  [9]          1 9
SH  [1, 9]          [1, 2, 6, ..., 9]  []
"""


def replay(c: Configuration, figure: str) -> None:
    """Make the transitions of a figure; each must be permissible and lead to what the figure shows."""
    for line in figure.strip().splitlines():
        arcs = set(c.arcs)
        name, shown = line[:2], line[2:].split()
        new = [str(node) for arc in c.apply(name).arcs - arcs for node in arc]
        assert str(c).split() + new == shown


def test_figure_3() -> None:
    c = Configuration("nivrestandard", 9, root=False)
    assert not c.stacks[0]
    replay(c, FIGURE_3)
    assert c.terminal
    assert c.arcs == {(2, 1), (3, 2), (5, 4), (8, 7), (6, 8), (5, 6), (3, 5), (3, 9)}


def test_figure_6() -> None:
    c = Configuration("2planar", 9, root=False)
    replay(c, FIGURE_6)
    assert c.terminal
    assert c.arcs == {(2, 3), (1, 4), (6, 5), (4, 6), (6, 2), (4, 7), (7, 8), (1, 9)}


@pytest.mark.parametrize(
    ("system", "transitions", "arcs"),
    [
        ("nivreeager", "SH LA SH RA RE RA", {(2, 1), (2, 3), (2, 4)}),
        ("nivrestandard", "SH LA SH RA SH RA SH", {(2, 1), (2, 3), (2, 4)}),
        ("arcstandard2", "SH SH LA SH RA SH RA", {(2, 1), (2, 3), (2, 4)}),
        ("archybrid", "SH LA SH SH RA SH RA", {(2, 1), (2, 3), (2, 4)}),
        ("planar", "SH LA RE SH RA SH RE RA SH", {(2, 1), (2, 3), (2, 4)}),
        ("stackeager", "SH SH SH SW RA SH SH LA", {(1, 3), (4, 2)}),
        ("attardi", "SH SH LA2 SH", {(3, 1)}),
        ("attardi", "SH SH RA2 SH", {(1, 3)}),
    ],
)
def test_four_words(system: str, transitions: str, arcs: set[tuple[int, int]]) -> None:
    c = Configuration(system, 4 if system != "attardi" else 3, root=False)
    for transition in transitions.split():
        c.apply(transition)
    assert c.arcs == arcs


def test_what_a_learner_sees() -> None:
    c = Configuration("nivreeager", ["She", "sings"])
    assert (c.S(0), c.S(1), c.B(0), c.B(2), c.H(1)) == (0, -1, 1, -1, -1)
    assert c.legal() == ["SH", "RA"]
    c.apply("SH").apply("LA~subj")
    assert (c.H(1), c.labels[2, 1], c.history) == (2, "subj", ["SH", "LA~subj"])
    with pytest.raises(MaltError, match="RE is not permissible here; permissible: SH, RA"):
        c.apply("RE")
    with pytest.raises(MaltError, match="nivreeager has no transition 'SW'"):
        c.apply("SW")
    assert c.apply("RA~root").legal() == []


def test_two_switches_in_a_row_are_one_too_many() -> None:
    assert "SW" not in Configuration("2planar", 3).apply("SH").apply("SW").legal()
    three = Configuration("3planar", 3).apply("SH").apply("SW")
    assert "SW" in three.legal()
    assert "SW" not in three.apply("SW").legal()


def test_covington_walks_its_lists() -> None:
    c = Configuration("covnonproj", 3)
    for transition in ["NA", "LA~x", "RA~root", "RA~y"]:
        c.apply(transition)
    assert c.arcs == {(2, 1), (0, 2), (2, 3)}


def test_a_long_row_of_nodes_is_shown_in_part() -> None:
    odd = range(1, 20_001, 2)
    shown = show_nodes(odd)
    assert shown.startswith("[1, 3, 5, ")
    assert shown.endswith(", 19997, 19999]")
    assert ", 199, (9,800 more), 19801, " in shown
    assert show_nodes(odd[:200]) == f"[{', '.join(map(str, odd[:200]))}]"
    assert show_nodes(range(500), range(500, 900), [0]).endswith("(300 more), 400, ..., 899, 0]")
