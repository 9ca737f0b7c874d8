"""Record what the scorer of the CoNLL 2018 shared task (conll18_ud_eval.py, version 1.2) counts in pairs of files.

    CONLL18=FOLDER python tests/reference/conll2018.py

FOLDER has the scorer. The pairs are made of the sample treebank: words, multiword tokens and sentences are joined and
split in both files, and tags, heads and labels are changed. tests/test_eval_text.py compares ours with these counts.
"""

from __future__ import annotations

import io
import json
import os
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from malt.sample import text
from malt.sample.dice import Dice

HERE = Path(__file__).resolve().parent
SENTENCES = 8


@dataclass(eq=False)
class Word:
    """A word; its head is a word, or None for the root."""

    form: str
    fields: list[str]  # LEMMA, UPOS, XPOS, FEATS
    label: str
    head: Word | None = None


@dataclass(eq=False)
class Token:
    """A token; with several words, or `multi`, it is a multiword token."""

    form: str
    words: list[Word]
    multi: bool = False


@dataclass(eq=False)
class Sentence:
    """Some tokens, and whether it is written with empty nodes."""

    tokens: list[Token] = field(default_factory=list)
    empty: bool = False

    @property
    def words(self) -> list[Word]:
        """All words."""
        return [word for token in self.tokens for word in token.words]

    @property
    def root(self) -> Word:
        """The word on the root."""
        return next(word for word in self.words if word.head is None)


# -- changes: each is told how often to do something


def change_field(place: int, values: tuple[str, ...]) -> Callable[[list[Sentence], Dice, float], None]:
    """What changes one of the fields."""

    def change(sentences: list[Sentence], dice: Dice, rate: float) -> None:
        for word in (word for sentence in sentences for word in sentence.words):
            if dice.chance(rate):
                word.fields[place] = dice.pick(values)

    return change


def change_labels(sentences: list[Sentence], dice: Dice, rate: float) -> None:
    """Labels of content words, function words and neither, with subtypes."""
    for word in (word for sentence in sentences for word in sentence.words):
        if dice.chance(rate):
            word.label = dice.pick(("obj", "nsubj:pass", "det", "case", "aux:pass", "punct", "cc:preconj", "strange"))


def change_heads(sentences: list[Sentence], dice: Dice, rate: float) -> None:
    """Heads, without a cycle."""
    for sentence in sentences:
        words = sentence.words
        for word in words:
            new = dice.pick(words)
            if dice.chance(rate) and word.head is not None and not _dominates(word, new):
                word.head = new


def _dominates(word: Word, other: Word | None) -> bool:
    while other is not None:
        if other is word:
            return True
        other = other.head
    return False


def split_tokens(sentences: list[Sentence], dice: Dice, rate: float) -> None:
    """One word becomes two, of which the second hangs on the first; of a multiword token, one that is none."""
    for sentence in sentences:
        tokens = []
        for token in sentence.tokens:
            if len(token.form) < 2 or not dice.chance(rate):
                tokens.append(token)
                continue
            cut = 1 + dice.below(len(token.form) - 1)
            word = _merged(sentence, token.words)
            word.form = token.form[:cut]
            second = Word(token.form[cut:], list(word.fields), "flat", word)
            tokens += [Token(word.form, [word]), Token(second.form, [second])]
        sentence.tokens = tokens


def join_tokens(sentences: list[Sentence], dice: Dice, rate: float, multi: bool = False) -> None:
    """Two tokens become one: one word, or a multiword token with the words of both."""
    for sentence in sentences:
        tokens: list[Token] = []
        for token in sentence.tokens:
            if not tokens or not dice.chance(rate):
                tokens.append(token)
                continue
            last = tokens.pop()
            words = last.words + token.words
            form = last.form + token.form
            if not multi:
                words = [_merged(sentence, words)]
                words[0].form = form
            tokens.append(Token(form, words, multi))
        sentence.tokens = tokens


