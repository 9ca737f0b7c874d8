"""What features see of words, and templates over it: for taggers and lemmatizers."""

from malt.kernel.symbols cimport SymbolTable, Table
from malt.kernel.types cimport code_t, int32_t, int64_t, uint32_t, uint64_t
from malt.kernel.vector cimport vector


cpdef enum:  # atoms; feature_models/perceptron/text.yaml names them in lower case
    FORM
    LOWER  # the form in lower case
    SHAPE  # the kinds of its characters
    MARK  # the tags that a frequent word may have
    PREFIX1
    PREFIX2
    PREFIX3
    PREFIX4
    SUFFIX1
    SUFFIX2
    SUFFIX3
    SUFFIX4
    SUFFIX5
    SUFFIX6
    TAG
    COARSE  # the first part of the tag
    WORD_ATOMS

cdef enum:
    MARGIN = 3  # words beyond a sentence at which templates may look
    PREFIXES = 4
    SUFFIXES = 6
    SHAPE_PARTS = 8
    LONGEST = 5  # characters of an ending that has a list of what words may be


cdef struct Spelling:
    uint64_t exact  # the hash of the form
    uint64_t lower  # and of its lower case
    int32_t first  # the kind of its first character


cdef class Recipe:
    """Templates: each sees some atoms, of a word or of those beside it."""

    cdef vector[int32_t] starts
    cdef vector[int32_t] members  # where an atom stands, seen from the first one of the word
    cdef vector[uint64_t] numbers  # mixed, a part of the keys

    cdef int make_keys(self, const uint64_t *atoms, vector[uint64_t] &keys) except -1 nogil


cdef class Words:
    """The atoms of the words of a sentence, 0 where there is nothing."""

    cdef vector[uint64_t] atoms
    cdef vector[Spelling] spellings
    cdef vector[uint32_t] characters  # workspace

    cdef int see(self, const Table *forms, const code_t *codes, int32_t count) except -1 nogil

    cdef inline uint64_t *of(self, int32_t word) noexcept nogil:
        return self.atoms.data() + (word + <int64_t> MARGIN) * WORD_ATOMS


# The keys of such lists: of a form, which is a hash, with its tag, be it a frequent one or not, and of an ending with
# the first part of the tag; 0 where a word has no such ending.
ctypedef uint64_t (*FormKey)(uint64_t form, int32_t tag, bint frequent) noexcept nogil
ctypedef uint64_t (*EndingKey)(const uint64_t *atoms, const Spelling *spelling, int32_t length, int32_t coarse) noexcept nogil

cdef object list_keys(SymbolTable forms, const code_t[::1] codes, const int32_t[::1] tags, const int32_t[::1] coarse,
                      FormKey form_key, EndingKey ending_key)
