"""`malt parse`: parse a file with a model. MaltParser's -m parse."""

from __future__ import annotations

import time
from collections.abc import Generator, Iterable, Iterator
from contextlib import AbstractContextManager, ExitStack, closing
from typing import TYPE_CHECKING

from malt.blending.voting import Vote, check_decoder
from malt.blending.weights import check_count, equal_weights, read_weights
from malt.commands.deduction import log_deductions
from malt.data.block import Block
from malt.data.charsets import find_charset
from malt.data.compression import packing
from malt.data.doubts import doubt, fitting
from malt.data.files import check_output, open_output, read_small
from malt.data.formats.dataformat import INPUT, DataFormat, find_format
from malt.data.formats.writer import Losses, TextWriter
from malt.data.treebank import Treebank
from malt.data.treebanks import Piece, Treebanks, open_treebanks
from malt.errors import UsageError, counted
from malt.mco.container import model_file, model_path
from malt.model import Blend, Model, blend_models, own_charsets, read_model
from malt.parsing.diagnostics import Diagnostics, open_diagnostics
from malt.parsing.textworker import Output, Parsed, TextWorker, explain_misfit
from malt.running import progress
from malt.running.log import logger
from malt.settings.settings import Settings
from malt.text.source import AUTO, COLUMNS, TEXT, TextSource, is_text

if TYPE_CHECKING:
    from concurrent.futures import Future

    from malt.running.cluster import Cluster

TOKENS, TAGS, TREES = "tokens", "tags", "trees"  # how far the steps go
PIECE = 1 << 21  # bytes of text that go to a worker at a time: about a tenth of a second of work


def run(options: Settings) -> int:
    """Parse one file, or several."""
    as_maltparser = bool(options["config.flowchart"])
    check_output(options["output.outfile"])
    charsets: dict[str, str] = {}
    if not as_maltparser:
        charsets, options = own_charsets(options)
    model = find_model(options)
    if as_maltparser and model.structured is not None:
        raise UsageError(f"{model.path}: MaltParser has no -l perceptron; `malt parse` parses with such a model")
    if options.given("perceptron.items") and not model.charted:
        raise UsageError(f"--items is for charts (wg1, mg1 ...), and {model.path} is of {model.algorithm}")
    if options.given("perceptron.memory") and not isinstance(model, Blend):
        if model.structured is None:
            learner = model.settings["guide.learner"]
            raise UsageError(f"--memory is for models of -l perceptron, and {model.path} is of -l {learner}")
        if not model.decoder:
            raise UsageError(f"--memory is not for models of -a {model.algorithm}")
    options, specification = model.settings, model.specification
    note = specification.mended_note
    if note:
        logger.warning("warning: %s", note)
    paths = options.files or (options["input.infile"],)
    jobs = options.get("parse.jobs", 1)
    begin, words, losses = time.perf_counter(), 0, Losses()
    target = find_format(options["output.format"]) if options["output.format"] else None
    if target is not None and as_maltparser:
        _warn_of_loss(model.format, target)

    def doubt_format(treebank: Treebank) -> None:
        doubt(treebank, f"the model is for {model.format.name}", fitting(model.format))

    kind, until = options.get("parse.input", COLUMNS), options.get("parse.until", TREES)
    _check_text(model, kind, until)
    with ExitStack() as files:
        opened = files.enter_context(
            open_treebanks(
                paths,
                model.format,
                charsets.get("input.charset", options["input.charset"]),
                model.tables,
                frozen=True,
                by_place=as_maltparser,
                on_open=doubt_format,
            )
        )
        if kind == AUTO and model.reads_text and is_text(opened.beginning):
            logger.info("%s: read as text, as it cannot be %s", opened.name, model.format.name)
            kind = TEXT
        treebank: Treebanks | TextSource = opened
        if kind not in (AUTO, COLUMNS):
            assert model.text is not None
            treebank = TextSource(model.text, opened, kind, model.tables)
        if "input.charset" in charsets and "output.charset" not in charsets:
            written = treebank.charset  # as the file has it
        else:
            written = find_charset(charsets.get("output.charset", options["output.charset"]))
        output = Output(treebank.format, target or treebank.format, written, as_maltparser, until == TREES)
        diagnostics = files.enter_context(open_diagnostics(specification, model.tables, options))
        stream = files.enter_context(open_output(options["output.outfile"]))
        if not as_maltparser:
            stream = files.enter_context(packing(stream, options["output.outfile"]))
        if options.given("parse.dask"):
            if until != TREES:
                raise UsageError(f"--until {until} and --dask do not go together: these steps take hardly any time")
            cluster = files.enter_context(_cluster(options["parse.dask"], diagnostics))
            limit = jobs if options.given("parse.jobs") else 0
            texts = files.enter_context(closing(parse_on_cluster(model, treebank, cluster, limit, output)))
            found = progress.parts(treebank, texts, "parse")
        else:
            blocks = explain_misfit(progress.blocks(treebank, "parse"), model.format)
            results = files.enter_context(closing(parse_blocks(model, blocks, jobs, diagnostics, until)))
            found = _written(results, output.make_writer(model), model, until == TREES)
        told = as_maltparser  # MaltParser does not tell
        for part in found:
            stream.write(part.text)
            stream.flush()
            words += part.words
            losses += part.losses
            if part.remark and not told:
                logger.warning("warning: %s: %s", part.name, part.remark)
                told = True
    if not as_maltparser:
        for message in losses.messages(output.target.name):
            logger.warning("warning: %s", message)
    model.tally().tell()
    seconds = time.perf_counter() - begin
    logger.info("Parsed %s in %.2f s (%s words a second)", counted(words, "word"), seconds, f"{words / seconds:,.0f}")
    return 0


