"""What features see of words, and templates over it."""

cimport cython
from libc.string cimport memset

import numpy

from malt.kernel.characters cimport OTHER, kind_of, lower, tagged, take_characters, with_character
from malt.kernel.mixing cimport mix
from malt.kernel.symbols cimport text_of
from malt.kernel.weights cimport even, with_member


@cython.final
cdef class Recipe:
    """`templates` has for each template the (atom, place) of what it sees; `width` is the number of atoms of a place, and
    `first` the number of the first template, which is a part of its keys."""

    def __init__(self, templates, int width, int first=0):
        self.starts.push_back(0)
        for number, template in enumerate(templates, first + 1):
            for atom, place in template:
                if not 0 <= atom < width or not -MARGIN <= place <= MARGIN:
                    raise ValueError("a template looks too far")
                self.members.push_back(<int32_t> <int> (place * width + atom))
            self.starts.push_back(<int32_t> self.members.size())
            self.numbers.push_back(mix(<uint64_t> <int> number))

    cdef int make_keys(self, const uint64_t *atoms, vector[uint64_t] &keys) except -1 nogil:
        """Add the keys of the features of a place, whose atoms begin here. A template that would see nothing has none."""
        cdef size_t t
        cdef int32_t m
        cdef uint64_t key, value
        for t in range(self.numbers.size()):
            key = self.numbers[t]
            value = 1
            for m in range(self.starts[t], self.starts[t + 1]):
                value = atoms[self.members[m]]
                if value == 0:
                    break
                key = with_member(key, m - self.starts[t], value)
            if value:
                keys.push_back(even(mix(key)))
        return 0


@cython.final
cdef class Words:
    cdef int see(self, const Table *forms, const code_t *codes, int32_t count) except -1 nogil:
        """Find the atoms of a sentence, but for marks and tags."""
        cdef int32_t i, j, length, size, parts
        cdef const char *text
        cdef uint64_t *atoms
        cdef uint64_t exact, small, shape
        cdef uint32_t c
        cdef int kind, last
        self.atoms.resize((count + 2 * <size_t> MARGIN) * WORD_ATOMS)
        self.spellings.resize(count)
        memset(self.atoms.data(), 0, self.atoms.size() * sizeof(uint64_t))
        for i in range(-MARGIN, count + MARGIN):
            atoms = self.of(i)
            if i < 0 or i >= count:  # how far beyond the end does not matter
                for j in range(WORD_ATOMS):
                    if j < PREFIX1 or j >= TAG:
                        atoms[j] = tagged(i < 0, 1000 + <uint64_t> j)
                continue
            length = 0
            text = text_of(forms, codes[i], &length) if codes[i] >= 0 else NULL
            take_characters(text, length if text != NULL else 0, self.characters)
            size = <int32_t> self.characters.size()
            exact, small, shape, last, parts = size, size, 0, -1, 0
            for j in range(size):
                c = self.characters[j]
                exact = with_character(exact, c)
                kind = kind_of(c)
                c = lower(c)
                self.characters[j] = c
                small = with_character(small, c)
                if parts < SHAPE_PARTS and (kind == OTHER or kind != last):
                    shape = with_character(shape, c + 16 if kind == OTHER else <uint32_t> kind)
                    parts += 1
                last = kind
            self.spellings[i].exact, self.spellings[i].lower = exact, small
            atoms[FORM], atoms[LOWER], atoms[SHAPE] = tagged(exact, FORM), tagged(small, LOWER), tagged(shape, SHAPE)
            small = 0
            for j in range(min(size, <int> PREFIXES)):
                small = with_character(small, self.characters[j])
                atoms[PREFIX1 + j] = tagged(small, PREFIX1 + j)
            small = 0
            for j in range(min(size, <int> SUFFIXES)):
                small = with_character(small, self.characters[size - 1 - j])
                atoms[SUFFIX1 + j] = tagged(small, SUFFIX1 + j)
            if size:
                take_characters(text, min(length, 4), self.characters)
                self.spellings[i].first = kind_of(self.characters[0])
            else:
                self.spellings[i].first = 0
        return 0


cdef object list_keys(SymbolTable forms, const code_t[::1] codes, const int32_t[::1] tags, const int32_t[::1] coarse,
                      FormKey form_key, EndingKey ending_key):
    """Of each form with its tag the keys of its lists: as a frequent one, as another one, and of its endings, the longest
    first."""
    cdef Words words = Words()
    cdef int32_t i, j
    if tags.shape[0] != codes.shape[0] or coarse.shape[0] != codes.shape[0]:
        raise ValueError("the arrays do not fit together")
    found = numpy.zeros((codes.shape[0], 2 + LONGEST + 1), numpy.uint64)
    cdef uint64_t[:, ::1] out = found
    for i in range(<int32_t> codes.shape[0]):
        words.see(&forms.table, &codes[i], 1)
        for j in range(2):
            out[i, j] = form_key(words.spellings[0].exact, tags[i], j == 0)
        for j in range(LONGEST + 1):
            out[i, 2 + j] = ending_key(words.of(0), &words.spellings[0], LONGEST - j, coarse[i])
    return found
