"""The symbol tables of a parser. Whatever a specification enters into them is entered here, when they are made."""

from __future__ import annotations

from malt.data.symbols import DEFAULT_ROOT_LABEL, Tables
from malt.data.symbols import make_tables as make_column_tables
from malt.errors import MaltError
from malt.features.program import make_tables as make_feature_tables
from malt.kernel.symbols import SymbolTable
from malt.parsing.specification import Specification


def make_tables(specification: Specification) -> Tables:
    """New tables for training, in the order in which MaltParser makes them."""
    null_value = specification.null_value
    tables = make_column_tables(specification.format, null_value, specification.root_labels)
    tables |= specification.pseudo.make_tables(null_value)
    for column in specification.columns.propagated.values():
        tables[column.name] = SymbolTable(column.name, column.category, column.type, null_value)
    for decision in specification.decisions:
        if decision.combined:
            tables[decision.table] = SymbolTable(decision.table)
            if decision.decides_transition and specification.definition.first:
                tables[decision.table].add(specification.definition.first)
    return tables | make_feature_tables(specification.computed, specification.columns, null_value)


def complete_tables(specification: Specification, tables: Tables) -> Tables:
    """The tables of a model with all that is needed; an error if some are missing. For parsing, every table of labels
    gets the default label of root arcs, which those of marks do not have from training."""
    found = {**tables, **specification.pseudo.make_tables(specification.null_value, tables)}
    needed = [*specification.format.names, *specification.labels]
    needed += [decision.table for decision in specification.decisions if decision.combined]
    needed += [table.name for table in specification.columns.tables(specification.computed)]
    missing = [name for name in dict.fromkeys(needed) if name not in found]
    if missing:
        raise MaltError(f"the model's symbol tables lack {', '.join(missing)}")
    if specification.parsing:
        for name in specification.labels:
            found[name].add(root_label(specification, name))
    return found


def root_label(specification: Specification, table: str) -> str:
    """The default label of root arcs in a table of labels. Marks have none of their own."""
    return specification.root_labels.get(table, DEFAULT_ROOT_LABEL)
