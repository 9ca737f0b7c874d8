"""A lemmatizer: a script that makes the lemma of the form is chosen for each word, by a linear model.

A script changes the case of a form and some characters at its beginning and its end.
"""

cimport cython
from libc.stdint cimport uint16_t
from libc.string cimport memset

import numpy

from malt.kernel.characters cimport is_upper, lower, put_character, tagged, take_characters, to_lower, to_upper
from malt.kernel.choices cimport Choice, Choices
from malt.kernel.symbols cimport NO_MEMORY, SymbolTable, Table, intern, text_of
from malt.kernel.types cimport code_t, int32_t, int64_t, uint32_t, uint64_t
from malt.kernel.vector cimport vector
from malt.kernel.weights cimport Summation, UNIT
from malt.kernel.words cimport COARSE, LONGEST, Recipe, SUFFIX1, Spelling, TAG, Words, list_keys


cpdef enum:  # what becomes of the case
    KEEP
    LOWER_ALL
    UPPER_ALL
    UPPER_FIRST  # and lower case after it
    CASES

cdef enum:  # what a key of a list is made of
    SURE = 200  # a frequent form with its tag
    SEEN = 201  # any other form with its tag
    ENDING = 210  # an ending of so many characters, with the first part of the tag and whether there is a capital


cdef struct Script:
    int32_t case
    int32_t left  # so many characters at the beginning go
    int32_t right  # and at the end
    vector[uint32_t] before  # what comes in their place
    vector[uint32_t] after


cdef inline uint64_t ending_key(const uint64_t *atoms, const Spelling *spelling, int32_t length, int32_t coarse) noexcept nogil:
    cdef uint64_t ending = atoms[SUFFIX1 + length - 1] if length else 1
    if not ending:
        return 0
    return tagged(ending + 2 * <uint64_t> (coarse + 1) + (spelling.exact != spelling.lower), ENDING + <uint64_t> length)


cdef inline uint64_t form_key(uint64_t form, int32_t tag, bint frequent) noexcept nogil:
    return tagged(form + <uint64_t> (tag + 1) * <uint64_t> 0x9E3779B97F4A7C15, SURE if frequent else SEEN)


def lemma_keys(SymbolTable forms not None, const code_t[::1] codes not None, const int32_t[::1] tags not None,
               const int32_t[::1] coarse not None):
    """Of each form with its tag the keys of its lists, as `list_keys` makes them."""
    return list_keys(forms, codes, tags, coarse, form_key, ending_key)


