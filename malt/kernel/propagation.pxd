"""Propagation (-fp): what is known of a dependent is passed on to its head."""

from malt.kernel.state cimport State
from malt.kernel.types cimport code_t, int32_t, node_t


cdef class Propagation:
    cdef readonly int columns  # number of propagated columns
    cdef tuple _rules
    cdef dict _tables
    cdef tuple _coded
    cdef tuple _labels
    cdef int run(self, State state, const code_t *input, int32_t width, node_t dependent) except -1 nogil
    cdef int pass_on(self, State state, const code_t *input, int32_t width, node_t dependent) except -1 with gil
