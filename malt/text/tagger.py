"""The tagger: what is learned, and what tags with it. All columns of tags are predicted as one tag."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from threading import Event

import numpy

from malt.data.block import Integers
from malt.kernel import words
from malt.kernel.symbols import SymbolTable
from malt.kernel.tagger import Tagger, word_keys
from malt.kernel.weights import PackedTable, WeightTable
from malt.learning.averages import Averaged, fitted_weights, mean_weights
from malt.text.lists import Lists, Seen, make_lists, words_of
from malt.text.recipes import find_templates, make_recipe

BEAM = 4
PASSES, SEEDS = 10, 3  # the mean of three is a tenth of a point better than one, on English
SURE, RARE = 40, 20  # how often frequent words were seen, and how often those that endings are learned from
HISTORY = 1000  # the number of the first template that sees tags

Tag = tuple[str, ...]  # the values of the columns


@dataclass(frozen=True)
class TaggerModel:
    """What was learned."""

    columns: tuple[str, ...]  # those that are tagged
    tags: Sequence[Tag]
    lists: Lists
    weights: Averaged
    local: Sequence[str]  # templates: of words alone ...
    history: Sequence[str]  # ... and of the tags before
    _tables: list[PackedTable] = field(default_factory=list, init=False, compare=False)

    def make_tagger(self) -> Tagger:
        """A tagger, for one thread."""
        parts, classes = parts_of(self.tags)
        if not self._tables:
            self._tables.append(PackedTable(classes, *self.weights))
        return _tagger(self._tables[0], self.lists, parts, self.local, self.history)


def _tagger(
    table: WeightTable | PackedTable, lists: Lists, parts: Integers, local: Sequence[str], history: Sequence[str]
) -> Tagger:
    alone = make_recipe(local, words, words.WORD_ATOMS)
    after = make_recipe(history, words, words.WORD_ATOMS, HISTORY)
    return Tagger(table, lists.choices(len(parts)), alone, after, parts, BEAM)


def parts_of(tags: Sequence[Tag]) -> tuple[Integers, int]:
    """The classes of the parts of each tag, and the number of all classes; a tag of one column has no parts.

    >>> parts_of([("NOUN", "NN"), ("NOUN", "NNS")])
    (array([[2, 3],
           [2, 4]], dtype=int32), 5)
    """
    width = len(tags[0]) if tags else 0
    numbers: dict[tuple[int, str], int] = {}
    rows = [
        [numbers.setdefault((place, part), len(tags) + len(numbers)) for place, part in enumerate(tag)] for tag in tags
    ]
    if width < 2:
        return numpy.zeros((len(tags), 0), numpy.int32), len(tags)
    return numpy.array(rows, numpy.int32), len(tags) + len(numbers)


@dataclass
class TaggedWords:
    """Sentences to learn tags from."""

    columns: tuple[str, ...]
    forms: SymbolTable
    starts: Integers
    codes: Integers  # of the forms
    tags: Sequence[Tag]
    gold: Integers  # the number of each word's tag
    _keys: dict[int, list[int]] = field(default_factory=dict, init=False)

    def __len__(self) -> int:
        return len(self.starts) - 1

    def keys(self) -> dict[int, list[int]]:
        """The keys of the lists of each form."""
        if not self._keys:
            codes = numpy.unique(self.codes)
            self._keys = dict(zip(codes.tolist(), word_keys(self.forms, codes).tolist(), strict=True))
        return self._keys

    def lists(self, sentences: Integers) -> Lists:
        """What words of some sentences may be."""
        places = words_of(self.starts, sentences)
        pairs, counts = numpy.unique(
            self.codes[places].astype(numpy.int64) << 32 | self.gold[places], return_counts=True
        )
        seen: dict[int, dict[int, int]] = {}
        for pair, count in zip(pairs.tolist(), counts.tolist(), strict=True):
            seen.setdefault(pair >> 32, {})[pair & 0xFFFFFFFF] = count
        keys = self.keys()
        return make_lists((Seen(keys[code], found) for code, found in seen.items()), SURE, RARE)


def learn_tagger(
    found: TaggedWords,
    sentences: Integers,
    seed: int = 1,
    stop: Event | None = None,
    passes: int = PASSES,
    seeds: int = 1,
) -> TaggerModel:
    """Learn from some sentences; with several seeds, the weights are the mean."""
    lists = found.lists(sentences)
    parts, classes = parts_of(found.tags)
    local, history = find_templates("tagger"), find_templates("history")
    weights = []
    for number in range(seed, seed + seeds):
        table = WeightTable(classes)
        tagger = _tagger(table, lists, parts, local, history)
        random = numpy.random.Generator(numpy.random.PCG64(number))
        for _ in range(passes):
            order = sentences[random.permutation(len(sentences))].astype(numpy.int32)
            for begin in range(0, len(order), 1000):
                tagger.learn(found.forms, found.starts, found.codes, found.gold, order[begin : begin + 1000])
                if stop is not None and stop.is_set():
                    raise KeyboardInterrupt
        weights.append(table.averaged())
    return TaggerModel(found.columns, found.tags, lists, fitted_weights(mean_weights(weights)), local, history)
