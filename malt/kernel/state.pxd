"""A configuration: stacks, buffer or lists, and the arcs so far."""

from libcpp.vector cimport vector

from malt.kernel.types cimport code_t, int32_t, node_t

cdef enum:
    NOTHING = -1  # no such node


cdef class State:
    cdef int32_t words  # n; nodes are 0 (the artificial root) .. n
    cdef int32_t stacks  # k; 0 for a system with lists
    cdef int32_t active  # the stack that operations use

    cdef vector[node_t] stack  # k stacks of n + 1 places each, the top last
    cdef vector[int32_t] height  # of each stack
    cdef vector[node_t] buffer  # the words to come are buffer[first] .. buffer[last - 1]
    cdef int32_t first
    cdef int32_t last
    cdef int32_t lookahead  # how many of them were there before: swapped back from the stack
    cdef int32_t left  # Covington's lists: the pair (left, right)
    cdef int32_t right
    cdef int32_t left_stop
    cdef bint ended  # has the buffer been empty?
    cdef int32_t switches  # SWITCH operations since any other

    cdef vector[node_t] head  # of each node; NOTHING where there is none
    cdef vector[node_t] leftmost  # the first left dependent of each node; NOTHING where there is none
    cdef vector[node_t] rightmost  # the last right dependent
    cdef vector[node_t] before  # the next dependent of the same head on the same side, to the left of each node ...
    cdef vector[node_t] after  # ... and to the right
    cdef vector[int32_t] left_count  # the number of left dependents of each node
    cdef vector[int32_t] right_count
    cdef int32_t label_tables  # how many labels an arc has
    cdef vector[code_t] labels  # of the arc to each node: label_tables codes, -1 where there is none
    cdef int32_t extra_tables  # how many propagated columns a node has
    cdef vector[code_t] extras  # extra_tables codes a node, -1 where there is none
    cdef vector[node_t] component  # union-find over the arcs, taken as undirected; Malt never splits a component
    cdef node_t new_dependent  # of the arc that the last transition made; NOTHING if it made none

    cdef int start(self, int32_t words, int32_t stacks, bint root, const node_t *given, bint all_words,
                   int32_t left_stop) except -1 nogil
    cdef int make_room(self, int32_t label_tables, int32_t extra_tables) except -1 nogil
    cdef void join(self, node_t head, node_t dependent) noexcept nogil
    cdef void add_arc(self, node_t head, node_t dependent) noexcept nogil
    cdef void leave(self, node_t head, node_t dependent) noexcept nogil
    cdef node_t find(self, node_t node) noexcept nogil
    cdef bint operate(self, int32_t operation) noexcept nogil
    cdef void next_pair(self) noexcept nogil

    cdef inline node_t peek(self, int32_t stack, int32_t depth) noexcept nogil:
        """The node at a depth of a stack, 0 at the top."""
        cdef int32_t at = self.height[stack] - 1 - depth
        return self.stack[stack * (self.words + 1) + at] if at >= 0 else NOTHING

    cdef inline node_t top(self) noexcept nogil:
        return self.peek(self.active, 0) if self.stacks else self.left

    cdef inline node_t second(self) noexcept nogil:
        return self.peek(self.active, 1) if self.stacks else NOTHING

    cdef inline node_t other(self) noexcept nogil:
        """The top of the stack that SWITCH makes active."""
        return self.peek((self.active + 1) % self.stacks, 0) if self.stacks else NOTHING

    cdef inline node_t front(self) noexcept nogil:
        if not self.stacks:
            return self.right
        return self.buffer[self.first] if self.first < self.last else NOTHING

    cdef inline int32_t dependents(self, node_t node) noexcept nogil:
        return self.left_count[node] + self.right_count[node]

    cdef inline bint connected(self, node_t one, node_t two) noexcept nogil:
        return self.find(one) == self.find(two)


# The elementary operations (article, section 3), and those that other systems need.
cdef enum:
    SHIFT
    UNSHIFT
    REDUCE
    LEFT_ARC
    RIGHT_ARC
    SWITCH
    SWAP
    REDUCE_2
    LEFT_ARC_2
    RIGHT_ARC_2
    NEXT
    BACK
    BACK_OUT
    BACK_TO_HEAD
