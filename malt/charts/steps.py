"""The Combine steps of a chart as strings (EACL 2009, section 5.1 and figure 1D), and how the paper writes them.

A step joins two items of the same head. Its string has a letter for each interval of words from left to right: a and b
are the intervals of the two items, g those of neither, which become the gaps of what is joined.
"""

from __future__ import annotations

import itertools
from functools import cache


@cache
def steps(k: int, *, well_nested: bool = False) -> tuple[str, ...]:
    """The strings for gap degree k, one of each two that differ in the names of the items alone: those with a first.

    a and b appear at most k + 1 times, g at most k times and neither first nor last, and no letter twice in a row.

    >>> steps(1, well_nested=True)
    ('ab', 'aba', 'abga', 'abgb', 'abgba', 'agab', 'agb', 'agba')
    >>> [string for string in steps(1) if is_interleaving(string)]
    ['abab', 'abagb', 'abgab', 'agbab']
    >>> [len(steps(k)) for k in (1, 2, 3)], [len(steps(k, well_nested=True)) for k in (1, 2, 3)]
    ([12, 89, 616], [8, 25, 56])
    """
    found: list[str] = []
    most = {"a": k + 1, "b": k + 1, "g": k}
    growing = ["a"]
    while growing:
        string = growing.pop()
        if "b" in string and string[-1] != "g":
            found.append(string)
        longer = (string + letter for letter in "abg" if letter != string[-1] and string.count(letter) < most[letter])
        growing += [one for one in longer if not (well_nested and is_interleaving(one))]
    return tuple(sorted(found))


def is_interleaving(string: str) -> bool:
    """Whether the two items interleave: abab or baba is in the string, with other letters between or without.

    >>> is_interleaving("abgab"), is_interleaving("abgba")
    (True, False)
    """
    letters = [letter for letter in string if letter != "g"]
    return sum(one != two for one, two in itertools.pairwise(letters)) > 2


def touches(string: str) -> bool:
    """Whether the two items are next to each other somewhere.

    >>> touches("aba"), touches("agb")
    (True, False)
    """
    return "ab" in string or "ba" in string


def is_beside(string: str) -> bool:
    """Whether all of a comes before all of b.

    >>> is_beside("agab"), is_beside("aba")
    (True, False)
    """
    return string.rindex("a") < string.index("b")


def filled_gap(string: str) -> tuple[int, str]:
    """Of a string with all of b in one gap of a: which gap that is, from 0, and what stands in it.

    >>> filled_gap("agabgba")
    (1, 'bgb')
    """
    begin, end = string.index("b"), string.rindex("b")
    begin -= string[begin - 1] == "g"
    end += string[end + 1] == "g"
    before = string[:begin]
    return before.count("a") - 1, string[begin : end + 1]


def name_of(string: str) -> str:
    """The name of a step, as figures 1A to 1C have it where they have it.

    >>> [name_of(string) for string in ("ab", "agb", "aba", "abga", "abgba", "abab", "agabgba", "agbga")]
    ['Ungapped', 'Opening Gap', 'Closing Gap', 'Shrinking Gap Left', 'Shrinking Gap Centre', 'Interleaving', \
'Shrinking Gap Centre', 'Splitting Gap']
    """
    if is_interleaving(string):
        return {"abgab": "Interleaving Gap C", "abagb": "Interleaving Gap L", "agbab": "Interleaving Gap R"}.get(
            string, "Interleaving"
        )
    if is_beside(string):
        kept = {"ab": "Ungapped", "agab": "Keeping Gap Left", "abgb": "Keeping Gap Right"}
        return kept.get(string, "Keeping Gaps") if touches(string) else "Opening Gap"
    _, inside = filled_gap(string)
    sides = {"bb": "Centre", "bg": "Left", "gb": "Right", "gg": ""}[inside[0] + inside[-1]]
    if not sides:
        return "Splitting Gap"
    return "Closing Gap" if inside == "b" else f"Shrinking Gap {sides}"


def free_positions(strings: tuple[str, ...]) -> int:
    """The exponent of n in the time of a chart: a position for each end of an interval of the longest string, and h.

    >>> [free_positions(steps(k)) for k in (1, 2, 3)], [free_positions(steps(k, well_nested=True)) for k in (1, 2, 3)]
    ([7, 10, 13], [7, 9, 11])
    """
    return max(map(len, strings)) + 2


def schema(string: str) -> tuple[str, str, str]:
    """The two antecedents and the consequent of a step, in the notation of figure 1: i1 is where the first begins.

    >>> schema("abgab")
    ('[i1, i5 - 1, h, [(i2, i4 - 1)]]', '[i2, i6 - 1, h, [(i3, i5 - 1)]]', '[i1, i6 - 1, h, [(i3, i4 - 1)]]')
    """
    return tuple(_item(string, letters) for letters in ("a", "b", "ab"))  # type: ignore[return-value]


def _item(string: str, letters: str) -> str:
    """The item that has the intervals of some letters."""
    mine = [place for place, letter in enumerate(string, 1) if letter in letters]
    gaps = [f"(i{one + 1}, i{two} - 1)" for one, two in itertools.pairwise(mine) if two > one + 1]
    return f"[i{mine[0]}, i{mine[-1] + 1} - 1, h, [{', '.join(gaps)}]]"
