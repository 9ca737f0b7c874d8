"""Feature models: from the text of a feature to typed nodes, the files that hold them, and the default models.

functions       every function: name, arguments, meaning, and which data structures an algorithm has
syntax          the text of a feature -> nodes
nodes, model    addresses and features; the vectors of a model, and the order in which MaltParser creates them
values          types, and the symbol tables that features need
xml, par, yaml  readers and writers; shorthand writes YAML, files tells them apart
defaults        the default models, and what -F finds
templates       the default features of the structured learner, for all systems at once
standins        the columns of a format that stand for those of CoNLL-X, and those that are idle
check           all that is wrong with a model
"""

from malt.features.check import find_problems, make_model
from malt.features.defaults import FeatureSource, default_features, find_features
from malt.features.model import FeatureModel, feature_model
from malt.features.nodes import Address, Feature, conjuncts
from malt.features.syntax import FeatureText, parse_feature
from malt.features.values import Columns, TableHeader, ValueType, marks

__all__ = [
    "Address",
    "Columns",
    "Feature",
    "FeatureModel",
    "FeatureSource",
    "FeatureText",
    "TableHeader",
    "ValueType",
    "conjuncts",
    "default_features",
    "feature_model",
    "find_features",
    "find_problems",
    "make_model",
    "marks",
    "parse_feature",
]
