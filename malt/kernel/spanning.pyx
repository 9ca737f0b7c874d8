"""The best tree over the scores of arcs, without the GIL: of all trees, and of the projective ones.

All trees: Chu and Liu (1965) and Edmonds (1967) with Tarjan's (1977) order for dense graphs, in O(n^2). Every word chooses
its best head; a cycle becomes one component, which chooses in turn, by what its best arc from outside loses against the
cycle's own. What a component's arc scored when it was chosen is its price: the prices solve the dual program, so that the
score of an arc without the prices of the components that it enters is what a tree with this arc has less, at least.

A single root, also in O(n^2) (Stanojevic and Cohen 2021, "A Root of a Problem"): were every arc of the root worse by more
than all others can make up for, the best tree would have the fewest of them. No number is needed for that: the root is
chosen where no other head is left, as no cycle has the root in it.

Projective trees: Eisner (1996), in O(n^3).
"""

cimport cython
from libc.math cimport INFINITY, isnan

import numpy

cdef enum:
    NEW
    ON_PATH
    DONE  # it hangs on the root, with all that it hangs on
    NOBODY = -1


cdef class Decoder:

    cdef bint solve(self, const double *scores, int32_t words, bint single_root, node_t *heads) except -1 nogil:
        """Write the head of each word, -1 for the root itself; False if there is no tree."""
        return False

    cdef int64_t room(self, int64_t words) noexcept nogil:
        """The bytes that it needs at most, beside the scores."""
        return 24 * (words + 1) * (words + 1)


