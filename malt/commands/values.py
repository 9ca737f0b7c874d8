"""The values of features in words, for `malt trace`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from malt.data.block import Block
from malt.data.symbols import Tables
from malt.features.nodes import Feature
from malt.features.values import BOOLEAN, Columns
from malt.kernel.symbols import SymbolTable
from malt.parsing.instances import Extraction
from malt.parsing.machine import Machine

TRUTHS = {"1": "true", "-1": "false"}  # a BOOLEAN value is 1 or nothing, and no code of its column's symbols


def feature_values(machine: Machine, block: Block) -> Iterator[list[tuple[str, str]]]:
    """For each step of a sentence that leaves a choice: the features and their values, as text."""
    extraction = Extraction(machine, as_text=True)
    extraction.add(block)
    name, sink = next(iter(extraction.sinks.items()))
    for line in sink.take_text().decode().splitlines():
        tables = {**machine.tables, **block.tables}
        yield describe_values(machine.specification.columns, tables, extraction.vectors[name], line)


def describe_values(columns: Columns, tables: Tables, vector: Sequence[Feature], line: str) -> list[tuple[str, str]]:
    """The features of an instance, and their values in words."""
    shown = []
    for feature, text in zip(vector, line.split("\t")[1:], strict=False):
        value = columns.value(feature)
        if value.table and value.type == BOOLEAN and text in TRUTHS:
            shown.append((str(feature), TRUTHS[text]))
        else:
            shown.append((str(feature), show_value(text, tables[value.table.name] if value.table else None)))
    return shown


def show_value(text: str, table: SymbolTable | None) -> str:
    """The value of a feature in words: its symbol, or its number.

    >>> table = SymbolTable("POSTAG")
    >>> _ = table.add("NN")
    >>> show_value("1", table), show_value("-1", table), show_value("1:3.0", table), show_value("0", table)
    ('NN', '-', '3.0', '#null#')
    """
    parts = []
    for item in text.split("|"):
        code, colon, number = item.partition(":")
        if code in ("-1", ""):
            parts.append("-")
        else:
            parts.append(number if colon else (table.symbol(int(code)) or code) if table is not None else "yes")
    return " | ".join(parts)
