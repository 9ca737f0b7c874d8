"""Which format a file is in, when nobody says so."""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import pairwise

from malt.data.formats.dataformat import SDP, DataFormat, find_format
from malt.data.formats.plus import declared_format
from malt.data.formats.sdp import is_sdp
from malt.errors import DataError, quoted

_ID = re.compile(rb"[0-9]+(?:[-.][0-9]+)?")
_NUMBER = re.compile(rb"[0-9]+|_")
_ENHANCED = re.compile(rb"[0-9]+(?:\.[0-9]+)?:\S")
_WORD_LINE = re.compile(rb"(?:^|[\r\n])(?:\xef\xbb\xbf)? *(?:[^#\s]|#\t)[^\r\n]*[\r\n]")

Rows = list[list[bytes]]


def has_words(beginning: bytes) -> bool:
    """Whether a whole line of the beginning of a file is neither blank nor a comment.

    >>> has_words(b"# a\\n\\n"), has_words(b"# a\\n1\\tHej\\n")
    (False, True)
    """
    return _WORD_LINE.search(beginning) is not None


def recognise_format(beginning: bytes, name: str) -> tuple[DataFormat, str]:
    """The format that the beginning of a file declares, or shows, and the reason.

    >>> format, reason = recognise_format(b"# global.columns = ID FORM\\n1\\tHej\\n", "x")
    >>> format.name, reason
    ('conllup', 'global.columns')
    """
    declared = declared_format(beginning, name)
    if declared is not None:
        return declared, "global.columns"
    if is_sdp(beginning):
        return find_format(SDP), "columns TOP and PRED"
    found, reason = recognise(beginning, name)
    return find_format(found), reason


def explain_no_tabs(line: bytes) -> str:
    """What is wrong with a line that has no TAB, though its file should have several columns; nothing if that is not
    known.

    >>> explain_no_tabs(b"1 Hej _ I I _ 0 ROOT")
    "there are blanks between the columns, where TABs are expected; `tr -s ' ' '\\\\t' < FILE` makes TABs of them"
    """
    fields = line.split()
    if len(fields) < 2:
        return ""
    if _ID.fullmatch(fields[0]) or (2 < len(fields) <= 4 and _NUMBER.fullmatch(fields[2])):
        return (
            "there are blanks between the columns, where TABs are expected; `tr -s ' ' '\\t' < FILE` makes TABs of them"
        )
    return (
        f"this seems to be running text ({quoted(line[:40].decode(errors='replace'))}); expected one word a line with "
        "its tags, TABs between and a blank line after each sentence, as a tokeniser and a tagger write them"
    )


def recognise(beginning: bytes, name: str) -> tuple[str, str]:
    """The name of the format that the beginning of a file shows, and the reason.

    >>> recognise(b"1\\tHej\\t_\\tI\\tI\\t_\\t0\\tROOT\\t_\\t_\\n", "x")
    ('conllx', 'numbered words, 10 columns')
    >>> recognise(b"Hej\\tI\\t0\\tROOT\\n", "x")
    ('malttab', 'no word numbers, 4 columns')
    """
    lines = [line.strip(b" \r") for line in re.split(rb"\r\n|\n|\r", beginning.removeprefix(b"\xef\xbb\xbf"))]
    comments = any(line.startswith(b"#") and not line.startswith(b"#\t") for line in lines)
    lines = lines[:-1] or lines  # the last line may be cut off
    sentences = _sentences(lines, lambda line: not line.startswith(b"#"))
    sentences = sentences or _sentences(lines, lambda line: line.startswith(b"#\t"))
    rows = [row for sentence in sentences for row in sentence]
    if not rows:
        return ("conllu", "only comments") if comments else ("conllx", "nothing but blank lines")
    width = max(len(row) for row in rows)
    numbers = sum(1 for row in rows if _ID.fullmatch(row[0]))
    if 2 * numbers > len(rows) and width >= 2 and (width > 4 or _counts_words(sentences)):
        if width >= 12:
            return "conll2009", f"numbered words, {width} columns"
        reason = _conllu_evidence(rows, comments, name)
        return ("conllu", reason) if reason else ("conllx", f"numbered words, {width} columns")
    if 2 <= width <= 4 and all(len(row) < 3 or _NUMBER.fullmatch(row[2]) for row in rows[:1]):
        return "malttab", f"no word numbers, {width} columns"
    if width == 1 and (reason := explain_no_tabs(rows[0][0])):
        raise DataError(reason, name, 1 + next(i for i, line in enumerate(lines) if line.startswith(rows[0][0])))
    first = rows[0][0][:20].decode(errors="replace")
    raise DataError(
        f"the format cannot be recognised ({width} column{'s' * (width != 1)}, the first line begins with {first!r}); "
        "give it with -if: conllx, conllu, malttab, conll2009 or a data-format XML file",
        name,
    )


def _sentences(lines: list[bytes], wanted: Callable[[bytes], bool]) -> list[Rows]:
    """The wanted lines as fields, by sentence."""
    sentences: list[Rows] = [[]]
    for line in lines:
        if not line.strip():
            sentences.append([])
        elif wanted(line):
            sentences[-1].append(line.rstrip().split(b"\t"))
    return [sentence for sentence in sentences if sentence]


def _counts_words(sentences: list[Rows]) -> bool:
    """Whether the first fields count the words of sentences, or are words that happen to be numbers.

    Four columns may be ID, FORM, LEMMA and CPOSTAG, or a Malt-TAB file of figures.
    """
    good = sum(re.split(rb"[-.]", sentence[0][0])[0] in (b"0", b"1") for sentence in sentences)
    steps = [(a[0], b[0]) for sentence in sentences for a, b in pairwise(sentence)]
    up = sum(a.isdigit() and b.isdigit() and int(b[:9]) == int(a[:9]) + 1 for a, b in steps)
    plain = sum(a.isdigit() and b.isdigit() for a, b in steps)
    return 2 * good > len(sentences) and 2 * up >= plain


def _conllu_evidence(rows: Rows, comments: bool, name: str) -> str:
    if comments:
        return "comment lines"
    if any(b"-" in row[0] or b"." in row[0] for row in rows):
        return "multiword tokens or empty nodes"
    if any(len(row) == 10 and (b"=" in row[9] or _ENHANCED.match(row[8])) for row in rows):
        return "DEPS or MISC is used"
    return "the file's name" if name.endswith(".conllu") else ""
