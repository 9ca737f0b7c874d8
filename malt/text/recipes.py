"""What the parts of a text model see: templates, which are kept as text."""

from __future__ import annotations

import re
from functools import cache
from importlib import resources
from types import ModuleType

from malt.data.yaml import YamlReader
from malt.kernel.words import Recipe

FILE = "text.yaml"
_ATOM = re.compile(r"([a-z]\w*)(?:\[(-?[0-9])\])?")


def make_recipe(name: str, atoms: ModuleType, width: int, first: int = 0) -> Recipe:
    """The templates of a part; `atoms` has their names in upper case, and `width` is their number.

    >>> from malt.kernel import words
    >>> make_recipe("tagger", words, words.WORD_ATOMS)  # doctest: +ELLIPSIS
    <malt.kernel.words.Recipe object at ...>
    """
    templates = []
    for text in _read()[name]:
        found = [_ATOM.fullmatch(part.strip()) for part in text.split("&")]
        templates.append([(int(getattr(atoms, atom[1].upper())), int(atom[2] or 0)) for atom in found if atom])
    return Recipe(templates, width, first)


@cache
def _read() -> dict[str, list[str]]:
    data = (resources.files("malt.feature_models") / "perceptron" / FILE).read_bytes()
    reader = YamlReader(data, FILE, "a file of templates")
    parts = reader.tree(reader.first()).value
    assert isinstance(parts, dict)
    return {
        name: [str(item.value) for item in node.value] for name, node in parts.items() if isinstance(node.value, list)
    }
