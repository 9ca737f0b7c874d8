# distutils: language = c++
# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
"""The parser's loop: state, features, scores, transition, until done; without the GIL.

Which candidate is taken when the best one is not permissible, and what becomes of the labels then, is MaltParser's (spec:
learning, section 7).
"""

from cpython.exc cimport PyErr_CheckSignals
from libcpp.vector cimport vector

import numpy

from malt.kernel.actions cimport Actions
from malt.kernel.features cimport Features
from malt.kernel.guide cimport Guide
from malt.kernel.propagation cimport Propagation
from malt.kernel.sink cimport Sink, add_instance
from malt.kernel.state cimport State
from malt.kernel.system cimport END_OF_LISTS, System, most_steps
from malt.kernel.types cimport code_t, int8_t, int32_t, int64_t, node_t, uint32_t


cdef class Parser:
    """Parses blocks. `guide` predicts; `shift` is the transition of a guide that predicts nothing.

    With `recording` the actions are kept; with a `sink` also the values of features and the scores of all candidates.
    """

    cdef System system
    cdef Features features
    cdef Guide guide
    cdef Propagation propagation
    cdef State state
    cdef int32_t shift
    cdef int32_t labels  # the number of tables of labels
    cdef vector[code_t] root_labels  # the default label of each table; -1 where an arc without a label stays without
    cdef bint recording
    cdef vector[int32_t] record  # of each action: transition (-1: nothing was predicted), was there a choice, labels
    cdef vector[int64_t] record_ends
    cdef Sink sink  # gets the values of all features before each action that is a choice; None if nobody wants them
    cdef vector[int64_t] candidate_ends  # where the candidates of each such action end
    cdef int32_t transition  # the action to be made
    cdef vector[code_t] action_labels
    cdef object stop  # None, or a threading.Event
    cdef public int64_t steps

    def __init__(self, System system not None, Features features not None, Guide guide not None, root_labels, int shift,
                 Propagation propagation=None, bint recording=False, Sink sink=None):
        self.system, self.features, self.guide, self.shift = system, features, guide, shift
        self.propagation = propagation if propagation is not None else Propagation()
        self.state, self.recording, self.sink = State(), recording, sink
        guide.recording = sink is not None
        for code in root_labels:
            self.root_labels.push_back(code)
        self.labels = len(root_labels)
        self.action_labels.assign(self.labels + 1, -1)

    def parse(self, int32_t[::1] starts not None, code_t[:, ::1] values not None, node_t[::1] input_heads not None,
              node_t[::1] given=None, code_t[:, ::1] given_labels=None, stop=None):
        """(heads, labels) of the words of a block: words that are left over have the head -1 and no label.

        Gives (word, column), a pair of numbers, if a feature asked for a value that a word does not have. `stop` is an
        event: when it is set, another thread has no use for the result any more.
        """
        cdef int32_t words = <int32_t> values.shape[0], i, j, first, n, missing = -1
        cdef node_t at = 0, word
        heads = numpy.empty(words, numpy.int32)
        labels = numpy.empty((words, self.labels), numpy.int32)
        if words == 0:
            return heads, labels
        cdef node_t[::1] h = heads
        cdef code_t[:, ::1] l = labels
        cdef const node_t *partial = NULL
        cdef const code_t *partial_labels = NULL
        self.stop = stop
        self.record.clear()
        self.record_ends.clear()
        self.guide.candidates.clear()
        self.candidate_ends.clear()
        if given is not None and given_labels is not None:
            partial, partial_labels = &given[0], &given_labels[0, 0]
        with nogil:
            for i in range(<int32_t> starts.shape[0] - 1):
                first, n = starts[i], starts[i + 1] - starts[i]
                self.features.begin(&values[0, 0] + <int64_t> first * values.shape[1], <int32_t> values.shape[1],
                                    &input_heads[first])
                self.start(n, partial, partial_labels, first)
                self.walk(n)
                if self.features.missing >= 0:
                    missing, at = self.features.missing, first + self.features.missing_at - 1
                    break
                for word in range(1, n + 1):
                    h[first + word - 1] = self.state.head[word]
                    for j in range(self.labels):
                        l[first + word - 1, j] = self.state.labels[word * self.labels + j]
                if self.recording:
                    self.record_ends.push_back(self.record.size())
        if missing >= 0:
            return int(at), int(missing)
        return heads, labels

    def actions(self):
        """What was recorded: the actions of each sentence, each as (transition, was there a choice, labels)."""
        begin, width = 0, 2 + self.labels
        for end in self.record_ends:
            yield [
                (self.record[k], bool(self.record[k + 1]), [self.record[k + 2 + j] for j in range(self.labels)])
                for k in range(begin, end, width)
            ]
            begin = end

    def candidates(self):
        """For each action that was a choice, in order: (decision, class, score) of all that was looked at."""
        begin = 0
        for end in self.candidate_ends:
            found = [self.guide.candidates[k] for k in range(begin, end)]
            yield [(candidate["decision"], candidate["code"], candidate["score"]) for candidate in found]
            begin = end

    cdef int start(self, int32_t words, const node_t *given, const code_t *labels, int32_t first) except -1 nogil:
        cdef int32_t i
        if given != NULL:
            given += first
        self.state.start(words, self.system.stacks, True, given, self.system.all_words, self.system.left_stop)
        self.state.make_room(self.labels, self.propagation.columns)
        if given != NULL:
            for i in range(words * self.labels):
                if given[i // self.labels] > 0:
                    self.state.labels[self.labels + i] = labels[<int64_t> first * self.labels + i]
        return 0

    cdef int walk(self, int32_t words) except -1 nogil:
        cdef uint32_t seen
        cdef int32_t j
        cdef node_t dependent
        cdef code_t code
        cdef bint must
        # More than any derivation has; the default transition is not bound to what is permissible, so it may do nothing.
        cdef int64_t most = most_steps(self.system, words)
        while most > 0:
            most -= 1
            if most & 0x3FFF == 0:  # a long sentence must not keep a user from stopping
                with gil:
                    PyErr_CheckSignals()
                    if self.stop is not None and self.stop.is_set():
                        raise KeyboardInterrupt
            seen = self.system.observe(self.state)
            if seen & END_OF_LISTS or self.system.terminal(seen):
                return 0
            self.transition = self.system.deterministic(seen)
            must = self.transition >= 0
            if must:
                for j in range(self.labels):
                    self.action_labels[j] = -1
            else:
                self.steps += 1
                self.guide.decide(self.system, self.state, self.features, seen, &self.transition, self.action_labels.data())
                if self.features.missing >= 0:
                    return 0
                if self.guide.recording:
                    self.candidate_ends.push_back(self.guide.candidates.size())
                    add_instance(&self.sink.target, self.features, 0)
            if self.recording:
                self.record.push_back(self.transition)
                self.record.push_back(<int32_t> (not must))
                for j in range(self.labels):
                    code = self.action_labels[j]
                    self.record.push_back(code)
            if self.transition < 0:  # nothing was predicted: MaltParser shifts then
                self.transition = self.shift
            if not self.system.apply(self.state, seen, self.transition):
                return 0
            dependent = self.state.new_dependent
            if dependent > 0:
                for j in range(self.labels):
                    code = self.action_labels[j]
                    self.state.labels[dependent * self.labels + j] = self.root_labels[j] if code < 0 else code
                self.propagation.run(self.state, self.features.input, self.features.width, dependent)
        return 0
