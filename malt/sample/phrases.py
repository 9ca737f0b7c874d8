"""Noun phrases, prepositional phrases, pronouns: everything that is not a clause."""

from __future__ import annotations

from malt.sample.dice import Dice
from malt.sample.inflection import decline, decline_adjective, features
from malt.sample.lexicon import (
    CONJUNCTIONS,
    DEGREES,
    DEMONSTRATIVES,
    FOCUS,
    NUMERALS,
    POSSESSIVES,
    POSTPOSITIONS,
    PREPOSITIONS,
    QUANTIFIERS,
    Lexeme,
    lexicon,
)
from malt.sample.tree import Node, comma, fence

PRONOUNS = {
    (1, "Sing"): ("mo", "men", "mi"),
    (2, "Sing"): ("to", "ten", "ti"),
    (1, "Plur"): ("nos", "nos", "nobis"),
    (2, "Plur"): ("vos", "vos", "vobis"),
}
PERSONS = {(3, "Sing"): 9, (3, "Plur"): 5, (1, "Sing"): 5, (1, "Plur"): 2, (2, "Sing"): 2, (2, "Plur"): 1}
PREPOSITION_WEIGHTS = {"en": 8, "de": 6, "kon": 5, "ad": 5, "por": 4, "su": 3, "dop": 2, "per": 2, "sin": 2, "inter": 1}


def agree(node: Node, other: Node) -> Node:
    """Gives the word gender, number, person and case of the other."""
    node.gender, node.number, node.person, node.case = other.gender, other.number, other.person, other.case
    return node


def modifier(stem: str, tag: str, noun: Node, deprel: str, **more: str) -> Node:
    """A determiner or adjective in the form that its noun asks for."""
    form = decline_adjective(stem, noun.gender, noun.number, noun.case, noun.animate)
    feats = features(Case=noun.case, Gender=noun.gender, Number=noun.number, **more)
    return agree(Node(form, stem + "o", tag, feats, deprel), noun)


def inflect_noun(word: Lexeme, number: str, case: str, tag: str) -> Node:
    """A noun or name in a form."""
    feats = features(Case=case, Gender=word.gender, Number=number)
    node = Node(decline(word.stem, word.declension, number, case), word.lemma, tag, feats)
    node.gender, node.number, node.case, node.prefers = word.gender, number, case, word.prefers
    node.animate = word.declension != "t"
    return node


def pronoun(dice: Dice, case: str) -> Node:
    """A personal pronoun."""
    person, number = dice.weigh(PERSONS)
    gender = dice.weigh({"Masc": 4, "Fem": 4, "Neut": 1}) if person == 3 else ""
    shown = {"Case": case, "Number": number, "Person": str(person), "PronType": "Prs"}
    if person == 3:
        form, lemma = decline_adjective("il", gender, number, case), "ilo"
    else:
        forms = PRONOUNS[person, number]
        form, lemma = forms[("Nom", "Acc", "Dat").index(case)], forms[0]
    node = Node(form, lemma, "PRON/Pp", features(Gender=gender, **shown))
    node.gender, node.number, node.person, node.case = gender or "Masc", number, person, case
    return node


def relative(antecedent: Node, case: str) -> Node:
    """The relative pronoun: gender and number of its antecedent, case of its own clause."""
    form = decline_adjective("jel", antecedent.gender, antecedent.number, case)
    feats = features(Case=case, Gender=antecedent.gender, Number=antecedent.number, PronType="Rel")
    node = agree(Node(form, "jelo", "PRON/Pr", feats), antecedent)
    node.person, node.case = 3, case
    return node


def adjective(dice: Dice, noun: Node) -> Node:
    """An adjective that agrees with a noun; at times with an adverb of degree, at times two joined."""
    node = modifier(dice.draw(lexicon().adjectives).stem, "ADJ/Aq", noun, "amod")
    if dice.maybe(0.1):
        degree = dice.draw(DEGREES)
        node.left(Node(degree, degree, "ADV/Rd"), "advmod")
    if dice.maybe(0.06):
        other = modifier(dice.draw(lexicon().adjectives).stem, "ADJ/Aq", noun, "conj")
        if other.lemma != node.lemma:
            join(dice, node, [other])
    return node


def join(dice: Dice, head: Node, others: list[Node], weights: dict[str, int] | None = None) -> None:
    """Coordination: `A, B e C`, every part on the first, comma and conjunction on the part that follows them."""
    for place, other in enumerate(others, 1):
        if place == len(others):
            word = dice.weigh(weights or CONJUNCTIONS)
            other.first(Node(word, word, "CCONJ/Cc"), "cc")
        else:
            other.first(comma())
        head.right(other, "conj")


