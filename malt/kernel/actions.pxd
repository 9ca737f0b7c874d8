"""Actions: a transition with its labels, and the classes that they are learned as."""

from libcpp.vector cimport vector

from malt.kernel.featuremap cimport Map
from malt.kernel.symbols cimport Table
from malt.kernel.types cimport code_t, int32_t


cdef struct Group:  # one decision
    int32_t first  # its items are items[first] .. items[last - 1]
    int32_t last
    int32_t table  # its class table, -1 for a single item, whose own codes are the classes
    bint labelled_only  # is the next decision made only for transitions with a label?


cdef class Actions:
    cdef readonly tuple decisions
    cdef vector[Group] groups
    cdef vector[int32_t] items  # -1 for the transition, otherwise a table of labels
    cdef int32_t labels  # number of tables of labels
    cdef list _tables
    cdef vector[Table *] label_tables
    cdef vector[Table *] class_tables
    cdef list _names  # the names of the transitions
    cdef str separator
    cdef list _chains  # one map a group: items decided so far and the next -> a number
    cdef vector[Map *] chains
    cdef vector[vector[code_t]] classes  # group -> number of a whole chain -> class; -1: not known yet

    cdef code_t code_of(self, int32_t group, int32_t transition, const code_t *labels) except? -2 nogil
    cdef code_t register(self, int32_t group, int32_t transition, const code_t *labels, int32_t row) except? -2 with gil
