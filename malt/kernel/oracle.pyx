# distutils: language = c++
# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
"""Static oracles: a system's rules say in which order the questions are asked; this file answers them."""

cimport cython

from malt.kernel.crossings cimport CROSSINGS_LIMIT, Crossings
from malt.kernel.planes cimport NO_PLANE, PLANES_EFFORT, Planes
from malt.kernel.state cimport LEFT_ARC, NOTHING, RIGHT_ARC
from malt.kernel.system cimport Rule
from malt.kernel.types cimport int64_t

QUESTIONS = (
    "gold(front,top)", "gold(top,front)", "gold(top,second)", "gold(second,top)", "gold(front,second)",
    "gold(second,front)", "gold(front,other)", "gold(other,front)", "built(front,top)", "built(top,front)",
    "built(front,other)", "built(other,front)", "right complete(front)", "right complete(top)", "complete(top)",
    "complete(second)", "done(top)", "done(second)", "done(front)", "dependent below(top)", "head below(top)",
    "word head below(top)", "disordered(second,top)", "swap needed", "pending(top)", "pending(other)",
    "in plane(front,top)", "in plane(top,front)", "pending in plane", "pending in other planes",
)  # fmt: skip

cdef enum:
    ANY_PLANE = 0
    NEITHER_PLANE = 3


