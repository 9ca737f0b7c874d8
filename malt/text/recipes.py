"""What the parts of a text model see: templates, which are kept as text, here and in models."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from types import ModuleType

from malt.data.yaml import YamlReader
from malt.kernel.words import Recipe
from malt.ownfiles import read_own

FILE = "text.yaml"
_ATOM = re.compile(r"([a-z]\w*)(?:\[(-?[0-9])\])?")


def make_recipe(templates: Sequence[str], atoms: ModuleType, width: int, first: int = 0) -> Recipe:
    """Templates, compiled; `atoms` has the names of atoms in upper case, `width` is their number, and `first` that of
    the first template.

    >>> from malt.kernel import words
    >>> make_recipe(["form[0] & lower[1]"], words, words.WORD_ATOMS)  # doctest: +ELLIPSIS
    <malt.kernel.words.Recipe object at ...>
    >>> make_recipe(["from[0]"], words, words.WORD_ATOMS)
    Traceback (most recent call last):
    ValueError: the template 'from[0]' cannot be understood
    """
    compiled: list[list[tuple[int, int]]] = []
    for template in templates:
        compiled.append([])
        for part in template.split("&"):
            atom = _ATOM.fullmatch(part.strip())
            number = getattr(atoms, atom[1].upper(), None) if atom else None
            if atom is None or not isinstance(number, int):
                raise ValueError(f"the template {template!r} cannot be understood")
            compiled[-1].append((number, int(atom[2] or 0)))
    return Recipe(compiled, width, first)


@cache
def find_templates(part: str) -> tuple[str, ...]:
    """The default templates of a part of a text model.

    >>> find_templates("tagger")[0]
    'form[0]'
    """
    data = read_own("malt.feature_models", "perceptron", FILE)
    reader = YamlReader(data, FILE, "a file of templates")
    parts = reader.tree(reader.first()).value
    assert isinstance(parts, dict)
    found = parts[part].value
    assert isinstance(found, list)
    return tuple(str(item.value) for item in found)
