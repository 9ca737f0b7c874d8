"""The graphs of a block: arcs to words, of which a word may have any number."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy
import numpy.typing

Integers = numpy.typing.NDArray[numpy.int32]


@dataclass(frozen=True)
class Graph:
    """The arcs of some sentences, those to each word by head and then by label; no two are the same.

    >>> graph = Graph.of(3, [1, 0, 1], [3, 0, 1], [7, 5, 6])
    >>> graph.starts.tolist(), graph.heads.tolist(), graph.labels.tolist()
    ([0, 1, 3, 3], [0, 1, 3], [5, 6, 7])
    >>> graph.take([1]).heads.tolist()
    [1, 3]
    """

    starts: Integers  # the arcs to word i of the block are starts[i] .. starts[i + 1] - 1
    heads: Integers  # of each arc, as a position in its sentence: 0 is the artificial root
    labels: Integers  # of each arc: a code of the first column of labels

    @classmethod
    def of(
        cls,
        count: int,
        words: Sequence[int] | Integers,
        heads: Sequence[int] | Integers,
        labels: Sequence[int] | Integers,
    ) -> Graph:
        """The graph of some words that has these arcs, in any order; `words` are the places of their dependents."""
        arcs = numpy.array([words, heads, labels], numpy.int32).T.reshape(-1, 3)
        arcs = numpy.unique(arcs, axis=0) if len(arcs) else arcs
        starts = numpy.concatenate([[0], numpy.cumsum(numpy.bincount(arcs[:, 0], minlength=count))]).astype(numpy.int32)
        return cls(starts, arcs[:, 1].copy(), arcs[:, 2].copy())

    @classmethod
    def joined(cls, graphs: Sequence[Graph]) -> Graph:
        """The graphs of blocks that come one after another."""
        counts = numpy.concatenate([numpy.zeros(0, numpy.int32), *(numpy.diff(graph.starts) for graph in graphs)])
        starts = numpy.concatenate([[0], numpy.cumsum(counts)]).astype(numpy.int32)
        empty = numpy.zeros(0, numpy.int32)
        heads, labels = (
            numpy.concatenate([empty, *parts])
            for parts in ([graph.heads for graph in graphs], [graph.labels for graph in graphs])
        )
        return cls(starts, heads, labels)

    @property
    def words(self) -> Integers:
        """The place of each arc's dependent in the block."""
        counts = numpy.diff(self.starts)
        return numpy.repeat(numpy.arange(len(counts), dtype=numpy.int32), counts)

    def take(self, words: Sequence[int] | numpy.typing.NDArray[numpy.integer]) -> Graph:
        """The arcs to some words, in their order."""
        chosen = numpy.asarray(words, numpy.int64)
        counts = numpy.diff(self.starts)[chosen]
        starts = numpy.concatenate([[0], numpy.cumsum(counts)]).astype(numpy.int32)
        arcs = numpy.repeat(self.starts[:-1][chosen] - starts[:-1], counts) + numpy.arange(starts[-1])
        return Graph(starts, self.heads[arcs], self.labels[arcs])

    def together(self) -> set[tuple[int, int]]:
        """The labels that two arcs from one word to another have, two by two.

        >>> Graph.of(2, [0, 0, 0, 1], [2, 2, 0, 1], [5, 7, 5, 9]).together()
        {(5, 7)}
        """
        words = self.words
        again = numpy.flatnonzero((words[1:] == words[:-1]) & (self.heads[1:] == self.heads[:-1]))
        found: dict[tuple[int, int], set[int]] = {}
        for arc in again.tolist():
            found.setdefault((int(words[arc]), int(self.heads[arc])), set()).update(self.labels[arc : arc + 2].tolist())
        return {pair for labels in found.values() for pair in combinations(sorted(labels), 2)}
