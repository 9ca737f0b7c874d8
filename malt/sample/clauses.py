"""Clauses: a verb or a predicate, what it asks for, what may be added, and the order of it all."""

from __future__ import annotations

from malt.sample.dice import Dice
from malt.sample.inflection import conjugate, decline_adjective, features
from malt.sample.lexicon import CONTRASTS, SUBORDINATORS, TIMES, lexicon
from malt.sample.phrases import (
    adjective,
    common,
    join,
    noun_phrase,
    prepositional,
    pronoun,
    relative,
)
from malt.sample.tree import Node, comma, fence

# Every order of subject, object and verb is grammatical. Subordinate clauses like the verb late, but not always.
MAIN_ORDERS = {"SVO": 76, "OVS": 8, "SOV": 5, "VSO": 4, "OSV": 4, "VOS": 3}
SUBORDINATE_ORDERS = {"SOV": 79, "SVO": 9, "OSV": 6, "OVS": 3, "VSO": 3}
PLACES = {"front": 2, "before": 1, "after": 2, "end": 7}
SUBJECTS = {"person": 8, "thing": 2, "idea": 2, "place": 1}
OBJECTS = {"thing": 7, "person": 2, "idea": 3, "place": 1}
KINDS = {"act": 10, "go": 4, "be": 3, "give": 2, "say": 3, "want": 2}
AUXILIARIES = {"hav": 5, "vol": 3, "pot": 3, "dev": 2}
RELATIVIZED = frozenset({"nsubj", "obj", "iobj", "obl", "nmod"})
COPULA = {"Sing": ("som", "es", "est"), "Plur": ("somos", "estes", "son")}


def finite(tense: str, who: Node) -> str:
    """The FEATS of a finite verb that agrees with its subject."""
    return features(Mood="Ind", Number=who.number, Person=str(who.person), Tense=tense, VerbForm="Fin")


def verb_group(dice: Dice, stem: str, who: Node | None, lemma: str = "") -> tuple[Node, Node | None]:
    """The verb and, at times, its auxiliary: `domé`, `have domuto`, `pote domir`; without a subject the infinitive."""
    lemma = lemma or stem + "ir"
    if who is None:
        return Node(stem + "ir", lemma, "VERB/Vi", features(VerbForm="Inf")), None
    tense = "Past" if dice.chance(0.55) else "Pres"
    if not dice.chance(0.28):
        return Node(conjugate(stem, tense, who.number, who.person), lemma, "VERB/Vf", finite(tense, who)), None
    helper = dice.weigh(AUXILIARIES)
    form = conjugate(helper, tense, who.number, who.person)
    auxiliary = Node(form, helper + "ir", "AUX/Xa", finite(tense, who), "aux")
    if helper != "hav":
        return Node(stem + "ir", lemma, "VERB/Vi", features(VerbForm="Inf")), auxiliary
    form = decline_adjective(stem + "ut", who.gender, who.number, "Nom")
    feats = features(Gender=who.gender, Number=who.number, Tense="Past", VerbForm="Part")
    return Node(form, lemma, "VERB/Vp", feats), auxiliary


def arrange(dice: Dice, head: Node, order: str, parts: dict[str, Node], first: Node | None, loose: list[Node]) -> None:
    """Puts the parts of a clause around its head in the order given, and what is loose where it likes."""
    line = [head if letter == "V" else parts[letter] for letter in order if letter == "V" or letter in parts]
    if "I" in parts:
        beside = line.index(parts.get("O", head))
        line.insert(beside + dice.chance(0.4), parts["I"])
    for node in loose:
        middle = line.index(head)
        place = dice.weigh(PLACES)
        line.insert({"front": 0, "before": middle, "after": middle + 1, "end": len(line)}[place], node)
    if first is not None:
        line = [first, *(node for node in line if node is not first)]
    middle = line.index(head)
    head.before, head.after = line[:middle], line[middle + 1 :]
    for node in (*head.before, *head.after):
        node.head = head


