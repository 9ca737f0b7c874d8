"""The words of the language: some two thousand stems, built from syllables, the same for every seed.

Frequent words are short. Every open class is Zipfian. A verb or a noun may have a preposition of its own that its
complements prefer, so that a parser which has seen the word can guess where a prepositional phrase belongs.
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

from malt.sample.dice import Dice, Zipf
from malt.sample.inflection import decline

ONSETS: Zipf[str] = Zipf([*"tksmlprdnvbgfhj", "tr", "st", "kr", "pl", "br", "sk", "gl", "dr"], shift=4)
VOWELS: Zipf[str] = Zipf("aeiou", shift=4)
CODAS: Zipf[str] = Zipf(["", "n", "r", "l", "s"], shift=0.6)
FINALS: Zipf[str] = Zipf([*"nrtlsdmkv", "rt", "nd", "st", "lm", "g", "sk", "nt", "b"], shift=4)


class Preposition(NamedTuple):
    """A preposition (or postposition), the case it governs, and the kinds of noun it likes."""

    form: str
    case: str
    kinds: dict[str, int]


PREPOSITIONS = {
    "en": Preposition("en", "Dat", {"place": 6, "time": 2, "idea": 2, "thing": 1}),
    "de": Preposition("de", "Dat", {"thing": 3, "place": 3, "person": 3, "idea": 2}),
    "kon": Preposition("kon", "Dat", {"person": 4, "thing": 4, "idea": 1}),
    "ad": Preposition("ad", "Acc", {"place": 5, "person": 3, "thing": 1}),
    "por": Preposition("por", "Acc", {"person": 4, "idea": 3, "thing": 2}),
    "su": Preposition("su", "Dat", {"thing": 4, "place": 3, "idea": 1}),
    "dop": Preposition("dop", "Gen", {"time": 4, "idea": 2, "place": 1}),
    "per": Preposition("per", "Acc", {"place": 3, "thing": 3}),
    "sin": Preposition("sin", "Gen", {"thing": 3, "person": 2, "idea": 2}),
    "inter": Preposition("inter", "Dat", {"place": 2, "thing": 2, "person": 2}),
    "kontra": Preposition("kontra", "Acc", {"person": 3, "idea": 3}),
    "kaus": Preposition("kaus", "Gen", {"idea": 4, "thing": 2, "person": 2}),
}
POSTPOSITIONS = frozenset({"kaus"})

DEMONSTRATIVES = {"est": 3, "kel": 2}
QUANTIFIERS = {"tot": 3, "nul": 1, "alk": 3}
POSSESSIVES = {"min": 3, "tin": 2, "sun": 4, "nostr": 1}
NUMERALS = Zipf(["du", "tri", "kvar", "pent", "ses", "sep", "dek", "cent", "mil"])
CONJUNCTIONS = {"e": 7, "o": 2}
CONTRASTS = {"e": 5, "ma": 4, "do": 1}
SUBORDINATORS = {"kando": 4, "kar": 4, "si": 3, "kvam": 2, "duma": 1}
TIMES = Zipf(["nun", "jam", "sempre", "ankor", "eri", "kras", "tande", "ofte"])
DEGREES = Zipf(["tre", "tro", "plu", "kasi"])
FOCUS = Zipf(["anke", "solo", "mem"])
INTERJECTIONS = Zipf(["ah", "nu", "ve", "jes"])
QUESTIONS = Zipf(["kore", "perke", "kvande", "kome"])


class Lexeme(NamedTuple):
    """A word of an open class. `prefers` is the preposition of its complements, or empty."""

    lemma: str
    stem: str
    kind: str
    gender: str = ""
    declension: str = ""
    prefers: str = ""


class Lexicon(NamedTuple):
    """The open classes: nouns and verbs by kind, and the rest."""

    nouns: dict[str, Zipf[Lexeme]]
    verbs: dict[str, Zipf[Lexeme]]
    adjectives: Zipf[Lexeme]
    manners: Zipf[str]
    given: Zipf[Lexeme]
    surnames: Zipf[str]
    towns: Zipf[Lexeme]


NOUNS = {"person": 220, "thing": 380, "place": 160, "time": 30, "idea": 240}
VERBS = {"act": 170, "go": 70, "be": 90, "give": 40, "say": 45, "want": 20}
GENDERS = {
    "person": {("Masc", "o"): 5, ("Fem", "a"): 4, ("Masc", "i"): 1, ("Fem", "i"): 1},
    "thing": {("Masc", "t"): 4, ("Fem", "a"): 4, ("Neut", "e"): 4, ("Fem", "i"): 2},
}


class Coiner:
    """Makes stems that are new within a class of words."""

    def __init__(self, dice: Dice) -> None:
        self.dice = dice
        self.used: set[tuple[str, str]] = set()

    def stem(self, kind: str, rank: int, shortest: int = 1) -> str:
        """A stem that ends in a consonant; the rarer the word, the longer."""
        dice = self.dice
        while True:
            syllables = shortest + (dice.below(rank + 15) >= 15) + (dice.below(rank + 400) >= 400)
            stem = "".join(dice.draw(ONSETS) + dice.draw(VOWELS) + dice.draw(CODAS) for _ in range(syllables - 1))
            stem += (dice.draw(ONSETS) if stem or dice.chance(0.85) else "") + dice.draw(VOWELS) + dice.draw(FINALS)
            if len(stem) > 2 and (kind, stem) not in self.used:
                self.used.add((kind, stem))
                return stem


@cache
def lexicon() -> Lexicon:
    """The lexicon of the language; always the same.

    >>> words = lexicon()
    >>> [word.lemma for word in words.nouns["person"].items[:3]]
    ['geso', 'pabako', 'fibis']
    """
    dice = Dice(20100711)
    coiner = Coiner(dice)
    prepositions = Zipf(PREPOSITIONS, shift=2)

    def nouns(kind: str, number: int) -> Zipf[Lexeme]:
        found = []
        for rank in range(number):
            stem = coiner.stem("noun", rank)
            gender, declension = dice.weigh(GENDERS.get(kind, GENDERS["thing"]))
            prefers = dice.draw(prepositions) if dice.chance(0.4) else ""
            found.append(Lexeme(decline(stem, declension, "Sing", "Nom"), stem, kind, gender, declension, prefers))
        return Zipf(found, shift=1.2)

    def verbs(kind: str, number: int) -> Zipf[Lexeme]:
        found = []
        for rank in range(number):
            stem = coiner.stem("verb", rank)
            prefers = "ad" if kind == "go" and dice.chance(0.6) else dice.draw(prepositions) if dice.chance(0.7) else ""
            found.append(Lexeme(stem + "ir", stem, kind, prefers=prefers))
        return Zipf(found, shift=1.2)

    def names(kind: str, number: int) -> Zipf[Lexeme]:
        found = []
        for rank in range(number):
            gender, declension = dice.weigh(GENDERS["person" if kind == "given" else "thing"])
            stem = coiner.stem("name", rank, shortest=1).capitalize()
            found.append(Lexeme(decline(stem, declension, "Sing", "Nom"), stem, kind, gender, declension))
        return Zipf(found)

    def adjectives(number: int) -> Zipf[Lexeme]:
        stems = [coiner.stem("adjective", rank) for rank in range(number)]
        return Zipf([Lexeme(stem + "o", stem, "adjective") for stem in stems], shift=1.2)

    return Lexicon(
        nouns={kind: nouns(kind, number) for kind, number in NOUNS.items()},
        verbs={kind: verbs(kind, number) for kind, number in VERBS.items()},
        adjectives=adjectives(280),
        manners=Zipf([coiner.stem("adverb", rank) + "emen" for rank in range(70)]),
        given=names("given", 120),
        surnames=Zipf([coiner.stem("surname", rank, shortest=2).capitalize() for rank in range(150)]),
        towns=names("town", 70),
    )
