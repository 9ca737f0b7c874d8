"""The reader's loop: text in columns -> integers, one block of whole sentences at a time, without the GIL."""

from libc.string cimport memchr, memcpy

import numpy

from malt.kernel.lines cimport (
    BAD_ID, BLANK, Line, LineKind, RANGE, WORD, field_end, is_digit, kind_of_line, take_line,
)
from malt.kernel.symbols cimport NO_CODE, NO_MEMORY, SymbolTable, Table, intern
from malt.kernel.types cimport code_t, int32_t, node_t, place_t
from malt.kernel.vector cimport vector


cpdef enum:  # what a column is read as
    SKIP
    VALUE
    HEAD
    LABEL


cpdef enum FaultKind:  # malt/data/formats/faults.py has them in words
    NO_FAULT
    TOO_MANY_FIELDS
    OTHER_FIELDS
    EMPTY_FIELD
    BAD_HEAD
    NO_SUCH_HEAD
    BAD_ID_TEXT
    ID_ORDER
    CUT_OFF
    BACKWARD_RANGE
    OUT_OF_MEMORY


class LineFault(Exception):
    """What is wrong with a line, and where: `line`, `begin` and `end` are places in the text that was read."""

    def __init__(self, kind, line, begin, end, column, expected, found):
        super().__init__(f"{kind} at byte {begin}, column {column}")
        self.kind, self.line, self.begin, self.end = kind, line, begin, end
        self.column, self.expected, self.found = column, expected, found


cdef struct Fault:
    FaultKind kind
    place_t line  # where the line begins
    place_t begin  # the field in question
    place_t end
    int32_t column  # its column
    int32_t expected  # a number that the message needs
    int32_t found


