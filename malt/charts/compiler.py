"""From the strings of steps to the tables that the kernel runs: which items to look for when an item is new.

What a step joins touches where its string has ab or ba, so some ends of the other item follow from those of the new
one. The steps for which the same ends follow are looked up together (a group), and items are listed by the ends that
groups ask for (a signature). So a chart takes no more time than its longest string has letters: O(n^(letters + 2)).
"""

from __future__ import annotations

from dataclasses import dataclass, field

from malt.charts.order import Order

_LETTERS = {"a": 1, "b": 2, "g": 3}  # as the kernel writes what it finds

Shared = tuple[tuple[int, int, int], ...]  # an end of the other item, the end of the new one beside it, and +1 or -1


@dataclass
class Tables:
    """An end is a number: 0 where the first interval begins, 1 where it ends, 2 where the second begins ..."""

    most: int  # intervals of an item
    codes: list[int]  # of each step: its letters, two bits each
    order: Order
    group_of: list[int] = field(default_factory=list)  # of each step: the group if the new item is a, and if it is b
    groups: list[tuple[int, int, tuple[int, ...], tuple[int, ...]]] = field(default_factory=list)
    # of each group: intervals of the new item, signature, and for each of its ends that of the new item and +1 or -1
    signatures: list[tuple[int, tuple[int, ...]]] = field(default_factory=list)  # intervals, ends


def compile_steps(strings: tuple[str, ...], k: int, order: Order) -> Tables:
    """The tables for some steps.

    >>> from malt.charts.order import any_order
    >>> tables = compile_steps(("ab", "abga"), 1, any_order(("ab", "abga")))
    >>> tables.groups
    [(1, 0, (1,), (1,)), (1, 1, (0,), (-1,)), (2, 0, (1,), (1,)), (1, 2, (0,), (-1,))]
    >>> tables.signatures
    [(1, (0,)), (1, (1,)), (2, (1,))]
    """
    tables = Tables(k + 1, [_code(string) for string in strings], order)
    numbers: dict[tuple[int, int, Shared], int] = {}
    for string in strings:
        for mine, other in ("ab", "ba"):
            key = string.count(mine), string.count(other), _shared(string, mine, other)
            if key not in numbers:
                own, intervals, shared = key
                signature = intervals, tuple(end for end, _, _ in shared)
                if signature not in tables.signatures:
                    tables.signatures.append(signature)
                ends, signs = tuple(end for _, end, _ in shared), tuple(sign for _, _, sign in shared)
                tables.groups.append((own, tables.signatures.index(signature), ends, signs))
                numbers[key] = len(numbers)
            tables.group_of.append(numbers[key])
    return tables


def _code(string: str) -> int:
    code = 0
    for letter in string:
        code = code << 2 | _LETTERS[letter]
    return code


def _shared(string: str, mine: str, other: str) -> Shared:
    """Where the two items touch."""
    found = []
    for place in range(len(string) - 1):
        before, pair = string[:place], string[place : place + 2]
        if pair == mine + other:  # where the other begins is after where mine ends
            found.append((2 * before.count(other), 2 * before.count(mine) + 1, 1))
        elif pair == other + mine:
            found.append((2 * before.count(other) + 1, 2 * before.count(mine), -1))
    return tuple(found)
