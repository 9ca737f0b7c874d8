"""The weights of a linear classifier.

About one weight in twenty is not zero, but features that occur often have weights for most classes: 450 of Danish's
57,522 rows stand for two thirds of all additions. So a row has some weights and their classes, or all weights.

LIBSVM's prediction as MaltParser does it: kernel values, a decision for each pair of classes, and its votes.

Sums are made in LIBSVM's order, so decisions are the same to the last bit: the product of two vectors by ascending
features, the decision of a pair by the vectors of its first class and then by those of its second. What is zero is left
out, which changes no sum. A list of the vectors that have a feature gives the products with all vectors at once.
"""

from libc.math cimport exp, tanh
from libc.stdlib cimport calloc, free, malloc
from libc.string cimport memcpy

import numpy

from malt.kernel.instances cimport Instances, Store
from malt.kernel.vector cimport vector


cdef enum:
    LINE = 8  # the words of a cache line
    LARGE = 8  # an equal row of more words than this is not kept again
    MOST_WORDS = 0x3FFFFFFF


cdef inline bint is_dense(int32_t count, int32_t classes) noexcept nogil:
    """Pairs for more than a quarter of all classes are added up faster as a dense row."""
    return 4 * count > classes


cdef inline int64_t words_of(int32_t count, int32_t classes, int32_t room) noexcept nogil:
    """The memory of a row, in words of 8 bytes."""
    return room if is_dense(count, classes) else (count + 4) // 4 + count


cdef inline int64_t begin_of(int64_t word, int64_t words, bint dense) noexcept nogil:
    """Where a row begins that could begin at a word: so that it lies in as few cache lines as it can."""
    cdef int64_t into = word % LINE
    return word + (LINE - into) % LINE if dense or (words <= LINE and into + words > LINE) else word