@cython.final
cdef class Lemmatizer:
    """`scripts` are (case, characters that go at the beginning, at the end, what comes there, what comes here). One
    lemmatizer is for one thread; weights may be shared."""

    cdef Summation sums
    cdef Choices choices
    cdef Recipe recipe
    cdef vector[Script] scripts
    cdef Words words
    cdef vector[int32_t] candidates
    cdef vector[char] is_candidate
    cdef vector[int32_t] scores
    cdef vector[uint64_t] keys
    cdef vector[uint32_t] form
    cdef vector[char] lemma
    cdef readonly int64_t updates

    def __init__(self, weights, Choices choices not None, Recipe recipe not None, scripts):
        cdef Script script
        self.sums = Summation(weights)
        self.choices, self.recipe, self.words = choices, recipe, Words()
        for case, left, right, before, after in scripts:
            if not 0 <= case < CASES or not 0 <= left < 1 << 20 or not 0 <= right < 1 << 20:
                raise ValueError("there is no such script")
            script.case, script.left, script.right = case, left, right
            script.before.clear()
            script.after.clear()
            for character in before:
                script.before.push_back(<uint32_t> ord(character))
            for character in after:
                script.after.push_back(<uint32_t> ord(character))
            self.scripts.push_back(script)
        if self.scripts.empty() or <int64_t> self.scripts.size() > weights.classes:
            raise ValueError("there are more scripts than classes, or none")
        self.scores.assign(self.sums.stride, 0)
        self.is_candidate.assign(self.scripts.size(), 0)

    def lemmatize(self, SymbolTable forms not None, SymbolTable lemmas not None, const int32_t[::1] starts not None,
                  const code_t[::1] codes not None, const int32_t[::1] tags not None, const int32_t[::1] coarse not None):
        """The lemma of every word, by its code in a table that gets new ones; tags and their first parts may be -1."""
        cdef int32_t sentence, first, i, count, script
        cdef code_t code = 0
        found = numpy.empty(codes.shape[0], numpy.int32)
        cdef code_t[::1] out = found
        self.check(starts, codes, tags, coarse)
        with nogil:
            for sentence in range(<int32_t> starts.shape[0] - 1):
                first, count = starts[sentence], starts[sentence + 1] - starts[sentence]
                if count <= 0:
                    continue
                self.see(&forms.table, &codes[first], &tags[first], &coarse[first], count)
                for i in range(count):
                    self.take_form(&forms.table, codes[first + i])
                    self.find_candidates(i, tags[first + i], coarse[first + i], -1)
                    script = self.best(i)
                    self.apply(script)
                    code = intern(&lemmas.table, self.lemma.data(), <int64_t> self.lemma.size())
                    if code == NO_MEMORY:
                        break
                    out[first + i] = code
                if code == NO_MEMORY:
                    break
        if code == NO_MEMORY:
            raise MemoryError
        return found

    def learn(self, SymbolTable forms not None, const int32_t[::1] starts not None, const code_t[::1] codes not None,
              const int32_t[::1] tags not None, const int32_t[::1] coarse not None, const int32_t[::1] gold not None,
              const int32_t[::1] order not None):
        """Learn from some sentences, in this order; a word without a script, -1, is passed over."""
        cdef int64_t s
        cdef int32_t i, first, count, script
        self.check(starts, codes, tags, coarse)
        if gold.shape[0] != codes.shape[0]:
            raise ValueError("the arrays do not fit together")
        for s in range(gold.shape[0]):
            if not -1 <= gold[s] < <int32_t> self.scripts.size():
                raise ValueError("there is no such script")
        with nogil:
            for s in range(order.shape[0]):
                first = starts[order[s]]
                count = starts[order[s] + 1] - first
                if count > 0:
                    self.see(&forms.table, &codes[first], &tags[first], &coarse[first], count)
                for i in range(count):
                    if gold[first + i] < 0:
                        continue
                    self.take_form(&forms.table, codes[first + i])
                    self.find_candidates(i, tags[first + i], coarse[first + i], gold[first + i])
                    script = self.best(i)
                    if script != gold[first + i]:
                        self.updates += 1
                        self.sums.change(self.keys.data(), <int64_t> self.keys.size(), gold[first + i], UNIT)
                        self.sums.change(self.keys.data(), <int64_t> self.keys.size(), script, -UNIT)
                self.sums.weights.clock += 1

    cdef int check(self, const int32_t[::1] starts, const code_t[::1] codes, const int32_t[::1] tags,
                   const int32_t[::1] coarse) except -1:
        if starts[starts.shape[0] - 1] > codes.shape[0] or tags.shape[0] != codes.shape[0] \
                or coarse.shape[0] != codes.shape[0]:
            raise ValueError("the arrays do not fit together")
        return 0

    cdef int see(self, const Table *forms, const code_t *codes, const int32_t *tags, const int32_t *coarse,
                 int32_t count) except -1 nogil:
        """Look at the words of a sentence and at their tags."""
        cdef int32_t i
        self.words.see(forms, codes, count)
        for i in range(count):
            self.words.of(i)[TAG] = tagged(tags[i], TAG) if tags[i] >= 0 else 0
            self.words.of(i)[COARSE] = tagged(coarse[i], COARSE) if coarse[i] >= 0 else 0
        return 0

    cdef int take_form(self, const Table *forms, code_t code) except -1 nogil:
        cdef int32_t length = 0
        cdef const char *text = text_of(forms, code, &length) if code >= 0 else NULL
        return take_characters(text, length if text != NULL else 0, self.form)

    cdef inline bint fits(self, int32_t number) noexcept nogil:
        """Whether a script leaves something of the form, or has something in its place."""
        cdef int64_t size = <int64_t> self.form.size()
        cdef int64_t gone = self.scripts[number].left + self.scripts[number].right
        return gone < size or (gone == size and self.scripts[number].before.size() + self.scripts[number].after.size() > 0)

    cdef int offer(self, const Choice *found) except -1 nogil:
        """Have the scripts of a list among the candidates, as far as they fit."""
        cdef int32_t j, number
        if found != NULL:
            for j in range(found.count):
                number = self.choices.list_of(found)[j]
                if not self.is_candidate[number] and self.fits(number):
                    self.is_candidate[number] = 1
                    self.candidates.push_back(number)
        return 0

    cdef int find_candidates(self, int32_t word, int32_t tag, int32_t coarse, int32_t gold) except -1 nogil:
        cdef const Spelling *spelling = &self.words.spellings[word]
        cdef const Choice *found
        cdef int32_t length = LONGEST
        cdef size_t i
        self.candidates.clear()
        found = self.choices.find(form_key(spelling.exact, tag, True))
        if found == NULL:
            found = self.choices.find(form_key(spelling.exact, tag, False))
        while found == NULL and length >= 0:
            found = self.choices.find(ending_key(self.words.of(word), spelling, length, coarse))
            length -= 1
        self.offer(found)
        if gold >= 0 and not self.is_candidate[gold]:
            self.is_candidate[gold] = 1
            self.candidates.push_back(gold)
        for i in range(self.candidates.size()):
            self.is_candidate[self.candidates[i]] = 0
        return 0

    cdef int32_t best(self, int32_t word) except -2 nogil:
        """The best candidate; -1 if there is none."""
        cdef size_t i
        cdef int32_t best
        if self.candidates.empty():
            return -1
        best = self.candidates[0]
        if self.candidates.size() == 1:
            return best
        self.keys.clear()
        self.recipe.make_keys(self.words.of(word), self.keys)
        memset(self.scores.data(), 0, self.scores.size() * sizeof(int32_t))
        self.sums.sum_up(self.keys.data(), <int64_t> self.keys.size(), self.scores.data())
        for i in range(1, self.candidates.size()):
            if self.scores[self.candidates[i]] > self.scores[best]:
                best = self.candidates[i]
        return best

    cdef int apply(self, int32_t number) except -1 nogil:
        """Make the lemma of a form; without a script it is the form."""
        cdef size_t i
        cdef uint32_t c
        cdef Script *script
        self.lemma.clear()
        if number < 0:
            for i in range(self.form.size()):
                put_character(self.lemma, self.form[i])
            return 0
        script = &self.scripts[number]
        for i in range(script.before.size()):
            put_character(self.lemma, script.before[i])
        for i in range(script.left, self.form.size() - script.right):
            c = self.form[i]
            if script.case == LOWER_ALL or (script.case == UPPER_FIRST and i > 0):
                c = to_lower(c)
            elif script.case == UPPER_ALL or script.case == UPPER_FIRST:
                c = to_upper(c)
            put_character(self.lemma, c)
        for i in range(script.after.size()):
            put_character(self.lemma, script.after[i])
        return 0