@cython.final
cdef class Gold:
    """A gold tree with what the oracle of a system needs; its room is kept from one sentence to the next."""

    def __cinit__(self, bint from_root=True):
        self.from_root = from_root
        self.crossings = Crossings()
        self.planes = Planes()

    cdef void prepare(self, System system) noexcept nogil:
        """See which questions a system asks."""
        cdef size_t i
        cdef int32_t question
        self.needs_lists = self.needs_order = self.needs_crossings = self.needs_planes = False
        for i in range(system.questions.size()):
            question = system.questions[i] // 2
            if question in (DISORDERED, SWAP_NEEDED):
                self.needs_order = True
            elif question in (PENDING_TOP, PENDING_OTHER):
                self.needs_crossings = self.needs_lists = True
            elif question in (PENDING_IN_PLANE, PENDING_IN_OTHER_PLANES):
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
        if self.needs_order:
            self.sort_projectively()
        if self.needs_crossings:
            self.crossings.build(heads, words, True, CROSSINGS_LIMIT)
            self.plane.assign(words + 1, ANY_PLANE)
        if self.needs_planes:
            self.crossings.build(heads, words, self.from_root, CROSSINGS_LIMIT)
            self.planes.colour(self.crossings, system.stacks, PLANES_EFFORT)
        return 0

    cdef int sort_projectively(self) except -1 nogil:
        """The order of an in-order traversal (Nivre 2009), and the rightmost descendants. Words that the root does not
        reach come last, in their own order."""
        cdef node_t word, node, head
        cdef int32_t place = 0, i, entry
        self.order.assign(self.words + 1, -1)
        self.at_order.resize(self.words + 1)
        self.last_descendant.assign(self.words + 1, NOTHING)
        self.waiting.clear()  # here: the nodes in the order in which they are reached, heads first
        self.visit.clear()
        self.visit.push_back(0)
        while self.visit.size():
            entry = self.visit.back()
            self.visit.pop_back()
            node = entry // 2
            if entry % 2 == 0:  # reached: first its left dependents, then itself, then its right dependents
                self.waiting.push_back(node)
                self.push_dependents(self.first_right[node])
                self.visit.push_back(2 * node + 1)
                self.push_dependents(self.first_left[node])
            else:
                self.order[node] = place
                self.at_order[place] = node
                place += 1
        for word in range(1, self.words + 1):
            if self.order[word] < 0:
                self.order[word] = place
                self.at_order[place] = word
                place += 1
        for i in range(<int32_t> self.waiting.size() - 1, 0, -1):
            node = self.waiting[i]
            head = self.head[node]
            self.last_descendant[head] = max(self.last_descendant[head], max(node, self.last_descendant[node]))
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

    cdef int32_t choose(self, System system, State state, uint32_t seen) except -1 nogil:
        """The transition of the first rule that holds; -1, without an exception, cannot happen: the last always does."""
        cdef size_t i
        cdef int32_t j, transition = 0, operation
        cdef Rule *rule
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
            if operation == LEFT_ARC:
                self.bind(state.top(), state.active + 1)
            elif operation == RIGHT_ARC:
                self.bind(state.front(), state.active + 1)
        return transition

    cdef bint answer(self, State state, int32_t question) noexcept nogil:
        cdef node_t top = state.top(), front = state.front(), node
        cdef int32_t s
        if question == GOLD_FRONT_TOP:
            return self.gold(front, top)
        if question == GOLD_TOP_FRONT:
            return self.gold(top, front)
        if question == GOLD_TOP_SECOND:
            return self.gold(top, state.second())
        if question == GOLD_SECOND_TOP:
            return self.gold(state.second(), top)
        if question == GOLD_FRONT_SECOND:
            return self.gold(front, state.second())
        if question == GOLD_SECOND_FRONT:
            return self.gold(state.second(), front)
        if question == GOLD_FRONT_OTHER:
            return self.gold(front, state.other())
        if question == GOLD_OTHER_FRONT:
            return self.gold(state.other(), front)
        if question == BUILT_FRONT_TOP:
            return state.head[top] == front
        if question == BUILT_TOP_FRONT:
            return state.head[front] == top
        if question == BUILT_FRONT_OTHER:
            return state.head[state.other()] == front
        if question == BUILT_OTHER_FRONT:
            return state.head[front] == state.other()
        if question == RIGHT_COMPLETE_FRONT:
            return self.right_complete(state, front)
        if question == RIGHT_COMPLETE_TOP:
            return self.right_complete(state, top)
        if question == COMPLETE_TOP:
            return self.complete(state, top)
        if question == COMPLETE_SECOND:
            return self.complete(state, state.second())
        if question == DONE_TOP:
            return state.dependents(top) == self.dependents[top]
        if question == DONE_SECOND:
            node = state.second()
            return state.dependents(node) == self.dependents[node]
        if question == DONE_FRONT:
            return state.dependents(front) == self.dependents[front]
        if question == DEPENDENT_BELOW:
            return front > 0 and self.leftmost[front] != NOTHING and self.leftmost[front] < top
        if question == HEAD_BELOW:
            return front > 0 and self.head[front] < top
        if question == WORD_HEAD_BELOW:
            return front > 0 and 0 < self.head[front] < top
        if question == DISORDERED:
            node = state.second()
            return node != NOTHING and self.order[node] > self.order[top]
        if question == SWAP_NEEDED:
            return self.swap_needed(state)
        if question == PENDING_TOP:
            return self.pending(state, state.active + 1, top)
        if question == PENDING_OTHER:
            return self.pending(state, 2 - state.active, state.other())
        if question == IN_PLANE_FRONT_TOP:
            return self.planes.plane[top] == state.active and state.head[top] == NOTHING
        if question == IN_PLANE_TOP_FRONT:
            return self.planes.plane[front] == state.active and state.head[front] == NOTHING
        if question == PENDING_IN_PLANE:
            return self.pending_in(state, state.active, top)
        for s in range(state.stacks):  # PENDING_IN_OTHER_PLANES
            if s != state.active and self.pending_in(state, s, state.peek(s, 0) + 1):
                return True
        return False

    cdef bint right_complete(self, State state, node_t node) noexcept nogil:
        return self.rightmost[node] == NOTHING or self.rightmost[node] == state.rightmost[node]

    cdef bint complete(self, State state, node_t node) noexcept nogil:
        return (self.leftmost[node] == NOTHING or self.leftmost[node] == state.leftmost[node]) and (
            self.right_complete(state, node))

    cdef bint swap_needed(self, State state) noexcept nogil:
        """Whether the words of the buffer cannot be joined with the top first (Nivre, Kuhlmann and Hall 2009, by an
        interval test in place of maximal projective components)."""
        cdef node_t top = state.top(), left = top, right, last = NOTHING
        cdef int32_t at = state.first
        if at == state.last:
            return True
        right = state.buffer[at]
        while self.projective_interval(state, left, right):
            if last == right:
                return False
            if self.gold(right, top):
                return self.leftmost[top] != NOTHING and self.leftmost[top] != state.leftmost[top]
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
        cdef int32_t place
        cdef node_t node
        if self.order[left] > self.order[right]:
            return False
        for place in range(self.order[left] + 1, self.order[right]):
            node = self.at_order[place]
            while state.head[node] != NOTHING:
                node = state.head[node]
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
        cdef node_t front = state.front(), word = self.first_left[front]
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
        cdef node_t front = state.front(), word = self.first_left[front]
        while word != NOTHING and word < limit:
            if self.planes.plane[word] == plane and state.head[word] == NOTHING:
                return True
            word = self.next_dependent[word]
        return (
            state.head[front] == NOTHING and self.planes.plane[front] == plane
            and (0 if not self.from_root else -1) < self.head[front] < limit
        )
