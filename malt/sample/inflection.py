"""The endings of the language: four cases, two numbers, three genders, four declensions, one conjugation.

Endings are shared between cells, as in real languages: `-a` is a feminine subject, or a neuter subject or object in the
plural; `-is` is a subject or a possessor; masculine things, unlike persons, look the same as subject and as object.
"""

from __future__ import annotations

from functools import cache

CASES = ("Nom", "Acc", "Dat", "Gen")

# For each declension and number the endings of the four cases. "t" is "o" for things.
DECLENSIONS = {
    "o": {"Sing": ("o", "on", "u", "os"), "Plur": ("i", "is", "umis", "orun")},
    "t": {"Sing": ("o", "o", "u", "os"), "Plur": ("i", "i", "umis", "orun")},
    "a": {"Sing": ("a", "an", "e", "e"), "Plur": ("as", "as", "amis", "arun")},
    "e": {"Sing": ("em", "em", "u", "os"), "Plur": ("a", "a", "umis", "orun")},
    "i": {"Sing": ("is", "in", "i", "is"), "Plur": ("es", "es", "ibis", "irun")},
}

# Adjectives, determiners, participles and pronouns take the endings of their gender.
AGREEMENT = {"Masc": "o", "Fem": "a", "Neut": "e"}

PRESENT = {"Sing": ("em", "et", "e"), "Plur": ("emos", "etes", "en")}
PAST = {"Sing": ("évi", "ést", "é"), "Plur": ("émos", "étes", "éron")}
TENSES = {"Pres": PRESENT, "Past": PAST}


def decline(stem: str, declension: str, number: str, case: str) -> str:
    """The form of a noun.

    >>> decline("kast", "a", "Sing", "Acc"), decline("lim", "i", "Plur", "Gen")
    ('kastan', 'limirun')
    """
    return stem + DECLENSIONS[declension][number][CASES.index(case)]


def decline_adjective(stem: str, gender: str, number: str, case: str, animate: bool = True) -> str:
    """The form of an adjective, determiner, participle or pronoun.

    >>> decline_adjective("bel", "Masc", "Sing", "Acc"), decline_adjective("bel", "Masc", "Sing", "Acc", animate=False)
    ('belon', 'belo')
    """
    declension = "t" if gender == "Masc" and not animate else AGREEMENT[gender]
    return stem + DECLENSIONS[declension][number][CASES.index(case)]


def conjugate(stem: str, tense: str, number: str, person: int) -> str:
    """The form of a finite verb.

    >>> conjugate("dom", "Pres", "Sing", 3), conjugate("dom", "Past", "Plur", 3)
    ('dome', 'doméron')
    """
    return stem + TENSES[tense][number][person - 1]


@cache
def features(**values: str) -> str:
    """The FEATS column: attributes in alphabetical order, without the empty ones.

    >>> features(Number="Sing", Case="Nom", Gender="")
    'Case=Nom|Number=Sing'
    """
    return (
        "|".join(f"{name}={value}" for name, value in sorted(values.items(), key=lambda item: item[0].lower()) if value)
        or "_"
    )
