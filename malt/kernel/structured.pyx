"""Structured models: a beam, and learning over whole derivations.

A beam is a policy of the walk: it searches when a sentence begins, and then makes the choices of the best derivation that
it found. Hypotheses are compared after the same number of choices. One that has come to its end stays as it is and
competes with the others: what it would do after its end has no score.

Where a system works bottom-up, of the labels that an arc can have all but the best one come last: a dependent leaves when it gets
its head, what follows hardly sees its label, and hypotheses that differ in labels alone would fill the beam and leave no place for
those that differ in their arcs. Where there is place, they have it, so that a beam that is wide enough finds the best derivation of
all.

Where a system has a transition that only passes time (NA of Covington's lists, PA of the second plane), derivations differ much
in their numbers of choices. That transition then has no score, and hypotheses wait for each other: with lists at every word, with
planes after every choice that counts. Choices on the way to the second plane and through it do not, so that a hypothesis with an
arc there is compared with others that have made as many arcs, and taken and left as many words.
"""

cimport cython
from libc.math cimport INFINITY

from malt.kernel.guide cimport Actions, Candidates, Labelling, ScoredClass
from malt.kernel.mixing cimport draw
from malt.kernel.oraclesearch cimport OracleSearch
from malt.kernel.system cimport END_OF_LISTS, FORBIDDEN, Gold, NO_COSTS, State, System, most_steps
from malt.kernel.types cimport code_t, int32_t, int64_t, node_t, uint32_t, uint64_t
from malt.kernel.vector cimport vector
from malt.kernel.walk cimport Policy, TreePolicy, Walk
from malt.kernel.weights cimport ALL_TRANSITIONS, Classes, NO_ENTRY, Range, Scorer, UNIT


cpdef enum Update:  # where a derivation that went wrong is cut off to learn from it
    MAX_VIOLATION  # where the gold derivation is furthest behind (Huang, Fayong and Guo 2012)
    EARLY  # where the gold derivation falls out of the beam (Collins and Roark 2004)
    RESTART  # where it is furthest behind soon after it fell out; the search begins anew there (Björkelund and Kuhn 2014)


cpdef enum:
    STAY = -1  # the action of a hypothesis that has come to its end
    DEFAULT = -2  # that of a configuration where no class is permissible

cdef enum:
    NOBODY = -1
    BETWEEN_LOOKS = 0x3FFF  # hypotheses between two looks at whether somebody wants to stop
    PATIENCE = 8  # choices after the gold derivation fell out, until a search begins anew


cdef struct Step:  # a choice of a hypothesis, after those of its past
    int32_t past  # the step before; NOBODY at the beginning
    int32_t action
    int32_t entry  # of the configuration where it was made


cdef struct Hypothesis:
    int64_t score
    int32_t step  # its last choice
    int32_t state  # its configuration
    uint64_t seen
    int32_t made  # how many choices
    int32_t progress  # what hypotheses wait for: the words that were taken from lists, or the choices that count
    bint ended
    bint waits  # is it further than others?
    bint gold  # has it made all choices of the gold derivation, and no other?
    bint relabelled  # bottom-up: has it an arc with another label than the best one?


cdef struct Candidate:
    int64_t score
    int32_t hypothesis  # that it comes from
    int32_t action
    int32_t entry
    bint relabelled


cdef inline bint precedes(const Candidate *one, const Candidate *other) noexcept nogil:
    """Does one candidate stay in the beam rather than another?"""
    if one.relabelled != other.relabelled:
        return other.relabelled
    return one.score > other.score


