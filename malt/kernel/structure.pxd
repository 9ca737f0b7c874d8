"""The crossings graph of one sentence: what the measures and the oracles of planar parsers ask for.

The planes of a crossings graph: how many are needed, and which link goes where.

The measures of a tree. The crossings graph and its planes are in crossings.pxd and planes.pxd.
"""

from malt.kernel.nesting cimport Binarisation, MERGING_EFFORT
from malt.kernel.types cimport int32_t, int64_t, node_t
from malt.kernel.vector cimport vector


cdef enum:
    CROSSINGS_LIMIT = 1 << 21  # crossings of a sentence that are stored before they are only counted: 32 MB


cdef class Crossings:
    cdef node_t words  # number of words
    cdef node_t links  # number of links; in a tree, one goes by the name of its dependent, 1 .. words
    cdef bint root  # whether the links of the root words, from position 0, are in the graph
    cdef bint complete  # whether all crossings are stored; otherwise `first` and `other` say nothing
    cdef int64_t total  # number of crossings, exact in any case
    cdef node_t covered  # number of root words that some link between words passes over
    cdef vector[node_t] left  # the ends of each link; both 0 where it is not in the graph
    cdef vector[node_t] right
    cdef vector[node_t] opening  # the first link that begins at a word, and ...
    cdef vector[node_t] next_opening  # ... after each such link the next, longest first; 0 ends the list
    cdef vector[node_t] closing  # the first link that ends at a word, and ...
    cdef vector[node_t] next_closing  # ... after each such link the next, dependents ascending; 0 ends the list
    cdef vector[int64_t] first  # the links that cross link d are other[first[d]] .. other[first[d + 1] - 1],
    cdef vector[node_t] other  # dependents ascending

    # The links open at the word reached, ordered by left end and then longest first; 0 is both ends of the list.
    cdef vector[node_t] before
    cdef vector[node_t] after
    cdef vector[node_t] pairs  # crossing links, two by two, in the order in which they are found
    cdef vector[int32_t] counts  # a Fenwick tree over left ends; the number of links passing over each word

    cdef int build(self, const node_t *heads, node_t words, bint root, int64_t limit) except -1 nogil
    cdef int build_graph(self, const node_t *one, const node_t *two, node_t links, node_t words, int64_t limit) except -1 nogil
    cdef int make_room(self) except -1 nogil
    cdef int find_pairs(self, int64_t limit) except -1 nogil
    cdef void set_link(self, node_t link, node_t one, node_t two) noexcept nogil
    cdef void sort_openings(self) noexcept nogil
    cdef bint passes_over(self, node_t link) noexcept nogil
    cdef void start(self) noexcept nogil
    cdef void open_links(self, node_t word) noexcept nogil
    cdef void close_links(self, node_t word) noexcept nogil
    cdef int sort_links(self, const node_t *heads) except -1 nogil
    cdef int cover(self, const node_t *heads) except -1 nogil
    cdef int list_pairs(self, int64_t limit) except -1 nogil
    cdef int count_pairs(self) except -1 nogil
    cdef int store(self) except -1 nogil


cdef enum:
    NO_PLANE = -1  # of a link that was given up, or that is not in the graph
    PLANES_EFFORT = 4_000_000  # elementary steps of the search for planes in one sentence: some 10 ms

cdef enum:  # the answers of a search
    NO
    YES
    UNKNOWN  # the effort was used up


cdef class Planes:
    cdef vector[int32_t] plane  # of each link, 0 .. k - 1 or NO_PLANE: the result of `colour` and `stack_up`
    cdef node_t given_up  # number of links of the graph without a plane
    cdef int64_t effort  # steps left

    cdef vector[char] present  # whether a link is in the core: what is left after peeling
    cdef vector[int32_t] degree  # of each link within the core
    cdef vector[node_t] peeled  # the links with fewer than k neighbours left, in the order of their removal
    cdef vector[node_t] dropped  # the links that were given up so that the rest can be coloured
    cdef vector[node_t] members  # the links of one component of the core
    cdef vector[int32_t] slot  # the place of a link in `members`; -1 before it is there
    cdef vector[int32_t] used  # k numbers a member: its neighbours in each plane
    cdef vector[int32_t] saturation  # of each member: the number of planes that its neighbours take up
    cdef vector[node_t] path  # the links in the order in which they were coloured
    cdef vector[int32_t] in_use  # planes in use before each of them
    cdef vector[node_t] top  # the innermost open link of each plane (`stack_up`); the tails of sequences (`clique`)
    cdef vector[node_t] under  # the link below it in the same plane

    cdef int bounds(self, Crossings graph, int64_t effort, int32_t *lower, int32_t *upper) except -1 nogil
    cdef int colour(self, Crossings graph, int32_t k, int64_t effort) except -1 nogil
    cdef int32_t clique(self, Crossings graph, int64_t effort) except -1 nogil
    cdef int32_t stack_up(self, Crossings graph, int32_t k) except -1 nogil
    cdef int core(self, Crossings graph) except -1 nogil
    cdef void remove(self, Crossings graph, node_t link) noexcept nogil
    cdef int peel(self, Crossings graph, int32_t k) except -1 nogil
    cdef int search(self, Crossings graph, int32_t k) except -1 nogil
    cdef int two(self, Crossings graph) noexcept nogil
    cdef int backtrack(self, Crossings graph, int32_t k) except -1 nogil
    cdef node_t most_constrained(self) noexcept nogil
    cdef void put(self, Crossings graph, node_t link, int32_t k, int32_t plane, int32_t sign) noexcept nogil
    cdef int fit(self, Crossings graph, node_t link, int32_t k) except -1 nogil
    cdef int set_apart(self, Crossings graph) except -1 nogil


