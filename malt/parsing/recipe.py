"""A recipe: everything that options decide about a parser, put together once for training and for parsing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import PurePath

from malt.data.files import read_small
from malt.data.formats.dataformat import DataFormat
from malt.data.symbols import DEFAULT_ROOT_LABEL, Tables, make_tables, root_labels
from malt.errors import MaltError, UsageError
from malt.features import Columns, FeatureModel, FeatureSource, checked, find_features, marks
from malt.features.files import parse_features
from malt.features.program import Program, compile_features
from malt.features.program import make_tables as make_feature_tables
from malt.features.propagation import Rule, parse_propagation
from malt.kernel.features import Propagation
from malt.kernel.guide import Actions
from malt.kernel.symbols import SymbolTable
from malt.kernel.system import System
from malt.parsing.decisions import Decision, parse_decisions, resolve
from malt.settings.settings import Settings
from malt.systems import system_of
from malt.systems.compiler import compile_system
from malt.systems.language import Definition
from malt.trees.pseudoprojectivity import PseudoProjectivity

PARTIAL = ("PARTHEAD", "PARTDEPREL")


@dataclass
class Recipe:
    """What a parser is made of."""

    settings: Settings
    format: DataFormat
    definition: Definition
    system: System
    decisions: tuple[Decision, ...]
    labels: tuple[str, ...]  # the tables of arc labels, in the order of the decisions
    root_labels: dict[str, str]
    tables: Tables  # all of them
    pseudo: PseudoProjectivity
    rules: tuple[Rule, ...]
    propagation_file: tuple[str, bytes] | None
    columns: Columns
    source: FeatureSource
    model: FeatureModel
    program: Program
    actions: Actions
    propagation: Propagation
    parsing: bool

    @property
    def null_value(self) -> str:
        """The strategy of -nv."""
        return str(self.settings["singlemalt.null_value"])

    @property
    def root_codes(self) -> list[int]:
        """The code of the default label of root arcs in each table of labels.

        Marks have none of their own; it enters their tables only when a parser needs it.
        """
        labels = [(self.tables[name], self.root_labels.get(name, DEFAULT_ROOT_LABEL)) for name in self.labels]
        return [table.add(label) if self.parsing else table.code(label) for table, label in labels]

    @property
    def partial(self) -> bool:
        """Whether arcs are given beforehand (-up)."""
        return bool(self.settings["singlemalt.use_partial_tree"]) and all(name in self.format.names for name in PARTIAL)

    def use(self, tables: Tables) -> None:
        """Use the tables of a block for the columns from here on."""
        merged = {**self.tables, **tables}
        self.program.use(merged)
        self.propagation.use(merged)


def make_recipe(
    settings: Settings,
    format: DataFormat,
    *,
    parsing: bool = False,
    tables: Tables | None = None,
    files: Mapping[str, bytes] | None = None,
) -> Recipe:
    """The recipe that options describe. A model brings its `tables`, and its feature and propagation `files`."""
    definition = system_of(settings, parsing=parsing)
    pseudo_tables = {} if tables is None else tables
    pseudo = PseudoProjectivity.from_options(settings, pseudo_tables)
    pseudo.check_format(format)
    decided = resolve(settings["guide.decision_settings"], tuple(pseudo.tables))
    if decided != settings["guide.decision_settings"]:
        settings.derive("guide.decision_settings", decided)
    decisions = parse_decisions(decided, (*format.label_columns, *pseudo.tables))
    labels = tuple(item[2:] for decision in decisions for item in decision.items if item.startswith("A."))
    rules, propagation_file = _propagation(settings, format, files)
    propagated = tuple(rule.column(format) for rule in rules)
    columns = Columns(format, marks(settings["pproj.marking_strategy"], settings["pproj.covered_root"]), propagated)
    source = _features(settings, definition, columns, files)
    divide = (settings["guide.data_split_column"], settings["guide.data_split_structure"])
    model = checked(source.submodels, definition.name, columns, divide if all(divide) else ("", ""))
    if tables is None:
        tables = _tables(settings, format, pseudo, propagated, decisions, model, columns)
    all_tables = tables
    for name in pseudo.tables:
        all_tables[name] = pseudo.tables[name]
    needed = [*format.names, *labels, *(d.table for d in decisions if len(d.items) > 1)]
    needed += [table.name for table in columns.tables(model)]
    missing = [name for name in dict.fromkeys(needed) if name not in all_tables]
    if missing:
        raise MaltError(f"the model's symbol tables lack {', '.join(missing)}")
    program = compile_features(
        model, columns, definition, all_tables, labels, [rule.target for rule in rules], frozen=parsing
    )
    class_tables = [all_tables[d.table] if len(d.items) > 1 else None for d in decisions]
    actions = Actions(
        tuple(definition.transitions),
        [[-1 if item == "T.TRANS" else labels.index(item[2:]) for item in d.items] for d in decisions],
        [all_tables[name] for name in labels],
        class_tables,
        settings["guide.classitem_separator"] or "~",
    )
    if not parsing:
        actions.start(list(definition.transitions).index(definition.first))
    return Recipe(
        settings,
        format,
        definition,
        compile_system(definition),
        decisions,
        labels,
        root_labels(settings["graph.root_label"], format),
        all_tables,
        pseudo,
        rules,
        propagation_file,
        columns,
        source,
        model,
        program,
        actions,
        Propagation(rules, format.coded, labels),
        parsing,
    )


def _features(
    settings: Settings, definition: Definition, columns: Columns, files: Mapping[str, bytes] | None
) -> FeatureSource:
    name, marks = settings["guide.features"], (settings["pproj.marking_strategy"], settings["pproj.covered_root"])
    if files is not None and name in files:
        return FeatureSource(parse_features(files[name], name, columns, *marks), files[name], name)
    return find_features(name, definition.name, settings["guide.learner"], columns, *marks)


def _propagation(
    settings: Settings, format: DataFormat, files: Mapping[str, bytes] | None
) -> tuple[tuple[Rule, ...], tuple[str, bytes] | None]:
    path = settings["singlemalt.propagation"]
    if not path:
        return (), None
    data = files[path] if files is not None and path in files else read_small(path, "propagation specification")
    return parse_propagation(data, path, format), (PurePath(path).name, data)


def _tables(
    settings: Settings,
    format: DataFormat,
    pseudo: PseudoProjectivity,
    propagated: tuple[object, ...],
    decisions: tuple[Decision, ...],
    model: FeatureModel,
    columns: Columns,
) -> Tables:
    """New tables for training, in the order in which MaltParser makes them."""
    null_value = settings["singlemalt.null_value"]
    tables = make_tables(format, null_value, settings["graph.root_label"])
    tables.update(pseudo.tables)
    for column in columns.propagated.values():
        tables[column.name] = SymbolTable(column.name, column.category, column.type, null_value)
    for decision in decisions:
        if len(decision.items) > 1:
            tables[decision.table] = SymbolTable(decision.table)
    tables.update(make_feature_tables(model, columns, null_value))
    return tables


def check_split(settings: Settings) -> None:
    """-d and -s go together; as in MaltParser, one without the other is not used."""
    given = [settings["guide.data_split_column"], settings["guide.data_split_structure"]]
    if any(given) and not all(given):
        raise UsageError("-d and -s go together: give both, or neither")
