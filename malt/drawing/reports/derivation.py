"""A derivation as a page, step by step: the stacks, the buffer, the arcs so far, and what comes next and why."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from malt.drawing.page.markup import Html, element, escape, join, pack_data, visible
from malt.drawing.page.page import page, source
from malt.drawing.reports.gallery import sample
from malt.drawing.trees.svg import svg
from malt.drawing.trees.tree import Arc, Tree, crossings_of
from malt.drawing.trees.width import is_right_to_left
from malt.systems.configuration import ROOT, Configuration
from malt.systems.language import Definition

_ARROWS = {"first": "⏮", "back": "◀", "next": "▶", "last": "⏭"}


@dataclass
class DerivationStep:
    """One transition, and what was known when it was chosen."""

    name: str
    label: str = ""  # of the arc, if it makes one
    remark: str = ""
    values: list[tuple[str, str]] = field(default_factory=list)  # features
    candidates: list[list[tuple[str, float]]] = field(default_factory=list)  # of each decision, the best first

    @property
    def text(self) -> str:
        """As histories write it: `LA~subj`."""
        return f"{self.name}~{self.label}" if self.label else self.name


@dataclass
class Derivation:
    """All that was done with a sentence."""

    number: int  # of the sentence in its file
    forms: list[str]
    tags: list[str]
    steps: list[DerivationStep]
    remarks: list[str]  # such as which arcs were not derived


def derivation_page(
    definition: Definition, derivations: Sequence[Derivation], *, subtitle: str = "", rules: str = ""
) -> str:
    """The page. `rules` is the definition of the transition system, as text."""
    records = [record(definition, derivation) for derivation in derivations]
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
        pack_data("derivations", records),
    ]
    style = source("tree.css") + source("gallery.css") + source("derivation.css")
    title = f"Derivation, {definition.name}"
    return page(title, join(body, "\n"), source("derivation.js"), subtitle=subtitle, style=style)


def record(definition: Definition, derivation: Derivation) -> dict[str, object]:
    """What the script needs to show a derivation."""
    c = Configuration(definition, derivation.forms)
    states, steps = [_state(c)], []
    arcs: list[Arc] = []
    times: dict[tuple[int, int], int] = {}
    for time, step in enumerate(derivation.steps, 1):
        before, legal, plane = c.copy(), c.legal(), c.active
        c.apply(step.text, force=True)
        new = sorted(c.arcs - before.arcs)
        for head, word in new:
            times[head, word] = time
            arcs.append(Arc(head, word, step.label or "_", plane))
        states.append(_state(c))
        steps.append(
            {
                "name": step.name,
                "text": visible(step.text),
                "remark": step.remark,
                "said": describe_transition(before, c),
                "plane": plane if new else -1,
                "arcs": new,
                "legal": legal,
                "rule": _rule(definition, step.name),
                "groups": [
                    [[visible(symbol), score, symbol in (step.text, step.name, step.label)] for symbol, score in group]
                    for group in step.candidates
                ],
                "values": [(name, visible(value)) for name, value in step.values],
            }
        )
    heads = [max(c.H(word), 0) for word in range(1, len(derivation.forms) + 1)]
    tree = Tree(derivation.forms, derivation.tags, arcs, max(definition.stacks, 1), crossings_of(heads))
    tree.crossings = [pair for pair in tree.crossings if len(arcs) == len({arc.word for arc in arcs})]
    kinds = [f"stack {i + 1}" for i in range(definition.stacks)] if definition.stacks > 1 else ["stack"]
    return {
        "number": derivation.number,
        "words": derivation.forms,
        "right": is_right_to_left(" ".join(derivation.forms)),
        "svg": svg(tree, times=times),
        "places": kinds if definition.stacks else ["left", "between"],
        "rest": "buffer" if definition.stacks else "right",
        "states": states,
        "steps": steps,
        "remarks": derivation.remarks,
    }


def describe_transition(before: Configuration, after: Configuration) -> str:
    """In words, what a transition did.

    >>> c = Configuration("nivreeager", ["She", "sings"])
    >>> d = c.copy().apply("SH")
    >>> describe_transition(c, d), describe_transition(d, d.copy().apply("LA~subj"))
    ('“She” goes from the buffer to the stack.', 'An arc from “sings” to “She”; “She” leaves the stack.')
    """

    def name(node: int) -> str:
        return "the root" if node == ROOT else f"“{after.words[node - 1]}”"

    parts = [f"an arc from {name(head)} to {name(word)}" for head, word in sorted(after.arcs - before.arcs)]
    if not after.stacks:
        if after.right > before.right:
            parts.append(
                f"{name(after.right)} is looked at next" if after.right <= len(after.words) else "no word is left"
            )
        elif after.left != before.left:
            parts.append(f"{name(after.left)} is looked at next, on the left")
    else:
        several = len(after.stacks) > 1
        for node in [n for n in before.buffer[:2] if n not in after.buffer]:
            where = "all stacks" if several else "the stack"
            parts.append(f"{name(node)} goes from the buffer to {where}")
        for node in [n for n in after.buffer[:2] if n not in before.buffer]:
            parts.append(f"{name(node)} goes back to the buffer")
        for place, (old, new) in enumerate(zip(before.stacks, after.stacks, strict=True), 1):
            for node in [n for n in old[-3:] if n not in new and n not in after.buffer[:3]]:
                parts.append(f"{name(node)} leaves {f'stack {place}' if several else 'the stack'}")
        if before.active != after.active:
            parts.append(f"stack {after.active + 1} becomes the active one")
    text = "; ".join(parts) or "nothing changes"
    return f"{text[0].upper()}{text[1:]}."


def _state(c: Configuration) -> dict[str, object]:
    """Where every word is. The buffer of stacks may be in any order; that of lists is the rest of the sentence."""
    if c.stacks:
        return {"stacks": [list(stack) for stack in c.stacks], "active": c.active, "buffer": list(c.buffer)}
    last = len(c.words) + 1
    lists = [list(range(c.system.left, c.left + 1)), list(range(c.left + 1, min(c.right, last)))]
    return {"stacks": lists, "active": -1, "buffer": list(range(c.right, last))}


def _rule(definition: Definition, name: str) -> str:
    """What the definition says of a transition, in its own words."""
    lines = [line.partition("=") for line in definition.text.splitlines()]
    return "; or ".join(" ".join(what.split()) for left, _, what in lines if left.strip() == name)


def _controls() -> Html:
    names = {"first": "First step", "back": "Previous step", "next": "Next step", "last": "Last step"}
    buttons = {
        key: element("button", _ARROWS[key], type="button", class_="action", data_go=key, aria_label=name, title=name)
        for key, name in names.items()
    }
    slider = Html('<input type="range" name="step" min="0" value="0" aria-label="step">')
    count = element("output", class_="step")
    keys = element("span", element("kbd", "←"), " ", element("kbd", "→"), class_="keys soft small")
    return element(
        "div",
        buttons["first"],
        buttons["back"],
        buttons["next"],
        buttons["last"],
        slider,
        count,
        keys,
        class_="controls",
    )


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
