# cython: wraparound=True
"""The order in which MaltParser's own hash map lists its keys, which is that of the entries of a feature map's file.

Open addressing with linear probing; the table doubles before it is more than three quarters full; a removal moves later
keys of the same run back into the hole.

Reads the serialized Java objects of MaltParser's model files.

Only the classes of malt.mco.javaclasses are read, and each only where a model has it, so nothing in a file can ask for
anything but numbers. Every length is checked against what is left of the file before memory is taken for it.

Writes rows of doubles as Java serializes them; a row that is equal to an earlier one becomes a reference to that.
"""

from libc.string cimport memcmp, memcpy
from libcpp.string cimport string

import numpy

from malt.errors import DataError
from malt.kernel.types cimport int32_t, int64_t, uint32_t, uint64_t, uint8_t
from malt.kernel.vector cimport vector
from malt.mco.javaclasses import CLASSES, HASH_MAP, NODE as NODE_NAME, SOLVER_TYPE


cdef inline uint32_t home(uint32_t hash, uint32_t mask) noexcept nogil:
    """The slot where the search for a key begins."""
    hash += ~(hash << 9)
    hash ^= hash >> 14
    hash += hash << 4
    hash ^= hash >> 10
    return hash & mask


cdef class Slots:
    """The slots of a map, which hold the keys' numbers."""

    cdef const int32_t[::1] hashes
    cdef vector[int32_t] slots
    cdef uint32_t mask
    cdef int64_t size

    def __cinit__(self, const int32_t[::1] hashes not None):
        self.hashes = hashes
        self.slots.assign(4, -1)
        self.mask = 3

    cdef uint32_t find(self, int32_t key) noexcept nogil:
        """The slot that holds a key, or the free one where it belongs."""
        cdef uint32_t slot = home(<uint32_t> self.hashes[key], self.mask)
        while self.slots[slot] >= 0 and self.slots[slot] != key:
            slot = (slot + 1) & self.mask
        return slot

    cdef int put(self, int32_t key) except -1 nogil:
        """Enter a key, or enter it again: that, too, makes the table grow when it is nearly full."""
        cdef vector[int32_t] old
        cdef size_t i
        cdef uint32_t slot
        if 3 * <int64_t> self.slots.size() < 4 * (self.size + 1):
            old.swap(self.slots)
            while 3 * (<int64_t> self.mask + 1) < 4 * (self.size + 1):
                self.mask = 2 * self.mask + 1
            self.slots.assign(<size_t> self.mask + 1, -1)
            for i in range(old.size()):
                if old[i] >= 0:
                    self.slots[self.find(old[i])] = old[i]
        slot = self.find(key)
        self.size += self.slots[slot] < 0
        self.slots[slot] = key
        return 0

    cdef void remove(self, int32_t key) noexcept nogil:
        cdef uint32_t hole = self.find(key), slot = hole, begin
        if self.slots[hole] < 0:
            return
        self.size -= 1
        while True:
            slot = (slot + 1) & self.mask
            if self.slots[slot] < 0:
                break
            begin = home(<uint32_t> self.hashes[self.slots[slot]], self.mask)
            # A key may move back unless its search begins behind the hole.
            if (hole < begin <= slot) if hole <= slot else (hole < begin or begin <= slot):
                continue
            self.slots[hole] = self.slots[slot]
            hole = slot
        self.slots[hole] = -1


