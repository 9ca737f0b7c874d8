"""A partition of sentences, each a text or a `Sentence`: parsed, or an error that says which one is wrong."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Protocol, TypeVar

from malt.data.sentence import Sentence
from malt.errors import DataError, UsageError

MOST = 256  # sentences that are parsed together

Text = TypeVar("Text", str, Sentence)


class SentenceParser(Protocol):
    """Parses sentences, as a Model does."""

    def parse(self, sentences: Iterable[Sentence | str]) -> Iterator[Sentence]:
        """The sentences with their arcs."""


def parse_sentences(partition: Iterable[Text], model: SentenceParser) -> Iterator[Text]:
    """The sentences with the heads and labels that are predicted, one for each, in their order and as what they are."""
    rest, number = iter(partition), 0
    while group := list(islice(rest, MOST)):
        try:
            parsed = _parse(model, group)
        except DataError:
            parsed = []
        if len(parsed) != len(group):
            for place, sentence in enumerate(group, number + 1):
                _check(model, sentence, place)
        for given, found in zip(group, parsed, strict=True):
            yield found if isinstance(given, Sentence) else str(found)
        number += len(group)


def parse_list(partition: Iterable[Text], model: SentenceParser) -> list[Text]:
    """The same as a list, which can be sent to another process."""
    return list(parse_sentences(partition, model))


def _check(model: SentenceParser, sentence: Text, place: int) -> None:
    """Say which sentence is wrong, by its place."""
    try:
        count = len(_parse(model, [sentence]))
    except DataError as error:
        raise DataError(f"sentence {place} of the partition: {error}") from None
    if count != 1:
        raise DataError(f"sentence {place} of the partition: expected one sentence; there are {count} in it")


def _parse(model: SentenceParser, group: list[Text]) -> list[Sentence]:
    for sentence in group:
        if not isinstance(sentence, (str, Sentence)):
            raise UsageError(f"expected the text of a sentence, or a Sentence, not {type(sentence).__name__}")
    return list(model.parse(sentence for sentence in group if isinstance(sentence, Sentence) or sentence.strip()))
