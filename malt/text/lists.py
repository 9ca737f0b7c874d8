"""What a word may be, by the lists of tags or scripts that words and their endings were seen with."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy

from malt.data.block import Integers
from malt.kernel.choices import Choices
from malt.mco.arrays import Array

MOST = 24  # members of the list of an ending
FEWEST = 3  # words of which an ending says something


@dataclass(frozen=True)
class Lists:
    """The list of each key: all lists stand one after another."""

    keys: Array
    counts: Array
    numbers: Array

    @classmethod
    def of(cls, lists: Mapping[int, Sequence[int]]) -> Lists:
        """Lists by keys; the same ones are the same arrays.

        >>> Lists.of({7: [1, 2], 3: [0]}).counts.tolist()
        [1, 2]
        """
        order = sorted(lists)
        numbers = [number for key in order for number in lists[key]]
        return cls(
            numpy.array(order, numpy.uint64),
            numpy.array([len(lists[key]) for key in order], numpy.int32),
            numpy.array(numbers, numpy.uint16),
        )

    def choices(self, limit: int) -> Choices:
        """The same, to look up; numbers are below the limit."""
        return Choices(self.keys, self.counts, self.numbers, limit)


@dataclass(frozen=True)
class Seen:
    """A word, with its keys: as a frequent word, as another one, and of its endings, the longest first."""

    keys: Sequence[int]
    counts: Mapping[int, int]  # what it was seen as, and how often


def make_lists(words: Iterable[Seen], sure: int, rare: int, least: int = 1) -> Lists:
    """Lists for words and for endings. A word that was seen `sure` times is what it was; any other one may also be what
    words of its ending are, of which those count that were seen `rare` times at most; `least` is how many of them must
    have been the same."""
    words = list(words)
    endings: dict[int, dict[int, int]] = {}
    shorter: dict[int, int] = {}
    for word in words:
        longer = 0
        for key in word.keys[2:]:
            if key and longer:
                shorter[longer] = key
            longer = key or longer
        if sum(word.counts.values()) <= rare:
            for key in filter(None, word.keys[2:]):
                counts = endings.setdefault(key, {})
                for number in word.counts:
                    counts[number] = counts.get(number, 0) + 1
    found: dict[int, list[int]] = {}

    def of_ending(key: int) -> list[int]:
        if key not in found:
            counts, next_key = endings.get(key, {}), shorter.get(key, 0)
            below = of_ending(next_key) if next_key else []
            if sum(counts.values()) < FEWEST and next_key:
                found[key] = below
            else:
                own = sorted(filter(lambda n: counts[n] >= least, counts), key=lambda n: (-counts[n], n))
                found[key] = [*own, *(number for number in below if number not in own)][:MOST]
        return found[key]

    lists: dict[int, list[int]] = {}
    for word in words:
        own = sorted(word.counts, key=lambda number: (-word.counts[number], number))
        if sum(word.counts.values()) >= sure:
            lists[word.keys[0]] = own
        else:
            longest = next(filter(None, word.keys[2:]))
            lists[word.keys[1]] = [*own, *(number for number in of_ending(longest) if number not in word.counts)]
    for key, counts in endings.items():
        if sum(counts.values()) >= FEWEST or not shorter.get(key):
            lists[key] = of_ending(key)
    return Lists.of(lists)


def words_of(starts: Integers, sentences: Integers) -> Array:
    """The places of the words of some sentences.

    >>> words_of(numpy.array([0, 2, 3]), numpy.array([1, 0])).tolist()
    [2, 0, 1]
    """
    sizes = numpy.diff(starts)[sentences]
    ends = numpy.cumsum(sizes)
    return numpy.repeat(starts[sentences] - ends + sizes, sizes) + numpy.arange(ends[-1] if len(ends) else 0)