def slot_order(const int32_t[::1] hashes not None, const uint8_t[::1] dropped=None):
    """The order of keys with given hashes, entered one after another, and the table's capacity.

    With `dropped` every key is then looked at again in the same order, and removed or entered once more.

    >>> order, capacity = slot_order(numpy.arange(1, 6, dtype=numpy.int32))
    >>> order.tolist(), capacity
    ([4, 2, 3, 1, 0], 8)
    """
    cdef Slots slots = Slots(hashes)
    cdef int32_t key
    cdef size_t i
    cdef int64_t used = 0
    cdef int32_t[::1] order
    if dropped is not None and dropped.shape[0] != hashes.shape[0]:
        raise ValueError(f"{hashes.shape[0]} hashes, {dropped.shape[0]} marks")
    with nogil:
        for key in range(<int32_t> hashes.shape[0]):
            slots.put(key)
        if dropped is not None:
            for key in range(<int32_t> hashes.shape[0]):
                if dropped[key]:
                    slots.remove(key)
                else:
                    slots.put(key)
    result = numpy.empty(slots.size, dtype=numpy.int32)
    order = result
    for i in range(slots.slots.size()):
        if slots.slots[i] >= 0:
            order[used] = slots.slots[i]
            used += 1
    return result, slots.slots.size()


cpdef enum Tag:  # of the stream
    TC_NULL = 0x70
    TC_REFERENCE = 0x71
    TC_CLASSDESC = 0x72
    TC_OBJECT = 0x73
    TC_STRING = 0x74
    TC_ARRAY = 0x75
    TC_BLOCKDATA = 0x77
    TC_ENDBLOCKDATA = 0x78
    TC_ENUM = 0x7E


cpdef enum:
    FIRST_HANDLE = 0x7E0000


cdef enum HandleKind:  # what a handle stands for
    CLASS  # value: its place in the list of classes
    TEXT  # value: its place in the list of texts
    NUMBER  # value: the number itself
    ROW  # of doubles; value: its place among the rows
    NODE  # of a support vector; value: its place among the nodes
    OTHER


cdef struct Handle:
    HandleKind kind
    int64_t value


cdef inline uint64_t big_endian(const unsigned char *text, int bytes) noexcept nogil:
    cdef uint64_t result = 0
    cdef int i
    for i in range(bytes):
        result = result << 8 | text[i]
    return result


cdef inline double double_at(const unsigned char *text) noexcept nogil:
    cdef uint64_t bits = big_endian(text, 8)
    cdef double result
    memcpy(&result, &bits, 8)
    return result


cdef object array_of(const void *numbers, size_t size, type kind):
    """An array of NumPy with so many numbers of a kind."""
    cdef unsigned char[::1] bytes
    result = numpy.empty(size, dtype=kind)
    if size:
        bytes = result.view(numpy.uint8)
        memcpy(&bytes[0], numbers, bytes.shape[0])
    return result


