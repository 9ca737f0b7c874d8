"""The decoders of models of arcs, by the names that transition systems give them (`decoder:`)."""

from __future__ import annotations

from collections.abc import Callable

from malt.charts import find_chart, is_chart
from malt.kernel.chart import ChartDecoder
from malt.kernel.spanning import Decoder, ProjectiveTree, SpanningTree

DECODERS: dict[str, Callable[[], Decoder]] = {"mst": SpanningTree, "eisner": ProjectiveTree}


def make_decoder(name: str) -> Decoder:
    """A decoder, for one thread: mst, eisner, wg1, mg1 ..."""
    if is_chart(name):
        system = find_chart(name)
        return ChartDecoder(system.compile(), system.k, system.well_nested)
    return DECODERS[name]()
