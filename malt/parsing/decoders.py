"""The decoders of models of arcs, by the names that transition systems give them (`decoder:`)."""

from __future__ import annotations

from collections.abc import Callable

from malt.kernel.spanning import Decoder, ProjectiveTree, SpanningTree

DECODERS: dict[str, Callable[[], Decoder]] = {"mst": SpanningTree, "eisner": ProjectiveTree}


def make_decoder(name: str) -> Decoder:
    """A decoder, for one thread."""
    return DECODERS[name]()
