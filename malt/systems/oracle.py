"""The static oracle of a transition system: gold trees to transition sequences."""

from __future__ import annotations

from dataclasses import dataclass

import numpy
import numpy.typing

from malt.data.graph import Graph
from malt.kernel.walk import Changes, OraclePolicy, Record, Walk
from malt.systems.compiler import compile_system
from malt.systems.language import Definition

Integers = numpy.typing.NDArray[numpy.int32]


@dataclass(frozen=True)
class TransitionSequences:
    """The transition sequences of a block."""

    transitions: numpy.typing.NDArray[numpy.int8]  # index of the transition; -1 - index where it was the only choice
    dependents: Integers  # of the arc that each makes; -1 if it makes none
    bounds: numpy.typing.NDArray[numpy.int64]  # sentence i has the steps bounds[i] .. bounds[i + 1] - 1
    heads: Integers  # as derived; words that are left over hang on the root


class Oracle:
    """Derives gold trees by the rules of a definition. What becomes of configurations, `changes` can be asked.

    >>> from malt.systems import find_system
    >>> import numpy
    >>> oracle = Oracle(find_system("nivreeager"))
    >>> found = oracle.derive(numpy.array([2, 0, 2], numpy.int32), numpy.array([0, 3], numpy.int32))
    >>> [oracle.names[i] for i in found.transitions]
    ['SH', 'LA', 'RA', 'RA']
    """

    def __init__(self, definition: Definition, changes: Changes | None = None) -> None:
        self.name, self.names = definition.name, tuple(definition.transitions)
        system = compile_system(definition)
        self._walk, self._record = Walk(system), Record(changes=changes)
        self._policy = OraclePolicy(system, definition.from_root)

    @property
    def forbidden(self) -> int:
        """How many transitions of the last derivations a parser would not have been permitted."""
        return self._record.forbidden

    @property
    def cut(self) -> int:
        """Of how many derivations the search was cut short: they may lose more arcs than need be."""
        return self._policy.cut

    def derive(self, heads: Integers, starts: Integers, given: Integers | None = None) -> TransitionSequences:
        """The derivations of sentences: `heads` as positions, `starts` as in a Block, `given` as partial trees."""
        self._policy.follow(heads)
        derived, _ = self._walk.run(self._policy, starts, observer=self._record, given=given)
        return TransitionSequences(*self._record.derivations(), numpy.maximum(derived, 0))

    def derive_graphs(self, graph: Graph, starts: Integers) -> tuple[TransitionSequences, Graph]:
        """The derivations of graphs, labels apart, and the graphs as they are derived."""
        count = len(graph.starts) - 1
        self._policy.follow(numpy.zeros(count, numpy.int32), None, graph.starts, graph.heads)
        derived, _ = self._walk.run(self._policy, starts, observer=self._record)
        words, heads, _ = self._walk.graph()
        made = Graph.of(count, words, heads, numpy.zeros(len(words), numpy.int32))
        return TransitionSequences(*self._record.derivations(), numpy.maximum(derived, 0)), made

    def lost(self, heads: Integers, starts: Integers) -> Integers:
        """The number of arcs of each sentence that are not derived; a word without a head counts as a root."""
        gold = numpy.maximum(heads, 0)
        wrong = self.derive(gold, starts).heads != gold
        sums = numpy.concatenate([[0], numpy.cumsum(wrong)])
        lost: Integers = (sums[starts[1:]] - sums[starts[:-1]]).astype(numpy.int32)
        return lost
