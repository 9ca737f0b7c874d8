"""maltkit.json: what MaltParser does not know of a model. It does not look at this entry, and -m learn writes none."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from malt.errors import DataError
from malt.systems.language import ANY, FIRST, LAST, MANY, ONE, ROOTS

ENTRY = "maltkit.json"
LIMIT = 1 << 20
VERSION = 1  # of the entry; a program refuses later ones, which may say what changes a parse


@dataclass(frozen=True)
class Additions:
    """What the entry says; as it is here, it is that of a model without one.

    >>> read_additions(write_additions(Additions(roots="one", file="train.conllu")), "x.mco").roots
    'one'
    >>> read_additions(b'{"version": 9}', "x.mco")
    Traceback (most recent call last):
    malt.errors.DataError: x.mco: maltkit.json: it has the version 9, which a later maltkit wrote; this one reads 1
    """

    roots: str = ANY  # how many words hang on the root (-rt)
    root: str = FIRST  # where it stands (-rp)
    file: str = ""  # what was learned from
    sentences: int = 0
    words: int = 0
    # Of each column that the features use, the share of words whose value was empty or is seen nowhere else: about as
    # many are empty or unknown in other text of the same kind (Good 1953).
    strange: Mapping[str, float] = field(default_factory=dict)
    reverse: bool = False  # are sentences read from their last word to their first (--reverse)?
    system: str = ""  # the text of the user's own transition system
    heads: str = ONE  # how many heads a word may have (-hd)
    acyclic: bool = False  # whether arcs of graphs may not close cycles (-ac)
    together: tuple[tuple[str, str], ...] = ()  # labels that two arcs of a graph between the same words may have


_KEYS = ("version", *Additions.__dataclass_fields__)


def write_additions(additions: Additions) -> bytes:
    """The entry's content. What is usual is not said, so that earlier programs read it."""
    usual = {key: getattr(Additions(), key) for key in ("reverse", "system", "heads", "acyclic", "together")}
    said = {key: value for key, value in asdict(additions).items() if key not in usual or value != usual[key]}
    return (json.dumps({"version": VERSION, **said}, indent=1) + "\n").encode()


def read_additions(data: bytes, file: str) -> Additions:
    """Read it. Nothing in it is believed without a look."""
    place = f"{file}: {ENTRY}"
    try:
        found = json.loads(data)
    except (ValueError, RecursionError):  # no JSON, no UTF-8, or a number of too many digits
        raise DataError("it is damaged: expected JSON", place) from None
    if not isinstance(found, dict) or not _is_count(found.get("version")):
        raise DataError("it is damaged: expected a version", place)
    if found["version"] > VERSION:
        version = found["version"]
        raise DataError(f"it has the version {version}, which a later maltkit wrote; this one reads {VERSION}", place)
    right = {
        "roots": found.get("roots", ANY) in ROOTS,
        "root": found.get("root", FIRST) in (FIRST, LAST),
        "file": isinstance(found.get("file", ""), str),
        "sentences": _is_count(found.get("sentences", 0)),
        "words": _is_count(found.get("words", 0)),
        "strange": _are_shares(found.get("strange", {})),
        "reverse": isinstance(found.get("reverse", False), bool),
        "system": isinstance(found.get("system", ""), str),
        "heads": found.get("heads", ONE) in (ONE, MANY),
        "acyclic": isinstance(found.get("acyclic", False), bool),
        "together": _are_pairs(found.get("together", [])),
    }
    wrong = [key for key in found if key not in _KEYS] + [key for key, well in right.items() if not well]
    if wrong:
        raise DataError(f"it is damaged: {wrong[0]!r} is not as it should be", place)
    found["together"] = tuple((one, two) for one, two in found.get("together", ()))
    return Additions(**{key: value for key, value in found.items() if key != "version"})


def _is_count(value: Any) -> bool:
    return type(value) is int and 0 <= value < 1 << 63


def _are_pairs(value: Any) -> bool:
    return isinstance(value, list) and all(
        isinstance(pair, list) and len(pair) == 2 and all(isinstance(label, str) for label in pair) for pair in value
    )


def _are_shares(value: Any) -> bool:
    if not isinstance(value, dict):
        return False
    return all(type(share) in (int, float) and math.isfinite(share) and 0 <= share <= 1 for share in value.values())
