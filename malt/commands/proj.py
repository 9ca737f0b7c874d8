"""`malt proj`: make trees projective, with marks by which `malt deproj` can undo it. MaltParser's -m proj."""

from __future__ import annotations

import numpy

from malt.data.charsets import find_charset
from malt.data.files import check_output, open_output
from malt.data.formats.dataformat import DataFormat, find_format
from malt.data.formats.writer import keeper, malt_writer
from malt.data.symbols import Tables, make_tables, root_labels
from malt.data.treebank import Treebank, open_treebank
from malt.errors import UsageError, counted
from malt.mco import info, savedoptions
from malt.mco import tables as symbols
from malt.mco.container import model_name, model_path, write_container
from malt.running import progress
from malt.running.log import logger
from malt.settings.settings import Settings
from malt.trees.markedlabels import Merger
from malt.trees.pseudoprojectivity import DEPREL, NotTrees, PseudoProjectivity


def run(options: Settings) -> int:
    """Projectivize one file."""
    as_maltparser = options["config.flowchart"] == "proj"
    if as_maltparser and not options["config.name"]:
        raise UsageError("-m proj needs -c NAME, the model file that -m deproj reads; `malt proj` does without")
    model = model_path(options["config.name"], options["config.workingdir"]) if options["config.name"] else ""
    check_output(model, "model" if as_maltparser else "model of malt proj")
    pseudo = PseudoProjectivity.from_options(options)
    if not as_maltparser and not pseudo.active:
        raise UsageError("with -pp none and -pcr none there is nothing to do")
    path = options.files[0] if options.files else options["input.infile"]
    given = options["input.format"] if as_maltparser or options.given("input.format") else ""
    strategy, label = options["singlemalt.null_value"], options["graph.root_label"]
    marks = pseudo.make_tables(strategy)

    def tables_of(format: DataFormat) -> Tables:
        pseudo.check_format(format)
        return make_tables(format, strategy, root_labels(label, format))

    with open_treebank(path, given, options["input.charset"], tables_of, by_place=as_maltparser) as treebank:
        source = treebank.format
        wanted = find_charset(options["output.charset"]) if options["output.charset"] else treebank.charset
        if as_maltparser:
            target = find_format(options["output.format"]) if options["output.format"] else source
            writer = malt_writer(source, target, root_labels(label, source), wanted)
        else:
            writer = keeper(source, wanted)
        merger = Merger(pseudo, tables_of(source)[DEPREL], not as_maltparser) if pseudo.active else None
        faults, sentences, changed, lifted, covered = NotTrees(), 0, 0, 0, 0
        with open_output(options["output.outfile"]) as stream:
            for block in progress.blocks(treebank, "proj"):
                sentences += len(block)
                if merger:
                    projected = pseudo.projectivize(block, marks)
                    faults.add(block, projected.states)
                    moved = numpy.flatnonzero(projected.heads != block.heads)
                    changed += len(numpy.unique(numpy.searchsorted(block.starts, moved, side="right")))
                    lifted += int((projected.origins > 0).sum())
                    covered += int(projected.covered.sum()) if pseudo.marks_covered else 0
                    block = merger.merge(block, projected)
                stream.write(writer.write(block))
            if model:
                tables = {**treebank.tables, **({DEPREL: merger.table} if merger else {}), **marks}
                write_model(model, treebank, tables, options)
    faults.close()
    logger.info(
        "%s: %d changed, %s lifted, %s attached",
        counted(sentences, "sentence"),
        changed,
        counted(lifted, "word"),
        counted(covered, "covered root word"),
    )
    return 0


def write_model(path: str, treebank: Treebank, tables: Tables, options: Settings) -> None:
    """Write what `deproj` needs, and MaltParser's -m deproj too."""
    format, name = treebank.format, model_name(path)
    about = info.write_info(name, "pseudo", options)
    charset = options["output.charset"] or options["input.charset"]
    saved = options.derive({"input.format": format.file_name, "output.charset": charset})
    write_container(
        path,
        {
            f"{name}_pseudo.info": about,
            format.file_name: format.xml,
            symbols.ENTRY: symbols.write_tables(tables, options["input.charset"]),
            savedoptions.ENTRY: savedoptions.write_saved(saved.save()),
        },
    )
