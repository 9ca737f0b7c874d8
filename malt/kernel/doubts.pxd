"""The instances that are still in doubt, put together with the weights that they look at.

After a look at everything a fifth of the instances is left, with two or three classes each, and they are visited some
ten to twenty times. What they need lies anywhere in the rows of weights, most of which is of classes and features that
nobody asks for. So the weights in question are copied to where they stand side by side, `near`, and each instance knows
where its own are: a visit neither looks for rows nor at what kind they are. Before everything is looked at again the
weights go back into their rows.

An instance stands in whole cache lines: a Doubt; the dual variables of its classes; where their weights are, for one
class after the other those of all features; and the classes.
"""

from libc.math cimport INFINITY
from libc.stdint cimport uint16_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy, memset

from malt.kernel.dense cimport COUNT_BITS, FETCH
from malt.kernel.memory cimport large
from malt.kernel.problem cimport Doubt, SolverProblem, TrainingCase, case_of
from malt.kernel.sparserow cimport DENSE, Row, places_of
from malt.kernel.subproblem cimport extend_row, improve, keep_alive, keep_duals, list_live
from malt.kernel.types cimport int32_t, int64_t, uint64_t

cdef extern from "places.hpp" nogil:
    void find_places "malt_find_places"(
        const uint64_t *sets, int words, const int32_t *rows, int features, const uint16_t *classes, int live,
        int32_t *places) noexcept

cdef enum:
    LINE = 64  # bytes
    MOST_NUMBERS = 0x7FFFFFF0
    NEAR = 512  # the first features of a treebank are frequent ones, and always in the cache


cdef inline Doubt *doubt_of(const SolverProblem *p, int32_t line) noexcept nogil:
    return <Doubt *> (p.doubts + <int64_t> LINE * line)


cdef inline double *duals_of(Doubt *doubt) noexcept nogil:
    return <double *> (<char *> doubt + sizeof(Doubt))


cdef inline int32_t *places_in(const Doubt *doubt) noexcept nogil:
    return <int32_t *> (<const char *> doubt + sizeof(Doubt) + doubt.room * sizeof(double))


cdef inline uint16_t *classes_of(const Doubt *doubt) noexcept nogil:
    return <uint16_t *> (places_in(doubt) + <int64_t> doubt.room * doubt.features)


cdef inline int64_t lines_of(int32_t live, int32_t features) noexcept nogil:
    """How many lines an instance takes."""
    cdef int64_t bytes = sizeof(Doubt) + live * (sizeof(double) + sizeof(uint16_t) + features * <int64_t> sizeof(int32_t))
    return (bytes + LINE - 1) // LINE


cdef inline int32_t count_live(const SolverProblem *p, const TrainingCase *case) noexcept nogil:
    cdef int32_t word, live = 0
    for word in range(p.words):
        live += COUNT_BITS(case.alive[word])
    return live


cdef inline uint64_t *set_of(const SolverProblem *p, int32_t f) noexcept nogil:
    """The classes that live in an instance with a feature, and, in one more word, where their weights begin."""
    return p.sets + (p.words + <int64_t> 1) * f


cdef inline int32_t rank_in(const uint64_t *set, int32_t k) noexcept nogil:
    """How many classes of a set come before a class."""
    cdef int32_t word, rank = COUNT_BITS(set[k >> 6] & ((<uint64_t> 1 << (k & 63)) - 1))
    for word in range(k >> 6):
        rank += COUNT_BITS(set[word])
    return rank


cdef inline void free_doubts(SolverProblem *p) noexcept nogil:
    free(p.doubts)
    free(p.sets)
    free(p.lines)
    free(p.near)
    p.doubts = NULL
    p.sets = NULL
    p.lines = NULL
    p.near = NULL
    p.doubt_room = p.near_room = 0


cdef inline bint has_room(void **memory, size_t *room, size_t bytes) noexcept nogil:
    """See to it that there is memory for so many bytes; False when it is short. What was in it is gone."""
    if bytes > room[0]:
        free(memory[0])
        room[0] = 0
        memory[0] = large(bytes)
        if memory[0] == NULL:
            return False
        room[0] = bytes
    return True


