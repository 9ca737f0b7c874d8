"""The learning problem of Crammer and Singer's multi-class support vector machine, as the solver holds it in memory."""

from libc.stdint cimport int16_t, uint16_t

from malt.kernel.instances cimport Store
from malt.kernel.sparserow cimport Pool, Row
from malt.kernel.types cimport int32_t, int64_t, uint64_t


cdef struct TrainingCase:  # an instance as the solver sees it; together in memory, since instances are visited in random order
    int64_t start  # where its features begin
    double norm  # the sum of the squares of their values
    Row duals  # its dual variables that are not zero
    int32_t features  # the number of its features
    uint16_t gold  # its class
    uint64_t alive[1]  # the set of classes that are still looked at, in as many words as there must be


cdef struct Doubt:  # an instance that is looked at again and again; see doubts.pxd for what stands behind it
    double norm
    int32_t case  # which instance it is
    int32_t features
    int32_t live  # how many classes are still looked at
    int32_t room  # how many were, when it was made
    int32_t gold  # where the right class stands among them; -1: it is at its bound


cdef struct SolverProblem:
    Store *store
    int32_t count  # the number of instances
    int32_t classes
    int32_t features
    int32_t length  # of a dense row: the number of classes, or some more
    int32_t longest  # the largest number of features of an instance
    int32_t words  # of 64 bits: a set of classes
    double cost
    Pool pool
    Row *weights  # a row per feature
    char *cases  # the instances, grouped by class
    size_t stride  # the bytes of one
    const int32_t *read  # the instances in the order in which they were read
    int32_t *order  # in which they are looked at; those that are done stand at the end
    int32_t active  # how many are not done
    double *gradient  # of one instance, for each class
    double *dual  # the dual variables of those classes of one instance that live
    double *step  # how they change
    double *change  # the same, for each class; zero elsewhere
    double *sorted  # a workspace
    uint16_t *absent  # the classes that a row lacks
    const double **dense  # the dense rows of one instance
    uint16_t *live  # the set of classes of one instance as a list
    uint16_t *kept  # where the classes of one instance that still live stood among those that did
    uint16_t *touched  # the classes whose dual variable changes
    double scale  # what weights are multiplied by to be rounded to 16 bits; 0: they are not rounded
    int32_t width  # of a row of rounded weights: the number of classes, or some more
    int32_t *sums  # of rounded weights of one instance, for each class
    const int16_t **narrow  # the dense rows of one instance, rounded
    bint gathered  # whether the instances that are looked at are put together: doubts.pxd
    char *doubts  # these, each as a Doubt
    size_t doubt_room  # how many bytes there are for them
    int32_t *lines  # for each instance, where it stands among them; behind that, in their own order, which they are
    uint64_t *sets  # for each feature, the classes that live in one of them, and where their weights begin
    double *near  # these weights, side by side
    size_t near_room  # how many bytes there are for them


cdef inline TrainingCase *case_of(const SolverProblem *p, int32_t i) noexcept nogil:
    return <TrainingCase *> (p.cases + i * p.stride)
