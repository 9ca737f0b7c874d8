"""Tables as the commands print them: names on the left, columns side by side, as many as the width allows."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence

from malt.errors import printable

GAP = 3  # blanks between columns


def side_by_side(left: Sequence[str], panels: Sequence[Sequence[str]], width: int = 0) -> Iterator[str]:
    """Panels of lines to the right of names, as many beside each other as the width allows (0: all).

    >>> print("\\n".join(side_by_side(["a", "b"], [["1", "22"], ["3", "4"]])))
    a    1   3
    b   22   4
    """
    room, widths = max(map(len, left)), [max(map(len, panel)) for panel in panels]
    begin = 0
    while begin < len(panels):
        end, used = begin, room
        while end < len(panels) and (end == begin or not width or used + GAP + widths[end] <= width):
            used += GAP + widths[end]
            end += 1
        if begin:
            yield ""
        for place, name in enumerate(left):
            cells = [panels[i][place].rjust(widths[i]) for i in range(begin, end)]
            yield (" " * GAP).join([name.ljust(room), *cells]).rstrip()
        begin = end


def print_lines(lines: Iterable[str]) -> None:
    """Print what is for people to read: nothing in it does anything to a terminal."""
    for line in lines:
        print(printable(line.rstrip()))


def short_names(names: Sequence[str]) -> list[str]:
    """The names of files without their folders or, where these tell them apart, without what the folders share.

    >>> short_names(["a/x.conll", "a/y.conll", "total"]), short_names(["a/b/x.conll", "a/c/x.conll", "total"])
    (['x.conll', 'y.conll', 'total'], ['b/x.conll', 'c/x.conll', 'total'])
    """
    short = [os.path.basename(name) or name for name in names]
    if len(set(short)) == len(short):
        return short
    try:
        common = os.path.commonpath([name for name in names if os.path.dirname(name)])
    except ValueError:  # one begins at the root, another does not
        return list(names)
    return [name.removeprefix(os.path.join(common, "")) if common else name for name in names]
