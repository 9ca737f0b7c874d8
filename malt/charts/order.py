"""In which order the dependents of a head are joined: flags of items, so that a tree has few derivations (footnote 5).

A flag says how an item came about, and a table which flags a step takes and which one it gives. Joining goes on until
all dependents of a head are one item, and what was settled on the way, such as a gap that no dependent of this head
fills any more, also says what the words there can no longer be: dependents of this head. The search makes use of it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy
import numpy.typing

from malt.charts.steps import filled_gap, is_beside, touches

LINKED = 0  # the flag of an item that Link has made
COMPLETE = 1 << 30  # in `Order.settled`: the head has all its dependents


@dataclass(frozen=True)
class Order:
    """Flags are numbers from 0, which is LINKED."""

    table: numpy.typing.NDArray[numpy.int16]  # step, flag of a, flag of b: the flag of what is joined; -1: not so
    settled: tuple[
        int, ...
    ]  # of each flag: a bit for each gap, from the left, that the head fills no more; or COMPLETE


def any_order(strings: tuple[str, ...]) -> Order:
    """One flag, and every step at any time: all derivations that there are."""
    return Order(numpy.zeros((len(strings), 1, 1), dtype=numpy.int16), (0,))


def nested_order(strings: tuple[str, ...], k: int) -> Order:
    """One derivation for each well-nested tree.

    A dependent takes up what lies in its gaps, and what it has become then stands in a row with others, joined from
    left to right; what lies in one gap is such a row as well, joined before it is taken up. So that no item on the
    way has more gaps than the dependent had or the end result has, first those gaps are filled that do not become
    more gaps by it, from left to right, and then the others.

    >>> from malt.charts.steps import steps
    >>> [len(nested_order(steps(k, well_nested=True), k).settled) for k in (1, 2, 3)]
    [3, 8, 22]
    """
    row = None  # the state of a row of several; that of others: whether gaps grew, the first gap to fill, those filled
    State = tuple[bool, int, int]
    states: list[State | None] = [(False, 0, 0), row]
    given: dict[tuple[int, State], State] = {}
    fills = [(step, *filled_gap(string)) for step, string in enumerate(strings) if not is_beside(string)]
    for state in states:  # grows while it is walked through
        for step, gap, inside in fills if state else ():
            assert state is not None
            grew, first, filled = state
            left = inside.count("g")
            if left > 1 and not grew:
                grew, first = True, 0
            if gap < first or filled >> gap & 1 or (grew and left < 2):
                continue
            rest = filled >> (gap + 1) << (gap + left)
            after = (grew, gap + left, filled & ((1 << gap) - 1) | ((1 << left) - 1) << gap | rest)
            given[step, state] = after
            if after not in states:
                states.append(after)
    number = {state: flag for flag, state in enumerate(states)}
    table = numpy.full((len(strings), len(states), len(states)), -1, dtype=numpy.int16)
    for step, string in enumerate(strings):
        if is_beside(string):
            table[step] = number[row]
            table[step, :, number[row]] = -1
    for (step, before), after in given.items():
        table[step, number[before], :] = number[after]
    return Order(table, tuple((1 << k) - 1 if state is None else state[2] for state in states))


def mild_order(strings: tuple[str, ...], k: int) -> Order:
    """Few derivations for each tree, for steps that interleave: items that touch nowhere are joined last.

    Where a and b, which do not touch, were joined and then c is, a and c or b and c could be joined first and the other
    afterwards, with no more gaps on the way: if c touches a at least as often as a has intervals, then a and c together
    have no more intervals than c; otherwise b and c have no more than all three. So nothing that touches needs to come
    after something that does not, and when there is no room for one more gap, the head has all its dependents.
    """
    connected, loose, full = LINKED, 1, 2
    table = numpy.full((len(strings), 3, 3), -1, dtype=numpy.int16)
    for step, string in enumerate(strings):
        if touches(string):
            table[step, connected, connected] = connected
        else:
            table[step, [connected, loose], connected] = full if string.count("g") == k else loose
    return Order(table, (0, 0, COMPLETE))
