"""What a process that was killed leaves behind: the next one removes it, if nobody holds it any more.

Whoever makes something for a while holds a lock on it, which the system takes away when the process ends, however it
ends. Where there are no such locks (Windows, some network drives), nothing is removed.
"""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import Iterator
from pathlib import Path

try:
    import fcntl
except ImportError:
    fcntl = None  # type: ignore[assignment]

FOLDERS = "malt-"  # how the names of our folders in the temporary directory begin


def hold(path: Path) -> int | None:
    """A descriptor that tells others that something is in use, until it is closed; none where that cannot be told.

    FileNotFoundError: another process has taken it for a leftover before it was held.
    """
    if fcntl is None:
        return None
    try:
        lock = os.open(path, os.O_RDONLY)
    except PermissionError:  # nobody may read it, not even who has made it
        return None
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
    except OSError:
        os.close(lock)
        return None
    try:
        same = os.path.samestat(os.stat(path), os.fstat(lock))
    except FileNotFoundError:
        same = False
    if not same:
        os.close(lock)
        raise FileNotFoundError(path)
    return lock


def let_go(lock: int | None) -> None:
    """End what `hold` began."""
    if lock is not None:
        os.close(lock)


def remove_leftovers(folder: Path, prefix: str, suffix: str = "") -> None:
    """Remove what has such a name, is our own, and is held by nobody."""
    if fcntl is None:
        return
    with contextlib.suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            named = entry.name.startswith(prefix) and entry.name.endswith(suffix)
            if named and not entry.is_symlink() and entry.stat().st_uid == os.getuid():
                with contextlib.suppress(OSError):  # someone else was faster, or it is held
                    _remove(Path(entry.path), entry.is_dir(follow_symlinks=False))


def _remove(path: Path, is_folder: bool) -> None:
    lock = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if is_folder:
            shutil.rmtree(path)
        else:
            path.unlink()
    finally:
        os.close(lock)


@contextlib.contextmanager
def temporary_folder(beside: Path | None = None, prefix: str = FOLDERS) -> Iterator[Path]:
    """A folder for a while, in the temporary directory or beside something.

    >>> with temporary_folder() as folder:
    ...     folder.is_dir()
    True
    >>> folder.exists()
    False
    """
    import tempfile

    place = Path(tempfile.gettempdir()) if beside is None else beside
    remove_leftovers(place, prefix)
    while True:
        made = Path(tempfile.mkdtemp(prefix=prefix, dir=place))
        try:
            lock = hold(made)
            break
        except FileNotFoundError:
            continue
    try:
        yield made
    finally:
        shutil.rmtree(made, ignore_errors=True)
        let_go(lock)
