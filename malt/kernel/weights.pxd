"""The weights of a structured model, and the scores of a configuration's classes.

A feature is a template with the values that it sees, as a number of 64 bits that is mixed from them; its row has a weight
for some of the classes. Weights are whole numbers, UNIT for one update, so that no sum depends on its order.
"""

from libc.stdint cimport int16_t, uint16_t

from malt.kernel.dense cimport FETCH
from malt.kernel.features cimport Features
from malt.kernel.mixing cimport mix
from malt.kernel.system cimport State, System
from malt.kernel.types cimport code_t, int32_t, int64_t, uint32_t, uint64_t
from malt.kernel.vector cimport vector


cpdef enum:
    UNIT = 256  # the size of one update

cdef enum:
    ALL_CLASSES = 0xFFFF  # the room of a row with a weight for every class
    NO_ENTRY = -1
    MOST_GROUPS = 3  # of templates that have a sum of their own

cdef uint64_t ALL_TRANSITIONS


cdef enum:
    LINE = 16  # weights of a row of all classes come in lines of 64 bytes
    IN_LINE = 4  # so many rows of a table are in such a line


cdef inline int32_t in_lines(int32_t classes) noexcept nogil:
    """The room that all classes need."""
    return (classes + LINE - 1) // LINE * LINE


cdef inline uint64_t with_member(uint64_t key, int32_t member, uint64_t value) noexcept nogil:
    """A key with one more value: which one it is of a template makes a difference."""
    return key + value * (<uint64_t> 2 * <uint64_t> member + 1)


cdef inline uint64_t even(uint64_t key) noexcept nogil:
    """A key as tables have it."""
    key &= ~<uint64_t> 1
    return key if key else 2


cdef struct Range:
    int32_t begin
    int32_t end


cdef class Classes:
    """What can be chosen: each class is a transition with labels. Its number is its place in lines of weights, where the
    classes of a transition stand together, so that those that are not permissible need not be summed; some places are free."""

    cdef vector[code_t] codes  # of the class of the decision; -1: the place is free
    cdef vector[int32_t] transition
    cdef vector[code_t] labels  # width codes per class
    cdef int32_t width
    cdef readonly int32_t room  # the number of places
    cdef vector[Range] of_transition  # its classes
    cdef int32_t shared  # the transitions with one class have all places before this one
    cdef readonly object places  # of the classes in the order in which they are given
    cdef readonly object order  # and back

    cdef uint64_t permissible(self, System system, uint64_t seen) noexcept nogil

    cdef inline const code_t *labels_of(self, int32_t klass) noexcept nogil:
        return self.labels.data() + <int64_t> klass * self.width


cdef struct Row:
    uint64_t key  # of its feature, an even number; 0: there is no row here
    uint32_t place  # where its block begins in the pool, in units of 8 bytes
    uint16_t count  # the number of weights
    uint16_t room  # for how many there is room, or ALL_CLASSES


# The block of a row: its weights (int32), their classes (uint16), and, while it is being learned, their sums over time
# (int64), each part of them `room` numbers. A row of all classes has no list of classes, and fills lines.
cdef class WeightTable:
    cdef readonly int32_t classes
    cdef readonly bint learning  # are sums over time kept?
    cdef public int64_t clock  # the number of examples before this one
    cdef Row *rows  # open addressing, at most half full
    cdef uint64_t mask
    cdef int shift  # the upper bits of a key say where its search begins
    cdef readonly int64_t used  # the number of rows
    cdef bint closed  # no new rows
    cdef int64_t *pool
    cdef size_t pool_used
    cdef size_t pool_room
    cdef uint32_t spare[32]  # for each room, 1 << i, the first block that is free again, plus 1; it has the next one's number

    cdef int grow(self) except -1 nogil
    cdef int reserve(self, int64_t rows) except -1 nogil
    cdef int64_t allot(self, int32_t room) except -1 nogil
    cdef int widen(self, Row *row) except -1 nogil
    cdef Row *enter(self, uint64_t key) except NULL nogil
    cdef int ask(self, uint64_t key, int32_t klass) noexcept nogil
    cdef int add(self, uint64_t key, int32_t klass, int32_t amount) except -1 nogil

    cdef inline uint64_t place_of(self, uint64_t key) noexcept nogil:
        """Where the search for a key begins: in a line of memory, which the upper bits say."""
        return key >> self.shift & ~<uint64_t> (IN_LINE - 1)

    cdef inline Row *find(self, uint64_t key) noexcept nogil:
        """The row of a feature, or NULL."""
        cdef uint64_t at = self.place_of(key)
        cdef Row *line
        cdef Row *row
        while True:
            line = self.rows + at
            row = line + ((line[1].key == key) + 2 * (line[2].key == key) + 3 * (line[3].key == key))
            if row.key == key:
                return row
            if line[3].key == 0:
                return NULL
            at = (at + IN_LINE) & self.mask


