"""One step of the solver of Crammer and Singer's machine: make the dual variables of one instance optimal.

The numbers are MaltParser's own to the last bit, so the order of features within a sum is kept, and nothing is computed
in another way. Classes meet in one sum only, that over the largest of the gradient: their order is free elsewhere. So weights
and dual variables are sparse rows, the classes that are still looked at are a set of bits, and dense rows are added a
block of classes at a time.
"""

from libc.math cimport INFINITY, fabs
from libc.stdint cimport int16_t, uint16_t
from libc.string cimport memset

from malt.kernel.dense cimport LOWEST_BIT, add_rows
from malt.kernel.problem cimport TrainingCase, SolverProblem
from malt.kernel.rounding cimport list_doubtful, round_changed
from malt.kernel.sparserow cimport DENSE, PAIRS, Row, make_dense, make_room, places_of
from malt.kernel.types cimport int32_t, uint64_t


cdef inline bint is_whole(const SolverProblem *p, const uint64_t *alive) noexcept nogil:
    """Is it the set of all classes?"""
    cdef int32_t word
    for word in range(p.words - 1):
        if alive[word] != ~<uint64_t> 0:
            return False
    return alive[p.words - 1] == ~<uint64_t> 0 >> (-p.classes & 63)


cdef inline int32_t list_live(const SolverProblem *p, const uint64_t *alive) noexcept nogil:
    """List the classes of a set; how many they are."""
    cdef int32_t found = 0, word
    cdef uint64_t bits
    for word in range(p.words):
        bits = alive[word]
        while bits:
            p.live[found] = <uint16_t> (64 * word + LOWEST_BIT(bits))
            bits &= bits - 1
            found += 1
    return found


cdef inline void add_dense(SolverProblem *p, int32_t count, int32_t live) noexcept nogil:
    """Add dense rows of weights to the gradient: for all classes, or, if they are few, for those that live."""
    cdef const double *weights
    cdef int32_t f, m = 0, a, b, c, d
    cdef double of_a, of_b, of_c, of_d
    if 3 * live > p.classes:
        add_rows(p.gradient, p.dense, count, p.length)
        return
    while live - m >= 3:  # side by side: a sum waits for each of its weights
        a, b, c, d = p.live[m], p.live[m + 1], p.live[m + 2], p.live[min(m + 3, live - 1)]
        of_a, of_b, of_c, of_d = p.gradient[a], p.gradient[b], p.gradient[c], p.gradient[d]
        for f in range(count):
            weights = p.dense[f]
            of_a += weights[a]
            of_b += weights[b]
            of_c += weights[c]
            of_d += weights[d]
        p.gradient[a], p.gradient[b], p.gradient[c], p.gradient[d] = of_a, of_b, of_c, of_d
        m += 4
    if m < live:
        a, b = p.live[m], p.live[live - 1]
        of_a, of_b = p.gradient[a], p.gradient[b]
        for f in range(count):
            weights = p.dense[f]
            of_a += weights[a]
            of_b += weights[b]
        p.gradient[a], p.gradient[b] = of_a, of_b


cdef inline void add_ones(SolverProblem *p, const int32_t *rows, int32_t features, int32_t live) noexcept nogil:
    """Add the weights of features whose values are 1 to the gradient."""
    cdef const uint16_t *places
    cdef const Row *row
    cdef int32_t f, i, dense = 0
    for f in range(features):
        row = p.weights + rows[f]
        if row.room == DENSE:
            p.dense[dense] = row.numbers
            dense += 1
            continue
        if dense:
            add_dense(p, dense, live)
            dense = 0
        places = places_of(row)
        for i in range(<int32_t> row.count):
            p.gradient[places[i]] += row.numbers[i]
    if dense:
        add_dense(p, dense, live)


cdef inline void add_valued(SolverProblem *p, const Row *row, double value) noexcept nogil:
    """Add the weights of a feature, times its value, to the gradient."""
    cdef const uint16_t *places
    cdef int32_t i
    if row.room == DENSE:
        for i in range(p.classes):
            p.gradient[i] += row.numbers[i] * value
        return
    places = places_of(row)
    for i in range(<int32_t> row.count):
        p.gradient[places[i]] += row.numbers[i] * value


cdef inline bint stays_sparse(const SolverProblem *p, int32_t pairs) noexcept nogil:
    """Is a row of so many pairs better off as pairs? As long as they fit into one cache line; but if classes are very
    many (measured with 79 to 121), memory counts for more."""
    return p.classes > 8 and (pairs <= PAIRS or 16 * pairs < p.classes)


