"""The oracle of a system that has none: a derivation that loses the fewest arcs of a gold tree, found by search.

Best first over configurations, those that lose the fewest arcs before others and the latest before earlier ones, so that the
search goes straight on where nothing is lost. How many arcs a configuration loses at least follows from what may still be joined:
nodes that are gone get no arc, nor do two nodes of a stack from which nothing comes back; and of two arcs that cross a planar
system derives one. A configuration that was met is not searched again. Of transitions that lose equally little, gold arcs come
first, then those that make no arc, in the order of the text, then arcs from nodes further up in the gold tree, then others.
"""

cimport cython

from malt.kernel.mixing cimport mix
from malt.kernel.structure cimport CROSSINGS_LIMIT
from malt.kernel.system cimport (
    COVERS, END_OF_LISTS, LEFTWARD, NOTHING, PLANAR, REHEADS, RETURNS, RIGHTWARD, most_steps,
)

from malt.errors import MaltError

cpdef enum:
    MOST_MET = 20_000  # configurations of a sentence

cdef enum:
    MOST_NUMBERS = 1 << 23  # that are kept of them
    GONE = -1
    STACKED = 0
    TO_COME = 1
    GOLD_ARC = 0  # ranks
    NO_NEW_ARC = 1
    LIFTED_ARC = 2  # from a node that the word hangs under in the gold tree, further up
    OTHER_ARC = 3
    RANKS = 4
    LOST = 0  # of a word's gold arc
    ALIVE = 1
    COUNTED = 2  # it is lost, or one is that it crosses
    FIXED = 8  # numbers of a configuration, before its stacks


cdef int32_t rank_of(Gold gold, node_t head, node_t word) noexcept nogil:
    """How good an arc is."""
    cdef int32_t steps = gold.words
    if gold.head[word] == head:
        return GOLD_ARC
    while word > 0 and steps > 0:
        word = gold.head[word]
        steps -= 1
        if word == head:
            return LIFTED_ARC
    return OTHER_ARC


