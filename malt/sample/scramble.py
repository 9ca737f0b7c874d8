"""Free word order in earnest: moves that take a word away from its head and so make a tree non-projective.

Every move leaves heads and labels alone and changes places only. It says whether it found a place to work on.
"""

from __future__ import annotations

from collections.abc import Callable

from malt.sample.dice import Dice
from malt.sample.tree import Node

ARGUMENTS = frozenset({"nsubj", "obj", "iobj", "obl"})
CLAUSES = frozenset({"punct", "conj", "advcl", "ccomp", "xcomp", "parataxis"})
COMPLEMENTS = frozenset({"acl", "nmod"})
FIXED = frozenset({"Pr", "Pi", "Rq", "Cs", "Cc", "Fc"})  # what opens a clause and must stay there


def front(verb: Node) -> int:
    """The first place before a verb that may be taken: after conjunctions, relative and question words."""
    place = 0
    while place < len(verb.before) and (verb.before[place].xpos in FIXED or verb.before[place].deprel in CLAUSES):
        place += 1
    return place


def tail(verb: Node) -> int:
    """The last place after a verb that may be taken: before clauses and closing punctuation."""
    place = len(verb.after)
    while place and verb.after[place - 1].deprel in CLAUSES:
        place -= 1
    return place


def arguments(root: Node) -> list[Node]:
    """The phrases that stand beside the verb or predicate that governs them."""
    return [
        node
        for node in root.walk()
        if node.deprel in ARGUMENTS and node.head is not None and (node in node.head.before or node in node.head.after)
    ]


def modifiers(noun: Node) -> list[Node]:
    """Agreeing words that can leave a noun; nothing leaves a prepositional phrase."""
    if any(child.deprel == "case" for child in noun.children()):
        return []
    return [
        child
        for child in noun.children()
        if child.deprel in ("amod", "nummod") or (child.deprel == "det" and child.xpos != "Da")
    ]


def take(node: Node, host: Node) -> None:
    """Takes a word out of the lists of another."""
    (host.before if node in host.before else host.after).remove(node)


def split(dice: Dice, root: Node) -> bool:
    """A split noun phrase: an adjective or determiner on the other side of the verb, `belan vidé kastan`."""
    sites = [(noun, word) for noun in arguments(root) for word in modifiers(noun)]
    if not sites:
        return False
    noun, word = dice.pick(sites)
    verb = noun.head
    assert verb is not None
    take(word, noun)
    if noun in verb.before:
        verb.after.insert(0, word)
    else:
        verb.before.insert(front(verb) if dice.chance(0.6) else len(verb.before), word)
    return True


def extrapose(dice: Dice, root: Node) -> bool:
    """A relative clause, a complement or a second conjunct of a noun moves to the end of the clause."""
    sites = []
    for noun in arguments(root):
        verb = noun.head
        assert verb is not None
        if noun in verb.before or verb.after.index(noun) + 1 < tail(verb):
            sites += [(verb, noun, word) for word in noun.after if word.deprel in ("acl", "nmod", "conj")]
    if not sites:
        return False
    verb, noun, word = dice.pick(sites)
    take(word, noun)
    verb.after.insert(tail(verb), word)
    return True


def extract(dice: Dice, root: Node) -> bool:
    """A part of a complement clause moves to the front of the clause above, `limin dome ke vidé`."""
    sites = []
    for inner in root.walk():
        outer = inner.head
        if inner.deprel in ("ccomp", "xcomp") and outer is not None and inner in outer.after:
            parts = (*inner.before, *inner.after)
            sites += [(outer, inner, word) for word in parts if word.deprel in ("obj", "obl", "iobj", "advmod")]
    sites = [site for site in sites if site[2].xpos not in FIXED and site[2].xpos != "Rn"]
    if not sites:
        return False
    outer, inner, word = dice.pick(sites)
    take(word, inner)
    outer.before.insert(front(outer) if dice.chance(0.7) else len(outer.before), word)
    return True


def second(dice: Dice, root: Node) -> bool:
    """An auxiliary or pronoun takes second place in the clause, inside the first noun phrase: `la have bela domina`."""
    sites = []
    for verb in root.walk():
        place = front(verb)
        phrase = verb.before[place] if place < len(verb.before) else None
        if phrase is None or phrase.head is not verb or not phrase.before or phrase.before[0].deprel == "case":
            continue
        light = [node for node in verb.children() if node.xpos in ("Xa", "Xc", "Pp") and node is not phrase]
        sites += [(verb, phrase, node) for node in light if not node.before and not node.after]
    if not sites:
        return False
    verb, phrase, node = dice.pick(sites)
    take(node, verb)
    phrase.before.insert(1, node)
    return True


def interlace(dice: Dice, root: Node) -> bool:
    """Two split noun phrases, woven into each other: `vidé belan altu kastan domu`. Ill-nested."""
    by_verb: dict[int, list[tuple[Node, Node]]] = {}
    for noun in arguments(root):
        leaving = modifiers(noun) or [word for word in noun.after if word.deprel in COMPLEMENTS]
        if leaving:
            by_verb.setdefault(id(noun.head), []).append((noun, dice.pick(leaving)))
    sites = [pairs for pairs in by_verb.values() if len(pairs) > 1]
    if not sites:
        return False
    pairs = dice.pick(sites)
    verb = pairs[0][0].head
    assert verb is not None
    pairs = pairs[:2]
    for noun, word in pairs:
        take(word, noun)
        take(noun, verb)
    (one, leaf), (two, twig) = pairs
    woven = [one, two, leaf, twig]
    if dice.chance(0.6) and leaf.deprel not in COMPLEMENTS and twig.deprel not in COMPLEMENTS:
        woven = [leaf, twig, one, two]
    # Not in the middle: both phrases would span the verb, and with its full stop three links would cross each other.
    place = dice.pick((0, 1, 3, 4))
    verb.before.extend(woven[:place])
    verb.after[:0] = woven[place:]
    return True


MOVES: dict[Callable[[Dice, Node], bool], int] = {split: 5, extrapose: 5, extract: 3, second: 4}


def scramble(dice: Dice, root: Node) -> bool:
    """One move, now and then two."""
    done = dice.weigh(MOVES)(dice, root)
    if done and dice.chance(0.12):
        dice.weigh(MOVES)(dice, root)
    return done
