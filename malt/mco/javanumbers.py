"""Numbers as Java writes them."""

from __future__ import annotations

from decimal import Decimal


def double_text(number: float) -> str:
    """A double as Double.toString gives it.

    >>> [double_text(x) for x in (2.0, -0.5, 1e7, 123456789.0, 0.00012, 0.001)]
    ['2.0', '-0.5', '1.0E7', '1.23456789E8', '1.2E-4', '0.001']
    """
    if number != number or number in (float("inf"), float("-inf")):
        return {"nan": "NaN", "inf": "Infinity", "-inf": "-Infinity"}[repr(number)]
    if number == 0 or 1e-3 <= abs(number) < 1e7:
        text = format(Decimal(repr(number)), "f")
        return text if "." in text else text + ".0"
    sign, digits, _ = Decimal(repr(number)).as_tuple()
    shown = "".join(map(str, digits)).rstrip("0") or "0"
    exponent = Decimal(repr(number)).adjusted()
    return f"{'-' if sign else ''}{shown[0]}.{shown[1:] or '0'}E{exponent}"
