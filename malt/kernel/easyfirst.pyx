"""Easy-first parsing (Goldberg and Elhadad 2010): of all arcs between neighbours, anywhere in the sentence, the best is made first.

The nodes that wait for a head are a list. A place is where two of them are neighbours; it has the number of the left one. It is
scored as a configuration whose stack ends with the left node and whose buffer begins with the right one: what features see there,
and which arcs may be made, is said by the system as for any other. An arc changes what features see at the places around it, and
only these are scored anew; the best of all is the first of a heap, in which places that were scored again since are passed over.

As in models of arcs (malt/kernel/arcs.pyx), each direction has one class more, that of all its labels: whether two nodes are to be
joined, and whether it is time, is learned for all labels at once.
"""

cimport cython
from libcpp.algorithm cimport pop_heap, push_heap
from libcpp.pair cimport pair

from malt.kernel.guide cimport ScoredClass
from malt.kernel.mixing cimport draw
from malt.kernel.structured cimport StructuredPolicy
from malt.kernel.system cimport NOTHING, State, System
from malt.kernel.types cimport code_t, int32_t, int64_t, node_t, uint64_t
from malt.kernel.vector cimport vector
from malt.kernel.walk cimport TreePolicy, Walk
from malt.kernel.weights cimport ALL_TRANSITIONS, Classes, Scorer, UNIT, in_lines

from malt.kernel.arcs import DIRECTIONS as _DIRECTIONS


cdef enum:
    NOBODY = -1
    BETWEEN_LOOKS = 0x3FF  # places that are scored between two looks at whether somebody wants to stop

cdef int64_t REFUSED = -(<int64_t> 1 << 62)  # the score of what may not be done

ctypedef pair[int32_t, int32_t] Version
ctypedef pair[int64_t, Version] Offer  # the score of a place, its number, negative, so that the first of equal ones wins, and its version


