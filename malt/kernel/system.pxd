"""A configuration: stacks, buffer or lists, and the arcs so far.

A transition system as flat tables.

A gold tree, and what an oracle asks of it.
"""

from malt.kernel.structure cimport Crossings, Planes
from malt.kernel.types cimport code_t, int32_t, int64_t, int8_t, node_t, uint32_t, uint64_t
from malt.kernel.vector cimport vector


cdef enum:
    NOTHING = -1  # no such node


cdef class System


cdef struct Arc:  # of a graph
    node_t head
    node_t dependent
    int32_t before  # the arc to the same dependent that was made before it; NOTHING if it is the first


cdef class State:
    """A configuration. All of its arrays lie in one block of memory, so that a copy is a copy of that block."""

    cdef int32_t words  # n; nodes are 0 (the artificial root) .. n
    cdef int32_t stacks  # k; 0 for a system with lists
    cdef int32_t label_tables  # how many labels an arc has
    cdef int32_t extra_tables  # how many propagated columns a node has

    cdef int32_t active  # the stack that operations use
    cdef int32_t first  # the words to come are buffer[first] .. buffer[last - 1]
    cdef int32_t last
    cdef int32_t lookahead  # how many of them were there before: swapped back from the stack
    cdef int32_t left  # Covington's lists: the pair (left, right)
    cdef int32_t right
    cdef int32_t left_stop
    cdef int32_t right_stop  # the last place of the right list, where the root is if it is last
    cdef int32_t switches  # SWITCH operations since any other
    cdef bint ended  # has the buffer been empty?
    cdef node_t new_dependent  # of the arc that the last transition made; NOTHING if it made none
    cdef node_t new_head  # of that arc

    # Graphs: where a node may have several heads, all arcs are here, and what follows has the tree of first heads.
    cdef bint many  # may it? A tree has nothing of the rest
    cdef vector[Arc] arcs  # as they were made
    cdef vector[code_t] arc_labels  # label_tables codes per arc
    cdef vector[int32_t] last_arc  # to each node; NOTHING where there is none
    cdef vector[node_t] visit  # workspace of `reaches`
    cdef vector[char] reached

    cdef vector[int32_t] memory  # of what follows
    cdef size_t used  # how much of it
    cdef node_t *stack  # k stacks of n + 1 places each, the top last
    cdef int32_t *height  # of each stack
    cdef node_t *buffer
    cdef node_t *component  # union-find over the arcs, taken as undirected; Malt never splits a component
    cdef int32_t *left_count  # the number of left dependents of each node
    cdef int32_t *right_count
    cdef node_t *head  # of each node; NOTHING where there is none
    cdef node_t *leftmost  # the first left dependent of each node; NOTHING where there is none
    cdef node_t *rightmost  # the last right dependent
    cdef node_t *before  # the next dependent of the same head on the same side, to the left of each node ...
    cdef node_t *after  # ... and to the right
    cdef code_t *labels  # of the arc to each node: label_tables codes, -1 where there is none
    cdef code_t *extras  # extra_tables codes per node, -1 where there is none

    cdef int start(self, int32_t words, System system, int32_t label_tables, int32_t extra_tables,
                   const node_t *given) except -1 nogil
    cdef int lay_out(self, int32_t words, int32_t stacks, int32_t label_tables, int32_t extra_tables) except -1 nogil
    cdef int become(self, State other) except -1 nogil
    cdef void join(self, node_t head, node_t dependent) noexcept nogil
    cdef void add_arc(self, node_t head, node_t dependent) noexcept nogil
    cdef void leave(self, node_t head, node_t dependent) noexcept nogil
    cdef int start_graph(self) except -1 nogil
    cdef int make_room(self) except -1 nogil
    cdef void add_graph_arc(self, node_t head, node_t dependent) noexcept nogil
    cdef int32_t arc_between(self, node_t head, node_t dependent) noexcept nogil
    cdef bint has_arc(self, node_t head, node_t dependent, const code_t *labels) noexcept nogil
    cdef int32_t heads_of(self, node_t node) noexcept nogil
    cdef bint built(self, node_t head, node_t dependent) noexcept nogil
    cdef bint reaches(self, node_t one, node_t two) noexcept nogil
    cdef node_t find(self, node_t node) noexcept nogil
    cdef bint operate(self, int32_t operation) noexcept nogil
    cdef void next_pair(self) noexcept nogil
    cdef node_t further_left(self) noexcept nogil

    cdef inline node_t peek(self, int32_t stack, int32_t depth) noexcept nogil:
        """The node at a depth of a stack, 0 at the top."""
        cdef int32_t at = self.height[stack] - 1 - depth
        return self.stack[stack * (self.words + 1) + at] if at >= 0 else NOTHING

    # As in the article and in the plain Configuration: nodes of the stack and of the buffer, NOTHING where there is none.

    cdef inline node_t S(self, int32_t i) noexcept nogil:
        """Node i of the active stack, 0 at the top; with lists, the left node."""
        if not self.stacks:
            return self.left if i == 0 else NOTHING
        return self.peek(self.active, i)

    cdef inline node_t B(self, int32_t i) noexcept nogil:
        """Node i of the buffer, 0 at the front; with lists, the right node and those after it."""
        if not self.stacks:
            return self.node_at(self.right + i)
        return self.buffer[self.first + i] if self.first + i < self.last else NOTHING

    cdef inline node_t node_at(self, int32_t place) noexcept nogil:
        """The node at a place of the lists."""
        return place if place <= self.words else 0 if place == self.right_stop else NOTHING

    cdef inline int32_t place_of(self, node_t node) noexcept nogil:
        """Where a node is in the lists."""
        return self.right_stop if node == 0 and self.right_stop > self.words else node

    cdef inline node_t other(self) noexcept nogil:
        """The top of the stack that SWITCH makes active."""
        return self.peek((self.active + 1) % self.stacks, 0) if self.stacks else NOTHING

    cdef inline node_t H(self, node_t i) noexcept nogil:
        """The head of a node."""
        return self.head[i] if i >= 0 else NOTHING

    cdef inline node_t L(self, node_t i) noexcept nogil:
        """The leftmost of its left dependents."""
        return self.leftmost[i] if i >= 0 else NOTHING

    cdef inline node_t R(self, node_t i) noexcept nogil:
        """The rightmost of its right dependents."""
        return self.rightmost[i] if i >= 0 else NOTHING

    cdef inline int32_t dependents(self, node_t node) noexcept nogil:
        return self.left_count[node] + self.right_count[node]

    cdef inline bint connected(self, node_t one, node_t two) noexcept nogil:
        return self.find(one) == self.find(two)


