"""Lists of small numbers, found by mixed keys: which tags a word may have, say."""

from libc.stdint cimport uint16_t

from malt.kernel.types cimport int32_t, int64_t, uint64_t
from malt.kernel.vector cimport vector


cdef struct Choice:
    uint64_t key  # 0: there is nothing here
    int32_t first  # where its list begins
    int32_t count


cdef class Choices:
    cdef vector[Choice] places  # open addressing, at most half full
    cdef uint64_t mask
    cdef vector[uint16_t] numbers

    cdef inline const Choice *find(self, uint64_t key) noexcept nogil:
        """The list of a key, or NULL; 0 is the key of none."""
        cdef uint64_t at = key & self.mask
        if key == 0:
            return NULL
        while self.places[at].key != key:
            if self.places[at].key == 0:
                return NULL
            at = (at + 1) & self.mask
        return &self.places[at]

    cdef inline const uint16_t *list_of(self, const Choice *choice) noexcept nogil:
        return self.numbers.data() + choice.first
