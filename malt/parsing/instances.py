"""Training instances of a treebank: the oracle's steps, with the values of all features, for each classifier."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy

from malt.data.block import Block, Integers
from malt.errors import DataError, MaltError
from malt.features.nodes import Feature
from malt.kernel import projectivity
from malt.kernel.walk import Sink, Trainer
from malt.parsing.recipe import PARTIAL, Recipe
from malt.trees.pseudoprojectivity import NOT_A_TREE


class Extraction:
    """Walks a treebank by a recipe and fills one Sink a classifier, by MaltParser's names (odm0, sdm1, bdm1RA ...).

    With a data split (-d, -s) each value has its own, named by its code: odm0.002.
    """

    def __init__(self, recipe: Recipe, *, as_text: bool = False) -> None:
        self.recipe, self.as_text = recipe, as_text
        self.sinks: dict[str, Sink] = {}
        self.divisions: dict[str, dict[int, Sink]] = {}  # classifier -> divide code -> its sink
        self.vectors: dict[str, tuple[Feature, ...]] = {}  # classifier -> its whole vector
        self.paths: dict[str, tuple[int, tuple[int, ...]]] = {}  # classifier -> its decision, and the classes before it
        divide = recipe.model.divide
        self._trainer = Trainer(
            recipe.system,
            recipe.program.features,
            recipe.actions,
            [decision.relation == "branched" for decision in recipe.decisions],
            recipe.root_codes,
            self._open,
            recipe.definition.options["-prh"] == "normal",
            -1 if divide is None else recipe.program.slots[divide],
            recipe.propagation,
        )
        if divide is None:
            self._open(0, (), -1)  # a classifier without instances is still one

    def add(self, block: Block) -> None:
        """Take in a block; an error names the line of a sentence that cannot be learned from."""
        recipe = self.recipe
        recipe.use(block.tables)
        heads, labels = gold_arcs(recipe, block)
        given, given_labels = partial_trees(recipe, block) if recipe.partial else (None, None)
        try:
            missing = self._trainer.run(block.starts, heads, block.values, labels, block.heads, given, given_labels)
        except MaltError as error:  # a label that cannot be a part of a class
            raise _located(error, recipe, block, labels) from None
        if missing is not None:
            word, column = missing
            raise DataError(
                f"the word has no {block.format.coded[column]}, which a feature looks at",
                block.name,
                block.line_number(int(block.word_lines[word])),
            )

    def _open(self, decision: int, path: tuple[int, ...], divide: int) -> Sink:
        name, vector_name = classifier_name(self.recipe, decision, path)
        if name in self.sinks and divide < 0:
            return self.sinks[name]
        model = self.recipe.model
        self.vectors[name] = model.vectors[vector_name]
        self.paths[name] = (decision, path)
        vector = self.vectors[name] if divide < 0 else model.divided(vector_name)
        slots = [self.recipe.program.slots[feature] for feature in vector]
        sink = Sink(slots, self.recipe.null_value == "none", self.as_text or divide >= 0)
        if divide < 0:
            self.sinks[name] = sink
        else:
            self.divisions.setdefault(name, {})[divide] = sink
        return sink


def _located(error: MaltError, recipe: Recipe, block: Block, labels: Integers) -> MaltError:
    """An error about a label, with the place of the first word that has it."""
    for column, name in enumerate(recipe.labels):
        for code in numpy.unique(labels[:, column]).tolist():
            if code >= 0 and repr(block.tables[name].symbol(code)) in str(error):
                word = int(numpy.argmax(labels[:, column] == code))
                return DataError(str(error), block.name, block.line_number(int(block.word_lines[word])))
    return error


def gold_arcs(recipe: Recipe, block: Block) -> tuple[Integers, Integers]:
    """The heads to be derived, projective ones with -pp, and the labels of each word in the tables of labels."""
    headless = numpy.flatnonzero(block.heads < 0)
    if len(headless):
        line = block.line_number(int(block.word_lines[headless[0]]))
        raise DataError("the word has no head: a parser learns from whole trees", block.name, line)
    marks: dict[str, Integers] = {}
    heads = block.heads
    if recipe.pseudo.active:
        projected = recipe.pseudo.projectivize(block)
        wrong = numpy.flatnonzero(projected.states != projectivity.TREE)
        if len(wrong):
            line = block.line_number(int(block.word_lines[block.starts[wrong[0]]]))
            reason = NOT_A_TREE[int(projected.states[wrong[0]])]
            raise DataError(
                f"the sentence is no tree ({reason}), so -pp and -pcr cannot transform it", block.name, line
            )
        heads, marks = projected.heads, projected.marks
    columns = [marks[name] if name in marks else block.codes(name) for name in recipe.labels]
    labels = numpy.ascontiguousarray(numpy.stack(columns, axis=1), numpy.int32)
    return numpy.ascontiguousarray(heads, numpy.int32), labels


def classifier_name(recipe: Recipe, decision: int, path: tuple[int, ...]) -> tuple[str, str]:
    """MaltParser's name of the classifier of a decision, and the name of its sub-model of features."""
    this = recipe.decisions[decision]
    symbols = [class_symbol(recipe, place, code) for place, code in enumerate(path)]
    branch = "_".join(symbols)
    prefix = {"": "odm", "sequential": "sdm", "branched": "bdm"}[this.relation]
    return f"{prefix}{decision}{branch}", recipe.model.name_of(this.table, branch)


