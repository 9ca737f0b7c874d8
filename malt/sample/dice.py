"""Chance, the same on every machine.

Only `random.Random(n).random()` is used, with n a whole number: Python promises that this sequence stays the same from
version to version, and promises it of nothing else in that module. What is made of it uses +, *, / and comparisons of
doubles only, which are the same everywhere; no power, logarithm or sine, whose last bit may differ.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from itertools import accumulate
from random import Random
from typing import Generic, TypeVar

T = TypeVar("T")


class Zipf(Generic[T]):
    """A vocabulary in which the word of rank r is drawn about 1 / (r + shift) times as often as the first.

    >>> words = Zipf(["e", "o", "ma"], shift=1)
    >>> words.at(0.0), words.at(0.6), words.at(0.99)
    ('e', 'o', 'ma')
    """

    def __init__(self, items: Iterable[T], shift: float = 1.5) -> None:
        self.items = tuple(items)
        sums = list(accumulate(1.0 / (rank + shift) for rank in range(len(self.items))))
        self.bounds = [bound / sums[-1] for bound in sums[:-1]]

    def at(self, point: float) -> T:
        """The item whose share of 0..1 has the point in it."""
        return self.items[bisect_right(self.bounds, point)]


class Dice:
    """The choices of one sentence. Long-windedness is drawn once per sentence, so that lengths have a long tail.

    >>> Dice(1).below(100), Dice(1).pick("abc")
    (84, 'c')
    """

    def __init__(self, seed: int) -> None:
        self.random = Random(seed).random
        point = self.random()
        self.breath = 0.45 + 0.5 * point + 0.9 * point * point * point

    def chance(self, probability: float) -> bool:
        """True so often."""
        return self.random() < probability

    def maybe(self, probability: float) -> bool:
        """Whether something that could be left out is said: more often in a long-winded sentence."""
        return self.random() < probability * self.breath

    def below(self, number: int) -> int:
        """A whole number from 0 to number - 1."""
        return int(self.random() * number)

    def pick(self, items: Sequence[T]) -> T:
        """One of the items, all equally likely."""
        return items[int(self.random() * len(items))]

    def draw(self, words: Zipf[T]) -> T:
        """One of the words, by rank."""
        return words.at(self.random())

    def weigh(self, weights: dict[T, int]) -> T:
        """One of the keys, as often as its weight says."""
        point = self.below(sum(weights.values()))
        for item, weight in weights.items():
            point -= weight
            if point < 0:
                return item
        raise AssertionError("no weights")
