"""Files as every command treats them: `-` is a standard stream, and an output file appears whole or not at all."""

from __future__ import annotations

import contextlib
import errno
import io
import os
import stat
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import BinaryIO, Protocol

from malt.data.leftovers import hold, let_go, remove_leftovers
from malt.data.web import PATIENCE, fetch, is_web
from malt.errors import DataError, MaltError, UsageError, quoted
from malt.running import progress

STANDARD_INPUT = ("", "-", "/dev/stdin")
STANDARD_OUTPUT = ("", "-", "/dev/stdout")
NO_FILES = (*STANDARD_OUTPUT, "stdout", "stderr")  # in options that name a file or one of these
MODEL_MARKS = (b"_singlemalt.info", b"symboltables.sym", b"savedoptions.sop", b"blend.yaml")  # names of entries
PART = ".part"  # the end of the name of what is being written


def read_small(path: str, what: str, limit: int = 1 << 20) -> bytes:
    """The bytes of a small file, such as a specification; a larger one is refused, as it cannot be meant.

    >>> read_small("no/such/file.xml", "data format")
    Traceback (most recent call last):
    malt.errors.MaltError: no/such/file.xml: no such file (it was to be read as a data format)
    """
    what = f"{'an' if what[0] in 'aeiou' else 'a'} {what}"
    try:
        with fetch(path, limit, PATIENCE) if is_web(path) else open(local_path(path), "rb") as stream:
            data = stream.read(limit + 1)
    except FileNotFoundError:
        raise MaltError(f"{path}: no such file (it was to be read as {what})") from None
    except OSError as error:
        raise MaltError(f"{path}: {error.strerror} (it was to be read as {what})") from None
    if len(data) > limit:
        raise DataError(f"the file has more than {limit} bytes, which is too much for {what}", path)
    return data


def local_path(address: str) -> str:
    """The path of a file: address; a path stays as it is, and so does an address in the web.

    >>> local_path("file:///tmp/a%20b.conll"), local_path("a.conll")
    ('/tmp/a b.conll', 'a.conll')
    """
    if "\0" in address:
        raise UsageError(f"{quoted(address)} is no name of a file")
    if ("://" not in address and not address.startswith("file:")) or is_web(address):
        return address
    from urllib.parse import unquote, urlsplit

    parts = urlsplit(address)
    if os.path.exists(address):
        return address
    if parts.scheme != "file":
        raise UsageError(f"{address}: only http:, https: and file: addresses are read; save the file and give its path")
    if parts.netloc not in ("", "localhost"):
        raise UsageError(f"{address}: expected file:///, with three slashes, and the whole path of the file")
    return unquote(parts.path)


@contextlib.contextmanager
def open_input(path: str) -> Iterator[BinaryIO]:
    """A raw stream: what is there can be read at once, so that a pipe is answered without waiting for its end."""
    if path in STANDARD_INPUT:
        if sys.stdin is None:
            raise MaltError("standard input is closed; give a file")
        stream = getattr(sys.stdin.buffer, "raw", sys.stdin.buffer)
        yield stream
        return
    path = local_path(path)
    if is_web(path):
        with fetch(path) as copy:
            yield copy
        return
    try:
        raw = io.FileIO(path)
    except FileNotFoundError:
        raise _absent(path) from None
    except IsADirectoryError:
        raise MaltError(f"{path}: this is a directory; give the treebank file itself") from None
    except OSError as error:
        raise MaltError(f"{path}: {error.strerror}") from None
    with raw:
        yield raw


def check_input(path: str) -> None:
    """Refuse a file that is not there, before any time is spent on what comes before it.

    >>> check_input("no/such/dev.conll")
    Traceback (most recent call last):
    malt.errors.MaltError: no/such/dev.conll: no such file
    """
    if path not in STANDARD_INPUT and not is_web(path := local_path(path)) and not os.path.exists(path):
        raise _absent(path)


def _absent(path: str) -> MaltError:
    return MaltError(f"{path}: no such file")


class Readable(Protocol):
    """What can be read like a file."""

    def read(self, size: int, /) -> bytes | None: ...


