"""A derivation as a page, step by step: the stacks, the buffer, the arcs so far, and what comes next and why."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from malt.drawing.page.markup import Html, element, escape, join, pack_data, visible
from malt.drawing.page.page import page, source
from malt.drawing.reports.gallery import sample
from malt.drawing.trees.svg import svg
from malt.drawing.trees.tree import Arc, Tree, crossings_of, first_words
from malt.drawing.trees.width import is_right_to_left
from malt.systems.configuration import ROOT
from malt.systems.language import Definition
from malt.systems.places import Move, Places


@dataclass(frozen=True)
class BeamRow:
    """A hypothesis of a beam after a choice."""

    place: int  # in the beam, from 1; 0 if it fell out
    total: float  # its score
    choice: str
    past: int  # the place of what it comes from in the beam before
    remark: str = ""


@dataclass(frozen=True)
class BeamView:
    """A beam after a choice."""

    number: int  # of the choice, from 1
    rows: list[BeamRow]  # the best first, and then the best that fell out
    gone: list[int]  # the places of the beam before of which nothing is left


@dataclass
class DerivationStep:
    """One transition, and what was known when it was chosen."""

    name: str
    change: list[int]  # what it does to the configuration, as `malt.kernel.walk.Changes` says it
    permitted: int = 0  # a bit for each transition that was permissible
    label: str = ""  # of the arc, if it makes one
    remark: str = ""
    values: list[tuple[str, str]] = field(default_factory=list)  # features
    candidates: list[list[tuple[str, float]]] = field(default_factory=list)  # of each decision, the best first
    beam: BeamView | None = None  # after the choice, if there is one

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
    leaves: int = -1  # the first step, from 0, that is not the one of the gold derivation; -1 if there is none
    gold: str = ""  # which is this one


def derivation_page(
    definition: Definition, derivations: Sequence[Derivation], *, subtitle: str = "", rules: str = ""
) -> str:
    """The page. `rules` is the definition of the transition system, as text."""
    records = [record(definition, derivation) for derivation in derivations]
    kinds = [f"stack {i + 1}" for i in range(definition.stacks)] if definition.stacks > 1 else ["stack"]
    system = {
        "stacks": definition.stacks,
        "left": definition.left,
        "places": kinds if definition.stacks else ["left", "between"],
        "rest": "buffer" if definition.stacks else "right",
        "names": list(definition.transitions),
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
    places = Places(definition, len(derivation.forms))
    steps: list[dict[str, object]] = []
    arcs: list[Arc] = []
    times: dict[tuple[int, int], int] = {}
    for time, step in enumerate(derivation.steps, 1):
        move = places.make(step.change)
        if move.arc:
            times[move.arc] = time
            arcs.append(Arc(*move.arc, step.label or "_", move.plane))
        shown: dict[str, object] = {
            "text": visible(step.text),
            "said": describe_move(move, places, derivation.forms),
            "plane": move.plane if move.arc else -1,
            "permitted": step.permitted,
            "change": step.change[2:],
        }
        if step.remark:
            shown["remark"] = step.remark
        if step.candidates:
            shown["groups"] = [
                [[visible(symbol), score, symbol in (step.text, step.name, step.label)] for symbol, score in group]
                for group in step.candidates
            ]
        if step.beam is not None:
            rows = [[row.place, row.total, visible(row.choice), row.past, row.remark] for row in step.beam.rows]
            shown["beam"] = {"number": step.beam.number, "rows": rows}
        if step.values:
            shown["values"] = [(name, visible(value)) for name, value in step.values]
        steps.append(shown)
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


def describe_move(move: Move, after: Places, forms: Sequence[str]) -> str:
    """In words, what a transition did, after which words are in these places.

    >>> from malt.systems import find_system
    >>> places, forms = Places(find_system("nivreeager"), 2), ["She", "sings"]
    >>> describe_move(places.make([-1, -1, 0, 0, 1, 1, 1, 0]), places, forms)
    '“She” goes from the buffer to the stack.'
    >>> describe_move(places.make([1, 2, 0, 1, 0, 0, 0]), places, forms)
    'An arc from “sings” to “She”; “She” leaves the stack.'
    """

    def name(node: int) -> str:
        return "the root" if node == ROOT else f"“{forms[node - 1]}”"

    parts = [f"an arc from {name(move.arc[0])} to {name(move.arc[1])}"] if move.arc else []
    if not after.stacks:
        if after.right > len(forms):
            parts.append("no word is left")
        elif after.left == after.right - 1:
            parts.append(f"{name(after.right)} is looked at next")
        else:
            parts.append(f"{name(after.left)} is looked at next, on the left")
    else:
        several = len(after.stacks) > 1
        where = "all stacks" if several else "the stack"
        parts += [f"{name(node)} goes from the buffer to {where}" for node in move.shifted]
        parts += [f"{name(node)} goes back to the buffer" for node in move.returned]
        for place, nodes in enumerate(move.reduced, 1):
            parts += [f"{name(node)} leaves {f'stack {place}' if several else 'the stack'}" for node in nodes]
        if move.plane != after.active:
            parts.append(f"stack {after.active + 1} becomes the active one")
    text = "; ".join(parts) or "nothing changes"
    return f"{text[0].upper()}{text[1:]}."


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
