"""Training instances put together from columns.

A column has, for each instance, the number of a value; values are numbered as they come. So rows can be given as the
feature map gives them: in the order in which features come, instance by instance, and within one by position.
"""

from libc.stdlib cimport free, malloc
from libc.string cimport memcpy
from libcpp.algorithm cimport sort

import numpy

from malt.kernel.instances cimport Instances, Store, copy_of, key_of
from malt.kernel.memory cimport large
from malt.kernel.order cimport MOST_ASCENDING, ascend
from malt.kernel.symbols cimport NO_MEMORY, SymbolTable, Table, intern, text_of
from malt.kernel.types cimport code_t, int32_t, int64_t, uint32_t
from malt.kernel.vector cimport vector


ctypedef unsigned char uint8_t
ctypedef unsigned short uint16_t

cdef enum:
    CHUNK = 256  # instances that are looked at together


def gather(SymbolTable target not None, list tables, list codes, list firsts):
    """Enter symbols of several tables into one, in the order of the instances that they first come in, and those of one
    instance in the order of the tables: the codes that they get there, one array per table.

    >>> from malt.kernel.symbols import SymbolTable
    >>> one, two, both = (SymbolTable("SPLIT_FEATS") for _ in range(3))
    >>> arrays = [numpy.array([one.add("a"), one.add("b")], "i4"), numpy.array([two.add("c"), two.add("a")], "i4")]
    >>> gathered = gather(both, [one, two], arrays, [numpy.array([0, 7], "i4"), numpy.array([0, 3], "i4")])
    >>> [found.tolist() for found in gathered], both.symbol(2)
    ([[1, 3], [2, 1]], 'c')
    """
    cdef vector[const Table *] from_
    cdef vector[const int32_t *] of
    cdef vector[const int32_t *] when
    cdef vector[int32_t *] out
    cdef vector[int64_t] at, ends
    cdef const int32_t[::1] view, places
    cdef int32_t[::1] target_view
    cdef SymbolTable table
    cdef size_t j, best
    cdef int32_t length
    cdef const char *symbol
    cdef code_t code = 0
    results = []
    for table, view, places in zip(tables, codes, firsts, strict=True):
        if view.shape[0] != places.shape[0]:
            raise ValueError("the arrays do not fit together")
        result = numpy.empty(view.shape[0], numpy.int32)
        results.append(result)
        if view.shape[0] == 0:
            continue
        target_view = result
        from_.push_back(&table.table)
        of.push_back(&view[0])
        when.push_back(&places[0])
        out.push_back(&target_view[0])
        at.push_back(0)
        ends.push_back(view.shape[0])
    with nogil:
        while True:
            best = from_.size()
            for j in range(from_.size()):
                if at[j] < ends[j] and (best == from_.size() or when[j][at[j]] < when[best][at[best]]):
                    best = j
            if best == from_.size():
                break
            symbol = text_of(from_[best], of[best][at[best]], &length)
            code = intern(&target.table, symbol, length)
            if code == NO_MEMORY:
                break
            out[best][at[best]] = code
            at[best] += 1
    if code == NO_MEMORY:
        raise MemoryError
    return results


cdef struct ColumnView:
    const void *numbers  # of the value of each instance
    int32_t size  # of one in bytes
    const int32_t *begins  # value -> its features are features[begins[value]] .. features[begins[value + 1] - 1]
    const int32_t *features
    const int32_t *codes  # feature -> its code
    int32_t *rows  # feature -> its row, -1 as long as it has none
    int32_t *known  # value -> the row of its only feature, or one of the kinds below


cdef enum:
    UNKNOWN = -1  # its features may have no rows yet
    SEVERAL = -2  # it has none or several features, and all have rows


cdef inline void take(const ColumnView *column, int64_t begin, int32_t count, int32_t *out) noexcept nogil:
    cdef int32_t i
    if column.size == 1:
        for i in range(count):
            out[i] = (<const uint8_t *> column.numbers)[begin + i]
    elif column.size == 2:
        for i in range(count):
            out[i] = (<const uint16_t *> column.numbers)[begin + i]
    else:
        for i in range(count):
            out[i] = (<const int32_t *> column.numbers)[begin + i]


cdef int32_t give_rows(
    ColumnView *column, int32_t position, int32_t first, int32_t last, int32_t next_row, vector[int64_t] *keys
) except -1 nogil:
    """Give rows to the features of a value that have none, in the order of their codes; the next row after that."""
    cdef vector[int64_t] new
    cdef int32_t f
    cdef size_t i
    for f in range(first, last):
        if column.rows[column.features[f]] < 0:
            new.push_back(<int64_t> column.codes[column.features[f]] << 32 | column.features[f])
    sort(new.begin(), new.end())
    for i in range(new.size()):
        column.rows[<int32_t> <uint32_t> new[i]] = next_row
        keys.push_back(key_of(position, <int32_t> (new[i] >> 32)))
        next_row += 1
    return next_row


