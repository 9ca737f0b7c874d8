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
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache, partial
from itertools import chain, repeat
from typing import NamedTuple, Protocol, cast

import numpy

from malt.data.block import Integers
from malt.data.formats.dataformat import DataFormat
from malt.drawing.page.markup import visible, visible_word
from malt.evaluation.attachment import Arcs
from malt.evaluation.convention import Convention
from malt.evaluation.shape import shape
from malt.evaluation.tally import ratio
from malt.kernel import structure as kernel
from malt.kernel.structure import crossings as kernel_crossings

WRONG_HEAD, WRONG_LABEL, MISSED = "head", "label", "gold"  # kinds of arcs of a comparison
MOST_WORDS = 1000  # of a picture: it is then about 50,000 pixels wide
MOST_CROSSINGS = 2000  # that are marked in a picture
MANY_CROSSINGS = 100_000  # of a sentence, after which planes are not put in order
_TAGS = ("UPOSTAG", "CPOSTAG", "POSTAG", "XPOSTAG", "PPOSTAG")
_NO_WORD = re.compile(r"\n\d+([-.])\d+\t")  # a line of a multiword token or of an empty node
_COMMENT = re.compile(r"^# *(sent_id|newdoc id|text) *= *(.*[^ \n]) *$", re.M)


class Annotated(Protocol):
    """A sentence as it is drawn, which a `malt.Sentence` is."""

    format: DataFormat

    @property
    def forms(self) -> Sequence[str | None]: ...
    @property
    def heads(self) -> Sequence[int]: ...
    @property
    def labels(self) -> Sequence[str | None]: ...
    @property
    def graph(self) -> Sequence[Sequence[tuple[int, str]]]: ...
    def __str__(self) -> str: ...
    def __len__(self) -> int: ...
    def __getitem__(self, column: str) -> Sequence[str | None]: ...


class Arc(NamedTuple):
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
        return (self.head, self.word) if self.head < self.word else (self.word, self.head)


_new_arc = cast("Callable[[tuple[object, ...]], Arc]", partial(tuple.__new__, Arc))  # of all fields


@dataclass
class Tree:
    """Everything that a picture shows."""

    forms: list[str]
    tags: list[str]
    arcs: list[Arc]
    planes: int = 1  # as few as are enough
    crossings: list[tuple[int, int]] = field(
        default_factory=list
    )  # pairs of arcs, each by its word; of a graph, by its place
    projective: bool = True
    comparison: bool = False
    counts: tuple[int, int, int] = (0, 0, 0)  # of a comparison: words that count, right heads, heads and labels right
    name: str = ""  # what the treebank calls the sentence
    left_out: str = ""  # in words, what the file has and the picture has not
    written: str = ""  # the sentence as the file has it in `# text`
    graph: bool = False  # may a word have several arcs?

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
        """The sentence as it is written, or else its words."""
        return self.written or " ".join(self.forms)

    @property
    def wrong(self) -> Counter[str]:
        """How many heads and labels are wrong, of the words that count."""
        words, heads, both = self.counts
        return Counter({WRONG_HEAD: words - heads, WRONG_LABEL: heads - both})


def tree_of(sentence: Annotated) -> Tree:
    """The tree of a sentence. Words without a head stand alone; there may be cycles."""
    return trees_of([sentence])[0]


