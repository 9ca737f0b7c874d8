"""Parsing: blocks of sentences in, the same sentences with heads and labels out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy
import numpy.typing

from malt.data.treebank import Block, Integers
from malt.errors import DataError
from malt.features.nodes import Feature
from malt.features.program import compile_features
from malt.features.values import STRING
from malt.kernel.features import Propagation
from malt.kernel.guide import Guide
from malt.kernel.walk import Parser as KernelParser
from malt.kernel.walk import Sink
from malt.parsing.decisions import TRANSITION
from malt.parsing.instances import classifier_name, partial_trees
from malt.parsing.recipe import Recipe
from malt.trees.pseudoprojectivity import DEPREL

if TYPE_CHECKING:
    from threading import Event

    from malt.model import Model

CODED = ("InputColumn", "OutputColumn", "Merge", "Merge3")  # features whose values are codes of their own table

Keys = numpy.typing.NDArray[numpy.int64]
Action = tuple[int, bool, list[int]]  # transition (negative: nothing was predicted), was there a choice, label codes


class Parser:
    """Parses with a model. One parser is for one thread; all share the model's weights.

    What it does can be looked at afterwards: its actions with `recording`, and with a `sink` also the values of
    features and the scores.
    """

    def __init__(self, model: Model, *, recording: bool = False, sink: Sink | None = None) -> None:
        recipe = model.recipe
        self.recipe = recipe
        extras = [rule.target for rule in recipe.rules]
        self._program = compile_features(
            recipe.model, recipe.columns, recipe.definition, recipe.tables, recipe.labels, extras, frozen=True
        )
        self._propagation = Propagation(recipe.rules, recipe.format.coded, recipe.labels)
        self._guide = make_guide(model)
        names = list(recipe.definition.transitions)
        self._kernel = KernelParser(
            recipe.system,
            self._program.features,
            self._guide,
            recipe.root_codes,
            names.index(recipe.definition.shift),
            self._propagation,
            recording,
            sink,
        )

    def parse(self, block: Block, stop: Event | None = None) -> Block:
        """The block with the heads and labels that are predicted. A word that was left over has head -1: the root.

        On a thread that no signal reaches, `stop` ends it within a sentence, by a KeyboardInterrupt.
        """
        recipe = self.recipe
        tables = {**recipe.tables, **block.tables}
        tables |= {rule.target: recipe.tables[rule.target].overlay() for rule in recipe.rules}
        self._program.use(tables)
        self._propagation.use(tables)
        given, given_labels = partial_trees(recipe, block) if recipe.partial else (None, None)
        heads, labels = self._kernel.parse(block.starts, block.values, block.heads, given, given_labels, stop)
        if isinstance(heads, int):
            first = int(numpy.flatnonzero(block.values[:, labels] < 0)[0])  # the features may have seen a later one
            line = block.line_number(int(block.word_lines[first]))
            column = block.format.coded[labels]
            raise DataError(f"the word has no {column}, which the features of the model look at", block.name, line)
        return with_arcs(recipe, block, heads, labels)

    def actions(self) -> Iterator[list[Action]]:
        """The actions of each sentence of the last block, if they were recorded."""
        return iter(self._kernel.actions())

    def candidates(self) -> Iterator[list[tuple[int, int, float]]]:
        """Of each action of the last block that was a choice: decision, class and score of every candidate."""
        return iter(self._kernel.candidates())


def with_arcs(recipe: Recipe, block: Block, heads: Integers, labels: Integers) -> Block:
    """The block with these arcs, after lifted ones are put back (-pp), for which the labels have columns of marks."""
    if recipe.pseudo.active:
        marks = {name: labels[:, recipe.labels.index(name)] for name in recipe.pseudo.tables}
        deprel = numpy.ascontiguousarray(labels[:, recipe.labels.index(DEPREL)])
        heads = recipe.pseudo.deprojectivize(
            block.starts, numpy.maximum(heads, 0), deprel, recipe.tables[DEPREL], marks
        )
    values = block.values.copy()
    for place, name in enumerate(recipe.labels):
        if name in block.format.coded:
            values[:, block.format.coded.index(name)] = labels[:, place]
    return replace(block, heads=heads, values=values)


def make_guide(model: Model) -> Guide:
    """The kernel's guide: which classifier decides what, and what its classes mean."""
    recipe = model.recipe
    decisions, decoded = [], []
    for decision in recipe.decisions:
        combined = len(decision.items) > 1
        label = -1 if combined or decision.items[0] == TRANSITION else recipe.labels.index(decision.items[0][2:])
        decisions.append(
            (
                TRANSITION in decision.items,
                combined,
                label,
                decision.items == (TRANSITION,),
                decision.relation == "branched",
            )
        )
        decoded.append(decode(recipe, decision.items, model.path) if combined else [])
    divide = recipe.model.divide
    slots = recipe.program.slots
    guide = Guide(
        decisions,
        decoded,
        len(recipe.labels),
        recipe.settings["guide.kbest"],
        recipe.null_value == "none",
        -1 if divide is None else slots[divide],
    )
    nodes: list[tuple[int, tuple[int, ...]]] = [(0, ())]
    for node, (place, path) in enumerate(nodes):
        name, vector_name = classifier_name(recipe, place, path)
        if name not in model.classifiers:  # only the first can be: the others were looked for
            raise DataError(f"the classifier {name} is missing", model.path)
        known = set(_codes(recipe, place))
        for code, classifier in model.classifiers[name].items():
            vector = recipe.model.vectors[vector_name] if code is None else recipe.model.divided(vector_name)
            unknown = [code for code in classifier.codes.tolist() if code > 0 and code not in known]
            if unknown:
                reason = f"has the class {min(unknown)}, which no symbol stands for"
                raise DataError(f"the classifier {name} {reason}", model.path)
            last = int(classifier.stored.keys.max(initial=0) >> 48)
            if last > len(vector):
                reason = f"was trained with {last} features or more, but the feature model has {len(vector)}"
                raise DataError(f"the classifier {name} {reason}", model.path)
            if divide is None:  # the codes of what is put together again may stand in other places
                _check_symbols(recipe, vector, classifier.stored.keys, f"the classifier {name}", model.path)
            guide.add_predictor(
                node,
                code,
                [slots[feature] for feature in vector],
                classifier.map,
                classifier.codes,
                classifier.kernel,
            )
        if place + 1 < len(recipe.decisions):
            branched = recipe.decisions[place].relation == "branched"
            for code in _codes(recipe, place) if branched else [-1]:
                deeper = (*path, code) if branched else path
                if classifier_name(recipe, place + 1, deeper)[0] in model.classifiers:
                    guide.add_child(node, code, len(nodes))
                    nodes.append((place + 1, deeper))
    return guide


