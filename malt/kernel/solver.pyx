"""The random numbers of java.util.Random, which decide the order in which the solver looks at instances.

The multi-class support vector machine of Crammer and Singer, solved as LIBLINEAR does it: MaltParser's default.

Instances are visited in random order, again and again, until none is far from being optimal; those that seem to be done
are left out until the end, and then all are looked at again. Java's random numbers make the order MaltParser's own.
"""

from cpython.exc cimport PyErr_CheckSignals
from libc.math cimport INFINITY
from libc.stdint cimport int16_t, uint16_t
from libc.stdlib cimport calloc, free, malloc
from libc.string cimport memcpy, memset

import numpy

from malt.errors import MaltError
from malt.kernel.dense cimport FETCH, LOWEST_BIT
from malt.kernel.instances cimport Instances, Store
from malt.kernel.memory cimport enlarge, large
from malt.kernel.doubts cimport NEAR, doubt_of, foresee_doubt, free_doubts, gather, leave, part, reconsider
from malt.kernel.problem cimport Doubt, TrainingCase, SolverProblem, case_of
from malt.kernel.rounding cimport list_doubtful, round_weights, rounded_of
from malt.kernel.sparserow cimport DENSE, Row, free_pool, make_room, places_of
from malt.kernel.subproblem cimport change_row, keep_alive, visit
from malt.kernel.types cimport int32_t, int64_t, uint64_t


cdef class Random:
    """A generator with a seed; the order of what is asked of it matters, so consecutive trainings share one.

    >>> random = Random(0)
    >>> [random.integer(10) for _ in range(8)]
    [0, 8, 9, 7, 5, 3, 1, 1]
    """

    def __cinit__(self, uint64_t seed=0):
        self.generator.state = (seed ^ <uint64_t> 0x5DEECE66D) & ((<uint64_t> 1 << 48) - 1)

    @property
    def state(self) -> int:
        """The 48 bits from which all later numbers follow."""
        return self.generator.state

    def integer(self, int32_t bound) -> int:
        """A number from 0 to bound - 1."""
        if bound <= 0:
            raise ValueError(f"bound {bound}: expected a positive number")
        return next_integer(&self.generator, bound)


cdef class DualVariables:
    """Those of a solution that are not zero, for each instance, from which another training can go on whose instances
    have the same classes, with whatever features.

    >>> DualVariables().size
    0
    """

    @property
    def size(self) -> int:
        """About how many bytes they take."""
        return sum(array.nbytes for array in (self.gold, self.starts, self.places, self.numbers) if array is not None)


cdef enum:
    SOLVED
    NO_MEMORY
    OVERFLOW

cdef enum:
    MOST_LINES = 6  # of a row, that are brought into the cache
    FEW = 32  # pairs of a row, that are sorted by insertion

cdef int32_t MOST_PASSES = 100000
cdef double AT_BOUND = 1 - 1e-6  # of the cost: dual variables in four bytes are as exact as this
cdef int32_t BETWEEN_SIGNALS = 1 << 14


cdef inline int32_t list_lines(const SolverProblem *p, const TrainingCase *case, int32_t *found) noexcept nogil:
    """Where the cache lines of a dense row begin that have the classes of an instance; how many are listed."""
    cdef int32_t word, at, count = 1
    cdef uint64_t bits
    found[0] = case.gold
    for word in range(p.words):
        bits = case.alive[word]
        while bits:
            at = LOWEST_BIT(bits) & ~7
            bits &= ~(<uint64_t> 0xFF << at)
            at += 64 * word
            if at != case.gold & ~7:
                if count == MOST_LINES:
                    return 1
                found[count] = at
                count += 1
    return count


