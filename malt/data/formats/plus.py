"""CoNLL-U Plus: CoNLL-U with other columns, which the first line of a file names: `# global.columns = ID FORM ...`."""

from __future__ import annotations

import re

from malt.data.formats.dataformat import BUILT_IN, PLUS, UNIVERSAL, DataFormat, plus_format
from malt.errors import DataError

_DECLARATION = re.compile(rb"(?:\xef\xbb\xbf)?(#[ \t]*global\.columns[ \t]*=([^\r\n]*)(?:\r\n|\n|\r|\Z))")
_SHORT = {long: short for short, long in UNIVERSAL.items()}


def declared_format(beginning: bytes, file: str) -> DataFormat | None:
    """The format that a file's first line declares, if it does.

    >>> declared_format(b"# global.columns = ID FORM HEAD\\n1\\tHej\\t0\\n", "x").names
    ('ID', 'FORM', 'HEAD')
    """
    match = _DECLARATION.match(beginning)
    if not match:
        return None
    try:
        return plus_format(match[2].decode(errors="replace").split())
    except DataError as error:
        raise DataError(f"global.columns: {error.message}", file, 1) from None


def undeclared(text: bytes) -> bytes:
    """The beginning of a file without its declaration."""
    match = _DECLARATION.match(text)
    return text[: match.start(1)] + text[match.end(1) :] if match else text


def declaration(format: DataFormat) -> bytes:
    """The first line of a file with the columns of a format.

    >>> declaration(plus_format(["id", "form", "upos"]))
    b'# global.columns = ID FORM UPOS\\n'
    """
    return f"# global.columns = {' '.join(_SHORT.get(name, name) for name in format.names)}\n".encode()


def spelling(format: DataFormat) -> str:
    """What -if and -of call a format.

    >>> spelling(plus_format(["ID", "UPOS"]))
    'ID,UPOS'
    """
    if format.name == PLUS:
        return ",".join(_SHORT.get(name, name) for name in format.names)
    return format.name if format.name in BUILT_IN else format.file_name
