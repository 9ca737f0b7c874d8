"""The default feature models, and how a feature model is found by what -F says.

feature_models/ has one file for each learner and algorithm, in the column names of CoNLL-X. Other formats get the same
with their own columns: MaltParser's models for CoNLL-U and Malt-TAB are just that.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import resources
from pathlib import Path, PurePath

from malt.data.files import local_path, read_small
from malt.data.formats.dataformat import HEAD, INPUT, INTEGER, LABEL, DataFormat, find_format
from malt.data.web import is_web
from malt.errors import MaltError, UsageError, nearest
from malt.features.files import kind_of, parse_features, write_features
from malt.features.model import MAIN, FeatureModel, sort_features
from malt.features.nodes import Feature, nodes_of
from malt.features.syntax import FeatureText, parse_feature
from malt.features.values import STRING, Columns
from malt.features.xml import SubModels, read_xml, write_xml
from malt.systems import ALGORITHMS, find_system, is_algorithm

FURTHER = ("StackAttardi", "StackIncremental")  # MaltParser has them too, though no algorithm's default
LEARNERS = ("liblinear", "libsvm")
OWN_NAMES = ("conllx", "conllu", "malttab")  # the formats for which MaltParser has default models

# Which columns can stand for those of the files, the best first.
TAGS = ("POSTAG", "UPOSTAG", "XPOSTAG", "CPOSTAG", "PPOSTAG", "UPOS", "XPOS", "POS", "CPOS", "TAG")
WORDS = ("FORM", "WORD", "TOKEN", "LEMMA")
OTHERS = {"CPOSTAG": ("CPOSTAG", "XPOSTAG", "CPOS"), "LEMMA": ("LEMMA", "PLEMMA"), "FEATS": ("FEATS", "FEAT", "PFEAT")}

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

    def model(self, divide: tuple[str, str] = ("", "")) -> FeatureModel:
        """The model that the features make."""
        return FeatureModel(self.submodels, divide)


def default_features(algorithm: str, learner: str, format: DataFormat) -> FeatureSource:
    """The default features of an algorithm.

    >>> source = default_features("nivreeager", "libsvm", find_format("conllu"))
    >>> source.file_name, source.submodels["MAIN"][4].text, source.note
    ('NivreEager.xml', 'InputColumn(UPOSTAG,Input[0])', '')
    >>> default_features("3planar", "liblinear", find_format("conllx")).file_name
    '3PlanarEager.xml'
    """
    definition = find_system(algorithm)
    further = [name for name, (_, stack) in definition.structures.items() if stack > 1]
    return _adapted(definition.model, learner, format, algorithm, further)


def find_features(
    name: str,
    algorithm: str,
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
        return default_features(name, learner, columns.format)
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
    return list(dict.fromkeys([*own, *FURTHER]))


def _maltparsers(name: str, match: re.Match[str], learner: str, format: DataFormat) -> FeatureSource:
    """The model that MaltParser keeps under a name."""
    folder, columns, model = match.groups()
    learner = learner if folder == "{learner}" else folder
    if columns != "{dataformat}":
        if columns not in OWN_NAMES:
            raise UsageError(f"feature model {name}: expected {', '.join(OWN_NAMES)} in place of {columns}")
        format = find_format(columns)
    known = known_models()
    if model not in known or learner not in LEARNERS:
        word, words = (learner, LEARNERS) if learner not in LEARNERS else (model, known)
        raise UsageError(f"feature model {name}: there is no {word}; there are {', '.join(words)}")
    return _adapted(model, learner, format, model)


def _adapted(
    model: str, learner: str, format: DataFormat, algorithm: str, further: Sequence[str] = ()
) -> FeatureSource:
    """A model with the columns of a format: what it lacks is left out, and stacks of further planes are added."""
    file = f"{model}.xml"
    folder = learner if learner in LEARNERS else LEARNERS[0]
    data = (resources.files("malt.feature_models") / folder / file).read_bytes()
    submodels = read_xml(data, file)
    file = file.replace("2", str(2 + len(further)))  # 2PlanarEager for three planes is 3PlanarEager
    columns = columns_of(format)
    changed = {old: new for old, new in columns.items() if new and new != old}
    lacking = [old for old, new in columns.items() if not new]
    every = submodels[MAIN]
    kept = [feature for feature in every if not _columns_of(parse_feature(feature.text)) & set(lacking)]
    features = (
        FeatureText(text, file, feature.line)
        for feature in kept
        for text in _planes(_renamed(feature.text, changed), further)
    )
    found = {MAIN: list(sort_features(features))}
    if not kept:
        raise UsageError(
            f"{format.name} has no columns for the default features of {algorithm}; give a feature model with -F"
        )
    if changed or lacking or further:
        data = write_xml(
            found, f"Default features of {algorithm}, with the columns of {format.name}".replace("--", "-")
        )
    note = _note(format, algorithm, changed, lacking, len(every) - len(kept))
    return FeatureSource(found, data, file, note)


def _note(format: DataFormat, algorithm: str, changed: Mapping[str, str], lacking: list[str], dropped: int) -> str:
    if format.name in OWN_NAMES and not lacking:
        return ""
    note = f"{format.name} has no default features of its own: those of {algorithm} for conllx are used"
    if changed:
        note += f", with {', '.join(f'{new} for {old}' for old, new in changed.items())}"
    if lacking:
        note += f", but for {dropped} that need {', '.join(lacking)}"
    return note


def columns_of(format: DataFormat) -> dict[str, str]:
    """The column of a format for each column that the files name; nothing where it has none."""
    texts = {column.name for column in format.columns if column.category == INPUT and column.type == STRING}
    labels = [column.name for column in format.columns if column.category == LABEL and column.type == STRING]
    heads = [column.name for column in format.columns if column.category == HEAD and column.type == INTEGER]
    return {
        "POSTAG": next((name for name in TAGS if name in texts), ""),
        "FORM": next((name for name in WORDS if name in texts), ""),
        "DEPREL": "DEPREL" if "DEPREL" in labels else next(iter(labels), ""),
        "HEAD": "HEAD" if "HEAD" in heads else next(iter(heads), ""),
    }


def columns_by_name(format: DataFormat) -> dict[str, str]:
    """The column of a format for each column of CoNLL-X that features and plans speak of; nothing where it has none. In
    CoNLL-U the universal tags take the place of POSTAG, the main tag, and the others that of CPOSTAG.

    >>> universal, few = (columns_by_name(find_format(name)) for name in ("conllu", "malttab"))
    >>> universal["POSTAG"], universal["CPOSTAG"], few["FEATS"]
    ('UPOSTAG', 'XPOSTAG', '')
    """
    found = columns_of(format)
    for name, others in OTHERS.items():
        found[name] = next((other for other in others if other in format.names and other not in found.values()), "")
    return found


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
