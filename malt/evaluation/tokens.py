"""A CoNLL-U file as text: which characters each token and each sentence covers, and the words, as arrays.

Blanks in words do not count, as nobody agrees on where they belong. Of a multiword token the characters are its own;
its words all cover them together.
"""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy
import numpy.typing

from malt.data.block import Block, Integers, Offsets, mark_length
from malt.data.formats.dataformat import EMPTY
from malt.data.symbols import Tables
from malt.data.treebank import Treebank
from malt.errors import DataError
from malt.evaluation.attachment import Flags, count_by_sentence
from malt.evaluation.convention import CONTENT, FUNCTIONAL, UNIVERSAL_FEATURES, Lookup, without_subtype
from malt.evaluation.shape import shape
from malt.running import progress

ID, FORM, LEMMA, UPOS, XPOS, FEATS, DEPREL = "ID", "FORM", "LEMMA", "UPOSTAG", "XPOSTAG", "FEATS", "DEPREL"
_RANGE = re.compile(rb"[\r\n][\x00-\x08\x0b\x0c\x0e-\x20]*([0-9]+)-([0-9]+)(\t[^\r\n]*)")
_LINE_FEED, _RETURN = 10, 13


class Keys:
    """What has to be equal of a field, as a number: 0 is nothing, or `_`. All files that are compared share them."""

    def __init__(self, tables: Tables) -> None:
        def keyed(column: str, of: Callable[[str], str], keys: dict[str, int]) -> Lookup:
            return Lookup(tables[column], lambda field: keys.setdefault(of(field), len(keys)), numpy.int32)

        rules: dict[str, Callable[[str], str]] = {
            LEMMA: str,
            UPOS: str,
            XPOS: str,
            FEATS: universal_features,
            DEPREL: without_subtype,
        }
        self.columns = {column: keyed(column, of, {"": 0, EMPTY: 0}) for column, of in rules.items()}
        self.content = Lookup(tables[DEPREL], lambda label: without_subtype(label) in CONTENT, bool)
        self.functional = Lookup(tables[DEPREL], lambda label: without_subtype(label) in FUNCTIONAL, bool)
        self.ids = Lookup(tables[ID], lambda id: int(id) if id.isdecimal() else 0, numpy.int32)  # 0: no id
        self.sizes = Lookup(tables[FORM], lambda form: len(without_blanks(form).encode()), numpy.int64)
        forms: dict[str, int] = {}
        self.forms = keyed(FORM, str.lower, forms)  # of words in multiword tokens, and below of others
        self.whole_forms = keyed(FORM, lambda form: without_blanks(form).lower(), forms)


@dataclass
class TokenizedText:
    """The words of a file, one after another; what begins and ends does so at places of `characters`."""

    name: str
    characters: bytes  # of all tokens, in UTF-8, without blanks
    starts: Offsets  # sentence i has the words starts[i] .. starts[i + 1] - 1
    begins: Offsets  # of the token of each word
    ends: Offsets
    multi: Flags  # is the word one of a multiword token?
    later: Flags  # ... and not the first of it?
    lines: Integers  # in the file: of the word
    token_lines: Integers  # ... of its token
    forms: Integers  # keys of what words of multiword tokens are compared by
    keys: dict[str, Integers]  # by column
    heads: Integers  # as positions in the sentence: 0 is the artificial root, -1 no head
    content: Flags  # has it a label of content words?
    functional: Flags  # ... of function words?

    def __len__(self) -> int:
        return len(self.multi)

    @property
    def sentences(self) -> int:
        """How many sentences there are."""
        return len(self.starts) - 1

    @property
    def tokens(self) -> int:
        """How many tokens there are."""
        return len(self) - int(self.later.sum())

    @property
    def token_spans(self) -> tuple[Offsets, Offsets]:
        """Where each token begins and ends."""
        return self.begins[~self.later], self.ends[~self.later]

    @property
    def sentence_spans(self) -> tuple[Offsets, Offsets]:
        """Where each sentence begins and ends."""
        return self.begins[self.starts[:-1]], self.ends[self.starts[1:] - 1]

    @property
    def parents(self) -> Offsets:
        """The head of each word, counted from the first word of the file; -1 is the artificial root."""
        first = numpy.repeat(self.starts[:-1], numpy.diff(self.starts))
        return numpy.where(self.heads > 0, first + self.heads - 1, -1)

    def has_trees(self) -> bool:
        """Whether there are trees; refuse a file in which some are none: with a cycle, several roots, or gaps."""
        missing = self.heads < 0
        if missing.all():
            return False
        if missing.any():
            line = int(self.lines[numpy.flatnonzero(missing)[0]])
            what = "the word has no head, but others have; text is scored with heads of all words, or of none"
            raise DataError(what, self.name, line)
        roots = count_by_sentence(self.heads == 0, self.starts)
        lost = count_by_sentence(shape(self.heads, self.starts).depth < 0, self.starts)
        for sentence in numpy.flatnonzero((roots != 1) | (lost > 0))[:1]:
            number, line = int(roots[sentence]), int(self.lines[self.starts[sentence]])
            what = "has a cycle" if lost[sentence] else f"has {number} words on the root"
            raise DataError(f"the sentence {what}; text is scored if each has one root and no cycle", self.name, line)
        return True


def read_tokens(treebank: Treebank, keys: Keys) -> TokenizedText:
    """All of a file."""
    format = treebank.format
    if format.id_column != 0 or format.form_column != FORM:
        raise DataError("text is scored in CoNLL-U: ID has to be the first column, and FORM another", treebank.name)
    reader = _Reader(keys)
    for block in progress.blocks(treebank, "eval", needed=True):
        reader.add(block)
    return reader.text(treebank.name)


