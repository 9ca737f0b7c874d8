"""Changes of a feature model, by the words that plans use: the windows of a column over a data structure.

A model is a set of features: MaltParser sorts them, so their order in a file means nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache

from malt.features.nodes import Address, Feature, nodes_of
from malt.features.syntax import parse_feature

Features = tuple[str, ...]
_SLOT = re.compile(r"\{(\w+)([+-][0-9]{1,9})?\}")
MERGES = ("Merge", "Merge3")


@lru_cache(maxsize=1 << 14)
def nodes(feature: str) -> Feature:
    """The nodes of a feature."""
    return parse_feature(feature)


@lru_cache(maxsize=1 << 14)
def _texts(feature: str) -> tuple[tuple[str, Feature], ...]:
    """The features that a feature is made of, itself included, each with its text."""
    return tuple((str(part), part) for part in nodes_of(nodes(feature)) if isinstance(part, Feature))


@lru_cache(maxsize=1 << 14)
def _names(feature: str) -> frozenset[str]:
    return frozenset(text for text, _ in _texts(feature))


def fill(template: str, words: Mapping[str, str | int]) -> str:
    """A template with its slots filled: {S} by a word, {n+1} by a number.

    >>> fill("InputColumn({column},{S}[{n+1}])", {"column": "POSTAG", "S": "Stack", "n": 1})
    'InputColumn(POSTAG,Stack[2])'
    """

    def value(slot: re.Match[str]) -> str:
        found = words[slot[1]]
        if slot[2] and not isinstance(found, int):
            raise ValueError(f"{slot[0]}: {slot[1]} is no number that could be added to")
        return str(int(found) + int(slot[2])) if slot[2] else str(found)

    return _SLOT.sub(value, template)


def slots(template: str) -> list[str]:
    """The names of the slots of a template, each once.

    >>> slots("Merge3(InputColumn(POSTAG,{S}[0]),InputColumn(FORM,{S}[1]),InputColumn(FORM,{x}))")
    ['S', 'x']
    """
    return list(dict.fromkeys(slot[1] for slot in _SLOT.finditer(template)))


def column_of(column: str, structure: str, index: int) -> Feature:
    """The feature InputColumn(COLUMN, STRUCTURE[INDEX])."""
    return Feature("InputColumn", (column, Address(structure, index)))


def last(features: Iterable[str], column: str, structure: str) -> int:
    """Where the window of a column over a structure ends: the largest index of a feature by itself, or -1.

    >>> model = ["InputColumn(POSTAG,Stack[0])", "InputColumn(POSTAG,Stack[10])", "InputColumn(FORM,Stack[11])"]
    >>> last(model, "POSTAG", "Stack")
    10
    """
    found = [-1]
    for feature in map(nodes, features):
        if feature.function == "InputColumn" and feature.arguments[0] == column:
            address = feature.arguments[1]
            if isinstance(address, Address) and address.function == structure and isinstance(address.argument, int):
                found.append(address.argument)
    return max(found)


def find_containing(features: Iterable[str], part: Feature) -> list[str]:
    """The features that are, or are merged of, a feature."""
    name = str(part)
    return [feature for feature in features if name in _names(feature)]


def shrink(features: Features, column: str, structure: str) -> Features:
    """Without the last place of a window: all features that look at it."""
    end = last(features, column, structure)
    if end < 0:
        return features
    gone = set(find_containing(features, column_of(column, structure, end)))
    return tuple(feature for feature in features if feature not in gone)


def grow(
    features: Features, column: str, structure: str, templates: Mapping[str, str], words: Mapping[str, str | int]
) -> Features:
    """With one more place in a window. For each kind of feature that looks at the last place (InputColumn, Merge,
    Merge3) a template says what is added."""
    end = last(features, column, structure)
    if end < 0:
        return (*features, str(column_of(column, structure, 0)))
    kinds = {nodes(feature).function for feature in find_containing(features, column_of(column, structure, end))}
    slots = {**words, "column": column, "A": structure, "n": end}
    added = (fill(template, slots) for kind, template in templates.items() if kind in kinds)
    return plus(features, *(feature for feature in added if "[-" not in feature))  # there is nothing before a place 0


def plus(features: Features, *added: str) -> Features:
    """With these features too."""
    return (*features, *(feature for feature in dict.fromkeys(added) if feature not in features))


def minus(features: Features, *removed: str) -> Features:
    """Without these features."""
    return tuple(feature for feature in features if feature not in removed)


def addresses(features: Iterable[str], pattern: str, structures: Iterable[str] = ()) -> list[str]:
    """What {x} stands for where a pattern is found in the features, alone or merged: addresses, in the order of their
    structures, then of their places.

    >>> model = ["InputColumn(FORM,Stack[0])", "Merge(InputColumn(FORM,Input[1]),InputColumn(POSTAG,Stack[0]))"]
    >>> addresses(model, "InputColumn(FORM,{x})", ["Input", "Stack"])
    ['Input[1]', 'Stack[0]']
    """
    order = list(structures)
    place = re.compile(re.escape(pattern).replace(re.escape("{x}"), "(.+)") + r"\Z")
    found: dict[str, Address] = {}
    for text, node in (pair for feature in features for pair in _texts(feature)):
        if match := place.match(text):
            found.update({str(part): part for part in _parts(node) if str(part) == match[1]})
    kept = [text for text, address in found.items() if not order or _direct(address) in order]
    return sorted(kept, key=lambda text: (order.index(_direct(found[text])) if order else 0, len(text), text))


def _parts(feature: Feature) -> Iterator[Address]:
    return (node for node in nodes_of(feature) if isinstance(node, Address))


def _direct(address: Address) -> str:
    """The structure of a direct address such as Stack[0]; of others nothing."""
    return address.function if isinstance(address.argument, int) else ""


def list_merged(features: Iterable[str], column: str) -> list[str]:
    """The merged features with a part of the tree so far, such as its labels.

    >>> label = "OutputColumn(DEPREL,Stack[0])"
    >>> list_merged([label, f"Merge(InputColumn(POSTAG,Stack[0]),{label})"], "DEPREL")
    ['Merge(InputColumn(POSTAG,Stack[0]),OutputColumn(DEPREL,Stack[0]))']
    """
    return [
        feature for feature in features if nodes(feature).function in MERGES and f"OutputColumn({column}," in feature
    ]


def list_single(features: Iterable[str], column: str) -> list[str]:
    """The features by themselves of a column of the tree so far."""
    return [feature for feature in features if feature.startswith(f"OutputColumn({column},")]
