"""`malt deproj`: undo what `malt proj` has done, by the marks in the labels. MaltParser's -m deproj."""

from __future__ import annotations

from dataclasses import replace

from malt.data.charsets import find_charset
from malt.data.files import open_output
from malt.data.formats.dataformat import DataFormat, find_format, parse_format
from malt.data.formats.writer import keeper, malt_writer
from malt.data.symbols import make_tables, root_labels
from malt.data.treebank import open_treebank
from malt.errors import UsageError, counted
from malt.mco import info, savedoptions
from malt.mco.container import model_path, open_container
from malt.running import progress
from malt.running.log import logger
from malt.settings.settings import Settings
from malt.trees.markedlabels import Splitter
from malt.trees.pseudoprojectivity import DEPREL, NotTrees, PseudoProjectivity

# What decides how a file is read and written. MaltParser's mode takes it from the model, `malt deproj` from the command
# line.
READING = ("input.format", "input.charset", "output.charset", "graph.root_label", "singlemalt.null_value")


def run(options: Settings) -> int:
    """Deprojectivize one file."""
    as_maltparser = options["config.flowchart"] == "deproj"
    if as_maltparser and not options["config.name"]:
        raise UsageError("-m deproj needs -c NAME, the model file of -m proj; `malt deproj` does without")
    given: str | DataFormat = options["input.format"] if options.given("input.format") else ""
    if options["config.name"]:
        options, model_format = load_model(options, READING if as_maltparser else ())
        given = model_format if as_maltparser else given
    pseudo = PseudoProjectivity.from_options(options)
    if not as_maltparser and not pseudo.active:
        raise UsageError("with -pp none and -pcr none there is nothing to undo; give the options that `malt proj` got")
    path = options.files[0] if options.files else options["input.infile"]
    with open_treebank(path, given, options["input.charset"], by_place=as_maltparser) as treebank:
        source = treebank.format
        pseudo.check_format(source)
        wanted = find_charset(options["output.charset"]) if options["output.charset"] else treebank.charset
        if as_maltparser:
            target = find_format(options["output.format"]) if options["output.format"] else source
            writer = malt_writer(source, target, root_labels(options["graph.root_label"], source), wanted)
        else:
            writer = keeper(source, wanted)
        tables = {**make_tables(source), **pseudo.make_tables(options["singlemalt.null_value"])}
        splitter = Splitter(pseudo, tables) if pseudo.active else None
        faults, sentences, moved = NotTrees(), 0, 0
        with open_output(options["output.outfile"]) as stream:
            for block in progress.blocks(treebank, "deproj"):
                sentences += len(block)
                if splitter:
                    plain, marks, states = splitter.split(block, only_trees=not as_maltparser)
                    faults.add(block, states)
                    heads = pseudo.deprojectivize(block.starts, block.heads, plain.codes(DEPREL), marks, tables)
                    moved += int((heads != block.heads).sum())
                    block = replace(plain, heads=heads)
                stream.write(writer.write(block))
    faults.close()
    if splitter and not as_maltparser:
        splitter.tell_missing(treebank.name)
    logger.info("%s: %s put back", counted(sentences, "sentence"), counted(moved, "word"))
    return 0


def load_model(options: Settings, further: tuple[str, ...]) -> tuple[Settings, DataFormat]:
    """The options with those of a model, -pp, -pcr and -plo and some further ones, and its data format."""
    path = model_path(options["config.name"], options["config.workingdir"])
    with open_container(path) as model:
        info.read_info(model.read(model.find(".info"), info.LIMIT), path)
        values = savedoptions.read_saved(model.read(savedoptions.ENTRY, savedoptions.LIMIT), path)
        wanted = {key: text for key, text in values.items() if key in further or key.startswith("pproj.")}
        name = values.get("input.format", "conllx.xml")
        return options.load_saved(wanted), parse_format(model.read(name, 1 << 20), f"{path}: {name}")
