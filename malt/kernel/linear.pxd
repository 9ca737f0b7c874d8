"""The weights of a linear classifier as the parser adds them up, and the ranking of classes."""

from libc.stdint cimport uint16_t

from malt.kernel.dense cimport FETCH, add_rows
from malt.kernel.types cimport int32_t, int64_t

cdef enum:
    DENSE = -1  # the count of a row that holds the weights of all classes
    MOST_DENSE = 64  # how many dense rows are added up in one go


cdef struct WeightRow:
    const double *weights  # those that are not zero, and behind them their classes, ascending; or those of all classes
    int32_t count  # how many are not zero; or DENSE


cdef struct Weights:
    const WeightRow *rows
    int32_t count  # the number of rows
    int32_t classes
    int32_t room  # for how many scores there must be room: the number of classes, or some more


cdef inline void score(const Weights *table, const int32_t *rows, const double *values, int32_t count,
                       double *scores) noexcept nogil:
    """Add up the rows of some features, which must ascend: the order of additions decides the last bit. values: NULL
    where all are 1. scores: has room for table.room numbers, of which the first table.classes are the result.

    A weight that is zero is left out: sums begin with 0 and never become -0, so adding 0 or -0 does not change them.
    """
    cdef const double *dense[MOST_DENSE]
    cdef const double *weights
    cdef const uint16_t *classes
    cdef const WeightRow *row
    cdef int32_t i, k, waiting = 0
    for i in range(count):
        FETCH(table.rows[rows[i]].weights)
    for k in range(table.room):
        scores[k] = 0.0
    for i in range(count):
        row = table.rows + rows[i]
        weights = row.weights
        if row.count == DENSE and values == NULL:
            dense[waiting] = weights
            waiting += 1
            if waiting == MOST_DENSE:
                add_rows(scores, dense, waiting, table.room)
                waiting = 0
            continue
        if waiting:
            add_rows(scores, dense, waiting, table.room)
            waiting = 0
        if row.count == DENSE:
            for k in range(table.classes):
                scores[k] += weights[k] * values[i]
            continue
        classes = <const uint16_t *> (weights + row.count)
        if values == NULL:
            for k in range(row.count):
                scores[classes[k]] += weights[k]
        else:
            for k in range(row.count):
                scores[classes[k]] += weights[k] * values[i]
    if waiting:
        add_rows(scores, dense, waiting, table.room)


cdef inline int32_t best(const double *scores, int32_t classes) noexcept nogil:
    """The first of the classes with the highest score."""
    cdef int32_t k, found = 0
    cdef double highest = scores[0]
    for k in range(1, classes):
        if scores[k] > highest:
            highest = scores[k]
            found = k
    return found


cdef inline void rank(double *scores, int32_t *codes, int32_t classes, int32_t begin, int32_t end) noexcept nogil:
    """Bring the classes into MaltParser's order from place begin to place end - 1, those before begin being in order.

    A selection sort that swaps: among equal scores the order depends on earlier swaps, so this and no other sort is the
    order. Scores and codes are moved alike. The last of all classes needs no place: it is where it belongs.
    """
    cdef int32_t i, found, code
    cdef double score
    for i in range(begin, end if end < classes - 1 else classes - 1):
        found = i + best(scores + i, classes - i)
        score, code = scores[found], codes[found]
        scores[found], codes[found] = scores[i], codes[i]
        scores[i], codes[i] = score, code


cdef class LinearWeights:
    cdef Weights table
    cdef WeightRow *rows
    cdef double *pool  # the memory of all rows
