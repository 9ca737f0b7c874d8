"""savedoptions.sop: the options that a model was made with, a line each: 0, group, name, value, with TABs between."""

from __future__ import annotations

from collections.abc import Mapping

from malt.errors import DataError, UsageError

ENTRY = "savedoptions.sop"
LIMIT = 1 << 20

_ALGORITHM = "org.maltparser.parser.algorithm"

# The values of some options stand there as names of Java classes.
CLASSES = {
    "parsing_algorithm": {
        "nivreeager": f"{_ALGORITHM}.nivre.NivreArcEagerFactory",
        "nivrestandard": f"{_ALGORITHM}.nivre.NivreArcStandardFactory",
        "covnonproj": f"{_ALGORITHM}.covington.CovingtonNonProjFactory",
        "covproj": f"{_ALGORITHM}.covington.CovingtonProjFactory",
        "stackproj": f"{_ALGORITHM}.stack.StackProjFactory",
        "stackeager": f"{_ALGORITHM}.stack.StackSwapEagerFactory",
        "stacklazy": f"{_ALGORITHM}.stack.StackSwapLazyFactory",
        "planar": f"{_ALGORITHM}.planar.NivrePlanarArcEagerFactory",
        "2planar": f"{_ALGORITHM}.twoplanar.TwoPlanarArcEagerFactory",
    },
    "guide_model": {"single": "org.maltparser.parser.guide.SingleGuide"},
    "learner": {"liblinear": "org.maltparser.ml.lib.LibLinear", "libsvm": "org.maltparser.ml.lib.LibSvm"},
}


def write_saved(values: Mapping[str, str]) -> bytes:
    """The file's content from texts by `group.name`, as `Settings.save` gives them.

    >>> write_saved({"guide.learner": "liblinear", "guide.kbest": "-1"})
    b'0\\tguide\\tlearner\\tclass org.maltparser.ml.lib.LibLinear\\n0\\tguide\\tkbest\\t-1\\n'
    """
    lines = []
    for key, text in values.items():
        group, _, name = key.partition(".")
        if not text.isprintable():  # such as a TAB or a line end
            raise UsageError(f"{key}: {text!r} cannot be saved in a model, as it has control characters in it")
        java = CLASSES.get(name, {}).get(text)
        lines.append(f"0\t{group}\t{name}\t{f'class {java}' if java else text}\n")
    return "".join(lines).encode()


def read_saved(data: bytes, file: str) -> dict[str, str]:
    """Texts by `group.name`, for `Settings.load_saved`.

    >>> read_saved(b"0\\tguide\\tlearner\\tclass org.maltparser.ml.lib.LibLinear\\n0\\tguide\\tfeatures\\t\\n", "x.mco")
    {'guide.learner': 'liblinear', 'guide.features': ''}
    """
    values: dict[str, str] = {}
    for number, line in enumerate(data.decode("utf-8", "replace").replace("\r\n", "\n").split("\n"), 1):
        if not line:
            continue
        fields = line.split("\t")
        if len(fields) not in (3, 4) or not fields[0].isdecimal():
            raise DataError("expected 0, group, name and value with TABs between", f"{file}: {ENTRY}", number)
        name = fields[2].lower()
        text = fields[3] if len(fields) == 4 else ""
        for value, java in CLASSES.get(name, {}).items():
            if text == f"class {java}":
                text = value
        values[f"{fields[1].lower()}.{name}"] = text
    return values