# The texts of transition systems name the members of Structure, Operation, Predicate and Question, as
# malt/systems/language.py spells them: LEFT_ARC is LEFT-ARC there, and CONNECTED_TOP_FRONT connected(top, front).
cpdef enum Structure:  # what a feature may look at
    STACK  # the active one, or one of those that come after it
    BUFFER
    SWAPPED  # the words of the buffer that were on the stack before
    LOOKAHEAD  # those that were not
    LEFT  # Covington's lists, from the pair outwards
    RIGHT
    LEFT_CONTEXT  # the words between the pair whose head is not there
    RIGHT_CONTEXT  # the same from the other end


cpdef enum Operation:  # the elementary operations (article, section 3), and those that other systems need
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


cpdef enum Predicate:  # what can be seen of a configuration: one bit each, computed once per configuration
    NEVER = 1 << 0  # is always 0
    EMPTY_STACK = 1 << 1  # the active stack
    SINGLE_STACK = 1 << 2  # at most one node; with lists, none further to the left that may be linked with the right one
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
    ORDERED_SECOND_TOP = 1 << 13  # they are in the order of the sentence
    ENDED = 1 << 14  # the buffer has been empty
    SWITCHED = 1 << 15  # as many SWITCH transitions as lead through all stacks were just made
    END_OF_LISTS = 1 << 16
    FULL_TOP = 1 << 17  # the node is the artificial root, and a word hangs on it
    SINGLE_BUFFER = 1 << 18  # at most one word
    ROOT_FRONT = 1 << 19
    FULL_FRONT = 1 << 20
    HEADED_SECOND = 1 << 21
    CONNECTED_SECOND_FRONT = 1 << 22
    BUILT_FRONT_TOP = 1 << 23  # the first is the head of the second
    BUILT_TOP_FRONT = 1 << 24
    BUILT_FRONT_OTHER = 1 << 25
    BUILT_OTHER_FRONT = 1 << 26
    PATH_FRONT_TOP = 1 << 27  # arcs lead from the first, from head to dependent, to the second
    PATH_TOP_FRONT = 1 << 28
    FIRST_STACK = 1 << 29  # the active stack is the first one
    EMPTY_OTHER = 1 << 30  # there is nothing on the stack that SWITCH makes active


cdef struct CompiledCase:  # of a transition
    uint64_t mask  # the bits that are looked at ...
    uint64_t want  # ... and what they must be
    bint forced  # only for the oracle and the default: never permissible
    int32_t first  # its operations are operations[first] .. operations[last - 1]
    int32_t last


