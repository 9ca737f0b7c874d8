"""Models of arcs: every pair of words is scored for itself, and a decoder finds the best tree.

A pair is Covington's configuration of two words, before there is any arc; its classes are the arcs to the left and to the
right, with their labels. Each direction has one class more, that of all its labels: what is learned of an arc whatever its
label is. An arc scores the best of its labels.

A policy of the walk decodes when a sentence begins, and then makes the transitions that derive the tree.
"""

cimport cython
from libcpp.algorithm cimport sort
from libcpp.pair cimport pair

import numpy

from malt.kernel.guide cimport Actions, ScoredClass
from malt.kernel.spanning cimport Decoder
from malt.kernel.structured cimport StructuredPolicy
from malt.kernel.system cimport State, System
from malt.kernel.types cimport code_t, int32_t, int64_t, node_t, uint64_t
from malt.kernel.vector cimport vector
from malt.kernel.walk cimport TreePolicy, Walk
from malt.kernel.weights cimport (
    ALL_TRANSITIONS, Classes, Entry, MOST_GROUPS, NO_ENTRY, Range, Scorer, UNIT, in_lines)


cpdef enum:
    DIRECTIONS = 2  # places of weights that follow those of the classes: all arcs to the left, all arcs to the right

cdef enum:
    NOBODY = -1
    PER_ARC = 12  # bytes, beside what the decoder needs
    LARGEST = 1 << 20  # step of a weight
    FAR = 256  # words of a sentence from which on somebody is asked, now and then, whether to stop

cdef double REFUSED = -1e15  # the score of an arc that no class stands for: a tree has one only if there is no other


class TooLong(Exception):
    """A sentence whose arcs take more memory than is allowed: its first word in the block, its length, and megabytes."""

    def __init__(self, word, words, megabytes):
        super().__init__(f"a sentence of {words:,} words: its arcs take {megabytes:,} megabytes")
        self.word, self.words, self.megabytes = word, words, megabytes


