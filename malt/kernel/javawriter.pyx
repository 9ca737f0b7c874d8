# distutils: language = c++
# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
"""Writes rows of doubles as Java serializes them; a row that is equal to an earlier one becomes a reference to that."""

from libc.string cimport memcmp, memcpy, memset
from libcpp.string cimport string
from libcpp.vector cimport vector

from malt.kernel.types cimport int32_t, int64_t, uint64_t

cdef enum:
    TC_REFERENCE = 0x71
    TC_ARRAY = 0x75
    FIRST_HANDLE = 0x7E0000


cdef inline void append(string *out, uint64_t number, int bytes) noexcept nogil:
    cdef int i
    for i in range(bytes):
        out.push_back(<char> (number >> (8 * (bytes - 1 - i))))


cdef class RowWriter:
    """Writes sparse rows (malt.learning.rows). `handle` is the number of the next new object, `described` the
    description of the class [D, for the first row, and `known` the number of that class, for all others."""

    cdef const int64_t[::1] first
    cdef const int32_t[::1] count
    cdef const int32_t[::1] length
    cdef const int32_t[::1] places
    cdef const double[::1] numbers
    cdef readonly int64_t handle
    cdef int64_t known
    cdef bytes described
    cdef vector[int32_t] slots  # open addressing: number of a row plus 1, 0 where free
    cdef vector[int32_t] handles  # of each row

    def __init__(self, first, count, length, places, numbers, int64_t handle, bytes described not None, int64_t known):
        self.first, self.count, self.length, self.places, self.numbers = first, count, length, places, numbers
        self.handle, self.described, self.known = handle, described, known
        cdef size_t room = 16
        while room < 2 * <size_t> self.first.shape[0]:
            room *= 2
        self.slots.assign(room, 0)
        self.handles.assign(self.first.shape[0], 0)

    cdef uint64_t hash_of(self, int32_t row) noexcept nogil:
        cdef uint64_t hash = <uint64_t> self.length[row] + 1, bits
        cdef int64_t i
        for i in range(self.first[row], self.first[row] + self.count[row]):
            memcpy(&bits, &self.numbers[i], 8)
            hash = (hash ^ <uint64_t> self.places[i] ^ bits) * <uint64_t> 0x9E3779B97F4A7C15
            hash ^= hash >> 29
        return hash

    cdef bint equal(self, int32_t a, int32_t b) noexcept nogil:
        cdef int32_t count = self.count[a]
        if count != self.count[b] or self.length[a] != self.length[b]:
            return False
        return count == 0 or (
            memcmp(&self.places[self.first[a]], &self.places[self.first[b]], count * sizeof(int32_t)) == 0
            and memcmp(&self.numbers[self.first[a]], &self.numbers[self.first[b]], count * sizeof(double)) == 0
        )

    def write(self, int32_t begin, int32_t end) -> bytes:
        """The rows from begin to end - 1; all must be asked for in order."""
        cdef string out
        cdef int32_t row, other, k
        cdef int64_t i
        cdef size_t slot, mask = self.slots.size() - 1
        cdef uint64_t bits
        cdef vector[uint64_t] dense
        for row in range(begin, end):
            slot = self.hash_of(row) & mask
            while self.slots[slot] != 0 and not self.equal(self.slots[slot] - 1, row):
                slot = (slot + 1) & mask
            if self.slots[slot] != 0:
                out.push_back(<char> TC_REFERENCE)
                append(&out, FIRST_HANDLE + self.handles[self.slots[slot] - 1], 4)
                continue
            self.slots[slot] = row + 1
            out.push_back(<char> TC_ARRAY)
            if self.described:
                out.append(<const char *> self.described, <size_t> len(self.described))
                self.described = b""
            else:
                out.push_back(<char> TC_REFERENCE)
                append(&out, FIRST_HANDLE + self.known, 4)
            self.handles[row] = <int32_t> self.handle
            self.handle += 1
            append(&out, self.length[row], 4)
            dense.assign(self.length[row], 0)
            for i in range(self.first[row], self.first[row] + self.count[row]):
                memcpy(&bits, &self.numbers[i], 8)
                dense[self.places[i]] = bits
            for k in range(self.length[row]):
                append(&out, dense[k], 8)
        return out
