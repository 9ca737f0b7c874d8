"""The marks of pseudo-projective parsing as part of labels: what `malt proj` writes and `malt deproj` reads.

A lifted arc becomes `SB|OC`, with the label of the former head, or `SB|` where that is not marked; an arc past which
something was lifted becomes `OC%`; that of a covered root word `ROOT|null`.
"""

from __future__ import annotations

from dataclasses import replace

import numpy

from malt.data.block import Block, Integers
from malt.data.symbols import Tables
from malt.errors import DataError
from malt.kernel import projectivity
from malt.kernel.symbols import SymbolTable
from malt.running.log import logger
from malt.trees.pseudoprojectivity import (
    COVERED,
    DEPREL,
    FALSE,
    LIFTED,
    PATH,
    SEARCH,
    TRUE,
    Places,
    Projected,
    PseudoProjectivity,
    head_labels,
    is_marked,
    labels_of,
)

_COVERED = 4  # beside 1 for lifted and 2 for path


def join(label: str, head: str, marks: int, pseudo: PseudoProjectivity) -> str:
    """A label with its marks.

    >>> join("SB", "OC", 3, PseudoProjectivity("head+path")), join("SB", "OC", 3, PseudoProjectivity("path"))
    ('SB|OC%', 'SB|%')
    """
    if marks & _COVERED:
        return f"{label}|null"
    lifted = "" if not marks & 1 else "|" if pseudo.marking == "path" else f"|{head}"
    return f"{label}{lifted}{'%' if marks & 2 else ''}"


def split(label: str, pseudo: PseudoProjectivity) -> tuple[str, str, bool, bool]:
    """A label without its marks, what PPLIFTED is, and whether PPPATH and PPCOVERED are true.

    >>> split("SB|OC%", PseudoProjectivity("head+path")), split("SB|null", PseudoProjectivity("head", "left"))
    (('SB', 'OC', True, False), ('SB', '#false#', False, True))
    """
    lifted, path = FALSE, False
    if PATH in pseudo.marks and label.endswith("%") and label != "%":
        label, path = label[:-1], True
    at = label.find("|null") if COVERED in pseudo.marks else -1
    if at > 0:
        return label[:at], lifted, path, True
    at = -1
    if pseudo.marking == "path" and label.endswith("|"):
        at = len(label) - 1
    elif pseudo.marking in SEARCH and pseudo.marking != "path":
        at = label.find("|")
    if at > 0:
        label, lifted = label[:at], label[at + 1 :] or TRUE
    return label, lifted, path, False


def foreign(label: str, pseudo: PseudoProjectivity) -> bool:
    """Whether a label has a mark that these options do not make.

    >>> foreign("SB|OC%", PseudoProjectivity("path")), foreign("SB|OC%", PseudoProjectivity("head+path"))
    (True, False)
    """
    plain, lifted, _, _ = split(label, pseudo)
    if lifted == TRUE and pseudo.marking != "path":  # a head without a label
        return True
    return "|" in plain[1:] or plain[1:].endswith("%") or lifted.endswith("%") or lifted == "null"


def clash(label: str, pseudo: PseudoProjectivity) -> str:
    """What in a label of a treebank could not be told from a mark, or nothing.

    >>> clash("A|B", PseudoProjectivity("head")), clash("A|B", PseudoProjectivity("baseline"))
    ('|', '')
    """
    named = pseudo.marking in ("head", "head+path")  # the label may come after a |
    bars = named or pseudo.marking == "path" or pseudo.marks_covered
    if bars and (label.endswith("|") or (named and "|" in label)):
        return "|"
    if PATH in pseudo.marks and label.endswith("%"):
        return "%"
    if COVERED in pseudo.marks and ("|null" in label or (named and label.startswith("null"))):
        return "null"
    return ""


class Merger:
    """Writes marks into labels.

    `table` gets what DEPREL holds in MaltParser: of each sentence first the labels, then the marked ones.
    """

    def __init__(self, pseudo: PseudoProjectivity, table: SymbolTable, strict: bool) -> None:
        """With `strict`, a label that could not be told from one with marks is an error, otherwise a warning."""
        self.pseudo, self.table, self.strict = pseudo, table, strict
        self._codes = numpy.empty(0, numpy.int32)  # the reader's codes -> codes in `table`; -1 for labels not yet met

    def merge(self, block: Block, projected: Projected) -> Block:
        """The block with its new heads and labels."""
        known = block.tables[DEPREL]
        labels = block.codes(DEPREL)
        self._codes = numpy.append(self._codes, numpy.full(known.next_code - len(self._codes), -1, numpy.int32))
        places, texts, which = self._marked(block, projected)
        # First come the new labels of a sentence, then its marked ones, as there.
        met = numpy.flatnonzero((labels >= 0) & (self._codes[labels] < 0))
        new, first = numpy.unique(labels[met], return_index=True)
        entries = [
            (int(met[i]), 0, int(code), str(known.symbol(code))) for code, i in zip(new.tolist(), first, strict=True)
        ]
        _, first = numpy.unique(which, return_index=True)
        entries += [(int(places[i]), 1, text, texts[text]) for text, i in enumerate(first.tolist())]
        marked = numpy.empty(len(texts), numpy.int32)
        sentences = numpy.searchsorted(block.starts, [word for word, *_ in entries], side="right")
        for _, (word, phase, index, text) in sorted(
            zip(sentences.tolist(), entries, strict=True), key=lambda item: (item[0], item[1][1], item[1][0])
        ):
            if phase:
                marked[index] = self.table.add(text)
            else:
                self._codes[index] = self.table.add(text)
                self._warn(text, block, word)
        values = block.values.copy()
        column = values[:, block.format.coded.index(DEPREL)]
        column[:] = numpy.where(labels >= 0, self._codes[labels], -1)
        column[places] = marked[which]
        return replace(block, heads=projected.heads, values=values, tables={**block.tables, DEPREL: self.table})

    def _marked(self, block: Block, projected: Projected) -> tuple[Places, list[str], Places]:
        """The words with marks, the different labels that they get, and which of these each of them gets."""
        marks = numpy.zeros(len(block.heads), numpy.int64)
        if self.pseudo.marking in SEARCH:
            marks |= projected.origins > 0
        if PATH in self.pseudo.marks:
            marks |= 2 * projected.paths
        marks[projected.covered] = _COVERED if self.pseudo.marks_covered else 0
        places = numpy.flatnonzero(marks)
        heads = numpy.zeros(len(places), numpy.int64)
        lifted = (marks[places] & 1) > 0
        heads[lifted] = head_labels(block, projected, places[lifted])
        rows, which = numpy.unique(
            numpy.stack([labels_of(block, places), heads, marks[places]], axis=1), axis=0, return_inverse=True
        )
        known = block.tables[DEPREL]
        texts = [join(known.symbol(a) or "", known.symbol(b) or "", c, self.pseudo) for a, b, c in rows.tolist()]
        return places, texts, which.reshape(-1)

    def _warn(self, label: str, block: Block, word: int) -> None:
        found = clash(label, self.pseudo)
        if not found:
            return
        line = block.line_number(int(block.word_lines[word]))
        message = f"the label {label!r} has {found!r} in it, which deproj cannot tell from a mark; rename the label"
        error = DataError(message, block.name, line)
        if self.strict:
            raise error
        logger.warning("warning: %s", error)