@cython.final
cdef class ArcModel:
    """The scores of all arcs of a sentence, and the best tree."""

    cdef readonly Scorer scorer
    cdef readonly Classes classes
    cdef Decoder decoder
    cdef int64_t megabytes  # that a sentence may take
    cdef int32_t leftward, rightward  # the transitions
    cdef Range lefts, rights  # the classes of each direction
    cdef int32_t every  # the place of the weights of all arcs to the left; those to the right follow
    cdef vector[double] scores  # [head, dependent]
    cdef vector[int32_t] best  # the class that each has it from
    cdef vector[node_t] heads  # of the best tree; that of the root is -1

    def __init__(self, System system not None, Scorer scorer not None, Classes classes not None, Decoder decoder not None,
                 int64_t megabytes):
        cdef int32_t c, t
        cdef Range none = Range(0, 0)
        self.scorer, self.classes, self.decoder, self.megabytes = scorer, classes, decoder, megabytes
        self.every = classes.room
        if scorer.stride != in_lines(classes.room + DIRECTIONS) or scorer.classes is not None:
            raise ValueError("the weights do not fit the classes")
        self.leftward = self.rightward = NOBODY
        for t in range(<int32_t> system.arc.size()):
            if system.arc[t] and system.arc[t] == system.leftward and self.leftward == NOBODY:
                self.leftward = t
            if system.arc[t] and system.arc[t] == system.rightward and self.rightward == NOBODY:
                self.rightward = t
        for c in range(classes.room):
            if classes.codes[c] >= 0 and classes.transition[c] != self.leftward and classes.transition[c] != self.rightward:
                raise ValueError("a class makes no arc")
        t = <int32_t> classes.of_transition.size()
        self.lefts = classes.of_transition[self.leftward] if 0 <= self.leftward < t else none
        self.rights = classes.of_transition[self.rightward] if 0 <= self.rightward < t else none

    cdef int64_t needs(self, int64_t words) noexcept nogil:
        """The bytes that a sentence takes."""
        return PER_ARC * (words + 1) * (words + 1) + self.decoder.room(words)

    def check(self, int64_t words, int64_t first=0):
        """Refuse a sentence, whose first word has a number in its block, if it takes too much memory."""
        if self.needs(words) > self.megabytes * 1000000:
            raise TooLong(first, words, self.needs(words) // 1000000)

    cdef int measure(self, Walk walk) except -1 nogil:
        """Score all arcs of a sentence."""
        cdef int32_t words = walk.state.words, size = words + 1, left, right, entry
        cdef const int32_t *scores
        cdef int32_t before = walk.state.left, after = walk.state.right
        if self.needs(words) > self.megabytes * 1000000:
            with gil:
                self.check(words, walk.first)
        self.scores.resize(<size_t> size * size)
        self.best.resize(<size_t> size * size)
        self.scorer.forget()
        for right in range(1, size):
            if words > FAR:
                walk.look_up()
            for left in range(right - 1, -1, -1):
                entry = self.evaluate(walk, left, right)
                scores = self.scorer.scores_of(entry)
                self.take_best(walk, scores, self.rights, left, right, scores[self.every + 1])
                if left:
                    self.take_best(walk, scores, self.lefts, right, left, scores[self.every])
        walk.state.left, walk.state.right = before, after
        return 0

    cdef int32_t evaluate(self, Walk walk, node_t left, node_t right) except -1 nogil:
        """The scorer's entry of a pair. The configuration is another one afterwards."""
        walk.state.left, walk.state.right = left, right
        return self.scorer.evaluate(walk.features, walk.state, ALL_TRANSITIONS)

    cdef int take_best(self, Walk walk, const int32_t *scores, Range classes, node_t head, node_t dependent,
                       int32_t every) except -1 nogil:
        """Of the classes of an arc the best is its score. Where roots have a label of their own, no other arc has it."""
        cdef int32_t klass, best = NOBODY, own = walk.own_label
        cdef int64_t at = <int64_t> head * (walk.state.words + 1) + dependent
        for klass in range(classes.begin, classes.end):
            if best != NOBODY and scores[klass] <= scores[best]:
                continue
            if own >= 0 and (self.classes.labels_of(klass)[own] == walk.root_labels[own]) != (head == 0):
                continue
            best = klass
        self.best[at] = best
        self.scores[at] = REFUSED if best == NOBODY else <double> scores[best] + every
        return 0

    cdef int decode(self, Walk walk) except -1 nogil:
        """Find the best tree."""
        self.heads.resize(walk.state.words + 1)
        if not self.decoder.solve(self.scores.data(), walk.state.words, walk.system.single_root, self.heads.data()):
            with gil:
                raise RuntimeError("the decoder has found no tree")
        return 0

    def matrix(self):
        """The scores of the arcs of the last sentence, as decoders take them: [head, dependent]."""
        cdef int32_t size = <int32_t> self.heads.size(), head, word
        found = numpy.full((size, size), -numpy.inf)
        cdef double[:, ::1] target = found
        for head in range(size):
            for word in range(1, size):
                if head != word:
                    target[head, word] = self.scores[<int64_t> head * size + word]
        return found

    cdef inline int32_t class_of(self, node_t head, node_t dependent) noexcept nogil:
        return self.best[<int64_t> head * <int64_t> self.heads.size() + dependent]


@cython.final
cdef class ArcPolicy(StructuredPolicy):
    """Derives the best tree of a model of arcs."""

    cdef ArcModel model

    def __init__(self, ArcModel model not None):
        StructuredPolicy.__init__(self, model.scorer, model.classes)
        self.model = model

    cdef int begin(self, Walk walk) except -1 nogil:
        self.model.measure(walk)
        return self.model.decode(walk)

    cdef int choose(self, Walk walk) except -1 nogil:
        cdef node_t left = walk.state.left, right = walk.state.right
        cdef int32_t klass = NOBODY
        if self.candidates.wanted:  # the features, too, as they are here
            self.record(self.scorer.evaluate(walk.features, walk.state, ALL_TRANSITIONS), ALL_TRANSITIONS)
        walk.transition = walk.system.default_of(walk.seen)
        if self.model.heads[right] == left:
            walk.transition, klass = self.model.rightward, self.model.class_of(left, right)
        elif self.model.heads[left] == right:
            walk.transition, klass = self.model.leftward, self.model.class_of(right, left)
        if klass != NOBODY:
            walk.labels = self.classes.labels_of(klass)
        return 0

    cdef int record(self, int32_t entry, uint64_t permissible) except -1 nogil:
        """Keep the scores of all arcs of a pair."""
        cdef int32_t c, every
        cdef const int32_t *scores = self.scorer.scores_of(entry)
        for c in range(self.classes.room):
            if self.classes.codes[c] >= 0:
                every = self.model.every + (self.classes.transition[c] == self.model.rightward)
                self.candidates.found.push_back(
                    ScoredClass(0, self.classes.codes[c], (scores[c] + scores[every]) / <double> UNIT))
        return 0

    cdef int finish(self, Walk walk) except -1 nogil:
        return 0  # the decoder knows how many roots there are


ctypedef pair[uint64_t, int32_t] Weight  # a feature and a class
ctypedef pair[Weight, int32_t] Change  # of a weight, by so much


@cython.final
cdef class ArcTraining(TreePolicy):
    """Learns from the best tree and the gold tree, sentence by sentence. The best tree is that of a model to which every
    arc that is not the gold one, or has another label, scores a margin more; the weights change as little as makes the
    gold tree the better one (MIRA: Crammer and Singer 2003, McDonald, Crammer and Pereira 2005)."""

    cdef ArcModel model
    cdef Actions actions
    cdef vector[int32_t] class_of  # code of a class -> its number
    cdef vector[int32_t] gold  # the class of each word's arc
    cdef vector[Change] changes
    cdef int32_t margin
    cdef public int64_t updates
    cdef public int64_t right  # trees that were right

    def __init__(self, ArcModel model not None, Actions actions not None, class_of, int32_t margin):
        self.model, self.actions, self.class_of, self.margin = model, actions, class_of, margin

    cdef int begin(self, Walk walk) except -1 nogil:
        self.exact = False  # what is learned from is no derivation
        if self.read(walk):
            self.model.measure(walk)
            self.add_margins(walk)
            self.model.decode(walk)
            self.learn(walk)
        self.model.scorer.weights.clock += 1
        return 0

    cdef int choose(self, Walk walk) except -1 nogil:
        walk.transition = NOBODY  # the walk ends here
        return 0

    cdef bint read(self, Walk walk) except -1 nogil:
        """The classes of the gold arcs; False where one has none."""
        cdef node_t word, head
        cdef code_t code
        cdef const code_t *labels = walk.no_labels.data()
        self.gold.resize(walk.state.words + 1)
        for word in range(1, walk.state.words + 1):
            head = self.heads[walk.first + word - 1]
            if head < 0 or head > walk.state.words or head == word:
                return False
            if self.labels != NULL:
                labels = self.labels + <int64_t> (walk.first + word - 1) * walk.width
            code = self.actions.code_of(0, self.model.rightward if head < word else self.model.leftward, labels)
            if not 0 <= code < <code_t> self.class_of.size() or self.class_of[code] < 0:
                return False
            self.gold[word] = self.class_of[code]
        return walk.state.words > 0

    cdef int add_margins(self, Walk walk) except -1 nogil:
        """What is wrong scores more. Of the gold arc another label may now be the best."""
        cdef node_t head, word, size = walk.state.words + 1
        cdef int64_t at
        cdef double score, right
        cdef const int32_t *scores
        for word in range(1, size):
            for head in range(size):
                at = <int64_t> head * size + word
                self.model.scores[at] = self.model.scores[at] + self.margin
            head = self.heads[walk.first + word - 1]
            at = <int64_t> head * size + word
            scores = self.scores_of(walk, head, word)
            right = <double> scores[self.gold[word]] + scores[self.model.every + (head < word)]
            if self.model.best[at] == self.gold[word]:
                self.best_other(walk, scores, head, word)
            score = self.model.scores[at]
            if self.model.best[at] == NOBODY or right >= score:
                self.model.best[at], self.model.scores[at] = self.gold[word], right
        return 0

    cdef const int32_t *scores_of(self, Walk walk, node_t head, node_t word) except NULL nogil:
        cdef int32_t before = walk.state.left, after = walk.state.right
        cdef int32_t entry = self.model.evaluate(walk, min(head, word), max(head, word))
        walk.state.left, walk.state.right = before, after
        return self.model.scorer.scores_of(entry)

    cdef int best_other(self, Walk walk, const int32_t *scores, node_t head, node_t word) except -1 nogil:
        """Of the classes of the gold arc the best one that is wrong, with its margin."""
        cdef int32_t klass, best = NOBODY
        cdef Range classes = self.model.rights if head < word else self.model.lefts
        cdef int64_t at = <int64_t> head * (walk.state.words + 1) + word
        for klass in range(classes.begin, classes.end):
            if klass != self.gold[word] and (best == NOBODY or scores[klass] > scores[best]):
                best = klass
        self.model.best[at] = best
        if best != NOBODY:
            self.model.scores[at] = <double> scores[best] + scores[self.model.every + (head < word)] + self.margin
        return 0

    cdef int learn(self, Walk walk) except -1 nogil:
        """Change the weights if the gold tree is not the best one."""
        cdef node_t word, head, size = walk.state.words + 1
        cdef size_t i, j
        cdef double behind = 0, norm = 0
        cdef int32_t klass, amount
        cdef const int32_t *scores
        self.changes.clear()
        for word in range(1, size):
            head = self.heads[walk.first + word - 1]
            klass = self.model.class_of(self.model.heads[word], word)
            if self.model.heads[word] == head and klass == self.gold[word]:
                continue
            if klass == NOBODY:
                continue
            behind += self.model.scores[<int64_t> self.model.heads[word] * size + word]
            scores = self.scores_of(walk, head, word)
            behind -= <double> scores[self.gold[word]] + scores[self.model.every + (head < word)]
            self.note(walk, head, word, self.gold[word], 1)
            self.note(walk, self.model.heads[word], word, klass, -1)
        if self.changes.empty():
            self.right += 1
            return 0
        sort(self.changes.begin(), self.changes.end())
        i = 0
        for j in range(1, self.changes.size()):
            if self.changes[j].first == self.changes[i].first:
                self.changes[i].second += self.changes[j].second
            else:
                i += 1
                self.changes[i] = self.changes[j]
        self.changes.resize(i + 1)
        for i in range(self.changes.size()):
            norm += <double> self.changes[i].second * self.changes[i].second
        if behind <= 0 or norm == 0:
            return 0
        self.updates += 1
        amount = max(<int32_t> min(behind / norm + 0.5, <double> LARGEST), 1)
        for i in range(self.changes.size()):
            if self.changes[i].second:
                self.model.scorer.weights.add(
                    self.changes[i].first.first, self.changes[i].first.second, self.changes[i].second * amount)
        return 0

    cdef int note(self, Walk walk, node_t head, node_t word, int32_t klass, int32_t amount) except -1 nogil:
        """The features of an arc, for its class and for all classes of its direction."""
        cdef int32_t before = walk.state.left, after = walk.state.right
        cdef int32_t entry = self.model.evaluate(walk, min(head, word), max(head, word))
        walk.state.left, walk.state.right = before, after
        return self.note_entry(entry, klass, self.model.every + (head < word), amount)

    cdef int note_entry(self, int32_t entry, int32_t klass, int32_t every, int32_t amount) except -1 nogil:
        """What the scorer has in an entry, and in those that it is based on."""
        cdef const Entry *found = &self.model.scorer.entries[entry]
        cdef Change change
        cdef int64_t i
        cdef int32_t group
        for i in range(found.first, found.last):
            change.first.first, change.first.second, change.second = self.model.scorer.keys[i], klass, amount
            self.changes.push_back(change)
            change.first.second = every
            self.changes.push_back(change)
        for group in range(MOST_GROUPS):
            if found.base[group] != NO_ENTRY:
                self.note_entry(found.base[group], klass, every, amount)
        return 0
