"""The words that features look at.

The values of features in a configuration.

Propagation (-fp): what is known of a dependent is passed on to its head.
"""

from malt.kernel.instances cimport FeatureMap, Map
from malt.kernel.symbols cimport SymbolTable, Table
from malt.kernel.system cimport RIGHT_CONTEXT, State
from malt.kernel.types cimport code_t, int32_t, int64_t, node_t, uint32_t
from malt.kernel.vector cimport vector


cpdef enum AddressStep:  # from the node of another address to a relative of it; features name them in small letters
    HEAD = RIGHT_CONTEXT + 1  # an operation of an Address is a Structure or an AddressStep
    LDEP
    RDEP
    RDEP2
    LSIB
    RSIB
    PRED
    SUCC
    ANC
    PANC
    LDESC
    PLDESC
    RDESC
    PRDESC


cdef struct CompiledAddress:
    int32_t operation
    int32_t index  # the place in the structure, or the address that the step goes from
    int32_t stack  # how many stacks after the active one


cdef class Addresses:
    cdef vector[CompiledAddress] program
    cdef vector[node_t] nodes  # the result: one node an address
    cdef vector[node_t] visit  # workspace

    cdef int run(self, State state) except -1 nogil
    cdef node_t step(self, State state, int32_t operation, node_t node) except? -2 nogil
    cdef node_t descend(self, State state, int32_t operation, node_t node) except? -2 nogil
    cdef node_t context(self, State state, int32_t index, int32_t direction) noexcept nogil
    cdef node_t extreme(self, State state, node_t node, bint leftmost) except? -2 nogil


cpdef enum Computation:  # how the value of a feature is made
    INPUT_COLUMN  # column a of the word of address b
    INPUT_NUMBER  # the same as a number
    LABEL  # label a of the arc to the word of address b
    EXTRA  # propagated column a of the word of address b
    ARC  # the arc between the words of addresses a and b
    INPUT_ARC  # the same, with heads from input column c (-1: the HEAD column)
    ARC_DIRECTION  # on which side of the word of address a its head is
    INPUT_ARC_DIRECTION  # the same, with heads from input column c
    EXISTS
    DISTANCE  # between the words of addresses a and b, by the limits c
    CROSSINGS  # arcs that cross one between the words of addresses a and b, by the limits c
    NUMBER_OF  # dependents of the word of address a, on the sides b, by the limits c
    MERGE  # features a, b and, if not negative, c
    MERGE_NUMBERS
    PARTS  # of feature a, by the parts c; b: of its first characters so many, or if negative of its last ones, or 0: all parts
    LABEL_SET  # labels a of the dependents of the word of address b, on the sides c
    BETWEEN  # column c of the words between those of addresses a and b
    JOIN  # the features of list c, of which a is the first; b is that which gives a set, or -1
    ARC_LABEL  # label a of the arc from the word of address b to that of address c
    ALWAYS_NULL


cpdef enum Direction:  # the codes of arcs; 0 is the null value
    ARC_LEFT = 1
    ARC_RIGHT
    ARC_ROOT


cpdef enum Side:  # the dependents that NUMBER_OF counts and LABEL_SET looks at
    LDEPS = 1
    RDEPS = 2
    DEPS = LDEPS | RDEPS
    HEADS = 4


cdef inline bint is_conjunction(int32_t operation) noexcept nogil:
    return operation == MERGE or operation == JOIN


cdef struct CompiledFeature:
    int32_t operation
    int32_t a
    int32_t b
    int32_t c
    int32_t table  # the table of its symbols
    int32_t type  # a ColumnType
    code_t no_node  # the codes of null values
    code_t root_node
    code_t no_value


cdef struct FeatureValue:
    code_t code  # -1: a symbol that is in no table
    bint null  # is it a null value?
    double number  # 1 but for numbers; 0: the feature is absent
    int32_t first  # several values: many[first] .. many[last - 1]
    int32_t last


cdef struct Sizes:
    uint32_t a
    uint32_t b
    uint32_t c
    uint32_t cells  # whose cells these are: those of the first such feature


