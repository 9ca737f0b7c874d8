# distutils: language = c++
# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
"""Planes: colourings of the crossings graph (papers: ACL 2010, section 3).

Two colours are decided by breadth-first search. For more, links with fewer than k neighbours are peeled off, as any
colouring of the others leaves a colour for them; each component of what remains, the core, is coloured by
backtracking, always at the link whose neighbours take up the most planes (DSATUR), until the effort is used up. On the
treebanks that were tried (29,000 trees, up to 8-planar) no tree needs a thousandth of the effort.

Where a graph is too large for that, two bounds are left, both from the links themselves: links that pass over one
place between two words and end in the order in which they begin cross one another, each of them needs a plane; and
links put one after another onto the plane whose innermost open link encloses them most tightly need no more planes
than are opened.
"""

cimport cython

import numpy

from malt.kernel.crossings cimport CROSSINGS_LIMIT


@cython.final
cdef class Planes:
    """The search for the planes of one crossings graph. Its room is kept from one graph to the next."""

    cdef int bounds(self, Crossings graph, int64_t effort, int32_t *lower, int32_t *upper) except -1 nogil:
        """The least number of planes: lower == upper where the effort settles it."""
        cdef int answer
        cdef int32_t k
        cdef int64_t spent = 0
        lower[0] = upper[0] = 1
        if graph.total == 0:
            return 0
        lower[0] = 2
        if graph.complete:
            self.core(graph)
            self.peel(graph, 2)
            if self.search(graph, 2) == YES:
                upper[0] = 2
                return 0
            lower[0] = 3
        upper[0] = self.stack_up(graph, graph.words)
        lower[0] = max(lower[0], self.clique(graph, effort))
        if not graph.complete:
            return 0
        for k in range(lower[0], upper[0]):
            # A quarter for each k: where one is too hard to settle, a larger one may be easy.
            self.effort = effort // 4
            self.core(graph)
            self.peel(graph, k)
            answer = self.search(graph, k)
            if answer == YES:
                upper[0] = k
                break
            if answer == NO:
                lower[0] = k + 1
            spent += effort // 4 - self.effort
            if spent >= effort:
                break
        return 0

    cdef int colour(self, Crossings graph, int32_t k, int64_t effort) except -1 nogil:
        """A plane of k for each link. Where that cannot be, links are given up, few but not always the fewest."""
        cdef int answer = NO
        cdef node_t link, worst
        cdef int64_t i
        self.effort = effort
        if not graph.complete:
            self.stack_up(graph, k)
            return 0
        self.core(graph)
        self.dropped.clear()
        while answer == NO:
            self.peel(graph, k)
            self.effort -= graph.words
            answer = self.search(graph, k) if self.effort > 0 else UNKNOWN
            if answer == NO:
                worst = 0
                for link in range(1, graph.words + 1):
                    if self.present[link] and (not worst or self.degree[link] > self.degree[worst]):
                        worst = link
                self.dropped.push_back(worst)
                self.remove(graph, worst)
        if answer == UNKNOWN:
            self.stack_up(graph, k)
            self.dropped.clear()
            for link in range(1, graph.words + 1):
                if graph.right[link] and self.plane[link] == NO_PLANE:
                    self.dropped.push_back(link)
        else:
            for link in range(1, graph.words + 1):
                if not self.present[link]:
                    self.plane[link] = NO_PLANE
            for i in range(<int64_t> self.peeled.size() - 1, -1, -1):
                self.fit(graph, self.peeled[i], k)
        self.given_up = 0
        for i in range(<int64_t> self.dropped.size()):
            self.given_up += not self.fit(graph, self.dropped[i], k)
        return 0

    cdef int fit(self, Crossings graph, node_t link, int32_t k) except -1 nogil:
        """Give a link the first plane that none of its neighbours has; 0 where there is none."""
        cdef int64_t i
        cdef int32_t plane
        self.used.assign(k, 0)
        for i in range(graph.first[link], graph.first[link + 1]):
            plane = self.plane[graph.other[i]]
            if plane != NO_PLANE:
                self.used[plane] = 1
        for plane in range(k):
            if not self.used[plane]:
                self.plane[link] = plane
                return 1
        return 0

    # -- bounds from the links

    cdef int32_t clique(self, Crossings graph, int64_t effort) except -1 nogil:
        """The largest number of links that all cross one another, or a lower number if not all places are tried.

        Such links are all open at one place, and ordered by left end their right ends ascend as well: the longest
        ascending sequence of right ends.
        """
        cdef int64_t total = 0, step
        cdef node_t word, link, low, high, middle, length
        cdef int32_t best = 0
        for link in range(1, graph.words + 1):
            total += graph.right[link] - graph.left[link]
        step = 1 + total // max(effort, 1)
        self.top.resize(graph.words + 1)
        graph.start()
        for word in range(graph.words):
            graph.close_links(word)
            graph.open_links(word)
            if word % step:
                continue
            length = 0
            link = graph.after[0]
            while link:
                low, high = 0, length
                while low < high:
                    middle = (low + high) // 2
                    if self.top[middle] < graph.right[link]:
                        low = middle + 1
                    else:
                        high = middle
                self.top[low] = graph.right[link]
                length = max(length, low + 1)
                link = graph.after[link]
            best = max(best, length)
        return best

    cdef int32_t stack_up(self, Crossings graph, int32_t k) except -1 nogil:
        """Put links, by left end and longest first, onto at most k planes, each a stack of nested open links.

        Gives the number of planes.
        """
        cdef node_t word, link, inner
        cdef int32_t plane, best, planes = 0
        self.plane.assign(graph.words + 1, NO_PLANE)
        self.under.resize(graph.words + 1)
        self.top.clear()
        self.given_up = 0
        for word in range(graph.words + 1):
            if not graph.opening[word]:
                continue
            for plane in range(planes):
                while self.top[plane] and graph.right[self.top[plane]] <= word:
                    self.top[plane] = self.under[self.top[plane]]
            link = graph.opening[word]
            while link:
                best = -1
                for plane in range(planes):
                    inner = self.top[plane]
                    if inner and graph.right[inner] < graph.right[link]:
                        continue
                    # The tightest is best, and an empty plane the last resort.
                    if best < 0 or (inner and (
                        not self.top[best] or graph.right[inner] < graph.right[self.top[best]]
                    )):
                        best = plane
                if best < 0 and planes < k:
                    best = planes
                    planes += 1
                    self.top.push_back(0)
                if best < 0:
                    self.given_up += 1
                else:
                    self.plane[link] = best
                    self.under[link] = self.top[best]
                    self.top[best] = link
                link = graph.next_opening[link]
        return planes

    # -- search in the graph

    cdef int core(self, Crossings graph) except -1 nogil:
        """Start with all links."""
        cdef node_t link
        self.present.assign(graph.words + 1, 0)
        self.degree.resize(graph.words + 1)
        self.plane.resize(graph.words + 1)
        self.slot.resize(graph.words + 1)
        self.peeled.clear()
        for link in range(1, graph.words + 1):
            self.present[link] = graph.right[link] > 0
            self.degree[link] = graph.first[link + 1] - graph.first[link]
        return 0

    cdef void remove(self, Crossings graph, node_t link) noexcept nogil:
        cdef int64_t i
        self.present[link] = 0
        for i in range(graph.first[link], graph.first[link + 1]):
            self.degree[graph.other[i]] -= 1

    cdef int peel(self, Crossings graph, int32_t k) except -1 nogil:
        """Remove links with fewer than k neighbours until there are none."""
        cdef node_t link, other
        cdef size_t done = self.peeled.size()
        cdef int64_t i
        for link in range(1, graph.words + 1):
            if self.present[link] and self.degree[link] < k:
                self.remove(graph, link)
                self.peeled.push_back(link)
        while done < self.peeled.size():
            link = self.peeled[done]
            done += 1
            for i in range(graph.first[link], graph.first[link + 1]):
                other = graph.other[i]
                if self.present[other] and self.degree[other] < k:
                    self.remove(graph, other)
                    self.peeled.push_back(other)
        return 0

    cdef int search(self, Crossings graph, int32_t k) except -1 nogil:
        """Colour the core, component by component, with k colours."""
        cdef node_t start, link, other
        cdef size_t done
        cdef int64_t i
        cdef int answer, worst = YES
        self.slot.assign(graph.words + 1, -1)
        for start in range(1, graph.words + 1):
            if not self.present[start] or self.slot[start] >= 0:
                continue
            if k < 2:
                return NO
            self.members.clear()
            self.members.push_back(start)
            self.slot[start] = 0
            done = 0
            while done < self.members.size():
                link = self.members[done]
                done += 1
                for i in range(graph.first[link], graph.first[link + 1]):
                    other = graph.other[i]
                    if self.present[other] and self.slot[other] < 0:
                        self.slot[other] = <int32_t> self.members.size()
                        self.members.push_back(other)
                self.effort -= self.degree[link]
            answer = self.two(graph) if k == 2 else self.backtrack(graph, k)
            if answer == NO:
                return NO
            if answer == UNKNOWN:
                worst = UNKNOWN
        return worst

    cdef int two(self, Crossings graph) noexcept nogil:
        """Two colours, in breadth-first order: every link but the first has no choice."""
        cdef node_t link, other
        cdef size_t m
        cdef int64_t i
        for m in range(self.members.size()):
            self.plane[self.members[m]] = NO_PLANE
        self.plane[self.members[0]] = 0
        for m in range(self.members.size()):
            link = self.members[m]
            for i in range(graph.first[link], graph.first[link + 1]):
                other = graph.other[i]
                if self.present[other]:
                    if self.plane[other] == self.plane[link]:
                        return NO
                    self.plane[other] = 1 - self.plane[link]
        return YES

    cdef int backtrack(self, Crossings graph, int32_t k) except -1 nogil:
        """k colours for one component: colour the most constrained link, and step back where there is no colour."""
        cdef size_t size = self.members.size(), depth = 0
        cdef int32_t plane = 0, limit
        cdef node_t link
        for depth in range(size):
            self.plane[self.members[depth]] = NO_PLANE
        self.used.assign(size * k, 0)
        self.saturation.assign(size, 0)
        self.path.resize(size)
        self.in_use.resize(size + 1)
        depth = 0
        self.in_use[0] = 0
        self.path[0] = self.most_constrained()
        while self.effort > 0:
            link = self.path[depth]
            limit = min(k, self.in_use[depth] + 1)  # planes are interchangeable: of the empty ones try the first
            while plane < limit and self.used[self.slot[link] * <int64_t> k + plane]:
                plane += 1
            if plane < limit:
                self.put(graph, link, k, plane, 1)
                self.in_use[depth + 1] = max(self.in_use[depth], plane + 1)
                depth += 1
                if depth == size:
                    return YES
                self.path[depth] = self.most_constrained()
                plane = 0
            elif depth == 0:
                return NO
            else:
                depth -= 1
                plane = self.plane[self.path[depth]]
                self.put(graph, self.path[depth], k, plane, -1)
                plane += 1
        return UNKNOWN

    cdef node_t most_constrained(self) noexcept nogil:
        """The link without a plane whose neighbours take up the most planes; of those, the one with most neighbours."""
        cdef node_t link, best = 0
        cdef size_t m
        for m in range(self.members.size()):
            link = self.members[m]
            if self.plane[link] == NO_PLANE and (
                not best
                or self.saturation[m] > self.saturation[self.slot[best]]
                or (self.saturation[m] == self.saturation[self.slot[best]] and self.degree[link] > self.degree[best])
            ):
                best = link
        self.effort -= self.members.size()
        return best

    cdef void put(self, Crossings graph, node_t link, int32_t k, int32_t plane, int32_t sign) noexcept nogil:
        """Give a link a plane, or (sign -1) take it away again."""
        cdef int64_t i, place
        cdef node_t other
        self.plane[link] = plane if sign > 0 else NO_PLANE
        for i in range(graph.first[link], graph.first[link + 1]):
            other = graph.other[i]
            if self.present[other]:
                place = self.slot[other] * <int64_t> k + plane
                self.used[place] += sign
                if self.used[place] == (sign > 0):
                    self.saturation[self.slot[other]] += sign
        self.effort -= self.degree[link]


