"""Columns: the values that features have in all choices of a treebank's derivations."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy
from numpy.typing import NDArray

from malt.kernel.columns import gather
from malt.kernel.symbols import SymbolTable

Integers = NDArray[numpy.int32]
Numbers = NDArray[numpy.integer[Any]]  # in one, two or four bytes


@dataclass(frozen=True, eq=False)
class ValueColumn:
    """The number of a value for each instance, and what each value is; values are numbered as they come.

    A value stands for features of the vector: for one, for none where it is absent, or for several (Split). These, too,
    are numbered as they come.
    """

    numbers: Numbers
    begins: Integers  # value v stands for features[begins[v]] .. features[begins[v + 1] - 1]
    features: Integers
    codes: Integers  # of each feature
    firsts: Integers  # the first instance of each feature
    table: SymbolTable | None = None  # whose codes these are, if features made it; otherwise that of a column
    sharers: int = 1  # columns that have the same table

    @property
    def size(self) -> int:
        """About how many bytes it takes."""
        arrays = (self.numbers, self.begins, self.features, self.codes, self.firsts)
        return sum(array.nbytes for array in arrays) + (self.table.size // self.sharers if self.table else 0)


def narrow(numbers: Integers, values: int) -> Numbers:
    """Numbers in as little memory as so many values allow."""
    kind = numpy.uint8 if values <= 1 << 8 else numpy.uint16 if values <= 1 << 16 else numpy.int32
    return numpy.array(numbers, dtype=kind)


def shared_codes(columns: Sequence[ValueColumn], table: SymbolTable) -> list[Integers]:
    """The codes of the features of columns in a table that they share, in which symbols have the order that training
    gives them; columns come in the order in which features are computed."""
    tables = [column.table for column in columns if column.table is not None]
    return gather(table, tables, [column.codes for column in columns], [column.firsts for column in columns])
