"""An option: its name, its type, its values, and what is said to someone who gets them wrong."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from malt.errors import UsageError, nearest, quoted

Value = str | int | float | bool

USAGE = {
    "": "",
    "train": "Used when training.",
    "process": "Used when parsing.",
    "both": "",
    "save": "Stored in the model when training; when parsing, the model's value counts, not the command line's.",
}
NO_EFFECT = "Accepted, because MaltParser accepts it, but without effect."


@dataclass(frozen=True)
class Option:
    """One option. `key` is its full name, and how commands ask for its value.

    >>> option = Option("pproj", "lifting_order", "enum", "Which?", "-plo", values={"shortest": "", "deepest": ""})
    >>> option.key, option.read("deepest")
    ('pproj.lifting_order', 'deepest')
    >>> option.read("deep")
    Traceback (most recent call last):
    malt.errors.UsageError: -plo: expected shortest or deepest, not 'deep'; did you mean deepest?
    """

    group: str
    name: str
    type: str
    help: str
    flag: str = ""
    old: tuple[str, ...] = ()
    values: Mapping[str, str] = field(default_factory=dict, hash=False)
    default: Value | None = None
    usage: str = ""
    minimum: float | None = None
    maximum: float | None = None
    effect: bool = True
    pattern: str = ""  # further values, beside the listed ones
    value: str = ""  # what its value is called in the help
    several: bool = False  # may it be given more than once? `Settings.repeated` has all of its values then

    @property
    def key(self) -> str:
        """The group and the name, as in `pproj.lifting_order`."""
        return f"{self.group}.{self.name}"

    @property
    def spelling(self) -> str:
        """How to write it on a command line."""
        return self.flag or f"--{self.name}".replace("_", "-")

    @property
    def summary(self) -> str:
        """The first line of the help."""
        return self.help.partition("\n")[0]

    @property
    def expected(self) -> str:
        """What a value has to be, in words."""
        if self.type in ("integer", "float"):
            kind = "a whole number" if self.type == "integer" else "a number"
            least, most = self.limits
            if self.minimum is None and self.maximum is None:
                return f"{kind} (32 bits)" if self.type == "integer" else kind
            return f"{kind} from {least:.10g} to {most:.10g}"
        words = ["true", "false"] if self.type == "bool" else list(self.values)
        if not words:
            return "nothing (there is no value for it yet)"
        return f"{', '.join(words[:-1])} or {words[-1]}" if words[1:] else words[0]

    @property
    def limits(self) -> tuple[float, float]:
        """The smallest and the largest number allowed; a whole number is Java's int."""
        least, most = (-(2**31), 2**31 - 1) if self.type == "integer" else (-sys.float_info.max, sys.float_info.max)
        return least if self.minimum is None else self.minimum, most if self.maximum is None else self.maximum

    def read(self, text: str, shown: str = "") -> Value:
        """The value that a text stands for; `shown` is how the user named the option, for the error line."""
        near = ""
        if self.type == "bool" and text.lower() in ("true", "false"):
            return text.lower() == "true"
        if self.type in ("integer", "float") and (number := self._number(text)) is not None:
            return number
        if self.type in ("enum", "class"):
            if text in self.values or (self.pattern and re.fullmatch(self.pattern, text)):
                return text
            near = nearest(text, self.values)
        elif self.type in ("string", "stringenum", "unary"):
            if "\0" in text:  # which YAML can say, and no file can be called
                raise UsageError(f"{shown or self.spelling}: expected a text without NUL, not {quoted(text)}")
            return text if self.type != "unary" else True
        raise UsageError(f"{shown or self.spelling}: expected {self.expected}, not {quoted(text)}{near}")

    def _number(self, text: str) -> int | float | None:
        """The number that a text stands for, or None if it is none, or out of its limits."""
        whole = self.type == "integer"
        if not re.fullmatch(r"[+-]?\d+" if whole else r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", text):
            return None
        digits = text.lstrip("+-").lstrip("0")
        if whole and len(digits) > 10:  # int() refuses very long ones
            return None
        number: int | float = int(digits or "0") * (-1 if text[0] == "-" else 1) if whole else float(text)
        least, most = self.limits
        return number if least <= number <= most else None

    def write(self, value: Value) -> str:
        """The text of a value, which `read` turns back into it."""
        if isinstance(value, bool):
            return "true" if value else "false"
        return str(value)


def ambiguous_error(word: str, found: Iterable[Option]) -> UsageError:
    """The error for a name without its group."""
    names = (f"--{option.group}-{option.name}" if word.startswith("--") else option.key for option in found)
    return UsageError(f"{word} is in more than one group; write {' or '.join(names)}")


def unknown_error(word: str, options: Iterable[Option], where: str = "malt help options") -> UsageError:
    """The error for an option that does not exist, with the nearest that does."""
    options = list(options)
    names = [option.name for option in options]
    plain = [option.name for option in options if names.count(option.name) == 1]
    if word.startswith("--"):
        words = [f"--{name}" for name in plain] + [f"--{option.group}-{option.name}" for option in options]
    elif word.startswith("-"):
        words = [option.flag for option in options]
        words += [f"--{name}" for name in plain if len(word) > 5]
    else:
        words = plain + [option.key for option in options]
    return UsageError(f"unknown option {quoted(word)}{nearest(word, words) or f'; `{where}` lists them'}")
