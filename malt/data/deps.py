"""The column DEPS of CoNLL-U: enhanced dependencies, read as graphs and written.

Empty nodes are read as what they stand for: a path over them becomes one arc, whose label has all labels of the path,
such as conj>nsubj. So does the scorer of the IWPT 2020 shared task. A parser makes no empty nodes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from malt.data.block import Block
from malt.data.formats.dataformat import DEPS, EMPTY, DataFormat
from malt.data.graph import Graph
from malt.errors import DataError, UsageError, quoted

PATH = ">"  # between the labels of a path over empty nodes

_EMPTY_NODE = re.compile(r"[0-9]+\.[0-9]+")
_HEAD = re.compile(r"[0-9]+(\.[0-9]+)?")

Arcs = list[tuple[str, str]]  # (id of the head, label), as the file has them


def deps_column(format: DataFormat) -> int:
    """Where DEPS is; an error if the format has none, or no ids that it could name."""
    if DEPS not in format.names or format.id_column < 0 or not format.label_columns:
        raise UsageError(f"{format.name} has no columns ID, DEPREL and {DEPS} for graphs; conllu has them")
    return format.names.index(DEPS)


def read_deps(block: Block) -> Graph:
    """The graphs of a block. Labels enter the table of the first column of labels.

    >>> from malt.data.treebank import read_text
    >>> from malt.data.formats.dataformat import find_format
    >>> text = b"1\\tA\\t_\\t_\\t_\\t_\\t0\\troot\\t0:root\\t_\\n2\\tB\\t_\\t_\\t_\\t_\\t1\\tx\\t1:x|2.1:y\\t_\\n"
    >>> text += b"2.1\\tC\\t_\\t_\\t_\\t_\\t_\\t_\\t1:conj\\t_\\n"
    >>> [block] = read_text(text, find_format("conllu"), "the text")
    >>> graph = read_deps(block)
    >>> graph.heads.tolist(), [block.tables["DEPREL"].symbol(code) for code in graph.labels.tolist()]
    ([0, 1, 1], ['root', 'x', 'conj>y'])
    """
    column, table = deps_column(block.format), block.tables[block.format.label_columns[0]]
    codes: dict[str, int] = {}
    words: list[int] = []
    heads: list[int] = []
    labels: list[int] = []
    for sentence in range(len(block)):
        first = int(block.starts[sentence])
        reader = _Reader(block, sentence, column)
        for word, arcs in enumerate(reader.arcs()):
            for head, label in arcs:
                code = codes.get(label)
                if code is None:
                    code = codes[label] = table.add(label)
                words.append(first + word)
                heads.append(head)
                labels.append(code)
    return Graph.of(len(block.heads), words, heads, labels)


class _Reader:
    """Reads one sentence."""

    def __init__(self, block: Block, sentence: int, column: int) -> None:
        self.block, self.column = block, column
        self.at = int(block.bounds[sentence])  # of the line that is read, for errors
        self.words: list[Arcs] = []
        self.empty: dict[str, Arcs] = {}
        self.positions = {"0": 0}  # id of a word -> its position
        self.fields: list[tuple[int, Arcs]] = []  # where each was read
        place, word = block.format.id_column, int(block.starts[sentence])
        for line in block.text[self.at : int(block.bounds[sentence + 1])].splitlines(keepends=True):
            fields = line.decode().strip("\r\n").lstrip("\ufeff").split("\t")
            if word < block.starts[sentence + 1] and block.word_lines[word] == self.at:
                word += 1
                self.positions[fields[place].strip()] = len(self.words) + 1
                self.words.append(self._field(fields))
            elif len(fields) > place and _EMPTY_NODE.fullmatch(fields[place].strip()):
                self.empty[fields[place].strip()] = self._field(fields)
            self.at += len(line)

    def _field(self, fields: list[str]) -> Arcs:
        text = fields[self.column] if len(fields) > self.column else EMPTY
        arcs: Arcs = []
        if text not in (EMPTY, ""):
            for part in text.split("|"):
                head, colon, label = part.partition(":")
                if not colon or not label or not _HEAD.fullmatch(head):
                    raise self._fault(f"{DEPS} has {quoted(part)}; expected HEAD:LABEL, with | between them", self.at)
                arcs.append((head, label))
            self.fields.append((self.at, arcs))
        return arcs

    def _fault(self, message: str, at: int) -> DataError:
        return DataError(message, self.block.name, self.block.line_number(at))

    def arcs(self) -> Iterator[list[tuple[int, str]]]:
        """For each word its heads, as positions, and labels."""
        for at, arcs in self.fields:
            for head, _ in arcs:
                if head not in self.positions and head not in self.empty:
                    raise self._fault(f"{DEPS} has the head {head}, which is no word of the sentence", at)
        for arcs in self.words:
            if self.empty:
                arcs = [whole for head, label in arcs for whole in self._paths(head, label, ())]
            yield [(self.positions[head], label) for head, label in arcs]

    def _paths(self, head: str, label: str, passed: tuple[str, ...]) -> Iterator[tuple[str, str]]:
        """The paths from words to an arc, over empty nodes, over each of them once."""
        if head in self.positions:
            yield head, label
        elif head not in passed:
            for above, first in self.empty[head]:
                yield from self._paths(above, f"{first}{PATH}{label}", (*passed, head))


def write_deps(text: bytes, block: Block, format: DataFormat) -> bytes:
    """A text of the block's sentences in a format, with the graphs of the block in DEPS. Lines of empty nodes are left
    out: the graphs have none."""
    column, graph = deps_column(format), block.graph
    assert graph is not None
    table = block.tables[block.format.label_columns[0]]
    names = {code: table.symbol(code) or EMPTY for code in set(graph.labels.tolist())}
    starts, heads, labels = graph.starts.tolist(), graph.heads.tolist(), graph.labels.tolist()
    out: list[str] = []
    waiting: list[tuple[int, list[str], str]] = []  # words of a sentence: where their lines are, fields, line ends
    word = 0

    def close() -> None:
        nonlocal word
        ids = ["0", *(fields[format.id_column].strip() for _, fields, _ in waiting)]
        for place, fields, end in waiting:
            arcs = sorted((heads[arc], names[labels[arc]]) for arc in range(starts[word], starts[word + 1]))
            fields += [EMPTY] * (column + 1 - len(fields))
            fields[column] = "|".join(f"{ids[head]}:{label}" for head, label in arcs) or EMPTY
            out[place] = "\t".join(fields) + end
            word += 1
        waiting.clear()

    for raw in text.splitlines(keepends=True):
        line = raw.decode()
        plain = line.rstrip("\r\n")
        fields = plain.lstrip("\ufeff").split("\t")
        if not plain.strip():
            close()
        elif not plain.startswith("#") and len(fields) > 1:
            name = fields[format.id_column].strip()
            if _EMPTY_NODE.fullmatch(name):
                continue
            if name.isdigit():
                waiting.append((len(out), fields, line[len(plain) :]))
        out.append(line)
    close()
    return "".join(out).encode()