cdef inline int32_t list_absent(SolverProblem *p, const Row *row, int32_t touched) noexcept nogil:
    """List the touched classes for which a row of pairs has none."""
    cdef const uint16_t *places = places_of(row)
    cdef int32_t i, m, absent = 0
    for m in range(touched):
        i = 0
        while i < <int32_t> row.count and places[i] != p.touched[m]:
            i += 1
        if i == <int32_t> row.count:
            p.absent[absent] = p.touched[m]
            absent += 1
    return absent


cdef inline bint extend_row(SolverProblem *p, Row *row, double value, int32_t absent) noexcept nogil:
    """Give a row of pairs the classes that it lacks, with their changes; False when memory is short."""
    cdef uint16_t *places
    cdef int32_t m
    if not stays_sparse(p, row.count + absent):
        if not make_dense(&p.pool, row, p.length * sizeof(double) + p.width * sizeof(int16_t)):
            return False
        for m in range(absent):
            row.numbers[p.absent[m]] = p.change[p.absent[m]] * value
        return True
    if not make_room(&p.pool, row, row.count + absent):
        return False
    places = places_of(row)
    for m in range(absent):
        places[row.count] = p.absent[m]
        row.numbers[row.count] = p.change[p.absent[m]] * value
        row.count += 1
    return True


cdef inline bint change_row(SolverProblem *p, Row *row, double value, int32_t touched) noexcept nogil:
    """Add the changes of the dual variables to a feature's weights; False when memory is short."""
    cdef uint16_t *places
    cdef int32_t i, m, found = 0
    cdef double d
    if row.room == DENSE:
        for m in range(touched):
            row.numbers[p.touched[m]] += p.change[p.touched[m]] * value
        return True
    places = places_of(row)
    for i in range(<int32_t> row.count):
        d = p.change[places[i]]
        row.numbers[i] += d * value
        found += d != 0.0
    return found == touched or extend_row(p, row, value, list_absent(p, row, touched))


cdef inline void sink(double *heap, int32_t count, int32_t top) noexcept nogil:
    """Put the number at the top of a heap to where it belongs, the largest being the first."""
    cdef double number = heap[top]
    cdef int32_t i = top, j = 2 * top + 1
    while j < count:
        if j + 1 < count and heap[j] < heap[j + 1]:
            j += 1
        if not number < heap[j]:
            break
        heap[i] = heap[j]
        i = j
        j = 2 * i + 1
    heap[i] = number


cdef inline bint leads(const double *gradient, int32_t gold, int32_t classes) noexcept nogil:
    """Is the gradient of the right class larger than all others?"""
    cdef double most = gradient[gold]
    cdef int32_t k, others = 0
    for k in range(classes):
        others += not gradient[k] < most
    return others == 1  # that is the right class itself


