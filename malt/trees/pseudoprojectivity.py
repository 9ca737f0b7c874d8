"""Pseudo-projective parsing: trees are made projective for training, with marks by which it is undone after parsing.

Nivre and Nilsson, Pseudo-Projective Dependency Parsing, ACL 2005. A non-projective arc is lifted, that is, its
dependent moves to the head of its head, until no arc is left to lift. What was done is kept in further labels of the
arcs, which the parser learns to predict together with DEPREL:

- PPLIFTED: the arc was lifted; with `head` and `head+path`, the label of the word that was its head
- PPPATH: something was lifted past this word
- PPCOVERED: this was a word on the artificial root with an arc over it, and was attached to an end of that arc
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy
import numpy.typing

from malt.data.block import Block, Integers
from malt.data.formats.dataformat import LABEL, TYPES, Column, DataFormat
from malt.data.symbols import Tables
from malt.errors import DataError, UsageError
from malt.kernel import projectivity
from malt.kernel.symbols import SymbolTable
from malt.running.log import logger

DEPREL = "DEPREL"
LIFTED, PATH, COVERED = "PPLIFTED", "PPPATH", "PPCOVERED"
TRUE, FALSE = "#true#", "#false#"

Booleans = numpy.typing.NDArray[numpy.bool_]
Places = numpy.typing.NDArray[numpy.intp]  # of words in a block

COVERED_ROOT = {
    "none": projectivity.NONE,
    "ignore": projectivity.IGNORE,
    "left": projectivity.LEFT,
    "right": projectivity.RIGHT,
    "head": projectivity.HEAD,
}
SEARCH = {"head": projectivity.SEARCH_HEAD, "path": projectivity.SEARCH_PATH, "head+path": projectivity.SEARCH_BOTH}
NOT_A_TREE = {projectivity.NO_HEAD: "a word has no head", projectivity.NO_TREE: "the heads run in a circle"}


@dataclass
class Projected:
    """A block as projectivization leaves it. What is not a tree is as it was, without marks."""

    heads: Integers
    origins: Integers  # of each lifted word, the position of its first head; 0 of others
    paths: Booleans
    covered: Booleans
    states: Integers  # of each sentence: 0 for a tree, otherwise a key of NOT_A_TREE
    marks: dict[str, Integers]  # the codes in the tables of the marks


class NotTrees:
    """Tells of sentences that are no trees: where the first is, and at the end how many there are."""

    def __init__(self) -> None:
        self.count = 0

    def add(self, block: Block, states: Integers) -> None:
        """Look at the states of a block's sentences."""
        bad = numpy.flatnonzero(states != projectivity.TREE)
        if len(bad) and not self.count:
            line = block.line_number(int(block.word_lines[block.starts[bad[0]]]))
            reason = NOT_A_TREE[int(states[bad[0]])]
            logger.warning("warning: %s", DataError(f"not a tree ({reason}); left as it is", block.name, line))
        self.count += len(bad)

    def close(self) -> None:
        """Say how many there were."""
        if self.count > 1:
            logger.warning("warning: %d sentences are no trees; they were left as they are", self.count)


