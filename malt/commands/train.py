"""`malt train`: learn a model from a treebank. MaltParser's -m learn and -m learnwo."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import BinaryIO

from malt import sample
from malt.commands.given import find_treebank
from malt.commands.trace import training_format
from malt.data.block import Block
from malt.data.charsets import find_charset
from malt.data.doubts import doubt, fitting
from malt.data.files import check_apart, check_output, open_output
from malt.data.formats.dataformat import find_format
from malt.data.formats.writer import TextWriter, malt_writer
from malt.data.leftovers import temporary_folder
from malt.data.treebank import Treebank
from malt.data.treebanks import open_treebanks
from malt.errors import UsageError, counted
from malt.mco.container import model_path
from malt.parsing.diagnostics import Diagnostics, open_diagnostics
from malt.parsing.parser import Parser
from malt.parsing.specification import Specification, check_settings
from malt.parsing.survey import Survey
from malt.parsing.trainer import Trainer
from malt.running import progress
from malt.running.log import logger
from malt.settings.settings import Settings

ALSO = ("train.derived", "singlemalt.diafile", "config.logfile", "output.outfile")  # what else is written
FEW = 0.05  # of the trees: if so many have no or several roots, that is how it is
SAMPLE = 1000  # sentences of the built-in treebank that are learned from when no file is given


def run(options: Settings) -> int:
    """Learn from one file, or from several."""
    if not options["config.name"]:
        raise UsageError("what shall the model be called? -c NAME makes the file NAME.mco")
    check_settings(options)
    target = model_path(options["config.name"], options["config.workingdir"])
    check_output(target, "model")
    check_apart([target, *(str(options[key]) for key in ALSO if options.given(key))])
    as_maltparser = bool(options["config.flowchart"])
    begin, trainer = time.perf_counter(), Trainer(options, adapts=not as_maltparser)

    def doubt_format(treebank: Treebank) -> None:
        if trainer.format is not None:
            doubt(treebank, f"the model of --from is for {treebank.format.name}", fitting(treebank.format))
        elif not options.given("input.format"):
            doubt(treebank, f"without -if it is read as {treebank.format.name}")

    with (
        treebank_files(options, target) as (paths, format),
        open_treebanks(
            paths,
            options["input.format"] if as_maltparser else trainer.format or format,
            trainer.settings["input.charset"],
            trainer.prepare,
            by_place=as_maltparser,
            on_open=doubt_format,
        ) as treebank,
    ):
        trainer.tell_notes()
        with ExitStack() as files:
            blocks = trainer.survey(progress.blocks(treebank, "read", needed=True))
            entries = trainer.train(write_derivations(trainer, blocks, files))
    spec = trainer.specification
    if not options.get("perceptron.from", ""):  # otherwise the label is the model's
        _tell_root_label(spec, trainer.surveyed.root_labels)
        if not as_maltparser and not options.given("tree.roots") and not spec.definition.many:
            _tell_unrooted(trainer.surveyed)
    trainer.save(entries, target)
    size = Path(target).stat().st_size
    logger.info(
        "Learned %s in %.1f s: %s, %s bytes", spec.definition.name, time.perf_counter() - begin, target, f"{size:,}"
    )
    return 0


def _tell_root_label(spec: Specification, counts: Counter[str]) -> None:
    """What the parser leaves over hangs on the root with the label of -grl, which had better be one of the treebank."""
    if not counts or not spec.root_labels:
        return
    column, label = next(iter(spec.root_labels.items()))
    usual, number = counts.most_common(1)[0]
    if usual and label not in counts and 2 * number > counts.total():
        logger.info(
            "words on the root have the %s %s in this treebank, but words that the parser leaves over get %s; "
            "-grl %s makes them the same",
            column,
            usual,
            label,
            usual,
        )


def _tell_unrooted(survey: Survey) -> None:
    """A few trees, which may be mistakes, let the parser give all trees any number of words on the root."""
    if 0 < survey.unrooted <= FEW * survey.sentences:
        logger.info(
            "of %s, %d %s not one root, and so those of the parser need not have one either; with -rt one they have",
            counted(survey.sentences, "tree"),
            survey.unrooted,
            "has" if survey.unrooted == 1 else "have",
        )


def write_derivations(trainer: Trainer, blocks: Iterable[Block], files: ExitStack) -> Iterable[Block]:
    """The blocks; what the oracle does with each is written down, where that is asked for (-di, -m learnwo)."""
    options, spec, machine = trainer.settings, trainer.specification, trainer.machine
    diagnostics = files.enter_context(open_diagnostics(spec, machine.tables, options))
    as_maltparser = options["config.flowchart"] == "learnwo"
    output = options["output.outfile"] if as_maltparser else options.get("train.derived", "")
    stream = files.enter_context(open_output(output)) if output or as_maltparser else None
    if stream is None and diagnostics is None:
        return blocks
    target = find_format(options["output.format"]) if options["output.format"] else spec.format
    charset = find_charset(options["output.charset"])
    writer = malt_writer(spec.format, target, spec.root_labels, charset, spec.labels)
    return _write_derivations(
        Parser(machine, recording=True, backwards=trainer.backwards), blocks, stream, writer, diagnostics
    )


def _write_derivations(
    parser: Parser,
    blocks: Iterable[Block],
    stream: BinaryIO | None,
    writer: TextWriter,
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
def treebank_files(options: Settings, target: str) -> Iterator[tuple[tuple[str, ...], str]]:
    """The files to learn from, and their format, or nothing if it is to be recognised. The built-in sample is a file,
    too, for the time that it is needed.

    target: the file of the model, which the sample replaces only where it is asked for.
    """
    format = training_format(options)
    named = options.files or tuple(filter(None, [options["input.infile"]]))
    if options["config.flowchart"]:
        yield named or ("-",), format
        return
    paths = find_treebank(named, options["train.sample"])
    if paths:
        yield paths, format
        return
    if not options["train.sample"]:
        if Path(target).exists():
            raise UsageError(
                f"no treebank is given, and {target} is there already: name a treebank, or, "
                "to learn from the built-in sample and replace the model, give --sample"
            )
        logger.info("no treebank is given: learning from the built-in sample (`malt sample -n %d`)", SAMPLE)
    with temporary_folder() as folder:
        made, format = folder / "sample.conll", format or ("conllu" if options.get("train.text") else "conllx")
        text = "".join(sample.text(SAMPLE, format))
        made.write_bytes(text.encode(find_charset(options["input.charset"]), "replace"))
        yield (str(made),), format
