r"""Feature models in YAML: a form that is pleasant to write and to read.

    # Features for a free-word-order language
    words:
      - FORM(Stack[0], Input[0..1], head(Stack[0]))
      - POSTAG(Stack[0..1], Input[0..3])
    labels:
      - DEPREL(Stack[0], ldep(Stack[0]), rdep(Stack[0]))
    together:
      - POSTAG(Stack[0]) & POSTAG(Input[0])
      - POSTAG(Stack[0]) & POSTAG(Input[0..1]) & DEPREL(ldep(Stack[0]))
    morphology:
      - Split(FEATS(Stack[0], Input[0]), \|)
      - Suffix(FORM(Stack[0]), 3)
    shape:
      - Distance(Stack[0], Input[0], 0|1|2|5)

- A list of features, or such lists under names of your choice, which are for people only.
- POSTAG(Stack[0]) is the value of a column: InputColumn(POSTAG, Stack[0]), or OutputColumn for the columns that the
  parser fills (DEPREL). With several words in the brackets it is several features.
- Stack[0..2] stands for Stack[0], Stack[1] and Stack[2]. Whatever stands in its place is written once for each: two
  ranges in one line give all pairs.
- a & b is the conjunction of two features, Merge(a, b); a & b & c is Merge3(a, b, c); with more, these are nested.
  If one of them gives a set of values (Split, Between), it is Join(a, b, ...).
- All functions of MaltParser may be used as well, in the same way as in its XML.
- `submodels:` holds, by name, the features of single decisions: T.TRANS, A.DEPREL, and so on.
"""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Iterator

from malt.data.yaml import YamlReader
from malt.errors import DataError, nearest, quoted
from malt.features.functions import FUNCTIONS, LARGEST, find_function
from malt.features.model import MAIN
from malt.features.syntax import DEEPEST, LONGEST, FeatureError, FeatureText, strip_blanks
from malt.features.values import MARKS, Columns
from malt.features.xml import SubModels

MOST = 10_000  # features that one file may stand for
EXAMPLE = "`- POSTAG(Stack[0])`"

_CALL = re.compile(r"([^()\[\],&]+)([(\[])")
_LITERAL = re.compile(r"[^()\[\],]+")
_RANGE = re.compile(r"([0-9]{1,9})\.\.([0-9]{1,9})")
_COLUMN = re.compile(r"[^a-z()\[\],]+")


def read_yaml(data: bytes, file: str, columns: Columns | None = None) -> SubModels:
    r"""The features of a file by sub-model. The columns tell which are filled by the parser; without them it is DEPREL.

    >>> [feature.text for feature in read_yaml(b"- POSTAG(Stack[0..1])\n- DEPREL(Stack[0])", "x.yaml")["MAIN"]]
    ['InputColumn(POSTAG,Stack[0])', 'InputColumn(POSTAG,Stack[1])', 'OutputColumn(DEPREL,Stack[0])']
    """
    found: SubModels = {}
    count = 0
    for name, line, text in _items(YamlReader(data, file, "a feature model")):
        specification = FeatureText(strip_blanks(text), file, line)
        try:
            texts = expand(specification.text, columns)
        except FeatureError as error:
            raise specification.error(str(error)) from None
        count += len(texts)
        if count > MOST:
            raise DataError(f"up to here the file stands for more than {MOST} features", file, line)
        features = found.setdefault(name.upper() or MAIN, [])
        features += [FeatureText(feature, file, line) for feature in texts]
    if not found:
        raise DataError(f"there is no feature in the file; expected lines such as {EXAMPLE}", file)
    return found


def _items(reader: YamlReader) -> Iterator[tuple[str, int, str]]:
    """Sub-model, line and text of every item."""
    first = reader.first()
    if first is None:
        return
    yield from _group(reader, first, "", 1, top=True)
    reader.finish()


def _group(
    reader: YamlReader, event: object, submodel: str, line: int, top: bool = False
) -> Iterator[tuple[str, int, str]]:
    """The items of a sub-model: a list, or lists under names; at the top also the sub-models themselves."""
    if reader.is_mapping(event):
        for key_line, key, value in reader.pairs("the name of a group of features"):
            if top and key.lower() == "submodels" and reader.is_mapping(value):
                for name_line, name, content in reader.pairs("the name of a sub-model"):
                    yield from _group(reader, content, name, name_line)
            else:
                yield from _list(reader, value, submodel, key_line, key)
    else:
        yield from _list(reader, event, submodel, line, "")


def _list(reader: YamlReader, event: object, submodel: str, line: int, key: str) -> Iterator[tuple[str, int, str]]:
    if reader.is_list(event):
        for item_line, text in reader.texts(f"a feature; lists are written one feature a line, such as {EXAMPLE}"):
            yield submodel, item_line, text
    elif reader.is_text(event) and (text := getattr(event, "value", "")):
        if not key:
            raise DataError(f"expected a list of features, such as {EXAMPLE}; found {quoted(text)}", reader.file, line)
        yield submodel, line, text
    elif not reader.is_text(event):
        raise DataError(f"{key}: expected a list of features, such as {EXAMPLE}", reader.file, line)


