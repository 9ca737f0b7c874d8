"""The measures of a tree. The crossings graph and its planes are in crossings.pxd and planes.pxd."""

from libcpp.vector cimport vector

from malt.kernel.crossings cimport Crossings
from malt.kernel.planes cimport Planes
from malt.kernel.types cimport int32_t, int64_t, node_t

cdef enum:  # the state of a sentence
    TREE
    BLIND  # no word has a head
    NO_HEAD  # some words have a head, others have none
    NO_SUCH_HEAD  # a head is no position of the sentence
    OWN_HEAD  # a word is its own head
    CYCLE


cdef struct Measure:  # of one sentence; all but the first two are 0 where it is not a tree
    int64_t tokens  # number of words
    int64_t state  # TREE, BLIND, or what is wrong
    int64_t roots  # words on the artificial root
    int64_t depth  # arcs on the longest path from the artificial root
    int64_t nonprojective  # arcs between words over a word that their head does not dominate
    int64_t gap_degree  # most gaps in the projection of a word
    int64_t ill_nested  # 1 if projections of two words interleave, root words included
    int64_t ill_nested_strict  # 1 if this happens within the projection of one root word
    int64_t covered_roots  # root words that a link between words passes over
    int64_t crossings  # pairs of crossing links between words
    int64_t crossings_root  # the same with the links of root words
    int64_t planarity_lower  # least number of planes for the links between words: at least ...
    int64_t planarity_upper  # ... and at most
    int64_t planarity_root_lower  # the same with the links of root words
    int64_t planarity_root_upper


cdef class Tree:
    # Every vector has an element for each position, 0 included.
    cdef node_t words  # number of words
    cdef vector[node_t] head  # of each word; that of position 0 is 0
    cdef vector[node_t] first  # the dependents of h are dependent[first[h]] .. dependent[first[h + 1] - 1], ascending
    cdef vector[node_t] dependent
    cdef vector[node_t] order  # positions, heads before their dependents
    cdef vector[node_t] depth  # arcs from position 0
    cdef vector[node_t] size  # words in the projection, with 0 for position 0
    cdef vector[node_t] leftmost  # of the projection
    cdef vector[node_t] rightmost
    cdef Crossings crossings
    cdef Planes planes

    # Workspace of `gaps`
    cdef vector[node_t] chain  # the upper end of the path of largest projections that a word is on
    cdef vector[node_t] meeting  # the first word i whose lowest common head with i + 1 is this one, and ...
    cdef vector[node_t] next_meeting  # ... after it the next; 0 ends the list
    cdef vector[node_t] joined  # union-find: leads to the left end of the interval that a word is in
    cdef vector[node_t] intervals  # of the projection

    # Workspace of `nesting`
    cdef vector[node_t] rank  # a projection has consecutive ranks: rank[word] .. rank[word] + size[word] - 1
    cdef vector[node_t] sibling  # as `dependent`, but by the left ends of the projections
    cdef vector[node_t] place  # where the next dependent of a head goes
    cdef vector[node_t] around  # the siblings whose ends enclose the place reached, the innermost last
    cdef vector[int64_t] enclosed  # words of a sibling and of the siblings between its ends
    cdef vector[node_t] asked  # siblings to be looked at again
    cdef vector[node_t] question  # the first question at a position, and after it the next; 0 ends the list:
    cdef vector[node_t] next_question  # 2 * word before the left end, 2 * word + 1 at the right end
    cdef vector[int32_t] counts  # a Fenwick tree over ranks

    cdef int measure(
        self, const node_t *heads, node_t words, int64_t limit, int64_t effort, Measure *measure
    ) except -1 nogil
    cdef int grow(self, const node_t *heads, node_t words) except -1 nogil
    cdef bint projective(self) noexcept nogil
    cdef int gaps(self, Measure *measure) except -1 nogil
    cdef node_t meet(self, node_t one, node_t two) noexcept nogil
    cdef node_t interval(self, node_t word) noexcept nogil
    cdef int nesting(self, Measure *measure) except -1 nogil
    cdef bint nested(self, node_t head) except -1 nogil
    cdef void leave(self) noexcept nogil
    cdef int count_between(self) except -1 nogil
    cdef int32_t up_to(self, int64_t rank) noexcept nogil