def trees_of(sentences: Sequence[Annotated]) -> list[Tree]:
    """The trees of sentences. Many at once are faster than one after another."""
    every = [drawable_heads(sentence.heads) for sentence in sentences]
    starts = numpy.cumsum([0, *map(len, every)])
    every_head = numpy.array([*chain.from_iterable(every)], numpy.int32)
    found = shape(every_head, starts)
    nonprojective = (found.nonprojective & (every_head > 0)).tolist()
    # Without cycles, arcs that are all projective do not cross.
    doubtful = numpy.add.accumulate(numpy.append(0, found.nonprojective | (found.depth < 0)))[starts].tolist()
    trees = []
    for place, (sentence, heads) in enumerate(zip(sentences, every, strict=True)):
        stars = nonprojective[starts[place] : starts[place + 1]]
        planes, number, crossings = [0] * len(heads), 1, []
        if doubtful[place] < doubtful[place + 1]:
            (planes, number), crossings = planes_of(heads), crossings_of(heads)
        labels = _labels(sentence)
        if None in labels:
            labels = [label or "_" for label in labels]
        rows = zip(heads, range(1, len(heads) + 1), labels, planes, stars, repeat(""), repeat(""), strict=False)
        arcs = list(map(_new_arc, rows))
        if -1 in heads:
            arcs = [arc for arc in arcs if arc.head >= 0]
        lines = str(sentence)
        begin = _after_comments(lines)
        said = dict(reversed(_COMMENT.findall(lines, 0, begin)))
        trees.append(
            Tree(
                list(map(visible_form, sentence.forms)),
                tags_of(sentence),
                arcs,
                number,
                crossings,
                True not in stars,
                name=said.get("sent_id") or said.get("newdoc id") or "",
                left_out=_left_out(lines, begin, len(heads)) if sentence.format.name == "conllu" else "",
                written=visible(said.get("text", "")),
            )
        )
    return trees


def graphs_of(sentences: Sequence[Annotated]) -> list[Tree]:
    """The graphs of sentences: what their trees are drawn with, and other arcs.

    >>> from malt.data.sentence import Sentence
    >>> lines = ("1\\tA\\t_\\t_\\t_\\t_\\t0\\tr\\t0:r|2:x\\t_", "2\\tB\\t_\\t_\\t_\\t_\\t1\\ty\\t1:y\\t_")
    >>> [graph] = graphs_of([Sentence.from_text("\\n".join([*lines, ""]))])
    >>> [(arc.head, arc.word, arc.label) for arc in graph.arcs], graph.planes
    ([(0, 1, 'r'), (2, 1, 'x'), (1, 2, 'y')], 1)
    """
    trees = trees_of(sentences)
    for tree, sentence in zip(trees, sentences, strict=True):
        arcs = [Arc(head, word, label) for word, found in enumerate(sentence.graph, 1) for head, label in found]
        inner = [place for place, arc in enumerate(arcs) if 0 < arc.head != arc.word]
        links = sorted({arcs[place].ends for place in inner})
        one, two = (numpy.array([link[side] for link in links], numpy.int32) for side in (0, 1))
        _, _, tree.planes = kernel.graph_planarity(one, two, len(tree.forms))
        found = dict(zip(links, kernel.graph_planes(one, two, len(tree.forms), tree.planes).tolist(), strict=True))
        tree.arcs = [arc._replace(plane=max(0, found[arc.ends])) if arc.ends in found else arc for arc in arcs]
        tree.crossings = [
            (first, second)
            for at, first in enumerate(inner if tree.planes > 1 else ())
            for second in inner[at + 1 :]
            if _cross(arcs[first].ends, arcs[second].ends)
        ]
        tree.graph, tree.projective = True, True
    return trees


def _cross(one: tuple[int, int], two: tuple[int, int]) -> bool:
    return one[0] < two[0] < one[1] < two[1] or two[0] < one[0] < two[1] < one[1]


def first_words(tree: Tree) -> Tree:
    """The tree, or where it is too large for a picture, its beginning, which then says so."""
    words, crossings = len(tree.forms), len(tree.crossings)
    if words <= MOST_WORDS and crossings <= MOST_CROSSINGS:
        return tree
    arcs = [arc for arc in tree.arcs if arc.head <= MOST_WORDS and arc.word <= MOST_WORDS]
    there = {arc.word for arc in arcs if arc.kind != MISSED}
    inside = [pair for pair in tree.crossings if pair[0] in there and pair[1] in there]
    if tree.graph and len(arcs) < len(tree.arcs):
        inside = []  # arcs go by other places now
    said = [tree.left_out]
    if words > MOST_WORDS:
        said.append(f"Only the first {MOST_WORDS:,} of {words:,} words are shown, and the arcs between them.")
    if len(inside) > MOST_CROSSINGS:
        said.append(f"Only {MOST_CROSSINGS:,} of {len(inside):,} crossings are marked.")
    return replace(
        tree,
        forms=tree.forms[:MOST_WORDS],
        tags=tree.tags[:MOST_WORDS],
        arcs=arcs,
        crossings=inside[:MOST_CROSSINGS],
        left_out=" ".join(filter(None, said)),
        written=tree.written if words <= MOST_WORDS else "",
    )


