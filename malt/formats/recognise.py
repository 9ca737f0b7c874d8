"""Which format a file is in, when nobody says so."""

from __future__ import annotations

import re

from malt.errors import DataError

_ID = re.compile(rb"[0-9]+(?:[-.][0-9]+)?")
_NUMBER = re.compile(rb"[0-9]+|_")
_ENHANCED = re.compile(rb"[0-9]+(?:\.[0-9]+)?:\S")


def recognise(beginning: bytes, name: str) -> tuple[str, str]:
    """The name of the format that the beginning of a file shows, and the reason.

    >>> recognise(b"1\\tHej\\t_\\tI\\tI\\t_\\t0\\tROOT\\t_\\t_\\n", "x")
    ('conllx', 'numbered words, 10 columns')
    >>> recognise(b"Hej\\tI\\t0\\tROOT\\n", "x")
    ('malttab', 'no word numbers, 4 columns')
    """
    lines = [line.strip(b" \r") for line in re.split(rb"\r\n|\n|\r", beginning.removeprefix(b"\xef\xbb\xbf"))]
    comments = any(line.startswith(b"#") and not line.startswith(b"#\t") for line in lines)
    # The last line may be cut off.
    rows = [line.rstrip().split(b"\t") for line in lines[:-1] or lines if line.strip() and not line.startswith(b"#")]
    if not rows:
        rows = [line.split(b"\t") for line in lines if line.startswith(b"#\t")]
    if not rows:
        return ("conllu", "only comments") if comments else ("conllx", "nothing but blank lines")
    width = max(len(row) for row in rows)
    numbered = sum(1 for row in rows if _ID.fullmatch(row[0]))
    if 2 * numbered > len(rows) and width >= 2:
        if width >= 12:
            return "conll2009", f"numbered words, {width} columns"
        reason = _conllu_evidence(rows, comments, name)
        return ("conllu", reason) if reason else ("conllx", f"numbered words, {width} columns")
    if 2 <= width <= 4 and all(len(row) < 3 or _NUMBER.fullmatch(row[2]) for row in rows[:1]):
        return "malttab", f"no word numbers, {width} columns"
    first = rows[0][0][:20].decode(errors="replace")
    raise DataError(
        f"the format cannot be recognised ({width} columns, the first line begins with {first!r}); "
        "give it with -if: conllx, conllu, malttab, conll2009 or a data-format XML file",
        name,
    )


def _conllu_evidence(rows: list[list[bytes]], comments: bool, name: str) -> str:
    if comments:
        return "comment lines"
    if any(b"-" in row[0] or b"." in row[0] for row in rows):
        return "multiword tokens or empty nodes"
    if any(len(row) == 10 and (b"=" in row[9] or _ENHANCED.match(row[8])) for row in rows):
        return "DEPS or MISC is used"
    return "the file's name" if name.endswith(".conllu") else ""
