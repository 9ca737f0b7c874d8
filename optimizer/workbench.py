"""The workbench: runs trials. A trial trains with a configuration on one part of a fold and parses the other part."""

from __future__ import annotations

import time
from collections.abc import Hashable, Sequence
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy

from malt import trainer
from malt.errors import MaltError, UsageError
from malt.features import checked
from malt.features.model import MAIN, FeatureModel
from malt.features.nodes import Feature
from malt.features.program import compile_features
from malt.features.program import make_tables as make_feature_tables
from malt.features.specification import Specification
from malt.features.xml import write_xml
from malt.formats.dataformat import DataFormat, find_format
from malt.kernel.columns import assemble
from malt.kernel.javarandom import Random
from malt.kernel.solver import crammer_singer
from malt.learning import liblinear
from malt.learning.classifier import LinearClassifier
from malt.learning.compaction import idle
from malt.learning.featuremap import StoredMap
from malt.learning.learner import Learner
from malt.learning.rows import Rows
from malt.library import settings_of
from malt.mco.info import VERSION, Info
from malt.model import IN_MEMORY, Model, model_of
from malt.optimizer.columns import Column, shared_codes
from malt.optimizer.configuration import LEARNER_OPTIONS, Configuration
from malt.optimizer.corpus import Fold
from malt.optimizer.judge import Counts, Judge
from malt.optimizer.outcome import Outcome
from malt.optimizer.shelf import Shelf
from malt.optimizer.walk import FEATURES, NotShared, Reading, Walk, is_leaf
from malt.parser import Parser
from malt.recipe import make_recipe
from malt.settings import Settings
from malt.treebank import read_text

MEMORY = 1 << 30  # bytes
DEFAULT_SOLVER = "4"


