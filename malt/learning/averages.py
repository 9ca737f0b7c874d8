"""Weights of the structured learner: the mean of several, in 16 bits."""

from __future__ import annotations

from collections.abc import Sequence

import numpy

from malt.mco.arrays import Array

Averaged = tuple[Array, Array, Array, Array]  # as WeightTable has them


def mean_weights(found: Sequence[Averaged]) -> Averaged:
    """The mean of the weights of several seeds."""
    if len(found) == 1:
        return found[0]
    keys = numpy.concatenate([numpy.repeat(one[0], one[1]) for one in found])
    classes = numpy.concatenate([one[2] for one in found])
    weights = numpy.concatenate([one[3] for one in found]).astype(numpy.int64)
    order = numpy.lexsort((classes, keys))
    keys, classes, weights = keys[order], classes[order], weights[order]
    new = numpy.ones(len(keys), bool)
    new[1:] = (keys[1:] != keys[:-1]) | (classes[1:] != classes[:-1])
    sums = numpy.rint(numpy.add.reduceat(weights, numpy.flatnonzero(new)) / len(found)).astype(numpy.int32)
    kept = sums != 0
    keys, classes, sums = keys[new][kept], classes[new][kept], sums[kept]
    unique, counts = numpy.unique(keys, return_counts=True)
    return unique, counts.astype(numpy.int32), classes, sums


def fitted_weights(found: Averaged) -> Averaged:
    """Weights that fit into 16 bits: where one is too large, all are halved; no choice changes but by rounding."""
    keys, counts, classes, weights = found
    while len(weights) and numpy.abs(weights).max() > 0x7FFF:
        weights = numpy.rint(weights / 2).astype(numpy.int32)
    kept = weights != 0
    counts = numpy.add.reduceat(kept, numpy.cumsum(counts) - counts, dtype=numpy.int32) if len(counts) else counts
    return keys[counts > 0], counts[counts > 0], classes[kept], weights[kept].astype(numpy.int16)
