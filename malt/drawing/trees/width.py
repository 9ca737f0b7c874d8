"""How wide a text is, without the font: in the cells of a terminal, and about how many pixels in a picture.

A letter with its accents counts once, and so does an emoji that is put together from several.

>>> cells("naïve"), cells("e\u0301"), cells("日本"), cells("👩‍🚀")
(5, 1, 4, 2)
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from functools import lru_cache

_JOINER, _EMOJI_STYLE = "\u200d", "\ufe0f"
_NARROW, _WIDE = frozenset("iljtfrI.,:;'|!()[]{}-/ \u02bc"), frozenset("mwMWOQGD@%&—…")
_FLAGS, _SKINS = range(0x1F1E6, 0x1F200), range(0x1F3FB, 0x1F400)
LETTER, ROOMY, TIGHT, SQUARE, OTHER = 0.57, 0.86, 0.34, 1.06, 0.72  # in ems, rather too much than too little


def clusters(text: str) -> Iterator[str]:
    """The text in pieces that belong together on the screen.

    >>> [len(cluster) for cluster in clusters("e\\u0301a👩‍🚀🇩🇰🇸🇪👍🏽")]
    [2, 1, 3, 2, 2, 2]
    """
    piece, flag = "", False
    for character in text:
        code = ord(character)
        attached = unicodedata.category(character) in ("Mn", "Me", "Cf") or code in _SKINS
        if piece and (attached or piece[-1] == _JOINER or (flag and code in _FLAGS)):
            piece, flag = piece + character, False
            continue
        if piece:
            yield piece
        piece, flag = character, code in _FLAGS
    if piece:
        yield piece


def cells(text: str) -> int:
    """The width in a terminal."""
    if text.isascii():
        return len(text)
    return sum(_cells(cluster) for cluster in clusters(text))


def pad(text: str, room: int, right: bool = False) -> str:
    """The text, filled up with blanks to a width in a terminal.

    >>> pad("日本", 6) + "|", pad("7", 3, right=True)
    ('日本  |', '  7')
    """
    blanks = " " * (room - cells(text))
    return blanks + text if right else text + blanks


def pixels(text: str, size: float) -> float:
    """About the width in a picture, in a sans-serif font of a size in pixels."""
    return size * _text_ems(text)


def shorten(text: str, most: int) -> str:
    """The text, or where it is longer than so many letters, its beginning and its end.

    >>> shorten("Donaudampfschifffahrt", 9), shorten("Donau", 9)
    ('Dona…ahrt', 'Donau')
    """
    if len(text) <= most:
        return text
    pieces = list(clusters(text))
    if len(pieces) <= most:
        return text if len(text) <= 8 * most else "".join(piece[:8] for piece in pieces)  # piles of accents
    half = (most - 1) // 2
    return "".join([*(p[:8] for p in pieces[: most - 1 - half]), "…", *(p[:8] for p in pieces[len(pieces) - half :])])


def is_right_to_left(text: str) -> bool:
    """Whether most of the letters are of a script that is written from the right.

    >>> is_right_to_left("שלום CNN"), is_right_to_left("CNN")
    (True, False)
    """
    if text.isascii():
        return False
    sides = [unicodedata.bidirectional(character) for character in text]
    return sum(side in ("R", "AL") for side in sides) > sum(side == "L" for side in sides)


@lru_cache(1 << 16)
def _text_ems(text: str) -> float:
    return sum(_ems(cluster) for cluster in (text if text.isascii() else clusters(text)))


@lru_cache(4096)
def _cells(cluster: str) -> int:
    first = cluster[0]
    if unicodedata.category(first) in ("Mn", "Me", "Cf", "Cc"):
        return 0
    wide = unicodedata.east_asian_width(first) in "WF" or _EMOJI_STYLE in cluster or ord(first) in _FLAGS
    return 2 if wide else 1


@lru_cache(4096)
def _ems(cluster: str) -> float:
    first = cluster[0]
    if _cells(cluster) == 2:
        return 1.4 if unicodedata.category(first) in ("So", "Sk") else SQUARE
    if first in _NARROW:
        return TIGHT
    if first in _WIDE:
        return ROOMY
    if first.isascii() or unicodedata.name(first, "").startswith(("LATIN", "GREEK", "CYRILLIC", "HEBREW", "COMBINING")):
        return OTHER if first.isupper() else LETTER
    return OTHER