@cython.final
cdef class Beam:
    """The search. Its room is kept from one sentence to the next."""

    cdef Scorer scorer
    cdef Classes classes
    cdef int32_t width
    cdef uint64_t aside  # the transitions that do not count; hypotheses wait for each other if there are any
    cdef int32_t milestone  # the progress that all of them have made, if they do
    cdef list _states
    cdef vector[void *] states  # all configurations that there are
    cdef vector[int32_t] free  # those that nobody has
    cdef vector[Hypothesis] hypotheses  # the best first
    cdef vector[Hypothesis] following
    cdef Hypothesis start  # where the search began; its configuration is the last one
    cdef vector[Candidate] candidates  # the first, in order, `kept` of them
    cdef int32_t kept
    cdef vector[int32_t] uses
    cdef vector[Step] steps
    cdef int64_t looked  # hypotheses since the last look
    cdef int32_t further  # so many candidates that just fall out are remembered, too
    cdef vector[Candidate] fallen  # these, the best first, and all that waited

    def __init__(self, Scorer scorer not None, Classes classes not None, int width, uint64_t aside):
        self.scorer, self.classes, self.width, self.aside = scorer, classes, width, aside
        self._states = [State() for _ in range(width + 2)]
        self.candidates.resize(width)
        for state in self._states:
            self.states.push_back(<void *> state)

    cdef int begin(self, Walk walk) except -1 nogil:
        """Nothing is chosen yet."""
        cdef Hypothesis *start = &self.start
        start.score, start.step, start.state, start.gold = 0, NOBODY, <int32_t> self.states.size() - 1, True
        start.seen, start.made, start.waits, start.relabelled = 0, 0, False, False
        (<State> self.states[start.state]).become(walk.state)
        start.ended = self.settle(walk, start)
        start.progress = walk.state.right
        return self.begin_anew()

    cdef int begin_anew(self) except -1 nogil:
        """The one hypothesis is the start."""
        cdef Hypothesis one = self.start
        cdef int32_t i
        self.free.clear()
        for i in range(one.state - 1, 0, -1):
            self.free.push_back(i)
        one.state = 0
        (<State> self.states[0]).become(<State> self.states[self.start.state])
        self.milestone = one.progress
        self.hypotheses.clear()
        self.hypotheses.push_back(one)
        self.steps.clear()
        return 0

    cdef int move_start(self, Walk walk, int32_t action) except -1 nogil:
        """Another search begins one choice later."""
        self.start.ended = self.act(walk, &self.start, action)
        self.start.made += 1
        return 0

    cdef int64_t most_rounds(self, Walk walk) noexcept nogil:
        """More than this often no sentence is extended, whatever its system does."""
        cdef int64_t most = most_steps(walk.system, walk.state.words)
        return most * (walk.state.words + 1) if self.aside else most

    cdef bint settle(self, Walk walk, Hypothesis *one) except -1 nogil:
        """Make the transitions that are no choice; True at the end of the derivation."""
        cdef int32_t must
        cdef int64_t most = most_steps(walk.system, walk.state.words)
        while most > 0:
            most -= 1
            one.seen = walk.system.observe(<State> self.states[one.state])
            if one.seen & END_OF_LISTS or walk.system.terminal(one.seen):
                return True
            must = walk.system.deterministic(one.seen)
            if must < 0:
                return False
            if not walk.advance(<State> self.states[one.state], one.seen, must, walk.no_labels.data()):
                return True
        return True

    cdef bint go_on(self) noexcept nogil:
        """All have waited: those that are the least far go on. False if all have come to their end."""
        cdef size_t i
        cdef bint going = False
        cdef Hypothesis *one
        for i in range(self.hypotheses.size()):
            one = &self.hypotheses[i]
            if not one.ended and (not going or one.progress < self.milestone):
                self.milestone, going = one.progress, True
        for i in range(self.hypotheses.size()):
            one = &self.hypotheses[i]
            one.waits = not one.ended and one.progress > self.milestone
        return going

    cdef inline void offer(self, Candidate one) noexcept nogil:
        """Keep a candidate if it is among the first; of equal ones, the first."""
        cdef int32_t at = self.kept
        if at == <int32_t> self.candidates.size():
            at -= 1
            if not precedes(&one, &self.candidates[at]):
                return
        else:
            self.kept += 1
        while at > 0 and precedes(&one, &self.candidates[at - 1]):
            self.candidates[at] = self.candidates[at - 1]
            at -= 1
        self.candidates[at] = one

    cdef inline bint has_place(self) noexcept nogil:
        """Can a candidate that is relabelled be among the first?"""
        return self.kept < <int32_t> self.candidates.size() or self.candidates[self.kept - 1].relabelled

    cdef inline void offer_classes(self, System system, State state, int32_t i, int32_t t, int32_t entry) noexcept nogil:
        """Offer a transition from the configuration of a hypothesis, with all of its labels. An arc of a graph that is there
        already is no choice."""
        cdef const Hypothesis *one = &self.hypotheses[i]
        cdef const int32_t *scores = self.scorer.scores_of(entry)
        cdef int32_t c, best = best_class(system, state, self.classes, <uint64_t> 1 << t, scores)
        if best == NOBODY:
            return
        for c in range(self.classes.of_transition[t].begin, self.classes.of_transition[t].end):
            if c == best:
                self.offer(Candidate(one.score + scores[c], i, c, entry, one.relabelled))
            elif not system.bottom_up or self.has_place():
                if not (system.many and system.repeats(state, t, self.classes.labels_of(c))):
                    self.offer(Candidate(one.score + scores[c], i, c, entry, one.relabelled or system.bottom_up))

    cdef void sort_by_score(self) noexcept nogil:
        """The best of those that stay is the first."""
        cdef int32_t i, at
        cdef Candidate one
        for i in range(1, self.kept):
            one, at = self.candidates[i], i
            while at > 0 and self.candidates[at - 1].score < one.score:
                self.candidates[at] = self.candidates[at - 1]
                at -= 1
            self.candidates[at] = one

    cdef bint extend(self, Walk walk, const vector[int32_t] *gold) except -1 nogil:
        """One more choice for every hypothesis; False if all have come to their end. `gold` is what the gold derivation
        chooses, if there is one; it may be more than is permissible."""
        cdef int32_t i, entry, also
        cdef size_t t
        cdef uint64_t permissible
        cdef Hypothesis *one
        cdef bint going = False
        self.looked += self.hypotheses.size()
        if self.looked > BETWEEN_LOOKS:
            self.looked = 0
            walk.look_up()
        self.kept = 0
        for i in range(<int32_t> self.hypotheses.size()):
            one = &self.hypotheses[i]
            if one.ended or one.waits:
                self.offer(Candidate(one.score, i, STAY, NO_ENTRY, one.relabelled))
                continue
            going = True
            permissible = self.classes.permissible(walk.system, one.seen)
            also = self.right_choice(one, gold)
            if also != NOBODY and permissible >> self.classes.transition[also] & 1:
                also = NOBODY
            entry = self.evaluate(walk, one, permissible, also)
            for t in range(self.classes.of_transition.size()):
                if permissible >> t & 1:
                    self.offer_classes(walk.system, <State> self.states[one.state], i, <int32_t> t, entry)
            if also != NOBODY:
                self.offer(Candidate(one.score + self.scorer.scores_of(entry)[also], i, also, entry, one.relabelled))
            elif not permissible:
                self.offer(Candidate(one.score, i, DEFAULT, entry, one.relabelled))
        if not going:
            return self.aside and self.go_on() and self.extend(walk, gold)
        self.fallen.clear()
        for i in range(self.width, self.kept):
            self.fallen.push_back(self.candidates[i])
        if self.further:
            self.remember_waiting()
        self.kept = min(self.width, self.kept)
        self.sort_by_score()
        self.follow(walk, gold)
        return True

    cdef void remember_waiting(self) except * nogil:
        """Those that waited and are not even among the candidates have fallen out, too."""
        cdef int32_t i, k
        cdef const Hypothesis *one
        for i in range(<int32_t> self.hypotheses.size()):
            one = &self.hypotheses[i]
            if not one.waits:
                continue
            for k in range(self.kept):
                if self.candidates[k].hypothesis == i:
                    break
            else:
                self.fallen.push_back(Candidate(one.score, i, STAY, NO_ENTRY, one.relabelled))

    cdef int32_t right_choice(self, const Hypothesis *one, const vector[int32_t] *gold) noexcept nogil:
        """What the gold derivation chooses next, for a hypothesis that is its beginning; NOBODY for others."""
        return gold[0][one.made] if one.gold and gold != NULL and one.made < <int32_t> gold.size() else NOBODY

    cdef int32_t evaluate(self, Walk walk, const Hypothesis *one, uint64_t transitions, int32_t also) except -1 nogil:
        """The entry of a hypothesis, with the scores of what is permissible and of one more class."""
        if also != NOBODY:
            transitions |= <uint64_t> 1 << self.classes.transition[also]
        return self.scorer.evaluate(walk.features, <State> self.states[one.state], transitions)

    cdef int follow(self, Walk walk, const vector[int32_t] *gold) except -1 nogil:
        """The candidates become the hypotheses. The last one of a past takes its configuration, the others copy it."""
        cdef size_t i
        cdef Hypothesis child
        cdef Hypothesis *past
        cdef Candidate *candidate
        cdef Step step
        self.uses.assign(self.hypotheses.size(), 0)
        for i in range(self.kept):
            self.uses[self.candidates[i].hypothesis] += 1
        for i in range(self.hypotheses.size()):
            if self.uses[i] == 0:
                self.free.push_back(self.hypotheses[i].state)
        self.following.clear()
        for i in range(self.kept):
            candidate = &self.candidates[i]
            past = &self.hypotheses[candidate.hypothesis]
            child = past[0]
            self.uses[candidate.hypothesis] -= 1
            if self.uses[candidate.hypothesis]:
                child.state = self.free.back()
                self.free.pop_back()
                (<State> self.states[child.state]).become(<State> self.states[past.state])
            if candidate.action != STAY:
                child.score, child.relabelled = candidate.score, candidate.relabelled
                child.gold = past.gold and candidate.action == self.right_choice(past, gold)
                child.made += 1
                step.past, step.action, step.entry = past.step, candidate.action, candidate.entry
                child.step = <int32_t> self.steps.size()
                self.steps.push_back(step)
                child.ended = self.act(walk, &child, candidate.action)
                child.waits = self.aside and not child.ended and child.progress > self.milestone
            self.following.push_back(child)
        self.hypotheses.swap(self.following)
        return 0

    cdef bint act(self, Walk walk, Hypothesis *one, int32_t action) except -1 nogil:
        """Make the transition of an action; True at the end of the derivation, or if nothing can be done."""
        cdef bint ended
        cdef const code_t *labels = walk.no_labels.data()
        if action >= 0:
            labels = self.classes.labels_of(action)
            action = self.classes.transition[action]
        else:
            action = walk.system.default_of(one.seen)
        if action < 0:
            return True
        ended = not walk.advance(<State> self.states[one.state], one.seen, action, labels) or self.settle(walk, one)
        self.count(walk, one, action)
        return ended

    cdef inline void count(self, Walk walk, Hypothesis *one, int32_t transition) noexcept nogil:
        """How far a hypothesis is after a transition, and those that are no choice."""
        if walk.system.stacks == 0:
            one.progress = (<State> self.states[one.state]).right
        elif not self.aside >> transition & 1:
            one.progress += 1

    cdef int read(self, int32_t step, vector[int32_t] *actions) except -1 nogil:
        """The steps that lead to one, from the first on."""
        cdef size_t low = 0, high
        cdef int32_t kept
        actions.clear()
        while step != NOBODY:
            actions.push_back(step)
            step = self.steps[step].past
        high = actions.size()
        while low + 1 < high:
            high -= 1
            kept = actions[0][low]
            actions[0][low] = actions[0][high]
            actions[0][high] = kept
            low += 1
        return 0


