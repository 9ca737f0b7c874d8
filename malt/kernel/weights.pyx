"""Rows of weights found by mixed keys, and the features of configurations as such keys."""

cimport cython
from libc.stdlib cimport free, malloc, realloc
from libc.string cimport memcpy, memset

import numpy

from malt.kernel.dense cimport add_narrow_rows, add_whole_rows
from malt.kernel.features cimport FeatureValue
from malt.kernel.instances cimport copy_of
from malt.kernel.memory cimport large, prefer_large


ALL_TRANSITIONS = 0xFFFFFFFFFFFFFFFF
cdef uint64_t NO_KEY = 0xFFFFFFFFFFFFFFFF  # after all others

cdef enum:
    FIRST_ROWS = 1 << 12
    HEADS = 1 << 12
    MOST_STEPS = 1 << 10  # in the search for a key; mixed keys need a few
    LIVE = 1  # a value that is not null
    SEVERAL = 2  # a set of values
    ENOUGH = 1 << 22  # scores, or features, that are remembered within a sentence


@cython.final
cdef class Classes:
    """`codes` are those of the classes of the decision, each with its transition and its labels, in any order."""

    def __init__(self, codes, transitions, labels, int width):
        count, self.width = len(codes), width
        if len(transitions) != count or len(labels) != count or any(len(one) != width for one in labels):
            raise ValueError("the arrays do not fit together")
        if any(not 0 <= transition < 64 for transition in transitions):
            raise ValueError("there are more transitions than a set of them has room for")
        by_transition = [[] for _ in range(max(transitions, default=0) + 1)]
        for number, transition in enumerate(transitions):
            by_transition[transition].append(number)
        # Transitions of one class share their lines; the others have lines of their own.
        placed = [None] * len(by_transition)
        order = []
        for transition in sorted(range(len(by_transition)), key=lambda t: (len(by_transition[t]) > 1, t)):
            if len(by_transition[transition]) > 1:
                order += [-1] * (in_lines(len(order)) - len(order))
            else:
                self.shared = in_lines(len(order) + 1)
            placed[transition] = len(order), len(order) + len(by_transition[transition])
            order += by_transition[transition]
        order += [-1] * (in_lines(len(order)) - len(order))
        if len(order) >= ALL_CLASSES:
            raise ValueError("there are more classes than a table has room for")
        for begin, end in placed:
            self.of_transition.push_back(Range(begin, end))
        self.room, self.order = len(order), numpy.array(order, numpy.int32)
        self.places = numpy.full(count, -1, numpy.int32)
        for place, number in enumerate(order):
            self.codes.push_back(codes[number] if number >= 0 else -1)
            self.transition.push_back(transitions[number] if number >= 0 else -1)
            for code in (labels[number] if number >= 0 else [-1] * width):
                self.labels.push_back(code)
            if number >= 0:
                self.places[number] = place
        self.labels.push_back(-1)

    cdef uint64_t permissible(self, System system, uint64_t seen) noexcept nogil:
        """The set of transitions that are permissible, as far as they have classes."""
        cdef size_t t
        cdef uint64_t found = 0
        for t in range(self.of_transition.size()):
            if self.of_transition[t].begin < self.of_transition[t].end:
                found |= <uint64_t> system.permissible(seen, <int32_t> t) << t
        return found


