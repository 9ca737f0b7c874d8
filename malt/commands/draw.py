"""`malt draw`: trees as text, as SVG, as a page, or for LaTeX; one file, or a parsed file against a gold standard."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import chain

from malt.data.files import STANDARD_INPUT, STANDARD_OUTPUT, open_output
from malt.data.sentence import Sentence, sentences_of
from malt.data.treebank import Treebank
from malt.drawing.page.markup import visible
from malt.drawing.trees.text import encoded_text
from malt.drawing.trees.tree import Tree, comparisons_of, graphs_of, trees_of
from malt.errors import DataError, UsageError
from malt.evaluation.alignment import align, open_together, openers_of
from malt.evaluation.convention import CONVENTIONS, Convention, convention_of
from malt.running import progress
from malt.running.colours import has_colours
from malt.running.log import logger
from malt.settings.settings import Settings

SUFFIXES = {".svg": "svg", ".html": "html", ".htm": "html", ".tex": "latex", ".txt": "text", "": "text"}
KINDS = {"svg": "picture", "html": "page", "latex": "LaTeX file", "text": "drawing"}  # of files
MANY = 10_000  # sentences, after which a picture or a page is slow to open
AT_ONCE = 200  # sentences: few enough that a reader sees the first ones soon
NO_GOLD = "a word has no head, but in the gold standard every word needs one; is the gold file the first one?"
_RANGE = re.compile(r"(\d{1,9})?(-)?(\d{1,9})?")

Numbered = tuple[int, Tree]


@dataclass(frozen=True)
class Choice:
    """Some sentences of a file, by their numbers from 1.

    >>> choice = Choice.of("3,7-9,20-")
    >>> [n for n in range(1, 30) if n in choice][:6], choice.last
    ([3, 7, 8, 9, 20, 21], None)
    >>> Choice.of("7-3")
    Traceback (most recent call last):
    malt.errors.UsageError: --sentences: expected numbers and ranges such as 3 or 2-5 or 1,4,10-; '7-3' is neither
    """

    ranges: tuple[tuple[int, int | None], ...]

    @classmethod
    def of(cls, text: str | None) -> Choice:
        """From what --sentences says; None is all of them."""
        ranges: list[tuple[int, int | None]] = []
        for part in ["1-"] if text is None else text.replace(" ", "").split(","):
            found = _RANGE.fullmatch(part)
            begin = int(found[1] or 1) if found else 0
            end = None if not found else int(found[3]) if found[3] else None if found[2] else begin
            if not found or part in ("", "-") or begin < 1 or (end is not None and end < begin):
                raise UsageError(
                    f"--sentences: expected numbers and ranges such as 3 or 2-5 or 1,4,10-; {part!r} is neither"
                )
            ranges.append((begin, end))
        return cls(tuple(ranges))

    def __contains__(self, number: int) -> bool:
        return any(begin <= number and (end is None or number <= end) for begin, end in self.ranges)

    @classmethod
    def from_options(cls, options: Settings, key: str) -> Choice:
        """From an option, where an empty one is a mistake and not all of them."""
        return cls.of(options[key] if options.given(key) else None)

    @property
    def last(self) -> int | None:
        """The last that is wanted; None: to the end."""
        ends = [end for _, end in self.ranges]
        return None if None in ends else max(end for end in ends if end is not None)


def run(options: Settings) -> int:
    """Read, then draw."""
    files = list(options.files) or [options["input.infile"]]
    if sum(file in STANDARD_INPUT for file in files) > 1:
        raise UsageError("standard input can be read once: as the gold standard, or as the parsed file")
    target = options["output.outfile"]
    kind = options["draw.as"] if options.given("draw.as") else kind_of(target)
    choice = Choice.from_options(options, "draw.sentences")
    if options["draw.graphs"] and len(files) > 1:
        raise UsageError("--graphs draws one file; `malt eval --graphs` compares two")
    if kind == "text" and options["draw.planes"] == "below":
        logger.warning("warning: --planes below has no effect in text, where arcs stand beside the words")
    with ExitStack() as stack:
        format = options["input.format"] if options.given("input.format") else ""
        charset = options["input.charset"]
        treebanks = stack.enter_context(open_together(openers_of(files), format, charset))
        usual = convention_of(treebanks[0].format.name)
        convention = CONVENTIONS[options["draw.convention"] if options.given("draw.convention") else usual]
        trees = wanted_trees(treebanks, convention, choice, graphs=options["draw.graphs"])
        first = next(trees, None)
        if first is None:
            wanted = f" that --sentences {options['draw.sentences']} names" if options["draw.sentences"] else ""
            raise DataError(f"there are no sentences{wanted}", treebanks[0].name)
        stream = stack.enter_context(open_output(target, KINDS[kind]))
        for part in render(kind, chain([first], trees), treebanks, convention, options):
            stream.write(part)
            if kind == "text":
                stream.flush()
    return 0


def kind_of(target: str) -> str:
    """What to make, by the suffix of the file that it goes to.

    >>> kind_of("tree.svg"), kind_of("-")
    ('svg', 'text')
    >>> kind_of("tree.png")
    Traceback (most recent call last):
    malt.errors.UsageError: tree.png: expected a name that ends in .svg, .html, .tex or .txt; or say --as what to make
    """
    if target in STANDARD_OUTPUT:
        return "text"
    kind = SUFFIXES.get(os.path.splitext(target)[1].lower())
    if kind is None:
        raise UsageError(f"{target}: expected a name that ends in .svg, .html, .tex or .txt; or say --as what to make")
    return kind


def render(
    kind: str, trees: Iterator[list[Numbered]], treebanks: Sequence[Treebank], convention: Convention, options: Settings
) -> Iterator[bytes]:
    """The parts of the output."""
    below = options["draw.planes"] == "below"
    if kind == "text":
        colour = options["output.outfile"] in STANDARD_OUTPUT and has_colours()
        for some in trees:
            parts: list[bytes] = []
            for number, tree in some:
                above = f"{heading(number, tree)}\n{tree.written}\n" if tree.written else f"{heading(number, tree)}\n"
                parts += [above.encode(), encoded_text(tree, colour=colour), b"\n"]
            yield b"".join(parts)
        return
    everything = [one for some in trees for one in some]
    if len(everything) > MANY:
        size = f"{len(everything):,} sentences"
        logger.warning("warning: %s make a large file; --sentences chooses some of them", size)
    pictures = [tree for _, tree in everything]
    if kind == "svg":
        from malt.drawing.trees.svg import standalone

        yield standalone(pictures, below=below).encode()
    elif kind == "latex":
        from malt.drawing.trees.latex import document

        yield from (f"{line}\n".encode() for line in document(pictures, below=below))
    else:
        from malt.drawing.reports.gallery import gallery

        names = [os.path.basename(treebank.name) for treebank in treebanks]
        title = names[0] if len(names) == 1 else f"{names[1]} against {names[0]}"
        numbers = [number for number, _ in everything]
        yield gallery(title, pictures, numbers, subtitle=facts(pictures, convention), below=below).encode()


def heading(number: int, tree: Tree) -> str:
    """The line above a tree in a terminal."""
    parts = [f"sentence {number}" + (f" ({visible(tree.name)})" if tree.name else "")]
    if tree.comparison:
        parts += [
            f"{name} {'-' if share is None else f'{100 * share:.2f}'}"
            for name, share in (("LAS", tree.las), ("UAS", tree.uas))
        ]
    if tree.planes > 1:
        parts.append(f"{tree.planes}-planar")
    elif not tree.projective:
        parts.append("planar, not projective")
    return ", ".join(parts) + (f". {tree.left_out}" if tree.left_out else "")


def facts(trees: Sequence[Tree], convention: Convention) -> str:
    """The line below the title of a page."""
    words = sum(len(tree.forms) for tree in trees)
    crossed, planar = sum(not tree.projective for tree in trees), sum(tree.planes == 1 for tree in trees)
    said = f"{len(trees):,} sentence{'s' * (len(trees) != 1)}, {words:,} words; "
    compared = any(tree.comparison for tree in trees)
    said += f"{'in the gold standard ' * compared}{crossed:,} not projective, {len(trees) - planar:,} not planar."
    if compared:
        rules = "all words count" if convention.punctuation else "punctuation does not count"
        rules += "" if convention.subtypes else ", subtypes of labels do not matter"
        said += f" Scores by the rules of {convention.title}: {rules}."
    return said


def wanted_trees(
    treebanks: Sequence[Treebank], convention: Convention, choice: Choice, *, graphs: bool = False
) -> Iterator[list[Numbered]]:
    """The trees, or the graphs, that are wanted, with the numbers of their sentences, some at a time."""
    begin = 1
    for first, *others in sentences(treebanks):
        if choice.last is not None and begin > choice.last:
            return
        wanted = [place for place in range(len(first)) if begin + place in choice]
        golds = [first[place] for place in wanted]
        if others:
            for gold in golds:
                if -1 in gold.heads:
                    raise DataError(NO_GOLD, treebanks[0].name, gold.line)
            trees = comparisons_of(golds, [others[0][place] for place in wanted], convention)
        else:
            trees = graphs_of(golds) if graphs else trees_of(golds)
        if trees:
            yield [(begin + place, tree) for place, tree in zip(wanted, trees, strict=True)]
        begin += len(first)


def sentences(treebanks: Sequence[Treebank]) -> Iterator[tuple[Sequence[Sentence], ...]]:
    """Some sentences of one file, or the same sentences of two, and so on to the end."""
    if len(treebanks) == 1:
        for block in progress.blocks(treebanks[0], "draw"):
            every = list(sentences_of(block))
            for begin in range(0, len(every), AT_ONCE):
                yield (every[begin : begin + AT_ONCE],)
        return
    for spans in align(treebanks[0], treebanks[1:], "draw"):
        yield tuple([Sentence(one.block, place) for place in range(one.begin, one.end)] for one in spans)
