"""What the graphs of a treebank are like, in numbers: heads of words, roots, cycles, crossings and planes."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

import numpy

from malt.data.block import Block
from malt.data.deps import read_deps
from malt.data.graph import Graph, Integers
from malt.kernel.structure import graph_planarity
from malt.systems.oracle import Oracle

_EMPTY_NODE = re.compile(rb"^[0-9]+\.[0-9]+\t", re.MULTILINE)


@dataclass
class GraphProfile:
    """Counts over the graphs of sentences. `add` takes in a block.

    >>> profile = GraphProfile("sample")
    >>> profile.measure(Graph.of(3, [0, 1, 1, 2], [0, 1, 3, 2], [0, 0, 0, 0]), numpy.array([0, 3], numpy.int32))
    >>> profile.counts["cycles"], dict(profile.heads), profile.planarity
    (1, {1: 2, 2: 1}, Counter({(1, 1): 1}))
    """

    name: str
    algorithm: str = ""  # whose oracle was asked what it cannot derive
    counts: Counter[str] = field(default_factory=Counter)
    heads: Counter[int] = field(default_factory=Counter)  # words by their number of heads
    roots: Counter[int] = field(default_factory=Counter)  # sentences by their number of words on the root
    planarity: Counter[tuple[int, int]] = field(default_factory=Counter)  # by bounds of the least number of planes
    planarity_root: Counter[tuple[int, int]] = field(default_factory=Counter)  # the same with the arcs from the root
    labels: set[str] = field(default_factory=set)

    def add(self, block: Block, oracle: Oracle | None = None) -> None:
        """Take in a block; with an oracle, also what it cannot derive."""
        graph = read_deps(block)
        self.measure(graph, block.starts)
        table = block.tables[block.format.label_columns[0]]
        self.labels.update(table.symbol(code) or "" for code in set(graph.labels.tolist()))
        self.counts["empty_nodes"] += len(_EMPTY_NODE.findall(block.text))
        if oracle is not None:
            self._ask(oracle, graph, block.starts)

    def _ask(self, oracle: Oracle, graph: Graph, starts: Integers) -> None:
        wanted = Graph.of(len(graph.starts) - 1, graph.words, graph.heads, numpy.zeros_like(graph.heads))
        made = oracle.derive_graphs(graph, starts)[1]
        lost = numpy.diff(wanted.starts) - numpy.diff(made.starts)  # what is made is always wanted
        sums = numpy.concatenate([[0], numpy.cumsum(lost)])
        by_sentence = sums[starts[1:]] - sums[starts[:-1]]
        self.counts["arcs_not_derived"] += int(by_sentence.sum())
        self.counts["graphs_not_derived"] += int((by_sentence > 0).sum())
        self.counts["pairs"] += len(wanted.heads)

    def measure(self, graph: Graph, starts: Integers) -> None:
        """Take in graphs alone."""
        several = numpy.diff(graph.starts) > 1
        self.heads.update(numpy.diff(graph.starts).tolist())
        words = graph.words
        for begin, end in zip(starts[:-1].tolist(), starts[1:].tolist(), strict=True):
            first, last = graph.starts[begin], graph.starts[end]
            heads, dependents = graph.heads[first:last], words[first:last] - begin + 1
            links = numpy.unique(numpy.sort(numpy.stack([heads, dependents], axis=1), axis=1), axis=0)
            links = links[links[:, 0] != links[:, 1]]
            found = []
            for chosen in (links[links[:, 0] > 0], links):
                one, two = (numpy.ascontiguousarray(chosen[:, side], numpy.int32) for side in (0, 1))
                found.append(graph_planarity(one, two, end - begin))
            self.planarity[found[0][1:]] += 1
            self.planarity_root[found[1][1:]] += 1
            self.roots[int((heads == 0).sum())] += 1
            self.counts.update(
                {
                    "sentences": 1,
                    "words": end - begin,
                    "arcs": len(heads),
                    "loops": int((heads == dependents).sum()),
                    "several_heads": int(several[begin:end].any()),
                    "cycles": int(has_cycle(heads, dependents, end - begin)),
                    "crossings": found[0][0],
                    "crossings_root": found[1][0],
                }
            )

    def not_planar(self, k: int, root: bool = False) -> int:
        """How many graphs are known to need more than k planes."""
        planes = self.planarity_root if root else self.planarity
        return sum(number for (least, _), number in planes.items() if least > k)

    def as_json(self) -> dict[str, Any]:
        """All numbers, by name, for a program to read."""
        planes = {
            name: {str(low) if low == high else f"{low}-{high}": number for (low, high), number in sorted(one.items())}
            for name, one in (("planarity", self.planarity), ("planarity_root", self.planarity_root))
        }
        known = {
            "heads": {str(heads): number for heads, number in sorted(self.heads.items())},
            "roots": {str(roots): number for roots, number in sorted(self.roots.items())},
            **planes,
            "labels": len(self.labels),
        }
        return {**self.counts, **known, **({"algorithm": self.algorithm} if self.algorithm else {})}


def has_cycle(heads: Integers, dependents: Integers, words: int) -> bool:
    """Whether arcs lead from a word back to itself.

    >>> has_cycle(numpy.array([0, 1, 3]), numpy.array([1, 2, 2]), 3)
    False
    >>> has_cycle(numpy.array([2, 1]), numpy.array([1, 2]), 2)
    True
    """
    below: list[list[int]] = [[] for _ in range(words + 1)]
    above = [0] * (words + 1)
    for head, dependent in zip(heads.tolist(), dependents.tolist(), strict=True):
        below[head].append(dependent)
        above[dependent] += 1
    free = [node for node in range(words + 1) if not above[node]]  # nothing leads to them any more
    for node in free:
        for dependent in below[node]:
            above[dependent] -= 1
            if not above[dependent]:
                free.append(dependent)
    return len(free) <= words
