"""The training of a trial: columns are taken from the shelf or made, put together, and learned from."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import replace

import numpy

from malt.features.model import FeatureModel
from malt.features.nodes import Feature
from malt.features.program import compile_features
from malt.features.program import make_tables as make_feature_tables
from malt.kernel.columns import assemble
from malt.kernel.instances import Instances
from malt.kernel.solver import Random, crammer_singer
from malt.learning import liblinear
from malt.learning.cache import Shelf
from malt.learning.classifier import LinearClassifier
from malt.learning.columns import Column, Integers, Keys, shared_codes
from malt.learning.compaction import idle
from malt.learning.derivations import Walk, arguments_of
from malt.learning.rows import Rows
from malt.mco.featuremap import StoredMap
from malt.mco.info import VERSION, Info
from malt.model import IN_MEMORY, Model

CLASSIFIER = "odm0"  # MaltParser's name of the only one


Wanted = Callable[[], bool]  # whether anyone still waits for a trial


def always() -> bool:
    """Someone does."""
    return True


class NotWanted(Exception):
    """Nobody does, so it was not finished."""


class Training:
    """Learns with some features from the derivations of a walk. The solver is the default one."""

    def __init__(
        self,
        shelf: Shelf,
        key: Hashable,
        walk: Walk,
        features: FeatureModel,
        parameters: dict[str, str],
        wanted: Wanted = always,
    ) -> None:
        """The key is that of the walk; the parameters are those of LIBLINEAR."""
        self._wanted = wanted
        self._shelf, self._key, self._walk, self._features = shelf, key, walk, features
        self._found: dict[Feature, Column] = {}
        self.size = 0  # about how many bytes it took: the columns that it made, the instances and the weights
        self._collect()
        self._tables = make_feature_tables(features, walk.columns, walk.null_value)
        instances, keys = self._instances()
        classifier = self._learn(instances, keys, parameters)
        tables = {**walk.common, **self._tables}
        labels, definition = walk.parsing.labels, walk.parsing.definition
        program = compile_features(features, walk.columns, definition, tables, labels, frozen=True)
        recipe = replace(walk.parsing, tables=tables, model=features, program=program)
        self.model = Model(IN_MEMORY, recipe, {CLASSIFIER: {None: classifier}}, Info(VERSION, ""))

    def _collect(self) -> None:
        """Find the columns of all features. All those that need a walk are made in one."""
        needed: dict[Feature, None] = {}

        def need(feature: Feature) -> None:
            arguments = arguments_of(feature)
            if not arguments:
                needed[feature] = None
            elif (self._key, feature) not in self._shelf:
                for argument in arguments:
                    need(argument)

        for feature in self._features.main:
            need(feature)
        self._walk_for(list(needed))
        for feature in self._features.main:
            self._column(feature)

    def _column(self, feature: Feature) -> Column:
        if feature not in self._found:
            if arguments_of(feature):
                self._found[feature] = self._shelf.get((self._key, feature), lambda: self._made(feature))
            else:
                self._walk_for([feature])
        return self._found[feature]

    def _made(self, feature: Feature) -> Column:
        column = self._walk.made(feature, [self._column(argument) for argument in arguments_of(feature)])
        self.size += column.size
        return column

    def _walk_for(self, features: list[Feature]) -> None:
        def make(keys: list[tuple[Hashable, Feature]]) -> list[Column]:
            columns = self._walk.leaves([feature for _, feature in keys])
            self.size += sum(column.size for column in columns)
            return columns

        found = self._shelf.take([(self._key, feature) for feature in features], make)
        self._found.update(zip(features, found, strict=True))

    def _instances(self) -> tuple[Instances, Keys]:
        """The instances, and the key of each row in the feature map."""
        codes = self._codes()
        columns = [(feature, self._found[feature]) for feature in self._features.main]
        return assemble(
            self._walk.classes,
            [(c.numbers, c.begins, c.features, codes.get(feature, c.codes)) for feature, c in columns],
        )

    def _codes(self) -> dict[Feature, Integers]:
        """The codes of those features whose symbols are put together, in tables that are filled as training fills them.

        The order of codes matters with Split alone: it is the order of the rows of features that come together.
        """
        main = set(self._features.main)
        together: dict[str, list[Feature]] = {}
        for feature in self._features.creation_order()[1]:
            if feature in main and self._found[feature].table is not None:
                table = self._walk.columns.value(feature).table
                assert table is not None
                together.setdefault(table.name, []).append(feature)
        codes: dict[Feature, Integers] = {}
        for name, features in together.items():
            found = shared_codes([self._found[feature] for feature in features], self._tables[name])
            codes.update(zip(features, found, strict=True))
        return codes

    def _go_on(self, passes: int, active: int, worst: float) -> None:
        if not self._wanted():
            raise NotWanted

    def _learn(self, instances: Instances, keys: Keys, parameters: dict[str, str]) -> LinearClassifier:
        _, cost, tolerance = liblinear.check(parameters)
        names, starts, classes, numbers = crammer_singer(instances, len(keys), cost, tolerance, Random(), self._go_on)
        weights = Rows.from_sparse(starts, classes, numbers)
        self.size += 4 * instances.features + 12 * len(instances) + 12 * len(numbers) + 24 * len(keys)
        kept = ~idle(weights)
        rows = numpy.arange(int(kept.sum()), dtype=numpy.int32)
        # No file is written, so the order of Java's hash table does not matter.
        return LinearClassifier(names, weights.select(kept), StoredMap(keys[kept], rows, len(rows), len(rows)))
