"""The derivations of a treebank: walked once for some options, and again for the values of features."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from malt.data.block import Block
from malt.data.symbols import Tables
from malt.features.model import MAIN, FeatureModel
from malt.features.nodes import Feature, nodes_of
from malt.features.program import compile_features
from malt.features.program import make_tables as make_feature_tables
from malt.features.syntax import FeatureText
from malt.kernel.features import MissingValue, UnfitValue
from malt.kernel.guide import UnfitLabel
from malt.kernel.walk import ColumnObserver, Record, ReplayPolicy, UnevenValue, Walk
from malt.learning.columns import ValueColumn, narrow
from malt.parsing.instances import missing_value, unfit_value
from malt.parsing.machine import Machine
from malt.parsing.specification import Specification
from malt.parsing.tables import complete_tables, make_tables
from malt.parsing.trees import gold_trees
from malt.settings.settings import Settings

NO_FEATURES: dict[str, list[FeatureText]] = {MAIN: []}
PARTS = ("Split", "Prefix", "Suffix")
NOT_SHARED = {
    "LabelSet",
    "Between",
    "Join",
}  # what these give depends on more than one code, or on other features' tables


class NotShared(Exception):
    """Trainings of this kind have nothing in common: each is done the ordinary way."""


class Derivations:
    """What all trainings with the same options, but for features and those of the learner, have in common."""

    def __init__(self, settings: Settings, block: Block, tables: Tables) -> None:
        """Derive all sentences of a block that was read with these tables. `NotShared` is raised where the settings ask
        for too much."""
        spec = Specification.of(settings, block.format, NO_FEATURES)
        divided = spec.features.divide is not None
        if len(spec.decisions) > 1 or divided or spec.partial or settings["singlemalt.propagation"]:
            raise NotShared
        self.settings = settings
        self.tables = make_tables(spec)
        for name in block.format.names:
            tables[name].copy_to(self.tables[name])
        machine = Machine(spec, self.tables)
        self._block = replace(block, tables=self.tables)
        self._system, self._roots = machine.system, machine.roots
        heads, self._labels = gold_trees(machine, self._block)
        record, oracle = Record(machine.actions), machine.oracle()
        oracle.follow(heads, self._labels)
        try:
            machine.walk.run(oracle, block.starts, observer=record)
        except UnfitLabel:  # training says where
            raise NotShared from None
        self._choices, self._bounds, self.classes = record.choices_made()
        if len(self.classes) == 0:
            raise NotShared  # training says what is wrong
        # From here on the tables stay as they are: trials parse with them at the same time.
        self.specification = Specification.of(settings, block.format, NO_FEATURES, parsing=True)
        self.tables = complete_tables(self.specification, self.tables)

    @property
    def size(self) -> int:
        """About how many bytes it takes."""
        arrays = (self._choices, self._bounds, self.classes, self._labels)
        return sum(array.nbytes for array in arrays) + sum(table.size for table in self.tables.values())

    def columns(self, features: Sequence[Feature]) -> list[ValueColumn]:
        """The columns of features, from one walk."""
        if any(_has_parts_of_parts(feature) for feature in features):
            raise NotShared  # which parts these have depends on which parts other features know
        if any(node.function in NOT_SHARED for feature in features for node in nodes_of(feature)):
            raise NotShared
        spec, block = self.specification, self._block
        model = FeatureModel({MAIN: [FeatureText(str(feature)) for feature in features]})
        made = make_feature_tables(model, spec.columns, spec.null_value)
        program = compile_features(model, spec.columns, spec.definition, {**self.tables, **made}, spec.labels)
        slots = [program.slots[feature] for feature in features]
        observer = ColumnObserver(slots, len(self.classes), spec.drops_nulls)
        replay = ReplayPolicy(self._choices, self._bounds)
        replay.follow(block.heads, self._labels)
        try:
            walk = Walk(self._system, program.features, self._roots)
            walk.run(replay, block.starts, block.values, block.heads, observer)
        except UnevenValue:
            raise NotShared from None
        except UnfitValue as fault:
            raise unfit_value(block, fault) from None
        except MissingValue as fault:
            raise missing_value(block, fault.word, fault.column, "a feature looks") from None
        names = [self._made_table(feature) for feature in features]
        sharers = Counter(names)
        return [
            ValueColumn(narrow(numbers, len(begins) - 1), begins, units, codes, firsts, made.get(name), sharers[name])
            for name, (numbers, begins, units, codes, firsts) in zip(names, observer.columns(), strict=True)
        ]

    def _made_table(self, feature: Feature) -> str:
        """The table of symbols that a feature makes from others; nothing if it looks at words or arcs itself."""
        table = self.specification.columns.value(feature).table
        return table.name if table is not None and isinstance(feature.arguments[0], Feature) else ""


def _has_parts_of_parts(feature: Feature) -> bool:
    parts = (node for node in nodes_of(feature) if isinstance(node, Feature) and node.function in PARTS)
    return any(isinstance(inner := part.arguments[0], Feature) and inner.function in PARTS for part in parts)