cdef enum:
    BLOCK = 8  # numbers of 16 bits


cdef struct Pair:
    uint16_t klass
    int16_t weight


cdef struct Packed:  # a row that does not change any more
    uint64_t key  # of its feature, plus 1 if its weights are here and not in a block
    Pair here[2]


cdef struct Block:  # in place of the weights
    uint32_t place  # where it begins in the pool, in units of BLOCK numbers
    uint16_t count
    uint16_t dense  # does it have the weights of all classes, in lines, or Pairs?


cdef class PackedTable:
    cdef readonly int32_t classes
    cdef Packed *rows  # open addressing; their keys ascend, so that a search ends where a greater one stands
    cdef uint64_t lines  # of memory, where searches begin; some more are behind them
    cdef int16_t *pool

    cdef int pack(self, Packed *row, const uint16_t *classes, const int16_t *weights, int32_t count, size_t *used) noexcept nogil

    cdef inline uint64_t place_of(self, uint64_t key) noexcept nogil:
        """Where the search for a key begins: the upper bits say it, so that any number of lines will do."""
        return ((key >> 32) * self.lines >> 32) * IN_LINE

    cdef inline const Packed *seek(self, uint64_t key) noexcept nogil:
        """The row of a feature, or another one if it has none."""
        cdef const Packed *row = self.rows + self.place_of(key)
        key |= 1
        # Most searches end in the line where they begin, which was asked for. What is not branched on cannot be foreseen wrongly.
        row += (row[0].key | 1 < key) + (row[1].key | 1 < key) + (row[2].key | 1 < key)
        while row.key | 1 < key:
            row += 1
        return row


cdef inline size_t classes_at(int32_t room) noexcept nogil:
    """Where the classes begin in a block, in bytes."""
    return <size_t> room * 4


cdef inline size_t sums_at(int32_t room, bint dense) noexcept nogil:
    """Where the sums begin, in units of 8 bytes."""
    return (<size_t> room * (4 if dense else 6) + 7) // 8


cdef struct Entry:  # what was computed of a configuration
    int64_t first  # its features are keys[first] .. keys[last - 1]
    int64_t last
    uint64_t seen  # all values that features saw, mixed, and the transitions whose classes were summed
    int32_t next  # another entry of the same place in `heads`
    int32_t base[MOST_GROUPS]  # the entries of the groups of templates that are `still`, whose scores are a part of its own, or NO_ENTRY


cdef struct Change:  # of the weights of some features
    size_t last  # its keys end here, and begin where those of the change before it end
    int32_t klass
    int32_t amount
    int32_t example  # by which it was made


