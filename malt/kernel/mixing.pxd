"""Numbers that look random, for hash tables and for what is drawn by lot."""

from malt.kernel.types cimport uint64_t


cdef inline uint64_t mix(uint64_t number) noexcept nogil:
    """A number that looks random (the finalizer of SplitMix64)."""
    number += <uint64_t> 0x9E3779B97F4A7C15
    number = (number ^ (number >> 30)) * <uint64_t> 0xBF58476D1CE4E5B9
    number = (number ^ (number >> 27)) * <uint64_t> 0x94D049BB133111EB
    return number ^ (number >> 31)


cdef inline uint64_t draw(uint64_t *seed) noexcept nogil:
    """The next random number (SplitMix64)."""
    cdef uint64_t number = mix(seed[0])
    seed[0] += <uint64_t> 0x9E3779B97F4A7C15  # as `mix` adds it
    return number
