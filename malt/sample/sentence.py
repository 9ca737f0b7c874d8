"""Sentences: statements, questions, commands, quotations, titles; and the search for one of the shape asked for."""

from __future__ import annotations

from dataclasses import dataclass

from malt.sample.clauses import MAIN_ORDERS, OBJECTS, SUBJECTS, arrange, clause, verb_group
from malt.sample.dice import Dice
from malt.sample.inflection import features
from malt.sample.lexicon import CONTRASTS, INTERJECTIONS, QUESTIONS, lexicon
from malt.sample.phrases import join, name, noun_phrase
from malt.sample.scramble import interlace, scramble
from malt.sample.shape import shape
from malt.sample.tree import Node, comma, fence

SHORTEST, LONGEST = 3, 45
SORTS = {"statement": 82, "question": 7, "command": 3, "quotation": 5, "title": 4, "gapping": 1}


@dataclass(frozen=True, slots=True)
class SampleWord:
    """One word of a sample sentence; `head` counts from 1, 0 is the artificial root."""

    form: str
    lemma: str
    upos: str
    xpos: str
    feats: str
    head: int
    deprel: str


@dataclass(frozen=True, slots=True)
class SampleSentence:
    """A sentence, its shape (one of malt.sample.shape), and verbs left out: after which word, and which they repeat."""

    words: tuple[SampleWord, ...]
    shape: str
    understood: tuple[tuple[int, int], ...] = ()

    @property
    def heads(self) -> list[int]:
        """The heads of the words, in order."""
        return [word.head for word in self.words]


def statement(dice: Dice) -> tuple[Node, str]:
    """A main clause, at times two, at times with an address, an interjection or an aside."""
    root = clause(dice)
    if dice.maybe(0.07):
        other = clause(dice, 1)
        join(dice, root, [other], CONTRASTS)
        other.first(comma())
    if dice.maybe(0.03):
        word = dice.draw(INTERJECTIONS)
        root.first(comma())
        root.first(Node(word, word, "INTJ/Ij"), "discourse")
    elif dice.maybe(0.03):
        root.first(comma())
        root.first(name(dice, "Nom"), "vocative")
    if dice.maybe(0.03):
        root.right(fence(speaking(dice)), "parataxis")
    return root, "!" if dice.chance(0.02) else "."


def question(dice: Dice) -> tuple[Node, str]:
    """Who, whom, where and why; or yes or no, with `an`."""
    sort = dice.weigh({"who": 2, "what": 2, "adverb": 3, "an": 4})
    if sort in ("who", "what"):
        case = dice.pick(("Nom", "Acc"))
        form, gender = ({"Nom": "kvo", "Acc": "kvon"}[case], "Masc") if sort == "who" else ("kvem", "Neut")
        word = Node(form, "kvo", "PRON/Pi", features(Case=case, Gender=gender, Number="Sing", PronType="Int"))
        word.gender, word.case, word.deprel = gender, case, "nsubj" if case == "Nom" else "obj"
    elif sort == "adverb":
        form = dice.draw(QUESTIONS)
        word = Node(form, form, "ADV/Rq", features(PronType="Int"), "advmod")
    else:
        word = Node("an", "an", "PART/Rq", features(PartType="Int"), "advmod")
    return clause(dice, first=word), "?"


def command(dice: Dice) -> tuple[Node, str]:
    """An imperative."""
    number = "Plur" if dice.chance(0.4) else "Sing"
    word = dice.draw(lexicon().verbs["act"])
    feats = features(Mood="Imp", Number=number, Person="2", VerbForm="Fin")
    root = Node(word.stem + ("ite" if number == "Plur" else "i"), word.lemma, "VERB/Vc", feats)
    root.right(noun_phrase(dice, "Acc", OBJECTS), "obj")
    if dice.chance(0.3):
        root.first(comma())
        root.first(name(dice, "Nom"), "vocative")
    return root, "!" if dice.chance(0.7) else "."


def speaking(dice: Dice) -> Node:
    """The words that go with a quotation: a verb of saying and, after it, who said it."""
    who = noun_phrase(dice, "Nom", {"person": 1}, 1)
    root, auxiliary = verb_group(dice, dice.draw(lexicon().verbs["say"]).stem, who)
    if auxiliary is not None:
        root.left(auxiliary)
    root.right(who, "nsubj")
    return root


def quote(said: Node) -> Node:
    """Puts quotation marks around what the word governs."""
    said.first(Node("«", "«", "PUNCT/Fo"), "punct")
    said.right(Node("»", "»", "PUNCT/Fe"), "punct")
    return said


def quotation(dice: Dice) -> tuple[Node, str]:
    """Direct speech, before or after the verb of saying."""
    root = speaking(dice)
    said = quote(clause(dice, 1))
    if dice.chance(0.5):
        said.right(comma())
        root.first(said, "ccomp")
    else:
        who = root.after.pop()
        root.first(who, "nsubj")
        said.first(Node(":", ":", "PUNCT/Fk"), "punct")
        root.right(said, "ccomp")
    return root, "."