cdef class StructuredPolicy(Policy):
    """Weighs classes by the scores of a structured model."""

    def __init__(self, Scorer scorer not None, Classes classes not None):
        self.scorer, self.classes, self.candidates = scorer, classes, Candidates()

    cdef int record(self, int32_t entry, uint64_t permissible) except -1 nogil:
        """Keep the scores of all classes that are permissible in a configuration, for those who want to see them."""
        cdef int32_t c
        for c in range(self.classes.room):
            if self.classes.codes[c] >= 0 and permissible >> self.classes.transition[c] & 1:
                self.candidates.found.push_back(
                    ScoredClass(0, self.classes.codes[c], self.scorer.scores_of(entry)[c] / <double> UNIT))
        return 0

    cdef int finish(self, Walk walk) except -1 nogil:
        return walk.complete(self) if walk.system.single_root else 0

    cdef double weigh(self, Walk walk, int32_t arc, Labelling labelling, code_t *labels) except? -1 nogil:
        cdef int32_t c, j, kind, best = NOBODY
        cdef int32_t entry = self.scorer.evaluate(walk.features, walk.state, ALL_TRANSITIONS)
        cdef const int32_t *scores = self.scorer.scores_of(entry)
        for c in range(self.classes.room):
            kind = walk.system.arc[self.classes.transition[c]] if self.classes.codes[c] >= 0 else 0
            if not kind or (arc and kind != arc):
                continue
            if labelling.table >= 0 and (
                    (self.classes.labels_of(c)[labelling.table] == labelling.label) != labelling.wanted):
                continue
            if best == NOBODY or scores[c] > scores[best]:
                best = c
        if best == NOBODY:
            return -INFINITY
        for j in range(self.classes.width):
            labels[j] = self.classes.labels_of(best)[j]
        return scores[best]