cdef struct Guard:  # what must hold before an operation of a chain
    uint64_t mask
    uint64_t want


cdef enum:
    TRIED = 32  # from this bit on, one for each case that has to be tried: whether its whole chain can be done


cdef struct CompiledRule:
    int32_t transition
    uint64_t mask
    uint64_t want
    int32_t first  # an oracle's questions: questions[first] .. questions[last - 1]
    int32_t last


cpdef enum:  # where the head and the dependent of the arc that a transition makes are before
    NO_ARC
    TOP
    FRONT
    SECOND
    FURTHER  # and 2: node 2 of the stack, FURTHER + 4: node 3 ...; FURTHER + 3: node 1 of the buffer, FURTHER + 5: node 2 ...


cdef enum:
    PLACES = 256  # more than there are


cdef inline int32_t depth_of(int32_t place) noexcept nogil:
    """The number of a node of the stack (-1 at the top, -2 below it ...) or of the buffer (0 at the front, 1 ...)."""
    if place < FURTHER:
        return 0 if place == FRONT else -1 if place == TOP else -2
    return (place - FURTHER) // 2 if (place - FURTHER) % 2 else -1 - (place - FURTHER) // 2


cdef inline node_t node_at(State state, int32_t place) noexcept nogil:
    """The node at a place of arcs; -1 for NO_ARC."""
    cdef int32_t depth
    if place == NO_ARC:
        return -1
    if place >= FURTHER:
        depth = depth_of(place)
        return state.B(depth) if depth >= 0 else state.S(-1 - depth)
    return state.S(0) if place == TOP else state.B(0) if place == FRONT else state.S(1)


cpdef enum Prospect:  # what a search for a derivation may hope for, and what it need not
    RIGHTWARD = 1 << 0  # there are arcs to the right
    LEFTWARD = 1 << 1
    RETURNS = 1 << 2  # nodes come back from the stack, so that two nodes of the stack can be joined
    REHEADS = 1 << 3  # a node that has a head may get another
    PLANAR = 1 << 4  # of two arcs that cross, one is lost (proposition 4)
    COVERS = 1 << 5  # and so is an arc over a word of the root, or the arc of that word (proposition 1)


cpdef enum Costs:  # what a system knows of the gold arcs that a transition loses
    NO_COSTS
    LOWER_BOUND
    EXACT  # on trees that the system can derive


cpdef enum Pair:  # head and dependent: where nodes are that can still be joined, if the dependent has no head
    ROOT_WORD = 1 << 0  # words that are left without a head hang on the root, wherever they are
    STACK_BUFFER = 1 << 1
    BUFFER_STACK = 1 << 2
    BUFFER_BUFFER = 1 << 3
    BELOW_STACK = 1 << 4  # a node of the stack and the one above it
    OPEN_BUFFER = 1 << 5  # stack and buffer, if neither hangs under a node without a head that stands between the two
    BUFFER_OPEN = 1 << 6
    LEFT_RIGHT = 1 << 7  # lists: nodes that can still be the left and the right one at a time
    RIGHT_LEFT = 1 << 8
    SPINE_RIGHT = 1 << 9  # the same, but the left one only if it is reached over heads and whole components
    RIGHT_SPINE = 1 << 10
    STACK_STACK = 1 << 11  # any two nodes of the stack


cdef enum:
    FORBIDDEN = 0x7FFFFFFF  # the cost of a transition that is not permissible
    REACH = 64  # how many words of the buffer a configuration that is made for one arc has; features look at a few


