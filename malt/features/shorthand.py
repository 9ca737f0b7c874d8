"""Writes a feature model in YAML, as short as it can be said there."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby

from malt.errors import MaltError
from malt.features.model import MAIN, sort_features
from malt.features.nodes import Address, Feature, conjuncts
from malt.features.syntax import FeatureError, FeatureText, parse_feature, strip_blanks
from malt.features.values import Columns
from malt.features.yaml import expand, merge_texts, read_yaml

WIDTH = 100
GROUPS = {
    "InputColumn": "input",
    "OutputColumn": "output",
    "OutputTable": "output",
    "Merge": "conjunctions",
    "Merge3": "conjunctions",
    "Join": "conjunctions",
}
OTHER = "other"
_PLACE = re.compile(r"(.*\[)([0-9]+)(\].*)")
_UNSAFE = re.compile(r"\s#|:\s|:$|^[^A-Za-z0-9_]")  # what YAML would not take for plain text


def write_yaml(submodels: Mapping[str, Iterable[FeatureText]], columns: Columns | None = None) -> bytes:
    """A feature model in YAML; what is read from it is the same vector.

    >>> texts = ["Merge(InputColumn(POSTAG,Stack[0]),InputColumn(POSTAG,Input[0]))"]
    >>> texts += [f"InputColumn(POSTAG,Input[{i}])" for i in range(3)]
    >>> print(write_yaml({"MAIN": map(FeatureText, texts)}).decode(), end="")
    input:
      - POSTAG(Input[0..2])
    conjunctions:
      - POSTAG(Stack[0]) & POSTAG(Input[0])
    """
    wanted = {name: sort_features(features) for name, features in submodels.items()}
    plain = list(wanted) == [MAIN]
    lines = [] if plain else ["submodels:"]
    for name, features in wanted.items():
        indent = "" if plain else "    "
        lines += [] if plain else [f"  {_quoted(name)}:"]
        for group, items in _grouped(features, columns).items():
            lines.append(f"{indent}{group}:")
            lines += [f"{indent}  - {_quoted(item)}" for item in items]
    data = "".join(f"{line}\n" for line in lines).encode()
    read = {name: sort_features(features) for name, features in read_yaml(data, "", columns).items()}
    if _texts(read) != _texts(wanted):
        raise MaltError("the feature model has names that YAML cannot hold; write XML")
    return data


def _texts(submodels: Mapping[str, Iterable[FeatureText]]) -> list[tuple[str, list[str]]]:
    return [(name, [feature.text for feature in features]) for name, features in submodels.items()]


def _quoted(text: str) -> str:
    return "'{}'".format(text.replace("'", "''")) if _UNSAFE.search(text) else text


def _grouped(features: Iterable[FeatureText], columns: Columns | None) -> dict[str, list[str]]:
    """The items of each group, in the order of the vector; words that share a column share a line."""
    groups: dict[str, list[str]] = {group: [] for group in (*GROUPS.values(), OTHER)}
    words: dict[tuple[str, str], list[str]] = {}  # the addresses of each column
    for specification in features:
        feature = parse_feature(specification.text)
        group, item = GROUPS.get(feature.function, OTHER), short(feature, columns)
        if not _means(item, specification.text, columns):
            item = specification.text
            if not _means(item, item, columns):
                raise specification.error(f"YAML has no way to say this; write it as {feature}")
        column, address = item.partition("(")[0], feature.arguments[-1]
        if isinstance(address, Address) and item == f"{column}({address})" and column == feature.arguments[0]:
            words.setdefault((group, column), []).append(str(address))
        else:
            groups[group].append(item)
    for (group, column), addresses in reversed(words.items()):
        groups[group] = [*_lines(column, list(_ranges(addresses))), *groups[group]]
    return {group: items for group, items in groups.items() if items}


def _means(item: str, text: str, columns: Columns | None) -> bool:
    try:
        return expand(strip_blanks(item), columns) == [text]
    except FeatureError:
        return False


def _ranges(addresses: list[str]) -> Iterator[str]:
    """Addresses, those that differ in the index alone and follow each other as one.

    >>> list(_ranges(["Stack[0]", "Stack[1]", "Stack[3]", "ldep(Stack[0])"]))
    ['Stack[0..1]', 'Stack[3]', 'ldep(Stack[0])']
    """
    places: dict[tuple[str, str], list[int]] = {}
    for address in addresses:
        match = _PLACE.fullmatch(address)
        assert match is not None
        places.setdefault((match[1], match[3]), []).append(int(match[2]))
    for (before, after), indices in places.items():
        for _, run in groupby(enumerate(sorted(indices)), lambda pair: pair[1] - pair[0]):
            numbers = [number for _, number in run]
            low, high = numbers[0], numbers[-1]
            yield f"{before}{low}{f'..{high}' if high > low else ''}{after}"


def _lines(column: str, addresses: list[str]) -> Iterator[str]:
    """A column with its words, in lines that are not too long."""
    line: list[str] = []
    for address in addresses:
        if line and len(f"{column}({', '.join([*line, address])})") > WIDTH:
            yield f"{column}({', '.join(line)})"
            line = []
        line.append(address)
    yield f"{column}({', '.join(line)})"


def short(node: Feature | Address | str | int, columns: Columns | None) -> str:
    """A node as it is said in YAML.

    >>> from malt.data.formats.dataformat import find_format
    >>> text = "Merge(InputColumn(POSTAG,Stack[0]),OutputColumn(DEPREL,ldep(Input[0])))"
    >>> short(parse_feature(text), Columns(find_format("conllx")))
    'POSTAG(Stack[0]) & DEPREL(ldep(Input[0]))'
    """
    if not isinstance(node, Feature):
        return str(node)
    parts = conjuncts(node)
    if parts != (node,) and merge_texts([str(part) for part in parts]) == str(node):
        return " & ".join(short(part, columns) for part in parts)
    if node.function in ("InputColumn", "OutputColumn", "InputTable", "OutputTable"):
        item = f"{node.arguments[0]}({node.arguments[1]})"
        if _means(item, str(node), columns):
            return item
    return f"{node.function}({', '.join(short(argument, columns) for argument in node.arguments)})"