def assemble(const int32_t[::1] classes not None, list columns):
    """The instances that columns make, and the key of each row; a column is (numbers, begins, features, codes).

    Rows are given as a feature map does: instance by instance, position by position, and by codes where a value has
    several features.

    >>> numbers = numpy.array([0, 1, 0], "u1"), numpy.array([0, 0, 1], "u1")
    >>> begins, features = numpy.array([0, 1, 2], "i4"), numpy.array([0, 1], "i4")
    >>> both = [(one, begins, features, numpy.array([5, 4], "i4")) for one in numbers]
    >>> instances, keys = assemble(numpy.array([7, 8, 7], "i4"), both)
    >>> instances.rows().tolist(), [hex(key) for key in keys]
    ([0, 1, 1, 2, 0, 3], ['0x1000000000005', '0x2000000000005', '0x1000000000004', '0x2000000000004'])
    """
    cdef int64_t count = classes.shape[0], begin, total = 0, room = 0
    cdef int32_t width = len(columns), p, k, some, f, first, last, value, row, number, next_row = 0
    cdef Instances result = Instances()
    cdef Store *store = &result.store
    cdef vector[ColumnView] sources
    cdef vector[vector[int32_t]] rows, known
    cdef vector[int32_t] buffer, line
    cdef vector[char] even  # whether each value of a column has one feature
    cdef vector[int64_t] keys
    cdef const int32_t[::1] begins, features, codes
    cdef const uint8_t[::1] raw
    cdef int32_t *out
    cdef ColumnView *column
    rows.resize(width)
    known.resize(width)
    for p, (numbers, a, b, c) in enumerate(columns):
        begins, features, codes, raw = a, b, c, numbers.view(numpy.uint8)
        if len(numbers) != count:
            raise ValueError("a column is of another length")
        rows[p].assign(codes.shape[0] + 1, -1)
        known[p].assign(begins.shape[0], UNKNOWN)
        sources.push_back(ColumnView(NULL, numbers.itemsize, &begins[0], NULL, NULL, rows[p].data(), known[p].data()))
        if count:
            sources[p].numbers = &raw[0]
        if features.shape[0]:
            sources[p].features, sources[p].codes = &features[0], &codes[0]
        lengths = numpy.diff(a)
        room += int(lengths.max(initial=0))
        even.push_back(bool((lengths == 1).all()))
    buffer.resize(<size_t> width * CHUNK + 1)
    line.resize(max(room, <int64_t> MOST_ASCENDING) + 1)
    # Room for all features: counted first, so that no memory is wasted.
    with nogil:
        for p in range(width):
            column = &sources[p]
            begin = 0
            if even[p]:
                total += count
                continue
            while begin < count:
                some = <int32_t> min(<int64_t> CHUNK, count - begin)
                take(column, begin, some, buffer.data())
                for k in range(some):
                    total += column.begins[buffer[k] + 1] - column.begins[buffer[k]]
                begin += some
    free(store.rows)
    free(store.starts)
    free(store.classes)
    store.rows = <int32_t *> large(max(total, 1) * sizeof(int32_t))
    store.starts = <int64_t *> malloc((count + 1) * sizeof(int64_t))
    store.classes = <int32_t *> malloc((count + 1) * sizeof(int32_t))
    if store.rows == NULL or store.starts == NULL or store.classes == NULL:
        raise MemoryError
    store.room, store.count_room, store.count, store.used = total, count + 1, count, total
    if count:
        memcpy(store.classes, &classes[0], count * sizeof(int32_t))
    store.starts[0] = 0
    with nogil:
        out = store.rows
        begin = 0
        while begin < count:
            some = <int32_t> min(<int64_t> CHUNK, count - begin)
            for p in range(width):
                take(&sources[p], begin, some, buffer.data() + p * CHUNK)
            for k in range(some):
                number = 0
                for p in range(width):
                    column = &sources[p]
                    value = buffer[p * CHUNK + k]
                    row = column.known[value]
                    if row >= 0:
                        line[number] = row
                        number += 1
                        continue
                    first, last = column.begins[value], column.begins[value + 1]
                    if row == UNKNOWN:
                        next_row = give_rows(column, p + 1, first, last, next_row, &keys)
                        column.known[value] = column.rows[column.features[first]] if last - first == 1 else SEVERAL
                    for f in range(first, last):
                        line[number] = column.rows[column.features[f]]
                        number += 1
                if number <= MOST_ASCENDING:
                    ascend(line.data(), number)
                else:
                    sort(line.begin(), line.begin() + number)
                memcpy(out, line.data(), number * sizeof(int32_t))
                out += number
                store.starts[begin + k + 1] = out - store.rows
            begin += some
    return result, copy_of(keys.data(), keys.size() * sizeof(int64_t), numpy.int64)
