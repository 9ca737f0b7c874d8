"""Which trees a chart derives: gap degree, and mild or strong ill-nestedness (EACL 2009, sections 2.1 and 5.1)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy

from malt.charts import find_chart
from malt.errors import DataError
from malt.kernel.structure import STATES, measure, recognise


def mildness(heads: Sequence[int]) -> tuple[int, int]:
    """The least k for which a tree is mildly ill-nested of gap degree k, as (k, k), or bounds of it.

    It is the gap degree itself for every well-nested tree, and for nearly all others. Where it is more, the tree is
    strongly ill-nested for its gap degree: no way of joining a head's dependents two at a time keeps to so few gaps.

    >>> mildness([2, 0, 2]), mildness([0, 1, 1, 2, 3]), mildness([0, 0, 0, 1, 0, 2, 0, 3, 5, 7])
    ((0, 0), (1, 1), (2, 2))
    """
    measures, _ = measure(heads, [0, len(heads)])
    if measures["state"][0]:
        raise DataError(f"these heads make no tree: {STATES[measures['state'][0]]}")
    return int(measures["mildness_lower"][0]), int(measures["mildness_upper"][0])


def is_derived(heads: Sequence[int], chart: str) -> bool:
    """Whether a chart, such as wg1 or mg2, derives a tree. Words on the artificial root are siblings like any others.

    >>> is_derived([0, 1, 1, 2, 3], "wg1"), is_derived([0, 1, 1, 2, 3], "mg1")
    (False, True)
    """
    system = find_chart(chart)
    found = recognise(numpy.ascontiguousarray(heads, dtype=numpy.int32), system.k, system.well_nested)
    if found is None:
        raise TimeoutError(f"it is not settled whether {chart} derives this tree: too many subtrees interleave")
    return found
