"""What counts as a word and as the same label: the rules of two shared tasks, which most published scores follow."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy
import numpy.typing

from malt.kernel.symbols import SymbolTable

# The relations between content words of UD version 2, as the CoNLL 2018 shared task lists them. Functional relations,
# punct and whatever is no relation of UD are not among them.
CONTENT = frozenset(
    {
        *(
            "nsubj",
            "obj",
            "iobj",
            "csubj",
            "ccomp",
            "xcomp",
            "obl",
            "vocative",
            "expl",
            "dislocated",
            "advcl",
            "advmod",
        ),
        *("discourse", "nmod", "appos", "nummod", "acl", "amod", "conj", "fixed", "flat", "compound", "list"),
        *("parataxis", "orphan", "goeswith", "reparandum", "root", "dep"),
    }
)
FUNCTIONAL = frozenset({"aux", "cop", "mark", "det", "clf", "case", "cc"})  # the others of UD, punct aside
UNIVERSAL_FEATURES = frozenset(  # of morphology, as the same task lists them
    {
        *("PronType", "NumType", "Poss", "Reflex", "Foreign", "Abbr", "Gender", "Animacy", "Number", "Case"),
        *("Definite", "Degree", "VerbForm", "Mood", "Tense", "Aspect", "Voice", "Evident", "Polarity", "Person"),
        "Polite",
    }
)


@dataclass(frozen=True)
class Convention:
    """One set of rules."""

    name: str
    title: str
    punctuation: bool  # are words counted that consist of punctuation?
    subtypes: bool  # is nsubj:pass another label than nsubj?

    def counts(self, form: str) -> bool:
        """Whether a word counts."""
        return self.punctuation or not is_punctuation(form)

    def label(self, label: str) -> str:
        """What of a label has to be right."""
        return label if self.subtypes else without_subtype(label)


CONVENTIONS = {
    "conllx": Convention("conllx", "CoNLL-X (eval.pl)", punctuation=False, subtypes=True),
    "ud": Convention("ud", "CoNLL 2018 (UD)", punctuation=True, subtypes=False),
}


def convention_of(format: str) -> str:
    """The convention that is usual for a data format.

    >>> convention_of("conllu"), convention_of("malttab")
    ('ud', 'conllx')
    """
    return "ud" if format == "conllu" else "conllx"


def is_punctuation(form: str) -> bool:
    """Whether all characters of a form have the Unicode property Punctuation, as eval.pl asks.

    >>> [is_punctuation(form) for form in ("...", "«", "_", "$", ":-)", "a.", "")]
    [True, True, True, False, True, False, False]
    """
    return form != "" and all(unicodedata.category(character)[0] == "P" for character in form)


def without_subtype(label: str) -> str:
    """The universal part of a label.

    >>> without_subtype("nsubj:pass"), without_subtype("punct")
    ('nsubj', 'punct')
    """
    return label.partition(":")[0]


class Lookup:
    """A property of symbols, asked once for each symbol of a table, then looked up for whole arrays of codes.

    >>> table = SymbolTable("FORM")
    >>> lookup = Lookup(table, is_punctuation, bool)
    >>> lookup([table.add("."), table.add("Hej"), -1])
    array([ True, False, False])
    """

    def __init__(self, table: SymbolTable, of: Callable[[str], int], dtype: numpy.typing.DTypeLike) -> None:
        self._table, self._of = table, of
        self._values = numpy.zeros(0, dtype)

    def __call__(self, codes: numpy.typing.ArrayLike) -> numpy.typing.NDArray[Any]:
        """The property of each code; 0 where there is no symbol."""
        known, end = len(self._values), self._table.next_code
        if known < end:
            symbols = (self._table.symbol(code) for code in range(known, end))
            new = [0 if symbol is None else self._of(symbol) for symbol in symbols]
            self._values = numpy.append(self._values, numpy.array(new, self._values.dtype))
        codes = numpy.asarray(codes)
        values: numpy.typing.NDArray[Any] = self._values[codes]
        values[codes < 0] = 0
        return values