cdef class System:
    cdef readonly int stacks
    cdef readonly Costs dynamic
    cdef readonly bint acyclic  # whether arcs that would close a cycle cannot be made
    cdef readonly bint many  # may a node have several heads?
    cdef uint32_t pairs  # bits of Pair
    cdef uint32_t prospects  # bits of Prospect
    cdef readonly tuple names
    cdef int32_t left_stop
    cdef bint all_words
    cdef readonly bint root_last  # is the artificial root the end of the buffer, and not the bottom of the stacks?
    cdef int32_t unpredicted  # the transition for when nothing is predicted, or of lists the operation; -1 if there is none
    cdef uint64_t looked_at  # the bits that any rule asks for
    cdef vector[int32_t] case_start  # transition -> its first case
    cdef vector[CompiledCase] cases
    cdef vector[int32_t] operations
    cdef vector[Guard] guards  # of each operation
    cdef vector[int32_t] tried  # the cases of which bits of predicates do not tell whether they are permissible
    cdef State trial  # where they are tried
    cdef vector[CompiledRule] ends  # the configuration is terminal if any holds
    cdef vector[CompiledRule] musts  # the first that holds is the only transition
    cdef vector[CompiledRule] defaults
    cdef vector[CompiledRule] oracle
    cdef vector[int32_t] dependent  # transition -> NO_ARC, TOP, FRONT, SECOND ...
    cdef vector[int32_t] arc  # transition -> the kind of its arc, PLACES * place of the head + place of the dependent; 0: none
    cdef int32_t rightward  # the kind of arcs to the right that comes first in the text; 0: none
    cdef int32_t leftward
    cdef readonly bint bottom_up  # does a dependent on the right leave when it gets its head?
    cdef readonly bint from_root  # are there arcs from the artificial root, or are words that hang on it left over?
    cdef readonly bint single_root  # is exactly one word to hang on the artificial root?
    cdef vector[int32_t] questions  # 2 * question + 1 if it is negated
    cdef vector[int64_t] together  # labels that two arcs from one node to another may have, the one << 32 | the other, sorted

    cdef bint clashes(self, State state, node_t head, node_t dependent, const code_t *labels) noexcept nogil
    cdef uint64_t observe(self, State state) noexcept nogil
    cdef uint64_t look(self, State state) noexcept nogil
    cdef uint64_t look_at_arcs(self, State state, node_t top, node_t front) noexcept nogil
    cdef uint64_t attempt(self, State state, uint64_t seen) noexcept nogil
    cdef bint defined(self, State state, uint64_t seen, const CompiledCase *case) noexcept nogil
    cdef bint apply(self, State state, uint64_t seen, int32_t transition) noexcept nogil
    cdef int32_t arrange(self, State state, node_t head, node_t dependent) noexcept nogil
    cdef int rules(self, vector[CompiledRule] &target, source) except -1

    cdef inline bint permissible(self, uint64_t seen, int32_t transition) noexcept nogil:
        cdef int32_t i
        for i in range(self.case_start[transition], self.case_start[transition + 1]):
            if not self.cases[i].forced and seen & self.cases[i].mask == self.cases[i].want:
                return True
        return False

    cdef inline bint terminal(self, uint64_t seen) noexcept nogil:
        cdef size_t i
        for i in range(self.ends.size()):
            if seen & self.ends[i].mask == self.ends[i].want:
                return True
        return False

    cdef inline int32_t deterministic(self, uint64_t seen) noexcept nogil:
        """The transition that must be made; -1 if there is a choice."""
        cdef size_t i
        for i in range(self.musts.size()):
            if seen & self.musts[i].mask == self.musts[i].want:
                return self.musts[i].transition
        return -1

    cdef inline int32_t default_of(self, uint64_t seen) noexcept nogil:
        """The transition for when nothing else is permissible; -1 if there is none."""
        cdef size_t i
        for i in range(self.defaults.size()):
            if seen & self.defaults[i].mask == self.defaults[i].want:
                return self.defaults[i].transition
        return -1

    cdef inline node_t dependent_of(self, State state, int32_t transition) noexcept nogil:
        """The dependent of the arc that a transition would make; -1 if it makes none."""
        return node_at(state, self.dependent[transition])

    cdef inline node_t head_of(self, State state, int32_t transition) noexcept nogil:
        """The head of that arc."""
        return node_at(state, self.arc[transition] // PLACES)

    cdef inline bint repeats(self, State state, int32_t transition, const code_t *labels) noexcept nogil:
        """Whether the arc that a transition would make is there already, or does not go together with one that is."""
        return self.arc[transition] != 0 and self.clashes(
            state, self.head_of(state, transition), self.dependent_of(state, transition), labels)

    cdef inline int32_t first_operation(self, int32_t transition) noexcept nogil:
        return self.operations[self.cases[self.case_start[transition]].first]


cdef inline int64_t most_steps(System system, int32_t words) noexcept nogil:
    """Far more than any derivation has: a definition that goes round in circles must not hang."""
    return 64 + 4 * <int64_t> (words + 2) * (words + 2 + system.stacks * system.stacks)


cpdef enum Question:  # what an oracle asks of the gold tree
    GOLD_FRONT_TOP
    GOLD_TOP_FRONT
    GOLD_TOP_SECOND
    GOLD_SECOND_TOP
    GOLD_FRONT_SECOND
    GOLD_SECOND_FRONT
    GOLD_FRONT_OTHER
    GOLD_OTHER_FRONT
    RIGHT_COMPLETE_FRONT
    RIGHT_COMPLETE_TOP
    COMPLETE_TOP
    COMPLETE_SECOND
    DONE_TOP
    DONE_SECOND
    DONE_FRONT
    DEPENDENT_BELOW_TOP
    HEAD_BELOW_TOP
    WORD_HEAD_BELOW_TOP
    DISORDERED_SECOND_TOP
    SWAP_NEEDED
    PENDING_TOP
    PENDING_OTHER
    IN_PLANE_FRONT_TOP
    IN_PLANE_TOP_FRONT
    PENDING_IN_PLANE
    PENDING_IN_OTHER_PLANES
    MISSING_FRONT_TOP  # of graphs
    MISSING_TOP_FRONT
    NEARLY_DONE_TOP
    NEARLY_DONE_FRONT
    ARCS_BELOW_TOP
    ARCS_ON_OTHER_STACKS


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
    cdef vector[int32_t] place  # of each node in a configuration: how it can still be joined
    cdef vector[node_t] above  # of each node in a configuration: its head, or the gold one that it can still get
    cdef vector[int32_t] path  # workspace: the walk upwards that came to a node
    cdef State next  # the configuration after a transition
    cdef Crossings crossings
    cdef Planes planes
    cdef bint needs_lists  # which of these the questions of a system need
    cdef bint needs_order
    cdef bint needs_crossings
    cdef bint needs_planes

    # A graph
    cdef bint acyclic  # are arcs that would close a cycle never made?
    cdef int32_t label_tables  # labels per arc
    cdef const int32_t *arc_starts  # the arcs to word w are arc_starts[w - 1] - arc_starts[0] .. arc_starts[w] - arc_starts[0] - 1
    cdef const node_t *arc_heads
    cdef const code_t *arc_labels
    cdef vector[int32_t] link  # of each arc: arcs between the same nodes have one in common
    cdef vector[node_t] link_ends  # of each link, first all of one side, then all of the other
    cdef vector[node_t] other_ends
    cdef vector[int32_t] first_out  # the arcs from node h are out[first_out[h]] .. out[first_out[h + 1] - 1]
    cdef vector[int32_t] out
    cdef vector[node_t] dependent_of  # of each arc

    cdef void prepare(self, System system) noexcept nogil
    cdef int read(self, System system, const node_t *heads, int32_t words) except -1 nogil
    cdef int sort_projectively(self) except -1 nogil
    cdef int push_dependents(self, node_t first) except -1 nogil
    cdef int32_t choose(self, System system, State state, uint64_t seen) except -1 nogil
    cdef bint answer(self, State state, int32_t question) noexcept nogil
    cdef bint idle(self, int32_t question, node_t top, node_t front) noexcept nogil
    cdef bint complete(self, State state, node_t node) noexcept nogil
    cdef bint right_complete(self, State state, node_t node) noexcept nogil
    cdef bint swap_needed(self, State state) noexcept nogil
    cdef bint projective_interval(self, State state, node_t left, node_t right) noexcept nogil
    cdef int bind(self, node_t word, int32_t plane) except -1 nogil
    cdef node_t crossing(self, node_t word, int32_t *cursor) noexcept nogil
    cdef bint pending(self, State state, int32_t plane, node_t limit) noexcept nogil
    cdef bint pending_in(self, State state, int32_t plane, node_t limit) noexcept nogil
    cdef int costs(self, System system, State state, uint64_t seen, int32_t *cost) except -1 nogil
    cdef int32_t loss(self, System system, State state) noexcept nogil
    cdef void locate(self, System system, State state) noexcept nogil
    cdef node_t uppermost(self, State state, node_t node) noexcept nogil
    cdef void mark_spine(self, State state, node_t node, int32_t mark) noexcept nogil
    cdef bint joinable(self, System system, State state, node_t head, node_t dependent) noexcept nogil
    cdef int32_t cycles(self) noexcept nogil
    cdef int read_graph(self, System system, const int32_t *starts, const node_t *heads, const code_t *labels,
                        int32_t tables, int32_t words) except -1 nogil
    cdef int32_t missing(self, State state, int32_t plane, node_t head, node_t dependent) noexcept nogil
    cdef const code_t *labels_of(self, System system, State state, int32_t transition) noexcept nogil
    cdef int32_t count_missing(self, State state, node_t node) noexcept nogil
    cdef bint arcs_below(self, State state, int32_t stack, node_t limit) noexcept nogil
    cdef bint still_missing(self, State state, int32_t arc) noexcept nogil

    cdef inline bint gold(self, node_t head, node_t dependent) noexcept nogil:
        return head >= 0 and dependent > 0 and self.head[dependent] == head