@cython.final
cdef class SpanningTree(Decoder):

    cdef bint solve(self, const double *scores, int32_t words, bint single_root, node_t *heads) except -1 nogil:
        """Of equal heads the first is chosen."""
        cdef int32_t size = words + 1, one, other, i, roots = 0
        cdef int64_t at
        self.words = words
        self.incoming.resize(<size_t> size * size)
        self.entered.resize(<size_t> size * size)
        for one in range(1, size):
            at = <int64_t> one * size
            for i in range(size):
                self.incoming[at + i] = scores[<int64_t> i * size + one]
                self.entered[at + i] = one
        self.row.resize(size)
        self.component.resize(size)
        self.price.assign(size, 0)
        self.head.assign(size, NOBODY)
        self.dependent.assign(size, 0)
        self.parent.assign(size, 0)
        self.state.assign(size, NEW)
        for one in range(size):
            self.row[one] = self.component[one] = one
        self.state[0] = DONE
        for i in range(1, size):
            one = self.component[i]
            if self.state[one] != NEW:
                continue
            self.path.clear()
            self.path.push_back(one)
            self.state[one] = ON_PATH
            while True:
                one = self.path.back()
                if not self.choose(one, single_root):
                    return False
                other = self.component[self.head[one]]
                if self.state[other] == DONE:
                    break
                if self.state[other] == NEW:
                    self.path.push_back(other)
                    self.state[other] = ON_PATH
                else:
                    self.contract(other)
            for one in range(<int32_t> self.path.size()):
                self.state[self.path[one]] = DONE
        self.expand(heads)
        if single_root:
            for i in range(1, size):
                roots += heads[i] == 0
        return roots <= 1

    cdef bint choose(self, int32_t one, bint single_root) noexcept nogil:
        """Have a component choose its best head outside; False if it has none."""
        cdef int64_t at = <int64_t> self.row[one] * (self.words + 1)
        cdef const double *incoming = self.incoming.data() + at
        cdef const int32_t *component = self.component.data()
        cdef double best = -INFINITY
        cdef int32_t i, found = NOBODY
        if not single_root and incoming[0] > best:
            best, found = incoming[0], 0
        for i in range(1, self.words + 1):
            if incoming[i] > best and component[i] != one:
                best, found = incoming[i], i
        if found == NOBODY and incoming[0] > best:
            best, found = incoming[0], 0
        if found == NOBODY:
            return False
        self.price[one], self.head[one], self.dependent[one] = best, found, self.entered[at + found]
        return True

    cdef int contract(self, int32_t first) except -1 nogil:
        """The end of the path, from a component on, is a cycle, and becomes one component at the path's end."""
        cdef int32_t made = <int32_t> self.parent.size(), one, i, size = self.words + 1, row = self.row[first]
        cdef double *incoming = self.incoming.data() + <int64_t> row * size
        cdef node_t *entered = self.entered.data() + <int64_t> row * size
        cdef const double *other
        cdef const node_t *entered_by_other
        cdef double price, score
        self.parent.push_back(0)
        self.row.push_back(row)
        self.price.push_back(0)
        self.head.push_back(NOBODY)
        self.dependent.push_back(0)
        self.state.push_back(ON_PATH)
        price = self.price[first]
        for i in range(size):
            incoming[i] -= price
        while True:
            one = self.path.back()
            self.path.pop_back()
            self.parent[one] = made
            if one == first:
                break
            other = self.incoming.data() + <int64_t> self.row[one] * size
            entered_by_other = self.entered.data() + <int64_t> self.row[one] * size
            price = self.price[one]
            for i in range(size):
                score = other[i] - price
                if score > incoming[i]:
                    incoming[i], entered[i] = score, entered_by_other[i]
        for i in range(1, size):
            if self.parent[self.component[i]] == made:
                self.component[i] = made
        self.path.push_back(made)
        return 0

    cdef int expand(self, node_t *heads) except -1 nogil:
        """The arcs that were chosen, from the outermost components inwards: an arc that enters a cycle takes the place
        of the arc of the part that it enters."""
        cdef int32_t one, part, i, outer
        self.child.assign(self.parent.size(), 0)
        self.sibling.assign(self.parent.size(), 0)
        for one in range(<int32_t> self.parent.size() - 1, 0, -1):
            if self.parent[one]:
                self.sibling[one] = self.child[self.parent[one]]
                self.child[self.parent[one]] = one
        heads[0] = -1
        self.stack.clear()
        for one in range(1, <int32_t> self.parent.size()):
            if not self.parent[one]:
                self.stack.push_back(one)
        while not self.stack.empty():
            outer = self.stack.back()
            self.stack.pop_back()
            one = self.dependent[outer]
            heads[one] = self.head[outer]
            while one != outer:
                part = self.child[self.parent[one]]
                while part:
                    if part != one:
                        self.stack.push_back(part)
                    part = self.sibling[part]
                one = self.parent[one]
        return 0

    cdef int price_arcs(self, const double *scores, double *costs) except -1 nogil:
        """After `solve`: of each arc, what the best tree with it has less than the best tree, at least (a number that is
        not above zero; zero for the best tree's own); -inf for what is no arc. A tree with several arcs has their sum
        less, at least."""
        cdef int32_t size = self.words + 1, one, part, i, begin, end, word, head
        cdef double due
        for i in range(size):
            costs[<int64_t> i * size] = costs[<int64_t> i * size + i] = -INFINITY
        # the words of each component, as a part of one list
        self.order.clear()
        self.first.assign(self.parent.size(), 0)
        self.last.assign(self.parent.size(), 0)
        for one in range(1, <int32_t> self.parent.size()):
            if self.parent[one]:
                continue
            part = one
            while True:
                self.first[part] = <int32_t> self.order.size()
                while self.child[part]:
                    part = self.child[part]
                    self.first[part] = <int32_t> self.order.size()
                self.order.push_back(part)
                self.last[part] = <int32_t> self.order.size()
                while part != one and not self.sibling[part]:
                    part = self.parent[part]
                    self.last[part] = <int32_t> self.order.size()
                if part == one:
                    break
                part = self.sibling[part]
        for word in range(1, size):
            due, one, begin, end = 0, word, self.first[word], self.last[word]
            while True:
                due += self.price[one]
                one = self.parent[one]
                if not one:
                    break
                for i in range(self.first[one], begin):
                    head = self.order[i]
                    costs[<int64_t> head * size + word] = scores[<int64_t> head * size + word] - due
                for i in range(end, self.last[one]):
                    head = self.order[i]
                    costs[<int64_t> head * size + word] = scores[<int64_t> head * size + word] - due
                begin, end = self.first[one], self.last[one]
            costs[word] = scores[word] - due
            for i in range(begin):
                head = self.order[i]
                costs[<int64_t> head * size + word] = scores[<int64_t> head * size + word] - due
            for i in range(end, self.words):
                head = self.order[i]
                costs[<int64_t> head * size + word] = scores[<int64_t> head * size + word] - due
        return 0


