"""The page of a service: a field for a text, and the trees of what was typed into it."""

from __future__ import annotations

from collections.abc import Sequence

from malt.data.sentence import Sentence
from malt.drawing.page.markup import Html, element, escape, join
from malt.drawing.page.page import note, page, scroll, section, source
from malt.drawing.reports.gallery import legend
from malt.drawing.trees.svg import svg
from malt.drawing.trees.tree import trees_of
from malt.errors import counted

MOST_TREES = 100
_STYLE = """
textarea{width:100%;min-height:5rem;font:inherit;color:var(--ink);background:var(--paper);border:1px solid var(--line);
border-radius:8px;padding:.5rem .7rem;box-sizing:border-box}
form .bar{display:flex;gap:.8rem;align-items:center;margin:.6rem 0 0}
"""


def service_page(
    models: Sequence[str], model: str, text: str = "", sentences: Sequence[Sentence] = (), problem: str = ""
) -> str:
    """The page. `models` are those that take text; `problem` is why there are no trees."""
    shown = sentences[:MOST_TREES]
    trees = trees_of(shown)
    body = [section("", _form(models, model, text) if models else element("p", "No model here takes text."))]
    if problem:
        body.append(section("", element("p", problem, role="alert")))
    if trees:
        body.append(legend(trees))
    for tree in trees:
        body.append(
            section(
                "", element("p", tree.text, dir="auto"), scroll(svg(tree)), note(tree.left_out) if tree.left_out else ""
            )
        )
    if len(sentences) > len(shown):
        body.append(note(f"These are the first {len(shown)} of {counted(len(sentences), 'sentence')}."))
    more = ["For programs: ", element("a", "/models", href="models"), " and /process, as in UDPipe's REST interface."]
    body.append(note(*more))
    return page(
        "Sentences and their trees", join(body, "\n"), style=source("tree.css") + source("gallery.css") + _STYLE
    )


def _form(models: Sequence[str], model: str, text: str) -> Html:
    # A browser drops one line end at the beginning of the field.
    field = element("textarea", Html("\n" + escape(text)), name="data", required=True, aria_label="text", dir="auto")
    options = [element("option", name, value=name, selected=name == model) for name in models]
    choice = element("label", "model ", element("select", *options, name="model"))
    button = element("button", "Parse", type="submit", class_="action first")
    return element("form", field, element("div", choice, button, class_="bar"), method="post", action="./")
