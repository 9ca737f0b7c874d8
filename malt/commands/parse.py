"""`malt parse`: parse a file with a model. MaltParser's -m parse."""

from __future__ import annotations

import sys
import time
from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack
from queue import SimpleQueue
from typing import TextIO

from malt import progress
from malt.charsets import charset
from malt.errors import UsageError
from malt.files import open_output
from malt.formats.dataformat import find_format
from malt.formats.writer import Writer, keeper, malt_writer
from malt.log import logger
from malt.mco.container import model_path
from malt.model import Model, read_model
from malt.parser import Parser
from malt.settings import Settings
from malt.treebank import Block, open_treebank


def run(options: Settings) -> int:
    """Parse one file."""
    if not options["config.name"]:
        raise UsageError("which model? -c NAME, the file NAME.mco that `malt train -c NAME` makes")
    model = read_model(model_path(options["config.name"], options["config.workingdir"]), options)
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
        diagnostics = _diagnostics(options, files)
        stream = files.enter_context(open_output(options["output.outfile"]))
        writer = make_writer(model, keep=options.get("parse.keep", False))
        blocks = progress.blocks(treebank, "parse")
        for block in parsed(model, blocks, jobs, diagnostics):
            stream.write(writer.write(block))
            if block.format.id_column >= 0 or len(block):
                stream.flush()
            words += len(block.heads)
    seconds = time.perf_counter() - begin
    logger.info("Parsed %s words in %.2f s (%s words a second)", f"{words:,}", seconds, f"{words / seconds:,.0f}")
    return 0


def make_writer(model: Model, *, keep: bool) -> Writer:
    """What is written: MaltParser's layout, or with `keep` the input's own text with new heads and labels."""
    recipe, options = model.recipe, model.recipe.settings
    wanted = charset(options["output.charset"])
    if keep:
        return keeper(recipe.format, wanted, recipe.root_labels)
    target = find_format(options["output.format"]) if options["output.format"] else recipe.format
    return malt_writer(recipe.format, target, recipe.root_labels, wanted)


def parsed(
    model: Model, blocks: Iterable[Block], jobs: int = 1, diagnostics: TextIO | None = None
) -> Iterator[Block]:
    """The blocks, parsed, in their order; with several jobs, on as many threads and never many blocks at once."""
    if jobs <= 1 or diagnostics is not None:
        parser = Parser(model, recording=diagnostics is not None)
        number = 0
        for block in blocks:
            result = parser.parse(block)
            if diagnostics is not None:
                number = _write_diagnostics(parser, diagnostics, number)
            yield result
        return
    parsers: SimpleQueue[Parser] = SimpleQueue()
    for _ in range(jobs):
        parsers.put(Parser(model))

    def work(block: Block) -> Block:
        parser = parsers.get()
        try:
            return parser.parse(block)
        finally:
            parsers.put(parser)

    with ThreadPoolExecutor(jobs) as pool:
        waiting: deque[Future[Block]] = deque()
        for block in blocks:
            waiting.append(pool.submit(work, block))
            while len(waiting) > 2 * jobs or (waiting and waiting[0].done()):
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()


def _diagnostics(options: Settings, files: ExitStack) -> TextIO | None:
    """Where the transitions of each sentence are told (-di, -dif)."""
    if not options["singlemalt.diagnostics"]:
        return None
    name = options["singlemalt.diafile"]
    if name in ("stdout", "stderr"):
        return sys.stdout if name == "stdout" else sys.stderr
    return files.enter_context(open(name, "w", encoding="utf-8"))


def _write_diagnostics(parser: Parser, stream: TextIO, number: int) -> int:
    """One line a sentence: its number, and each transition with its labels; a star before one that was no choice."""
    recipe = parser.recipe
    names = list(recipe.definition.transitions)
    for actions in parser.actions():
        number += 1
        line = str(number)
        for transition, choice, labels in actions:
            shown = [names[transition] if transition >= 0 else "null"]
            shown += [recipe.tables[t].symbol(c) or "" for t, c in zip(recipe.labels, labels, strict=True) if c >= 0]
            line += (" " if choice else " * ") + "+".join(shown)
        stream.write(line + "\n")
    return number