class Keyboard:
    """A terminal. It could be read on after Ctrl-D, which ends it here for good."""

    def __init__(self, terminal: Readable) -> None:
        self._terminal, self._ended = terminal, False

    def read(self, size: int, /) -> bytes:
        """What was typed, at most so many bytes; nothing at its end."""
        typed = b"" if self._ended else self._terminal.read(size) or b""
        self._ended = not typed
        return typed


def read_some(stream: Readable, size: int, name: str) -> bytes:
    """What a stream has at once, at most so many bytes; nothing at its end."""
    try:
        return stream.read(size) or b""
    except OSError as error:
        raise MaltError(f"{name}: {error.strerror or error}; it cannot be read") from None


def check_standard_output() -> None:
    """Refuse to print where nobody can see it."""
    if sys.stdout is None:
        raise MaltError("standard output is closed, so there is nowhere to print to")


def check_output(path: str, kind: str = "") -> None:
    """Refuse a place where no file can be written, before there is anything to write.

    kind: a model (that of malt proj: one without a parser), page, picture, LaTeX file or drawing replaces only what
    begins as one, anything else all but a model.

    >>> check_output("no/such/folder/m.mco")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    malt.errors.MaltError: no/such/folder/m.mco: the directory ...no/such/folder does not exist
    """
    if path not in STANDARD_OUTPUT:
        _resolve_output(path, kind)


def check_not_read(path: str, inputs: Iterable[str]) -> None:
    """Refuse an output that is also an input: the same file, be it by another name.

    >>> check_not_read(__file__, ["a.conll", __file__])  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    malt.errors.UsageError: ...files.py: this is read, so it cannot be the output too; give another name
    """
    standard = path in STANDARD_OUTPUT
    try:
        there = os.fstat(sys.stdout.fileno()) if standard else os.stat(path)
    except (OSError, ValueError, AttributeError):  # no file yet, or standard output is none
        return
    if not stat.S_ISREG(there.st_mode):
        return
    for name in inputs:
        if os.path.isfile(name) and os.path.samestat(os.stat(name), there):
            same = "" if name == path else f" as {name}"
            what = "standard output" if standard else path
            raise UsageError(f"{what}: this is read{same}, so it cannot be the output too; give another name")


def check_apart(outputs: Iterable[str]) -> None:
    """Refuse several outputs that are the same file, be it by another name: one of them would be lost.

    >>> check_apart(["a.conll", "stdout", "stdout", "./a.conll"])
    Traceback (most recent call last):
    malt.errors.UsageError: a.conll: two outputs are to be written there; give one of them another name
    """
    found = set()
    for path in sorted(outputs):
        place = os.path.realpath(path)
        if path in NO_FILES or (os.path.exists(place) and not os.path.isfile(place)):  # these take any number
            continue
        if place in found:
            raise UsageError(f"{path}: two outputs are to be written there; give one of them another name")
        found.add(place)


def check_appended(path: str) -> None:
    """Refuse to append lines to a model.

    >>> check_appended("stdout"), check_appended("no/such/file.log")
    (None, None)
    """
    if path not in NO_FILES and os.path.isfile(path):
        _check_replaced(path, "")


def _resolve_output(path: str, kind: str) -> tuple[Path, int | None]:
    """The file that is meant, and what it is if it is there."""
    target = Path(os.path.realpath(path))
    mode = None
    try:
        mode = target.stat().st_mode
    except FileNotFoundError:
        pass
    except OSError as error:
        raise MaltError(f"{path}: {error.strerror}") from None
    if mode is None and not target.parent.is_dir():
        raise MaltError(f"{path}: the directory {target.parent} does not exist")
    if mode is not None and stat.S_ISDIR(mode):
        raise MaltError(f"{path}: this is a directory; give a file name for the output")
    replaced = mode is None or stat.S_ISREG(mode)
    # A file that is protected is not replaced, though whoever may write in its directory could.
    if (mode is not None and not _writable(target)) or (replaced and not _writable(target.parent)):
        raise MaltError(f"{path}: {os.strerror(errno.EACCES)}")
    if mode is not None and replaced and target.stat().st_size:
        _check_replaced(path, kind)
    return target, mode


