"""The trees of a block: those that a parser is to learn, and the parts of trees that it is given (-up)."""

from __future__ import annotations

from dataclasses import replace

import numpy

from malt.data.block import Block, Integers
from malt.data.deps import read_deps
from malt.data.formats.dataformat import PARTIAL
from malt.data.graph import Graph
from malt.errors import DataError
from malt.kernel import projectivity
from malt.parsing.machine import Machine
from malt.trees.pseudoprojectivity import DEPREL, NOT_A_TREE

Gold = tuple[Integers, Integers | None] | tuple[Integers, None, Integers, Integers, Integers]


def gold_arcs(machine: Machine, block: Block) -> Gold:
    """What an oracle of the machine follows: the trees of a block, or its graphs."""
    if not machine.specification.definition.many:
        return gold_trees(machine, block)
    return graph_arcs(read_deps(block))


def graph_arcs(graph: Graph) -> Gold:
    """What an oracle follows of graphs: no tree, but arcs."""
    return numpy.zeros(len(graph.starts) - 1, numpy.int32), None, graph.starts, graph.heads, graph.labels.reshape(-1, 1)


def labels_together(machine: Machine, graph: Graph) -> set[tuple[str, str]]:
    """The labels that two arcs from one word to another have in a graph, two by two: a parser makes no others."""
    table = machine.tables[machine.specification.labels[0]]
    return {(table.symbol(one) or "", table.symbol(two) or "") for one, two in graph.together()}


def gold_trees(machine: Machine, block: Block) -> tuple[Integers, Integers]:
    """The heads to be derived, projective ones with -pp, and the labels of each word in the tables of labels."""
    check_heads(block, "a parser learns from whole trees")
    spec = machine.specification
    marks: dict[str, Integers] = {}
    heads = block.heads
    if spec.pseudo.active:
        projected = spec.pseudo.projectivize(block, machine.tables)
        wrong = numpy.flatnonzero(projected.states != projectivity.TREE)
        if len(wrong) and spec.pseudo.marks:
            line = block.line_number(int(block.word_lines[block.starts[wrong[0]]]))
            reason = NOT_A_TREE[int(projected.states[wrong[0]])]
            otherwise = "leaves it out" if spec.definition.structured else "learns it as it is"
            raise DataError(
                f"the sentence is no tree ({reason}), so -pp and -pcr cannot transform it; -pp none {otherwise}",
                block.name,
                line,
            )
        heads, marks = projected.heads, projected.marks
    columns = [marks[name] if name in marks else block.codes(name) for name in spec.labels]
    labels = numpy.ascontiguousarray(numpy.stack(columns, axis=1), numpy.int32)
    return numpy.ascontiguousarray(heads, numpy.int32), labels


def check_heads(block: Block, why: str) -> None:
    """Refuse a block with words that have no head."""
    headless = numpy.flatnonzero(block.heads < 0)
    if len(headless):
        line = block.line_number(int(block.word_lines[headless[0]]))
        raise DataError(f"the word has no head: {why}", block.name, line)


def partial_trees(machine: Machine, block: Block) -> tuple[Integers, Integers] | tuple[None, None]:
    """The arcs that the columns PARTHEAD and PARTDEPREL give: heads, 0 where there is none, and labels; or nothing."""
    spec = machine.specification
    if not spec.partial:
        return None, None
    heads = numpy.zeros(len(block.heads), numpy.int32)
    labels = numpy.full((len(block.heads), len(spec.labels)), -1, numpy.int32)
    deprel = spec.labels.index(DEPREL) if DEPREL in spec.labels else -1
    sizes = numpy.diff(block.starts)
    sentence = numpy.repeat(numpy.arange(len(block)), sizes)
    codes = {name: block.codes(name) for name in PARTIAL}
    numbers: dict[int, int] = {}
    for word, code in enumerate(codes["PARTHEAD"].tolist()):
        if code not in numbers:
            text = block.tables["PARTHEAD"].symbol(code) if code >= 0 else "0"
            try:
                numbers[code] = int(text or "0")
            except ValueError:
                line = block.line_number(int(block.word_lines[word]))
                raise DataError(f"PARTHEAD is {text!r}; expected a number, 0 for none", block.name, line) from None
        head = numbers[code]
        if head <= 0:
            continue
        if head > sizes[sentence[word]]:
            line = block.line_number(int(block.word_lines[word]))
            raise DataError(f"PARTHEAD is {head}, but the sentence ends before it", block.name, line)
        heads[word] = head
        label = int(codes["PARTDEPREL"][word])
        if deprel >= 0 and label >= 0:
            labels[word, deprel] = block.tables[DEPREL].add(block.tables["PARTDEPREL"].symbol(label) or "_")
    return heads, labels


def count_roots(heads: Integers, starts: Integers) -> Integers:
    """The number of words on the root of each sentence."""
    sums = numpy.concatenate([[0], numpy.cumsum(heads == 0)])
    return numpy.diff(sums[starts])


def with_trees(machine: Machine, block: Block, heads: Integers, labels: Integers) -> Block:
    """The block with these arcs, after lifted ones are put back (-pp), for which the labels have columns of marks."""
    spec = machine.specification
    if spec.pseudo.active and DEPREL in spec.labels:  # without a label of its own nothing is put back
        marks = {name: labels[:, spec.labels.index(name)] for name in spec.pseudo.marks}
        deprel = numpy.ascontiguousarray(labels[:, spec.labels.index(DEPREL)])
        before = numpy.maximum(heads, 0)
        heads = spec.pseudo.deprojectivize(block.starts, before, deprel, marks, machine.tables)
        if machine.system.single_root:
            heads = numpy.where(
                numpy.repeat(count_roots(heads, block.starts) == 1, numpy.diff(block.starts)), heads, before
            )
    values = block.values.copy()
    for place, name in enumerate(spec.labels):
        if name in block.format.coded:
            values[:, block.format.coded.index(name)] = labels[:, place]
    return replace(block, heads=heads, values=values)


def with_graphs(machine: Machine, block: Block) -> Block:
    """The block with the graphs that the machine has just walked."""
    words, heads, labels = machine.walk.graph()
    return replace(block, graph=Graph.of(len(block.heads), words, heads, labels[:, 0]))
