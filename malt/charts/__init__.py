"""Charts for mildly non-projective trees: deduction systems as data, found by name (EACL 2009)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from malt.charts.steps import free_positions, steps
from malt.errors import UsageError

if TYPE_CHECKING:
    from malt.charts.compiler import Tables
    from malt.charts.order import Order

MOST_GAPS = 4  # how large k may be: MG4 has 4,287 steps already, and no tree of the Prague treebank has five gaps

CHARTS = tuple(f"{kind}{k}" for kind in ("wg", "mg") for k in range(1, MOST_GAPS + 1))

_NAME = re.compile(r"([wm])g(\d{1,9})")


@dataclass(frozen=True)
class ChartSystem:
    """WGk, for well-nested trees of gap degree at most k, or MGk, for those that are mildly ill-nested for k."""

    name: str
    k: int
    well_nested: bool

    @property
    def title(self) -> str:
        """What it derives."""
        kind = "well-nested" if self.well_nested else "mildly ill-nested"
        return f"{kind} trees of gap degree at most {self.k}"

    @property
    def strings(self) -> tuple[str, ...]:
        """The Combine steps."""
        return steps(self.k, well_nested=self.well_nested)

    @property
    def order(self) -> Order:
        """In which order the dependents of a head are joined."""
        from malt.charts.order import mild_order, nested_order  # with NumPy, which a name does not need

        return (nested_order if self.well_nested else mild_order)(self.strings, self.k)

    @property
    def exponent(self) -> int:
        """That of n in the time that a chart of all items takes."""
        return free_positions(self.strings)

    def compile(self) -> Tables:
        """The tables of a chart."""
        from malt.charts.compiler import compile_steps

        return compile_steps(self.strings, self.k, self.order)


def is_chart(name: str) -> bool:
    """Whether a name is that of a chart; how large its k is is not looked at.

    >>> is_chart("wg1"), is_chart("mg12"), is_chart("mg")
    (True, True, False)
    """
    return _NAME.fullmatch(name) is not None


@cache
def find_chart(name: str) -> ChartSystem:
    """The chart of a name: wg1, mg2 ...

    >>> find_chart("mg2").exponent, len(find_chart("wg3").strings)
    (10, 56)
    """
    found = _NAME.fullmatch(name)
    if found is None or not 1 <= int(found[2]) <= MOST_GAPS or found[2] != str(int(found[2])):
        raise UsageError(f"there is no chart {name!r}; there are wg1 to wg{MOST_GAPS} and mg1 to mg{MOST_GAPS}")
    return ChartSystem(name, int(found[2]), found[1] == "w")
