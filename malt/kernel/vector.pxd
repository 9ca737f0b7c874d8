"""The vectors of C++, of which Cython's own declaration lets `assign` end the process where memory is short.

What may fail raises here, MemoryError among it, so that the user is told so.
"""

cdef extern from "<vector>" namespace "std" nogil:
    cdef cppclass vector[T]:
        cppclass iterator:
            T& operator*()
            iterator operator+(size_t)
            iterator operator-(size_t)
            iterator operator++()
            bint operator!=(iterator)

        vector() except +
        vector(size_t, const T&) except +
        void assign(size_t, const T&) except +
        void assign[Input](Input, Input) except +
        void resize(size_t) except +
        void resize(size_t, const T&) except +
        void reserve(size_t) except +
        void push_back(const T&) except +
        void insert[Input](iterator, Input, Input) except +
        void swap(vector&)
        void pop_back()
        void clear()
        size_t size()
        size_t capacity()
        bint empty()
        T& operator[](size_t)
        T& back()
        T *data()
        iterator begin()
        iterator end()
