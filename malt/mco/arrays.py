"""Entries that are plain arrays: a line that says what they are, a line of JSON, and their numbers."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import numpy
import numpy.typing

from malt.errors import DataError

HEADER = 1 << 24  # bytes that the line of JSON has at most

Array = numpy.typing.NDArray[Any]


def write_arrays(
    magic: bytes, header: Mapping[str, Any], arrays: Mapping[str, Array], types: Mapping[str, str]
) -> bytes:
    """The content of an entry."""
    line = json.dumps({**header, **{name: len(array) for name, array in arrays.items()}}).encode() + b"\n"
    return magic + line + b"".join(array.astype(types[name]).tobytes() for name, array in arrays.items())


def read_arrays(
    data: bytes, magic: bytes, version: int, types: Mapping[str, str], place: str, what: str
) -> tuple[dict[str, Any], dict[str, Array]]:
    """The header and the arrays. `place` is what errors call the entry, and `what` is what was expected. A later
    version than this is refused."""
    end = data.find(b"\n", len(magic), len(magic) + HEADER)
    if not data.startswith(magic) or end < 0:
        raise DataError(f"it is damaged: expected {what}", place)
    try:
        header = json.loads(data[len(magic) : end])
    except (ValueError, RecursionError):
        raise DataError("it is damaged: expected a line of JSON", place) from None
    if not isinstance(header, dict) or any(not is_number(header.get(name)) for name in ("version", *types)):
        raise DataError("it is damaged: expected numbers in its first line", place)
    if header["version"] > version:
        reason = f"it has the version {header['version']}, which a later maltkit wrote; this one reads {version}"
        raise DataError(reason, place)
    at, arrays = end + 1, {}
    for name, kind in types.items():
        size = header[name] * numpy.dtype(kind).itemsize
        if at + size > len(data):
            raise DataError("it is damaged: it ends too early", place)
        arrays[name] = numpy.frombuffer(data, kind, header[name], at).astype(numpy.dtype(kind).newbyteorder("="))
        at += size
    if at != len(data):
        raise DataError("it is damaged: something follows its end", place)
    return header, arrays


def is_number(value: object) -> bool:
    """Whether a header's value is a number that can be right."""
    return type(value) is int and 0 <= value < 1 << 40
