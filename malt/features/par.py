"""Feature models in the .par files of MaltParser 0.x: one feature a line, its fields separated by TAB.

    COLUMN  STRUCTURE  offset  linear  head  dep  sib  suffix

COLUMN is POS, CPOS, DEP, LEX, LEMMA or FEATS, or the name of another column of the input; STRUCTURE is STACK or INPUT.
From the word at the offset one goes linearly (negative: back), then up to heads, then to dependents and to siblings
(negative: to the left, positive: to the right), each so many times. Missing numbers at the end are 0. FEATS
is split at |, and a suffix takes that many last characters. Blank lines and lines that begin with -- are skipped.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from malt.errors import DataError, MaltError, quoted
from malt.features.functions import LARGEST
from malt.features.model import MAIN
from malt.features.nodes import Address, Feature
from malt.features.syntax import DEEPEST, FeatureText, parse_feature
from malt.features.values import marks
from malt.features.xml import SubModels

COLUMNS = {"POS": "POSTAG", "CPOS": "CPOSTAG", "DEP": "DEPREL", "LEX": "FORM", "LEMMA": "LEMMA", "FEATS": "FEATS"}
SHORT = {long: short for short, long in COLUMNS.items()}
STRUCTURES = {"STACK": "Stack", "INPUT": "Input"}
STEPS = {"linear": ("pred", "succ"), "head": ("", "head"), "dep": ("ldep", "rdep"), "sib": ("lsib", "rsib")}
NUMBERS = ("offset", *STEPS, "suffix")
_NUMBER = re.compile("[+-]?[0-9]{1,9}")


def read_par(data: bytes, file: str, marking: str = "none", covered: str = "none") -> SubModels:
    r"""The features of a file. With pseudo-projective parsing (-pp, -pcr) the marks are merged into the labels.

    >>> text = b"POS\tSTACK\t1\nDEP\tINPUT\t0\t0\t0\t-1\n"
    >>> [feature.text for feature in read_par(text, "x.par")["MAIN"]]
    ['InputColumn(POSTAG,Stack[1])', 'OutputColumn(DEPREL,ldep(Input[0]))']
    """
    extra = [column.name for column in marks(marking, covered)]
    features = []
    # Of other charsets only comments can be meant, as columns are named in ASCII.
    for number, line in enumerate(data.decode("utf-8-sig", "replace").splitlines(), 1):
        if line.strip() and not line.strip().startswith("--"):
            features.append(FeatureText(_feature(line, extra, file, number), file, number))
    if not features:
        raise DataError("there is no feature in the file; expected lines such as POS, TAB, STACK", file)
    return {MAIN: features}


def _feature(line: str, extra: list[str], file: str, number: int) -> str:
    def fail(message: str) -> DataError:
        return DataError(f"{quoted(line)}: {message}", file, number)

    fields = [field.strip() for field in line.rstrip().split("\t")]
    if len(fields) < 2:
        raise fail("expected at least a column and a structure, separated by TAB, such as POS, TAB, STACK")
    column, structure = COLUMNS.get(fields[0].upper(), fields[0].upper()), fields[1].upper()
    if structure not in STRUCTURES:
        hint = ", which belongs to Covington's algorithms: write the model as XML or YAML" * (structure == "CONTEXT")
        raise fail(f"the second field is {quoted(fields[1])}{hint}; expected STACK or INPUT")
    numbers = dict.fromkeys(NUMBERS, 0)
    for name, text in zip(NUMBERS, fields[2:], strict=False):
        most = DEEPEST if name in STEPS else LARGEST
        least = -most if STEPS.get(name, ("",))[0] else 0
        if not _NUMBER.fullmatch(text) or not least <= int(text) <= most:
            raise fail(f"{name} is {quoted(text)}; expected a whole number from {least} to {most}")
        numbers[name] = int(text)
    address = f"{STRUCTURES[structure]}[{numbers['offset']}]"
    for name, (left, right) in STEPS.items():
        for _ in range(abs(numbers[name])):
            address = f"{left if numbers[name] < 0 else right}({address})"
    if column == "DEPREL" and extra:
        return _marked(address, extra)
    text = f"{'OutputColumn' if column == 'DEPREL' else 'InputColumn'}({column},{address})"
    if numbers["suffix"]:
        return f"Suffix({text},{numbers['suffix']})"
    return rf"Split({text},\|)" if column == "FEATS" else text


def _marked(address: str, extra: list[str]) -> str:
    """The label of a word together with its marks."""
    label, *rest = [f"OutputColumn(DEPREL,{address})", *(f"OutputTable({name},{address})" for name in extra)]
    if len(rest) == 3:
        return f"Merge(Merge({label},{rest[0]}),Merge({rest[1]},{rest[2]}))"
    return f"{'Merge' if len(rest) == 1 else 'Merge3'}({','.join([label, *rest])})"


def write_par(submodels: Mapping[str, Iterable[FeatureText]]) -> bytes:
    r"""A feature model as a .par file; an error names the first feature that cannot be written so.

    >>> write_par({"MAIN": [FeatureText("InputColumn(POSTAG,head(Stack[0]))")]})
    b'POS\tSTACK\t0\t0\t1\n'
    """
    if list(submodels) != [MAIN]:
        raise MaltError(f".par has no sub-models, and this feature model has {', '.join(submodels)}; write XML or YAML")
    lines = []
    for feature in submodels[MAIN]:
        line = _line(parse_feature(feature.text))
        if line is None or _feature(line, [], "", 0) != feature.text:
            raise feature.error(".par has no way to say this; write XML or YAML")
        lines.append(line)
    return "".join(f"{line}\n" for line in lines).encode()


def _line(feature: Feature) -> str | None:
    """The line of a feature, or nothing if it has none."""
    suffix = 0
    if feature.function in ("Split", "Suffix"):
        inner, last = feature.arguments
        suffix = last if isinstance(last, int) else 0
        if not isinstance(inner, Feature):
            return None
        feature = inner
    column, address = feature.arguments[0], feature.arguments[-1]
    numbers = dict.fromkeys(NUMBERS, 0)
    numbers["suffix"] = suffix
    while isinstance(address, Address) and isinstance(address.argument, Address):
        name = next((name for name, steps in STEPS.items() if address.function in steps), "")
        if not name:
            return None
        numbers[name] += 1 if address.function == STEPS[name][1] else -1
        address = address.argument
    if not isinstance(address, Address) or address.function not in STRUCTURES.values():
        return None
    numbers["offset"] = int(str(address.argument))
    texts = [str(number) for number in numbers.values()]
    while texts and texts[-1] == "0":
        texts.pop()
    return "\t".join([SHORT.get(str(column), str(column)), address.function.upper(), *texts])
