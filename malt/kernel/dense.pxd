"""Sums of dense rows, a block of classes at a time, so that the sums stay in registers.

Each class is summed in the order of the rows, as one would by hand; only classes are worked on side by side, so the
result is the same to the last bit whatever the width of the machine's registers.
"""

from libc.stdint cimport int16_t

from malt.kernel.types cimport int32_t, uint64_t

cdef extern from "dense.hpp" nogil:
    void FETCH "MALT_FETCH"(const void *address) noexcept  # have it brought into the cache
    int LOWEST_BIT "MALT_LOWEST_BIT"(uint64_t bits) noexcept  # the number of the lowest bit that is set
    int COUNT_BITS "malt_count_bits"(uint64_t bits) noexcept  # how many are set
    void add_rows "malt_add_rows"(double *sums, const double **rows, int32_t count, int32_t length) noexcept
    void add_whole_rows "malt_add_whole_rows"(
        int32_t *sums, const int32_t **rows, int32_t count, int32_t begin, int32_t end) noexcept
    void add_narrow_rows "malt_add_whole_rows"(
        int32_t *sums, const int16_t **rows, int32_t count, int32_t begin, int32_t end) noexcept
    void add_small_rows "malt_add_whole_rows<true>"(  # four of the numbers fit into 16 bits together
        int32_t *sums, const int16_t **rows, int32_t count, int32_t begin, int32_t end) noexcept
    int32_t highest "malt_highest"(const int32_t *numbers, int32_t count) noexcept  # of a multiple of 16 numbers
    double largest "malt_largest"(const double *numbers, int32_t count) noexcept  # without their signs
    void round_all "malt_round_all"(const double *numbers, double scale, int16_t *rounded, int32_t count) noexcept