def _check_text(model: Model, kind: str, until: str) -> None:
    """Refuse what only a model for text can do."""
    if not model.reads_text:
        for flag, value, usual in (("--input", kind, (AUTO, COLUMNS)), ("--until", until, (TREES,))):
            if value not in usual:
                raise UsageError(
                    f"{flag} {value} is for models that know of text, and {model.path} does not: "
                    "`malt train --text` makes one that does"
                )
        if model.retag:
            raise UsageError(
                f"--retag is for models that tag, and {model.path} does not: `malt train --text` makes one"
            )


def find_model(options: Settings) -> Model:
    """The model that is named or, if there are several, the blend of them."""
    names = options.repeated.get("config.name", ())
    if len(names) < 2:
        if options.given("parse.weights"):
            raise UsageError("--weights is for several models: -c NAME -c NAME ...")
        model = read_model(model_file(options), options)
        return model.decoded_by(options["parse.decoder"]) if options.given("parse.decoder") else model
    models = [read_model(model_path(name, options["config.workingdir"]), options) for name in names]
    weights, path = equal_weights(names), options["parse.weights"]
    if path:
        weights = read_weights(read_small(path, "file of weights"), path)
        check_count(weights, len(models), path)
    bounds = options["perceptron.memory"], options["perceptron.items"]
    vote = Vote(weights, check_decoder(options["parse.decoder"]), "", *bounds)
    return blend_models(models, vote, " and ".join(names))


def _warn_of_loss(source: DataFormat, target: DataFormat) -> None:
    """MaltParser writes a column only where the other format (-of) has one of the same name."""
    lost = [c.name for c in source.columns if c.category == INPUT and c.name not in ("ID", *target.names)]
    if lost:
        logger.warning("warning: %s has no column %s: left out", target.name, ", ".join(lost))


def _cluster(address: str, diagnostics: Diagnostics | None) -> AbstractContextManager[Cluster]:
    if diagnostics is not None:
        raise UsageError("-di and --dask do not go together: diagnostics are written where a file is parsed in one go")
    from malt.running.cluster import open_cluster

    return open_cluster(address)


def _written(blocks: Iterable[Block], writer: TextWriter, model: Model, parsed: bool = True) -> Iterator[Parsed]:
    for block in blocks:
        remark = ""
        if parsed:
            log_deductions(model.decoder, block)
            remark = model.strangers.add(block)
        text = writer.write(block)
        yield Parsed(text, len(block), len(block.heads), writer.take_losses(), remark, block.name)


def parse_blocks(
    model: Model,
    blocks: Iterable[Block],
    jobs: int = 1,
    diagnostics: Diagnostics | None = None,
    until: str = TREES,
) -> Generator[Block, None, None]:
    """The blocks, parsed, in their order; with several jobs, on as many threads and never many blocks at once. With
    `until`, only the steps up to TOKENS or TAGS."""
    if until == TOKENS:
        yield from blocks
    elif diagnostics is not None:
        recorder = model.make_parser(recording=True)
        for block in blocks:
            yield recorder.parse(block)
            diagnostics.write(recorder.actions())
    elif jobs <= 1:
        with model.parser() as parser:
            for block in blocks:
                yield parser.parse(block) if until == TREES else parser.annotated(block)
    else:
        yield from _in_parallel(model, blocks, jobs, until)


def _in_parallel(model: Model, blocks: Iterable[Block], jobs: int, until: str) -> Iterator[Block]:
    """The same on several threads."""
    from concurrent.futures import ThreadPoolExecutor
    from threading import Event

    from malt.running.pools import in_order

    stop = Event()

    def work(block: Block) -> Block:
        with model.parser() as parser:
            return parser.parse(block, stop) if until == TREES else parser.annotated(block)

    with ThreadPoolExecutor(jobs) as pool:
        try:
            yield from in_order(blocks, lambda block: pool.submit(work, block), lambda: 4 * jobs)
        finally:  # all is done, or nobody wants the rest
            stop.set()
            pool.shutdown(wait=False, cancel_futures=True)


def parse_on_cluster(
    model: Model, treebank: Treebanks | TextSource, cluster: Cluster, jobs: int, output: Output
) -> Generator[Parsed, None, None]:
    """The same on the workers of a cluster: text goes there, and what is to be written comes back."""
    from malt.running.pools import in_order

    call = cluster.bring(TextWorker(model, output), "parse")

    def submit(piece: Piece) -> Future[Parsed]:
        return cluster.submit(call, piece)

    # One more for each thread is on its way while it parses.
    return in_order(treebank.texts(PIECE), submit, lambda: jobs or 2 * cluster.threads)
