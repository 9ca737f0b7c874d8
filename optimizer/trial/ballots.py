"""What several parsers made of the test part of a fold, and their vote on it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy

from malt.blending.learning import WeightLearning
from malt.blending.voting import Ballot, Vote
from malt.blending.weights import equal_weights, read_weights, write_weights
from malt.data.block import Block, Integers
from malt.data.formats.dataformat import DataFormat
from malt.data.symbols import make_tables, root_labels
from malt.data.treebank import read_text
from malt.errors import DataError
from malt.evaluation.alignment import pos_column
from malt.evaluation.attachment import Arcs
from malt.model import Model
from malt.optimizer.trial.corpus import Fold
from malt.optimizer.trial.heldout import arcs_of


@dataclass(frozen=True)
class Parsed:
    """The arcs that a parser has predicted. Labels are places in a list of names."""

    heads: Integers
    labels: Integers
    names: tuple[str, ...]

    @classmethod
    def of(cls, model: Model, blocks: Sequence[Block]) -> Parsed:
        """What a model has predicted in some blocks that were read with its tables."""
        heads, labels, names = [numpy.zeros(0, numpy.int32)], [numpy.zeros(0, numpy.int32)], dict[str, int]()
        for block in blocks:
            arcs, table = arcs_of(model, block), block.tables[block.format.label_columns[0]]
            codes, places = numpy.unique(arcs.labels, return_inverse=True)
            own = [names.setdefault(table.symbol(int(code)) or "_", len(names)) for code in codes]
            heads.append(arcs.heads)
            labels.append(numpy.array(own, numpy.int32)[places.ravel()])
        return cls(numpy.concatenate(heads), numpy.concatenate(labels), tuple(names))

    @property
    def size(self) -> int:
        """About how many bytes it takes."""
        return int(self.heads.nbytes + self.labels.nbytes)


class GoldText:
    """The test part of a fold as it should be parsed, with symbols of its own."""

    def __init__(self, fold: Fold, format: DataFormat) -> None:
        tables = make_tables(format, "one", root_labels("", format))
        self.block = join_blocks(list(read_text(fold.test, format, fold.name, tables)), fold.test)

    @property
    def size(self) -> int:
        """About how many bytes it takes."""
        return int(self.block.values.nbytes + self.block.heads.nbytes)

    def vote(self, votes: Sequence[Parsed], weights: str = "") -> tuple[Arcs, str]:
        """The arcs that parsers vote for, and the weights of their votes. If they are not given, they are learned from
        this very text, and then the arcs are cross-validated: each sentence is voted on with weights from others."""
        block, column, tag = self.block, self.block.format.label_columns[0], pos_column(self.block.format)
        tables = {name: table.overlay() for name, table in block.tables.items()}
        labels = [
            numpy.array([tables[column].add(name) for name in one.names], numpy.int32)[one.labels] for one in votes
        ]
        tags = block.codes(tag) if tag else numpy.full(len(block.heads), -1, numpy.int32)
        ballot = Ballot(block.starts, numpy.stack([one.heads for one in votes]), numpy.stack(labels), tags)
        names = [str(number) for number in range(1, len(votes) + 1)]
        if weights:
            known = read_weights(weights.encode(), "the weights of the votes")
            return Arcs(*Vote(known).trees(ballot, tables)), weights
        vote = Vote(equal_weights(names))
        learning = WeightLearning(names, ballot, block.heads, block.codes(column), tables, tag, vote)
        found = learning.learn()
        return Arcs(*found.trees), write_weights(found.weights).decode()


def join_blocks(blocks: Sequence[Block], text: bytes) -> Block:
    """Blocks that follow each other in a text as one."""
    if not blocks:
        raise DataError("there is nothing to learn from: the treebank has no sentences")
    words = numpy.cumsum([0, *(len(block.heads) for block in blocks)])
    places = numpy.cumsum([0, *(len(block.text) for block in blocks)])
    starts = [block.starts[:-1] + first for block, first in zip(blocks, words, strict=False)]
    lines = [block.word_lines + first for block, first in zip(blocks, places, strict=False)]
    bounds = [block.bounds[:-1] + first for block, first in zip(blocks, places, strict=False)]
    return replace(
        blocks[0],
        text=text,
        starts=numpy.concatenate([*starts, words[-1:]]).astype(numpy.int32),
        heads=numpy.concatenate([block.heads for block in blocks]),
        values=numpy.concatenate([block.values for block in blocks]),
        word_lines=numpy.concatenate(lines).astype(numpy.int64),
        bounds=numpy.concatenate([*bounds, places[-1:]]).astype(numpy.int64),
    )
