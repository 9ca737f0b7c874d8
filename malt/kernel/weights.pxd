"""The weights of a linear classifier: one row a feature, sparse or, where many weights are not zero, dense."""

from libc.stdint cimport uint16_t

from libcpp.vector cimport vector

from malt.kernel.types cimport int32_t, int64_t

cdef struct Weights:
    const int64_t *starts  # the weights of feature f are those from starts[f] to starts[f + 1] ...
    const uint16_t *classes  # ascending within a row
    const double *values
    const int32_t *dense  # ... or, if dense[f] is not negative, the row of that number among the dense ones
    const double *dense_values
    int32_t rows
    int32_t count  # of classes
    int32_t stride  # the length of a dense row


cdef inline void score(const Weights *weights, const int32_t *rows, const double *values, int32_t count,
                       double *scores) noexcept nogil:
    """Add up the weights of some rows, which must ascend: the order of additions decides the last bit. `values` is NULL
    where all are 1. A zero in a dense row changes no sum."""
    cdef int32_t i, j, row
    cdef int64_t k
    cdef const double *line
    cdef double value
    for i in range(weights.stride):
        scores[i] = 0
    for i in range(count):
        row = rows[i]
        value = 1 if values == NULL else values[i]
        if weights.dense[row] >= 0:
            line = weights.dense_values + <int64_t> weights.dense[row] * weights.stride
            for j in range(weights.stride):
                scores[j] += line[j] * value
        else:
            for k in range(weights.starts[row], weights.starts[row + 1]):
                scores[weights.classes[k]] += weights.values[k] * value


cdef class SparseWeights:
    cdef Weights weights
    cdef vector[int64_t] starts
    cdef vector[uint16_t] classes
    cdef vector[double] values
    cdef vector[int32_t] dense
    cdef vector[double] dense_values
    cdef int64_t _nonzero
