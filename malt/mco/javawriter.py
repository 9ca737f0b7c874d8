"""Writes serialized Java objects, byte for byte as Java does it."""

from __future__ import annotations

import struct
from typing import BinaryIO

import numpy
from numpy.typing import NDArray

from malt.kernel.java import FIRST_HANDLE, RowWriter, Tag
from malt.learning.rows import Rows
from malt.mco.javaclasses import CLASSES

NULL, REFERENCE, DESCRIPTION, OBJECT, STRING, ARRAY, BLOCK, END, ENUM = (
    bytes([tag]) for tag in Tag.__members__.values()
)
AT_ONCE = 4096  # rows that are made in memory before they are written


class JavaWriter:
    """Writes one object into a file. Java numbers all objects, texts and classes of a stream, and refers to them by
    these numbers when they come again.

    >>> import io
    >>> out = io.BytesIO()
    >>> JavaWriter(out).integers(numpy.array([1, 2]))
    >>> out.getvalue().hex(" ", 4)
    'aced00 05757200 025b494d ba602676 eab2a502 00007870 00000002 00000001 00000002'
    """

    def __init__(self, out: BinaryIO) -> None:
        self.out = out
        self.handles = 0
        self.classes: dict[str, int] = {}
        self.texts: dict[str, int] = {}
        out.write(bytes.fromhex("ACED0005"))

    def number(self) -> int:
        """Count an object."""
        self.handles += 1
        return self.handles - 1

    def reference(self, handle: int) -> bytes:
        """A reference to something that was written before."""
        return REFERENCE + struct.pack(">I", FIRST_HANDLE + handle)

    def text(self, text: str) -> bytes:
        """A text as an object."""
        if text in self.texts:
            return self.reference(self.texts[text])
        self.texts[text] = self.number()
        return STRING + _utf(text)

    def class_description(self, name: str) -> bytes:
        """The description of a class; a reference when it was described before."""
        if name in self.classes:
            return self.reference(self.classes[name])
        known = CLASSES[name]
        self.classes[name] = self.number()
        parts = [DESCRIPTION, _utf(name), struct.pack(">qBH", known.version, known.flags, len(known.fields))]
        for field in known.fields:
            parts += [field.type[0].encode(), _utf(field.name)]
            if field.is_object:
                parts.append(self.text(field.type))
        parts += [END, self.class_description(known.parent) if known.parent else NULL]
        return b"".join(parts)

    def begin(self, name: str) -> None:
        """Begin an object: its fields follow."""
        self.out.write(OBJECT + self.class_description(name))
        self.number()

    def plain(self, types: str, *values: float) -> None:
        """Fields that are numbers: i (int) or d (double)."""
        self.out.write(struct.pack(">" + types, *values))

    def end(self) -> None:
        """End an object that writes itself."""
        self.out.write(END)

    def constant(self, name: str, value: str) -> None:
        """A constant of an enumeration."""
        described = self.class_description(name)
        self.number()
        self.out.write(ENUM + described + self.text(value))

    def integers(self, values: NDArray[numpy.int32]) -> None:
        """An array of ints."""
        self._array("[I", len(values), values.astype(">i4").tobytes())

    def doubles(self, values: NDArray[numpy.float64]) -> None:
        """An array of doubles."""
        self._array("[D", len(values), values.astype(">f8").tobytes())

    def _array(self, name: str, length: int, content: bytes = b"") -> None:
        described = self.class_description(name)
        self.number()
        self.out.write(ARRAY + described + struct.pack(">i", length) + content)

    def rows(self, rows: Rows) -> None:
        """An array of arrays of doubles."""
        self._array("[[D", len(rows))
        if len(rows) == 0:
            return
        described = self.class_description("[D")
        writer = RowWriter(rows, self.handles, described, self.classes["[D"])
        for begin in range(0, len(rows), AT_ONCE):
            self.out.write(writer.write(begin, min(begin + AT_ONCE, len(rows))))
        self.handles = writer.handle

    def vectors(
        self, starts: NDArray[numpy.int64], indices: NDArray[numpy.int32], values: NDArray[numpy.float64]
    ) -> None:
        """Support vectors: arrays of nodes."""
        self._array("[[Llibsvm.svm_node;", len(starts) - 1)
        nodes, size = b"", 0
        for begin, end in zip(starts[:-1].tolist(), starts[1:].tolist(), strict=True):
            self._array("[Llibsvm.svm_node;", end - begin)
            at = begin
            if not nodes and end > begin:  # the very first node describes its class, all others are alike
                self.begin("libsvm.svm_node")
                self.plain("id", indices[0], values[0])
                described = OBJECT + self.class_description("libsvm.svm_node")
                nodes = _records([(described, indices, ">i4"), (b"", values, ">f8")])
                size = len(nodes) // len(indices)
                at = begin + 1
            self.out.write(nodes[at * size : end * size])
            self.handles += end - at

    def pairs(self, capacity: int, keys: NDArray[numpy.int64], values: NDArray[numpy.int32]) -> None:
        """A hash map from long to int, whose entries come in the given order."""
        self.begin("org.maltparser.core.helper.HashMap")
        self.out.write(BLOCK + struct.pack(">bii", 8, capacity, len(keys)))
        if len(keys):
            self.begin("java.lang.Long")
            self.out.write(struct.pack(">q", keys[0]))
            self.begin("java.lang.Integer")
            self.plain("i", values[0])
            long, integer = (
                OBJECT + self.class_description("java.lang.Long"),
                OBJECT + self.class_description("java.lang.Integer"),
            )
            self.out.write(_records([(long, keys[1:], ">i8"), (integer, values[1:], ">i4")]))
            self.handles += 2 * (len(keys) - 1)
        self.end()


def _utf(text: str) -> bytes:
    return struct.pack(">H", len(text)) + text.encode("ascii")


def _records(fields: list[tuple[bytes, NDArray[numpy.generic], str]]) -> bytes:
    """Records of fixed size: for each field some bytes that are the same in all of them, and a number of each."""
    layout: list[tuple[str, str]] = []
    for i, (before, _, type) in enumerate(fields):
        layout += [(f"before{i}", f"V{len(before)}"), (f"number{i}", type)] if before else [(f"number{i}", type)]
    records = numpy.empty(len(fields[0][1]), dtype=layout)
    for i, (before, numbers, _) in enumerate(fields):
        if before:
            records[f"before{i}"] = numpy.void(before)
        records[f"number{i}"] = numbers
    return records.tobytes()