def place_auxiliary(dice: Dice, head: Node, auxiliary: Node, late: bool) -> None:
    """Beside the verb; or second in the sentence, away from it; in subordinate clauses mostly after it."""
    auxiliary.head = head
    place = dice.weigh({"after": 6, "before": 4} if late else {"before": 6, "second": 3, "after": 1})
    if place == "after":
        head.after.insert(0, auxiliary)
    else:
        head.before.insert(1 if place == "second" and head.before else len(head.before), auxiliary)


def negate(head: Node, auxiliary: Node | None) -> None:
    """`ne` stands right before the finite verb."""
    word = Node("ne", "ne", "PART/Rn", "Polarity=Neg", "advmod")
    word.head = head
    for side in (head.before, head.after):
        if auxiliary in side:
            side.insert(side.index(auxiliary), word)
            return
    head.before.append(word)


def subject_of(dice: Dice) -> tuple[Node, bool]:
    """A subject, and whether it is said at all: the verb's ending is often enough."""
    if dice.chance(0.16):
        return pronoun(dice, "Nom"), False
    if dice.chance(0.2):
        return pronoun(dice, "Nom"), True
    return noun_phrase(dice, "Nom", SUBJECTS), True


def object_of(dice: Dice, depth: int) -> Node:
    """An object: a noun phrase or a pronoun."""
    return pronoun(dice, "Acc") if dice.chance(0.14) else noun_phrase(dice, "Acc", OBJECTS, depth)


def clause(dice: Dice, depth: int = 0, kind: str = "main", first: Node | None = None, bare: Node | None = None) -> Node:
    """A clause of a kind: main, subordinate or infinitive.

    `first` is a relative or question word that stands first, its relation already on it; `bare` is the subject that the
    clause shares with the one it is joined to.
    """
    role = first.deprel if first is not None else ""
    who, said = (bare, False) if bare is not None else (first, True) if role == "nsubj" else (None, False)
    if who is None and kind != "infinitive":
        who, said = subject_of(dice)
    parts: dict[str, Node] = {}
    if said and who is not None:
        who.deprel = "nsubj"
        parts["S"] = who
    loose = adjuncts(dice, depth, kind)
    late = kind == "subordinate"
    if who is not None and bare is None and role not in ("obj", "iobj") and dice.chance(0.12):
        return predicate(dice, depth, late, who, parts, first, loose)
    weights = KINDS if depth < 2 else {"act": 10, "go": 4, "be": 3, "give": 2}
    sort = "act" if role == "obj" else "give" if role == "iobj" else dice.weigh(weights)
    word = dice.draw(lexicon().verbs[sort])
    head, auxiliary = verb_group(dice, word.stem, who)
    if sort in ("act", "give") and role != "obj" and dice.chance(0.95):
        parts["O"] = object_of(dice, depth)
        parts["O"].deprel = "obj"
    if sort == "give" and role != "iobj":
        parts["I"] = pronoun(dice, "Dat") if dice.chance(0.4) else noun_phrase(dice, "Dat", {"person": 1}, depth + 1)
        parts["I"].deprel = "iobj"
    if role in ("obj", "iobj") and first is not None:
        parts["O" if role == "obj" else "I"] = first
    if word.prefers and dice.maybe(0.45 if sort == "go" else 0.25):
        loose.append(prepositional(dice, word.prefers))
        loose[-1].deprel = "obl"
    if kind == "infinitive":
        order = "VO" if dice.chance(0.6) else "OV"
    else:
        order = dice.weigh(SUBORDINATE_ORDERS if late else MAIN_ORDERS)
    arrange(dice, head, order, parts, first, loose)
    if auxiliary is not None:
        place_auxiliary(dice, head, auxiliary, late)
    if dice.chance(0.09):
        negate(head, auxiliary)
    if first is not None:
        head.before.remove(first)
        head.before.insert(0, first)
    complement(dice, depth, head, sort)
    add_clauses(dice, depth, head, kind, who)
    return head


