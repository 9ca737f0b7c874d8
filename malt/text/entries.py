"""The parts of a text model as entries of a model file."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from malt.errors import DataError
from malt.learning.averages import Averaged
from malt.mco.arrays import Array, read_arrays, write_arrays
from malt.mco.weights import by_key
from malt.text.lemmatizer import LemmatizerModel
from malt.text.lists import Lists
from malt.text.tagger import TaggerModel
from malt.text.tokenizer import TokenizerModel

TOKENIZER, TAGGER, LEMMATIZER = "tokenizer.weights", "tagger.weights", "lemmatizer.weights"
ENTRIES = (TOKENIZER, TAGGER, LEMMATIZER)
VERSION = 1  # of the entries; a program refuses later ones
_MAGIC = b"maltkit text\n"
_WEIGHTS = {"keys": "<u8", "counts": "<i4", "classes": "<u2", "weights": "<i2"}
_LISTS = {"keys": "<u8", "counts": "<i4", "numbers": "<u2"}

Made = TypeVar("Made")


@dataclass(frozen=True)
class TextModel:
    """What turns text into words with tags; a treebank without tags or lemmas teaches none."""

    tokenizer: TokenizerModel
    tagger: TaggerModel | None = None
    lemmatizer: LemmatizerModel | None = None


def write_text(model: TextModel) -> dict[str, bytes]:
    """The entries of a model file, by their names."""
    one, two, three = model.tokenizer, model.tagger, model.lemmatizer
    header: dict[str, Any] = {"blanks": one.blanks, "splits": one.splits, "templates": one.templates}
    entries = {TOKENIZER: _write(header, one.weights, {"words": one.words, "still": one.still})}
    if two is not None:
        header = {"columns": two.columns, "tags": two.tags, "templates": two.local, "history": two.history}
        entries[TAGGER] = _write(header, two.weights, {"lists": two.lists})
    if three is not None:
        header = {"scripts": three.scripts, "templates": three.templates}
        entries[LEMMATIZER] = _write(header, three.weights, {"lists": three.lists})
    return entries


def read_text_model(entries: Mapping[str, bytes], file: str) -> TextModel | None:
    """The model that entries hold; None if there are none. Nothing in them is believed without a look.

    >>> read_text_model({"tokenizer.weights": b"x"}, "m.mco")
    Traceback (most recent call last):
    malt.errors.DataError: m.mco: tokenizer.weights: it is damaged: expected a part of a text model
    """
    if TOKENIZER not in entries:
        return None

    def tokenizer(header: dict[str, Any], weights: Averaged, lists: dict[str, Lists]) -> TokenizerModel:
        splits = [tuple((int(begin), int(end), str(more)) for begin, end, more in split) for split in header["splits"]]
        found = TokenizerModel(bool(header["blanks"]), splits, lists["words"], lists["still"], weights, _texts(header))
        found.make_tokenizer()
        return found

    def tagger(header: dict[str, Any], weights: Averaged, lists: dict[str, Lists]) -> TaggerModel:
        columns = tuple(str(column) for column in header["columns"])
        tags = [tuple(str(part) for part in tag) for tag in header["tags"]]
        if not columns or any(len(tag) != len(columns) or not all(map(_is_field, tag)) for tag in tags):
            raise ValueError("its tags are not as they should be")
        found = TaggerModel(columns, tags, lists["lists"], weights, _texts(header), _texts(header, "history"))
        found.make_tagger()
        return found

    def lemmatizer(header: dict[str, Any], weights: Averaged, lists: dict[str, Lists]) -> LemmatizerModel:
        scripts = [
            (int(case), int(left), int(right), str(before), str(after))
            for case, left, right, before, after in header["scripts"]
        ]
        if not all(_is_field(before + after + "_") for *_, before, after in scripts):
            raise ValueError("its scripts are not as they should be")
        found = LemmatizerModel(scripts, lists["lists"], weights, _texts(header))
        found.make_lemmatizer()
        return found

    return TextModel(
        _read(entries[TOKENIZER], f"{file}: {TOKENIZER}", ("words", "still"), tokenizer),
        _read(entries[TAGGER], f"{file}: {TAGGER}", ("lists",), tagger) if TAGGER in entries else None,
        _read(entries[LEMMATIZER], f"{file}: {LEMMATIZER}", ("lists",), lemmatizer) if LEMMATIZER in entries else None,
    )


def _texts(header: Mapping[str, Any], name: str = "templates") -> list[str]:
    return [str(template) for template in header[name]]


def _is_field(text: str) -> bool:
    return bool(text.strip()) and not any(c in "\t\r\n" or "\ud800" <= c <= "\udfff" for c in text)


def _types(lists: tuple[str, ...]) -> dict[str, str]:
    return _WEIGHTS | {f"{name}_{part}": kind for name in lists for part, kind in _LISTS.items()}


def _write(header: Mapping[str, Any], weights: Averaged, lists: Mapping[str, Lists]) -> bytes:
    arrays: dict[str, Array] = by_key(*weights)
    for name, found in lists.items():
        parts = (found.keys, found.counts, found.numbers)
        arrays |= {f"{name}_{part}": array for part, array in zip(_LISTS, parts, strict=True)}
    return write_arrays(_MAGIC, {"version": VERSION, **header}, arrays, _types(tuple(lists)))


def _read(
    data: bytes,
    place: str,
    lists: tuple[str, ...],
    make: Callable[[dict[str, Any], Averaged, dict[str, Lists]], Made],
) -> Made:
    header, arrays = read_arrays(data, _MAGIC, VERSION, _types(lists), place, "a part of a text model")
    try:
        weights = tuple(arrays[name] for name in _WEIGHTS)
        assert len(weights) == 4
        return make(header, weights, {name: Lists(*(arrays[f"{name}_{part}"] for part in _LISTS)) for name in lists})
    except (KeyError, TypeError, ValueError, OverflowError) as error:
        reason = str(error) if isinstance(error, ValueError) else "its first line is not as it should be"
        raise DataError(f"it is damaged: {reason}", place) from None
