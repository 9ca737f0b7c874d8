"""A tagger: a linear model over the words of a sentence and the tags before, searched with a small beam.

A tag is a class, and so is each part of it (the universal tag, say): a tag scores what it and its parts do. What a word
may be comes from lists: frequent words are what they were, others also what their endings say.
"""

cimport cython
from libc.stdint cimport uint16_t
from libc.string cimport memset

import numpy

from malt.kernel.characters cimport tagged
from malt.kernel.choices cimport Choice, Choices
from malt.kernel.symbols cimport SymbolTable, Table
from malt.kernel.types cimport code_t, int32_t, int64_t, uint64_t
from malt.kernel.vector cimport vector
from malt.kernel.weights cimport Summation, UNIT
from malt.kernel.words cimport COARSE, FORM, LONGEST, MARK, Recipe, SUFFIX1, Spelling, TAG, Words, list_keys


cdef enum:  # what a key of a list is made of
    SURE = 100  # a frequent form
    SEEN = 101  # any other form
    ENDING = 110  # an ending of so many characters, with the kind of the first character
    UNKNOWN = -1  # the tag, so far


cdef inline uint64_t form_key(uint64_t form, int32_t tag, bint frequent) noexcept nogil:
    return tagged(form, SURE if frequent else SEEN)


cdef inline uint64_t ending_key(const uint64_t *atoms, const Spelling *spelling, int32_t length, int32_t coarse) noexcept nogil:
    cdef uint64_t ending = atoms[SUFFIX1 + length - 1] if length else 1
    return tagged(ending, ENDING + 16 * <uint64_t> length + <uint64_t> spelling.first) if ending else 0


def word_keys(SymbolTable forms not None, const code_t[::1] codes not None):
    """Of each form the keys of its lists, as `list_keys` makes them."""
    unknown = numpy.full(codes.shape[0], UNKNOWN, numpy.int32)
    return list_keys(forms, codes, unknown, unknown, form_key, ending_key)


cdef struct Item:  # of a beam
    int64_t score
    int32_t tag
    int32_t last  # the tag before; -1: none
    int32_t before  # its item in the beam before
    bint right  # is it what it should be, so far?


