"""Charts in the paper's notation: their steps, and the deduction of a tree as items and steps (EACL 2009, figure 1)."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from malt.charts import ChartSystem
from malt.charts.steps import is_interleaving, name_of, schema

if TYPE_CHECKING:
    from malt.kernel.chart import Chart

TURNSTILE = "⊢"
MOST_ITEMS = 1_000_000  # of a tree; one of 100 words has some hundreds, if no head has very many dependents
_EXPLANATION = """\
An item [i, j, h, [(l1, r1) ...]] is a head h and the words from i to j below it, without the gaps from l to r. h is
in it if and only if h + 1 is, which does not change what it stands for. Link makes h2 a dependent of h1; h2 counts
among its own words then. Combine joins two items of a head: from left to right, the words of one (a), of the other
(b), and of neither (g); i1 is where the first of these begins. The root 0 is a head like any other, and a tree is [0,
n, 0, []]."""
_LINK = ("[h1, h1, h1, []]", "[i, j, h2, [(l1, r1) ...]]", "[i, j, h1, [(l1, r1) ...]]")


@dataclass(frozen=True)
class Deduced:
    """An item of a deduction, and what it follows from."""

    head: int
    ends: tuple[int, ...]  # where each of its intervals begins and ends; none of a word alone
    step: str  # "": a hypothesis; "Link"; or the string of a Combine step
    antecedents: tuple[int, ...]  # their numbers in the deduction

    def __str__(self) -> str:
        """As the paper writes it.

        >>> str(Deduced(4, (1, 2, 5, 5), "abga", (0, 1)))
        '[1, 5, 4, [(3, 4)]]'
        """
        first, last = (self.ends[0], self.ends[-1]) if self.ends else (self.head, self.head)
        gaps = zip(self.ends[1:-1:2], self.ends[2::2], strict=True)
        return f"[{first}, {last}, {self.head}, [{', '.join(f'({one + 1}, {two - 1})' for one, two in gaps)}]]"


def deduce(
    system: ChartSystem, heads: Sequence[int], chart: Chart | None = None, items: int = MOST_ITEMS
) -> list[Deduced] | None:
    """The deduction of a tree, antecedents before what follows from them; None if the chart does not derive it. A
    MemoryError says that it has too many items: all that a tree allows are made.

    >>> from malt.charts import find_chart
    >>> [str(item) for item in deduce(find_chart("wg1"), [2, 0])]
    ['[1, 1, 1, []]', '[1, 1, 2, []]', '[0, 2, 0, []]']
    """
    if chart is None:
        from malt.kernel.chart import Chart

        chart = Chart(system.compile())
    found = chart.derive(heads, limit=items)
    if found is None:
        return None
    names = {-1: "Link", -2: ""}
    return [
        Deduced(head, tuple(ends), names[step] if step < 0 else system.strings[step], tuple(before))
        for step, head, ends, before in found
    ]


def deduction_lines(deduction: Sequence[Deduced]) -> list[str]:
    """A line for each item: its number, what it follows from, and by which step."""
    rows = []
    for number, item in enumerate(deduction, 1):
        before = ", ".join(str(place + 1) for place in item.antecedents)
        why = "hypothesis"
        if item.step == "Link":
            why = f"Link {before}: the arc ({item.head}, {deduction[item.antecedents[0]].head})"
        elif item.step:
            why = f"Combine {name_of(item.step)} {before} ({item.step})"
        rows.append((f"{number:>4}", str(item), why))
    width = max((len(item) for _, item, _ in rows), default=0)
    return [f"{number}  {item.ljust(width)}  {why}" for number, item, why in rows]


def describe_chart(system: ChartSystem) -> list[str]:
    """All steps, with what they cost."""
    rows = [("Link", "", *_LINK)]
    rows += [(f"Combine {name_of(string)}", string, *schema(string)) for string in by_length(system)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = []
    for name, string, one, two, both in rows:
        cells = (name.ljust(widths[0]), string.ljust(widths[1]), one.ljust(widths[2]), two.ljust(widths[3]))
        lines.append(f"{'  '.join(cells)}  {TURNSTILE} {both}")
    k, letters = system.k, system.exponent - 2
    bound = f"5 + 2k = {5 + 2 * k}" if system.well_nested else f"3k + 4 = {3 * k + 4}"
    order = "each tree has one derivation" if system.well_nested else "what touches nowhere is joined last"
    return [
        f"{system.name}  {system.title} (EACL 2009)",
        "",
        *textwrap.wrap(_EXPLANATION, 120),
        "",
        *lines,
        "",
        f"steps     {len(system.strings)} to combine, {sum(map(is_interleaving, system.strings))} of them interleave",
        f"time      O(n^{system.exponent}) for all items: the longest string has {letters} letters ({bound})",
        f"order     {order} (flags of items)",
    ]


def by_length(system: ChartSystem) -> list[str]:
    """The strings, those that interleave last, as figure 1 has them."""
    return sorted(system.strings, key=lambda string: (is_interleaving(string), len(string), string))
