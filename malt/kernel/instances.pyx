"""The feature map: from a feature, that is a position in the feature vector and a code, to its row of weights.

Rows count from 0 in memory and from 1 in MaltParser's files. A map is a plain struct, so that training can add keys and
parsing look them up without the GIL; FeatureMap owns one and is what Python sees.

Training instances: class codes, and the rows of the features that each instance has.

Nearly every feature value is 1, so values are kept only from the first one on that is not: an instance of 20 features
takes 4.6 bytes per feature without them.

MaltParser's instance files (.ins): a line per instance, with its class and a column per feature.

A column holds a code, `code:value`, codes joined by `|` where a feature has several, or -1 where it has none.
"""

from libc.stdlib cimport calloc, free, malloc, realloc
from libc.string cimport memchr, memcpy
from libcpp.algorithm cimport sort
from libcpp.string cimport string
from libcpp.utility cimport pair

import numpy

from malt.errors import DataError
from malt.kernel.types cimport int32_t, int64_t, uint64_t, uint8_t
from malt.kernel.vector cimport vector


cdef inline Slot *slot_of(Map *map, int64_t key) noexcept nogil:
    """The slot that holds a key, or the free one where it belongs."""
    cdef uint64_t slot = home_of(map, key)
    while map.slots[slot].row != 0 and map.slots[slot].key != key:
        slot = (slot + 1) & map.mask
    return &map.slots[slot]


cdef bint make_room(Map *map, int64_t keys) noexcept nogil:
    """See to it that so many keys fill at most half of the slots."""
    cdef Map grown = map[0]
    cdef uint64_t i
    while <int64_t> (grown.mask + 1) < 2 * keys:
        grown.mask = 2 * grown.mask + 1
        grown.shift -= 1
    if grown.mask == map.mask:
        return True
    grown.slots = <Slot *> calloc(grown.mask + 1, sizeof(Slot))
    if grown.slots == NULL:
        return False
    for i in range(map.mask + 1):
        if map.slots[i].row != 0:
            slot_of(&grown, map.slots[i].key)[0] = map.slots[i]
    free(map.slots)
    map[0] = grown
    return True


cdef void forget_direct(Map *map) noexcept nogil:
    free(map.direct)
    free(map.spans)
    map.direct = NULL
    map.spans = NULL
    map.positions = 0


cdef bint make_direct(Map *map) noexcept nogil:
    """Arrange the rows by position and code, where codes are dense enough, as symbols' codes are; False when memory is
    short. With a model of Danish a look-up takes 1.4 ns, and 6 ns by hashing."""
    cdef int64_t position, code, size = 0, last = -1
    cdef uint64_t i
    forget_direct(map)
    for i in range(map.mask + 1):
        if map.slots[i].row != 0 and map.slots[i].key >> 48 > last:
            last = map.slots[i].key >> 48
    if last < 0:
        return True
    map.spans = <Span *> calloc(last + 1, sizeof(Span))
    if map.spans == NULL:
        return False
    for i in range(map.mask + 1):  # begin: how many keys there are; codes: the highest code plus 1
        if map.slots[i].row != 0 and map.slots[i].key >= 0:
            position, code = map.slots[i].key >> 48, map.slots[i].key & (<int64_t> 0xFFFFFFFFFFFF)
            map.spans[position].begin += 1
            map.spans[position].codes = max(map.spans[position].codes, code + 1)
    for position in range(last + 1):
        if map.spans[position].codes > 64 * map.spans[position].begin + 1024:
            map.spans[position].codes = 0
        map.spans[position].begin = size
        size += map.spans[position].codes
    map.direct = <int32_t *> malloc((size + 1) * sizeof(int32_t))
    if map.direct == NULL:
        return False
    for code in range(size):
        map.direct[code] = NO_ROW
    for i in range(map.mask + 1):
        if map.slots[i].row != 0 and map.slots[i].key >= 0:
            position, code = map.slots[i].key >> 48, map.slots[i].key & (<int64_t> 0xFFFFFFFFFFFF)
            if code < map.spans[position].codes:
                map.direct[map.spans[position].begin + code] = map.slots[i].row - 1
    map.positions = last + 1
    return True


cdef int32_t place(Map *map, int64_t key, int32_t row) noexcept nogil:
    """Give a key a row, in place of the one that it may have had; FULL when memory is short."""
    cdef Slot *slot
    if row < 0 or row == 0x7FFFFFFF or not make_room(map, <int64_t> map.used + 1):
        return FULL
    if map.positions:
        forget_direct(map)
    slot = slot_of(map, key)
    if slot.row == 0:
        slot.key = key
        map.used += 1
    slot.row = row + 1
    if row >= map.next_row:
        map.next_row = row + 1
    return row


cdef int32_t insert(Map *map, int64_t key) noexcept nogil:
    """The row of a key, which gets the next row if it is new; FULL when memory is short."""
    cdef int32_t row = lookup(map, key)
    return row if row != NO_ROW else place(map, key, map.next_row)