cdef inline void foresee_case(const SolverProblem *p, int64_t at, int step, int64_t end) noexcept nogil:
    """What `foresee` does where instances are visited one by one, as they are."""
    cdef const TrainingCase *case
    cdef const Row *row
    cdef const int32_t *rows
    cdef int32_t f, k, lines
    cdef int32_t line[MOST_LINES]
    if (end - at) * step <= 16:
        return
    case = case_of(p, p.order[at + 16 * step])
    FETCH(case)
    FETCH(<const char *> case + p.stride - 1)
    case = case_of(p, p.order[at + 10 * step])
    FETCH(case.duals.numbers)
    rows = p.store.rows + case.start
    for f in range(0, case.features, 16):
        FETCH(rows + f)
    FETCH(rows + case.features - 1)
    case = case_of(p, p.order[at + 5 * step])
    rows = p.store.rows + case.start
    f = case.features - 1
    while f >= 0 and rows[f] >= NEAR:
        FETCH(p.weights + rows[f])
        f -= 1
    case = case_of(p, p.order[at + 2 * step])
    rows = p.store.rows + case.start
    f = case.features - 1
    lines = 0 if p.scale > 0 else list_lines(p, case, line)
    while f >= 0 and rows[f] >= NEAR:
        row = p.weights + rows[f]
        if row.room != DENSE:
            FETCH(row.numbers)
        elif p.scale > 0:
            for k in range(0, p.width, 32):
                FETCH(rounded_of(p, row) + k)
        else:
            for k in range(lines):
                FETCH(row.numbers + line[k])
        f -= 1


cdef inline void foresee(const SolverProblem *p, int64_t at, int step, int64_t end) noexcept nogil:
    """Have what later visits need brought into the cache: step by step, since each needs what came before it."""
    if not p.gathered:
        foresee_case(p, at, step, end)
    else:
        foresee_doubt(p, at, step, end)


cdef int sweep(SolverProblem *p, Generator *random, double *worst) except -1 nogil:
    """Look once at every instance that is still looked at, in random order. worst: the largest violation."""
    cdef Doubt *doubt
    cdef int32_t s, i, j, left, between = BETWEEN_SIGNALS
    cdef double violation
    cdef int32_t *order = p.order
    worst[0] = -INFINITY
    for s in range(p.active):
        j = s + next_integer(random, p.active - s)
        i = order[s]
        order[s] = order[j]
        order[j] = i
    s = 0
    foresee(p, 0, 1, p.active)
    while s < p.active:
        i = order[s]
        left = visit(p, case_of(p, i), &violation) if not p.gathered else reconsider(p, doubt_of(p, i), &violation)
        if left < 0:
            return NO_MEMORY
        if left <= 1:  # this one is done, and the last one takes its place
            p.active -= 1
            if p.gathered:
                doubt = doubt_of(p, i)
                i = doubt.case
                if not leave(p, doubt):
                    return NO_MEMORY
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


cdef bint wake(SolverProblem *p) noexcept nogil:
    """Look again at all classes of all instances; False when memory is short."""
    cdef TrainingCase *case
    cdef int32_t i, word
    if not part(p):
        return False
    p.active = p.count
    for i in range(p.count):
        case = case_of(p, i)
        for word in range(p.words):
            case.alive[word] = ~<uint64_t> 0
        if p.classes & 63:
            case.alive[p.words - 1] = (<uint64_t> 1 << (p.classes & 63)) - 1
    return True


cdef int prepare(SolverProblem *p, const int32_t *of, const uint16_t *gold) noexcept nogil:
    """Take the memory and set everything to zero."""
    cdef Store *store = p.store
    cdef TrainingCase *case
    cdef int32_t i
    cdef int64_t f
    p.words = (p.classes + 63) // 64
    p.stride = sizeof(TrainingCase) + (p.words - 1) * sizeof(uint64_t)
    p.cases = <char *> large(p.count * p.stride)
    p.weights = <Row *> large((p.features + 1) * sizeof(Row))
    p.order = <int32_t *> large(p.count * sizeof(int32_t))
    p.length = (p.classes + 7) // 8 * 8
    p.width = (p.classes + 15) // 16 * 16
    p.sums = <int32_t *> calloc(p.width, sizeof(int32_t))
    p.narrow = <const int16_t **> malloc((p.longest + 1) * sizeof(int16_t *))
    p.gradient = <double *> calloc(5 * <size_t> p.length, sizeof(double))
    p.dense = <const double **> malloc((p.longest + 1) * sizeof(double *))
    p.live = <uint16_t *> calloc(4 * <size_t> p.classes + 1, sizeof(uint16_t))
    if p.cases == NULL or p.weights == NULL or p.order == NULL:
        return NO_MEMORY
    if p.sums == NULL or p.narrow == NULL or p.gradient == NULL or p.dense == NULL or p.live == NULL:
        return NO_MEMORY
    memset(p.cases, 0, p.count * p.stride)
    memset(p.weights, 0, (p.features + 1) * sizeof(Row))
    p.dual = p.gradient + p.length
    p.change = p.dual + p.length
    p.sorted = p.change + p.length
    p.step = p.sorted + p.length
    p.touched = p.live + p.classes
    p.absent = p.touched + p.classes
    p.kept = p.absent + p.classes
    enlarge(store.rows, store.starts[store.count] * sizeof(int32_t))
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
            if not case.norm < INFINITY:
                return OVERFLOW
    return SOLVED


