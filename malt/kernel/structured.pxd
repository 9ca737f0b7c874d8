"""What structured models have in common: a policy that shows the scores of classes."""

from malt.kernel.guide cimport Candidates
from malt.kernel.types cimport int32_t, uint64_t
from malt.kernel.walk cimport Policy
from malt.kernel.weights cimport Classes, Scorer


cdef class StructuredPolicy(Policy):
    cdef Scorer scorer
    cdef Classes classes
    cdef readonly Candidates candidates

    cdef int record(self, int32_t entry, uint64_t permissible) except -1 nogil
