# distutils: language = c++
# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
"""The multi-class support vector machine of Crammer and Singer, solved as LIBLINEAR does it: MaltParser's default.

The weights are MaltParser's own to the last bit. What decides them is the order of instances, which Java's random numbers
give, and the order of features within a sum; classes never meet in one sum but that over the sorted gradient, so their
order is free, and so is how the numbers are stored: weights and dual variables as sparse rows, the classes that are
still looked at as a set of bits.
"""

from cpython.exc cimport PyErr_CheckSignals
from libc.math cimport INFINITY, fabs
from libc.stdint cimport uint16_t
from libc.stdlib cimport calloc, free, malloc
from libc.string cimport memset

import numpy

from malt.errors import MaltError
from malt.kernel.dense cimport FETCH, LOWEST_BIT, add_rows
from malt.kernel.instances cimport Instances, Store
from malt.kernel.javarandom cimport Random, next_integer
from malt.kernel.sparserow cimport DENSE, PAIRS, Row, free_pool, make_dense, make_room, places_of
from malt.kernel.types cimport int32_t, int64_t, uint64_t

cdef enum:
    SOLVED
    NO_MEMORY
    OVERFLOW
    NO_END

cdef int32_t MOST_PASSES = 100000
cdef int32_t BETWEEN_SIGNALS = 1 << 14


cdef inline Case *case_of(const Problem *p, int32_t i) noexcept nogil:
    return <Case *> (p.cases + i * p.stride)


cdef inline int32_t list_live(const Problem *p, const uint64_t *alive) noexcept nogil:
    """The classes of a set, as a list."""
    cdef int32_t found = 0, word
    cdef uint64_t bits
    for word in range(p.words):
        bits = alive[word]
        while bits:
            p.live[found] = <uint16_t> (64 * word + LOWEST_BIT(bits))
            bits &= bits - 1
            found += 1
    return found


cdef inline void add_dense(Problem *p, const double **dense, int32_t count, int32_t live) noexcept nogil:
    """Add dense rows of weights to the gradient."""
    cdef const double *weights
    cdef int32_t f, m, k
    cdef double sum
    if 3 * live > p.classes:
        add_rows(p.gradient, dense, count, p.length)
        return
    for m in range(live):
        k = p.live[m]
        sum = p.gradient[k]
        for f in range(count):
            weights = dense[f]
            sum += weights[k]
        p.gradient[k] = sum


cdef inline void add_features(Problem *p, const int32_t *rows, int32_t features, int32_t live) noexcept nogil:
    """Add the weights of features, whose values all are 1, to the gradient."""
    cdef double *gradient = p.gradient
    cdef const double *numbers
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
            add_dense(p, p.dense, dense, live)
            dense = 0
        numbers = row.numbers
        places = places_of(row)
        for i in range(<int32_t> row.count):
            gradient[places[i]] += numbers[i]
    if dense:
        add_dense(p, p.dense, dense, live)


cdef inline void add_feature(Problem *p, const Row *row, double value) noexcept nogil:
    """Add the weights of a feature, times its value, to the gradient."""
    cdef uint16_t *places
    cdef int32_t i
    if row.room == DENSE:
        for i in range(p.classes):
            p.gradient[i] += row.numbers[i] * value
        return
    places = places_of(row)
    for i in range(<int32_t> row.count):
        p.gradient[places[i]] += row.numbers[i] * value


cdef inline bint stays_sparse(const Problem *p, int32_t pairs) noexcept nogil:
    """Is a row of so many pairs better off as pairs? One cache line of them is fast; more are so only if the classes are
    very many (measured on Danish and Swedish, 79 to 117 classes)."""
    return pairs <= PAIRS and 8 * p.classes > 64 or 16 * pairs < p.classes


cdef inline bint change_row(Problem *p, Row *row, double value, int32_t touched) noexcept nogil:
    """Add the changes of the dual variables to a feature's weights; False when memory is short."""
    cdef const double *change = p.change
    cdef uint16_t *places
    cdef int32_t i, k, found = 0, absent = 0
    cdef double d
    if row.room != DENSE:
        places = places_of(row)
        for i in range(<int32_t> row.count):
            d = change[places[i]]
            row.numbers[i] += d * value
            found += d != 0.0
        if found == touched:
            return True
        for k in range(touched):
            i = 0
            while i < <int32_t> row.count and places[i] != p.touched[k]:
                i += 1
            if i == <int32_t> row.count:
                p.absent[absent] = p.touched[k]
                absent += 1
        if stays_sparse(p, row.count + absent):
            if not make_room(&p.pool, row, row.count + absent):
                return False
            places = places_of(row)
            for k in range(absent):
                places[row.count] = p.absent[k]
                row.numbers[row.count] = change[p.absent[k]] * value
                row.count += 1
            return True
        if not make_dense(&p.pool, row, p.classes):
            return False
        for k in range(absent):
            row.numbers[p.absent[k]] = change[p.absent[k]] * value
        return True
    for k in range(touched):
        row.numbers[p.touched[k]] += change[p.touched[k]] * value
    return True


