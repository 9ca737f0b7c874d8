"""What the oracle makes of trees that are known: the same as a parser that never errs."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import numpy

from malt.data.block import Block, Integers
from malt.parsing.instances import gold_arcs, partial_trees
from malt.parsing.parser import Action, with_arcs
from malt.parsing.recipe import Recipe
from malt.systems.oracle import Derivations, Oracle


class GoldParser:
    """Derives the trees of blocks by the oracle of a recipe. What its transition system cannot derive is left over."""

    def __init__(self, recipe: Recipe) -> None:
        self.recipe = recipe
        self._oracle = Oracle(recipe.definition)
        self._steps: tuple[Derivations, Integers, Integers] | None = None  # of the last block

    def parse(self, block: Block) -> Block:
        """The block with the heads and labels that are derived. A word that was left over has head -1: the root."""
        recipe = self.recipe
        gold, labels = gold_arcs(recipe, block)
        given, given_labels = partial_trees(recipe, block) if recipe.partial else (None, None)
        derivations = self._oracle.derive(gold, block.starts, given)
        first = numpy.repeat(block.starts[:-1], numpy.diff(derivations.bounds))
        words = numpy.where(derivations.dependents > 0, first + derivations.dependents - 1, -1).astype(numpy.int32)
        self._steps = derivations, words, labels
        heads, derived = numpy.full_like(gold, -1), numpy.full_like(labels, -1)
        if given is not None and given_labels is not None:
            before = given > 0
            heads[before], derived[before] = given[before], given_labels[before]
        arcs = words >= 0
        heads[words[arcs]] = derivations.heads[words[arcs]]
        chosen = words[arcs & (derivations.transitions >= 0)]  # what was no choice has no label of its own
        derived[chosen] = labels[chosen]
        return with_arcs(recipe, block, heads, derived)

    def actions(self) -> Iterator[list[Action]]:
        """The actions of each sentence of the last block, as those of a Parser that records."""
        if self._steps is None:
            return
        derivations, words, labels = self._steps
        none = [-1] * labels.shape[1]
        bounds = derivations.bounds.tolist()
        for begin, end in itertools.pairwise(bounds):
            steps = zip(derivations.transitions[begin:end].tolist(), words[begin:end].tolist(), strict=True)
            yield [
                (t, True, labels[w].tolist() if w >= 0 else none) if t >= 0 else (-1 - t, False, none) for t, w in steps
            ]
