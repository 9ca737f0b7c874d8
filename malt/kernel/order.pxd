"""Few numbers in order, without branches that a processor could guess wrong: which depends on the numbers alone."""

from malt.kernel.types cimport int32_t

cdef enum:
    MOST_ASCENDING = 64  # so many numbers are sorted by `ascend`

cdef extern from "order.hpp" nogil:
    # Sort different numbers, at most MOST_ASCENDING of them; there must be room for so many.
    void ascend "malt_ascend"(int32_t *numbers, int32_t count) noexcept
    # The first of the highest numbers, as comparing one after another finds it.
    int32_t best "malt_best"(const double *numbers, int32_t count) noexcept
