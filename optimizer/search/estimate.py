"""What to expect on new text: scores of text that the search has not seen, and whether its gains can be mere luck."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy

from malt.errors import counted
from malt.evaluation.significance import LEVEL, bootstrap, interval
from malt.optimizer.search.comparison import paired_test
from malt.optimizer.trial.attempt import Attempt, leading
from malt.optimizer.trial.outcome import Outcome, score_of

FEW = 2000  # words below which a held-out part decides nothing
UNLIKELY = 0.05
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

    @property
    def summary(self) -> str:
        """All of it in a line."""
        low, high = self.gain.interval or (self.gain.score, self.gain.score)
        scores = f"{self.default.score:.2f} with default settings, {self.chosen.score:.2f} as chosen"
        return f"On text that was held out: {scores} ({low:+.2f} to {high:+.2f}). {self.meaning}"

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
    first, last = score_of([default]), score_of([chosen])
    return Expectation(
        Estimate(first, _rounded(drawn[0])),
        Estimate(last, _rounded(drawn[1])),
        Estimate(round(last - first, 2), _rounded(drawn[1] - drawn[0])),
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
    """All steps that lead to the choice, together: their gain in points, and how likely luck alone brings as much."""

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
        return f"{steps}: no better than chance (p = {self.p:.2g}); of so many, some gain as much by luck."

    def as_json(self) -> dict[str, Any]:
        """For reports."""
        return {"kept": self.kept, "tried": self.tried, "gain": self.gain, "p": self.p, "meaning": self.meaning}


def luck_of(attempts: Sequence[Attempt], first: Sequence[Outcome], last: Sequence[Outcome]) -> Luck | None:
    """Whether the steps that lead to the choice are together better than chance, given the outcomes of the
    configuration before the first and after the last of them; None if nothing was kept, or these are not known.

    It is the sign-flip test of their difference. But of all that was tried the best was taken: if none were better than
    any other, the largest of as many differences would be there, so p is multiplied by their number (Bonferroni). Of
    400 searches among scripted setups that are all equally good, 9 come to 0.05 or less.

    >>> luck_of([], [Outcome((7,), (10,))], [Outcome((8,), (10,))])
    """
    leads = [
        led
        for one, led in zip(attempts, leading(attempts), strict=True)
        if one.verdict.p is not None and not one.verdict.error
    ]
    kept = sum(leads)
    if not (kept and first and last):
        return None
    pairs = [pair for a, b in zip(first, last, strict=True) for pair in zip(a.right, b.right, strict=True)]
    differences = [after - before for before, after in pairs]
    begin, end = (score_of(outcomes) for outcomes in (first, last))
    gain = round(end - begin, 2)
    p = paired_test(differences) * len(leads) if gain > 0 else 1.0
    return Luck(kept, len(leads), gain, min(1.0, p))
