# distutils: language = c++
# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
"""What the operations do. Each is a few lines; transitions are made of them by malt/systems."""

cimport cython

OPERATIONS = (
    "SHIFT", "UNSHIFT", "REDUCE", "LEFT-ARC", "RIGHT-ARC", "SWITCH", "SWAP", "REDUCE-2", "LEFT-ARC-2", "RIGHT-ARC-2",
    "NEXT", "BACK", "BACK-OUT", "BACK-TO-HEAD",
)  # fmt: skip


@cython.final
cdef class State:
    """A configuration in flat arrays; its room is kept from one sentence to the next."""

    cdef int start(self, int32_t words, int32_t stacks, bint root, const node_t *given, bint all_words,
                   int32_t left_stop) except -1 nogil:
        """The initial configuration. `given` has arcs that are there before parsing (heads of words 1 .. n, or NULL);
        without `all_words`, words that have a head already are left out of the buffer."""
        cdef int32_t i, height = root
        cdef node_t word
        self.words, self.stacks, self.active = words, stacks, 0
        self.stack.resize(stacks * (words + 1))
        self.height.assign(stacks, height)
        for i in range(stacks):
            self.stack[i * (words + 1)] = 0
        self.buffer.resize(words + 1)
        self.lookahead = self.switches = 0
        self.ended = False
        self.left_stop = left_stop
        self.left, self.right = left_stop, left_stop + 1
        self.head.assign(words + 1, NOTHING)
        self.leftmost.assign(words + 1, NOTHING)
        self.rightmost.assign(words + 1, NOTHING)
        self.before.assign(words + 1, NOTHING)
        self.after.assign(words + 1, NOTHING)
        self.left_count.assign(words + 1, 0)
        self.right_count.assign(words + 1, 0)
        self.component.resize(words + 1)
        for i in range(words + 1):
            self.component[i] = i
        self.new_dependent = NOTHING
        self.first = self.last = 1  # place 0 is never needed: only what was shifted comes back
        for word in range(1, words + 1):
            if given != NULL and given[word - 1] > 0:
                self.add_arc(given[word - 1], word)
                if not all_words:
                    continue
            self.buffer[self.last] = word
            self.last += 1
        return 0

    cdef node_t find(self, node_t node) noexcept nogil:
        """The representative of a component, with path halving."""
        while self.component[node] != node:
            self.component[node] = self.component[self.component[node]]
            node = self.component[node]
        return node

    cdef int make_room(self, int32_t label_tables, int32_t extra_tables) except -1 nogil:
        """Have room for labels and propagated columns in the sentence that was just started."""
        self.label_tables, self.extra_tables = label_tables, extra_tables
        self.labels.assign((self.words + 1) * label_tables, NOTHING)
        self.extras.assign((self.words + 1) * extra_tables, NOTHING)
        return 0

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
        self.new_dependent = dependent

    cdef void next_pair(self) noexcept nogil:
        self.right += 1
        self.left = self.right - 1

    cdef bint operate(self, int32_t operation) noexcept nogil:
        """Do one elementary operation; False, and nothing done, where it is not defined."""
        cdef int32_t places = self.words + 1, s
        cdef node_t top = self.top(), front = self.front(), second, k
        cdef int32_t base = self.active * places
        if operation == SHIFT:
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
            if top == NOTHING or self.first == 0:
                return False
            self.height[self.active] -= 1
            self.first -= 1
            self.buffer[self.first] = top
            self.lookahead += 1
        elif operation == REDUCE:
            if top == NOTHING:
                return False
            self.height[self.active] -= 1
        elif operation == LEFT_ARC:
            if top == NOTHING or front == NOTHING or top == 0:
                return False
            self.add_arc(front, top)
        elif operation == RIGHT_ARC:
            if top == NOTHING or front == NOTHING or front == 0:
                return False
            self.add_arc(top, front)
        elif operation == SWITCH:
            self.active = (self.active + 1) % self.stacks
        elif operation == SWAP:
            second = self.second()
            if second == NOTHING or second == 0:
                return False
            self.stack[base + self.height[self.active] - 2] = top
            self.height[self.active] -= 1
            self.first -= 1
            self.buffer[self.first] = second
            self.lookahead += 1
        elif operation == REDUCE_2:
            if self.second() == NOTHING:
                return False
            self.stack[base + self.height[self.active] - 2] = top
            self.height[self.active] -= 1
        elif operation == LEFT_ARC_2:
            second = self.second()
            if second == NOTHING or second == 0 or front == NOTHING:
                return False
            self.add_arc(front, second)
        elif operation == RIGHT_ARC_2:
            second = self.second()
            if second == NOTHING or front == NOTHING or front == 0:
                return False
            self.add_arc(second, front)
        elif operation == NEXT:
            self.next_pair()
        else:
            if operation == BACK:  # to the next node to the left that may be linked with the right one
                k = self.left - 1
                while k >= self.left_stop and (
                        self.connected(front, k) or (self.head[k] != NOTHING and self.head[front] != NOTHING)):
                    k -= 1
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