cdef class FeatureMap:
    """Features and their rows.

    >>> map = FeatureMap()
    >>> map.add(1, 7), map.add(2, 7), map.add(1, 7)
    (0, 1, 0)
    >>> map.row(2, 7), map.row(3, 7), len(map)
    (1, -1, 2)
    >>> [hex(key) for key in map.keys()]
    ['0x1000000000007', '0x2000000000007']
    """

    def __cinit__(self):
        self.map.mask = 1023
        self.map.shift = 64 - 10
        self.map.slots = <Slot *> calloc(1024, sizeof(Slot))
        if self.map.slots == NULL:
            raise MemoryError

    def __dealloc__(self):
        free(self.map.slots)
        forget_direct(&self.map)

    @staticmethod
    def of(const int64_t[::1] keys, const int32_t[::1] rows) -> FeatureMap:
        """The map of given keys to given rows; of a key that is there twice the last row counts. It is made for looking
        up, and can still grow."""
        cdef FeatureMap result = FeatureMap()
        cdef Py_ssize_t i
        cdef bint whole, distinct = True
        cdef vector[char] seen
        if keys.shape[0] != rows.shape[0]:
            raise ValueError(f"{keys.shape[0]} keys and {rows.shape[0]} rows")
        with nogil:
            whole = make_room(&result.map, keys.shape[0])
            for i in range(keys.shape[0]):
                whole = whole and place(&result.map, keys[i], rows[i]) >= 0
            whole = whole and make_direct(&result.map)
            if whole:
                seen.assign(result.map.next_row, 0)
                for i in range(rows.shape[0]):
                    distinct = distinct and not seen[rows[i]]
                    seen[rows[i]] = 1
        if not whole:
            raise MemoryError
        result.distinct = distinct
        return result

    def __len__(self) -> int:
        return self.map.used

    @property
    def rows(self) -> int:
        """The number of rows: one more than the highest."""
        return self.map.next_row

    def add(self, int32_t position, int32_t code) -> int:
        """The row of a feature, which gets the next row if it is new."""
        row = insert(&self.map, key_of(position, code))
        if row == FULL:
            raise MemoryError
        return row

    def row(self, int32_t position, int32_t code) -> int:
        """The row of a feature, -1 if it is unknown."""
        return lookup(&self.map, key_of(position, code))

    def keys(self):
        """The key of each row, 0 for a row without one."""
        cdef int64_t[::1] keys
        cdef uint64_t i
        result = numpy.zeros(self.map.next_row, dtype=numpy.int64)
        keys = result
        for i in range(self.map.mask + 1):
            if self.map.slots[i].row != 0:
                keys[self.map.slots[i].row - 1] = self.map.slots[i].key
        return result

    def __repr__(self) -> str:
        return f"FeatureMap({len(self)} features)"


cdef bint add_feature(Store *store, int32_t row, double value) noexcept nogil:
    """Add a feature to the open instance; False when memory is short, and then nothing is added."""
    cdef int64_t room, i
    cdef void *grown
    if store.used == store.room:
        room = store.room + store.room // 2 + 1024
        grown = realloc(store.rows, room * sizeof(int32_t))
        if grown == NULL:
            return False
        store.rows = <int32_t *> grown
        if store.values != NULL:
            grown = realloc(store.values, room * sizeof(double))
            if grown == NULL:
                return False
            store.values = <double *> grown
        store.room = room
    if store.values == NULL and value != 1.0:
        store.values = <double *> malloc(store.room * sizeof(double))
        if store.values == NULL:
            return False
        for i in range(store.used):
            store.values[i] = 1.0
    store.rows[store.used] = row
    if store.values != NULL:
        store.values[store.used] = value
    store.used += 1
    return True


cdef bint close_instance(Store *store, int32_t code) noexcept nogil:
    """Sort the features of the open instance, give it its class and open the next; False when memory is short."""
    cdef int64_t begin = store.starts[store.count], i, j, room
    cdef int32_t row
    cdef double value = 1.0
    cdef void *grown
    if store.count + 1 == store.count_room:
        room = store.count_room + store.count_room // 2 + 256
        grown = realloc(store.starts, room * sizeof(int64_t))
        if grown == NULL:
            return False
        store.starts = <int64_t *> grown
        grown = realloc(store.classes, room * sizeof(int32_t))
        if grown == NULL:
            return False
        store.classes = <int32_t *> grown
        store.count_room = room
    for i in range(begin + 1, store.used):  # insertion sort: a vector has some dozens of features, often in order
        row = store.rows[i]
        if store.rows[i - 1] < row:
            continue
        if store.values != NULL:
            value = store.values[i]
        j = i
        while j > begin and (
            store.rows[j - 1] > row or store.values != NULL and store.rows[j - 1] == row and store.values[j - 1] > value
        ):
            store.rows[j] = store.rows[j - 1]
            if store.values != NULL:
                store.values[j] = store.values[j - 1]
            j -= 1
        store.rows[j] = row
        if store.values != NULL:
            store.values[j] = value
    store.classes[store.count] = code
    store.count += 1
    store.starts[store.count] = store.used
    return True


