"""The crossings graph of a sentence (papers: ACL 2010, section 3), in time linear in words plus crossings.

A sweep over the words keeps the open links in a list ordered by their left ends. When a link closes, those that cross
it are the open ones that began inside it: the end of the list, back to the link's own left end. Links that share an
end do not cross: all that close at a word leave the list before any of them looks back, and a link that began at the
same word stops the walk.

Planes: colourings of the crossings graph (papers: ACL 2010, section 3).

Two colours are decided by breadth-first search. For more, links with fewer than k neighbours are peeled off, as any
colouring of the others leaves a colour for them; each component of what remains, the core, is coloured by
backtracking, always at the link whose neighbours take up the most planes (DSATUR), until the effort is used up. On the
treebanks that were tried (29,000 trees, up to 8-planar) no tree needs a thousandth of the effort.

Where a graph is too large for that, two bounds are left, both from the links themselves: links that pass over one
place between two words and end in the order in which they begin cross one another, each of them needs a plane; and
links put one after another onto the plane whose innermost open link encloses them most tightly need no more planes
than are opened.

The measures of a whole block of sentences, in time linear in words plus crossings (times log n). Their definitions in
plain words are in tests/structure.py.

No recursion, so that no tree is too deep, and no list of projections, which together have n^2 / 2 words in a chain.
"""

cimport cython
from libcpp.algorithm cimport sort

# NumPy is imported by the functions that need it: all programs that name a transition system load this module.


