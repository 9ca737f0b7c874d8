"""Parsing: blocks of sentences in, the same sentences with heads and labels out."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy

from malt.data.block import Block
from malt.kernel.arcs import TooLong
from malt.kernel.features import MissingValue, UnfitValue
from malt.kernel.guide import Guide
from malt.kernel.structured import BeamPolicy, StructuredPolicy
from malt.kernel.walk import Changes, GuidePolicy, OraclePolicy, Record, Sink
from malt.parsing.instances import missing_value, too_long, unfit_value
from malt.parsing.machine import Machine
from malt.parsing.trees import gold_arcs, partial_trees, with_graphs, with_trees

if TYPE_CHECKING:
    from threading import Event

    from malt.text.annotator import Annotator

FURTHER = 3  # candidates of each choice that fell out of a beam and are recorded
Action = tuple[int, bool, list[int]]  # transition (negative: nothing was predicted), was there a choice, label codes


class Parser:
    """Parses by a guide or by a structured policy; without either, as a parser that never errs: by the oracle, where
    trees are known. What the transition system cannot derive is left over.

    With `backwards`, sentences are read from their last word to their first; an `annotator` tags them before.

    One parser is for one thread. What it does can be looked at afterwards: its actions with `recording`, and with a
    `sink` also the values of features, the scores and what a beam did, with `changes` what becomes of configurations.
    """

    def __init__(
        self,
        machine: Machine,
        guide: Guide | StructuredPolicy | None = None,
        *,
        recording: bool = False,
        sink: Sink | None = None,
        changes: Changes | None = None,
        backwards: bool = False,
        annotator: Annotator | None = None,
    ) -> None:
        self.machine, self.backwards, self.annotator = machine, backwards, annotator
        self._policy = GuidePolicy(guide) if isinstance(guide, Guide) else guide or machine.oracle()
        scored = guide.candidates if guide is not None and sink is not None else None
        self._record = Record(scored=scored, sink=sink, changes=changes) if recording else None
        if scored is not None and isinstance(guide, BeamPolicy):
            guide.record_search(FURTHER)
        self._words = 0  # of the last block

    def parse(self, block: Block, stop: Event | None = None) -> Block:
        """The block with the heads and labels that are predicted. A word that was left over has head -1: the root.

        On a thread that no signal reaches, `stop` ends it within a sentence, by a KeyboardInterrupt.
        """
        block = self.annotated(block)
        return self._parse(block.mirrored(), stop).mirrored() if self.backwards else self._parse(block, stop)

    def annotated(self, block: Block) -> Block:
        """The block with tags and lemmas where it has none, if the model can tell them."""
        return self.annotator.annotate(block) if self.annotator is not None else block

    def _parse(self, block: Block, stop: Event | None) -> Block:
        machine, spec = self.machine, self.machine.specification
        self._words = len(block.heads)
        own = {rule.target: machine.tables[rule.target].overlay() for rule in spec.rules} if spec.parsing else {}
        machine.use({**block.tables, **own})
        if isinstance(self._policy, OraclePolicy):
            self._policy.follow(*gold_arcs(machine, block))
        given, given_labels = partial_trees(machine, block)
        try:
            heads, labels = machine.walk.run(
                self._policy, block.starts, block.values, block.heads, self._record, given, given_labels, stop
            )
        except UnfitValue as fault:
            raise unfit_value(block, fault) from None
        except MissingValue as fault:
            first = int(
                numpy.flatnonzero(block.values[:, fault.column] < 0)[0]
            )  # the features may have seen a later one
            raise missing_value(block, first, fault.column, "the features of the model look") from None
        except TooLong as fault:
            raise too_long(block, fault) from None
        if spec.definition.many:
            return with_graphs(machine, block)
        return with_trees(machine, block, heads, labels)

    def actions(self) -> Iterator[list[Action]]:
        """The actions of each sentence of the last block, if they were recorded."""
        return self._record.actions() if self._record is not None else iter(())

    def left_over(self) -> list[int]:
        """The words of the last block, which had one sentence, that got no head by a transition, if it was recorded."""
        if self._record is None:
            return []
        made = set(self._record.derivations()[1].tolist())
        return [word for word in range(1, self._words + 1) if word not in made]

    def candidates(self, most: int) -> list[list[tuple[int, int, float]]]:
        """Of each action of the last block that was a choice: decision, class and score of the best candidates."""
        return self._record.candidates(most) if self._record is not None else []

    def search(self) -> list[list[tuple[int, int, float, int, bool]]] | None:
        """What a beam did with the last sentence, as `malt.kernel.structured.Search` says it, if it was recorded."""
        search = self._policy.search if isinstance(self._policy, BeamPolicy) else None
        return search.choices() if search is not None else None
