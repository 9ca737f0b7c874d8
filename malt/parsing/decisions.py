"""Decision settings (-gds): into which decisions the choice of a transition and its labels is divided."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from malt.data.symbols import Tables
from malt.errors import UsageError
from malt.kernel.symbols import SymbolTable

TRANSITION = "T.TRANS"
LABEL = "A."  # before the name of a table of labels
DEFAULT = "T.TRANS+A.DEPREL"
PREFIXES = {"": "odm", "sequential": "sdm", "branched": "bdm"}  # MaltParser's names of classifiers begin so


@dataclass(frozen=True)
class Decision:
    """One decision: the items that are decided together, and how the next decision depends on it.

    Its classes are codes: those of the transitions, counted from 1, those of a table of labels, or, where several items
    are combined, those of a table of its own.
    """

    items: tuple[str, ...]  # T.TRANS and A.TABLE
    relation: str  # "" (the only decision), "sequential" or "branched"

    @property
    def table(self) -> str:
        """What it is called, and the table of its classes if it combines several items."""
        return "+".join(self.items)

    @property
    def labels(self) -> tuple[str, ...]:
        """The tables of labels that it decides."""
        return tuple(item.removeprefix(LABEL) for item in self.items if item != TRANSITION)

    @property
    def decides_transition(self) -> bool:
        """Whether the transition is among its items."""
        return TRANSITION in self.items

    @property
    def combined(self) -> bool:
        """Whether it decides several items at once."""
        return len(self.items) > 1

    @property
    def branched(self) -> bool:
        """Whether the next decision depends on its class."""
        return self.relation == "branched"

    def places(self, labels: Sequence[str]) -> list[int]:
        """Its items for the kernel: -1 for the transition, otherwise where the table is among those of labels."""
        return [-1 if item == TRANSITION else labels.index(item.removeprefix(LABEL)) for item in self.items]

    def classes(self, transitions: Sequence[str], tables: Tables) -> dict[int, str]:
        """The symbol of each class."""
        if self.items == (TRANSITION,):
            return dict(enumerate(transitions, 1))
        table = self._table(tables)
        # A label that happens to be called as a null value has the code of that.
        nulls = range(0 if self.combined else 1 + max(table.root_node, table.no_value))
        return {code: table.symbol(code) or "" for code in nulls} | dict(table.symbols())

    def symbol(self, code: int, transitions: Sequence[str], tables: Tables) -> str:
        """A class in words."""
        if self.items == (TRANSITION,):
            return transitions[code - 1]
        return self._table(tables).symbol(code) or ""

    def parts(self, symbol: str, separator: str) -> list[tuple[str, str]]:
        """The items of a class that combines several, each with what is decided; ValueError if there are too few."""
        parts = symbol.split(separator)
        if len(parts) not in (1, len(self.items)):
            raise ValueError(f"the class {symbol!r} has {len(parts)} parts where {len(self.items)} are expected")
        # A transition without a label has no other part.
        items = (TRANSITION,) if len(parts) == 1 and self.decides_transition else self.items
        return list(zip(items, parts, strict=False))

    def classifier(self, place: int, branch: str) -> str:
        """MaltParser's name of its classifier: it is the decision number `place`, in a branch of classes."""
        return f"{PREFIXES[self.relation]}{place}{branch}"

    def _table(self, tables: Tables) -> SymbolTable:
        return tables[self.table if self.combined else self.labels[0]]


def resolve(option: str, marks: Sequence[str]) -> str:
    """The settings that an option stands for: in upper case, with the tables of pseudo-projective parsing added.

    >>> resolve("", ("PPLIFTED",)), resolve("t.trans,a.deprel", ())
    ('T.TRANS+A.DEPREL+A.PPLIFTED', 'T.TRANS,A.DEPREL')
    """
    settings = DEFAULT if option in ("", "default") else option.upper()
    for mark in marks:
        if f"{LABEL}{mark}" not in settings:
            settings += f"+{LABEL}{mark}"
    return settings


def parse_decisions(settings: str, tables: Sequence[str]) -> tuple[Decision, ...]:
    """The decisions that settings describe; `tables` are the tables of arc labels that there are.

    >>> [d.table for d in parse_decisions("T.TRANS#A.DEPREL", ("DEPREL",))]
    ['T.TRANS', 'A.DEPREL']
    """
    pieces = re.split(r"([+,#;])", settings)
    legal = [TRANSITION, *(f"{LABEL}{table}" for table in tables)]
    for item in pieces[::2]:
        if item not in legal:
            raise UsageError(f"-gds {settings}: {item!r} cannot be decided; what can is {', '.join(legal)}")
    if len(set(pieces[::2])) < len(pieces[::2]):
        raise UsageError(f"-gds {settings}: an item stands there twice")
    if TRANSITION not in pieces[::2]:
        raise UsageError(f"-gds {settings}: {TRANSITION} is missing, which decides the transition")
    if pieces[0] != TRANSITION:
        raise UsageError(f"-gds {settings}: {TRANSITION} has to come first; the labels are those of its arc")
    if len(pieces) == 1:
        raise UsageError(f"an arc has a label, which the parser does not decide: add {LABEL}DEPREL to -gds")
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