@cython.final
cdef class Places:
    """All places of a sentence. Features look at `back` nodes from the left one of a place back, and at `forth` from the right
    one on; with `everywhere` they may look at what any arc changes, and all places are scored anew after each."""

    cdef Scorer scorer
    cdef Classes classes
    cdef int32_t back
    cdef int32_t forth
    cdef bint everywhere
    cdef int32_t leftward  # the transitions
    cdef int32_t rightward
    cdef int32_t waiting  # how many nodes wait
    cdef vector[char] waits  # does it?
    cdef vector[node_t] before  # of each node that waits the one before it; NOTHING where there is none
    cdef vector[node_t] after
    cdef vector[int32_t] best  # of each place the best class; NOBODY where nothing can be done
    cdef vector[int64_t] score  # and its score
    cdef vector[int32_t] version
    cdef vector[Offer] heap

    # While learning: for each word the class of its gold labels to the left and to the right; NOBODY where there is none
    cdef vector[int32_t] gold
    cdef vector[int32_t] right  # of each place the class that has the gold labels in either direction, or else the best ...
    cdef vector[int64_t] worth  # ... and its score; REFUSED where the arc may not be made
    cdef bint counts  # are features counted, and nothing scored?

    def __init__(self, System system not None, Scorer scorer not None, Classes classes not None, reach):
        cdef int32_t t
        self.scorer, self.classes = scorer, classes
        self.back, self.forth, self.everywhere = reach
        if scorer.stride not in (in_lines(classes.room + <int32_t> _DIRECTIONS), in_lines(1)) or scorer.classes is not None:
            raise ValueError("the weights do not fit the classes")
        self.leftward = self.rightward = NOBODY
        for t in range(<int32_t> system.arc.size()):
            if system.arc[t] and system.arc[t] == system.leftward:
                self.leftward = t
            elif system.arc[t] and system.arc[t] == system.rightward:
                self.rightward = t
        for t in range(classes.room):
            if classes.codes[t] >= 0 and classes.transition[t] not in (self.leftward, self.rightward):
                raise ValueError("a class makes no arc")

    cdef int begin(self, Walk walk) except -1 nogil:
        """The nodes of a configuration wait."""
        cdef int32_t i, nodes = walk.state.words + 1
        cdef node_t last = NOTHING
        self.waits.assign(nodes, 0)
        self.before.assign(nodes, NOTHING)
        self.after.assign(nodes, NOTHING)
        self.best.assign(nodes, NOBODY)
        self.score.assign(nodes, REFUSED)
        self.version.assign(nodes, 0)
        self.right.assign(2 * nodes, NOBODY)
        self.worth.assign(2 * nodes, REFUSED)
        self.waiting = 0
        for i in range(walk.state.height[0]):
            last = self.append(last, walk.state.stack[i])
        for i in range(walk.state.first, walk.state.last):
            last = self.append(last, walk.state.buffer[i])
        return self.scorer.forget()

    cdef node_t append(self, node_t last, node_t node) noexcept nogil:
        if last != NOTHING:
            self.after[last] = node
        self.before[node] = last
        self.waits[node] = True
        self.waiting += 1
        return node

    cdef int32_t focus(self, State state, node_t left) noexcept nogil:
        """Make the configuration of a place, as far as anybody looks. The stack has its bottom, and the buffer its end, only if
        they are near."""
        cdef int32_t height = 0, i
        cdef node_t node = left
        while height < self.back and node != NOTHING:
            height += 1
            node = self.before[node]
        node = left
        for i in range(height - 1, -1, -1):
            state.stack[i] = node
            node = self.before[node]
        state.height[0], state.active, state.lookahead = height, 0, 0
        state.first = state.last = 1
        node = self.after[left]
        while state.last <= self.forth and node != NOTHING:
            state.buffer[state.last] = node
            state.last += 1
            node = self.after[node]
        return 0

    cdef int unfold(self, State state) noexcept nogil:
        """Make the configuration of all nodes that wait, before the first word."""
        cdef node_t node = self.after[0]
        state.stack[0], state.height[0] = 0, 1
        state.first = state.last = 1
        while node != NOTHING:
            state.buffer[state.last] = node
            state.last += 1
            node = self.after[node]
        return 0

    cdef int32_t evaluate(self, Walk walk, node_t left) except -1 nogil:
        """The scorer's entry of a place."""
        self.focus(walk.state, left)
        return self.scorer.evaluate(walk.features, walk.state, ALL_TRANSITIONS)

    cdef int score_all(self, Walk walk) except -1 nogil:
        cdef node_t node = 0
        if self.waiting > BETWEEN_LOOKS:
            walk.look_up()
        self.heap.clear()
        while node != NOTHING:
            self.rescore(walk, node)
            node = self.after[node]
        return 0

    cdef int rescore(self, Walk walk, node_t left) except -1 nogil:
        """Score a place."""
        cdef int32_t entry
        cdef int64_t answered = self.scorer.answered
        self.version[left] += 1
        self.best[left] = NOBODY
        if self.after[left] == NOTHING:
            return 0
        entry = self.evaluate(walk, left)
        if self.counts:
            return self.scorer.learn(entry, 0, 1) if self.scorer.answered == answered else 0
        self.choose(walk, left, self.scorer.scores_of(entry))
        if self.best[left] != NOBODY and not self.everywhere:
            self.heap.push_back(Offer(self.score[left], Version(-left, self.version[left])))
            push_heap(self.heap.begin(), self.heap.end())
        return 0

    cdef int choose(self, Walk walk, node_t left, const int32_t *scores) noexcept nogil:
        """The best class of a place, of equal ones the first."""
        cdef int32_t turn, transition, klass, every
        cdef uint64_t permissible = self.classes.permissible(walk.system, walk.system.observe(walk.state))
        self.score[left] = REFUSED
        for turn in range(2):
            transition = self.rightward if turn else self.leftward
            if transition < 0 or not permissible >> transition & 1:
                self.worth[2 * left + turn] = REFUSED
                continue
            every = scores[self.classes.room + turn]
            klass = self.best_of(walk, transition, turn and left == 0, scores)
            if klass != NOBODY and (self.best[left] == NOBODY or scores[klass] + every > self.score[left]):
                self.best[left], self.score[left] = klass, scores[klass] + every
            if self.gold.size():
                self.right[2 * left + turn] = self.gold[2 * (self.after[left] if turn else left) + turn]
                if self.right[2 * left + turn] == NOBODY:
                    self.right[2 * left + turn] = klass
                klass = self.right[2 * left + turn]
                self.worth[2 * left + turn] = scores[klass] + every if klass != NOBODY else REFUSED
        return 0

    cdef int32_t best_of(self, Walk walk, int32_t transition, bint from_root, const int32_t *scores) noexcept nogil:
        """Of the classes of a transition the best. Where roots have a label of their own, no other arc has it, if that can be."""
        cdef int32_t klass, best = NOBODY, other = NOBODY
        for klass in range(self.classes.of_transition[transition].begin, self.classes.of_transition[transition].end):
            if other == NOBODY or scores[klass] > scores[other]:
                other = klass
            if not self.fits(walk, klass, from_root):
                continue
            if best == NOBODY or scores[klass] > scores[best]:
                best = klass
        return best if best != NOBODY else other

    cdef bint fits(self, Walk walk, int32_t klass, bint from_root) noexcept nogil:
        """Whether a class has the label that roots have of their own where it is an arc from the root, and else another."""
        cdef int32_t own = walk.own_label
        return own < 0 or (self.classes.labels_of(klass)[own] == walk.root_labels[own]) == from_root

    cdef node_t easiest(self) noexcept nogil:
        """The place with the highest score, of equal ones the first; NOTHING if nothing can be done, or is left to do."""
        cdef node_t node, found = NOTHING
        if self.waiting < 2:
            return NOTHING
        if self.everywhere:
            node = 0
            while node != NOTHING:
                if self.best[node] != NOBODY and (found == NOTHING or self.score[node] > self.score[found]):
                    found = node
                node = self.after[node]
            return found
        while not self.heap.empty():
            node = -self.heap[0].second.first
            if self.version[node] == self.heap[0].second.second:
                return node
            pop_heap(self.heap.begin(), self.heap.end())
            self.heap.pop_back()
        return NOTHING

    cdef node_t make(self, Walk walk, node_t left, int32_t klass) except -1 nogil:
        """Make an arc at a place; its dependent waits no more. Gives the head."""
        self.focus(walk.state, left)
        if not walk.advance(
                walk.state, walk.system.observe(walk.state), self.classes.transition[klass], self.classes.labels_of(klass)):
            with gil:
                raise RuntimeError("an arc cannot be made")
        self.take(walk.state.new_dependent)
        if self.waiting & BETWEEN_LOOKS == 0:
            walk.look_up()
        return walk.state.new_head

    cdef void take(self, node_t gone) noexcept nogil:
        """A node waits no more. It is not the root, and so one stands before it."""
        cdef node_t near = self.before[gone]
        self.after[near] = self.after[gone]
        if self.after[gone] != NOTHING:
            self.before[self.after[gone]] = near
        self.waits[gone] = False
        self.version[gone] += 1
        self.waiting -= 1

    cdef int look_again(self, Walk walk, node_t head) except -1 nogil:
        """Score the places where features see an arc that was just made, by its head: they see the head, or what is gone."""
        cdef int32_t i
        cdef node_t node = head
        if self.everywhere:
            return self.score_all(walk)
        for i in range(self.back):
            if node == NOTHING:
                break
            self.rescore(walk, node)
            node = self.after[node]
        node = self.before[head]
        for i in range(self.forth):
            if node == NOTHING:
                break
            self.rescore(walk, node)
            node = self.before[node]
        return 0