cdef class JavaReader:
    """Reads one file. `read` gives the fields of the object that it holds.

    >>> JavaReader(bytes.fromhex("aced0005 73 72 0010") + b"java.lang.String", "odm0.moo").read("x")
    Traceback (most recent call last):
    malt.errors.DataError: odm0.moo: byte 6: class java.lang.String is none that a model holds; the file is damaged
    """

    cdef const unsigned char *text
    cdef int64_t size
    cdef int64_t at
    cdef object buffer  # what keeps the text in memory
    cdef str name
    cdef dict known
    cdef list classes
    cdef list texts
    cdef vector[Handle] handles
    cdef int64_t most_rows

    def __init__(self, const unsigned char[::1] text not None, str name="", int64_t most_rows=0x7FFFFFFF):
        """most_rows: how many rows of numbers there can be use for. One that is there already takes a few bytes in the
        file, or a single one if it is empty, and in memory always sixteen."""
        self.buffer, self.name, self.known, self.most_rows = text, name, CLASSES, most_rows
        self.text = &text[0] if text.shape[0] else NULL
        self.size, self.classes, self.texts = text.shape[0], [], []

    def read(self, str expected) -> dict:
        """The fields of the one object of the file, which must be of the class that is expected."""
        if self.size < 4 or big_endian(self.text, 4) != <uint64_t> 0xACED0005:
            self.at = 0
            self.fail("this is no serialized Java object")
        self.at = 4
        result = self.record(expected)
        if result is None:
            self.fail("there is no object")
        if self.at != self.size:
            self.fail("there is more than one object")
        return result

    cdef int fail(self, str message) except -1:
        """Say what is wrong, and where."""
        raise DataError(f"byte {self.at}: {message}; the file is damaged", self.name)

    cdef int need(self, int64_t bytes) except -1:
        if bytes > self.size - self.at:
            self.at = self.size
            self.fail("the file ends too early")
        return 0

    cdef int tag(self) except -1:
        self.need(1)
        self.at += 1
        return self.text[self.at - 1]

    cdef int64_t integer(self, int bytes) except? -1:
        """A signed number of so many bytes."""
        cdef int64_t result
        self.need(bytes)
        result = <int64_t> (big_endian(self.text + self.at, bytes) << (64 - 8 * bytes)) >> (64 - 8 * bytes)
        self.at += bytes
        return result

    cdef double number(self) except? -1:
        self.need(8)
        self.at += 8
        return double_at(self.text + self.at - 8)

    cdef int64_t length(self, int64_t bytes) except -1:
        """The length of an array whose elements have at least so many bytes."""
        cdef int64_t result = self.integer(4)
        if result < 0 or result * bytes > self.size - self.at:
            self.fail(f"an array of {result} elements does not fit into the file")
        return result

    cdef int remember(self, HandleKind kind, int64_t value) except -1:
        self.handles.push_back(Handle(kind, value))
        return 0

    cdef Handle *handle(self, HandleKind kind) except NULL:
        """What a reference stands for; its tag has been read."""
        cdef int64_t place = self.integer(4) - FIRST_HANDLE
        if place < 0 or place >= <int64_t> self.handles.size() or self.handles[place].kind != kind:
            self.fail("a reference leads to nothing that fits")
        return &self.handles[place]

    cdef str utf(self):
        cdef int64_t length = self.integer(2) & 0xFFFF
        self.need(length)
        self.at += length
        return self.text[self.at - length : self.at].decode("utf-8", "backslashreplace")

    cdef str string(self):
        """A text as an object of its own."""
        cdef int tag = self.tag()
        if tag == TC_REFERENCE:
            return self.texts[self.handle(TEXT).value]
        if tag != TC_STRING:
            self.fail("a text was expected")
        self.remember(TEXT, len(self.texts))
        self.texts.append(self.utf())
        return self.texts[-1]

    cdef object class_description(self, str expected):
        """The description of a class, which must be the expected one."""
        cdef int tag = self.tag()
        if tag == TC_REFERENCE:
            found = self.classes[self.handle(CLASS).value]
        elif tag == TC_CLASSDESC:
            found = self.new_class_description()
        else:
            self.fail("a class was expected")
        if found.name != expected:
            self.fail(f"an object of class {expected} was expected, not {found.name}")
        return found

    cdef int expect(self, str expected, int64_t *known) except -1:
        """The same where one class comes again and again: `known`, at first -1, is what a reference to it says."""
        cdef int64_t begin = self.at
        if self.size - begin >= 5 and self.text[begin] == TC_REFERENCE:
            if <int64_t> big_endian(self.text + begin + 1, 4) == known[0]:
                self.at += 5
                return 0
            self.class_description(expected)
            known[0] = <int64_t> big_endian(self.text + begin + 1, 4)
            return 0
        self.class_description(expected)
        return 0

    cdef object new_class_description(self):
        cdef int64_t begin = self.at
        cdef str name = self.utf()
        cdef int fields
        found = self.known.get(name)
        if found is None:
            self.at = begin
            self.fail(f"class {repr(name[:80])[1:-1]} is none that a model holds")
        version, place = self.integer(8), len(self.classes)
        self.remember(CLASS, place)
        self.classes.append(found)
        flags, fields = self.tag(), self.integer(2)
        if (version != found.version and not found.is_array) or flags != found.flags or fields != len(found.fields):
            self.fail(f"class {name} is not the one of MaltParser 1.7 to 1.9")
        for field in found.fields:
            type = chr(self.tag())
            if self.utf() != field.name or (self.string() if type in "L[" else type) != field.type:
                self.fail(f"class {name} is not the one of MaltParser 1.7 to 1.9")
        if self.tag() != TC_ENDBLOCKDATA:
            self.fail(f"the description of class {name} has no end")
        if found.parent:
            self.class_description(found.parent)
        elif self.tag() != TC_NULL:
            self.fail(f"class {name} has a parent")
        return found

    cdef object record(self, str expected):
        """The fields of an object; None where there is none."""
        cdef int tag = self.tag()
        if tag == TC_NULL:
            return None
        if tag != TC_OBJECT:
            self.fail(f"an object of class {expected} was expected")
        found = self.class_description(expected)
        self.remember(OTHER, 0)
        result = {field.name: self.field(field.type) for field in found.fields}
        if found.flags & 1 and self.tag() != TC_ENDBLOCKDATA:
            self.fail(f"the object of class {expected} has no end")
        return result

    cdef object field(self, str type):
        """The value of a field. Types are those of malt.mco.javaclasses, so this goes no deeper than they do."""
        if type == "I":
            return self.integer(4)
        if type == "D":
            return self.number()
        if type in ("[I", "[D"):
            return self.array(type)
        if type == "[[D":
            return self.matrix()
        if type == "[[Llibsvm/svm_node;":
            return self.vectors()
        name = type[1:-1].replace("/", ".")
        if name == HASH_MAP:
            return self.map()
        if name == SOLVER_TYPE:
            return self.enumerated()
        return self.record(name)

    cdef object enumerated(self):
        """The name of a constant."""
        if self.tag() != TC_ENUM:
            self.fail("the name of a solver was expected")
        self.class_description(SOLVER_TYPE)
        self.remember(OTHER, 0)
        return self.string()

    cdef int64_t boxed(self, str kind, int bytes, int64_t *known) except? -1:
        """A number that is an object."""
        cdef int tag = self.tag()
        cdef int64_t value
        if tag == TC_REFERENCE:
            return self.handle(NUMBER).value
        if tag != TC_OBJECT:
            self.fail(f"an object of class {kind} was expected")
        self.expect(kind, known)
        value = self.integer(bytes)
        self.remember(NUMBER, value)
        return value

    cdef object map(self):
        """A hash map from long to int: its capacity, keys and values."""
        cdef int64_t capacity, size, i, longs = -1, integers = -1
        cdef int64_t[::1] keys
        cdef int32_t[::1] values
        if self.tag() != TC_OBJECT:
            self.fail("a map was expected")
        self.class_description(HASH_MAP)
        self.remember(OTHER, 0)
        if self.tag() != TC_BLOCKDATA or self.tag() != 8:
            self.fail("the size of the map was expected")
        capacity = self.integer(4)
        size = self.length(10)
        key_array, value_array = numpy.empty(size, dtype=numpy.int64), numpy.empty(size, dtype=numpy.int32)
        keys, values = key_array, value_array
        for i in range(size):
            keys[i] = self.boxed("java.lang.Long", 8, &longs)
            values[i] = <int32_t> self.boxed("java.lang.Integer", 4, &integers)
        if self.tag() != TC_ENDBLOCKDATA:
            self.fail("the map has no end")
        return capacity, key_array, value_array

    cdef object array(self, str type):
        """An array of numbers; None where there is none."""
        cdef int tag = self.tag()
        cdef int64_t length
        cdef int bytes = 4 if type == "[I" else 8
        if tag == TC_NULL:
            return None
        if tag != TC_ARRAY:
            self.fail("an array was expected")
        self.class_description(type)
        self.remember(OTHER, 0)
        length = self.length(bytes)
        self.at += length * bytes
        return numpy.frombuffer(
            self.text[self.at - length * bytes : self.at], dtype=">i4" if bytes == 4 else ">f8"
        ).astype(numpy.int32 if bytes == 4 else numpy.float64)

    cdef object matrix(self):
        """Rows of doubles: where the numbers of each begin, their count, the length of each row, places and numbers."""
        cdef int tag = self.tag()
        cdef int64_t rows, row, length, k, known = -1
        cdef int64_t[::1] first
        cdef int32_t[::1] count, lengths
        cdef vector[int32_t] places
        cdef vector[double] numbers
        cdef uint64_t bits
        cdef const unsigned char *at
        cdef Handle *handle
        if tag != TC_ARRAY:
            self.fail("rows of numbers were expected")
        self.class_description("[[D")
        self.remember(OTHER, 0)
        rows = self.length(1)
        if rows > self.most_rows:
            self.fail(f"there are {rows} rows of numbers, and use for {self.most_rows}")
        first_array, count_array = numpy.empty(rows, dtype=numpy.int64), numpy.zeros(rows, dtype=numpy.int32)
        length_array = numpy.zeros(rows, dtype=numpy.int32)
        first, count, lengths = first_array, count_array, length_array
        for row in range(rows):
            tag = self.tag()
            if tag == TC_NULL:  # in models of old
                first[row] = numbers.size()
            elif tag == TC_REFERENCE:
                handle = self.handle(ROW)
                if handle.value >= row:
                    self.fail("a row of other numbers was named")
                first[row] = first[handle.value]
                count[row] = count[handle.value]
                lengths[row] = lengths[handle.value]
            elif tag == TC_ARRAY:
                self.expect("[D", &known)
                self.remember(ROW, row)
                length = self.length(8)
                first[row] = numbers.size()
                at = self.text + self.at
                for k in range(length):
                    memcpy(&bits, at + 8 * k, 8)
                    if bits != 0:  # a zero with a sign is kept, so that what is written again is the same
                        places.push_back(<int32_t> k)
                        numbers.push_back(double_at(at + 8 * k))
                self.at += 8 * length
                count[row] = <int32_t> (numbers.size() - first[row])
                lengths[row] = <int32_t> length
            else:
                self.fail("a row of numbers was expected")
        return (
            first_array,
            count_array,
            length_array,
            array_of(places.data(), places.size(), numpy.int32),
            array_of(numbers.data(), numbers.size(), numpy.float64),
        )

    cdef object vectors(self):
        """Support vectors: where each begins, and the indices and values of their features.

        A feature that is there already takes five bytes in the file, and in memory as many as any other: so there may be
        no more of these than of others. LIBSVM writes none.
        """
        cdef int tag = self.tag()
        cdef int64_t vectors, i, k, length
        cdef vector[int64_t] starts
        cdef vector[int32_t] node_index
        cdef vector[double] node_value
        cdef vector[int32_t] indices
        cdef vector[double] values
        cdef int64_t node
        if tag != TC_ARRAY:
            self.fail("support vectors were expected")
        self.class_description(f"[[L{NODE_NAME};")
        self.remember(OTHER, 0)
        vectors = self.length(1)
        starts.push_back(0)
        for i in range(vectors):
            if self.tag() != TC_ARRAY:
                self.fail("a support vector was expected")
            self.class_description(f"[L{NODE_NAME};")
            self.remember(OTHER, 0)
            length = self.length(5)
            for k in range(length):
                tag = self.tag()
                if tag == TC_REFERENCE:
                    node = self.handle(NODE).value
                    if indices.size() >= 2 * node_index.size():
                        self.fail("most features of support vectors are repeated, which no learner writes")
                elif tag == TC_OBJECT:
                    self.class_description(NODE_NAME)
                    node = node_index.size()
                    self.remember(NODE, node)
                    node_index.push_back(<int32_t> self.integer(4))
                    node_value.push_back(self.number())
                else:
                    self.fail("a feature of a support vector was expected")
                indices.push_back(node_index[node])
                values.push_back(node_value[node])
            starts.push_back(indices.size())
        return (
            array_of(starts.data(), starts.size(), numpy.int64),
            array_of(indices.data(), indices.size(), numpy.int32),
            array_of(values.data(), values.size(), numpy.float64),
        )