cdef void release(SolverProblem *p) noexcept nogil:
    free_pool(&p.pool)
    free(p.cases)
    free(p.weights)
    free(p.order)
    free(p.gradient)
    free(p.dense)
    free(p.live)
    free(p.sums)
    free(p.narrow)
    free_doubts(p)


cdef int resume(SolverProblem *p, DualVariables start) noexcept nogil:
    """Begin with dual variables of another training, in proportion to the cost, and with the weights that follow. The
    instances that have some are those that are looked at, and of these the classes that have some, and the right one."""
    cdef const int32_t *starts = &start.start_view[0]
    cdef const int32_t *rows
    cdef TrainingCase *case
    cdef double share = p.cost / start.cost, value = 1.0
    cdef int32_t i, s, f, m, k, count
    cdef uint16_t *places
    p.active = 0
    for i in range(p.count):
        count = starts[i + 1] - starts[i]
        if count == 0:
            continue
        p.order[i], p.order[p.active] = p.order[p.active], i
        p.active += 1
    for s in range(p.active):
        foresee(p, s, 1, p.active)
        i = p.order[s]
        count = starts[i + 1] - starts[i]
        case = case_of(p, i)
        if not make_room(&p.pool, &case.duals, count):
            return NO_MEMORY
        places = places_of(&case.duals)
        case.duals.count = count
        for m in range(count):
            k = start.place_view[starts[i] + m]
            case.duals.numbers[m], places[m] = start.number_view[starts[i] + m] * share, <uint16_t> k
            if case.duals.numbers[m] > AT_BOUND * p.cost:
                case.duals.numbers[m] = p.cost
            p.change[k], p.touched[m] = case.duals.numbers[m], <uint16_t> k
        keep_alive(case, p.touched, count, p.words)
        case.alive[case.gold >> 6] |= <uint64_t> 1 << (case.gold & 63)
        rows = p.store.rows + case.start
        for f in range(case.features):
            if p.store.values != NULL:
                value = p.store.values[case.start + f]
            if not change_row(p, p.weights + rows[f], value, count):
                return NO_MEMORY
        for m in range(count):
            p.change[p.touched[m]] = 0.0
    p.scale = 0.0
    return SOLVED


cdef int keep(SolverProblem *p, DualVariables duals) except -1:
    """Leave the dual variables as they are now."""
    cdef const TrainingCase *case
    cdef int64_t used = 0
    cdef int32_t i, m
    duals.cost, duals.starts = p.cost, numpy.zeros(p.count + 1, numpy.int32)
    duals.start_view = duals.starts
    for i in range(p.count):
        used += case_of(p, i).duals.count
        if used > 0x7FFFFFF0:
            raise MemoryError
        duals.start_view[i + 1] = <int32_t> used
    # There is always one place more, so that there is a first one.
    duals.places, duals.numbers = numpy.zeros(used + 1, numpy.uint16), numpy.zeros(used + 1, numpy.float32)
    duals.place_view, duals.number_view = duals.places, duals.numbers
    for i in range(p.count):
        case = case_of(p, i)
        for m in range(<int32_t> case.duals.count):
            duals.place_view[duals.start_view[i] + m] = places_of(&case.duals)[m]
            duals.number_view[duals.start_view[i] + m] = <float> case.duals.numbers[m]
    return 0


cdef void look(SolverProblem *p) noexcept nogil:
    """Find the instances and classes that are in doubt, as `sweep` does where all are looked at, but change nothing."""
    cdef TrainingCase *case
    cdef int32_t i
    p.active = 0
    memcpy(p.order, p.read, p.count * sizeof(int32_t))
    for i in range(p.count):
        case = case_of(p, p.read[i])
        if case.features and list_doubtful(p, case, p.store.rows + case.start) > 1:
            p.order[i], p.order[p.active] = p.order[p.active], p.order[i]
            p.active += 1
    p.scale = 0.0


