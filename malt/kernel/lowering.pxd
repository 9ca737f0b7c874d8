"""Lowering: the deprojectivization of a sentence."""

from libc.stdint cimport uint8_t
from libcpp.vector cimport vector

from malt.kernel.types cimport code_t, int32_t, int64_t, node_t

cdef enum:  # what is searched for
    C_SEARCH_HEAD  # a word with the label of the head
    C_SEARCH_PATH  # the end of a path of marks
    C_SEARCH_BOTH  # the end of such a path with the label of the head

cdef enum:
    CALLS = 10_000  # visits of words after which dependents are no longer visited twice
    STEPS = 1_000_000_000  # words looked at, after which nothing is visited a second time: some seconds


cdef struct Visit:
    node_t word
    int32_t attempts  # how often its dependents may still be visited
    int64_t begin  # the dependents to visit are waiting[begin] .. waiting[end - 1], ...
    int64_t at  # ... the next of them
    int64_t end
    int64_t moves  # number of moves when the visit began
    bint found  # it is not lifted, or was put back
    bint all_found  # so are all that were visited below it


cdef class Lowerer:
    # Every vector has an element for each position, 0 included; the arrays begin with word 1.
    cdef int32_t search_for
    cdef int64_t limit  # CALLS, or what a test wants
    cdef node_t words
    cdef node_t *heads
    cdef const code_t *labels
    cdef const code_t *wanted
    cdef const uint8_t *path
    cdef uint8_t *lifted

    cdef vector[node_t] first  # the first ...
    cdef vector[node_t] last  # ... and the last dependent of a word
    cdef vector[node_t] before  # the dependents of the same head to the left ...
    cdef vector[node_t] after  # ... and to the right
    cdef vector[node_t] on_path  # number of dependents with a path mark
    cdef vector[node_t] size  # number of words that a word dominates, itself among them
    cdef vector[node_t] remaining  # number of those that are lifted
    cdef vector[node_t] queue
    cdef vector[node_t] waiting
    cdef vector[Visit] visits
    cdef int64_t moves
    cdef vector[int64_t] changed  # the number of moves when something last changed below a word
    cdef vector[int64_t] failed  # the number of moves, plus 1, when a word's head was last searched for in vain
    cdef vector[int64_t] unchanged  # the number of moves, plus 1, when a visit led to none, ...
    cdef vector[uint8_t] outcome  # ... and what it gave
    cdef int64_t steps  # words looked at in searches

    cdef inline bint in_vain(self, node_t word) noexcept nogil
    cdef int grow(self) except -1 nogil
    cdef int run(self) except -1 nogil
    cdef int begin_visit(self, node_t word, int64_t *calls) except -1 nogil
    cdef int list_dependents(self, Visit *visit) except -1 nogil
    cdef bint put_back(self, node_t word) except -1 nogil
    cdef node_t search(self, node_t word) except -1 nogil
