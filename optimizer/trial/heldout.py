"""The test part of a fold, and how much of a parse of it is right."""

from __future__ import annotations

from collections.abc import Sequence

import numpy
import numpy.typing

from malt.data.block import Block
from malt.errors import UsageError
from malt.evaluation.attachment import Arcs, complete_sentences, count_by_sentence
from malt.evaluation.convention import Lookup, is_punctuation
from malt.model import Model
from malt.optimizer.trial.outcome import METRICS

Counts = tuple[int, ...]


def arcs_of(model: Model, parsed: Block) -> Arcs:
    """The arcs that a model has predicted, as its output has them."""
    column = parsed.format.label_columns[0]
    default = model.tables[column].code(model.specification.root_labels[column])
    return Arcs(parsed.heads, parsed.codes(column)).as_written(default)


class HeldOut:
    """Counts what is right in each sentence, by the rules of CoNLL-X, as `malt eval --convention conllx` does."""

    def __init__(self, blocks: Sequence[Block], metric: str = "las", punctuation: bool = True) -> None:
        if metric not in METRICS:
            raise UsageError(f"metric {metric!r}; expected one of {', '.join(METRICS)}")
        self.blocks, self.metric = tuple(block for block in blocks if len(block)), metric
        self._counted = [numpy.ones(len(block.heads), numpy.bool_) for block in self.blocks]
        if not punctuation:
            for place, block in enumerate(self.blocks):
                column = block.format.form_column
                lookup = Lookup(block.tables[column], is_punctuation, bool)
                self._counted[place] = ~lookup(block.codes(column)).astype(bool)

    def score(self, model: Model, parsed: Sequence[Block]) -> tuple[Counts, Counts]:
        """How much is right in each sentence, and of how much, given the blocks with their predicted arcs."""
        return self.count([arcs_of(model, block) for block in parsed])

    def count(self, parsed: Sequence[Arcs]) -> tuple[Counts, Counts]:
        """The same, given the arcs."""
        right: list[int] = []
        of: list[int] = []
        for gold, found, counted in zip(self.blocks, parsed, self._counted, strict=True):
            column = gold.format.label_columns[0]
            good = found.right(Arcs(gold.heads, gold.codes(column)), self.metric) & counted
            words, hits = (count_by_sentence(flags, gold.starts) for flags in (counted, good))
            if self.metric in ("lcm", "ucm"):
                words, hits = (words > 0).astype(numpy.int32), complete_sentences(hits, words).astype(numpy.int32)
            right += hits.tolist()
            of += words.tolist()
        return tuple(right), tuple(of)
