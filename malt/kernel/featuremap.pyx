# distutils: language = c++
# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
"""The feature map: from a feature, that is a position in the feature vector and a code, to its row of weights.

Rows count from 0 in memory and from 1 in MaltParser's files. A map is a plain struct, so that training can add keys and
parsing look them up without the GIL; FeatureMap owns one and is what Python sees.
"""

from libc.stdlib cimport calloc, free, malloc
from libcpp.vector cimport vector

import numpy

from malt.kernel.types cimport int32_t, int64_t, uint64_t


cdef inline Slot *slot_of(Map *map, int64_t key) noexcept nogil:
    """The slot that holds a key, or the free one where it belongs."""
    cdef uint64_t slot = home_of(map, key)
    while map.slots[slot].row != 0 and map.slots[slot].key != key:
        slot = (slot + 1) & map.mask
    return &map.slots[slot]


cdef bint make_room(Map *map, int64_t keys) noexcept nogil:
    """See to it that so many keys fill at most half of the slots."""
    cdef Map grown = map[0]
    cdef uint64_t i
    while <int64_t> (grown.mask + 1) < 2 * keys:
        grown.mask = 2 * grown.mask + 1
        grown.shift -= 1
    if grown.mask == map.mask:
        return True
    grown.slots = <Slot *> calloc(grown.mask + 1, sizeof(Slot))
    if grown.slots == NULL:
        return False
    for i in range(map.mask + 1):
        if map.slots[i].row != 0:
            slot_of(&grown, map.slots[i].key)[0] = map.slots[i]
    free(map.slots)
    map[0] = grown
    return True


cdef void forget_direct(Map *map) noexcept nogil:
    free(map.direct)
    free(map.spans)
    map.direct = NULL
    map.spans = NULL
    map.positions = 0


cdef bint make_direct(Map *map) noexcept nogil:
    """Arrange the rows by position and code, where codes are dense enough, as symbols' codes are; False when memory is
    short. With a model of Danish a look-up takes 1.4 ns, and 6 ns by hashing."""
    cdef int64_t position, code, size = 0, last = -1
    cdef uint64_t i
    forget_direct(map)
    for i in range(map.mask + 1):
        if map.slots[i].row != 0 and map.slots[i].key >> 48 > last:
            last = map.slots[i].key >> 48
    if last < 0:
        return True
    map.spans = <Span *> calloc(last + 1, sizeof(Span))
    if map.spans == NULL:
        return False
    for i in range(map.mask + 1):  # begin: how many keys there are; codes: the highest code plus 1
        if map.slots[i].row != 0 and map.slots[i].key >= 0:
            position, code = map.slots[i].key >> 48, map.slots[i].key & (<int64_t> 0xFFFFFFFFFFFF)
            map.spans[position].begin += 1
            map.spans[position].codes = max(map.spans[position].codes, code + 1)
    for position in range(last + 1):
        if map.spans[position].codes > 64 * map.spans[position].begin + 1024:
            map.spans[position].codes = 0
        map.spans[position].begin = size
        size += map.spans[position].codes
    map.direct = <int32_t *> malloc((size + 1) * sizeof(int32_t))
    if map.direct == NULL:
        return False
    for code in range(size):
        map.direct[code] = NO_ROW
    for i in range(map.mask + 1):
        if map.slots[i].row != 0 and map.slots[i].key >= 0:
            position, code = map.slots[i].key >> 48, map.slots[i].key & (<int64_t> 0xFFFFFFFFFFFF)
            if code < map.spans[position].codes:
                map.direct[map.spans[position].begin + code] = map.slots[i].row - 1
    map.positions = last + 1
    return True


cdef int32_t place(Map *map, int64_t key, int32_t row) noexcept nogil:
    """Give a key a row, in place of the one that it may have had; FULL when memory is short."""
    cdef Slot *slot
    if row < 0 or row == 0x7FFFFFFF or not make_room(map, <int64_t> map.used + 1):
        return FULL
    if map.positions:
        forget_direct(map)
    slot = slot_of(map, key)
    if slot.row == 0:
        slot.key = key
        map.used += 1
    slot.row = row + 1
    if row >= map.next_row:
        map.next_row = row + 1
    return row


cdef int32_t insert(Map *map, int64_t key) noexcept nogil:
    """The row of a key, which gets the next row if it is new; FULL when memory is short."""
    cdef int32_t row = lookup(map, key)
    return row if row != NO_ROW else place(map, key, map.next_row)


cdef class FeatureMap:
    """Features and their rows.

    >>> map = FeatureMap()
    >>> map.add(1, 7), map.add(2, 7), map.add(1, 7)
    (0, 1, 0)
    >>> map.row(2, 7), map.row(3, 7), len(map)
    (1, -1, 2)
    >>> [hex(key) for key in map.keys()]
    ['0x1000000000007', '0x2000000000007']
    """

    def __cinit__(self):
        self.map.mask = 1023
        self.map.shift = 64 - 10
        self.map.slots = <Slot *> calloc(1024, sizeof(Slot))
        if self.map.slots == NULL:
            raise MemoryError

    def __dealloc__(self):
        free(self.map.slots)
        forget_direct(&self.map)

    @staticmethod
    def of(const int64_t[::1] keys, const int32_t[::1] rows) -> FeatureMap:
        """The map of given keys to given rows; of a key that is there twice the last row counts. It is made for looking
        up, and can still grow."""
        cdef FeatureMap result = FeatureMap()
        cdef Py_ssize_t i
        cdef bint whole, distinct = True
        cdef vector[char] seen
        if keys.shape[0] != rows.shape[0]:
            raise ValueError(f"{keys.shape[0]} keys and {rows.shape[0]} rows")
        with nogil:
            whole = make_room(&result.map, keys.shape[0])
            for i in range(keys.shape[0]):
                whole = whole and place(&result.map, keys[i], rows[i]) >= 0
            whole = whole and make_direct(&result.map)
            if whole:
                seen.assign(result.map.next_row, 0)
                for i in range(rows.shape[0]):
                    distinct = distinct and not seen[rows[i]]
                    seen[rows[i]] = 1
        if not whole:
            raise MemoryError
        result.distinct = distinct
        return result

    def __len__(self) -> int:
        return self.map.used

    @property
    def rows(self) -> int:
        """The number of rows: one more than the highest."""
        return self.map.next_row

    def add(self, int32_t position, int32_t code) -> int:
        """The row of a feature, which gets the next row if it is new."""
        row = insert(&self.map, key_of(position, code))
        if row == FULL:
            raise MemoryError
        return row

    def row(self, int32_t position, int32_t code) -> int:
        """The row of a feature, -1 if it is unknown."""
        return lookup(&self.map, key_of(position, code))

    def keys(self):
        """The key of each row, 0 for a row without one."""
        cdef int64_t[::1] keys
        cdef uint64_t i
        result = numpy.zeros(self.map.next_row, dtype=numpy.int64)
        keys = result
        for i in range(self.map.mask + 1):
            if self.map.slots[i].row != 0:
                keys[self.map.slots[i].row - 1] = self.map.slots[i].key
        return result

    def __repr__(self) -> str:
        return f"FeatureMap({len(self)} features)"
