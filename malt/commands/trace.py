"""`malt trace`: the gold derivation of each sentence, as Figure 6 of the article shows it."""

from __future__ import annotations

import itertools
import logging
from collections.abc import Iterator

from malt.configuration import Configuration, show_nodes
from malt.files import open_output
from malt.instances import Extraction
from malt.kernel.symbols import SymbolTable
from malt.oracle import Derivations, Oracle
from malt.pseudo import PseudoProjectivity
from malt.recipe import Recipe, make_recipe
from malt.sentence import Sentence
from malt.settings import Settings
from malt.systems.choice import system_of
from malt.systems.language import Definition
from malt.treebank import Block, open_treebank

Row = tuple[str, ...]


def run(options: Settings) -> int:
    """Trace every sentence that has heads."""
    definition = system_of(options)
    path = options.files[0] if options.files else options["input.infile"]
    number = 0
    with (
        open_treebank(path, training_format(options), options["input.charset"]) as treebank,
        open_output(options["output.outfile"]) as stream,
    ):
        recipe = make_recipe(options, treebank.format) if options["trace.features"] else None
        if recipe:
            treebank.tables = recipe.tables
        oracle, pseudo = Oracle(definition), PseudoProjectivity.from_options(options)
        for block in treebank:
            for sentence in block.sentences():
                number += 1
                if -1 in sentence.heads:
                    logging.getLogger("malt").warning(
                        "warning: %s, line %d: a word has no head, so there is no derivation to show",
                        treebank.name,
                        sentence.line,
                    )
                    continue
                alone = block.only(sentence.index)
                values = list(feature_values(recipe, alone)) if recipe else []
                heads = pseudo.projectivize(alone).heads if pseudo.active else alone.heads
                derivations = oracle.derive(heads, alone.starts)
                for line in trace(definition, sentence, derivations, number, values):
                    stream.write(f"{line}\n".encode())
    return 0


def training_format(options: Settings) -> str:
    """The format that is asked for; nothing for the one that the file is recognised to be in."""
    return str(options["input.format"]) if options.given("input.format") else ""


def feature_values(recipe: Recipe, block: Block) -> Iterator[list[tuple[str, str]]]:
    """For each step of a sentence that leaves a choice: the features and their values, as text."""
    extraction = Extraction(recipe, as_text=True)
    extraction.add(block)
    name, sink = next(iter(extraction.sinks.items()))
    tables = {**recipe.tables, **block.tables}
    for line in sink.take_text().decode().splitlines():
        shown = []
        for feature, text in zip(extraction.vectors[name], line.split("\t")[1:], strict=False):
            table = recipe.columns.value(feature).table
            shown.append((str(feature), show_value(text, tables[table.name] if table else None)))
        yield shown


def show_value(text: str, table: SymbolTable | None) -> str:
    """The value of a feature in words: its symbol, or its number.

    >>> table = SymbolTable("POSTAG")
    >>> _ = table.add("NN")
    >>> show_value("1", table), show_value("-1", table), show_value("1:3.0", table), show_value("0", table)
    ('NN', '-', '3.0', '#null#')
    """
    parts = []
    for item in text.split("|"):
        code, colon, number = item.partition(":")
        if code in ("-1", ""):
            parts.append("-")
        else:
            parts.append(number if colon else (table.symbol(int(code)) or code) if table else "yes")
    return " | ".join(parts)


def trace(
    definition: Definition,
    sentence: Sentence,
    derivations: Derivations,
    number: int,
    values: list[list[tuple[str, str]]] | None = None,
) -> Iterator[str]:
    """The lines for one sentence; `values` are those of the features before each transition that was a choice."""
    forms = [form or "_" for form in sentence.forms]
    yield f"sentence {number}: " + "  ".join(f"{i}:{form}" for i, form in enumerate(forms, 1))
    rows = list(steps(definition, forms, sentence.labels, derivations))
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    chosen = iter(values or [])
    for row, step in zip(rows, [0, -1, *derivations.transitions.tolist()][-len(rows) :], strict=True):
        if values and row not in rows[:2] and step >= 0:
            shown = next(chosen, [])
            width = max((len(name) for name, _ in shown), default=0)
            yield from (f"      {name.ljust(width)}  {value}" for name, value in shown)
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