cdef struct Attachment:
    node_t left  # the place
    int32_t klass


@cython.final
cdef class EasyFirstPolicy(StructuredPolicy):
    """Makes the best arc, wherever it is. A sentence is derived when it begins, and the walk finds it done; only if somebody wants
    to see the scores, the walk makes the transitions, those from place to place among them."""

    cdef Places places
    cdef State start
    cdef vector[Attachment] made
    cdef size_t at
    cdef int32_t onward  # the transitions that lead from place to place
    cdef int32_t backward

    def __init__(self, System system not None, Scorer scorer not None, Classes classes not None, reach, moves):
        StructuredPolicy.__init__(self, scorer, classes)
        self.places, self.start = Places(system, scorer, classes, reach), State()
        self.onward, self.backward = moves

    cdef int begin(self, Walk walk) except -1 nogil:
        cdef node_t left
        self.made.clear()
        self.at = 0
        if self.candidates.wanted:
            self.start.become(walk.state)
        self.places.begin(walk)
        self.places.score_all(walk)
        left = self.places.easiest()
        while left != NOTHING:
            self.made.push_back(Attachment(left, self.places.best[left]))
            self.places.look_again(walk, self.places.make(walk, left, self.places.best[left]))
            left = self.places.easiest()
        if self.candidates.wanted:
            walk.state.become(self.start)
        else:
            self.at = self.made.size()
            walk.steps += <int64_t> self.at
            self.places.unfold(walk.state)
        return 0

    cdef int choose(self, Walk walk) except -1 nogil:
        cdef int32_t entry
        cdef node_t top = walk.state.S(0), left
        if self.at >= self.made.size():
            walk.transition = walk.system.default_of(walk.seen)
            return 0
        entry = self.scorer.evaluate(walk.features, walk.state, ALL_TRANSITIONS)
        left = self.made[self.at].left
        if top != left:
            walk.transition = self.onward if top < left else self.backward
            return 0
        if self.candidates.wanted:
            self.keep_scores(walk, entry, self.classes.permissible(walk.system, walk.seen))
        walk.transition = self.classes.transition[self.made[self.at].klass]
        walk.labels = self.classes.labels_of(self.made[self.at].klass)
        self.at += 1
        return 0

    cdef int keep_scores(self, Walk walk, int32_t entry, uint64_t permissible) except -1 nogil:
        """Keep the scores of all arcs of a place that could be made there, the one that is made among them."""
        cdef int32_t c, every, made = self.made[self.at].klass
        cdef bint rightward
        cdef const int32_t *scores = self.scorer.scores_of(entry)
        for c in range(self.classes.room):
            if self.classes.codes[c] < 0 or not permissible >> self.classes.transition[c] & 1:
                continue
            rightward = self.classes.transition[c] == self.places.rightward
            if c == made or self.places.fits(walk, c, rightward and self.made[self.at].left == 0):
                every = self.classes.room + rightward
                self.candidates.found.push_back(
                    ScoredClass(0, self.classes.codes[c], (scores[c] + scores[every]) / <double> UNIT))
        return 0