cdef inline int32_t best_class(
        System system, State state, Classes classes, uint64_t transitions, const int32_t *scores) noexcept nogil:
    """The class of these transitions with the highest score, of equal ones the first; NOBODY if there is none. An arc of a
    graph that is there already is no choice."""
    cdef int32_t c, best = NOBODY
    cdef size_t t
    for t in range(classes.of_transition.size()):
        if transitions >> t & 1:
            for c in range(classes.of_transition[t].begin, classes.of_transition[t].end):
                if best == NOBODY or scores[c] > scores[best]:
                    if not system.many or not system.repeats(state, <int32_t> t, classes.labels_of(c)):
                        best = c
    return best


@cython.final
cdef class GreedyPolicy(StructuredPolicy):
    """Always the class with the highest score."""

    cdef int begin(self, Walk walk) except -1 nogil:
        return self.scorer.forget()

    cdef int choose(self, Walk walk) except -1 nogil:
        cdef uint64_t permissible = self.classes.permissible(walk.system, walk.seen)
        cdef int32_t entry = self.scorer.evaluate(walk.features, walk.state, permissible)
        cdef int32_t best = best_class(walk.system, walk.state, self.classes, permissible, self.scorer.scores_of(entry))
        if self.candidates.wanted:
            self.record(entry, permissible)
        if best == NOBODY:
            walk.transition = walk.system.default_of(walk.seen)
        else:
            walk.transition, walk.labels = self.classes.transition[best], self.classes.labels_of(best)
        return 0


