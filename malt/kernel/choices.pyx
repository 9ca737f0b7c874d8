"""Lists of small numbers, found by mixed keys."""

cimport cython


@cython.final
cdef class Choices:
    """The list of each key: the numbers of all keys stand one after another, and `counts` says how many each has."""

    def __init__(self, const uint64_t[::1] keys not None, const int32_t[::1] counts not None,
                 const uint16_t[::1] numbers not None, int32_t limit):
        cdef int64_t i, first = 0
        cdef uint64_t at
        cdef Choice empty
        if counts.shape[0] != keys.shape[0]:
            raise ValueError("the arrays do not fit together")
        self.mask = 15
        while self.mask < <uint64_t> (2 * keys.shape[0]):
            self.mask = 2 * self.mask + 1
        empty.key, empty.first, empty.count = 0, 0, 0
        self.places.assign(self.mask + 1, empty)
        for i in range(keys.shape[0]):
            if keys[i] == 0 or counts[i] < 0 or first + counts[i] > numbers.shape[0]:
                raise ValueError("the lists do not fit their keys")
            at = keys[i] & self.mask
            while self.places[at].key:
                if self.places[at].key == keys[i]:
                    raise ValueError("a key has two lists")
                at = (at + 1) & self.mask
            self.places[at].key, self.places[at].first, self.places[at].count = keys[i], <int32_t> first, counts[i]
            first += counts[i]
        if first != numbers.shape[0]:
            raise ValueError("the lists do not fit their keys")
        for i in range(numbers.shape[0]):
            if numbers[i] >= limit:
                raise ValueError("a list has a number that there is not")
            self.numbers.push_back(numbers[i])
        self.numbers.push_back(0)
