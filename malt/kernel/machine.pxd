"""Support vector machines, one against one: the votes of all pairs of classes."""

from libcpp.vector cimport vector

from malt.kernel.types cimport int32_t, int64_t

cdef enum:
    LINEAR
    POLY
    RBF
    SIGMOID


cdef struct MachineData:
    int32_t kernel
    int32_t degree
    double gamma
    double coef0
    int32_t classes
    int32_t vectors
    const int64_t *starts  # the support vectors as sparse rows, ascending
    const int32_t *rows
    const double *values
    const int32_t *first  # class -> its first support vector
    const double *coefficients  # (classes - 1) x vectors
    const double *rho
    double *kernels  # workspace: one number a support vector


cdef void vote(void *machine, const int32_t *rows, const double *values, int32_t count, double *votes) noexcept nogil


cdef class Machine:
    cdef MachineData machine
    cdef vector[int64_t] starts
    cdef vector[int32_t] rows
    cdef vector[double] values
    cdef vector[int32_t] first
    cdef vector[double] coefficients
    cdef vector[double] rho
    cdef vector[double] kernels
    cdef vector[double] squares
