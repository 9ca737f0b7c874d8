"""Mild and strong ill-nestedness: the least gap degree of a binarisation (EACL 2009, section 5.1)."""

from libcpp.pair cimport pair

from malt.kernel.types cimport int32_t, int64_t, node_t, uint64_t
from malt.kernel.vector cimport vector


cdef enum:
    MERGING_EFFORT = 4_000_000  # elementary steps of the search for a binarisation of one tree: some 10 ms


cdef class Binarisation:
    cdef int64_t effort  # steps left

    # The projections of the words done that no head has taken yet, the first to be taken first.
    cdef vector[int32_t] intervals  # of each
    cdef vector[node_t] begin  # where each interval begins and ends
    cdef vector[node_t] end
    cdef size_t taken  # projections
    cdef size_t past  # intervals

    # Of one head: runs are the intervals of its dependents, from left to right, and of pieces that are merged from these.
    cdef vector[pair[node_t, pair[node_t, int32_t]]] runs  # begin, end, piece
    cdef vector[int32_t] count  # runs of each piece
    cdef vector[int32_t] joined  # union-find over pieces
    cdef vector[pair[int32_t, int32_t]] touching  # pieces next to each other, the lower number first
    cdef vector[char] busy  # was the piece merged in this round?

    # Of pieces that touch and cannot simply be merged
    cdef vector[int32_t] slot  # of each piece: its bit in a set; -1 if it is none of them
    cdef vector[pair[node_t, pair[node_t, int32_t]]] parts  # their runs, with bits for pieces
    cdef vector[uint64_t] derived  # sets that can be merged
    cdef vector[int32_t] wide  # intervals of each of them
    cdef vector[uint64_t] known  # the same sets, open addressing; 0 is a free place

    cdef int bounds(
        self, const node_t *order, const node_t *first, node_t words, int32_t degree, int64_t effort,
        int32_t *lower, int32_t *upper
    ) except -1 nogil
    cdef int gather(self, node_t head, int32_t dependents) except -1 nogil
    cdef int project(self, node_t head) except -1 nogil
    cdef int32_t piece(self, int32_t number) noexcept nogil
    cdef int survey(self) except -1 nogil
    cdef bint absorb(self) except -1 nogil
    cdef int settle(self, int32_t *lower, int32_t *upper) except -1 nogil
    cdef int32_t width(self, uint64_t some) noexcept nogil
    cdef int32_t in_a_row(self, int32_t members) noexcept nogil
    cdef int derive(self, int32_t members, int32_t most) except -1 nogil
    cdef bint is_new(self, uint64_t some) except -1 nogil
