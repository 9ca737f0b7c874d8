"""The weights of a linear classifier as the parser adds them up, and the ranking of classes.

The votes of a support vector machine: one class against another, for every pair.
"""

from libc.stdint cimport uint16_t

from malt.kernel.dense cimport add_rows
from malt.kernel.instances cimport FeatureMap
from malt.kernel.order cimport best
from malt.kernel.types cimport int32_t, int64_t


cdef enum:
    MOST_DENSE = 64  # how many dense rows are added up in one go
    NO_PLACE = -1
    SHARED = 0xFFFF  # in the place of a count: the row is that of another place


# A row is found by its place: twice the word of the pool where it begins, plus 1 if it is dense. Places ascend as rows
# do. A dense row has the weights of all classes. A sparse one has the number of its weights and their classes, ascending,
# in 16 bits each, and then, from the next word on, the weights.
cdef struct Weights:
    const double *pool
    const int32_t *places  # of each row
    int32_t count  # the number of rows
    int32_t classes
    int32_t room  # for how many scores there must be room: the number of classes, or some more
    const int32_t *direct  # places by position and code, as in Map.direct; or NULL


cdef inline void score(const Weights *table, const int32_t *places, const double *values, int32_t count,
                       double *scores) noexcept nogil:
    """Add up the rows of some features, which must ascend: the order of additions decides the last bit. values: NULL
    where all are 1. scores: has room for table.room numbers, of which the first table.classes are the result.

    A weight that is zero is left out: sums begin with 0 and never become -0, so adding 0 or -0 does not change them.
    """
    cdef const double *dense[MOST_DENSE]
    cdef const double *row
    cdef const double *weights
    cdef const uint16_t *classes
    cdef int32_t i, k, place, size, waiting = 0
    for k in range(table.room):
        scores[k] = 0.0
    for i in range(count):
        place = places[i]
        row = table.pool + (place >> 1)
        if not place & 1 and (<const uint16_t *> row)[0] == SHARED:
            place = (<const int32_t *> row)[1]
            row = table.pool + (place >> 1)
        if place & 1 and values == NULL:
            dense[waiting] = row
            waiting += 1
            if waiting == MOST_DENSE:
                add_rows(scores, dense, waiting, table.room)
                waiting = 0
            continue
        if waiting:
            add_rows(scores, dense, waiting, table.room)
            waiting = 0
        if place & 1:
            for k in range(table.classes):
                scores[k] += row[k] * values[i]
            continue
        classes = <const uint16_t *> row + 1
        size = classes[-1]
        weights = row + (size + 4) // 4
        if values == NULL:
            for k in range(size):
                scores[classes[k]] += weights[k]
        else:
            for k in range(size):
                scores[classes[k]] += weights[k] * values[i]
    if waiting:
        add_rows(scores, dense, waiting, table.room)


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
    cdef double *pool  # the memory of all rows
    cdef int32_t *places
    cdef int32_t *direct
    cdef FeatureMap map  # the one that `direct` is for

    cdef int attach(self, FeatureMap map) except -1


cpdef enum KernelFunction:  # as LIBSVM numbers and names them
    LINEAR
    POLY
    RBF
    SIGMOID


cdef struct VectorMachine:
    int32_t kernel
    int32_t degree
    double gamma
    double offset
    int32_t classes
    int32_t pairs  # of classes
    int32_t vectors  # the support vectors, those of a class one after another
    const int64_t *starts  # where the features of each begin
    const int32_t *rows  # the rows of these features, ascending
    const double *values
    bint whole  # are all values 1?
    int32_t features  # the number of rows that any vector has
    const int64_t *postings  # for each row, where the vectors that have it begin
    const int32_t *holders  # these vectors, ascending
    const double *held  # and the feature's value in each
    const int64_t *parts  # where the coefficients of each vector begin, those that are zero left out
    const int32_t *pair  # the pair of classes that a coefficient is for
    const double *coefficients
    const double *rho  # for each pair: what its sum must exceed if its first class is to get the vote
    int64_t room  # how many numbers the workspace of `vote` holds


cdef void vote(const VectorMachine *machine, const int32_t *rows, const double *values, int32_t count, double *workspace,
               double *votes) noexcept nogil


cdef class SupportVectors:
    cdef VectorMachine machine
    cdef list arrays  # what the machine points into