@cython.final
cdef class Tagger:
    """`parts` has for each tag the classes of its parts. One tagger is for one thread; weights may be shared."""

    cdef Summation sums
    cdef Choices choices
    cdef Recipe local, history
    cdef readonly int32_t tags
    cdef int32_t width  # parts of a tag
    cdef int32_t beam
    cdef vector[int32_t] parts
    cdef Words words
    cdef vector[int32_t] candidates
    cdef vector[int64_t] own  # what the words alone say of each candidate
    cdef vector[int32_t] scores
    cdef vector[uint64_t] keys
    cdef vector[Item] items  # beam items per word
    cdef vector[int32_t] counts  # of each word
    cdef vector[char] is_candidate
    cdef readonly int64_t updates

    def __init__(self, weights, Choices choices not None, Recipe local not None, Recipe history not None,
                 const int32_t[:, ::1] parts not None, int beam):
        cdef int32_t i, j
        self.sums = Summation(weights)
        self.choices, self.local, self.history, self.words = choices, local, history, Words()
        self.tags, self.width, self.beam = <int32_t> parts.shape[0], <int32_t> parts.shape[1], beam
        if not 0 < self.tags <= weights.classes or beam < 1:
            raise ValueError("there are more tags than classes")
        for i in range(self.tags):
            for j in range(self.width):
                if not 0 <= parts[i, j] < weights.classes:
                    raise ValueError("a part of a tag is no class")
                self.parts.push_back(parts[i, j])
        self.parts.push_back(0)
        self.scores.assign(self.sums.stride, 0)
        self.is_candidate.assign(self.tags, 0)

    def tag(self, SymbolTable forms not None, const int32_t[::1] starts not None, const code_t[::1] codes not None,
            const int32_t[:, ::1] given=None):
        """The tag of every word. `given` has, of each word, the classes of parts that are known, and -1 for others."""
        cdef int32_t sentence, first, i, j, count, place
        found = numpy.empty(codes.shape[0], numpy.int32)
        cdef int32_t[::1] out = found
        cdef const int32_t *known
        if starts[starts.shape[0] - 1] > codes.shape[0] or (given is not None and (
                given.shape[0] != codes.shape[0] or given.shape[1] != self.width)):
            raise ValueError("the arrays do not fit together")
        with nogil:
            for sentence in range(<int32_t> starts.shape[0] - 1):
                first, count = starts[sentence], starts[sentence + 1] - starts[sentence]
                if count <= 0:
                    continue
                self.begin(&forms.table, &codes[first], count)
                for i in range(count):
                    known = &given[first + i, 0] if given is not None and self.width else NULL
                    self.advance(i, -1, known)
                place = 0
                for j in range(count):
                    i = count - 1 - j
                    out[first + i] = self.item(i, place).tag
                    place = self.item(i, place).before
        return found

    def learn(self, SymbolTable forms not None, const int32_t[::1] starts not None, const code_t[::1] codes not None,
              const int32_t[::1] gold not None, const int32_t[::1] order not None):
        """Learn from some sentences, in this order: where the search goes wrong, from the part of the sentence up to where
        it is most wrong (max-violation; Huang, Fayong and Guo 2012)."""
        cdef int64_t i
        if starts[starts.shape[0] - 1] > codes.shape[0] or gold.shape[0] != codes.shape[0]:
            raise ValueError("the arrays do not fit together")
        for i in range(gold.shape[0]):
            if not 0 <= gold[i] < self.tags:
                raise ValueError("there is no such tag")
        with nogil:
            for i in range(order.shape[0]):
                if starts[order[i]] < starts[order[i] + 1]:
                    self.learn_one(&forms.table, &codes[starts[order[i]]], &gold[starts[order[i]]],
                                   starts[order[i] + 1] - starts[order[i]])
                self.sums.weights.clock += 1

    cdef inline Item *item(self, int32_t word, int32_t place) noexcept nogil:
        return self.items.data() + <int64_t> word * self.beam + place

    cdef int begin(self, const Table *forms, const code_t *codes, int32_t count) except -1 nogil:
        """Look at the words of a sentence."""
        cdef int32_t i, j
        cdef const Choice *found
        cdef uint64_t mark
        self.words.see(forms, codes, count)
        for i in range(count):
            found = self.choices.find(form_key(self.words.spellings[i].exact, UNKNOWN, True))
            if found != NULL:
                mark = 0
                for j in range(found.count):
                    mark = tagged(mark, self.choices.list_of(found)[j])
                self.words.of(i)[MARK] = tagged(mark, MARK)
        if self.items.size() < <size_t> count * self.beam:
            self.items.resize(<size_t> count * self.beam)
        if self.counts.size() < <size_t> count:
            self.counts.resize(count)
        return 0

    cdef int offer(self, const Choice *found) except -1 nogil:
        """Have the tags of a list among the candidates."""
        cdef int32_t j, tag
        if found != NULL:
            for j in range(found.count):
                tag = self.choices.list_of(found)[j]
                if not self.is_candidate[tag]:
                    self.is_candidate[tag] = 1
                    self.candidates.push_back(tag)
        return 0

    cdef const Choice *find_form(self, uint64_t form) noexcept nogil:
        cdef const Choice *found = self.choices.find(form_key(form, UNKNOWN, True))
        return found if found != NULL else self.choices.find(form_key(form, UNKNOWN, False))

    cdef int find_candidates(self, int32_t word, int32_t gold, const int32_t *known) except -1 nogil:
        cdef const Spelling *spelling = &self.words.spellings[word]
        cdef const Choice *found
        cdef int32_t j, length = LONGEST
        cdef size_t i
        self.candidates.clear()
        found = self.find_form(spelling.exact)
        self.offer(found)
        if found == NULL:
            if spelling.lower != spelling.exact:
                self.offer(self.find_form(spelling.lower))
            while found == NULL and length >= 0:
                found = self.choices.find(ending_key(self.words.of(word), spelling, length, UNKNOWN))
                length -= 1
            self.offer(found)
        if gold >= 0 and not self.is_candidate[gold]:
            self.is_candidate[gold] = 1
            self.candidates.push_back(gold)
        if self.candidates.empty():
            for j in range(self.tags):
                self.candidates.push_back(j)
        for i in range(self.candidates.size()):
            self.is_candidate[self.candidates[i]] = 0
        if known != NULL:
            self.keep_known(known)
        return 0

    cdef int keep_known(self, const int32_t *known) except -1 nogil:
        """Leave out what does not have the parts that are known, unless nothing has them."""
        cdef vector[int32_t] kept
        cdef size_t i
        cdef int32_t j
        cdef bint some = False
        for j in range(self.width):
            some = some or known[j] >= 0
        if not some:
            return 0
        for i in range(self.candidates.size()):
            if self.has_parts(self.candidates[i], known):
                kept.push_back(self.candidates[i])
        if kept.empty():
            for j in range(self.tags):
                if self.has_parts(j, known):
                    kept.push_back(j)
        if not kept.empty():
            self.candidates.swap(kept)
        return 0

    cdef inline bint has_parts(self, int32_t tag, const int32_t *known) noexcept nogil:
        cdef int32_t j
        for j in range(self.width):
            if known[j] >= 0 and known[j] != self.parts[tag * self.width + j]:
                return False
        return True

    cdef inline int64_t score_of(self, int32_t tag) noexcept nogil:
        """What the scores say of a tag and its parts."""
        cdef int64_t score = self.scores[tag]
        cdef int32_t j
        for j in range(self.width):
            score += self.scores[self.parts[tag * self.width + j]]
        return score

    cdef int sum_up(self) except -1 nogil:
        memset(self.scores.data(), 0, self.scores.size() * sizeof(int32_t))
        return self.sums.sum_up(self.keys.data(), <int64_t> self.keys.size(), self.scores.data())

    cdef int remember(self, int32_t word, int32_t tag, int32_t last) noexcept nogil:
        """Put the tags before a word where templates see them."""
        cdef uint64_t *atoms
        if word > 0:
            atoms = self.words.of(word - 1)
            atoms[TAG] = tagged(tag, TAG)
            atoms[COARSE] = tagged(self.parts[tag * self.width] if self.width else tag, COARSE)
        if word > 1:
            atoms = self.words.of(word - 2)
            atoms[TAG] = tagged(last, TAG)
            atoms[COARSE] = tagged(self.parts[last * self.width] if self.width else last, COARSE)
        return 0

    cdef int make_history(self, int32_t word, int32_t tag, int32_t last) except -1 nogil:
        self.keys.clear()
        self.remember(word, tag, last)
        return self.history.make_keys(self.words.of(word), self.keys)

    cdef int advance(self, int32_t word, int32_t gold, const int32_t *known) except -1 nogil:
        """The beam of a word from that of the word before."""
        cdef Item *items = self.item(word, 0)
        cdef const Item *before
        cdef int32_t b, count = 0, befores = self.counts[word - 1] if word else 1
        cdef size_t k
        cdef int64_t score
        self.find_candidates(word, gold, known)
        self.own.assign(self.candidates.size(), 0)
        if self.candidates.size() > 1:
            self.keys.clear()
            self.local.make_keys(self.words.of(word), self.keys)
            self.sum_up()
            for k in range(self.candidates.size()):
                self.own[k] = self.score_of(self.candidates[k])
        for b in range(befores):
            before = self.item(word - 1, b) if word else NULL
            if self.candidates.size() > 1 or befores > 1:
                self.make_history(word, before.tag if word else -1, before.last if word else -1)
                self.sum_up()
            else:
                self.scores[self.candidates[0]] = 0
            for k in range(self.candidates.size()):
                score = (before.score if word else 0) + self.own[k]
                if self.candidates.size() > 1 or befores > 1:
                    score += self.score_of(self.candidates[k])
                count = self.insert(items, count, score, self.candidates[k], before.tag if word else -1, b,
                                    (before.right if word else True) and self.candidates[k] == gold)
        self.counts[word] = count
        return 0

    cdef int32_t insert(self, Item *items, int32_t count, int64_t score, int32_t tag, int32_t last, int32_t before,
                        bint right) noexcept nogil:
        """Put an item into a beam, if it is good enough; of those with the same two tags at the end only the best stays."""
        cdef int32_t i, at
        if count == self.beam and score <= items[count - 1].score:
            return count
        at = count if count < self.beam else count - 1
        for i in range(count):
            if items[i].tag == tag and items[i].last == last:
                if items[i].score >= score:
                    return count
                at = i
                break
        if at == count:
            count += 1
        while at > 0 and items[at - 1].score < score:
            items[at] = items[at - 1]
            at -= 1
        items[at].score, items[at].tag, items[at].last, items[at].before, items[at].right = score, tag, last, before, right
        return count

    cdef int learn_one(self, const Table *forms, const code_t *codes, const int32_t *gold, int32_t count) except -1 nogil:
        cdef int32_t i, k, until = -1
        cdef int64_t right = 0, most = -1
        cdef bint same = True  # is there one derivation only, the right one, so far?
        self.begin(forms, codes, count)
        for i in range(count):
            self.advance(i, gold[i], NULL)
            # What the right derivation scores, be it in the beam or not.
            if self.candidates.size() > 1 or not same:
                for k in range(<int32_t> self.candidates.size()):
                    if self.candidates[k] == gold[i]:
                        right += self.own[k]
                self.make_history(i, gold[i - 1] if i else -1, gold[i - 2] if i > 1 else -1)
                self.sum_up()
                right += self.score_of(gold[i])
            same = same and self.candidates.size() == 1
            if not self.item(i, 0).right and self.item(i, 0).score - right >= most:
                most, until = self.item(i, 0).score - right, i
        if until >= 0:
            self.update(gold, until)
        return 0

    cdef int update(self, const int32_t *gold, int32_t until) except -1 nogil:
        """Learn that the best derivation up to a word is wrong."""
        cdef vector[int32_t] found
        cdef int32_t i, place = 0
        found.resize(until + 1)
        for i in range(until, -1, -1):
            found[i] = self.item(i, place).tag
            place = self.item(i, place).before
        self.updates += 1
        for i in range(until + 1):
            if found[i] == gold[i] and (i == 0 or found[i - 1] == gold[i - 1]) and (i < 2 or found[i - 2] == gold[i - 2]):
                continue
            if found[i] != gold[i]:
                self.keys.clear()
                self.local.make_keys(self.words.of(i), self.keys)
                self.change(gold[i], UNIT)
                self.change(found[i], -UNIT)
            self.make_history(i, gold[i - 1] if i else -1, gold[i - 2] if i > 1 else -1)
            self.change(gold[i], UNIT)
            self.make_history(i, found[i - 1] if i else -1, found[i - 2] if i > 1 else -1)
            self.change(found[i], -UNIT)
        return 0

    cdef int change(self, int32_t tag, int32_t amount) except -1 nogil:
        cdef int32_t j
        cdef int64_t count = <int64_t> self.keys.size()
        self.sums.change(self.keys.data(), count, tag, amount)
        for j in range(self.width):
            self.sums.change(self.keys.data(), count, self.parts[tag * self.width + j], amount)
        return 0