def comparison_of(gold: Annotated, system: Annotated, convention: Convention) -> Tree:
    """The tree that a parser has found, with what is wrong in it and how it should have been.

    What counts as the same label, and which words count for the score, the convention says.
    """
    return comparisons_of([gold], [system], convention)[0]


def comparisons_of(golds: Sequence[Annotated], systems: Sequence[Annotated], convention: Convention) -> list[Tree]:
    """The same of many sentences at once."""
    both = zip(golds, systems, trees_of(golds), trees_of(systems), strict=True)
    return [_compare(gold, system, right, tree, convention) for gold, system, right, tree in both]


def _compare(gold: Annotated, system: Annotated, right: Tree, tree: Tree, convention: Convention) -> Tree:
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
    tree.written = right.written or tree.written
    tree.planes, tree.projective = right.planes, right.projective  # what is said of a sentence is said of its gold tree
    return tree


def drawable_heads(heads: Sequence[int]) -> list[int]:
    """The heads that can be drawn; -1 for others.

    >>> drawable_heads([2, 9, 0, -1])
    [2, -1, 0, -1]
    """
    last = len(heads)
    if not heads or (max(heads) <= last and min(heads) >= -1):
        return list(heads)
    return [head if 0 <= head <= last else -1 for head in heads]


def planes_of(heads: Sequence[int]) -> tuple[list[int], int]:
    """The plane of each word's arc, from 0, and the number of planes: as few as are enough, most arcs in the first.

    >>> planes_of([0, 4, 1, 1])
    ([0, 0, 1, 0], 2)
    >>> planes_of([0, 5, 6, 1, 1, 1])
    ([0, 1, 2, 0, 0, 0], 3)
    """
    array = _between_words(heads)
    _, number = kernel.planarity(array) if len(array) else (1, 1)
    crossings = crossings_of(heads)
    if len(crossings) > MANY_CROSSINGS or (number > 1 and not crossings):  # or more than the kernel can list
        planes = numpy.maximum(kernel.planes(array, number), 0).tolist()
        return planes, max(planes) + 1
    neighbours: dict[int, set[int]] = {}
    for one, two in crossings:
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


def tags_of(sentence: Annotated) -> list[str]:
    """The parts of speech: of the first column of them that has any."""
    for column in _TAGS:
        if column in sentence.format.coded:
            tags = sentence[column]
            missing = tags.count("_") + tags.count(None)
            if not missing:
                return list(map(str, tags))
            if missing < len(tags):
                return ["" if tag is None or tag == "_" else tag for tag in tags]
    return [""] * len(sentence)


@lru_cache(1 << 16)
def visible_form(form: str | None) -> str:
    """A form as it is shown."""
    return visible_word(form or "_")


def _after_comments(lines: str) -> int:
    """Where the comments before the first word end."""
    end = 0
    while lines.startswith("#", end):
        end = lines.find("\n", end) + 1 or len(lines)
    return end


def _left_out(lines: str, begin: int, words: int) -> str:
    if lines.count("\n", begin, len(lines.rstrip())) < words:  # a line for each word
        return ""
    found = _NO_WORD.findall("\n" + lines[begin:])
    counts = {"multiword token": found.count("-"), "empty node": found.count(".")}
    parts = [f"{n} {what}{'s' * (n != 1)}" for what, n in counts.items() if n]
    verb = "are" if sum(counts.values()) > 1 else "is"
    return f"The tree is of syntactic words; {' and '.join(parts)} of the file {verb} not shown." if parts else ""
