"""Trees as SVG.

The arcs of the first plane are solid, those of the second dotted (as in the papers: Gómez-Rodríguez and Nivre 2010,
figure 1) or below the words, and small rings show where arcs cross. Arcs that are not projective are heavy, and their
labels have a star. In a comparison everything above the words is the parser's: wrong heads are heavy, wrong labels
dotted, with the right label in brackets; the arcs that there should have been are below the words, dashed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache

from malt.drawing.page.colour import FONT, variables
from malt.drawing.page.markup import Html, element, escape, join
from malt.drawing.page.page import source
from malt.drawing.trees.layout import FOOT, FORM, STEP, TAG, Bow, Layout, lay_out
from malt.drawing.trees.tree import Arc, Tree, first_words
from malt.drawing.trees.width import is_right_to_left
from malt.kernel.layout import bow_marks, coordinate

MARGIN, LINE = 8.0, 18.0
PLANES = ("solid", "dotted", "dashed", "dash and dot", "short dashes", "long dashes")
Times = Mapping[tuple[int, int], int]  # of an arc (head, word): the step in which it is made
SPACE = "http://www.w3.org/2000/svg"


def svg(tree: Tree, *, below: bool = False, times: Times | None = None) -> Html:
    """The picture of a tree, for a page that has the style of tree.css.

    With `times` each arc has the number of the step in which it is made, for a script that shows one after another.

    >>> from malt.data.sentence import Sentence
    >>> from malt.drawing.trees.tree import tree_of
    >>> picture = svg(tree_of(Sentence.from_rows([("<b>", "X", 0, "root")], "malttab")))
    >>> "&lt;b&gt;" in picture, "<b>" in picture
    (True, False)
    """
    tree = first_words(tree)
    marks, width, height = draw_layout(lay_out(tree, below), [], times)
    return _frame([marks], width, height, f"tree{' compared' * tree.comparison}", tree.text)


def standalone(trees: Iterable[Tree], *, below: bool = False) -> str:
    """A file with one picture, or with several one below the other, and what the lines in them mean."""
    trees = [first_words(tree) for tree in trees]
    parts: list[Html] = []
    width = height = 0.0
    compared = any(tree.comparison for tree in trees)
    for tree in trees:
        last = tree is trees[-1]
        marks, wide, high = draw_layout(lay_out(tree, below), legend_lines(trees, below) if last else [])
        parts.append(element("g", marks, transform=f"translate(0 {coordinate(height)})") if height else marks)
        width, height = max(width, wide), height + high + (24 if not last else 0)
    style = f"{variables('svg.tree')}svg.tree{{--font:{FONT}}}\n{source('tree.css')}"
    sheet = element("rect", class_="sheet", width="100%", height="100%")
    contents = [Html(f"<style>{escape_style(style)}</style>"), sheet, *parts]
    text = trees[0].text if len(trees) == 1 else f"{len(trees)} sentences"
    return _frame(contents, width, height, f"tree{' compared' * compared}", text) + "\n"


def escape_style(style: str) -> str:
    """Style inside XML: it has no markup of its own."""
    return style.replace("&", "&amp;").replace("<", "&lt;")


def draw_layout(layout: Layout, notes: list[str], times: Times | None = None) -> tuple[Html, float, float]:
    """The elements of a picture, its width and its height."""
    tree = layout.tree
    words = MARGIN + LINE + FOOT + STEP * layout.above  # the upper edge of the words
    tagged, mirrored = any(tree.tags), is_right_to_left(tree.text)
    feet = words + FORM + 5 + (TAG + 4 if tagged else 0)  # the lower edge

    def y(height: float, below: bool) -> float:
        return feet + FOOT + STEP * height if below else words - FOOT - STEP * height

    def time(*arcs: Arc) -> int | None:
        return None if times is None else max([times[arc[:2]] for arc in arcs])

    parts: list[str] = [
        _arc(bow, y(bow.height, bow.below), feet if bow.below else words, time(bow.arc)) for bow in by_height(layout)
    ]
    for x, high, *pair in layout.crossings():
        at = f'cx="{coordinate(x)}" cy="{coordinate(y(high, pair[0].below))}" r="3.5"'
        step = _step(time(*(bow.arc for bow in pair)))
        parts.append(f'<circle class="crossing" {at}{step}><title>arcs that cross</title></circle>')
    levels = f'y="{coordinate(words + FORM)}"', f'y="{coordinate(words + FORM + TAG + 4)}"'
    for place, (form, x) in enumerate(zip(layout.forms, layout.x, strict=True)):
        full = f"<title>{escape(tree.forms[place])}</title>" if form != tree.forms[place] else ""
        # Brackets and the like face the way of the sentence.
        kind = "form rtl" if mirrored and not any(map(str.isalpha, form)) else "form"
        at, word = f'x="{coordinate(x)}"', "" if times is None else f' data-word="{place + 1}"'
        parts.append(f'<text class="{kind}" {at} {levels[0]}{word}>{full}{_escape(form)}</text>')
        if tagged:
            parts.append(f'<text class="tag" {at} {levels[1]}>{_escape(tree.tags[place])}</text>')
    height = feet + (FOOT + STEP * layout.below + LINE if layout.below else 0) + MARGIN
    width = layout.width
    for line in notes:
        height += 17
        parts.append(element("text", line, class_="note", x=coordinate(MARGIN), y=coordinate(height - 6)))
    if notes:
        width = max(width, MARGIN + 6.4 * max(map(len, notes)))
        height += 4
    return Html("".join(parts)), width, height


def by_height(layout: Layout) -> list[Bow]:
    """The arcs in the order in which they are drawn: the lower ones over the higher ones."""
    return sorted(layout.bows, key=lambda bow: -bow.height)


def legend_lines(trees: Sequence[Tree], below: bool = False) -> list[str]:
    """In words, what the lines of pictures mean, where they need it."""
    arcs = [arc for tree in trees for arc in tree.arcs]
    kinds = {arc.kind for arc in arcs}
    said = {
        "head": "heavy: wrong head",
        "label": "dotted: wrong label (and the right one)",
        "gold": "dashed, below the words: the right head",
    }
    notes = [text for kind, text in said.items() if kind in kinds]
    planes = max((arc.plane + 1 for arc in arcs), default=1)
    if planes > 1:
        sides = ["", ", below the words" if below else ""]
        notes += [f"plane {plane + 1}: {PLANES[plane % len(PLANES)]}{sides[plane % 2]}" for plane in range(planes)]
    if any(arc.nonprojective for arc in arcs):
        notes.append("*: not projective")
    left_out = next((tree.left_out for tree in trees if tree.left_out), "")
    if left_out and len(trees) > 1:
        left_out = "The trees are of syntactic words; multiword tokens and empty nodes of the file are not shown."
    return [line for line in (" · ".join(notes), left_out) if line]


def _arc(bow: Bow, top: float, foot: float, time: int | None) -> str:
    # Thousands of these are in a page: they are put together by hand.
    (head, word, label, plane, star, kind, wanted), x1, x2, _, _, shown, middle = bow
    said = f"{head or 'the root'} → {word}: {_escape(label)}"
    if kind == "label":
        said += f", should be {_escape(wanted)}"
    if star:
        said += ", not projective"
    classes = f"arc p{plane % len(PLANES)}{' n' * star}{kind and f' {kind}'}"
    marks = bow_marks(x1, x2, top, foot, head in (0, word), middle, _escape(shown))
    return f'<g class="{classes}"{_step(time)}><title>{said}</title>{marks}</g>'


def _step(time: int | None) -> str:
    return "" if time is None else f' data-step="{time}"'


def _frame(contents: Iterable[Html], width: float, height: float, kind: str, text: str) -> Html:
    w, h = round(width + 0.5), round(height + 0.5)
    said = escape(f"Dependency tree: {text}")
    opening = f'<svg xmlns="{SPACE}" class="{kind}" width="{w}" height="{h}" viewBox="0 0 {w} {h}" role="img"'
    return Html(f'{opening} aria-label="{said}">{join(contents)}</svg>')


@lru_cache(1 << 14)
def _escape(text: str) -> str:
    return str(escape(text))