@cython.final
cdef class Crossings:
    """The links of one sentence, and which of them cross. Its room is kept from one sentence to the next."""

    cdef int build(self, const node_t *heads, node_t words, bint root, int64_t limit) except -1 nogil:
        """Of a tree: heads[0] is the head of word 1. Past `limit` crossings they are counted and not stored."""
        self.words, self.links, self.root = words, words, root
        self.sort_links(heads)
        self.cover(heads)
        return self.find_pairs(limit)

    cdef int build_graph(self, const node_t *one, const node_t *two, node_t links, node_t words, int64_t limit) except -1 nogil:
        """Of any graph: one[0] and two[0] are the ends of link 1. Which roots are covered is not counted."""
        cdef node_t link
        self.words, self.links, self.root, self.covered = words, links, True, 0
        self.make_room()
        for link in range(links, 0, -1):
            self.set_link(link, one[link - 1], two[link - 1])
        self.sort_openings()
        return self.find_pairs(limit)

    cdef int find_pairs(self, int64_t limit) except -1 nogil:
        self.list_pairs(limit)
        if self.complete:
            self.total = self.pairs.size() // 2
            self.store()
        else:
            self.count_pairs()
        return 0

    cdef int make_room(self) except -1 nogil:
        self.left.assign(self.links + 1, 0)
        self.right.assign(self.links + 1, 0)
        self.opening.assign(self.words + 1, 0)
        self.closing.assign(self.words + 1, 0)
        self.next_opening.resize(self.links + 1)
        self.next_closing.resize(self.links + 1)
        self.before.resize(self.links + 1)
        self.after.resize(self.links + 1)
        return 0

    cdef void set_link(self, node_t link, node_t one, node_t two) noexcept nogil:
        """A link and its ends; one from a word to itself crosses nothing, and stays out."""
        if one != two:
            self.left[link] = min(one, two)
            self.right[link] = max(one, two)
            self.next_closing[link] = self.closing[max(one, two)]
            self.closing[max(one, two)] = link

    cdef int sort_links(self, const node_t *heads) except -1 nogil:
        cdef node_t word
        self.make_room()
        for word in range(self.words, 0, -1):
            if heads[word - 1] > 0 or self.root:
                self.set_link(word, word, heads[word - 1])
        self.sort_openings()
        return 0

    cdef bint passes_over(self, node_t link) noexcept nogil:
        """Whether the link of a word in a tree passes over a word that its head does not dominate: from there, heads lead to
        the other side of a link that crosses it."""
        cdef int64_t i
        for i in range(self.first[link], self.first[link + 1]):
            if self.left[link] < self.other[i] < self.right[link]:
                return True
        return False

    cdef void sort_openings(self) noexcept nogil:
        cdef node_t word, link
        for word in range(1, self.words + 1):  # by right end, so that the longest of a left end comes to the front
            link = self.closing[word]
            while link:
                self.next_opening[link] = self.opening[self.left[link]]
                self.opening[self.left[link]] = link
                link = self.next_closing[link]

    cdef int cover(self, const node_t *heads) except -1 nogil:
        """Count the root words that a link between words passes over."""
        cdef node_t word
        cdef int32_t passing = 0
        self.counts.assign(self.words + 2, 0)
        for word in range(1, self.words + 1):
            if heads[word - 1] > 0 and heads[word - 1] != word:
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
        """The pairs as rows, one per link."""
        cdef size_t i
        cdef node_t link
        self.first.assign(self.links + 2, 0)
        self.other.resize(self.pairs.size())
        for i in range(self.pairs.size()):
            self.first[self.pairs[i]] += 1
        for link in range(1, self.links + 2):
            self.first[link] += self.first[link - 1]  # now where the row ends; filling moves it to the beginning
        for i in range(self.pairs.size()):
            link = self.pairs[i]
            self.first[link] -= 1
            self.other[self.first[link]] = self.pairs[i ^ 1]
        for link in range(1, self.links + 1):
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
    import numpy

    cdef Crossings graph = Crossings()
    cdef node_t words = heads.shape[0]
    if words:
        with nogil:
            graph.build(&heads[0], words, root, limit)
    if not words or not graph.complete:
        return numpy.zeros(words + 2, dtype=numpy.int64), numpy.zeros(0, dtype=numpy.int32), graph.total
    return numpy.array(graph.first, dtype=numpy.int64), numpy.array(graph.other, dtype=numpy.int32), graph.total


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
        upper[0] = self.stack_up(graph, graph.links)
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
            self.effort -= graph.links
            answer = self.search(graph, k) if self.effort > 0 else UNKNOWN
            if answer == NO:
                worst = 0
                for link in range(1, graph.links + 1):
                    if self.present[link] and (not worst or self.degree[link] > self.degree[worst]):
                        worst = link
                self.dropped.push_back(worst)
                self.remove(graph, worst)
        if answer == UNKNOWN:
            self.stack_up(graph, k)
            self.dropped.clear()
            for link in range(1, graph.links + 1):
                if graph.right[link] and self.plane[link] == NO_PLANE:
                    self.dropped.push_back(link)
        else:
            for link in range(1, graph.links + 1):
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

    cdef int set_apart(self, Crossings graph) except -1 nogil:
        """Of two planes of a tree, let the second have what is not projective, as far as can be: the planes of links that
        hang together by crossings are exchanged, if more of them are in their place then."""
        cdef node_t link
        cdef size_t i
        cdef int64_t j
        cdef int32_t misplaced
        if not graph.complete or graph.total == 0:
            return 0
        self.slot.assign(graph.links + 1, -1)
        for link in range(1, graph.links + 1):
            if self.slot[link] >= 0 or graph.first[link] == graph.first[link + 1]:
                continue
            self.members.assign(1, link)
            self.slot[link] = 0
            misplaced = 0
            i = 0
            while i < self.members.size():
                if self.plane[self.members[i]] != NO_PLANE:
                    misplaced += 1 if self.plane[self.members[i]] != graph.passes_over(self.members[i]) else -1
                for j in range(graph.first[self.members[i]], graph.first[self.members[i] + 1]):
                    if self.slot[graph.other[j]] < 0:
                        self.slot[graph.other[j]] = 0
                        self.members.push_back(graph.other[j])
                i += 1
            for i in range(self.members.size() if misplaced > 0 else 0):
                if self.plane[self.members[i]] != NO_PLANE:
                    self.plane[self.members[i]] = 1 - self.plane[self.members[i]]
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
        for link in range(1, graph.links + 1):
            total += graph.right[link] - graph.left[link]
        step = 1 + total // max(effort, 1)
        self.top.resize(graph.links + 1)
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
        self.plane.assign(graph.links + 1, NO_PLANE)
        self.under.resize(graph.links + 1)
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
        self.present.assign(graph.links + 1, 0)
        self.degree.resize(graph.links + 1)
        self.plane.resize(graph.links + 1)
        self.slot.resize(graph.links + 1)
        self.peeled.clear()
        for link in range(1, graph.links + 1):
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
        for link in range(1, graph.links + 1):
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
        self.slot.assign(graph.links + 1, -1)
        for start in range(1, graph.links + 1):
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
    import numpy

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


cdef int build_links(Crossings graph, const node_t[::1] one, const node_t[::1] two, node_t words, int64_t limit) except -1:
    cdef Py_ssize_t i
    if one.shape[0] != two.shape[0]:
        raise ValueError("a link has two ends")
    for i in range(one.shape[0]):
        if not (0 <= one[i] <= words and 0 <= two[i] <= words):
            raise ValueError(f"an end of link {i} is no node of the sentence")
    with nogil:
        graph.build_graph(&one[0] if one.shape[0] else NULL, &two[0] if two.shape[0] else NULL,
                          <node_t> one.shape[0], words, limit)
    return 0


def graph_planarity(
    const node_t[::1] one, const node_t[::1] two, node_t words, int64_t limit=CROSSINGS_LIMIT, int64_t effort=PLANES_EFFORT
):
    """Of a graph, whose links have these ends, and no two the same: how many pairs cross, and the least number of planes,
    at least and at most.

    >>> import numpy
    >>> graph_planarity(numpy.array([1, 2, 1], dtype=numpy.int32), numpy.array([3, 4, 2], dtype=numpy.int32), 4)
    (1, 2, 2)
    """
    cdef Crossings graph = Crossings()
    cdef Planes planes = Planes()
    cdef int32_t lower = 1, upper = 1
    build_links(graph, one, two, words, limit)
    with nogil:
        planes.bounds(graph, effort, &lower, &upper)
    return graph.total, lower, upper


