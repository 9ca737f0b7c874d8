from libc.stdint cimport uint16_t

from malt.kernel.types cimport int32_t, int64_t, uint64_t


cdef struct Generator:
    uint64_t state  # the lower 48 bits


cdef inline int32_t next_bits(Generator *generator) noexcept nogil:
    """The next 31 random bits."""
    generator.state = (generator.state * <uint64_t> 0x5DEECE66D + 0xB) & ((<uint64_t> 1 << 48) - 1)
    return <int32_t> (generator.state >> 17)


cdef inline int32_t next_integer(Generator *generator, int32_t bound) noexcept nogil:
    """The next integer from 0 to bound - 1."""
    cdef int32_t bits = next_bits(generator), value
    if bound & (bound - 1) == 0:
        return <int32_t> ((<uint64_t> bound * <uint64_t> bits) >> 31)
    value = bits % bound
    while <uint64_t> bits - value + (bound - 1) > 0x7FFFFFFF:  # the last, incomplete run of remainders is not used
        bits = next_bits(generator)
        value = bits % bound
    return value


cdef class Random:
    cdef Generator generator


cdef class DualVariables:
    cdef object gold  # the class of each instance, which are grouped by class
    cdef object starts  # where those of each instance begin
    cdef object places  # the class of each
    cdef object numbers  # in four bytes: where to start from need not be known to the last bit
    cdef double cost
    cdef int32_t[::1] start_view
    cdef uint16_t[::1] place_view
    cdef float[::1] number_view
