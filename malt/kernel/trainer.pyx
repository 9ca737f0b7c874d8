# distutils: language = c++
# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
"""Training instances: the oracle walks each sentence, and every step gives an instance to a classifier."""

from cpython.exc cimport PyErr_CheckSignals
from libcpp.vector cimport vector

from malt.kernel.actions cimport Actions
from malt.kernel.featuremap cimport FeatureMap, NO_ROW, lookup, place
from malt.kernel.features cimport Features
from malt.kernel.oracle cimport Gold
from malt.kernel.propagation cimport Propagation
from malt.kernel.sink cimport Sink, Target, add_instance
from malt.kernel.state cimport State
from malt.kernel.system cimport END_OF_LISTS, System, most_steps
from malt.kernel.types cimport code_t, int32_t, int64_t, node_t, uint32_t


cdef class Trainer:
    """Walks blocks. `open_sink(decision, path, divide)` gives the Sink of a classifier when it is first needed: `path`
    are the classes of the branched decisions before, `divide` is the code that the data is split by, or -1."""

    cdef System system
    cdef Features features
    cdef Actions actions
    cdef Propagation propagation
    cdef State state
    cdef Gold gold
    cdef object open_sink
    cdef list _sinks
    cdef vector[Target *] targets
    cdef FeatureMap _nodes  # node of the tree of branches << 32 | class -> node
    cdef FeatureMap _places  # node << 32 | divide code + 1 -> sink
    cdef list _paths  # node -> (decision, path)
    cdef vector[int32_t] branched  # decision -> whether the next one depends on its class
    cdef vector[code_t] root_labels  # the default label of each table, for arcs without one
    cdef vector[code_t] no_labels
    cdef int32_t divide  # the value that the data is split by, or -1
    cdef public int64_t steps

    def __init__(self, System system not None, Features features not None, Actions actions not None, branched,
                 root_labels, open_sink, bint from_root=True, int divide=-1, Propagation propagation=None):
        self.system, self.features, self.actions, self.divide = system, features, actions, divide
        self.propagation = propagation if propagation is not None else Propagation((), (), 0)
        self.state, self.gold = State(), Gold(from_root)
        self.gold.prepare(system)
        self.open_sink = open_sink
        self._sinks, self._paths = [], [(0, ())]
        self._nodes, self._places = FeatureMap(), FeatureMap()
        for value in branched:
            self.branched.push_back(value)
        for code in root_labels:
            self.root_labels.push_back(code)
        self.no_labels.assign(actions.labels + 1, -1)

    def run(self, int32_t[::1] starts not None, node_t[::1] heads not None, code_t[:, ::1] values not None,
            code_t[:, ::1] labels not None, node_t[::1] input_heads not None, node_t[::1] given=None,
            code_t[:, ::1] given_labels=None):
        """Walk the sentences of a block: gold heads, coded columns, and the labels of each word's arc in the tables of
        labels; `given` and `given_labels` are those of partial trees. Gives (word, column) of a value that is missing and
        was asked for, or None."""
        cdef int32_t i, first, n, missing = -1
        cdef node_t at = 0
        cdef const node_t *partial = NULL
        cdef const code_t *partial_labels = NULL
        cdef int32_t width = <int32_t> labels.shape[1]
        if heads.shape[0] == 0:
            return None
        if given is not None and given_labels is not None:
            partial, partial_labels = &given[0], &given_labels[0, 0]
        with nogil:
            for i in range(<int32_t> starts.shape[0] - 1):
                first, n = starts[i], starts[i + 1] - starts[i]
                self.features.begin(&values[0, 0] + <int64_t> first * values.shape[1], <int32_t> values.shape[1],
                                    &input_heads[first])
                self.start(n, width, partial, partial_labels, first)
                self.walk(&heads[first], n, &labels[0, 0] + <int64_t> first * width, width)
                if self.features.missing >= 0:
                    missing, at = self.features.missing, first + self.features.missing_at - 1
                    break
        return (at, missing) if missing >= 0 else None

    cdef int start(self, int32_t words, int32_t width, const node_t *given, const code_t *labels, int32_t first) except -1 nogil:
        """The initial configuration, with the arcs that are given."""
        cdef int32_t i
        if given != NULL:
            given += first
        self.state.start(words, self.system.stacks, True, given, self.system.all_words, self.system.left_stop)
        self.state.make_room(width, self.propagation.columns)
        if given != NULL:
            for i in range(words * width):
                if given[i // width] > 0:
                    self.state.labels[width + i] = labels[<int64_t> first * width + i]
        return 0

    cdef int walk(self, const node_t *heads, int32_t words, const code_t *labels, int32_t width) except -1 nogil:
        cdef uint32_t seen
        cdef int32_t transition, group
        cdef node_t dependent
        cdef bint must
        cdef const code_t *mine
        cdef int64_t most = most_steps(self.system, words)
        self.gold.read(self.system, heads, words)
        while most > 0:
            most -= 1
            if most & 0xFFFF == 0:  # a long sentence must not keep a user from stopping
                with gil:
                    PyErr_CheckSignals()
            seen = self.system.observe(self.state)
            if seen & END_OF_LISTS or self.system.terminal(seen):
                return 0
            transition = self.system.deterministic(seen)
            must = transition >= 0
            mine = self.no_labels.data()
            if not must:
                transition = self.gold.choose(self.system, self.state, seen)
                dependent = self.system.dependent_of(self.state, transition)
                if dependent > 0:
                    mine = labels + (dependent - 1) * width
            # Classes are registered when the action is made, before any feature is looked at.
            for group in range(<int32_t> self.actions.groups.size()):
                self.actions.code_of(group, transition, mine)
            if not must:
                self.steps += 1
                self.learn(transition, mine)
                if self.features.missing >= 0:
                    return 0
            if not self.system.apply(self.state, seen, transition):
                break
            dependent = self.state.new_dependent
            if dependent > 0:
                for group in range(width):
                    self.state.labels[dependent * width + group] = mine[group] if mine[group] >= 0 else self.root_labels[group]
                self.propagation.run(self.state, self.features.input, self.features.width, dependent)
        with gil:
            raise RuntimeError("a derivation does not end")

    cdef int learn(self, int32_t transition, const code_t *labels) except -1 nogil:
        """Give one instance to the classifier of each decision."""
        cdef int32_t group, node = 0
        cdef code_t code, divide = -1
        for group in range(<int32_t> self.actions.groups.size()):
            self.features.run(self.state)
            code = self.actions.code_of(group, transition, labels)
            if self.divide >= 0:
                divide = self.features.values[self.divide].code
            add_instance(self.target_of(node, divide), self.features, code)
            if self.actions.groups[group].labelled_only and self.system.dependent[transition] == 0:
                break
            if group + 1 < <int32_t> self.actions.groups.size():
                if self.branched[group]:
                    node = self.child_of(node, code)
                else:
                    node = self.child_of(node, -1)
        return 0

    cdef int32_t child_of(self, int32_t node, code_t code) except -1 nogil:
        cdef int32_t child = lookup(&self._nodes.map, <int64_t> node << 32 | <int64_t> (code + 1))
        if child == NO_ROW:
            with gil:
                decision, path = self._paths[node]
                child = len(self._paths)
                self._paths.append((decision + 1, (*path, code) if code >= 0 else path))
                place(&self._nodes.map, <int64_t> node << 32 | <int64_t> (code + 1), child)
        return child

    cdef Target *target_of(self, int32_t node, code_t divide) except NULL nogil:
        cdef int32_t sink = lookup(&self._places.map, <int64_t> node << 32 | <int64_t> (divide + 1))
        if sink == NO_ROW:
            with gil:
                sink = len(self._sinks)
                self._sinks.append(self.open_sink(*self._paths[node], divide))
                self.targets.push_back(&(<Sink?> self._sinks[sink]).target)
                place(&self._places.map, <int64_t> node << 32 | <int64_t> (divide + 1), sink)
        return self.targets[sink]
