"""`malt convert`: from one treebank format to another. MaltParser's -m convert writes MaltParser's own layout."""

from __future__ import annotations

from malt.data.charsets import find_charset
from malt.data.compression import packing
from malt.data.files import open_output
from malt.data.formats.dataformat import DataFormat, find_format
from malt.data.formats.writer import converter, malt_writer
from malt.data.symbols import Tables, make_tables, root_labels
from malt.data.treebank import open_treebank
from malt.errors import UsageError
from malt.running import progress
from malt.running.log import logger
from malt.settings.settings import Settings


def run(options: Settings) -> int:
    """Convert one file."""
    if len(options.files) > 1:
        raise UsageError(f"malt convert takes one file, not {len(options.files)}; call it once for each")
    as_maltparser = options["config.flowchart"] == "convert"
    packed = "" if as_maltparser else options["output.outfile"]
    path = options.files[0] if options.files else options["input.infile"]

    def tables_of(format: DataFormat) -> Tables:
        if not as_maltparser:
            return make_tables(format)
        return make_tables(format, options["singlemalt.null_value"], root_labels(options["graph.root_label"], format))

    with open_treebank(
        path, options["input.format"], options["input.charset"], tables_of, by_place=as_maltparser
    ) as treebank:
        source = treebank.format
        target = find_format(options["output.format"]) if options["output.format"] else source
        wanted = find_charset(options["output.charset"])
        if as_maltparser:
            labels = root_labels(options["graph.root_label"], source)
            writer = malt_writer(source, target, labels, wanted)
        else:
            same = find_charset(options["input.charset"]) == wanted
            writer = converter(source, target, treebank.charset if same else wanted)
        with open_output(options["output.outfile"]) as out, packing(out, packed) as stream:
            for block in progress.blocks(treebank, "convert"):
                stream.write(writer.write(block))
    for message in writer.take_losses().messages(target.name):
        logger.warning("warning: %s", message)
    return 0
