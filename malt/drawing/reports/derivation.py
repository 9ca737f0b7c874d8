"""A derivation as a page, step by step: the stacks, the buffer, the arcs so far, and what comes next and why."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from malt.drawing.page.markup import Html, element, escape, join, pack_data, visible
from malt.drawing.page.page import page, source
from malt.drawing.reports.gallery import sample
from malt.drawing.reports.steps import Derivation, DerivationStep
from malt.drawing.trees.svg import svg
from malt.drawing.trees.tree import Arc, Tree, crossings_of, first_words
from malt.drawing.trees.width import is_right_to_left
from malt.systems.configuration import ROOT
from malt.systems.language import Definition

# Of a step in the page, which has the last ones only if there is something in them.
STEP_FIELDS = ("text", "permitted", "change", "remark", "groups", "values", "beam")


def derivation_page(
    definition: Definition, derivations: Sequence[Derivation], *, subtitle: str = "", rules: str = ""
) -> str:
    """The page. `rules` is the definition of the transition system, as text."""
    records = [record(definition, derivation) for derivation in derivations]
    kinds = [f"stack {i + 1}" for i in range(definition.stacks)] if definition.stacks > 1 else ["stack"]
    system = {
        "stacks": definition.stacks,
        "left": definition.left,
        "last": [ROOT] if definition.root_last else [],
        "places": kinds if definition.stacks else ["left", "between"],
        "rest": "buffer" if definition.stacks else "right",
        "names": list(definition.transitions),
        "fields": STEP_FIELDS,
        "rules": {name: _rule(definition, name) for name in definition.transitions},
    }
    options = [element("option", _title(d), value=place) for place, d in enumerate(derivations)]
    choose = element("label", "sentence ", element("select", *options, name="sentence"), class_="choose")
    body = [
        choose if len(records) > 1 else "",
        _controls(),
        element(
            "section", _planes(definition), element("div", class_="scroll tree-box", tabindex="0"), class_="drawing"
        ),
        element("section", element("div", class_="places"), class_="configuration"),
        element(
            "div",
            element("section", element("h2", "How it came to this"), element("div", class_="done"), class_="past"),
            element(
                "section",
                element("h2", "What comes next"),
                element(
                    "label", Html('<input type="checkbox" name="hide">'), "hide it, to guess first", class_="check"
                ),
                element("div", class_="coming"),
                class_="future",
            ),
            class_="pair",
        ),
        element(
            "section",
            element("h2", "All transitions"),
            element("div", class_="history"),
            element("div", class_="remarks"),
        ),
        element(
            "section",
            element("h2", "Features before the next transition"),
            element("div", class_="values"),
            class_="knowledge",
        ),
        element(
            "details",
            element("summary", "The transition system ", element("b", definition.name)),
            element("pre", rules),
            class_="rules",
        )
        if rules
        else "",
        element("noscript", "The steps of this page are shown by its script, which is switched off."),
        pack_data("derivations", {"system": system, "all": records}),
    ]
    style = source("tree.css") + source("gallery.css") + source("derivation.css")
    title = f"Derivation, {definition.name}"
    return page(title, join(body, "\n"), source("derivation.js"), subtitle=subtitle, style=style)


def record(definition: Definition, derivation: Derivation) -> dict[str, object]:
    """What the script needs to show a derivation. Configurations are not in it: steps say how one becomes the next."""
    steps: list[Sequence[object]] = []
    arcs: list[Arc] = []
    times: dict[tuple[int, int], int] = {}
    active = 0  # the stack
    for time, step in enumerate(derivation.steps, 1):
        change = step.change
        word, head = change[0], change[1]
        if word > 0:
            times[head, word] = time
            arcs.append(Arc(head, word, step.label or "_", active))
        if definition.stacks:
            active = change[2]
        shown = (_visible(step.text), step.permitted, change)
        more: list[object] = [step.remark]
        if step.candidates or step.values or step.beam is not None:
            more += [_visible_groups(step), [(name, visible(value)) for name, value in step.values]]
        if step.beam is not None:
            rows = [[row.place, row.total, _visible(row.choice), row.past, row.remark] for row in step.beam.rows]
            more.append({"number": step.beam.number, "rows": rows})
        while more and not more[-1]:
            more.pop()
        steps.append((*shown, *more))
    tree = first_words(Tree(derivation.forms, derivation.tags, arcs, max(definition.stacks, 1)))
    heads = dict.fromkeys(range(1, len(tree.forms) + 1), 0) | {arc.word: arc.head for arc in reversed(tree.arcs)}
    if len(tree.arcs) == len({arc.word for arc in tree.arcs}):
        tree.crossings = crossings_of(list(heads.values()))
        tree = first_words(tree)
    return {
        "number": derivation.number,
        "words": derivation.forms,
        "right": is_right_to_left(" ".join(derivation.forms)),
        "svg": svg(tree, times=times),
        "steps": steps,
        "remarks": derivation.remarks,
        "leaves": derivation.leaves,
        "gold": visible(derivation.gold),
        "note": tree.left_out,
    }


def _visible_groups(step: DerivationStep) -> list[list[tuple[str, float]]]:
    return [[(_visible(symbol), score) for symbol, score in group] for group in step.candidates]


_visible = lru_cache(1 << 12)(visible)  # of a few symbols, thousands of times


def _rule(definition: Definition, name: str) -> str:
    """What the definition says of a transition, in its own words."""
    lines = [line.partition("=") for line in definition.text.splitlines()]
    return "; or ".join(" ".join(what.split()) for left, _, what in lines if left.strip() == name)


def _controls() -> Html:
    names = {"first": "First step", "back": "Previous step", "next": "Next step", "last": "Last step"}
    buttons = [
        element("button", key.capitalize(), type="button", class_="action", data_go=key, title=name)
        for key, name in names.items()
    ]
    leaves = element(
        "button",
        "First mistake",
        type="button",
        class_="action",
        data_go="leaves",
        title="Where the parser first leaves the gold derivation",
        hidden=True,
    )
    slider = Html('<input type="range" name="step" min="0" value="0" aria-label="step">')
    count = element("output", class_="step")
    keys = element("span", element("kbd", "←"), " ", element("kbd", "→"), class_="keys soft small")
    return element("div", *buttons, leaves, slider, count, keys, class_="controls")


def _planes(definition: Definition) -> Html:
    if definition.stacks < 2:
        return Html()
    entries = [
        element("li", sample(f"p{plane % 6}"), f"arcs made with stack {plane + 1}")
        for plane in range(definition.stacks)
    ]
    return element("ul", *entries, class_="legend")


def _title(derivation: Derivation) -> Html:
    """The number and the words, in a direction of their own; options hold no markup, only marks of direction."""
    words = _cut(" ".join(derivation.forms))
    mark = "&#x2067;" if is_right_to_left(words) else "&#x2066;"
    return Html(f"{derivation.number}: {mark}{escape(words)}&#x2069;")


def _cut(text: str) -> str:
    return text if len(text) <= 90 else f"{text[:88]}…"