@cython.final
cdef class Search:
    """What a beam did with the last sentence, for those who want to see it."""

    cdef vector[Candidate] candidates  # of all choices
    cdef vector[char] standing  # of each: 0 if it fell out, 1 if it stayed, 2 if it has come to its end
    cdef vector[int64_t] bounds  # where those of each choice end

    cdef int start(self) except -1 nogil:
        self.candidates.clear()
        self.standing.clear()
        self.bounds.clear()
        return 0

    cdef int note(self, Beam beam) except -1 nogil:
        """One more choice was made."""
        cdef size_t i
        cdef char standing
        for i in range(<size_t> beam.kept):
            standing = 2 if beam.hypotheses[i].ended else 1
            self.candidates.push_back(beam.candidates[i])
            self.standing.push_back(standing)
        for i in range(beam.fallen.size()):
            self.candidates.push_back(beam.fallen[i])
            self.standing.push_back(0)
        self.bounds.push_back(self.candidates.size())
        return 0

    def choices(self):
        """For each choice the candidates, the best first and then those that fell out, each as (place in the beam before, class,
        score, standing, whether it is relabelled): the class is STAY if the derivation had ended before, DEFAULT if none was
        permissible."""
        cdef int64_t k, begin = 0, end
        found = []
        for end in self.bounds:
            found.append([
                (self.candidates[k].hypothesis, self.candidates[k].action, self.candidates[k].score / <double> UNIT,
                 self.standing[k], bool(self.candidates[k].relabelled))
                for k in range(begin, end)
            ])
            begin = end
        return found


@cython.final
cdef class BeamPolicy(StructuredPolicy):
    """The best derivation that a beam finds."""

    cdef Beam beam
    cdef vector[int32_t] path
    cdef size_t at
    cdef readonly Search search  # if it is recorded

    def __init__(self, Scorer scorer not None, Classes classes not None, int width, uint64_t aside=0):
        StructuredPolicy.__init__(self, scorer, classes)
        self.beam = Beam(scorer, classes, width, aside)

    def record_search(self, int further):
        """Record what the beam does from now on, with so many candidates that fall out at each choice."""
        self.search, self.beam.further = Search(), further
        self.beam.candidates.resize(self.beam.width + further)

    cdef int begin(self, Walk walk) except -1 nogil:
        cdef int64_t most = self.beam.most_rounds(walk)
        self.scorer.forget()
        self.beam.begin(walk)
        if self.search is not None:
            self.search.start()
        while most > 0 and self.beam.extend(walk, NULL):
            most -= 1
            if self.search is not None:
                self.search.note(self.beam)
        self.beam.read(self.beam.hypotheses[0].step, &self.path)
        self.at = 0
        return 0

    cdef int choose(self, Walk walk) except -1 nogil:
        cdef int32_t action = DEFAULT
        cdef uint64_t permissible
        if self.candidates.wanted:  # the features, too, as they are here
            permissible = self.classes.permissible(walk.system, walk.seen)
            self.record(self.scorer.evaluate(walk.features, walk.state, permissible), permissible)
        if self.at < self.path.size():
            action = self.beam.steps[self.path[self.at]].action
            self.at += 1
        if action >= 0:
            walk.transition, walk.labels = self.classes.transition[action], self.classes.labels_of(action)
        else:
            walk.transition = walk.system.default_of(walk.seen)
        return 0


