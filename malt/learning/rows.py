"""Sparse rows of numbers, some of which may be one and the same row."""

from __future__ import annotations

from dataclasses import dataclass

import numpy
from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class Rows:
    """Row i has count[i] numbers from place first[i] of `numbers` on; `places` says where in the row each one stands.

    >>> rows = Rows.from_sparse(numpy.array([0, 2, 2, 3]), numpy.array([0, 2, 1]), numpy.array([0.5, 0.25, 2.0]))
    >>> rows.length.tolist(), rows.dense(0).tolist(), rows.dense(1).tolist(), len(rows)
    ([3, 0, 2], [0.5, 0.0, 0.25], [], 3)
    """

    first: NDArray[numpy.int64]
    count: NDArray[numpy.int32]
    length: NDArray[numpy.int32]
    places: NDArray[numpy.int32]
    numbers: NDArray[numpy.float64]

    def __len__(self) -> int:
        return len(self.first)

    @classmethod
    def from_sparse(
        cls, starts: NDArray[numpy.int64], places: NDArray[numpy.integer], numbers: NDArray[numpy.float64]
    ) -> Rows:
        """Rows that stand one after another, each as long as its last number needs; places ascend."""
        count = numpy.diff(starts).astype(numpy.int32)
        length = numpy.zeros(len(count), dtype=numpy.int32)
        filled = count > 0
        length[filled] = places[starts[1:][filled] - 1].astype(numpy.int32) + 1
        return cls(starts[:-1].astype(numpy.int64), count, length, places.astype(numpy.int32), numbers)

    @classmethod
    def from_dense(cls, matrix: NDArray[numpy.float64], signed: bool = False) -> Rows:
        """The rows of a matrix. signed: a zero with a sign counts as a number.

        >>> Rows.from_dense(numpy.array([[0.0, 1.0, 0.0], [2.0, 0.0, 0.0]])).length.tolist()
        [2, 1]
        """
        row, place = numpy.nonzero(matrix.view(numpy.uint64) if signed else matrix)
        starts = numpy.concatenate([[0], numpy.cumsum(numpy.bincount(row, minlength=len(matrix)))])
        return cls.from_sparse(starts, place, matrix[row, place])

    def dense(self, row: int) -> NDArray[numpy.float64]:
        """One row, zeros included."""
        result = numpy.zeros(self.length[row])
        own = slice(self.first[row], self.first[row] + self.count[row])
        result[self.places[own]] = self.numbers[own]
        return result

    def select(self, kept: NDArray[numpy.bool_]) -> Rows:
        """Some of the rows."""
        return Rows(self.first[kept], self.count[kept], self.length[kept], self.places, self.numbers)
