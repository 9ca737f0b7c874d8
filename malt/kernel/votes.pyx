"""Parsers that vote: each arc scores the weights of those who have it, and a decoder finds the best tree."""

from malt.kernel.spanning cimport Decoder
from malt.kernel.types cimport code_t, int32_t, int64_t, node_t
from malt.kernel.vector cimport vector

import numpy

from malt.kernel.arcs import TooLong

cdef enum:
    PER_ARC = 8  # bytes, beside what the decoder needs

cpdef enum Roots:  # how many words hang on the root
    AS_VOTED  # one, if every voter has one there
    FREE
    SINGLE


def vote(const int32_t[::1] starts not None, const node_t[:, ::1] heads not None, const code_t[:, ::1] labels not None,
         const double[:, ::1] weights not None, Decoder decoder not None, int roots=AS_VOTED, int64_t megabytes=1000):
    """(heads, labels) of the best trees of some sentences: voter i says heads[i] and labels[i] of all words, and counts
    weights[i] there. A head below 0 is the root. The label is that which most of those have who have the arc or, if nobody
    has it, of all; of equal ones, that of the first voter."""
    cdef int32_t voters = <int32_t> heads.shape[0], s, n, first, v, u, word
    cdef int64_t words = starts[starts.shape[0] - 1], size
    cdef node_t head
    cdef bint single, well = True
    cdef double best, sum
    cdef vector[double] scores
    cdef vector[node_t] tree
    if (
        heads.shape[1] != words or labels.shape[0] != voters or labels.shape[1] != words or voters == 0
        or weights.shape[0] != voters or weights.shape[1] != words or starts[0] != 0
    ):
        raise ValueError("the arrays do not fit together")
    found, named = numpy.empty(words, numpy.int32), numpy.empty(words, numpy.int32)
    cdef node_t[::1] h = found
    cdef code_t[::1] l = named
    for s in range(<int32_t> starts.shape[0] - 1):
        n, first = starts[s + 1] - starts[s], starts[s]
        size = n + 1
        if n < 0 or PER_ARC * size * size + decoder.room(n) > megabytes * 1000000:
            raise TooLong(first, n, (PER_ARC * size * size + decoder.room(n)) // 1000000)
        for v in range(voters):
            for word in range(n):
                if heads[v, first + word] > n:
                    raise ValueError(f"the head of word {word + 1} of sentence {s} is no word of it")
        with nogil:
            scores.assign(size * size, 0)
            single = roots != FREE
            for v in range(voters):
                u = 0
                for word in range(1, n + 1):
                    head = max(heads[v, first + word - 1], 0)
                    u += head == 0
                    if head != word:
                        scores[head * size + word] += weights[v, first + word - 1]
                single = single and (u == 1 or roots == SINGLE)
            tree.resize(size)
            well = decoder.solve(scores.data(), n, single, tree.data())
            for word in range(n if well else 0):
                h[first + word] = tree[word + 1]
                best, l[first + word] = -1, -1
                for u in range(2):  # those who have the arc; if nobody has it, all
                    for v in range(voters):
                        if u or max(heads[v, first + word], 0) == tree[word + 1]:
                            sum = support(heads, labels, weights, first + word, -1 if u else tree[word + 1], v)
                            if sum > best:
                                best, l[first + word] = sum, labels[v, first + word]
                    if best >= 0:
                        break
        if not well:
            raise RuntimeError("the decoder has found no tree")
    return found, named


cdef double support(const node_t[:, ::1] heads, const code_t[:, ::1] labels, const double[:, ::1] weights, int64_t word,
                    node_t head, int32_t voter) noexcept nogil:
    """The weights of those who have a voter's label for a word, and this head, if there is one."""
    cdef int32_t v
    cdef double sum = 0
    for v in range(<int32_t> heads.shape[0]):
        if labels[v, word] == labels[voter, word] and (head < 0 or max(heads[v, word], 0) == head):
            sum += weights[v, word]
    return sum
