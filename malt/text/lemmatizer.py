"""The lemmatizer: scripts that make lemmas of forms, what is learned, and what lemmatizes with it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from threading import Event

import numpy

from malt.data.block import Integers
from malt.kernel import words
from malt.kernel.lemmatizer import KEEP, LOWER_ALL, UPPER_ALL, UPPER_FIRST, Lemmatizer, lemma_keys
from malt.kernel.symbols import SymbolTable
from malt.kernel.weights import PackedTable, WeightTable
from malt.learning.averages import Averaged, fitted_weights
from malt.text.lists import Lists, Seen, make_lists, words_of
from malt.text.recipes import find_templates, make_recipe

PASSES = 8
SURE, RARE = 10, 1 << 30  # how often frequent words were seen; all words say what becomes of their endings
LEAST = 3  # words that a script of an ending must have had
MOST_SCRIPTS = 20_000

Script = tuple[int, int, int, str, str]  # case, characters that go at the beginning and at the end, what comes there
_CASES = ((KEEP, str), (LOWER_ALL, str.lower), (UPPER_FIRST, str.capitalize), (UPPER_ALL, str.upper))


@cache
def find_script(form: str, lemma: str) -> Script:
    """The shortest script that makes a lemma of a form.

    >>> find_script("Houses", "house") == (LOWER_ALL, 0, 1, "", "")
    True
    >>> find_script("gesehen", "sehen"), find_script("was", "be")
    ((0, 2, 0, '', ''), (0, 0, 3, '', 'be'))
    """
    best: tuple[int, Script] | None = None
    for case, change in _CASES:
        changed = change(form)
        if len(changed) != len(form) or (best is not None and changed == form):
            continue
        left, there, size = _common(changed, lemma)
        if not size:
            left = there = 0
        script = (case, left, len(form) - left - size, lemma[:there], lemma[there + size :])
        # A lemma that is all case has nothing to do with the form.
        cost = sum(script[1:3]) + len(script[3]) + len(script[4]) + (case != KEEP)
        if best is None or cost < best[0]:
            best = cost, script
    assert best is not None
    return best[1]


def _common(one: str, other: str) -> tuple[int, int, int]:
    """Where the longest part that two texts share begins in each, and its length; the first of several."""
    best, before = (0, 0, 0), [0] * (len(other) + 1)
    for i, a in enumerate(one):
        now = [0] * (len(other) + 1)
        for j, b in enumerate(other):
            if a == b:
                now[j + 1] = before[j] + 1
                if now[j + 1] > best[2]:
                    best = i - before[j], j - before[j], now[j + 1]
        before = now
    return best


@dataclass(frozen=True)
class LemmatizerModel:
    """What was learned."""

    scripts: Sequence[Script]
    lists: Lists
    weights: Averaged
    templates: Sequence[str]
    _tables: list[PackedTable] = field(default_factory=list, init=False, compare=False)

    def make_lemmatizer(self) -> Lemmatizer:
        """A lemmatizer, for one thread."""
        if not self._tables:
            self._tables.append(PackedTable(len(self.scripts), *self.weights))
        return _lemmatizer(self._tables[0], self.lists, self.scripts, self.templates)


def _lemmatizer(
    table: WeightTable | PackedTable, lists: Lists, scripts: Sequence[Script], templates: Sequence[str]
) -> Lemmatizer:
    recipe = make_recipe(templates, words, words.WORD_ATOMS)
    return Lemmatizer(table, lists.choices(len(scripts)), recipe, scripts)


@dataclass
class LemmatizedWords:
    """Sentences to learn lemmas from: codes of forms, numbers of tags and of their first parts, and codes of lemmas."""

    forms: SymbolTable
    lemmas: SymbolTable
    starts: Integers
    codes: Integers
    tags: Integers
    coarse: Integers
    gold: Integers
    _scripts: tuple[list[Script], Integers] | None = field(default=None, init=False)

    def scripts(self) -> tuple[list[Script], Integers]:
        """All scripts, and the number of that of each word; -1: its form or its lemma is not known."""
        if self._scripts is None:
            self._scripts = self._find_scripts()
        return self._scripts

    def _find_scripts(self) -> tuple[list[Script], Integers]:
        pairs, places = numpy.unique(numpy.stack([self.codes, self.gold], axis=1), axis=0, return_inverse=True)
        numbers: dict[Script, int] = {}
        of_pair = []
        for form_code, lemma_code in pairs.tolist():
            form, lemma = self.forms.symbol(form_code), self.lemmas.symbol(lemma_code)
            if form is None or lemma is None or (lemma == "_" and form != "_"):
                of_pair.append(-1)
                continue
            script = find_script(form, lemma)
            if len(numbers) < MOST_SCRIPTS:
                numbers.setdefault(script, len(numbers))
            of_pair.append(numbers.get(script, -1))
        return list(numbers), numpy.array(of_pair, numpy.int32)[places.ravel()]

    def lists(self, sentences: Integers) -> Lists:
        """Which scripts words of some sentences may have."""
        _, gold = self.scripts()
        places = words_of(self.starts, sentences)
        places = places[gold[places] >= 0]
        rows = numpy.stack([self.codes, self.tags, self.coarse, gold], axis=1)[places]
        unique, counts = numpy.unique(rows, axis=0, return_counts=True)
        kinds, of_kind = numpy.unique(unique[:, :3], axis=0, return_inverse=True)
        keys = lemma_keys(self.forms, *(numpy.ascontiguousarray(kinds[:, place]) for place in range(3))).tolist()
        seen: list[dict[int, int]] = [{} for _ in kinds]
        for place, script, count in zip(of_kind.ravel().tolist(), unique[:, 3].tolist(), counts.tolist(), strict=True):
            seen[place][script] = count
        return make_lists(map(Seen, keys, seen), SURE, RARE, LEAST)


def learn_lemmatizer(
    found: LemmatizedWords, sentences: Integers, seed: int = 1, stop: Event | None = None
) -> LemmatizerModel | None:
    """Learn from some sentences; nothing if no word has a lemma."""
    scripts, gold = found.scripts()
    if not scripts:
        return None
    lists = found.lists(sentences)
    table = WeightTable(len(scripts))
    templates = find_templates("lemmatizer")
    lemmatizer = _lemmatizer(table, lists, scripts, templates)
    random = numpy.random.Generator(numpy.random.PCG64(seed))
    for _ in range(PASSES):
        order = sentences[random.permutation(len(sentences))].astype(numpy.int32)
        for begin in range(0, len(order), 1000):
            part = order[begin : begin + 1000]
            lemmatizer.learn(found.forms, found.starts, found.codes, found.tags, found.coarse, gold, part)
            if stop is not None and stop.is_set():
                raise KeyboardInterrupt
    return LemmatizerModel(scripts, lists, fitted_weights(table.averaged()), templates)
