"""The default feature models, and how a feature model is found by what -F says.

feature_models/ has one file for each learner and algorithm, and templates for the structured learner, in the column
names of CoNLL-X. Other formats get the same with their own columns: MaltParser's models for CoNLL-U and Malt-TAB are
just that.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePath

from malt.data.files import local_path, read_small
from malt.data.formats.dataformat import DataFormat, find_format
from malt.data.web import is_web
from malt.errors import MaltError, UsageError, nearest
from malt.features.files import kind_of, parse_features, write_features
from malt.features.model import MAIN, FeatureModel, sort_features
from malt.features.nodes import Feature, nodes_of
from malt.features.standins import columns_by_name, columns_of
from malt.features.syntax import FeatureText, parse_feature
from malt.features.templates import substitutes, template_features, template_groups, template_models
from malt.features.values import Columns
from malt.features.xml import SubModels, read_xml, write_xml
from malt.ownfiles import read_own
from malt.systems import ALGORITHMS, find_system, is_algorithm
from malt.systems.language import Definition

FURTHER = ("StackAttardi", "StackIncremental")  # MaltParser has them too, though no algorithm's default
OF_GRAPHS = ("PlanarGraph", "2PlanarGraph", "StandardGraph")
LEARNERS = ("liblinear", "libsvm")
STRUCTURED = "perceptron"  # its models are made from templates
OWN_NAMES = ("conllx", "conllu", "malttab")  # the formats for which MaltParser has default models

# The column of a feature. InputTable is left alone: there MaltParser takes a column that is not there for null.
_COLUMN = re.compile(r"(?<!InputTable)\(([^(),\[\]]+)(?=,)")
_APPDATA = re.compile(r"/?appdata/features/([^/]+)/([^/]+)/([^/]+)\.xml")


@dataclass(frozen=True)
class FeatureSource:
    """Features that were found: by sub-model, and as the file that a trained model keeps."""

    submodels: Mapping[str, list[FeatureText]]
    data: bytes
    file_name: str
    note: str = ""  # what a user should know, in one line
    substitutes: Mapping[str, list[FeatureText]] = field(default_factory=dict)  # for columns that are not filled
    stand_ins: Mapping[str, str] = field(default_factory=dict)  # for such columns others, if these are filled

    def model(self, divide: tuple[str, str] = ("", "")) -> FeatureModel:
        """The model that the features make."""
        return FeatureModel(self.submodels, divide)

    def standing_in(self, columns: Collection[str]) -> dict[str, str]:
        """What features look at in place of columns that are not filled.

        >>> default_features("nivreeager", "perceptron", find_format("conllu")).standing_in({"UPOSTAG", "LEMMA"})
        {'UPOSTAG': 'XPOSTAG'}
        """
        return {old: new for old, new in self.stand_ins.items() if old in columns and new not in columns}

    def without(self, columns: Collection[str]) -> FeatureSource:
        """The same without the features that look at some columns: those that a treebank does not fill, say.

        >>> source = default_features("nivreeager", "perceptron", find_format("conllx"))
        >>> len(source.submodels["MAIN"]), len(source.without({"LEMMA"}).submodels["MAIN"])
        (112, 105)

        Without some columns others get more of them:

        >>> len(source.without({"LEMMA", "FEATS"}).submodels["MAIN"])
        109

        Coarse tags stand in for fine ones:

        >>> [len(source.without(names).submodels["MAIN"]) for names in ({"CPOSTAG"}, {"POSTAG"}, {"POSTAG", "CPOSTAG"})]
        [108, 108, 37]
        """
        more = [feature for column in columns for feature in self.substitutes.get(column, [])]
        others = self.standing_in(columns)
        left_out = {*columns, *others.values()}  # what looks at a column already would come again
        submodels = {
            name: [
                replace(feature, text=_renamed(feature.text, others))
                for feature in features
                if not _columns_of(parse_feature(feature.text)) & (left_out - others.keys())
            ]
            for name, features in ((name, features + more) for name, features in self.submodels.items())
        }
        if more:
            submodels = {name: list(sort_features(features)) for name, features in submodels.items()}
        if submodels == self.submodels:
            return self
        return replace(self, submodels=submodels, data=write_xml(submodels))


def default_features(algorithm: str | Definition, learner: str, format: DataFormat) -> FeatureSource:
    """The default features of an algorithm, or of a system, with its options: those of graphs differ (-hd many).

    >>> source = default_features("nivreeager", "libsvm", find_format("conllu"))
    >>> source.file_name, source.submodels["MAIN"][4].text, source.note
    ('NivreEager.xml', 'InputColumn(UPOSTAG,Input[0])', '')
    >>> default_features("3planar", "liblinear", find_format("conllx")).file_name
    '3PlanarEager.xml'
    """
    definition = find_system(algorithm) if isinstance(algorithm, str) else algorithm
    if not definition.model:
        raise UsageError(
            f"{definition.name} has no default features, as it gives its data structures names of its own; give a "
            "feature model with -F, or leave the line `features` out"
        )
    learner = STRUCTURED if definition.structured else learner  # the only one that there is
    return _adapted(definition.model, learner, format, definition.name, _further(definition))


def default_groups(algorithm: str | Definition, format: DataFormat) -> dict[str, tuple[str, ...]]:
    """The templates of the structured learner for an algorithm by their groups, with those that are no default.

    >>> groups = default_groups("nivreeager", find_format("conllu"))
    >>> groups["distance"][1][:40], "coarse tags between" in groups
    ('Merge(InputColumn(FORM,Input[0]),Distanc', True)
    """
    definition = find_system(algorithm) if isinstance(algorithm, str) else algorithm
    further, columns = _further(definition), columns_by_name(format)
    found = {
        name: _fitted(features, columns, further) for name, features in template_groups(definition.model)[0].items()
    }
    return {name: tuple(feature.text for feature in features) for name, features in found.items() if features}


def _further(definition: Definition) -> list[str]:
    """The stacks of further planes."""
    return [name for name, (_, stack) in definition.structures.items() if stack > 1]


def find_features(
    name: str,
    algorithm: str | Definition,
    learner: str,
    columns: Columns,
    marking: str = "none",
    covered: str = "none",
) -> FeatureSource:
    """The features that -F names: nothing for the default, an algorithm for its default, or a file.

    MaltParser's names of its own files, such as /appdata/features/liblinear/conllx/NivreEager.xml, find ours.

    >>> columns = Columns(find_format("conllx"))
    >>> find_features("/appdata/features/{learner}/{dataformat}/StackSwap.xml", "", "libsvm", columns).file_name
    'StackSwap.xml'
    """
    if not name:
        return default_features(algorithm, learner, columns.format)
    if is_algorithm(name):
        options = algorithm.options if isinstance(algorithm, Definition) else None
        return default_features(find_system(name, options), learner, columns.format)
    path = local_path(name)
    if not is_web(path) and not Path(path).exists():
        if match := _APPDATA.fullmatch(path):
            return _maltparsers(name, match, learner, columns.format)
        hint = nearest(name, ALGORITHMS) or f" ({', '.join(ALGORITHMS)})"
        raise MaltError(f"feature model {name}: there is no such file, and no algorithm of that name{hint}")
    data = read_small(path, "feature model")
    submodels = parse_features(data, path, columns, marking, covered)
    submodels, note = _corresponding(submodels, columns, path)
    base = PurePath(path).name
    if note or kind_of(data, path) == "yaml":  # in a model file there is only what MaltParser can read
        data, base = write_features(submodels, "xml", columns), f"{PurePath(path).stem}.xml"
    return FeatureSource(submodels, data, base, note)


def _corresponding(submodels: SubModels, columns: Columns, path: str) -> tuple[SubModels, str]:
    """Features with the columns of a format in place of those of CoNLL-X that it lacks, and a line that says so."""
    used = {name for features in submodels.values() for feature in features for name in _COLUMN.findall(feature.text)}
    known = columns_by_name(columns.format)
    changed = {old: new for old, new in known.items() if new and old in used and old not in columns.columns}
    if not changed:
        return submodels, ""
    renamed = {
        name: [FeatureText(_renamed(feature.text, changed), feature.file, feature.line) for feature in features]
        for name, features in submodels.items()
    }
    old, new = (" and ".join(names) for names in (changed, changed.values()))
    one = len(changed) == 1
    which = f"{columns.format.name} has no such column{'' if one else 's'}"
    return renamed, f"{path}: {old} {'is' if one else 'are'} read as {new}: {which}; write {new} there"


def known_models() -> list[str]:
    """The names of all models that there are: the defaults of the algorithms, and the further ones."""
    own = (find_system(name).model for name in ALGORITHMS)
    return list(dict.fromkeys([*own, *OF_GRAPHS, *FURTHER]))


def _maltparsers(name: str, match: re.Match[str], learner: str, format: DataFormat) -> FeatureSource:
    """The model that MaltParser keeps under a name."""
    folder, columns, model = match.groups()
    learner = learner if folder == "{learner}" else folder
    if columns != "{dataformat}":
        if columns not in OWN_NAMES:
            raise UsageError(f"feature model {name}: expected {', '.join(OWN_NAMES)} in place of {columns}")
        format = find_format(columns)
    learners = (*LEARNERS, STRUCTURED)
    known = known_models() if learner in LEARNERS else template_models()
    if model not in known or learner not in learners:
        word, words = (learner, learners) if learner not in learners else (model, known)
        raise UsageError(f"feature model {name}: there is no {word}; there are {', '.join(words)}")
    return _adapted(model, learner, format, model)


def _adapted(
    model: str, learner: str, format: DataFormat, algorithm: str, further: Sequence[str] = ()
) -> FeatureSource:
    """A model with the columns of a format: what it lacks is left out, and stacks of further planes are added."""
    file = f"{model}.xml"
    more: dict[str, list[FeatureText]] = {}
    if learner == STRUCTURED:
        data, every, columns, more = b"", template_features(model), columns_by_name(format), substitutes(model)
        every += [feature for column, features in more.items() if not columns.get(column) for feature in features]
    else:
        folder = learner if learner in LEARNERS else LEARNERS[0]
        data = read_own("malt.feature_models", folder, file)
        every, columns = read_xml(data, file)[MAIN], columns_of(format)
    file = file.replace("2", str(2 + len(further)))  # 2PlanarEager for three planes is 3PlanarEager
    changed = {old: new for old, new in columns.items() if new and new != old}
    lacking = [old for old, new in columns.items() if not new]
    kept = _kept(every, columns)
    found = {MAIN: list(sort_features(_fitted(kept, columns, further, file)))}
    if not kept:
        raise UsageError(
            f"{format.name} has no columns for the default features of {algorithm}; give a feature model with -F"
        )
    if changed or lacking or further or not data:
        data = write_xml(
            found, f"Default features of {algorithm}, with the columns of {format.name}".replace("--", "-")
        )
    # Which of the further columns there are is no matter: templates are for whatever columns there may be.
    needed = [old for old in lacking if old in columns_of(format)]
    note = _note(format, algorithm, changed, needed, len(every) - len(kept))
    others = {columns[column]: _fitted(more[column], columns, further, file) for column in more if columns.get(column)}
    tags, coarse = columns["POSTAG"], columns.get("CPOSTAG", "")
    return FeatureSource(found, data, file, note, others, {tags: coarse} if tags and coarse else {})


def _kept(features: Iterable[FeatureText], columns: Mapping[str, str]) -> list[FeatureText]:
    """Those whose columns a format has."""
    lacking = {old for old, new in columns.items() if not new}
    return [feature for feature in features if not _columns_of(parse_feature(feature.text)) & lacking]


def _fitted(
    features: Iterable[FeatureText], columns: Mapping[str, str], further: Sequence[str], file: str = ""
) -> list[FeatureText]:
    """Features with the columns of a format, for the stacks of further planes, too."""
    changed = {old: new for old, new in columns.items() if new and new != old}
    return [
        FeatureText(text, file, feature.line)
        for feature in _kept(features, columns)
        for text in _planes(_renamed(feature.text, changed), further)
    ]


def _note(format: DataFormat, algorithm: str, changed: Mapping[str, str], lacking: list[str], dropped: int) -> str:
    if format.name in OWN_NAMES and not lacking:
        return ""
    note = f"{format.name} has no default features of its own: those of {algorithm} for conllx are used"
    if changed:
        note += f", with {', '.join(f'{new} for {old}' for old, new in changed.items())}"
    if lacking:
        note += f", but for {dropped} that need {', '.join(lacking)}"
    return note


def _columns_of(feature: Feature) -> set[str]:
    return {str(node.arguments[0]) for node in nodes_of(feature) if isinstance(node, Feature)}


def _renamed(text: str, changed: Mapping[str, str]) -> str:
    return _COLUMN.sub(lambda match: f"({changed.get(match[1], match[1])}", text)


def _planes(text: str, further: Sequence[str]) -> list[str]:
    """A feature, and if it looks at the inactive stack the same for the stacks of further planes.

    >>> _planes("Exists(InactiveStack[0])", ["InactiveStack2", "InactiveStack3"])
    ['Exists(InactiveStack[0])', 'Exists(InactiveStack2[0])', 'Exists(InactiveStack3[0])']
    """
    if "InactiveStack[" not in text:
        return [text]
    return [text, *(text.replace("InactiveStack[", f"{name}[") for name in further)]