cdef class BlockReader:
    """Reads blocks of one file. `kinds` says what each column is."""

    cdef vector[int32_t] kinds
    cdef vector[int32_t] slots  # column -> index among the coded columns
    cdef vector[Table *] tables
    cdef int32_t columns
    cdef int32_t coded
    cdef int32_t id_column
    cdef bint extra
    cdef int32_t present  # columns other than SKIP that the words of this file have; -1 before the first word
    cdef int32_t fewest  # fields of the word that has fewest, those after the last column not counted
    cdef Fault fault
    cdef vector[node_t] heads
    cdef vector[code_t] values
    cdef vector[place_t] word_lines
    cdef vector[place_t] bounds
    cdef vector[int32_t] starts

    def __init__(self, kinds, int id_column, bint extra):
        self.columns = len(kinds)
        self.id_column = id_column
        self.extra = extra
        self.present = -1
        self.fewest = 0
        for kind in kinds:
            self.kinds.push_back(kind)
            self.slots.push_back(self.coded)  # read only where the column is coded
            self.coded += kind in (VALUE, LABEL)

    def read(self, bytes text not None, list tables not None, place_t begin=0):
        """Read a text of whole sentences, with the symbol table of each VALUE and LABEL column.

        Gives (starts, heads, values, word_lines, bounds). A `LineFault` tells the first thing that is wrong.
        """
        cdef const char *data = text
        cdef place_t size = len(text)
        if self.coded != <int32_t> len(tables):
            raise ValueError("one table per coded column is needed")
        self.tables.clear()
        for table in tables:
            self.tables.push_back(&(<SymbolTable?> table).table)
        self.heads.clear()
        self.values.clear()
        self.word_lines.clear()
        self.bounds.clear()
        self.starts.clear()
        self.fault.kind = NO_FAULT
        with nogil:
            self.scan(data, size, begin)
        if self.fault.kind == OUT_OF_MEMORY:
            raise MemoryError
        if self.fault.kind != NO_FAULT:
            f = self.fault
            raise LineFault(FaultKind(f.kind).name, f.line, f.begin, f.end, f.column, f.expected, f.found)
        cdef int32_t words = <int32_t> self.heads.size()
        heads = numpy.empty(words, numpy.int32)
        values = numpy.empty((words, self.coded), numpy.int32)
        lines = numpy.empty(words, numpy.int64)
        bounds = numpy.empty(self.bounds.size(), numpy.int64)
        starts = numpy.empty(self.starts.size(), numpy.int32)
        cdef node_t[::1] h = heads
        cdef code_t[:, ::1] v = values
        cdef place_t[::1] w = lines
        cdef place_t[::1] b = bounds
        cdef int32_t[::1] s = starts
        if words:
            memcpy(&h[0], self.heads.data(), words * sizeof(node_t))
            memcpy(&w[0], self.word_lines.data(), words * sizeof(place_t))
            if self.coded:
                memcpy(&v[0, 0], self.values.data(), words * self.coded * sizeof(code_t))
        memcpy(&b[0], self.bounds.data(), self.bounds.size() * sizeof(place_t))
        memcpy(&s[0], self.starts.data(), self.starts.size() * sizeof(int32_t))
        return starts, heads, values, lines, bounds

    cdef bint fail(self, FaultKind kind, place_t line, place_t begin, place_t end, int32_t column=0,
                   int32_t expected=0, int32_t found=0) noexcept nogil:
        self.fault.kind = kind
        self.fault.line = line
        self.fault.begin = begin
        self.fault.end = end
        self.fault.column = column
        self.fault.expected = expected
        self.fault.found = found
        return False

    cdef int scan(self, const char *text, place_t size, place_t begin) except -1 nogil:
        cdef place_t at = begin
        cdef Line line
        cdef LineKind kind
        cdef vector[int32_t] ids  # of the words of this sentence
        cdef vector[place_t] head_fields  # where their heads stand, for messages
        cdef bint counted = True  # ids are 1, 2, 3 ...
        self.starts.push_back(0)
        self.bounds.push_back(0)
        while at < size:
            take_line(text, size, at, &line)
            kind = kind_of_line(text, &line, self.columns, self.id_column)
            if kind == BLANK:
                if ids.size():
                    if not self.close(text, ids, head_fields, counted):
                        return 0
                    self.bounds.push_back(line.next)
                    ids.clear()
                    head_fields.clear()
                    counted = True
            elif kind == RANGE:
                if not self.ascends(text, at, &line):
                    return 0
            elif kind == WORD or kind == BAD_ID:
                if not self.word(text, at, &line, kind, ids, head_fields):
                    return 0
                counted = counted and ids.back() == <int32_t> ids.size()
            at = line.next
        if ids.size():
            if not self.close(text, ids, head_fields, counted):
                return 0
            self.bounds.push_back(size)
        return 0

    cdef bint word(self, const char *text, place_t at, const Line *line, LineKind kind, vector[int32_t] &ids,
                   vector[place_t] &head_fields) except -1 nogil:
        cdef place_t begin = line.begin, end
        cdef place_t head_field = line.begin
        cdef int32_t j = 0, present = 0, column_kind
        cdef node_t head = -1
        cdef code_t code
        cdef size_t base = self.values.size()
        self.values.resize(base + self.coded, NO_CODE)
        while True:
            end = field_end(text, begin, line.end)
            if j < self.columns:
                column_kind = self.kinds[j]
                if column_kind != SKIP:
                    present += 1
                    if end == begin:
                        return self.fail(EMPTY_FIELD, at, begin, end, j)
                if j == self.id_column:
                    if kind == BAD_ID or not self.take_id(text, at, begin, end, ids):
                        if self.fault.kind == NO_FAULT:
                            self.fail(BAD_ID_TEXT, at, begin, end, j)
                        return False
                if column_kind == VALUE:
                    code = intern(self.tables[self.slots[j]], text + begin, end - begin)
                    if code == NO_MEMORY:
                        return self.fail(OUT_OF_MEMORY, at, begin, end)
                    self.values[base + self.slots[j]] = code
                elif column_kind == HEAD:
                    head_field = begin
                    if not self.take_head(text, at, begin, end, j, &head):
                        return False
            j += 1
            if end == line.end:
                break
            begin = end + 1
        if j > self.columns and not self.extra:
            return self.fail(TOO_MANY_FIELDS, at, line.begin, line.end, 0, self.columns, j)
        if self.present < 0:
            self.present = present
        if present != self.present or j <= self.id_column:
            return self.fail(OTHER_FIELDS, at, line.end, line.end, j, self.present, present)
        if j < self.fewest and line.next == line.stop:
            # Unused columns may be missing, but not in a last line without an end: there the file was cut off.
            return self.fail(CUT_OFF, at, line.end, line.end, j, self.fewest, j)
        j = min(j, self.columns)
        self.fewest = min(self.fewest, j) if self.fewest else j
        if head >= 0:
            # A label belongs to an arc: without a head there is none.
            begin = line.begin
            for j in range(self.columns):
                end = field_end(text, begin, line.end)
                if self.kinds[j] == LABEL:
                    code = intern(self.tables[self.slots[j]], text + begin, end - begin)
                    if code == NO_MEMORY:
                        return self.fail(OUT_OF_MEMORY, at, begin, end)
                    self.values[base + self.slots[j]] = code
                if end == line.end:
                    break
                begin = end + 1
        if self.id_column < 0:
            ids.push_back(<int32_t> ids.size() + 1)
        self.heads.push_back(head)
        self.word_lines.push_back(at)
        head_fields.push_back(head_field)
        return True

    cdef bint ascends(self, const char *text, place_t at, const Line *line) noexcept nogil:
        """Whether a range such as 3-4 does not end before it begins. Its numbers may be of any length."""
        cdef place_t begin = line.begin, end, low, dash, high, k
        cdef int32_t j, order = 0
        for j in range(self.id_column):
            begin = field_end(text, begin, line.end) + 1
        end = field_end(text, begin, line.end)
        low = begin
        while text[low] == c'0':
            low += 1
        dash = low
        while text[dash] != c'-':
            dash += 1
        high = dash + 1
        while high < end and text[high] == c'0':
            high += 1
        if dash - low != end - high:
            order = 1 if dash - low > end - high else -1
        for k in range(end - high):
            if order == 0 and text[low + k] != text[high + k]:
                order = 1 if text[low + k] > text[high + k] else -1
        return order <= 0 or self.fail(BACKWARD_RANGE, at, begin, end, self.id_column)

    cdef bint take_id(self, const char *text, place_t at, place_t begin, place_t end, vector[int32_t] &ids) except -1 nogil:
        cdef int32_t value = 0, last = ids.back() if ids.size() else 0
        cdef place_t p
        if end - begin > 9:
            return False
        for p in range(begin, end):
            value = value * 10 + text[p] - c'0'
        if value <= last:
            return self.fail(ID_ORDER, at, begin, end, self.id_column, last + 1, value)
        ids.push_back(value)
        return True

    cdef bint take_head(self, const char *text, place_t at, place_t begin, place_t end, int32_t column,
                        node_t *head) noexcept nogil:
        cdef place_t p = begin
        cdef int32_t value = 0
        cdef bint negative = text[p] == c'-'
        if end - begin == 1 and text[begin] == c'_':
            return True
        if (negative or text[p] == c'+') and end - p > 1:
            p += 1
        while p < end - 1 and text[p] == c'0':
            p += 1
        if end - p > 9:
            return self.fail(BAD_HEAD, at, begin, end, column)
        while p < end:
            if not is_digit(text[p]):
                return self.fail(BAD_HEAD, at, begin, end, column)
            value = value * 10 + text[p] - c'0'
            p += 1
        if negative and value:  # -0 is 0, as in Java
            return self.fail(BAD_HEAD, at, begin, end, column)
        head[0] = value
        return True

    cdef bint close(self, const char *text, vector[int32_t] &ids, vector[place_t] &head_fields, bint counted) except -1 nogil:
        """End a sentence: heads, which the file gives as ids, become positions."""
        cdef int32_t first = self.starts.back(), n = <int32_t> ids.size(), i, low, high, middle
        cdef node_t head
        cdef place_t begin, p
        for i in range(n):
            head = self.heads[first + i]
            if head <= 0 or (counted and head <= n):
                continue
            low, high = 0, n
            if not counted:
                while low < high:
                    middle = (low + high) // 2
                    if ids[middle] < head:
                        low = middle + 1
                    else:
                        high = middle
            if counted or low == n or ids[low] != head:
                begin = head_fields[i]
                p = begin
                while p < begin + 12 and (is_digit(text[p]) or text[p] == c'+'):
                    p += 1
                return self.fail(NO_SUCH_HEAD, self.word_lines[first + i], begin, p, 0, ids[n - 1], head)
            self.heads[first + i] = low + 1
        self.starts.push_back(first + n)
        return True