cdef class LinearWeights:
    """Rows of weights: row i has count[i] weights from place first[i] of `weights` on, for the classes that stand at
    the same places of `classes`, ascending. Equal rows may share their weights.

    >>> rows = LinearWeights(numpy.array([0, 2]), numpy.array([2, 1], numpy.int32), numpy.array([0, 2, 1], numpy.int32),
    ...                      numpy.array([0.5, -0.5, 0.25]), 3)
    >>> rows.scores([0, 1]).tolist(), rows.scores([0, 1], [1.0, 2.0]).tolist()
    ([0.5, 0.25, -0.5], [0.5, 0.5, -0.5])
    >>> rows.ranked([0, 1], numpy.array([7, 8, 9], numpy.int32)).tolist()
    [7, 8, 9]
    """

    def __cinit__(
        self,
        const int64_t[::1] first not None,
        const int32_t[::1] count not None,
        const int32_t[::1] classes not None,
        const double[::1] weights not None,
        int32_t n_classes,
    ):
        cdef int64_t i, k, word = 0, size
        cdef int32_t room = (n_classes + 7) // 8 * 8, same
        cdef bint dense
        cdef double *at
        cdef double *pool
        if not 0 < n_classes <= 0xFFFF:
            raise ValueError(f"{n_classes} classes; expected 1 to 65535")
        if first.shape[0] != count.shape[0] or classes.shape[0] != weights.shape[0]:
            raise ValueError("the arrays do not fit together")
        if first.shape[0] > 0x7FFFFFF0:
            raise ValueError(f"{first.shape[0]} rows")
        for i in range(first.shape[0]):
            if count[i] < 0 or count[i] > n_classes or first[i] < 0 or first[i] + count[i] > classes.shape[0]:
                raise ValueError(f"row {i} does not fit")
        if classes.shape[0] and (numpy.min(classes) < 0 or numpy.max(classes) >= n_classes):
            raise ValueError("a class is out of range")
        # Rows that share their weights begin at the same place; an empty one may begin there, too.
        originals = numpy.zeros(classes.shape[0] + 1, numpy.int32)
        filled = numpy.flatnonzero(count)[::-1]
        originals[numpy.asarray(first)[filled]] = filled + 1
        cdef const int32_t[::1] original = originals  # place -> the first row from there on that is not empty, plus 1
        self.places = <int32_t *> malloc((first.shape[0] + 1) * sizeof(int32_t))
        if self.places == NULL:
            raise MemoryError
        for i in range(first.shape[0]):
            size = words_of(count[i], n_classes, room)
            same = original[first[i]] - 1
            if 0 <= same < i and count[same] == count[i] and size > LARGE:
                size = 1
            dense = size == room and is_dense(count[i], n_classes)
            word = begin_of(word, size, dense)
            if word + size > MOST_WORDS:
                raise MemoryError
            self.places[i] = <int32_t> (2 * word + dense)
            word += size
        self.pool = <double *> calloc(word + LINE, sizeof(double))
        if self.pool == NULL:
            raise MemoryError
        pool = self.pool + ((64 - (<size_t> self.pool & 63)) & 63) // 8
        for i in range(first.shape[0]):
            at = pool + (self.places[i] >> 1)
            same = original[first[i]] - 1
            if self.places[i] & 1:
                for k in range(first[i], first[i] + count[i]):
                    at[classes[k]] = weights[k]
            elif 0 <= same < i and count[same] == count[i] and words_of(count[i], n_classes, room) > LARGE:
                (<uint16_t *> at)[0] = SHARED
                (<int32_t *> at)[1] = self.places[same]
            else:
                (<uint16_t *> at)[0] = <uint16_t> count[i]
                for k in range(count[i]):
                    (<uint16_t *> at)[k + 1] = <uint16_t> classes[first[i] + k]
                if count[i]:
                    memcpy(at + (count[i] + 4) // 4, &weights[first[i]], count[i] * sizeof(double))
        self.table.pool, self.table.places, self.table.count = pool, self.places, <int32_t> first.shape[0]
        self.table.classes, self.table.room = n_classes, room

    def __dealloc__(self):
        free(self.places)
        free(self.direct)
        free(self.pool)

    cdef int attach(self, FeatureMap map) except -1:
        """Have the places of rows by position and code, too, in the order of the map."""
        cdef int64_t i, size
        cdef int32_t row
        if self.map is map or map.map.positions == 0:
            return 0
        if self.map is not None:
            raise ValueError("these weights are looked up by another map")
        size = map.map.spans[map.map.positions - 1].begin + map.map.spans[map.map.positions - 1].codes
        self.direct = <int32_t *> malloc((size + 1) * sizeof(int32_t))
        if self.direct == NULL:
            raise MemoryError
        for i in range(size):
            row = map.map.direct[i]
            self.direct[i] = self.places[row] if 0 <= row < self.table.count else NO_PLACE
        self.table.direct, self.map = self.direct, map
        return 0

    def __len__(self) -> int:
        """The number of rows."""
        return self.table.count

    @property
    def classes(self) -> int:
        """The number of classes."""
        return self.table.classes

    def scores(self, rows, values=None):
        """The score of each class for features with given rows."""
        cdef int32_t[::1] row_view
        cdef double[::1] value_view
        cdef double[::1] score_view
        cdef int32_t i
        order = numpy.argsort(numpy.asarray(rows, dtype=numpy.int32), kind="stable")
        row_array = numpy.append(numpy.asarray(rows, dtype=numpy.int32)[order], numpy.int32(0))
        if row_array.min() < 0 or row_array.max() >= max(self.table.count, 1):
            raise IndexError(f"rows {row_array.min()} to {row_array.max()} of {self.table.count}")
        result = numpy.empty(self.table.room)
        row_view, score_view = row_array, result
        for i in range(<int32_t> len(order)):
            row_view[i] = self.table.places[row_view[i]]
        if values is None:
            score(&self.table, &row_view[0], NULL, <int32_t> len(order), &score_view[0])
        else:
            value_view = numpy.append(numpy.asarray(values, dtype=numpy.float64)[order], 0.0)
            score(&self.table, &row_view[0], &value_view[0], <int32_t> len(order), &score_view[0])
        return result[: self.table.classes]

    def predict(self, Instances instances not None):
        """The best class of each instance, as its place in the order of classes."""
        cdef Store *store = &instances.store
        cdef int32_t[::1] found
        cdef double[::1] scores = numpy.empty(self.table.room)
        cdef const double *values = NULL
        cdef int64_t i, k, begin
        cdef vector[int32_t] places
        if instances.rows().max(initial=-1) >= self.table.count:
            raise IndexError(f"row {instances.rows().max()} of {self.table.count}")
        result = numpy.empty(store.count, dtype=numpy.int32)
        found = result
        with nogil:
            for i in range(store.count):
                begin = store.starts[i]
                if store.values != NULL:
                    values = store.values + begin
                places.clear()
                for k in range(begin, store.starts[i + 1]):
                    places.push_back(self.table.places[store.rows[k]])
                score(&self.table, places.data(), values, <int32_t> places.size(), &scores[0])
                found[i] = best(&scores[0], self.table.classes)
        return result

    def ranked(self, rows, codes, values=None):
        """Class codes, given in the order of classes, in MaltParser's order for features with given rows."""
        return in_order(self.scores(rows, values), codes, self.table.classes)


cdef object in_order(double[::1] scores, codes, int32_t classes):
    cdef int32_t[::1] order
    result = numpy.array(codes, dtype=numpy.int32)
    order = result
    if order.shape[0] != classes:
        raise ValueError(f"{order.shape[0]} codes of {classes} classes")
    rank(&scores[0], &order[0], classes, 0, classes)
    return result


cdef inline double power(double base, int32_t times) noexcept nogil:
    """A power by repeated squaring: other ways differ in the last bit."""
    cdef double square = base, result = 1.0
    while times > 0:
        if times & 1:
            result *= square
        square *= square
        times >>= 1
    return result


cdef double distance(
    const VectorMachine *m, int32_t vector, const int32_t *rows, const double *values, int32_t count
) noexcept nogil:
    """The squared distance between a support vector and an instance."""
    cdef int32_t i = 0
    cdef int64_t j = m.starts[vector], end = m.starts[vector + 1]
    cdef double sum = 0.0, part
    while i < count or j < end:
        if j == end or i < count and rows[i] < m.rows[j]:
            part = 1.0 if values == NULL else values[i]
            i += 1
        elif i == count or m.rows[j] < rows[i]:
            part = m.values[j]
            j += 1
        else:
            part = (1.0 if values == NULL else values[i]) - m.values[j]
            i += 1
            j += 1
        sum += part * part
    return sum


cdef inline double kernel_of(const VectorMachine *m, double product) noexcept nogil:
    if m.kernel == POLY:
        return power(m.gamma * product + m.offset, m.degree)
    if m.kernel == SIGMOID:
        return tanh(m.gamma * product + m.offset)
    return product


cdef void vote(const VectorMachine *m, const int32_t *rows, const double *values, int32_t count, double *workspace,
               double *votes) noexcept nogil:
    """The votes of all pairs for an instance whose rows ascend; values is NULL where all are 1."""
    cdef double *products = workspace
    cdef double *sums = workspace + m.vectors
    cdef int64_t k
    cdef int32_t i, j, pair
    cdef double value = 1.0
    for k in range(m.room):
        workspace[k] = 0.0
    if m.kernel != RBF or (m.whole and values == NULL):
        for i in range(count):
            if rows[i] >= m.features:
                continue
            if values != NULL:
                value = values[i]
            if m.whole:
                for k in range(m.postings[rows[i]], m.postings[rows[i] + 1]):
                    products[m.holders[k]] += value
            else:
                for k in range(m.postings[rows[i]], m.postings[rows[i] + 1]):
                    products[m.holders[k]] += value * m.held[k]
    for i in range(m.vectors):
        if m.kernel != RBF:
            value = kernel_of(m, products[i])
        elif m.whole and values == NULL:  # all differences are 0 or 1: whole numbers have no last bit to care about
            value = exp(-m.gamma * (count + (m.starts[i + 1] - m.starts[i]) - 2.0 * products[i]))
        else:
            value = exp(-m.gamma * distance(m, i, rows, values, count))
        if value != 0:
            for k in range(m.parts[i], m.parts[i + 1]):
                sums[m.pair[k]] += m.coefficients[k] * value
    for i in range(m.classes):
        votes[i] = 0.0
    pair = 0
    for i in range(m.classes):
        for j in range(i + 1, m.classes):
            votes[i if sums[pair] - m.rho[pair] > 0 else j] += 1.0
            pair += 1


cdef class SupportVectors:
    """A machine: the kernel function (0 linear, 1 polynomial, 2 radial, 3 sigmoid) with its degree, gamma and offset;
    how many vectors each class has; the vectors as sparse rows; coefficients as sparse rows too, with the numbers of
    vectors as places: one row fewer than there are classes, as in LIBSVM; rho, a number per pair of classes.

    >>> one = numpy.ones
    >>> machine = SupportVectors(0, 1, 1.0, 0.0, [1, 1],
    ...     numpy.array([0, 1, 2]), numpy.array([0, 1], numpy.int32), one(2),
    ...     numpy.array([0]), numpy.array([2], numpy.int32), numpy.array([0, 1], numpy.int32), numpy.array([1.0, -1.0]),
    ...     numpy.zeros(1))
    >>> machine.votes([0]).tolist(), machine.votes([1]).tolist(), machine.votes([0, 1]).tolist()
    ([1.0, 0.0], [0.0, 1.0], [0.0, 1.0])
    """

    def __init__(self, int kernel, int degree, double gamma, double offset, sizes, starts, rows, values, first, count,
                 places, numbers, rho):
        cdef int64_t classes = len(sizes), vectors = len(starts) - 1
        sizes, starts = numpy.asarray(sizes, dtype=numpy.int64), numpy.asarray(starts, dtype=numpy.int64)
        if not LINEAR <= kernel <= SIGMOID:
            raise ValueError(f"kernel {kernel}; expected 0 to 3")
        if not 0 < classes <= 0xFFFF or len(first) != classes - 1 or len(rho) != classes * (classes - 1) // 2:
            raise ValueError("the numbers of classes, coefficients and rhos do not fit together")
        if (sizes < 0).any() or sizes.sum() != vectors or vectors > 0x7FFFFFF0:
            raise ValueError("the numbers of support vectors do not fit together")
        if starts[0] != 0 or (numpy.diff(starts) < 0).any() or starts[vectors] != len(rows) or len(rows) != len(values):
            raise ValueError("the support vectors do not fit together")
        if len(rows) and (rows.min() < 0 or rows.max() > 0x7FFFFFF0):
            raise ValueError("a feature is out of range")
        falls = numpy.append(numpy.diff(rows) <= 0, False)  # the last one is for vectors that are empty
        falls[starts[1:vectors][starts[1:vectors] > 0] - 1] = False
        if falls.any():
            raise ValueError("the features of a support vector do not ascend")
        if len(places) and (places.min() < 0 or places.max() >= vectors):
            raise ValueError("a coefficient is for no support vector")
        if (first < 0).any() or (count < 0).any() or (first + count > len(places)).any():
            raise ValueError("the coefficients do not fit together")
        features = int(rows.max(initial=-1)) + 1
        holders = numpy.repeat(numpy.arange(vectors, dtype=numpy.int32), numpy.diff(starts))
        by_row = numpy.argsort(rows, kind="stable")

        # Coefficients by vector. In row e, a vector of class c is for the pair (e, c) if e < c, else for (c, e + 1).
        lines = [numpy.arange(begin, begin + size) for begin, size in zip(first, count)]
        index = numpy.concatenate([*lines, numpy.empty(0, dtype=numpy.int64)]).astype(numpy.int64)
        line = numpy.repeat(numpy.arange(classes - 1), count)[numbers[index] != 0]
        index = index[numbers[index] != 0]
        vector = places[index]
        own = numpy.repeat(numpy.arange(classes), sizes)[vector]
        low, high = numpy.minimum(line, own), numpy.where(line < own, own, line + 1)
        pair = low * classes - low * (low + 1) // 2 + high - low - 1
        by_vector = numpy.argsort(vector, kind="stable")

        self.arrays = [
            numpy.append(array, 0).astype(type)  # never empty, so that there is something to point to
            for array, type in (
                (starts, numpy.int64),
                (rows, numpy.int32),
                (values, numpy.float64),
                (numpy.concatenate([[0], numpy.cumsum(numpy.bincount(rows, minlength=features))]), numpy.int64),
                (holders[by_row], numpy.int32),
                (values[by_row], numpy.float64),
                (numpy.concatenate([[0], numpy.cumsum(numpy.bincount(vector, minlength=vectors))]), numpy.int64),
                (pair[by_vector], numpy.int32),
                (numbers[index][by_vector], numpy.float64),
                (rho, numpy.float64),
            )
        ]
        cdef int64_t[::1] starts_view = self.arrays[0], postings = self.arrays[3], parts = self.arrays[6]
        cdef int32_t[::1] row_view = self.arrays[1], holder_view = self.arrays[4], pair_view = self.arrays[7]
        cdef double[::1] value_view = self.arrays[2], held = self.arrays[5]
        cdef double[::1] coefficients = self.arrays[8], rho_view = self.arrays[9]
        self.machine = VectorMachine(
            kernel, degree, gamma, offset, <int32_t> classes, <int32_t> len(rho), <int32_t> vectors, &starts_view[0],
            &row_view[0], &value_view[0], bool((values == 1).all()), features, &postings[0], &holder_view[0], &held[0],
            &parts[0], &pair_view[0], &coefficients[0], &rho_view[0], vectors + len(rho),
        )

    @property
    def classes(self) -> int:
        """The number of classes."""
        return self.machine.classes

    def votes(self, rows, values=None):
        """The votes of each class for features with given rows."""
        cdef int32_t[::1] row_view
        cdef double[::1] value_view, workspace, vote_view
        order = numpy.argsort(numpy.asarray(rows, dtype=numpy.int32), kind="stable")
        row_view = numpy.append(numpy.asarray(rows, dtype=numpy.int32)[order], numpy.int32(0))
        if len(order) and row_view[0] < 0:
            raise IndexError(f"row {row_view[0]}")
        result = numpy.empty(self.machine.classes)
        workspace, vote_view = numpy.empty(self.machine.room + 1), result
        if values is None:
            vote(&self.machine, &row_view[0], NULL, <int32_t> len(order), &workspace[0], &vote_view[0])
        else:
            value_view = numpy.append(numpy.asarray(values, dtype=numpy.float64)[order], 0.0)
            vote(&self.machine, &row_view[0], &value_view[0], <int32_t> len(order), &workspace[0], &vote_view[0])
        return result

    def ranked(self, rows, codes, values=None):
        """Class codes, given in the order of classes, in MaltParser's order for features with given rows."""
        return in_order(self.votes(rows, values), codes, self.machine.classes)