def predicate(
    dice: Dice, depth: int, late: bool, who: Node, parts: dict[str, Node], first: Node | None, loose: list[Node]
) -> Node:
    """A clause whose head is an adjective or a noun, with the copula: `la domina est bela`."""
    if dice.chance(0.6):
        head = adjective(dice, who)
        head.feats = features(Case="Nom", Gender=who.gender, Number=who.number)
        head.form = decline_adjective(head.lemma[:-1], who.gender, who.number, "Nom")
    else:
        head = common(dice, "Nom", {"person": 3, "idea": 3, "thing": 1}, 2)
    own = head.before, head.after
    if dice.chance(0.6):
        form, tense = COPULA[who.number][who.person - 1], "Pres"
    else:
        form, tense = conjugate("er", "Past", who.number, who.person), "Past"
    copula = Node(form, "esir", "AUX/Xc", finite(tense, who), "cop")
    arrange(dice, head, "SV" if late or dice.chance(0.75) else "VS", parts, first, loose)
    head.before += own[0]
    head.after = own[1] + head.after
    copula.head = head
    if late and dice.chance(0.6):
        head.after.insert(len(own[1]), copula)
    else:
        head.before.insert(len(head.before) - len(own[0]), copula)
    if dice.chance(0.1):
        negate(head, copula)
    add_clauses(dice, depth, head, "main", None)
    return head


def adjuncts(dice: Dice, depth: int, kind: str) -> list[Node]:
    """What may be added to any clause: adverbs, prepositional phrases, times."""
    found = []
    scale = 0.5 if depth or kind == "infinitive" else 1.0
    if dice.maybe(0.34 * scale):
        found.append(prepositional(dice, depth=min(depth + 1, 2)))
        found[-1].deprel = "obl"
    if dice.maybe(0.16 * scale):
        word = dice.draw(lexicon().manners)
        found.append(Node(word, word, "ADV/Rm", deprel="advmod"))
    if dice.maybe(0.18 * scale):
        word = dice.draw(TIMES)
        found.append(Node(word, word, "ADV/Rt", deprel="advmod"))
    elif dice.maybe(0.05 * scale):
        found.append(common(dice, "Dat", {"time": 1}, 2))
        found[-1].deprel = "obl"
    return found


def complement(dice: Dice, depth: int, head: Node, sort: str) -> None:
    """The clause that verbs of saying and wanting ask for."""
    if sort == "want":
        head.right(clause(dice, depth + 1, "infinitive"), "xcomp")
    elif sort == "say":
        said = clause(dice, depth + 1, "subordinate")
        said.first(Node("ke", "ke", "SCONJ/Cs"), "mark")
        if dice.chance(0.25):
            said.first(comma())
        head.right(said, "ccomp")


def add_clauses(dice: Dice, depth: int, head: Node, kind: str, who: Node | None) -> None:
    """Relative clauses on nouns, a second verb with the same subject, adverbial clauses."""
    if depth < 2:
        for noun in [node for node in head.walk() if node.xpos in ("Nc", "Np") and node.deprel in RELATIVIZED]:
            nearest = not any(word.deprel in ("nmod", "conj") for word in noun.after)
            if dice.maybe((0.05 if depth else 0.09) * (1.0 if nearest else 0.5)):
                noun.right(relative_clause(dice, depth + 1, noun), "acl")
    if kind == "main" and who is not None and depth < 2 and dice.maybe(0.1):
        join(dice, head, [clause(dice, depth + 1, "main", bare=who)], CONTRASTS)
    if depth < 2 and dice.maybe(0.035 if depth else 0.1):
        word = dice.weigh(SUBORDINATORS)
        added = clause(dice, depth + 1, "subordinate")
        added.first(Node(word, word, "SCONJ/Cs"), "mark")
        if depth == 0 and dice.chance(0.35):
            head.first(fence(added), "advcl")
        else:
            head.right(fence(added), "advcl")


def relative_clause(dice: Dice, depth: int, antecedent: Node) -> Node:
    """A relative clause: `la domina, jela ... dome`."""
    role = dice.weigh({"nsubj": 6, "obj": 4, "obl": 2})
    if role == "obl":
        preposition = dice.pick(("en", "kon", "de"))
        word = relative(antecedent, "Dat")
        word.left(Node(preposition, preposition, "ADP/Ap", "AdpType=Prep"), "case")
    else:
        word = relative(antecedent, "Nom" if role == "nsubj" else "Acc")
    word.deprel = role
    node = clause(dice, depth, "subordinate", first=word)
    return fence(node) if dice.chance(0.7) else node
