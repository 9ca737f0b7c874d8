"""What is said while a command runs: on standard error (-v), and in a log file (-lfi, -cl).

Everything goes through one logger of the standard library, `malt.running.log.logger`, so a program that uses the
library can do with it what it likes. Only the commands attach anything to it.
"""

from __future__ import annotations

import contextlib
import logging
import os
import sys

from malt.errors import printable

logger = logging.getLogger("malt")

LEVELS = {
    "off": logging.CRITICAL + 10,
    "fatal": logging.CRITICAL,
    "error": logging.ERROR,
    "warn": logging.WARNING,
    "info": logging.INFO,
    "debug": logging.DEBUG,
}
_attached: list[logging.Handler] = []


class Printable(logging.Formatter):
    """A message is one line, in which words of a user's do nothing to a terminal."""

    def format(self, record: logging.LogRecord) -> str:
        """The line."""
        return printable(super().format(record))


class StandardError(logging.Handler):
    """Writes a message. A progress bar on the screen is moved out of the way first."""

    def emit(self, record: logging.LogRecord) -> None:
        """Write one message."""
        try:
            if sys.stderr is None:  # closed by whoever started us
                return
            if "tqdm" in sys.modules:
                from tqdm import tqdm

                tqdm.write(self.format(record), file=sys.stderr)
            else:
                print(self.format(record), file=sys.stderr)
        except Exception:
            self.handleError(record)


class LogFile(logging.FileHandler):
    """Appends messages to a file. If that fails, as on a full disk, it says so once and goes on without."""

    def __init__(self, path: str) -> None:
        super().__init__(path, encoding="utf-8", errors="backslashreplace")

    def handleError(self, record: logging.LogRecord) -> None:
        """Give up."""
        error = sys.exc_info()[1]
        logger.removeHandler(self)
        reason = getattr(error, "strerror", None) or error
        logger.warning("warning: %s: %s; nothing more is logged there", self.baseFilename, reason)

    def close(self) -> None:
        """Close the file; what could not be written is lost."""
        with contextlib.suppress(OSError):
            super().close()


def start(verbosity: str = "info", file: str = "stdout", level: str = "info", folder: str = "user.dir") -> None:
    """Send messages to standard error and, where a file is named, append them there too.

    >>> start("warn")
    >>> logger.isEnabledFor(logging.INFO), logger.isEnabledFor(logging.WARNING)
    (False, True)
    >>> stop()
    """
    stop()
    handlers: list[tuple[logging.Handler, str]] = [(StandardError(), verbosity)]
    if file.lower() not in ("", "stdout"):
        path = file if folder in ("", ".", "user.dir") else os.path.join(folder, file)
        handlers.append((LogFile(path), level))
    for handler, name in handlers:
        handler.setLevel(LEVELS[name])
        handler.setFormatter(Printable())
        logger.addHandler(handler)
        _attached.append(handler)
    logger.setLevel(min(LEVELS[name] for _, name in handlers))


def quiet() -> bool:
    """Whether someone has asked for warnings and errors alone. A program that uses the library has not."""
    return any(isinstance(handler, StandardError) and handler.level > logging.INFO for handler in _attached)


def stop() -> None:
    """Take away what `start` attached, and close the file."""
    while _attached:
        handler = _attached.pop()
        logger.removeHandler(handler)
        handler.close()
    logger.setLevel(logging.NOTSET)
