"""What structured models have in common: the classes to choose from, and a policy that shows their scores."""

from malt.kernel.guide cimport Candidates
from malt.kernel.types cimport code_t, int32_t, int64_t
from malt.kernel.vector cimport vector
from malt.kernel.walk cimport Policy
from malt.kernel.weights cimport Scorer


cdef class Classes:
    cdef vector[code_t] codes  # of the class of the decision
    cdef vector[int32_t] transition
    cdef vector[code_t] labels  # width codes per class
    cdef int32_t width
    cdef readonly int32_t count

    cdef inline const code_t *labels_of(self, int32_t klass) noexcept nogil:
        return self.labels.data() + <int64_t> klass * self.width


cdef class StructuredPolicy(Policy):
    cdef Scorer scorer
    cdef Classes classes
    cdef readonly Candidates candidates

    cdef int record(self, int32_t entry) except -1 nogil