@dataclass(frozen=True)
class PseudoProjectivity:
    """The transformation that -pp, -pcr and -plo describe.

    >>> PseudoProjectivity("head+path").marks
    {'PPLIFTED': ('#false#',), 'PPPATH': ('#true#', '#false#')}
    """

    marking: str = "none"
    covered_root: str = "none"
    lifting_order: str = "shortest"

    @classmethod
    def from_options(cls, options: Mapping[str, Any]) -> PseudoProjectivity:
        """What the options of a command say."""
        return cls(options["pproj.marking_strategy"], options["pproj.covered_root"], options["pproj.lifting_order"])

    @property
    def marks(self) -> dict[str, tuple[str, ...]]:
        """The tables of the marks, each with the symbols that it begins with."""
        marks: dict[str, tuple[str, ...]] = {}
        if self.marking in SEARCH:
            marks[LIFTED] = (TRUE, FALSE) if self.marking == "path" else (FALSE,)
        if self.marking in ("path", "head+path"):
            marks[PATH] = (TRUE, FALSE)
        if self.covered_root != "none":
            marks[COVERED] = (TRUE, FALSE)
        return marks

    @property
    def columns(self) -> tuple[Column, ...]:
        """The marks as columns that features may look at."""
        return tuple(Column(name, LABEL, TYPES["BOOLEAN"]) for name in self.marks)

    def make_tables(self, null_value: str = "one", known: Mapping[str, SymbolTable] | None = None) -> Tables:
        """The tables of the marks; those that a model has already are used."""
        tables = {}
        for name, symbols in self.marks.items():
            tables[name] = (known or {}).get(name) or SymbolTable(name, LABEL, TYPES["BOOLEAN"], null_value)
            for symbol in symbols:
                tables[name].add(symbol)
        return tables

    @property
    def active(self) -> bool:
        """Whether there is anything to do."""
        return self.marking != "none" or self.covered_root != "none"

    @property
    def marks_covered(self) -> bool:
        """Whether words are marked as covered."""
        return self.covered_root in ("left", "right", "head")

    def check_format(self, format: DataFormat) -> None:
        """Raise an error if the labels of a format cannot be marked."""
        if self.active and DEPREL not in format.label_columns:
            raise UsageError(
                f"-pp and -pcr need a column of labels named {DEPREL}; "
                f"the format {format.name} has {', '.join(format.label_columns) or 'none'}"
            )

    def projectivize(self, block: Block, tables: Tables) -> Projected:
        """New heads, and marks in the codes of their tables. New labels of heads enter PPLIFTED."""
        projected = Projected(
            *projectivity.projectivize(
                block.starts,
                block.heads,
                self.lifting_order == "deepest",
                COVERED_ROOT[self.covered_root],
                self.marking != "none",
            ),
            marks={},
        )
        lifted = (projected.origins > 0) & ~projected.covered
        if self.marking == "path":
            projected.marks[LIFTED] = _truth(tables[LIFTED], lifted)
        elif LIFTED in self.marks:
            codes = _truth(tables[LIFTED], numpy.zeros(len(lifted), numpy.bool_))
            places = numpy.flatnonzero(lifted)
            codes[places] = _recode(tables[LIFTED], block, head_labels(block, projected, places))
            projected.marks[LIFTED] = codes
        if PATH in self.marks:
            projected.marks[PATH] = _truth(tables[PATH], projected.paths & ~projected.covered)
        if COVERED in self.marks:
            projected.marks[COVERED] = _truth(tables[COVERED], projected.covered & self.marks_covered)
        return projected

    def deprojectivize(
        self, starts: Integers, heads: Integers, labels: Integers, marks: Mapping[str, Integers], tables: Tables
    ) -> Integers:
        """New heads from the codes of labels and marks in their tables. -1 is the code of no label.

        >>> pseudo = PseudoProjectivity("head")
        >>> tables = {DEPREL: SymbolTable(DEPREL), **pseudo.make_tables()}
        >>> labels = numpy.array([tables[DEPREL].add(label) for label in ("ROOT", "NK", "SB", "OC")])
        >>> lifted = numpy.array([tables["PPLIFTED"].add(mark) for mark in ("#false#", "OC", "#false#", "#false#")])
        >>> pseudo.deprojectivize([0, 4], numpy.array([0, 1, 1, 1]), labels, {"PPLIFTED": lifted}, tables)
        array([0, 4, 1, 1], dtype=int32)
        """
        labelled = labels >= 0
        heads = numpy.array(heads, numpy.int32)
        if COVERED in marks:
            heads[labelled & (heads >= 0) & (marks[COVERED] == tables[COVERED].code(TRUE))] = 0
        if self.marking not in SEARCH:
            return heads
        lifted = labelled & is_marked(marks[LIFTED], tables[LIFTED])
        if not lifted.any():
            return heads
        paths = numpy.zeros(len(heads), numpy.bool_)
        if PATH in marks:
            paths = labelled & (marks[PATH] == tables[PATH].code(TRUE))
        wanted = numpy.full(len(heads), -1, numpy.int32)
        for code in numpy.unique(marks[LIFTED][lifted]).tolist():
            symbol = tables[LIFTED].symbol(code)
            if symbol is not None and symbol != TRUE:
                wanted[marks[LIFTED] == code] = tables[DEPREL].code(symbol)
        return projectivity.deprojectivize(starts, heads, labels, wanted, lifted, paths, SEARCH[self.marking])


def is_marked(codes: Integers, table: SymbolTable) -> Booleans:
    """Which words have a mark: one that is not false."""
    found: Booleans = (codes >= 0) & (codes != table.code(FALSE))
    return found


def _truth(table: SymbolTable, values: Booleans) -> Integers:
    return numpy.where(values, table.code(TRUE), table.code(FALSE)).astype(numpy.int32)


def _recode(table: SymbolTable, block: Block, labels: Integers) -> Integers:
    """The codes in PPLIFTED of labels given by their codes in DEPREL; new ones in the order in which they come."""
    values, first, where = numpy.unique(labels, return_index=True, return_inverse=True)
    codes = numpy.empty(len(values), numpy.int32)
    for i in numpy.argsort(first).tolist():
        codes[i] = table.add(block.tables[DEPREL].symbol(int(values[i])) or "")
    return codes[where]


def labels_of(block: Block, words: Places) -> Integers:
    """The codes of the labels of some words; an error if one has none."""
    labels = block.codes(DEPREL)[words]
    if (labels < 0).any():
        line = block.line_number(int(block.word_lines[words[labels < 0][0]]))
        raise DataError(f"the word has no {DEPREL}, which the marks of -pp and -pcr need", block.name, line)
    return labels


def head_labels(block: Block, projected: Projected, words: Places) -> Integers:
    """The codes of the labels, in the file, of the first heads of some lifted words."""
    sentence = numpy.searchsorted(block.starts, words, side="right") - 1
    return labels_of(block, block.starts[sentence] + projected.origins[words] - 1)
