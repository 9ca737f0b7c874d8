# distutils: language = c++
# cython: language_level=3, cdivision=True
"""The random numbers of java.util.Random, which decide the order in which the solver looks at instances."""

from malt.kernel.types cimport int32_t, uint64_t


cdef class Random:
    """A generator with a seed; the order of what is asked of it matters, so consecutive trainings share one.

    >>> random = Random(0)
    >>> [random.integer(10) for _ in range(8)]
    [0, 8, 9, 7, 5, 3, 1, 1]
    """

    def __cinit__(self, uint64_t seed=0):
        self.generator.state = (seed ^ <uint64_t> 0x5DEECE66D) & ((<uint64_t> 1 << 48) - 1)

    @property
    def state(self) -> int:
        """The 48 bits from which all later numbers follow."""
        return self.generator.state

    def integer(self, int32_t bound) -> int:
        """A number from 0 to bound - 1."""
        if bound <= 0:
            raise ValueError(f"bound {bound}: expected a positive number")
        return next_integer(&self.generator, bound)
