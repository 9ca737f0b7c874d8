"""The default features of the structured learner: templates over places, and where these are in each system."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache

from malt.data.yaml import YamlNode, YamlReader
from malt.errors import UsageError
from malt.features.syntax import FeatureText, strip_blanks
from malt.features.yaml import expand
from malt.ownfiles import read_own

FILES = ("templates.yaml", "arcs.yaml")
_PLACE = re.compile(r"\b[LRXWCA][0-9][HDFGX]?\b")


def template_models() -> tuple[str, ...]:
    """The models that there are templates for.

    >>> "NivreEager" in template_models()
    True
    """
    return tuple(model for file in FILES for model in _read(file)[0])


def template_features(model: str) -> list[FeatureText]:
    """The features that the templates make for a model, in the columns of CoNLL-X.

    >>> features = template_features("StackProjective")
    >>> features[0].text, features[8].text
    ('InputColumn(FORM,Stack[1])', 'InputColumn(POSTAG,Stack[0])')
    """
    groups, further = template_groups(model)
    return [feature for name, features in groups.items() if name not in further for feature in features]


def substitutes(model: str) -> dict[str, list[FeatureText]]:
    """What becomes a default, too, where a treebank does not fill a column.

    >>> [feature.text for feature in substitutes("NivreEager")["FEATS"]][-1]
    'Merge(InputColumn(FORM,Input[0]),LabelSet(DEPREL,Input[0],ldeps))'
    """
    groups, _ = template_groups(model)
    return {
        column: [feature for name in names for feature in groups.get(name, [])]
        for column, names in _read(_file_of(model))[3].items()
    }


def template_groups(model: str) -> tuple[dict[str, list[FeatureText]], frozenset[str]]:
    """The same by groups, with those that are no default, and the names of these.

    >>> groups, further = template_groups("StackProjective")
    >>> "distance" in groups, "distance" in further, "prefixes" in groups, "prefixes" in further
    (True, False, True, True)
    """
    tables, groups, further, _ = _read(_file_of(model))
    places = tables[model]
    found: dict[str, list[FeatureText]] = {}
    for name, templates in groups.items():
        for template in templates:
            if set(_PLACE.findall(template.text)) <= set(places):
                text = _PLACE.sub(lambda match: places[match[0]], template.text)
                found.setdefault(name, []).append(FeatureText(text, template.file, template.line))
    return found, further


def _file_of(model: str) -> str:
    file = next((file for file in FILES if model in _read(file)[0]), None)
    if file is None:
        raise UsageError(f"there are no templates for {model}; give a feature model with -F")
    return file


@cache
def _read(
    file: str,
) -> tuple[
    Mapping[str, Mapping[str, str]], Mapping[str, tuple[FeatureText, ...]], frozenset[str], Mapping[str, list[str]]
]:
    """The places of each model, every template for itself by its group, with names of places in it, the groups that are
    no default, and those of them that are one without a column."""
    data = read_own("malt.feature_models", "perceptron", file)
    reader = YamlReader(data, file, "a file of templates")
    groups = _pairs(reader.tree(reader.first()))
    tables = {
        name: {place: str(at.value) for place, at in _pairs(table).items()}
        for name, table in _pairs(groups.pop("places")).items()
    }
    further = _pairs(groups.pop("further")) if "further" in groups else {}
    without = _pairs(groups.pop("without")) if "without" in groups else {}
    return (
        tables,
        {
            name: tuple(
                FeatureText(text, file, item.line)
                for item in group.value
                for text in expand(strip_blanks(str(item.value)))
            )
            for name, group in {**groups, **further}.items()
            if isinstance(group.value, list)
        },
        frozenset(further),
        {
            column: [str(name.value) for name in names.value]
            for column, names in without.items()
            if isinstance(names.value, list)
        },
    )


def _pairs(node: YamlNode) -> dict[str, YamlNode]:
    assert isinstance(node.value, dict)
    return node.value
