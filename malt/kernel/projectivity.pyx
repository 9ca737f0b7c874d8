"""Lifting: non-projective words move from head to head until the tree is projective, without the GIL and without recursion.

The choices are those of a program that looks at all words again after every lift; what makes it fast is that a lift changes
little. The block of a word is the longest run of words around it that it dominates, so an arc is projective if its
dependent is in the block of its head. Blocks are nested or disjoint. Lifting d out of h changes one block, that of h,
and only where a descendant of d is in it; d itself is not, or it would not be lifted.

The definitions are those of Nivre and Nilsson, Pseudo-Projective Dependency Parsing, ACL 2005, as MaltParser has them.

Lowering: lifted words are put back under the heads that their marks describe, without the GIL and without recursion.

Words are visited from the artificial root downwards. A word below which some head was not found has its dependents visited
once more, as what was put back meanwhile may have brought that head into reach; after 10,000 visits no more. What is known
to come out as before is left out, and so are all second visits in a sentence that has taken seconds already.
"""

cimport cython
from libcpp.algorithm cimport pop_heap, push_heap

import numpy


@cython.final
cdef class Lifter:
    """Projectivizes one sentence after another, in the same room."""

    cdef int run(self, node_t *heads, node_t *origins, uint8_t *paths, uint8_t *covereds, node_t words) except -1 nogil:
        """Projectivize a sentence in place; gives its state."""
        cdef node_t word
        cdef int state
        self.words = words
        self.head.resize(words + 1)
        self.head[0] = 0
        for word in range(1, words + 1):
            if heads[word - 1] < 0:
                return NO_HEAD
            if heads[word - 1] > words:
                return NO_TREE
            self.head[word] = heads[word - 1]
        if not self.grow():
            return NO_TREE
        if self.covered_root == NONE and not self.crossed():
            return TREE
        self.origin.assign(words + 1, 0)
        self.path.assign(words + 1, 0)
        self.covered.assign(words + 1, 0)
        self.asked.assign(words + 1, 0)
        self.answer.resize(words + 1)
        self.question = 0
        self.questioned = 0
        self.length.resize(words + 1)
        for word in range(1, words + 1):
            self.length[word] = word - self.head[word] if word > self.head[word] else self.head[word] - word
        if self.covered_root > IGNORE:
            self.project_roots()
            for word in range(1, words + 1):
                if self.attach(word):
                    self.find_least()
        if self.lifting:
            self.lift_all()
        for word in range(1, words + 1):
            if self.covered[word] and self.covered_root == IGNORE:
                self.head[word] = 0
            heads[word - 1] = self.head[word]
            origins[word - 1] = self.origin[word]
            paths[word - 1] = self.path[word]
            covereds[word - 1] = self.covered[word]
        return TREE

    # -- the tree

    cdef bint grow(self) except -1 nogil:
        """Put the words in preorder; False if some are not reached from the artificial root."""
        cdef node_t word, count = 0
        self.child.assign(self.words + 1, 0)
        self.sibling.assign(self.words + 1, 0)
        self.dependents.assign(self.words + 1, 0)
        self.order.resize(self.words + 1)
        self.rank.resize(self.words + 1)
        self.beyond.resize(self.words + 1)
        self.depth.resize(self.words + 1)
        for word in range(self.words, 0, -1):
            self.sibling[word] = self.child[self.head[word]]
            self.child[self.head[word]] = word
            self.dependents[self.head[word]] += 1
        word = 0
        self.depth[0] = 0
        while True:
            self.order[count] = word
            self.rank[word] = count
            count += 1
            if self.child[word]:
                self.depth[self.child[word]] = self.depth[word] + 1
                word = self.child[word]
                continue
            while word and not self.sibling[word]:
                self.beyond[word] = count
                word = self.head[word]
            if word == 0:
                break
            self.beyond[word] = count
            self.depth[self.sibling[word]] = self.depth[word]
            word = self.sibling[word]
        self.beyond[0] = count
        return count == self.words + 1

    cdef bint crossed(self) except -1 nogil:
        """Whether the tree is not projective: some neighbours in the sentence have a projection with a gap between.

        A tree is projective if each word's projection is an interval: as many words as from its first to its last.
        """
        cdef node_t i, word, head
        self.left.resize(self.words + 1)
        self.right.resize(self.words + 1)
        for word in range(self.words + 1):
            self.left[word] = self.right[word] = word
        for i in range(self.words, 0, -1):
            word = self.order[i]
            if self.right[word] - self.left[word] + 1 != self.beyond[word] - self.rank[word]:
                return True
            head = self.head[word]
            self.left[head] = min(self.left[head], self.left[word])
            self.right[head] = max(self.right[head], self.right[word])
        return False

    cdef inline bint projective(self, node_t word) noexcept nogil:
        cdef node_t head = self.head[word]
        return head == 0 or self.left[head] <= word <= self.right[head]

    cdef int build_blocks(self) except -1 nogil:
        """Find the block of each word, descendants first: it takes in its neighbours as long as the word dominates them."""
        cdef node_t i, word, other, last, rank
        self.left.resize(self.words + 1)
        self.right.resize(self.words + 1)
        self.begins.resize(self.words + 2)
        self.ends.resize(self.words + 2)
        self.home.assign(self.words + 1, 0)
        self.before.assign(self.words + 1, 0)
        self.after.assign(self.words + 1, 0)
        self.nearest_left.assign(self.words + 1, 0)
        self.nearest_right.assign(self.words + 1, 0)
        self.foreign.assign(self.words + 1, 0)
        for i in range(self.words, -1, -1):
            word = self.order[i]
            self.left[word] = self.right[word] = word
            last = 0
            while self.left[word] > 1:
                rank = self.rank[self.left[word] - 1]
                if not i < rank < self.beyond[word]:
                    break
                other = self.ends[self.left[word] - 1]
                self.left[word] = self.left[other]
                self.home[other] = word
                self.foreign[word] += self.head[other] != word
                if last:
                    self.before[last] = other
                    self.after[other] = last
                else:
                    self.nearest_left[word] = other
                last = other
            last = 0
            while self.right[word] < self.words:
                rank = self.rank[self.right[word] + 1]
                if not i < rank < self.beyond[word]:
                    break
                other = self.begins[self.right[word] + 1]
                self.right[word] = self.right[other]
                self.home[other] = word
                self.foreign[word] += self.head[other] != word
                if last:
                    self.after[last] = other
                    self.before[other] = last
                else:
                    self.nearest_right[word] = other
                last = other
            self.begins[self.left[word]] = word
            self.ends[self.right[word]] = word
        return 0

    # -- lifting

    cdef int lift_all(self) except -1 nogil:
        cdef node_t word
        self.start()
        while not self.heap.empty():
            word = <node_t> (-self.heap[0] & <int64_t> 0xFFFFFFFF)
            if self.projective(word):
                self.pop()
            elif self.covered_root == IGNORE and self.attach(word):
                self.start()
            else:
                self.lift(word)
                if self.covered_root == IGNORE:
                    if self.head[word] == 0:  # the projection of a root word has become smaller
                        self.project_roots()
                    elif self.deepest:
                        self.pop()
                        self.depth[word] -= 1
                        self.push(word)
        return 0

    cdef int start(self) except -1 nogil:
        """Find what is not projective."""
        cdef node_t word
        self.grow()
        if self.covered_root == IGNORE:
            self.project_roots()
        self.build_blocks()
        self.heap.clear()
        for word in range(1, self.words + 1):
            if not self.projective(word):
                self.push(word)
        return 0

    cdef int push(self, node_t word) except -1 nogil:
        """Among the deepest words, or those with the shortest arcs, the first comes first.

        The depth is that before any lift, except where attaching root words can come between: no word is affected by
        the lift of one that is not deeper, so it does not matter whether others are lifted between two lifts of a word.
        """
        cdef int64_t key = self.words - self.depth[word] if self.deepest else self.length[word]
        self.heap.push_back(-(key << 32 | word))
        push_heap(self.heap.begin(), self.heap.end())
        return 0

    cdef void pop(self) noexcept nogil:
        pop_heap(self.heap.begin(), self.heap.end())
        self.heap.pop_back()

    cdef int lift(self, node_t word) except -1 nogil:
        """Move a non-projective word from its head to its head's head."""
        cdef node_t head = self.head[word]
        if self.origin[word] == 0:
            self.origin[word] = head
        self.path[head] = True
        if word != self.questioned:
            self.questioned = 0  # the answers may no longer be true
        if self.foreign[head] and self.dependents[word]:
            self.shrink(head, word)
        self.head[word] = self.head[head]
        self.dependents[head] -= 1
        self.dependents[self.head[head]] += 1
        if self.head[word] == self.home[word]:
            self.foreign[self.home[word]] -= 1
        return 0

    cdef int shrink(self, node_t head, node_t word) except -1 nogil:
        """Take what `word` dominates, and what lies beyond, out of the block of `head`, which it is about to leave."""
        cdef node_t home = self.home[head], other, cut, far, unseen = self.foreign[head]
        other = self.nearest_left[head]
        while other and unseen and not self.leaves(other, word, head):
            unseen -= self.head[other] != head
            other = self.before[other]
        if other and unseen:
            cut = self.after[other]
            if cut:
                self.before[cut] = 0
            else:
                self.nearest_left[head] = 0
            self.left[head] = self.right[other] + 1
            far = cut = other
            while other:
                far = other
                unseen -= self.head[other] != head
                self.move(other, head, home)
                other = self.before[other]
            # The run far .. cut stands to the left of the head's block now.
            other = self.before[head]
            self.before[far] = other
            if other:
                self.after[other] = far
            elif self.nearest_right[home] == head:
                self.nearest_right[home] = far
            self.after[cut] = head
            self.before[head] = cut
        other = self.nearest_right[head]
        while other and unseen and not self.leaves(other, word, head):
            unseen -= self.head[other] != head
            other = self.after[other]
        if other and unseen:
            cut = self.before[other]
            if cut:
                self.after[cut] = 0
            else:
                self.nearest_right[head] = 0
            self.right[head] = self.left[other] - 1
            far = cut = other
            while other:
                far = other
                self.move(other, head, home)
                other = self.after[other]
            other = self.after[head]
            self.after[far] = other
            if other:
                self.before[other] = far
            elif self.nearest_left[home] == head:
                self.nearest_left[home] = far
            self.before[cut] = head
            self.after[head] = cut
        return 0

    cdef int move(self, node_t word, node_t head, node_t home) except -1 nogil:
        """A word is at home further up from now on; a dependent of `head` has become non-projective."""
        self.home[word] = home
        self.foreign[home] += 1
        if self.head[word] == head:
            self.push(word)
        else:
            self.foreign[head] -= 1
        return 0

    cdef bint leaves(self, node_t other, node_t word, node_t head) noexcept nogil:
        """Whether `word`, a dependent of `head`, dominates `other`, which `head` does. Answers are kept for the next lift."""
        cdef node_t at = other
        cdef bint answer
        if self.head[other] == head:
            return False
        if word != self.questioned:
            self.questioned = word
            self.question += 1
        while at != word and at != head and self.asked[at] != self.question:
            at = self.head[at]
        answer = at == word or (at != head and self.answer[at])
        while self.asked[other] != self.question and other != word and other != head:
            self.asked[other] = self.question
            self.answer[other] = answer
            other = self.head[other]
        return answer

    # -- covered root words

    cdef int project_roots(self) except -1 nogil:
        """Find the ends of the projections of root words."""
        cdef node_t word, root, at
        self.top.assign(self.words + 1, 0)
        self.low.resize(self.words + 1)
        self.high.resize(self.words + 1)
        for word in range(1, self.words + 1):
            if self.head[word] == 0:
                self.top[word] = self.low[word] = self.high[word] = word
        for word in range(1, self.words + 1):
            root = word
            while self.top[root] == 0:
                root = self.head[root]
            root = self.top[root]
            at = word
            while self.top[at] == 0:
                self.top[at] = root
                at = self.head[at]
            self.low[root] = min(self.low[root], word)
            self.high[root] = max(self.high[root], word)
        return self.find_least()

    cdef int find_least(self) except -1 nogil:
        cdef node_t word, beyond = self.words + 1
        self.least.assign(self.words + 2, beyond)
        for word in range(1, self.words + 1):
            if self.head[word] == 0 and not self.origin[word]:
                self.least[self.low[word]] = self.high[word]
        for word in range(self.words, 0, -1):
            self.least[word] = min(self.least[word], self.least[word + 1])
        return 0

    cdef bint attach(self, node_t word) noexcept nogil:
        """Attach the root words whose projections are between the ends of the word's arc; False if there are none."""
        cdef node_t head = self.head[word], left = min(word, head), right = max(word, head), other
        if head == 0 or self.least[left + 1] >= right:
            return False
        for other in range(left + 1, right):
            if self.head[other] == 0 and not self.origin[other] and self.low[other] > left and self.high[other] < right:
                self.head[other] = left if self.covered_root == LEFT else right if self.covered_root == RIGHT else head
                self.covered[other] = True
        return True


