"""A parser that is several: each parses the same sentences, and they vote."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy

from malt.blending.voting import Ballot, Vote
from malt.data.block import Block, Integers, TextReader
from malt.evaluation.attachment import Arcs
from malt.kernel.arcs import TooLong
from malt.parsing.instances import too_long
from malt.parsing.parser import Parser

if TYPE_CHECKING:
    from threading import Event


class BlendParser(Parser):
    """Parsers in their order. A block is read with the tables of the first; the others read its text again, as each has
    symbols of its own. One is for one thread."""

    def __init__(self, parsers: Sequence[Parser], vote: Vote) -> None:
        super().__init__(parsers[0].machine)
        self.parsers, self.vote = parsers, vote

    def parse(self, block: Block, stop: Event | None = None) -> Block:
        """The block with the heads and labels of the best trees."""
        if not len(block.heads):
            return block
        block = self.parsers[0].annotated(block)
        column = block.format.label_columns[0]
        found = [self._arcs(parser, block, column, stop) for parser in self.parsers]
        tag = self.vote.weights.column
        tags = block.codes(tag) if tag in block.format.coded else numpy.full(len(block.heads), -1, numpy.int32)
        ballot = Ballot(
            block.starts,
            numpy.stack([arcs.heads for arcs in found]),
            numpy.stack([arcs.labels for arcs in found]),
            tags,
        )
        try:
            heads, labels = self.vote.trees(ballot, block.tables)
        except TooLong as fault:
            raise too_long(block, fault) from None
        values = block.values.copy()
        values[:, block.format.places[column]] = labels
        return replace(block, heads=heads, values=values)

    @staticmethod
    def _arcs(parser: Parser, block: Block, column: str, stop: Event | None) -> Arcs:
        """What a parser says, with labels as the block has them."""
        machine = parser.machine
        tables = {name: table.overlay() for name, table in machine.tables.items()}
        own = TextReader(block.format, block.name).read(block.text, tables, block.first_line)
        parsed = parser.parse(own, stop)
        root = machine.roots[machine.specification.labels.index(column)]
        arcs = Arcs(parsed.heads, parsed.codes(column)).as_written(root)
        return Arcs(arcs.heads, _renumbered(arcs.labels, parsed, column, block))


def _renumbered(labels: Integers, parsed: Block, column: str, block: Block) -> Integers:
    """Labels of one block as codes of another's table."""
    codes, places = numpy.unique(labels, return_inverse=True)
    ours = [block.tables[column].add(parsed.tables[column].symbol(int(code)) or "_") for code in codes]
    found: Integers = numpy.array(ours, numpy.int32)[places.ravel()]
    return found