def join_as_multiword(sentences: list[Sentence], dice: Dice, rate: float) -> None:
    """Two tokens become a multiword token."""
    join_tokens(sentences, dice, rate, multi=True)


def make_multiword(sentences: list[Sentence], dice: Dice, rate: float) -> None:
    """A token becomes a multiword token of one to four words, some of which have its form, or a part of it."""
    for sentence in sentences:
        for token in sentence.tokens:
            if not dice.chance(rate):
                continue
            word = _merged(sentence, token.words)
            token.words, token.multi = [word], True
            for _ in range(dice.below(4)):
                token.words.append(Word("", list(word.fields), dice.pick(("case", "flat", "det")), word))
            for one in token.words:
                one.form = dice.pick((token.form, token.form.upper(), token.form[:1], token.form[-2:], "de", "lo x"))


def _merged(sentence: Sentence, words: list[Word]) -> Word:
    """The first of some words, which has the place of all of them in the tree."""
    first = words[0]
    top = min(words, key=lambda word: _depth(word))
    head = top.head
    for word in sentence.words:
        if word.head in words:
            word.head = first
    first.head, first.label = head, top.label
    return first


def _depth(word: Word) -> int:
    return 0 if word.head is None else 1 + _depth(word.head)


def join_sentences(sentences: list[Sentence], dice: Dice, rate: float) -> None:
    """Two sentences become one."""
    found: list[Sentence] = []
    for sentence in sentences:
        if found and dice.chance(rate):
            root = sentence.root
            root.head, root.label = found[-1].root, "parataxis"
            found[-1].tokens += sentence.tokens
        else:
            found.append(sentence)
    sentences[:] = found


def split_sentences(sentences: list[Sentence], dice: Dice, rate: float) -> None:
    """One sentence becomes two, each with a root of its own."""
    found: list[Sentence] = []
    for sentence in sentences:
        if len(sentence.tokens) < 2 or not dice.chance(rate):
            found.append(sentence)
            continue
        cut = 1 + dice.below(len(sentence.tokens) - 1)
        for part in (Sentence(sentence.tokens[:cut], sentence.empty), Sentence(sentence.tokens[cut:], sentence.empty)):
            root, *rest = [word for word in part.words if word.head is None or word.head not in part.words]
            root.head, root.label = None, "root"
            for word in rest:
                word.head = root
            found.append(part)
    sentences[:] = found


def add_blanks(sentences: list[Sentence], dice: Dice, rate: float) -> None:
    """Words with blanks in them, of several kinds."""
    for token in (token for sentence in sentences for token in sentence.tokens):
        if dice.chance(rate):
            token.form = token.form[:1] + dice.pick((" ", "\u00a0", "\u3000")) + token.form[1:]
            if not token.multi:
                token.words[0].form = token.form


def add_empty_nodes(sentences: list[Sentence], dice: Dice, rate: float) -> None:
    """Empty nodes."""
    for sentence in sentences:
        sentence.empty = dice.chance(rate)


FEATURES = ("_", "Case=Nom", "Case=Acc|Number=Sing", "Number=Sing|Case=Acc", "AdpType=Prep", "AdpType=Prep|Case=Nom")
CHANGES: dict[str, Callable[[list[Sentence], Dice, float], None]] = {
    "lemma": change_field(0, ("_", "lo", "ma")),
    "upos": change_field(1, ("NOUN", "VERB", "DET")),
    "xpos": change_field(2, ("_", "Nc", "Vf")),
    "feats": change_field(3, FEATURES),
    "labels": change_labels,
    "heads": change_heads,
    "split": split_tokens,
    "join": join_tokens,
    "multi": join_as_multiword,
    "words": make_multiword,
    "whole": join_sentences,
    "cut": split_sentences,
    "blanks": add_blanks,
    "empty": add_empty_nodes,
}
TAGS, TREES = ("lemma", "upos", "xpos", "feats"), ("labels", "heads")
TOKENS, SENTENCE_ENDS = ("split", "join", "multi", "words"), ("whole", "cut")
CASES: dict[
    str, tuple[tuple[str, ...], tuple[str, ...], float]
] = {  # changes of the gold file, of the other, how often
    "same": ((), (), 0.0),
    **{f"only {name}": ((), (name,), 0.2) for name in CHANGES},
    **{f"gold {name}": ((name,), TAGS, 0.2) for name in (*TOKENS, *SENTENCE_ENDS, "blanks", "empty", "lemma")},
    **{f"{one} against {two}": ((one,), (two, "heads"), 0.3) for one in TOKENS for two in TOKENS},
    "tags": (("lemma",), TAGS, 0.3),
    "trees": ((), TREES, 0.3),
    **{
        f"all, {rate:.0%}, {number}": ((*TOKENS, "empty"), (*CHANGES,), rate)
        for rate in (0.03, 0.1, 0.25)
        for number in range(6)
    },
}


