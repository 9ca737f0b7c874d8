"""The guide of a model: which classifier decides what, and what its classes mean."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy
import numpy.typing

from malt.errors import DataError
from malt.features.nodes import Feature
from malt.features.values import STRING
from malt.kernel.guide import Guide
from malt.learning.classifier import Classifier
from malt.parsing.decisions import TRANSITION, Decision
from malt.parsing.instances import classifier_name
from malt.parsing.machine import Machine

CODED = (
    "InputColumn",
    "OutputColumn",
    "Merge",
    "Merge3",
    "Join",
    "LabelSet",
    "Between",
)  # features whose values are codes of their own table

Classifiers = Mapping[str, Mapping[int | None, Classifier]]  # by MaltParser's names, then by the code of a data split
Keys = numpy.typing.NDArray[numpy.int64]


def make_guide(machine: Machine, classifiers: Classifiers, file: str) -> Guide:
    """The kernel's guide. Classifiers that do not fit to each other or to the tables are damage of the file."""
    spec, slots = machine.specification, machine.program.slots
    decoded = [decode(machine, decision, file) if decision.combined else [] for decision in spec.decisions]
    guide = Guide(machine.stages, decoded, spec.candidates, spec.drops_nulls, machine.divide_slot)
    nodes: list[tuple[int, tuple[int, ...]]] = [(0, ())]
    for node, (place, path) in enumerate(nodes):
        name, vector_name = classifier_name(machine, place, path)
        if name not in classifiers:  # only the first can be: the others were looked for
            raise DataError(f"the classifier {name} is missing", file)
        decision = spec.decisions[place]
        known = decision.classes(spec.transitions, machine.tables)
        for code, classifier in classifiers[name].items():
            vector = spec.features.vectors[vector_name] if code is None else spec.features.divided(vector_name)
            codes = classifier.codes.tolist()
            if len(set(codes)) < len(codes):
                raise DataError(f"the classifier {name} has a class twice; the model is damaged", file)
            if unknown := [code for code in codes if code not in known]:
                reason = f"has the class {min(unknown)}, which no symbol stands for"
                raise DataError(f"the classifier {name} {reason}", file)
            last = int(classifier.stored.keys.max(initial=0) >> 48)
            if last > len(vector):
                reason = f"was trained with {last} features or more, but the feature model has {len(vector)}"
                raise DataError(f"the classifier {name} {reason}", file)
            if spec.features.divide is None:  # the codes of what is put together again may stand in other places
                _check_symbols(machine, vector, classifier.stored.keys, f"the classifier {name}", file)
            places = [slots[feature] for feature in vector]
            guide.add_predictor(node, code, places, classifier.map, classifier.codes, classifier.kernel)
        if place + 1 < len(spec.decisions):
            for code in known if decision.branched else [-1]:
                deeper = (*path, code) if decision.branched else path
                if classifier_name(machine, place + 1, deeper)[0] in classifiers:
                    guide.add_child(node, code, len(nodes))
                    nodes.append((place + 1, deeper))
    return guide


def _check_symbols(machine: Machine, vector: Sequence[Feature], keys: Keys, what: str, file: str) -> None:
    """Refuse a classifier that knows more symbols than the tables have: some are lost, and words would go unrecognised.

    Only of columns, and of what is merged, is it sure that the codes are those of the table.
    """
    keys = keys[keys >= 0]
    highest = numpy.zeros(len(vector) + 1, numpy.int64)
    numpy.maximum.at(highest, keys >> 48, keys & 0xFFFFFFFFFFFF)
    for feature, code in zip(vector, highest[1:].tolist(), strict=True):
        value = machine.specification.columns.value(feature)
        if feature.function not in CODED or value.type != STRING or value.table is None or not value.known:
            continue
        table = machine.tables[value.table.name]
        if code >= table.next_code:
            reason = f"knows the symbol {code} of {table.name}, but that table ends with {table.next_code - 1}"
            raise DataError(f"{what} {reason}; the model is damaged: copy or train it again", file)


def decode(machine: Machine, decision: Decision, file: str) -> list[int]:
    """The transition and the labels of every class of a combined decision, one after another."""
    spec, table = machine.specification, machine.tables[decision.table]
    width = len(spec.labels) + 1
    decoded = [-1] * (width * table.next_code)
    for code, symbol in table.symbols():
        try:
            parts = decision.parts(symbol, spec.separator)
        except ValueError as error:
            raise DataError(str(error), file) from None
        for item, part in parts:
            if item == TRANSITION:
                if part not in spec.transitions:
                    name = spec.definition.name
                    why = f"the class {symbol!r} is no transition of {name}"
                    raise DataError(f"{why}, or was one in another version: train it again", file)
                decoded[code * width] = spec.transitions.index(part)
            else:
                name = item.partition(".")[2]
                label = machine.tables[name].code(part)
                if label < 0:
                    raise DataError(f"the class {symbol!r} has a label that the table {name} lacks", file)
                decoded[code * width + 1 + spec.labels.index(name)] = label
    return decoded
