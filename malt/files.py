"""Files as every command treats them: `-` is a standard stream, and an output file appears whole or not at all."""

from __future__ import annotations

import contextlib
import io
import os
import secrets
import stat
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from malt.errors import DataError, MaltError

STANDARD_INPUT = ("", "-", "/dev/stdin")
STANDARD_OUTPUT = ("", "-", "/dev/stdout")


def read_small(path: str, what: str, limit: int = 1 << 20) -> bytes:
    """The bytes of a small file, such as a specification; a larger one is refused, as it cannot be meant.

    >>> read_small("no/such/file.xml", "data format")
    Traceback (most recent call last):
    malt.errors.MaltError: no/such/file.xml: no such file (it was to be read as data format)
    """
    try:
        with open(path, "rb") as stream:
            data = stream.read(limit + 1)
    except FileNotFoundError:
        raise MaltError(f"{path}: no such file (it was to be read as {what})") from None
    except OSError as error:
        raise MaltError(f"{path}: {error.strerror} (it was to be read as {what})") from None
    if len(data) > limit:
        raise DataError(f"the file has more than {limit} bytes, which is too much for a {what}", path)
    return data


@contextlib.contextmanager
def open_input(path: str) -> Iterator[BinaryIO]:
    """A raw stream: what is there can be read at once, so that a pipe is answered without waiting for its end."""
    if path in STANDARD_INPUT:
        if sys.stdin is None:
            raise MaltError("standard input is closed; give a file")
        stream = getattr(sys.stdin.buffer, "raw", sys.stdin.buffer)
        yield stream
        return
    try:
        raw = io.FileIO(path)
    except FileNotFoundError:
        raise MaltError(f"{path}: no such file") from None
    except IsADirectoryError:
        raise MaltError(f"{path}: this is a directory; give the treebank file itself") from None
    except OSError as error:
        raise MaltError(f"{path}: {error.strerror}") from None
    with raw:
        yield raw


@contextlib.contextmanager
def open_output(path: str) -> Iterator[BinaryIO]:
    """A stream for a whole output: written beside its place and renamed at the end, or removed if anything failed.

    >>> import tempfile
    >>> place = Path(tempfile.mkdtemp()) / "out.txt"
    >>> with open_output(str(place)) as stream:
    ...     _ = stream.write(b"whole")
    ...     place.exists()
    False
    >>> place.read_bytes()
    b'whole'
    """
    if path in STANDARD_OUTPUT:
        if sys.stdout is None:
            raise MaltError("standard output is closed; give a file with -o")
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    target = Path(os.path.realpath(path))
    try:
        mode = target.stat().st_mode
    except OSError:
        mode = None
    if mode is not None and stat.S_ISDIR(mode):
        raise MaltError(f"{path}: this is a directory; give a file name for the output")
    if mode is not None and not stat.S_ISREG(mode):  # a device or a pipe cannot be replaced
        try:
            with open(target, "wb") as stream:
                yield stream
        except BrokenPipeError:
            raise
        except OSError as error:
            raise MaltError(f"{path}: {error.strerror or error}") from None
        return
    beside = target.with_name(f".{target.name}.{secrets.token_hex(4)}.part")
    try:
        descriptor = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o666)
    except FileNotFoundError:
        raise MaltError(f"{path}: the directory {target.parent} does not exist") from None
    except OSError as error:
        raise MaltError(f"{path}: {error.strerror}") from None
    try:
        with open(descriptor, "wb") as stream:
            yield stream
        if mode is not None:
            os.chmod(beside, stat.S_IMODE(mode))
        os.replace(beside, target)
    except OSError as error:
        raise MaltError(f"{path}: {error.strerror or error}; nothing was written") from None
    finally:
        with contextlib.suppress(OSError):
            beside.unlink()
