"""What is wrong with a line, in words."""

from __future__ import annotations

import re

from malt.data.formats.dataformat import DataFormat
from malt.data.formats.recognise import explain_no_tabs
from malt.errors import DataError
from malt.kernel.reader import LineFault, count_lines


def explain(fault: LineFault, text: bytes, first_line: int, file: str, format: DataFormat) -> DataError:
    """The error for a fault that the kernel's reader found in a text whose first line has the given number."""
    line, begin, column, expected, found = fault.line, fault.begin, fault.column, fault.expected, fault.found
    value = text[begin : fault.end].decode(errors="replace")
    value = value if len(value) <= 40 else value[:40] + "..."
    name = format.names[column] if column < len(format.names) else ""
    message = {
        "TOO_MANY_FIELDS": f"{found} fields, but {format.name} has {expected} columns",
        "OTHER_FIELDS": _other_fields(format, column, expected),
        "EMPTY_FIELD": f"{name} is empty; expected a value, or _ for none",
        "BAD_HEAD": f"{name} is {value!r}; expected the ID of a word of this sentence, 0 for the root, or _"
        + _missing_field(text[line:], format),
        "NO_SUCH_HEAD": f"the head is {value}, but this sentence has no word {value} (its last is {expected})",
        "BAD_ID_TEXT": f"{name} is {value!r}; expected a number, a range such as 3-4, or an empty node such as 8.1",
        "BACKWARD_RANGE": f"{name} is {value}, but a range of words does not end before its first word",
        "CUT_OFF": f"the file ends in the middle of a line: {_fields(found)} here, {expected} in the words before",
        "ID_ORDER": f"{name} is {value}, but the ids of a sentence ascend; {expected} was expected"
        + (" (is a blank line missing between two sentences?)" if value == "1" else ""),
    }[fault.kind]
    content = re.split(rb"[\r\n]", text[line:], maxsplit=1)[0].strip()
    if b"\t" not in content and len(format.columns) > 1:
        message = explain_no_tabs(content) or message
    number = first_line + count_lines(text[:line])
    place = 1 + len(text[line:begin].decode(errors="replace"))
    return DataError(message, file, number, place, misfit=fault.kind in ("TOO_MANY_FIELDS", "BAD_HEAD", "BAD_ID_TEXT"))


def _fields(number: int) -> str:
    return f"{number} field{'' if number == 1 else 's'}"


def _missing_field(text: bytes, format: DataFormat) -> str:
    fields = 1 + re.split(rb"[\r\n]", text, maxsplit=1)[0].rstrip().count(b"\t")
    missing = fields < len(format.columns)
    return f" (the line has {fields} fields, {format.name} {len(format.columns)}: is one missing?)" if missing else ""


def _other_fields(format: DataFormat, fields: int, expected: int) -> str:
    used = [column.name for column in format.columns if column.category in (1, 2, 3)]
    have = [column.name for column in format.columns[:fields] if column.name in used]
    if len(have) < expected:
        lacking = used[len(have) : expected]
        verb = "is" if len(lacking) == 1 else "are"
        return f"the line ends after {_fields(fields)}; {', '.join(lacking)} {verb} missing"
    return f"the line has {', '.join(have[expected:])}, which the words before it lack"