cdef class Summation:
    cdef WeightTable weights  # that are being learned, or None
    cdef PackedTable packed  # in their place
    cdef int32_t stride  # the room for the scores of all classes
    cdef vector[const Packed *] here  # workspace: rows that have their weights, ...
    cdef vector[const Block *] blocks  # ... those that have them in blocks, ...
    cdef vector[const Row *] learned  # ... or that are being learned, ...
    cdef vector[const int32_t *] dense  # ... the weights of those of all classes ...
    cdef vector[const int16_t *] narrow  # ... in either size, ...
    cdef vector[Range] wanted  # ... and the classes that are to be summed
    cdef public bint postpones  # are weights changed only when they are asked to be?
    cdef vector[Change] changes  # these, if they are
    cdef vector[uint64_t] changed  # the keys of their features
    cdef int32_t examples  # since then

    cdef inline void ask(self, uint64_t key) noexcept nogil:
        """Have the row of a feature fetched."""
        if self.packed is None:
            FETCH(&self.weights.rows[self.weights.place_of(key)])
        else:
            FETCH(&self.packed.rows[self.packed.place_of(key)])

    cdef int sum_up(self, const uint64_t *keys, int64_t count, int32_t *scores) except -1 nogil
    cdef int add_up(self, const uint64_t *keys, int64_t count, int32_t *scores) except -1 nogil
    cdef int sum_learned(self, const uint64_t *keys, int64_t count, int32_t *scores) noexcept nogil
    cdef int sum_packed(self, const uint64_t *keys, int64_t count, int32_t *scores) noexcept nogil
    cdef int change(self, const uint64_t *keys, int64_t count, int32_t klass, int32_t amount) except -1 nogil
    cdef int change_now(self, const uint64_t *keys, int64_t count, int32_t klass, int32_t amount) except -1 nogil
    cdef int next_example(self) noexcept nogil


cdef class Scorer(Summation):
    """The scores of all classes in a configuration. What it computed stays until the next sentence or update,
    or until it is too much."""

    cdef Classes classes  # or None: all are summed
    cdef vector[int32_t] slots  # the values that templates see
    cdef vector[int32_t] starts  # template t sees slots[members[starts[t]]] .. slots[members[starts[t + 1] - 1]]
    cdef vector[int32_t] members
    cdef vector[uint64_t] begins  # of their keys: the number of the template, in the order in which they were given, mixed
    cdef int32_t groups  # of templates that have a sum of their own: group g has those from still[g] to still[g + 1] - 1
    cdef vector[int32_t] still
    cdef vector[uint64_t] shares  # MOST_GROUPS per slot: all bits if the group sees it, or none
    cdef vector[uint64_t] mixed  # the values, mixed
    cdef vector[char] kinds  # of the values: LIVE, SEVERAL
    cdef vector[Entry] entries
    cdef vector[uint64_t] keys
    cdef vector[int32_t] scores  # stride numbers per entry
    cdef vector[int32_t] heads  # of the lists of entries; a power of two
    cdef bint keeps  # does somebody learn from entries, when the sentence is over? Else they may go before that
    cdef readonly int64_t asked  # how many configurations were looked at
    cdef readonly int64_t answered  # and how many of them were known

    cdef int forget(self) except -1 nogil
    cdef uint64_t look(self, Features features, State state, uint64_t seen, uint64_t *still) except? 0 nogil
    cdef int count(self, Features features, State state) except -1 nogil
    cdef int32_t evaluate(self, Features features, State state, uint64_t transitions) except -1 nogil
    cdef int want(self, uint64_t transitions) except -1 nogil
    cdef int32_t find(self, uint64_t seen) noexcept nogil
    cdef int32_t enter(self, Features features, uint64_t seen, const int32_t *bases, int32_t first, int32_t last) except -1 nogil
    cdef int make_keys(self, Features features, int32_t first, int32_t last) except -1 nogil
    cdef int expand(self, Features features, int32_t template, int32_t member, uint64_t key) except -1 nogil
    cdef int learn(self, int32_t entry, int32_t klass, int32_t amount) except -1 nogil

    cdef inline const int32_t *scores_of(self, int32_t entry) noexcept nogil:
        """The score of every class."""
        return self.scores.data() + <int64_t> entry * self.stride
