"""The derivations of a fold's training part: walked once for some options, and again for the values of features."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy
from numpy.typing import NDArray

from malt.data.formats.dataformat import DataFormat
from malt.data.symbols import Tables, make_tables
from malt.data.treebank import Block, read_text
from malt.errors import DataError, MaltError
from malt.features.functions import structures
from malt.features.model import MAIN, FeatureModel
from malt.features.nodes import Feature
from malt.features.program import compile_features
from malt.features.program import make_tables as make_feature_tables
from malt.features.specification import Specification
from malt.features.xml import write_xml
from malt.kernel.columns import copy_symbols, size_of
from malt.kernel.symbols import SymbolTable
from malt.kernel.walk import Walker
from malt.learning.columns import Column, Integers, merged, narrow, parted, single
from malt.optimizer.trial.corpus import Fold
from malt.optimizer.trial.heldout import HeldOut
from malt.parsing.instances import gold_arcs
from malt.parsing.recipe import Recipe, make_recipe
from malt.settings.settings import Settings

FEATURES = "features.xml"
PARTS = ("Split", "Prefix", "Suffix")


class NotShared(Exception):
    """A trial of this kind is run the ordinary way."""


class Reading:
    """A fold as integers: its training part as one block, its test part, and the symbols of the former."""

    def __init__(
        self, fold: Fold, format: DataFormat, null_value: str, root_label: str, metric: str, punctuation: bool
    ) -> None:
        self.tables = make_tables(format, null_value, root_label)
        self.block = joined(list(read_text(fold.train, format, fold.name, self.tables)), fold.train)
        test = list(read_text(fold.test, format, fold.name, self.tables, frozen=True))
        self.judge = HeldOut(test, metric, punctuation)

    @property
    def size(self) -> int:
        """About how many bytes it takes."""
        blocks = (self.block, *self.judge.blocks)
        arrays = (array for b in blocks for array in (b.starts, b.heads, b.values, b.word_lines, b.bounds))
        return sum(array.nbytes for array in arrays) + sum(map(size_of, self.tables.values()))


def joined(blocks: Sequence[Block], text: bytes) -> Block:
    """Blocks that follow each other in a text as one."""
    if not blocks:
        raise DataError("there is nothing to learn from: the treebank has no sentences")
    words = numpy.cumsum([0, *(len(block.heads) for block in blocks)])
    places = numpy.cumsum([0, *(len(block.text) for block in blocks)])
    starts = [block.starts[:-1] + first for block, first in zip(blocks, words, strict=False)]
    lines = [block.word_lines + first for block, first in zip(blocks, places, strict=False)]
    bounds = [block.bounds[:-1] + first for block, first in zip(blocks, places, strict=False)]
    return replace(
        blocks[0],
        text=text,
        starts=numpy.concatenate([*starts, words[-1:]]).astype(numpy.int32),
        heads=numpy.concatenate([block.heads for block in blocks]),
        values=numpy.concatenate([block.values for block in blocks]),
        word_lines=numpy.concatenate(lines).astype(numpy.int64),
        bounds=numpy.concatenate([*bounds, places[-1:]]).astype(numpy.int64),
    )


class Walk:
    """What all trials with the same options, but for features and those of the learner, have in common."""

    def __init__(self, reading: Reading, settings: Settings, format: DataFormat) -> None:
        """Derive all sentences. The settings are kept, and `NotShared` is raised where they ask for too much."""
        algorithm = settings["singlemalt.parsing_algorithm"]
        some = Specification(f"Exists({structures(algorithm)[0]}[0])")  # a recipe has features; these are for no trial
        files = {FEATURES: write_xml({MAIN: [some]})}
        settings.derive("guide.features", FEATURES)
        recipe = make_recipe(settings, format, files=files)
        if len(recipe.decisions) > 1 or recipe.model.divide is not None or recipe.rules or recipe.partial:
            raise NotShared
        for name in format.names:
            copy_symbols(reading.tables[name], recipe.tables[name])
        self.reading, self.columns, self.definition = reading, recipe.columns, recipe.definition
        self.null_value, self.drops_nulls = recipe.null_value, recipe.null_value == "none"
        self._block = replace(reading.block, tables=recipe.tables)
        roots = recipe.root_codes  # before any mark is known, as in training
        heads, labels = gold_arcs(recipe, self._block)
        self._start = (recipe.system, self._block.starts, labels, roots)
        walker = Walker(*self._start)
        self.classes: Integers
        from_root = recipe.definition.options["-prh"] == "normal"
        try:
            self._transitions, self._bounds, self.classes = walker.derive(recipe.actions, heads, from_root)
        except MaltError:  # a label that cannot be a part of a class: training says where
            raise NotShared from None
        if len(self.classes) == 0:
            raise NotShared  # training says what is wrong
        self._labels, self.tables = recipe.labels, recipe.tables
        self.parsing = self._parsing(recipe, files)
        self.parsing.root_codes  # noqa: B018 - enters labels, so that later nothing changes the tables
        own = [format.names, recipe.pseudo.tables, (decision.table for decision in recipe.decisions)]
        self.common: Tables = {name: self.parsing.tables[name] for names in own for name in names}

    @property
    def size(self) -> int:
        """About how many bytes it takes."""
        arrays: Iterable[NDArray[numpy.generic]] = (self._transitions, self._bounds, self.classes, self._start[2])
        return sum(array.nbytes for array in arrays) + sum(map(size_of, self.tables.values()))

    def _parsing(self, recipe: Recipe, files: dict[str, bytes]) -> Recipe:
        """The recipe of a model with these options: as when it is read from its file."""
        recipe.settings.derive("input.format", recipe.format.file_name)
        settings = Settings()
        settings.load_saved(recipe.settings.save())
        return make_recipe(settings, recipe.format, parsing=True, tables=dict(recipe.tables), files=files)

    def leaves(self, features: Sequence[Feature]) -> list[Column]:
        """The columns of features that look at words or arcs, from one walk."""
        model = FeatureModel({MAIN: [Specification(str(feature)) for feature in features]})
        tables = {**self.tables, **make_feature_tables(model, self.columns, self.null_value)}
        program = compile_features(model, self.columns, self.definition, tables, self._labels)
        block = self._block
        found = Walker(*self._start).values(
            program.features,
            [program.slots[feature] for feature in features],
            block.values,
            block.heads,
            self._transitions,
            self._bounds,
            len(self.classes),
        )
        if found is None:
            raise NotShared
        numbers, values = found
        if isinstance(values, int):
            assert isinstance(numbers, int)
            raise DataError(
                f"the word has no {block.format.coded[values]}, which a feature looks at",
                block.name,
                block.line_number(int(block.word_lines[numbers])),
            )
        assert not isinstance(numbers, int)
        return [
            single(narrow(row, len(value[0])), *value, self.drops_nulls)
            for row, value in zip(numbers, values, strict=True)
        ]

    def made(self, feature: Feature, arguments: Sequence[Column]) -> Column:
        """The column of a function of other features, whose columns are given."""
        value = self.columns.value(feature)
        features, table = arguments_of(feature), value.table
        assert table is not None
        tables = [self._table(*pair) for pair in zip(features, arguments, strict=True)]
        if feature.function in PARTS:
            if features[0].function in PARTS:
                raise NotShared  # parts of parts depend on which parts other features know
            assert tables[0] is not None
            return parted(feature, arguments[0], tables[0], table, self.null_value, self.drops_nulls)
        return merged(arguments, [t for t in tables if t is not None], value.type, table, self.drops_nulls)

    def _table(self, feature: Feature, column: Column) -> SymbolTable | None:
        """The symbols of a column."""
        if column.table is not None:
            return column.table
        table = self.columns.value(feature).table
        if table is None:
            return None
        if table.name in self.tables:
            return self.tables[table.name]
        model = FeatureModel({MAIN: [Specification(str(feature))]})
        return make_feature_tables(model, self.columns, self.null_value)[table.name]


def arguments_of(feature: Feature) -> list[Feature]:
    """The features that a feature is made from; none where it looks at words or arcs itself."""
    return [argument for argument in feature.arguments if isinstance(argument, Feature)]