def name(dice: Dice, case: str) -> Node:
    """A person's name, often with a surname, which is not inflected."""
    node = inflect_noun(dice.draw(lexicon().given), "Sing", case, "PROPN/Np")
    if dice.chance(0.45):
        surname = dice.draw(lexicon().surnames)
        node.right(Node(surname, surname, "PROPN/Np"), "flat")
    return node


def determiner(dice: Dice, noun: Node) -> None:
    """The article, a demonstrative, a quantifier, a possessive, a numeral, or nothing."""
    choice = dice.weigh({"article": 13, "none": 7, "demonstrative": 2, "possessive": 2, "quantifier": 1, "numeral": 1})
    if choice == "article":
        noun.left(modifier("l", "DET/Da", noun, "det", Definite="Def", PronType="Art"))
    elif choice == "demonstrative":
        noun.left(modifier(dice.weigh(DEMONSTRATIVES), "DET/Dd", noun, "det", PronType="Dem"))
    elif choice == "possessive":
        noun.left(modifier(dice.weigh(POSSESSIVES), "DET/Ds", noun, "det", Poss="Yes", PronType="Prs"))
    elif choice == "quantifier":
        noun.left(modifier(dice.weigh(QUANTIFIERS), "DET/Dq", noun, "det", PronType="Ind"))
    elif choice == "numeral" and noun.number == "Plur":
        if dice.chance(0.3):
            digits = str(2 + dice.below(98))
            noun.left(Node(digits, digits, "NUM/Md", "NumForm=Digit"), "nummod")
        else:
            word = dice.draw(NUMERALS)
            noun.left(Node(word, word, "NUM/Mc", "NumForm=Word"), "nummod")


def common(dice: Dice, case: str, kinds: dict[str, int], depth: int) -> Node:
    """A common noun with determiner, adjectives, possessor and prepositional phrases."""
    kind = dice.weigh(kinds)
    number = "Plur" if dice.chance(0.1 if kind == "time" else 0.3) else "Sing"
    node = inflect_noun(dice.draw(lexicon().nouns[kind]), number, case, "NOUN/Nc")
    determiner(dice, node)
    if dice.maybe(0.3):
        (node.left if dice.chance(0.7) else node.right)(adjective(dice, node))
        if dice.maybe(0.08):
            other = adjective(dice, node)
            if all(other.lemma != word.lemma for word in node.children()):
                node.left(other)
    if depth < 3:
        if dice.maybe(0.14 if depth else 0.18):
            owner = noun_phrase(dice, "Gen", {"person": 4, "idea": 2, "place": 2, "thing": 1}, depth + 1)
            (node.right if dice.chance(0.85) else node.first)(owner, "nmod")
        if dice.maybe(0.25 if node.prefers else 0.03):
            own = node.prefers if dice.chance(0.75) else "de"
            node.right(prepositional(dice, own or "de", depth + 1), "nmod")
    return node


def noun_phrase(dice: Dice, case: str, kinds: dict[str, int], depth: int = 0) -> Node:
    """A name or a common noun, alone or in a list, with its modifiers."""
    if "person" in kinds and dice.chance(0.22):
        node = name(dice, case)
        if depth < 2 and dice.maybe(0.08):
            node.right(fence(common(dice, case, {"person": 1}, depth + 2)), "appos")
    elif "place" in kinds and dice.chance(0.12):
        node = inflect_noun(dice.draw(lexicon().towns), "Sing", case, "PROPN/Np")
    else:
        node = common(dice, case, kinds, depth)
    if depth < 2 and dice.maybe(0.09):
        others = [noun_phrase(dice, case, kinds, depth + 2) for _ in range(1 + dice.chance(0.25))]
        join(dice, node, others)
        node.number = "Plur"  # for the verb and the relative pronoun; the noun itself has been inflected
    if depth < 2 and dice.maybe(0.03):
        focus = dice.draw(FOCUS)
        node.first(Node(focus, focus, "ADV/Rf"), "advmod")
    return node


def prepositional(dice: Dice, prefers: str = "", depth: int = 1) -> Node:
    """A noun phrase with its preposition, which is the favourite one of a word if that is given."""
    preposition = PREPOSITIONS[prefers or dice.weigh(PREPOSITION_WEIGHTS)]
    if preposition.form == "en" and dice.chance(0.06):
        year = str(1800 + dice.below(230))
        node = Node(year, year, "NUM/Md", "NumForm=Digit")
    else:
        node = noun_phrase(dice, preposition.case, preposition.kinds, depth)
    case = Node(preposition.form, preposition.form, "ADP/Ap", features(AdpType="Prep"), "case")
    if preposition.form in POSTPOSITIONS:
        case.xpos, case.feats = "At", features(AdpType="Post")
        place = 0
        while place < len(node.after) and node.after[place].deprel in ("amod", "flat", "nmod"):
            place += 1
        case.head = node
        node.after.insert(place, case)
    else:
        node.first(case)
    return node
