"""The test part of a fold, and how much of a parse of it is right."""

from __future__ import annotations

from collections.abc import Sequence

import numpy
import numpy.typing

from malt.data.treebank import Block
from malt.errors import UsageError
from malt.evaluation.alignment import form_column
from malt.evaluation.convention import Lookup, is_punctuation
from malt.optimizer.trial.outcome import METRICS
from malt.parsing.recipe import Recipe

Counts = tuple[int, ...]


class HeldOut:
    """Counts what is right in each sentence, by the rules of CoNLL-X, as `malt eval --convention conllx` does."""

    def __init__(self, blocks: Sequence[Block], metric: str = "las", punctuation: bool = True) -> None:
        if metric not in METRICS:
            raise UsageError(f"metric {metric!r}; expected one of {', '.join(METRICS)}")
        self.blocks, self.metric = tuple(block for block in blocks if len(block)), metric
        self._counted = [numpy.ones(len(block.heads), numpy.bool_) for block in self.blocks]
        if not punctuation:
            for place, block in enumerate(self.blocks):
                column = form_column(block.format)
                lookup = Lookup(block.tables[column], is_punctuation, bool)
                self._counted[place] = ~lookup(block.codes(column)).astype(bool)

    def score(self, recipe: Recipe, parsed: Sequence[Block]) -> tuple[Counts, Counts]:
        """How much is right in each sentence, and of how much, given the blocks with their predicted arcs."""
        right: list[int] = []
        of: list[int] = []
        for gold, block, counted in zip(self.blocks, parsed, self._counted, strict=True):
            # A word without a head is written as one on the root, with the default label.
            good = gold.heads == numpy.maximum(block.heads, 0)
            if self.metric in ("las", "lcm"):
                column = gold.format.label_columns[0]
                default = recipe.tables[column].code(recipe.root_labels[column])
                labels = block.codes(column)
                good &= gold.codes(column) == numpy.where((block.heads >= 0) & (labels >= 0), labels, default)
            good &= counted
            words, hits = (numpy.add.reduceat(flags, gold.starts[:-1], dtype=numpy.int64) for flags in (counted, good))
            if self.metric in ("lcm", "ucm"):
                words, hits = (words > 0).astype(numpy.int64), ((words > 0) & (hits == words)).astype(numpy.int64)
            right += hits.tolist()
            of += words.tolist()
        return tuple(right), tuple(of)
