"""Which labels are taken for which."""

from __future__ import annotations

from collections import Counter

import numpy
import numpy.typing

Codes = numpy.typing.NDArray[numpy.int64]


class Confusion:
    """How often each pair of a gold label and a label of the system occurs, with and without punctuation.

    >>> confusion = Confusion()
    >>> confusion.add([1, 1, 2, 2], [1, 2, 1, -1], [False, False, False, True])
    >>> confusion.pairs(punctuation=True)
    Counter({(1, 1): 1, (1, 2): 1, (2, 1): 1, (2, -1): 1})
    """

    def __init__(self) -> None:
        self._counts: dict[bool, Counter[tuple[int, int]]] = {False: Counter(), True: Counter()}

    def add(
        self, gold: numpy.typing.ArrayLike, system: numpy.typing.ArrayLike, punctuation: numpy.typing.ArrayLike
    ) -> None:
        """Take in words: the codes of their labels in both files (-1 for none), and which are punctuation."""
        # Both codes and the mark in one number, as pairs are slow to sort.
        first, second = numpy.asarray(gold, numpy.int64) + 1, numpy.asarray(system, numpy.int64) + 1
        keys = first << 32 | second << 1 | numpy.asarray(punctuation).astype(numpy.int64)
        for key, count in zip(*(part.tolist() for part in numpy.unique(keys, return_counts=True)), strict=True):
            self._counts[bool(key & 1)][(key >> 32) - 1, (key >> 1 & 0x7FFFFFFF) - 1] += count

    def pairs(self, punctuation: bool) -> Counter[tuple[int, int]]:
        """The pairs with their counts."""
        return self._counts[False] + self._counts[True] if punctuation else self._counts[False]