class Splitter:
    """Takes marks out of labels. DEPREL among the tables gets the labels without marks."""

    def __init__(self, pseudo: PseudoProjectivity, tables: Tables) -> None:
        self.pseudo, self.tables, self.table = pseudo, tables, tables[DEPREL]
        self._codes = numpy.empty(
            (0, 4), numpy.int32
        )  # the reader's codes -> codes of label, PPLIFTED, PPPATH, PPCOVERED
        self._told = False
        self._marked = {LIFTED: 0, PATH: 0}  # how many words are

    def split(self, block: Block, only_trees: bool) -> tuple[Block, dict[str, Integers], Integers]:
        """The block with its new labels, the codes of the marks, and the state of each sentence.

        With `only_trees`, what is not a tree keeps its labels as they are, as `proj` leaves it alone too.
        """
        known, labels = block.tables[DEPREL], block.codes(DEPREL)
        codes = range(len(self._codes), known.next_code)
        self._tell_foreign(block, [code for code in codes if foreign(known.symbol(code) or "", self.pseudo)])
        new = [self._split(known.symbol(code) or "") for code in codes]
        self._codes = numpy.concatenate([self._codes, numpy.array(new, numpy.int32).reshape(-1, 4)])
        *_, states = projectivity.projectivize(block.starts, block.heads, lifting=False)
        columns = numpy.where((labels >= 0)[:, None], self._codes[labels], -1)
        if only_trees:
            alone = numpy.repeat(states != projectivity.TREE, numpy.diff(block.starts)) & (labels >= 0)
            columns[alone, 1:] = -1
            for word in numpy.flatnonzero(alone).tolist():
                columns[word, 0] = self.table.add(known.symbol(int(labels[word])) or "")
        values = block.values.copy()
        values[:, block.format.coded.index(DEPREL)] = columns[:, 0]
        marks = {name: columns[:, i] for i, name in enumerate((LIFTED, PATH, COVERED), 1) if name in self.pseudo.marks}
        for name in self._marked.keys() & marks.keys():
            self._marked[name] += int(is_marked(marks[name], self.tables[name]).sum())
        return replace(block, values=values, tables={**block.tables, DEPREL: self.table}), marks, states

    def tell_missing(self, name: str) -> None:
        """Warn, at the end of a file, where arcs were lifted and yet nothing was lifted past any arc."""
        if PATH in self.pseudo.marks and self._marked[LIFTED] and not self._marked[PATH] and not self._told:
            marking = self.pseudo.marking
            reason = f"labels of lifted arcs have | in them, but none ends with %, as -pp {marking} makes them"
            logger.warning("warning: %s", DataError(f"{reason}; give the options that proj got", name))

    def _tell_foreign(self, block: Block, codes: list[int]) -> None:
        """Warn, once, of labels that other options have marked."""
        words = numpy.flatnonzero(numpy.isin(block.codes(DEPREL), codes))
        if self._told or not len(words):
            return
        label = block.tables[DEPREL].symbol(int(block.codes(DEPREL)[words[0]]))
        line = block.line_number(int(block.word_lines[words[0]]))
        given = f"-pp {self.pseudo.marking} -pcr {self.pseudo.covered_root}"
        reason = f"the label {label!r} has a mark that {given} does not make"
        logger.warning("warning: %s", DataError(f"{reason}; give the options that proj got", block.name, line))
        self._told = True

    def _split(self, symbol: str) -> tuple[int, int, int, int]:
        label, lifted, path, covered = split(symbol, self.pseudo)
        texts = {LIFTED: lifted, PATH: TRUE if path else FALSE, COVERED: TRUE if covered else FALSE}
        marks = (
            self.tables[name].add(texts[name]) if name in self.pseudo.marks else -1 for name in (LIFTED, PATH, COVERED)
        )
        return (self.table.add(label), *marks)  # type: ignore[return-value]