def read(lines: str) -> list[Sentence]:
    """The sentences of the sample."""
    found = []
    for block in lines.strip().split("\n\n"):
        sentence, heads, rest = Sentence(), [], 0
        for line in block.split("\n"):
            if line.startswith("#") or "." in line.split("\t")[0]:
                continue
            id, form, *fields, head, label, _, _ = line.split("\t")
            if "-" in id:
                sentence.tokens.append(Token(form, [], True))
                rest = int(id.split("-")[1]) - int(id.split("-")[0]) + 1
                continue
            if not rest:
                sentence.tokens.append(Token(form, []))
            rest = max(rest - 1, 0)
            sentence.tokens[-1].words.append(Word(form, fields, label))
            heads.append(int(head))
        words = sentence.words
        for word, number in zip(words, heads, strict=True):
            word.head = words[number - 1] if number else None
        found.append(sentence)
    return found


def write(sentences: list[Sentence]) -> str:
    """The sentences as CoNLL-U."""
    lines = []
    for number, sentence in enumerate(sentences, 1):
        ids = {word: place for place, word in enumerate(sentence.words, 1)}
        lines.append(f"# sent_id = {number}")
        for token in sentence.tokens:
            first, last = ids[token.words[0]], ids[token.words[-1]]
            if token.multi:
                lines.append("\t".join([f"{first}-{last}", token.form, *"________"]))
            for word in token.words:
                head = ids[word.head] if word.head else 0
                lines.append("\t".join([str(ids[word]), word.form, *word.fields, str(head), word.label, "_", "_"]))
            if sentence.empty:
                lines.append("\t".join([f"{last}.1", "e", *"________"]))
        lines.append("")
    return "\n".join(lines) + "\n"


def make_pair(name: str) -> tuple[str, str]:
    """The two files of a case."""
    *changes, rate = CASES[name]
    number = list(CASES).index(name)
    sample = "".join(text(number=SENTENCES, seed=100 + number, nonprojective=0.3, format="conllu"))
    files = []
    for place, names in enumerate(changes):
        sentences, dice = read(sample), Dice(2 * number + place)
        for change in names:
            CHANGES[change](sentences, dice, rate)
        files.append(write(sentences))
    return files[0], files[1]


def count(scorer: Any, gold: str, system: str) -> dict[str, list[int | None]]:
    """What the scorer counts: in the gold file, in the other, right, aligned."""
    scores = scorer.evaluate(*(scorer.load_conllu(io.StringIO(file)) for file in (gold, system)))
    return {name: [one.gold_total, one.system_total, one.correct, one.aligned_total] for name, one in scores.items()}


def main() -> None:
    """Record."""
    sys.path.insert(0, os.environ["CONLL18"])
    import conll18_ud_eval as scorer

    lines = [f"{json.dumps(name)}: {json.dumps(count(scorer, *make_pair(name)))}" for name in CASES]
    (HERE / "conll2018.json").write_text("{\n" + ",\n".join(lines) + "\n}\n")


if __name__ == "__main__":
    main()
