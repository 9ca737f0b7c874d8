"""The planes of a crossings graph: how many are needed, and which link goes where."""

from libcpp.vector cimport vector

from malt.kernel.crossings cimport Crossings
from malt.kernel.types cimport int32_t, int64_t, node_t

cdef enum:
    NO_PLANE = -1  # of a link that was given up, or that is not in the graph
    PLANES_EFFORT = 4_000_000  # elementary steps of the search for planes in one sentence: some 10 ms

cdef enum:  # the answers of a search
    NO
    YES
    UNKNOWN  # the effort was used up


cdef class Planes:
    cdef vector[int32_t] plane  # of each link, 0 .. k - 1 or NO_PLANE: the result of `colour` and `stack_up`
    cdef node_t given_up  # number of links of the graph without a plane
    cdef int64_t effort  # steps left

    cdef vector[char] present  # whether a link is in the core: what is left after peeling
    cdef vector[int32_t] degree  # of each link within the core
    cdef vector[node_t] peeled  # the links with fewer than k neighbours left, in the order of their removal
    cdef vector[node_t] dropped  # the links that were given up so that the rest can be coloured
    cdef vector[node_t] members  # the links of one component of the core
    cdef vector[int32_t] slot  # the place of a link in `members`; -1 before it is there
    cdef vector[int32_t] used  # k numbers a member: its neighbours in each plane
    cdef vector[int32_t] saturation  # of each member: the number of planes that its neighbours take up
    cdef vector[node_t] path  # the links in the order in which they were coloured
    cdef vector[int32_t] in_use  # planes in use before each of them
    cdef vector[node_t] top  # the innermost open link of each plane (`stack_up`); the tails of sequences (`clique`)
    cdef vector[node_t] under  # the link below it in the same plane

    cdef int bounds(self, Crossings graph, int64_t effort, int32_t *lower, int32_t *upper) except -1 nogil
    cdef int colour(self, Crossings graph, int32_t k, int64_t effort) except -1 nogil
    cdef int32_t clique(self, Crossings graph, int64_t effort) except -1 nogil
    cdef int32_t stack_up(self, Crossings graph, int32_t k) except -1 nogil
    cdef int core(self, Crossings graph) except -1 nogil
    cdef void remove(self, Crossings graph, node_t link) noexcept nogil
    cdef int peel(self, Crossings graph, int32_t k) except -1 nogil
    cdef int search(self, Crossings graph, int32_t k) except -1 nogil
    cdef int two(self, Crossings graph) noexcept nogil
    cdef int backtrack(self, Crossings graph, int32_t k) except -1 nogil
    cdef node_t most_constrained(self) noexcept nogil
    cdef void put(self, Crossings graph, node_t link, int32_t k, int32_t plane, int32_t sign) noexcept nogil
    cdef int fit(self, Crossings graph, node_t link, int32_t k) except -1 nogil