cdef class Features:
    cdef readonly Addresses addresses
    cdef vector[CompiledFeature] program
    cdef vector[FeatureValue] values  # the result: one value a feature
    cdef vector[code_t] many
    cdef list _tables  # keeps them alive
    cdef vector[Table *] tables
    cdef vector[code_t] limits  # codes of a table from here on are those of a block, not of the model
    cdef list _parts  # (split, source): a function symbol -> its parts, None for Prefix and Suffix, and the table of these symbols
    cdef vector[int32_t] part_sources  # the latter
    cdef vector[vector[int32_t]] part_first  # the parts of code c are parts[part_first[c]] .. parts[part_last[c] - 1],
    cdef vector[vector[int32_t]] part_last  # each of these for every item of _parts; part_first -1: not known yet
    cdef vector[vector[code_t]] parts  # as codes of the feature's table; -1: it has none
    cdef vector[vector[code_t]] own_parts  # the same for codes of a block, which are forgotten with it
    cdef vector[vector[int32_t]] thresholds  # for DISTANCE and NUMBER_OF
    cdef vector[vector[int32_t]] joins  # for JOIN
    cdef vector[int32_t] label_tables  # label -> its table
    cdef vector[code_t] found  # workspace: a set of codes
    cdef list _merges  # two maps per table of merged symbols, None for other tables
    cdef vector[Map *] pairs
    cdef vector[Map *] merged
    cdef vector[char] text  # workspace: a symbol that is being put together
    cdef bint frozen  # no new symbols: parsing
    cdef int32_t missing  # the column of a word without a value that was asked for, or -1
    cdef node_t missing_at
    cdef int32_t first_word  # of the sentence in its block

    cdef const code_t *input  # the coded columns of the sentence's words
    cdef int32_t width
    cdef const node_t *input_heads
    cdef vector[vector[double]] numbers  # column -> code -> number; NaN: not known yet
    cdef vector[vector[code_t]] cells  # feature -> its merged code for each combination of codes of small tables
    cdef vector[Sizes] sizes  # feature -> the sizes of these tables, 0 if they are not small, and where its cells are
    cdef bint plain  # is every feature one symbol, never a set of them or a number?

    cdef int make_cells(self) except -1
    cdef void begin(self, const code_t *input, int32_t width, const node_t *input_heads, int32_t first_word) noexcept nogil
    cdef int run(self, State state) except -1 nogil
    cdef int tell_missing(self) except -1 with gil
    cdef int evaluate(self, State state, const CompiledFeature *feature, FeatureValue *value) except -1 nogil
    cdef inline bint is_merged_null(self, int32_t index) noexcept nogil:
        return index >= 0 and self.values[index].null and is_conjunction(self.program[index].operation)

    cdef int merge(self, const CompiledFeature *feature, FeatureValue *value) except -1 nogil
    cdef int merge_again(self, const CompiledFeature *feature, FeatureValue *value) except -1 nogil
    cdef int merge_numbers(self, const CompiledFeature *feature, FeatureValue *value) except -1 nogil
    cdef int register_number(self, const CompiledFeature *feature, double number) except -1 with gil
    cdef int take_parts(self, const CompiledFeature *feature, FeatureValue *value) except -1 nogil
    cdef int list_parts(self, int32_t index, vector[code_t] *codes) except -1 nogil
    cdef int list_labels(self, State state, const CompiledFeature *feature, FeatureValue *value) except -1 nogil
    cdef int list_between(self, const CompiledFeature *feature, FeatureValue *value) except -1 nogil
    cdef int join_all(self, const CompiledFeature *feature, FeatureValue *value) except -1 nogil
    cdef int append_all(self, const CompiledFeature *feature, code_t chosen) except -1 nogil
    cdef code_t code_of_text(self, const CompiledFeature *feature) except? -3 nogil
    cdef int append_code(self, int32_t table, code_t code) except -1 nogil
    cdef int append_symbol(self, int32_t feature) except -1 nogil
    cdef int append_merged(self, const CompiledFeature *feature) except -1 nogil
    cdef int append_part(self, const CompiledFeature *feature) except -1 nogil
    cdef int keep_first_part(self, const CompiledFeature *feature, size_t begin) except -1 with gil
    cdef vector[code_t] *parts_of(self, const CompiledFeature *feature, code_t code) noexcept nogil
    cdef int learn_parts(self, const CompiledFeature *feature, code_t code) except -1 nogil
    cdef int split_symbol(self, const CompiledFeature *feature, const char *symbol, int32_t length, vector[code_t] *parts) except -1 with gil
    cdef int start_anew(self, int32_t table) except -1 with gil
    cdef code_t join(self, const CompiledFeature *feature) except? -3 nogil
    cdef double number_of(self, int32_t column, code_t code) except? -1 nogil
    cdef int learn_number(self, int32_t column, code_t code) except -1 with gil
    cdef node_t input_head(self, int32_t column, node_t node) except? -2 nogil
    cdef int label_between(self, State state, const CompiledFeature *feature, FeatureValue *value) except -1 nogil
    cdef int32_t crossings(self, State state, int32_t limits, node_t left, node_t right) noexcept nogil
    cdef bint bucket(self, const CompiledFeature *feature, int32_t number, FeatureValue *value) noexcept nogil


cdef class Propagation:
    cdef readonly int columns  # number of propagated columns
    cdef tuple _rules
    cdef dict _tables
    cdef tuple _coded
    cdef tuple _labels
    cdef int run(self, State state, const code_t *input, int32_t width, node_t dependent) except -1 nogil
    cdef int pass_on(self, State state, const code_t *input, int32_t width, node_t dependent) except -1 with gil
