"""Weights in 16 bits, by which most of what is far from deciding anything is told without adding up the weights.

When all classes of all instances are looked at again, nearly all of it is to no avail: the right class leads, or else a
few classes count. Sums of rounded weights tell so, as their error is known, and a quarter of the memory is read for
them. Only what may count is then computed with the weights themselves, so not a bit of what is learned changes.

The rounded weights of a dense row stand behind it, and are true while `scale` is not zero.
"""

from libc.math cimport INFINITY, fabs
from libc.stdint cimport INT32_MAX, INT32_MIN, int16_t, uint16_t
from libc.string cimport memset

from malt.kernel.dense cimport add_small_rows, highest, largest, round_all
from malt.kernel.problem cimport SolverProblem, TrainingCase
from malt.kernel.sparserow cimport DENSE, Row, places_of
from malt.kernel.types cimport int32_t, uint64_t

cdef enum:
    LARGEST = 8191  # so that four fit into 16 bits together
    USUAL = 3000  # what the largest weight becomes: there is room for it to grow
    LONGEST = 60000  # features of an instance whose sums fit into 32 bits


cdef inline int16_t *rounded_of(const SolverProblem *p, const Row *row) noexcept nogil:
    return <int16_t *> (row.numbers + p.length)


cdef inline void round_row(const SolverProblem *p, const Row *row) noexcept nogil:
    """Round all weights of a dense row."""
    round_all(row.numbers, p.scale, rounded_of(p, row), p.length)


cdef inline void round_weights(SolverProblem *p) noexcept nogil:
    """Round all weights, as they are now. None are rounded if features have values, are too many, or if weights are out
    of all proportion."""
    cdef const Row *row
    cdef double most = 0.0
    cdef int32_t f
    for f in range(p.features):
        row = p.weights + f
        most = max(most, largest(row.numbers, p.classes if row.room == DENSE else <int32_t> row.count))
    if most == 0:  # they will soon be as large as this
        most = p.cost
    p.scale = USUAL / most if p.store.values == NULL and p.longest < LONGEST and 1e-9 < most < 1e9 else 0.0
    if p.scale > 0:
        for f in range(p.features):
            if p.weights[f].room == DENSE:
                round_row(p, p.weights + f)


cdef inline void round_changed(SolverProblem *p, const Row *row, int32_t touched, bint was_dense) noexcept nogil:
    """Round the weights of a feature that have changed, those of the touched classes; and all weights with a smaller
    scale, once one is too large."""
    cdef int32_t m, k
    if not was_dense:
        if not largest(row.numbers, p.classes if row.room == DENSE else <int32_t> row.count) * p.scale < LARGEST:
            round_weights(p)
        elif row.room == DENSE:
            round_row(p, row)
        return
    for m in range(touched):
        k = p.touched[m]
        if not fabs(row.numbers[k]) * p.scale < LARGEST:
            round_weights(p)
            return
        round_all(row.numbers + k, p.scale, rounded_of(p, row) + k, 1)


cdef inline void sum_rounded(SolverProblem *p, const int32_t *rows, int32_t features) noexcept nogil:
    """Add up the rounded weights of an instance, for each class."""
    cdef const uint16_t *places
    cdef const Row *row
    cdef int32_t f, i, dense = 0
    cdef int16_t number
    memset(p.sums, 0, p.width * sizeof(int32_t))
    for f in range(features):
        row = p.weights + rows[f]
        if row.room == DENSE:
            p.narrow[dense] = rounded_of(p, row)
            dense += 1
            continue
        places = places_of(row)
        for i in range(<int32_t> row.count):
            round_all(row.numbers + i, p.scale, &number, 1)
            p.sums[places[i]] += number
    add_small_rows(p.sums, p.narrow, dense, 0, p.width)
    for i in range(p.classes, p.width):
        p.sums[i] = INT32_MIN


cdef inline int32_t list_doubtful(SolverProblem *p, TrainingCase *case, const int32_t *rows) noexcept nogil:
    """Of all classes of an instance, list those that may stay, and take the others out; how many may. If it is only one,
    that is the right one.

    A class stays if its gradient is not below the least of those whose dual variable can grow. A rounded weight is off
    by one half, so the difference of two classes by one for each feature; two more are for what is lost in sums.
    """
    cdef const uint16_t *places = places_of(&case.duals)
    cdef int32_t gold = case.gold, found = 0, m, k, bound, any
    cdef double least = INFINITY
    cdef bint full = False
    sum_rounded(p, rows, case.features)
    for m in range(<int32_t> case.duals.count):
        if places[m] == gold:
            full = not case.duals.numbers[m] < p.cost
        elif p.sums[places[m]] + p.scale < least:
            least = p.sums[places[m]] + p.scale
    if not full and p.sums[gold] < least:
        least = p.sums[gold]
    least -= p.scale + case.features + 2
    bound = <int32_t> min(max(least, INT32_MIN + 1), INT32_MAX)
    memset(case.alive, 0, p.words * sizeof(uint64_t))
    p.sums[gold] = INT32_MIN
    if highest(p.sums, p.width) < bound:  # most instances are of this kind
        case.alive[gold >> 6] |= <uint64_t> 1 << (gold & 63)
        p.live[0] = <uint16_t> gold
        return 1
    p.sums[gold] = INT32_MAX
    for m in range(0, p.width, 16):
        any = 0
        for k in range(m, m + 16):
            any |= p.sums[k] >= bound
        if any:
            for k in range(m, m + 16):
                if p.sums[k] >= bound:
                    p.live[found] = <uint16_t> k
                    case.alive[k >> 6] |= <uint64_t> 1 << (k & 63)
                    found += 1
    return found