@cython.final
cdef class ProjectiveTree(Decoder):

    cdef bint solve(self, const double *scores, int32_t words, bint single_root, node_t *heads) except -1 nogil:
        cdef int32_t size = words + 1, word, root = NOBODY
        cdef double best = -INFINITY, score
        self.size = size
        self.arcs.resize(<size_t> size * size)
        self.spans.resize(<size_t> size * size)
        self.turned.resize(<size_t> size * size)
        heads[0] = -1
        if words == 0:
            return True
        self.fill(scores, 1 if single_root else 0)
        if not single_root:
            if self.spans[words] == -INFINITY:
                return False
            self.read(scores, 0, 0, heads)
            return True
        for word in range(1, size):
            score = scores[word] + self.spans[<int64_t> word * size + 1] + self.spans[<int64_t> word * size + words]
            if score > best:
                best, root = score, word
        if root == NOBODY:
            return False
        heads[root] = 0
        self.read(scores, 1, root, heads)
        return True

    cdef int fill(self, const double *scores, int32_t begin) except -1 nogil:
        """The best of all spans from `begin` on, the shorter ones first. The root has no head."""
        cdef int32_t size = self.size, width, i, j, r
        cdef double best, score
        cdef double *arcs = self.arcs.data()
        cdef double *spans = self.spans.data()
        cdef double *turned = self.turned.data()
        cdef const double *left
        cdef const double *right
        for i in range(size):
            spans[<int64_t> i * size + i] = turned[<int64_t> i * size + i] = 0
        for width in range(1, size - begin):
            for i in range(begin, size - width):
                j = i + width
                left, right = spans + <int64_t> i * size, spans + <int64_t> j * size + 1
                best = -INFINITY
                for r in range(i, j):
                    score = left[r] + right[r]
                    if score > best:
                        best = score
                arcs[<int64_t> i * size + j] = best + scores[<int64_t> i * size + j]
                arcs[<int64_t> j * size + i] = best + scores[<int64_t> j * size + i] if i else -INFINITY
                left, right = arcs + <int64_t> i * size, turned + <int64_t> j * size
                best = -INFINITY
                for r in range(i + 1, j + 1):
                    score = left[r] + right[r]
                    if score > best:
                        best = score
                spans[<int64_t> i * size + j] = turned[<int64_t> j * size + i] = best
                left, right = arcs + <int64_t> j * size, turned + <int64_t> i * size
                best = -INFINITY
                for r in range(i, j):
                    score = left[r] + right[r]
                    if score > best:
                        best = score
                spans[<int64_t> j * size + i] = turned[<int64_t> i * size + j] = best
        return 0

    cdef int read(self, const double *scores, int32_t begin, int32_t root, node_t *heads) except -1 nogil:
        """The arcs of the best spans of a root, up to both ends: where a span was put together is found again."""
        cdef int32_t size = self.size, head, end, word, r, low, high
        cdef double best, arc
        cdef const double *left
        cdef const double *right
        self.stack.clear()
        self.stack.push_back(root)
        self.stack.push_back(begin)
        self.stack.push_back(root)
        self.stack.push_back(size - 1)
        while not self.stack.empty():
            end = self.stack.back()
            self.stack.pop_back()
            head = self.stack.back()
            self.stack.pop_back()
            if end == head:
                continue
            best = self.spans[<int64_t> head * size + end]
            left, right = self.arcs.data() + <int64_t> head * size, self.turned.data() + <int64_t> end * size
            word = head + 1 if head < end else end
            while left[word] + right[word] != best:
                word += 1
            heads[word] = head
            low, high = min(head, word), max(head, word)
            best, arc = left[word], scores[<int64_t> head * size + word]
            left, right = self.spans.data() + <int64_t> low * size, self.spans.data() + <int64_t> high * size + 1
            r = low
            while left[r] + right[r] + arc != best:
                r += 1
            self.stack.push_back(word)
            self.stack.push_back(end)
            self.stack.push_back(low)
            self.stack.push_back(r)
            self.stack.push_back(high)
            self.stack.push_back(r + 1)
        return 0


