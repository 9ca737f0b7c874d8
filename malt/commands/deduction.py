"""The deductions of trees by a chart, as `malt trace` and -v debug show them."""

from __future__ import annotations

import logging
from collections.abc import Sequence

import numpy

from malt.charts import find_chart, is_chart
from malt.charts.deduction import deduce, deduction_lines
from malt.data.block import Block
from malt.data.sentence import sentences_of
from malt.running.log import logger


def deduction_of(decoder: str, heads: Sequence[int]) -> list[str]:
    """The lines for one tree; none if the decoder is no chart.

    >>> deduction_of("wg1", [0, 1, 1, 2, 3])
    ['wg1 does not derive this tree: it is no well-nested tree of gap degree at most 1']
    """
    if not is_chart(decoder):
        return []
    system = find_chart(decoder)
    try:
        found = deduce(system, heads)
    except MemoryError:
        return [f"deduced by {system.name}, with too many items to be shown"]
    if found is None:
        return [f"{system.name} does not derive this tree: it is no {system.title.replace('trees', 'tree', 1)}"]
    return [f"deduced by {system.name}:", *deduction_lines(found)]


def log_deductions(decoder: str, block: Block) -> None:
    """Log the deductions of all sentences that were parsed, if -v debug asks for them."""
    if is_chart(decoder) and logger.isEnabledFor(logging.DEBUG):
        for sentence in sentences_of(block):
            logger.debug("%s", " ".join(form or "_" for form in sentence.forms))
            for line in deduction_of(decoder, numpy.maximum(sentence.heads, 0).tolist()):
                logger.debug("%s", line)
