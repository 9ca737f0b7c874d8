# distutils: language = c++
# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
"""The order in which MaltParser's own hash map lists its keys, which is that of the entries of a feature map's file.

Open addressing with linear probing; the table doubles before it is more than three quarters full; a removal moves later
keys of the same run back into the hole.
"""

from libcpp.vector cimport vector

import numpy

from malt.kernel.types cimport int32_t, int64_t, uint8_t, uint32_t


cdef inline uint32_t home(uint32_t hash, uint32_t mask) noexcept nogil:
    """The slot where the search for a key begins."""
    hash += ~(hash << 9)
    hash ^= hash >> 14
    hash += hash << 4
    hash ^= hash >> 10
    return hash & mask


cdef class Slots:
    """The slots of a map, which hold the keys' numbers."""

    cdef const int32_t[::1] hashes
    cdef vector[int32_t] slots
    cdef uint32_t mask
    cdef int64_t size

    def __cinit__(self, const int32_t[::1] hashes not None):
        self.hashes = hashes
        self.slots.assign(4, -1)
        self.mask = 3

    cdef uint32_t find(self, int32_t key) noexcept nogil:
        """The slot that holds a key, or the free one where it belongs."""
        cdef uint32_t slot = home(<uint32_t> self.hashes[key], self.mask)
        while self.slots[slot] >= 0 and self.slots[slot] != key:
            slot = (slot + 1) & self.mask
        return slot

    cdef int put(self, int32_t key) except -1 nogil:
        """Enter a key, or enter it again: that, too, makes the table grow when it is nearly full."""
        cdef vector[int32_t] old
        cdef size_t i
        cdef uint32_t slot
        if 3 * <int64_t> self.slots.size() < 4 * (self.size + 1):
            old.swap(self.slots)
            while 3 * (<int64_t> self.mask + 1) < 4 * (self.size + 1):
                self.mask = 2 * self.mask + 1
            self.slots.assign(<size_t> self.mask + 1, -1)
            for i in range(old.size()):
                if old[i] >= 0:
                    self.slots[self.find(old[i])] = old[i]
        slot = self.find(key)
        self.size += self.slots[slot] < 0
        self.slots[slot] = key
        return 0

    cdef void remove(self, int32_t key) noexcept nogil:
        cdef uint32_t hole = self.find(key), slot = hole, begin
        if self.slots[hole] < 0:
            return
        self.size -= 1
        while True:
            slot = (slot + 1) & self.mask
            if self.slots[slot] < 0:
                break
            begin = home(<uint32_t> self.hashes[self.slots[slot]], self.mask)
            # A key may move back unless its search begins behind the hole.
            if (hole < begin <= slot) if hole <= slot else (hole < begin or begin <= slot):
                continue
            self.slots[hole] = self.slots[slot]
            hole = slot
        self.slots[hole] = -1


def slot_order(const int32_t[::1] hashes not None, const uint8_t[::1] dropped=None):
    """The order of keys with given hashes, entered one after another, and the table's capacity.

    With `dropped` every key is then looked at again in the same order, and removed or entered once more.

    >>> order, capacity = slot_order(numpy.arange(1, 6, dtype=numpy.int32))
    >>> order.tolist(), capacity
    ([4, 2, 3, 1, 0], 8)
    """
    cdef Slots slots = Slots(hashes)
    cdef int32_t key
    cdef size_t i
    cdef int64_t used = 0
    cdef int32_t[::1] order
    if dropped is not None and dropped.shape[0] != hashes.shape[0]:
        raise ValueError(f"{hashes.shape[0]} hashes, {dropped.shape[0]} marks")
    with nogil:
        for key in range(<int32_t> hashes.shape[0]):
            slots.put(key)
        if dropped is not None:
            for key in range(<int32_t> hashes.shape[0]):
                if dropped[key]:
                    slots.remove(key)
                else:
                    slots.put(key)
    result = numpy.empty(slots.size, dtype=numpy.int32)
    order = result
    for i in range(slots.slots.size()):
        if slots.slots[i] >= 0:
            order[used] = slots.slots[i]
            used += 1
    return result, slots.slots.size()
