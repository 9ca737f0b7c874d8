# distutils: language = c++
# cython: language_level=3, boundscheck=False, cdivision=True
"""Reads the serialized Java objects of MaltParser's model files.

Only the classes of malt.java.classes are read, and each only where a model has it, so nothing in a file can ask for
anything but numbers. Every length is checked against what is left of the file before memory is taken for it.
"""

from libc.string cimport memcpy
from libcpp.vector cimport vector

import numpy

from malt.errors import DataError
from malt.java.classes import CLASSES, HASH_MAP, SOLVER_TYPE
from malt.java.classes import NODE as NODE_NAME
from malt.kernel.types cimport int32_t, int64_t, uint64_t

cdef enum:  # the tags of the stream
    TC_NULL = 0x70
    TC_REFERENCE = 0x71
    TC_CLASSDESC = 0x72
    TC_OBJECT = 0x73
    TC_STRING = 0x74
    TC_ARRAY = 0x75
    TC_BLOCKDATA = 0x77
    TC_ENDBLOCKDATA = 0x78
    TC_ENUM = 0x7E
    FIRST_HANDLE = 0x7E0000


cdef enum Kind:  # what a handle stands for
    CLASS  # value: its place in the list of classes
    TEXT  # value: its place in the list of texts
    NUMBER  # value: the number itself
    ROW  # of doubles; value: its place among the rows
    NODE  # of a support vector; value: its place among the nodes
    OTHER


cdef struct Handle:
    Kind kind
    int64_t value


cdef struct Rows:  # rows of numbers, without zeros; equal rows may be the same
    vector[int64_t] first  # where the numbers of each row begin
    vector[int32_t] count  # how many they are
    vector[int32_t] length  # of the whole row, zeros included
    vector[int32_t] places  # of the numbers in their rows
    vector[double] numbers


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


cdef class Reader:
    """Reads one file. `read` gives the fields of the object that it holds.

    >>> Reader(bytes.fromhex("aced0005 73 72 0010") + b"java.lang.String", "odm0.moo").read("x")
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
    cdef Rows rows

    def __init__(self, const unsigned char[::1] text not None, str name=""):
        self.buffer, self.name, self.known = text, name, CLASSES
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

    def fail(self, str message):
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

    cdef void remember(self, Kind kind, int64_t value) noexcept:
        self.handles.push_back(Handle(kind, value))

    cdef Handle *handle(self, Kind kind) except NULL:
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

    cdef object described(self, str expected):
        """The description of a class, which must be the expected one."""
        cdef int tag = self.tag()
        if tag == TC_REFERENCE:
            found = self.classes[self.handle(CLASS).value]
        elif tag == TC_CLASSDESC:
            found = self.described_new()
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
            self.described(expected)
            known[0] = <int64_t> big_endian(self.text + begin + 1, 4)
            return 0
        self.described(expected)
        return 0

    cdef object described_new(self):
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
            self.described(found.parent)
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
        found = self.described(expected)
        self.remember(OTHER, 0)
        result = {field.name: self.field(field.type) for field in found.fields}
        if found.flags & 1 and self.tag() != TC_ENDBLOCKDATA:
            self.fail(f"the object of class {expected} has no end")
        return result

    cdef object field(self, str type):
        """The value of a field. Types are those of malt.java.classes, so this goes no deeper than they do."""
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
        self.described(SOLVER_TYPE)
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
        self.described(HASH_MAP)
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
        self.described(type)
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
        cdef uint64_t bits
        cdef const unsigned char *at
        cdef Handle *handle
        if tag != TC_ARRAY:
            self.fail("rows of numbers were expected")
        self.described("[[D")
        self.remember(OTHER, 0)
        rows = self.length(1)
        for row in range(rows):
            tag = self.tag()
            if tag == TC_NULL:  # in models of old
                self.rows.first.push_back(self.rows.numbers.size())
                self.rows.count.push_back(0)
                self.rows.length.push_back(0)
            elif tag == TC_REFERENCE:
                handle = self.handle(ROW)
                self.rows.first.push_back(self.rows.first[handle.value])
                self.rows.count.push_back(self.rows.count[handle.value])
                self.rows.length.push_back(self.rows.length[handle.value])
            elif tag == TC_ARRAY:
                self.expect("[D", &known)
                self.remember(ROW, row)
                length = self.length(8)
                self.rows.first.push_back(self.rows.numbers.size())
                at = self.text + self.at
                for k in range(length):
                    memcpy(&bits, at + 8 * k, 8)
                    if bits != 0:  # a zero with a sign is kept, so that what is written again is the same
                        self.rows.places.push_back(<int32_t> k)
                        self.rows.numbers.push_back(double_at(at + 8 * k))
                self.at += 8 * length
                self.rows.count.push_back(<int32_t> (self.rows.numbers.size() - self.rows.first.back()))
                self.rows.length.push_back(<int32_t> length)
            else:
                self.fail("a row of numbers was expected")
        return (
            array_of(self.rows.first.data(), self.rows.first.size(), numpy.int64),
            array_of(self.rows.count.data(), self.rows.count.size(), numpy.int32),
            array_of(self.rows.length.data(), self.rows.length.size(), numpy.int32),
            array_of(self.rows.places.data(), self.rows.places.size(), numpy.int32),
            array_of(self.rows.numbers.data(), self.rows.numbers.size(), numpy.float64),
        )

    cdef object vectors(self):
        """Support vectors: where each begins, and the indices and values of their features."""
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
        self.described(f"[[L{NODE_NAME};")
        self.remember(OTHER, 0)
        vectors = self.length(1)
        starts.push_back(0)
        for i in range(vectors):
            if self.tag() != TC_ARRAY:
                self.fail("a support vector was expected")
            self.described(f"[L{NODE_NAME};")
            self.remember(OTHER, 0)
            length = self.length(5)
            for k in range(length):
                tag = self.tag()
                if tag == TC_REFERENCE:
                    node = self.handle(NODE).value
                elif tag == TC_OBJECT:
                    self.described(NODE_NAME)
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
