"""The colours of everything that is drawn, on light and on dark paper, each by one name.

They are told apart by people who do not see red and green as different; nothing is said by colour alone.
"""

from __future__ import annotations

NAMES = ("c1", "c2", "c3", "c4", "c5", "c6")  # for planes and for series, in this order
LIGHT = {
    "paper": "#ffffff",
    "ground": "#f6f5f1",
    "ink": "#22252a",
    "soft": "#62666d",
    "line": "#d9d6ce",
    "c1": "#1c5fa6",
    "c2": "#b54804",
    "c3": "#157a55",
    "c4": "#8a3d94",
    "c5": "#7a5c00",
    "c6": "#4b5563",
    "head": "#c4183c",
    "label": "#8f5f00",
    "gold": "#157a55",
}
DARK = {
    "paper": "#1b1d21",
    "ground": "#131417",
    "ink": "#e8e6e1",
    "soft": "#a3a7ae",
    "line": "#3a3d44",
    "c1": "#7db4f2",
    "c2": "#f4a261",
    "c3": "#69cfa0",
    "c4": "#d8a1e3",
    "c5": "#e3c45c",
    "c6": "#b6bcc6",
    "head": "#ff8095",
    "label": "#eac254",
    "gold": "#69cfa0",
}
FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', 'Helvetica Neue', Arial, sans-serif"


def ink(name: str) -> str:
    """A colour by name, as CSS; in a picture that stands alone it is the one for light paper.

    >>> ink("c1")
    'var(--c1, #1c5fa6)'
    """
    return f"var(--{name}, {LIGHT[name]})"


def series(place: int) -> str:
    """The colour of a series, or of a plane, counted from 0; after the last the first comes again.

    >>> series(0) == series(6) == ink("c1")
    True
    """
    return ink(NAMES[place % len(NAMES)])


def variables(selector: str = ":root") -> str:
    """The colours as variables of CSS, for light paper, and for dark where the reader prefers it."""
    light, dark = ("".join(f"--{name}:{value};" for name, value in colours.items()) for colours in (LIGHT, DARK))
    return (
        f"{selector}{{color-scheme:light dark;{light}}}\n"
        f"@media (prefers-color-scheme:dark){{{selector}{{{dark}}}}}\n"
        f"@media print{{{selector}{{{light}}}}}\n"
    )