cdef inline void foresee_row(const SolverProblem *p, int32_t f) noexcept nogil:
    """Have the weights of a later feature brought into the cache, if anyone looks at them."""
    cdef int32_t later = f + 12
    if later < p.features and set_of(p, later + 1)[p.words] > set_of(p, later)[p.words]:
        FETCH(p.weights[later].numbers)


cdef inline void copy_row(const SolverProblem *p, int32_t f) noexcept nogil:
    """Copy the weights of a feature, as far as anyone looks at them."""
    cdef const Row *row = p.weights + f
    cdef const uint64_t *set = set_of(p, f)
    cdef double *near = p.near + set[p.words]
    cdef const uint16_t *places
    cdef int32_t i, k
    if set_of(p, f + 1)[p.words] == set[p.words]:
        return
    if row.room == DENSE:
        for i in range(list_live(p, set)):
            near[i] = row.numbers[p.live[i]]
        return
    memset(near, 0, (set_of(p, f + 1)[p.words] - set[p.words]) * sizeof(double))
    places = places_of(row)
    for i in range(<int32_t> row.count):
        k = places[i]
        if set[k >> 6] >> (k & 63) & 1:
            near[rank_in(set, k)] = row.numbers[i]


cdef inline bint return_row(SolverProblem *p, int32_t f) noexcept nogil:
    """Copy the weights of a feature back; False when memory is short."""
    cdef Row *row = p.weights + f
    cdef const uint64_t *set = set_of(p, f)
    cdef const double *near = p.near + set[p.words]
    cdef const uint16_t *places
    cdef int32_t i, k, live, absent = 0
    cdef bint enough = True
    if set_of(p, f + 1)[p.words] == set[p.words]:
        return True
    live = list_live(p, set)
    if row.room == DENSE:
        for i in range(live):
            row.numbers[p.live[i]] = near[i]
        return True
    for i in range(live):
        p.change[p.live[i]] = near[i]
    places = places_of(row)
    for i in range(<int32_t> row.count):
        k = places[i]
        if set[k >> 6] >> (k & 63) & 1:
            row.numbers[i] = p.change[k]
            p.change[k] = 0.0
    for i in range(live):
        if p.change[p.live[i]] != 0:
            p.absent[absent] = p.live[i]
            absent += 1
    if absent:
        enough = extend_row(p, row, 1.0, absent)
        for i in range(absent):
            p.change[p.absent[i]] = 0.0
    return enough


cdef inline void put(SolverProblem *p, int32_t i, int32_t live, Doubt *doubt) noexcept nogil:
    """Put an instance down as a Doubt."""
    cdef const TrainingCase *case = case_of(p, i)
    cdef const int32_t *rows = p.store.rows + case.start
    cdef const uint16_t *places = places_of(&case.duals)
    cdef int32_t m, features = case.features
    cdef uint16_t *classes
    cdef double *duals
    doubt.norm, doubt.case, doubt.features, doubt.live, doubt.room = case.norm, i, features, live, live
    doubt.gold = -1
    classes, duals = classes_of(doubt), duals_of(doubt)
    for m in range(<int32_t> case.duals.count):
        p.change[places[m]] = case.duals.numbers[m]
    list_live(p, case.alive)
    for m in range(live):
        classes[m], duals[m] = p.live[m], p.change[p.live[m]]
        if classes[m] == case.gold:
            doubt.gold = m
    for m in range(<int32_t> case.duals.count):
        p.change[places[m]] = 0.0
    find_places(p.sets, p.words, rows, features, classes, live, places_in(doubt))