def graph_planes(
    const node_t[::1] one, const node_t[::1] two, node_t words, int32_t k, int64_t limit=CROSSINGS_LIMIT,
    int64_t effort=PLANES_EFFORT
):
    """The plane of each link of a graph; -1 where it is given up.

    >>> import numpy
    >>> graph_planes(numpy.array([1, 2], dtype=numpy.int32), numpy.array([3, 4], dtype=numpy.int32), 4, 1)
    array([-1,  0], dtype=int32)
    """
    import numpy

    cdef Crossings graph = Crossings()
    cdef Planes found = Planes()
    if k < 1:
        raise ValueError(f"{k} planes: there must be at least one")
    build_links(graph, one, two, words, limit)
    with nogil:
        found.colour(graph, k, effort)
    return numpy.array(found.plane, dtype=numpy.int32)[1:]


cdef Measure nothing_measured
MEASURE = tuple(<dict> nothing_measured)  # what is measured
STATES = tuple([name.lower().replace("_", " ") for name in TreeState.__members__])


@cython.final
cdef class TreeMeasurer:
    """One sentence after another, in the same room."""

    def __cinit__(self):
        self.crossings = Crossings()
        self.planes = Planes()
        self.binarisation = Binarisation()

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
            measure.mildness_lower = measure.mildness_upper = measure.gap_degree
            if measure.ill_nested:
                self.mildness(measure, effort)
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

    cdef int mildness(self, Measure *measure, int64_t effort) except -1 nogil:
        cdef int32_t lower, upper
        self.binarisation.bounds(
            self.order.data(), self.first.data(), self.words, <int32_t> measure.gap_degree, effort, &lower, &upper)
        measure.mildness_lower, measure.mildness_upper = lower, upper
        return 0

    cdef int recognise(
        self, const node_t *heads, node_t words, int32_t k, bint well_nested, int64_t effort
    ) except -1 nogil:
        """Whether a tree is one of WGk or, not well-nested, of MGk: YES, NO, or UNKNOWN where the effort was used up."""
        cdef Measure measure = nothing_measured
        if self.grow(heads, words) != TREE:
            return NO
        if self.projective():
            return YES
        self.gaps(&measure)
        if measure.gap_degree > k:
            return NO
        self.nesting(&measure)
        if not measure.ill_nested:
            return YES
        if well_nested:
            return NO
        self.mildness(&measure, effort)
        return YES if measure.mildness_upper <= k else NO if measure.mildness_lower > k else UNKNOWN

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


def recognise(const node_t[::1] heads, int32_t k, bint well_nested, int64_t effort=MERGING_EFFORT):
    """Whether a tree is in WGk or, not well-nested, in MGk; None where the effort does not settle it.

    >>> import numpy
    >>> ill_nested = numpy.array([0, 1, 1, 2, 3], dtype=numpy.int32)
    >>> recognise(ill_nested, 1, True), recognise(ill_nested, 1, False)
    (False, True)
    """
    cdef TreeMeasurer tree = TreeMeasurer()
    cdef int answer
    with nogil:
        answer = tree.recognise(&heads[0] if heads.shape[0] else NULL, <node_t> heads.shape[0], k, well_nested, effort)
    return None if answer == UNKNOWN else answer == YES


def measure(heads, starts, int64_t limit=CROSSINGS_LIMIT, int64_t effort=PLANES_EFFORT):
    """Measure sentences: sentence i has the words starts[i] .. starts[i + 1] - 1, heads are positions in a sentence.

    Gives a record of what MEASURE names for each sentence, and for all trees together the numbers of arcs between words by
    their length: lengths[0, n] arcs to the right, head first, and lengths[1, n] to the left.

    >>> import numpy
    >>> measures, lengths = measure([2, 0, 2, 0, 4, 1, 1], [0, 3, 7])
    >>> measures["gap_degree"], measures["planarity_upper"], lengths
    (array([0, 1]), array([1, 2]), array([[0, 1, 1, 1],
           [0, 1, 1, 0]]))
    """
    import numpy

    cdef const node_t[::1] head = numpy.ascontiguousarray(heads, dtype=numpy.int32)
    cdef const int64_t[::1] start = numpy.ascontiguousarray(starts, dtype=numpy.int64)
    cdef Py_ssize_t sentences = start.shape[0] - 1, i, word
    cdef int64_t longest = 0, length
    cdef const node_t *sentence
    cdef TreeMeasurer tree = TreeMeasurer()
    if sentences < 0 or start[0] < 0 or start[sentences] > head.shape[0] or (numpy.diff(starts) < 0).any():
        raise ValueError("starts: expected ascending places in heads, one more than there are sentences")
    for i in range(sentences):
        longest = max(longest, start[i + 1] - start[i])
    measures = numpy.zeros(sentences, dtype=[(name, numpy.int64) for name in MEASURE])
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
