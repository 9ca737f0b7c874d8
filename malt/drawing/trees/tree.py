"""What a picture of a tree shows: words and arcs, each arc with its plane and with what is to be said about it.

>>> from malt.data.sentence import Sentence
>>> rows = [("A", "N", 0, "root"), ("B", "N", 4, "x"), ("C", "N", 1, "y"), ("D", "N", 1, "z")]
>>> tree = tree_of(Sentence.from_rows(rows, "malttab"))
>>> [(arc.head, arc.word, arc.plane, arc.nonprojective) for arc in tree.arcs]
[(0, 1, 0, False), (4, 2, 0, True), (1, 3, 1, False), (1, 4, 0, False)]
>>> tree.planes, tree.crossings
(2, [(2, 3)])
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

import numpy

from malt.data.block import Integers
from malt.data.formats.dataformat import DataFormat
from malt.drawing.page.markup import visible_word
from malt.evaluation.attachment import Arcs
from malt.evaluation.convention import Convention
from malt.evaluation.shape import shape
from malt.evaluation.tally import ratio
from malt.kernel import structure as kernel
from malt.kernel.structure import crossings as kernel_crossings

WRONG_HEAD, WRONG_LABEL, MISSED = "head", "label", "gold"  # kinds of arcs of a comparison
_TAGS = ("UPOSTAG", "CPOSTAG", "POSTAG", "XPOSTAG", "PPOSTAG")
_MULTIWORD, _EMPTY = re.compile(r"^\d+-\d+\t", re.M), re.compile(r"^\d+\.\d+\t", re.M)
_NAME = re.compile(r"^# *(?:sent_id|newdoc id) *= *(.+?) *$", re.M)


class Annotated(Protocol):
    """A sentence as it is drawn, which a `malt.Sentence` is."""

    format: DataFormat

    @property
    def forms(self) -> Sequence[str | None]: ...
    @property
    def heads(self) -> Sequence[int]: ...
    @property
    def labels(self) -> Sequence[str | None]: ...
    def __len__(self) -> int: ...
    def __getitem__(self, column: str) -> Sequence[str | None]: ...


@dataclass(frozen=True)
class Arc:
    """An arc from a head (0: the artificial root) to a word, by position."""

    head: int
    word: int
    label: str
    plane: int = 0
    nonprojective: bool = False
    kind: str = ""  # of a comparison: WRONG_HEAD, WRONG_LABEL, MISSED; nothing where it is right
    wanted: str = ""  # the right label, where this one is wrong

    @property
    def ends(self) -> tuple[int, int]:
        """Its left and its right end."""
        return min(self.head, self.word), max(self.head, self.word)


@dataclass
class Tree:
    """Everything that a picture shows."""

    forms: list[str]
    tags: list[str]
    arcs: list[Arc]
    planes: int = 1  # as few as are enough
    crossings: list[tuple[int, int]] = field(default_factory=list)  # pairs of arcs, each by its word
    projective: bool = True
    comparison: bool = False
    counts: tuple[int, int, int] = (0, 0, 0)  # of a comparison: words that count, right heads, heads and labels right
    name: str = ""  # what the treebank calls the sentence
    left_out: str = ""  # in words, what the file has and the picture has not

    @property
    def las(self) -> float | None:
        """The share of words with the right head and label."""
        return ratio(self.counts[2], self.counts[0])

    @property
    def uas(self) -> float | None:
        """The share of words with the right head."""
        return ratio(self.counts[1], self.counts[0])

    @property
    def text(self) -> str:
        """The words."""
        return " ".join(self.forms)

    @property
    def wrong(self) -> Counter[str]:
        """How many heads and labels are wrong, of the words that count."""
        words, heads, both = self.counts
        return Counter({WRONG_HEAD: words - heads, WRONG_LABEL: heads - both})


def tree_of(sentence: Annotated) -> Tree:
    """The tree of a sentence. Words without a head stand alone; there may be cycles."""
    heads = drawable_heads(sentence.heads)
    planes, number = planes_of(heads)
    found = shape(numpy.array(heads, numpy.int32), numpy.array([0, len(heads)], numpy.int32))
    arcs = [
        Arc(head, word, label or "_", planes[word - 1], bool(found.nonprojective[word - 1]) and head > 0)
        for word, (head, label) in enumerate(zip(heads, _labels(sentence), strict=True), 1)
        if head >= 0
    ]
    return Tree(
        [visible_word(form or "_") for form in sentence.forms],
        _tags(sentence),
        arcs,
        number,
        crossings_of(heads),
        not found.nonprojective.any(),
        name=_name(sentence),
        left_out=_left_out(sentence),
    )


def comparison_of(gold: Annotated, system: Annotated, convention: Convention) -> Tree:
    """The tree that a parser has found, with what is wrong in it and how it should have been.

    What counts as the same label, and which words count for the score, the convention says.
    """
    tree, right = tree_of(system), tree_of(gold)
    found = {arc.word: arc for arc in tree.arcs}
    arcs: list[Arc] = []
    codes: dict[str, int] = {}
    theirs, wanted = (
        Arcs.from_names(drawable_heads(one.heads), [label or "_" for label in _labels(one)], convention, codes)
        for one in (system, gold)
    )
    heads, labels = theirs.right_heads(wanted), theirs.right_labels(wanted)
    for arc in right.arcs:
        ours = found.pop(arc.word, None)
        same_head, same_label = bool(heads[arc.word - 1]), bool(labels[arc.word - 1])
        if ours is not None:
            kind = WRONG_HEAD if not same_head else "" if same_label else WRONG_LABEL
            arcs.append(
                Arc(ours.head, ours.word, ours.label, 0, ours.nonprojective, kind, "" if same_label else arc.label)
            )
        if not same_head:
            arcs.append(Arc(arc.head, arc.word, arc.label, 0, arc.nonprojective, MISSED))
    arcs += [Arc(a.head, a.word, a.label, 0, a.nonprojective, WRONG_HEAD) for a in found.values()]  # gold has none
    tree.arcs, tree.comparison = arcs, True
    counted = numpy.array([convention.counts(form or "_") for form in gold.forms]) & (wanted.heads >= 0)
    tree.counts = (int(counted.sum()), int((heads & counted).sum()), int((theirs.right(wanted) & counted).sum()))
    tree.tags, tree.name, tree.left_out = right.tags, right.name or tree.name, right.left_out
    tree.planes, tree.projective = right.planes, right.projective  # what is said of a sentence is said of its gold tree
    return tree


def drawable_heads(heads: Sequence[int]) -> list[int]:
    """The heads that can be drawn; -1 for others.

    >>> drawable_heads([2, 9, 0, -1])
    [2, -1, 0, -1]
    """
    return [head if 0 <= head <= len(heads) else -1 for head in heads]


def planes_of(heads: Sequence[int]) -> tuple[list[int], int]:
    """The plane of each word's arc, from 0, and the number of planes: as few as are enough, most arcs in the first.

    >>> planes_of([0, 4, 1, 1])
    ([0, 0, 1, 0], 2)
    >>> planes_of([0, 5, 6, 1, 1, 1])
    ([0, 1, 2, 0, 0, 0], 3)
    """
    array = _between_words(heads)
    _, number = kernel.planarity(array) if len(array) else (1, 1)
    neighbours: dict[int, set[int]] = {}
    for one, two in crossings_of(heads):
        neighbours.setdefault(one, set()).add(two)
        neighbours.setdefault(two, set()).add(one)
    if not neighbours:
        return [0] * len(heads), number
    found = kernel.planes(array, number).tolist()
    if any(found[word - 1] < 0 for word in neighbours):  # no answer within reasonable time: one that is valid
        for word in sorted(neighbours):
            taken = {found[other - 1] for other in neighbours[word] if other < word}
            found[word - 1] = next(plane for plane in range(len(heads)) if plane not in taken)
    planes = [0] * len(heads)
    seen: set[int] = set()
    for start in sorted(neighbours):
        if start in seen:
            continue
        component = [start]
        seen.add(start)
        for word in component:  # grows while it is walked through
            component += sorted(neighbours[word] - seen)
            seen |= neighbours[word]
        # Within a component planes can be exchanged: the one with most arcs comes first.
        sizes = Counter(found[word - 1] for word in component)
        order = sorted(sizes, key=lambda plane: (-sizes[plane], min(w for w in component if found[w - 1] == plane)))
        for word in component:
            planes[word - 1] = order.index(found[word - 1])
    return planes, max(planes) + 1


def crossings_of(heads: Sequence[int]) -> list[tuple[int, int]]:
    """The pairs of arcs between words that cross, each named by its dependent.

    >>> crossings_of([0, 4, 1, 1])
    [(2, 3)]
    """
    array = _between_words(heads)
    if not len(array):
        return []
    starts, others, _ = kernel_crossings(array)
    ends = starts.tolist()
    words = range(1, len(array) + 1)
    return [(one, two) for one in words for two in others[ends[one] : ends[one + 1]].tolist() if one < two]


def _between_words(heads: Sequence[int]) -> Integers:
    """The heads, without arcs that begin and end at one word or that are not there."""
    return numpy.array([0 if head in (word, -1) else head for word, head in enumerate(heads, 1)], numpy.int32)


def _labels(sentence: Annotated) -> Sequence[str | None]:
    return sentence.labels if sentence.format.label_columns else [None] * len(sentence)


def _tags(sentence: Annotated) -> list[str]:
    """The parts of speech: of the first column of them that has any."""
    for column in _TAGS:
        if column in sentence.format.coded:
            tags = [tag or "_" for tag in sentence[column]]
            if any(tag != "_" for tag in tags):
                return [tag if tag != "_" else "" for tag in tags]
    return [""] * len(sentence)


def _name(sentence: Annotated) -> str:
    found = _NAME.search(str(sentence))
    return found[1] if found else ""


def _left_out(sentence: Annotated) -> str:
    if sentence.format.name != "conllu":
        return ""
    found = {"multiword token": _MULTIWORD, "empty node": _EMPTY}
    counts = {what: len(pattern.findall(str(sentence))) for what, pattern in found.items()}
    parts = [f"{n} {what}{'s' * (n != 1)}" for what, n in counts.items() if n]
    verb = "are" if sum(counts.values()) > 1 else "is"
    return f"The tree is of syntactic words; {' and '.join(parts)} of the file {verb} not shown." if parts else ""