def projectivize(starts, heads, bint deepest=False, int covered_root=NONE, bint lifting=True):
    """Make trees projective: sentence i has the words starts[i] .. starts[i + 1] - 1, heads are positions in a sentence.

    Gives the new heads; the head of each lifted word before it was lifted, 0 for others; whether something was lifted past
    a word; whether it was a covered root word; and for each sentence its state. What is not a tree is left as it is.

    >>> heads, origins, paths, covered, states = projectivize([0, 4], [0, 4, 1, 1])
    >>> heads, origins, paths
    (array([0, 1, 1, 1], dtype=int32), array([0, 4, 0, 0], dtype=int32), array([False, False, False,  True]))
    """
    cdef const int64_t[::1] start = checked_starts(starts, len(heads))
    new_heads = numpy.array(heads, dtype=numpy.int32)
    origins = numpy.zeros(len(new_heads), numpy.int32)
    paths = numpy.zeros(len(new_heads), numpy.bool_)
    covered = numpy.zeros(len(new_heads), numpy.bool_)
    states = numpy.zeros(start.shape[0] - 1, numpy.int32)
    cdef node_t[::1] head = new_heads
    cdef node_t[::1] origin = origins
    cdef uint8_t[::1] path = paths.view(numpy.uint8)
    cdef uint8_t[::1] cover = covered.view(numpy.uint8)
    cdef int32_t[::1] state = states
    cdef Lifter lifter = Lifter()
    cdef Py_ssize_t i
    lifter.deepest, lifter.covered_root, lifter.lifting = deepest, covered_root, lifting
    with nogil:
        for i in range(state.shape[0]):
            if start[i] < start[i + 1]:
                state[i] = lifter.run(
                    &head[start[i]], &origin[start[i]], &path[start[i]], &cover[start[i]],
                    <node_t> (start[i + 1] - start[i]),
                )
    return new_heads, origins, paths, covered, states


