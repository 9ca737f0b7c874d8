"""Charsets by the names that MaltParser's users know: Java's."""

from __future__ import annotations

import codecs
import re

from malt.errors import UsageError

# Java's names that neither Python has nor a rule below makes one of Python's.
ALIASES = {
    "windows-31j": "cp932",
    "cswindows31j": "cp932",
    "mswin-936": "gbk",
    "ibm00858": "cp858",
    "latin-9": "iso8859-15",
    "latin0": "iso8859-15",
    "ascii7": "ascii",
    "koi8": "koi8-r",
    "big5hk": "big5hkscs",
    "sjis_0213": "shift_jisx0213",
    "maccroatian": "mac-croatian",
    "macromania": "mac-romanian",
    "macarabic": "mac-arabic",
    "unicode": "utf-16",
    "unicodebig": "utf-16",
    "unicodelittle": "utf-16-le-bom",
    "iso-10646-ucs-2": "utf-16-be",
    "utf-16le-bom": "utf-16-le-bom",
    "utf-32le-bom": "utf-32-le-bom",
    "utf-32be-bom": "utf-32-be-bom",
    "utf-8-sig": "utf-8",  # a mark is kept where there is one
    "utf_8_sig": "utf-8",
}
# What is written with a mark at the beginning, and in which order of bytes; -bom is Java's x-UTF-16LE-BOM and the like.
MARKED = {
    "utf-16": "utf-16-be",
    "utf-16-le-bom": "utf-16-le",
    "utf-32-le-bom": "utf-32-le",
    "utf-32-be-bom": "utf-32-be",
}
# Codecs of Python that are no charsets.
NO_CHARSETS = {"charmap", "idna", "mbcs", "oem", "punycode", "raw-unicode-escape", "undefined", "unicode-escape"}


def find_charset(name: str) -> str:
    """Python's name of a charset, or one of MARKED.

    >>> [find_charset(name) for name in ("ISO-8859-1", "Cp1252", "UTF8", "MS932", "x-UTF-16LE-BOM")]
    ['iso8859-1', 'cp1252', 'utf-8', 'cp932', 'utf-16-le-bom']
    """
    plain = re.sub(r"^x-", "", name.strip().lower())
    if plain in ALIASES:
        return ALIASES[plain]
    candidates = (
        name.strip(),
        plain,
        re.sub(r"^(?:windows|ms|ibm)[-_]?", "cp", plain),
        re.sub(r"^8859_", "iso8859-", plain),
    )
    for candidate in candidates:
        try:
            codec = codecs.lookup(candidate)
        except (LookupError, ValueError):
            continue
        text = getattr(codec, "_is_text_encoding", True) and codec.name.replace("_", "-") not in NO_CHARSETS
        if text and candidate:
            return codec.name
    raise UsageError(f"charset {name!r} is not known; give a name such as UTF-8, ISO-8859-1 or windows-1252")


def with_byte_order(name: str, first: bytes) -> str:
    """UTF-16 and UTF-32 with the byte order that a file begins with; without a mark it is big-endian, as in Java.

    >>> with_byte_order("utf-16", b"\\xff\\xfe1"), with_byte_order("utf-8", b"")
    ('utf-16-le', 'utf-8')
    """
    base = name[:6]
    if base not in ("utf-16", "utf-32") or (name != base and name not in MARKED):
        return name
    for order in ("le", "be"):
        if first.startswith("\ufeff".encode(f"{base}-{order}")):
            return f"{base}-{order}"
    return f"{base}-be" if name == base else MARKED[name]


def _find_marked(name: str) -> codecs.CodecInfo | None:
    """The codecs of MARKED that Python lacks, so that `str.encode` knows them too."""
    name = name.replace("_", "-")
    if not name.endswith("-bom") or name not in MARKED:
        return None
    base = codecs.lookup(MARKED[name])

    def encode(text: str, errors: str = "strict") -> tuple[bytes, int]:
        return base.encode("\ufeff" + text, errors)[0], len(text)

    return codecs.CodecInfo(encode, base.decode, name=name)


codecs.register(_find_marked)


def writing_codec(name: str) -> tuple[str, str]:
    """The codec that writes a charset, and the mark with which a file begins, as Java does it.

    >>> writing_codec("utf-16"), writing_codec("utf-32"), writing_codec("utf-8")
    (('utf-16-be', '\\ufeff'), ('utf-32-be', ''), ('utf-8', ''))
    """
    if name in MARKED:
        return MARKED[name], "\ufeff"
    return "utf-32-be" if name == "utf-32" else name, ""


def charset_mismatch(name: str, first: bytes) -> str:
    """The charset of which a file's first bytes are, if they do not fit the one that they should be of.

    >>> charset_mismatch("utf-8", "1\\tHej".encode("utf-16-le"))
    'UTF-16LE'
    >>> charset_mismatch("utf-8", b"1\\tHej")
    ''
    """
    if name.startswith(("utf-16", "utf-32")):
        return ""
    # Of the bytes of a Western text in UTF-16 half are 0, in UTF-32 three quarters.
    zeros = "".join("0" if 2 * part.count(0) > len(part) else "x" for part in (first[i:400:4] for i in range(4)))
    found = {"x0x0": "UTF-16LE", "0x0x": "UTF-16BE", "x000": "UTF-32LE", "000x": "UTF-32BE"}.get(zeros, "")
    if name == "utf-8" and not found and first.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        found = "UTF-16"
    return found