cpdef enum TreeState:  # the state of a sentence
    TREE
    BLIND  # no word has a head
    NO_HEAD  # some words have a head, others have none
    NO_SUCH_HEAD  # a head is no position of the sentence
    OWN_HEAD  # a word is its own head
    CYCLE


cdef struct Measure:  # of one sentence; all but the first two are 0 where it is not a tree
    int64_t tokens  # number of words
    int64_t state  # TREE, BLIND, or what is wrong
    int64_t roots  # words on the artificial root
    int64_t depth  # arcs on the longest path from the artificial root
    int64_t nonprojective  # arcs between words over a word that their head does not dominate
    int64_t gap_degree  # most gaps in the projection of a word
    int64_t ill_nested  # 1 if projections of two words interleave, root words included
    int64_t ill_nested_strict  # 1 if this happens within the projection of one root word
    int64_t mildness_lower  # least k for which it is mildly ill-nested of gap degree k: at least ...
    int64_t mildness_upper  # ... and at most; the gap degree, unless it is strongly ill-nested for that
    int64_t covered_roots  # root words that a link between words passes over
    int64_t crossings  # pairs of crossing links between words
    int64_t crossings_root  # the same with the links of root words
    int64_t planarity_lower  # least number of planes for the links between words: at least ...
    int64_t planarity_upper  # ... and at most
    int64_t planarity_root_lower  # the same with the links of root words
    int64_t planarity_root_upper


cdef class TreeMeasurer:
    # Every vector has an element for each position, 0 included.
    cdef node_t words  # number of words
    cdef vector[node_t] head  # of each word; that of position 0 is 0
    cdef vector[node_t] first  # the dependents of h are dependent[first[h]] .. dependent[first[h + 1] - 1], ascending
    cdef vector[node_t] dependent
    cdef vector[node_t] order  # positions, heads before their dependents
    cdef vector[node_t] depth  # arcs from position 0
    cdef vector[node_t] size  # words in the projection, with 0 for position 0
    cdef vector[node_t] leftmost  # of the projection
    cdef vector[node_t] rightmost
    cdef Crossings crossings
    cdef Planes planes
    cdef Binarisation binarisation

    # Workspace of `gaps`
    cdef vector[node_t] chain  # the upper end of the path of largest projections that a word is on
    cdef vector[node_t] meeting  # the first word i whose lowest common head with i + 1 is this one, and ...
    cdef vector[node_t] next_meeting  # ... after it the next; 0 ends the list
    cdef vector[node_t] joined  # union-find: leads to the left end of the interval that a word is in
    cdef vector[node_t] intervals  # of the projection

    # Workspace of `nesting`
    cdef vector[node_t] rank  # a projection has consecutive ranks: rank[word] .. rank[word] + size[word] - 1
    cdef vector[node_t] sibling  # as `dependent`, but by the left ends of the projections
    cdef vector[node_t] place  # where the next dependent of a head goes
    cdef vector[node_t] around  # the siblings whose ends enclose the place reached, the innermost last
    cdef vector[int64_t] enclosed  # words of a sibling and of the siblings between its ends
    cdef vector[node_t] asked  # siblings to be looked at again
    cdef vector[node_t] question  # the first question at a position, and after it the next; 0 ends the list:
    cdef vector[node_t] next_question  # 2 * word before the left end, 2 * word + 1 at the right end
    cdef vector[int32_t] counts  # a Fenwick tree over ranks

    cdef int measure(
        self, const node_t *heads, node_t words, int64_t limit, int64_t effort, Measure *measure
    ) except -1 nogil
    cdef int mildness(self, Measure *measure, int64_t effort) except -1 nogil
    cdef int recognise(
        self, const node_t *heads, node_t words, int32_t k, bint well_nested, int64_t effort
    ) except -1 nogil
    cdef int grow(self, const node_t *heads, node_t words) except -1 nogil
    cdef bint projective(self) noexcept nogil
    cdef int gaps(self, Measure *measure) except -1 nogil
    cdef node_t meet(self, node_t one, node_t two) noexcept nogil
    cdef node_t interval(self, node_t word) noexcept nogil
    cdef int nesting(self, Measure *measure) except -1 nogil
    cdef bint nested(self, node_t head) except -1 nogil
    cdef void leave(self) noexcept nogil
    cdef int count_between(self) except -1 nogil
    cdef int32_t up_to(self, int64_t rank) noexcept nogil