cdef inline void foresee_set(const SolverProblem *p, const int32_t *sorted, int32_t s) noexcept nogil:
    """Have what the next instances need brought into the cache: their features, and the sets of these."""
    cdef const TrainingCase *case
    cdef const int32_t *rows
    cdef int32_t f
    if s + 12 >= p.active:
        return
    FETCH(case_of(p, sorted[s + 12]))
    case = case_of(p, sorted[s + 6])
    rows = p.store.rows + case.start
    for f in range(0, case.features, 16):
        FETCH(rows + f)
    case = case_of(p, sorted[s + 2])
    rows = p.store.rows + case.start
    for f in range(case.features):
        FETCH(set_of(p, rows[f]))


cdef inline void gather(SolverProblem *p) noexcept nogil:
    """Put the instances that are looked at together, if they are few enough, and there is memory."""
    cdef const TrainingCase *case
    cdef const int32_t *rows
    cdef uint64_t *set
    cdef int64_t lines = 0, numbers = 0, wanted = 0
    cdef int32_t *sorted
    cdef int32_t s, i, f, word, live
    if p.gathered or p.store.values != NULL or (p.features + <int64_t> 1) * (p.words + 1) > p.store.used:
        return
    for s in range(p.active):
        case = case_of(p, p.order[s])
        live = count_live(p, case)
        wanted += live * <int64_t> case.features
        lines += lines_of(live, case.features)
    if wanted > p.store.used or 4 * lines > p.store.used or lines > MOST_NUMBERS:
        return
    if p.lines == NULL:
        p.lines = <int32_t *> malloc((2 * <size_t> p.count + 1) * sizeof(int32_t))
    if p.sets == NULL:
        p.sets = <uint64_t *> large((p.features + <size_t> 1) * (p.words + <size_t> 1) * sizeof(uint64_t))
    if p.lines == NULL or p.sets == NULL or not has_room(<void **> &p.doubts, &p.doubt_room, (lines + 1) * LINE):
        return
    # Instances are gone through in their own order, as neighbours share features.
    sorted = p.lines + p.count
    memset(p.lines, 0, p.count * sizeof(int32_t))
    for s in range(p.active):
        p.lines[p.order[s]] = 1
    s = 0
    for i in range(p.count):
        sorted[s] = i
        s += p.lines[i]
    memset(p.sets, 0, (p.features + <size_t> 1) * (p.words + <size_t> 1) * sizeof(uint64_t))
    for s in range(p.active):
        foresee_set(p, sorted, s)
        case = case_of(p, sorted[s])
        rows = p.store.rows + case.start
        for f in range(case.features):
            set = set_of(p, rows[f])
            for word in range(p.words):
                if case.alive[word]:
                    set[word] |= case.alive[word]
    for f in range(p.features):
        set = set_of(p, f)
        set[p.words] = numbers
        for word in range(p.words):
            numbers += COUNT_BITS(set[word])
    set_of(p, p.features)[p.words] = numbers
    if numbers > MOST_NUMBERS or not has_room(<void **> &p.near, &p.near_room, (numbers + 1) * sizeof(double)):
        return
    for f in range(p.features):
        foresee_row(p, f)
        copy_row(p, f)
    lines = 0
    for s in range(p.active):
        foresee_set(p, sorted, s)
        case = case_of(p, sorted[s])
        live = count_live(p, case)
        put(p, sorted[s], live, doubt_of(p, <int32_t> lines))
        p.lines[sorted[s]] = <int32_t> lines
        lines += lines_of(live, case.features)
    for s in range(p.active):
        p.order[s] = p.lines[p.order[s]]
    p.gathered = True


cdef inline bint leave(SolverProblem *p, Doubt *doubt) noexcept nogil:
    """What a Doubt has come to goes back to its instance; False when memory is short."""
    cdef TrainingCase *case = case_of(p, doubt.case)
    keep_alive(case, classes_of(doubt), doubt.live, p.words)
    return keep_duals(p, case, classes_of(doubt), duals_of(doubt), doubt.live, doubt.gold)


