"""The walk: the one loop over configurations. Observe, is it the end, is there no choice, choose, apply, label.

Who chooses is a policy: the oracle of gold trees, a guide, or a record of choices that is played again. Who watches is an
observer: training instances, a record of actions, the columns of values that trials share. Training, parsing, tracing and
trials are this loop with another policy and another observer. All of it runs without the GIL.
"""

cimport cython
from cpython.exc cimport PyErr_CheckSignals
from libc.math cimport INFINITY, floor, isfinite, log10, pow, rint

import numpy

from malt.kernel.features cimport Features, Propagation, FeatureValue
from malt.kernel.guide cimport Actions, Candidates, Guide, Labelling, ScoredClass
from malt.kernel.instances cimport (
    FULL, FeatureMap, Instances, Map, NO_ROW, Store, add_feature, close_instance, copy_of, insert, key_of, lookup, place,
)
from malt.kernel.oraclesearch cimport OracleSearch
from malt.kernel.system cimport END_OF_LISTS, Gold, NOTHING, State, System, most_steps
from malt.kernel.types cimport code_t, int8_t, int32_t, int64_t, node_t, uint32_t, uint64_t
from malt.kernel.vector cimport vector

from malt.errors import MaltError
from malt.mco.javanumbers import double_text

cdef enum:
    BETWEEN_SIGNALS = 0x3FFF  # steps of a long sentence, which must not keep a user from stopping
    REACH = 40  # more nodes of a stack or of the buffer than one transition moves


cdef class Policy:
    """Who chooses the transition and its labels, where there is a choice."""

    cdef bint fits(self, int64_t sentences, int64_t words) noexcept:
        """Whether it has something for every sentence and word of a block."""
        return True

    cdef int begin(self, Walk walk) except -1 nogil:
        """A sentence begins."""
        return 0

    cdef int choose(self, Walk walk) except -1 nogil:
        """Say `walk.transition`, -1 where nothing is predicted, and `walk.labels`."""
        return 0

    cdef int finish(self, Walk walk) except -1 nogil:
        """The derivation is over. Who can weigh arcs has the walk make a tree of it here, where the system asks for one."""
        return 0

    cdef double weigh(self, Walk walk, int32_t arc, Labelling labelling, code_t *labels) except? -1 nogil:
        """The score of the best action in the walk's configuration that makes an arc of this kind (`System.arc`), of any kind
        for 0, and its labels; -infinity, if there is none."""
        return -INFINITY


cdef class Observer:
    """Who watches. This one does not look."""

    cdef int start(self) except -1:
        """A block begins."""
        return 0

    cdef int before(self, Walk walk) except -1 nogil:
        """A transition was chosen, or there is no choice, and it is not made yet."""
        return 0

    cdef int after(self, Walk walk) except -1 nogil:
        """It was made."""
        return 0

    cdef int end(self, Walk walk) except -1 nogil:
        """A sentence ends."""
        return 0


