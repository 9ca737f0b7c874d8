# distutils: language = c++
# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
"""Training instances: class codes, and the rows of the features that each instance has.

Nearly every feature value is 1, so values are kept only from the first one on that is not: an instance of 20 features
takes 4.6 bytes a feature without them.
"""

from libc.stdlib cimport free, malloc, realloc
from libc.string cimport memcpy

import numpy

from malt.kernel.types cimport int32_t, int64_t

cdef bint add_feature(Store *store, int32_t row, double value) noexcept nogil:
    """Add a feature to the open instance; False when memory is short, and then nothing is added."""
    cdef int64_t room, i
    cdef void *grown
    if store.used == store.room:
        room = store.room + store.room // 2 + 1024
        grown = realloc(store.rows, room * sizeof(int32_t))
        if grown == NULL:
            return False
        store.rows = <int32_t *> grown
        if store.values != NULL:
            grown = realloc(store.values, room * sizeof(double))
            if grown == NULL:
                return False
            store.values = <double *> grown
        store.room = room
    if store.values == NULL and value != 1.0:
        store.values = <double *> malloc(store.room * sizeof(double))
        if store.values == NULL:
            return False
        for i in range(store.used):
            store.values[i] = 1.0
    store.rows[store.used] = row
    if store.values != NULL:
        store.values[store.used] = value
    store.used += 1
    return True


cdef bint close_instance(Store *store, int32_t code) noexcept nogil:
    """Sort the features of the open instance, give it its class and open the next; False when memory is short."""
    cdef int64_t begin = store.starts[store.count], i, j, room
    cdef int32_t row
    cdef double value = 1.0
    cdef void *grown
    if store.count + 1 == store.count_room:
        room = store.count_room + store.count_room // 2 + 256
        grown = realloc(store.starts, room * sizeof(int64_t))
        if grown == NULL:
            return False
        store.starts = <int64_t *> grown
        grown = realloc(store.classes, room * sizeof(int32_t))
        if grown == NULL:
            return False
        store.classes = <int32_t *> grown
        store.count_room = room
    for i in range(begin + 1, store.used):  # insertion sort: a vector has some dozens of features, often in order
        row = store.rows[i]
        if store.rows[i - 1] < row:
            continue
        if store.values != NULL:
            value = store.values[i]
        j = i
        while j > begin and (
            store.rows[j - 1] > row or store.values != NULL and store.rows[j - 1] == row and store.values[j - 1] > value
        ):
            store.rows[j] = store.rows[j - 1]
            if store.values != NULL:
                store.values[j] = store.values[j - 1]
            j -= 1
        store.rows[j] = row
        if store.values != NULL:
            store.values[j] = value
    store.classes[store.count] = code
    store.count += 1
    store.starts[store.count] = store.used
    return True


cdef class Instances:
    """The instances of one model.

    >>> instances = Instances()
    >>> instances.add(3, [0, 1, 5]), instances.add(1, [1, 2], [1.0, 0.5])
    (None, None)
    >>> len(instances), instances.features, instances.classes().tolist()
    (2, 5, [3, 1])
    """

    def __cinit__(self):
        self.store.count_room = 256
        self.store.starts = <int64_t *> malloc(256 * sizeof(int64_t))
        self.store.classes = <int32_t *> malloc(256 * sizeof(int32_t))
        if self.store.starts == NULL or self.store.classes == NULL:
            raise MemoryError
        self.store.starts[0] = 0

    def __dealloc__(self):
        free(self.store.rows)
        free(self.store.values)
        free(self.store.starts)
        free(self.store.classes)

    def __len__(self) -> int:
        return self.store.count

    @property
    def features(self) -> int:
        """The number of feature occurrences."""
        return self.store.starts[self.store.count]

    @property
    def has_values(self) -> bool:
        """Is there a feature value other than 1?"""
        return self.store.values != NULL

    def add(self, int32_t code, rows, values=None) -> None:
        """Add an instance of a class; its features may come in any order."""
        if values is not None and len(values) != len(rows):
            raise ValueError(f"{len(rows)} rows and {len(values)} values")
        for i, row in enumerate(rows):
            if row < 0:
                raise ValueError(f"row {row}: rows count from 0")
            if not add_feature(&self.store, row, 1.0 if values is None else values[i]):
                raise MemoryError
        if not close_instance(&self.store, code):
            raise MemoryError

    @staticmethod
    def of(
        const int32_t[::1] classes, const int64_t[::1] starts, const int32_t[::1] rows, const double[::1] values=None
    ) -> Instances:
        """Instances given as arrays: the class codes, where the features of each begin, with the end of the last, and
        the features' rows and values.

        >>> import numpy
        >>> arrays = numpy.array([3, 1], "i4"), numpy.array([0, 2, 3]), numpy.array([9, 4, 5], "i4")
        >>> instances = Instances.of(*arrays)
        >>> len(instances), instances.rows().tolist(), instances.has_values
        (2, [4, 9, 5], False)
        """
        cdef Instances result = Instances()
        cdef int64_t i, k
        cdef bint whole = True
        if starts.shape[0] != classes.shape[0] + 1 or (values is not None and values.shape[0] != rows.shape[0]):
            raise ValueError("the arrays do not fit together")
        for i in range(classes.shape[0]):
            if starts[i] < 0 or starts[i] > starts[i + 1] or starts[i + 1] > rows.shape[0]:
                raise ValueError(f"instance {i} goes from {starts[i]} to {starts[i + 1]} of {rows.shape[0]} features")
            for k in range(starts[i], starts[i + 1]):
                if rows[k] < 0:
                    raise ValueError(f"row {rows[k]}: rows count from 0")
                whole = whole and add_feature(&result.store, rows[k], 1.0 if values is None else values[k])
            if not (whole and close_instance(&result.store, classes[i])):
                raise MemoryError
        return result

    def classes(self):
        """The class code of each instance."""
        return copy_of(self.store.classes, self.store.count * sizeof(int32_t), numpy.int32)

    def starts(self):
        """Where each instance begins in `rows`, and the end of the last."""
        return copy_of(self.store.starts, (self.store.count + 1) * sizeof(int64_t), numpy.int64)

    def rows(self):
        """The feature rows of all instances."""
        return copy_of(self.store.rows, self.features * sizeof(int32_t), numpy.int32)

    def values(self):
        """The feature values of all instances, None if all are 1."""
        if self.store.values == NULL:
            return None
        return copy_of(self.store.values, self.features * sizeof(double), numpy.float64)


cdef object copy_of(const void *source, size_t size, type kind):
    cdef unsigned char[::1] target
    result = numpy.empty(size, dtype=numpy.uint8)
    if size:
        target = result
        memcpy(&target[0], source, size)
    return result.view(kind)
