"""XML as a user may hand it to us: read with line numbers, and without entities, network or deep nesting."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from malt.errors import DataError

if TYPE_CHECKING:
    from lxml.etree import _Element


def parse_xml(data: bytes, file: str) -> _Element:
    """The root element of an XML text.

    >>> parse_xml(b"<a>\\n<b>", "x.xml")
    Traceback (most recent call last):
    malt.errors.DataError: x.xml, line 2, column 4: not well-formed XML: Premature end of data in tag b line 2

    Some messages of the library end in a new line, and ours are one:

    >>> parse_xml(b"<a>\\0</a>", "x")
    Traceback (most recent call last):
    malt.errors.DataError: x, line 1, column 4: not well-formed XML: Invalid character: Char 0x0 out of allowed range
    """
    from lxml import etree

    parser = etree.XMLParser(
        resolve_entities=False,
        no_network=True,
        load_dtd=False,
        dtd_validation=False,
        huge_tree=False,
        remove_comments=True,
    )
    try:
        root = etree.fromstring(data, parser)
    except etree.XMLSyntaxError as error:
        line, column = error.position
        message = re.sub(r",? (?:use|try) XML_PARSE_HUGE.*", "", str(error.msg).split(", line ")[0]).strip()
        raise DataError(f"not well-formed XML: {message}", file, line or 0, column or 0) from None
    except (ValueError, LookupError) as error:
        raise DataError(f"not XML that can be read: {error}", file) from None
    dtd: Any = root.getroottree().docinfo.internalDTD
    if dtd is not None and list(dtd.iterentities()):
        raise DataError("entity declarations are not allowed here; write the text itself", file, 1)
    return root


def fits_xml(text: str) -> bool:
    """Whether an XML text may hold these characters.

    >>> fits_xml("a\\tb"), fits_xml("a\\0b")
    (True, False)
    """
    # Compiled when it is first asked for: that takes 3 ms, and most programs do not ask.
    return re.fullmatch("[\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]*", text) is not None


def line_of(element: _Element) -> int:
    """The line of an element in its file, 0 if it is not known."""
    line: Any = element.sourceline
    return line if isinstance(line, int) else 0