def checked_starts(starts, Py_ssize_t words):
    """Where sentences begin, as int64."""
    result = numpy.ascontiguousarray(starts, dtype=numpy.int64)
    if not len(result) or result[0] < 0 or result[len(result) - 1] > words or (numpy.diff(result) < 0).any():
        raise ValueError("starts: expected ascending places in heads, one more than there are sentences")
    return result


@cython.final
cdef class Lowerer:
    """Puts lifted words back, one sentence after another, in the same room."""

    cdef int grow(self) except -1 nogil:
        """List the dependents of each word, and count what is below it."""
        cdef node_t word, head
        cdef size_t at = 0
        self.first.assign(self.words + 1, 0)
        self.last.assign(self.words + 1, 0)
        self.before.assign(self.words + 1, 0)
        self.after.assign(self.words + 1, 0)
        self.on_path.assign(self.words + 1, 0)
        for word in range(1, self.words + 1):
            head = self.heads[word - 1]
            if 0 <= head <= self.words:
                self.before[word] = self.last[head]
                if self.last[head]:
                    self.after[self.last[head]] = word
                else:
                    self.first[head] = word
                self.last[head] = word
                self.on_path[head] += self.path[word - 1]
        self.size.assign(self.words + 1, 1)
        self.remaining.assign(self.words + 1, 0)
        self.queue.assign(1, 0)
        while at < self.queue.size():  # the words that the artificial root reaches, heads first
            word = self.first[self.queue[at]]
            at += 1
            while word:
                self.queue.push_back(word)
                word = self.after[word]
        while at > 1:
            at -= 1
            word = self.queue[at]
            self.remaining[word] += self.lifted[word - 1]
            self.size[self.heads[word - 1]] += self.size[word]
            self.remaining[self.heads[word - 1]] += self.remaining[word]
        return 0

    cdef inline bint in_vain(self, node_t word) noexcept nogil:
        """Whether the head of a word was searched for and not found, and would not be found now either."""
        return self.failed[word] > self.changed[self.heads[word - 1]]

    cdef int run(self) except -1 nogil:
        cdef node_t word
        cdef int64_t calls = 0
        cdef Visit *visit
        cdef bint result
        self.grow()
        self.changed.assign(self.words + 1, 0)
        self.failed.assign(self.words + 1, 0)
        self.unchanged.assign(self.words + 1, 0)
        self.outcome.resize(self.words + 1)
        self.moves = 0
        self.steps = 0
        self.waiting.clear()
        self.visits.clear()
        self.begin_visit(0, &calls)
        while True:
            visit = &self.visits.back()
            if visit.at < visit.end:
                word = self.waiting[visit.at]
                visit.at += 1
                if self.remaining[word] == 0:  # each word below is visited once, and nothing happens
                    calls += self.size[word]
                elif calls >= self.limit and self.unchanged[word] > self.changed[word] and (
                    not self.lifted[word - 1] or self.in_vain(word)
                ):  # it would all be the same again
                    visit.all_found = visit.all_found and self.outcome[word]
                else:
                    self.begin_visit(word, &calls)
                continue
            visit.attempts -= 1
            if not visit.all_found and visit.attempts > 0 and self.steps < STEPS:
                self.list_dependents(visit)
                continue
            result = visit.found and visit.all_found
            if visit.moves == self.moves:
                self.unchanged[visit.word] = self.moves + 1
                self.outcome[visit.word] = result
            self.waiting.resize(visit.begin)
            self.visits.pop_back()
            if self.visits.empty():
                return 0
            visit = &self.visits.back()
            visit.all_found = visit.all_found and result

    cdef int begin_visit(self, node_t word, int64_t *calls) except -1 nogil:
        cdef Visit visit
        visit.word = word
        visit.attempts = 2 if calls[0] < self.limit else 1
        calls[0] += 1
        visit.begin = <int64_t> self.waiting.size()
        visit.moves = self.moves
        visit.found = word == 0 or not self.lifted[word - 1] or self.put_back(word)
        self.visits.push_back(visit)
        return self.list_dependents(&self.visits.back())

    cdef int list_dependents(self, Visit *visit) except -1 nogil:
        """Those to the left of the word in ascending order, then those to the right in descending order."""
        cdef node_t other
        self.waiting.resize(visit.begin)
        other = self.first[visit.word]
        while other and other < visit.word:
            self.waiting.push_back(other)
            other = self.after[other]
        other = self.last[visit.word]
        while other and other > visit.word:
            self.waiting.push_back(other)
            other = self.before[other]
        visit.at = visit.begin
        visit.end = <int64_t> self.waiting.size()
        visit.all_found = True
        return 0

    cdef bint put_back(self, node_t word) except -1 nogil:
        """Search for the head of a lifted word and move the word there; False if none is found."""
        cdef node_t head, old = self.heads[word - 1], other
        if self.in_vain(word):
            return False
        head = self.search(word)
        if head == 0:
            self.failed[word] = self.moves + 1
            return False
        # out of the old list
        if self.before[word]:
            self.after[self.before[word]] = self.after[word]
        else:
            self.first[old] = self.after[word]
        if self.after[word]:
            self.before[self.after[word]] = self.before[word]
        else:
            self.last[old] = self.before[word]
        # into the new one
        other = self.last[head]
        while other > word:
            other = self.before[other]
        self.before[word] = other
        self.after[word] = self.after[other] if other else self.first[head]
        if other:
            self.after[other] = word
        else:
            self.first[head] = word
        if self.after[word]:
            self.before[self.after[word]] = word
        else:
            self.last[head] = word
        # and what is below them all
        self.moves += 1
        self.remaining[word] -= 1
        other = head
        while other != old:
            self.changed[other] = self.moves
            self.size[other] += self.size[word]
            self.remaining[other] += self.remaining[word]
            other = self.heads[other - 1]
        while True:
            self.changed[other] = self.moves
            self.remaining[other] -= 1
            if other == 0:
                break
            other = self.heads[other - 1]
        self.on_path[old] -= self.path[word - 1]
        self.on_path[head] += self.path[word - 1]
        self.heads[word - 1] = head
        self.lifted[word - 1] = False
        return True

    cdef node_t search(self, node_t word) except -1 nogil:
        """Search breadth-first below the head of a word, dependents nearest to the word first; 0 if there is none.

        Of two dependents at the same distance the left one comes first.
        """
        cdef node_t head, left, right, other, second = 0
        cdef code_t want = self.wanted[word - 1]
        cdef size_t at = 0
        if self.search_for != SEARCH_PATH and want < 0:
            return 0
        self.queue.clear()
        self.queue.push_back(self.heads[word - 1])
        while at < self.queue.size():
            head = self.queue[at]
            if at == 0:
                left, right = self.before[word], self.after[word]
            else:
                left, right = self.last[head], 0
                while left > word:
                    right = left
                    left = self.before[left]
            at += 1
            while left or right:
                self.steps += 1
                if left and (right == 0 or word - left <= right - word):
                    other = left
                    left = self.before[left]
                else:
                    other = right
                    right = self.after[right]
                if self.search_for == SEARCH_HEAD:
                    if self.labels[other - 1] == want:
                        return other
                    if self.first[other]:
                        self.queue.push_back(other)
                elif self.path[other - 1]:
                    if self.on_path[other]:
                        self.queue.push_back(other)
                    if self.search_for == SEARCH_PATH or self.labels[other - 1] == want:
                        if self.on_path[other] == 0:
                            return other
                        if self.search_for == SEARCH_BOTH and second == 0:
                            second = other
        return second


