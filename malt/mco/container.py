"""The ZIP around a model. Nothing in a file is trusted: neither its names nor its sizes."""

from __future__ import annotations

import contextlib
import io
import os
import struct
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager
from pathlib import Path
from typing import BinaryIO

from malt.data.files import local_path, open_output
from malt.data.web import fetch, is_web
from malt.errors import DataError, MaltError, UsageError, quoted
from malt.running.log import logger
from malt.settings.settings import Settings

SUFFIX = ".mco"
DIRECTORY_LIMIT = 16 << 20  # bytes of the ZIP's directory: some 100,000 entries
SMALL = 16 << 20  # what an entry may always have; a larger one must not be ...
RATIO = 64  # ... compressed more than this: MaltParser's are up to 13 times, one of 1,200 labels 28 times
LEVEL = 4  # of compression: half the time of zlib's usual 6, and 0.5 to 4 % more bytes
_END = struct.Struct("<4s4H2LH")  # the record at the end of a ZIP


class Container:
    """An open model file: `names` are those of its entries, without the folder that they are in."""

    def __init__(self, path: str, archive: zipfile.ZipFile) -> None:
        self.path, self._archive = path, archive
        self.folder, self._entries = _entries(path, archive.infolist())

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the entries."""
        return tuple(self._entries)

    @property
    def sizes(self) -> dict[str, int]:
        """The bytes of each entry."""
        return {name: entry.file_size for name, entry in self._entries.items()}

    def find(self, suffix: str) -> str:
        """The name of the first entry that ends so."""
        for name in self.names:
            if name.endswith(suffix):
                return name
        raise DataError(f"there is no *{suffix} in it, so it is not a model of MaltParser", self.path)

    def read(self, name: str, limit: int = 0) -> bytes:
        """The content of an entry; `limit` is for those that cannot be large."""
        if name not in self._entries:
            raise DataError(f"the entry {name} is missing", self.path)
        info = self._entries[name]
        most = limit or max(SMALL, RATIO * info.compress_size)
        if info.file_size > most:
            raise DataError(
                f"the entry {name} would have {info.file_size} bytes; more than {most} cannot be right", self.path
            )
        try:
            with self._archive.open(info) as stream:
                data = stream.read(most + 1)
        except (zipfile.BadZipFile, zlib.error, EOFError, OSError, NotImplementedError, RuntimeError) as error:
            raise DataError(f"the entry {name} is damaged ({error})", self.path) from None
        if len(data) != info.file_size:
            raise DataError(f"the entry {name} is damaged: it has {len(data)} of {info.file_size} bytes", self.path)
        return data


def _entries(path: str, infos: list[zipfile.ZipInfo]) -> tuple[str, dict[str, zipfile.ZipInfo]]:
    """The folder of a model and its entries. Old models from Windows have a backslash in their names."""
    folders: dict[str, None] = {}
    entries: dict[str, zipfile.ZipInfo] = {}
    for info in infos:
        folder, slash, name = info.orig_filename.replace("\\", "/").partition("/")
        if not name and slash:
            continue  # the folder itself
        if not slash or not folder or folder == ".." or "/" in name or name in (".", "..") or "\0" in name:
            raise DataError(f"the entry {quoted(info.orig_filename)} is not of the form NAME/FILE, as in a model", path)
        if name in entries:
            raise DataError(f"the entry {name} is there twice", path)
        folders[folder] = None
        entries[name] = info
    if len(folders) != 1:
        found = ", ".join(list(folders)[:3]) or "none"
        raise DataError(f"a model has its files in one folder; found {found}", path)
    return next(iter(folders)), entries


@contextlib.contextmanager
def open_container(path: str) -> Iterator[Container]:
    """Open a model file; what it is called now, and in which folder it is, does not matter.

    >>> import tempfile
    >>> place = str(Path(tempfile.mkdtemp()) / "tiny.mco")
    >>> write_container(place, {"tiny.info": b"..."})
    >>> with open_container(place) as model:
    ...     model.folder, model.names, model.read("tiny.info")
    ('tiny', ('tiny.info',), b'...')
    """
    with open_model(path) as stream:
        yield read_container(stream, path)


def read_container(stream: BinaryIO, path: str) -> Container:
    """The model in an open file; `path` is what errors call it."""
    _check_directory(path, stream)
    try:
        archive = zipfile.ZipFile(stream)
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError, struct.error) as error:
        raise DataError(f"it is not a model of MaltParser, or is damaged ({error})", path) from None
    return Container(path, archive)


def open_model(path: str) -> AbstractContextManager[BinaryIO]:
    """The file of a model, here or in the web."""
    return fetch(path) if is_web(path) else _open_file(path)


def _open_file(path: str) -> BinaryIO:
    try:
        return io.BufferedReader(io.FileIO(path))
    except FileNotFoundError:
        raise MaltError(f"{path}: no such model") from None
    except OSError as error:
        raise MaltError(f"{path}: {error.strerror}") from None


def _check_directory(path: str, stream: BinaryIO) -> None:
    """Look at the size of the ZIP's directory, which would be read as a whole."""
    stream.seek(0, os.SEEK_END)
    size = stream.tell()
    stream.seek(max(0, size - _END.size - 0xFFFF))
    tail = stream.read()
    at = tail.rfind(b"PK\5\6")
    if at < 0 or at + _END.size > len(tail):
        stream.seek(0)
        if stream.read(4) == b"PK\3\4":
            raise DataError("the model is cut off: its end is missing; copy or train it again", path)
        raise DataError("it is not a model of MaltParser: a model is a ZIP file", path)
    directory = _END.unpack_from(tail, at)[5]
    if tail[:at][-20:].startswith(b"PK\6\7"):
        raise DataError("it is a ZIP file of more than 4 GB or 65,535 entries, which no model is", path)
    if directory > DIRECTORY_LIMIT:
        raise DataError(f"its directory has {directory} bytes; more than {DIRECTORY_LIMIT} cannot be right", path)
    stream.seek(0)