@cython.final
cdef class PathPolicy(StructuredPolicy):
    """Makes choices that are given, and then those with the highest scores: what a derivation scores, and what can follow
    its beginning."""

    cdef vector[int32_t] path  # classes
    cdef size_t at
    cdef readonly int64_t score  # of the choices that are given
    cdef vector[int32_t] permissible

    def follow(self, path):
        """Make these choices from now on."""
        self.path = path
        if any(not 0 <= klass < self.classes.room or self.classes.codes[klass] < 0 for klass in path):
            raise ValueError("there is no such class")

    @property
    def following(self):
        """The classes that were permissible after the choices that are given; none at the end of a derivation."""
        return list(self.permissible)

    cdef int begin(self, Walk walk) except -1 nogil:
        self.at, self.score = 0, 0
        self.permissible.clear()
        return self.scorer.forget()

    cdef int choose(self, Walk walk) except -1 nogil:
        cdef uint64_t permissible = self.classes.permissible(walk.system, walk.seen)
        cdef int32_t c, entry = self.scorer.evaluate(walk.features, walk.state, permissible)
        cdef const int32_t *scores = self.scorer.scores_of(entry)
        cdef int32_t best = best_class(walk.system, walk.state, self.classes, permissible, scores)
        if best == NOBODY:
            walk.transition = walk.system.default_of(walk.seen)
            return 0
        if self.at < self.path.size():
            best = self.path[self.at]
            self.score += scores[best]
        elif self.at == self.path.size():
            for c in range(self.classes.room):
                if self.classes.codes[c] >= 0 and permissible >> self.classes.transition[c] & 1:
                    self.permissible.push_back(c)
        self.at += 1
        walk.transition, walk.labels = self.classes.transition[best], self.classes.labels_of(best)
        return 0


# -- learning


cdef class StructuredTraining(TreePolicy):
    """Learns from the trees that it follows. The walk itself makes the choices of the gold derivation, or those that
    are explored."""

    cdef Scorer scorer
    cdef Classes classes
    cdef Actions actions
    cdef Gold gold
    cdef OracleSearch search
    cdef vector[int32_t] class_of  # code of a class -> its number
    cdef public int64_t updates
    cdef public int64_t right  # choices, or derivations, that were right

    def __init__(self, System system not None, Scorer scorer not None, Classes classes not None, Actions actions not None,
                 class_of, bint from_root):
        self.scorer, self.classes, self.actions = scorer, classes, actions
        self.class_of = class_of
        self.gold, self.search = Gold(from_root), OracleSearch()
        self.gold.prepare(system)

    cdef int begin(self, Walk walk) except -1 nogil:
        self.scorer.forget()
        self.search.forget()
        return self.read_gold(walk, self.gold)

    cdef int32_t gold_class(self, Walk walk, State state, uint64_t seen, int32_t *transition, const code_t **labels) except -2 nogil:
        """What the oracle chooses, and its class; -1 if it has none."""
        cdef code_t code
        transition[0] = self.search.choose(walk.system, self.gold, state, seen)
        labels[0] = self.oracle_labels(walk, state, self.gold, transition[0])
        code = self.actions.code_of(0, transition[0], labels[0])
        return self.class_of[code] if 0 <= code < <code_t> self.class_of.size() else -1


@cython.final
cdef class FeatureCounter(StructuredTraining):
    """Counts the features of gold derivations: the weight of each for the first class is how often it was there."""

    cdef int choose(self, Walk walk) except -1 nogil:
        self.scorer.count(walk.features, walk.state)
        self.gold_class(walk, walk.state, walk.seen, &walk.transition, &walk.labels)
        return 0


