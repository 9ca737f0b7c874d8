"""The symbol tables of a data format, and the default labels of root arcs."""

from __future__ import annotations

from collections.abc import Mapping

from malt.data.formats.dataformat import DataFormat
from malt.errors import UsageError
from malt.kernel.symbols import SymbolTable

DEFAULT_ROOT_LABEL = "ROOT"

Tables = dict[str, SymbolTable]


def root_labels(option: str, format: DataFormat) -> dict[str, str]:
    """What -grl says for each label column: a plain value is for all of them, TABLE=VALUE,TABLE=VALUE names them.

    >>> from malt.data.formats.dataformat import find_format
    >>> root_labels("", find_format("conllx")), root_labels("DEPREL=top", find_format("conllx"))
    ({'DEPREL': 'ROOT'}, {'DEPREL': 'top'})
    """
    columns = sorted(format.label_columns)
    if "," not in option and "=" not in option:
        return dict.fromkeys(columns, option.strip() or DEFAULT_ROOT_LABEL)
    labels = dict.fromkeys(columns, DEFAULT_ROOT_LABEL)
    given = option.rstrip(",")  # as in Java, commas at the end count nothing
    for item in given.split(",") if given else ():
        column, sign, label = (part.strip() for part in item.partition("="))
        if not sign or not label:
            raise UsageError(f"root label {option!r}: {item!r} is not of the form COLUMN=LABEL")
        if column not in labels:
            raise UsageError(f"root label {option!r}: {column!r} is no label column; there are {', '.join(columns)}")
        labels[column] = label
    return labels


def make_tables(format: DataFormat, null_value: str = "one", labels: Mapping[str, str] | None = None) -> Tables:
    """A table for every column, in order; the root labels, ROOT unless they are given, get the first codes, as in
    MaltParser.

    >>> from malt.data.formats.dataformat import find_format
    >>> make_tables(find_format("malttab"))["DEPREL"].code("ROOT")
    1
    """
    tables = {c.name: SymbolTable(c.name, c.category, c.type, null_value) for c in format.columns}
    for column, label in (labels if labels is not None else root_labels("", format)).items():
        tables[column].add(label)
    return tables