def write_container(path: str, entries: Mapping[str, bytes]) -> None:
    """Write a model file: whole, or not at all. The folder inside has the file's name, as MaltParser wants it."""
    with open_output(path, "model") as stream:
        pack(stream, model_name(path), entries)


def pack(stream: BinaryIO, folder: str, entries: Mapping[str, bytes]) -> None:
    """Write the content of a model file."""
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in entries.items():
            info = zipfile.ZipInfo(f"{folder}/{name}")  # of 1980: the same model is the same file
            info.compress_type = zipfile.ZIP_DEFLATED
            info.external_attr = 0o644 << 16
            archive.writestr(info, data, compresslevel=LEVEL)


def model_name(path: str) -> str:
    """The name of a model by its file, as it stands in the ZIP: `?` for what is no character, and for a backslash,
    which would be taken for a folder.

    >>> model_name("models/swedish.mco"), model_name("swedish")
    ('swedish', 'swedish')
    """
    return Path(path).name.removesuffix(SUFFIX).replace("\\", "?").encode(errors="replace").decode()


def model_path(name: str, folder: str = "user.dir") -> str:
    """The file of a model by its name (-c), with or without .mco, which may be a path, and the working directory (-w).

    >>> model_path("swedish"), model_path("models/swedish.mco", "work")
    ('swedish.mco', 'work/models/swedish.mco')
    """
    if "://" in name:
        raise UsageError(
            f"{name}: expected the name of a model; an address is given with -u, to a command that reads one"
        )
    if os.path.basename(name.removesuffix(SUFFIX)) in ("", ".", "..") or "\0" in name + folder:
        raise UsageError(f"{quoted(name)} is no name of a model; expected NAME, for the file NAME.mco")
    path = Path(name.removesuffix(SUFFIX) + SUFFIX)
    return str(path if folder in ("", ".", "user.dir") else folder / path)


def model_address(name: str) -> str:
    """The file of a model by its name, with or without .mco, or its address in the web.

    >>> model_address("file:///models/swedish.mco"), model_address("swedish")
    ('/models/swedish.mco', 'swedish.mco')
    """
    address = local_path(name)
    return address if is_web(address) else model_path(address)


def model_file(options: Settings) -> str:
    """The file of the model that is to be read: by its name (-c), or by its address (-u), which comes first.

    >>> model_file(Settings(command_line={"config.url": "file:///models/swedish.mco"}))
    '/models/swedish.mco'
    """
    name, address = options["config.name"], options["config.url"]
    if options.command is not None and options.command.argument == "MODEL" and options.files:
        name = options.files[0]
    if address:
        if name:
            logger.warning("warning: -c %s is ignored: -u names the model", name)
        return local_path(address)
    if not name:
        raise UsageError("which model? -c NAME, for the file NAME.mco that `malt train -c NAME` makes")
    return model_path(name, options["config.workingdir"])