class _Reader:
    """Collects what blocks have."""

    def __init__(self, keys: Keys) -> None:
        self._keys = keys
        self._pieces: list[bytes] = []
        self._found: dict[str, list[numpy.typing.NDArray[Any]]] = {}

    def add(self, block: Block) -> None:
        """Take in a block."""
        keys, forms = self._keys, block.codes(FORM)
        sizes = keys.sizes(forms)
        texts = [without_blanks(form or "") for form in block.tables[FORM].decode(forms)]
        number = _line_numbers(block)
        lines = number(block.word_lines)
        token_lines = lines.copy()
        multi, later = numpy.zeros(len(forms), bool), numpy.zeros(len(forms), bool)
        for offset, first, last, form in _ranges(block, keys):
            texts[first : last + 1] = [form] + [""] * (last - first)
            sizes[first : last + 1] = 0
            sizes[first] = len(form.encode())
            multi[first : last + 1] = later[first + 1 : last + 1] = True
            token_lines[first : last + 1] = number(offset)
        for word in numpy.flatnonzero((sizes == 0) & ~later)[:1]:
            raise DataError("the word has no characters but blanks", block.name, int(token_lines[word]))
        self._pieces.append("".join(texts).encode())
        self._keep(lengths=numpy.diff(block.starts), heads=block.heads, sizes=sizes, multi=multi, later=later)
        self._keep(lines=lines, token_lines=token_lines)
        self._keep(forms=numpy.where(multi, keys.forms(forms), keys.whole_forms(forms)))
        for column, lookup in keys.columns.items():
            self._keep(**{column: lookup(_codes(block, column))})
        labels = _codes(block, DEPREL)
        self._keep(content=keys.content(labels), functional=keys.functional(labels))

    def _keep(self, **arrays: numpy.typing.NDArray[Any]) -> None:
        for name, array in arrays.items():
            self._found.setdefault(name, []).append(array)

    def text(self, name: str) -> TokenizedText:
        """What there was, together."""
        nothing = numpy.zeros(0, bool)  # what an empty file has
        found = defaultdict(lambda: nothing, {key: numpy.concatenate(parts) for key, parts in self._found.items()})
        words, ends, later = len(found["heads"]), numpy.cumsum(found["sizes"]), found["later"]
        first = numpy.maximum.accumulate(numpy.where(later, 0, numpy.arange(words)))  # of the token
        return TokenizedText(
            name,
            b"".join(self._pieces),
            numpy.append(0, numpy.cumsum(found["lengths"])),
            (ends - found["sizes"])[first],
            ends[first],
            found["multi"],
            later,
            found["lines"],
            found["token_lines"],
            found["forms"],
            {column: found[column] for column in self._keys.columns},
            found["heads"],
            found["content"],
            found["functional"],
        )


def _codes(block: Block, column: str) -> Integers:
    """The codes of a column; -1 throughout where the file has no such column."""
    if column not in block.format.coded:
        return numpy.full(len(block.heads), -1, numpy.int32)
    return block.codes(column)


def _ranges(block: Block, keys: Keys) -> Iterator[tuple[int, int, int, str]]:
    """The multiword tokens: where the line is, the first and the last of the words in the block, and the form."""
    if b"-" not in block.text:
        return
    mark = mark_length(block.text, block.first_line)
    place = block.format.names.index(FORM)
    ids, taken, starts = keys.ids(block.codes(ID)), 0, block.starts
    for match in _RANGE.finditer(b"\n" + block.text[mark:]):
        offset = match.start(1) - 1 + mark
        low, high = (int(match[part][:4000]) for part in (1, 2))  # Python reads no numbers that are much longer
        first = int(numpy.searchsorted(block.word_lines, offset))
        last = first + high - low
        end = int(starts[numpy.searchsorted(starts, first, side="right")]) if first < len(ids) else 0  # of the sentence
        if first < taken or last >= end or (ids[first], ids[last]) != (low, high):
            token = b"-".join(match[part][:20] for part in (1, 2)).decode()
            what = f"the multiword token {token} needs its words right after it, which are in no other"
            raise DataError(what, block.name, block.line_number(offset))
        fields = match[3].decode().rstrip().split("\t")
        form = without_blanks(fields[place] if place < len(fields) else "")
        taken = last + 1
        yield offset, first, last, form


def _line_numbers(block: Block) -> Callable[[numpy.typing.ArrayLike], Integers]:
    """What gives the numbers of lines in the file that are at places of the text."""
    text = numpy.frombuffer(block.text, numpy.uint8)
    following = numpy.append(text[1:], 0)
    ends = numpy.flatnonzero((text == _LINE_FEED) | ((text == _RETURN) & (following != _LINE_FEED)))
    return lambda places: numpy.asarray(block.first_line + numpy.searchsorted(ends, places), numpy.int32)


def without_blanks(form: str) -> str:
    """A form without its blanks: all that Unicode calls a space separator.

    >>> without_blanks("10\\u00a0000 kr")
    '10000kr'
    """
    if form.isascii():
        return form.replace(" ", "")
    return "".join(character for character in form if unicodedata.category(character) != "Zs")


def universal_features(features: str) -> str:
    """The features that Universal Dependencies defines for all languages, in order.

    >>> universal_features("Number=Sing|AdpType=Prep|Case=Nom")
    'Case=Nom|Number=Sing'
    """
    known = (feature for feature in features.split("|") if feature.partition("=")[0] in UNIVERSAL_FEATURES)
    return "|".join(sorted(known))
