"""MaltParser leaves out the weights of features that tell no class from another ("Optimize the memory usage")."""

from __future__ import annotations

import numpy
from numpy.typing import NDArray

from malt.kernel.instances import FeatureMap
from malt.learning.rows import Rows
from malt.mco.featuremap import StoredMap


def idle(weights: Rows) -> NDArray[numpy.bool_]:
    """Which rows have, up to their last weight that is not zero, the same weight everywhere, or none at all.

    This includes a row that has a weight for the first class only, though such a feature does matter; it is
    MaltParser's choice, and decides its parses.

    >>> idle(Rows.from_dense(numpy.array([[0, 0, 0], [2, 0, 0], [2, 2, 0], [0, 2, 0], [2, 2, 1.0]]))).tolist()
    [True, True, True, False, False]
    """
    result: NDArray[numpy.bool_] = weights.count == weights.length  # no zero before the last number
    several = numpy.flatnonzero(result & (weights.count > 1))
    if len(several):
        bounds = numpy.stack([weights.first[several], weights.first[several] + weights.count[several]], axis=1).ravel()
        numbers = numpy.append(weights.numbers, 0.0)  # the last bound may be the end
        result[several] = numpy.maximum.reduceat(numbers, bounds)[::2] == numpy.minimum.reduceat(numbers, bounds)[::2]
    return result


def compact(map: FeatureMap, weights: Rows) -> tuple[StoredMap, Rows]:
    """Drop the idle rows from the map and from the weights."""
    dropped = idle(weights)
    return StoredMap.of(map, dropped), weights.select(~dropped)
