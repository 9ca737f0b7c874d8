"""Charts: items, the steps that join them, an agenda, and the search for the best tree."""

from malt.kernel.spanning cimport Decoder, ProjectiveTree, SpanningTree
from malt.kernel.structure cimport TreeMeasurer
from malt.kernel.types cimport int8_t, int32_t, int64_t, node_t, uint64_t
from malt.kernel.vector cimport vector


cdef enum:
    NO_ITEM = -1
    LINK = -1  # the step of an item that Link has made
    START = -2  # and of an item that is a word alone
    COMPLETE = 1 << 30  # in `settled`: the head has all its dependents


cpdef enum Found:  # how a tree was found
    CERTIFIED  # the best of all trees is one of the class
    CHARTED  # it is the best of the class
    LIMITED  # it is the best that was known when there were too many items


cdef enum:
    ITEMS = 100_000  # of a chart: some tenths of a second
    MEGABYTES = 1000


cdef enum Outcome:
    FOUND  # the best
    NOTHING  # there is none that is better than the tree that was known
    STOPPED  # there were too many items
    DERIVED  # all items, not the best first


cdef struct Item:  # [i, j, h, gaps]: a head and the words below it, without the head; its intervals are in `Chart.ends`
    double cost  # of its arcs
    double rest  # what the arcs outside cost, at least, less what every tree costs
    double paid  # the prices of the sets that it has, which are in `rest`
    int64_t key  # its place on the agenda, lowest first
    int32_t left  # the item that was linked, or the first of two that were joined
    int32_t right  # the second; NO_ITEM after Link
    int32_t step  # the string of the step, LINK or START
    node_t head
    node_t size  # words below the head
    int8_t intervals
    int8_t flag
    bint closed  # was it taken from the agenda?


cdef struct Waiting:  # on the agenda
    int64_t key
    node_t size
    int32_t item


cdef struct Listed:  # an item in a list of those with the same ends
    int32_t item
    int32_t next  # NO_ITEM ends it


cdef struct Start:  # of such a list
    uint64_t key
    int32_t first


cdef struct Candidate:  # a head that a word may have
    double reduced  # what a tree with this arc costs more than the best, at least
    double cost
    node_t head


