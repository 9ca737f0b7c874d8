"""`malt parse`: parse a file with a model. MaltParser's -m parse."""

from __future__ import annotations

import time
from collections.abc import Generator, Iterable, Iterator
from contextlib import AbstractContextManager, ExitStack, closing, suppress
from typing import TYPE_CHECKING

from malt.data.block import Block
from malt.data.files import check_output, open_output
from malt.data.formats.dataformat import INPUT, DataFormat, find_format
from malt.data.formats.writer import TextWriter
from malt.data.treebank import Treebank, open_treebank
from malt.errors import DataError, UsageError, counted
from malt.mco.container import model_file
from malt.model import Model, read_model
from malt.parsing.diagnostics import Diagnostics, open_diagnostics
from malt.parsing.textworker import Parsed, TextWorker, explain_misfit, make_writer
from malt.running import progress
from malt.running.log import logger
from malt.settings.settings import Settings

if TYPE_CHECKING:
    from concurrent.futures import Future

    from malt.running.cluster import Cluster

PIECE = 1 << 21  # bytes of text that go to a worker at a time: about a tenth of a second of work


def run(options: Settings) -> int:
    """Parse one file."""
    if options.get("parse.keep", False) and options.given("output.format"):
        raise UsageError("--keep and -of do not go together: --keep writes the file as it is, in its own format")
    check_output(options["output.outfile"])
    model = read_model(model_file(options), options)
    options, specification = model.settings, model.specification
    note = specification.features.mended_note
    if note:
        logger.warning("warning: %s", note)
    path = options.files[0] if options.files else options["input.infile"]
    jobs, keep = options.get("parse.jobs", 1), options.get("parse.keep", False)
    begin, words = time.perf_counter(), 0
    if options["output.format"]:
        _warn_of_loss(model.format, find_format(options["output.format"]))
    with ExitStack() as files:
        treebank = files.enter_context(
            open_treebank(path, model.format, options["input.charset"], model.tables, frozen=True)
        )
        doubt(
            treebank, f"the model is for {model.format.name}", f"`malt convert -of {model.format.name}` makes them fit"
        )
        diagnostics = files.enter_context(open_diagnostics(specification, model.tables, options))
        stream = files.enter_context(open_output(options["output.outfile"]))
        if options.given("parse.dask"):
            cluster = files.enter_context(_cluster(options["parse.dask"], diagnostics))
            limit = jobs if options.given("parse.jobs") else 0
            texts = files.enter_context(closing(parse_on_cluster(model, treebank, cluster, limit, keep=keep)))
            found = progress.parts(treebank, texts, "parse")
        else:
            blocks = explain_misfit(progress.blocks(treebank, "parse"), model.format)
            results = files.enter_context(closing(parse_blocks(model, blocks, jobs, diagnostics)))
            found = _written(results, make_writer(model, keep=keep), model)
        told = bool(options["config.flowchart"])  # MaltParser does not tell
        for part in found:
            stream.write(part.text)
            stream.flush()
            words += part.words
            if part.remark and not told:
                logger.warning("warning: %s: %s", treebank.name, part.remark)
                told = True
    seconds = time.perf_counter() - begin
    logger.info("Parsed %s in %.2f s (%s words a second)", counted(words, "word"), seconds, f"{words / seconds:,.0f}")
    return 0


def _warn_of_loss(source: DataFormat, target: DataFormat) -> None:
    """MaltParser writes a column only where the other format (-of) has one of the same name."""
    lost = [c.name for c in source.columns if c.category == INPUT and c.name not in ("ID", *target.names)]
    if lost:
        logger.warning("warning: %s has no column %s: left out", target.name, ", ".join(lost))


def doubt(treebank: Treebank, why: str, remedy: str) -> None:
    """Warn of a file of another format that can be read with some columns all the same: CoNLL-U as CoNLL-X."""
    format = treebank.format
    with suppress(DataError):  # whatever is wrong is told when it is read
        found, reason = treebank.looks_like()
        if found == "conllu" and len(format.columns) == 10 and format.columns != find_format(found).columns:
            logger.warning(
                "warning: %s seems to be CoNLL-U (%s), but %s: other columns are in the same places; %s",
                treebank.name,
                reason,
                why,
                remedy,
            )


def _cluster(address: str, diagnostics: Diagnostics | None) -> AbstractContextManager[Cluster]:
    if diagnostics is not None:
        raise UsageError("-di and --dask do not go together: diagnostics are written where a file is parsed in one go")
    from malt.running.cluster import open_cluster

    return open_cluster(address)


def _written(blocks: Iterable[Block], writer: TextWriter, model: Model) -> Iterator[Parsed]:
    for block in blocks:
        yield Parsed(writer.write(block), len(block), len(block.heads), model.strangers.add(block))


def parse_blocks(
    model: Model, blocks: Iterable[Block], jobs: int = 1, diagnostics: Diagnostics | None = None
) -> Generator[Block, None, None]:
    """The blocks, parsed, in their order; with several jobs, on as many threads and never many blocks at once."""
    if diagnostics is not None:
        recorder = model.make_parser(recording=True)
        for block in blocks:
            yield recorder.parse(block)
            diagnostics.write(recorder.actions())
    elif jobs <= 1:
        with model.parser() as parser:
            for block in blocks:
                yield parser.parse(block)
    else:
        yield from _in_parallel(model, blocks, jobs)


def _in_parallel(model: Model, blocks: Iterable[Block], jobs: int) -> Iterator[Block]:
    """The same on several threads."""
    from concurrent.futures import ThreadPoolExecutor
    from threading import Event

    from malt.running.pools import in_order

    stop = Event()

    def work(block: Block) -> Block:
        with model.parser() as parser:
            return parser.parse(block, stop)

    with ThreadPoolExecutor(jobs) as pool:
        try:
            yield from in_order(blocks, lambda block: pool.submit(work, block), lambda: 4 * jobs)
        finally:  # all is done, or nobody wants the rest
            stop.set()
            pool.shutdown(wait=False, cancel_futures=True)


def parse_on_cluster(
    model: Model, treebank: Treebank, cluster: Cluster, jobs: int, *, keep: bool
) -> Generator[Parsed, None, None]:
    """The same on the workers of a cluster: text goes there, and what is to be written comes back."""
    from malt.running.pools import in_order

    call = cluster.bring(TextWorker(model, treebank.name, keep=keep), "parse")

    def submit(piece: tuple[bytes, int]) -> Future[Parsed]:
        return cluster.submit(call, *piece)

    # One more for each thread is on its way while it parses.
    return in_order(treebank.texts(PIECE), submit, lambda: jobs or 2 * cluster.threads)
