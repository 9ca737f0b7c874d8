"""`malt trace`: the derivation of each sentence, as Figure 6 of the article shows it, by the oracle or by a model."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache

import numpy

from malt.commands.beam import BeamTrace, beam_lines
from malt.commands.deduction import deduction_of
from malt.commands.draw import Choice
from malt.commands.systems import describe
from malt.data.block import Block
from malt.data.deps import read_deps
from malt.data.files import open_output
from malt.data.formats.dataformat import DataFormat
from malt.data.graph import Graph
from malt.data.sentence import Sentence, sentences_of
from malt.data.symbols import Tables, make_tables
from malt.data.treebank import Treebank, open_treebank
from malt.drawing.reports.derivation import BeamView, Derivation, DerivationStep, derivation_page
from malt.drawing.trees.tree import tags_of, visible_form
from malt.errors import DataError, UsageError, printable
from malt.features.nodes import Feature
from malt.features.values import BOOLEAN, Columns
from malt.kernel.symbols import SymbolTable
from malt.kernel.walk import Changes, Sink
from malt.mco.container import model_file
from malt.model import Model, own_charsets, read_model
from malt.parsing.instances import Extraction
from malt.parsing.machine import Machine
from malt.parsing.parser import Action, Parser
from malt.parsing.trainer import Trainer
from malt.running import progress
from malt.running.log import logger
from malt.settings.settings import Settings
from malt.systems import system_of
from malt.systems.configuration import show_nodes
from malt.systems.elementary import elementary_chain
from malt.systems.language import ANY, Definition
from malt.systems.oracle import Oracle
from malt.systems.places import Places
from malt.trees.pseudoprojectivity import PseudoProjectivity

MUST = "(must)"
BEST = 5  # candidates to show
TRUTHS = {"1": "true", "-1": "false"}  # a BOOLEAN value is 1 or nothing, and no code of its column's symbols
MANY = 200  # derivations, after which a page is slow to make
LONGEST = 1000  # words of a sentence whose pairs are all shown

Row = tuple[str, ...]


@dataclass
class Walked:
    """What was done with a sentence."""

    steps: list[DerivationStep]
    remarks: list[str]  # such as which arcs were not derived
    leaves: int = -1  # the first step that is not the one of the gold derivation
    gold: str = ""  # which is this one
    later: list[BeamView] = field(default_factory=list)  # the beam, when the derivation has come to its end


def run(options: Settings) -> int:
    """Trace every sentence: as a model parses it, or as the oracle derives it, if it has heads."""
    path = options.files[0] if options.files else options["input.infile"]
    choice, page = Choice.from_options(options, "trace.sentences"), options["trace.html"]
    if page and options.given("output.outfile"):
        raise UsageError("--html says where the page goes, and -o where the text goes: give one of them")
    target = page or options["output.outfile"]
    if options["config.name"] or options["config.url"]:
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
            walked = walk.walk(block.only(sentence.index), sentence) if number in choice else None
            if walked is not None:
                yield number, sentence, walked
    if number and not wanted:
        raise DataError(f"there are no sentences that --sentences names: the file has {number}", treebank.name)


def elementary(definition: Definition, sentence: Sentence, walked: Walked) -> Walked:
    """The same with the elementary transitions of every step: the first has what was known when it was chosen, and an
    arc its label (article, definitions 8 to 10)."""
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
    rules = "\n".join(describe(walk.definition))
    return derivation_page(walk.definition, derivations, subtitle=f"{walk.definition.title}; {walk.what}", rules=rules)


class OracleWalk:
    """The derivations of gold trees."""

    what = "what the oracle does with trees of the treebank"

    def __init__(self, options: Settings) -> None:
        self.options, self.definition = options, system_of(options)
        self._changes, self._pseudo = Changes(), PseudoProjectivity.from_options(options)
        self._oracle, self._cut = Oracle(self.definition, self._changes), 0
        self._marks = self._pseudo.make_tables()
        self._trainer = Trainer(options) if options["trace.features"] else None

    def tables_of(self, format: DataFormat) -> Tables:
        """The tables that the treebank is read with: those of the features, if these are shown."""
        return self._trainer.prepare(format) if self._trainer else make_tables(format)

    def walk(self, alone: Block, sentence: Sentence) -> Walked | None:
        """The derivation of a sentence, if it has heads."""
        if self.definition.many:
            return self._walk_graph(alone)
        if -1 in sentence.heads:
            logger.warning(
                "warning: %s, line %d: a word has no head, so there is no derivation to show", alone.name, sentence.line
            )
            return None
        values = feature_values(self._trainer.machine, alone) if self._trainer else iter(())
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
        remarks += list(_differences("not derived", sentence.heads, derivations.heads.tolist()))
        made = set(derivations.dependents.tolist())
        left = [i for i, head in enumerate(derivations.heads.tolist(), 1) if head == 0 and i not in made]
        if left:
            remarks.append(f"left to the root, without a label of their own: {', '.join(map(str, left))}")
        return Walked(steps, [*remarks, *deduction_of(self.definition.decoder, derivations.heads.tolist())])

    def _walk_graph(self, alone: Block) -> Walked:
        """The derivation of a graph."""
        graph, names, steps = read_deps(alone), tuple(self.definition.transitions), []
        values = feature_values(self._trainer.machine, alone) if self._trainer else iter(())
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
        return Walked(steps, list(_arc_differences("not derived", arcs_of(graph), arcs_of(made))))


class ParserWalk:
    """What a parser does by itself, with the scores of the best candidates."""

    what = "what a parser does, with the scores of its model"

    def __init__(self, model: Model, *, features: bool) -> None:
        spec = model.specification
        self.model, self.definition, self._features, self._vector = model, spec.definition, features, spec.computed.main
        self._sink = Sink([spec.computed.slots[feature] for feature in self._vector], as_text=True)
        self._changes = Changes()
        self._parser = model.make_parser(recording=True, sink=self._sink, changes=self._changes)
        self._oracle = Parser(Machine(spec, model.tables), recording=True)  # what it should have done
        self._names = tuple(self.definition.transitions)
        self._label_names = spec.labels
        self._labels: dict[tuple[int, ...], str] = {}
        self._symbol = lru_cache(1 << 12)(self._find_symbol)
        self._beam = BeamTrace(model, model.structured) if model.structured is not None else None

    def walk(self, alone: Block, sentence: Sentence) -> Walked:
        """The derivation of a sentence."""
        parsed = self._parser.parse(alone)
        spec, tables = self.model.specification, {**self.model.tables, **alone.tables}
        steps: list[DerivationStep] = []
        candidates, lines = iter(self._parser.candidates(BEST)), iter(self._sink.take_text().decode().splitlines())
        actions = next(self._parser.actions(), [])
        for (transition, choice, codes), (permitted, change) in zip(actions, self._changes.steps(), strict=False):
            step = DerivationStep(self._name(transition), change, permitted, self._label(codes, tables))
            if choice:
                values, found = next(lines), next(candidates)
                if self._features:
                    step.values = describe_values(spec.columns, tables, self._vector, values)
                step.candidates = self._ranked(found)
            step.remark = "" if choice and transition >= 0 else MUST if transition >= 0 else "(nothing predicted)"
            steps.append(step)
        heads = numpy.maximum(parsed.heads, 0).tolist()
        if self.definition.many:
            heads = []
        walked = Walked(steps, deduction_of(self.model.decoder, heads))
        if self.definition.roots != ANY and (left := self._parser.left_over()):
            arcs = ", ".join(f"({heads[word - 1]}, {word})" for word in left)
            walked.remarks.append(f"left over, and then attached, as one word is to hang on the root: {arcs}")
        known = any(sentence.graph) if self.definition.many else -1 not in sentence.heads
        gold = self._gold_actions(alone) if known else []
        if self._beam is not None and (choices := self._parser.search()) is not None:
            beams = iter(self._beam.views(choices, gold))
            for step in steps:
                step.beam = next(beams, None) if step.candidates else None
            walked.later = list(beams)
            if gold:
                walked.remarks.append(self._beam.told(choices, gold, alone))
        if not known:
            return walked
        if parsed.graph is not None:
            wanted, made = arcs_of(read_deps(alone)), arcs_of(parsed.graph)
            walked.remarks += _arc_differences("not in the file", made, wanted)
            walked.remarks += _arc_differences("only in the file", wanted, made)
        else:
            walked.remarks += _differences("other heads in the file", sentence.heads, heads)
        if self.definition.order:  # arcs of a tree may be made in any order
            walked.remarks += _first_loss(steps, sentence.heads)
            return walked
        for place, (step, (transition, _, codes)) in enumerate(zip(steps, gold, strict=False)):
            name, label = self._name(transition), self._label(codes, tables)
            if step.name != name or (step.change[0] > 0 and step.label != label):
                walked.leaves, walked.gold = place, f"{name}~{label}" if label else name
                said = (
                    f"leaves the gold derivation at step {place + 1}: {step.text}, where the oracle has {walked.gold}"
                )
                walked.remarks.append(said)
                break
        return walked

    def _gold_actions(self, alone: Block) -> list[Action]:
        """What the oracle does to derive the tree; nothing if it is none."""
        try:
            self._oracle.parse(alone)
        except DataError:
            return []
        return next(self._oracle.actions(), [])

    def _name(self, transition: int) -> str:
        return self._names[transition] if transition >= 0 else self.definition.shift

    def _label(self, codes: list[int], tables: Tables) -> str:
        key = tuple(codes)
        label = self._labels.get(key)
        if label is None:
            named = [(name, code) for name, code in zip(self._label_names, codes, strict=True) if code >= 0]
            label = "+".join(tables[name].symbol(code) or "" for name, code in named)
            if all(code < self.model.tables[name].next_code for name, code in named):  # no symbol of this block alone
                self._labels[key] = label
        return label

    def _ranked(self, candidates: list[tuple[int, int, float]]) -> list[list[tuple[str, float]]]:
        """The best candidates of each decision that was looked at, with their scores."""
        groups: list[list[tuple[str, float]]] = []
        last = -1
        for decision, code, score in candidates:
            if decision != last:
                groups.append([])
                last = decision
            groups[-1].append((self._symbol(decision, code), score))
        return groups

    def _find_symbol(self, decision: int, code: int) -> str:
        spec = self.model.specification
        return spec.decisions[decision].symbol(code, spec.transitions, self.model.tables)


def training_format(options: Settings) -> str:
    """The format that is asked for; nothing for the one that the file is recognised to be in."""
    return str(options["input.format"]) if options.given("input.format") else ""


def feature_values(machine: Machine, block: Block) -> Iterator[list[tuple[str, str]]]:
    """For each step of a sentence that leaves a choice: the features and their values, as text."""
    extraction = Extraction(machine, as_text=True)
    extraction.add(block)
    name, sink = next(iter(extraction.sinks.items()))
    for line in sink.take_text().decode().splitlines():
        tables = {**machine.tables, **block.tables}
        yield describe_values(machine.specification.columns, tables, extraction.vectors[name], line)


def describe_values(columns: Columns, tables: Tables, vector: Sequence[Feature], line: str) -> list[tuple[str, str]]:
    """The features of an instance, and their values in words."""
    shown = []
    for feature, text in zip(vector, line.split("\t")[1:], strict=False):
        value = columns.value(feature)
        if value.table and value.type == BOOLEAN and text in TRUTHS:
            shown.append((str(feature), TRUTHS[text]))
        else:
            shown.append((str(feature), show_value(text, tables[value.table.name] if value.table else None)))
    return shown


def align_values(values: Sequence[tuple[str, str]]) -> list[str]:
    """A line per feature."""
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
    return align_values(step.values) + [f"      {line}" for line in ranked] + beam


def later_lines(walked: Walked) -> Iterator[str]:
    """What the beam does when the derivation that it ends with has come to its end."""
    for beam in walked.later:
        yield "      this derivation has ended; the beam goes on with others"
        yield from beam_lines(beam)


def _differences(title: str, expected: Sequence[int], found: Sequence[int]) -> Iterator[str]:
    wrong = [f"({a}, {i})" for i, (a, b) in enumerate(zip(expected, found, strict=True), 1) if a != b]
    if wrong:
        yield f"{title}: {', '.join(wrong)}"


def _first_loss(steps: Iterable[DerivationStep], heads: Sequence[int]) -> Iterator[str]:
    """The first arc after which some of a tree cannot be made any more: its dependent waits no more."""
    gone: set[int] = set()
    for step in steps:
        word, head = step.change[0], step.change[1]
        if word <= 0:
            continue
        lost = [(word, one) for one, above in enumerate(heads, 1) if above == word and one not in gone]
        if heads[word - 1] not in (head, *gone):
            lost.append((heads[word - 1], word))
        if lost:
            others = ", ".join(map(str, lost))
            yield f"the first arc that loses some of the file: ({head}, {word}), and with it {others}"
            return
        gone.add(word)


def arcs_of(graph: Graph) -> list[tuple[int, int]]:
    """The arcs of the graph of one sentence, each as (head, word)."""
    return list(zip(graph.heads.tolist(), (graph.words + 1).tolist(), strict=True))


def _arc_differences(title: str, one: Sequence[tuple[int, int]], two: Sequence[tuple[int, int]]) -> Iterator[str]:
    """The arcs that only the one has."""
    missing = [str(arc) for arc in dict.fromkeys(one) if arc not in set(two)]
    if missing:
        yield f"{title}: {', '.join(missing)}"


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
        return tuple(show_nodes([], nodes) for nodes in places.lists)
    stars = ["*" if len(places.stacks) > 1 and i == places.active else "" for i in range(len(places.stacks))]
    shown = (show_nodes(stack) + star for stack, star in zip(places.stacks, stars, strict=True))
    return (*shown, show_nodes(reversed(places.back), places.rest, places.last))
