"""A gold tree, and what an oracle asks of it."""

from libcpp.vector cimport vector

from malt.kernel.crossings cimport Crossings
from malt.kernel.planes cimport Planes
from malt.kernel.state cimport State
from malt.kernel.system cimport System
from malt.kernel.types cimport int8_t, int32_t, node_t, uint32_t

cdef enum:  # the questions, in the order of QUESTIONS
    GOLD_FRONT_TOP
    GOLD_TOP_FRONT
    GOLD_TOP_SECOND
    GOLD_SECOND_TOP
    GOLD_FRONT_SECOND
    GOLD_SECOND_FRONT
    GOLD_FRONT_OTHER
    GOLD_OTHER_FRONT
    BUILT_FRONT_TOP
    BUILT_TOP_FRONT
    BUILT_FRONT_OTHER
    BUILT_OTHER_FRONT
    RIGHT_COMPLETE_FRONT
    RIGHT_COMPLETE_TOP
    COMPLETE_TOP
    COMPLETE_SECOND
    DONE_TOP
    DONE_SECOND
    DONE_FRONT
    DEPENDENT_BELOW
    HEAD_BELOW
    WORD_HEAD_BELOW
    DISORDERED
    SWAP_NEEDED
    PENDING_TOP
    PENDING_OTHER
    IN_PLANE_FRONT_TOP
    IN_PLANE_TOP_FRONT
    PENDING_IN_PLANE
    PENDING_IN_OTHER_PLANES


cdef class Gold:
    cdef int32_t words
    cdef bint from_root  # do arcs of root words count as pending? (-prh normal)
    cdef vector[node_t] head  # of each node; that of the root is NOTHING
    cdef vector[node_t] leftmost  # the first left dependent of each node; NOTHING where there is none
    cdef vector[node_t] rightmost  # the last right dependent
    cdef vector[int32_t] dependents  # their number
    cdef vector[node_t] first_left  # the left dependents of a node, ascending: the first, and ...
    cdef vector[node_t] first_right  # the right ones likewise
    cdef vector[node_t] next_dependent  # ... after each the next on the same side
    cdef vector[int32_t] order  # the place of each node in the projective order
    cdef vector[node_t] at_order  # and back
    cdef vector[node_t] last_descendant  # the rightmost proper descendant of each node; NOTHING where there is none
    cdef vector[int8_t] plane  # 2-planar: the plane that the arc of each word is bound to, 0 for any, 3 for none
    cdef vector[node_t] waiting  # words whose crossing arcs are still to be looked at
    cdef vector[int32_t] cursor  # how far, for each of them
    cdef vector[int32_t] bound  # and the plane that it was bound to
    cdef vector[node_t] visit  # workspace of the traversals
    cdef Crossings crossings
    cdef Planes planes
    cdef bint needs_lists  # which of these the questions of a system need
    cdef bint needs_order
    cdef bint needs_crossings
    cdef bint needs_planes

    cdef void prepare(self, System system) noexcept nogil
    cdef int read(self, System system, const node_t *heads, int32_t words) except -1 nogil
    cdef int sort_projectively(self) except -1 nogil
    cdef int push_dependents(self, node_t first) except -1 nogil
    cdef int32_t choose(self, System system, State state, uint32_t seen) except -1 nogil
    cdef bint answer(self, State state, int32_t question) noexcept nogil
    cdef bint complete(self, State state, node_t node) noexcept nogil
    cdef bint right_complete(self, State state, node_t node) noexcept nogil
    cdef bint swap_needed(self, State state) noexcept nogil
    cdef bint projective_interval(self, State state, node_t left, node_t right) noexcept nogil
    cdef int bind(self, node_t word, int32_t plane) except -1 nogil
    cdef node_t crossing(self, node_t word, int32_t *cursor) noexcept nogil
    cdef bint pending(self, State state, int32_t plane, node_t limit) noexcept nogil
    cdef bint pending_in(self, State state, int32_t plane, node_t limit) noexcept nogil

    cdef inline bint gold(self, node_t head, node_t dependent) noexcept nogil:
        return head >= 0 and dependent > 0 and self.head[dependent] == head
