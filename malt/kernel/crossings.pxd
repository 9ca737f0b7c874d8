"""The crossings graph of one sentence: what the measures and the oracles of planar parsers ask for."""

from libcpp.vector cimport vector

from malt.kernel.types cimport int32_t, int64_t, node_t

cdef enum:
    CROSSINGS_LIMIT = 1 << 21  # crossings of a sentence that are stored before they are only counted: 32 MB


cdef class Crossings:
    cdef node_t words  # number of words; a link goes by the name of its dependent, 1 .. words
    cdef bint root  # whether the links of the root words, from position 0, are in the graph
    cdef bint complete  # whether all crossings are stored; otherwise `first` and `other` say nothing
    cdef int64_t total  # number of crossings, exact in any case
    cdef node_t covered  # number of root words that some link between words passes over
    cdef vector[node_t] left  # the ends of each link; both 0 where it is not in the graph
    cdef vector[node_t] right
    cdef vector[node_t] opening  # the first link that begins at a word, and ...
    cdef vector[node_t] next_opening  # ... after each such link the next, longest first; 0 ends the list
    cdef vector[node_t] closing  # the first link that ends at a word, and ...
    cdef vector[node_t] next_closing  # ... after each such link the next, dependents ascending; 0 ends the list
    cdef vector[int64_t] first  # the links that cross link d are other[first[d]] .. other[first[d + 1] - 1],
    cdef vector[node_t] other  # dependents ascending

    # The links open at the word reached, ordered by left end and then longest first; 0 is both ends of the list.
    cdef vector[node_t] before
    cdef vector[node_t] after
    cdef vector[node_t] pairs  # crossing links, two by two, in the order in which they are found
    cdef vector[int32_t] counts  # a Fenwick tree over left ends; the number of links passing over each word

    cdef int build(self, const node_t *heads, node_t words, bint root, int64_t limit) except -1 nogil
    cdef void start(self) noexcept nogil
    cdef void open_links(self, node_t word) noexcept nogil
    cdef void close_links(self, node_t word) noexcept nogil
    cdef int sort_links(self, const node_t *heads) except -1 nogil
    cdef int cover(self, const node_t *heads) except -1 nogil
    cdef int list_pairs(self, int64_t limit) except -1 nogil
    cdef int count_pairs(self) except -1 nogil
    cdef int store(self) except -1 nogil
