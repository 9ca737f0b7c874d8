"""The decoders of models of arcs, by the names that systems give them (`decoder:`), and what is told of their work."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from malt.charts import find_chart, is_chart
from malt.errors import counted
from malt.kernel.chart import ChartDecoder
from malt.kernel.spanning import Decoder, ProjectiveTree, SpanningTree

DECODERS: dict[str, Callable[[], Decoder]] = {"mst": SpanningTree, "eisner": ProjectiveTree}
ITEMS = 1_000_000  # of a chart, after which the best tree that is known is taken: some seconds


def make_decoder(name: str, items: int = ITEMS, megabytes: int = 1000) -> Decoder:
    """A decoder, for one thread: mst, eisner, wg1, mg1 ...; charts have so many items and so much memory at most."""
    if is_chart(name):
        system = find_chart(name)
        return ChartDecoder(system.compile(), system.k, system.well_nested, items, megabytes)
    return DECODERS[name]()


@dataclass(frozen=True)
class Tally:
    """How the trees of charts were found."""

    certified: int = 0  # sentences whose best tree of all was one of the class
    charted: int = 0  # sentences that needed the chart
    limited: int = 0  # sentences whose chart was too large
    items: int = 0
    furthest: float = 0.0  # most that the score of one of the latter may be below the best

    @classmethod
    def of(cls, decoders: Iterable[Decoder]) -> Tally:
        """The sum over some decoders; those that are no charts have nothing to tell."""
        charts = [one for one in decoders if isinstance(one, ChartDecoder)]
        return cls(
            sum(one.certified for one in charts),
            sum(one.charted for one in charts),
            sum(one.limited for one in charts),
            sum(one.touched for one in charts),
            max((one.furthest for one in charts), default=0.0),
        )

    def __str__(self) -> str:
        """In words.

        >>> str(Tally(317, 5, 0, 1200))
        'certified by the best of all trees: 317 sentences; by a chart: 5, with 240 items on average'
        """
        needed = self.charted + self.limited
        found = f"certified by the best of all trees: {counted(self.certified, 'sentence')}; by a chart: {needed:,}"
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
