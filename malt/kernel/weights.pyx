"""Rows of weights found by mixed keys, and the features of configurations as such keys."""

cimport cython
from libc.stdlib cimport calloc, free, malloc, realloc
from libc.string cimport memcpy, memset

import numpy

from malt.kernel.dense cimport FETCH, add_whole_rows
from malt.kernel.features cimport FeatureValue
from malt.kernel.instances cimport copy_of
from malt.kernel.memory cimport enlarge, large


cdef enum:
    FIRST_ROWS = 1 << 12
    HEADS = 1 << 12
    ENOUGH = 1 << 22  # scores, or features, that are remembered within a sentence


cdef inline uint64_t with_member(uint64_t key, int32_t member, uint64_t value) noexcept nogil:
    """A key with one more value: which one it is of a template makes a difference."""
    return key + value * (<uint64_t> 2 * <uint64_t> member + 1)


cdef inline uint64_t even(uint64_t key) noexcept nogil:
    """A key as tables have it."""
    key &= ~<uint64_t> 1
    return key if key else 2


@cython.final
cdef class WeightTable:
    """Weights of `classes` classes; with `learning`, their sums over time are kept, so that they can be averaged."""

    def __cinit__(self, int32_t classes, bint learning=True):
        self.classes, self.learning = classes, learning
        self.mask, self.shift = FIRST_ROWS - 1, 64 - 12
        self.rows = <Row *> calloc(FIRST_ROWS, sizeof(Row))
        self.pool_room = 1 << 12
        self.pool = <int64_t *> malloc(self.pool_room * 8)
        if self.rows == NULL or self.pool == NULL:
            raise MemoryError
        if not 0 < classes < ALL_CLASSES:
            raise ValueError(f"{classes} classes; expected 1 to {ALL_CLASSES - 1}")

    def __dealloc__(self):
        free(self.rows)
        free(self.pool)

    cdef int grow(self) except -1 nogil:
        """Twice as many places for rows."""
        cdef uint64_t i, at, size = 2 * (self.mask + 1)
        cdef Row *old = self.rows
        cdef Row *rows = <Row *> large(size * sizeof(Row))
        if rows == NULL:
            with gil:
                raise MemoryError
        memset(rows, 0, size * sizeof(Row))
        for i in range(self.mask + 1):
            if old[i].key:
                at = old[i].key >> (self.shift - 1)
                while rows[at].key:
                    at = (at + 1) & (size - 1)
                rows[at] = old[i]
        self.rows, self.mask, self.shift = rows, size - 1, self.shift - 1
        free(old)
        return 0

    cdef int reserve(self, int64_t rows) except -1 nogil:
        """Room for so many rows. Keys that come in ascending order would crowd together in a table that grows."""
        while 2 * (rows + 1) > <int64_t> self.mask:
            self.grow()
        return 0

    cdef int64_t allot(self, int32_t room) except -1 nogil:
        """A block for so many weights, or for all classes."""
        cdef bint dense = room == ALL_CLASSES
        cdef int32_t length = in_lines(self.classes) if dense else room
        cdef size_t size = sums_at(length, dense) + (length if self.learning else 0)
        cdef size_t at, wanted
        cdef int64_t *pool
        cdef int kind = 0
        if not dense and self.learning:
            while 1 << kind < room:
                kind += 1
            if self.spare[kind]:
                at = self.spare[kind] - 1
                self.spare[kind] = <uint32_t> self.pool[at]
                return <int64_t> at
        if self.pool_used + size > self.pool_room:
            wanted = self.pool_room + (self.pool_room >> 1) + size
            pool = NULL
            if wanted <= <size_t> 0xFFFFFFF0:
                pool = <int64_t *> realloc(self.pool, wanted * 8)
            if pool == NULL:
                with gil:
                    raise MemoryError
            self.pool, self.pool_room = pool, wanted
        at = self.pool_used
        self.pool_used += size
        return <int64_t> at

    cdef int widen(self, Row *row) except -1 nogil:
        """Twice as much room for the weights of a row, or room for all."""
        cdef int32_t i, room = 2 * row.room if row.room else 1, length
        cdef bint dense = 2 * room > self.classes
        cdef int64_t place = self.allot(ALL_CLASSES if dense else room)
        cdef int32_t *weights = <int32_t *> (self.pool + place)
        cdef int32_t *old = <int32_t *> (self.pool + row.place)
        cdef uint16_t *classes = <uint16_t *> (<char *> old + classes_at(row.room))
        cdef int64_t *sums
        cdef int64_t *old_sums = self.pool + row.place + sums_at(row.room, False)
        cdef int kind = 0
        if dense:
            length = in_lines(self.classes)
            memset(weights, 0, (sums_at(length, True) + (length if self.learning else 0)) * 8)
            sums = self.pool + place + sums_at(length, True)
            for i in range(row.count):
                weights[classes[i]] = old[i]
                if self.learning:
                    sums[classes[i]] = old_sums[i]
        elif row.count:
            memcpy(weights, old, row.count * 4)
            memcpy(<char *> weights + classes_at(room), classes, row.count * 2)
            if self.learning:
                memcpy(self.pool + place + sums_at(room, False), old_sums, row.count * 8)
        if row.room and self.learning:
            while 1 << kind < row.room:
                kind += 1
            self.pool[row.place] = self.spare[kind]
            self.spare[kind] = row.place + 1
        row.place = <uint32_t> place
        row.room = <uint16_t> (ALL_CLASSES if dense else room)
        return 0

    cdef Row *enter(self, uint64_t key) except NULL nogil:
        """The row of a feature, which is made if there is none."""
        cdef uint64_t at
        cdef Row *row = self.find(key)
        if row != NULL:
            return row
        if 2 * (self.used + 1) > <int64_t> self.mask:
            self.grow()
        at = key >> self.shift
        while self.rows[at].key:
            at = (at + 1) & self.mask
        self.rows[at].key = key
        self.used += 1
        return &self.rows[at]

    cdef int add(self, uint64_t key, int32_t klass, int32_t amount) except -1 nogil:
        """Change a weight."""
        cdef Row *row = self.find(key) if self.closed else self.enter(key)
        cdef int32_t *weights
        cdef uint16_t *classes
        cdef int32_t i
        if row == NULL:
            return 0
        if row.room != ALL_CLASSES:
            weights = <int32_t *> (self.pool + row.place)
            classes = <uint16_t *> (<char *> weights + classes_at(row.room))
            i = 0
            while i < row.count and classes[i] != klass:
                i += 1
            if i == row.count:
                if row.count == row.room:
                    self.widen(row)
                if row.room != ALL_CLASSES:
                    weights = <int32_t *> (self.pool + row.place)
                    classes = <uint16_t *> (<char *> weights + classes_at(row.room))
                    classes[i] = <uint16_t> klass
                    weights[i] = 0
                    if self.learning:
                        (self.pool + row.place + sums_at(row.room, False))[i] = 0
                    row.count += 1
            if row.room != ALL_CLASSES:
                weights[i] += amount
                if self.learning:
                    (self.pool + row.place + sums_at(row.room, False))[i] += amount * self.clock
                return 0
        weights = <int32_t *> (self.pool + row.place)
        weights[klass] += amount
        if self.learning:
            (self.pool + row.place + sums_at(in_lines(self.classes), True))[klass] += amount * self.clock
        return 0

    def change(self, uint64_t key, int32_t klass, int32_t amount):
        """Change a weight; a key is even, and not 0."""
        if key == 0 or key & 1 or not 0 <= klass < self.classes:
            raise ValueError("there is no such weight")
        self.add(key, klass, amount)

    def allow(self, const uint64_t[::1] keys not None):
        """Have rows for these features and, from now on, for no others."""
        cdef int64_t i
        self.reserve(keys.shape[0])
        for i in range(keys.shape[0]):
            self.enter(keys[i])
        self.closed = True

    def averaged(self):
        """(keys, counts, classes, weights): of each feature its key and the number of its weights, and these weights, each
        the mean over all examples, rounded. What is zero is left out."""
        cdef uint64_t i
        cdef int32_t j, length, left
        cdef Row *row
        cdef int32_t *weights
        cdef uint16_t *classes
        cdef int64_t *sums
        cdef int64_t mean, time = self.clock if self.clock > 0 else 1, half = time // 2
        cdef vector[uint64_t] keys
        cdef vector[int32_t] counts, all_weights
        cdef vector[uint16_t] all_classes
        for i in range(self.mask + 1):
            row = &self.rows[i]
            if not row.key or not row.room:
                continue
            left = 0
            length = self.classes if row.room == ALL_CLASSES else row.count
            weights = <int32_t *> (self.pool + row.place)
            classes = <uint16_t *> (<char *> weights + classes_at(row.room))
            sums = self.pool + row.place + (
                sums_at(in_lines(self.classes), True) if row.room == ALL_CLASSES else sums_at(row.room, False))
            for j in range(length):
                mean = weights[j] * time - (sums[j] if self.learning else 0)
                mean = (mean + half) // time if mean >= 0 else -((half - mean) // time)
                if mean:
                    left += 1
                    all_weights.push_back(<int32_t> mean)
                    all_classes.push_back(<uint16_t> j if row.room == ALL_CLASSES else classes[j])
            if left:
                keys.push_back(row.key)
                counts.push_back(left)
        return (
            copy_of(keys.data(), keys.size() * 8, numpy.uint64), copy_of(counts.data(), counts.size() * 4, numpy.int32),
            copy_of(all_classes.data(), all_classes.size() * 2, numpy.uint16),
            copy_of(all_weights.data(), all_weights.size() * 4, numpy.int32),
        )


