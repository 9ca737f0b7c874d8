"""`malt train`: learn a model from a treebank. MaltParser's -m learn."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from malt import progress, sample
from malt.commands.trace import training_format
from malt.errors import UsageError
from malt.log import logger
from malt.mco.container import model_path
from malt.recipe import check_split, make_recipe
from malt.settings import Settings
from malt.trainer import save, train
from malt.treebank import open_treebank

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
        entries = train(recipe, progress.blocks(treebank, "read"))
    save(recipe, entries, target)
    size = Path(target).stat().st_size
    logger.info("Learned %s in %.1f s: %s, %s bytes", recipe.definition.name, time.perf_counter() - begin, target, f"{size:,}")
    return 0


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
