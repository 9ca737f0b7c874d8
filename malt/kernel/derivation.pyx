# distutils: language = c++
# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
"""Gold derivations of whole blocks: the oracle of a system walks each sentence, without the GIL."""

from cpython.exc cimport PyErr_CheckSignals
from libc.string cimport memcpy
from libcpp.vector cimport vector

import numpy

from malt.kernel.oracle cimport Gold
from malt.kernel.state cimport NOTHING, State
from malt.kernel.system cimport END_OF_LISTS, System, most_steps
from malt.kernel.types cimport int8_t, int32_t, int64_t, node_t, uint32_t


cdef class Deriver:
    """Derives sentences by the oracle of a system. `from_root`: arcs of root words are derived too (-prh normal)."""

    cdef System system
    cdef State state
    cdef Gold gold
    cdef vector[int8_t] transitions
    cdef vector[node_t] dependents
    cdef vector[int64_t] bounds
    cdef public int64_t forbidden

    def __init__(self, System system not None, bint from_root=True):
        self.system = system
        self.state = State()
        self.gold = Gold(from_root)
        self.gold.prepare(system)

    def derive(self, node_t[::1] heads not None, int32_t[::1] starts not None, node_t[::1] given=None):
        """(transitions, dependents, bounds, derived heads) of a block.

        A transition that must be made is given as -1 - transition; `dependents` has the dependent of the arc that each
        transition makes, -1 if it makes none. `given` are arcs that are there before (partial trees), 0 where there is
        none. Every head must be a node of its sentence.

        `forbidden` counts the oracle's transitions that a parser would not be permitted to make.
        """
        cdef int32_t sentences = <int32_t> starts.shape[0] - 1, i, word
        cdef int32_t n = <int32_t> heads.shape[0]
        derived = numpy.empty(n, numpy.int32)
        cdef node_t[::1] out = derived
        cdef const node_t *data = &heads[0] if n else NULL
        cdef const node_t *partial = NULL
        cdef int64_t stuck = -1, wrong = -1
        self.forbidden = 0
        if given is not None and n:
            partial = &given[0]
        self.transitions.clear()
        self.dependents.clear()
        self.bounds.clear()
        with nogil:
            self.bounds.push_back(0)
            for i in range(sentences):
                for word in range(starts[i], starts[i + 1]):
                    if data[word] < 0 or data[word] > starts[i + 1] - starts[i]:
                        wrong = word
                if wrong >= 0:
                    break
                if not self.walk(data + starts[i], starts[i + 1] - starts[i], partial + starts[i] if partial else NULL):
                    stuck = i
                    break
                for word in range(starts[i + 1] - starts[i]):
                    # What is left over hangs on the root.
                    out[starts[i] + word] = max(self.state.head[word + 1], 0)
                self.bounds.push_back(self.transitions.size())
        if wrong >= 0:
            raise ValueError(f"the head of word {wrong} of the block is no node of its sentence")
        if stuck >= 0:
            raise RuntimeError(f"the derivation of sentence {stuck} of the block does not end")
        cdef int64_t steps = self.transitions.size()
        transitions = numpy.empty(steps, numpy.int8)
        dependents = numpy.empty(steps, numpy.int32)
        bounds = numpy.empty(sentences + 1, numpy.int64)
        cdef int8_t[::1] t = transitions
        cdef node_t[::1] d = dependents
        cdef int64_t[::1] b = bounds
        if steps:
            memcpy(&t[0], self.transitions.data(), steps)
            memcpy(&d[0], self.dependents.data(), steps * sizeof(node_t))
        memcpy(&b[0], self.bounds.data(), (sentences + 1) * sizeof(int64_t))
        return transitions, dependents, bounds, derived

    cdef bint walk(self, const node_t *heads, int32_t words, const node_t *given) except -1 nogil:
        cdef uint32_t seen
        cdef int32_t transition
        cdef int8_t step
        cdef int64_t most = most_steps(self.system, words)
        self.gold.read(self.system, heads, words)
        self.state.start(words, self.system.stacks, True, given, self.system.all_words, self.system.left_stop)
        while True:
            if most & 0xFFFF == 0:  # a long sentence must not keep a user from stopping
                with gil:
                    PyErr_CheckSignals()
            seen = self.system.observe(self.state)
            if seen & END_OF_LISTS or self.system.terminal(seen):
                return True
            transition = self.system.deterministic(seen)
            step = <int8_t> (-1 - transition)
            if transition < 0:
                transition = self.gold.choose(self.system, self.state, seen)
                step = <int8_t> transition
                self.forbidden += not self.system.permissible(seen, transition)
            if not self.system.apply(self.state, seen, transition) or most == 0:
                return False
            most -= 1
            self.transitions.push_back(step)
            self.dependents.push_back(self.state.new_dependent)