cdef void sort_down(double *numbers, int32_t count) noexcept nogil:
    """Sort numbers, the largest first. Sorting by insertion while they are few, else a heap: both bear with NaN."""
    cdef int32_t i, j, end, top
    cdef double number
    if count <= 24:
        for i in range(1, count):
            number = numbers[i]
            j = i
            while j > 0 and numbers[j - 1] < number:
                numbers[j] = numbers[j - 1]
                j -= 1
            numbers[j] = number
        return
    end = count
    top = count // 2
    while end > 1:
        if top > 0:
            top -= 1
            number = numbers[top]
        else:
            end -= 1
            number = numbers[end]
            numbers[end] = numbers[0]
        i = top
        j = 2 * i + 1
        while j < end:
            if j + 1 < end and numbers[j + 1] < numbers[j]:
                j += 1
            if not numbers[j] < number:
                break
            numbers[i] = numbers[j]
            i = j
            j = 2 * i + 1
        numbers[i] = number


cdef int visit(Problem *p, Case *case, double *violation) noexcept nogil:
    """Look at one instance: make its dual variables optimal while all others stay. The number of classes left."""
    cdef const int32_t *rows = p.store.rows + case.start
    cdef const double *values = p.store.values
    cdef uint64_t *alive = case.alive
    cdef Row *duals = &case.duals
    cdef double *gradient = p.gradient
    cdef double *dual = p.dual
    cdef uint16_t *live = p.live
    cdef uint16_t *places
    cdef int32_t gold = case.gold, features = case.features, count, kept, f, k, m, r, touched
    cdef double least = INFINITY, most = -INFINITY, cost = p.cost, norm = case.norm, beta, number, d
    cdef bint gold_lives = (alive[gold >> 6] >> (gold & 63)) & 1
    violation[0] = -INFINITY
    if norm <= 0:
        return p.classes if p.classes > 1 else 2
    if values != NULL:
        values += case.start

    count = list_live(p, alive)
    for k in range(p.classes):
        gradient[k] = 1.0
    gradient[gold] = 0.0
    if values == NULL:
        add_features(p, rows, features, count)
    else:
        for f in range(features):
            add_feature(p, p.weights + rows[f], values[f])

    if duals.numbers != NULL:
        places = places_of(duals)
        for m in range(<int32_t> duals.count):
            dual[places[m]] = duals.numbers[m]
    for m in range(count):
        k = live[m]
        if dual[k] < 0 and gradient[k] < least:
            least = gradient[k]
        if gradient[k] > most:
            most = gradient[k]
    if gold_lives and dual[gold] < cost and gradient[gold] < least:
        least = gradient[gold]

    kept = 0
    for m in range(count):
        k = live[m]
        if gradient[k] < least and dual[k] == (cost if k == gold else 0.0):
            alive[k >> 6] &= ~(<uint64_t> 1 << (k & 63))
            if k == gold:
                gold_lives = False
        else:
            live[kept] = <uint16_t> k
            kept += 1
    count = kept
    touched = 0
    if count > 1 and not most - least <= 1e-12:
        violation[0] = most - least
        for m in range(count):
            k = live[m]
            gradient[k] -= norm * dual[k]
            p.sorted[m] = gradient[k]
            if k == gold:
                p.sorted[m] += norm * cost
        sort_down(p.sorted, count)
        beta = p.sorted[0] - norm * cost
        r = 1
        while r < count and beta < r * p.sorted[r]:
            beta += p.sorted[r]
            r += 1
        beta /= r
        kept = 0
        if not gold_lives and dual[gold] != 0:
            p.sorted[0] = dual[gold]
            p.absent[0] = <uint16_t> gold
            kept = 1
        for m in range(count):
            k = live[m]
            number = (beta - gradient[k]) / norm
            d = cost if k == gold else 0.0
            if d < number:
                number = d
            if number != 0:
                p.sorted[kept] = number
                p.absent[kept] = <uint16_t> k
                kept += 1
            d = number - dual[k]
            if fabs(d) >= 1e-12:
                p.change[k] = d
                p.touched[touched] = <uint16_t> k
                touched += 1
    if duals.numbers != NULL:
        for m in range(<int32_t> duals.count):
            dual[places[m]] = 0.0
    if count <= 1 or violation[0] == -INFINITY:
        return count
    if not make_room(&p.pool, duals, kept):
        return -NO_MEMORY
    places = places_of(duals)
    for m in range(kept):
        duals.numbers[m] = p.sorted[m]
        places[m] = p.absent[m]
    duals.count = kept
    for f in range(features):
        if not change_row(p, p.weights + rows[f], 1.0 if values == NULL else values[f], touched):
            return -NO_MEMORY
    for m in range(touched):
        p.change[p.touched[m]] = 0.0
    return count