@cython.final
cdef class WeightTable:
    """Weights of `classes` classes; with `learning`, their sums over time are kept, so that they can be averaged."""

    def __cinit__(self, int32_t classes, bint learning=True):
        self.classes, self.learning = classes, learning
        self.mask, self.shift = FIRST_ROWS - 1, 64 - 12
        self.rows = <Row *> large(FIRST_ROWS * sizeof(Row))
        self.pool_room = 1 << 12
        self.pool = <int64_t *> malloc(self.pool_room * 8)
        if self.rows == NULL or self.pool == NULL:
            raise MemoryError
        memset(self.rows, 0, FIRST_ROWS * sizeof(Row))
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
                at = old[i].key >> (self.shift - 1) & ~<uint64_t> (IN_LINE - 1)
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
            prefer_large(pool, wanted * 8)
        at = self.pool_used
        self.pool_used += size
        return <int64_t> at

    cdef int widen(self, Row *row) except -1 nogil:
        """Twice as much room for the weights of a row, or room for all."""
        cdef int32_t i, room = 2 * row.room if row.room else 1, length
        cdef bint dense = 2 * room > max(self.classes, LINE)
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
        at = self.place_of(key)
        while self.rows[at].key:
            at = (at + 1) & self.mask
        self.rows[at].key = key
        self.used += 1
        return &self.rows[at]

    cdef int ask(self, uint64_t key, int32_t klass) noexcept nogil:
        """Have the weight of a class fetched, and its sum."""
        cdef const Row *row = self.find(key)
        cdef const int64_t *block
        if row == NULL or not row.room:
            return 0
        block = self.pool + row.place
        if row.room == ALL_CLASSES:
            FETCH(<const int32_t *> block + klass)
            FETCH(block + sums_at(in_lines(self.classes), True) + klass)
        else:
            FETCH(block)
            FETCH(block + sums_at(row.room, False))
        return 0

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

    def begin_with(self, const uint64_t[::1] keys not None, const int32_t[::1] counts not None,
                   const uint16_t[::1] classes not None, const int32_t[::1] weights not None):
        """Learn on from weights as `averaged` gives them, from the first example on."""
        cdef int64_t i, j, at = 0
        if counts.shape[0] != keys.shape[0] or weights.shape[0] != classes.shape[0] or self.used or self.clock:
            raise ValueError("the arrays do not fit together")
        self.reserve(keys.shape[0])
        for i in range(keys.shape[0]):
            if keys[i] == 0 or keys[i] & 1 or counts[i] < 1 or at + counts[i] > classes.shape[0]:
                raise ValueError("the rows do not fit the weights")
            for j in range(at, at + counts[i]):
                if classes[j] >= self.classes:
                    raise ValueError("a weight is for a class that there is not")
                self.add(keys[i], classes[j], weights[j])
            at += counts[i]

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
    """Weights that were learned, in little room: most rows have two weights, which take the place of the reference to a
    block, so that a score costs one look at memory and not two."""

    def __cinit__(self, int32_t classes, const uint64_t[::1] keys not None, const int32_t[::1] counts not None,
                  const uint16_t[::1] numbers not None, const int16_t[::1] weights not None):
        cdef int64_t i, j, k, first = 0, rows = keys.shape[0]
        cdef size_t used = 0, room = LINE
        cdef uint64_t at, free_place = 0
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
        self.lines = <uint64_t> (rows // 2 + 1)  # half of their places are free
        cdef uint64_t places = IN_LINE * self.lines + MOST_STEPS + IN_LINE
        self.rows = <Packed *> large(places * sizeof(Packed))
        self.pool = <int16_t *> large(room * sizeof(int16_t))
        if self.rows == NULL or self.pool == NULL or room // LINE > <size_t> 0xFFFFFFF0:
            raise MemoryError
        memset(self.rows, 0, places * sizeof(Packed))
        for at in range(places):
            self.rows[at].key = NO_KEY
        memset(self.pool, 0, room * sizeof(int16_t))
        cdef const int64_t[::1] order = numpy.argsort(keys, kind="stable")
        cdef const int64_t[::1] begins = numpy.cumsum(counts, dtype=numpy.int64) - counts
        for k in range(rows):
            i = order[k]
            if k and keys[i] == keys[order[k - 1]]:
                raise ValueError("a feature has two rows")
            at = max(self.place_of(keys[i]), free_place)
            if at > self.place_of(keys[i]) + MOST_STEPS:
                raise ValueError("the keys of its features are not spread as they should be")
            free_place = at + 1
            self.rows[at].key = keys[i]
            self.pack(&self.rows[at], &numbers[begins[i]], &weights[begins[i]], counts[i], &used)

    def __dealloc__(self):
        free(self.rows)
        free(self.pool)

    cdef int pack(self, Packed *row, const uint16_t *classes, const int16_t *weights, int32_t count, size_t *used) noexcept nogil:
        """Store the weights of a row; without one, count what room they need."""
        cdef int32_t i, lines = in_lines(self.classes)
        # Beyond some classes it is quicker to add all than to look for each.
        cdef bint dense = count > 8 and 8 * count > lines
        cdef size_t size = lines if dense else (2 * count + BLOCK - 1) // BLOCK * BLOCK
        cdef Block *block
        cdef Pair *pairs
        if count <= 2:
            if row != NULL:
                row.key |= 1
                for i in range(2):  # if there is one only, nothing is added the second time
                    row.here[i].klass = classes[i if i < count else 0]
                    row.here[i].weight = weights[i] if i < count else 0
            return 0
        if row != NULL:
            block = <Block *> row.here
            block.place, block.count, block.dense = <uint32_t> (used[0] // BLOCK), <uint16_t> count, dense
            pairs = <Pair *> (self.pool + used[0])
            for i in range(count):
                if dense:
                    self.pool[used[0] + classes[i]] = weights[i]
                else:
                    pairs[i].klass, pairs[i].weight = classes[i], weights[i]
            for i in range(count, 0 if dense else <int32_t> size // 2):  # what fills a block adds nothing, each to another class
                pairs[i].klass, pairs[i].weight = <uint16_t> (i % self.classes), 0
        used[0] += size
        return 0


cdef class Summation:
    """Sums rows of weights that are being learned, or of those that were."""

    def __init__(self, weights):
        if isinstance(weights, PackedTable):
            self.packed = weights
        else:
            self.weights = weights
        self.stride = in_lines(weights.classes)
        self.wanted.push_back(Range(0, self.stride))

    # Rows are asked for before they are needed, and blocks before they are added: memory takes long to answer, but answers
    # many at a time.

    cdef int sum_up(self, const uint64_t *keys, int64_t count, int32_t *scores) except -1 nogil:
        """Add the rows of some features to scores."""
        cdef int64_t i
        for i in range(count):
            self.ask(keys[i])
        return self.add_up(keys, count, scores)

    cdef int add_up(self, const uint64_t *keys, int64_t count, int32_t *scores) except -1 nogil:
        """The same, if their rows were asked for."""
        if <int64_t> self.here.size() <= count:
            self.here.resize(count + 1)
            self.blocks.resize(count + 1)
            self.learned.resize(count + 1)
            self.dense.resize(count + 1)
            self.narrow.resize(count + 1)
        if self.packed is None:
            return self.sum_learned(keys, count, scores)
        return self.sum_packed(keys, count, scores)

    cdef int sum_learned(self, const uint64_t *keys, int64_t count, int32_t *scores) noexcept nogil:
        cdef const int64_t *pool = self.weights.pool
        cdef const Row **learned = self.learned.data()
        cdef const int32_t **dense = self.dense.data()
        cdef const Row *row
        cdef const int32_t *weights
        cdef const uint16_t *classes
        cdef int32_t k, some = 0, whole = 0
        cdef int64_t i
        cdef size_t r
        for i in range(count):
            row = self.weights.find(keys[i])
            if row == NULL or not row.room:
                continue
            weights = <const int32_t *> (pool + row.place)
            if row.room == ALL_CLASSES:
                for r in range(self.wanted.size()):
                    FETCH(weights + self.wanted[r].begin)
                dense[whole] = weights
                whole += 1
            else:
                FETCH(weights)
                if row.room > 4:
                    FETCH(weights + LINE)
                learned[some] = row
                some += 1
        for i in range(some):
            row = learned[i]
            weights = <const int32_t *> (pool + row.place)
            classes = <const uint16_t *> (<const char *> weights + classes_at(row.room))
            for k in range(row.count):
                scores[classes[k]] += weights[k]
        for r in range(self.wanted.size()):
            add_whole_rows(scores, dense, whole, self.wanted[r].begin, self.wanted[r].end)
        return 0

    cdef int sum_packed(self, const uint64_t *keys, int64_t count, int32_t *scores) noexcept nogil:
        # Rows are sorted into kinds without a branch, as nobody can foresee of which kind the next one is: it is written
        # behind each list, and the list that it belongs to grows.
        cdef const int16_t *pool = self.packed.pool
        cdef const Packed **here = self.here.data()
        cdef const Block **blocks = self.blocks.data()
        cdef const int16_t **narrow = self.narrow.data()
        cdef const Packed *row
        cdef const Block *block
        cdef const Pair *pairs
        cdef const int16_t *weights
        cdef int32_t k, known, is_here, is_dense, few = 0, some = 0, whole = 0
        cdef int64_t i
        cdef size_t r
        for i in range(count):
            row = self.packed.seek(keys[i])
            block = <const Block *> row.here
            known = (row.key | 1) == (keys[i] | 1)
            is_here = row.key & 1
            is_dense = block.dense & (is_here ^ 1) & known
            weights = pool + (block.place & -<size_t> (known & (is_here ^ 1))) * BLOCK
            FETCH(weights)
            here[few] = row
            few += is_here & known
            narrow[whole] = weights
            whole += is_dense
            blocks[some] = block
            some += (is_here ^ 1) & known & (is_dense ^ 1)
        for i in range(whole):
            for r in range(self.wanted.size()):
                k = self.wanted[r].begin
                while k < self.wanted[r].end:
                    FETCH(narrow[i] + k)
                    k += 2 * LINE
        for i in range(few):
            row = here[i]
            scores[row.here[0].klass] += row.here[0].weight
            scores[row.here[1].klass] += row.here[1].weight
        for i in range(some):
            pairs = <const Pair *> (pool + <size_t> blocks[i].place * BLOCK)
            for k in range((blocks[i].count + 3) // 4):  # by fours, so that rows of different lengths are mostly alike
                scores[pairs[0].klass] += pairs[0].weight
                scores[pairs[1].klass] += pairs[1].weight
                scores[pairs[2].klass] += pairs[2].weight
                scores[pairs[3].klass] += pairs[3].weight
                pairs += 4
        for r in range(self.wanted.size()):
            add_narrow_rows(scores, narrow, whole, self.wanted[r].begin, self.wanted[r].end)
        return 0

    cdef int change(self, const uint64_t *keys, int64_t count, int32_t klass, int32_t amount) except -1 nogil:
        """Change the weights of some features for a class, now or later."""
        cdef int64_t i
        if not self.postpones:
            return self.change_now(keys, count, klass, amount)
        for i in range(count):
            self.changed.push_back(keys[i])
        self.changes.push_back(Change(self.changed.size(), klass, amount, self.examples))
        return 0

    cdef int change_now(self, const uint64_t *keys, int64_t count, int32_t klass, int32_t amount) except -1 nogil:
        cdef int64_t i
        for i in range(count):
            self.ask(keys[i])
        for i in range(count):
            self.weights.ask(keys[i], klass)
        for i in range(count):
            self.weights.add(keys[i], klass, amount)
        return 0

    cdef int next_example(self) noexcept nogil:
        """An example is over."""
        if self.postpones:
            self.examples += 1
        else:
            self.weights.clock += 1
        return 0

    def make_changes(self):
        """Make the changes that were postponed, as if each example had made its own."""
        cdef int64_t clock = self.weights.clock
        cdef size_t i, first = 0
        with nogil:
            for i in range(self.changes.size()):
                self.weights.clock = clock + self.changes[i].example
                self.change_now(self.changed.data() + first, <int64_t> (self.changes[i].last - first), self.changes[i].klass,
                                self.changes[i].amount)
                first = self.changes[i].last
        self.weights.clock = clock + self.examples
        self.changes.clear()
        self.changed.clear()
        self.examples = 0


@cython.final
cdef class Scorer(Summation):
    """`templates` has for each template the slots of the values that it sees. With `classes`, only those of some
    transitions are summed. The groups of templates that are `still`, given by their numbers, have a sum of their own each,
    which is kept for all configurations where they see the same."""

    def __init__(self, weights, templates, Classes classes=None, still=()):
        Summation.__init__(self, weights)
        self.classes = classes
        if classes is not None and classes.room != weights.classes:
            raise ValueError("the weights are not those of the classes")
        self.slots = sorted({slot for template in templates for slot in template})
        numbers = {slot: number for number, slot in enumerate(self.slots)}
        self.shares.assign(MOST_GROUPS * (self.slots.size() + 1), 0)
        self.groups = len(still)
        if self.groups > MOST_GROUPS:
            raise ValueError(f"{self.groups} groups of templates; expected {MOST_GROUPS} at most")
        apart = {number for group in still for number in group}
        self.starts.push_back(0)
        for place, group in enumerate((*still, [number for number in range(len(templates)) if number not in apart])):
            self.still.push_back(<int32_t> self.begins.size())
            for number in sorted(group, key=lambda number: len(templates[number])):  # the same steps one after another
                for slot in templates[number]:
                    self.members.push_back(<int32_t> <int> numbers[slot])
                    if place < self.groups:
                        self.shares[MOST_GROUPS * <int> numbers[slot] + <int> place] = ~<uint64_t> 0
                self.starts.push_back(<int32_t> self.members.size())
                self.begins.push_back(mix(<uint64_t> <int> number + 1))
        self.mixed.assign(self.slots.size() + 1, 0)
        self.kinds.assign(self.slots.size() + 1, 0)
        self.heads.assign(HEADS, NO_ENTRY)

    cdef int forget(self) except -1 nogil:
        """A new sentence begins, or weights have changed."""
        cdef size_t i
        for i in range(self.entries.size()):
            self.heads[self.entries[i].seen & (HEADS - 1)] = NO_ENTRY
        self.entries.clear()
        self.keys.clear()
        return 0

    cdef uint64_t look(self, Features features, State state, uint64_t seen, uint64_t *still) except? 0 nogil:
        """Take the values of a configuration; `seen` and those of the groups become what all of them are, mixed."""
        cdef size_t i
        cdef int32_t j, group
        cdef uint64_t value
        cdef const FeatureValue *found
        cdef const int32_t *slots = self.slots.data()
        cdef const uint64_t *shares = self.shares.data()
        cdef uint64_t *mixed = self.mixed.data()
        cdef char *kinds = self.kinds.data()
        cdef uint64_t shared[MOST_GROUPS]
        features.run(state)
        for group in range(MOST_GROUPS):
            shared[group] = 0
        for i in range(self.slots.size()):
            found = &features.values[slots[i]]
            kinds[i] = (SEVERAL if found.first >= 0 else 0) | (0 if found.null or found.number == 0 else LIVE)
            if found.first >= 0:
                value = 0
                for j in range(found.first, found.last):
                    value += mix(<uint64_t> <uint32_t> features.many[j])
            else:
                value = mix(<uint64_t> <uint32_t> found.code)
            mixed[i] = value
            value = with_member(0, <int32_t> i, value)
            seen += value
            for group in range(MOST_GROUPS):
                shared[group] += value & shares[MOST_GROUPS * i + group]
        for group in range(self.groups):
            still[group] += shared[group]
        return seen ^ seen >> 32

    cdef int count(self, Features features, State state) except -1 nogil:
        """One more for each feature of a configuration, as the weight of the first class."""
        cdef uint64_t still[MOST_GROUPS]
        self.forget()
        self.look(features, state, 0, still)
        self.make_keys(features, 0, <int32_t> self.starts.size() - 1)
        return self.change(self.keys.data(), <int64_t> self.keys.size(), 0, 1)

    cdef int32_t evaluate(self, Features features, State state, uint64_t transitions) except -1 nogil:
        """The number of the entry of a configuration, with the scores of the classes of these transitions."""
        cdef uint64_t seen = mix(transitions)
        cdef uint64_t still[MOST_GROUPS]
        cdef int32_t bases[MOST_GROUPS]
        cdef int32_t number, group
        for group in range(self.groups):
            still[group] = ~seen - <uint64_t> group
        seen = self.look(features, state, seen, still)
        self.asked += 1
        number = self.find(seen)
        if number != NO_ENTRY:
            self.answered += 1
            return number
        if not self.keeps and (self.keys.size() > ENOUGH or self.entries.size() * self.stride > ENOUGH):
            self.forget()
        self.want(transitions)
        for group in range(MOST_GROUPS):
            bases[group] = NO_ENTRY
        for group in range(self.groups):
            still[group] ^= still[group] >> 32
            number = self.find(still[group])
            if number == NO_ENTRY:
                number = self.enter(features, still[group], NULL, self.still[group], self.still[group + 1])
            bases[group] = number
        return self.enter(features, seen, bases, self.still[self.groups], <int32_t> self.starts.size() - 1)

    cdef int32_t find(self, uint64_t seen) noexcept nogil:
        """The entry that has seen this, or NO_ENTRY."""
        cdef int32_t number = self.heads[seen & (HEADS - 1)]
        while number != NO_ENTRY and self.entries[number].seen != seen:
            number = self.entries[number].next
        return number

    cdef int32_t enter(self, Features features, uint64_t seen, const int32_t *bases, int32_t first, int32_t last) except -1 nogil:
        """A new entry, of some templates and of what its bases have, if there are any."""
        cdef int32_t number = <int32_t> self.entries.size()
        cdef int32_t group, i
        cdef Entry entry
        cdef int32_t *scores
        cdef const int32_t *more
        entry.seen, entry.next = seen, self.heads[seen & (HEADS - 1)]
        for group in range(MOST_GROUPS):
            entry.base[group] = bases[group] if bases != NULL else NO_ENTRY
        entry.first = <int64_t> self.keys.size()
        self.make_keys(features, first, last)
        entry.last = <int64_t> self.keys.size()
        self.entries.push_back(entry)
        self.heads[seen & (HEADS - 1)] = number
        if self.scores.size() < self.entries.size() * self.stride:
            self.scores.resize(2 * self.entries.size() * self.stride)
        scores = self.scores.data() + <size_t> number * self.stride
        if entry.base[0] == NO_ENTRY:
            memset(scores, 0, self.stride * sizeof(int32_t))
        else:
            memcpy(scores, self.scores_of(entry.base[0]), self.stride * sizeof(int32_t))
        for group in range(1, MOST_GROUPS):
            if entry.base[group] != NO_ENTRY:
                more = self.scores_of(entry.base[group])
                for i in range(self.stride):
                    scores[i] += more[i]
        self.add_up(self.keys.data() + entry.first, entry.last - entry.first, scores)
        return number

    cdef int want(self, uint64_t transitions) except -1 nogil:
        """Find the lines of the classes of these transitions."""
        cdef size_t t
        cdef bint shared = False
        self.wanted.clear()
        if self.classes is None or transitions == ALL_TRANSITIONS:
            self.wanted.push_back(Range(0, self.stride))
            return 0
        for t in range(self.classes.of_transition.size()):
            if not transitions >> t & 1:
                continue
            if self.classes.of_transition[t].begin >= self.classes.shared:
                self.wanted.push_back(Range(self.classes.of_transition[t].begin, in_lines(self.classes.of_transition[t].end)))
            elif not shared:
                self.wanted.push_back(Range(0, self.classes.shared))
                shared = True
        return 0

    cdef int make_keys(self, Features features, int32_t first, int32_t last) except -1 nogil:
        """The keys of the features of some templates, whose rows are asked for."""
        cdef int32_t t, m
        cdef uint64_t key, asked = 0
        cdef int kinds
        cdef size_t used = self.keys.size()
        cdef const int32_t *starts = self.starts.data()
        cdef const int32_t *members = self.members.data()
        cdef const uint64_t *mixed = self.mixed.data()
        cdef const char *kind = self.kinds.data()
        cdef const uint64_t *begins = self.begins.data()
        cdef uint64_t *keys
        self.keys.resize(used + last - first)
        keys = self.keys.data()
        for t in range(first, last):
            key, kinds = begins[t], 0
            for m in range(starts[t], starts[t + 1]):
                key = with_member(key, m - starts[t], mixed[members[m]])
                kinds |= kind[members[m]]
            if kinds & SEVERAL:
                if kinds & LIVE:
                    self.keys.resize(used)
                    self.expand(features, t, starts[t], begins[t])
                    used = self.keys.size()
                    self.keys.resize(used + last - t)
                    keys = self.keys.data()
                continue
            # Whether a word has a dependent cannot be foreseen: the key is written anyway, and stays if it is one.
            key = even(key)
            asked = key if kinds & LIVE else asked
            self.ask(asked)
            keys[used] = key
            used += kinds & LIVE
        self.keys.resize(used)
        return 0

    cdef int expand(self, Features features, int32_t template, int32_t member, uint64_t key) except -1 nogil:
        """The keys of a template that sees sets: one for each combination of their values."""
        cdef const FeatureValue *value
        cdef int32_t j, m = member - self.starts[template]
        if member == self.starts[template + 1]:
            key = even(key)
            self.ask(key)
            self.keys.push_back(key)
            return 0
        if not self.kinds[self.members[member]] & SEVERAL:
            return self.expand(features, template, member + 1, with_member(key, m, self.mixed[self.members[member]]))
        value = &features.values[self.slots[self.members[member]]]
        for j in range(value.first, value.last):
            self.expand(features, template, member + 1, with_member(key, m, mix(<uint64_t> <uint32_t> features.many[j])))
        return 0

    cdef int learn(self, int32_t entry, int32_t klass, int32_t amount) except -1 nogil:
        """Change the weights of an entry's features for a class."""
        cdef int64_t first = self.entries[entry].first
        cdef int32_t group
        self.change(self.keys.data() + first, self.entries[entry].last - first, klass, amount)
        for group in range(MOST_GROUPS):
            if self.entries[entry].base[group] != NO_ENTRY:
                self.learn(self.entries[entry].base[group], klass, amount)
        return 0
