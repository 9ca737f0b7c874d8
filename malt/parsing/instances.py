"""Training instances of a treebank: the oracle's choices, with the values of all features, for each classifier."""

from __future__ import annotations

import numpy

from malt.data.block import Block
from malt.data.graph import Graph
from malt.errors import DataError, MaltError, counted
from malt.features.nodes import Feature
from malt.kernel.arcs import TooLong
from malt.kernel.features import MissingValue, UnfitValue
from malt.kernel.guide import UnfitLabel
from malt.kernel.oraclesearch import MOST_MET
from malt.kernel.walk import InstanceObserver, LongDerivation, Sink
from malt.parsing.machine import Machine
from malt.parsing.trees import Gold, gold_arcs, labels_together, partial_trees
from malt.running.log import logger

MOST_CHOICES = 10_000_000  # of a sentence: they take up to two gigabytes


class Extraction:
    """Walks a treebank by a machine and fills one Sink per classifier, by MaltParser's names (odm0, sdm1, bdm1RA ...).

    With a data split (-d, -s) each value has its own, named by its code: odm0.002.
    """

    def __init__(self, machine: Machine, *, as_text: bool = False) -> None:
        self.machine, self.as_text = machine, as_text
        self.sinks: dict[str, Sink] = {}
        self.divisions: dict[str, dict[int, Sink]] = {}  # classifier -> divide code -> its sink
        self.vectors: dict[str, tuple[Feature, ...]] = {}  # classifier -> its whole vector
        self.arcs = 0  # of graphs
        self.together: set[tuple[str, str]] = set()  # labels of two arcs between the same words
        self.paths: dict[str, tuple[int, tuple[int, ...]]] = {}  # classifier -> its decision, and the classes before it
        self._oracle = machine.oracle()
        self._observer = InstanceObserver(machine.actions, self._open, machine.divide_slot, MOST_CHOICES)
        if machine.divide_slot < 0:
            self._open(0, (), -1)  # a classifier without instances is still one

    @property
    def cut(self) -> int:
        """How many derivations may lose more arcs than need be, as the search for them was cut short."""
        return self._oracle.cut

    @property
    def choices(self) -> int:
        """How many instances there are in all."""
        divided = (sink for parts in self.divisions.values() for sink in parts.values())
        return sum(sink.count for sink in (*self.sinks.values(), *divided))

    def add(self, block: Block) -> None:
        """Take in a block; an error names the line of a sentence that cannot be learned from."""
        machine = self.machine
        machine.use(block.tables)
        gold = gold_arcs(machine, block)
        if len(gold) == 5:
            self.arcs += len(gold[3])
            self.together |= labels_together(machine, Graph(gold[2], gold[3], gold[4][:, 0]))
        given = partial_trees(machine, block)
        self._oracle.follow(*gold)
        try:
            machine.walk.run(self._oracle, block.starts, block.values, block.heads, self._observer, *given)
        except UnfitLabel as fault:
            raise unfit_label(machine, block, gold, fault) from None
        except LongDerivation as fault:
            raise long_derivation(machine, block, fault.sentence) from None
        except UnfitValue as fault:
            raise unfit_value(block, fault) from None
        except MissingValue as fault:
            raise missing_value(block, fault.word, fault.column, "a feature looks") from None

    def _open(self, decision: int, path: tuple[int, ...], divide: int) -> Sink:
        spec = self.machine.specification
        name, vector_name = classifier_name(self.machine, decision, path)
        if name in self.sinks and divide < 0:
            return self.sinks[name]
        self.vectors[name] = spec.features.vectors[vector_name]
        self.paths[name] = (decision, path)
        vector = self.vectors[name] if divide < 0 else spec.features.divided(vector_name)
        slots = [self.machine.program.slots[feature] for feature in vector]
        sink = Sink(slots, spec.drops_nulls, self.as_text or divide >= 0)
        if divide < 0:
            self.sinks[name] = sink
        else:
            self.divisions.setdefault(name, {})[divide] = sink
        return sink


def classifier_name(machine: Machine, place: int, path: tuple[int, ...]) -> tuple[str, str]:
    """MaltParser's name of the classifier of a decision, and the name of its sub-model of features; the path has the
    classes of the branched decisions before it."""
    spec = machine.specification
    branched = [decision for decision in spec.decisions[:place] if decision.branched]
    # The path is shorter at a step without an arc, which has no label: training goes no further there.
    branch = "_".join(
        decision.symbol(code, spec.transitions, machine.tables) for decision, code in zip(branched, path, strict=False)
    )
    decision = spec.decisions[place]
    return decision.classifier(place, branch), spec.features.name_of(decision.table, branch)


def missing_value(block: Block, word: int, column: int, who: str) -> DataError:
    """The error for a word without a value that features look at."""
    line = block.line_number(int(block.word_lines[word]))
    return DataError(f"the word has no {block.format.coded[column]}, which {who} at", block.name, line)


def unfit_value(block: Block, fault: UnfitValue) -> MaltError:
    """The error for a value that is not of its column's type, with the place of the first word that has it."""
    words = numpy.flatnonzero(block.codes(fault.column) == fault.code)
    return (
        DataError(str(fault), block.name, block.line_number(int(block.word_lines[words[0]]))) if len(words) else fault
    )


def long_derivation(machine: Machine, block: Block, sentence: int) -> DataError:
    """The error for a sentence whose derivation is far longer than itself."""
    first, last = block.starts[sentence : sentence + 2].tolist()
    reason = (
        f"this sentence of {last - first:,} words has a derivation of more than {MOST_CHOICES:,} choices with "
        f"{machine.specification.definition.name}, which is too much to learn from; leave it out, or take a system "
        "whose derivations grow with the sentence and no faster, such as -a 2planar"
    )
    return DataError(reason, block.name, block.line_number(int(block.word_lines[first])))


def unfit_label(machine: Machine, block: Block, gold: Gold, fault: UnfitLabel) -> MaltError:
    """The error for a label that cannot be a part of a class, with the place of the first word that has it."""
    spec = machine.specification
    names = spec.transitions if fault.table < 0 else None
    symbol = names[fault.code] if names else machine.tables[spec.labels[fault.table]].symbol(fault.code)
    message = (
        f"the label {symbol!r} has the character {spec.separator!r}, which separates the parts of a class; "
        "choose another with -gcs"
    )
    if fault.table < 0:
        return MaltError(message)
    labels = gold[1] if len(gold) == 2 else gold[4]
    assert labels is not None
    word = int(numpy.argmax(labels[:, fault.table] == fault.code))
    if len(gold) == 5:  # it is the number of an arc
        word = int(numpy.searchsorted(gold[2], word, "right")) - 1
    return DataError(message, block.name, block.line_number(int(block.word_lines[word])))


def too_long(block: Block, fault: TooLong, first: int = 0) -> DataError:
    """The error for a sentence whose arcs take too much memory; words are counted from one of the block."""
    line = block.line_number(int(block.word_lines[first + fault.word]))
    return DataError(f"{fault}; --memory says how much a sentence may take", block.name, line)


def tell_cut(sentences: int) -> None:
    """Warn of derivations that may lose more arcs than need be."""
    if sentences:
        logger.warning(
            "warning: for %s the search for a derivation was cut short after %s configurations; they may lose more "
            "arcs than need be. Oracle lines in the text of the system make the search unnecessary",
            counted(sentences, "sentence"),
            f"{MOST_MET:,}",
        )
