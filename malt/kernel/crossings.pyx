# distutils: language = c++
# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
"""The crossings graph of a sentence (papers: ACL 2010, section 3), in time linear in words plus crossings.

A sweep over the words keeps the open links in a list ordered by their left ends. When a link closes, those that cross
it are the open ones that began inside it: the end of the list, back to the link's own left end. Links that share an
end do not cross: all that close at a word leave the list before any of them looks back, and a link that began at the
same word stops the walk.
"""

cimport cython
from libcpp.algorithm cimport sort

import numpy


@cython.final
cdef class Crossings:
    """The links of one sentence, and which of them cross. Its room is kept from one sentence to the next."""

    cdef int build(self, const node_t *heads, node_t words, bint root, int64_t limit) except -1 nogil:
        """Of a tree: heads[0] is the head of word 1. Past `limit` crossings they are counted and not stored."""
        self.words, self.root = words, root
        self.sort_links(heads)
        self.cover(heads)
        self.list_pairs(limit)
        if self.complete:
            self.total = self.pairs.size() // 2
            self.store()
        else:
            self.count_pairs()
        return 0

    cdef int sort_links(self, const node_t *heads) except -1 nogil:
        cdef node_t word, head, link
        self.left.assign(self.words + 1, 0)
        self.right.assign(self.words + 1, 0)
        self.opening.assign(self.words + 1, 0)
        self.closing.assign(self.words + 1, 0)
        self.next_opening.resize(self.words + 1)
        self.next_closing.resize(self.words + 1)
        self.before.resize(self.words + 1)
        self.after.resize(self.words + 1)
        for word in range(self.words, 0, -1):
            head = heads[word - 1]
            if head > 0 or self.root:
                self.left[word] = min(word, head)
                self.right[word] = max(word, head)
                self.next_closing[word] = self.closing[max(word, head)]
                self.closing[max(word, head)] = word
        for word in range(1, self.words + 1):  # by right end, so that the longest of a left end comes to the front
            link = self.closing[word]
            while link:
                self.next_opening[link] = self.opening[self.left[link]]
                self.opening[self.left[link]] = link
                link = self.next_closing[link]
        return 0

    cdef int cover(self, const node_t *heads) except -1 nogil:
        """Count the root words that a link between words passes over."""
        cdef node_t word
        cdef int32_t passing = 0
        self.counts.assign(self.words + 2, 0)
        for word in range(1, self.words + 1):
            if heads[word - 1] > 0:
                self.counts[self.left[word] + 1] += 1
                self.counts[self.right[word]] -= 1
        self.covered = 0
        for word in range(1, self.words + 1):
            passing += self.counts[word]
            self.covered += heads[word - 1] == 0 and passing > 0
        return 0

    cdef void start(self) noexcept nogil:
        """Begin a sweep: no link is open."""
        self.before[0] = self.after[0] = 0

    cdef void open_links(self, node_t word) noexcept nogil:
        """Append the links that begin at a word to the list of open ones."""
        cdef node_t link = self.opening[word], last
        while link:
            last = self.before[0]
            self.before[link], self.after[link] = last, 0
            self.after[last] = self.before[0] = link
            link = self.next_opening[link]

    cdef void close_links(self, node_t word) noexcept nogil:
        """Take the links that end at a word out of the list of open ones."""
        cdef node_t link = self.closing[word]
        while link:
            self.after[self.before[link]] = self.after[link]
            self.before[self.after[link]] = self.before[link]
            link = self.next_closing[link]

    cdef int list_pairs(self, int64_t limit) except -1 nogil:
        cdef node_t word, link, inside
        self.pairs.clear()
        self.complete = True
        self.start()
        for word in range(self.words + 1):
            self.close_links(word)
            link = self.closing[word]
            while link:
                inside = self.before[0]
                while inside and self.left[inside] > self.left[link]:
                    self.pairs.push_back(link)
                    self.pairs.push_back(inside)
                    inside = self.before[inside]
                if <int64_t> self.pairs.size() > 2 * limit:
                    self.complete = False
                    self.pairs.clear()
                    return 0
                link = self.next_closing[link]
            self.open_links(word)
        return 0

    cdef int count_pairs(self) except -1 nogil:
        """The same sweep with a Fenwick tree in place of the list: how many, in n log n, but not which."""
        cdef node_t word, link
        cdef int64_t place
        cdef int32_t still_open = 0
        self.counts.assign(self.words + 2, 0)
        self.total = 0
        for word in range(self.words + 1):
            link = self.closing[word]
            while link:
                still_open -= 1
                place = self.left[link] + 1
                while place <= self.words + 1:
                    self.counts[place] -= 1
                    place += place & -place
                link = self.next_closing[link]
            link = self.closing[word]
            while link:
                self.total += still_open
                place = self.left[link] + 1
                while place > 0:
                    self.total -= self.counts[place]
                    place -= place & -place
                link = self.next_closing[link]
            link = self.opening[word]
            while link:
                still_open += 1
                place = self.left[link] + 1
                while place <= self.words + 1:
                    self.counts[place] += 1
                    place += place & -place
                link = self.next_opening[link]
        return 0

    cdef int store(self) except -1 nogil:
        """The pairs as rows, one a link."""
        cdef size_t i
        cdef node_t link
        self.first.assign(self.words + 2, 0)
        self.other.resize(self.pairs.size())
        for i in range(self.pairs.size()):
            self.first[self.pairs[i]] += 1
        for link in range(1, self.words + 2):
            self.first[link] += self.first[link - 1]  # now where the row ends; filling moves it to the beginning
        for i in range(self.pairs.size()):
            link = self.pairs[i]
            self.first[link] -= 1
            self.other[self.first[link]] = self.pairs[i ^ 1]
        for link in range(1, self.words + 1):
            if self.first[link + 1] - self.first[link] > 1:
                sort(self.other.begin() + self.first[link], self.other.begin() + self.first[link + 1])
        return 0


def crossings(const node_t[::1] heads, bint root=False, int64_t limit=CROSSINGS_LIMIT):
    """The rows of the crossings graph of a tree as (first, other, total); the rows are empty past the limit.

    >>> import numpy
    >>> first, other, total = crossings(numpy.array([0, 4, 1, 1], dtype=numpy.int32))
    >>> other[first[2]:first[3]], total
    (array([3], dtype=int32), 1)
    """
    cdef Crossings graph = Crossings()
    cdef node_t words = heads.shape[0]
    if words:
        with nogil:
            graph.build(&heads[0], words, root, limit)
    if not words or not graph.complete:
        return numpy.zeros(words + 2, dtype=numpy.int64), numpy.zeros(0, dtype=numpy.int32), graph.total
    return numpy.array(graph.first, dtype=numpy.int64), numpy.array(graph.other, dtype=numpy.int32), graph.total
