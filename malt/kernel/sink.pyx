# distutils: language = c++
# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
"""Instances of one classifier, as they come."""

cimport cython

from malt.kernel.featuremap cimport FULL, insert, key_of
from malt.kernel.features cimport Value
from malt.kernel.instances cimport add_feature, close_instance
from malt.kernel.types cimport code_t

from malt.java.numbers import double_text


@cython.final
cdef class Sink:
    """Takes the values of a feature vector and a class; `slots` are the vector's places among all values."""

    def __init__(self, slots, bint drops_nulls=False, bint as_text=False):
        for slot in slots:
            self.slots.push_back(slot)
        self.instances, self.map = Instances(), FeatureMap()
        self.target = Target(
            self.slots.data(), <int32_t> self.slots.size(), drops_nulls, as_text, &self.instances.store, &self.map.map,
            &self.text, 0,
        )

    @property
    def count(self) -> int:
        """The number of instances."""
        return self.target.count

    def take_text(self) -> bytes:
        """The lines since the last call."""
        lines = self.text.data()[:self.text.size()] if self.text.size() else b""
        self.text.clear()
        return lines


cdef inline int no_memory() except -1 with gil:
    raise MemoryError


cdef int add_instance(Target *target, Features features, int32_t code) except -1 nogil:
    """Add an instance (spec: single values of 0 and, with -nv none, null values are absent)."""
    cdef int32_t i, j, row
    cdef const Value *value
    target.count += 1
    if target.as_text:
        return add_line(target, features, code)
    for i in range(target.width):
        value = &features.values[target.slots[i]]
        if (target.drops_nulls and value.null) or value.number == 0:
            continue
        if value.first < 0:
            row = insert(target.map, key_of(i + 1, value.code))
            if row == FULL or not add_feature(target.store, row, value.number):
                no_memory()
            continue
        for j in range(value.first, value.last):
            if j > value.first and features.many[j] == features.many[j - 1]:
                continue
            row = insert(target.map, key_of(i + 1, features.many[j]))
            if row == FULL or not add_feature(target.store, row, 1):
                no_memory()
    if not close_instance(target.store, code):
        no_memory()
    return 0


cdef int append_number(vector[char] *text, int64_t number) except -1 nogil:
    cdef char digits[24]
    cdef int at = 24
    cdef bint negative = number < 0
    if negative:
        number = -number
    while True:
        at -= 1
        digits[at] = <char> (c'0' + number % 10)
        number = number // 10
        if number == 0:
            break
    if negative:
        at -= 1
        digits[at] = c'-'
    text.insert(text.end(), &digits[at], &digits[0] + 24)
    return 0


cdef int append_double(vector[char] *text, double number) except -1 with gil:
    for byte in double_text(number).encode():
        text.push_back(<char> <int> byte)
    return 0


cdef int add_line(Target *target, Features features, int32_t code) except -1 nogil:
    """One line: class, then each value and a TAB."""
    cdef int32_t i, j
    cdef const Value *value
    append_number(target.text, code)
    target.text.push_back(c'\t')
    for i in range(target.width):
        value = &features.values[target.slots[i]]
        if (target.drops_nulls and value.null) or value.number == 0:
            append_number(target.text, -1)
        elif value.first < 0:
            append_number(target.text, value.code)
            if value.number != 1:
                target.text.push_back(c':')
                append_double(target.text, value.number)
        else:
            for j in range(value.first, value.last):
                if j > value.first and features.many[j] == features.many[j - 1]:
                    continue
                if j > value.first:
                    target.text.push_back(c'|')
                append_number(target.text, features.many[j])
        target.text.push_back(c'\t')
    target.text.push_back(c'\n')
    return 0
