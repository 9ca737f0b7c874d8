from malt.kernel.types cimport int32_t, int64_t


cdef struct Store:
    int32_t *rows  # the rows of the features of all instances, ascending within each
    double *values  # and the values that go with them; NULL as long as every value is 1
    int64_t used  # the number of features, those of the instance that is still open included
    int64_t room
    int64_t *starts  # where each instance begins; starts[count] is where the open one does
    int32_t *classes  # the class code of each instance
    int64_t count
    int64_t count_room


cdef bint add_feature(Store *store, int32_t row, double value) noexcept nogil
cdef bint close_instance(Store *store, int32_t code) noexcept nogil
cdef inline void drop_instance(Store *store) noexcept nogil:
    """Forget the features that were added since the last instance was closed."""
    store.used = store.starts[store.count]


cdef object copy_of(const void *source, size_t size, type kind)  # an array of numpy's with so many bytes


cdef class Instances:
    cdef Store store