def planarity(const node_t[::1] heads, bint root=False, int64_t limit=CROSSINGS_LIMIT, int64_t effort=PLANES_EFFORT):
    """The least number of planes of a tree as (k, k), or bounds of it.

    >>> import numpy
    >>> planarity(numpy.array([0, 5, 6, 1, 1, 1], dtype=numpy.int32))
    (3, 3)
    """
    cdef Crossings graph = Crossings()
    cdef Planes planes = Planes()
    cdef int32_t lower = 1, upper = 1
    if heads.shape[0]:
        with nogil:
            graph.build(&heads[0], <node_t> heads.shape[0], root, limit)
            planes.bounds(graph, effort, &lower, &upper)
    return lower, upper


def planes(
    const node_t[::1] heads, int32_t k, bint root=False, int64_t limit=CROSSINGS_LIMIT, int64_t effort=PLANES_EFFORT
):
    """The plane of each word's link to its head; -1 where it is given up, or is the root's and `root` is false.

    >>> import numpy
    >>> planes(numpy.array([0, 5, 6, 1, 1, 1], dtype=numpy.int32), 2)
    array([-1, -1,  1,  0,  0,  0], dtype=int32)
    """
    cdef Crossings graph = Crossings()
    cdef Planes found = Planes()
    if k < 1:
        raise ValueError(f"{k} planes: there must be at least one")
    if not heads.shape[0]:
        return numpy.zeros(0, dtype=numpy.int32)
    with nogil:
        graph.build(&heads[0], <node_t> heads.shape[0], root, limit)
        found.colour(graph, k, effort)
    return numpy.array(found.plane, dtype=numpy.int32)[1:]
