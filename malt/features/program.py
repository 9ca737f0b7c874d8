"""From a feature model to the kernel's program: every address and value once, in MaltParser's order of creation."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from malt.data.symbols import Tables
from malt.errors import UsageError
from malt.features.functions import FUNCTIONS
from malt.features.model import FeatureModel
from malt.features.nodes import CONJUNCTIONS, Address, Feature
from malt.features.syntax import buckets
from malt.features.values import BUCKETED, STRING, Columns, pattern
from malt.kernel.features import Addresses, AddressStep, Computation, Features, Side
from malt.kernel.symbols import SymbolTable
from malt.systems.language import STRUCTURES, Definition

Row = tuple[int, int, int, int, int, int, tuple[int, int, int]]


@dataclass
class Program:
    """A compiled feature model."""

    features: Features
    table_names: tuple[str, ...]  # of the tables that it uses, the coded columns of the format first
    slots: dict[Feature, int]  # feature -> its place among the values
    addresses: tuple[Address, ...]
    listing: tuple[str, ...]  # one line per operation, for people

    def use(self, tables: Tables) -> None:
        """Use the tables of a block from here on."""
        self.features.set_tables([tables[name] for name in self.table_names])


def make_tables(model: FeatureModel, columns: Columns, null_value: str) -> Tables:
    """The tables that features need beside those of columns, with the symbols that they begin with."""
    tables = {}
    for wanted in columns.tables(model):
        table = SymbolTable(wanted.name, wanted.category, wanted.type, wanted.strategy or null_value)
        for symbol in wanted.symbols:
            table.add(symbol)
        tables[wanted.name] = table
    return tables


def compile_features(
    model: FeatureModel,
    columns: Columns,
    definition: Definition,
    tables: Tables,
    labels: Sequence[str],
    extras: Sequence[str] = (),
    *,
    frozen: bool = False,
) -> Program:
    """The program of a model: `labels` are the tables of arc labels and `extras` the propagated columns, in order."""
    return _Compiler(model, columns, definition, tables, labels, extras, frozen).program


class _Compiler:
    def __init__(
        self,
        model: FeatureModel,
        columns: Columns,
        definition: Definition,
        tables: Tables,
        labels: Sequence[str],
        extras: Sequence[str],
        frozen: bool,
    ) -> None:
        self.columns, self.tables, self.labels, self.extras = columns, tables, labels, extras
        self.structures = definition.structures
        addresses, features = model.creation_order()
        self.places = {address: place for place, address in enumerate(addresses)}
        self.slots = model.slots
        self.coded = columns.format.coded
        rest = dict.fromkeys([*labels, *extras, *(table.name for table in columns.tables(model))])
        self.names = (*self.coded, *(name for name in rest if name not in self.coded))
        self.parts: list[tuple[Callable[[str], list[str]] | None, int]] = []
        self.thresholds: list[tuple[int, ...]] = []
        self.joins: list[list[int]] = []
        steps = [self._address(address) for address in addresses]
        rows = [self._feature(feature) for feature in features]
        kernel = Features(
            Addresses(steps),
            rows,
            [tables[name] for name in self.names],
            self.parts,
            self.thresholds,
            self.joins,
            [self.names.index(name) for name in labels],
            len(self.coded),
            frozen,
        )
        listing = [f"a{place:<3} = {self._step(address)}" for place, address in enumerate(addresses)]
        listing += [self._line(feature) for feature in features]
        self.program = Program(kernel, self.names, self.slots, addresses, tuple(listing))

    def _step(self, address: Address) -> str:
        argument = address.argument
        return f"{address.function}(a{self.places[argument]})" if isinstance(argument, Address) else str(address)

    def _line(self, feature: Feature) -> str:
        shown = [
            f"a{self.places[a]}"
            if isinstance(a, Address)
            else f"f{self.slots[a]}"
            if isinstance(a, Feature)
            else str(a)
            for a in feature.arguments
        ]
        return f"f{self.slots[feature]:<3} = {feature.function}({', '.join(shown)})"

    def _address(self, address: Address) -> tuple[int, int, int]:
        name, argument = address.function, address.argument
        if isinstance(argument, Address):
            return AddressStep[name.upper()], self.places[argument], 0
        structure, stack = self.structures[name]
        return STRUCTURES[structure], argument, stack

    def _feature(self, feature: Feature) -> Row:
        value = self.columns.value(feature)
        operation, a, b, c = self._operation(feature)
        table = self.names.index(value.table.name) if value.table is not None and value.table.name in self.names else 0
        nulls = (0, 0, 0)
        if value.table is not None and value.known:
            symbols = self.tables[value.table.name]
            nulls = (symbols.no_node, symbols.root_node, symbols.no_value)
        return Computation[operation], a, b, c, table, value.type, nulls

    def _operation(self, feature: Feature) -> tuple[str, int, int, int]:
        name, arguments = feature.function, feature.arguments
        value = self.columns.value(feature)
        places = [self.places[a] for a in arguments if isinstance(a, Address)]
        values = [self.slots[a] for a in arguments if isinstance(a, Feature)]
        column = str(arguments[0])
        if not value.known and name not in ("InputArc", "InputArcDir"):
            return "ALWAYS_NULL", 0, 0, 0
        if name in ("InputColumn", "InputTable"):
            if column in self.extras:
                return "EXTRA", self.extras.index(column), places[0], 0
            number = name == "InputColumn" and value.type != STRING
            return "INPUT_NUMBER" if number else "INPUT_COLUMN", self.coded.index(column), places[0], 0
        if name in ("OutputColumn", "OutputTable"):
            return "LABEL", self._label(feature), places[0], 0
        if name in ("OutputArc", "InputArc"):
            return ("ARC" if name[0] == "O" else "INPUT_ARC"), places[0], places[1], self._heads(column)
        if name in ("ArcDir", "InputArcDir"):
            return ("ARC_DIRECTION" if name[0] == "A" else "INPUT_ARC_DIRECTION"), places[0], 0, self._heads(column)
        if name == "Exists":
            return "EXISTS", places[0], 0, 0
        if name in BUCKETED:
            self.thresholds.append(buckets(str(arguments[2])))
            other = Side[str(arguments[1]).upper()] if name == "NumOf" else places[1]
            return ("NUMBER_OF" if name == "NumOf" else name.upper()), places[0], other, len(self.thresholds) - 1
        if name == "LabelSet":
            return "LABEL_SET", self._label(feature), places[0], Side[str(arguments[2]).upper()]
        if name == "ArcLabel":
            return "ARC_LABEL", self._label(feature), places[0], places[1]
        if name == "Between":
            return "BETWEEN", places[0], places[1], self.coded.index(column)
        if name == "Join":
            self.joins.append(values)
            sets = (self.slots[a] for a in arguments if isinstance(a, Feature) and self.columns.value(a).multiple)
            return "JOIN", values[0], next(sets, -1), len(self.joins) - 1
        if name in CONJUNCTIONS:
            operation = "MERGE" if value.type == STRING else "MERGE_NUMBERS"
            return operation, values[0], values[1], values[2] if name == "Merge3" else -1
        assert name in FUNCTIONS
        source = self.columns.value(next(a for a in arguments if isinstance(a, Feature))).table
        assert source is not None
        if name == "Split":
            self.parts.append((splitter(str(arguments[1])), self.names.index(source.name)))
            return "PARTS", values[0], 0, len(self.parts) - 1
        self.parts.append((None, self.names.index(source.name)))
        length = int(str(arguments[1]))
        return "PARTS", values[0], length if name == "Prefix" else -length, len(self.parts) - 1

    def _label(self, feature: Feature) -> int:
        """Which of the labels of arcs a feature looks at."""
        column = str(feature.arguments[0])
        if column not in self.labels:
            raise UsageError(f"{feature} looks at {column}, which the parser does not decide: add A.{column} to -gds")
        return self.labels.index(column)

    def _heads(self, column: str) -> int:
        """Where InputArc takes heads from: a coded column, or -1 for the HEAD column itself."""
        return self.coded.index(column) if column in self.coded else -1


def splitter(separator: str) -> Callable[[str], list[str]]:
    """What Split makes of a symbol.

    >>> splitter(r"\\|")("a||b")
    ['a', 'b']
    """
    found: re.Pattern[str] = pattern(separator)
    return lambda symbol: [part for part in found.split(symbol) if part]
