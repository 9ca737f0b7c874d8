from malt.kernel.types cimport int32_t, int64_t, uint64_t


cdef enum:
    NO_ROW = -1  # the map lacks the key
    FULL = -2  # the map could not grow


cdef struct Slot:
    int64_t key
    int32_t row  # the key's row plus 1; 0: the slot is free


cdef struct Span:  # the features of one position whose codes are below some number
    int64_t begin  # where their rows begin
    int64_t codes  # below which number; 0: none are here


cdef struct Map:
    Slot *slots  # open addressing, linear probing, at most half full
    uint64_t mask  # the number of slots less 1
    int shift  # which bits of a mixed key say where its search begins
    int32_t used  # the number of keys
    int32_t next_row  # the row of the next new key
    int32_t *direct  # rows by position and code, NO_ROW where there is none: the fast way, once all keys are there
    Span *spans  # of each position
    int64_t positions


cdef inline int64_t key_of(int32_t position, int32_t code) noexcept nogil:
    """A feature is its position in the vector, counted from 1, and a code; a negative code fills the upper bits."""
    return <int64_t> (<uint64_t> position << 48) | <int64_t> code


cdef inline uint64_t home_of(const Map *map, int64_t key) noexcept nogil:
    """Where the search for a key begins."""
    cdef uint64_t mixed = <uint64_t> key
    mixed ^= mixed >> 32
    return (mixed * <uint64_t> 0x9E3779B97F4A7C15) >> map.shift


cdef inline int32_t lookup(const Map *map, int64_t key) noexcept nogil:
    """The row of a key, or NO_ROW."""
    cdef int64_t position = key >> 48, code = key & (<int64_t> 0xFFFFFFFFFFFF)
    cdef uint64_t slot
    if 0 <= position < map.positions and code < map.spans[position].codes:
        return map.direct[map.spans[position].begin + code]
    slot = home_of(map, key)
    while map.slots[slot].row != 0:
        if map.slots[slot].key == key:
            return map.slots[slot].row - 1
        slot = (slot + 1) & map.mask
    return NO_ROW


cdef int32_t insert(Map *map, int64_t key) noexcept nogil
cdef int32_t place(Map *map, int64_t key, int32_t row) noexcept nogil


cdef class FeatureMap:
    cdef Map map
    cdef bint distinct  # is it known that no two keys have the same row?


cdef struct Store:
    int32_t *rows  # the rows of the features of all instances, ascending within each
    double *values  # and the values that go with them; NULL as long as every value is 1
    int64_t used  # the number of features, those of the instance that is still open included
    int64_t room
    int64_t *starts  # where each instance begins; starts[count] is where the open one does
    int32_t *classes  # the class code of each instance
    int64_t count
    int64_t count_room


cdef bint add_feature(Store *store, int32_t row, double value) noexcept nogil
cdef bint close_instance(Store *store, int32_t code) noexcept nogil
cdef inline void drop_instance(Store *store) noexcept nogil:
    """Forget the features that were added since the last instance was closed."""
    store.used = store.starts[store.count]


cdef object copy_of(const void *source, size_t size, type kind)  # an array of numpy's with so many bytes


cdef class Instances:
    cdef Store store
