"""How much each parser's vote counts: by parser, or by parser and part of speech. In a file it is YAML."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy
import numpy.typing

from malt.data.symbols import Tables
from malt.data.yaml import YamlNode, YamlReader
from malt.errors import DataError, UsageError, counted

WHAT = "a file of weights"
EXAMPLE = "as `malt blend --gold` writes it"
Numbers = numpy.typing.NDArray[numpy.float64]


@dataclass(frozen=True)
class VoterWeights:
    """The weight of one parser's votes, and for words of some parts of speech others."""

    name: str
    weight: float = 1.0
    tags: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class BlendWeights:
    """The weights of all parsers, in their order.

    >>> weights = BlendWeights("CPOSTAG", (VoterWeights("a", 1.5, {"N": 2}), VoterWeights("b")))
    >>> read_weights(write_weights(weights), "w.yaml") == weights
    True
    """

    column: str  # of the parts of speech; nothing if they make no difference
    voters: tuple[VoterWeights, ...]

    def of_words(self, codes: numpy.typing.NDArray[numpy.int32], tables: Tables) -> Numbers:
        """The weight of each parser for each word, by the codes of its part of speech."""
        found = numpy.empty((len(self.voters), len(codes)))
        unique, places = numpy.unique(codes, return_inverse=True)
        symbols = [tables[self.column].symbol(int(code)) if self.column and code >= 0 else "" for code in unique]
        for row, voter in zip(found, self.voters, strict=True):
            row[:] = numpy.array([voter.tags.get(symbol or "", voter.weight) for symbol in symbols])[places.ravel()]
        return found

    def named(self, names: Sequence[str]) -> BlendWeights:
        """The same weights for parsers of other names."""
        return replace(
            self, voters=tuple(replace(voter, name=name) for voter, name in zip(self.voters, names, strict=True))
        )


def equal_weights(names: Sequence[str]) -> BlendWeights:
    """One vote each."""
    return BlendWeights("", tuple(VoterWeights(name) for name in names))


def check_count(weights: BlendWeights, parsers: int, file: str) -> None:
    """Weights are for as many parsers as vote."""
    if len(weights.voters) != parsers:
        known = counted(len(weights.voters), "parser")
        raise UsageError(f"{file} has weights of {known}, and {parsers} vote; they are told apart by their order")


def write_weights(weights: BlendWeights) -> bytes:
    """The file's content."""
    lines = ["# The weights of parsers that vote, in their order; `malt blend --weights` reads them."]
    lines.append(f"column: {json.dumps(weights.column)}  # of the parts of speech")
    lines.append("parsers:")
    for voter in weights.voters:
        lines.append(f"  - name: {json.dumps(voter.name)}")
        lines.append(f"    weight: {voter.weight:.10g}")
        if voter.tags:
            lines.append("    tags:")
            lines += [f"      - [{json.dumps(tag)}, {weight:.10g}]" for tag, weight in voter.tags.items()]
    return "".join(f"{line}\n" for line in lines).encode()


def read_weights(data: bytes, file: str) -> BlendWeights:
    """Read it. Nothing in it is believed without a look.

    >>> read_weights(b"parsers: [{name: a, weight: -1}]", "w.yaml")
    Traceback (most recent call last):
    malt.errors.DataError: w.yaml, line 1: weight: expected a number that is not below 0, not '-1'
    """
    reader = YamlReader(data, file, WHAT, "it is no YAML")
    first = reader.first()
    if first is None or not reader.is_mapping(first):
        raise DataError(f"expected weights of parsers, {EXAMPLE}", file, 1)
    content = _mapping(reader.tree(first), file, ("column", "parsers"))
    reader.finish()
    column = _text(content["column"], file) if "column" in content else ""
    parsers = content["parsers"].value if "parsers" in content else []
    if not isinstance(parsers, list) or not parsers:
        raise DataError(f"expected a list `parsers`, {EXAMPLE}", file, 1)
    voters = []
    for node in parsers:
        entry = _mapping(node, file, ("name", "weight", "tags"))
        name = _text(entry["name"], file) if "name" in entry else ""
        weight = _number(entry["weight"], file) if "weight" in entry else 1.0
        voters.append(VoterWeights(name, weight, _tags(entry["tags"], file) if "tags" in entry else {}))
    if not any(voter.weight or any(voter.tags.values()) for voter in voters):
        raise DataError("all weights are 0, so that no vote counts; expected one that is more", file)
    return BlendWeights(column, tuple(voters))


def _mapping(node: YamlNode, file: str, keys: Sequence[str]) -> dict[str, YamlNode]:
    if not isinstance(node.value, dict):
        raise DataError(f"expected {', '.join(keys)}, {EXAMPLE}", file, node.line)
    for key, value in node.value.items():
        if key not in keys:
            raise DataError(f"there is no {key!r} here; expected {', '.join(keys)}", file, value.line)
    return node.value


def _tags(node: YamlNode, file: str) -> dict[str, float]:
    found: dict[str, float] = {}
    for item in node.value if isinstance(node.value, list) else [node]:
        pair = item.value if isinstance(item, YamlNode) else None
        if not isinstance(pair, list) or len(pair) != 2:
            raise DataError('tags: expected a part of speech and a weight, as - ["N", 1.5]', file, node.line)
        found[_text(pair[0], file)] = _number(pair[1], file)
    return found


def _text(node: YamlNode, file: str) -> str:
    if not isinstance(node.value, str):
        raise DataError("expected a text", file, node.line)
    return node.value


def _number(node: YamlNode, file: str) -> float:
    try:
        number = float(node.value) if isinstance(node.value, str) else math.nan
    except ValueError:
        number = math.nan
    if not 0 <= number <= 1e9:
        raise DataError(f"weight: expected a number that is not below 0, not {_shown(node.value)}", file, node.line)
    return number


def _shown(value: Any) -> str:
    return repr(value) if isinstance(value, str) else "a list"
