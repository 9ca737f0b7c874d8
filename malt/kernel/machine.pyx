# distutils: language = c++
# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
"""LIBSVM's prediction, with its order of additions: kernel values first, then one decision a pair of classes."""

cimport cython
from libc.math cimport exp, tanh


@cython.final
cdef class Machine:
    """`starts`, `rows`, `values`: the support vectors, those of a class one after another; `sizes`: how many each class
    has; `coefficients`: classes - 1 lists of one number a support vector; `rho`: one number a pair of classes."""

    def __init__(self, int kernel, int degree, double gamma, double coef0, starts, rows, values, sizes, coefficients, rho):
        cdef int32_t classes = len(sizes), vectors = len(starts) - 1, at = 0
        self.starts, self.rows, self.values = list(starts), list(rows), list(values)
        for size in sizes:
            self.first.push_back(at)
            at += size
        self.first.push_back(at)
        if at != vectors or len(coefficients) != classes - 1 or len(rho) != classes * (classes - 1) // 2:
            raise ValueError("the support vectors, coefficients and offsets do not fit together")
        for line in coefficients:
            if len(line) != vectors:
                raise ValueError("the support vectors and coefficients do not fit together")
            for number in line:
                self.coefficients.push_back(number)
        self.rho = list(rho)
        self.kernels.resize(vectors)
        self.machine = MachineData(
            kernel, degree, gamma, coef0, classes, vectors, self.starts.data(), self.rows.data(), self.values.data(),
            self.first.data(), self.coefficients.data(), self.rho.data(), self.kernels.data(),
        )


cdef inline double power(double base, int32_t times) noexcept nogil:
    """LIBSVM's own power, by repeated squaring."""
    cdef double square = base, result = 1.0
    while times > 0:
        if times % 2 == 1:
            result *= square
        square = square * square
        times = times // 2
    return result


cdef double kernel_of(const MachineData *m, int32_t vector, const int32_t *rows, const double *values, int32_t count) noexcept nogil:
    cdef int64_t j = m.starts[vector], end = m.starts[vector + 1]
    cdef int32_t i = 0
    cdef double product = 0, difference
    if m.kernel == RBF:
        while i < count and j < end:
            if rows[i] == m.rows[j]:
                difference = values[i] - m.values[j]
                product += difference * difference
                i += 1
                j += 1
            elif rows[i] > m.rows[j]:
                product += m.values[j] * m.values[j]
                j += 1
            else:
                product += values[i] * values[i]
                i += 1
        while i < count:
            product += values[i] * values[i]
            i += 1
        while j < end:
            product += m.values[j] * m.values[j]
            j += 1
        return exp(-m.gamma * product)
    while i < count and j < end:
        if rows[i] == m.rows[j]:
            product += values[i] * m.values[j]
            i += 1
            j += 1
        elif rows[i] > m.rows[j]:
            j += 1
        else:
            i += 1
    if m.kernel == POLY:
        return power(m.gamma * product + m.coef0, m.degree)
    if m.kernel == SIGMOID:
        return tanh(m.gamma * product + m.coef0)
    return product


cdef void vote(void *machine, const int32_t *rows, const double *values, int32_t count, double *votes) noexcept nogil:
    """The votes of all pairs of classes for an instance."""
    cdef const MachineData *m = <const MachineData *> machine
    cdef int32_t i, j, k, pair = 0
    cdef double total
    for i in range(m.vectors):
        m.kernels[i] = kernel_of(m, i, rows, values, count)
    for i in range(m.classes):
        votes[i] = 0
    for i in range(m.classes):
        for j in range(i + 1, m.classes):
            total = 0
            for k in range(m.first[i], m.first[i + 1]):
                total += m.coefficients[<int64_t> (j - 1) * m.vectors + k] * m.kernels[k]
            for k in range(m.first[j], m.first[j + 1]):
                total += m.coefficients[<int64_t> i * m.vectors + k] * m.kernels[k]
            total -= m.rho[pair]
            if total > 0:
                votes[i] += 1
            else:
                votes[j] += 1
            pair += 1
