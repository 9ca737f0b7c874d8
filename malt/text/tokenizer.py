"""The tokenizer: what is learned from the text of a treebank, and what cuts texts with it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import chain
from threading import Event

import numpy

from malt.data.block import Block
from malt.kernel import tokenizer as kernel
from malt.kernel.weights import PackedTable, WeightTable
from malt.learning.averages import Averaged, fitted_weights
from malt.text.lists import Lists
from malt.text.recipes import find_templates, make_recipe
from malt.text.splits import Split, learn_splits
from malt.text.surface import make_surface, read_surface

PASSES = 10
STILL = 20  # how often two characters stood together without the end of a token between them


@dataclass(frozen=True)
class TokenizerModel:
    """What was learned."""

    blanks: bool  # may a token have blanks in it?
    splits: Sequence[Split]
    words: Lists  # which tokens are split, and how
    still: Lists  # pairs of characters between which no token ends
    weights: Averaged
    templates: Sequence[str]
    _tables: list[PackedTable] = field(default_factory=list, init=False, compare=False)

    def make_tokenizer(self) -> kernel.Tokenizer:
        """A tokenizer, for one thread."""
        if not self._tables:
            self._tables.append(PackedTable(kernel.CLASSES, *self.weights))
        return _tokenizer(self._tables[0], self.templates, self.still, self.words, self.splits, self.blanks)


def _tokenizer(
    table: WeightTable | PackedTable,
    templates: Sequence[str],
    still: Lists,
    words: Lists,
    splits: Sequence[Split],
    blanks: bool,
) -> kernel.Tokenizer:
    recipe = make_recipe(templates, kernel, kernel.TOKEN_ATOMS)
    return kernel.Tokenizer(table, recipe, still.choices(1), words.choices(len(splits)), splits, blanks)


def learn_tokenizer(blocks: Iterable[Block], seed: int = 1, stop: Event | None = None) -> TokenizerModel:
    """Learn from blocks of CoNLL-U."""
    sentences = list(read_surface(block.text.decode() for block in blocks))
    tokens = list(chain.from_iterable(sentence.tokens for sentence in sentences))
    blanks = any(any(map(str.isspace, token.form)) for token in tokens)
    splits, words = learn_splits(tokens)
    surface = make_surface(sentences)
    table, nothing, templates = WeightTable(kernel.CLASSES), Lists.of({}), find_templates("tokenizer")
    pairs, ended = _tokenizer(table, templates, nothing, nothing, (), blanks).pairs(surface.text, surface.ends)
    unique, places, counts = numpy.unique(pairs, return_inverse=True, return_counts=True)
    often = unique[(counts >= STILL) & (numpy.bincount(places.ravel(), ended, len(unique)) == 0)].tolist()
    still = Lists.of({kernel.pair_key(pair >> 21, pair & 0x1FFFFF): [] for pair in often})
    everything, quick = (_tokenizer(table, templates, pairs, nothing, (), blanks) for pairs in (nothing, still))
    firsts = numpy.flatnonzero(numpy.concatenate([[1], surface.last[:-1]])).astype(numpy.int64)
    random = numpy.random.Generator(numpy.random.PCG64(seed))
    for number in range(PASSES):
        tokenizer = quick if number else everything  # once, so that what is unknown is not taken for an end
        tokenizer.learn(surface.text, surface.ends, surface.last, firsts[random.permutation(len(firsts))])
        if stop is not None and stop.is_set():
            raise KeyboardInterrupt
    return TokenizerModel(blanks, splits, words, still, fitted_weights(table.averaged()), templates)
