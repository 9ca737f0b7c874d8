"""The decoders of models of arcs, by the names that systems give them (`decoder:`), and what is told of their work."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache

from malt.charts import CHARTS, find_chart, is_chart
from malt.charts.compiler import Tables
from malt.errors import counted
from malt.kernel.chart import ChartDecoder
from malt.kernel.spanning import Decoder, ProjectiveTree, SpanningTree
from malt.running.log import logger

DECODERS = ("mst", "eisner", *CHARTS)
ITEMS = 100_000  # of a chart, after which the best tree that is known is taken: some tenths of a second


def make_decoder(name: str, items: int = ITEMS, megabytes: int = 1000) -> Decoder:
    """A decoder, for one thread: mst, eisner, wg1, mg1 ...; charts have so many items and so much memory at most."""
    if is_chart(name):
        system = find_chart(name)
        return ChartDecoder(_tables(name), system.k, system.well_nested, items, megabytes)
    return {"mst": SpanningTree, "eisner": ProjectiveTree}[name]()


@cache
def _tables(chart: str) -> Tables:
    return find_chart(chart).compile()


@dataclass(frozen=True)
class Tally:
    """How the trees of charts were found."""

    certified: int = 0  # the best of all was one of the class
    charted: int = 0  # needed the chart
    limited: int = 0  # had too large a chart
    items: int = 0
    furthest: float = 0.0  # most that the score of one of the latter may be below the best

    @classmethod
    def of(cls, decoders: Iterable[Decoder], unit: float = 1) -> Tally:
        """The sum over some decoders; those that are no charts have nothing to tell. Their scores count in `unit`."""
        charts = [one for one in decoders if isinstance(one, ChartDecoder)]
        found = (cls(one.certified, one.charted, one.limited, one.touched, one.furthest / unit) for one in charts)
        return sum(found, cls())

    def __add__(self, other: Tally) -> Tally:
        """Of all sentences together."""
        return Tally(
            self.certified + other.certified,
            self.charted + other.charted,
            self.limited + other.limited,
            self.items + other.items,
            max(self.furthest, other.furthest),
        )

    def tell(self) -> None:
        """Log it, if there is something to tell."""
        if self != Tally():
            logger.info("%s", str(self).capitalize())
        if self.warning:
            logger.warning("warning: %s", self.warning)

    def __str__(self) -> str:
        """In words.

        >>> str(Tally(317, 5, 0, 1200))
        'certified by the best of all trees: 317 trees; by a chart: 5, with 240 items on average'
        """
        needed = self.charted + self.limited
        found = f"certified by the best of all trees: {counted(self.certified, 'tree')}; by a chart: {needed:,}"
        return f"{found}, with {self.items / needed:,.0f} items on average" if needed else found

    @property
    def warning(self) -> str:
        """What is not exact, in words; nothing if all is."""
        if not self.limited:
            return ""
        return (
            f"not certain to be the best: {counted(self.limited, 'tree')}, whose charts had too many items; "
            f"the score is at most {self.furthest:,.6g} too low (--items, --memory)"
        )
