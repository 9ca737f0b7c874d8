"""A trained model: a recipe with classifiers, kept in a .mco file."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from malt.errors import DataError
from malt.formats.dataformat import parse_format
from malt.learning.classifier import LinearClassifier, VectorClassifier
from malt.mco import info, saved
from malt.mco import tables as symbols
from malt.mco.container import Container, open_container
from malt.recipe import Recipe, make_recipe
from malt.settings import Settings

Classifier = LinearClassifier | VectorClassifier

_CLASSIFIER = re.compile(r"((?:odm|sdm|bdm)[0-9]+[^.]*)(?:\.([0-9]+))?\.(liblinear|libsvm)\.moo")


@dataclass
class Model:
    """What is needed to parse."""

    path: str
    recipe: Recipe
    classifiers: dict[str, dict[int | None, Classifier]]  # by MaltParser's names, then by the code that data is split by
    about: info.Info
    sizes: dict[str, int] = field(default_factory=dict)  # the bytes of each entry of the file


def read_model(path: str, settings: Settings) -> Model:
    """Open a model file of ours or of MaltParser's. The options that it was trained with are loaded into the settings."""
    with open_container(path) as container:
        about = info.read_info(container.read(container.find("_singlemalt.info"), info.LIMIT), path)
        settings.load_saved(saved.read_saved(container.read(saved.ENTRY, saved.LIMIT), path))
        charset = about.charset or settings["input.charset"]
        tables = symbols.read_tables(container.read(symbols.ENTRY), charset, path)
        format_name = settings["input.format"]
        format = parse_format(container.read(format_name, 1 << 20), f"{path}: {format_name}")
        names = [settings["guide.features"], settings["singlemalt.propagation"]]
        files = {name: container.read(name, 1 << 20) for name in names if name in container.names}
        if names[0] not in files:
            raise DataError(f"the feature model {names[0]!r} is missing", path)
        recipe = make_recipe(settings, format, parsing=True, tables=tables, files=files)
        return Model(path, recipe, _classifiers(container), about, container.sizes)


def _classifiers(container: Container) -> dict[str, dict[int | None, Classifier]]:
    found: dict[str, dict[int | None, Classifier]] = {}
    for entry in container.names:
        if match := _CLASSIFIER.fullmatch(entry):
            code = int(match[2]) if match[2] else None
            name = entry.removesuffix(".moo")
            kind = LinearClassifier if match[3] == "liblinear" else VectorClassifier
            found.setdefault(match[1], {})[code] = kind.read(
                container.read(entry), container.read(f"{name}.map"), f"{container.path}: {name}"
            )
    if not found:
        raise DataError("there is no classifier in it", container.path)
    return found