cdef const double[:, ::1] checked(scores, megabytes, Decoder decoder):
    """The scores, if a tree can be found with them."""
    cdef const double[:, ::1] view = scores
    cdef int64_t i, j, size = view.shape[0]
    if view.shape[0] != view.shape[1] or size == 0:
        raise ValueError(f"the scores are {view.shape[0]} x {view.shape[1]}; expected as many heads as dependents, and the root")
    if size > 1 << 30 or decoder.room(size - 1) > <int64_t> (megabytes * 1e6):
        raise ValueError(
            f"a sentence of {size - 1:,} words: its best tree needs {decoder.room(size - 1) // 1000000:,} megabytes, "
            f"and {megabytes:,} are allowed")
    for i in range(size):
        for j in range(1, size):
            if i != j and (isnan(view[i, j]) or view[i, j] == INFINITY):
                raise ValueError(f"the score of the arc from {i} to {j} is {view[i, j]}; expected a number, or -inf for no arc")
    return view


def solve(Decoder decoder not None, scores, bint single_root=False, megabytes=1000):
    """The heads of the best tree that a decoder finds, where scores[head, dependent] is what an arc is worth and 0 is the
    root, which has the head -1."""
    cdef const double[:, ::1] view = checked(scores, megabytes, decoder)
    heads = numpy.empty(view.shape[0], numpy.int32)
    cdef node_t[::1] found = heads
    cdef bint well
    with nogil:
        well = decoder.solve(&view[0, 0], <int32_t> view.shape[0] - 1, single_root, &found[0])
    if not well:
        raise ValueError(f"there is no such tree{' with a single root' * single_root}: too few arcs are allowed")
    return heads


def best_tree(scores, bint single_root=False, megabytes=1000):
    """The heads of the best of all trees.

    >>> import numpy
    >>> best_tree(numpy.array([[0, 9, 10, 9], [0, 0, 20, 3], [0, 30, 0, 30], [0, 11, 0, 0.0]])).tolist()
    [-1, 2, 0, 2]
    """
    return solve(SpanningTree(), scores, single_root, megabytes)


def best_projective_tree(scores, bint single_root=False, megabytes=1000):
    """The heads of the best projective tree: no arc crosses another or covers the root.

    >>> import numpy
    >>> best_projective_tree(numpy.array([[0, 5, 0, 0], [0, 0, 0, 9], [0, 0, 0, 0], [0, 0, 1, 0.0]])).tolist()
    [-1, 0, 3, 1]
    """
    return solve(ProjectiveTree(), scores, single_root, megabytes)


def reduced_costs(scores, bint single_root=False, megabytes=1000):
    """(heads, costs): the best tree, and of each arc how much less a tree with it is worth, at least: not above zero, and
    zero for the arcs of the best tree. The costs of all arcs of a tree add up to what it has less, at least.

    >>> import numpy
    >>> heads, costs = reduced_costs(numpy.array([[0, 9, 10, 9], [0, 0, 20, 3], [0, 30, 0, 30], [0, 11, 0, 0.0]]))
    >>> costs.tolist()[0]
    [-inf, -11.0, 0.0, -21.0]
    """
    cdef SpanningTree tree = SpanningTree()
    heads = solve(tree, scores, single_root, megabytes)
    cdef const double[:, ::1] view = scores
    costs = numpy.empty((view.shape[0], view.shape[0]))
    cdef double[:, ::1] target = costs
    with nogil:
        tree.price_arcs(&view[0, 0], &target[0, 0])
    return heads, costs
