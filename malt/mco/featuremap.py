"""A feature map as a file of MaltParser (.map): keys and row numbers, in the order of Java's hash table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import BinaryIO

import numpy
from numpy.typing import NDArray

from malt.errors import DataError
from malt.kernel.instances import FeatureMap
from malt.kernel.java import JavaReader, slot_order
from malt.mco.javaclasses import FEATURE_MAP
from malt.mco.javawriter import JavaWriter


@dataclass(frozen=True, eq=False)
class StoredMap:
    """The entries of a feature map. Rows count from 0 here, from 1 in the file.

    >>> map = FeatureMap()
    >>> map.add(1, 7), map.add(2, 9)
    (0, 1)
    >>> stored = StoredMap.of(map)
    >>> stored.counter, stored.capacity, sorted(stored.rows.tolist())
    (3, 4, [0, 1])
    """

    keys: NDArray[numpy.int64]
    rows: NDArray[numpy.int32]
    capacity: int  # of Java's hash table
    counter: int  # what MaltParser calls the feature counter

    def __len__(self) -> int:
        return len(self.keys)

    @classmethod
    def of(cls, map: FeatureMap, dropped: NDArray[numpy.bool_] | None = None) -> StoredMap:
        """A map that was filled in training; rows that were dropped leave it, and the others close up.

        The counter is then the number of rows that are left, and otherwise the next free one: MaltParser has it so.
        """
        keys = map.keys()
        order, capacity = slot_order(
            hashes(keys), None if dropped is None else numpy.ascontiguousarray(dropped, dtype=numpy.uint8)
        )
        if dropped is None:
            return cls(keys[order], order, capacity, len(keys) + 1)
        rows = (numpy.cumsum(~dropped) - 1).astype(numpy.int32)
        return cls(keys[order], rows[order], capacity, len(order))

    @classmethod
    def read(cls, data: bytes, name: str = "") -> StoredMap:
        """Read a file."""
        fields = JavaReader(data, name).read(FEATURE_MAP)
        capacity, keys, rows = fields["map"]
        if len(rows) and rows.min() < 1:
            raise DataError(f"a feature has the row {rows.min()}; rows count from 1; the file is damaged", name)
        return cls(keys, rows - 1, capacity, fields["featureCounter"])

    def write(self, out: BinaryIO) -> None:
        """Write a file."""
        writer = JavaWriter(out)
        writer.begin(FEATURE_MAP)
        writer.plain("i", self.counter)
        writer.pairs(self.capacity, self.keys, self.rows + 1)

    def map(self) -> FeatureMap:
        """The map as the kernel looks it up."""
        return FeatureMap.of(self.keys, self.rows)


def hashes(keys: NDArray[numpy.int64]) -> NDArray[numpy.int32]:
    """The hash codes of Java's Long.

    >>> hashes(numpy.array([1, 2**32, -1])).tolist()
    [1, 1, 0]
    """
    bits = keys.astype(numpy.int64).view(numpy.uint64)
    return (bits ^ (bits >> numpy.uint64(32))).astype(numpy.uint32).view(numpy.int32)
