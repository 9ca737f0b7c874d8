"""What a user is told when something is wrong: one line, with the place, what was expected, and what to do."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from functools import cache
from itertools import takewhile


class MaltError(Exception):
    """A failure that is reported in one line and ends the command with exit code 1."""

    exit_code = 1


class UsageError(MaltError):
    """A command line or an option file that cannot be understood: exit code 2."""

    exit_code = 2


class DataError(MaltError):
    """Something in a file, with its place. `misfit`: the file may have other columns than those it was read with.

    >>> str(DataError("HEAD is 'x'; expected a number or _", "a.conll", 3, 7))
    "a.conll, line 3, column 7: HEAD is 'x'; expected a number or _"
    """

    def __init__(self, message: str, file: str = "", line: int = 0, column: int = 0, *, misfit: bool = False) -> None:
        self.message, self.file, self.line, self.column, self.misfit = message, file, line, column, misfit
        place = [file] if file else []
        place += [f"line {line}"] if line else []
        place += [f"column {column}"] if column else []
        super().__init__(": ".join([", ".join(place), message]) if place else message)


class MaltWarning(UserWarning):
    """What the library tells a program, where a command tells its user on standard error."""


def warn_caller(text: str) -> None:
    """Warn of something, at the place in a program that called the library."""
    import warnings

    frame, level = sys._getframe(), 1
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] == "malt":
        frame, level = frame.f_back, level + 1
    warnings.warn(text, MaltWarning, stacklevel=level)


# How words and numbers of a user's stand in messages.


def nearest(word: str, words: Iterable[str]) -> str:
    """The end of an error line that suggests a word, or nothing if none is near.

    >>> nearest("PARSE", ["learn", "parse"]), nearest("xyz", ["learn", "parse"])
    ('; did you mean parse?', '')
    """
    return _nearest(word[:80], tuple(candidate for candidate in words if candidate))


@cache
def _nearest(word: str, words: tuple[str, ...]) -> str:
    """The same, each time once: a line of a feature model may be wrong in thousands of ways that are all alike."""
    from difflib import SequenceMatcher, get_close_matches

    def likeness(candidate: str) -> tuple[float, int]:
        start = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(candidate, word, strict=False)))
        return SequenceMatcher(None, candidate, word).ratio(), start  # -pp is nearer to -pq than -up is

    same = [candidate for candidate in words if candidate.lower() == word.lower()]
    near = same or get_close_matches(word, words, 20) or get_close_matches(word.lower(), words, 20)
    return f"; did you mean {max(near, key=likeness)}?" if near else ""


def quoted(text: str) -> str:
    """A user's text in an error line: in quotes, and not too long."""
    return repr(text if len(text) <= 80 else f"{text[:60]}...")


def utf8(text: object, name: str) -> bytes:
    """A text as bytes; `name` is what an error calls it.

    >>> utf8("1\\t\\udc80", "the text")
    Traceback (most recent call last):
    malt.errors.DataError: the text, line 1, column 3: '\\udc80' is no character; the file was read in a wrong charset
    """
    if not isinstance(text, str):
        raise UsageError(f"{name}: expected text, not {type(text).__name__}")
    try:
        return text.encode()
    except UnicodeEncodeError as error:
        before = text[: error.start].replace("\r\n", "\n").replace("\r", "\n")
        reason = f"{text[error.start]!r} is no character; the file was read in a wrong charset"
        raise DataError(reason, name, 1 + before.count("\n"), error.start - before.rfind("\n")) from None


def counted(count: int, what: str) -> str:
    """A number of things.

    >>> counted(1, "word"), counted(1000, "word")
    ('1 word', '1,000 words')
    """
    return f"{count:,} {what}{'s' * (count != 1)}"


def printable(text: str) -> str:
    """A text that does nothing to a terminal: line ends and escape sequences stay visible as such.

    >>> printable("a\\x1b[1m")
    'a\\\\x1b[1m'
    """
    return "".join(c if c.isprintable() else repr(c)[1:-1] for c in text)
