"""Feature models as files: Malt's XML, .par and YAML, told apart by what is in them and by their names."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import PurePath

from malt.errors import DataError, UsageError
from malt.features.model import sort_features
from malt.features.par import read_par, write_par
from malt.features.shorthand import write_yaml
from malt.features.syntax import FeatureText
from malt.features.values import Columns
from malt.features.xml import SubModels, read_xml, write_xml
from malt.features.yaml import read_yaml

KINDS = {".xml": "xml", ".par": "par", ".yaml": "yaml", ".yml": "yaml"}


def kind_of(data: bytes, file: str) -> str:
    r"""Whether a file is xml, par or yaml: XML begins with <, the others have their suffixes, or .par a TAB.

    >>> kind_of(b"<featuremodels/>", "x.par"), kind_of(b"POS\tSTACK", "x"), kind_of(b"- POSTAG(Stack[0])", "x")
    ('xml', 'par', 'yaml')
    """
    content = data.lstrip(b"\xef\xbb\xbf\xff\xfe\x00 \t\r\n")
    if content[:1] == b"<":
        return "xml"
    suffix = PurePath(file).suffix.lower()
    if suffix in (".par", ".yaml", ".yml"):
        return KINDS[suffix]
    lines = (line for line in content.splitlines() if line.strip() and not line.startswith((b"--", b"#")))
    return "par" if b"\t" in next(lines, b"").strip() else "yaml"


def parse_features(
    data: bytes, file: str, columns: Columns | None = None, marking: str = "none", covered: str = "none"
) -> SubModels:
    """The features of a file by sub-model, as texts with their places; nothing is said yet about what they mean.

    The columns matter to YAML alone, and -pp and -pcr to .par alone.
    """
    if not data.strip(b"\xef\xbb\xbf\xff\xfe\x00 \t\r\n"):
        raise DataError("the file is empty; a feature model has at least one feature", file)
    kind = kind_of(data, file)
    if kind == "xml":
        return read_xml(data, file)
    if kind == "par":
        return read_par(data, file, marking, covered)
    return read_yaml(data, file, columns)


def write_features(
    submodels: Mapping[str, Iterable[FeatureText]], kind: str, columns: Columns | None = None, comment: str = ""
) -> bytes:
    """A feature model as the content of a file, in the order of the vector; the comment is for XML."""
    submodels = {name: sort_features(features) for name, features in submodels.items()}
    if kind == "xml":
        return write_xml(submodels, comment)
    if kind == "par":
        return write_par(submodels)
    if kind == "yaml":
        return write_yaml(submodels, columns)
    raise UsageError(f"there is no kind of feature file {kind!r}; expected xml, par or yaml")
