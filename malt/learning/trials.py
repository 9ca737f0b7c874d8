"""Trainings that share their work: columns are taken from a cache or made, put together, and learned from."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import replace

import numpy

from malt.features.model import FeatureModel
from malt.features.nodes import Feature
from malt.features.program import make_tables as make_feature_tables
from malt.kernel.columns import assemble
from malt.kernel.instances import FeatureMap
from malt.kernel.solver import DualVariables, Random
from malt.learning.cache import Cache
from malt.learning.classifier import Classifier
from malt.learning.columns import ValueColumn, shared_codes
from malt.learning.derivations import Derivations
from malt.learning.learner import Learner
from malt.learning.liblinear import has_duals, train_on
from malt.mco.info import VERSION, Info
from malt.model import IN_MEMORY, Model
from malt.parsing.guide import Classifiers

CLASSIFIER = "odm0"  # MaltParser's name of the only one

Wanted = Callable[[], bool]  # whether anyone still waits for a training


def always() -> bool:
    """Someone does."""
    return True


class NotWanted(Exception):
    """Nobody does, so it was not finished."""


class SharedTraining:
    """Learns with some features from derivations: the same model that training alone gives."""

    def __init__(
        self,
        cache: Cache,
        key: Hashable,
        derivations: Derivations,
        features: FeatureModel,
        learner: Learner,
        wanted: Wanted = always,
        start: DualVariables | None = None,
        passes: int = 0,
    ) -> None:
        """The key is that of the derivations in the cache. A rough training starts from the dual variables of another
        one, and has few passes."""
        self._cache, self._key, self._derivations, self._wanted = cache, key, derivations, wanted
        self.size = 0  # about how many bytes it took: the columns that it made, the instances and the weights
        columns = self._columns(features)
        spec = replace(derivations.specification, features=features)
        made = make_feature_tables(features, spec.columns, spec.null_value)
        for name, together in self._sharing(features, columns).items():
            found = shared_codes([columns[feature] for feature in together], made[name])
            for feature, mine in zip(together, found, strict=True):
                columns[feature] = replace(columns[feature], codes=mine)
        instances, keys = assemble(
            derivations.classes, [(c.numbers, c.begins, c.features, c.codes) for c in columns.values()]
        )
        map = FeatureMap.of(keys, numpy.arange(len(keys), dtype=numpy.int32))
        self.duals: DualVariables | None = None  # from which another training can start
        classifier: Classifier
        if learner.name == "liblinear" and has_duals(learner.parameters):
            classifier, self.duals = train_on(instances, map, learner.parameters, Random(), self._go_on, start, passes)
        else:
            classifier = learner.train(instances, map, Random(), self._go_on)
        self.size += 4 * instances.features + 12 * len(instances) + 24 * len(keys) + classifier.size
        classifiers: Classifiers = {CLASSIFIER: {None: classifier}}
        tables = {**derivations.tables, **made}
        self.model = Model(IN_MEMORY, derivations.settings, spec, tables, classifiers, Info(VERSION, ""))

    def _columns(self, features: FeatureModel) -> dict[Feature, ValueColumn]:
        """The columns of the vector; all that are not there are made in one walk."""

        def make(keys: list[tuple[Hashable, Feature]]) -> list[ValueColumn]:
            columns = self._derivations.columns([feature for _, feature in keys])
            self.size += sum(column.size for column in columns)
            return columns

        found = self._cache.take([(self._key, feature) for feature in features.main], make)
        return dict(zip(features.main, found, strict=True))

    def _sharing(self, features: FeatureModel, columns: dict[Feature, ValueColumn]) -> dict[str, list[Feature]]:
        """The features whose symbols are put together, by table: these are filled as training fills them.

        The order of codes matters with Split alone: it is the order of the rows of features that come together.
        """
        together: dict[str, list[Feature]] = {}
        for feature in features.slots:
            if feature in columns and columns[feature].table is not None:
                table = self._derivations.specification.columns.value(feature).table
                assert table is not None
                together.setdefault(table.name, []).append(feature)
        return together

    def _go_on(self, share: float, note: str) -> None:
        if not self._wanted():
            raise NotWanted
