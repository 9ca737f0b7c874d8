"""Every integer and float type of the kernel, in one place."""

from libc.stdint cimport int8_t, int32_t, int64_t, uint8_t, uint32_t, uint64_t

ctypedef int32_t code_t  # a symbol's code in its table; negative: no symbol
ctypedef int32_t node_t  # a node of a sentence: 0 is the artificial root, words count from 1; -1: no node
ctypedef int64_t place_t  # an offset into a text
