# distutils: language = c++
# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
"""MaltParser's instance files (.ins): a line an instance, with its class and a column a feature.

A column holds a code, `code:value`, codes joined by `|` where a feature has several, or -1 where it has none.
"""

from libc.string cimport memchr
from libcpp.algorithm cimport sort
from libcpp.string cimport string
from libcpp.utility cimport pair
from libcpp.vector cimport vector

from malt.errors import DataError
from malt.kernel.featuremap cimport FULL, FeatureMap, Map, insert, key_of
from malt.kernel.instances cimport Instances, Store, add_feature, close_instance, drop_instance
from malt.kernel.types cimport int32_t, int64_t, uint8_t

cdef enum:
    RIGHT
    NOT_A_NUMBER
    NO_MEMORY


cdef struct Text:  # a part of the file
    const char *begin
    const char *end


cdef inline Text until(const char *begin, const char *end, char mark) noexcept nogil:
    """The text up to a mark, or to the end where there is none."""
    cdef Text text = Text(begin, <const char *> memchr(begin, mark, end - begin))
    if text.end == NULL:
        text.end = end
    return text


cdef inline bint read_integer(Text text, int32_t *result) noexcept nogil:
    """Read all of a text as a 32-bit integer; is it one?"""
    cdef const char *c = text.begin
    cdef bint negative = False
    cdef int64_t number = 0
    if c < text.end and (c[0] == b"-" or c[0] == b"+"):
        negative = c[0] == b"-"
        c += 1
    if c == text.end:
        return False
    while c < text.end:
        if c[0] < b"0" or c[0] > b"9":
            return False
        number = 10 * number + c[0] - 48
        if number > <int64_t> 2147483648:
            return False
        c += 1
    if negative:
        number = -number
    result[0] = <int32_t> number
    return number == result[0]


cdef bint read_value(Text text, double *result) except -1 nogil:
    """Read a feature value: with a point a float, without one an integer, as MaltParser does; is it one?"""
    cdef int32_t whole
    cdef Text head = until(text.begin, text.end, b".")
    if head.end == text.end:
        if not read_integer(text, &whole):
            return False
        result[0] = whole
        return True
    if text.end - head.end == 2 and head.end[1] == b"0" and head.begin[0] != b"-" and read_integer(head, &whole):
        result[0] = whole  # the usual case, for which Python need not be asked
        return True
    with gil:
        try:
            number = text.begin[: text.end - text.begin].decode("ascii")
            result[0] = float(number)
            return "_" not in number
        except ValueError:
            return False


cdef int read_line(Store *store, Map *map, Text line, Text *at) except -1 nogil:
    """Add the instance of a line. What is wrong, if anything, and at which text."""
    cdef Text column, code
    cdef int32_t label, feature, row, position = 0
    cdef double value
    drop_instance(store)
    while line.end > line.begin and (line.end - 1)[0] == b"\t":
        line.end -= 1
        if line.end == line.begin:
            return RIGHT  # nothing but TABs
    column = until(line.begin, line.end, b"\t")
    at[0] = column
    if not read_integer(column, &label):
        return NOT_A_NUMBER
    while column.end < line.end:
        column = until(column.end + 1, line.end, b"\t")
        position += 1
        at.end = column.begin - 1
        while True:
            at[0] = until(at.end + 1, column.end, b"|")
            code = until(at.begin, at.end, b":")
            value = 1.0
            if not read_integer(code, &feature):
                return NOT_A_NUMBER
            if code.end < at.end and not read_value(Text(code.end + 1, at.end), &value):
                return NOT_A_NUMBER
            if feature != -1 or code.end < at.end:
                row = insert(map, key_of(position, feature))
                if row == FULL or not add_feature(store, row, value):
                    return NO_MEMORY
            if at.end >= column.end - 1:  # a | at the end begins no item
                break
    if label == -1:  # no class: the features count, the instance does not
        drop_instance(store)
        return RIGHT
    return RIGHT if close_instance(store, label) else NO_MEMORY


