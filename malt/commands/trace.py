"""`malt trace`: the gold derivation of each sentence, as Figure 6 of the article shows it."""

from __future__ import annotations

import itertools
import logging
from collections.abc import Iterator

from malt.configuration import Configuration, show_nodes
from malt.files import open_output
from malt.oracle import Derivations, Oracle
from malt.sentence import Sentence
from malt.settings import Settings
from malt.systems.choice import system_of
from malt.systems.language import Definition
from malt.treebank import open_treebank

Row = tuple[str, ...]


def run(options: Settings) -> int:
    """Trace every sentence that has heads."""
    definition = system_of(options)
    path = options.files[0] if options.files else options["input.infile"]
    format = options["input.format"] if options.given("input.format") else ""
    number = 0
    with (
        open_treebank(path, format, options["input.charset"]) as treebank,
        open_output(options["output.outfile"]) as stream,
    ):
        for block in treebank:
            oracle = Oracle(definition)
            for sentence in block.sentences():
                number += 1
                if -1 in sentence.heads:
                    logging.getLogger("malt").warning(
                        "warning: %s, line %d: a word has no head, so there is no derivation to show",
                        treebank.name,
                        sentence.line,
                    )
                    continue
                words = block.starts[sentence.index : sentence.index + 2]
                derivations = oracle.derive(block.heads[words[0] : words[1]].copy(), words - words[0])
                for line in trace(definition, sentence, derivations, number):
                    stream.write(f"{line}\n".encode())
    return 0


def trace(definition: Definition, sentence: Sentence, derivations: Derivations, number: int) -> Iterator[str]:
    """The lines for one sentence."""
    forms = [form or "_" for form in sentence.forms]
    yield f"sentence {number}: " + "  ".join(f"{i}:{form}" for i, form in enumerate(forms, 1))
    rows = list(steps(definition, forms, sentence.labels, derivations))
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        yield "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
    wrong = [i for i, (a, b) in enumerate(zip(sentence.heads, derivations.heads.tolist(), strict=True), 1) if a != b]
    if wrong:
        arcs = ", ".join(f"({sentence.heads[i - 1]}, {i})" for i in wrong)
        yield f"not derived: {arcs}"
    yield ""


def steps(
    definition: Definition, forms: list[str], labels: list[str | None], derivations: Derivations
) -> Iterator[Row]:
    """One row a transition: its name, the stacks or lists, the buffer, and the new arc."""
    c = Configuration(definition, forms)
    names = tuple(definition.transitions)
    count = itertools.count(1)
    kinds = [f"stack {i + 1}" for i in range(definition.stacks)] if definition.stacks > 1 else ["stack"]
    yield ("", *(kinds if definition.stacks else ["left", "between"]), "buffer" if definition.stacks else "right", "")
    yield ("", *places(c), "")
    for step, dependent in zip(derivations.transitions.tolist(), derivations.dependents.tolist(), strict=True):
        name = names[step if step >= 0 else -1 - step]
        label = (labels[dependent - 1] or "_") if dependent > 0 else ""
        before = set(c.arcs)
        c.apply(f"{name}~{label}" if label else name, force=True)
        arc = ""
        for head, word in c.arcs - before:
            i = next(count)
            arc = f"A{i} = {f'A{i - 1} ∪ ' if i > 1 else ''}{{({head}, {word})}}  {label}"
        # The active stack has a star where there are several.
        yield (f"{name}{'' if step >= 0 else ' (must)'} ⇒", *places(c), arc)


def places(c: Configuration) -> Row:
    """The stacks or lists, and the buffer."""
    if not c.stacks:
        between = range(c.left + 1, min(c.right, len(c.words) + 1))
        return (
            show_nodes(range(c.system.left, c.left + 1)),
            show_nodes(between),
            show_nodes(range(c.right, len(c.words) + 1)),
        )
    stars = ["*" if len(c.stacks) > 1 and i == c.active else "" for i in range(len(c.stacks))]
    return (*(show_nodes(stack) + star for stack, star in zip(c.stacks, stars, strict=True)), show_nodes(c.buffer))