def class_symbol(recipe: Recipe, decision: int, code: int) -> str:
    """The class of a decision in words."""
    items = recipe.decisions[decision].items
    if items == ("T.TRANS",):
        return list(recipe.definition.transitions)[code - 1]
    table = recipe.decisions[decision].table if len(items) > 1 else items[0][2:]
    return recipe.tables[table].symbol(code) or ""


def partial_trees(recipe: Recipe, block: Block) -> tuple[Integers, Integers]:
    """The arcs that the columns PARTHEAD and PARTDEPREL give (-up): heads, 0 where there is none, and labels."""
    heads = numpy.zeros(len(block.heads), numpy.int32)
    labels = numpy.full((len(block.heads), len(recipe.labels)), -1, numpy.int32)
    deprel = recipe.labels.index("DEPREL") if "DEPREL" in recipe.labels else -1
    sizes = numpy.diff(block.starts)
    sentence = numpy.repeat(numpy.arange(len(block)), sizes)
    codes = {name: block.codes(name) for name in PARTIAL}
    numbers: dict[int, int] = {}
    for word, code in enumerate(codes["PARTHEAD"].tolist()):
        if code not in numbers:
            text = block.tables["PARTHEAD"].symbol(code) if code >= 0 else "0"
            try:
                numbers[code] = int(text or "0")
            except ValueError:
                line = block.line_number(int(block.word_lines[word]))
                raise DataError(f"PARTHEAD is {text!r}; expected a number, 0 for none", block.name, line) from None
        head = numbers[code]
        if head <= 0:
            continue
        if head > sizes[sentence[word]]:
            line = block.line_number(int(block.word_lines[word]))
            raise DataError(f"PARTHEAD is {head}, but the sentence ends before it", block.name, line)
        heads[word] = head
        label = int(codes["PARTDEPREL"][word])
        if deprel >= 0 and label >= 0:
            labels[word, deprel] = block.tables["DEPREL"].add(block.tables["PARTDEPREL"].symbol(label) or "_")
    return heads, labels


def extract(
    recipe: Recipe, blocks: Iterable[Block], *, as_text: bool = False, flush: Callable[[str, bytes], None] | None = None
) -> Extraction:
    """Walk all blocks; with `flush`, the lines of text instances are handed on block by block."""
    extraction = Extraction(recipe, as_text=as_text)
    for block in blocks:
        extraction.add(block)
        if flush is not None:
            for name, sink in extraction.sinks.items():
                flush(name, sink.take_text())
    return extraction