cdef inline void foresee(const Problem *p, int64_t at, int step, int64_t end) noexcept nogil:
    """Have what later visits need brought into the cache: step by step, since each needs what came before it."""
    cdef const Case *case
    cdef const Row *row
    cdef const int32_t *rows
    cdef int32_t f
    if (end - at) * step <= 16:
        return
    case = case_of(p, p.order[at + 16 * step])
    FETCH(case)
    FETCH(<const char *> case + p.stride - 1)
    case = case_of(p, p.order[at + 10 * step])
    FETCH(case.duals.numbers)
    rows = p.store.rows + case.start
    FETCH(rows)
    FETCH(rows + 16)
    case = case_of(p, p.order[at + 5 * step])
    rows = p.store.rows + case.start
    for f in range(case.features):
        FETCH(p.weights + rows[f])
    case = case_of(p, p.order[at + 2 * step])
    rows = p.store.rows + case.start
    for f in range(case.features):
        row = p.weights + rows[f]
        FETCH(row.numbers + case.gold if row.room == DENSE else row.numbers)


cdef int sweep(Problem *p, double *worst) except -1 nogil:
    """Look once at every instance that is still looked at, in random order. worst: the largest violation."""
    cdef int32_t s, i, j, left, between = BETWEEN_SIGNALS
    cdef double violation
    cdef int32_t *order = p.order
    worst[0] = -INFINITY
    for s in range(p.active):
        j = s + next_integer(p.random, p.active - s)
        i = order[s]
        order[s] = order[j]
        order[j] = i
    s = 0
    foresee(p, 0, 1, p.active)
    while s < p.active:
        left = visit(p, case_of(p, order[s]), &violation)
        if left < 0:
            return NO_MEMORY
        if left <= 1:  # this one is done, and the last one takes its place
            p.active -= 1
            i = order[s]
            order[s] = order[p.active]
            order[p.active] = i
            foresee(p, p.active, -1, s)
            continue
        s += 1
        foresee(p, s, 1, p.active)
        if violation > worst[0]:
            worst[0] = violation
        if not violation < INFINITY:
            return OVERFLOW
        between -= 1
        if between == 0:
            between = BETWEEN_SIGNALS
            with gil:
                PyErr_CheckSignals()
    return SOLVED


cdef void wake(Problem *p) noexcept nogil:
    """Look again at all classes of all instances."""
    cdef Case *case
    cdef int32_t i, word
    p.active = p.count
    for i in range(p.count):
        case = case_of(p, i)
        for word in range(p.words):
            case.alive[word] = ~<uint64_t> 0
        if p.classes & 63:
            case.alive[p.words - 1] = (<uint64_t> 1 << (p.classes & 63)) - 1


cdef bint prepare(Problem *p, const int32_t *of, const uint16_t *gold) noexcept nogil:
    """Take the memory and set everything to zero; False when memory is short."""
    cdef Store *store = p.store
    cdef Case *case
    cdef int32_t i
    cdef int64_t f
    p.words = (p.classes + 63) // 64
    p.stride = sizeof(Case) + (p.words - 1) * sizeof(uint64_t)
    p.cases = <char *> calloc(p.count, p.stride)
    p.weights = <Row *> calloc(p.features + 1, sizeof(Row))
    p.order = <int32_t *> malloc(p.count * sizeof(int32_t))
    p.length = (p.classes + 7) // 8 * 8
    p.gradient = <double *> calloc(4 * <size_t> p.length, sizeof(double))
    p.dense = <const double **> malloc((p.longest + 1) * sizeof(double *))
    p.live = <uint16_t *> calloc(3 * <size_t> p.classes + 1, sizeof(uint16_t))
    if p.cases == NULL or p.weights == NULL or p.order == NULL or p.gradient == NULL or p.dense == NULL or p.live == NULL:
        return False
    p.dual = p.gradient + p.length
    p.change = p.dual + p.length
    p.sorted = p.change + p.length
    p.touched = p.live + p.classes
    p.absent = p.touched + p.classes
    for i in range(p.count):
        p.order[i] = i
        case = case_of(p, i)
        case.gold = gold[i]
        case.start = store.starts[of[i]]
        case.features = <int32_t> (store.starts[of[i] + 1] - case.start)
        case.norm = case.features
        if store.values != NULL:
            case.norm = 0.0
            for f in range(case.start, case.start + case.features):
                case.norm += store.values[f] * store.values[f]
    wake(p)
    return True


