"""Charts for mildly non-projective trees (EACL 2009), best first.

An item is a head h and a set of words below it, as intervals, with all their dependents: only h takes more. Whether h itself
is in the intervals does not matter, so one form is chosen (the paper's nm): h is in if and only if h + 1 is. Then the sets of
two items of h are disjoint if the items are, and to join them is to join the sets. What the intervals of both look like from
left to right, a string over a, b, g, is the step, if the chart has it.

Costs. A word's cost of a head is what it loses against its best head. The search for the best of all trees leaves behind
sets of words each of which costs something to enter, however it is done (dual prices). An item that has a whole set below
its head has paid for it. So an item's place on the agenda is: its arcs, less the prices of the sets that it has, plus, for
each word that it does not have, the least reduced cost of a head that the word may still have, which is none of the words
below the item's head, as these have all their dependents. No item that follows from others has a lower place than they have,
so the first tree that is taken from the agenda is the best, and where the best of all trees is nearly in the class, few items
are looked at.
"""

cimport cython
from cpython.exc cimport PyErr_CheckSignals
from libc.math cimport INFINITY, fabs, floor
from libc.string cimport memcpy
from libcpp.algorithm cimport sort
from libcpp.pair cimport pair

import numpy

from malt.kernel.mixing cimport mix
from malt.kernel.nesting cimport MERGING_EFFORT
from malt.kernel.projectivity import projectivize
from malt.kernel.structure cimport YES

cdef enum:
    BETWEEN_LOOKS = 0xFFF  # items between two looks at whether somebody wants to stop
    CLIMBING = 1 << 21  # words that may be looked at while a tree is made better: some tenths of a second
    LITTLE_EFFORT = 1 << 12  # elementary steps in which such a tree is to be recognised
    MOST_PROJECTIVE = 2000  # words of a sentence whose best projective tree is looked for, in O(n^3): some seconds


cdef bint has(const node_t *ends, int32_t intervals, node_t word) noexcept nogil:
    cdef int32_t i
    for i in range(intervals):
        if word <= ends[2 * i + 1]:
            return word >= ends[2 * i]
    return False


cdef int look_up() except -1 with gil:
    """See whether the user wants to stop."""
    PyErr_CheckSignals()
    return 0


cdef bint before(const Waiting *one, const Waiting *other) noexcept nogil:
    """Of equal places the larger item, which is nearer to a tree."""
    if one.key != other.key:
        return one.key < other.key
    if one.size != other.size:
        return one.size > other.size
    return one.item < other.item


