from malt.kernel.types cimport code_t, int32_t, int64_t, uint32_t


cpdef enum ColumnType:  # as the files of MaltParser number them
    STRING = 1
    INTEGER
    ECHO = INTEGER
    BOOLEAN
    REAL


cpdef enum Category:  # as there
    INPUT = 1
    HEAD
    DEPENDENCY_EDGE_LABEL
    OUTPUT = DEPENDENCY_EDGE_LABEL
    PHRASE_STRUCTURE_EDGE_LABEL
    PHRASE_STRUCTURE_NODE_LABEL
    SECONDARY_EDGE_LABEL
    IGNORE


cdef enum:
    NO_CODE = -1  # the symbol is not in the table
    NO_MEMORY = -2  # the table could not grow


cdef struct Table:
    char *arena  # the UTF-8 text of all symbols, one after another
    int64_t arena_used
    int64_t arena_room
    int64_t *offset  # where the symbol of code base + i begins in the arena
    int32_t *length  # its length in bytes; -1: no symbol has this code
    uint32_t *hash  # its hash, so that growing needs no text
    int32_t used  # codes base .. base + used - 1 are taken
    int32_t room
    code_t base  # the first code that this table itself gives
    int32_t *slots  # open addressing: index + 1 of a symbol, 0 where free
    uint32_t slot_mask
    int32_t filled  # number of slots in use
    Table *parent  # a read-only table that is asked first, or NULL


cdef code_t find(const Table *table, const char *text, int64_t length) noexcept nogil
cdef code_t intern(Table *table, const char *text, int64_t length) noexcept nogil
cdef const char *text_of(const Table *table, code_t code, int32_t *length) noexcept nogil


cdef class SymbolTable:
    cdef Table table
    cdef readonly str name
    cdef readonly int category
    cdef readonly int type
    cdef readonly str null_strategy
    cdef readonly SymbolTable parent
    cdef int nulls
