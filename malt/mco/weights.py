"""perceptron.weights: the weights of a structured model, in plain arrays."""

from __future__ import annotations

from dataclasses import dataclass

import numpy

from malt.errors import DataError
from malt.mco.arrays import Array, is_number, read_arrays, write_arrays

ENTRY = "perceptron.weights"
MAGIC = b"maltkit perceptron\n"
VERSION = 1  # of the entry; a program refuses later ones
_TYPES = {"codes": "<i4", "keys": "<u8", "counts": "<i4", "classes": "<u2", "weights": "<i2"}


@dataclass(frozen=True)
class StructuredWeights:
    """What was learned: features by their mixed keys, each with the weights of some classes."""

    beam: int  # how wide it was when the weights were learned
    passes: int
    codes: Array  # the code of each class in the table of the decision
    keys: Array  # of each feature
    counts: Array  # how many weights it has
    classes: Array  # the class of each weight, as its place among the codes
    weights: Array


def write_weights(found: StructuredWeights) -> bytes:
    """The entry's content. Features ascend by their keys, so that the same weights are the same bytes."""
    arrays = {"codes": found.codes, **by_key(found.keys, found.counts, found.classes, found.weights)}
    header = {"version": VERSION, "beam": found.beam, "passes": found.passes}
    return write_arrays(MAGIC, header, arrays, _TYPES)


def by_key(keys: Array, counts: Array, classes: Array, weights: Array) -> dict[str, Array]:
    """Weights in the order of their features' keys."""
    order = numpy.argsort(keys, kind="stable")
    begins = numpy.concatenate([[0], numpy.cumsum(counts, dtype=numpy.int64)])
    counts = counts[order]
    # the places of the weights of each feature, one feature after another
    places = numpy.repeat(begins[:-1][order] - (numpy.cumsum(counts) - counts), counts) + numpy.arange(counts.sum())
    return {"keys": keys[order], "counts": counts, "classes": classes[places], "weights": weights[places]}


def read_weights(data: bytes, file: str) -> StructuredWeights:
    """Read it. Nothing in it is believed without a look.

    >>> read_weights(b"x", "m.mco")
    Traceback (most recent call last):
    malt.errors.DataError: m.mco: perceptron.weights: it is damaged: expected the weights of a structured model
    """
    place = f"{file}: {ENTRY}"
    header, arrays = read_arrays(data, MAGIC, VERSION, _TYPES, place, "the weights of a structured model")
    if not is_number(header.get("beam")) or not is_number(header.get("passes")):
        raise DataError("it is damaged: expected numbers in its first line", place)
    if (
        not 1 <= header["beam"] <= 1024
        or not 0 < header["codes"] < 0xFFFF
        or len(set(arrays["codes"].tolist())) < header["codes"]
    ):
        raise DataError("it is damaged: its beam or its classes are not as they should be", place)
    return StructuredWeights(header["beam"], header["passes"], **arrays)