cdef class Instances:
    """The instances of one model.

    >>> instances = Instances()
    >>> instances.add(3, [0, 1, 5]), instances.add(1, [1, 2], [1.0, 0.5])
    (None, None)
    >>> len(instances), instances.features, instances.classes().tolist()
    (2, 5, [3, 1])
    """

    def __cinit__(self):
        self.store.count_room = 256
        self.store.starts = <int64_t *> malloc(256 * sizeof(int64_t))
        self.store.classes = <int32_t *> malloc(256 * sizeof(int32_t))
        if self.store.starts == NULL or self.store.classes == NULL:
            raise MemoryError
        self.store.starts[0] = 0

    def __dealloc__(self):
        free(self.store.rows)
        free(self.store.values)
        free(self.store.starts)
        free(self.store.classes)

    def __len__(self) -> int:
        return self.store.count

    @property
    def features(self) -> int:
        """The number of feature occurrences."""
        return self.store.starts[self.store.count]

    @property
    def has_values(self) -> bool:
        """Is there a feature value other than 1?"""
        return self.store.values != NULL

    def add(self, int32_t code, rows, values=None) -> None:
        """Add an instance of a class; its features may come in any order."""
        if values is not None and len(values) != len(rows):
            raise ValueError(f"{len(rows)} rows and {len(values)} values")
        for i, row in enumerate(rows):
            if row < 0:
                raise ValueError(f"row {row}: rows count from 0")
            if not add_feature(&self.store, row, 1.0 if values is None else values[i]):
                raise MemoryError
        if not close_instance(&self.store, code):
            raise MemoryError

    @staticmethod
    def of(
        const int32_t[::1] classes, const int64_t[::1] starts, const int32_t[::1] rows, const double[::1] values=None
    ) -> Instances:
        """Instances given as arrays: the class codes, where the features of each begin, with the end of the last, and
        the features' rows and values.

        >>> import numpy
        >>> arrays = numpy.array([3, 1], "i4"), numpy.array([0, 2, 3]), numpy.array([9, 4, 5], "i4")
        >>> instances = Instances.of(*arrays)
        >>> len(instances), instances.rows().tolist(), instances.has_values
        (2, [4, 9, 5], False)
        """
        cdef Instances result = Instances()
        cdef int64_t i, k
        cdef bint whole = True
        if starts.shape[0] != classes.shape[0] + 1 or (values is not None and values.shape[0] != rows.shape[0]):
            raise ValueError("the arrays do not fit together")
        for i in range(classes.shape[0]):
            if starts[i] < 0 or starts[i] > starts[i + 1] or starts[i + 1] > rows.shape[0]:
                raise ValueError(f"instance {i} goes from {starts[i]} to {starts[i + 1]} of {rows.shape[0]} features")
            for k in range(starts[i], starts[i + 1]):
                if rows[k] < 0:
                    raise ValueError(f"row {rows[k]}: rows count from 0")
                whole = whole and add_feature(&result.store, rows[k], 1.0 if values is None else values[k])
            if not (whole and close_instance(&result.store, classes[i])):
                raise MemoryError
        return result

    def classes(self):
        """The class code of each instance."""
        return copy_of(self.store.classes, self.store.count * sizeof(int32_t), numpy.int32)

    def starts(self):
        """Where each instance begins in `rows`, and the end of the last."""
        return copy_of(self.store.starts, (self.store.count + 1) * sizeof(int64_t), numpy.int64)

    def rows(self):
        """The feature rows of all instances."""
        return copy_of(self.store.rows, self.features * sizeof(int32_t), numpy.int32)

    def values(self):
        """The feature values of all instances, None if all are 1."""
        if self.store.values == NULL:
            return None
        return copy_of(self.store.values, self.features * sizeof(double), numpy.float64)


cdef object copy_of(const void *source, size_t size, type kind):
    cdef unsigned char[::1] target
    result = numpy.empty(size, dtype=numpy.uint8)
    if size:
        target = result
        memcpy(&target[0], source, size)
    return result.view(kind)


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


def read_instances(
    const unsigned char[::1] text not None, Instances instances not None, FeatureMap map not None, str name=""
) -> None:
    """Add what an instance file holds; features that are new go into the map.

    >>> from malt.kernel.instances import FeatureMap
    >>> from malt.kernel.instances import Instances
    >>> instances, map = Instances(), FeatureMap()
    >>> read_instances(b"1\\t5\\t-1\\t\\n2\\t5\\t7|8\\t\\n", instances, map)
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


cdef int append_integer(string *out, int64_t number) except -1 nogil:
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
    return 0


def write_instances(
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

    >>> from malt.kernel.instances import FeatureMap
    >>> from malt.kernel.instances import Instances
    >>> import numpy
    >>> instances, map, text = Instances(), FeatureMap(), b"1\\t5\\t-1\\t\\n2\\t5:2.0\\t7\\t\\n"
    >>> read_instances(text, instances, map)
    >>> write_instances(instances, 0, 2, map.keys(), numpy.zeros(2, numpy.uint8)) == text
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
