"""What a parser does with a sentence, for `malt trace` with a model."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache

import numpy

from malt.commands.beam import BeamTrace
from malt.commands.deduction import deduction_of
from malt.commands.values import describe_values
from malt.commands.walked import MOST_STEPS, MUST, Walked, arc_differences, arcs_of, differences
from malt.data.block import Block
from malt.data.deps import read_deps
from malt.data.sentence import Sentence
from malt.data.symbols import Tables
from malt.drawing.reports.steps import DerivationStep
from malt.errors import DataError
from malt.kernel.walk import Changes, Sink
from malt.model import Model
from malt.parsing.machine import Machine
from malt.parsing.parser import Action, Parser
from malt.systems.language import ANY

BEST = 5  # candidates to show


class ParserWalk:
    """What a parser does by itself, with the scores of the best candidates."""

    what = "what a parser does, with the scores of its model"

    def __init__(self, model: Model, *, features: bool) -> None:
        spec = model.specification
        self.model, self.definition, self._features, self._vector = model, spec.definition, features, spec.computed.main
        self._sink = Sink([spec.computed.slots[feature] for feature in self._vector], as_text=True)
        self._changes = Changes(MOST_STEPS)
        self._parser = model.make_parser(recording=True, sink=self._sink, changes=self._changes)
        # what it should have done
        self._oracle = Parser(Machine(spec, model.tables), recording=True, changes=Changes(MOST_STEPS))
        self._names = tuple(self.definition.transitions)
        self._label_names = spec.labels
        self._labels: dict[tuple[int, ...], str] = {}
        self._symbol = lru_cache(1 << 12)(self._find_symbol)
        self._beam = BeamTrace(model, model.structured) if model.structured is not None else None

    def walk(self, alone: Block, sentence: Sentence) -> Walked:
        """The derivation of a sentence."""
        parsed = self._parser.parse(alone)
        spec, tables = self.model.specification, {**self.model.tables, **alone.tables}
        steps: list[DerivationStep] = []
        candidates, lines = iter(self._parser.candidates(BEST)), iter(self._sink.take_text().decode().splitlines())
        actions = next(self._parser.actions(), [])
        for (transition, choice, codes), (permitted, change) in zip(actions, self._changes.steps(), strict=False):
            step = DerivationStep(self._name(transition), change, permitted, self._label(codes, tables))
            if choice:
                values, found = next(lines), next(candidates)
                if self._features:
                    step.values = describe_values(spec.columns, tables, self._vector, values)
                step.candidates = self._ranked(found)
            step.remark = "" if choice and transition >= 0 else MUST if transition >= 0 else "(nothing predicted)"
            steps.append(step)
        heads = numpy.maximum(parsed.heads, 0).tolist()
        if self.definition.many:
            heads = []
        walked = Walked(steps, deduction_of(self.model.decoder, heads))
        if self.definition.roots != ANY and (left := self._parser.left_over()):
            arcs = ", ".join(f"({heads[word - 1]}, {word})" for word in left)
            walked.remarks.append(f"left over, and then attached, as one word is to hang on the root: {arcs}")
        known = any(sentence.graph) if self.definition.many else -1 not in sentence.heads
        gold = self._gold_actions(alone) if known else []
        if self._beam is not None and (choices := self._parser.search()) is not None:
            views, at = self._beam.views(choices, gold), 0
            for step in steps:
                if step.candidates:
                    begin = at
                    while at < len(views) and views[at].waits:
                        at += 1
                    step.waits, step.beam = views[begin:at], views[at] if at < len(views) else None
                    at += 1
            walked.later = views[at:]
            if gold:
                walked.remarks.append(self._beam.told(choices, gold, alone))
        if not known:
            return walked
        if parsed.graph is not None:
            wanted, made = arcs_of(read_deps(alone)), arcs_of(parsed.graph)
            walked.remarks += arc_differences("not in the file", made, wanted)
            walked.remarks += arc_differences("only in the file", wanted, made)
        else:
            walked.remarks += differences("other heads in the file", sentence.heads, heads)
        if self.definition.order:  # arcs of a tree may be made in any order
            walked.remarks += _first_loss(steps, sentence.heads)
            return walked
        for place, (step, (transition, _, codes)) in enumerate(zip(steps, gold, strict=False)):
            name, label = self._name(transition), self._label(codes, tables)
            if step.name != name or (step.change[0] > 0 and step.label != label):
                walked.leaves, walked.gold = place, f"{name}~{label}" if label else name
                said = (
                    f"leaves the gold derivation at step {place + 1}: {step.text}, where the oracle has {walked.gold}"
                )
                walked.remarks.append(said)
                break
        return walked

    def _gold_actions(self, alone: Block) -> list[Action]:
        """What the oracle does to derive the tree; nothing if it is none."""
        try:
            self._oracle.parse(alone)
        except DataError:
            return []
        return next(self._oracle.actions(), [])

    def _name(self, transition: int) -> str:
        return self._names[transition] if transition >= 0 else self.definition.shift

    def _label(self, codes: list[int], tables: Tables) -> str:
        key = tuple(codes)
        label = self._labels.get(key)
        if label is None:
            named = [(name, code) for name, code in zip(self._label_names, codes, strict=True) if code >= 0]
            label = "+".join(tables[name].symbol(code) or "" for name, code in named)
            if all(code < self.model.tables[name].next_code for name, code in named):  # no symbol of this block alone
                self._labels[key] = label
        return label

    def _ranked(self, candidates: list[tuple[int, int, float]]) -> list[list[tuple[str, float]]]:
        """The best candidates of each decision that was looked at, with their scores."""
        groups: list[list[tuple[str, float]]] = []
        last = -1
        for decision, code, score in candidates:
            if decision != last:
                groups.append([])
                last = decision
            groups[-1].append((self._symbol(decision, code), score))
        return groups

    def _find_symbol(self, decision: int, code: int) -> str:
        spec = self.model.specification
        return spec.decisions[decision].symbol(code, spec.transitions, self.model.tables)


def _first_loss(steps: Iterable[DerivationStep], heads: Sequence[int]) -> Iterator[str]:
    """The first arc after which some of a tree cannot be made any more: its dependent waits no more."""
    gone: set[int] = set()
    for step in steps:
        word, head = step.change[0], step.change[1]
        if word <= 0:
            continue
        lost = [(word, one) for one, above in enumerate(heads, 1) if above == word and one not in gone]
        if heads[word - 1] not in (head, *gone):
            lost.append((heads[word - 1], word))
        if lost:
            others = ", ".join(map(str, lost))
            yield f"the first arc that loses some of the file: ({head}, {word}), and with it {others}"
            return
        gone.add(word)