def title(dice: Dice) -> tuple[Node, str]:
    """A headline, without a full stop."""
    return (clause(dice, 1), "") if dice.chance(0.6) else (noun_phrase(dice, "Nom", SUBJECTS), "")


def gapping(dice: Dice) -> tuple[Node, str]:
    """Two clauses with one verb, said once: `Mira vidé kastan e Toro limin`."""
    who = noun_phrase(dice, "Nom", {"person": 1}, 1)
    word = dice.draw(lexicon().verbs["act"])
    root, auxiliary = verb_group(dice, word.stem, who)
    who.deprel = "nsubj"
    thing = noun_phrase(dice, "Acc", OBJECTS, 1)
    thing.deprel = "obj"
    arrange(dice, root, dice.weigh(MAIN_ORDERS), {"S": who, "O": thing}, None, [])
    if auxiliary is not None:
        root.left(auxiliary, "aux")
    other = noun_phrase(dice, "Nom", {"person": 1}, 2)
    left = noun_phrase(dice, "Acc", OBJECTS, 2)
    left.gap = root
    other.right(left, "orphan")
    join(dice, root, [other])
    return root, "."


def split_quotation(dice: Dice) -> Node:
    """`«Mira vidé», domé Toro, «la kastan.»` What is said stands on both sides of the root, and no links cross."""
    root = speaking(dice)
    said = clause(dice, 1)
    cut = dice.below(len(said.after) + 1)
    rest, said.after = said.after[cut:], said.after[:cut]
    quote(said)
    said.right(comma())
    root.before.insert(0, said)
    said.head, said.deprel = root, "ccomp"
    if not rest:
        return root  # nothing to say after the interruption: an ordinary quotation
    marks = [comma(), Node("«", "«", "PUNCT/Fo"), Node(".", ".", "PUNCT/Fs"), Node("»", "»", "PUNCT/Fe")]
    for mark in marks:
        mark.head, mark.deprel = said, "punct"
    root.after += [*marks[:2], *rest, *marks[2:]]
    return root


SENTENCES = {
    "statement": statement,
    "question": question,
    "command": command,
    "quotation": quotation,
    "title": title,
    "gapping": gapping,
}


def compose(dice: Dice, wanted: str) -> Node | None:
    """A sentence that is likely to have the shape wanted, or nothing."""
    if wanted == "planar":
        # Quotations with a full stop of their own, and titles: a stop on the root would cross what covers the root.
        mark = ""
        if dice.chance(0.25):
            root = split_quotation(dice)
        else:
            root = clause(dice, 1)
            if not scramble(dice, root):
                return None
    else:
        root, mark = SENTENCES[dice.weigh(SORTS)](dice)
        if wanted == "2-planar" and not scramble(dice, root):
            return None
        if wanted == "ill-nested" and not interlace(dice, root):
            return None
    root.deprel = "root"
    if mark:
        tag = {".": "PUNCT/Fs", "!": "PUNCT/Fx", "?": "PUNCT/Fi"}[mark]
        root.right(Node(mark, mark, tag), "punct")
    return root


def spoken(root: Node) -> list[Node]:
    """The words in order, without the commas that meet another mark or the edge of the sentence."""
    line: list[Node] = []
    for node in root.walk():
        if line and line[-1].xpos == "Fc" and node.upos == "PUNCT" and node.xpos != "Fo":
            line.pop()
        if node.xpos != "Fc" or (line and line[-1].xpos != "Fo"):
            line.append(node)
    if line[-1].xpos == "Fc":
        line.pop()
    return line


def sentence(dice: Dice, wanted: str) -> SampleSentence:
    """A sentence of the shape wanted: tried until it has it."""
    while True:
        root = compose(dice, wanted)
        if root is None:
            continue
        line = spoken(root)
        if not SHORTEST <= len(line) <= LONGEST:
            continue
        place = {id(node): number for number, node in enumerate(line, 1)}
        heads = [place[id(node.head)] if node.head is not None else 0 for node in line]
        if shape(heads) == wanted:
            break
    words = []
    opening = True  # at the start of the sentence, or of a quotation after a colon
    for node, head in zip(line, heads, strict=True):
        form = node.form
        if opening and node.upos != "PUNCT":
            form, opening = form[0].upper() + form[1:], False
        elif node.xpos == "Fk":
            opening = True
        words.append(SampleWord(form, node.lemma, node.upos, node.xpos, node.feats, head, node.deprel))
    understood = tuple((place[id(next(node.walk()))] - 1, place[id(node.gap)]) for node in line if node.gap)
    return SampleSentence(tuple(words), wanted, understood)