def expand(text: str, columns: Columns | None = None) -> list[str]:
    """The features, as MaltParser writes them, that a line stands for.

    >>> expand("POSTAG(Stack[0])&POSTAG(Input[0..1])") == [
    ...     "Merge(InputColumn(POSTAG,Stack[0]),InputColumn(POSTAG,Input[0]))",
    ...     "Merge(InputColumn(POSTAG,Stack[0]),InputColumn(POSTAG,Input[1]))"]
    True
    """
    if len(text) > LONGEST:
        raise FeatureError(f"the feature has more than {LONGEST} characters")
    return _Line(text, columns).features()


class _Line:
    """Reads one line from left to right; what is read is a list of alternatives."""

    def __init__(self, text: str, columns: Columns | None) -> None:
        self.text, self.columns, self.place, self.depth = text, columns, 0, 0

    def features(self) -> list[str]:
        found = self.conjunction()
        if self.place < len(self.text):
            raise FeatureError(f"unexpected {quoted(self.text[self.place :])}")
        return found

    def conjunction(self) -> list[str]:
        parts = [self.part()]
        while self.text.startswith("&", self.place):
            self.place += 1
            parts.append(self.part())
        return [merge_texts(list(choice)) for choice in _product(parts)]

    def part(self) -> list[str]:
        match = _CALL.match(self.text, self.place)
        if match is None:
            match = _LITERAL.match(self.text, self.place)
            if match is None:
                before = quoted(self.text[self.place]) if self.place < len(self.text) else "the end"
                raise FeatureError(f"something is missing before {before}")
            self.place = match.end()
            return [match[0]]
        self.place = match.end()
        return self.places(match[1]) if match[2] == "[" else self.call(match[1])

    def places(self, name: str) -> list[str]:
        end = self.text.find("]", self.place)
        if end < 0:
            raise FeatureError("[ is not closed")
        index, self.place = self.text[self.place : end], end + 1
        match = _RANGE.fullmatch(index)
        if match is None:
            return [f"{name}[{index}]"]
        low, high = int(match[1]), int(match[2])
        if not low <= high <= LARGEST:
            raise FeatureError(f"[{index}] is no range; expected for example [0..2], at most up to {LARGEST}")
        return [f"{name}[{number}]" for number in range(low, high + 1)]

    def call(self, name: str) -> list[str]:
        self.depth += 1
        if self.depth > DEEPEST:
            raise FeatureError(f"functions are nested more than {DEEPEST} deep")
        arguments = [self.conjunction()]
        while self.text.startswith(",", self.place):
            self.place += 1
            arguments.append(self.conjunction())
        if not self.text.startswith(")", self.place):
            raise FeatureError(f"( after {name} is not closed")
        self.place += 1
        self.depth -= 1
        if find_function(name) is not None:
            return [f"{name}({','.join(choice)})" for choice in _product(arguments)]
        if not _COLUMN.fullmatch(name):
            known = self.columns.columns if self.columns else ("FORM", "LEMMA", "POSTAG", "CPOSTAG", "FEATS", "DEPREL")
            raise FeatureError(f"there is no function {name}{nearest(name, [*FUNCTIONS, *known])}")
        _limit(sum(map(len, arguments)))
        function = _short(name, self.columns)
        return [f"{function}({name},{address})" for choice in arguments for address in choice]


def _short(column: str, columns: Columns | None) -> str:
    """The function that a column stands for."""
    if column in MARKS:
        return "OutputTable"
    if columns is not None and column in columns.columns:
        if column in columns.propagated:
            return "InputTable"
        return "OutputColumn" if columns.is_label(column) else "InputColumn"
    return "OutputColumn" if column == "DEPREL" else "InputColumn"


def merge_texts(features: list[str]) -> str:
    """The conjunction of features: such as MaltParser can read, if there is one.

    >>> merge_texts(["a", "b"]), merge_texts(["a", "b", "c", "d", "e"]), merge_texts(["a", "b", "Split(c,x)"])
    ('Merge(a,b)', 'Merge(Merge3(a,b,c),Merge(d,e))', 'Join(a,b,Split(c,x))')
    """
    if len(features) == 1:
        return features[0]
    functions = (find_function(feature.partition("(")[0]) for feature in features)
    if any(function is not None and function.several for function in functions):
        return f"Join({','.join(features)})"
    if len(features) > 3:
        half = (len(features) + 1) // 2
        features = [merge_texts(features[:half]), merge_texts(features[half:])]
    return f"{'Merge' if len(features) == 2 else 'Merge3'}({','.join(features)})"


def _product(parts: list[list[str]]) -> Iterator[tuple[str, ...]]:
    _limit(math.prod(map(len, parts)))
    return itertools.product(*parts)


def _limit(count: int) -> None:
    if count > MOST:
        raise FeatureError(f"this stands for more than {MOST} features")
