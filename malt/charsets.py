"""Charsets by the names that MaltParser's users know: Java's."""

from __future__ import annotations

import codecs
import re

from malt.errors import UsageError


def charset(name: str) -> str:
    """Python's name of a charset.

    >>> charset("ISO-8859-1"), charset("Cp1252"), charset("UTF8")
    ('iso8859-1', 'cp1252', 'utf-8')
    """
    plain = re.sub(r"^x-", "", name.strip().lower())
    for candidate in (name.strip(), plain, re.sub(r"^(?:windows|ms|ibm)-?", "cp", plain)):
        try:
            codec = codecs.lookup(candidate)
        except (LookupError, ValueError):
            continue
        if getattr(codec, "_is_text_encoding", True) and candidate:
            return codec.name
    raise UsageError(f"charset {name!r} is not known; give a name such as UTF-8, ISO-8859-1 or windows-1252")


def with_byte_order(name: str, first: bytes) -> str:
    """UTF-16 and UTF-32 with the byte order that a file begins with; without a mark it is big-endian, as in Java.

    >>> with_byte_order("utf-16", b"\\xff\\xfe1"), with_byte_order("utf-8", b"")
    ('utf-16-le', 'utf-8')
    """
    if name == "utf-16":
        return "utf-16-le" if first.startswith(codecs.BOM_UTF16_LE) else "utf-16-be"
    if name == "utf-32":
        return "utf-32-le" if first.startswith(codecs.BOM_UTF32_LE) else "utf-32-be"
    return name
