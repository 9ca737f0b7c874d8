"""Rows of numbers, most of them zero, that grow: pairs of a place and a number, or all numbers once that is smaller."""

from libc.stdint cimport uint16_t
from libc.stdlib cimport free
from libc.string cimport memcpy, memset

from malt.kernel.memory cimport large
from malt.kernel.types cimport uint32_t

cdef enum:
    DENSE = 0xFFFFFFFF  # the room of a row that holds all numbers
    PAIRS = 6  # 6 numbers and their 6 places take 60 bytes: a cache line; each next size is twice as large
    SIZES = 20
    CHUNK = 1 << 21  # bytes that are taken at once at first, and ...
    LARGEST_CHUNK = 1 << 24  # ... when much has been taken already


cdef struct Row:
    double *numbers  # NULL: nothing but zeros
    uint32_t count  # the number of pairs
    uint32_t room  # the number of pairs that there is room for, their places standing behind the numbers; or DENSE


cdef struct Chunk:
    Chunk *next


cdef struct Pool:
    Chunk *chunks  # all memory that was taken, to be given back at the end
    size_t taken  # how much that is
    Chunk *spare[SIZES]  # for each size, the blocks that are free again
    char *at  # where the newest chunk is still free
    char *end


cdef inline uint16_t *places_of(const Row *row) noexcept nogil:
    return <uint16_t *> (row.numbers + row.room)


cdef inline void *cut(Pool *pool, size_t bytes) noexcept nogil:
    """So many bytes, a multiple of 64, that begin at a cache line, or NULL when memory is short."""
    cdef size_t room = CHUNK
    cdef Chunk *chunk
    cdef char *block
    if <size_t> (pool.end - pool.at) < bytes:
        while room < LARGEST_CHUNK and room < pool.taken // 4 or room < bytes + 128:
            room *= 2
        chunk = <Chunk *> large(room)
        if chunk == NULL:
            return NULL
        pool.taken += room
        chunk.next = pool.chunks
        pool.chunks = chunk
        pool.at = <char *> chunk + 64
        pool.at += (64 - (<size_t> pool.at & 63)) & 63
        pool.end = <char *> chunk + room
    block = pool.at
    pool.at += bytes
    return block


cdef inline void *take(Pool *pool, int size) noexcept nogil:
    """A block of 64 << size bytes, or NULL when memory is short."""
    cdef Chunk *chunk = pool.spare[size]
    if chunk == NULL:
        return cut(pool, <size_t> 64 << size)
    pool.spare[size] = chunk.next
    return chunk


cdef inline void give_back(Pool *pool, Row *row) noexcept nogil:
    """Let the block of a row of pairs be used again."""
    cdef Chunk *chunk = <Chunk *> row.numbers
    cdef int size = 0
    while <uint32_t> (PAIRS << size) < row.room:
        size += 1
    chunk.next = pool.spare[size]
    pool.spare[size] = chunk


cdef inline bint make_room(Pool *pool, Row *row, uint32_t pairs) noexcept nogil:
    """See to it that a row of pairs has room for so many; False when memory is short."""
    cdef Row grown = row[0]
    cdef int size = 0
    if row.numbers != NULL and pairs <= row.room:
        return True
    while <uint32_t> (PAIRS << size) < pairs:
        size += 1
    grown.room = PAIRS << size
    grown.numbers = <double *> take(pool, size)
    if grown.numbers == NULL:
        return False
    if row.numbers != NULL:
        memcpy(grown.numbers, row.numbers, row.count * sizeof(double))
        memcpy(places_of(&grown), places_of(row), row.count * sizeof(uint16_t))
        give_back(pool, row)
    row[0] = grown
    return True


cdef inline bint make_dense(Pool *pool, Row *row, size_t bytes) noexcept nogil:
    """Turn a row of pairs into one of all numbers, in so many bytes; False when memory is short."""
    cdef uint32_t i
    cdef uint16_t *places
    cdef double *numbers
    bytes = (bytes + 63) // 64 * 64
    numbers = <double *> cut(pool, bytes)
    if numbers == NULL:
        return False
    memset(numbers, 0, bytes)
    if row.numbers != NULL:
        places = places_of(row)
        for i in range(row.count):
            numbers[places[i]] = row.numbers[i]
        give_back(pool, row)
    row.numbers = numbers
    row.room = DENSE
    return True


cdef inline void free_pool(Pool *pool) noexcept nogil:
    cdef Chunk *chunk
    while pool.chunks != NULL:
        chunk = pool.chunks
        pool.chunks = chunk.next
        free(chunk)
