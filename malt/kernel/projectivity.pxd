"""Lifting: the projectivization of a sentence.

Lowering: the deprojectivization of a sentence.
"""

from libc.stdint cimport uint8_t

from malt.kernel.types cimport code_t, int32_t, int64_t, node_t
from malt.kernel.vector cimport vector


cpdef enum:  # what becomes of a covered root word: it is attached to ...
    NONE  # nothing else
    IGNORE  # the head of the arc over it, until all lifts are done
    LEFT  # the left end of that arc
    RIGHT  # its right end
    HEAD  # its head

cpdef enum:  # the state of a sentence
    TREE
    NO_HEAD  # a word has no head
    NO_TREE  # the artificial root does not reach every word


cdef class Lifter:
    # Every vector has an element for each position, 0 included.
    cdef bint deepest  # which word is lifted first
    cdef bint lifting
    cdef int32_t covered_root

    cdef node_t words
    cdef vector[node_t] head
    cdef vector[node_t] origin  # the head before the first lift; 0 for a word that was not lifted
    cdef vector[uint8_t] path  # was something lifted past this word?
    cdef vector[uint8_t] covered  # was it a covered root word, and attached elsewhere?
    cdef vector[node_t] length  # of the arc in the file

    cdef vector[node_t] child  # the first dependent of a word ...
    cdef vector[node_t] sibling  # ... and after it the next; 0 ends the list
    cdef vector[node_t] dependents  # their number
    cdef vector[node_t] order  # the words in preorder
    cdef vector[node_t] rank  # a word dominates those with ranks rank[word] .. beyond[word] - 1
    cdef vector[node_t] beyond
    cdef vector[node_t] depth

    # Blocks
    cdef vector[node_t] left  # the block of a word ...
    cdef vector[node_t] right  # ... and its ends
    cdef vector[node_t] home  # the lowest word above with this word in its block; that is the head of a projective word
    cdef vector[node_t] before  # the neighbours to the left ...
    cdef vector[node_t] after  # ... and right, among the blocks on the same side of the same home; 0 at the ends
    cdef vector[node_t] nearest_left  # of the blocks at home in this word's block, those next to it
    cdef vector[node_t] nearest_right
    cdef vector[node_t] foreign  # number of those whose head is another
    cdef vector[node_t] begins  # the outermost block known so far that begins ...
    cdef vector[node_t] ends  # ... or ends at a position

    # Which words are below the one being lifted, as far as it is known
    cdef vector[int64_t] asked
    cdef vector[uint8_t] answer
    cdef int64_t question
    cdef node_t questioned

    cdef vector[node_t] top  # the root word above a word
    cdef vector[node_t] low  # the ends of the projection of a root word
    cdef vector[node_t] high
    cdef vector[node_t] least  # the least `high` of root words that begin here or later and can be attached

    cdef vector[int64_t] heap  # the words that may be non-projective, the next to be lifted on top

    cdef int run(self, node_t *heads, node_t *origins, uint8_t *paths, uint8_t *covereds, node_t words) except -1 nogil
    cdef bint grow(self) except -1 nogil
    cdef bint crossed(self) except -1 nogil
    cdef inline bint projective(self, node_t word) noexcept nogil
    cdef int build_blocks(self) except -1 nogil
    cdef int lift_all(self) except -1 nogil
    cdef int start(self) except -1 nogil
    cdef int push(self, node_t word) except -1 nogil
    cdef void pop(self) noexcept nogil
    cdef int lift(self, node_t word) except -1 nogil
    cdef int shrink(self, node_t head, node_t word) except -1 nogil
    cdef int move(self, node_t word, node_t head, node_t home) except -1 nogil
    cdef bint leaves(self, node_t other, node_t word, node_t head) noexcept nogil
    cdef int project_roots(self) except -1 nogil
    cdef int find_least(self) except -1 nogil
    cdef bint attach(self, node_t word) noexcept nogil


cpdef enum:  # how the head of a lifted word is found again: what is searched for is
    SEARCH_HEAD  # a word with the label of the head
    SEARCH_PATH  # the end of a path of marks
    SEARCH_BOTH  # the end of such a path with the label of the head

cdef enum:
    CALLS = 10_000  # visits of words after which dependents are no longer visited twice
    STEPS = 1_000_000_000  # words looked at, after which nothing is visited a second time: some seconds


cdef struct Visit:
    node_t word
    int32_t attempts  # how often its dependents may still be visited
    int64_t begin  # the dependents to visit are waiting[begin] .. waiting[end - 1], ...
    int64_t at  # ... the next of them
    int64_t end
    int64_t moves  # number of moves when the visit began
    bint found  # it is not lifted, or was put back
    bint all_found  # so are all that were visited below it


cdef class Lowerer:
    # Every vector has an element for each position, 0 included; the arrays begin with word 1.
    cdef int32_t search_for
    cdef int64_t limit  # CALLS, or what a test wants
    cdef node_t words
    cdef node_t *heads
    cdef const code_t *labels
    cdef const code_t *wanted
    cdef const uint8_t *path
    cdef uint8_t *lifted

    cdef vector[node_t] first  # the first ...
    cdef vector[node_t] last  # ... and the last dependent of a word
    cdef vector[node_t] before  # the dependents of the same head to the left ...
    cdef vector[node_t] after  # ... and to the right
    cdef vector[node_t] on_path  # number of dependents with a path mark
    cdef vector[node_t] size  # number of words that a word dominates, itself among them
    cdef vector[node_t] remaining  # number of those that are lifted
    cdef vector[node_t] queue
    cdef vector[node_t] waiting
    cdef vector[Visit] visits
    cdef int64_t moves
    cdef vector[int64_t] changed  # the number of moves when something last changed below a word
    cdef vector[int64_t] failed  # the number of moves, plus 1, when a word's head was last searched for in vain
    cdef vector[int64_t] unchanged  # the number of moves, plus 1, when a visit led to none, ...
    cdef vector[uint8_t] outcome  # ... and what it gave
    cdef int64_t steps  # words looked at in searches

    cdef inline bint in_vain(self, node_t word) noexcept nogil
    cdef int grow(self) except -1 nogil
    cdef int run(self) except -1 nogil
    cdef int begin_visit(self, node_t word, int64_t *calls) except -1 nogil
    cdef int list_dependents(self, Visit *visit) except -1 nogil
    cdef bint put_back(self, node_t word) except -1 nogil
    cdef node_t search(self, node_t word) except -1 nogil
