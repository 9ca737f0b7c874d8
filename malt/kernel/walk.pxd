"""Where instances go: rows for the solver, or the lines of MaltParser's instance file."""

from libcpp.vector cimport vector

from malt.kernel.features cimport Features
from malt.kernel.instances cimport FeatureMap, Instances, Map, Store
from malt.kernel.types cimport int32_t, int64_t


cdef struct Target:  # what a loop without the GIL needs of a Sink
    const int32_t *slots  # the values of its feature vector, in order
    int32_t width
    bint drops_nulls  # -nv none: null values are left out
    bint as_text
    Store *store
    Map *map
    vector[char] *text
    int64_t count


cdef int add_instance(Target *target, Features features, int32_t code) except -1 nogil


cdef class Sink:
    cdef Target target
    cdef vector[int32_t] slots
    cdef vector[char] text
    cdef readonly Instances instances
    cdef readonly FeatureMap map