@cython.final
cdef class Walk:
    """Walks the sentences of blocks. `root_labels` has the default label for each table of labels, -1 where an arc without
    a label stays without. Features are needed only by those who look at them."""

    def __init__(self, System system not None, Features features=None, root_labels=(), Propagation propagation=None,
                 int own_label=-1, int other_label=-1):
        self.system, self.features, self.state = system, features, State()
        self.propagation = propagation if propagation is not None else Propagation()
        self.root_labels = root_labels
        self.width = len(root_labels)
        self.no_labels.assign(self.width + 1, -1)
        self.best_labels.assign(self.width + 1, -1)
        self.own_label, self.other_label = own_label, other_label

    def run(self, Policy policy not None, int32_t[::1] starts not None, code_t[:, ::1] values=None,
            node_t[::1] input_heads=None, Observer observer=None, node_t[::1] given=None, code_t[:, ::1] given_labels=None,
            stop=None):
        """(heads, labels) of the words of a block as they are derived: words that are left over have the head -1.

        `values` are the coded columns and `input_heads` the heads that are read, for features; `given` and `given_labels`
        are the arcs of partial trees, heads 0 where there is none. When the event `stop` is set, another thread has no use
        for the result any more.
        """
        cdef int32_t i, n, words = starts[starts.shape[0] - 1] if starts.shape[0] else -1, word, j
        cdef const code_t *input = NULL
        cdef const node_t *read_heads = NULL
        cdef const node_t *partial = NULL
        cdef const code_t *partial_labels = NULL
        cdef int32_t columns = 0
        cdef bint ended
        cdef bint fits = words >= 0 and starts[0] == 0 and policy.fits(starts.shape[0] - 1, words)
        for i in range(1, <int32_t> starts.shape[0]):
            fits = fits and starts[i - 1] <= starts[i]
        if not (
            fits and (values is None or values.shape[0] == words) and (input_heads is None or input_heads.shape[0] == words)
            and (given is None or given.shape[0] == words)
            and (given_labels is None or given_labels.shape[0] == words and given_labels.shape[1] == self.width)
        ):
            raise ValueError("the arrays do not fit together")
        heads, labels = numpy.empty(words, numpy.int32), numpy.empty((words, self.width), numpy.int32)
        cdef node_t[::1] h = heads
        cdef code_t[:, ::1] l = labels
        if observer is None:
            observer = Observer()
        observer.start()
        if values is not None and words:
            input, columns = &values[0, 0] if values.shape[1] else NULL, <int32_t> values.shape[1]
        if input_heads is not None and words:
            read_heads = &input_heads[0]
        if given is not None and words:
            partial = &given[0]
            if given_labels is not None and self.width:
                partial_labels = &given_labels[0, 0]
        self.stop = stop
        self.graph_words.clear()
        self.graph_heads.clear()
        self.graph_labels.clear()
        with nogil:
            for i in range(<int32_t> starts.shape[0] - 1):
                self.sentence, self.first, n = i, starts[i], starts[i + 1] - starts[i]
                for word in range(n if partial else 0):
                    if partial[self.first + word] > n:
                        with gil:
                            raise ValueError(f"the head that is given to word {self.first + word} of the block is too large")
                self.state.start(n, self.system, self.width, self.propagation.columns, partial + self.first if partial else NULL)
                if partial_labels != NULL:
                    for j in range(n * self.width):
                        if partial[self.first + j // self.width] > 0:
                            self.state.labels[self.width + j] = partial_labels[<int64_t> self.first * self.width + j]
                if self.features is not None:
                    self.features.begin(input + <int64_t> self.first * columns, columns, read_heads + self.first, self.first)
                policy.begin(self)
                ended = self.derive(policy, observer)
                if policy.exact and not ended:
                    with gil:
                        by = "by the rules of the oracle" if self.system.oracle.size() else "as far as a search could find one"
                        most = most_steps(self.system, self.state.words)
                        raise MaltError(
                            f"{by}, the derivation of sentence {i + 1} of a block takes more than {most:,} steps; give the "
                            "transition system oracle lines that come to an end, or forbid what leads round in circles"
                        )
                policy.finish(self)
                for word in range(n):
                    h[self.first + word] = self.state.head[word + 1]
                    for j in range(self.width):
                        l[self.first + word, j] = self.state.labels[(word + 1) * self.width + j]
                if self.system.many:
                    self.keep_graph()
                observer.end(self)
        return heads, labels

    cdef int keep_graph(self) except -1 nogil:
        cdef size_t i
        for i in range(self.state.arcs.size()):
            self.graph_words.push_back(self.first + self.state.arcs[i].dependent - 1)
            self.graph_heads.push_back(self.state.arcs[i].head)
        for i in range(self.state.arc_labels.size()):
            self.graph_labels.push_back(self.state.arc_labels[i])
        return 0

    def graph(self):
        """(words, heads, labels) of the arcs of the last block, where a word may have several heads: the place of each arc's
        dependent in the block, and a row of labels."""
        words = copy_of(self.graph_words.data(), self.graph_words.size() * sizeof(int32_t), numpy.int32)
        heads = copy_of(self.graph_heads.data(), self.graph_heads.size() * sizeof(node_t), numpy.int32)
        labels = copy_of(self.graph_labels.data(), self.graph_labels.size() * sizeof(code_t), numpy.int32)
        return words, heads, labels.reshape(len(words), self.width)

    cdef bint derive(self, Policy policy, Observer observer) except -1 nogil:
        """Walk one sentence; False if it comes to no end: more steps than any derivation has, or nothing can be done, as
        the default transition is not bound to what is permissible."""
        cdef int64_t most = most_steps(self.system, self.state.words)
        while most > 0:
            most -= 1
            if most & BETWEEN_SIGNALS == 0:
                self.look_up()
            self.seen = self.system.observe(self.state)
            if self.seen & END_OF_LISTS or self.system.terminal(self.seen):
                return True
            self.transition, self.labels = self.system.deterministic(self.seen), self.no_labels.data()
            self.must = self.transition >= 0
            if not self.must:
                self.steps += 1
                policy.choose(self)
            observer.before(self)
            if self.transition < 0 and not self.state.stacks and self.system.unpredicted >= 0:
                self.state.new_dependent = NOTHING  # MaltParser moves as after an arc
                self.state.operate(self.system.unpredicted)
                observer.after(self)
                continue
            if self.transition < 0:  # MaltParser shifts
                self.transition = self.system.unpredicted
            if self.transition < 0 or not self.advance(self.state, self.seen, self.transition, self.labels):
                return False
            observer.after(self)
        return False

    cdef int complete(self, Policy policy) except -1 nogil:
        """Make a tree of a forest, with one word on the root: of the words without a head, if none is there, the one whose arc
        from the root scores best, or that has the most dependents, if the system makes no such arcs. The others hang on
        that word, each with its best labels. Where roots have a label of their own, this word has it and no other."""
        cdef node_t word, root = NOTHING
        cdef double score, best = -INFINITY
        cdef int32_t i
        for word in range(self.state.words, 0, -1):
            if self.state.head[word] == 0:
                root = word
        if root == NOTHING:
            for word in range(1, self.state.words + 1):
                if self.state.head[word] == NOTHING:
                    # Where no arc from the root is ever made, no score says anything of it.
                    score = self.weigh(policy, 0, word) if self.system.from_root else self.state.dependents(word)
                    if root == NOTHING or score > best:
                        root, best = word, score
            if root == NOTHING:  # no words, or all in cycles
                return 0
            self.weigh(policy, 0, root)
            self.hang(0, root)
        for i in range(1, self.state.words):  # outwards, so that each takes the last place among the dependents
            word = root - i if i < root else i + 1
            if self.state.head[word] <= 0:
                self.weigh(policy, root, word)
                self.hang(root, word)
        if self.own_label >= 0:
            for word in range(1, self.state.words + 1):
                if (self.state.labels[word * self.width + self.own_label] == self.root_labels[self.own_label]) != (word == root):
                    self.weigh(policy, self.state.head[word], word)
                    self.state.labels[word * self.width + self.own_label] = self.best_labels[self.own_label]
        return 0

    cdef double weigh(self, Policy policy, node_t head, node_t dependent) except? -1 nogil:
        """The score of an arc by a policy, with its labels in `best_labels`. What the configuration was is lost."""
        cdef Labelling labelling = Labelling(self.own_label, -1, head == 0)
        cdef int32_t arc = self.system.arrange(self.state, head, dependent), j
        cdef double score
        if self.own_label >= 0:
            labelling.label = self.root_labels[self.own_label]
        score = policy.weigh(self, arc, labelling, self.best_labels.data())
        if score == -INFINITY and labelling.wanted:  # such as a system that leaves all words of the root over
            labelling.table = -1
            score = policy.weigh(self, arc, labelling, self.best_labels.data())
        if score == -INFINITY:  # no arc to this side was ever seen
            policy.weigh(self, 0, labelling, self.best_labels.data())
        for j in range(self.width):
            if self.best_labels[j] < 0 or (j == self.own_label and head == 0):
                self.best_labels[j] = self.other_label if j == self.own_label and head != 0 else self.root_labels[j]
        return score

    cdef int hang(self, node_t head, node_t dependent) except -1 nogil:
        """Make the arc that was weighed last."""
        cdef int32_t j
        self.state.add_arc(head, dependent)
        for j in range(self.width):
            self.state.labels[dependent * self.width + j] = self.best_labels[j]
        return 0

    cdef bint advance(self, State state, uint64_t seen, int32_t transition, const code_t *labels) except -1 nogil:
        """Make a transition, label its arc and pass on what is propagated; False if nothing can be done."""
        cdef node_t dependent
        cdef int32_t j
        cdef size_t at
        if state.many:
            state.make_room()
        if not self.system.apply(state, seen, transition):
            return False
        dependent = state.new_dependent
        if state.many and dependent > 0:
            at = state.arc_labels.size() - self.width
            for j in range(self.width):
                state.arc_labels[at + j] = self.root_labels[j] if labels[j] < 0 else labels[j]
            if state.arcs.back().before != NOTHING:  # the tree keeps its first head, and the labels of that arc
                return True
        if dependent > 0:
            for j in range(self.width):
                state.labels[dependent * self.width + j] = self.root_labels[j] if labels[j] < 0 else labels[j]
            if self.propagation.columns:
                self.propagation.run(state, self.features.input, self.features.width, dependent)
        return True

    cdef void take_labels(self, const code_t *labels) noexcept nogil:
        """The labels of the arc that the chosen transition makes, from those of all words of the block."""
        cdef node_t dependent = self.system.dependent_of(self.state, self.transition)
        if labels != NULL and dependent > 0:
            self.labels = labels + <int64_t> (self.first + dependent - 1) * self.width

    cdef int look_up(self) except -1 with gil:
        """See whether the user, or another thread, wants to stop."""
        PyErr_CheckSignals()
        if self.stop is not None and self.stop.is_set():
            raise KeyboardInterrupt
        return 0


# -- policies


cdef class TreePolicy(Policy):
    """Trees that are known: heads, and the labels of each word's arc in the tables of labels."""

    cdef bint fits(self, int64_t sentences, int64_t words) noexcept:
        return (
            self._heads is not None and self._heads.shape[0] == words
            and (self._labels is None or self._labels.shape[0] == words)
        )

    def follow(self, node_t[::1] heads not None, code_t[:, ::1] labels=None, int32_t[::1] arc_starts=None,
               node_t[::1] arc_heads=None, code_t[:, ::1] arc_labels=None):
        """Follow the trees of the block that comes next; or graphs, of which the arcs to word i of the block are
        arc_heads[arc_starts[i]] .. arc_heads[arc_starts[i + 1] - 1]."""
        cdef Py_ssize_t i
        self.exact = True
        self._arc_starts, self._arc_heads, self._arc_labels = arc_starts, arc_heads, arc_labels
        if arc_starts is not None:
            fits = arc_starts.shape[0] == heads.shape[0] + 1 and arc_starts[0] == 0
            for i in range(arc_starts.shape[0] - 1 if fits else 0):
                fits = fits and arc_starts[i] <= arc_starts[i + 1]
            if not fits or arc_heads is None or arc_heads.shape[0] != arc_starts[heads.shape[0]] or (
                    arc_labels is not None and arc_labels.shape[0] != arc_heads.shape[0]):
                raise ValueError("the arcs of the graphs do not fit the words")
        self.heads = NULL
        self.labels = NULL
        self._heads, self._labels = heads, labels
        if heads.shape[0]:
            self.heads = &heads[0]
            if labels is not None and labels.shape[1]:
                self.labels = &labels[0, 0]

    cdef int read_gold(self, Walk walk, Gold gold) except -1 nogil:
        """Have the tree or the graph of the walk's sentence ready."""
        cdef int32_t arc
        cdef bint labelled
        if not walk.system.many:
            return gold.read(walk.system, self.heads + walk.first, walk.state.words)
        if self._arc_starts is None:
            with gil:
                raise ValueError("this system follows graphs")
        if not walk.state.words:
            return 0
        for arc in range(self._arc_starts[walk.first], self._arc_starts[walk.first + walk.state.words]):
            if not 0 <= self._arc_heads[arc] <= walk.state.words:
                with gil:
                    raise ValueError(f"the head of arc {arc} of the block is no node of its sentence")
        labelled = self._arc_labels is not None and self._arc_labels.shape[0] and self._arc_labels.shape[1] == walk.width > 0
        return gold.read_graph(
            walk.system, &self._arc_starts[walk.first], &self._arc_heads[0] if self._arc_heads.shape[0] else NULL,
            &self._arc_labels[0, 0] if labelled else NULL, walk.width, walk.state.words)

    cdef const code_t *oracle_labels(self, Walk walk, State state, Gold gold, int32_t transition) noexcept nogil:
        """The labels of the arc that the oracle's transition makes; those of no arc where there is none."""
        cdef node_t dependent
        cdef const code_t *labels = NULL
        if walk.system.many:
            labels = gold.labels_of(walk.system, state, transition)
        elif self.labels != NULL:
            dependent = walk.system.dependent_of(state, transition)
            if dependent > 0:
                labels = self.labels + <int64_t> (walk.first + dependent - 1) * walk.width
        return labels if labels != NULL else walk.no_labels.data()


@cython.final
cdef class OraclePolicy(TreePolicy):
    """Follows gold trees by the oracle of a system. `from_root`: arcs of root words are derived too (-prh normal)."""

    cdef Gold gold
    cdef OracleSearch search

    def __init__(self, System system not None, bint from_root=True):
        self.gold, self.search = Gold(from_root), OracleSearch()
        self.gold.prepare(system)

    @property
    def cut(self) -> int:
        """How many sentences have derivations that may lose more than need be, as the search for them came to its limit."""
        return self.search.cut

    cdef int begin(self, Walk walk) except -1 nogil:
        cdef int32_t word
        for word in range(walk.first, walk.first + walk.state.words if not walk.system.many else walk.first):
            if self.heads[word] < 0 or self.heads[word] > walk.state.words:
                with gil:
                    raise ValueError(f"the head of word {word} of the block is no node of its sentence")
        self.search.forget()
        return self.read_gold(walk, self.gold)

    cdef int choose(self, Walk walk) except -1 nogil:
        walk.transition = self.search.choose(walk.system, self.gold, walk.state, walk.seen)
        walk.labels = self.oracle_labels(walk, walk.state, self.gold, walk.transition)
        return 0


@cython.final
cdef class ReplayPolicy(TreePolicy):
    """Makes the choices again that a Record has of a block."""

    cdef const int8_t[::1] choices
    cdef const int64_t[::1] bounds
    cdef int64_t at

    def __init__(self, const int8_t[::1] choices not None, const int64_t[::1] bounds not None):
        self.choices, self.bounds = choices, bounds

    cdef bint fits(self, int64_t sentences, int64_t words) noexcept:
        return (
            self.bounds.shape[0] == sentences + 1 and self.bounds[0] >= 0
            and self.bounds[sentences] <= self.choices.shape[0] and TreePolicy.fits(self, sentences, words)
        )

    cdef int begin(self, Walk walk) except -1 nogil:
        self.at = self.bounds[walk.sentence]
        return 0

    cdef int choose(self, Walk walk) except -1 nogil:
        walk.transition = self.choices[self.at] if self.at < self.bounds[walk.sentence + 1] else -1
        self.at += 1
        walk.take_labels(self.labels)
        return 0


@cython.final
cdef class GuidePolicy(Policy):
    """Always the best that a guide predicts. Which candidate is taken when the best one is not permissible, and what becomes
    of the labels then, is MaltParser's (spec: learning, section 7)."""

    cdef Guide guide
    cdef vector[code_t] labels

    def __init__(self, Guide guide not None):
        self.guide = guide
        self.labels.assign(guide.labels + 1, -1)

    cdef int choose(self, Walk walk) except -1 nogil:
        walk.labels = self.labels.data()
        return self.guide.decide(walk.system, walk.state, walk.features, walk.seen, &walk.transition, self.labels.data())

    cdef int finish(self, Walk walk) except -1 nogil:
        return walk.complete(self) if walk.system.single_root else 0

    cdef double weigh(self, Walk walk, int32_t arc, Labelling labelling, code_t *labels) except? -1 nogil:
        return self.guide.weigh(walk.system, walk.state, walk.features, arc, labelling, labels)


# -- instances


cdef struct Target:  # what a loop without the GIL needs of a Sink
    const int32_t *slots  # the values of its feature vector, in order
    int32_t width
    bint drops_nulls  # -nv none: null values are left out
    bint as_text
    Store *store
    Map *map
    vector[char] *text
    int64_t count


@cython.final
cdef class Sink:
    """Takes the values of a feature vector and a class; `slots` are the vector's places among all values."""

    cdef Target target
    cdef vector[int32_t] slots
    cdef vector[char] text
    cdef readonly Instances instances
    cdef readonly FeatureMap map

    def __init__(self, slots, bint drops_nulls=False, bint as_text=False):
        self.slots = slots
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
    cdef const FeatureValue *value
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
    cdef const FeatureValue *value
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


# -- observers


@cython.final
cdef class Changes:
    """What each step of the last block changes, and what was permissible before it: enough to show every configuration,
    without a copy of any. More than `most` steps are refused."""

    cdef size_t most
    cdef vector[int32_t] numbers  # of all steps
    cdef vector[int64_t] bounds  # where those of each step begin
    cdef vector[uint64_t] permitted  # before each step, a bit for each transition
    cdef vector[node_t] tops  # of each stack before a step, REACH nodes, the top first; then the front of the buffer
    cdef vector[int32_t] heights  # of each stack before it
    cdef int32_t first  # of the buffer before it

    def __init__(self, size_t most=0x7FFFFFFF):
        self.most = most

    cdef int start(self) except -1:
        self.numbers.clear()
        self.bounds.assign(1, 0)
        self.permitted.clear()
        return 0

    cdef int before(self, Walk walk) except -1 nogil:
        cdef uint64_t permitted = 0
        cdef int32_t i, j, must = walk.system.deterministic(walk.seen)
        if self.permitted.size() >= self.most:
            with gil:
                raise LongDerivation(walk.sentence)
        for i in range(min(64, <int32_t> walk.system.dependent.size())):
            if i == must if must >= 0 else walk.system.permissible(walk.seen, i):
                permitted |= <uint64_t> 1 << i
        self.permitted.push_back(permitted)
        self.tops.clear()
        self.heights.clear()
        for i in range(walk.state.stacks):
            self.heights.push_back(walk.state.height[i])
            for j in range(REACH):
                self.tops.push_back(walk.state.peek(i, j))
        self.first = walk.state.first
        for j in range(REACH):
            self.tops.push_back(walk.state.B(j) if walk.state.stacks else NOTHING)
        return 0

    cdef int after(self, State state) except -1 nogil:
        cdef node_t dependent = state.new_dependent
        cdef int32_t i, kept, same
        self.numbers.push_back(dependent)
        self.numbers.push_back(state.new_head if dependent > 0 else NOTHING)
        if not state.stacks:
            self.numbers.push_back(state.left)
            self.numbers.push_back(state.right)
        else:
            self.numbers.push_back(state.active)
            for i in range(state.stacks):
                # The nodes from the bottom that are what they were: operations reach no deeper than this.
                kept = max(0, self.heights[i] - REACH)
                while kept < min(self.heights[i], state.height[i]) and (
                        self.tops[i * REACH + self.heights[i] - 1 - kept] == state.peek(i, state.height[i] - 1 - kept)):
                    kept += 1
                self.note(self.heights[i] - kept, state.height[i] - kept)
                while kept < state.height[i]:
                    self.numbers.push_back(state.peek(i, state.height[i] - 1 - kept))
                    kept += 1
            same = min(self.first + REACH, state.last)  # from here on the buffer is what it was
            while same > max(self.first, state.first) and (
                    self.tops[state.stacks * REACH + same - 1 - self.first] == state.buffer[same - 1]):
                same -= 1
            self.note(same - self.first, same - state.first)
            for i in range(same - 1, state.first - 1, -1):
                self.numbers.push_back(state.buffer[i])
        self.bounds.push_back(self.numbers.size())
        return 0

    cdef int note(self, int32_t gone, int32_t come) except -1 nogil:
        self.numbers.push_back(gone)
        self.numbers.push_back(come)
        return 0

    def steps(self):
        """For each step of the block a bit for each transition that was permissible, and the numbers of what it did: the
        dependent and the head of its arc, -1 and -1 if it makes none; with stacks the active one, then for each stack how
        many nodes leave its top, how many come, and these, and the same for the front of the buffer; with lists the pair."""
        cdef size_t i
        numbers = copy_of(self.numbers.data(), self.numbers.size() * sizeof(int32_t), numpy.int32).tolist()
        return [
            (self.permitted[i], numbers[self.bounds[i]:self.bounds[i + 1]]) for i in range(self.bounds.size() - 1)
        ]


@cython.final
cdef class Record(Observer):
    """The actions of the last block. With `actions`, also the class that the only decision has for each choice; with a
    `scored`, those of all candidates with their scores, with a `sink` the values of features before each choice, and with `changes` what
    becomes of the configuration."""

    cdef Actions actions_of
    cdef Candidates scored
    cdef Sink sink
    cdef Changes changes
    cdef int32_t width
    cdef vector[int8_t] transitions  # -1: nothing was predicted
    cdef vector[int8_t] choices  # whether there was one
    cdef vector[code_t] labels
    cdef vector[node_t] dependents  # of the arc that each transition makes; -1 if it makes none
    cdef vector[code_t] classes
    cdef vector[int64_t] bounds  # where the actions of each sentence begin
    cdef vector[int64_t] choice_bounds  # and its choices, among those
    cdef int64_t choice_count
    cdef vector[int64_t] candidate_ends  # where the candidates of each choice end
    cdef public int64_t forbidden  # choices that a parser would not be permitted to make

    def __init__(self, Actions actions=None, Candidates scored=None, Sink sink=None, Changes changes=None):
        self.actions_of, self.scored, self.sink, self.changes = actions, scored, sink, changes
        if scored is not None:
            scored.wanted = True

    cdef int start(self) except -1:
        self.transitions.clear()
        self.choices.clear()
        self.labels.clear()
        self.dependents.clear()
        self.classes.clear()
        self.candidate_ends.clear()
        self.bounds.assign(1, 0)
        self.choice_bounds.assign(1, 0)
        self.forbidden = self.choice_count = 0
        if self.scored is not None:
            self.scored.found.clear()
        if self.changes is not None:
            self.changes.start()
        return 0

    cdef int before(self, Walk walk) except -1 nogil:
        cdef int32_t j
        cdef code_t code
        self.width = walk.width
        if self.actions_of is not None:  # as in training, what is no choice may bring a new class, too
            code = self.actions_of.code_of(0, walk.transition, walk.labels)
            if not walk.must:
                self.classes.push_back(code)
        if not walk.must:
            self.choice_count += 1
            self.forbidden += walk.transition >= 0 and not walk.system.permissible(walk.seen, walk.transition)
            if self.scored is not None:
                self.candidate_ends.push_back(self.scored.found.size())
            if self.sink is not None:
                add_instance(&self.sink.target, walk.features, 0)
        self.transitions.push_back(<int8_t> walk.transition)
        self.choices.push_back(not walk.must)
        for j in range(walk.width):
            self.labels.push_back(walk.labels[j])
        if self.changes is not None:
            self.changes.before(walk)
        return 0

    cdef int after(self, Walk walk) except -1 nogil:
        self.dependents.push_back(walk.state.new_dependent)
        if self.changes is not None:
            self.changes.after(walk.state)
        return 0

    cdef int end(self, Walk walk) except -1 nogil:
        self.bounds.push_back(self.transitions.size())
        self.choice_bounds.push_back(self.choice_count)
        return 0

    def derivations(self):
        """(transitions, dependents, where those of each sentence begin); -1 - transition where there was no choice."""
        transitions = copy_of(self.transitions.data(), self.transitions.size(), numpy.int8)
        choices = copy_of(self.choices.data(), self.choices.size(), numpy.bool_)
        dependents = copy_of(self.dependents.data(), self.dependents.size() * sizeof(node_t), numpy.int32)
        bounds = copy_of(self.bounds.data(), self.bounds.size() * sizeof(int64_t), numpy.int64)
        return numpy.where(choices, transitions, -1 - transitions).astype(numpy.int8), dependents, bounds

    def choices_made(self):
        """(transitions that were chosen, where those of each sentence begin, their classes): what a ReplayPolicy makes again."""
        transitions = copy_of(self.transitions.data(), self.transitions.size(), numpy.int8)
        choices = copy_of(self.choices.data(), self.choices.size(), numpy.bool_)
        bounds = copy_of(self.choice_bounds.data(), self.choice_bounds.size() * sizeof(int64_t), numpy.int64)
        return transitions[choices], bounds, copy_of(
            self.classes.data(), self.classes.size() * sizeof(code_t), numpy.int32)

    def actions(self):
        """The actions of each sentence, each as (transition, was there a choice, labels)."""
        cdef int64_t k
        for begin, end in zip(self.bounds, list(self.bounds)[1:]):
            yield [
                (self.transitions[k], bool(self.choices[k]), [self.labels[k * self.width + j] for j in range(self.width)])
                for k in range(begin, end)
            ]

    def candidates(self, int32_t most):
        """For each choice, in order: (decision, class, score) of the best candidates of each decision that was looked at, at
        most so many. Scores have six digits."""
        cdef int64_t begin = 0, end, first
        cdef size_t i, j
        cdef vector[int64_t] best
        cdef ScoredClass *one
        cdef list found, every = []
        for i in range(self.candidate_ends.size()):
            found, end = [], self.candidate_ends[i]
            while begin < end:
                first = begin
                while begin < end and self.scored.found[begin].decision == self.scored.found[first].decision:
                    begin += 1
                best = best_of(self.scored.found, first, begin, most)
                for j in range(best.size()):
                    one = &self.scored.found[best[j]]
                    found.append((one.decision, one.code, six_digits(one.score)))
            every.append(found)
        return every


cdef vector[int64_t] best_of(vector[ScoredClass] &found, int64_t begin, int64_t end, size_t most) except *:
    """The places of the highest scores, the first of equal ones first."""
    cdef vector[int64_t] best
    cdef int64_t k
    cdef size_t at
    for k in range(begin, end):
        at = best.size()
        if at < most:
            best.push_back(k)
        elif not at or not found[k].score > found[best[at - 1]].score:
            continue
        else:
            at -= 1
        while at and found[k].score > found[best[at - 1]].score:
            best[at] = best[at - 1]
            at -= 1
        best[at] = k
    return best


cdef inline double six_digits(double value) noexcept nogil:
    cdef double scale
    if value == 0 or not isfinite(value):
        return value
    scale = pow(10, 5 - floor(log10(abs(value))))
    return rint(value * scale) / scale if isfinite(scale) else value


class LongDerivation(Exception):
    """A sentence of the block, by its number, has more choices than one wants to learn from, or more steps than one wants to
    see."""

    def __init__(self, sentence):
        super().__init__(f"the derivation of sentence {sentence} of the block is too long")
        self.sentence = sentence


@cython.final
cdef class InstanceObserver(Observer):
    """Gives each choice to the classifiers that are to learn it. `open_sink(decision, path, divide)` is the Sink of a
    classifier when it is first needed: `path` are the classes of the branched decisions before, `divide` is the code that
    the data is split by, or -1; `slot` is that of the value that it is split by, or -1. A sentence with more choices than
    `most` is refused: some systems have as many as the square of its words."""

    cdef Actions actions
    cdef object open_sink
    cdef list _sinks
    cdef vector[Target *] targets
    cdef FeatureMap _nodes  # node of the tree of branches << 32 | class -> node
    cdef FeatureMap _places  # node << 32 | divide code + 1 -> sink
    cdef list _paths  # node -> (decision, path)
    cdef int32_t slot
    cdef int64_t most, choices  # of a sentence

    def __init__(self, Actions actions not None, open_sink, int slot=-1, int64_t most=0x7FFFFFFF):
        self.actions, self.open_sink, self.slot, self.most = actions, open_sink, slot, most
        self._sinks, self._paths = [], [(0, ())]
        self._nodes, self._places = FeatureMap(), FeatureMap()

    cdef int before(self, Walk walk) except -1 nogil:
        cdef int32_t i
        # Classes are registered when the action is made, before any feature is looked at.
        for i in range(<int32_t> self.actions.stages.stages.size()):
            self.actions.code_of(i, walk.transition, walk.labels)
        return self.learn(walk) if not walk.must else 0

    cdef int start(self) except -1:
        self.choices = 0
        return 0

    cdef int end(self, Walk walk) except -1 nogil:
        self.choices = 0
        return 0

    cdef int learn(self, Walk walk) except -1 nogil:
        """Give one instance to the classifier of each decision."""
        cdef int32_t i, node = 0, last = <int32_t> self.actions.stages.stages.size() - 1
        cdef code_t code, divide = -1
        self.choices += 1
        if self.choices > self.most:
            with gil:
                raise LongDerivation(walk.sentence)
        for i in range(last + 1):
            walk.features.run(walk.state)
            code = self.actions.code_of(i, walk.transition, walk.labels)
            if self.slot >= 0:
                divide = walk.features.values[self.slot].code
            add_instance(self.target_of(node, divide), walk.features, code)
            if self.actions.stages.stages[i].labelled_only and walk.system.dependent[walk.transition] == 0:
                break
            if i < last:
                node = self.child_of(node, code if self.actions.stages.stages[i].branched else -1)
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


@cython.final
cdef class CopyObserver(Observer):
    """Goes on with a copy of the configuration after every step, as a beam does: nothing else may come of it."""

    cdef State copy

    def __cinit__(self):
        self.copy = State()

    cdef int after(self, Walk walk) except -1 nogil:
        self.copy.become(walk.state)
        with gil:
            walk.state, self.copy = self.copy, walk.state
        return 0


class UnevenValue(Exception):
    """A feature has a value that no column can hold: a number other than 0 and 1."""


@cython.final
cdef class ColumnObserver(Observer):
    """Notes the values of some slots of a program, choice by choice, as columns: values are numbered as they come, and so
    are the features of the vector that a value stands for. That is one, none where it is absent, or several (Split)."""

    cdef vector[int32_t] slots
    cdef bint drops_nulls
    cdef int64_t at  # the number of choices so far
    cdef int32_t[:, ::1] numbers  # slot, choice -> number of the value
    cdef vector[vector[int32_t]] known  # slot -> key of a value -> its number
    cdef vector[vector[int32_t]] begins  # slot -> value -> where its features begin
    cdef vector[vector[int32_t]] features  # slot -> the features of all values
    cdef vector[vector[int32_t]] ids  # slot -> code -> feature
    cdef vector[vector[int32_t]] codes  # slot -> feature -> code
    cdef vector[vector[int32_t]] firsts  # slot -> feature -> the first choice that has it
    cdef vector[code_t] parts  # workspace

    def __init__(self, slots, int64_t choices, bint drops_nulls):
        self.slots, self.drops_nulls = slots, drops_nulls
        self.numbers = numpy.empty((len(slots), max(choices, 1)), numpy.int32)
        self.known.resize(self.slots.size())
        self.begins.assign(self.slots.size(), vector[int32_t](1, 0))
        self.features.resize(self.slots.size())
        self.ids.resize(self.slots.size())
        self.codes.resize(self.slots.size())
        self.firsts.resize(self.slots.size())

    cdef int before(self, Walk walk) except -1 nogil:
        cdef int32_t j
        cdef size_t key
        cdef const FeatureValue *value
        cdef const FeatureValue *source
        if walk.must:
            return 0
        walk.features.run(walk.state)
        for j in range(<int32_t> self.slots.size()):
            value = source = &walk.features.values[self.slots[j]]
            if value.first >= 0:
                source = &walk.features.values[walk.features.program[self.slots[j]].a]
            if value.number != 1 and value.number != 0 or source.code < 0:
                with gil:
                    raise UnevenValue
            key = 0 if value.number == 0 else 1 + 2 * <size_t> source.code + value.null
            if key >= self.known[j].size():
                self.known[j].resize(key + key // 2 + 16, -1)
            if self.known[j][key] < 0:
                self.known[j][key] = <int32_t> self.begins[j].size() - 1
                self.note(walk, j, value)
            self.numbers[j, self.at] = self.known[j][key]
        self.at += 1
        return 0

    cdef int note(self, Walk walk, int32_t j, const FeatureValue *value) except -1 nogil:
        """Take in the features that a new value stands for."""
        cdef size_t i, k
        cdef code_t code
        if value.first >= 0:
            walk.features.list_parts(self.slots[j], &self.parts)
        else:
            self.parts.clear()
            if value.number != 0 and not (value.null and self.drops_nulls):
                self.parts.push_back(value.code)
        for i in range(self.parts.size()):
            code = self.parts[i]
            if <size_t> code >= self.ids[j].size():
                self.ids[j].resize(code + code // 2 + 16, -1)
            if self.ids[j][code] < 0:
                self.ids[j][code] = <int32_t> self.codes[j].size()
                self.codes[j].push_back(code)
                self.firsts[j].push_back(<int32_t> self.at)
            k = self.begins[j].back()
            while k < self.features[j].size() and self.features[j][k] != self.ids[j][code]:
                k += 1
            if k == self.features[j].size():  # a part may come twice
                self.features[j].push_back(self.ids[j][code])
        self.begins[j].push_back(<int32_t> self.features[j].size())
        return 0

    def columns(self):
        """For each slot: the number of the value of each choice, where the features of each value begin, these features,
        and of each feature its code and its first choice."""
        numbers = numpy.asarray(self.numbers)[:, :self.at]
        return [
            (numbers[j], array_of(self.begins[j]), array_of(self.features[j]), array_of(self.codes[j]), array_of(self.firsts[j]))
            for j in range(self.slots.size())
        ]


cdef object array_of(const vector[int32_t] &numbers):
    return copy_of(numbers.data(), numbers.size() * sizeof(int32_t), numpy.int32)
