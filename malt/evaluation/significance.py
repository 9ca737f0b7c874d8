"""Whether one parser is better than another: McNemar's test, and the bootstrap over sentences."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy
import numpy.typing

EXACT = 25  # words that only one of two parsers has right: below this number the test is exact
RESAMPLES = 1000
SEED = 1
LEVEL = 0.95
_ROOM = 1 << 20  # sentences drawn at a time

Floats = numpy.typing.NDArray[numpy.float64]


@dataclass(frozen=True)
class McNemar:
    """The result of McNemar's test."""

    test: str  # exact or chi-square
    statistic: float | None  # chi-square
    p: float


def mcnemar(first: int, second: int) -> McNemar:
    """McNemar's test, two-sided, of the numbers of words that only the first and only the second parser has right.

    Exact (binomial) where there are fewer than 25 such words; else chi-square with continuity correction.

    >>> mcnemar(1, 9)
    McNemar(test='exact', statistic=None, p=0.021484375)
    >>> result = mcnemar(121, 59)
    >>> result.test, f"{result.statistic:.4f}", f"{result.p:.3g}"
    ('chi-square', '20.6722', '5.45e-06')
    """
    words = first + second
    if words < EXACT:
        tail = sum(math.comb(words, k) for k in range(min(first, second) + 1)) / 2**words
        return McNemar("exact", None, min(1.0, 2 * tail))
    statistic = max(0, abs(first - second) - 1) ** 2 / words
    return McNemar("chi-square", statistic, math.erfc(math.sqrt(statistic / 2)))


def bootstrap(
    words: numpy.typing.ArrayLike, right: numpy.typing.ArrayLike, resamples: int = RESAMPLES, seed: int = SEED
) -> Floats:
    """Scores of resampled treebanks: sentences are drawn with replacement, the same ones for each parser.

    `words` has the words of each sentence, `right` has for each parser how many of them it has right. Gives a row per
    parser and a column per resample. The same seed gives the same sentences with every version of numpy.

    >>> bootstrap([10, 10, 10], [[5, 5, 5], [9, 9, 9]], resamples=2)
    array([[0.5, 0.5],
           [0.9, 0.9]])
    """
    table = numpy.vstack([numpy.atleast_2d(words), right]).T.astype(numpy.float64)
    table = table[table[:, 0] > 0]  # sentences without a word that counts
    sentences, parsers = len(table), table.shape[1] - 1
    if not sentences:
        return numpy.full((parsers, resamples), math.nan)
    bits = numpy.random.PCG64(seed)
    sums = numpy.empty((resamples, parsers + 1))
    step = max(1, _ROOM // sentences)
    for begin in range(0, resamples, step):
        rows = min(step, resamples - begin)
        # The upper 32 bits scaled to the number of sentences: of a generator, only its bits are promised to stay.
        drawn = (bits.random_raw(rows * sentences) >> numpy.uint64(32)) * numpy.uint64(sentences) >> numpy.uint64(32)
        drawn += numpy.repeat(numpy.arange(rows, dtype=numpy.uint64) * numpy.uint64(sentences), sentences)
        times = numpy.bincount(drawn.astype(numpy.intp), minlength=rows * sentences).reshape(rows, sentences)
        sums[begin : begin + rows] = times @ table
    return sums[:, 1:].T / sums[:, 0]


def interval(values: Floats, level: float = LEVEL) -> tuple[float, float] | None:
    """The middle part of bootstrapped values: the percentile interval. None where there was nothing to draw from.

    >>> interval(numpy.arange(101.0), 0.9)
    (5.0, 95.0)
    """
    if numpy.isnan(values).any():
        return None
    low, high = numpy.quantile(values, [(1 - level) / 2, (1 + level) / 2])
    return round(float(low), 12), round(float(high), 12)
