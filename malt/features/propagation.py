"""Propagation specifications (-fp): which column of a dependent is passed on to its head, under which name."""

from __future__ import annotations

from dataclasses import dataclass

from malt.data.formats.dataformat import INPUT, LABEL, Column, DataFormat
from malt.data.xml import line_of, parse_xml
from malt.errors import DataError
from malt.features.syntax import java_order


@dataclass(frozen=True)
class PropagationRule:
    """One propagation.

    >>> rule = PropagationRule("POSTAG", "DEPPOS", frozenset(), frozenset({"subj"}))
    >>> rule.passed("NN", None), rule.passed("NN", "AJ|VB"), rule.over("subj"), rule.over("obj")
    ('NN', 'AJ|NN|VB', True, False)
    >>> rule.passed("|NN|", "AJ|")
    '|AJ|NN'
    """

    source: str
    target: str
    only: frozenset[str]  # the values that are passed on; empty: all
    labels: frozenset[str]  # the labels of arcs over which they are; empty: all

    def over(self, label: str) -> bool:
        """Whether an arc with this label passes anything on."""
        return not self.labels or label in self.labels

    def passed(self, symbol: str, known: str | None) -> str | None:
        """What the head has then; None if it gets nothing. The first value is passed as a whole, as in MaltParser."""
        if known is None:
            return symbol if not self.only or symbol in self.only else None
        items = {item for item in _items(symbol) if not self.only or item in self.only}
        return "|".join(sorted(items.union(_items(known)), key=java_order)) or None

    def column(self, format: DataFormat) -> Column:
        """The column that it makes, like the one that it takes."""
        source = next(column for column in format.columns if column.name == self.source)
        return Column(self.target, source.category, source.type)


def _items(symbol: str) -> list[str]:
    """The parts of a value, as Java splits it: without empty ones at the end.

    >>> _items("|a||"), _items("|")
    (['', 'a'], [])
    """
    return symbol.rstrip("|").split("|") if symbol.strip("|") else []


def parse_propagation(data: bytes, file: str, format: DataFormat) -> tuple[PropagationRule, ...]:
    """Read a propagation XML."""
    root = parse_xml(data, file)
    legal = [column.name for column in format.columns if column.category in (INPUT, LABEL)]
    rules: list[PropagationRule] = []
    for element in root.iter("propagation"):
        source, target, only, over = ((element.findtext(tag) or "").strip() for tag in ("from", "to", "for", "over"))
        line = line_of(element)
        if source.upper() not in legal:
            raise DataError(f"<from> is {source!r}; it can be one of {', '.join(legal)}", file, line)
        target = target.upper()
        if not target or target in format.names or target in (rule.target for rule in rules):
            raise DataError(f"<to> is {target!r}; it must be the name of a new column", file, line)
        sets = (frozenset(item for item in text.split("|") if item) for text in (only, over))
        rules.append(PropagationRule(source.upper(), target, *sets))
    if not rules:
        raise DataError("there is no <propagation>", file)
    return tuple(rules)