cdef class Chart:
    # The steps, compiled (malt/charts/compiler.py)
    cdef int32_t most  # intervals of an item
    cdef int32_t width  # numbers per item in `ends`
    cdef int32_t flags
    cdef vector[int64_t] step_code  # open addressing: the code of a string ...
    cdef vector[int32_t] step_number  # ... and its number; NO_ITEM where there is none
    cdef vector[int32_t] group_of  # [step, is the new item b?]
    cdef vector[int32_t] own_first  # the groups of a new item with p intervals are own_first[p] .. own_first[p + 1] - 1
    cdef vector[int32_t] group_number  # as `group_of` has it
    cdef vector[int32_t] group_signature
    cdef vector[int32_t] value_first  # of each group: its part of `value_end` and `value_sign`
    cdef vector[int32_t] value_end
    cdef vector[int32_t] value_sign
    cdef vector[int32_t] listed_first  # the signatures of an item with p intervals, as above
    cdef vector[int32_t] signature_number
    cdef vector[int32_t] end_first  # of each signature, as `signature_number` has it: its part of `signature_end`
    cdef vector[int32_t] signature_end
    cdef vector[int32_t] order  # [step, flag of a, flag of b]: the flag, or -1
    cdef vector[int32_t] settled  # of each flag: which gaps the head fills no more

    # A sentence
    cdef node_t words
    cdef bint single_root
    cdef bint best_first  # otherwise the smallest items first, and all of them
    cdef bint counting  # derivations, in `ways`
    cdef double ceiling  # no more than this is wanted
    cdef double unit  # costs closer than this are the same
    cdef vector[int32_t] candidate_first  # of each word: its heads, cheapest first, in `candidates`
    cdef vector[Candidate] candidates
    cdef vector[double] reduced  # workspace: [head, dependent]
    cdef vector[int32_t] set_first  # sets of words of which each costs something to enter (the dual prices of a best tree)
    cdef vector[node_t] set_member
    cdef vector[double] set_price

    # The chart
    cdef vector[Item] items
    cdef vector[node_t] ends  # `width` for each item: where each interval begins and ends
    cdef vector[double] ways  # derivations of each item
    cdef vector[int32_t] table  # open addressing: the items by what they are
    cdef vector[Start] starts  # open addressing: lists of closed items by signature
    cdef size_t lists  # of them
    cdef vector[Listed] listed
    cdef vector[Waiting] agenda  # a binary heap
    cdef vector[node_t] joined  # workspace: the intervals of an item to be
    cdef vector[node_t] linked
    cdef vector[int32_t] stack
    cdef int32_t goal  # the best item that is a tree
    cdef double reached  # no tree that is not known costs less than this

    cdef int weigh(self, SpanningTree tree, const double *scores, const node_t *known) except -1 nogil
    cdef int want_all(self) except -1 nogil
    cdef int allow(self, const double *scores) except -1 nogil
    cdef int allow_tree(self, const node_t *heads, node_t words) except -1 nogil
    cdef Outcome search(self, int64_t limit, int64_t memory) except * nogil
    cdef int64_t room(self) noexcept nogil
    cdef int start(self) except -1 nogil
    cdef int link(self, int32_t number) except -1 nogil
    cdef int combine(self, int32_t number) except -1 nogil
    cdef int join(self, int32_t one, int32_t two, int32_t group) except -1 nogil
    cdef int enlist(self, int32_t number) except -1 nogil
    cdef int add(self, node_t head, node_t size, int32_t flag, const node_t *ends, int32_t intervals, double cost,
                 int32_t step, int32_t left, int32_t right) except -1 nogil
    cdef int is_goal(self, int32_t number) except -1 nogil
    cdef double remainder(
        self, node_t head, int32_t flag, const node_t *ends, int32_t intervals, double *paid
    ) noexcept nogil
    cdef int32_t find(
        self, node_t head, int32_t flag, const node_t *ends, int32_t intervals, size_t *place
    ) noexcept nogil
    cdef int grow_table(self) except -1 nogil
    cdef size_t list_place(self, uint64_t key) noexcept nogil
    cdef int grow_starts(self) except -1 nogil
    cdef int push(self, int32_t number) except -1 nogil
    cdef Waiting pop(self) noexcept nogil
    cdef int read(self, int32_t number, node_t *heads) except -1 nogil


cdef class ChartDecoder(Decoder):
    """The best tree of a class. The best of all trees, where it is one of the class, is the best of the class: most
    sentences need no chart. Its room is kept from one sentence to the next; one for each thread."""

    cdef Chart chart
    cdef SpanningTree spanning
    cdef ProjectiveTree projective
    cdef TreeMeasurer measurer
    cdef vector[node_t] known  # a tree of the class, to begin with
    cdef int32_t k
    cdef bint well_nested
    cdef int64_t limit  # items of a chart, after which the best tree that is known is taken
    cdef int64_t memory  # bytes, for the same
    cdef public bint certify  # is the best of all trees asked first?
    cdef public bint best_first  # does the chart stop when the best tree is found?

    # The last sentence
    cdef readonly int32_t how  # CERTIFIED, CHARTED or LIMITED
    cdef readonly double score
    cdef readonly double bound  # no tree of the class scores more than this
    cdef readonly int64_t items

    # All sentences
    cdef readonly int64_t certified
    cdef readonly int64_t charted
    cdef readonly int64_t limited
    cdef readonly int64_t touched  # items
    cdef readonly double furthest  # most that a tree may be worse than the best of the class

    cdef int climb(self, const double *scores, node_t words, bint single_root) except -1 nogil
    cdef bint lift(self, const node_t *heads, node_t words) except -1 with gil
    cdef double value(self, const double *scores, node_t words, const node_t *heads) noexcept nogil
