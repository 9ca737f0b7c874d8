"""A survey of a treebank while it is learned from: what its trees have in common, and how many values are rare."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import numpy
import numpy.typing

from malt.data.block import Block
from malt.features.values import STRING
from malt.kernel.symbols import SymbolTable
from malt.parsing.specification import Specification
from malt.parsing.trees import count_roots
from malt.systems.language import ANY, LABELLED, ONE

NAMED = 5  # of many files that are read as one, so many are named
EMPTY = "_"  # what a column has where there is nothing


class Survey:
    """Looks at blocks as they go by."""

    def __init__(self, specification: Specification) -> None:
        self._spec = specification
        self._files: dict[str, None] = {}
        self.sentences = self.words = 0
        self.root_labels: Counter[str] = Counter()  # of words on the root
        self._others: Counter[str] = Counter()  # of all others
        self.unrooted = 0  # trees that have not exactly one word on the root
        self._tables: dict[str, SymbolTable] = {}
        self._counts: dict[str, numpy.typing.NDArray[numpy.int64]] = {}  # of each code of a column

    def watch(self, blocks: Iterable[Block]) -> Iterator[Block]:
        """The blocks."""
        for block in blocks:
            self.add(block)
            yield block

    def add(self, block: Block) -> None:
        """Take in a block."""
        self._files[Path(block.name).name] = None
        self.sentences += len(block)
        self.words += len(block.heads)
        on_root = block.heads == 0
        self.unrooted += int((count_roots(block.heads, block.starts) != 1).sum())
        if block.format.label_columns:
            for words, counts in ((on_root, self.root_labels), (~on_root, self._others)):
                counts.update(label_counts(block, words))
        for name in string_columns(self._spec):
            found = numpy.bincount(block.codes(name) + 1)  # the first is for words without a value
            known = self._counts.get(name, numpy.zeros(0, numpy.int64))
            size = max(len(found), len(known))
            self._counts[name] = numpy.pad(found, (0, size - len(found))) + numpy.pad(known, (0, size - len(known)))
            self._tables[name] = block.tables[name]

    @property
    def file(self) -> str:
        """The name of the file, or those of several."""
        names = [*self._files]
        rest = len(names) - NAMED
        return ", ".join(names[:NAMED]) + (f" and {rest} more" if rest > 0 else "")

    def roots(self, root_labels: Sequence[str]) -> str:
        """How many words hang on the root in every tree (-rt); `root_labels` are the default labels (-grl)."""
        if self.unrooted or not self.words:
            return ANY
        return LABELLED if [*self.root_labels] == [*root_labels][:1] and not self._others[root_labels[0]] else ONE

    def strange(self) -> dict[str, float]:
        """Of each column, the share of words whose value is empty or seen nowhere else."""
        found = {}
        for name, counts in self._counts.items() if self.words else ():
            rare = counts == 1
            rare[0] = False
            empty = self._tables[name].code(EMPTY) + 1  # 0 if there is no such symbol
            rare[empty] = False
            number = int(rare.sum()) + int(counts[0]) + (int(counts[empty]) if empty else 0)
            found[name] = round(number / max(1, self.words), 6)
        return found


def label_counts(block: Block, words: numpy.typing.NDArray[numpy.bool_]) -> dict[str, int]:
    """How often some words of a block have each label, in the first column of labels."""
    column = block.format.label_columns[0]
    codes, times = numpy.unique(block.codes(column)[words], return_counts=True)
    table = block.tables[column]
    return {table.symbol(code) or "": number for code, number in zip(codes.tolist(), times.tolist(), strict=True)}


def usual_root_label(block: Block) -> str:
    """The label of more than half of the words on the root; nothing if there is none."""
    if not block.format.label_columns:
        return ""
    counts = Counter(label_counts(block, block.heads == 0))
    label, number = counts.most_common(1)[0] if counts else ("", 0)
    return label if 2 * number > counts.total() else ""


def string_columns(specification: Specification) -> tuple[str, ...]:
    """The columns with symbols that the features look at."""
    columns = {column.name: column.type for column in specification.format.columns}
    coded = specification.format.coded
    return tuple(name for name in specification.features.input_columns if columns.get(name) == STRING and name in coded)
