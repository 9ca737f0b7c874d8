"""Colours of lines in a terminal, where it has them and nobody has switched them off (https://no-color.org)."""

from __future__ import annotations

import os
import sys

STYLES = {"good": "32", "bad": "31", "dim": "2"}  # green, red, grey


def has_colours() -> bool:
    """Whether standard output is a terminal that shows colours."""
    off = os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb"
    return not off and sys.stdout is not None and sys.stdout.isatty()


def coloured(line: str, style: str) -> str:
    """The line in a style of STYLES, or as it is where there are no colours, or no style.

    >>> coloured("kept", "good")
    'kept'
    """
    return f"\x1b[{STYLES[style]}m{line}\x1b[0m" if style and has_colours() else line
