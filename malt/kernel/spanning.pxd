"""Best trees over the scores of arcs.

Scores are a matrix of (n + 1) x (n + 1) numbers, scores[head * (n + 1) + dependent], where 0 is the artificial root. An arc
whose score is -inf is not allowed. The diagonal and the arcs to the root are not looked at.
"""

from malt.kernel.types cimport int32_t, int64_t, node_t
from malt.kernel.vector cimport vector


cdef class Decoder:
    """Finds the best tree of a class of trees."""

    cdef bint solve(self, const double *scores, int32_t words, bint single_root, node_t *heads) except -1 nogil
    cdef int64_t room(self, int64_t words) noexcept nogil


cdef class SpanningTree(Decoder):
    """The best of all trees. Its room is kept from one sentence to the next."""

    cdef int32_t words
    cdef vector[double] incoming  # of each component that is a word or a cycle's first one: a score for every head
    cdef vector[node_t] entered  # and the word that the arc from that head goes to
    cdef vector[int32_t] row  # component -> which of the rows above it has
    cdef vector[int32_t] component  # of each word: the largest one that it is in; 0 for the root
    cdef vector[int32_t] parent  # of each component: the cycle that it is part of; 0 if none
    cdef vector[node_t] head  # of each component: the arc that enters it in the best graph
    cdef vector[node_t] dependent
    cdef vector[double] price  # of each component: the score of that arc when it was chosen
    cdef vector[char] state  # of each component
    cdef vector[int32_t] path  # components, each of which is entered from the one after it
    cdef vector[int32_t] stack  # workspace
    cdef vector[double] due  # workspace: of each word, the prices of the components around it
    cdef vector[int32_t] child
    cdef vector[int32_t] sibling
    cdef vector[node_t] order
    cdef vector[int32_t] first
    cdef vector[int32_t] last

    cdef bint choose(self, int32_t one, bint single_root) noexcept nogil
    cdef int contract(self, int32_t first) except -1 nogil
    cdef int expand(self, node_t *heads) except -1 nogil
    cdef int price_arcs(self, const double *scores, double *costs) except -1 nogil


cdef class ProjectiveTree(Decoder):
    """The best projective tree. Its room is kept from one sentence to the next."""

    cdef int32_t size  # words and the root
    cdef vector[double] arcs  # [head, dependent]: the best with this arc over the words between
    cdef vector[double] spans  # [head, end]: the best of a head and all words up to the end
    cdef vector[double] turned  # the same, [end, head]
    cdef vector[int32_t] stack

    cdef int fill(self, const double *scores, int32_t begin) except -1 nogil
    cdef int read(self, const double *scores, int32_t begin, int32_t root, node_t *heads) except -1 nogil