def last_boundary(bytes text not None):
    """(cut, line): where the last sentence that a blank line ends is over, -1 if none is, and where the last line,
    which may go on, begins."""
    cdef const char *data = text
    cdef place_t size = len(text), near = 1 << 12, at, cut = -1
    cdef Line line
    with nogil:
        while True:  # from a line near the end on, and from farther away until a blank line is found
            at = 0
            if near < size:
                at = size - near
                while at < size and data[at - 1] != c'\n':
                    at += 1
            while at < size:
                take_line(data, size, at, &line)
                # A line without an end, or with a \r that may be half of \r\n, is not over.
                if line.next >= size and (line.stop == size or data[size - 1] == c'\r'):
                    break
                if line.begin >= line.end:
                    cut = line.next
                at = line.next
            if cut >= 0 or near >= size:
                break
            near *= 8
    return cut, at


def count_lines(bytes text not None):
    """The number of line ends: \\n, \\r and \\r\\n."""
    cdef const char *data = text
    cdef place_t size = len(text), at = 0, end, count = 0
    cdef unsigned char some
    with nogil:
        while at < size:
            end, some = min(at + 128, size), 0
            while at < end:
                some += (data[at] == c'\n')
                at += 1
            count += some
        if memchr(data, c'\r', size) != NULL:
            for at in range(size):
                count += data[at] == c'\r' and (at + 1 == size or data[at + 1] != c'\n')
    return count
