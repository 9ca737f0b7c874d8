"""What to expect on new text: scores of text that the search has not seen, and whether its gains can be mere luck."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any

import numpy

from malt.errors import counted
from malt.evaluation.significance import LEVEL, bootstrap, interval
from malt.optimizer.search.comparison import paired_test
from malt.optimizer.trial.attempt import Attempt
from malt.optimizer.trial.outcome import Outcome

FEW = 2000  # words below which a held-out part decides nothing
UNLIKELY = 0.05
DRAWS, SEED = 2000, 1
TINY = 1e-300
Interval = tuple[float, float]


@dataclass(frozen=True)
class Estimate:
    """A score in percent, or a difference in points, and its interval: the middle 95 % of bootstrapped values. None
    where there is no word that counts."""

    score: float
    interval: Interval | None

    def as_json(self) -> dict[str, Any]:
        """For reports."""
        return {"score": self.score, "interval": list(self.interval) if self.interval else None}


@dataclass(frozen=True)
class Expectation:
    """The default configuration and the chosen one on the held-out part of a treebank."""

    default: Estimate
    chosen: Estimate
    gain: Estimate
    p: float  # of the gain, by the paired test over sentences
    sentences: int
    words: int
    looks: int  # configurations other than the default one that were scored on it so far

    @property
    def decides(self) -> bool:
        """Whether the part is large enough to decide anything."""
        return self.words >= FEW

    @property
    def better(self) -> bool:
        """Whether the gain is unlikely by chance."""
        return self.gain.score > 0 and self.p <= UNLIKELY

    @property
    def meaning(self) -> str:
        """What follows from it, in a sentence or two."""
        if not self.decides:
            said = f"The part has fewer than {FEW:,} words: it decides nothing."
        elif self.better:
            said = "The gain is unlikely to be chance."
        else:
            said = "The gain may be chance." if self.gain.score > 0 else "There is no gain on text that was held out."
        if self.looks > 1:
            said += (
                f" It was looked at {self.looks} times, for as many configurations: it is not quite unseen any more."
            )
        return said

    def as_json(self) -> dict[str, Any]:
        """For reports."""
        return {
            "sentences": self.sentences,
            "words": self.words,
            "level": LEVEL,
            "default": self.default.as_json(),
            "chosen": self.chosen.as_json(),
            "gain": self.gain.as_json(),
            "p": self.p,
            "decides": self.decides,
            "looks": self.looks,
            "meaning": self.meaning,
        }


def expect(default: Outcome, chosen: Outcome, words: int, looks: int = 1) -> Expectation:
    """Two outcomes on the same sentences, with so many words, compared.

    >>> found = expect(Outcome((8, 8, 6), (10, 10, 10)), Outcome((9, 9, 9), (10, 10, 10)), 30)
    >>> found.default.score, found.chosen, found.gain.score, found.decides
    (73.33, Estimate(score=90.0, interval=(90.0, 90.0)), 16.67, False)
    """
    drawn = 100 * bootstrap(default.of, [default.right, chosen.right])
    differences = [after - before for before, after in zip(default.right, chosen.right, strict=True)]
    return Expectation(
        Estimate(round(default.score, 2), _rounded(drawn[0])),
        Estimate(round(chosen.score, 2), _rounded(drawn[1])),
        Estimate(round(chosen.score - default.score, 2), _rounded(drawn[1] - drawn[0])),
        paired_test(differences),
        len(default.of),
        words,
        looks,
    )


def _rounded(values: numpy.typing.NDArray[numpy.float64]) -> Interval | None:
    found = interval(values)
    return None if found is None else (round(found[0], 2), round(found[1], 2))


@dataclass(frozen=True)
class Luck:
    """All steps that were kept, together: their gain in points, and how likely luck alone brings as much."""

    kept: int
    tried: int
    gain: float
    p: float

    @property
    def meaning(self) -> str:
        """What follows from it, in a sentence."""
        steps = f"{self.kept:,} of {counted(self.tried, 'step')} kept, {self.gain:+.2f} together"
        if self.p <= UNLIKELY:
            return f"{steps}: more than luck brings (p = {self.p:.2g})."
        return f"{steps}: no better than chance (p = {self.p:.2g}), as luck that is kept brings that much."

    def as_json(self) -> dict[str, Any]:
        """For reports."""
        return {"kept": self.kept, "tried": self.tried, "gain": self.gain, "p": self.p, "meaning": self.meaning}


def luck_of(attempts: Iterable[Attempt]) -> Luck | None:
    """Whether the steps that were kept are together better than chance; None if nothing was kept.

    What is kept was chosen for its gain, so its gain by itself says little. Here each kept step is a matter of luck
    instead: for every sentence it is open which of the two is better (the sign-flip test, by its normal approximation),
    given that the gain was enough for the rule. `p` is how often these gains together are as large as those that were
    found.
    """
    compared = [one for one in attempts if one.verdict.p is not None and not one.verdict.error]
    kept = [one for one in compared if one.kept]
    if not kept:
        return None
    bits, normal = numpy.random.PCG64(SEED), NormalDist()  # of a generator, only its bits are promised to stay
    sums = numpy.zeros(DRAWS)
    for one in kept:
        if spread := one.verdict.spread:
            enough = max(TINY, math.erfc(one.needed / spread / math.sqrt(2)) / 2)  # the chance of a gain that is kept
            drawn = ((bits.random_raw(DRAWS) >> numpy.uint64(11)) + 0.5) * 2.0**-53
            sums += [-spread * normal.inv_cdf(enough * float(share)) for share in drawn]
    gain = round(sum(one.gain for one in kept), 2)
    p = (int((sums >= gain).sum()) + 1) / (DRAWS + 1)
    return Luck(len(kept), len(compared), gain, round(p, 5))
