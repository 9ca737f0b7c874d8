"""Characters of UTF-8: as numbers, what kind they are, and in lower case."""

from malt.kernel.mixing cimport mix
from malt.kernel.types cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t
from malt.kernel.vector cimport vector

cdef extern from "Python.h" nogil:  # tables of Python's: they need no lock
    uint32_t to_lower "Py_UNICODE_TOLOWER"(uint32_t) noexcept
    uint32_t to_upper "Py_UNICODE_TOUPPER"(uint32_t) noexcept
    bint is_lower "Py_UNICODE_ISLOWER"(uint32_t) noexcept
    bint is_upper "Py_UNICODE_ISUPPER"(uint32_t) noexcept
    bint is_alpha "Py_UNICODE_ISALPHA"(uint32_t) noexcept
    bint is_decimal "Py_UNICODE_ISDECIMAL"(uint32_t) noexcept
    bint is_space "Py_UNICODE_ISSPACE"(uint32_t) noexcept


cdef enum Kind:
    NOTHING_THERE
    BLANK_THERE
    UPPER
    LOWER
    LETTER  # of a script without cases
    DIGIT
    OTHER


cdef inline bint is_blank(uint32_t c) noexcept nogil:
    """White space, and what controls something and is nothing to be read."""
    return c <= 0x20 or 0x7F <= c < 0xA0 or (c >= 0x80 and is_space(c))


cdef inline Kind kind_of(uint32_t c) noexcept nogil:
    if c < 0x80:
        if c'a' <= <int> c <= c'z':
            return LOWER
        if c'A' <= <int> c <= c'Z':
            return UPPER
        if c'0' <= <int> c <= c'9':
            return DIGIT
        return BLANK_THERE if is_blank(c) else OTHER
    if is_upper(c):
        return UPPER
    if is_lower(c):
        return LOWER
    if is_alpha(c):
        return LETTER
    if is_decimal(c):
        return DIGIT
    return BLANK_THERE if is_blank(c) else OTHER


cdef inline uint32_t lower(uint32_t c) noexcept nogil:
    if c < 0x80:
        return c + 32 if c'A' <= <int> c <= c'Z' else c
    return to_lower(c)


cdef inline int64_t take_character(const char *text, int64_t at, int64_t end, uint32_t *c) noexcept nogil:
    """The character at a place of valid UTF-8, and where the next one is; a part of one at the end stands for itself."""
    cdef uint8_t first = <uint8_t> text[at]
    cdef int64_t more = 0 if first < 0xC0 else 1 if first < 0xE0 else 2 if first < 0xF0 else 3
    cdef uint32_t found = first if more == 0 else first & (0x3F >> more)
    cdef int64_t i
    if at + more >= end:
        c[0] = first
        return at + 1
    for i in range(1, more + 1):
        found = found << 6 | (<uint8_t> text[at + i] & 0x3F)
    c[0] = found
    return at + more + 1


cdef inline int take_characters(const char *text, int64_t length, vector[uint32_t] &out) except -1 nogil:
    """The characters of a text, in place of what was there."""
    cdef int64_t at = 0
    cdef uint32_t c
    out.clear()
    while at < length:
        at = take_character(text, at, length, &c)
        out.push_back(c)
    return 0


cdef inline int put_character(vector[char] &out, uint32_t c) except -1 nogil:
    """Add a character to a text."""
    if c < 0x80:
        out.push_back(<char> c)
    elif c < 0x800:
        out.push_back(<char> (0xC0 | c >> 6))
        out.push_back(<char> (0x80 | (c & 0x3F)))
    elif c < 0x10000:
        out.push_back(<char> (0xE0 | c >> 12))
        out.push_back(<char> (0x80 | (c >> 6 & 0x3F)))
        out.push_back(<char> (0x80 | (c & 0x3F)))
    else:
        out.push_back(<char> (0xF0 | c >> 18))
        out.push_back(<char> (0x80 | (c >> 12 & 0x3F)))
        out.push_back(<char> (0x80 | (c >> 6 & 0x3F)))
        out.push_back(<char> (0x80 | (c & 0x3F)))
    return 0


cdef inline uint64_t with_character(uint64_t hash, uint32_t c) noexcept nogil:
    """The hash of a text that goes on with a character."""
    hash = (hash ^ c) * <uint64_t> 0x9E3779B97F4A7C15
    return hash ^ hash >> 29


cdef inline uint64_t tagged(uint64_t hash, uint64_t what) noexcept nogil:
    """A hash as the value of a feature, which is never 0; `what` it is a hash of makes a difference."""
    hash = mix(hash + what * <uint64_t> 0xD1B54A32D192ED03)
    return hash if hash else 1