cdef class GoldPlaces(TreePolicy):
    """Trees that are known, and what an arc costs (Goldberg and Nivre 2013): an arc to d loses the gold arcs from d to words that
    still wait, and the one to d, if it is not that one and its head still waits. On projective trees that is exact, for all gold
    arcs between nodes that wait can be made together."""

    cdef Places places
    cdef vector[node_t] gold  # the head of each word
    cdef vector[int32_t] wanting  # how many gold dependents of each node wait

    def __init__(self, Places places not None):
        self.places = places

    cdef bint read(self, Walk walk) except -1 nogil:
        """Take the gold tree; False where a head is none of the sentence's nodes."""
        cdef node_t word, head
        cdef const code_t *labels = walk.no_labels.data()
        cdef int32_t words = walk.state.words
        self.exact = False  # what is learned from is no derivation
        self.gold.assign(words + 1, NOTHING)
        self.wanting.assign(words + 1, 0)
        self.places.gold.assign(2 * (words + 1), NOBODY)
        for word in range(1, words + 1):
            head = self.heads[walk.first + word - 1]
            if head < 0 or head > words:
                return False
            self.gold[word] = head
            self.wanting[head] += 1
            if self.labels != NULL:
                labels = self.labels + <int64_t> (walk.first + word - 1) * walk.width
            self.places.gold[2 * word] = self.class_with(self.places.classes, self.places.leftward, labels)
            self.places.gold[2 * word + 1] = self.class_with(self.places.classes, self.places.rightward, labels)
        for word in range(1, words + 1):
            if walk.state.head[word] != NOTHING:  # it was given
                self.wanting[self.gold[word]] -= 1
        return True

    cdef int32_t class_with(self, Classes classes, int32_t transition, const code_t *labels) noexcept nogil:
        """The class of a transition that has these labels; NOBODY if there is none."""
        cdef int32_t klass, j
        if not 0 <= transition < <int32_t> classes.of_transition.size():
            return NOBODY
        for klass in range(classes.of_transition[transition].begin, classes.of_transition[transition].end):
            for j in range(classes.width):
                if classes.labels_of(klass)[j] != labels[j]:
                    break
            else:
                return klass
        return NOBODY

    cdef inline int32_t cost(self, node_t left, bint rightward) noexcept nogil:
        """How many gold arcs an arc at a place loses."""
        cdef node_t word = self.places.after[left] if rightward else left
        cdef node_t head = left if rightward else self.places.after[left], gold = self.gold[word]
        cdef bint lost = gold != head and self.places.waits[gold] != 0
        return self.wanting[word] + lost

    cdef node_t make(self, Walk walk, node_t left, int32_t klass) except -1 nogil:
        cdef node_t head = self.places.make(walk, left, klass)
        self.wanting[self.gold[walk.state.new_dependent]] -= 1
        return head

    def costs(self, Walk walk not None, node_t[::1] heads not None, arcs):
        """What each arc between neighbours that wait loses of a tree, when some arcs were made: {(head, dependent): cost}."""
        cdef node_t node = 0, right
        walk.first = 0
        walk.state.start(<int32_t> heads.shape[0], walk.system, walk.width, 0, NULL)
        self.follow(heads)
        self.read(walk)
        self.places.begin(walk)
        for _, word in arcs:
            self.places.take(word)
            self.wanting[self.gold[<node_t> word]] -= 1
        found = {}
        while self.places.after[node] != NOTHING:
            right = self.places.after[node]
            found[node, right] = self.cost(node, True)
            if node:
                found[right, node] = self.cost(node, False)
            node = right
        return found

    cdef int choose(self, Walk walk) except -1 nogil:
        """The walk has nothing left to do, unless there was no class for what is left."""
        walk.transition = walk.system.default_of(walk.seen)
        return 0


