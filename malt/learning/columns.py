"""Columns: the values that a feature has in the states of all derivations, and columns that are made from others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy
from numpy.typing import NDArray

from malt.features.nodes import Feature
from malt.features.program import splitter
from malt.features.values import STRING, Table
from malt.kernel.columns import gather, join, pairs, size_of
from malt.kernel.symbols import SymbolTable

Integers = NDArray[numpy.int32]
Keys = NDArray[numpy.int64]
Flags = NDArray[numpy.bool_]
Numbers = NDArray[numpy.integer[Any]]  # in one, two or four bytes


@dataclass(frozen=True, eq=False)
class Column:
    """The number of a value for each instance, and what each value is; values are numbered as they come.

    A value stands for features of the vector: for one, for none where it is absent, or for several (Split). These, too,
    are numbered as they come.
    """

    numbers: Numbers
    code: Integers  # of each value, in its table
    null: Flags  # is it a null value?
    zero: Flags  # is it absent?
    begins: Integers  # value v stands for features[begins[v]] .. features[begins[v + 1] - 1]
    features: Integers
    codes: Integers  # of each feature
    firsts: Integers  # the first instance of each feature
    table: SymbolTable | None = None  # whose codes these are; None: that of a column of the treebank, or no one's

    @property
    def size(self) -> int:
        """About how many bytes it takes."""
        arrays = (self.numbers, self.code, self.null, self.zero, self.begins, self.features, self.codes, self.firsts)
        return sum(array.nbytes for array in arrays) + (size_of(self.table) if self.table is not None else 0)


def narrow(numbers: NDArray[numpy.int32], values: int) -> Numbers:
    """Numbers in as little memory as so many values allow."""
    kind = numpy.uint8 if values <= 1 << 8 else numpy.uint16 if values <= 1 << 16 else numpy.int32
    return numpy.array(numbers, dtype=kind)


def single(
    numbers: Numbers,
    code: Integers,
    null: Flags,
    zero: Flags,
    first: Integers,
    drops_nulls: bool,
    table: SymbolTable | None = None,
) -> Column:
    """A column whose values stand for one feature or none. With `drops_nulls` (-nv none) null values stand for none."""
    present = ~(zero | null) if drops_nulls else ~zero
    begins = numpy.concatenate([[0], numpy.cumsum(present)]).astype(numpy.int32)
    codes, firsts = code[present], first[present]
    features = numpy.arange(len(codes), dtype=numpy.int32)
    _, kept, which = numpy.unique(codes, return_index=True, return_inverse=True)
    if len(kept) < len(codes):  # different values with one code: a word that is written as a null value, say
        order = numpy.sort(kept)
        place = numpy.empty(len(kept), numpy.int32)
        place[numpy.argsort(kept)] = numpy.arange(len(kept))
        features, codes, firsts = place[which], codes[order], firsts[order]
    return Column(numbers, code, null, zero, begins, features, codes, firsts, table)


def merged(
    arguments: Sequence[Column], tables: Sequence[SymbolTable], type: int, made: Table, drops_nulls: bool
) -> Column:
    """The column of Merge or Merge3; `tables` are those of the arguments, and `made` is what its own is to be."""
    one, *others = arguments
    numbers, which = one.numbers.astype(numpy.int32), [numpy.arange(len(one.code), dtype=numpy.int32)]
    count = len(one.code)
    first = numpy.zeros(0, numpy.int32)
    for other in others:
        numbers, left, right, first = pairs(numbers, other.numbers.astype(numpy.int32), count, len(other.code))
        which, count = [*(values[left] for values in which), right], len(left)
    nulls = [argument.null[values] for argument, values in zip(arguments, which, strict=True)]
    packed = narrow(numbers, count)
    if type != STRING:  # a product
        zero = numpy.any([*nulls, *(a.zero[values] for a, values in zip(arguments, which, strict=True))], axis=0)
        return single(packed, numpy.ones(count, numpy.int32), numpy.zeros(count, bool), zero, first, drops_nulls)
    null: Flags = numpy.all(nulls, axis=0)
    table = SymbolTable(made.name, made.category, made.type, made.strategy)
    codes = [argument.code[values] for argument, values in zip(arguments, which, strict=True)]
    code = join(table, list(tables), codes, null.view(numpy.uint8))
    return single(packed, code, null, null, first, drops_nulls, table)


def parted(
    feature: Feature, source: Column, symbols: SymbolTable, made: Table, null_value: str, drops_nulls: bool
) -> Column:
    """The column of Split, Prefix or Suffix, from that of its argument, whose table is `symbols`."""
    split = splitter(feature.function, feature.arguments[1])
    table = SymbolTable(made.name, made.category, made.type, made.strategy or null_value)
    value_first = first_places(source.numbers, len(source.code))
    known: dict[int, int] = {}  # code -> feature
    ends, units, firsts = [0], [], []
    code = source.code.copy()
    for value in range(len(code)):
        if source.null[value]:
            found = [] if drops_nulls else [int(code[value])]
        else:
            parts = split(symbols.symbol(int(code[value])) or "")
            found = [table.add(part) for part in parts]
            code[value] = found[0] if feature.function != "Split" else -1
        for part in dict.fromkeys(found):
            if part not in known:
                known[part] = len(known)
                firsts.append(value_first[value])
            units.append(known[part])
        ends.append(len(units))
    begins, features, codes, places = (
        numpy.array(numbers, numpy.int32) for numbers in (ends, units, list(known), firsts)
    )
    return Column(source.numbers, code, source.null, source.zero, begins, features, codes, places, table)


def first_places(numbers: Numbers, values: int) -> Integers:
    """Where each value comes first.

    >>> first_places(numpy.array([0, 0, 1, 0, 2], numpy.uint8), 3).tolist()
    [0, 2, 4]
    """
    result = numpy.empty(values, numpy.int32)
    result[numbers[::-1]] = numpy.arange(len(numbers) - 1, -1, -1, dtype=numpy.int32)
    return result


def shared_codes(columns: Sequence[Column], table: SymbolTable) -> list[Integers]:
    """The codes of the features of columns in a table that they share, in which symbols have the order that training
    gives them; columns come in the order in which features are computed."""
    tables = [column.table for column in columns if column.table is not None]
    return gather(table, tables, [column.codes for column in columns], [column.firsts for column in columns])
