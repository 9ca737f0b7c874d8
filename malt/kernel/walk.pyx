"""Instances of one classifier, as they come.

Gold derivations of whole blocks: the oracle of a system walks each sentence, without the GIL.

Training instances: the oracle walks each sentence, and every step gives an instance to a classifier.

The parser's loop: state, features, scores, transition, until done; without the GIL.

Which candidate is taken when the best one is not permissible, and what becomes of the labels then, is MaltParser's (spec:
learning, section 7).

The derivations of a treebank once, and again for the values that features have in their states.
"""

cimport cython
from cpython.exc cimport PyErr_CheckSignals
from libc.string cimport memcpy
from libcpp.vector cimport vector

import numpy

from malt.kernel.features cimport Features, Propagation, Value
from malt.kernel.guide cimport Actions, Guide
from malt.kernel.instances cimport (
    FULL, FeatureMap, NO_ROW, add_feature, close_instance, copy_of, insert, key_of, lookup, place,
)
from malt.kernel.system cimport END_OF_LISTS, Gold, NOTHING, State, System, most_steps
from malt.kernel.types cimport code_t, int32_t, int64_t, int8_t, node_t, uint32_t
from malt.mco.javanumbers import double_text


@cython.final
cdef class Sink:
    """Takes the values of a feature vector and a class; `slots` are the vector's places among all values."""

    def __init__(self, slots, bint drops_nulls=False, bint as_text=False):
        for slot in slots:
            self.slots.push_back(slot)
        self.instances, self.map = Instances(), FeatureMap()
        self.target = Target(
            self.slots.data(), <int32_t> self.slots.size(), drops_nulls, as_text, &self.instances.store, &self.map.map,
            &self.text, 0,
        )

    @property
    def count(self) -> int:
        """The number of instances."""
        return self.target.count

    def take_text(self) -> bytes:
        """The lines since the last call."""
        lines = self.text.data()[:self.text.size()] if self.text.size() else b""
        self.text.clear()
        return lines


cdef inline int no_memory() except -1 with gil:
    raise MemoryError


cdef int add_instance(Target *target, Features features, int32_t code) except -1 nogil:
    """Add an instance (spec: single values of 0 and, with -nv none, null values are absent)."""
    cdef int32_t i, j, row
    cdef const Value *value
    target.count += 1
    if target.as_text:
        return add_line(target, features, code)
    for i in range(target.width):
        value = &features.values[target.slots[i]]
        if (target.drops_nulls and value.null) or value.number == 0:
            continue
        if value.first < 0:
            row = insert(target.map, key_of(i + 1, value.code))
            if row == FULL or not add_feature(target.store, row, value.number):
                no_memory()
            continue
        for j in range(value.first, value.last):
            if j > value.first and features.many[j] == features.many[j - 1]:
                continue
            row = insert(target.map, key_of(i + 1, features.many[j]))
            if row == FULL or not add_feature(target.store, row, 1):
                no_memory()
    if not close_instance(target.store, code):
        no_memory()
    return 0


cdef int append_number(vector[char] *text, int64_t number) except -1 nogil:
    cdef char digits[24]
    cdef int at = 24
    cdef bint negative = number < 0
    if negative:
        number = -number
    while True:
        at -= 1
        digits[at] = <char> (c'0' + number % 10)
        number = number // 10
        if number == 0:
            break
    if negative:
        at -= 1
        digits[at] = c'-'
    text.insert(text.end(), &digits[at], &digits[0] + 24)
    return 0


cdef int append_double(vector[char] *text, double number) except -1 with gil:
    for byte in double_text(number).encode():
        text.push_back(<char> <int> byte)
    return 0


cdef int add_line(Target *target, Features features, int32_t code) except -1 nogil:
    """One line: class, then each value and a TAB."""
    cdef int32_t i, j
    cdef const Value *value
    append_number(target.text, code)
    target.text.push_back(c'\t')
    for i in range(target.width):
        value = &features.values[target.slots[i]]
        if (target.drops_nulls and value.null) or value.number == 0:
            append_number(target.text, -1)
        elif value.first < 0:
            append_number(target.text, value.code)
            if value.number != 1:
                target.text.push_back(c':')
                append_double(target.text, value.number)
        else:
            for j in range(value.first, value.last):
                if j > value.first and features.many[j] == features.many[j - 1]:
                    continue
                if j > value.first:
                    target.text.push_back(c'|')
                append_number(target.text, features.many[j])
        target.text.push_back(c'\t')
    target.text.push_back(c'\n')
    return 0


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
