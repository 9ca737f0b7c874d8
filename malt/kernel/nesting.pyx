"""The least k for which a tree is mildly ill-nested of gap degree k (EACL 2009, section 5.1): which MGk derives it.

The projections of a head's dependents are merged two at a time, and no piece on the way may have more than k gaps. Where the
head is next to a piece or in it does not count: it is taken to be in the piece that has the next word.

Two pieces that touch at least as often as one of them, x, has intervals can always be merged at once: whatever has the other,
y, has no more intervals with x in it than without, and whatever has x without y no more without x. On real treebanks that
leaves one piece for each head, or pieces that do not touch; these are merged last, and never have more gaps than all
together. What is left is searched: which sets of touching pieces can be merged within k gaps.
"""

cimport cython
from libcpp.algorithm cimport sort

from malt.kernel.mixing cimport mix

cdef enum:
    MOST_MEMBERS = 64  # pieces that are searched: one bit each

cdef enum:
    NO
    YES
    UNKNOWN  # the effort was used up


@cython.final
cdef class Binarisation:
    """One tree after another, in the same room."""

    cdef int bounds(
        self, const node_t *order, const node_t *first, node_t words, int32_t degree, int64_t effort,
        int32_t *lower, int32_t *upper
    ) except -1 nogil:
        """The least k of a tree of this gap degree: lower == upper where the effort settles it.

        `order` has the positions level by level, and head h has first[h + 1] - first[h] dependents: from the last to the
        first, the dependents of a head have been done one after another.
        """
        cdef int64_t at
        cdef node_t head
        cdef int32_t dependents, p, several
        lower[0] = upper[0] = degree
        self.effort = effort
        self.intervals.clear()
        self.begin.clear()
        self.end.clear()
        self.taken = self.past = 0
        for at in range(words, -1, -1):
            head = order[at]
            dependents = first[head + 1] - first[head]
            self.gather(head, dependents)
            several = 0
            for p in range(dependents):
                several += self.count[p] > 1
            if several > 1:  # a piece with one interval can be merged with whatever it touches
                self.project(head)
                while self.absorb():
                    pass
                self.settle(lower, upper)
            else:
                self.project(head)
            if self.effort <= 0:
                upper[0] = max(upper[0], words // 2)
                return 0
        return 0

    cdef int gather(self, node_t head, int32_t dependents) except -1 nogil:
        """The runs of a head's dependents; the head is in the run that begins at the next word."""
        cdef int32_t p, i
        cdef size_t last
        cdef pair[node_t, pair[node_t, int32_t]] run
        self.runs.clear()
        self.count.assign(dependents, 0)
        for p in range(dependents):
            for i in range(self.intervals[self.taken + p]):
                run.first, run.second.first, run.second.second = self.begin[self.past], self.end[self.past], p
                self.past += 1
                if run.first == head + 1:
                    run.first = head
                last = self.runs.size() - 1
                if i and self.runs[last].second.first == run.first - 1:
                    self.runs[last].second.first = run.second.first
                else:
                    self.runs.push_back(run)
                    self.count[p] += 1
        self.taken += dependents
        sort(self.runs.begin(), self.runs.end())
        self.effort -= self.runs.size() + 1
        return 0

    cdef int project(self, node_t head) except -1 nogil:
        """The projection of the head itself, for its own head."""
        cdef size_t i, before = self.begin.size()
        cdef bint placed = False
        cdef node_t begin, end
        for i in range(self.runs.size() + 1):
            if i < self.runs.size():
                begin, end = self.runs[i].first, self.runs[i].second.first
            if not placed and (i == self.runs.size() or head <= end):
                placed = True
                if i == self.runs.size() or head < begin:
                    if self.begin.size() > before and self.end.back() + 1 == head:
                        self.end[self.end.size() - 1] = head
                    else:
                        self.begin.push_back(head)
                        self.end.push_back(head)
            if i < self.runs.size():
                if self.begin.size() > before and self.end.back() + 1 == begin:
                    self.end[self.end.size() - 1] = end
                else:
                    self.begin.push_back(begin)
                    self.end.push_back(end)
        self.intervals.push_back(<int32_t> (self.begin.size() - before))
        return 0

    # -- pieces that can be merged at once

    cdef int32_t piece(self, int32_t number) noexcept nogil:
        while self.joined[number] != number:
            self.joined[number] = self.joined[self.joined[number]]
            number = self.joined[number]
        return number

    cdef int survey(self) except -1 nogil:
        """Which pieces touch, once for each place where they do."""
        cdef size_t i
        cdef int32_t one, two
        cdef pair[int32_t, int32_t] pieces
        self.touching.clear()
        for i in range(1, self.runs.size()):
            one, two = self.runs[i - 1].second.second, self.runs[i].second.second
            if self.runs[i].first == self.runs[i - 1].second.first + 1:
                pieces.first, pieces.second = min(one, two), max(one, two)
                self.touching.push_back(pieces)
        sort(self.touching.begin(), self.touching.end())
        self.effort -= self.runs.size()
        return 0

    cdef bint absorb(self) except -1 nogil:
        """A round of merging pairs that can be merged at once, each piece once; False if there is none."""
        cdef size_t i = 0, j, kept = 0
        cdef int32_t one, two, n = <int32_t> self.count.size()
        cdef bint some = False
        self.survey()
        self.busy.assign(n, 0)
        self.joined.resize(n)
        for one in range(n):
            self.joined[one] = one
        while i < self.touching.size():
            j = i
            while j < self.touching.size() and self.touching[j] == self.touching[i]:
                j += 1
            one, two = self.touching[i].first, self.touching[i].second
            if not self.busy[one] and not self.busy[two] and <int32_t> (j - i) >= min(self.count[one], self.count[two]):
                self.busy[one] = self.busy[two] = some = True
                self.joined[two] = one
            i = j
        if not some:
            return False
        self.count.assign(n, 0)
        for i in range(self.runs.size()):
            one = self.piece(self.runs[i].second.second)
            self.runs[i].second.second = one
            if kept and self.runs[kept - 1].second.second == one and (
                self.runs[kept - 1].second.first + 1 == self.runs[i].first
            ):
                self.runs[kept - 1].second.first = self.runs[i].second.first
            else:
                self.runs[kept] = self.runs[i]
                kept += 1
                self.count[one] += 1
        self.runs.resize(kept)
        return True

    # -- the others

    cdef int settle(self, int32_t *lower, int32_t *upper) except -1 nogil:
        """Search, for each group of pieces that touch, the least number of gaps, and raise the bounds to it."""
        cdef int32_t n = <int32_t> self.count.size(), one, members, most, row, answer
        cdef size_t i
        for i in range(self.touching.size()):  # what `absorb` saw last
            self.joined[self.piece(self.touching[i].second)] = self.piece(self.touching[i].first)
        for one in range(n):
            if self.piece(one) != one:
                continue
            self.slot.assign(n, -1)
            members = 0
            for most in range(n):
                if self.piece(most) == one and self.count[most]:
                    self.slot[most] = members
                    members += 1
            if members < 2:
                continue
            self.parts.clear()
            for i in range(self.runs.size()):
                if self.slot[self.runs[i].second.second] >= 0:
                    self.parts.push_back(self.runs[i])
                    self.parts[self.parts.size() - 1].second.second = self.slot[self.runs[i].second.second]
            row = self.in_a_row(members)
            most = lower[0] + 1
            answer = NO
            while answer == NO and most < row:
                answer = self.derive(members, most)
                most += answer == NO
            lower[0] = max(lower[0], most - 1)
            upper[0] = max(upper[0], row - 1 if answer == UNKNOWN else most - 1)
        return 0

    cdef int32_t width(self, uint64_t some) noexcept nogil:
        """The intervals of a set of members, together."""
        cdef int32_t found = 0
        cdef node_t end = -2
        cdef size_t i
        for i in range(self.parts.size()):
            if some >> self.parts[i].second.second & 1:
                found += self.parts[i].first != end + 1
                end = self.parts[i].second.first
        self.effort -= self.parts.size()
        return found

    cdef int32_t in_a_row(self, int32_t members) noexcept nogil:
        """The most intervals on the way, if the members are merged one after another."""
        cdef int32_t m, found, most = 0
        cdef node_t end
        cdef size_t i
        for m in range(members):
            found, end = 0, -2
            for i in range(self.parts.size()):
                if self.parts[i].second.second <= m:
                    found += self.parts[i].first != end + 1
                    end = self.parts[i].second.first
            most = max(most, found)
            self.effort -= self.parts.size()
            if self.effort <= 0:
                return <int32_t> self.parts.size()
        return most

    cdef int derive(self, int32_t members, int32_t most) except -1 nogil:
        """Whether all members can be merged, two sets at a time, with no more than so many intervals on the way."""
        cdef uint64_t everything, one, two
        cdef int32_t m, together
        cdef size_t i, j
        if members > MOST_MEMBERS:
            return UNKNOWN
        everything = ~<uint64_t> 0 >> (MOST_MEMBERS - members)
        if self.width(everything) > most:
            return NO
        self.derived.clear()
        self.wide.clear()
        self.known.assign(256, 0)
        for m in range(members):
            one = <uint64_t> 1 << m
            together = self.width(one)
            if together > most:
                return NO
            self.is_new(one)
            self.derived.push_back(one)
            self.wide.push_back(together)
        i = 0
        while i < self.derived.size():
            one = self.derived[i]
            for j in range(i):
                two = self.derived[j]
                if one & two:
                    continue
                together = self.width(one | two)
                if self.effort <= 0:
                    return UNKNOWN
                if together <= most and together < self.wide[i] + self.wide[j] and self.is_new(one | two):
                    if one | two == everything:
                        return YES
                    self.derived.push_back(one | two)
                    self.wide.push_back(together)
            i += 1
        return NO

    cdef bint is_new(self, uint64_t some) except -1 nogil:
        """Whether a set was not known; it is now."""
        cdef size_t place = mix(some) & (self.known.size() - 1), i, at
        cdef vector[uint64_t] old
        while self.known[place]:
            if self.known[place] == some:
                return False
            place = (place + 1) & (self.known.size() - 1)
        self.known[place] = some
        if 2 * self.derived.size() >= self.known.size():
            old.swap(self.known)
            self.known.assign(2 * old.size(), 0)
            for i in range(old.size()):
                if old[i]:
                    at = mix(old[i]) & (self.known.size() - 1)
                    while self.known[at]:
                        at = (at + 1) & (self.known.size() - 1)
                    self.known[at] = old[i]
        return True
