# distutils: language = c++
# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
"""The measures of malt.structure over a whole block of sentences, in time linear in words plus crossings (times log n).

No recursion, so that no tree is too deep, and no list of projections, which together have n^2 / 2 words in a chain.
"""

cimport cython

import numpy

from malt.kernel.crossings cimport CROSSINGS_LIMIT
from malt.kernel.planes cimport PLANES_EFFORT

MEASURE = numpy.dtype([(name, numpy.int64) for name in (
    "tokens", "state", "roots", "depth", "nonprojective", "gap_degree", "ill_nested", "ill_nested_strict",
    "covered_roots", "crossings", "crossings_root", "planarity_lower", "planarity_upper", "planarity_root_lower",
    "planarity_root_upper",
)])

STATES = ("tree", "blind", "no head", "no such head", "own head", "cycle")


@cython.final
cdef class Tree:
    """One sentence after another, in the same room."""

    def __cinit__(self):
        self.crossings = Crossings()
        self.planes = Planes()

    cdef int measure(
        self, const node_t *heads, node_t words, int64_t limit, int64_t effort, Measure *measure
    ) except -1 nogil:
        cdef int32_t lower = 1, upper = 1
        measure.tokens = words
        measure.state = self.grow(heads, words)
        if measure.state != TREE:
            return 0
        measure.roots = self.first[1] - self.first[0]
        measure.depth = self.depth[self.order[words]]
        if not self.projective():
            self.gaps(measure)
            self.nesting(measure)
            self.crossings.build(heads, words, False, limit)
            self.planes.bounds(self.crossings, effort, &lower, &upper)
        measure.planarity_lower = measure.planarity_root_lower = lower
        measure.planarity_upper = measure.planarity_root_upper = upper
        if measure.gap_degree:
            measure.covered_roots = self.crossings.covered
            measure.crossings = measure.crossings_root = self.crossings.total
        if measure.covered_roots:
            self.crossings.build(heads, words, True, limit)
            self.planes.bounds(self.crossings, effort, &lower, &upper)
            measure.crossings_root = self.crossings.total
            # Where only bounds are known, they bound each other: one plane more is enough for the root links.
            measure.planarity_root_lower = max(lower, measure.planarity_lower)
            measure.planarity_root_upper = min(upper, measure.planarity_upper + 1)
            measure.planarity_upper = min(measure.planarity_upper, measure.planarity_root_upper)
        return 0

    cdef int grow(self, const node_t *heads, node_t words) except -1 nogil:
        """Take over the heads of a sentence. Gives its state; only a tree has the fields filled."""
        cdef node_t word, head, i, missing = 0
        cdef int64_t done
        self.words = words
        for word in range(1, words + 1):
            head = heads[word - 1]
            missing += head == -1
            if head < -1 or head > words:
                return NO_SUCH_HEAD
            if head == word:
                return OWN_HEAD
        if missing:
            return BLIND if missing == words else NO_HEAD
        self.head.assign(words + 1, 0)
        self.first.assign(words + 2, 0)
        self.dependent.resize(words + 1)
        for word in range(1, words + 1):
            self.head[word] = heads[word - 1]
            self.first[heads[word - 1]] += 1
        for head in range(1, words + 2):
            self.first[head] += self.first[head - 1]  # now where the row ends; filling moves it to the beginning
        for word in range(words, 0, -1):
            self.first[self.head[word]] -= 1
            self.dependent[self.first[self.head[word]]] = word
        self.order.clear()
        self.order.push_back(0)
        self.depth.assign(words + 1, 0)
        done = 0
        while done < <int64_t> self.order.size():
            head = self.order[done]
            done += 1
            for i in range(self.first[head], self.first[head + 1]):
                self.depth[self.dependent[i]] = self.depth[head] + 1
                self.order.push_back(self.dependent[i])
        if done <= words:
            return CYCLE
        self.size.assign(words + 1, 1)
        self.leftmost.resize(words + 1)
        self.rightmost.resize(words + 1)
        for word in range(words + 1):
            self.leftmost[word] = self.rightmost[word] = word
        for i in range(words, 0, -1):
            word = self.order[i]
            head = self.head[word]
            self.size[head] += self.size[word]
            self.leftmost[head] = min(self.leftmost[head], self.leftmost[word])
            self.rightmost[head] = max(self.rightmost[head], self.rightmost[word])
        return TREE

    cdef bint projective(self) noexcept nogil:
        cdef node_t word
        for word in range(1, self.words + 1):
            if self.rightmost[word] - self.leftmost[word] + 1 != self.size[word]:
                return False
        return True

    # -- gap degree and non-projective arcs

    cdef int gaps(self, Measure *measure) except -1 nogil:
        """From the neighbours i, i + 1 that meet, that is have their lowest common head, in each word.

        A projection has as many intervals as words less neighbours that meet within it. When the neighbours are
        joined from the leaves upwards, the intervals of a projection are those around its words at the time when its
        own word is reached; an arc is projective if its ends are in one interval then.
        """
        cdef node_t word, head, i, best, at
        self.chain.resize(self.words + 1)
        self.chain[0] = 0
        for at in range(self.words + 1):
            head = self.order[at]
            best = 0
            for i in range(self.first[head], self.first[head + 1]):
                word = self.dependent[i]
                if not best or self.size[word] > self.size[best]:
                    best = word
                self.chain[word] = word
            if best:
                self.chain[best] = self.chain[head]
        self.meeting.assign(self.words + 1, 0)
        self.next_meeting.resize(self.words + 1)
        for word in range(1, self.words):
            head = self.meet(word, word + 1)
            self.next_meeting[word] = self.meeting[head]
            self.meeting[head] = word
        self.intervals.assign(self.words + 1, 1)
        self.joined.resize(self.words + 1)
        for word in range(1, self.words + 1):
            self.joined[word] = word
        for at in range(self.words, 0, -1):
            head = self.order[at]
            word = self.meeting[head]
            while word:
                self.intervals[head] -= 1
                self.joined[self.interval(word + 1)] = self.interval(word)
                word = self.next_meeting[word]
            for i in range(self.first[head], self.first[head + 1]):
                measure.nonprojective += self.interval(self.dependent[i]) != self.interval(head)
            measure.gap_degree = max(measure.gap_degree, self.intervals[head] - 1)
            self.intervals[self.head[head]] += self.intervals[head]
        return 0

    cdef node_t meet(self, node_t one, node_t two) noexcept nogil:
        """The lowest common head of two words, one of the two included: up the chains, of which log n are passed."""
        while self.chain[one] != self.chain[two]:
            if self.depth[self.chain[one]] >= self.depth[self.chain[two]]:
                one = self.head[self.chain[one]]
            else:
                two = self.head[self.chain[two]]
        return one if self.depth[one] < self.depth[two] else two

    cdef node_t interval(self, node_t word) noexcept nogil:
        while self.joined[word] != word:
            self.joined[word] = self.joined[self.joined[word]]
            word = self.joined[word]
        return word

    # -- nesting

    cdef int nesting(self, Measure *measure) except -1 nogil:
        """From siblings: projections that interleave are within those of two siblings, which interleave then as well.

        Siblings do not interleave if (1) the ends of one are both between those of the other or both outside, and (2)
        whatever their head dominates between the ends of one, the head aside, is of siblings with both ends there.
        """
        cdef node_t word, head, next_rank, i, at
        cdef size_t n
        cdef bint between
        self.rank.resize(self.words + 1)
        self.rank[0] = 0
        self.place.resize(self.words + 1)
        self.sibling.resize(self.words + 1)
        self.enclosed.resize(self.words + 1)
        for at in range(self.words + 1):
            head = self.order[at]
            self.place[head] = self.first[head]
            next_rank = self.rank[head] + 1
            for i in range(self.first[head], self.first[head + 1]):
                self.rank[self.dependent[i]] = next_rank
                next_rank += self.size[self.dependent[i]]
        for at in range(1, self.words + 1):  # from left to right, the words whose projections begin there
            word = at
            while word and self.leftmost[word] == at:
                head = self.head[word]
                self.sibling[self.place[head]] = word
                self.place[head] += 1
                word = head
        self.asked.clear()
        for head in range(self.words + 1):
            if not self.nested(head):
                measure.ill_nested = 1
                if head:
                    measure.ill_nested_strict = 1
                    return 0
        if self.asked.empty():
            return 0
        self.count_between()
        for n in range(self.asked.size()):
            word = self.asked[n]
            head = self.head[word]
            between = self.leftmost[word] < head < self.rightmost[word]
            if self.enclosed[word] + between != 0:
                measure.ill_nested = 1
                measure.ill_nested_strict |= head != 0
        return 0

    cdef bint nested(self, node_t head) except -1 nogil:
        """Condition 1 for the dependents of a head. Those between the ends of another are to be asked condition 2."""
        cdef node_t word, i
        self.around.clear()
        for i in range(self.first[head], self.first[head + 1]):
            word = self.sibling[i]
            while not self.around.empty() and self.rightmost[self.around.back()] < self.leftmost[word]:
                self.leave()
            self.enclosed[word] = self.size[word]
            if not self.around.empty():
                if self.rightmost[word] > self.rightmost[self.around.back()]:
                    return False
                self.asked.push_back(word)
            self.around.push_back(word)
        while not self.around.empty():
            self.leave()
        return True

    cdef void leave(self) noexcept nogil:
        cdef node_t word = self.around.back()
        self.around.pop_back()
        if not self.around.empty():
            self.enclosed[self.around.back()] += self.enclosed[word]

    cdef int count_between(self) except -1 nogil:
        """Take off `enclosed`, for each sibling asked, the number of words between its ends that its head dominates."""
        cdef node_t word, head, at, question
        cdef int64_t rank
        cdef int32_t count
        cdef size_t n
        self.question.assign(self.words + 1, 0)
        self.next_question.resize(2 * (<size_t> self.words + 1))
        for n in range(self.asked.size()):
            word = self.asked[n]
            self.next_question[2 * word] = self.question[self.leftmost[word] - 1]
            self.question[self.leftmost[word] - 1] = 2 * word
            self.next_question[2 * word + 1] = self.question[self.rightmost[word]]
            self.question[self.rightmost[word]] = 2 * word + 1
        self.counts.assign(self.words + 1, 0)
        for at in range(1, self.words + 1):
            rank = self.rank[at]
            while rank <= self.words:
                self.counts[rank] += 1
                rank += rank & -rank
            question = self.question[at]
            while question:
                word = question // 2
                head = self.head[word]
                count = self.up_to(self.rank[head] + self.size[head] - 1) - self.up_to(self.rank[head] - 1)
                self.enclosed[word] += -count if question & 1 else count
                question = self.next_question[question]
        return 0

    cdef int32_t up_to(self, int64_t rank) noexcept nogil:
        """The number of words up to the position reached whose rank is at most this."""
        cdef int32_t count = 0
        while rank > 0:
            count += self.counts[rank]
            rank -= rank & -rank
        return count


