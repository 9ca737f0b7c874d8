# distutils: language = c++
# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
"""Lowering: lifted words are put back under the heads that their marks describe, without the GIL and without recursion.

Words are visited from the artificial root downwards. A word below which some head was not found has its dependents visited
once more, as what was put back meanwhile may have brought that head into reach; after 10,000 visits no more. What is known
to come out as before is left out, and so are all second visits in a sentence that has taken seconds already.
"""

cimport cython

import numpy

from malt.kernel.lifting import checked_starts

SEARCH_HEAD, SEARCH_PATH, SEARCH_BOTH = range(3)  # how the head of a lifted word is found again


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
        if self.search_for != C_SEARCH_PATH and want < 0:
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
                if self.search_for == C_SEARCH_HEAD:
                    if self.labels[other - 1] == want:
                        return other
                    if self.first[other]:
                        self.queue.push_back(other)
                elif self.path[other - 1]:
                    if self.on_path[other]:
                        self.queue.push_back(other)
                    if self.search_for == C_SEARCH_PATH or self.labels[other - 1] == want:
                        if self.on_path[other] == 0:
                            return other
                        if self.search_for == C_SEARCH_BOTH and second == 0:
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
        raise ValueError("heads, labels and marks must have one element a word")
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
