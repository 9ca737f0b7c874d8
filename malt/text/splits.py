"""Tokens that are several words: those that were seen, and what their endings say of others."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from malt.kernel.tokenizer import UNTIL_END, token_key
from malt.text.lists import Lists
from malt.text.surface import SurfaceToken

Split = tuple[tuple[int, int, str], ...]  # of each word: what it has of the token, counted from its end, and what more

LONGEST, FEWEST = 10, 2  # characters of an ending, and tokens that it must have been seen with
NO_SPLIT: Split = ()


def find_split(form: str, words: Sequence[str]) -> Split:
    """How the words of a token are made of it.

    >>> find_split("don't", ["do", "n't"])
    ((-1, 3, ''), (3, 0, ''))
    >>> find_split("del", ["de", "el"])
    ((-1, 1, ''), (0, 0, 'el'))
    """
    size = len(form)
    if "".join(words) == form:
        found, at = [], 0
        for number, word in enumerate(words):
            found.append((size - at if number else UNTIL_END, size - at - len(word), ""))
            at += len(word)
        return tuple(found)
    first, common = words[0], 0
    while common < min(len(first), size) and first[common] == form[common]:
        common += 1
    beginning = (UNTIL_END, size - common, first[common:]) if common else (0, 0, first.lower())
    return (beginning, *((0, 0, word.lower()) for word in words[1:]))


def learn_splits(tokens: Iterable[SurfaceToken]) -> tuple[list[Split], Lists]:
    """All ways to split a token, and which of them tokens and endings have. A token is what it mostly was; an ending
    says something if most tokens that have it are split in the same way."""
    seen: dict[str, Counter[Split]] = {}
    for token in tokens:
        split = find_split(token.form, token.words) if len(token.words) > 1 else NO_SPLIT
        seen.setdefault(token.form.lower(), Counter())[split] += 1
    best = {form: max(counts, key=lambda split: (counts[split], split)) for form, counts in seen.items()}
    endings: dict[str, Counter[Split]] = {}
    for form, split in best.items():
        for length in range(1, min(LONGEST, len(form) - 1) + 1):
            endings.setdefault(form[-length:], Counter())[split] += 1
    rules: dict[str, Split] = {}
    for ending in sorted(endings, key=lambda text: (len(text), text)):
        counts = endings[ending]
        split = max(counts, key=lambda split: (counts[split], split))
        says = counts[split] >= FEWEST and 2 * counts[split] > counts.total() and _covers(ending, split)
        shorter = next((rules[ending[at:]] for at in range(1, len(ending)) if ending[at:] in rules), NO_SPLIT)
        if says and split != shorter:
            rules[ending] = split
    numbers: dict[Split, int] = {}
    lists: dict[int, list[int]] = {}

    def enter(key: int, split: Split) -> None:
        lists[key] = [numbers.setdefault(split, len(numbers))] if split else []

    for ending, split in sorted(rules.items()):
        enter(token_key(ending, False), split)
    for form, split in sorted(best.items()):
        known = next((rules[form[at:]] for at in range(1, len(form)) if form[at:] in rules), NO_SPLIT)
        if split != known:
            enter(token_key(form, True), split)
    return list(numbers), Lists.of(lists)


def _covers(ending: str, split: Split) -> bool:
    """Whether an ending has all that the split takes from a token or leaves out of it, but for its beginning."""
    return not split or (split[0][0] == UNTIL_END and split[0][1] <= len(ending))
