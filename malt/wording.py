"""How numbers and texts of a user's stand in messages."""

from __future__ import annotations


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
