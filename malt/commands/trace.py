"""`malt trace`: the derivation of each sentence, as Figure 6 of the article shows it, by the oracle or by a model."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from malt.commands.deduction import deduction_of
from malt.commands.draw import Choice
from malt.commands.walked import MOST_STEPS, MUST, Walked, arc_differences, arcs_of, differences
from malt.data.block import Block
from malt.data.deps import read_deps
from malt.data.files import open_output
from malt.data.formats.dataformat import DataFormat
from malt.data.sentence import Sentence, sentences_of
from malt.data.symbols import Tables, make_tables
from malt.data.treebank import Treebank, open_treebank
from malt.drawing.reports.steps import BeamView, Derivation, DerivationStep
from malt.drawing.trees.tree import tags_of, visible_form
from malt.errors import DataError, UsageError, printable
from malt.kernel.walk import Changes, LongDerivation
from malt.running import progress
from malt.running.log import logger
from malt.settings.settings import Settings
from malt.systems import system_of
from malt.systems.configuration import show_nodes
from malt.systems.language import Definition
from malt.systems.oracle import Oracle
from malt.systems.places import Places
from malt.trees.pseudoprojectivity import PseudoProjectivity

if TYPE_CHECKING:
    from malt.commands.parserwalk import ParserWalk
    from malt.parsing.trainer import Trainer

MANY = 200  # derivations, after which a page is slow to make
LONGEST = 1000  # words of a sentence whose pairs are all shown

Row = tuple[str, ...]


def run(options: Settings) -> int:
    """Trace every sentence: as a model parses it, or as the oracle derives it, if it has heads."""
    path = options.files[0] if options.files else options["input.infile"]
    choice, page = Choice.from_options(options, "trace.sentences"), options["trace.html"]
    if page and options.given("output.outfile"):
        raise UsageError("--html says where the page goes, and -o where the text goes: give one of them")
    target = page or options["output.outfile"]
    if options["config.name"] or options["config.url"]:
        from malt.commands.parserwalk import ParserWalk
        from malt.mco.container import model_file
        from malt.model import own_charsets, read_model

        charsets, options = own_charsets(options)
        model = read_model(model_file(options), options)
        if model.backwards:
            raise UsageError(
                f"{model.path} reads from right to left (--reverse); a trace is of one that reads forwards"
            )
        options = model.settings
        charset = charsets.get("input.charset", options["input.charset"])
        walk: ParserWalk | OracleWalk = ParserWalk(model, features=options["trace.features"])
        opened = open_treebank(path, model.format, charset, model.tables, frozen=True)
    else:
        if options.given("perceptron.beam"):
            raise UsageError("--beam is for a model of -l perceptron (-c); the oracle of an algorithm has none")
        walk = OracleWalk(options)
        opened = open_treebank(path, training_format(options), options["input.charset"], walk.tables_of)
    if options["trace.elementary"] and not walk.definition.stacks:
        raise UsageError(f"--elementary: {walk.definition.name} has lists, and no elementary transitions")
    as_html = page or target.lower().endswith((".html", ".htm"))
    with opened as treebank, open_output(target, "page" if as_html else "drawing") as stream:
        found = walk_sentences(walk, treebank, choice)
        if options["trace.elementary"]:
            found = ((number, one, elementary(walk.definition, one, walked)) for number, one, walked in found)
        if as_html:
            stream.write(as_page(walk, found, treebank.name).encode())
        else:
            anywhere = bool(walk.definition.order) and not options["trace.elementary"]
            for number, sentence, walked in found:
                lines = derivation_lines(walk.definition, sentence, number, walked.steps, anywhere=anywhere)
                for line in (*lines, *later_lines(walked), *walked.remarks, ""):
                    stream.write(f"{printable(line) if stream.isatty() else line}\n".encode())
                stream.flush()
    return 0


def walk_sentences(
    walk: ParserWalk | OracleWalk, treebank: Treebank, choice: Choice
) -> Iterator[tuple[int, Sentence, Walked]]:
    """The sentences that are wanted and can be derived, with their numbers and derivations."""
    number, wanted = 0, False
    for block in progress.blocks(treebank, "trace"):
        for sentence in sentences_of(block):
            number += 1
            if choice.last is not None and number > choice.last:
                return
            wanted = wanted or number in choice
            if number in choice and walk.definition.decoder and len(sentence) > LONGEST:
                what = f"a sentence of {len(sentence):,} words has too many pairs of them to be shown"
                logger.warning("warning: %s", DataError(what, block.name, sentence.line))
                continue
            try:
                walked = walk.walk(block.only(sentence.index), sentence) if number in choice else None
            except LongDerivation:
                what = f"the derivation of this sentence has more than {MOST_STEPS:,} steps, too many to be shown"
                logger.warning("warning: %s", DataError(what, block.name, sentence.line))
                continue
            if walked is not None:
                yield number, sentence, walked
    if number and not wanted:
        raise DataError(f"there are no sentences that --sentences names: the file has {number}", treebank.name)


def elementary(definition: Definition, sentence: Sentence, walked: Walked) -> Walked:
    """The same with the elementary transitions of every step: the first has what was known when it was chosen, and an
    arc its label (article, definitions 8 to 10)."""
    from malt.systems.elementary import elementary_chain

    steps: list[DerivationStep] = []
    chain = elementary_chain(definition, len(sentence.forms), (step.name for step in walked.steps))
    for step, parts in zip(walked.steps, chain, strict=True):
        for place, (operation, change) in enumerate(parts):
            first = replace(step, name=f"{step.name}: {operation}", change=change)
            later = DerivationStep(f"{' ' * len(step.name)}  {operation}", change)
            steps.append(later if place else first)
            steps[-1].label = step.label if change[0] > 0 else ""
    return replace(walked, steps=steps)


def as_page(walk: ParserWalk | OracleWalk, found: Iterable[tuple[int, Sentence, Walked]], name: str) -> str:
    """All derivations as a page."""
    derivations = [
        Derivation(
            number,
            [visible_form(form) for form in sentence.forms],
            tags_of(sentence),
            walked.steps,
            walked.remarks,
            walked.leaves,
            walked.gold,
        )
        for number, sentence, walked in found
    ]
    if not derivations:
        raise DataError("there is no derivation to show", name)
    if len(derivations) > MANY:
        logger.warning("warning: %d derivations make a large page; --sentences chooses some", len(derivations))
    from malt.commands.systems import describe
    from malt.drawing.reports.derivation import derivation_page

    rules = "\n".join(describe(walk.definition))
    return derivation_page(walk.definition, derivations, subtitle=f"{walk.definition.title}; {walk.what}", rules=rules)


class OracleWalk:
    """The derivations of gold trees."""

    what = "what the oracle does with trees of the treebank"

    def __init__(self, options: Settings) -> None:
        self.options, self.definition = options, system_of(options)
        self._changes, self._pseudo = Changes(MOST_STEPS), PseudoProjectivity.from_options(options)
        self._oracle, self._cut = Oracle(self.definition, self._changes), 0
        self._marks = self._pseudo.make_tables()
        self._trainer: Trainer | None = None
        if options["trace.features"]:
            from malt.parsing.trainer import Trainer

            self._trainer = Trainer(options)

    def tables_of(self, format: DataFormat) -> Tables:
        """The tables that the treebank is read with: those of the features, if these are shown."""
        return self._trainer.prepare(format) if self._trainer else make_tables(format)

    def _values(self, alone: Block) -> Iterator[list[tuple[str, str]]]:
        """Those of features, if they are shown."""
        if self._trainer is None:
            return iter(())
        from malt.commands.values import feature_values

        return feature_values(self._trainer.machine, alone)

    def walk(self, alone: Block, sentence: Sentence) -> Walked | None:
        """The derivation of a sentence, if it has heads."""
        if self.definition.many:
            return self._walk_graph(alone)
        if -1 in sentence.heads:
            logger.warning(
                "warning: %s, line %d: a word has no head, so there is no derivation to show", alone.name, sentence.line
            )
            return None
        values = self._values(alone)
        heads = self._pseudo.projectivize(alone, self._marks).heads if self._pseudo.active else alone.heads
        derivations = self._oracle.derive(heads, alone.starts)
        names, labels, steps = tuple(self.definition.transitions), sentence.labels, []
        for transition, (permitted, change) in zip(
            derivations.transitions.tolist(), self._changes.steps(), strict=True
        ):
            step = DerivationStep(names[transition if transition >= 0 else -1 - transition], change, permitted)
            step.label = (labels[change[0] - 1] or "_") if change[0] > 0 else ""
            if transition < 0:
                step.remark = MUST
            else:
                step.values = next(values, [])
            steps.append(step)
        remarks = ["the search for a derivation was cut short"] if self._oracle.cut > self._cut else []
        self._cut = self._oracle.cut
        remarks += list(differences("not derived", sentence.heads, derivations.heads.tolist()))
        made = set(derivations.dependents.tolist())
        left = [i for i, head in enumerate(derivations.heads.tolist(), 1) if head == 0 and i not in made]
        if left:
            remarks.append(f"left to the root, without a label of their own: {', '.join(map(str, left))}")
        return Walked(steps, [*remarks, *deduction_of(self.definition.decoder, derivations.heads.tolist())])

    def _walk_graph(self, alone: Block) -> Walked:
        """The derivation of a graph."""
        graph, names, steps = read_deps(alone), tuple(self.definition.transitions), []
        values = self._values(alone)
        labels: dict[tuple[int, int], list[str]] = {}
        table = alone.tables[alone.format.label_columns[0]]
        for (head, word), code in zip(arcs_of(graph), graph.labels.tolist(), strict=True):
            labels.setdefault((head, word), []).append(table.symbol(code) or "_")
        derivations, made = self._oracle.derive_graphs(graph, alone.starts)
        for transition, (permitted, change) in zip(
            derivations.transitions.tolist(), self._changes.steps(), strict=True
        ):
            step = DerivationStep(names[transition if transition >= 0 else -1 - transition], change, permitted)
            step.label = " | ".join(labels.get((change[1], change[0]), ()))
            step.remark = MUST if transition < 0 else ""
            step.values = next(values, []) if transition >= 0 else []
            steps.append(step)
        return Walked(steps, list(arc_differences("not derived", arcs_of(graph), arcs_of(made))))


def training_format(options: Settings) -> str:
    """The format that is asked for; nothing for the one that the file is recognised to be in."""
    return str(options["input.format"]) if options.given("input.format") else ""


def align_values(values: Sequence[tuple[str, str]]) -> list[str]:
    """A line per feature."""
    width = max((len(name) for name, _ in values), default=0)
    return [f"      {name.ljust(width)}  {value}" for name, value in values]


def derivation_lines(
    definition: Definition, sentence: Sentence, number: int, steps: list[DerivationStep], *, anywhere: bool = False
) -> Iterator[str]:
    """The lines for one sentence: its words, and a row per transition or, if arcs are made `anywhere`, per arc."""
    forms = [form or "_" for form in sentence.forms]
    yield f"sentence {number}: " + "  ".join(f"{i}:{form}" for i, form in enumerate(forms, 1))
    shown = [step for step in steps if not anywhere or step.change[0] > 0]
    rows = list((arc_rows if anywhere else table_rows)(definition, len(forms), steps))
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row, before in zip(rows, [[], [], *map(lines_before, shown)], strict=True):
        yield from before
        yield "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()


def lines_before(step: DerivationStep) -> list[str]:
    """What is shown before a transition: the features, the candidates of each decision, the beam after the choice."""
    ranked = ("  ".join(f"{symbol} {score:.4g}" for symbol, score in group) for group in step.candidates)
    beam = beam_lines(step.beam) if step.beam is not None else []
    for view in reversed(step.waits):
        beam = ["      this derivation waits; the beam goes on with others", *beam_lines(view), *beam]
    return align_values(step.values) + [f"      {line}" for line in ranked] + beam


def later_lines(walked: Walked) -> Iterator[str]:
    """What the beam does when the derivation that it ends with has come to its end."""
    for beam in walked.later:
        yield "      this derivation has ended; the beam goes on with others"
        yield from beam_lines(beam)


def beam_lines(beam: BeamView) -> list[str]:
    """A beam as a table."""
    totals = [f"{row.total:.2f}" for row in beam.rows]
    wide, long = max(map(len, [*totals, "total"])), max(map(len, [*(row.choice for row in beam.rows), "choice"]))
    title = f"beam {beam.number}"
    lines = [f"      {title:>8}  {'total':>{wide}}  {'choice':<{long}}  of"]
    for row, total in zip(beam.rows, totals, strict=True):
        shown = f"{row.place or 'out':>8}  {total:>{wide}}  {row.choice:<{long}}  {row.past:>2}  {row.remark}"
        lines.append(f"      {shown}".rstrip())
    if beam.gone:
        lines.append(f"      {'':8}  nothing is left of {', '.join(map(str, beam.gone))}")
    return lines


def table_rows(definition: Definition, words: int, steps: list[DerivationStep]) -> Iterator[Row]:
    """One row per transition: its name, the stacks or lists, the buffer, and the new arc."""
    places = Places(definition, words)
    count = itertools.count(1)
    kinds = [f"stack {i + 1}" for i in range(definition.stacks)] if definition.stacks > 1 else ["stack"]
    yield ("", *(kinds if definition.stacks else ["left", "between"]), "buffer" if definition.stacks else "right", "")
    yield ("", *show_places(places), "")
    for step in steps:
        made = places.make(step.change)
        arc = show_arc(next(count), made, step.label) if made else ""
        yield (" ".join(filter(None, [step.name, step.remark, "⇒"])), *show_places(places), arc)


def arc_rows(definition: Definition, words: int, steps: list[DerivationStep]) -> Iterator[Row]:
    """One row per arc, if arcs are made anywhere: the transition with its place, as the article has it, the nodes that
    wait for a head, and the arc."""
    places = Places(definition, words)
    count = itertools.count(1)

    def waiting() -> str:
        return show_nodes([*places.stacks[0], *reversed(places.back)], places.rest, places.last)

    yield ("", "waiting", "")
    yield ("", waiting(), "")
    for step in steps:
        at = len(places.stacks[0]) - 1  # of the words; the root is there, too
        if made := places.make(step.change):
            yield (f"{step.name}({at}) ⇒", waiting(), show_arc(next(count), made, step.label))


def show_arc(number: int, arc: tuple[int, int], label: str) -> str:
    """An arc that is added to those before it."""
    before = f"A{number - 1} ∪ " if number > 1 else ""
    return f"A{number} = {before}{{({arc[0]}, {arc[1]})}}  {label}"


def show_places(places: Places) -> Row:
    """The stacks or lists, and the buffer. The active stack has a star where there are several."""
    if not places.stacks:
        return tuple(show_nodes([], nodes, last) for nodes, last in places.lists)
    stars = ["*" if len(places.stacks) > 1 and i == places.active else "" for i in range(len(places.stacks))]
    shown = (show_nodes(stack) + star for stack, star in zip(places.stacks, stars, strict=True))
    return (*shown, show_nodes(places.back[::-1], places.rest, places.last))