@cython.final
cdef class GreedyTraining(StructuredTraining):
    """Learns choice by choice. `explore` is how often, of 2^32 times, a wrong choice is followed; `decides` is whether the
    oracle decides between transitions that seem to lose the same."""

    cdef public uint64_t explore
    cdef public bint decides
    cdef uint64_t seed
    cdef vector[int32_t] costs

    def start(self, uint64_t seed):
        """Begin anew with a seed for what is drawn by lot."""
        self.seed = seed

    cdef int begin(self, Walk walk) except -1 nogil:
        self.exact = False  # what is explored may lead nowhere
        return StructuredTraining.begin(self, walk)

    cdef int choose(self, Walk walk) except -1 nogil:
        cdef uint64_t permissible = self.classes.permissible(walk.system, walk.seen)
        cdef int32_t entry = self.scorer.evaluate(walk.features, walk.state, permissible), best, gold
        cdef const int32_t *scores = self.scorer.scores_of(entry)
        cdef int32_t transition
        cdef const code_t *labels
        best = best_class(walk.system, walk.state, self.classes, permissible, scores)
        if walk.system.dynamic != NO_COSTS:
            gold = self.cheapest(walk, scores)
        else:
            gold = self.gold_class(walk, walk.state, walk.seen, &transition, &labels)
        if gold >= 0 and best >= 0 and best != gold:
            self.updates += 1
            self.scorer.learn(entry, gold, UNIT)
            self.scorer.learn(entry, best, -UNIT)
            self.scorer.forget()
            if walk.system.dynamic != NO_COSTS and self.explore and draw(&self.seed) >> 32 < self.explore:
                gold = best
        else:
            self.right += 1
        self.scorer.weights.clock += 1
        if gold >= 0:
            walk.transition, walk.labels = self.classes.transition[gold], self.classes.labels_of(gold)
        elif walk.system.dynamic == NO_COSTS:
            walk.transition, walk.labels = transition, labels
        else:
            walk.transition = walk.system.default_of(walk.seen)
        return 0

    cdef int32_t cheapest(self, Walk walk, const int32_t *scores) except -2 nogil:
        """Of the classes that lose the fewest gold arcs, with the gold labels of the dependent, the one with the highest
        score; if none has these labels, of all of them. If the oracle `decides`, what it chooses is the only one, where
        that loses no more than others."""
        cdef int32_t c, j, t, count = <int32_t> walk.system.case_start.size() - 1, least = FORBIDDEN, best, other
        cdef int32_t oracle = NOBODY
        cdef node_t dependent
        cdef const code_t *labels
        cdef bint right
        self.costs.resize(count)
        self.gold.costs(walk.system, walk.state, walk.seen, self.costs.data())
        for t in range(count):
            least = min(least, self.costs[t])
        best = other = NOBODY
        if least == FORBIDDEN:
            return NOBODY
        if self.decides:
            oracle = self.gold.choose(walk.system, walk.state, walk.seen)
            if self.costs[oracle] != least:
                oracle = NOBODY
        for t in range(<int32_t> self.classes.of_transition.size()):
            if self.costs[t] != least or (oracle != NOBODY and t != oracle):
                continue
            dependent = walk.system.dependent_of(walk.state, t)
            labels = NULL
            if dependent > 0 and self.labels != NULL:
                labels = self.labels + <int64_t> (walk.first + dependent - 1) * walk.width
            for c in range(self.classes.of_transition[t].begin, self.classes.of_transition[t].end):
                right = True
                for j in range(walk.width if labels != NULL else 0):
                    right = right and labels[j] == self.classes.labels_of(c)[j]
                if right and (best == NOBODY or scores[c] > scores[best]):
                    best = c
                if other == NOBODY or scores[c] > scores[other]:
                    other = c
        return best if best != NOBODY else other


