"""A treebank as a page: the list of its sentences, each with its tree, and filters to find what one looks for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from malt.drawing.page.markup import Html, element, join, pack_data, visible
from malt.drawing.page.page import figures, note, page, source
from malt.drawing.trees.svg import PLANES, svg
from malt.drawing.trees.tree import MISSED, Tree, first_words
from malt.drawing.trees.width import is_right_to_left
from malt.evaluation.tally import ratio

SYNTACTIC = (
    "Trees are of syntactic words: where the file has multiword tokens or empty nodes, they are not shown, and the "
    "sentence says how many there are."
)


def gallery(
    title: str, trees: Sequence[Tree], numbers: Sequence[int], *, subtitle: str = "", below: bool = False
) -> str:
    """The page. `numbers` are the places of the sentences in the file; `below` is how it begins."""
    compared = any(tree.comparison for tree in trees)
    rows = [_row(tree, number) for tree, number in zip(trees, numbers, strict=True)]
    body = [
        _scores(trees) if compared else "",
        legend(trees),
        _filters(trees, compared, below),
        element(
            "div",
            element("span", class_="count", role="status"),
            element("button", "Open all", type="button", class_="action", data_open="yes"),
            element("button", "Close all", type="button", class_="action", data_open="no"),
            class_="bar",
        ),
        element("ol", class_="sentences"),
        note(SYNTACTIC) if any(tree.left_out for tree in trees) else "",
        element("noscript", "The trees of this page are shown by its script, which is switched off."),
        pack_data("sentences", rows),
    ]
    style = source("tree.css") + source("gallery.css")
    return page(title, join(body, "\n"), source("gallery.js"), subtitle=subtitle, style=style)


def legend(trees: Sequence[Tree]) -> Html:
    """What the lines mean."""
    arcs = [arc for tree in trees for arc in tree.arcs]
    entries = []
    if any(tree.comparison for tree in trees):
        entries = [
            ("", "right"),
            ("head", "wrong head"),
            ("label", "wrong label (and the right one)"),
            ("gold", "below the words: the head that is right"),
        ]
        entries = [(sample(kind, "tree compared"), said) for kind, said in entries]
    elif (planes := max((arc.plane + 1 for arc in arcs), default=1)) > 1:
        named = [f"plane {plane + 1}, {PLANES[plane % len(PLANES)]}" for plane in range(planes)]
        entries = [(sample(f"p{plane % len(PLANES)}"), name) for plane, name in enumerate(named)]
        ring = Html('<circle class="crossing" cx="17" cy="6" r="3.5"/>')
        entries.append((sample("", extra=ring), "arcs that cross"))
    if any(arc.nonprojective for arc in arcs):
        heavy = "" if any(tree.comparison for tree in trees) else "n"
        entries.append((sample(heavy) if heavy else "", "with a star: not projective"))
    return element("ul", *(element("li", line, said) for line, said in entries), class_="legend") if entries else Html()


def sample(kind: str, classes: str = "tree", extra: Html | None = None) -> Html:
    """A short line of a kind."""
    line = element("g", Html('<path d="M1 6H33"/>'), class_=f"arc {kind}".strip())
    return element(
        "svg", line, extra or "", class_=classes, width=34, height=12, viewBox="0 0 34 12", aria_hidden="true"
    )


def _row(tree: Tree, number: int) -> dict[str, object]:
    tree = first_words(tree)
    row: dict[str, object] = {
        "number": number,
        "name": tree.name,
        "words": tree.forms,
        "text": tree.written,
        "labels": sorted({visible(arc.label) for arc in tree.arcs}),
        "projective": tree.projective,
        "planes": tree.planes,
        "note": tree.left_out,
        "right": is_right_to_left(tree.text),
        "svg": svg(tree),
    }
    if tree.comparison:
        wrong = tree.wrong
        row |= {"wrongHeads": wrong["head"], "wrongLabels": wrong["label"], "las": tree.las, "counts": tree.counts}
    elif any(arc.plane for arc in tree.arcs):
        row["below"] = svg(tree, below=True)
    return row


def _scores(trees: Sequence[Tree]) -> Html:
    words, heads, both = (sum(tree.counts[place] for tree in trees) for place in range(3))
    las, uas = ("-" if share is None else f"{100 * share:.2f}" for share in (ratio(both, words), ratio(heads, words)))
    return figures(
        [
            ("LAS", las),
            ("UAS", uas),
            ("words that count", words),
            ("of these, wrong heads", words - heads),
            ("of these, only the label", heads - both),
        ]
    )


def _filters(trees: Sequence[Tree], compared: bool, below: bool) -> Html:
    counts = Counter(arc.label for tree in trees for arc in tree.arcs if arc.kind != MISSED)
    labels = [element("option", "any", value="")]
    labels += [element("option", f"{label} ({n:,})", value=label) for label, n in sorted(counts.items())]
    fields = [
        element("label", "word", element("input", type="search", name="word", placeholder="part of a form")),
        element("label", "label", element("select", *labels, name="label")),
        element("label", "longer than", element("input", type="number", name="longer", min=0, placeholder="words")),
        _choice(
            "order",
            {**({"worst": "worst first"} if compared else {}), "file": "of the file", "longest": "longest first"},
        ),
    ]
    if any(arc.plane for tree in trees for arc in tree.arcs):
        fields.append(
            _choice(
                "planes", {"dotted": "dotted", "below": "below the words"}, "below" if below else "", "second plane"
            )
        )
    whose = "gold " * compared
    fields += [_check("nonprojective", f"{whose}not projective"), _check("nonplanar", f"{whose}not planar")]
    if compared:
        fields += [_check("heads", "wrong head"), _check("labels", "wrong label")]
    fields.append(_check("fit", "fit the width"))
    fields.append(element("button", "Reset", type="reset", class_="action"))
    return element("form", *fields, class_="filters", autocomplete="off")


def _choice(name: str, values: dict[str, str], chosen: str = "", title: str = "") -> Html:
    options = [element("option", text, value=value, selected=value == chosen) for value, text in values.items()]
    return element("label", title or name, element("select", *options, name=name))


def _check(name: str, title: str) -> Html:
    return element("label", Html(f'<input type="checkbox" name="{name}">'), title, class_="check")