@cython.final
cdef class PackedTable:
    """Weights that were learned, as `averaged` gives them, in little room: most rows have two weights, which take the place
    of the reference to a block, so that a score costs one look at memory and not two."""

    def __cinit__(self, int32_t classes, const uint64_t[::1] keys not None, const int32_t[::1] counts not None,
                  const uint16_t[::1] numbers not None, const int32_t[::1] weights not None):
        cdef int64_t i, j, first = 0, rows = keys.shape[0]
        cdef size_t used = 0, room = LINE
        cdef uint64_t at
        if not 0 < classes < ALL_CLASSES:
            raise ValueError(f"{classes} classes; expected 1 to {ALL_CLASSES - 1}")
        if counts.shape[0] != rows or weights.shape[0] != numbers.shape[0]:
            raise ValueError("the arrays do not fit together")
        self.classes = classes
        for i in range(rows):
            if keys[i] == 0 or keys[i] & 1 or not 0 < counts[i] <= classes or first + counts[i] > numbers.shape[0]:
                raise ValueError("the rows do not fit the weights")
            for j in range(first, first + counts[i]):
                if numbers[j] >= classes:
                    raise ValueError("a weight is for a class that there is not")
            self.pack(NULL, &numbers[first], &weights[first], counts[i], &room)
            first += counts[i]
        if first != numbers.shape[0]:
            raise ValueError("the rows do not fit the weights")
        self.places = <uint64_t> (rows + rows * 2 // 3 + 2)
        self.rows = <Packed *> large(self.places * sizeof(Packed))
        self.pool = <int32_t *> large(room * sizeof(int32_t))
        self.mask = 1
        while self.mask * 8 < <uint64_t> rows:
            self.mask *= 2
        self.marks = <uint64_t *> calloc(self.mask, sizeof(uint64_t))
        self.mask -= 1
        if self.rows == NULL or self.pool == NULL or self.marks == NULL or room > <size_t> 0xFFFFFFF0:
            raise MemoryError
        memset(self.rows, 0, self.places * sizeof(Packed))
        first = 0
        for i in range(rows):
            at = self.place_of(keys[i])
            while self.rows[at].key:
                if self.rows[at].key | 1 == keys[i] | 1:
                    raise ValueError("a feature has two rows")
                at = at + 1 if at + 1 < self.places else 0
            self.rows[at].key = keys[i]
            self.marks[(keys[i] >> 7) & self.mask] |= <uint64_t> 1 << ((keys[i] >> 1) & 63)
            self.pack(&self.rows[at], &numbers[first], &weights[first], counts[i], &used)
            first += counts[i]

    def __dealloc__(self):
        free(self.rows)
        free(self.marks)
        free(self.pool)

    cdef int pack(self, Packed *row, const uint16_t *classes, const int32_t *weights, int32_t count, size_t *used) noexcept nogil:
        """Store the weights of a row; without one, count what room they need."""
        cdef bint narrow = True
        cdef int32_t i, kind, lines = in_lines(self.classes)
        cdef Block *block
        cdef Pair *pairs
        for i in range(count):
            narrow = narrow and -0x8000 <= weights[i] <= 0x7FFF
        if narrow and count <= 2:
            if row != NULL:
                row.key |= 1
                for i in range(2):  # if there is one only, nothing is added the second time
                    row.here[i].klass = classes[i if i < count else 0]
                    row.here[i].weight = <int16_t> weights[i] if i < count else 0
            return 0
        # Beyond some classes it is quicker to add all than to look for each.
        kind = DENSE if count > 8 and 6 * count > lines else NARROW if narrow else WIDE
        if row != NULL:
            block = <Block *> row.here
            block.place, block.count, block.kind = <uint32_t> used[0], <uint16_t> count, <uint16_t> kind
            if kind == DENSE:
                memset(self.pool + used[0], 0, lines * sizeof(int32_t))
            pairs = <Pair *> (self.pool + used[0])
            for i in range(count):
                if kind == DENSE:
                    self.pool[used[0] + classes[i]] = weights[i]
                elif kind == WIDE:
                    self.pool[used[0] + 2 * i], self.pool[used[0] + 2 * i + 1] = classes[i], weights[i]
                else:
                    pairs[i].klass, pairs[i].weight = classes[i], <int16_t> weights[i]
        used[0] += lines if kind == DENSE else 2 * count if kind == WIDE else count
        return 0


@cython.final
cdef class Scorer:
    """`templates` has for each template the slots of the values that it sees."""

    def __init__(self, weights, templates):
        if isinstance(weights, PackedTable):
            self.packed = weights
        else:
            self.weights = weights
        self.classes = weights.classes
        self.stride = in_lines(self.classes)
        self.slots = sorted({slot for template in templates for slot in template})
        numbers = {slot: number for number, slot in enumerate(self.slots)}
        self.starts.push_back(0)
        for template in templates:
            for slot in template:
                self.members.push_back(<int32_t> <int> numbers[slot])
            self.starts.push_back(<int32_t> self.members.size())
        self.mixed.assign(self.slots.size() + 1, 0)
        self.null.assign(self.slots.size() + 1, 0)
        self.several.assign(self.slots.size() + 1, 0)
        self.heads.assign(HEADS, NO_ENTRY)

    cdef int forget(self) except -1 nogil:
        """A new sentence begins, or weights have changed."""
        cdef size_t i
        for i in range(self.entries.size()):
            self.heads[self.entries[i].seen & (HEADS - 1)] = NO_ENTRY
        self.entries.clear()
        self.keys.clear()
        return 0

    cdef int32_t evaluate(self, Features features, State state) except -1 nogil:
        """The number of the entry of a configuration."""
        cdef size_t i
        cdef int32_t j
        cdef uint64_t value, seen = 0
        cdef const FeatureValue *found
        cdef int32_t number
        cdef Entry entry
        features.run(state)
        for i in range(self.slots.size()):
            found = &features.values[self.slots[i]]
            self.several[i] = found.first >= 0
            self.null[i] = found.null or found.number == 0
            if found.first >= 0:
                value = 0
                for j in range(found.first, found.last):
                    value += mix(<uint64_t> <uint32_t> features.many[j])
            else:
                value = mix(<uint64_t> <uint32_t> found.code)
            self.mixed[i] = value
            seen = with_member(seen, <int32_t> i, value)
        seen ^= seen >> 32
        self.asked += 1
        number = self.heads[seen & (HEADS - 1)]
        while number != NO_ENTRY:
            if self.entries[number].seen == seen:
                self.answered += 1
                return number
            number = self.entries[number].next
        if not self.keeps and (self.keys.size() > ENOUGH or self.entries.size() * self.stride > ENOUGH):
            self.forget()
        number = <int32_t> self.entries.size()
        entry.seen, entry.next, entry.first = seen, self.heads[seen & (HEADS - 1)], <int64_t> self.keys.size()
        self.make_keys(features)
        entry.last = <int64_t> self.keys.size()
        self.entries.push_back(entry)
        self.heads[seen & (HEADS - 1)] = number
        if self.scores.size() < self.entries.size() * self.stride:
            self.scores.resize(2 * self.entries.size() * self.stride)
        self.sum_up(&entry, self.scores.data() + <size_t> number * self.stride)
        return number

    cdef int make_keys(self, Features features) except -1 nogil:
        """The keys of all features."""
        cdef size_t t
        cdef int32_t m
        cdef uint64_t key
        cdef bint live, plain
        for t in range(self.starts.size() - 1):
            key = mix(t + 1)
            live, plain = False, True
            for m in range(self.starts[t], self.starts[t + 1]):
                key = with_member(key, m - self.starts[t], self.mixed[self.members[m]])
                live = live or not self.null[self.members[m]]
                plain = plain and not self.several[self.members[m]]
            if not live:
                continue
            if plain:
                self.keys.push_back(even(key))
            else:
                self.expand(features, <int32_t> t, self.starts[t], mix(t + 1))
        return 0

    cdef int expand(self, Features features, int32_t template, int32_t member, uint64_t key) except -1 nogil:
        """The keys of a template that sees sets: one for each combination of their values."""
        cdef const FeatureValue *value
        cdef int32_t j, m = member - self.starts[template]
        if member == self.starts[template + 1]:
            self.keys.push_back(even(key))
            return 0
        if not self.several[self.members[member]]:
            return self.expand(features, template, member + 1, with_member(key, m, self.mixed[self.members[member]]))
        value = &features.values[self.slots[self.members[member]]]
        for j in range(value.first, value.last):
            self.expand(features, template, member + 1, with_member(key, m, mix(<uint64_t> <uint32_t> features.many[j])))
        return 0

    cdef int sum_up(self, const Entry *entry, int32_t *scores) except -1 nogil:
        """Add up the rows of an entry's features."""
        cdef int64_t count = entry.last - entry.first
        cdef const uint64_t *keys = self.keys.data() + entry.first
        cdef int32_t dense
        if <int64_t> self.found.size() < count:
            self.found.resize(count)
            self.dense.resize(count)
            self.marked.resize(count)
        memset(scores, 0, self.stride * sizeof(int32_t))
        if self.packed is None:
            dense = self.sum_learned(keys, count, scores)
        else:
            dense = self.sum_packed(keys, count, scores)
        if dense:
            add_whole_rows(scores, self.dense.data(), dense, self.stride)
        return 0

    # Rows are asked for before they are needed, and blocks before they are added: memory takes long to answer, but answers
    # many at a time. Both give the number of rows of all classes that are still to be added.

    cdef int32_t sum_learned(self, const uint64_t *keys, int64_t count, int32_t *scores) noexcept nogil:
        cdef const int64_t *pool = self.weights.pool
        cdef const Row *rows = self.weights.rows
        cdef int shift = self.weights.shift
        cdef int32_t j, k, waiting = 0, dense = 0
        cdef int64_t i
        cdef Row *row
        cdef const int32_t *weights
        cdef const uint16_t *classes
        for i in range(count):
            FETCH(&rows[keys[i] >> shift])
        for i in range(count):
            row = self.weights.find(keys[i])
            if row == NULL or not row.room:
                continue
            FETCH(pool + row.place)
            if row.room == ALL_CLASSES:
                self.dense[dense] = <const int32_t *> (pool + row.place)
                dense += 1
            else:
                self.found[waiting] = row
                waiting += 1
        for j in range(waiting):
            row = <Row *> self.found[j]
            weights = <const int32_t *> (pool + row.place)
            classes = <const uint16_t *> (<const char *> weights + classes_at(row.room))
            for k in range(row.count):
                scores[classes[k]] += weights[k]
        return dense

    cdef int32_t sum_packed(self, const uint64_t *keys, int64_t count, int32_t *scores) noexcept nogil:
        cdef const int32_t *pool = self.packed.pool
        cdef int32_t j, k, waiting = 0, dense = 0
        cdef int64_t i, may = 0
        cdef const Packed *row
        cdef const Block *block
        cdef const Pair *pairs
        cdef const int32_t *wide
        cdef uint64_t *marked = self.marked.data()
        for i in range(count):
            marked[may] = keys[i]
            may += self.packed.marked(keys[i])
        for i in range(may):
            FETCH(&self.packed.rows[self.packed.place_of(marked[i])])
        for i in range(may):
            row = self.packed.find(marked[i])
            if row == NULL:
                continue
            if row.key & 1:
                scores[row.here[0].klass] += row.here[0].weight
                scores[row.here[1].klass] += row.here[1].weight
                continue
            block = <const Block *> row.here
            FETCH(pool + block.place)
            if block.kind == DENSE:
                self.dense[dense] = pool + block.place
                dense += 1
            else:
                self.found[waiting] = <void *> block
                waiting += 1
        for j in range(waiting):
            block = <const Block *> self.found[j]
            if block.kind == NARROW:
                pairs = <const Pair *> (pool + block.place)
                for k in range(block.count):
                    scores[pairs[k].klass] += pairs[k].weight
            else:
                wide = pool + block.place
                for k in range(block.count):
                    scores[wide[2 * k]] += wide[2 * k + 1]
        return dense

    cdef int learn(self, int32_t entry, int32_t klass, int32_t amount) except -1 nogil:
        """Change the weights of an entry's features for a class."""
        cdef int64_t i
        for i in range(self.entries[entry].first, self.entries[entry].last):
            self.weights.add(self.keys[i], klass, amount)
        return 0