@cython.final
cdef class EasyFirstTraining(GoldPlaces):
    """Learns arc by arc: the best of all places is to be one that loses nothing, and has the gold labels. `explore` is how often,
    of 2^32 times, a wrong one is followed."""

    cdef public uint64_t explore
    cdef public int64_t updates
    cdef public int64_t right  # arcs that were right
    cdef uint64_t seed

    def start(self, uint64_t seed):
        """Begin anew with a seed for what is drawn by lot."""
        self.seed = seed

    cdef int begin(self, Walk walk) except -1 nogil:
        cdef node_t left, other
        cdef int32_t klass, gold, turn
        cdef bint changed
        if not self.read(walk):
            return 0
        self.places.begin(walk)
        self.places.score_all(walk)
        left = self.places.easiest()
        while left != NOTHING:
            klass, changed = self.places.best[left], False
            turn = self.places.classes.transition[klass] == self.places.rightward
            if self.cost(left, turn) or klass != self.places.right[2 * left + turn]:
                other = self.cheapest(&gold)
                if other != left or gold != klass:
                    changed = True
                    self.learn(walk, other, gold, UNIT)
                    self.learn(walk, left, klass, -UNIT)
                    self.places.scorer.forget()
                    if not self.explore or draw(&self.seed) >> 32 >= self.explore:
                        left, klass = other, gold
            self.updates += changed
            self.right += not changed
            self.places.scorer.weights.clock += 1
            other = self.make(walk, left, klass)
            if changed:
                self.places.score_all(walk)
            else:
                self.places.look_again(walk, other)
            left = self.places.easiest()
        self.places.unfold(walk.state)
        return 0

    cdef node_t cheapest(self, int32_t *klass) noexcept nogil:
        """Of the arcs that lose the fewest gold arcs, with the gold labels, the one with the highest score: its place and class."""
        cdef node_t node = 0, found = NOTHING
        cdef int32_t turn, cost, least = 0, best = 0
        while node != NOTHING:
            for turn in range(2):
                if self.places.worth[2 * node + turn] == REFUSED or self.places.after[node] == NOTHING:
                    continue
                cost = self.cost(node, turn)
                if found == NOTHING or cost < least or (
                        cost == least and self.places.worth[2 * node + turn] > self.places.worth[best]):
                    found, least, best = node, cost, 2 * node + turn
            node = self.places.after[node]
        klass[0] = self.places.right[best]
        return found

    cdef int learn(self, Walk walk, node_t left, int32_t klass, int32_t amount) except -1 nogil:
        """Change the weights of an arc at a place, and those of all arcs of its direction."""
        cdef int32_t entry = self.places.evaluate(walk, left)
        cdef bint turn = self.places.classes.transition[klass] == self.places.rightward
        self.places.scorer.learn(entry, klass, amount)
        return self.places.scorer.learn(entry, self.places.classes.room + turn, amount)


@cython.final
cdef class EasyFirstCounter(GoldPlaces):
    """Counts the features of gold derivations that go from left to right again and again, and make all arcs that are due: the
    weight of each for the first class is how often it was there."""

    def __init__(self, Places places not None):
        GoldPlaces.__init__(self, places)
        places.counts = True

    cdef int begin(self, Walk walk) except -1 nogil:
        cdef node_t left, head
        cdef int32_t before, klass
        if not self.read(walk):
            return 0
        self.places.begin(walk)
        self.places.score_all(walk)
        before = self.places.waiting + 1
        while self.places.waiting > 1 and self.places.waiting < before:
            before, left = self.places.waiting, 0
            while left != NOTHING and self.places.after[left] != NOTHING:
                klass = self.due(left)
                if klass == NOBODY:
                    left = self.places.after[left]
                    continue
                head = self.make(walk, left, klass)
                self.places.look_again(walk, head)
                left = self.places.after[head]
        self.places.unfold(walk.state)
        return 0

    cdef int32_t due(self, node_t left) noexcept nogil:
        """The class of a gold arc at a place whose dependent has all of its own; NOBODY if there is none."""
        cdef node_t right = self.places.after[left]
        if self.gold[left] == right and not self.wanting[left]:
            return self.places.gold[2 * left]
        return self.places.gold[2 * right + 1] if self.gold[right] == left and not self.wanting[right] else NOBODY