@cython.final
cdef class Chart:
    """The steps of one system, and room for the items of one sentence after another; one for each thread."""

    def __init__(self, tables):
        """`tables` is what malt/charts/compiler.py makes of strings."""
        cdef int64_t code
        cdef size_t place, size = 16
        cdef int32_t step, own
        self.most = tables.most
        self.width = 2 * self.most
        self.flags = len(tables.order.settled)
        while size < 4 * len(tables.codes):
            size *= 2
        self.step_code.assign(size, 0)
        self.step_number.assign(size, NO_ITEM)
        for step, code in enumerate(tables.codes):
            place = mix(code) & (size - 1)
            while self.step_number[place] != NO_ITEM:
                place = (place + 1) & (size - 1)
            self.step_code[place], self.step_number[place] = code, step
        self.group_of = tables.group_of
        self.value_first.push_back(0)
        for own in range(self.most + 1):
            self.own_first.push_back(<int32_t> self.group_number.size())
            for number, (intervals, signature, ends, signs) in enumerate(tables.groups):
                if intervals == own:
                    self.group_number.push_back(number)
                    self.group_signature.push_back(signature)
                    for end in ends:
                        self.value_end.push_back(end)
                    for sign in signs:
                        self.value_sign.push_back(sign)
                    self.value_first.push_back(<int32_t> self.value_end.size())
            self.listed_first.push_back(<int32_t> self.signature_number.size())
            for number, (intervals, _) in enumerate(tables.signatures):
                if intervals == own:
                    self.signature_number.push_back(number)
        self.own_first.push_back(<int32_t> self.group_number.size())
        self.listed_first.push_back(<int32_t> self.signature_number.size())
        for _, ends in tables.signatures:
            self.end_first.push_back(<int32_t> self.signature_end.size())
            for end in ends:
                self.signature_end.push_back(end)
        self.end_first.push_back(<int32_t> self.signature_end.size())
        self.order = tables.order.table.ravel().tolist()
        self.settled = tables.order.settled
        self.joined.resize(self.width + 2)
        self.linked.resize(self.width + 4)

    # -- the arcs of a sentence

    cdef int weigh(self, SpanningTree tree, const double *scores, const node_t *known) except -1 nogil:
        """Take over the scores, after `tree` has solved them. A tree that is not better than `known` is not looked for."""
        cdef int64_t size = tree.words + 1
        cdef node_t word, head
        cdef int32_t one, i
        cdef double largest = 0, cost, loss = INFINITY
        cdef vector[pair[double, node_t]] sorted_heads
        cdef pair[double, node_t] entry
        cdef Candidate candidate
        self.words = tree.words
        self.reduced.resize(size * size)
        tree.price_arcs(scores, self.reduced.data())
        self.set_first.clear()
        self.set_member.clear()
        self.set_price.clear()
        self.set_first.push_back(0)
        for one in range(<int32_t> size, <int32_t> tree.parent.size()):
            if tree.price[one] != 0:
                for i in range(tree.first[one], tree.last[one]):
                    self.set_member.push_back(tree.order[i])
                self.set_first.push_back(<int32_t> self.set_member.size())
                self.set_price.push_back(-tree.price[one])
        if known != NULL:
            loss = 0
            for one in range(1, <int32_t> tree.parent.size()):
                loss += tree.price[one]
                largest = max(largest, fabs(tree.price[one]))
            for word in range(1, self.words + 1):
                loss -= scores[known[word] * size + word]
        self.candidates.clear()
        self.candidate_first.assign(1, 0)
        self.candidate_first.push_back(0)  # the root has no head
        for word in range(1, self.words + 1):
            sorted_heads.clear()
            for head in range(self.words + 1):
                cost = -self.reduced[head * size + word]
                if head != word and cost < INFINITY and cost <= loss:
                    entry.first, entry.second = cost, head
                    sorted_heads.push_back(entry)
            sort(sorted_heads.begin(), sorted_heads.end())
            for i in range(<int32_t> sorted_heads.size()):
                candidate.reduced, candidate.head = sorted_heads[i].first, sorted_heads[i].second
                candidate.cost = tree.price[word] - scores[candidate.head * size + word]
                largest = max(largest, fabs(candidate.cost))
                self.candidates.push_back(candidate)
            self.candidate_first.push_back(<int32_t> self.candidates.size())
        self.unit = 1e-11 * (1 + largest)
        self.ceiling = loss - self.unit
        self.best_first, self.counting = True, False
        return 0

    cdef int want_all(self) except -1 nogil:
        """No item is too dear, and none comes before others."""
        self.set_first.assign(1, 0)
        self.ceiling, self.unit = INFINITY, 0
        self.best_first = False
        return 0

    cdef int allow(self, const double *scores) except -1 nogil:
        """Take over all arcs of `words` words, with their scores or (NULL) without, for a chart of all items."""
        cdef int64_t size = self.words + 1
        cdef node_t word, head
        cdef Candidate candidate
        self.candidates.clear()
        self.candidate_first.assign(2, 0)
        for word in range(1, self.words + 1):
            for head in range(self.words + 1):
                if head != word and (scores == NULL or scores[head * size + word] != -INFINITY):
                    candidate.head = head
                    candidate.cost = candidate.reduced = -scores[head * size + word] if scores != NULL else 0
                    self.candidates.push_back(candidate)
            self.candidate_first.push_back(<int32_t> self.candidates.size())
        return self.want_all()

    cdef int allow_tree(self, const node_t *heads, node_t words) except -1 nogil:
        """Take over the arcs of one tree: heads[0] is the head of word 1."""
        cdef node_t word
        cdef Candidate candidate
        self.words = words
        self.candidates.clear()
        self.candidate_first.assign(2, 0)
        candidate.cost = candidate.reduced = 0
        for word in range(1, words + 1):
            candidate.head = heads[word - 1]
            self.candidates.push_back(candidate)
            self.candidate_first.push_back(<int32_t> self.candidates.size())
        return self.want_all()

    # -- the search

    cdef Outcome search(self, int64_t limit, int64_t memory) except * nogil:
        """Take items from the agenda until the best tree is found, or (not best first) until there are none."""
        cdef Waiting next
        cdef int64_t looked = 0
        self.start()
        while not self.agenda.empty():
            next = self.pop()
            if self.items[next.item].closed or self.items[next.item].key != next.key:
                continue
            if self.best_first and next.item == self.goal:
                return FOUND
            if <int64_t> self.items.size() > limit or self.room() > memory:
                self.reached = (next.key - 1) * self.unit
                return STOPPED
            self.items[next.item].closed = True
            self.link(next.item)
            if self.items[next.item].intervals and not (self.single_root and self.items[next.item].head == 0):
                self.combine(next.item)
                self.enlist(next.item)
            looked += 1
            if looked & BETWEEN_LOOKS == 0:
                look_up()
        return NOTHING if self.best_first else DERIVED

    cdef int64_t room(self) noexcept nogil:
        """The bytes that are in use; vectors have up to twice as many while they grow."""
        cdef int64_t bytes = self.items.size() * (sizeof(Item) + self.width * sizeof(node_t))
        bytes += self.table.size() * sizeof(int32_t) + self.starts.size() * sizeof(Start)
        bytes += self.listed.size() * sizeof(Listed) + self.agenda.size() * sizeof(Waiting)
        return bytes + self.reduced.size() * sizeof(double) + self.candidates.size() * sizeof(Candidate)

    cdef int start(self) except -1 nogil:
        """The hypotheses: every word alone."""
        cdef node_t word
        cdef Start nowhere
        nowhere.key, nowhere.first = 0, NO_ITEM
        self.items.clear()
        self.ends.clear()
        self.ways.clear()
        self.listed.clear()
        self.agenda.clear()
        self.table.assign(1024, NO_ITEM)
        self.starts.assign(1024, nowhere)
        self.lists = 0
        self.goal = NO_ITEM
        self.reached = 0
        for word in range(1, self.words + 1):
            self.add(word, 0, 0, NULL, 0, 0, START, NO_ITEM, NO_ITEM)
        return 0

    cdef int link(self, int32_t number) except -1 nogil:
        """Make the item's head a dependent of each word outside that it may have as its head.

        The head counts among its own words then, so there may be one gap too many.
        """
        cdef Item item = self.items[number]
        cdef const node_t *ends = self.ends.data() + <int64_t> number * self.width
        cdef node_t *mine = self.linked.data()
        cdef node_t *target = self.joined.data()
        cdef node_t head = item.head, other
        cdef int32_t i, intervals = 0, count
        cdef int32_t c
        cdef bint placed = item.intervals > 0 and has(ends, item.intervals, head)
        if head == 0:
            return 0
        for i in range(item.intervals):
            if not placed and head < ends[2 * i]:  # not next to it: it would be in it
                mine[2 * intervals] = mine[2 * intervals + 1] = head
                intervals += 1
                placed = True
            mine[2 * intervals], mine[2 * intervals + 1] = ends[2 * i], ends[2 * i + 1]
            if not placed and mine[2 * intervals + 1] + 1 == head:
                mine[2 * intervals + 1] = head
                placed = True
            intervals += 1
        if not placed:
            mine[2 * intervals] = mine[2 * intervals + 1] = head
            intervals += 1
        if intervals > self.most:
            return 0
        for c in range(self.candidate_first[head], self.candidate_first[head + 1]):
            if item.cost - item.paid + self.candidates[c].reduced > self.ceiling:
                break
            other = self.candidates[c].head
            if has(mine, intervals, other):
                continue
            if other == 0 and self.single_root and (intervals > 1 or mine[0] != 1 or mine[1] != self.words):
                continue
            count = 0
            for i in range(intervals):
                if mine[2 * i] == other + 1:
                    if count and target[2 * count - 1] == other - 1:
                        target[2 * count - 1] = mine[2 * i + 1]
                        continue
                    target[2 * count] = other
                else:
                    target[2 * count] = mine[2 * i]
                target[2 * count + 1] = mine[2 * i + 1]
                count += 1
            self.add(other, item.size + 1, 0, target, count, item.cost + self.candidates[c].cost, LINK, number, NO_ITEM)
        return 0

    cdef int combine(self, int32_t number) except -1 nogil:
        """Join an item with each closed item of the same head that some step takes it together with."""
        cdef const node_t *ends
        cdef int32_t g, v, at, own = self.items[number].intervals
        cdef uint64_t key
        for g in range(self.own_first[own], self.own_first[own + 1]):
            ends = self.ends.data() + <int64_t> number * self.width
            key = mix((<uint64_t> self.items[number].head << 32) | <uint64_t> self.group_signature[g])
            for v in range(self.value_first[g], self.value_first[g + 1]):
                key = mix(key + <uint64_t> (ends[self.value_end[v]] + self.value_sign[v]))
            at = self.starts[self.list_place(key | 1)].first
            while at != NO_ITEM:
                self.join(number, self.listed[at].item, self.group_number[g])
                at = self.listed[at].next
        return 0

    cdef int join(self, int32_t one, int32_t two, int32_t group) except -1 nogil:
        """Join two items if they are disjoint and the chart has the step, looked up in this group and no other."""
        cdef const node_t *first = self.ends.data() + <int64_t> one * self.width
        cdef const node_t *second = self.ends.data() + <int64_t> two * self.width
        cdef const node_t *part
        cdef node_t *target = self.joined.data()
        cdef int32_t i = 0, j = 0, count = 0, step, flag, letter
        cdef int32_t many = self.items[one].intervals, others = self.items[two].intervals
        cdef int64_t code = 0
        cdef bint swapped = second[0] < first[0]  # a is what comes first
        cdef size_t place
        while i < many or j < others:
            if j == others or (i < many and first[2 * i] < second[2 * j]):
                part, letter = first + 2 * i, 2 if swapped else 1
                i += 1
            else:
                part, letter = second + 2 * j, 1 if swapped else 2
                j += 1
            if count and part[0] <= target[2 * count - 1]:
                return 0
            if count and part[0] == target[2 * count - 1] + 1:
                target[2 * count - 1] = part[1]
                code = code << 2 | letter
                continue
            if count == self.most:
                return 0
            code = code << 4 | 12 | letter if count else letter
            target[2 * count], target[2 * count + 1] = part[0], part[1]
            count += 1
        place = mix(code) & (self.step_code.size() - 1)
        while self.step_number[place] != NO_ITEM and self.step_code[place] != code:
            place = (place + 1) & (self.step_code.size() - 1)
        step = self.step_number[place]
        if step == NO_ITEM or self.group_of[2 * step + swapped] != group:
            return 0
        if swapped:
            one, two = two, one
        flag = self.order[(step * self.flags + self.items[one].flag) * self.flags + self.items[two].flag]
        if flag < 0:
            return 0
        self.add(self.items[one].head, self.items[one].size + self.items[two].size, flag, target, count,
                 self.items[one].cost + self.items[two].cost, step, one, two)
        return 0

    cdef int enlist(self, int32_t number) except -1 nogil:
        """Put a closed item onto the lists where `combine` will look for it."""
        cdef const node_t *ends = self.ends.data() + <int64_t> number * self.width
        cdef int32_t s, signature, e, own = self.items[number].intervals
        cdef uint64_t key
        cdef size_t place
        cdef Listed entry
        for s in range(self.listed_first[own], self.listed_first[own + 1]):
            signature = self.signature_number[s]
            key = mix((<uint64_t> self.items[number].head << 32) | <uint64_t> signature)
            for e in range(self.end_first[signature], self.end_first[signature + 1]):
                key = mix(key + <uint64_t> ends[self.signature_end[e]])
            place = self.list_place(key | 1)
            if self.starts[place].key == 0:
                if 2 * self.lists >= self.starts.size():
                    self.grow_starts()
                    place = self.list_place(key | 1)
                self.starts[place].key = key | 1
                self.lists += 1
            entry.item, entry.next = number, self.starts[place].first
            self.starts[place].first = <int32_t> self.listed.size()
            self.listed.push_back(entry)
        return 0

    # -- items

    cdef int add(self, node_t head, node_t size, int32_t flag, const node_t *ends, int32_t intervals, double cost,
                 int32_t step, int32_t left, int32_t right) except -1 nogil:
        """Enter an item, or a better way to one that is there, and put it onto the agenda."""
        cdef size_t place
        cdef int32_t number = self.find(head, flag, ends, intervals, &place), i
        cdef Item item
        cdef double ways = 1
        if self.counting and step != START:
            ways = self.ways[left] if right == NO_ITEM else self.ways[left] * self.ways[right]
        if number == NO_ITEM:
            item.paid = item.rest = 0
            if self.best_first:
                item.rest = self.remainder(head, flag, ends, intervals, &item.paid)
                if cost + item.rest > self.ceiling:
                    return 0
            item.cost, item.step, item.left, item.right = cost, step, left, right
            item.head, item.size, item.intervals, item.flag, item.closed = head, size, intervals, flag, False
            number = <int32_t> self.items.size()
            self.items.push_back(item)
            for i in range(self.width):
                self.ends.push_back(ends[i] if i < 2 * intervals else 0)
            if self.counting:
                self.ways.push_back(ways)
            self.table[place] = number
            if 2 * self.items.size() >= self.table.size():
                self.grow_table()
        else:
            if self.counting:
                self.ways[number] += ways
            if self.items[number].closed or cost >= self.items[number].cost:
                return 0
            self.items[number].cost, self.items[number].step = cost, step
            self.items[number].left, self.items[number].right = left, right
            if not self.best_first:
                return self.is_goal(number)
        self.is_goal(number)
        return self.push(number)

    cdef int is_goal(self, int32_t number) except -1 nogil:
        """Remember a tree that is the best so far: others must not cost more."""
        cdef Item *item = &self.items[number]
        cdef const node_t *ends = self.ends.data() + <int64_t> number * self.width
        if item.head or item.intervals != 1 or ends[0] or ends[1] != self.words:
            return 0
        if self.goal == NO_ITEM or item.cost <= self.items[self.goal].cost:
            self.goal = number
            if self.best_first:
                self.ceiling = item.cost + item.rest
        return 0

    cdef double remainder(
        self, node_t head, int32_t flag, const node_t *ends, int32_t intervals, double *paid
    ) noexcept nogil:
        """What the arcs outside of an item cost at least, beyond the prices of all sets, less the prices it has paid."""
        cdef int32_t s, m, c, settled = self.settled[flag], next = 0
        cdef node_t word, other
        cdef double rest = 0
        cdef bint has_all, taken
        paid[0] = 0
        for s in range(<int32_t> self.set_price.size() if intervals else 0):
            has_all = True
            for m in range(self.set_first[s], self.set_first[s + 1]):
                if self.set_member[m] == head or not has(ends, intervals, self.set_member[m]):
                    has_all = False
                    break
            if has_all:
                paid[0] += self.set_price[s]
        word = 1
        while word <= self.words:
            while next < intervals and ends[2 * next + 1] < word:
                next += 1
            if next < intervals and word >= ends[2 * next] and word != head:
                word = ends[2 * next + 1] + 1 if not ends[2 * next] <= head <= ends[2 * next + 1] or head < word else head
                continue
            # May it still be a dependent of the item's head?
            taken = settled != 0 and (settled & COMPLETE or (0 < next < intervals and settled >> (next - 1) & 1))
            c = self.candidate_first[word]
            while c < self.candidate_first[word + 1]:
                other = self.candidates[c].head
                if other == head:
                    if not taken:
                        break
                elif not has(ends, intervals, other):
                    break
                c += 1
            if c == self.candidate_first[word + 1]:
                return INFINITY
            rest += self.candidates[c].reduced
            word += 1
        return rest - paid[0]

    cdef int32_t find(
        self, node_t head, int32_t flag, const node_t *ends, int32_t intervals, size_t *place
    ) noexcept nogil:
        """The number of an item, or NO_ITEM and its place in the table."""
        cdef uint64_t key = mix((<uint64_t> head << 16 | <uint64_t> flag << 8) + <uint64_t> intervals)
        cdef int32_t i, number
        cdef size_t at
        cdef const node_t *theirs
        for i in range(intervals):
            key = mix(key + (<uint64_t> ends[2 * i] << 32 | <uint64_t> ends[2 * i + 1]))
        at = key & (self.table.size() - 1)
        while self.table[at] != NO_ITEM:
            number = self.table[at]
            if (self.items[number].head == head and self.items[number].flag == flag
                    and self.items[number].intervals == intervals):
                theirs = self.ends.data() + <int64_t> number * self.width
                i = 0
                while i < 2 * intervals and theirs[i] == ends[i]:
                    i += 1
                if i == 2 * intervals:
                    return number
            at = (at + 1) & (self.table.size() - 1)
        place[0] = at
        return NO_ITEM

    cdef int grow_table(self) except -1 nogil:
        cdef int32_t number
        cdef size_t place = 0
        self.table.assign(2 * self.table.size(), NO_ITEM)
        for number in range(<int32_t> self.items.size()):
            self.find(self.items[number].head, self.items[number].flag,
                      self.ends.data() + <int64_t> number * self.width, self.items[number].intervals, &place)
            self.table[place] = number
        return 0

    cdef size_t list_place(self, uint64_t key) noexcept nogil:
        """The place of a list, or where it would be."""
        cdef size_t place = (key >> 1) & (self.starts.size() - 1)
        while self.starts[place].key != 0 and self.starts[place].key != key:
            place = (place + 1) & (self.starts.size() - 1)
        return place

    cdef int grow_starts(self) except -1 nogil:
        cdef vector[Start] old
        cdef Start nowhere
        cdef size_t i
        nowhere.key, nowhere.first = 0, NO_ITEM
        old.swap(self.starts)
        self.starts.assign(2 * old.size(), nowhere)
        for i in range(old.size()):
            if old[i].key:
                self.starts[self.list_place(old[i].key)] = old[i]
        return 0

    # -- the agenda

    cdef int push(self, int32_t number) except -1 nogil:
        cdef Waiting entry, above
        cdef size_t at = self.agenda.size()
        cdef Item *item = &self.items[number]
        item.key = <int64_t> floor((item.cost + item.rest) / self.unit + 0.5) if self.best_first else item.size
        entry.key, entry.size, entry.item = item.key, item.size, number
        self.agenda.push_back(entry)
        while at:
            above = self.agenda[(at - 1) // 2]
            if not before(&entry, &above):
                break
            self.agenda[at] = above
            at = (at - 1) // 2
        self.agenda[at] = entry
        return 0

    cdef Waiting pop(self) noexcept nogil:
        cdef Waiting first = self.agenda[0], last = self.agenda.back()
        cdef size_t at = 0, below
        self.agenda.pop_back()
        while 2 * at + 1 < self.agenda.size():
            below = 2 * at + 1
            if below + 1 < self.agenda.size() and before(&self.agenda[below + 1], &self.agenda[below]):
                below += 1
            if not before(&self.agenda[below], &last):
                break
            self.agenda[at] = self.agenda[below]
            at = below
        if not self.agenda.empty():
            self.agenda[at] = last
        return first

    # -- results

    cdef int read(self, int32_t number, node_t *heads) except -1 nogil:
        """Write the heads of all words below an item's head; heads[0] is the root's."""
        cdef Item *item
        heads[0] = -1
        self.stack.assign(1, number)
        while not self.stack.empty():
            item = &self.items[self.stack.back()]
            self.stack.pop_back()
            if item.step == LINK:
                heads[self.items[item.left].head] = item.head
                self.stack.push_back(item.left)
            elif item.step != START:
                self.stack.push_back(item.left)
                self.stack.push_back(item.right)
        return 0

    def count(self, words, bint single_root=False, int64_t limit=1 << 31, int64_t memory=1 << 40):
        """How many derivations there are of all trees of so many words; of one tree, if its heads are given instead.

        With the flags of WGk each tree has one, so this is their number; past 2 ** 53 it is about so many.
        """
        cdef Outcome outcome
        self.single_root = single_root
        self._all(words)
        self.counting = True
        with nogil:
            outcome = self.search(limit, memory)
        if outcome == STOPPED:
            raise MemoryError(f"a chart of {self.items.size():,} items; no more are allowed")
        return sum(self.ways[i] for i in range(self.items.size()) if self._is_tree(i))

    def derive(self, heads, bint single_root=False, int64_t limit=1 << 31, int64_t memory=1 << 40):
        """The derivation of a tree, the word heads[0] is the head of word 1; None if there is none.

        A list of (step, head, ends of the intervals, places of the antecedents in the list).
        """
        cdef int32_t number, place
        cdef Outcome outcome
        self.single_root = single_root
        self._all(heads)
        with nogil:
            outcome = self.search(limit, memory)
        if outcome == STOPPED:
            raise MemoryError(f"a chart of {self.items.size():,} items; no more are allowed")
        if self.goal == NO_ITEM:
            return None
        found, pending, places = [], [self.goal], {}
        while pending:
            number = pending.pop()
            left, right = self.items[number].left, self.items[number].right
            missing = [one for one in (right, left) if one != NO_ITEM and one not in places]
            if missing:
                pending += [number, *missing]
            elif number not in places:
                places[number] = len(found)
                ends = [self.ends[number * self.width + place] for place in range(2 * self.items[number].intervals)]
                found.append((
                    self.items[number].step, self.items[number].head, ends,
                    [places[one] for one in (left, right) if one != NO_ITEM],
                ))
        return found

    @property
    def touched(self):
        """The items of the last chart."""
        return self.items.size()

    def _all(self, words):
        """Take over the arcs of one tree, or all arcs of a number of words."""
        cdef const node_t[::1] heads
        self.counting = False
        if isinstance(words, int):
            self.words = words
            self.allow(NULL)
        else:
            heads = numpy.ascontiguousarray(words, dtype=numpy.int32)
            if any(not 0 <= head <= len(words) or head == word for word, head in enumerate(words, 1)):
                raise ValueError("heads: expected a place in the sentence for each word, or 0, and not its own")
            self.allow_tree(&heads[0] if heads.shape[0] else NULL, <node_t> heads.shape[0])

    def _is_tree(self, int32_t number):
        cdef int32_t goal = self.goal
        self.goal = NO_ITEM
        self.is_goal(number)
        found, self.goal = self.goal == number, goal
        return found


@cython.final
cdef class ChartDecoder(Decoder):

    def __init__(self, tables, int32_t k, bint well_nested, int64_t limit=ITEMS, int64_t megabytes=MEGABYTES):
        self.chart = Chart(tables)
        self.spanning = SpanningTree()
        self.projective = ProjectiveTree()
        self.measurer = TreeMeasurer()
        self.k, self.well_nested, self.limit, self.memory = k, well_nested, limit, megabytes * 1_000_000
        self.certify = self.best_first = True
        self.how = CERTIFIED

    cdef bint solve(self, const double *scores, int32_t words, bint single_root, node_t *heads) except -1 nogil:
        cdef Outcome outcome
        cdef bint known
        cdef double best
        self.how, self.items, self.score, self.bound = CERTIFIED, 0, 0, 0
        if not self.spanning.solve(scores, words, single_root, heads):
            return False
        best = self.value(scores, words, heads)
        if words == 0 or self.certify and (
                self.measurer.recognise(heads + 1, words, self.k, self.well_nested, MERGING_EFFORT) == YES):
            self.certified += 1
            self.score = self.bound = best
            return True
        self.chart.single_root, self.chart.counting = single_root, False
        self.known.resize(words + 1)
        # 80: the scores of arcs in all their forms, here and in the two other searches
        if words > MOST_PROJECTIVE or 80 * <int64_t> (words + 1) * (words + 1) > self.memory:
            outcome = STOPPED
            self.chart.reached, self.chart.goal = 0, NO_ITEM
            self.chart.items.clear()
            known = self.lift(heads, words) and self.value(scores, words, self.known.data()) > -INFINITY
        else:
            known = self.projective.solve(scores, words, single_root, self.known.data())
            if known and self.best_first:
                self.climb(scores, words, single_root)
            if self.best_first:
                self.chart.weigh(self.spanning, scores, self.known.data() if known else NULL)
            else:
                self.chart.words = words
                self.chart.allow(scores)
            outcome = self.chart.search(self.limit, self.memory)
        self.items = self.chart.items.size()
        self.touched += self.items
        if self.chart.goal != NO_ITEM and not (outcome == STOPPED and not self.best_first):
            self.chart.read(self.chart.goal, heads)
        elif known:
            memcpy(heads, self.known.data(), (words + 1) * sizeof(node_t))
        elif outcome != STOPPED:
            return False
        else:
            with gil:
                raise ValueError(f"no tree of the class was found in {self.items:,} items")
        self.how = LIMITED if outcome == STOPPED else CHARTED
        self.score = self.bound = self.value(scores, words, heads)
        if outcome == STOPPED:
            self.limited += 1
            self.bound = max(self.score, best - max(self.chart.reached, 0))
            self.furthest = max(self.furthest, self.bound - self.score)
        else:
            self.charted += 1
        return True

    cdef int climb(self, const double *scores, node_t words, bint single_root) except -1 nogil:
        """Give words of the tree that is known another head, the one that gains most first, as long as the tree stays in
        the class (McDonald and Pereira 2006): the better it is, the less is looked at in the chart."""
        cdef node_t *heads = self.known.data()
        cdef int64_t size = words + 1
        cdef node_t word, head, old, above, climber = 0, better = 0
        cdef double gain, most
        cdef int64_t effort = CLIMBING
        while True:
            most = 0
            effort -= size * size // 64
            for word in range(1, words + 1):
                old = heads[word]
                if single_root and old == 0:
                    continue
                for head in range(1 if single_root else 0, words + 1):
                    gain = scores[head * size + word] - scores[old * size + word]
                    if head == word or gain <= most or effort < 0:
                        continue
                    above = head
                    while above > 0 and above != word:
                        above = heads[above]
                    if above == word:
                        continue
                    effort -= size
                    heads[word] = head
                    if self.measurer.recognise(heads + 1, words, self.k, self.well_nested, LITTLE_EFFORT) == YES:
                        most, climber, better = gain, word, head
                    heads[word] = old
            if not most > 0:
                return 0
            heads[climber] = better

    cdef bint lift(self, const node_t *heads, node_t words) except -1 with gil:
        """Make a tree projective, in place of the best projective one: that would take too long."""
        cdef node_t[::1] found = numpy.empty(words, dtype=numpy.int32)
        memcpy(&found[0], heads + 1, words * sizeof(node_t))
        cdef node_t[::1] lifted = projectivize([0, words], numpy.asarray(found))[0]
        self.known[0] = -1
        memcpy(&self.known[1], &lifted[0], words * sizeof(node_t))
        return True

    cdef double value(self, const double *scores, node_t words, const node_t *heads) noexcept nogil:
        cdef double total = 0
        cdef node_t word
        for word in range(1, words + 1):
            total += scores[heads[word] * <int64_t> (words + 1) + word]
        return total