def measure(heads, starts, int64_t limit=CROSSINGS_LIMIT, int64_t effort=PLANES_EFFORT):
    """Measure sentences: sentence i has the words starts[i] .. starts[i + 1] - 1, heads are positions in a sentence.

    Gives a record of type MEASURE for each sentence, and for all trees together the numbers of arcs between words by
    their length: lengths[0, n] arcs to the right, head first, and lengths[1, n] to the left.

    >>> import numpy
    >>> measures, lengths = measure([2, 0, 2, 0, 4, 1, 1], [0, 3, 7])
    >>> measures["gap_degree"], measures["planarity_upper"], lengths
    (array([0, 1]), array([1, 2]), array([[0, 1, 1, 1],
           [0, 1, 1, 0]]))
    """
    cdef const node_t[::1] head = numpy.ascontiguousarray(heads, dtype=numpy.int32)
    cdef const int64_t[::1] start = numpy.ascontiguousarray(starts, dtype=numpy.int64)
    cdef Py_ssize_t sentences = start.shape[0] - 1, i, word
    cdef int64_t longest = 0, length
    cdef const node_t *sentence
    cdef Tree tree = Tree()
    if sentences < 0 or start[0] < 0 or start[sentences] > head.shape[0] or (numpy.diff(starts) < 0).any():
        raise ValueError("starts: expected ascending places in heads, one more than there are sentences")
    for i in range(sentences):
        longest = max(longest, start[i + 1] - start[i])
    measures = numpy.zeros(sentences, dtype=MEASURE)
    lengths = numpy.zeros((2, max(longest, 1)), dtype=numpy.int64)
    cdef Measure[::1] result = measures
    cdef int64_t[:, ::1] arcs = lengths
    with nogil:
        for i in range(sentences):
            sentence = &head[0] + start[i] if head.shape[0] else NULL
            tree.measure(sentence, <node_t> (start[i + 1] - start[i]), limit, effort, &result[i])
            if result[i].state == TREE:
                for word in range(start[i + 1] - start[i]):
                    if sentence[word] > 0:
                        length = word + 1 - sentence[word]
                        arcs[length < 0, length if length > 0 else -length] += 1
    return measures, lengths
