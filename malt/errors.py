"""What a user is told when something is wrong: one line, with the place, what was expected, and what to do."""

from __future__ import annotations


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
