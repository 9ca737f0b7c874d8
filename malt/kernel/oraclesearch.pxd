"""A search for the derivation of a gold tree."""

from malt.kernel.structure cimport Crossings
from malt.kernel.system cimport Gold, State, System
from malt.kernel.types cimport int8_t, int32_t, int64_t, node_t, uint64_t
from malt.kernel.vector cimport vector


cdef extern from "<unordered_set>" namespace "std" nogil:
    cdef cppclass unordered_set[T]:
        unordered_set() except +
        void insert(T) except +
        size_t count(T)
        void clear()


cdef struct Met:  # a configuration that was met
    int64_t at  # its numbers begin here
    uint64_t mixed  # what it is known by
    int32_t before  # the one that it comes from; -1: none
    int32_t transition  # by which
    bint choice  # was there another?


cdef struct Child:  # of a configuration
    int32_t one  # which it is of those that were met
    int32_t rank
    int32_t lost  # arcs, at least


cdef class OracleSearch:
    cdef readonly int64_t cut  # how many searches came to the limit
    cdef bint planned
    cdef bint hurrying  # is the limit reached?
    cdef vector[int32_t] plan  # the transitions to choose, the last one first
    cdef size_t left  # how many of them are left
    cdef vector[int32_t] tail  # more of them, the first one first
    cdef vector[Met] met
    cdef vector[int32_t] numbers  # of all configurations that were met
    cdef unordered_set[uint64_t] known
    cdef vector[vector[int32_t]] waiting  # by how many arcs are lost at least: those to look at, the next one last
    cdef vector[int32_t] place  # of each node: on a stack, in the buffer, or gone
    cdef vector[int8_t] alive  # of each word: whether its gold arc is there or may still come
    cdef vector[Child] children
    cdef State here
    cdef State next
    cdef Crossings crossings
    cdef bint crossing  # whether arcs that cross are counted

    cdef void forget(self) noexcept nogil
    cdef void rewind(self) noexcept nogil
    cdef int32_t choose(self, System system, Gold gold, State state, uint64_t seen) except -2 nogil
    cdef int find(self, System system, Gold gold, State start) except -1 nogil
    cdef int expand(self, System system, Gold gold, int32_t one, uint64_t seen) except -1 nogil
    cdef int hurry(self, System system, Gold gold, uint64_t seen) except -1 nogil
    cdef int trace(self, int32_t last) except -1 nogil
    cdef int give_up(self, int32_t words) except -1 nogil
    cdef int32_t loss(self, System system, Gold gold, State state) except -1 nogil
    cdef bint may_join(self, System system, State state, node_t head, node_t dependent) noexcept nogil
    cdef bint remember(self, State state, int32_t before, int32_t transition, bint choice) except -1 nogil
    cdef int recall(self, System system, int32_t one) except -1 nogil
