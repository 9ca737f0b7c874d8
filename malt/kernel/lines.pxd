"""A text as lines and fields: what the reader and the writer both need to see in the same way."""

from malt.kernel.types cimport int32_t, int64_t, place_t

cdef extern from "lines.hpp" nogil:
    int64_t find_either "malt_find"(const char *text, int64_t at, int64_t end, char one, char two) noexcept


cdef enum LineKind:
    BLANK
    COMMENT
    WORD
    RANGE  # a multiword token, 3-4
    EMPTY_NODE  # 8.1
    BAD_ID


cdef struct Line:
    place_t begin  # of the content, blanks before it left out
    place_t end  # of the content, all white space after it left out
    place_t stop  # where the line end (\n, \r or \r\n) begins
    place_t next  # where the next line begins


cdef inline void take_line(const char *text, place_t size, place_t at, Line *line) noexcept nogil:
    cdef place_t p = find_either(text, at, size, c'\n', c'\r')
    line.stop = p
    if p < size:
        p += 2 if text[p] == c'\r' and p + 1 < size and text[p + 1] == c'\n' else 1
    line.next = p
    line.end = line.stop
    while line.end > at and <unsigned char> text[line.end - 1] <= 0x20:
        line.end -= 1
    line.begin = at
    # A TAB at the beginning is an empty first field, not white space.
    while line.begin < line.end and <unsigned char> text[line.begin] <= 0x20 and text[line.begin] != c'\t':
        line.begin += 1


cdef inline place_t field_end(const char *text, place_t at, place_t end) noexcept nogil:
    return find_either(text, at, end, c'\t', c'\t')


cdef inline bint is_digit(char c) noexcept nogil:
    return c'0' <= c <= c'9'


cdef inline LineKind kind_of_id(const char *text, place_t begin, place_t end) noexcept nogil:
    cdef place_t p = begin
    cdef LineKind kind
    while p < end and is_digit(text[p]):
        p += 1
    if p == begin:
        return BAD_ID
    if p == end:
        return WORD
    if text[p] == c'-':
        kind = RANGE
    elif text[p] == c'.':
        kind = EMPTY_NODE
    else:
        return BAD_ID
    p += 1
    if p == end:
        return BAD_ID
    while p < end and is_digit(text[p]):
        p += 1
    return kind if p == end else BAD_ID


cdef inline LineKind kind_of_line(const char *text, const Line *line, int32_t columns, int32_t id_column) noexcept nogil:
    """What a line is. Without an ID column every line with a TAB is a word, also `#` and `.`."""
    cdef place_t begin = line.begin, end
    cdef int32_t j
    if line.begin >= line.end:
        return BLANK
    if text[line.begin] == c'#':
        if id_column >= 0 or (columns > 1 and field_end(text, line.begin, line.end) == line.end):
            return COMMENT
    if id_column < 0:
        return WORD
    for j in range(id_column):
        end = field_end(text, begin, line.end)
        if end == line.end:
            return BAD_ID
        begin = end + 1
    return kind_of_id(text, begin, field_end(text, begin, line.end))
