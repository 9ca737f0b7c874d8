"""`malt instances`: the training instances of a treebank, as MaltParser's .ins files have them. Its -m testdata."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import BinaryIO

from malt.commands.trace import training_format
from malt.data.files import STANDARD_OUTPUT, open_output
from malt.data.formats.dataformat import DataFormat
from malt.data.treebank import open_treebank
from malt.errors import MaltError, UsageError, counted
from malt.features.defaults import STRUCTURED
from malt.mco.container import model_file, model_name, model_path, open_container
from malt.model import blaming, own_charsets, read_parts
from malt.parsing.instances import Extraction
from malt.parsing.machine import Machine
from malt.parsing.structured import with_learner
from malt.parsing.trainer import Trainer
from malt.running import progress
from malt.running.log import logger
from malt.settings.settings import Settings


def run(options: Settings) -> int:
    """Write the instances of each classifier; where there are several, -o names a folder for their files."""
    path = options.files[0] if options.files else options["input.infile"]
    _check(options)
    trainer, folder = Trainer(options), ""
    format: str | DataFormat = training_format(options)
    charset = options["input.charset"]
    if options["config.name"] or options["config.url"] or options["config.flowchart"] == "testdata":
        charsets: dict[str, str] = {}
        if not options["config.flowchart"]:
            charsets, options = own_charsets(options)
        trainer, folder, format = _of_model(options)
        options = trainer.settings
        charset = charsets.get("input.charset", options["input.charset"])
    out, learner = options["output.outfile"], options["guide.learner"]
    by_place = bool(options["config.flowchart"])
    with open_treebank(path, format, charset, trainer.prepare, by_place=by_place) as treebank, ExitStack() as files:
        spec = trainer.specification
        several = len(spec.decisions) > 1 or spec.features.divide is not None
        if folder and out in STANDARD_OUTPUT:  # as MaltParser has it
            Path(folder).mkdir(parents=True, exist_ok=True)
            out = folder if several else str(Path(folder) / f"odm0.{learner}.ins")
        if several and (out in STANDARD_OUTPUT or (Path(out).exists() and not Path(out).is_dir())):
            raise MaltError("there are several classifiers with these options: name a folder for their files with -o")
        extraction = Extraction(trainer.machine, as_text=True)
        streams: dict[str, BinaryIO] = {}
        counts: dict[str, int] = {}
        if several:
            Path(out).mkdir(parents=True, exist_ok=True)
        else:
            streams["odm0"] = files.enter_context(open_output(out))
        for block in progress.blocks(treebank, "instances"):
            extraction.add(block)
            sinks = dict(extraction.sinks)
            sinks |= {f"{n}.{c:03d}": s for n, codes in extraction.divisions.items() for c, s in codes.items()}
            for name, sink in sinks.items():
                if name not in streams:
                    streams[name] = files.enter_context(open_output(str(Path(out) / f"{name}.{learner}.ins")))
                text = sink.take_text()
                counts[name] = counts.get(name, 0) + text.count(b"\n")
                streams[name].write(text)
    if out not in STANDARD_OUTPUT:
        total = f"{sum(counts.values()):,}"
        logger.info("Wrote %s instances of %s: %s", total, counted(len(streams), "classifier"), out)
    return 0


def _check(options: Settings) -> None:
    if with_learner(options)["guide.learner"] == STRUCTURED:
        raise UsageError("-l perceptron has no instances: it learns whole derivations")


def _of_model(options: Settings) -> tuple[Trainer, str, DataFormat]:
    """What learns as a model did, the folder in which MaltParser's -m testdata leaves the instances, and the format."""
    path = model_file(options)
    with open_container(path) as container:
        parts = read_parts(container, options)
        if parts.added is not None and parts.added.reverse:
            raise UsageError(f"{path} reads from right to left (--reverse); its instances are not written")
        with blaming(container):
            _check(parts.settings)
            trainer = Trainer(parts.settings, Machine(*parts.specify(parsing=False)))
        if options["config.url"]:
            path = model_path(container.folder, options["config.workingdir"])
    as_maltparser = options["config.flowchart"] == "testdata"
    return trainer, str(Path(path).with_name(model_name(path))) if as_maltparser else "", parts.format
