"""Memory that is visited in random order. With large pages its addresses are found faster."""

cdef extern from "memory.hpp" nogil:
    void *large "malt_large"(size_t bytes) noexcept  # memory for free(), in large pages
    void enlarge "malt_enlarge"(void *memory, size_t bytes) noexcept  # have memory moved into large pages
