"""NAME.dsm: how often each code of the column that data is split by (-d, -s) was seen; -1 stands for all rare ones."""

from __future__ import annotations

from collections.abc import Container as Codes

from malt.errors import DataError

LIMIT = 16 << 20
OTHERS = -1


def read_split(data: bytes, file: str) -> dict[int, int]:
    """The frequency of each code.

    >>> read_split(b"-1\\t30\\n2\\t812\\n", "x.mco: odm0.dsm")
    {-1: 30, 2: 812}
    """
    found: dict[int, int] = {}
    for number, line in enumerate(data.splitlines(), 1):
        fields = line.split(b"\t")
        if len(fields) != 2 or not all(_is_number(field) for field in fields):
            raise DataError("expected a code, a TAB and a frequency", file, number)
        code = int(fields[0])
        if code in found:
            raise DataError(f"the code {code} is there twice", file, number)
        found[code] = int(fields[1])
    return found


def check(data: bytes, codes: Codes[int | None], file: str) -> None:
    """See that there is a classifier for all that the file names."""
    for code, frequency in read_split(data, file).items():
        if frequency and (None if code == OTHERS else code) not in codes:
            what = "rare values" if code == OTHERS else f"the value {code}"
            raise DataError(f"the classifier for {what} is missing", file)


def _is_number(field: bytes) -> bool:
    return len(field) < 10 and field.removeprefix(b"-").isdigit()
