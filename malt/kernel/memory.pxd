"""Memory that is visited in random order. With large pages its addresses are found faster."""

cdef extern from "memory.hpp" nogil:
    void *large "malt_large"(size_t bytes) noexcept  # memory for free(), in large pages
    void enlarge "malt_enlarge"(void *memory, size_t bytes) noexcept  # have memory moved into large pages
    void prefer_large "malt_prefer_large"(void *memory, size_t bytes) noexcept  # large pages for what is used from now on