def read(
    const unsigned char[::1] text not None, Instances instances not None, FeatureMap map not None, str name=""
) -> None:
    """Add what an instance file holds; features that are new go into the map.

    >>> from malt.kernel.featuremap import FeatureMap
    >>> from malt.kernel.instances import Instances
    >>> instances, map = Instances(), FeatureMap()
    >>> read(b"1\\t5\\t-1\\t\\n2\\t5\\t7|8\\t\\n", instances, map)
    >>> instances.classes().tolist(), instances.rows().tolist(), len(map)
    ([1, 2], [0, 0, 1, 2], 3)
    """
    cdef Text line, at
    cdef const char *end
    cdef int64_t number = 0
    cdef int wrong = RIGHT
    if text.shape[0] == 0:
        return
    line.end = <const char *> &text[0] - 1
    end = <const char *> &text[0] + text.shape[0]
    with nogil:
        while wrong == RIGHT and line.end + 1 < end:
            line = until(line.end + 1, end, b"\n")
            number += 1
            if line.end > line.begin and (line.end - 1)[0] == b"\r":
                wrong = read_line(&instances.store, &map.map, Text(line.begin, line.end - 1), &at)
            else:
                wrong = read_line(&instances.store, &map.map, line, &at)
    if wrong == NO_MEMORY:
        raise MemoryError
    if wrong == NOT_A_NUMBER:
        place = line.begin[: at.begin - line.begin].count(b"\t") + 1
        item = at.begin[: at.end - at.begin].decode("utf-8", "backslashreplace")
        kind = "non-numeric" if place > 1 else "non-integer"
        raise DataError(f"the instance file contains a {kind} value {item!r}", name, number, place)


cdef void append_integer(string *out, int64_t number) noexcept nogil:
    cdef char digits[24]
    cdef int at = 24
    if number < 0:
        out.push_back(b"-")
        number = -number
    while at == 24 or number > 0:
        at -= 1
        digits[at] = <char> (48 + number % 10)
        number //= 10
    out.append(digits + at, <size_t> (24 - at))


def write(
    Instances instances not None,
    int64_t begin,
    int64_t end,
    const int64_t[::1] keys not None,
    const uint8_t[::1] several not None,
    format=str,
) -> bytes:
    """The lines of some instances.

    keys: the key of each row (FeatureMap.keys); several: for each column, does the feature there have any number of
    codes? Without one such a column is empty, and others are -1. format writes a value.

    >>> from malt.kernel.featuremap import FeatureMap
    >>> from malt.kernel.instances import Instances
    >>> import numpy
    >>> instances, map, text = Instances(), FeatureMap(), b"1\\t5\\t-1\\t\\n2\\t5:2.0\\t7\\t\\n"
    >>> read(text, instances, map)
    >>> write(instances, 0, 2, map.keys(), numpy.zeros(2, numpy.uint8)) == text
    True
    """
    cdef string out
    cdef Store *store = &instances.store
    cdef vector[pair[int64_t, double]] items
    cdef pair[int64_t, double] item
    cdef int64_t i, k, at
    cdef int position, columns = several.shape[0]
    if not 0 <= begin <= end <= store.count:
        raise IndexError(f"instances {begin} to {end} of {store.count}")
    for i in range(begin, end):
        items.clear()
        for k in range(store.starts[i], store.starts[i + 1]):
            item.first = keys[store.rows[k]]
            item.second = 1.0 if store.values == NULL else store.values[k]
            items.push_back(item)
        sort(items.begin(), items.end())
        append_integer(&out, store.classes[i])
        out.push_back(b"\t")
        at = 0
        for position in range(1, columns + 1):
            if (at == <int64_t> items.size() or items[at].first >> 48 != position) and not several[position - 1]:
                out.append(b"-1")
            k = at
            while at < <int64_t> items.size() and items[at].first >> 48 == position:
                if at > k:
                    out.push_back(b"|")
                append_integer(&out, <int32_t> items[at].first)
                if items[at].second != 1.0:
                    out.push_back(b":")
                    out.append(<bytes> format(items[at].second).encode())
                at += 1
            out.push_back(b"\t")
        out.push_back(b"\n")
    return out
