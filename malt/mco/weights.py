"""perceptron.weights: the weights of a structured model, in plain arrays."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

import numpy
import numpy.typing

from malt.errors import DataError

ENTRY = "perceptron.weights"
MAGIC = b"maltkit perceptron\n"
VERSION = 1  # of the entry; a program refuses later ones
HEADER = 1 << 20  # bytes that the line after the magic has at most
_TYPES = {"codes": "<i4", "keys": "<u8", "counts": "<i4", "classes": "<u2", "weights": "<i2"}

Array = numpy.typing.NDArray[Any]


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
    order = numpy.argsort(found.keys, kind="stable")
    begins = numpy.concatenate([[0], numpy.cumsum(found.counts, dtype=numpy.int64)])
    counts = found.counts[order]
    # the places of the weights of each feature, one feature after another
    places = numpy.repeat(begins[:-1][order] - (numpy.cumsum(counts) - counts), counts) + numpy.arange(counts.sum())
    arrays = {
        "codes": found.codes,
        "keys": found.keys[order],
        "counts": counts,
        "classes": found.classes[places],
        "weights": found.weights[places],
    }
    header = {"version": VERSION, "beam": found.beam, "passes": found.passes}
    header |= {name: len(array) for name, array in arrays.items()}
    line = json.dumps(header).encode() + b"\n"
    return MAGIC + line + b"".join(array.astype(_TYPES[name]).tobytes() for name, array in arrays.items())


def read_weights(data: bytes, file: str) -> StructuredWeights:
    """Read it. Nothing in it is believed without a look.

    >>> read_weights(b"x", "m.mco")
    Traceback (most recent call last):
    malt.errors.DataError: m.mco: perceptron.weights: it is damaged: expected the weights of a structured model
    """
    place = f"{file}: {ENTRY}"
    end = data.find(b"\n", len(MAGIC), len(MAGIC) + HEADER)
    if not data.startswith(MAGIC) or end < 0:
        raise DataError("it is damaged: expected the weights of a structured model", place)
    try:
        header = json.loads(data[len(MAGIC) : end])
    except (ValueError, RecursionError):
        raise DataError("it is damaged: expected a line of JSON", place) from None
    names = ("version", "beam", "passes", *_TYPES)
    if not isinstance(header, dict) or any(
        type(header.get(name)) is not int or not 0 <= header[name] < 1 << 40 for name in names
    ):
        raise DataError("it is damaged: expected numbers in its first line", place)
    if header["version"] > VERSION:
        reason = f"it has the version {header['version']}, which a later maltkit wrote; this one reads {VERSION}"
        raise DataError(reason, place)
    at, arrays = end + 1, {}
    for name, kind in _TYPES.items():
        size = header[name] * numpy.dtype(kind).itemsize
        if at + size > len(data):
            raise DataError("it is damaged: it ends too early", place)
        arrays[name] = numpy.frombuffer(data, kind, header[name], at).astype(numpy.dtype(kind).newbyteorder("="))
        at += size
    if at != len(data):
        raise DataError("it is damaged: something follows its end", place)
    if (
        not 1 <= header["beam"] <= 1024
        or not 0 < header["codes"] < 0xFFFF
        or len(set(arrays["codes"].tolist())) < header["codes"]
    ):
        raise DataError("it is damaged: its beam or its classes are not as they should be", place)
    return StructuredWeights(header["beam"], header["passes"], **arrays)
