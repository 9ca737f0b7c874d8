"""CoNLL-U Plus: CoNLL-U with other columns, which the first line of a file names: `# global.columns = ID FORM ...`."""

from __future__ import annotations

import re
from collections.abc import Iterator

from malt.data.formats.dataformat import BUILT_IN, PLUS, UNIVERSAL, DataFormat, plus_format
from malt.errors import DataError

_DECLARATION = re.compile(rb"(?:\xef\xbb\xbf)?(#[ \t]*global\.columns[ \t]*=([^\r\n]*)(?:\r\n|\n|\r|\Z))")
_ANYWHERE = re.compile(rb"(?:\A|(?<=[\r\n]))" + _DECLARATION.pattern)
_SHORT = {long: short for short, long in UNIVERSAL.items()}


def declared_format(beginning: bytes, file: str, line: int = 1) -> DataFormat | None:
    """The format that a file's first line declares, if it does; or another line.

    >>> declared_format(b"# global.columns = ID FORM HEAD\\n1\\tHej\\t0\\n", "x").names
    ('ID', 'FORM', 'HEAD')
    """
    match = _DECLARATION.match(beginning)
    if not match:
        return None
    try:
        return plus_format(match[2].decode(errors="replace").split())
    except DataError as error:
        raise DataError(f"global.columns: {error.message}", file, line) from None


def declarations(text: bytes) -> Iterator[tuple[int, bytes]]:
    """The lines anywhere in a text that declare columns, and where they begin.

    >>> list(declarations(b"# global.columns = ID\\n1\\n\\n# global.columns = FORM\\na\\n"))
    [(0, b'# global.columns = ID\\n'), (25, b'# global.columns = FORM\\n')]
    """
    if b"global.columns" in text:
        for match in _ANYWHERE.finditer(text):
            yield match.start(1), match[1]


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
