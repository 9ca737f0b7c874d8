"""The words that features look at."""

from libcpp.vector cimport vector

from malt.kernel.state cimport State
from malt.kernel.types cimport int32_t, node_t

cdef enum:  # in the order of ADDRESSES
    STACK  # node `index` of the stack `stack` places after the active one
    BUFFER  # word `index` of the buffer
    SWAPPED  # the same, among the words that were swapped back
    LOOKAHEAD  # the same, after them
    LEFT
    RIGHT
    LEFT_CONTEXT
    RIGHT_CONTEXT
    HEAD  # of the node of address `index`, and so on
    LDEP
    RDEP
    RDEP2
    LSIB
    RSIB
    PRED
    SUCC
    ANC
    PANC
    LDESC
    PLDESC
    RDESC
    PRDESC


cdef struct Address:
    int32_t operation
    int32_t index
    int32_t stack


cdef class Addresses:
    cdef vector[Address] program
    cdef vector[node_t] nodes  # the result: one node an address
    cdef vector[node_t] visit  # workspace

    cdef int run(self, State state) except -1 nogil
    cdef node_t step(self, State state, int32_t operation, node_t node) except? -2 nogil
    cdef node_t descend(self, State state, int32_t operation, node_t node) except? -2 nogil
    cdef node_t context(self, State state, int32_t index, int32_t direction) noexcept nogil
    cdef node_t extreme(self, State state, node_t node, bint leftmost) except? -2 nogil
