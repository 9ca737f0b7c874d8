# distutils: language = c++
# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
"""The derivations of a treebank once, and again for the values that features have in their states."""

from cpython.exc cimport PyErr_CheckSignals
from libc.string cimport memcpy
from libcpp.vector cimport vector

import numpy

from malt.kernel.actions cimport Actions
from malt.kernel.features cimport Features, Value
from malt.kernel.instances cimport copy_of
from malt.kernel.oracle cimport Gold
from malt.kernel.state cimport State
from malt.kernel.system cimport END_OF_LISTS, System, most_steps
from malt.kernel.types cimport code_t, int8_t, int32_t, int64_t, node_t, uint32_t


cdef class Walker:
    """Walks the sentences of a block by the oracle of a system, or again by the transitions that it chose.

    `labels` are those of each word's arc, in the tables of labels, and `root_labels` the default of each table.
    """

    cdef System system
    cdef State state
    cdef vector[code_t] root_labels
    cdef vector[code_t] no_labels
    cdef int32_t[::1] starts
    cdef code_t[:, ::1] labels
    cdef int32_t width  # the number of tables of labels

    def __init__(self, System system not None, int32_t[::1] starts not None, code_t[:, ::1] labels not None, root_labels):
        self.system, self.state = system, State()
        self.starts, self.labels, self.width = starts, labels, <int32_t> labels.shape[1]
        for code in root_labels:
            self.root_labels.push_back(code)
        self.no_labels.assign(self.width + 1, -1)

    def derive(self, Actions actions not None, node_t[::1] heads not None, bint from_root):
        """(transitions, where those of each sentence begin, classes): a transition that was no choice is -1 - transition,
        and the others have classes, those of the only decision."""
        cdef Gold gold = Gold(from_root)
        cdef vector[int8_t] transitions
        cdef vector[code_t] classes
        cdef int32_t sentences = <int32_t> self.starts.shape[0] - 1, i, first, n, transition
        cdef int64_t most
        cdef uint32_t seen
        cdef code_t code
        cdef bint must
        cdef const code_t *mine
        cdef node_t dependent
        bounds = numpy.zeros(sentences + 1, numpy.int64)
        cdef int64_t[::1] b = bounds
        gold.prepare(self.system)
        with nogil:
            for i in range(sentences):
                first, n = self.starts[i], self.starts[i + 1] - self.starts[i]
                if n == 0:
                    b[i + 1] = <int64_t> transitions.size()
                    continue
                self.begin(n)
                gold.read(self.system, &heads[first], n)
                most = most_steps(self.system, n)
                while True:
                    if most & 0xFFFF == 0:  # a long sentence must not keep a user from stopping
                        with gil:
                            PyErr_CheckSignals()
                    seen = self.system.observe(self.state)
                    if seen & END_OF_LISTS or self.system.terminal(seen):
                        break
                    transition = self.system.deterministic(seen)
                    must = transition >= 0
                    mine = self.no_labels.data()
                    if not must:
                        transition = gold.choose(self.system, self.state, seen)
                        dependent = self.system.dependent_of(self.state, transition)
                        if dependent > 0:
                            mine = &self.labels[first + dependent - 1, 0]
                    code = actions.code_of(0, transition, mine)
                    if not must:
                        classes.push_back(code)
                    transitions.push_back(<int8_t> (-1 - transition if must else transition))
                    most -= 1
                    if not self.system.apply(self.state, seen, transition) or most == 0:
                        with gil:
                            raise RuntimeError("a derivation does not end")
                    self.label(mine)
                b[i + 1] = <int64_t> transitions.size()
        return copy_of(transitions.data(), transitions.size(), numpy.int8), bounds, copy_of(
            classes.data(), classes.size() * sizeof(code_t), numpy.int32
        )

    def values(self, Features features not None, slots, code_t[:, ::1] values not None, node_t[::1] heads not None,
               int8_t[::1] transitions not None, int64_t[::1] bounds not None, int64_t instances):
        """Walk again and note the values of some slots of a program.

        Gives (numbers, values of each slot), where `numbers` has a row a slot and a place an instance, and a value is
        (code, null, zero, first instance), these four as arrays; or a pair (word, column) where a value is missing; or
        None where one is a number other than 0 and 1.
        """
        cdef int32_t count = len(slots), i, first, n, j, step, transition, missing = -1
        cdef int64_t k, at = 0
        cdef node_t dependent
        cdef uint32_t seen
        cdef const Value *value
        cdef const code_t *mine
        cdef size_t key
        cdef bint odd = False
        cdef vector[int32_t] wanted = slots
        cdef vector[vector[int32_t]] known  # slot -> key of a value -> its number
        cdef vector[vector[int32_t]] found  # slot -> keys by number
        cdef vector[vector[int32_t]] firsts
        known.resize(count)
        found.resize(count)
        firsts.resize(count)
        numbers = numpy.empty((count, max(instances, 1)), numpy.int32)
        cdef int32_t[:, ::1] out = numbers
        with nogil:
            for i in range(<int32_t> self.starts.shape[0] - 1):
                first, n = self.starts[i], self.starts[i + 1] - self.starts[i]
                if n == 0:
                    continue
                self.begin(n)
                features.begin(&values[first, 0], <int32_t> values.shape[1], &heads[first])
                for k in range(bounds[i], bounds[i + 1]):
                    step = transitions[k]
                    transition = -1 - step if step < 0 else step
                    seen = self.system.observe(self.state)
                    mine = self.no_labels.data()
                    if step >= 0:
                        dependent = self.system.dependent_of(self.state, transition)
                        if dependent > 0:
                            mine = &self.labels[first + dependent - 1, 0]
                        features.run(self.state)
                        if features.missing >= 0:
                            missing, at = features.missing, first + features.missing_at - 1
                            break
                        for j in range(count):
                            value = &features.values[wanted[j]]
                            if value.number != 1 and value.number != 0 or value.code < 0:
                                odd = True
                                break
                            key = 0 if value.number == 0 else 1 + 2 * <size_t> value.code + value.null
                            if key >= known[j].size():
                                known[j].resize(key + key // 2 + 16, -1)
                            if known[j][key] < 0:
                                known[j][key] = <int32_t> found[j].size()
                                found[j].push_back(<int32_t> key)
                                firsts[j].push_back(<int32_t> at)
                            out[j, at] = known[j][key]
                        at += 1
                    if odd:
                        break
                    self.system.apply(self.state, seen, transition)
                    self.label(mine)
                if missing >= 0 or odd:
                    break
        if missing >= 0:
            return int(at), int(missing)
        if odd:
            return None
        result = []
        for j in range(count):
            keys = copy_of(found[j].data(), found[j].size() * sizeof(int32_t), numpy.int32)
            some = numpy.maximum(keys - 1, 0)
            result.append((
                some >> 1, (some & 1).astype(numpy.bool_), keys == 0,
                copy_of(firsts[j].data(), firsts[j].size() * sizeof(int32_t), numpy.int32),
            ))
        return numbers, result

    cdef int begin(self, int32_t words) except -1 nogil:
        self.state.start(words, self.system.stacks, True, NULL, self.system.all_words, self.system.left_stop)
        self.state.make_room(self.width, 0)
        return 0

    cdef void label(self, const code_t *mine) noexcept nogil:
        """Give the arc that was just made its labels."""
        cdef int32_t group
        cdef node_t dependent = self.state.new_dependent
        if dependent > 0:
            for group in range(self.width):
                self.state.labels[dependent * self.width + group] = (
                    mine[group] if mine[group] >= 0 else self.root_labels[group])
