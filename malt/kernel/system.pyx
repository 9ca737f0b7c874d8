# distutils: language = c++
# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
"""Running a transition system: what is seen of a configuration, what is permissible, and what a transition does."""

cimport cython

from malt.kernel.state cimport NOTHING, SWITCH

PREDICATES = (
    "never", "empty(stack)", "single(stack)", "empty(buffer)", "root(top)", "root(second)", "root(other)", "headed(top)",
    "headed(front)", "headed(other)", "connected(top,front)", "attached(top)", "connects all", "ordered(second,top)",
    "ended", "switched", "end of lists",
)  # fmt: skip


@cython.final
cdef class System:
    """The tables of a system, made by malt.systems.compiler.

    `transitions` are (name, dependent, cases), a case (mask, want, forced, operations); rules are (transition, mask, want, questions,
    root label).
    """

    def __init__(self, int stacks, int left_stop, bint all_words, transitions, ends, musts, defaults, oracle):
        self.stacks, self.left_stop, self.all_words = stacks, left_stop, all_words
        self.names = tuple(name for name, _, _ in transitions)
        for _, dependent, cases in transitions:
            self.dependent.push_back(dependent)
            self.case_start.push_back(self.cases.size())
            for mask, want, forced, operations in cases:
                first = self.operations.size()
                for operation in operations:
                    self.operations.push_back(operation)
                self.cases.push_back(Case(mask, want, forced, first, self.operations.size()))
                self.looked_at |= <uint32_t> mask
        self.case_start.push_back(self.cases.size())
        self.rules(self.ends, ends)
        self.rules(self.musts, musts)
        self.rules(self.defaults, defaults)
        self.rules(self.oracle, oracle)

    cdef int rules(self, vector[Rule] &target, source) except -1:
        for transition, mask, want, questions, root_label in source:
            first = self.questions.size()
            for question in questions:
                self.questions.push_back(question)
            target.push_back(Rule(transition, mask, want, first, self.questions.size(), root_label))
            self.looked_at |= <uint32_t> mask
        return 0

    cdef uint32_t observe(self, State state) noexcept nogil:
        """What is seen of a configuration, as far as any rule asks for it."""
        cdef uint32_t ask = self.looked_at, seen = 0
        cdef node_t top, front, second, other
        if not state.stacks:
            top, front = state.left, state.right
            if front > state.words:
                return END_OF_LISTS
            if top == 0:
                seen |= ROOT_TOP
            if state.head[top] != NOTHING:
                seen |= HEADED_TOP
            if state.head[front] != NOTHING:
                seen |= HEADED_FRONT
            return seen
        top, front = state.top(), state.front()
        if top == NOTHING:
            seen |= EMPTY_STACK | SINGLE_STACK
        else:
            if top == 0:
                seen |= ROOT_TOP
            if state.head[top] != NOTHING:
                seen |= HEADED_TOP
            if ask & (SINGLE_STACK | ROOT_SECOND | ORDERED | ATTACHED_TOP):
                second = state.second()
                if second == NOTHING:
                    seen |= SINGLE_STACK
                else:
                    if second == 0:
                        seen |= ROOT_SECOND
                    if second < top:
                        seen |= ORDERED
                    if ask & ATTACHED_TOP and state.connected(second, top):
                        seen |= ATTACHED_TOP
        if front == NOTHING:
            seen |= EMPTY_BUFFER | CONNECTS_ALL
        else:
            if state.head[front] != NOTHING:
                seen |= HEADED_FRONT
            if ask & (CONNECTED_TOP_FRONT | ATTACHED_TOP) and top != NOTHING and state.connected(top, front):
                seen |= CONNECTED_TOP_FRONT | ATTACHED_TOP
            if ask & CONNECTS_ALL and (state.last - state.first > 1 or state.connected(1, front)):
                seen |= CONNECTS_ALL
        if ask & (ROOT_OTHER | HEADED_OTHER):
            other = state.other()
            if other == 0:
                seen |= ROOT_OTHER
            elif other != NOTHING and state.head[other] != NOTHING:
                seen |= HEADED_OTHER
        if state.ended:
            seen |= ENDED
        if state.switches >= state.stacks - 1:
            seen |= SWITCHED
        return seen

    cdef bint apply(self, State state, uint32_t seen, int32_t transition) noexcept nogil:
        """Make a transition: by the first case that holds, by the last if none does, for neither the oracle nor the
        default is bound to what is permissible. False if nothing could be done."""
        cdef int32_t i = self.case_start[transition], last = self.case_start[transition + 1] - 1, j
        cdef bint done = False
        while i < last and seen & self.cases[i].mask != self.cases[i].want:
            i += 1
        state.new_dependent = NOTHING
        for j in range(self.cases[i].first, self.cases[i].last):
            if state.operate(self.operations[j]):
                done = True
        state.switches = state.switches + 1 if self.operations[self.cases[i].first] == SWITCH else 0
        return done
