"""What the operations do. Each is a few lines; transitions are made of them by malt/systems.

Running a transition system: what is seen of a configuration, what is permissible, and what a transition does.

Static oracles: a system's rules say in which order the questions are asked; this file answers them.

Dynamic oracles: a system's text says which nodes can still be joined; this file counts what a transition loses.
"""

cimport cython
from libc.string cimport memcpy, memset

from malt.kernel.structure cimport CROSSINGS_LIMIT, PLANES_EFFORT


@cython.final
cdef class State:
    """Its memory is kept from one sentence to the next."""

    cdef int lay_out(self, int32_t words, int32_t stacks, int32_t label_tables, int32_t extra_tables) except -1 nogil:
        """Find a place in memory for every array."""
        cdef size_t nodes = words + 1
        self.words, self.stacks, self.label_tables, self.extra_tables = words, stacks, label_tables, extra_tables
        self.used = stacks * (nodes + 1) + nodes * (9 + label_tables + extra_tables)
        if self.memory.size() < self.used:
            self.memory.resize(self.used)
        self.stack = self.memory.data()
        self.height = self.stack + stacks * nodes
        self.buffer = self.height + stacks
        self.component = self.buffer + nodes
        self.left_count = self.component + nodes
        self.right_count = self.left_count + nodes
        self.head = self.right_count + nodes
        self.leftmost = self.head + nodes
        self.rightmost = self.leftmost + nodes
        self.before = self.rightmost + nodes
        self.after = self.before + nodes
        self.labels = self.after + nodes
        self.extras = self.labels + nodes * label_tables
        return 0

    cdef int become(self, State other) except -1 nogil:
        """Be equal to another configuration: a copy of some kilobytes for a sentence of 50 words."""
        self.lay_out(other.words, other.stacks, other.label_tables, other.extra_tables)
        memcpy(self.memory.data(), other.memory.data(), self.used * sizeof(int32_t))
        self.active, self.first, self.last, self.lookahead = other.active, other.first, other.last, other.lookahead
        self.left, self.right = other.left, other.right
        self.left_stop, self.right_stop = other.left_stop, other.right_stop
        self.switches, self.ended, self.new_dependent = other.switches, other.ended, other.new_dependent
        self.new_head, self.many = other.new_head, other.many
        if self.many:
            self.arcs, self.arc_labels, self.last_arc = other.arcs, other.arc_labels, other.last_arc
            self.reached.resize(self.words + 1)
            self.visit.reserve(self.words + 1)
        return 0

    cdef int start(self, int32_t words, System system, int32_t label_tables, int32_t extra_tables,
                   const node_t *given) except -1 nogil:
        """The initial configuration. `given` has arcs that are there before parsing (heads of words 1 .. n, or NULL);
        unless the system takes all words, those that have a head already are left out of the buffer."""
        cdef int32_t i
        cdef node_t word
        self.lay_out(words, system.stacks, label_tables, extra_tables)
        self.active = self.lookahead = self.switches = 0
        self.ended = False
        self.left_stop, self.right_stop = system.left_stop, words + 1 if system.root_last else words
        self.left, self.right = self.left_stop, self.left_stop + 1
        for i in range(self.stacks):
            self.stack[i * (words + 1)] = 0
            self.height[i] = 0 if system.root_last else 1
        for i in range(words + 1):
            self.component[i] = i
        # The counts are 0, and from the heads on there is nothing anywhere.
        memset(self.left_count, 0, 2 * (words + 1) * sizeof(int32_t))
        memset(self.head, 0xFF, (5 + label_tables + extra_tables) * (words + 1) * sizeof(int32_t))
        self.new_dependent = self.new_head = NOTHING
        self.many = system.many
        if self.many:
            self.start_graph()
        # Place 0 is never needed where the root is below: only what was shifted comes back.
        self.first = self.last = 0 if system.root_last else 1
        for word in range(1, words + 1):
            if given != NULL and given[word - 1] > 0:
                self.add_arc(given[word - 1], word)
                if not system.all_words:
                    continue
            self.buffer[self.last] = word
            self.last += 1
        if system.root_last:
            self.buffer[self.last] = 0
            self.last += 1
        return 0

    cdef node_t find(self, node_t node) noexcept nogil:
        """The representative of a component, with path halving."""
        while self.component[node] != node:
            self.component[node] = self.component[self.component[node]]
            node = self.component[node]
        return node

    cdef void join(self, node_t head, node_t dependent) noexcept nogil:
        """Put a dependent into its place among those of its side."""
        cdef node_t near
        if dependent < head:
            self.left_count[head] += 1
            near = self.leftmost[head]
            if near == NOTHING or dependent < near:
                self.before[dependent], self.after[dependent] = NOTHING, near
                self.leftmost[head] = dependent
                if near != NOTHING:
                    self.before[near] = dependent
                return
            while self.after[near] != NOTHING and self.after[near] < dependent:
                near = self.after[near]
        elif dependent > head:
            self.right_count[head] += 1
            near = self.rightmost[head]
            if near == NOTHING or dependent > near:
                self.before[dependent], self.after[dependent] = near, NOTHING
                self.rightmost[head] = dependent
                if near != NOTHING:
                    self.after[near] = dependent
                return
            while self.before[near] != NOTHING and self.before[near] > dependent:
                near = self.before[near]
            if self.before[near] == NOTHING:
                self.before[near] = dependent
                self.before[dependent], self.after[dependent] = NOTHING, near
                return
            near = self.before[near]
        else:
            return
        self.before[dependent], self.after[dependent] = near, self.after[near]
        if self.after[near] != NOTHING:
            self.before[self.after[near]] = dependent
        self.after[near] = dependent

    cdef void leave(self, node_t head, node_t dependent) noexcept nogil:
        """Take a dependent away from its head."""
        cdef node_t before = self.before[dependent], after = self.after[dependent]
        if dependent == head:
            return
        if before != NOTHING:
            self.after[before] = after
        if after != NOTHING:
            self.before[after] = before
        if dependent < head:
            self.left_count[head] -= 1
            if self.leftmost[head] == dependent:
                self.leftmost[head] = after
        else:
            self.right_count[head] -= 1
            if self.rightmost[head] == dependent:
                self.rightmost[head] = before

    cdef void add_arc(self, node_t head, node_t dependent) noexcept nogil:
        """Add an arc, or move it if the dependent has a head; moving never splits a component."""
        cdef node_t one, two
        self.new_dependent, self.new_head = dependent, head
        if self.many:
            self.add_graph_arc(head, dependent)
            if self.head[dependent] != NOTHING:  # the tree keeps its first head
                one, two = self.find(head), self.find(dependent)
                self.component[max(one, two)] = min(one, two)
                return
        if self.head[dependent] != NOTHING:
            self.leave(self.head[dependent], dependent)
        else:
            one, two = self.find(head), self.find(dependent)
            if one < two:
                self.component[two] = one
            else:
                self.component[one] = two
        self.head[dependent] = head
        self.join(head, dependent)

    # Graphs

    cdef int start_graph(self) except -1 nogil:
        """There is no arc yet."""
        self.arcs.clear()
        self.arc_labels.clear()
        self.last_arc.assign(self.words + 1, NOTHING)
        self.reached.resize(self.words + 1)
        self.visit.reserve(self.words + 1)
        return 0

    cdef int make_room(self) except -1 nogil:
        """Have room for one more arc, so that making it cannot fail."""
        if self.arcs.size() == self.arcs.capacity():
            self.arcs.reserve(2 * self.arcs.size() + 16)
        if self.arc_labels.size() + self.label_tables > self.arc_labels.capacity():
            self.arc_labels.reserve(2 * self.arc_labels.size() + 16 * self.label_tables)
        return 0

    cdef void add_graph_arc(self, node_t head, node_t dependent) noexcept nogil:
        cdef Arc arc
        cdef int32_t j
        arc.head, arc.dependent, arc.before = head, dependent, self.last_arc[dependent]
        self.last_arc[dependent] = <int32_t> self.arcs.size()
        self.arcs.push_back(arc)
        for j in range(self.label_tables):
            self.arc_labels.push_back(-1)

    cdef int32_t arc_between(self, node_t head, node_t dependent) noexcept nogil:
        """The last arc that was made from one node to another; NOTHING if there is none."""
        cdef int32_t arc = self.last_arc[dependent]
        while arc != NOTHING and self.arcs[arc].head != head:
            arc = self.arcs[arc].before
        return arc

    cdef bint has_arc(self, node_t head, node_t dependent, const code_t *labels) noexcept nogil:
        """Whether there is an arc with these labels."""
        cdef int32_t arc, j
        cdef bint same
        if head == NOTHING or dependent == NOTHING:
            return False
        arc = self.last_arc[dependent]
        while arc != NOTHING:
            same = self.arcs[arc].head == head
            for j in range(self.label_tables):
                same = same and self.arc_labels[<size_t> arc * self.label_tables + j] == labels[j]
            if same:
                return True
            arc = self.arcs[arc].before
        return False

    cdef int32_t heads_of(self, node_t node) noexcept nogil:
        """How many arcs go to a node."""
        cdef int32_t arc, found = 0
        if not self.many:
            return self.head[node] != NOTHING
        arc = self.last_arc[node]
        while arc != NOTHING:
            found += 1
            arc = self.arcs[arc].before
        return found

    cdef bint built(self, node_t head, node_t dependent) noexcept nogil:
        """Whether there is an arc from one node to another, with any label."""
        return self.head[dependent] == head if not self.many else self.arc_between(head, dependent) != NOTHING

    cdef bint reaches(self, node_t one, node_t two) noexcept nogil:
        """Whether arcs lead from one node to another: upwards from the other, whose heads are known."""
        cdef int32_t arc, steps = self.words
        cdef node_t head
        if not self.many:
            while two != NOTHING and two != one and steps >= 0:  # arcs that are given beforehand may run in a circle
                two = self.head[two]
                steps -= 1
            return two == one
        memset(self.reached.data(), 0, self.words + 1)
        self.visit.clear()
        self.visit.push_back(two)
        self.reached[two] = 1
        while self.visit.size():
            two = self.visit.back()
            self.visit.pop_back()
            if two == one:
                return True
            arc = self.last_arc[two]
            while arc != NOTHING:
                head = self.arcs[arc].head
                if not self.reached[head]:
                    self.reached[head] = 1
                    self.visit.push_back(head)
                arc = self.arcs[arc].before
        return False

    cdef void next_pair(self) noexcept nogil:
        self.right += 1
        self.left = self.right - 1

    cdef node_t further_left(self) noexcept nogil:
        """The next node to the left that may be linked with the right one; less than left_stop if there is none."""
        cdef node_t front = self.B(0), k = self.left - 1
        cdef bint closed = front == 0 or self.head[front] != NOTHING
        while k >= self.left_stop and (self.connected(front, k) or (closed and self.head[k] != NOTHING)):
            k -= 1
        return k

    cdef bint operate(self, int32_t operation) noexcept nogil:
        """Do one elementary operation; False, and nothing done, where it is not valid."""
        cdef int32_t places = self.words + 1, s
        cdef node_t top = self.S(0), front = self.B(0), second, k
        cdef int32_t base = self.active * places
        if not self.stacks and self.right > self.right_stop:  # the lists are at their end
            return False
        if operation == SHIFT:
            # Validity: the buffer has a node. Action: it becomes the top of every stack.
            if front == NOTHING:
                return False
            for s in range(self.stacks):
                self.stack[s * places + self.height[s]] = front
                self.height[s] += 1
            self.first += 1
            if self.lookahead > 0:
                self.lookahead -= 1
            if self.first == self.last:
                self.ended = True
        elif operation == UNSHIFT:
            # Validity: the stack has a node. Action: its top becomes the front of the buffer.
            if top == NOTHING or self.first == 0:
                return False
            self.height[self.active] -= 1
            self.first -= 1
            self.buffer[self.first] = top
            self.lookahead += 1
        elif operation == REDUCE:
            # Validity: the stack has a node. Action: its top is removed.
            if top == NOTHING:
                return False
            self.height[self.active] -= 1
        elif operation == LEFT_ARC:
            # Validity: stack and buffer have a node, and the top is not the root. Action: front -> top.
            if top == NOTHING or front == NOTHING or top == 0:
                return False
            self.add_arc(front, top)
        elif operation == RIGHT_ARC:
            # Validity: stack and buffer have a node, and the front is not the root. Action: top -> front.
            if top == NOTHING or front == NOTHING or front == 0:
                return False
            self.add_arc(top, front)
        elif operation == SWITCH:
            # Validity: always. Action: the next stack becomes active.
            self.active = (self.active + 1) % self.stacks
        elif operation == SWAP:
            # Validity: the stack has two nodes, and the second is not the root. Action: the second becomes the front of the buffer.
            second = self.S(1)
            if second == NOTHING or second == 0:
                return False
            self.stack[base + self.height[self.active] - 2] = top
            self.height[self.active] -= 1
            self.first -= 1
            self.buffer[self.first] = second
            self.lookahead += 1
        elif operation == REDUCE_2:
            # Validity: the stack has two nodes. Action: the second is removed.
            if self.S(1) == NOTHING:
                return False
            self.stack[base + self.height[self.active] - 2] = top
            self.height[self.active] -= 1
        elif operation == LEFT_ARC_2:
            # Validity: the stack has two nodes, the second not the root, and the buffer one. Action: front -> second.
            second = self.S(1)
            if second == NOTHING or second == 0 or front == NOTHING:
                return False
            self.add_arc(front, second)
        elif operation == RIGHT_ARC_2:
            # Validity: the stack has two nodes and the buffer one, not the root. Action: second -> front.
            second = self.S(1)
            if second == NOTHING or front == NOTHING or front == 0:
                return False
            self.add_arc(second, front)
        elif operation == NEXT:
            # Validity: always. Action: the next right node, and the left one just before it.
            self.next_pair()
        else:
            # Validity: always. Action: another left node, or NEXT where there is none.
            if operation == BACK:  # to the next node to the left that may be linked with the right one
                k = self.further_left()
            elif operation == BACK_OUT:  # over all that is connected with the right node
                k = self.left - 1
                while k >= self.left_stop and self.connected(front, k):
                    k -= 1
            else:  # BACK_TO_HEAD: projectivity leaves only the head of the left node
                k = self.head[self.left] if self.left > 0 and self.head[self.left] != NOTHING else -1
            if k < self.left_stop:
                self.next_pair()
            else:
                self.left = k
        return True


