"""The votes of a support vector machine: one class against another, for every pair."""

from malt.kernel.types cimport int32_t, int64_t

cdef enum:  # the kernel functions, numbered as in LIBSVM
    LINEAR
    POLYNOMIAL
    RADIAL
    SIGMOID


cdef struct Machine:
    int32_t kernel
    int32_t degree
    double gamma
    double offset
    int32_t classes
    int32_t pairs  # of classes
    int32_t vectors  # the support vectors, those of a class one after another
    const int64_t *starts  # where the features of each begin
    const int32_t *rows  # the rows of these features, ascending
    const double *values
    bint whole  # are all values 1?
    int32_t features  # the number of rows that any vector has
    const int64_t *postings  # for each row, where the vectors that have it begin
    const int32_t *holders  # these vectors, ascending
    const double *held  # and the feature's value in each
    const int64_t *parts  # where the coefficients of each vector begin, those that are zero left out
    const int32_t *pair  # the pair of classes that a coefficient is for
    const double *coefficients
    const double *rho  # for each pair: what its sum must exceed if its first class is to get the vote
    int64_t room  # how many numbers the workspace of `vote` holds


cdef void vote(const Machine *machine, const int32_t *rows, const double *values, int32_t count, double *workspace,
               double *votes) noexcept nogil


cdef class SupportVectors:
    cdef Machine machine
    cdef list arrays  # what the machine points into