cdef int sweep_and_tell(SolverProblem *p, Generator *random, double *worst, int32_t number, progress) except -1 nogil:
    """One pass, as the number of which it is told to whoever follows it."""
    cdef int outcome = sweep(p, random, worst)
    if outcome == SOLVED:
        p.scale = 0.0
        with gil:
            PyErr_CheckSignals()
            if progress is not None:
                progress(number, p.active, worst[0])
    return outcome


cdef int settle(SolverProblem *p, int32_t passes, Generator *random, progress) except -1 nogil:
    """Sweep so many times over instances in doubt: at first over those that have dual variables, and once these fit to
    the features over all that are."""
    cdef double worst = 0.0
    cdef int32_t number
    cdef int outcome
    for number in range(1, passes + 1):
        if p.scale == 0:
            gather(p)
        outcome = sweep_and_tell(p, random, &worst, number, progress)
        if outcome != SOLVED:
            return outcome
        if number == max(1, passes // 5):
            if not wake(p):
                return NO_MEMORY
            round_weights(p)
            if p.scale > 0:
                look(p)
    return SOLVED if part(p) else NO_MEMORY


cdef int solve(SolverProblem *p, double tolerance, Generator *random, progress) except -1 nogil:
    """Sweep until no violation is left that counts."""
    cdef double worst = 0.0, shrink_below = max(10 * tolerance, 1.0)
    cdef bint all_looked_at = True
    cdef int32_t passes
    cdef int outcome
    for passes in range(1, MOST_PASSES + 1):
        outcome = sweep_and_tell(p, random, &worst, passes, progress)
        if outcome != SOLVED:
            return outcome
        if worst < shrink_below:
            if worst < tolerance and all_looked_at:
                return SOLVED
            if not wake(p):
                return NO_MEMORY
            round_weights(p)
            shrink_below = max(shrink_below / 2, tolerance)
            all_looked_at = True
        else:
            gather(p)
            all_looked_at = False
    return SOLVED if part(p) else NO_MEMORY  # as LIBLINEAR, which gives up here and uses what it has


cdef inline int32_t list_weights(
    const SolverProblem *p, const Row *row, const uint16_t *columns, const uint16_t *codes
) noexcept nogil:
    """List the classes of a row that have a weight, ascending, in `live`, and their weights in `sorted`; how many."""
    cdef const double *numbers = row.numbers
    cdef const uint16_t *places
    cdef int32_t found = 0, k, m
    if row.room != DENSE:
        places = places_of(row)
        if row.count <= FEW:
            for m in range(<int32_t> row.count):
                if numbers[m] != 0:
                    k = found
                    while k > 0 and p.live[k - 1] > codes[places[m]]:
                        p.live[k], p.sorted[k] = p.live[k - 1], p.sorted[k - 1]
                        k -= 1
                    p.live[k], p.sorted[k] = codes[places[m]], numbers[m]
                    found += 1
            return found
        memset(p.gradient, 0, p.classes * sizeof(double))
        for m in range(<int32_t> row.count):
            p.gradient[places[m]] = numbers[m]
        numbers = p.gradient
    for k in range(p.classes):
        p.live[found], p.sorted[found] = <uint16_t> k, numbers[columns[k]]
        found += p.sorted[found] != 0
    return found


cdef tuple collect(SolverProblem *p, const uint16_t *columns, const uint16_t *codes):
    """The weights that are not zero: where each row begins, their classes, ascending, and the weights. columns: where
    the weights of a class stand; codes: the class of each of these."""
    cdef int64_t[::1] starts
    cdef uint16_t[::1] classes
    cdef double[::1] weights
    cdef int64_t i, room = 0, used = 0
    cdef int32_t found
    for i in range(p.features):
        room += p.classes if p.weights[i].room == DENSE else <int32_t> p.weights[i].count
    start_array = numpy.zeros(p.features + 1, dtype=numpy.int64)
    class_array, weight_array = numpy.empty(room, dtype=numpy.uint16), numpy.empty(room)
    starts, classes, weights = start_array, class_array, weight_array
    with nogil:
        for i in range(p.features):
            if p.weights[i].numbers != NULL:
                found = list_weights(p, p.weights + i, columns, codes)
                if found:
                    memcpy(&classes[used], p.live, found * sizeof(uint16_t))
                    memcpy(&weights[used], p.sorted, found * sizeof(double))
                    used += found
            starts[i + 1] = used
    return start_array, class_array[:used].copy(), weight_array[:used].copy()


def crammer_singer(
    Instances instances not None,
    int32_t features,
    double cost,
    double tolerance,
    Random random not None,
    progress=None,
    DualVariables start=None,
    DualVariables left=None,
    int32_t passes=0,
):
    """Train: the class codes in order of first appearance, and the weights that are not zero as sparse rows.

    features: the number of rows of the feature map. random: trainings of one run share it, so that its numbers go on.
    progress: called after each pass with its number, the number of instances still looked at and the largest violation.
    start: dual variables to begin with. left: where those of the solution are left. passes: how many there are, if that
    is to be all, whatever violations are left.
    The rows are three arrays: where each begins, the classes (indices of the codes), ascending, and their weights.

    >>> from malt.kernel.instances import Instances
    >>> from malt.kernel.solver import Random
    >>> instances = Instances()
    >>> for code, rows in [(7, [0, 1]), (5, [0, 2]), (7, [1])]:
    ...     instances.add(code, rows)
    >>> codes, starts, classes, weights = crammer_singer(instances, 3, 0.1, 0.1, Random(0))
    >>> codes.tolist(), len(starts) - 1, set(classes.tolist())
    ([7, 5], 3, {0, 1})
    """
    cdef SolverProblem p
    cdef int64_t i
    cdef int outcome
    cdef int32_t[::1] of, read
    cdef uint16_t[::1] gold, columns, frequent
    memset(&p, 0, sizeof(SolverProblem))
    if len(instances) == 0:
        raise MaltError("there are no training instances; the treebank may be empty")
    if len(instances) > 0x7FFFFFF0:
        raise MaltError(f"{len(instances)} training instances: at most {0x7FFFFFF0} can be learned from")
    codes, first, group, counts = numpy.unique(
        instances.classes(), return_index=True, return_inverse=True, return_counts=True
    )
    appearance = numpy.argsort(first, kind="stable")
    if len(codes) > 0xFFFF:
        raise MaltError(f"{len(codes)} classes: at most 65535 can be learned")
    rank = numpy.empty(len(codes), dtype=numpy.uint16)
    rank[appearance] = numpy.arange(len(codes), dtype=numpy.uint16)
    group = rank[group]
    of = numpy.argsort(group, kind="stable").astype(numpy.int32)
    # Weights of frequent classes stand side by side: those that an instance is in doubt about share cache lines.
    by_frequency = numpy.argsort(-counts[appearance], kind="stable").astype(numpy.uint16)
    column = numpy.empty_like(rank)
    column[by_frequency] = numpy.arange(len(codes), dtype=numpy.uint16)
    golds = column[group[of]]
    sequence = numpy.empty_like(of)
    sequence[of] = numpy.arange(len(of), dtype=numpy.int32)
    read = sequence
    p.read = &read[0]
    gold, columns, frequent = golds, column, by_frequency
    if start is not None and not numpy.array_equal(start.gold, golds):
        raise ValueError("the dual variables to begin with are those of other classes")
    p.store = &instances.store
    for i in range(instances.features):
        if p.store.rows[i] >= features:
            raise ValueError(f"feature row {p.store.rows[i]} of {features}")
    for i in range(p.store.count):
        p.longest = max(p.longest, <int32_t> (p.store.starts[i + 1] - p.store.starts[i]))
    p.count, p.classes, p.features = <int32_t> len(instances), <int32_t> len(codes), features
    p.cost = cost
    try:
        with nogil:
            outcome = prepare(&p, &of[0], &gold[0])
            if outcome == SOLVED and start is not None:
                outcome = resume(&p, start)
            if outcome == SOLVED and (start is None or not passes):
                wake(&p)
                round_weights(&p)
            if outcome == SOLVED:
                if passes:
                    outcome = settle(&p, passes, &random.generator, progress)
                else:
                    outcome = solve(&p, tolerance, &random.generator, progress)
            free_doubts(&p)
        if outcome == NO_MEMORY:
            raise MaltError(
                f"memory is too short for {len(instances)} instances with {features} features in {len(codes)} classes"
            )
        starts, classes, weights = collect(&p, &columns[0], &frequent[0])
        if left is not None:
            left.gold = golds
            keep(&p, left)
    finally:
        release(&p)
    if outcome == OVERFLOW or not numpy.isfinite(weights).all():
        raise MaltError("a feature value is too large to learn from: weights overflow")
    return codes[appearance], starts, classes, weights