cdef inline bint part(SolverProblem *p) noexcept nogil:
    """All that is in doubt goes back to where it came from, and the weights with it; False when memory is short."""
    cdef Doubt *doubt
    cdef int32_t s, f
    if not p.gathered:
        return True
    p.gathered = False
    for s in range(p.active):
        doubt = doubt_of(p, p.order[s])
        p.order[s] = doubt.case
        if not leave(p, doubt):
            return False
    for f in range(p.features):
        foresee_row(p, f)
        if not return_row(p, f):
            return False
    return True


cdef inline void sum_near(const double *near, const Doubt *doubt, double *gradient) noexcept nogil:
    """The gradient of an instance, for the classes that live."""
    cdef const int32_t *places = places_in(doubt)
    cdef const int32_t *a
    cdef const int32_t *b
    cdef const int32_t *c
    cdef const int32_t *d
    cdef int32_t f, m = 0, features = doubt.features, last = doubt.live - 1
    cdef double of_a, of_b, of_c, of_d
    while last - m >= 2:  # side by side: a sum waits for each of its weights
        a, b, c = places + <int64_t> m * features, places + <int64_t> (m + 1) * features, places + <int64_t> (m + 2) * features
        d = places + <int64_t> min(m + 3, last) * features
        of_a = 0.0 if m == doubt.gold else 1.0
        of_b = 0.0 if m + 1 == doubt.gold else 1.0
        of_c = 0.0 if m + 2 == doubt.gold else 1.0
        of_d = 0.0 if min(m + 3, last) == doubt.gold else 1.0
        for f in range(features):
            of_a += near[a[f]]
            of_b += near[b[f]]
            of_c += near[c[f]]
            of_d += near[d[f]]
        gradient[m], gradient[m + 1], gradient[m + 2], gradient[min(m + 3, last)] = of_a, of_b, of_c, of_d
        m += 4
    if m <= last:
        a, b = places + <int64_t> m * features, places + <int64_t> last * features
        of_a = 0.0 if m == doubt.gold else 1.0
        of_b = 0.0 if last == doubt.gold else 1.0
        for f in range(features):
            of_a += near[a[f]]
            of_b += near[b[f]]
        gradient[m], gradient[last] = of_a, of_b


cdef inline int32_t reconsider(SolverProblem *p, Doubt *doubt, double *violation) noexcept nogil:
    """Look at one instance, as `visit` does."""
    cdef double *near = p.near
    cdef double *duals = duals_of(doubt)
    cdef int32_t *places = places_in(doubt)
    cdef int32_t features = doubt.features, left, m, f
    cdef uint16_t *classes
    cdef double step
    if doubt.norm <= 0:
        violation[0] = -INFINITY
        return 2
    sum_near(near, doubt, p.gradient)
    left = improve(p, p.gradient, duals, doubt.live, &doubt.gold, doubt.norm, violation)
    if left < doubt.live:
        classes = classes_of(doubt)
        for m in range(left):
            if p.kept[m] != m:
                classes[m] = classes[p.kept[m]]
                memcpy(places + <int64_t> m * features, places + <int64_t> p.kept[m] * features, features * sizeof(int32_t))
        doubt.live = left
    if violation[0] == -INFINITY:
        return left
    for m in range(left):
        step = p.step[m]
        if step != 0:
            for f in range(features):
                near[places[f]] += step
        places += features
    return left


cdef inline void foresee_doubt(const SolverProblem *p, int64_t at, int step, int64_t end) noexcept nogil:
    """Have what later visits need brought into the cache: step by step, since each needs what came before it."""
    cdef const Doubt *doubt
    cdef const int32_t *places
    cdef int32_t f
    cdef int32_t far = <int32_t> set_of(p, min(NEAR, p.features))[p.words]
    if (end - at) * step <= 16:
        return
    doubt = doubt_of(p, p.order[at + 8 * step])
    for f in range(0, 6):
        FETCH(<const char *> doubt + LINE * f)
    doubt = doubt_of(p, p.order[at + 2 * step])
    places = places_in(doubt)
    f = doubt.features - 1
    while f >= 0 and places[f] >= far:
        FETCH(p.near + places[f])
        f -= 1