class Workbench:
    """Runs trials on folds; any number of threads may do so at once, with the same results.

    An outcome is what `malt train`, `malt parse` and `malt eval` give for the same options, features and files. Trials
    share their work: a fold is read once, derivations are made once for their options, and the values of a feature are
    computed once for these, as long as all this fits into `memory` bytes. A workbench can be pickled: what it has
    computed stays behind and is computed again.

    >>> import malt
    >>> from malt.optimizer.corpus import Corpus
    >>> corpus = Corpus.read(malt.sample.text(100))
    >>> bench = Workbench([corpus.split()], corpus.format)
    >>> features = ["InputColumn(POSTAG,Stack[0])", "InputColumn(POSTAG,Input[0])"]
    >>> outcome = bench.run(Configuration.of({}, features), 0)
    >>> len(outcome.right), sum(outcome.of)
    (20, 269)
    >>> bench.run(Configuration.of({}, ["InputColumn(POSTAG,Left[0])"]), 0).error
    'InputColumn(POSTAG,Left[0]): nivreeager has no Left; it has Stack, Input'
    """

    def __init__(
        self,
        folds: Sequence[Fold],
        format: DataFormat | str,
        metric: str = "las",
        punctuation: bool = True,
        memory: int = MEMORY,
    ) -> None:
        self.folds, self.metric, self.punctuation, self.memory = tuple(folds), metric, punctuation, memory
        self.format = find_format(format) if isinstance(format, str) else format
        self._shelf = Shelf(memory)

    def __reduce__(self) -> tuple[Any, ...]:
        return Workbench, (self.folds, self.format, self.metric, self.punctuation, self.memory)

    def run(self, configuration: Configuration, fold: int) -> Outcome:
        """Train and test on one fold. What goes wrong is told in the outcome."""
        begin = time.perf_counter()
        try:
            try:
                (right, of), size = self._shared(configuration, fold)
            except NotShared:
                (right, of), size = self._ordinary(configuration, fold), 0
        except MaltError as error:
            line = " ".join(str(error).split())
            return Outcome(seconds=time.perf_counter() - begin, error=line)
        return Outcome(right, of, time.perf_counter() - begin, size / 1e6)

    def _ordinary(self, configuration: Configuration, fold: int) -> tuple[Counts, Counts]:
        part = self.folds[fold]
        model = ordinary_model(configuration, self.format, part)
        test = list(read_text(part.test, self.format, part.name, model.recipe.tables, frozen=True))
        judge = Judge(test, self.metric, self.punctuation)
        parser = Parser(model)
        return judge.score(model.recipe, [parser.parse(block) for block in judge.blocks])

    def _shared(self, configuration: Configuration, fold: int) -> tuple[tuple[Counts, Counts], int]:
        walk, model, size = self.learn(configuration, fold)
        parser = Parser(model)
        judge = walk.reading.judge
        return judge.score(model.recipe, [parser.parse(block) for block in judge.blocks]), size

    def learn(self, configuration: Configuration, fold: int) -> tuple[Walk, Model, int]:
        """The derivations that were learned from, the model, and about how many bytes training took."""
        settings = settings_of(configuration.items)
        learner = Learner(settings["guide.learner"], settings["lib.options"])
        if settings["guide.learner"] != "liblinear" or learner.parameters["s"] != DEFAULT_SOLVER:
            raise NotShared
        if settings["lib.external"]:
            raise NotShared
        if not configuration.features:
            raise UsageError("there are no features to learn with")
        walk = self._walk(configuration, settings, fold)
        submodel = [Specification(feature) for feature in configuration.features]
        features = checked({MAIN: submodel}, walk.definition.name, walk.columns)
        key = (fold, *(item for item in configuration.items if item[0] != LEARNER_OPTIONS))
        columns = self._columns(key, walk, features)
        tables = make_feature_tables(features, walk.columns, walk.null_value)
        codes = _codes(features, walk, columns, tables)
        vector = [columns[feature] for feature in features.main]
        places = [codes.get(feature, columns[feature].codes) for feature in features.main]
        instances, keys = assemble(
            walk.classes,
            [(c.numbers, c.begins, c.features, place) for c, place in zip(vector, places, strict=True)],
        )
        _, cost, tolerance = liblinear.check(learner.parameters)
        names, starts, classes, numbers = crammer_singer(instances, len(keys), cost, tolerance, Random())
        weights = Rows.from_sparse(starts, classes, numbers)
        kept = ~idle(weights)
        rows = numpy.arange(int(kept.sum()), dtype=numpy.int32)
        stored = StoredMap(keys[kept], rows, len(rows), len(rows))  # no file is made, so Java's order does not matter
        classifier = LinearClassifier(names, weights.select(kept), stored)
        recipe = replace(
            walk.parsing,
            tables={**walk.common, **tables},
            model=features,
            program=compile_features(
                features, walk.columns, walk.definition, {**walk.common, **tables}, walk.parsing.labels, frozen=True
            ),
        )
        size = 4 * instances.features + 12 * len(instances) + 12 * len(weights.numbers) + 24 * len(keys)
        return walk, Model(IN_MEMORY, recipe, {"odm0": {None: classifier}}, Info(VERSION, "")), size

    def _walk(self, configuration: Configuration, settings: Settings, fold: int) -> Walk:
        options = tuple(item for item in configuration.items if item[0] != LEARNER_OPTIONS)

        def make() -> Walk:
            null_value, root_label = settings["singlemalt.null_value"], settings["graph.root_label"]
            part = self.folds[fold]
            reading = self._shelf.get(
                ("reading", fold, null_value, root_label),
                lambda: Reading(part, self.format, null_value, root_label, self.metric, self.punctuation),
            )
            return Walk(reading, settings_of(options), self.format)

        walk: Walk = self._shelf.get(("walk", fold, options), make)
        return walk

    def _columns(self, key: Hashable, walk: Walk, model: FeatureModel) -> dict[Feature, Column]:
        """The columns of a model's features, and of those that they are made from as far as these were needed."""
        found: dict[Feature, Column] = {}
        needed: dict[Feature, None] = {}

        def need(feature: Feature) -> None:
            if is_leaf(feature):
                needed[feature] = None
            elif (key, feature) not in self._shelf:
                for argument in feature.arguments:
                    if isinstance(argument, Feature):
                        need(argument)

        for feature in model.main:
            need(feature)
        leaves = list(needed)
        found.update(zip(leaves, self._leaves(key, walk, leaves), strict=True))

        def column(feature: Feature) -> Column:
            if feature not in found:
                if is_leaf(feature):
                    [found[feature]] = self._leaves(key, walk, [feature])
                else:
                    found[feature] = self._shelf.get((key, feature), lambda: make(feature))
            return found[feature]

        def make(feature: Feature) -> Column:
            arguments = [argument for argument in feature.arguments if isinstance(argument, Feature)]
            return walk.made(feature, [column(argument) for argument in arguments])

        for feature in model.main:
            column(feature)
        return found

    def _leaves(self, key: Hashable, walk: Walk, features: list[Feature]) -> list[Column]:
        return self._shelf.take(
            [(key, feature) for feature in features], lambda missing: walk.leaves([feature for _, feature in missing])
        )


def _codes(
    model: FeatureModel, walk: Walk, columns: dict[Feature, Column], tables: dict[str, Any]
) -> dict[Feature, Any]:
    """The codes of features whose symbols are put together, in the tables of the model, which are filled."""
    order = {feature: place for place, feature in enumerate(model.creation_order()[1])}
    by_table: dict[str, list[Feature]] = {}
    for feature in sorted(set(model.main), key=lambda feature: order[feature]):
        if columns[feature].table is not None:
            table = walk.columns.value(feature).table
            assert table is not None
            by_table.setdefault(table.name, []).append(feature)
    codes = {}
    for name, features in by_table.items():
        shared = shared_codes([columns[feature] for feature in features], tables[name])
        codes.update(zip(features, shared, strict=True))
    return codes


def ordinary_model(configuration: Configuration, format: DataFormat, fold: Fold) -> Model:
    """The model that `malt train` makes, by way of its file."""
    settings = settings_of(configuration.items)
    settings.derive("guide.features", FEATURES)
    xml = write_xml({MAIN: [Specification(feature) for feature in configuration.features]})
    recipe = make_recipe(settings, format, files={FEATURES: xml})
    entries = trainer.train(recipe, read_text(fold.train, format, fold.name, recipe.tables))
    with TemporaryDirectory() as folder:
        path = Path(folder) / "model.mco"
        trainer.save(recipe, entries, str(path))
        return model_of(path.read_bytes())
