"""The vote: what several parsers say of the same words becomes one tree for each sentence."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy

from malt.blending.weights import BlendWeights
from malt.data.block import Integers
from malt.data.symbols import Tables
from malt.errors import UsageError
from malt.kernel.votes import Roots, vote
from malt.parsing.decoders import DECODERS, ITEMS, Tally, make_decoder
from malt.systems.language import ANY

DEFAULT = "mst"
MEMORY = 1000  # megabytes that a sentence may take


def check_decoder(name: str) -> str:
    """The name, if it is that of a decoder."""
    if name not in DECODERS:
        raise UsageError(f"{name} finds no best tree over votes; expected {', '.join(DECODERS)}")
    return name


@dataclass(frozen=True)
class Ballot:
    """What parsers say of some sentences: a row of heads and of labels for each. Labels are codes of one table."""

    starts: Integers
    heads: Integers
    labels: Integers
    tags: Integers  # the codes of the parts of speech of the words


@dataclass(frozen=True)
class Vote:
    """How votes are counted. Without `roots` one word hangs on the root where all parsers have one there."""

    weights: BlendWeights
    decoder: str = DEFAULT
    roots: str = ""
    memory: int = MEMORY
    items: int = ITEMS  # of a chart
    tallies: list[Tally] = field(default_factory=list, compare=False, repr=False)  # what decoders did so far

    def trees(self, ballot: Ballot, tables: Tables) -> tuple[Integers, Integers]:
        """The heads and labels of the best trees. An error about a sentence that is too long has the number of its
        first word."""
        roots = Roots["AS_VOTED"] if not self.roots else Roots["FREE"] if self.roots == ANY else Roots["SINGLE"]
        decoder = make_decoder(self.decoder, self.items, self.memory)
        found = vote(
            numpy.ascontiguousarray(ballot.starts, numpy.int32),
            numpy.ascontiguousarray(ballot.heads, numpy.int32),
            numpy.ascontiguousarray(ballot.labels, numpy.int32),
            self.weights.of_words(ballot.tags, tables),
            decoder,
            roots,
            self.memory,
        )
        self.tallies.append(Tally.of([decoder]))
        return found
