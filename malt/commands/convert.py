"""`malt convert`: from one treebank format to another. MaltParser's -m convert writes MaltParser's own layout."""

from __future__ import annotations

import logging

from malt import progress
from malt.charsets import charset
from malt.errors import UsageError
from malt.files import open_output
from malt.formats.dataformat import find_format
from malt.formats.writer import converter, malt_writer
from malt.settings import Settings
from malt.symbols import make_tables, root_labels
from malt.treebank import open_treebank


def run(options: Settings) -> int:
    """Convert one file."""
    if len(options.files) > 1:
        raise UsageError(f"malt convert takes one file, not {len(options.files)}; call it once for each")
    as_maltparser = options["config.flowchart"] == "convert"
    path = options.files[0] if options.files else options["input.infile"]
    with open_treebank(path, options["input.format"], options["input.charset"]) as treebank:
        source = treebank.format
        target = find_format(options["output.format"]) if options["output.format"] else source
        wanted = charset(options["output.charset"])
        if as_maltparser:
            labels = root_labels(options["graph.root_label"], source)
            treebank.tables = make_tables(source, options["singlemalt.null_value"], options["graph.root_label"])
            writer = malt_writer(source, target, labels, wanted)
        else:
            same = charset(options["input.charset"]) == wanted
            writer = converter(source, target, treebank.charset if same else wanted)
        sentences = 0
        with open_output(options["output.outfile"]) as stream:
            for block in progress.blocks(treebank, "convert"):
                stream.write(writer.write(block))
                sentences += len(block)
    log = logging.getLogger("malt")
    if not sentences:
        log.warning("warning: %s: no sentences were found", treebank.name)
    if writer.lost_columns:
        log.warning("warning: %s has no column for %s: left out", target.name, ", ".join(writer.lost_columns))
    if writer.lost_lines:
        log.warning(
            "warning: %s has no place for multiword tokens, empty nodes and comments with a TAB: %d lines left out",
            target.name,
            writer.lost_lines,
        )
    return 0