def _check_replaced(path: str, kind: str) -> None:
    """Refuse to replace a file that cannot be meant."""
    try:
        with open(path, "rb") as stream:
            first = stream.read(1 << 12)
            stream.seek(max(0, os.fstat(stream.fileno()).st_size - (1 << 16)))
            last = stream.read()  # a ZIP file has its directory there
    except OSError as error:
        raise MaltError(f"{path}: {error.strerror}") from None
    is_model = first.startswith(b"PK\3\4") and any(mark in first + last for mark in MODEL_MARKS)
    start = first.removeprefix(b"\xef\xbb\xbf").lstrip().lower()
    fits = {
        "model": is_model,
        "model of malt proj": is_model and b"_pseudo.info" in first + last,  # which holds no parser that would be lost
        "page": start.startswith((b"<!doctype html", b"<html")),
        "picture": start.startswith((b"<svg", b"<?xml")) and b"<svg" in start,
        "LaTeX file": start.startswith((b"%", b"\\")),
        "drawing": start.startswith(b"sentence "),  # as text: trees or derivations, each below its number
    }
    if not fits.get(kind, not is_model):
        reason = f"this is no {kind}, and only a {kind} is replaced by one" if kind in fits else "this is a model"
        raise MaltError(f"{path}: {reason}; give another name, or remove the file first")


def _writable(place: Path) -> bool:
    return os.access(place, os.W_OK, effective_ids=os.access in os.supports_effective_ids)


@contextlib.contextmanager
def open_output(path: str, kind: str = "") -> Iterator[BinaryIO]:
    """A stream for a whole output: written beside its place and renamed at the end, or removed if anything failed.

    kind: as for `check_output`.

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
        with progress.hide_bars(sys.stdout):
            yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    target, mode = _resolve_output(path, kind)
    if mode is not None and not stat.S_ISREG(mode):  # a device or a pipe cannot be replaced
        try:
            with open(target, "wb") as stream, progress.hide_bars(stream):
                yield stream
        except BrokenPipeError:
            raise
        except OSError as error:
            raise MaltError(f"{path}: {error.strerror or error}") from None
        return
    made: list[Path] = []  # known before it is there, so that no signal can come between
    lock: int | None = None
    try:
        descriptor, lock = _create(target, path, made)
        [beside] = made
        with open(descriptor, "wb") as stream:
            yield stream
        if mode is not None:
            there = target.stat()
            with contextlib.suppress(OSError, AttributeError):  # not everyone may, nor every system
                os.chown(beside, there.st_uid, there.st_gid)
            os.chmod(beside, stat.S_IMODE(mode))
        os.replace(beside, target)
    except OSError as error:
        raise MaltError(f"{path}: {error.strerror or error}; nothing was written") from None
    finally:
        for beside in made:
            with contextlib.suppress(OSError):
                beside.unlink()
        let_go(lock)


def _create(target: Path, path: str, made: list[Path]) -> tuple[int, int | None]:
    """A new file beside its place, whose name is in `made`: its descriptor, and what tells others that it is in use.
    What killed processes have left there goes."""
    begin = f".{_shorten(target.name)}."
    remove_leftovers(target.parent, begin, PART)
    while True:
        made[:] = [target.with_name(f"{begin}{os.urandom(4).hex()}{PART}")]
        try:
            descriptor = os.open(made[0], os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o666)
        except OSError as error:
            made.clear()
            if isinstance(error, FileNotFoundError):  # such as in /proc
                raise MaltError(f"{path}: no file can be made in the directory {target.parent}") from None
            raise MaltError(f"{path}: {error.strerror}") from None
        try:
            return descriptor, hold(made[0])
        except FileNotFoundError:  # it was taken for a leftover
            os.close(descriptor)


def _shorten(name: str) -> str:
    """A name that leaves room for more: file systems have a limit of 255 bytes."""
    while len(os.fsencode(name)) > 200:
        name = name[:-1]
    return name
