"""The parameters of LIBLINEAR and LIBSVM, as -lo gives them: `-s_4_-c_0.1`, with blanks or underscores between."""

from __future__ import annotations

import math
import re

from malt.errors import UsageError

# In the order in which an external trainer gets them.
DEFAULTS = {
    "liblinear": {"s": "4", "c": "0.1", "e": "0.1", "B": "-1"},
    "libsvm": {
        "s": "0", "t": "1", "d": "2", "g": "0.2", "r": "0.0", "n": "0.5", "m": "100", "c": "1.0", "e": "1.0",
        "p": "0.1", "h": "1", "b": "0",
    },
}  # fmt: skip
FIXED = "h"  # cannot be set, but is passed on
MEANINGS = {
    "liblinear": {"s": "the solver", "c": "the cost", "e": "the tolerance", "B": "the bias"},
    "libsvm": {
        "s": "the kind of machine", "t": "the kernel", "d": "the degree", "g": "gamma", "r": "the offset (coef0)",
        "n": "nu", "m": "the cache in megabytes", "c": "the cost", "e": "the tolerance", "p": "epsilon",
        "b": "probabilities",
    },
}  # fmt: skip


def parse(options: str, learner: str) -> dict[str, str]:
    """The parameters of a learner, with those that the options give in place of the defaults.

    Only the first letter of a flag counts, and a flag without a value at the end is ignored, as in MaltParser.

    >>> parse("-s_0_-c 0.5", "liblinear")
    {'s': '0', 'c': '0.5', 'e': '0.1', 'B': '-1'}
    >>> parse("-q 1", "liblinear")
    Traceback (most recent call last):
    malt.errors.UsageError: -lo: liblinear has no parameter -q; it has -s -c -e -B
    """
    result = dict(DEFAULTS[learner])
    pieces = _pieces(options)
    for flag, value in zip(pieces[::2], pieces[1::2], strict=False):
        if flag[0] != "-" or len(flag) == 1:
            raise UsageError(f"-lo: {flag!r} where a flag such as -c was expected")
        if flag[1] not in result or flag[1] in FIXED:
            known = " ".join(f"-{letter}" for letter in result if letter not in FIXED)
            raise UsageError(f"-lo: {learner} has no parameter {flag[:2]}; it has {known}")
        result[flag[1]] = value
    return result


def letters(options: str) -> set[str]:
    """The parameters that are given.

    >>> sorted(letters("-s_4_-c_0.5"))
    ['c', 's']
    """
    return {flag[1:2] for flag in _pieces(options)[::2]}


def left_over(options: str) -> str:
    """The flag at the end that has no value.

    >>> left_over("-c 0.5 foo"), left_over("-c 0.5")
    ('foo', '')
    """
    pieces = _pieces(options)
    return pieces[-1] if len(pieces) % 2 else ""


def _pieces(options: str) -> list[str]:
    return [piece for piece in re.split(r"[_ \t]", options) if piece]


def number(parameters: dict[str, str], letter: str, learner: str, above: float = -math.inf) -> float:
    """A parameter as a number that is greater than some other.

    >>> number({"c": "0"}, "c", "liblinear", above=0)
    Traceback (most recent call last):
    malt.errors.UsageError: -lo: the cost (-c) is '0'; expected a number above 0
    """
    try:
        value = float(parameters[letter])
    except ValueError:
        value = math.nan
    if not above < value < math.inf:
        expected = "a number" if above == -math.inf else f"a number above {above:g}"
        raise UsageError(f"-lo: {MEANINGS[learner][letter]} (-{letter}) is {parameters[letter]!r}; expected {expected}")
    return value


def choice(parameters: dict[str, str], letter: str, learner: str, last: int) -> int:
    """A parameter as one of the numbers from 0 to last.

    >>> choice({"s": "9"}, "s", "liblinear", 7)
    Traceback (most recent call last):
    malt.errors.UsageError: -lo: the solver (-s) is '9'; expected a number from 0 to 7
    """
    text = parameters[letter]
    if text not in map(str, range(last + 1)):
        raise UsageError(
            f"-lo: {MEANINGS[learner][letter]} (-{letter}) is {text!r}; expected a number from 0 to {last}"
        )
    return int(text)
