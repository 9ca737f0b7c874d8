"""`malt blend`: what several parsers made of the same text becomes one tree for each sentence, by vote."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy

from malt.blending.learning import Outcome, WeightLearning
from malt.blending.voting import Ballot, Vote, check_decoder
from malt.blending.weights import check_count, equal_weights, read_weights, write_weights
from malt.charts import is_chart
from malt.commands.table import print_lines
from malt.data.block import Block
from malt.data.compression import packing
from malt.data.files import check_output, check_standard_output, open_output, read_small
from malt.data.formats.writer import converter
from malt.data.symbols import root_labels
from malt.data.treebank import Treebank
from malt.errors import DataError, UsageError, counted
from malt.evaluation.alignment import Stretch, align, open_together, openers_of, pos_column
from malt.kernel.arcs import TooLong
from malt.mco.container import SUFFIX, model_path
from malt.model import blend_models, read_model
from malt.parsing.decoders import Tally
from malt.parsing.instances import too_long
from malt.running.log import logger
from malt.settings.settings import Settings


def run(options: Settings) -> int:
    """Blend files, learn weights, or make one model of several."""
    files, gold, weights = options.files, options["blend.gold"], options["blend.weights"]
    decoder = check_decoder(options["singlemalt.parsing_algorithm"])
    roots = options["tree.roots"] if options.given("tree.roots") else ""
    if options.given("perceptron.items") and not is_chart(decoder):
        raise UsageError(f"--items is for charts (-a wg1, mg1 ...), not for -a {decoder}")
    if len(files) < 2:
        raise UsageError("a vote needs two or more: malt blend A.conll B.conll ..., or A.mco B.mco ... for a model")
    models = [file for file in files if file.endswith(SUFFIX)]
    if models and len(models) < len(files):
        raise UsageError("give what parsers wrote, or models (.mco), not both")
    if gold and models:
        raise UsageError("--gold is for what parsers wrote: parse it with each model first")
    if bool(models) != bool(options["config.name"]):
        raise UsageError("-c NAME makes a model of models: malt blend -c NAME A.mco B.mco ...")
    vote = Vote(equal_weights(files), decoder, roots, options["perceptron.memory"], options["perceptron.items"])
    if gold:
        return _learn(options, gold, weights, vote)
    if weights:
        vote = replace(vote, weights=read_weights(read_small(weights, "file of weights"), weights))
        check_count(vote.weights, len(files), weights)
    return _make_model(options, vote) if models else _blend(options, vote)


def _make_model(options: Settings, vote: Vote) -> int:
    """One model that holds several."""
    target = model_path(options["config.name"], options["config.workingdir"])
    check_output(target, "model")
    settings = Settings().derive({"config.flowchart": ""})  # -a is that of the blend
    models = [read_model(path, settings) for path in options.files]
    blend_models(models, replace(vote, weights=vote.weights.named(options.files))).save(target)
    logger.info("A blend of %s: %s", counted(len(models), "model"), target)
    return 0


def _blend(options: Settings, vote: Vote) -> int:
    """Vote, and write the text of the first file with the heads and labels of the best trees."""
    check_output(options["output.outfile"])
    sentences = 0
    with (
        open_together(openers_of(options.files), options["input.format"], options["input.charset"]) as treebanks,
        open_output(options["output.outfile"]) as out,
        packing(out, options["output.outfile"]) as stream,
    ):
        first = treebanks[0]
        _require_labels(treebanks)
        writer = converter(first.format, first.format, first.charset, root_labels("", first.format))
        heads: list[numpy.typing.NDArray[numpy.int32]] = []
        labels: list[numpy.typing.NDArray[numpy.int32]] = []
        for stretches in align(first, treebanks[1:], "blend"):
            try:
                found = vote.trees(_ballot(stretches, vote.weights.column), first.tables)
            except TooLong as fault:
                raise too_long(stretches[0].block, fault, stretches[0].words.start) from None
            heads.append(found[0])
            labels.append(found[1])
            block = stretches[0].block
            sentences += stretches[0].end - stretches[0].begin
            if stretches[0].end == len(block):
                stream.write(writer.write(_with_arcs(block, numpy.concatenate(heads), numpy.concatenate(labels))))
                heads, labels = [], []
    sum(vote.tallies, Tally()).tell()
    logger.info("Blended %s of %s", counted(sentences, "sentence"), counted(len(options.files), "parser"))
    return 0


def _with_arcs(
    block: Block, heads: numpy.typing.NDArray[numpy.int32], labels: numpy.typing.NDArray[numpy.int32]
) -> Block:
    values = block.values.copy()
    values[:, block.format.places[block.format.label_columns[0]]] = labels
    return replace(block, heads=heads, values=values)


def _ballot(stretches: Sequence[Stretch], column: str) -> Ballot:
    """What the parsers say of some sentences, with the parts of speech of the first."""
    first = stretches[0]
    return Ballot(
        first.starts,
        numpy.stack([stretch.heads for stretch in stretches]),
        numpy.stack([stretch.labels for stretch in stretches]),
        first.codes(column),
    )


def _require_labels(treebanks: Sequence[Treebank]) -> None:
    for treebank in treebanks:
        if not treebank.format.label_columns:
            raise DataError(f"the format {treebank.format.name} has no column of labels to vote on", treebank.name)


def _learn(options: Settings, gold: str, target: str, vote: Vote) -> int:
    """Learn weights from what parsers made of a gold standard, write them, and tell what they are worth."""
    check_standard_output()
    files = options.files
    if target:
        check_output(target, "file of weights")
    every: list[Ballot] = []
    heads, labels = [], []
    with open_together(openers_of([gold, *files]), options["input.format"], options["input.charset"]) as treebanks:
        _require_labels(treebanks)
        column = pos_column(treebanks[0].format)
        for right, *said in align(treebanks[0], treebanks[1:], "blend"):
            if (right.heads < 0).any():
                word = int(numpy.flatnonzero(right.heads < 0)[0])
                raise DataError("the word has no head, so nothing can be learned", gold, right.line(word))
            every.append(replace(_ballot(said, ""), tags=right.codes(column)))
            heads.append(right.heads)
            labels.append(right.labels)
        if not heads:
            raise DataError("there are no sentences to learn from", gold)
        lengths = numpy.concatenate([numpy.diff(part.starts) for part in every])
        ballot = Ballot(
            numpy.concatenate([[0], numpy.cumsum(lengths)]).astype(numpy.int32),
            numpy.concatenate([part.heads for part in every], axis=1),
            numpy.concatenate([part.labels for part in every], axis=1),
            numpy.concatenate([part.tags for part in every]),
        )
        right_arcs = numpy.concatenate(heads), numpy.concatenate(labels)
        learning = WeightLearning(files, ballot, *right_arcs, treebanks[0].tables, column, vote)
        try:
            outcome = learning.learn()
        except TooLong as fault:
            raise DataError(f"{fault}; --memory says how much a sentence may take", gold) from None
    if target:
        with open_output(target, "file of weights") as stream:
            stream.write(write_weights(outcome.weights))
    print_lines(_told(outcome, target))
    return 0


def _told(outcome: Outcome, target: str) -> Iterator[str]:
    width = max(map(len, (*outcome.alone, *outcome.kinds)))
    yield "labelled attachment (LAS) of all words, in per cent"
    for name, score in outcome.alone.items():
        yield f"  {name:<{width}} {score:6.2f}"
    yield "votes, cross-validated: each sentence with weights from others"
    for kind, score in outcome.kinds.items():
        yield f"  {kind:<{width}} {score:6.2f}{f'  written to {target}' * (kind == outcome.best and bool(target))}"