@cython.final
cdef class System:
    """The tables of a system, made by malt.systems.compiler.

    `transitions` are (name, (head, dependent), cases), a case (mask, want, forced, operations, guards), where guards are a pair (mask,
    want) for each operation, or nothing where the first look at a configuration decides; rules are (transition, mask, want, questions).
    """

    def __init__(self, int stacks, int left_stop, bint all_words, transitions, ends, musts, defaults, oracle,
                 int unpredicted=-1, bint single_root=False, Costs dynamic=NO_COSTS, uint32_t pairs=0, bint acyclic=False,
                 bint root_last=False, uint32_t prospects=0, bint many=False, bint bottom_up=False):
        self.prospects = prospects
        self.stacks, self.left_stop, self.all_words, self.unpredicted = stacks, left_stop, all_words, unpredicted
        self.single_root, self.dynamic, self.pairs, self.acyclic = single_root, dynamic, pairs, acyclic
        self.root_last, self.many, self.bottom_up, self.trial = root_last, many, bottom_up, State()
        self.names = tuple(name for name, _, _ in transitions)
        for _, (head, dependent), cases in transitions:
            self.dependent.push_back(dependent)
            self.arc.push_back(PLACES * head + dependent if head != NO_ARC and dependent != NO_ARC else 0)
            if self.arc.back() == 0:
                pass
            elif depth_of(head) > depth_of(dependent):
                self.leftward = self.leftward or self.arc.back()
            elif not self.rightward:
                self.rightward = self.arc.back()
            self.case_start.push_back(self.cases.size())
            for mask, want, forced, operations, guards in cases:
                first = self.operations.size()
                for operation in operations:
                    self.operations.push_back(operation)
                for asked, wanted in guards or [(0, 0)] * len(operations):
                    self.guards.push_back(Guard(asked, wanted))
                    self.looked_at |= <uint64_t> asked
                if guards:
                    bit = <uint64_t> 1 << (TRIED + self.tried.size())
                    mask, want = mask | bit, want | bit
                    self.tried.push_back(self.cases.size())
                self.cases.push_back(CompiledCase(mask, want, forced, first, self.operations.size()))
                self.looked_at |= <uint64_t> mask
        self.case_start.push_back(self.cases.size())
        self.rules(self.ends, ends)
        self.rules(self.musts, musts)
        self.rules(self.defaults, defaults)
        self.rules(self.oracle, oracle)
        self.from_root = self.left_stop == 0 and self.deterministic(ROOT_TOP) < 0

    def let_together(self, pairs):
        """Let two arcs from one node to another have these labels, each pair by its codes; without, there is only one."""
        self.together = sorted(code << 32 | other for one, two in pairs for code, other in ((one, two), (two, one)))

    cdef bint clashes(self, State state, node_t head, node_t dependent, const code_t *labels) noexcept nogil:
        """Whether there is an arc of a graph with which one of this label cannot go together."""
        cdef int32_t arc
        cdef int64_t pair
        cdef size_t low, high, middle
        if head == NOTHING or dependent == NOTHING:
            return False
        arc = state.last_arc[dependent]
        while arc != NOTHING:
            if state.arcs[arc].head == head:
                if not state.label_tables:
                    return True
                pair = <int64_t> state.arc_labels[<size_t> arc * state.label_tables] << 32 | labels[0]
                low, high = 0, self.together.size()
                while low < high:
                    middle = (low + high) // 2
                    if self.together[middle] < pair:
                        low = middle + 1
                    else:
                        high = middle
                if low == self.together.size() or self.together[low] != pair or labels[0] == pair >> 32:
                    return True
            arc = state.arcs[arc].before
        return False

    cdef int rules(self, vector[CompiledRule] &target, source) except -1:
        for transition, mask, want, questions in source:
            first = self.questions.size()
            for question in questions:
                self.questions.push_back(question)
            target.push_back(CompiledRule(transition, mask, want, first, self.questions.size()))
            self.looked_at |= <uint64_t> mask
        return 0

    def costs(self, history, const node_t[:, ::1] trees not None):
        """What every transition costs after some, each given by its number, for each of some gold trees (heads, a row
        each); -1 where it is not permissible."""
        import numpy  # here, as all programs that name a transition system load this module

        cdef State state = State()
        cdef Gold gold = Gold()
        cdef int32_t words = <int32_t> trees.shape[1], transition
        cdef uint64_t seen
        cdef Py_ssize_t i
        if not self.dynamic:
            raise ValueError("this system has no costs")
        if not words or trees.shape[0] and not 0 <= numpy.min(trees) <= numpy.max(trees) <= words:
            raise ValueError("a head is no node of its sentence")
        state.start(words, self, 0, 0, NULL)
        seen = self.observe(state)
        for transition in history:
            if not 0 <= transition < <int32_t> self.dependent.size():
                raise ValueError(f"there is no transition {transition}")
            if seen & END_OF_LISTS or self.terminal(seen):
                raise ValueError("the derivation goes on after its end")
            self.apply(state, seen, transition)
            seen = self.observe(state)
        found = numpy.full((trees.shape[0], len(self.names)), -1, numpy.int32)
        cdef int32_t[:, ::1] cost = found
        if seen & END_OF_LISTS or self.terminal(seen):
            return found
        gold.prepare(self)
        with nogil:
            for i in range(trees.shape[0]):
                gold.read(self, &trees[i, 0], words)
                gold.costs(self, state, seen, &cost[i, 0])
        found[found == FORBIDDEN] = -1
        return found

    cdef uint64_t observe(self, State state) noexcept nogil:
        """What is seen of a configuration, as far as any rule asks for it."""
        cdef uint64_t seen = self.look(state)
        return seen | self.attempt(state, seen) if self.tried.size() else seen

    cdef uint64_t attempt(self, State state, uint64_t seen) noexcept nogil:
        """Bits of the cases whose chain can be done to its end, for those of which the first look does not tell."""
        cdef size_t i
        cdef uint64_t found = 0
        for i in range(self.tried.size()):
            if self.defined(state, seen, &self.cases[self.tried[i]]):
                found |= <uint64_t> 1 << (TRIED + i)
        return found

    cdef bint defined(self, State state, uint64_t seen, const CompiledCase *case) noexcept nogil:
        """Whether every operation of a chain is defined, and every restriction holds in its place (definition 7)."""
        cdef int32_t j
        cdef uint64_t own = (<uint64_t> 1 << TRIED) - 1
        if seen & case.mask & own != case.want & own or seen & END_OF_LISTS:
            return False
        self.trial.become(state)
        for j in range(case.first, case.last):
            if self.guards[j].mask and self.look(self.trial) & self.guards[j].mask != self.guards[j].want:
                return False
            if not self.trial.operate(self.operations[j]):
                return False
        return True

    cdef uint64_t look(self, State state) noexcept nogil:
        """The bits of the predicates."""
        cdef uint64_t ask = self.looked_at, seen = 0
        cdef node_t top, front, second, other
        if not state.stacks:
            if state.right > state.right_stop:
                return END_OF_LISTS
            top, front = state.S(0), state.B(0)
            if top == 0:
                seen |= FULL_TOP | ROOT_TOP if state.right_count[0] else ROOT_TOP
            if state.H(top) != NOTHING:
                seen |= HEADED_TOP
            if front == 0:
                seen |= FULL_FRONT | ROOT_FRONT if state.right_count[0] else ROOT_FRONT
            if state.H(front) != NOTHING:
                seen |= HEADED_FRONT
            if ask & SINGLE_STACK and state.further_left() < state.left_stop:
                seen |= SINGLE_STACK
            if state.right == state.right_stop:
                seen |= SINGLE_BUFFER
            if ask & CONNECTED_TOP_FRONT and state.connected(top, front):
                seen |= CONNECTED_TOP_FRONT
            return seen | self.look_at_arcs(state, top, front) if ask & OF_ARCS else seen
        top, front = state.S(0), state.B(0)
        if top == NOTHING:
            seen |= EMPTY_STACK | SINGLE_STACK
        else:
            if top == 0:
                seen |= FULL_TOP | ROOT_TOP if state.right_count[0] else ROOT_TOP
            if state.H(top) != NOTHING:
                seen |= HEADED_TOP
            if ask & (SINGLE_STACK | ROOT_SECOND | ORDERED_SECOND_TOP | ATTACHED_TOP | HEADED_SECOND | CONNECTED_SECOND_FRONT):
                second = state.S(1)
                if second == NOTHING:
                    seen |= SINGLE_STACK
                else:
                    if second == 0:
                        seen |= ROOT_SECOND
                    elif state.H(second) != NOTHING:
                        seen |= HEADED_SECOND
                    if ask & CONNECTED_SECOND_FRONT and front != NOTHING and state.connected(second, front):
                        seen |= CONNECTED_SECOND_FRONT
                    if second < top:
                        seen |= ORDERED_SECOND_TOP
                    if ask & ATTACHED_TOP and state.connected(second, top):
                        seen |= ATTACHED_TOP
        if state.last - state.first < 2:
            seen |= SINGLE_BUFFER
        if front == NOTHING:
            seen |= EMPTY_BUFFER | CONNECTS_ALL
        else:
            if front == 0:
                seen |= FULL_FRONT | ROOT_FRONT if state.right_count[0] else ROOT_FRONT
            elif state.H(front) != NOTHING:
                seen |= HEADED_FRONT
            if ask & (CONNECTED_TOP_FRONT | ATTACHED_TOP) and top != NOTHING and state.connected(top, front):
                seen |= CONNECTED_TOP_FRONT | ATTACHED_TOP
            if ask & CONNECTS_ALL and (state.last - state.first > 1 or state.connected(1, front)):
                seen |= CONNECTS_ALL
        if ask & (ROOT_OTHER | HEADED_OTHER | EMPTY_OTHER):
            other = state.other()
            if other == NOTHING:
                seen |= EMPTY_OTHER
            elif other == 0:
                seen |= ROOT_OTHER
            elif state.H(other) != NOTHING:
                seen |= HEADED_OTHER
        if ask & OF_ARCS:
            seen |= self.look_at_arcs(state, top, front)
        if state.ended:
            seen |= ENDED
        if state.switches >= state.stacks - 1:
            seen |= SWITCHED
        if state.active == 0:
            seen |= FIRST_STACK
        return seen

    cdef uint64_t look_at_arcs(self, State state, node_t top, node_t front) noexcept nogil:
        """The bits that ask for certain arcs, and for paths of arcs."""
        cdef uint64_t seen = 0
        cdef node_t other
        if top != NOTHING and front != NOTHING:
            if state.built(front, top):
                seen |= BUILT_FRONT_TOP
            if state.built(top, front):
                seen |= BUILT_TOP_FRONT
            if self.looked_at & PATH_FRONT_TOP and state.reaches(front, top):
                seen |= PATH_FRONT_TOP
            if self.looked_at & PATH_TOP_FRONT and state.reaches(top, front):
                seen |= PATH_TOP_FRONT
        if self.looked_at & (BUILT_FRONT_OTHER | BUILT_OTHER_FRONT):
            other = state.other()
            if other != NOTHING and front != NOTHING:
                if state.built(front, other):
                    seen |= BUILT_FRONT_OTHER
                if state.built(other, front):
                    seen |= BUILT_OTHER_FRONT
        return seen

    cdef bint apply(self, State state, uint64_t seen, int32_t transition) noexcept nogil:
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

    cdef int32_t arrange(self, State state, node_t head, node_t dependent) noexcept nogil:
        """Put two nodes where a transition takes the head and the dependent of an arc, with the arcs as they are: only for
        features to look at. Gives the kind of the arc, or 0 if no transition makes one."""
        cdef node_t left = head if head < dependent else dependent, right = head + dependent - left, word
        cdef int32_t kind = self.rightward if head < dependent else self.leftward, s, base
        cdef bint above = depth_of(kind // PLACES) < 0 and depth_of(kind % PLACES) < 0  # are both on the stack?
        if not state.stacks:
            if self.root_last and head == 0:
                state.left, state.right = dependent, state.right_stop
                return self.leftward
            state.left, state.right = left, right
            return kind
        state.active = state.lookahead = state.switches = 0
        if self.root_last and head == 0:
            state.stack[0], state.buffer[0] = dependent, 0
            state.height[0] = state.last = 1
            state.first = 0
            return self.leftward
        for s in range(state.stacks):
            base, state.height[s] = s * (state.words + 1), 0
            if not self.root_last:
                state.stack[base] = 0
                state.height[s] = 1
            if left > 0:
                state.stack[base + state.height[s]] = left
                state.height[s] += 1
            if above:
                state.stack[base + state.height[s]] = right
                state.height[s] += 1
        state.first = state.last = 1
        # As in a derivation: from the bottom up, words that have a head are gone, and the arc from the root is the last;
        # otherwise the words to come have no head yet.
        for word in range(right if not above else right + 1, state.words + 1):
            if state.last > REACH or (self.bottom_up and head == 0 and word > right):
                break
            if word == right or not self.bottom_up or state.head[word] == NOTHING:
                state.buffer[state.last] = word
                state.last += 1
        return kind


cdef enum:
    OF_ARCS = (
        BUILT_FRONT_TOP | BUILT_TOP_FRONT | BUILT_FRONT_OTHER | BUILT_OTHER_FRONT | PATH_FRONT_TOP | PATH_TOP_FRONT)
    ANY_PLANE = 0
    NEITHER_PLANE = 3
    GONE = -1  # the place of a node that is neither on a stack nor in the buffer; on a stack, it is counted from below
    TO_COME = 0x7FFFFFFF  # in the buffer
    OF_RIGHT = 1  # lists: a node can still be the left one of the right one ...
    OF_LATER = 2  # ... and of later ones


@cython.final
cdef class Gold:
    """A gold tree with what the oracle of a system needs; its room is kept from one sentence to the next."""

    def __cinit__(self, bint from_root=True):
        self.from_root = from_root
        self.crossings = Crossings()
        self.planes = Planes()
        self.next = State()

    cdef void prepare(self, System system) noexcept nogil:
        """See which questions a system asks."""
        cdef size_t i
        cdef int32_t question
        self.needs_lists = self.needs_order = self.needs_crossings = self.needs_planes = False
        for i in range(system.questions.size()):
            question = system.questions[i] // 2
            if question in (DISORDERED_SECOND_TOP, SWAP_NEEDED):
                self.needs_order = True
            elif question in (PENDING_TOP, PENDING_OTHER):
                self.needs_crossings = self.needs_lists = True
            elif question in (IN_PLANE_FRONT_TOP, IN_PLANE_TOP_FRONT, PENDING_IN_PLANE, PENDING_IN_OTHER_PLANES):
                self.needs_planes = self.needs_lists = True

    cdef int read(self, System system, const node_t *heads, int32_t words) except -1 nogil:
        """Take the heads of words 1 .. n; each must be a node of the sentence."""
        cdef node_t word, head
        self.words = words
        self.head.resize(words + 1)
        self.head[0] = NOTHING
        self.leftmost.assign(words + 1, NOTHING)
        self.rightmost.assign(words + 1, NOTHING)
        self.dependents.assign(words + 1, 0)
        for word in range(1, words + 1):
            head = heads[word - 1]
            self.head[word] = head
            self.dependents[head] += 1
            if word > head:
                self.rightmost[head] = word
            elif word < head and self.leftmost[head] == NOTHING:
                self.leftmost[head] = word
        if self.needs_lists or self.needs_order:
            self.first_left.assign(words + 1, NOTHING)
            self.first_right.assign(words + 1, NOTHING)
            self.next_dependent.resize(words + 1)
            for word in range(words, 0, -1):
                head = self.head[word]
                if word < head:
                    self.next_dependent[word] = self.first_left[head]
                    self.first_left[head] = word
                elif word > head:
                    self.next_dependent[word] = self.first_right[head]
                    self.first_right[head] = word
        if system.dynamic:
            self.place.resize(words + 1)
            self.above.resize(words + 1)
            self.path.resize(words + 1)
        if self.needs_order:
            self.sort_projectively()
        if self.needs_crossings:
            self.crossings.build(heads, words, True, CROSSINGS_LIMIT)
            self.plane.assign(words + 1, ANY_PLANE)
        if self.needs_planes:
            self.crossings.build(heads, words, self.from_root or system.root_last, CROSSINGS_LIMIT)
            self.planes.colour(self.crossings, max(1, system.stacks), PLANES_EFFORT)
            if system.stacks == 2:
                self.planes.set_apart(self.crossings)
        return 0

    cdef int sort_projectively(self) except -1 nogil:
        """The order of an in-order traversal (Nivre 2009), and the rightmost descendants. Words that the root does not
        reach have their own places, as in MaltParser, whoever else has them."""
        cdef node_t word, node, head
        cdef int32_t place = 0, entry
        cdef size_t i = 0
        self.order.resize(self.words + 1)
        self.at_order.assign(self.words + 1, NOTHING)
        self.last_descendant.assign(self.words + 1, NOTHING)
        for word in range(self.words + 1):
            self.order[word] = word
        self.visit.clear()
        self.visit.push_back(0)
        while self.visit.size():
            entry = self.visit.back()
            self.visit.pop_back()
            node = entry // 2
            if entry % 2 == 0:  # reached: first its left dependents, then itself, then its right dependents
                self.push_dependents(self.first_right[node])
                self.visit.push_back(2 * node + 1)
                self.push_dependents(self.first_left[node])
            else:
                self.order[node] = place
                place += 1
        for word in range(self.words, -1, -1):
            self.at_order[self.order[word]] = word
        self.visit.assign(self.dependents.begin(), self.dependents.end())  # here: how many were not looked at
        self.waiting.clear()  # here: words all of whose dependents were
        for word in range(1, self.words + 1):
            if self.visit[word] == 0:
                self.waiting.push_back(word)
        while i < self.waiting.size():
            node = self.waiting[i]
            head = self.head[node]
            self.last_descendant[head] = max(self.last_descendant[head], max(node, self.last_descendant[node]))
            self.visit[head] -= 1
            if head and self.visit[head] == 0:
                self.waiting.push_back(head)
            i += 1
        return 0

    cdef int push_dependents(self, node_t first) except -1 nogil:
        """Put dependents on the stack of the traversal, the first on top."""
        cdef size_t low = self.visit.size(), high
        cdef node_t kept
        while first != NOTHING:
            self.visit.push_back(2 * first)
            first = self.next_dependent[first]
        high = self.visit.size()
        while low + 1 < high:
            high -= 1
            kept = self.visit[low]
            self.visit[low] = self.visit[high]
            self.visit[high] = kept
            low += 1
        return 0

    cdef int32_t choose(self, System system, State state, uint64_t seen) except -1 nogil:
        """The transition of the first rule that holds; -1, without an exception, cannot happen: the last always does."""
        cdef size_t i
        cdef int32_t j, transition = 0, operation
        cdef CompiledRule *rule
        cdef bint holds
        for i in range(system.oracle.size()):
            rule = &system.oracle[i]
            if seen & rule.mask != rule.want:
                continue
            holds = True
            for j in range(rule.first, rule.last):
                if self.answer(state, system.questions[j] // 2) == (system.questions[j] % 2):
                    holds = False
                    break
            if holds:
                transition = rule.transition
                break
        if self.needs_crossings:
            operation = system.first_operation(transition)
            if operation == LEFT_ARC and state.S(0) > 0:
                self.bind(state.S(0), state.active + 1)
            elif operation == RIGHT_ARC and state.B(0) > 0:
                self.bind(state.B(0), state.active + 1)
        return transition

    cdef bint answer(self, State state, int32_t question) noexcept nogil:
        cdef node_t top = state.S(0), front = state.B(0), node
        cdef int32_t s
        if (top == NOTHING or front == NOTHING) and self.idle(question, top, front):
            return False  # of a node that is not there
        if question == GOLD_FRONT_TOP:
            return self.gold(front, top)
        if question == GOLD_TOP_FRONT:
            return self.gold(top, front)
        if question == GOLD_TOP_SECOND:
            return self.gold(top, state.S(1))
        if question == GOLD_SECOND_TOP:
            return self.gold(state.S(1), top)
        if question == GOLD_FRONT_SECOND:
            return self.gold(front, state.S(1))
        if question == GOLD_SECOND_FRONT:
            return self.gold(state.S(1), front)
        if question == GOLD_FRONT_OTHER:
            return self.gold(front, state.other())
        if question == GOLD_OTHER_FRONT:
            return self.gold(state.other(), front)
        if question == RIGHT_COMPLETE_FRONT:
            return self.right_complete(state, front)
        if question == RIGHT_COMPLETE_TOP:
            return self.right_complete(state, top)
        if question == COMPLETE_TOP:
            return self.complete(state, top)
        if question == COMPLETE_SECOND:
            return state.S(1) != NOTHING and self.complete(state, state.S(1))
        if question == DONE_TOP:
            return state.dependents(top) == self.dependents[top]
        if question == DONE_SECOND:
            node = state.S(1)
            return node != NOTHING and state.dependents(node) == self.dependents[node]
        if question == DONE_FRONT:
            return state.dependents(front) == self.dependents[front]
        if question == DEPENDENT_BELOW_TOP:
            return front > 0 and self.leftmost[front] != NOTHING and self.leftmost[front] < top
        if question == HEAD_BELOW_TOP:
            return front > 0 and self.head[front] < top
        if question == WORD_HEAD_BELOW_TOP:
            return front > 0 and 0 < self.head[front] < top
        if question == DISORDERED_SECOND_TOP:
            node = state.S(1)
            return node != NOTHING and self.order[node] > self.order[top]
        if question == SWAP_NEEDED:
            return self.swap_needed(state)
        if question == PENDING_TOP:
            return self.pending(state, state.active + 1, top)
        if question == PENDING_OTHER:
            return self.pending(state, 2 - state.active, state.other())
        if question == IN_PLANE_FRONT_TOP:
            return self.planes.plane[top] == state.active and state.H(top) == NOTHING
        if question == IN_PLANE_TOP_FRONT:
            return self.planes.plane[front] == state.active and state.H(front) == NOTHING
        if question == PENDING_IN_PLANE:
            return self.pending_in(state, state.active, top)
        if question == MISSING_FRONT_TOP:
            return self.missing(state, state.active, front, top) >= 0
        if question == MISSING_TOP_FRONT:
            return self.missing(state, state.active, top, front) >= 0
        if question == NEARLY_DONE_TOP:
            return self.count_missing(state, top) == 1
        if question == NEARLY_DONE_FRONT:
            return self.count_missing(state, front) == 1
        if question == ARCS_BELOW_TOP:
            return self.arcs_below(state, state.active, top)
        for s in range(state.stacks):
            if question == ARCS_ON_OTHER_STACKS:
                if s != state.active and self.arcs_below(state, s, state.words + 1):
                    return True
                continue
            # PENDING_IN_OTHER_PLANES
            if s != state.active and self.pending_in(state, s, state.peek(s, 0) + 1):
                return True
        return False

    cdef bint idle(self, int32_t question, node_t top, node_t front) noexcept nogil:
        """Whether a question is about a node that is not there."""
        if top == NOTHING and question in (
                RIGHT_COMPLETE_TOP, COMPLETE_TOP, DONE_TOP, DISORDERED_SECOND_TOP, SWAP_NEEDED, IN_PLANE_FRONT_TOP):
            return True
        return front == NOTHING and question in (
            RIGHT_COMPLETE_FRONT, DONE_FRONT, PENDING_TOP, PENDING_OTHER, IN_PLANE_TOP_FRONT, PENDING_IN_PLANE,
            PENDING_IN_OTHER_PLANES)

    cdef bint right_complete(self, State state, node_t node) noexcept nogil:
        return self.rightmost[node] == NOTHING or self.rightmost[node] == state.R(node)

    cdef bint complete(self, State state, node_t node) noexcept nogil:
        return (self.leftmost[node] == NOTHING or self.leftmost[node] == state.L(node)) and (
            self.right_complete(state, node))

    cdef bint swap_needed(self, State state) noexcept nogil:
        """Whether the words of the buffer cannot be joined with the top first (Nivre, Kuhlmann and Hall 2009, by an
        interval test in place of maximal projective components)."""
        cdef node_t top = state.S(0), left = top, right, last = NOTHING
        cdef int32_t at = state.first
        if at == state.last:
            return True
        right = state.buffer[at]
        while self.projective_interval(state, left, right):
            if last == right:
                return False
            if self.gold(right, top):
                return self.leftmost[top] != NOTHING and self.leftmost[top] != state.L(top)
            if self.gold(top, right):
                if self.rightmost[right] == NOTHING:
                    return False
                last = self.last_descendant[right]
            at += 1
            if at == state.last:
                break
            left, right = right, state.buffer[at]
        return True

    cdef bint projective_interval(self, State state, node_t left, node_t right) noexcept nogil:
        """Whether everything between two nodes in the projective order hangs under one of them already."""
        cdef int32_t place, steps
        cdef node_t node
        if self.order[left] > self.order[right]:
            return False
        for place in range(self.order[left] + 1, self.order[right]):
            if self.at_order[place] == NOTHING:
                continue
            node = self.at_order[place]
            steps = state.words  # arcs that are given beforehand may run in a circle
            while state.H(node) != NOTHING and steps > 0:
                node = state.H(node)
                steps -= 1
            if node != left and node != right:
                return False
        return True

    cdef node_t crossing(self, node_t word, int32_t *cursor) noexcept nogil:
        """The next arc that crosses the arc of a word, in MaltParser's order: earlier words with a smaller head, then all
        with a larger head, then later words with a smaller head."""
        cdef int64_t first = self.crossings.first[word]
        cdef int32_t count = <int32_t> (self.crossings.first[word + 1] - first), turn
        cdef node_t other, head = self.head[word]
        while cursor[0] < 3 * count:
            other = self.crossings.other[first + cursor[0] % count]
            turn = cursor[0] // count
            cursor[0] += 1
            if turn == (1 if self.head[other] > head else 0 if other < word else 2):
                return other
        return NOTHING

    cdef int bind(self, node_t word, int32_t plane) except -1 nogil:
        """Bind the arc of a word to a plane, the arcs that cross it to the other one, and so on, depth first."""
        cdef node_t other
        self.plane[word] = plane
        if not self.crossings.complete:
            return 0
        self.waiting.clear()
        self.cursor.clear()
        self.bound.clear()
        self.waiting.push_back(word)
        self.cursor.push_back(0)
        self.bound.push_back(plane)
        while self.waiting.size():
            # An arc may have lost its plane since it was bound, but it goes on with the one that it had.
            word, plane = self.waiting.back(), self.bound.back()
            other = self.crossing(word, &self.cursor.back())
            if other == NOTHING:
                self.waiting.pop_back()
                self.cursor.pop_back()
                self.bound.pop_back()
            elif self.plane[other] == ANY_PLANE:
                self.plane[other] = 3 - plane
                self.waiting.push_back(other)
                self.cursor.push_back(0)
                self.bound.push_back(3 - plane)
            elif self.plane[other] == plane:
                self.plane[other] = NEITHER_PLANE
        return 0

    cdef bint pending(self, State state, int32_t plane, node_t limit) noexcept nogil:
        """Whether the front has an arc below a node in a plane. An arc that is bound to no plane counts for the active
        one, whichever is asked for: so does MaltParser."""
        cdef node_t front = state.B(0), word = self.first_left[front]
        cdef int32_t mine = state.active + 1
        while word != NOTHING and word < limit:
            if (self.plane[word] if self.plane[word] != ANY_PLANE else mine) == plane:
                return True
            word = self.next_dependent[word]
        if not (-1 if self.from_root else 0) < self.head[front] < limit:
            return False
        return (self.plane[front] if self.plane[front] != ANY_PLANE else mine) == plane

    cdef bint pending_in(self, State state, int32_t plane, node_t limit) noexcept nogil:
        """Whether the front has an arc in a plane, not yet built, to a node below the limit."""
        cdef node_t front = state.B(0), word = self.first_left[front]
        while word != NOTHING and word < limit:
            if self.planes.plane[word] == plane and state.H(word) == NOTHING:
                return True
            word = self.next_dependent[word]
        return (
            state.H(front) == NOTHING and self.planes.plane[front] == plane
            and (0 if not self.from_root else -1) < self.head[front] < limit
        )

    # Dynamic oracles: what a transition loses (Goldberg and Nivre 2013). Arcs are counted one by one where those that can
    # still be made can be made together; where arcs may not close cycles, the cycles are counted too (Gómez-Rodríguez and
    # Fernández-González 2015). All is counted anew after each transition: with 20 words and arc-eager, the costs of a
    # configuration take 0.4 microseconds, far less than its features.

    cdef int costs(self, System system, State state, uint64_t seen, int32_t *cost) except -1 nogil:
        """What each transition costs: the gold arcs, labels apart, that are built or can still be made before it and
        neither after it. FORBIDDEN where it is not permissible, which may be everywhere: then the default comes. Only for
        a system that is dynamic, in a configuration that is not the end."""
        cdef int32_t transition, only = system.deterministic(seen), now = self.loss(system, state)
        for transition in range(<int32_t> system.dependent.size()):
            if transition != only if only >= 0 else not system.permissible(seen, transition):
                cost[transition] = FORBIDDEN
                continue
            self.next.become(state)
            system.apply(self.next, seen, transition)
            cost[transition] = self.loss(system, self.next) - now
        return 0

    cdef int32_t loss(self, System system, State state) noexcept nogil:
        """How many gold arcs a configuration has lost."""
        cdef node_t word, head, gold
        cdef int32_t lost = 0
        self.locate(system, state)
        for word in range(1, self.words + 1):
            head, gold = state.head[word], self.head[word]
            self.above[word] = head
            if head == NOTHING and self.joinable(system, state, gold, word):
                self.above[word] = gold
            elif head != gold:
                lost += 1
        return lost + self.cycles() if system.acyclic else lost

    cdef void locate(self, System system, State state) noexcept nogil:
        """Find the place of every node."""
        cdef int32_t i, s
        cdef node_t *stack
        if not state.stacks:
            if system.pairs & (SPINE_RIGHT | RIGHT_SPINE) and state.right <= state.words:
                self.place.assign(self.words + 1, 0)
                self.mark_spine(state, state.left, OF_RIGHT)
                self.mark_spine(state, state.right, OF_LATER)
            return
        self.place.assign(self.words + 1, GONE)
        for s in range(state.stacks):
            stack = state.stack + s * (state.words + 1)
            for i in range(state.height[s]):
                self.place[stack[i]] = i  # with one stack the place on it; with several, that it is on one is enough
        for i in range(state.first, state.last):
            self.place[state.buffer[i]] = TO_COME

    cdef void mark_spine(self, State state, node_t node, int32_t mark) noexcept nogil:
        """Mark the nodes that can be the left one, from the first: it is left for its head, or, when it has got the right
        one as its head, for what is before its component."""
        cdef node_t from_node
        while node >= state.left_stop and not self.place[node] & mark:
            self.place[node] |= mark
            if state.head[node] != NOTHING:
                node = state.head[node]
                continue
            from_node = node
            while node >= state.left_stop and state.connected(node, from_node):
                node -= 1

    cdef bint joinable(self, System system, State state, node_t head, node_t dependent) noexcept nogil:
        """Whether an arc to a node without a head can still be made."""
        cdef uint32_t pairs = system.pairs
        cdef int32_t above = self.place[head], below = self.place[dependent], left, right
        if pairs & ROOT_WORD and head == 0:
            return True
        if state.stacks:
            if above == GONE or below == GONE:
                return False
            if above == TO_COME and below == TO_COME:
                return pairs & BUFFER_BUFFER
            if above == TO_COME:
                if not pairs & BUFFER_OPEN:
                    return pairs & BUFFER_STACK
                above = self.place[self.uppermost(state, head)]
                return above < below or above == TO_COME
            if below == TO_COME:
                if not pairs & OPEN_BUFFER:
                    return pairs & STACK_BUFFER
                return self.place[self.uppermost(state, head)] <= above
            return pairs & STACK_STACK or (pairs & BELOW_STACK and below == above + 1)
        above, below = state.place_of(head), state.place_of(dependent)
        left, right = min(above, below), max(above, below)
        if not pairs & (LEFT_RIGHT | SPINE_RIGHT if above < below else RIGHT_LEFT | RIGHT_SPINE):
            return False
        if left < state.left_stop or right < state.right or right == state.right and left > state.left:
            return False
        if left >= state.right or head == 0 and system.root_last or (
                not pairs & (SPINE_RIGHT if above < below else RIGHT_SPINE)):
            return True
        return self.place[left] & (OF_RIGHT if right == state.right else OF_LATER)

    cdef node_t uppermost(self, State state, node_t node) noexcept nogil:
        """The node without a head that a node hangs under."""
        cdef int32_t steps = state.words  # arcs that are given beforehand may run in a circle
        while state.head[node] != NOTHING and steps > 0:
            node = state.head[node]
            steps -= 1
        return node

    cdef int32_t cycles(self) noexcept nogil:
        """How many cycles there are when every word goes to the node above it."""
        cdef node_t word, node
        cdef int32_t found = 0
        self.path.assign(self.words + 1, 0)
        for word in range(1, self.words + 1):
            node = word
            while node > 0 and not self.path[node]:
                self.path[node] = word
                node = self.above[node]
            if node > 0 and self.path[node] == word:
                found += 1
        return found

    # Graphs: arcs to words, each with its labels, and no limit to how many. Arcs between the same two nodes, of either
    # direction, are one link, which lies in one plane.

    cdef int read_graph(self, System system, const int32_t *starts, const node_t *heads, const code_t *labels,
                        int32_t tables, int32_t words) except -1 nogil:
        """Take the arcs to words 1 .. n: those to word w are heads[starts[w - 1]] .. heads[starts[w] - 1]."""
        cdef int32_t count = starts[words] - starts[0], arc, other, links = 0, i
        cdef node_t word, head
        self.words, self.label_tables = words, tables
        self.acyclic = system.looked_at & (PATH_FRONT_TOP | PATH_TOP_FRONT) != 0
        self.arc_starts, self.arc_heads = starts, heads + starts[0]
        self.arc_labels = labels + <int64_t> starts[0] * tables if labels != NULL else NULL
        self.link.assign(count, 0)
        self.link_ends.clear()
        self.other_ends.clear()
        self.dependent_of.resize(count)
        self.out.resize(count)
        self.first_out.assign(words + 2, 0)
        for word in range(1, words + 1):
            for arc in range(starts[word - 1] - starts[0], starts[word] - starts[0]):
                head = self.arc_heads[arc]
                self.dependent_of[arc] = word
                self.first_out[head] += 1
                for other in range(starts[word - 1] - starts[0], arc):
                    if self.arc_heads[other] == head:
                        self.link[arc] = self.link[other]
                for other in range(starts[head - 1] - starts[0] if 0 < head < word else 0,
                                   starts[head] - starts[0] if 0 < head < word else 0):
                    if self.arc_heads[other] == word:
                        self.link[arc] = self.link[other]
                if self.link[arc] == 0:
                    links += 1
                    self.link[arc] = links
                    self.link_ends.push_back(head)
                    self.other_ends.push_back(word)
        for i in range(1, words + 2):
            self.first_out[i] += self.first_out[i - 1]  # now where the row ends; filling moves it to the beginning
        for arc in range(count - 1, -1, -1):
            self.first_out[self.arc_heads[arc]] -= 1
            self.out[self.first_out[self.arc_heads[arc]]] = arc
        self.crossings.build_graph(self.link_ends.data(), self.other_ends.data(), links, words, CROSSINGS_LIMIT)
        self.planes.colour(self.crossings, max(1, system.stacks), PLANES_EFFORT)
        return 0

    cdef bint still_missing(self, State state, int32_t arc) noexcept nogil:
        """Whether an arc is not made yet, and may be. Where labels are not known, one arc between two nodes is as good as
        any."""
        cdef node_t head = self.arc_heads[arc], word = self.dependent_of[arc]
        if head == word or (self.acyclic and state.reaches(word, head)):
            return False
        if self.arc_labels == NULL or not state.label_tables:
            return state.arc_between(head, word) == NOTHING
        return not state.has_arc(head, word, self.arc_labels + <int64_t> arc * self.label_tables)

    cdef int32_t missing(self, State state, int32_t plane, node_t head, node_t dependent) noexcept nogil:
        """The first arc from one node to another that lies in a plane and is not made yet; -1 if there is none."""
        cdef int32_t arc, first = self.arc_starts[0]
        if head < 0 or dependent < 1:
            return -1
        for arc in range(self.arc_starts[dependent - 1] - first, self.arc_starts[dependent] - first):
            if self.arc_heads[arc] == head and self.planes.plane[self.link[arc]] == plane and self.still_missing(state, arc):
                return arc
        return -1

    cdef const code_t *labels_of(self, System system, State state, int32_t transition) noexcept nogil:
        """The labels of the arc that the oracle wants a transition to make; NULL if there is none."""
        cdef int32_t arc
        if not system.arc[transition] or self.arc_labels == NULL:
            return NULL
        arc = self.missing(state, state.active, system.head_of(state, transition), system.dependent_of(state, transition))
        return self.arc_labels + <int64_t> arc * self.label_tables if arc >= 0 else NULL

    cdef int32_t count_missing(self, State state, node_t node) noexcept nogil:
        """How many arcs of a node that lie in a plane are not made yet."""
        cdef int32_t i, first = self.arc_starts[0], found = 0
        if node > 0:
            for i in range(self.arc_starts[node - 1] - first, self.arc_starts[node] - first):
                found += self.planes.plane[self.link[i]] >= 0 and self.still_missing(state, i)
        for i in range(self.first_out[node], self.first_out[node + 1]):
            found += self.planes.plane[self.link[self.out[i]]] >= 0 and self.still_missing(state, self.out[i])
        return found

    cdef bint arcs_below(self, State state, int32_t stack, node_t limit) noexcept nogil:
        """Whether an arc between the front and a node of a stack below a limit lies in the plane of this stack and is not
        made yet. Nodes of the stacks of these systems ascend."""
        cdef node_t front = state.B(0), other
        cdef const node_t *nodes = state.stack + stack * (state.words + 1)
        cdef int32_t i, arc, low, high, middle, ins = self.arc_starts[front] - self.arc_starts[front - 1] if front > 0 else 0
        if front < 1:
            return False
        for i in range(ins + self.first_out[front + 1] - self.first_out[front]):
            if i < ins:
                arc = self.arc_starts[front - 1] - self.arc_starts[0] + i
                other = self.arc_heads[arc]
            else:
                arc = self.out[self.first_out[front] + i - ins]
                other = self.dependent_of[arc]
            if other >= limit or other >= front or self.planes.plane[self.link[arc]] != stack:
                continue
            low, high = 0, state.height[stack]
            while low < high:
                middle = (low + high) // 2
                if nodes[middle] < other:
                    low = middle + 1
                else:
                    high = middle
            if low < state.height[stack] and nodes[low] == other and self.still_missing(state, arc):
                return True
        return False