@cython.final
cdef class OracleSearch:
    """Its room is kept from one sentence to the next."""

    def __cinit__(self):
        self.here, self.next, self.crossings = State(), State(), Crossings()

    cdef void forget(self) noexcept nogil:
        """Another sentence comes."""
        self.planned = False

    cdef void rewind(self) noexcept nogil:
        """The same sentence comes once more."""
        self.left = self.plan.size()

    cdef int32_t choose(self, System system, Gold gold, State state, uint64_t seen) except -2 nogil:
        """What the oracle does: by its rules or, if it has none, by a search from the first configuration that is asked for."""
        if system.oracle.size():
            return gold.choose(system, state, seen)
        if not self.planned:
            self.find(system, gold, state)
            self.planned, self.left = True, self.plan.size()
        if not self.left:
            return system.default_of(seen)
        self.left -= 1
        return self.plan[self.left]

    cdef int find(self, System system, Gold gold, State start) except -1 nogil:
        """Find a derivation: its choices are the plan then."""
        cdef int32_t best, one, rank, lost
        cdef size_t i
        cdef uint64_t seen
        cdef node_t word
        self.hurrying = False
        self.met.clear()
        self.numbers.clear()
        self.known.clear()
        self.waiting.resize(start.words + 1)
        for i in range(self.waiting.size()):
            self.waiting[i].clear()
        self.crossing = system.prospects & PLANAR
        for word in range(1, start.words + 1):  # arcs that are given beforehand may cross anything
            self.crossing = self.crossing and start.head[word] == NOTHING
        if self.crossing:
            self.crossings.build(gold.head.data() + 1, start.words, (system.prospects & COVERS) != 0, CROSSINGS_LIMIT)
            self.crossing = self.crossings.complete
        self.remember(start, -1, -1, False)
        best = self.loss(system, gold, start)
        self.waiting[best].push_back(0)
        while best <= start.words:
            if self.waiting[best].empty():
                best += 1
                continue
            one = self.waiting[best].back()
            self.waiting[best].pop_back()
            self.here.words = start.words
            self.recall(system, one)
            seen = system.observe(self.here)
            if seen & END_OF_LISTS or system.terminal(seen):
                lost = 0  # nothing comes any more
                for word in range(1, start.words + 1):
                    lost += max(self.here.head[word], 0) != gold.head[word]
                if lost <= best:
                    return self.trace(one)
                self.waiting[lost].push_back(one)
                continue
            if self.met.size() > MOST_MET or self.numbers.size() > MOST_NUMBERS:
                self.cut += 1
                self.trace(one)
                return self.hurry(system, gold, seen)
            self.expand(system, gold, one, seen)
            for rank in range(RANKS - 1, -1, -1):
                for i in range(self.children.size(), 0, -1):
                    if self.children[i - 1].rank == rank:
                        self.waiting[self.children[i - 1].lost].push_back(self.children[i - 1].one)
                        best = min(best, self.children[i - 1].lost)
        return self.give_up(start.words)

    cdef int expand(self, System system, Gold gold, int32_t one, uint64_t seen) except -1 nogil:
        """The configurations that come after `here`, which is the one of that number."""
        cdef int32_t transition, only = system.deterministic(seen), i, rank
        cdef bint choice = only < 0, holds, any_holds = False
        cdef node_t word
        self.children.clear()
        for transition in range(<int32_t> system.dependent.size() + 1):
            if transition == <int32_t> system.dependent.size():  # last, the default, if nothing else is possible
                if any_holds or not choice:
                    break
                transition = system.default_of(seen)
            elif not choice:
                if transition != only:
                    continue
            else:
                holds = False
                for i in range(system.case_start[transition], system.case_start[transition + 1]):
                    holds = holds or seen & system.cases[i].mask == system.cases[i].want
                if not holds:
                    continue
                any_holds = True
            self.next.become(self.here)
            if transition < 0 or not system.apply(self.next, seen, transition):
                continue
            if not self.remember(self.next, one, transition, choice):
                continue
            word = self.next.new_dependent
            rank = NO_NEW_ARC if word == NOTHING else rank_of(gold, self.next.head[word], word)
            self.children.push_back(Child(<int32_t> self.met.size() - 1, rank, self.loss(system, gold, self.next)))
        return 0

    cdef int hurry(self, System system, Gold gold, uint64_t seen) except -1 nogil:
        """Go on from `here`, which the plan leads to, without looking back: always what seems to lose least."""
        cdef int64_t most = most_steps(system, self.here.words)
        cdef size_t i
        cdef Child *child
        cdef Child *other
        self.tail.clear()
        while self.plan.size():
            self.tail.push_back(self.plan.back())
            self.plan.pop_back()
        self.known.clear()
        self.hurrying = True
        while not (seen & END_OF_LISTS or system.terminal(seen)):
            most -= 1
            self.met.clear()
            self.numbers.clear()
            self.expand(system, gold, -1, seen)
            child = NULL
            for i in range(self.children.size()):
                other = &self.children[i]
                if self.known.count(self.met[other.one].mixed):  # it would go round in a circle
                    continue
                if child == NULL or other.lost < child.lost or (other.lost == child.lost and other.rank < child.rank):
                    child = other
            if child == NULL or most < 0:
                return self.give_up(self.here.words)
            self.known.insert(self.met[child.one].mixed)
            if self.met[child.one].choice:
                self.tail.push_back(self.met[child.one].transition)
            self.recall(system, child.one)
            seen = system.observe(self.here)
        for i in range(self.tail.size(), 0, -1):
            self.plan.push_back(self.tail[i - 1])
        return 0

    cdef int trace(self, int32_t last) except -1 nogil:
        """The plan that leads to a configuration. Where there was no choice, nobody asks."""
        self.plan.clear()
        while self.met[last].before >= 0:
            if self.met[last].choice:
                self.plan.push_back(self.met[last].transition)
            last = self.met[last].before
        return 0

    cdef int give_up(self, int32_t words) except -1 nogil:
        with gil:
            raise MaltError(
                f"the transition system has no derivation of a sentence of {words} words that comes to an end: "
                "look at what it does with `malt systems`, or give it oracle lines"
            )

    cdef int32_t loss(self, System system, Gold gold, State state) except -1 nogil:
        """How many gold arcs are lost at least. Words without a head hang on the root."""
        cdef node_t word, other, head
        cdef int32_t lost = 0, i, s
        cdef int64_t j
        cdef node_t *stack
        self.alive.resize(state.words + 1)
        if state.stacks:
            self.place.assign(state.words + 1, GONE)
            for s in range(state.stacks):
                stack = state.stack + s * (state.words + 1)
                for i in range(state.height[s]):
                    self.place[stack[i]] = STACKED
            for i in range(state.first, state.last):
                self.place[state.buffer[i]] = TO_COME
        for word in range(1, state.words + 1):
            head = state.head[word]
            self.alive[word] = head == gold.head[word] or (head == NOTHING and gold.head[word] == 0) or (
                (head == NOTHING or system.prospects & REHEADS) and self.may_join(system, state, gold.head[word], word))
            lost += not self.alive[word]
        if self.crossing:
            for word in range(1, state.words + 1):
                if self.alive[word] != ALIVE:
                    continue
                for j in range(self.crossings.first[word], self.crossings.first[word + 1]):
                    other = self.crossings.other[j]
                    if self.alive[other] == ALIVE:
                        self.alive[word] = self.alive[other] = COUNTED
                        lost += 1
                        break
        return lost

    cdef bint may_join(self, System system, State state, node_t head, node_t dependent) noexcept nogil:
        """Whether an arc is not out of the question: restrictions are not looked at."""
        cdef int32_t above, below, left, right
        if state.stacks:
            above, below = self.place[head], self.place[dependent]
            if above == GONE or below == GONE:
                return False
            if system.prospects & RETURNS:
                return True
            if above == STACKED and below == STACKED:
                return False
            if above == below:
                return system.prospects & (RIGHTWARD if head < dependent and not (system.root_last and head == 0) else LEFTWARD)
            return system.prospects & (RIGHTWARD if above == STACKED else LEFTWARD)
        above, below = state.place_of(head), state.place_of(dependent)
        left, right = min(above, below), max(above, below)
        if left < state.left_stop or right < state.right or (right == state.right and left > state.left):
            return False
        return system.prospects & (RIGHTWARD if above < below else LEFTWARD)

    cdef bint remember(self, State state, int32_t before, int32_t transition, bint choice) except -1 nogil:
        """Keep a configuration; False if it was met before."""
        cdef int64_t at = self.numbers.size(), i
        cdef int32_t s
        cdef uint64_t mixed = 0
        self.numbers.push_back(state.active)
        self.numbers.push_back(state.ended)
        self.numbers.push_back(min(state.switches, state.stacks))
        self.numbers.push_back(state.left)
        self.numbers.push_back(state.right)
        self.numbers.push_back(state.first)
        self.numbers.push_back(state.last)
        self.numbers.push_back(state.lookahead)
        for s in range(state.stacks):
            self.numbers.push_back(state.height[s])
            for i in range(state.height[s]):
                self.numbers.push_back(state.stack[s * (state.words + 1) + i])
        if state.stacks:
            for i in range(state.first, state.last):
                self.numbers.push_back(state.buffer[i])
        for i in range(1, state.words + 1):
            self.numbers.push_back(state.head[i])
        for i in range(at, <int64_t> self.numbers.size()):
            mixed = mix(mixed ^ <uint64_t> (self.numbers[i] + 2))
        if not self.hurrying:
            if self.known.count(mixed):
                self.numbers.resize(at)
                return False
            self.known.insert(mixed)
        self.met.push_back(Met(at, mixed, before, transition, choice))
        return True

    cdef int recall(self, System system, int32_t one) except -1 nogil:
        """Be `here` in a configuration that was met, of a sentence of as many words."""
        cdef const int32_t *number = self.numbers.data() + self.met[one].at
        cdef int32_t s, i
        self.here.start(self.here.words, system, 0, 0, NULL)
        self.here.active, self.here.ended, self.here.switches = number[0], number[1], number[2]
        self.here.left, self.here.right = number[3], number[4]
        self.here.first, self.here.last, self.here.lookahead = number[5], number[6], number[7]
        number += FIXED
        for s in range(self.here.stacks):
            self.here.height[s] = number[0]
            for i in range(number[0]):
                self.here.stack[s * (self.here.words + 1) + i] = number[1 + i]
            number += 1 + number[0]
        if self.here.stacks:
            for i in range(self.here.first, self.here.last):
                self.here.buffer[i] = number[i - self.here.first]
            number += self.here.last - self.here.first
        for i in range(self.here.words):
            if number[i] != NOTHING:
                self.here.add_arc(number[i], i + 1)
        return 0
