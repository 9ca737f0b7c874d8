"""Which words of two files are the same: those that cover the same characters, as the CoNLL 2018 shared task has it.

Words of multiword tokens have no characters of their own. They are looked at in multiword spans, which are as short as
they can be while no multiword token of either file sticks out; the words of both files in a span are aligned by the
longest sequence of forms that they have in common, whatever their case.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence

import numpy

from malt.data.block import Offsets
from malt.errors import DataError
from malt.evaluation.tokens import TokenizedText

MOST = 1 << 28  # pairs of words that are compared in a multiword span
SHOWN = 20  # characters of a text in an error line

Pair = tuple[int, int]


def align_words(gold: TokenizedText, system: TokenizedText) -> tuple[Offsets, Offsets]:
    """The places of the same words in both files, in order; each word is the same as one other at most."""
    ours, theirs = ~gold.multi, ~system.multi  # words that are aligned by their characters
    found: list[Pair] = []
    for (begin, end), (start, stop) in _multiword_spans(gold, system):
        ours[begin:end] = theirs[start:stop] = False
        if (end - begin) * (stop - start) > MOST:
            what = f"multiword tokens here have {end - begin:,} words, too many to be aligned"
            raise DataError(what, gold.name, int(gold.lines[begin]))
        forms = (gold.forms[begin:end].tolist(), system.forms[start:stop].tolist())
        found += [(begin + one, start + two) for one, two in longest_common(*forms)]
    one, two = numpy.flatnonzero(ours), numpy.flatnonzero(theirs)
    here, there = same_spans((gold.begins[one], gold.ends[one]), (system.begins[two], system.ends[two]))
    words = numpy.concatenate([one[here], numpy.array([pair[0] for pair in found], numpy.int64)])
    others = numpy.concatenate([two[there], numpy.array([pair[1] for pair in found], numpy.int64)])
    order = numpy.argsort(words)
    return words[order], others[order]


def same_spans(gold: tuple[Offsets, Offsets], system: tuple[Offsets, Offsets]) -> tuple[Offsets, Offsets]:
    """The places of what begins and ends at the same characters; no two of a file begin together.

    >>> same_spans((numpy.array([0, 2, 5]), numpy.array([2, 5, 6])), (numpy.array([0, 5]), numpy.array([5, 6])))
    (array([2]), array([1]))
    """
    if not len(gold[0]) or not len(system[0]):
        return numpy.zeros(0, numpy.int64), numpy.zeros(0, numpy.int64)
    place = numpy.minimum(numpy.searchsorted(system[0], gold[0]), len(system[0]) - 1)
    same = numpy.flatnonzero((system[0][place] == gold[0]) & (system[1][place] == gold[1]))
    return same, place[same]


def _multiword_spans(gold: TokenizedText, system: TokenizedText) -> Iterator[tuple[Pair, Pair]]:
    """From where to where a multiword span goes in both files.

    Both files are walked through together; whoever begins first goes ahead, and what lies between two spans is jumped
    over. A word that begins before a span and is passed by one step only is where the shared task's scorer lets a span
    begin too early; scores are only the same if this one does so, too.
    """
    files = (gold, system)
    multi = [file.multi.tolist() for file in files]
    if not any(map(any, multi)):
        return
    begins, ends = [file.begins.tolist() for file in files], [file.ends.tolist() for file in files]
    places = [[*numpy.flatnonzero(file.multi).tolist(), len(file)] for file in files]  # of words in multiword tokens
    sizes, at = [len(file) for file in files], [0, 0]

    def inside(file: int, end: int) -> bool:
        """Whether the next word of a file belongs to a span that ends there."""
        word = at[file]
        if word >= sizes[file]:
            return False
        return bool(begins[file][word] < end if multi[file][word] else ends[file][word] <= end)

    while True:
        one, two = (places[file][bisect_left(places[file], at[file])] for file in (0, 1))  # the next of these words
        beside, before = at[1], at[0]  # where the other file is when one file comes there
        if one > at[0]:
            beside = max(at[1], bisect_left(begins[1], begins[0][one - 1]))
            if beside < sizes[1] and (begins[1][beside], ends[1][beside]) == (begins[0][one - 1], ends[0][one - 1]):
                beside += 1
        if two > at[1]:
            before = max(at[0], bisect_right(begins[0], begins[1][two - 1]))
        at[:] = (one, beside) if one <= before and beside <= two else (before, two)
        if at[0] >= sizes[0] or at[1] >= sizes[1]:
            return
        lead = 0 if multi[0][at[0]] else 1  # the file with the multiword token
        other = 1 - lead
        end = ends[lead][at[lead]]
        if not multi[other][at[other]] and begins[other][at[other]] < begins[lead][at[lead]]:
            at[other] += 1
        first = list(at)
        while inside(0, end) or inside(1, end):
            ahead = at[1] >= sizes[1] or (at[0] < sizes[0] and begins[0][at[0]] <= begins[1][at[1]])
            file = 0 if ahead else 1
            if multi[file][at[file]]:
                end = max(end, ends[file][at[file]])
            at[file] += 1
        yield (first[0], at[0]), (first[1], at[1])


def longest_common(gold: Sequence[int], system: Sequence[int]) -> list[Pair]:
    """The places of a longest common sequence.

    >>> longest_common([1, 2, 3, 4], [1, 3, 5, 4])
    [(0, 0), (2, 1), (3, 3)]
    """
    same = 0
    while same < min(len(gold), len(system)) and gold[same] == system[same]:
        same += 1
    pairs = [(place, place) for place in range(same)]
    one, two = numpy.array(gold[same:], numpy.int64), numpy.array(system[same:], numpy.int64)
    if not len(one) or not len(two):
        return pairs
    passed = numpy.empty(
        (len(one), len(two)), bool
    )  # does nothing get lost if the word of the gold standard is passed?
    below = numpy.zeros(len(two) + 1, numpy.int32)  # the longest of the words that follow
    for place in reversed(range(len(one))):
        best = numpy.maximum(below[:-1], numpy.where(two == one[place], 1 + below[1:], 0))
        best = numpy.append(numpy.maximum.accumulate(best[::-1])[::-1], numpy.int32(0))
        passed[place] = best[:-1] == below[:-1]
        below = best
    g = s = 0
    while g < len(one) and s < len(two):
        if one[g] == two[s]:
            pairs.append((same + g, same + s))
            g, s = g + 1, s + 1
        elif passed[g, s]:
            g += 1
        else:
            s += 1
    return pairs


def require_same_characters(gold: TokenizedText, system: TokenizedText) -> None:
    """Refuse a file whose characters, blanks apart, are not those of the gold standard."""
    if gold.characters == system.characters:
        return
    some = min(len(gold.characters), len(system.characters))
    texts = (numpy.frombuffer(file.characters, numpy.uint8)[:some] for file in (gold, system))
    place = next(iter(numpy.flatnonzero(numpy.not_equal(*texts))[:1].tolist()), some)
    longer = max(gold.characters, system.characters, key=len)
    while place and longer[place] & 0xC0 == 0x80:  # in the middle of a character
        place -= 1
    where, what = zip(*(_place_of(file, place) for file in (gold, system)), strict=True)
    raise DataError(
        f"the text {what[1]}, but {gold.name}{where[0] and f', line {where[0]},'} {what[0]}; "
        "both files need the same characters, blanks apart",
        system.name,
        where[1],
    )


def _place_of(file: TokenizedText, place: int) -> tuple[int, str]:
    """The line of a character, or the last line, and how the text goes on there."""
    text = file.characters[place : place + 4 * SHOWN].decode(errors="ignore")[:SHOWN]
    word = int(numpy.searchsorted(file.ends, place, side="right"))
    if not len(file):
        return 0, "has no words"
    if word == len(file):
        return int(file.token_lines[-1]), "ends"
    return int(file.token_lines[word]), f"goes on with {text!r}"
