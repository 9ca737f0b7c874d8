"""Decision settings (-gds): into which decisions the choice of a transition and its labels is divided."""

from __future__ import annotations

import re
from dataclasses import dataclass

from malt.errors import UsageError

TRANSITION = "T.TRANS"
DEFAULT = "T.TRANS+A.DEPREL"


@dataclass(frozen=True)
class Decision:
    """One decision: the items that are decided together, and how the next decision depends on it."""

    items: tuple[str, ...]  # T.TRANS and A.TABLE
    relation: str  # "" (the only decision), "sequential" or "branched"

    @property
    def table(self) -> str:
        """The table of its classes: that of the item, or one of its own for several items."""
        return "+".join(self.items)


def resolve(option: str, marks: tuple[str, ...]) -> str:
    """The settings that an option stands for: in upper case, with the tables of pseudo-projective parsing added.

    >>> resolve("", ("PPLIFTED",)), resolve("t.trans,a.deprel", ())
    ('T.TRANS+A.DEPREL+A.PPLIFTED', 'T.TRANS,A.DEPREL')
    """
    settings = DEFAULT if option in ("", "default") else option.upper()
    for mark in marks:
        if f"A.{mark}" not in settings:
            settings += f"+A.{mark}"
    return settings


def parse_decisions(settings: str, tables: tuple[str, ...]) -> tuple[Decision, ...]:
    """The decisions that settings describe; `tables` are the tables of arc labels that there are.

    >>> [d.table for d in parse_decisions("T.TRANS#A.DEPREL", ("DEPREL",))]
    ['T.TRANS', 'A.DEPREL']
    """
    pieces = re.split(r"([+,#;])", settings)
    legal = [TRANSITION, *(f"A.{table}" for table in tables)]
    for item in pieces[::2]:
        if item not in legal:
            raise UsageError(f"-gds {settings}: {item!r} cannot be decided; what can is {', '.join(legal)}")
    if len(set(pieces[::2])) < len(pieces[::2]):
        raise UsageError(f"-gds {settings}: an item stands there twice")
    if TRANSITION not in pieces[::2]:
        raise UsageError(f"-gds {settings}: {TRANSITION} is missing, which decides the transition")
    groups: list[list[str]] = [[pieces[0]]]
    separators: list[str] = []
    for separator, item in zip(pieces[1::2], pieces[2::2], strict=True):
        if separator == "+":
            groups[-1].append(item)
        else:
            separators.append("sequential" if separator == "," else "branched")
            groups.append([item])
    # The last decision has the relation of the one before it.
    relations = [*separators, separators[-1]] if separators else [""]
    return tuple(Decision(tuple(group), relation) for group, relation in zip(groups, relations, strict=True))