cdef void release(Problem *p) noexcept nogil:
    free_pool(&p.pool)
    free(p.cases)
    free(p.weights)
    free(p.order)
    free(p.gradient)
    free(p.dense)
    free(p.live)


cdef int solve(Problem *p, progress) except -1:
    """Sweep until no violation is left that counts."""
    cdef double worst = 0.0, shrink_below = max(10 * p.tolerance, 1.0)
    cdef bint all_looked_at = True
    cdef int32_t passes
    cdef int outcome
    for passes in range(1, MOST_PASSES + 1):
        with nogil:
            outcome = sweep(p, &worst)
        if outcome != SOLVED:
            return outcome
        if progress is not None:
            progress(passes, p.active, worst)
        if worst < shrink_below:
            if worst < p.tolerance and all_looked_at:
                return SOLVED
            wake(p)
            shrink_below = max(shrink_below / 2, p.tolerance)
            all_looked_at = True
        else:
            all_looked_at = False
    return NO_END


cdef tuple collect(Problem *p):
    """The weights that are not zero: where each row begins, their classes, ascending, and the weights."""
    cdef int64_t[::1] starts
    cdef uint16_t[::1] classes
    cdef double[::1] weights
    cdef int64_t i, used = 0
    cdef int32_t k
    cdef Row *row
    cdef double *numbers = p.gradient
    cdef int go
    start_array = numpy.zeros(p.features + 1, dtype=numpy.int64)
    starts = start_array
    for go in range(2):  # count, then copy
        if go == 1:
            class_array, weight_array = numpy.empty(used, dtype=numpy.uint16), numpy.empty(used)
            classes, weights = class_array, weight_array
            used = 0
        for i in range(p.features):
            row = p.weights + i
            if row.numbers != NULL:
                numbers = row.numbers
                if row.room != DENSE:
                    numbers = p.gradient
                    memset(numbers, 0, p.classes * sizeof(double))
                    for k in range(<int32_t> row.count):
                        numbers[places_of(row)[k]] = row.numbers[k]
                for k in range(p.classes):
                    if numbers[k] != 0:
                        if go == 1:
                            classes[used] = <uint16_t> k
                            weights[used] = numbers[k]
                        used += 1
            starts[i + 1] = used
    return start_array, class_array, weight_array


def crammer_singer(
    Instances instances not None, int32_t features, double cost, double tolerance, Random random not None, progress=None
):
    """Train: the class codes in order of first appearance, and the weights that are not zero as sparse rows.

    features: the number of rows of the feature map. random: where the random numbers go on; trainings of one run share it.
    progress: called after each pass with its number, the number of instances still looked at and the largest violation.
    The rows are three arrays: where each begins, the classes (indices of the codes), ascending, and their weights.

    >>> instances = Instances()
    >>> for code, rows in [(7, [0, 1]), (5, [0, 2]), (7, [1])]:
    ...     instances.add(code, rows)
    >>> codes, starts, classes, weights = crammer_singer(instances, 3, 0.1, 0.1, Random(0))
    >>> codes.tolist(), starts.tolist(), classes.tolist()
    ([7, 5], [0, 0, 2, 4], [0, 1, 0, 1])
    """
    cdef Problem p
    cdef int outcome
    cdef int32_t[::1] of
    cdef uint16_t[::1] gold
    memset(&p, 0, sizeof(Problem))
    if len(instances) == 0:
        raise MaltError("there are no training instances; the treebank may be empty")
    if len(instances) > 0x7FFFFFF0:
        raise MaltError(f"{len(instances)} training instances: at most {0x7FFFFFF0} can be learned from")
    codes, first, group = numpy.unique(instances.classes(), return_index=True, return_inverse=True)
    appearance = numpy.argsort(first, kind="stable")
    if len(codes) > 0xFFFF:
        raise MaltError(f"{len(codes)} classes: at most 65535 can be learned")
    rank = numpy.empty(len(codes), dtype=numpy.uint16)
    rank[appearance] = numpy.arange(len(codes), dtype=numpy.uint16)
    group = rank[group]
    of = numpy.argsort(group, kind="stable").astype(numpy.int32)
    gold = group[of]
    highest = instances.rows().max(initial=-1)
    if highest >= features:
        raise ValueError(f"feature row {highest} of {features}")
    p.store = &instances.store
    p.count, p.classes, p.features = <int32_t> len(instances), <int32_t> len(codes), features
    p.longest = numpy.diff(instances.starts()).max()
    p.cost, p.tolerance, p.random = cost, tolerance, &random.generator
    try:
        outcome = solve(&p, progress) if prepare(&p, &of[0], &gold[0]) else NO_MEMORY
        if outcome == NO_MEMORY:
            raise MemoryError
        if outcome == OVERFLOW:
            raise MaltError("a feature value is too large to learn from: weights overflow")
        return codes[appearance], *collect(&p)
    finally:
        release(&p)
