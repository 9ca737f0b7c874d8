# distutils: language = c++
# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
"""Address functions: each address of a feature model is computed once a configuration, after those that it builds on."""

cimport cython

from malt.kernel.state cimport NOTHING

ADDRESSES = (
    "STACK", "BUFFER", "SWAPPED", "LOOKAHEAD", "LEFT", "RIGHT", "LEFT_CONTEXT", "RIGHT_CONTEXT", "head", "ldep", "rdep",
    "rdep2", "lsib", "rsib", "pred", "succ", "anc", "panc", "ldesc", "pldesc", "rdesc", "prdesc",
)  # fmt: skip


@cython.final
cdef class Addresses:
    """The addresses of a feature model; `program` has (operation, index, stack) for each."""

    def __init__(self, program):
        for operation, index, stack in program:
            self.program.push_back(Address(operation, index, stack))
        self.nodes.assign(self.program.size(), NOTHING)

    cdef int run(self, State state) except -1 nogil:
        cdef size_t i
        cdef const Address *address
        cdef int32_t operation, at
        cdef node_t node
        for i in range(self.program.size()):
            address = &self.program[i]
            operation, at = address.operation, address.index
            if operation == STACK:
                node = state.peek((state.active + address.stack) % state.stacks, at)
            elif operation == BUFFER:
                at += state.first
                node = state.buffer[at] if at < state.last else NOTHING
            elif operation == SWAPPED:
                node = state.buffer[state.first + at] if at < state.lookahead else NOTHING
            elif operation == LOOKAHEAD:
                at += state.first + state.lookahead
                node = state.buffer[at] if at < state.last else NOTHING
            elif operation == LEFT:
                node = state.left - at if at <= state.left else NOTHING
            elif operation == RIGHT:
                at += state.right
                node = at if at <= state.words else NOTHING
            elif operation == LEFT_CONTEXT:
                node = self.context(state, at, 1)
            elif operation == RIGHT_CONTEXT:
                node = self.context(state, at, -1)
            else:
                node = self.nodes[at]
                if node != NOTHING:
                    node = self.step(state, operation, node)
            self.nodes[i] = node
        return 0

    cdef node_t step(self, State state, int32_t operation, node_t node) except? -2 nogil:
        """From a node to a relative of it. Arcs that are given beforehand may run in a circle: nothing is followed for
        longer than the sentence."""
        cdef int32_t steps = state.words
        if operation == HEAD:
            return state.head[node]
        if operation == LDEP:
            return state.leftmost[node]
        if operation == RDEP:
            return state.rightmost[node]
        if operation == RDEP2:
            return state.rightmost[node] if node else NOTHING
        if operation == LSIB:
            return state.before[node]
        if operation == RSIB:
            return state.after[node]
        if operation == PRED:
            return node - 1 if node > 1 else NOTHING
        if operation == SUCC:
            return node + 1 if 0 < node < state.words else NOTHING
        if operation == ANC or operation == PANC:
            if operation == PANC and state.head[node] == NOTHING:
                return NOTHING
            while state.head[node] != NOTHING and steps > 0:
                node = state.head[node]
                steps -= 1
            return node
        if node == 0:  # MaltParser looks at the root's phrase structure here, and finds none
            return NOTHING
        return self.descend(state, operation, node)

    cdef node_t descend(self, State state, int32_t operation, node_t node) except? -2 nogil:
        cdef bint leftmost = operation == LDESC or operation == PLDESC
        cdef node_t found = self.extreme(state, node, leftmost)
        if operation == PLDESC or operation == PRDESC:
            return found
        if found == NOTHING:
            return node
        return min(found, node) if leftmost else max(found, node)

    cdef node_t extreme(self, State state, node_t node, bint leftmost) except? -2 nogil:
        """The first or the last of all proper descendants."""
        cdef node_t found = NOTHING, child
        cdef int32_t steps = state.words
        self.visit.clear()
        self.visit.push_back(node)
        while self.visit.size() and steps >= 0:
            steps -= 1
            node = self.visit.back()
            self.visit.pop_back()
            child = state.leftmost[node]
            while child != NOTHING:
                if found == NOTHING or (child < found if leftmost else child > found):
                    found = child
                self.visit.push_back(child)
                child = state.after[child]
            child = state.rightmost[node]
            while child != NOTHING:
                if found == NOTHING or (child < found if leftmost else child > found):
                    found = child
                self.visit.push_back(child)
                child = state.before[child]
        return found

    cdef node_t context(self, State state, int32_t index, int32_t direction) noexcept nogil:
        """Covington's context: the nodes between left and right whose head is not from left to right."""
        cdef node_t node = state.left + 1 if direction > 0 else state.right - 1
        while state.left < node < state.right:
            if not state.left <= state.head[node] <= state.right:
                if index == 0:
                    return node
                index -= 1
            node += direction
        return NOTHING