cdef inline double threshold(double *numbers, int32_t count, double bound) noexcept nogil:
    """The value beta that the new dual variables follow from; bound: the cost times the sum of squares.

    Numbers are added from the largest one on, as long as that makes a difference. That is soon over, so that they need
    not be sorted."""
    cdef int32_t top, r = 1
    cdef double beta, less
    if count == 2:  # as in most cases
        beta, less = max(numbers[0], numbers[1]) - bound, min(numbers[0], numbers[1])
        return (beta + less) / 2 if beta < less else beta
    for top in range(count // 2 - 1, -1, -1):
        sink(numbers, count, top)
    beta = numbers[0] - bound
    while r < count:
        numbers[0] = numbers[count - r]
        sink(numbers, count - r, 0)
        if not beta < r * numbers[0]:
            break
        beta += numbers[0]
        r += 1
    return beta / r


cdef inline int32_t improve(
    SolverProblem *p, double *gradient, double *dual, int32_t live, int32_t *gold, double norm, double *violation
) noexcept nogil:
    """Make the dual variables of an instance optimal, given those of the classes that live, their gradient, and where
    the right class stands among them (-1: it is at its bound). Classes whose dual variable is at its bound and would stay
    there are left out; how many are left. `kept`: where these stood; `step`: how their dual variables change; the
    violation: how far the instance was from being optimal, -INFINITY if it was, and then nothing changes."""
    cdef double least = INFINITY, most = -INFINITY, beta, number, d
    cdef int32_t m, left = 0, at = gold[0]
    for m in range(live):
        if dual[m] < 0 and gradient[m] < least:
            least = gradient[m]
        if gradient[m] > most:
            most = gradient[m]
    if at >= 0 and dual[at] < p.cost and gradient[at] < least:
        least = gradient[at]
    gold[0] = -1
    for m in range(live):
        if gradient[m] < least and dual[m] == (p.cost if m == at else 0.0):
            continue
        if m == at:
            gold[0] = left
        gradient[left], dual[left], p.kept[left] = gradient[m], dual[m], <uint16_t> m
        left += 1
    violation[0] = -INFINITY
    if left <= 1 or most - least <= 1e-12:
        return left
    violation[0] = most - least
    at = gold[0]
    for m in range(left):
        gradient[m] -= norm * dual[m]
        p.sorted[m] = gradient[m]
    if at >= 0:
        p.sorted[at] += norm * p.cost
    beta = threshold(p.sorted, left, norm * p.cost)
    for m in range(left):
        number = (beta - gradient[m]) / norm
        if (p.cost if m == at else 0.0) < number:
            number = p.cost if m == at else 0.0
        d = number - dual[m]
        dual[m] = number
        p.step[m] = d if fabs(d) >= 1e-12 else 0.0
    return left


cdef inline bint keep_duals(
    SolverProblem *p, TrainingCase *case, const uint16_t *classes, const double *dual, int32_t live, int32_t gold
) noexcept nogil:
    """Store the dual variables of an instance: those of the classes that live, and that of the right class, which is at
    its bound if it is not among them; False when memory is short."""
    cdef uint16_t *places
    cdef int32_t m, count = 1 if gold < 0 else 0
    for m in range(live):
        count += dual[m] != 0
    if count > 0 and not make_room(&p.pool, &case.duals, count):
        return False
    places = places_of(&case.duals)
    case.duals.count = count
    if gold < 0:
        count -= 1
        case.duals.numbers[count], places[count] = p.cost, case.gold
    for m in range(live - 1, -1, -1):
        if dual[m] != 0:
            count -= 1
            case.duals.numbers[count], places[count] = dual[m], classes[m]
    return True


cdef inline void keep_alive(TrainingCase *case, const uint16_t *classes, int32_t live, int32_t words) noexcept nogil:
    """Store which classes of an instance live."""
    cdef int32_t m
    memset(case.alive, 0, words * sizeof(uint64_t))
    for m in range(live):
        case.alive[classes[m] >> 6] |= <uint64_t> 1 << (classes[m] & 63)


cdef inline int32_t visit(SolverProblem *p, TrainingCase *case, double *violation) noexcept nogil:
    """Look at one instance. The number of classes that are left, or -1 when memory is short; how far the instance was
    from being optimal, -INFINITY if it was."""
    cdef const int32_t *rows = p.store.rows + case.start
    cdef const double *values = p.store.values
    cdef const uint16_t *places = places_of(&case.duals)
    cdef double *gradient = p.gradient
    cdef int32_t gold = case.gold, live, left, f, k, m, at = -1, touched = 0
    cdef bint whole, was_dense
    cdef Row *row
    if values != NULL:
        values += case.start
    violation[0] = -INFINITY
    if case.norm <= 0:
        return 2  # without features there is nothing to do, now or later
    whole = is_whole(p, case.alive)
    if whole and p.scale > 0:
        whole = False
        live = list_doubtful(p, case, rows)
        if live == 1:
            return live
    else:
        live = p.classes if whole else list_live(p, case.alive)
    for k in range(p.classes):
        gradient[k] = 1.0
    gradient[gold] = 0.0
    if values == NULL:
        add_ones(p, rows, case.features, live)
    else:
        for f in range(case.features):
            add_valued(p, p.weights + rows[f], values[f])

    if whole:
        # Most instances are of this kind. The general way, below, takes all classes but one out, and that is all.
        if case.duals.count == 0 and leads(gradient, gold, p.classes):
            memset(case.alive, 0, p.words * sizeof(uint64_t))
            case.alive[gold >> 6] = <uint64_t> 1 << (gold & 63)
            return 1
        list_live(p, case.alive)
    for m in range(<int32_t> case.duals.count):
        p.change[places[m]] = case.duals.numbers[m]
    for m in range(live):  # they ascend: none is overwritten before it is needed
        k = p.live[m]
        gradient[m], p.dual[m] = gradient[k], p.change[k]
        if k == gold:
            at = m
    for m in range(<int32_t> case.duals.count):
        p.change[places[m]] = 0.0
    left = improve(p, gradient, p.dual, live, &at, case.norm, violation)
    if left < live:
        for m in range(left):
            p.live[m] = p.live[p.kept[m]]
        keep_alive(case, p.live, left, p.words)
    if violation[0] == -INFINITY:
        return left
    if not keep_duals(p, case, p.live, p.dual, left, at):
        return -1
    for m in range(left):
        if p.step[m] != 0:
            p.change[p.live[m]] = p.step[m]
            p.touched[touched] = p.live[m]
            touched += 1
    if touched:
        for f in range(case.features):
            row = p.weights + rows[f]
            was_dense = row.room == DENSE
            if not change_row(p, row, 1.0 if values == NULL else values[f], touched):
                return -1
            if p.scale > 0:
                round_changed(p, row, touched, was_dense)
    for m in range(touched):
        p.change[p.touched[m]] = 0.0
    return left
