"""`malt parse`: parse a file with a model. MaltParser's -m parse."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from typing import TYPE_CHECKING

from malt import progress
from malt.charsets import charset
from malt.diagnostics import Diagnostics, open_diagnostics
from malt.errors import DataError
from malt.files import open_output
from malt.formats.dataformat import DataFormat, find_format
from malt.formats.writer import Writer, keeper, malt_writer
from malt.log import logger
from malt.mco.container import model_file
from malt.model import Model, read_model
from malt.parser import Parser
from malt.settings import Settings
from malt.treebank import Block, open_treebank

if TYPE_CHECKING:
    from concurrent.futures import Future
    from queue import SimpleQueue


def run(options: Settings) -> int:
    """Parse one file."""
    model = read_model(model_file(options), options)
    note = model.recipe.model.mended_note
    if note:
        logger.warning("warning: %s", note)
    path = options.files[0] if options.files else options["input.infile"]
    jobs = options.get("parse.jobs", 1)
    begin, words = time.perf_counter(), 0
    recipe = model.recipe
    with ExitStack() as files:
        treebank = files.enter_context(
            open_treebank(path, recipe.format, options["input.charset"], recipe.tables, frozen=True)
        )
        diagnostics = files.enter_context(open_diagnostics(recipe, options))
        stream = files.enter_context(open_output(options["output.outfile"]))
        writer = make_writer(model, keep=options.get("parse.keep", False))
        blocks = _explained(progress.blocks(treebank, "parse"), recipe.format)
        for block in parsed(model, blocks, jobs, diagnostics):
            stream.write(writer.write(block))
            stream.flush()
            words += len(block.heads)
    seconds = time.perf_counter() - begin
    logger.info("Parsed %s words in %.2f s (%s words a second)", f"{words:,}", seconds, f"{words / seconds:,.0f}")
    return 0


def _explained(blocks: Iterable[Block], format: DataFormat) -> Iterator[Block]:
    """The blocks; if not even the first can be read, the file may have other columns than those of the model."""
    begun = False
    try:
        for block in blocks:
            begun = True
            yield block
    except DataError as error:
        if begun or not error.line:
            raise
        hint = f"{error.message}; the model is for {format.name}, with the columns {', '.join(format.names)}"
        raise DataError(hint, error.file, error.line, error.column) from None


def make_writer(model: Model, *, keep: bool) -> Writer:
    """What is written: MaltParser's layout, or with `keep` the input's own text with new heads and labels."""
    recipe, options = model.recipe, model.recipe.settings
    wanted = charset(options["output.charset"])
    if keep:
        return keeper(recipe.format, wanted, recipe.root_labels)
    target = find_format(options["output.format"]) if options["output.format"] else recipe.format
    return malt_writer(recipe.format, target, recipe.root_labels, wanted)


def parsed(
    model: Model, blocks: Iterable[Block], jobs: int = 1, diagnostics: Diagnostics | None = None
) -> Iterator[Block]:
    """The blocks, parsed, in their order; with several jobs, on as many threads and never many blocks at once."""
    if diagnostics is not None:
        recorder = Parser(model, recording=True)
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
    """The same on several threads. Another one reads, so that a result need not wait for what comes next in a pipe."""
    from concurrent.futures import ThreadPoolExecutor
    from queue import SimpleQueue
    from threading import Event, Semaphore, Thread

    def work(block: Block) -> Block:
        with model.parser() as parser:
            return parser.parse(block)

    results: SimpleQueue[Future[Block] | BaseException | None] = SimpleQueue()
    room = Semaphore(4 * jobs)
    stopped = Event()

    def read() -> None:
        try:
            for block in blocks:
                room.acquire()
                if stopped.is_set():
                    return
                results.put(pool.submit(work, block))
            results.put(None)
        except BaseException as error:  # raised again where the results are awaited
            results.put(error)

    with model.parser():
        pass  # the first one has its last words in the symbol tables before anything is read with them
    with ThreadPoolExecutor(jobs) as pool:
        Thread(target=read, daemon=True).start()  # it may wait for input that never comes, which must not keep us here
        try:
            while (result := results.get()) is not None:
                if isinstance(result, BaseException):
                    raise result
                yield result.result()
                room.release()
        finally:
            stopped.set()
            room.release()
