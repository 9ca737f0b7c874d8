"""Doubts about a file: whether it has the columns that it is read with."""

from __future__ import annotations

from contextlib import suppress

from malt.data.formats.dataformat import PLUS, DataFormat
from malt.data.formats.plus import spelling
from malt.data.treebank import Treebank
from malt.errors import DataError
from malt.running.log import logger


def fitting(format: DataFormat) -> str:
    """How a file comes to have the columns of a format."""
    return f"`malt convert -of {spelling(format)}` makes them fit"


def doubt(treebank: Treebank, why: str, remedy: str = "") -> None:
    """Warn of a file of another format that can be read with some columns all the same: CoNLL-U as CoNLL-X.

    Without a remedy, it is to be read as what it is.
    """
    format = treebank.format
    with suppress(DataError):  # whatever is wrong is told when it is read
        found, reason = treebank.looks_like()
        other = found.names[: len(format.names)] != format.names
        if other and (found.name == PLUS or (found.name == "conllu" and len(format.columns) == 10)):
            logger.warning(
                "warning: %s seems to be CoNLL-U (%s), but %s: other columns are in the same places; %s",
                treebank.name,
                reason,
                why,
                remedy or f"-if {spelling(found)} reads it as what it is",
            )