@cython.final
cdef class BeamTraining(StructuredTraining):
    """Learns from a beam's best hypothesis and the gold derivation, sentence by sentence."""

    cdef Beam beam
    cdef int32_t rule  # an Update
    cdef vector[int32_t] classes_of_gold
    cdef vector[int32_t] entries
    cdef vector[int64_t] scores  # of the gold derivation after so many choices
    cdef vector[int32_t] progress  # how far it is then
    cdef int32_t idle  # the transition that has no score; NOBODY if all have
    cdef vector[int32_t] path
    cdef int32_t step  # the last of a derivation that got ahead of it
    cdef size_t cut  # how many choices it had made then

    def __init__(self, System system not None, Scorer scorer not None, Classes classes not None, Actions actions not None,
                 class_of, bint from_root, int width, int rule, int idle=NOBODY, uint64_t aside=0):
        StructuredTraining.__init__(self, system, scorer, classes, actions, class_of, from_root)
        self.beam, self.rule, self.idle = Beam(scorer, classes, width, aside), rule, idle
        scorer.keeps = True

    cdef int begin(self, Walk walk) except -1 nogil:
        StructuredTraining.begin(self, walk)
        if self.derive_gold(walk):
            self.learn(walk)
        self.scorer.next_example()
        self.search.rewind()
        return self.read_gold(walk, self.gold)  # for the walk that follows

    cdef int choose(self, Walk walk) except -1 nogil:
        """The walk follows the gold derivation: nothing is left to learn."""
        self.gold_class(walk, walk.state, walk.seen, &walk.transition, &walk.labels)
        return 0

    cdef bint derive_gold(self, Walk walk) except -1 nogil:
        """Walk the gold derivation, and note its choices and their scores; False where a choice has no class."""
        cdef Hypothesis one
        cdef uint64_t permissible
        cdef int32_t transition, klass, entry
        cdef const code_t *labels
        cdef int64_t most = most_steps(walk.system, walk.state.words), score = 0
        self.classes_of_gold.clear()
        self.entries.clear()
        self.scores.assign(1, 0)
        self.beam.begin(walk)
        self.progress.assign(1, self.beam.milestone)
        one = self.beam.hypotheses[0]
        while not one.ended and most > 0:
            most -= 1
            klass = self.gold_class(walk, <State> self.beam.states[one.state], one.seen, &transition, &labels)
            if klass < 0:
                return False
            permissible = self.classes.permissible(walk.system, one.seen)  # as the search asks for it
            entry = self.beam.evaluate(walk, &one, permissible, klass)
            score += self.scorer.scores_of(entry)[klass]
            self.classes_of_gold.push_back(klass)
            self.entries.push_back(entry)
            self.scores.push_back(score)
            if not walk.advance(<State> self.beam.states[one.state], one.seen, transition, labels):
                return False
            one.ended = self.beam.settle(walk, &one)
            self.beam.count(walk, &one, transition)
            self.progress.push_back(one.progress)
        return True

    cdef int learn(self, Walk walk) except -1 nogil:
        """Search, and change the weights where the gold derivation was behind."""
        cdef size_t begun = 0
        self.beam.begin(walk)
        while self.fails(walk, begun):
            self.updates += 1
            self.mend(begun)
            if self.rule != RESTART:
                return 0
            while begun < self.cut:
                self.beam.move_start(walk, self.classes_of_gold[begun])
                begun += 1
            if self.beam.start.ended:
                return 0
            self.beam.start.score = self.scores[begun]
            self.beam.begin_anew()
        if begun == 0 and self.beam.hypotheses[0].gold:
            self.right += 1
        return 0

    cdef bint fails(self, Walk walk, size_t begun) except -1 nogil:
        """Search from a choice of the gold derivation on. Where another one gets ahead of it, `step` is the last of that one, and
        `cut` how many choices the gold derivation has made itself by then."""
        cdef int64_t most = self.beam.most_rounds(walk), worst = -1, behind
        cdef size_t t = begun, length = self.classes_of_gold.size(), i
        cdef int32_t patience = PATIENCE
        cdef Hypothesis *best
        cdef bint kept
        self.step = NOBODY
        while most > 0 and self.beam.extend(walk, &self.classes_of_gold):
            most -= 1
            t = self.keep_pace(t, length)
            best = &self.beam.hypotheses[0]
            behind = best.score - self.scores[t]
            if not best.gold and behind >= 0 and (behind > worst or self.step == NOBODY):
                worst, self.step, self.cut = behind, best.step, t
            kept = False
            for i in range(self.beam.hypotheses.size()):
                kept = kept or self.beam.hypotheses[i].gold
            if not kept and self.rule == EARLY:
                self.step, self.cut = best.step, t
                break
            if not kept and self.rule == RESTART:
                patience -= 1
                if patience < 0:
                    break
        return self.step != NOBODY and not self.beam.hypotheses[0].gold

    cdef int mend(self, size_t begun) except -1 nogil:
        """Change the weights of what the two derivations have not in common."""
        cdef size_t i = 0, j
        self.beam.read(self.step, &self.path)
        while (begun + i < self.cut and i < self.path.size()
               and self.beam.steps[self.path[i]].action == self.classes_of_gold[begun + i]):
            i += 1
        for j in range(begun + i, self.cut):
            self.change(self.entries[j], self.classes_of_gold[j], UNIT)
        for j in range(i, self.path.size()):
            self.change(self.beam.steps[self.path[j]].entry, self.beam.steps[self.path[j]].action, -UNIT)
        return 0

    cdef int change(self, int32_t entry, int32_t action, int32_t by) except -1 nogil:
        """Change the weights of an action that has any."""
        if action >= 0 and self.classes.transition[action] != self.idle:
            self.scorer.learn(entry, action, by)
        return 0

    cdef size_t keep_pace(self, size_t t, size_t length) noexcept nogil:
        """How many choices the gold derivation has made after one more of the beam; after its end it is what it was, and
        it waits as the others do."""
        if not self.beam.aside:
            return min(t + 1, length)
        while t < length and self.progress[t] < self.beam.milestone:  # it fell out, and the others have gone on
            t += 1
        return t + 1 if t < length and self.progress[t] == self.beam.milestone else t
