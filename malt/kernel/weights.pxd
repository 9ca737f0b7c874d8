"""The weights of a linear classifier: sparse rows, one a feature."""

from libc.stdint cimport uint16_t

from libcpp.vector cimport vector

from malt.kernel.types cimport int32_t, int64_t

cdef struct Weights:
    const int64_t *starts  # the weights of feature f are those from starts[f] to starts[f + 1]
    const uint16_t *classes  # ascending within a row
    const double *values
    int32_t rows
    int32_t classes_count


cdef inline void score(const Weights *weights, const int32_t *rows, const double *values, int32_t count,
                       double *scores) noexcept nogil:
    """Add up the weights of some rows, which must ascend: the order of additions decides the last bit. `values` is NULL
    where all are 1."""
    cdef int32_t i
    cdef int64_t j
    for i in range(weights.classes_count):
        scores[i] = 0
    for i in range(count):
        if values == NULL:
            for j in range(weights.starts[rows[i]], weights.starts[rows[i] + 1]):
                scores[weights.classes[j]] += weights.values[j]
        else:
            for j in range(weights.starts[rows[i]], weights.starts[rows[i] + 1]):
                scores[weights.classes[j]] += weights.values[j] * values[i]


cdef class SparseWeights:
    cdef Weights weights
    cdef vector[int64_t] starts
    cdef vector[uint16_t] classes
    cdef vector[double] values
