"""Compressed files: .gz, .bz2 and .xz are read as what is in them, a piece at a time, and written by their names."""

from __future__ import annotations

import bz2
import contextlib
import gzip
import lzma
import zlib
from collections.abc import Callable, Iterator
from pathlib import PurePath
from typing import Any, BinaryIO, cast

from malt.data.files import MODEL_MARKS, read_some
from malt.errors import DataError

PIECE = 1 << 16  # bytes that are read, or unpacked, at a time
SMALL = 64 << 20  # what a file may always have in it; beyond that it must not be ...
RATIO = 100  # ... compressed more than this: real treebanks are 5 to 13 times, the built-in sample 14
MEMORY = 128 << 20  # of a decompressor: `xz -9` makes files that need 65 MB

MAGIC = {"gz": b"\x1f\x8b", "bz2": b"BZh", "xz": b"\xfd7zXZ\x00"}
# What is not read: how to unpack it.
OTHERS = {b"\x28\xb5\x2f\xfd": ("unzstd", "zstdcat"), b"PK\x03\x04": ("unzip", "unzip -p")}
DECOMPRESSORS: dict[str, Callable[[], Any]] = {
    "gz": lambda: zlib.decompressobj(31),
    "bz2": bz2.BZ2Decompressor,
    "xz": lambda: lzma.LZMADecompressor(lzma.FORMAT_XZ, MEMORY),
}


def kind_of(first: bytes) -> str:
    """How a file that begins so is compressed: gz, bz2 or xz; nothing if it is not.

    >>> kind_of(gzip.compress(b"")), kind_of(b"1\\tHej")
    ('gz', '')
    """
    return next((kind for kind, magic in MAGIC.items() if first.startswith(magic)), "")


def refuse_packed(first: bytes, name: str) -> None:
    """Tell what to do with a file that is compressed in a way that is not read.

    >>> refuse_packed(b"\\x28\\xb5\\x2f\\xfd", "a.conll.zst")
    Traceback (most recent call last):
    malt.errors.DataError: a.conll.zst: the file is compressed; unzstd it first, or `zstdcat FILE | malt ...`
    """
    if first.startswith(b"PK\3\4") and any(mark in first for mark in MODEL_MARKS):
        raise DataError("this is a model of MaltParser, not a treebank", name)
    for magic, (tool, cat) in OTHERS.items():
        if first.startswith(magic):
            raise DataError(f"the file is compressed; {tool} it first, or `{cat} FILE | malt ...`", name)


class Unpacked:
    """What is in a compressed file, to be read like a file. A small file may unfold without end; this one does not.

    >>> import io
    >>> Unpacked(io.BytesIO(), "a.gz", gzip.compress(b"some") + gzip.compress(b" text")).read(100)
    b'some'
    """

    def __init__(self, stream: BinaryIO, name: str, first: bytes) -> None:
        """`first` is what was read of the stream."""
        self._stream, self._name = stream, name
        self._packed, self._rest, self._given = len(first), first, 0
        self._decompressor: Any = None

    def read(self, size: int) -> bytes:
        """Some bytes, at most so many; nothing at the end."""
        while True:
            if self._decompressor is None:
                self._fill(len(max(MAGIC.values(), key=len)))
                if not self._rest.strip(b"\0"):  # as at the end, where some programs pad with zeros
                    if not self._rest:
                        return b""
                    self._rest = b""
                    continue
                kind = kind_of(self._rest)
                if not kind:
                    raise DataError("the file is damaged: something else follows what is compressed", self._name)
                self._decompressor = DECOMPRESSORS[kind]()
            data = self._unpack(size)
            self._given += len(data)
            if self._given > max(SMALL, RATIO * self._packed):
                raise DataError(
                    f"the file has more than {RATIO} times as many bytes in it as it has itself, which no treebank "
                    "has; if it is one, unpack it first",
                    self._name,
                )
            if data:
                return data

    def _unpack(self, size: int) -> bytes:
        tool = self._decompressor
        if not self._rest and getattr(tool, "needs_input", True):
            self._fill(1)
            if not self._rest:
                raise DataError("the file ends in the middle of what is compressed; it was cut off", self._name)
        try:
            data = cast(bytes, tool.decompress(self._rest, min(size, PIECE)))
        except (OSError, EOFError, ValueError, zlib.error, lzma.LZMAError, MemoryError) as error:
            raise DataError(f"the compressed file is damaged ({error})", self._name) from None
        self._rest = getattr(tool, "unconsumed_tail", b"")  # zlib gives back what it has not used; the others keep it
        if tool.eof:  # another may follow, as after `cat a.gz b.gz`
            self._rest, self._decompressor = tool.unused_data, None
        return data

    def _fill(self, least: int) -> None:
        """Read on, until so many bytes wait to be unpacked or the file ends."""
        while len(self._rest) < least and (more := read_some(self._stream, PIECE, self._name)):
            self._packed += len(more)
            self._rest += more

    def packed(self) -> int:
        """How many bytes of the file itself were read."""
        return self._packed


@contextlib.contextmanager
def packing(stream: BinaryIO, path: str) -> Iterator[BinaryIO]:
    """A stream that compresses what is written to it, if the name of the file that it goes to says so."""
    kind = PurePath(path).suffix.lower().removeprefix(".")
    if kind not in MAGIC:
        yield stream
    elif kind == "gz":  # no name and no time in it: the same trees are the same bytes
        with gzip.GzipFile("", "wb", fileobj=stream, mtime=0) as packed:
            yield cast(BinaryIO, packed)
    else:
        with bz2.BZ2File(stream, "wb") if kind == "bz2" else lzma.LZMAFile(stream, "wb") as other:
            yield cast(BinaryIO, other)