def deprojectivize(starts, heads, labels, wanted, lifted, paths, int search_for, int64_t limit=CALLS):
    """Put lifted words back where their marks say. `wanted` has the label of each lifted word's head, -1 if it is not known.

    Gives the new heads. What the artificial root does not reach is left as it is.

    >>> deprojectivize([0, 4], [0, 1, 1, 1], [5, 6, 7, 8], [-1, 8, -1, -1], [False, True, False, False], [False] * 4, SEARCH_HEAD)
    array([0, 4, 1, 1], dtype=int32)
    """
    cdef const int64_t[::1] start = checked_starts(starts, len(heads))
    new_heads = numpy.array(heads, dtype=numpy.int32)
    cdef node_t[::1] head = new_heads
    cdef const code_t[::1] label = numpy.ascontiguousarray(labels, numpy.int32)
    cdef const code_t[::1] want = numpy.ascontiguousarray(wanted, numpy.int32)
    cdef uint8_t[::1] lift = numpy.array(lifted, numpy.bool_).view(numpy.uint8)
    cdef const uint8_t[::1] path = numpy.ascontiguousarray(paths, numpy.bool_).view(numpy.uint8)
    cdef Lowerer lowerer = Lowerer()
    cdef Py_ssize_t i, word
    cdef bint any_lifted
    if not label.shape[0] == want.shape[0] == lift.shape[0] == path.shape[0] == head.shape[0]:
        raise ValueError("heads, labels and marks must have one element per word")
    lowerer.search_for, lowerer.limit = search_for, limit
    with nogil:
        for i in range(start.shape[0] - 1):
            any_lifted = False
            for word in range(start[i], start[i + 1]):
                any_lifted |= lift[word]
            if any_lifted:
                lowerer.words = <node_t> (start[i + 1] - start[i])
                lowerer.heads = &head[start[i]]
                lowerer.labels = &label[start[i]]
                lowerer.wanted = &want[start[i]]
                lowerer.lifted = &lift[start[i]]
                lowerer.path = &path[start[i]]
                lowerer.run()
    return new_heads
