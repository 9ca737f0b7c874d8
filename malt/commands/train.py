"""`malt train`: learn a model from a treebank. MaltParser's -m learn and -m learnwo."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import BinaryIO

from malt import progress, sample
from malt.charsets import charset
from malt.commands.trace import training_format
from malt.diagnostics import Diagnostics, open_diagnostics
from malt.errors import UsageError
from malt.files import open_output
from malt.formats.dataformat import find_format
from malt.formats.writer import Writer, malt_writer
from malt.goldparser import GoldParser
from malt.log import logger
from malt.mco.container import model_path
from malt.recipe import Recipe, check_split, make_recipe
from malt.settings import Settings
from malt.trainer import save, train
from malt.treebank import Block, open_treebank

SAMPLE = 1000  # sentences of the built-in treebank that are learned from when no file is given


def run(options: Settings) -> int:
    """Learn from one file."""
    if not options["config.name"]:
        raise UsageError("what shall the model be called? -c NAME makes the file NAME.mco")
    check_split(options)
    target = model_path(options["config.name"], options["config.workingdir"])
    as_maltparser = bool(options["config.flowchart"])
    begin = time.perf_counter()
    with (
        treebank_file(options) as path,
        open_treebank(
            path,
            options["input.format"] if as_maltparser else training_format(options),
            options["input.charset"],
        ) as treebank,
    ):
        recipe = make_recipe(options, treebank.format)
        treebank.tables = recipe.tables
        for note in (recipe.source.note, recipe.model.mended_note):
            if note:
                logger.warning("warning: %s", note)
        with ExitStack() as files:
            blocks = watched(recipe, progress.blocks(treebank, "read", needed=True), files)
            entries = train(recipe, blocks)
    save(recipe, entries, target)
    size = Path(target).stat().st_size
    logger.info(
        "Learned %s in %.1f s: %s, %s bytes", recipe.definition.name, time.perf_counter() - begin, target, f"{size:,}"
    )
    return 0


def watched(recipe: Recipe, blocks: Iterable[Block], files: ExitStack) -> Iterable[Block]:
    """The blocks; what the oracle does with each is written down, where that is asked for (-di, -m learnwo)."""
    options = recipe.settings
    diagnostics = files.enter_context(open_diagnostics(recipe, options))
    as_maltparser = options["config.flowchart"] == "learnwo"
    output = options["output.outfile"] if as_maltparser else options.get("train.derived", "")
    stream = files.enter_context(open_output(output)) if output or as_maltparser else None
    if stream is None and diagnostics is None:
        return blocks
    target = find_format(options["output.format"]) if options["output.format"] else recipe.format
    writer = malt_writer(recipe.format, target, recipe.root_labels, charset(options["output.charset"]))
    return _watched(GoldParser(recipe), blocks, stream, writer, diagnostics)


def _watched(
    parser: GoldParser,
    blocks: Iterable[Block],
    stream: BinaryIO | None,
    writer: Writer,
    diagnostics: Diagnostics | None,
) -> Iterator[Block]:
    for block in blocks:
        yield block  # first it is learned from, and refused if it has faults
        derived = parser.parse(block)
        if stream is not None:
            stream.write(writer.write(derived))
        if diagnostics is not None:
            diagnostics.write(parser.actions())


@contextmanager
def treebank_file(options: Settings) -> Iterator[str]:
    """The treebank to learn from; where none is named, the built-in sample."""
    path = options.files[0] if options.files else options["input.infile"]
    if path or options["config.flowchart"]:
        yield path
        return
    logger.info("no treebank is given: learning from the built-in sample (`malt sample -n %d`)", SAMPLE)
    with TemporaryDirectory() as folder:
        made = Path(folder) / "sample.conll"
        made.write_text("".join(sample.text(SAMPLE)), encoding="utf-8")
        yield str(made)
