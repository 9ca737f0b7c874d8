# distutils: language = c++
# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
"""The weights of a linear classifier in the form that the parser adds them up in.

About one weight in twenty is not zero, but those of frequent features are: of the rows that a step of the parser uses, half
have a weight for every fifth class or more, and these are added up faster as whole rows. Leaving zeros out, or adding
them, changes no sum: x + 0 is x.
"""

cimport cython

cdef enum:
    DENSE_FROM = 6  # a row is dense if more than one weight in so many is not zero


@cython.final
cdef class SparseWeights:
    """Rows of weights, made from rows of all weights up to the last that is not zero: row f has the numbers
    numbers[starts[f]] .. numbers[starts[f + 1] - 1] for the classes 0, 1, 2 ..."""

    def __init__(self, int64_t[::1] starts not None, double[::1] numbers not None, int classes):
        cdef int64_t row, i, length, found
        cdef int32_t stride = classes + (classes & 1), lines = 0
        cdef int64_t wrong = -1
        if not 0 <= classes <= 0xFFFF:
            raise ValueError(f"{classes} classes; expected at most 65,535")
        self.starts.push_back(0)
        with nogil:
            for row in range(starts.shape[0] - 1):
                length = starts[row + 1] - starts[row]
                if length < 0 or length > classes or starts[row] < 0 or starts[row + 1] > numbers.shape[0]:
                    wrong = row
                    break
                found = 0
                for i in range(length):
                    found += numbers[starts[row] + i] != 0
                self._nonzero += found
                if found * DENSE_FROM > classes:
                    self.dense.push_back(lines)
                    lines += 1
                    for i in range(length):
                        self.dense_values.push_back(numbers[starts[row] + i])
                    for i in range(length, stride):
                        self.dense_values.push_back(0)
                else:
                    self.dense.push_back(-1)
                    for i in range(length):
                        if numbers[starts[row] + i] != 0:
                            self.classes.push_back(<uint16_t> i)
                            self.values.push_back(numbers[starts[row] + i])
                self.starts.push_back(self.classes.size())
        if wrong >= 0:
            raise ValueError(f"row {wrong} has not between 0 and {classes} weights")
        self.weights = Weights(
            self.starts.data(), self.classes.data(), self.values.data(), self.dense.data(), self.dense_values.data(),
            <int32_t> (starts.shape[0] - 1), classes, stride,
        )

    @property
    def rows(self) -> int:
        """The number of features."""
        return self.weights.rows

    def __len__(self) -> int:
        """The number of weights that are not zero."""
        return self._nonzero
