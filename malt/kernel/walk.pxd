"""The walk, for modules that have policies of their own."""

from malt.kernel.features cimport Features, Propagation
from malt.kernel.guide cimport Labelling
from malt.kernel.system cimport Gold, State, System
from malt.kernel.types cimport code_t, int32_t, int64_t, node_t, uint32_t, uint64_t
from malt.kernel.vector cimport vector


cdef class Policy:
    cdef bint exact  # whether a derivation that does not end is a fault; otherwise it ends where it is

    cdef bint fits(self, int64_t sentences, int64_t words) noexcept
    cdef int begin(self, Walk walk) except -1 nogil
    cdef int choose(self, Walk walk) except -1 nogil
    cdef int finish(self, Walk walk) except -1 nogil
    cdef double weigh(self, Walk walk, int32_t arc, Labelling labelling, code_t *labels) except? -1 nogil


cdef class Observer:
    cdef int start(self) except -1
    cdef int before(self, Walk walk) except -1 nogil
    cdef int after(self, Walk walk) except -1 nogil
    cdef int end(self, Walk walk) except -1 nogil


cdef class Walk:
    cdef System system
    cdef State state
    cdef Features features
    cdef Propagation propagation
    cdef vector[code_t] root_labels
    cdef vector[code_t] no_labels
    cdef int32_t width  # the number of tables of labels
    cdef int32_t own_label  # the table whose default label the word on the root has, and no other word; -1: none
    cdef code_t other_label  # a label for a word that is not on the root, where nothing says which it has
    cdef vector[code_t] best_labels  # of the arc that was weighed last
    cdef object stop  # None, or a threading.Event

    cdef int32_t sentence  # the one that is walked
    cdef int32_t first  # its first word in the block
    cdef uint64_t seen  # of the configuration
    cdef int32_t transition  # the step that is made
    cdef const code_t *labels  # and the labels of its arc
    cdef bint must  # was there no choice?
    cdef public int64_t steps  # that were a choice
    cdef vector[int32_t] graph_words  # the arcs of the last block, if they are those of graphs: their dependents ...
    cdef vector[node_t] graph_heads
    cdef vector[code_t] graph_labels

    cdef bint derive(self, Policy policy, Observer observer) except -1 nogil
    cdef bint advance(self, State state, uint64_t seen, int32_t transition, const code_t *labels) except -1 nogil
    cdef int complete(self, Policy policy) except -1 nogil
    cdef double weigh(self, Policy policy, node_t head, node_t dependent) except? -1 nogil
    cdef int hang(self, node_t head, node_t dependent) except -1 nogil
    cdef void take_labels(self, const code_t *labels) noexcept nogil
    cdef int keep_graph(self) except -1 nogil
    cdef int look_up(self) except -1 with gil


cdef class TreePolicy(Policy):
    cdef node_t[::1] _heads
    cdef code_t[:, ::1] _labels
    cdef const node_t *heads
    cdef const code_t *labels
    cdef int32_t[::1] _arc_starts  # graphs, in place of trees
    cdef node_t[::1] _arc_heads
    cdef code_t[:, ::1] _arc_labels

    cdef int read_gold(self, Walk walk, Gold gold) except -1 nogil
    cdef const code_t *oracle_labels(self, Walk walk, State state, Gold gold, int32_t transition) noexcept nogil
