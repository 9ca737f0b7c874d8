"""`malt trace`: the derivation of each sentence, as Figure 6 of the article shows it, by the oracle or by a model."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy

from malt.configuration import Configuration, show_nodes
from malt.features.nodes import Feature
from malt.files import open_output
from malt.formats.dataformat import DataFormat
from malt.instances import Extraction, class_symbol
from malt.kernel.sink import Sink
from malt.kernel.symbols import SymbolTable
from malt.log import logger
from malt.mco.container import model_file
from malt.model import Model, read_model
from malt.oracle import Oracle
from malt.parser import Parser
from malt.pseudo import PseudoProjectivity
from malt.recipe import Recipe, make_recipe
from malt.sentence import Sentence
from malt.settings import Settings
from malt.symbols import Tables
from malt.systems.choice import system_of
from malt.systems.language import Definition
from malt.treebank import Block, Treebank, open_treebank

MUST = "(must)"
BEST = 5  # candidates to show

Row = tuple[str, ...]


@dataclass
class Step:
    """One transition, with what is shown before it."""

    name: str
    label: str = ""  # of the arc, if it makes one
    remark: str = ""
    before: list[str] = field(default_factory=list)


def run(options: Settings) -> int:
    """Trace every sentence: as a model parses it, or as the oracle derives it, if it has heads."""
    path = options.files[0] if options.files else options["input.infile"]
    if options["config.name"] or options["config.url"]:
        model = read_model(model_file(options), options)
        walk: ParserWalk | OracleWalk = ParserWalk(model, features=options["trace.features"])
        format: str | DataFormat = model.recipe.format
        tables: Tables | None = model.recipe.tables
    else:
        system_of(options)  # it is to blame before the file is
        walk, format, tables = OracleWalk(options), training_format(options), None
    number = 0
    with (
        open_treebank(path, format, options["input.charset"], tables, frozen=tables is not None) as treebank,
        open_output(options["output.outfile"]) as stream,
    ):
        walk.start(treebank)
        for block in treebank:
            for sentence in block.sentences():
                number += 1
                for line in walk.trace(block.only(sentence.index), sentence, number):
                    stream.write(f"{line}\n".encode())
                stream.flush()
    return 0


class OracleWalk:
    """The derivations of gold trees."""

    def __init__(self, options: Settings) -> None:
        self.options, self.definition = options, system_of(options)
        self._oracle, self._pseudo = Oracle(self.definition), PseudoProjectivity.from_options(options)
        self._recipe: Recipe | None = None

    def start(self, treebank: Treebank) -> None:
        """Features need the tables that the treebank is read with."""
        if self.options["trace.features"]:
            self._recipe = make_recipe(self.options, treebank.format)
            treebank.tables = self._recipe.tables

    def trace(self, alone: Block, sentence: Sentence, number: int) -> Iterator[str]:
        """The lines for one sentence."""
        if -1 in sentence.heads:
            logger.warning(
                "warning: %s, line %d: a word has no head, so there is no derivation to show", alone.name, sentence.line
            )
            return
        values = feature_values(self._recipe, alone) if self._recipe else iter(())
        heads = self._pseudo.projectivize(alone).heads if self._pseudo.active else alone.heads
        derivations = self._oracle.derive(heads, alone.starts)
        names, steps = tuple(self.definition.transitions), []
        for transition, dependent in zip(
            derivations.transitions.tolist(), derivations.dependents.tolist(), strict=True
        ):
            step = Step(names[transition if transition >= 0 else -1 - transition])
            step.label = (sentence.labels[dependent - 1] or "_") if dependent > 0 else ""
            if transition < 0:
                step.remark = MUST
            else:
                step.before = aligned(next(values, []))
            steps.append(step)
        yield from shown(self.definition, sentence, number, steps)
        yield from _differences("not derived", sentence.heads, derivations.heads.tolist())
        made = set(derivations.dependents.tolist())
        left = [i for i, head in enumerate(derivations.heads.tolist(), 1) if head == 0 and i not in made]
        if left:
            yield f"left to the root, without a label of their own: {', '.join(map(str, left))}"
        yield ""


class ParserWalk:
    """What a parser does by itself, with the scores of the best candidates."""

    def __init__(self, model: Model, *, features: bool) -> None:
        self.recipe, self._features = model.recipe, features
        self._vector = next(iter(self.recipe.model.vectors.values()))
        slots = [self.recipe.program.slots[feature] for feature in self._vector]
        self._sink = Sink(slots, as_text=True)
        self._parser = Parser(model, recording=True, sink=self._sink)

    def start(self, treebank: Treebank) -> None:
        """Nothing is to be prepared."""

    def trace(self, alone: Block, sentence: Sentence, number: int) -> Iterator[str]:
        """The lines for one sentence."""
        parsed = self._parser.parse(alone)
        definition, labels = self.recipe.definition, [self.recipe.tables[name] for name in self.recipe.labels]
        names, steps = tuple(definition.transitions), []
        candidates, lines = self._parser.candidates(), iter(self._sink.take_text().decode().splitlines())
        for transition, choice, codes in next(self._parser.actions(), []):
            step = Step(names[transition] if transition >= 0 else "SH")
            step.label = "+".join(table.symbol(c) or "" for table, c in zip(labels, codes, strict=True) if c >= 0)
            if choice:
                values, found = next(lines), next(candidates)
                step.before = aligned(shown_values(self.recipe, alone, self._vector, values)) if self._features else []
                step.before += self._ranked(found)
            step.remark = "" if choice and transition >= 0 else MUST if transition >= 0 else "(nothing predicted)"
            steps.append(step)
        yield from shown(definition, sentence, number, steps)
        heads = numpy.maximum(parsed.heads, 0).tolist()
        if -1 not in sentence.heads:
            yield from _differences("other heads in the file", sentence.heads, heads)
        yield ""

    def _ranked(self, candidates: list[tuple[int, int, float]]) -> list[str]:
        """The best candidates of each decision that was looked at, with their scores."""
        lines = []
        for _, group in itertools.groupby(candidates, key=lambda candidate: candidate[0]):
            best = sorted(group, key=lambda candidate: -candidate[2])[:BEST]
            lines.append("      " + "  ".join(f"{class_symbol(self.recipe, d, c)} {score:.4g}" for d, c, score in best))
        return lines


def training_format(options: Settings) -> str:
    """The format that is asked for; nothing for the one that the file is recognised to be in."""
    return str(options["input.format"]) if options.given("input.format") else ""


def feature_values(recipe: Recipe, block: Block) -> Iterator[list[tuple[str, str]]]:
    """For each step of a sentence that leaves a choice: the features and their values, as text."""
    extraction = Extraction(recipe, as_text=True)
    extraction.add(block)
    name, sink = next(iter(extraction.sinks.items()))
    for line in sink.take_text().decode().splitlines():
        yield shown_values(recipe, block, extraction.vectors[name], line)


def shown_values(recipe: Recipe, block: Block, vector: Sequence[Feature], line: str) -> list[tuple[str, str]]:
    """The features of an instance, and their values in words."""
    tables = {**recipe.tables, **block.tables}
    shown = []
    for feature, text in zip(vector, line.split("\t")[1:], strict=False):
        table = recipe.columns.value(feature).table
        shown.append((str(feature), show_value(text, tables[table.name] if table else None)))
    return shown


def aligned(values: list[tuple[str, str]]) -> list[str]:
    """A line a feature."""
    width = max((len(name) for name, _ in values), default=0)
    return [f"      {name.ljust(width)}  {value}" for name, value in values]


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
            parts.append(number if colon else (table.symbol(int(code)) or code) if table is not None else "yes")
    return " | ".join(parts)


def shown(definition: Definition, sentence: Sentence, number: int, steps: list[Step]) -> Iterator[str]:
    """The lines for one sentence: its words, and a row a transition."""
    forms = [form or "_" for form in sentence.forms]
    yield f"sentence {number}: " + "  ".join(f"{i}:{form}" for i, form in enumerate(forms, 1))
    rows = list(table_rows(definition, forms, steps))
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row, before in zip(rows, [[], [], *(step.before for step in steps)], strict=True):
        yield from before
        yield "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()


def _differences(title: str, expected: Sequence[int], found: Sequence[int]) -> Iterator[str]:
    wrong = [f"({a}, {i})" for i, (a, b) in enumerate(zip(expected, found, strict=True), 1) if a != b]
    if wrong:
        yield f"{title}: {', '.join(wrong)}"


def table_rows(definition: Definition, forms: list[str], steps: list[Step]) -> Iterator[Row]:
    """One row a transition: its name, the stacks or lists, the buffer, and the new arc."""
    c = Configuration(definition, forms)
    count = itertools.count(1)
    kinds = [f"stack {i + 1}" for i in range(definition.stacks)] if definition.stacks > 1 else ["stack"]
    yield ("", *(kinds if definition.stacks else ["left", "between"]), "buffer" if definition.stacks else "right", "")
    yield ("", *places(c), "")
    for step in steps:
        before = set(c.arcs)
        c.apply(f"{step.name}~{step.label}" if step.label else step.name, force=True)
        arc = ""
        for head, word in c.arcs - before:
            i = next(count)
            arc = f"A{i} = {f'A{i - 1} ∪ ' if i > 1 else ''}{{({head}, {word})}}  {step.label}"
        # The active stack has a star where there are several.
        yield (" ".join(filter(None, [step.name, step.remark, "⇒"])), *places(c), arc)


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