def _check_symbols(recipe: Recipe, vector: Sequence[Feature], keys: Keys, what: str, file: str) -> None:
    """Refuse a classifier that knows more symbols than the tables have: some are lost, and words would go unrecognised.

    Only of columns, and of what is merged, is it sure that the codes are those of the table.
    """
    keys = keys[keys >= 0]
    highest = numpy.zeros(len(vector) + 1, numpy.int64)
    numpy.maximum.at(highest, keys >> 48, keys & 0xFFFFFFFFFFFF)
    for feature, code in zip(vector, highest[1:].tolist(), strict=True):
        value = recipe.columns.value(feature)
        if feature.function not in CODED or value.type != STRING or value.table is None or not value.known:
            continue
        table = recipe.tables[value.table.name]
        if code >= table.next_code:
            reason = f"knows the symbol {code} of {table.name}, but that table ends with {table.next_code - 1}"
            raise DataError(f"{what} {reason}; the model is damaged: copy or train it again", file)


def _codes(recipe: Recipe, decision: int) -> list[int]:
    """The classes of a decision."""
    items = recipe.decisions[decision].items
    if items == (TRANSITION,):
        return list(range(1, len(recipe.definition.transitions) + 1))
    table = recipe.tables[recipe.decisions[decision].table if len(items) > 1 else items[0][2:]]
    return [code for code, _ in table.symbols()]


def decode(recipe: Recipe, items: tuple[str, ...], file: str) -> list[int]:
    """The transition and the labels of every class of a combined decision, one after another."""
    table = recipe.tables["+".join(items)]
    width = len(recipe.labels) + 1
    separator = (recipe.settings["guide.classitem_separator"] or "~")[0]
    names = list(recipe.definition.transitions)
    decoded = [-1] * (width * table.next_code)
    for code, symbol in table.symbols():
        parts = symbol.split(separator)
        if len(parts) not in (1, len(items)):
            raise DataError(f"the class {symbol!r} has {len(parts)} parts where {len(items)} are expected", file)
        # A transition without a label has no other part.
        named = (TRANSITION,) if len(parts) == 1 and TRANSITION in items else items
        for item, part in zip(named, parts, strict=False):
            if item == TRANSITION:
                if part not in names:
                    raise DataError(f"the class {symbol!r} is no transition of {recipe.definition.name}", file)
                decoded[code * width] = names.index(part)
            else:
                label = recipe.tables[item[2:]].code(part)
                if label < 0:
                    raise DataError(f"the class {symbol!r} has a label that the table {item[2:]} lacks", file)
                decoded[code * width + 1 + recipe.labels.index(item[2:])] = label
    return decoded
