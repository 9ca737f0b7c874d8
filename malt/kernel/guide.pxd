"""Actions: a transition with its labels, and the classes that they are learned as.

The guide: from the values of features to an action.
"""

from malt.kernel.classifiers cimport VectorMachine, Weights
from malt.kernel.features cimport Features
from malt.kernel.instances cimport Map
from malt.kernel.system cimport State, System
from malt.kernel.types cimport code_t, int32_t, uint32_t, uint64_t
from malt.kernel.vector cimport vector


cdef struct Stage:  # a decision, as the kernel sees it
    int32_t first  # its items are items[first] .. items[last - 1]
    int32_t last
    bint transition  # does it decide the transition?
    bint combined  # several items: classes have a table of their own
    int32_t label  # the table of labels that a single item decides
    bint labelled_only  # does the next decision need a transition with a label?
    bint branched  # does the next decision depend on the class?


cdef class Stages:
    cdef vector[Stage] stages
    cdef vector[int32_t] items  # -1 for the transition, otherwise a table of labels
    cdef readonly int labels  # the number of tables of labels


cdef class Actions:
    cdef Stages stages
    cdef list _tables  # of labels, then of the classes of each decision
    cdef list _names  # the names of the transitions
    cdef str separator
    cdef list _chains  # a map per decision: items decided so far and the next -> a number
    cdef vector[Map *] chains
    cdef vector[vector[code_t]] classes  # decision -> number of a whole chain -> class; -1: not known yet

    cdef code_t code_of(self, int32_t decision, int32_t transition, const code_t *labels) except? -2 nogil
    cdef code_t register(self, int32_t decision, int32_t transition, const code_t *labels, int32_t row) except? -2 with gil


cdef struct Position:  # of a feature vector
    const int32_t *places  # where the weights of its feature with a code are
    uint32_t codes  # for codes below this; others are looked up in the map
    int32_t slot  # the value that stands there


cdef struct Predictor:  # one classifier
    int32_t node  # of the tree of decisions
    const Position *positions  # of its feature vector, in order
    int32_t width
    bint plain  # is every feature one symbol, and are the weights linear, so that the fast way can be taken?
    const Map *map
    const Weights *weights  # of a linear classifier, or NULL
    const VectorMachine *machine  # of a support vector machine, or NULL
    const int32_t *classes  # class code of each score
    int32_t count  # of classes


cdef struct Labelling:  # which labels an arc may have
    int32_t table  # where a label is special; -1: nowhere
    code_t label  # the special one
    bint wanted  # must it be this one, or any other?


cdef struct ScoredClass:  # a class with its score, for those who want to see why
    int32_t decision
    int32_t code
    double score


cdef class Candidates:
    cdef bint wanted  # are they kept below?
    cdef vector[ScoredClass] found


cdef class Guide:
    cdef Stages stages
    cdef int32_t labels  # the number of tables of labels
    cdef int32_t k  # the longest list of candidates, -1 for all
    cdef bint drops_nulls
    cdef int32_t divide  # the value that classifiers are divided by, or -1
    cdef vector[Predictor] predictors
    cdef list _keep_alive
    cdef Map *places  # node << 32 | (divide code + 2) -> predictor; node << 32 | 1 -> the one for all other codes
    cdef Map *children  # node << 32 | (class + 1) -> node
    cdef object _places
    cdef object _children
    cdef vector[vector[int32_t]] decoded  # decision -> class * (labels + 1) -> transition, labels

    cdef vector[vector[int32_t]] lists  # candidates of each decision
    cdef vector[int32_t] cursor
    cdef vector[int32_t] value
    cdef vector[int32_t] rows
    cdef vector[double] values
    cdef vector[double] scores
    cdef vector[double] keys
    cdef vector[int32_t] order
    cdef vector[double] workspace
    cdef readonly Candidates candidates

    cdef int decide(self, System system, State state, Features features, uint64_t seen, int32_t *transition, code_t *labels) except -1 nogil
    cdef double weigh(self, System system, State state, Features features, int32_t arc, Labelling labelling, code_t *labels) except? -1 nogil
    cdef double seek(self, const Predictor *predictor, System system, Features features, int32_t decision, int32_t arc, Labelling labelling, code_t *labels) except? -1 nogil
    cdef int score_plain(self, const Predictor *predictor, Features features) except -1 nogil
    cdef int score_all(self, const Predictor *predictor, Features features) except -1 nogil
    cdef int record(self, const Predictor *predictor, int32_t decision) except -1 nogil
    cdef int rank(self, const Predictor *predictor, int32_t most) except -1 nogil
    cdef int32_t length(self, const Predictor *predictor) noexcept nogil
    cdef const Predictor *predictor_of(self, int32_t node, Features features) noexcept nogil
    cdef int predict(self, System system, State state, Features features, int32_t decision) except -1 nogil
    cdef bint next(self, int32_t decision) noexcept nogil
    cdef bint advance(self, System system, State state, Features features, int32_t decision) except -1 nogil
    cdef bint continues(self, System system, int32_t decision) noexcept nogil
    cdef int32_t node_of(self, int32_t decision) noexcept nogil
    cdef void read_action(self, int32_t *transition, code_t *labels) noexcept nogil
    cdef bint permissible(self, System system, State state, uint64_t seen, int32_t transition, const code_t *labels) noexcept nogil
    cdef void default(self, System system, uint64_t seen, int32_t *transition, code_t *labels) noexcept nogil
