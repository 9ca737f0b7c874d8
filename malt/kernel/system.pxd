"""A transition system as flat tables."""

from libcpp.vector cimport vector

from malt.kernel.state cimport State
from malt.kernel.types cimport int32_t, int64_t, node_t, uint32_t

# What can be seen of a configuration: one bit each, computed once a configuration.
cdef enum:
    NEVER = 1 << 0  # is always 0
    EMPTY_STACK = 1 << 1  # the active stack
    SINGLE_STACK = 1 << 2  # at most one node
    EMPTY_BUFFER = 1 << 3
    ROOT_TOP = 1 << 4  # the node is the artificial root
    ROOT_SECOND = 1 << 5
    ROOT_OTHER = 1 << 6
    HEADED_TOP = 1 << 7  # the node has a head
    HEADED_FRONT = 1 << 8
    HEADED_OTHER = 1 << 9
    CONNECTED_TOP_FRONT = 1 << 10  # the two nodes are in one component
    ATTACHED_TOP = 1 << 11  # the top is in one component with the front, or with the node below it
    CONNECTS_ALL = 1 << 12  # the front is not the last word, or it is in one component with the first one
    ORDERED = 1 << 13  # second and top are in the order of the sentence
    ENDED = 1 << 14  # the buffer has been empty
    SWITCHED = 1 << 15  # as many SWITCH transitions as lead through all stacks were just made
    END_OF_LISTS = 1 << 16


cdef struct Case:  # of a transition
    uint32_t mask  # the bits that are looked at ...
    uint32_t want  # ... and what they must be
    bint forced  # only for the oracle and the default: never permissible
    int32_t first  # its operations are operations[first] .. operations[last - 1]
    int32_t last


cdef struct Rule:
    int32_t transition
    uint32_t mask
    uint32_t want
    int32_t first  # an oracle's questions: questions[first] .. questions[last - 1]
    int32_t last
    bint root_label  # the arc gets the default label of root arcs


cdef enum:
    NO_ARC
    TOP
    FRONT
    SECOND


cdef class System:
    cdef readonly int stacks
    cdef readonly tuple names
    cdef int32_t left_stop
    cdef bint all_words
    cdef uint32_t looked_at  # the bits that any rule asks for
    cdef vector[int32_t] case_start  # transition -> its first case
    cdef vector[Case] cases
    cdef vector[int32_t] operations
    cdef vector[Rule] ends  # the configuration is terminal if any holds
    cdef vector[Rule] musts  # the first that holds is the only transition
    cdef vector[Rule] defaults
    cdef vector[Rule] oracle
    cdef vector[int32_t] dependent  # transition -> where the dependent of its arc is before: NO_ARC, TOP ...
    cdef vector[int32_t] questions  # 2 * question + 1 if it is negated

    cdef uint32_t observe(self, State state) noexcept nogil
    cdef bint apply(self, State state, uint32_t seen, int32_t transition) noexcept nogil
    cdef int rules(self, vector[Rule] &target, source) except -1

    cdef inline bint permissible(self, uint32_t seen, int32_t transition) noexcept nogil:
        cdef int32_t i
        for i in range(self.case_start[transition], self.case_start[transition + 1]):
            if not self.cases[i].forced and seen & self.cases[i].mask == self.cases[i].want:
                return True
        return False

    cdef inline bint terminal(self, uint32_t seen) noexcept nogil:
        cdef size_t i
        for i in range(self.ends.size()):
            if seen & self.ends[i].mask == self.ends[i].want:
                return True
        return False

    cdef inline int32_t deterministic(self, uint32_t seen) noexcept nogil:
        """The transition that must be made; -1 if there is a choice."""
        cdef size_t i
        for i in range(self.musts.size()):
            if seen & self.musts[i].mask == self.musts[i].want:
                return self.musts[i].transition
        return -1

    cdef inline node_t dependent_of(self, State state, int32_t transition) noexcept nogil:
        """The dependent of the arc that a transition would make; -1 if it makes none."""
        cdef int32_t where = self.dependent[transition]
        if where == NO_ARC:
            return -1
        return state.top() if where == TOP else state.front() if where == FRONT else state.second()

    cdef inline int32_t first_operation(self, int32_t transition) noexcept nogil:
        return self.operations[self.cases[self.case_start[transition]].first]


cdef inline int64_t most_steps(System system, int32_t words) noexcept nogil:
    """Far more than any derivation has: a definition that goes round in circles must not hang."""
    return 64 + 4 * <int64_t> (words + 2) * (words + 2 + system.stacks * system.stacks)
