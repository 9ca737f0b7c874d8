"""Feature models in MaltParser's XML.

    <featuremodels>
      <featuremodel name="any">
        <feature>InputColumn(POSTAG, Stack[0])</feature>
      </featuremodel>
    </featuremodels>

Features may stand in <submodel name="..."> elements, one for each decision; then those outside of them do not count.
Elements are found wherever they are; only the first <featuremodel> that has features is used.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from malt.data.xml import fits_xml, line_of, parse_xml
from malt.errors import DataError, MaltError
from malt.features.model import MAIN
from malt.features.syntax import FeatureText, excerpt, strip_blanks

if TYPE_CHECKING:
    from lxml.etree import _Element

SubModels = dict[str, list[FeatureText]]


def read_xml(data: bytes, file: str) -> SubModels:
    """The features of a file by sub-model.

    >>> text = b"<f><featuremodel><feature> Exists( Stack[0] )</feature><feature/></featuremodel></f>"
    >>> read_xml(text, "x.xml")
    {'MAIN': [FeatureText(text='Exists(Stack[0])', file='x.xml', line=1)]}
    """
    root = parse_xml(data, file)
    for model in root.iter("{*}featuremodel"):
        found: SubModels = {}
        submodels = list(model.iter("{*}submodel"))
        for part in submodels or [model]:
            name = part.get("name", "").upper() or MAIN if submodels else MAIN
            for feature in part.iter("{*}feature"):
                text = "".join(map(str, feature.itertext())).strip(" \t\n\r")
                if len(text) > 1:
                    found.setdefault(name, []).append(FeatureText(strip_blanks(text), file, line_of(feature)))
        if found:
            return found
    raise DataError(_nothing(root), file, line_of(root))


def _nothing(root: _Element) -> str:
    tag = next((name for name in ("featuremodel", "feature") if next(root.iter(f"{{*}}{name}"), None) is None), "")
    example = "<featuremodels><featuremodel><feature>InputColumn(POSTAG,Stack[0])</feature>..."
    return f"there is no <{tag}> in <{root.tag}>; expected {example}" if tag else "there is no feature in the file"


def write_xml(submodels: Mapping[str, Iterable[FeatureText]], comment: str = "") -> bytes:
    """A feature model as MaltParser reads it.

    >>> print(write_xml({"MAIN": [FeatureText("Exists(Stack[0])")]}).decode(), end="")
    <?xml version="1.0" encoding="UTF-8"?>
    <featuremodels>
      <featuremodel>
        <feature>Exists(Stack[0])</feature>
      </featuremodel>
    </featuremodels>
    """
    lines = ['<?xml version="1.0" encoding="UTF-8"?>', *([f"<!-- {comment} -->"] if comment else [])]
    lines += ["<featuremodels>", "  <featuremodel>"]
    plain = list(submodels) == [MAIN]
    for name, features in submodels.items():
        lines += [] if plain else [f'    <submodel name="{_escaped(name)}">']
        lines += [f"    {'' if plain else '  '}<feature>{_escaped(feature.text)}</feature>" for feature in features]
        lines += [] if plain else ["    </submodel>"]
    lines += ["  </featuremodel>", "</featuremodels>", ""]
    return "\n".join(lines).encode()


def _escaped(text: str) -> str:
    if not fits_xml(text):
        raise MaltError(f"{excerpt(text)!r} has characters that XML cannot hold")
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace('"', "&quot;")
