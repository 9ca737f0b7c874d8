"""The files that a parser is made from: its feature model and its propagation specification. A model keeps them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import PurePath

from malt.data.files import read_small
from malt.data.formats.dataformat import DataFormat
from malt.features.defaults import FeatureSource, find_features
from malt.features.files import parse_features
from malt.features.propagation import PropagationRule, parse_propagation
from malt.parsing.specification import Specification, columns_of
from malt.settings.settings import Settings
from malt.systems import options_of


@dataclass(frozen=True)
class Sources:
    """What was read."""

    features: FeatureSource
    rules: tuple[PropagationRule, ...] = ()
    propagation: tuple[str, bytes] | None = None  # the name and the content of the file of the rules

    def specify(self, settings: Settings, format: DataFormat, *, parsing: bool = False) -> Specification:
        """The specification that they and the settings make."""
        return Specification.of(settings, format, self.features.submodels, self.rules, parsing=parsing)


def find_sources(
    settings: Settings,
    format: DataFormat,
    features: FeatureSource | None = None,
    files: Mapping[str, bytes] | None = None,
) -> Sources:
    """The files that settings name: -F, unless features are given, and -fp. Those of a model are at hand in `files`."""
    known = files or {}
    path = settings["singlemalt.propagation"]
    rules: tuple[PropagationRule, ...] = ()
    propagation = None
    if path:
        data = known[path] if path in known else read_small(path, "propagation specification")
        rules, propagation = parse_propagation(data, path, format), (PurePath(path).name, data)
    name, columns = settings["guide.features"], columns_of(settings, format, rules)
    marks = (settings["pproj.marking_strategy"], settings["pproj.covered_root"])
    if features is not None:
        pass
    elif name in known:
        features = FeatureSource(parse_features(known[name], name, columns, *marks), known[name], name)
    else:
        algorithm = settings["singlemalt.parsing_algorithm"]
        features = find_features(name, algorithm, settings["guide.learner"], columns, *marks, options_of(settings))
    return Sources(features, rules, propagation)