cdef inline int append(string *out, uint64_t number, int bytes) except -1 nogil:
    cdef int i
    for i in range(bytes):
        out.push_back(<char> (number >> (8 * (bytes - 1 - i))))
    return 0


cdef class RowWriter:
    """Writes sparse rows (malt.learning.rows). `handle` is the number of the next new object, `described` the
    description of the class [D, for the first row, and `known` the number of that class, for all others."""

    cdef const int64_t[::1] first
    cdef const int32_t[::1] count
    cdef const int32_t[::1] length
    cdef const int32_t[::1] places
    cdef const double[::1] numbers
    cdef readonly int64_t handle
    cdef int64_t known
    cdef bytes described
    cdef vector[int32_t] slots  # open addressing: number of a row plus 1, 0 where free
    cdef vector[int32_t] handles  # of each row

    def __init__(self, rows, int64_t handle, bytes described not None, int64_t known):
        self.first, self.count, self.length = rows.first, rows.count, rows.length
        self.places, self.numbers = rows.places, rows.numbers
        self.handle, self.described, self.known = handle, described, known
        cdef size_t room = 16
        while room < 2 * <size_t> self.first.shape[0]:
            room *= 2
        self.slots.assign(room, 0)
        self.handles.assign(self.first.shape[0], 0)

    cdef uint64_t hash_of(self, int32_t row) noexcept nogil:
        cdef uint64_t hash = <uint64_t> self.length[row] + 1, bits
        cdef int64_t i
        for i in range(self.first[row], self.first[row] + self.count[row]):
            memcpy(&bits, &self.numbers[i], 8)
            hash = (hash ^ <uint64_t> self.places[i] ^ bits) * <uint64_t> 0x9E3779B97F4A7C15
            hash ^= hash >> 29
        return hash

    cdef bint equal(self, int32_t a, int32_t b) noexcept nogil:
        cdef int32_t count = self.count[a]
        if count != self.count[b] or self.length[a] != self.length[b]:
            return False
        return count == 0 or (
            memcmp(&self.places[self.first[a]], &self.places[self.first[b]], count * sizeof(int32_t)) == 0
            and memcmp(&self.numbers[self.first[a]], &self.numbers[self.first[b]], count * sizeof(double)) == 0
        )

    def write(self, int32_t begin, int32_t end) -> bytes:
        """The rows from begin to end - 1; all must be asked for in order."""
        cdef string out
        cdef int32_t row, other, k
        cdef int64_t i
        cdef size_t slot, mask = self.slots.size() - 1
        cdef uint64_t bits
        cdef vector[uint64_t] dense
        for row in range(begin, end):
            slot = self.hash_of(row) & mask
            while self.slots[slot] != 0 and not self.equal(self.slots[slot] - 1, row):
                slot = (slot + 1) & mask
            if self.slots[slot] != 0:
                out.push_back(<char> TC_REFERENCE)
                append(&out, FIRST_HANDLE + self.handles[self.slots[slot] - 1], 4)
                continue
            self.slots[slot] = row + 1
            out.push_back(<char> TC_ARRAY)
            if self.described:
                out.append(<const char *> self.described, <size_t> len(self.described))
                self.described = b""
            else:
                out.push_back(<char> TC_REFERENCE)
                append(&out, FIRST_HANDLE + self.known, 4)
            self.handles[row] = <int32_t> self.handle
            self.handle += 1
            append(&out, self.length[row], 4)
            dense.assign(self.length[row], 0)
            for i in range(self.first[row], self.first[row] + self.count[row]):
                memcpy(&bits, &self.numbers[i], 8)
                dense[self.places[i]] = bits
            for k in range(self.length[row]):
                append(&out, dense[k], 8)
        return out
