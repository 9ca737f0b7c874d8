"""Class numbers of actions: those of MaltParser, in the order in which classes are first seen.

From scores to an action: ranking, lists of candidates, and what is tried next.

For a single decision the best class is found in one pass; the whole order, that of MaltParser's selection sort with its
swaps, is made only if that class is not permissible.
"""

cimport cython
from libc.math cimport INFINITY

from malt.kernel.classifiers cimport LinearWeights, NO_PLACE, SupportVectors, rank, score, vote
from malt.kernel.dense cimport FETCH
from malt.kernel.features cimport FeatureValue
from malt.kernel.instances cimport FeatureMap, NO_ROW, insert, key_of, lookup, place
from malt.kernel.order cimport MOST_ASCENDING, ascend, best
from malt.kernel.system cimport NO_ARC
from malt.kernel.types cimport int64_t


cdef enum:
    ALL_CODES = 1  # the key of the classifier for codes that have none of their own


class UnfitLabel(Exception):
    """A label that cannot be a part of a class, as the separator of the parts is in it: its table of labels and its code."""

    def __init__(self, table, code):
        super().__init__(f"code {code} of table {table}")
        self.table, self.code = table, code


@cython.final
cdef class Stages:
    """The decisions that make an action. Each is given as its items, -1 for the transition and otherwise the index of a
    table of labels, and whether the next decision depends on its class."""

    def __init__(self, decisions, int labels):
        self.labels = labels
        for items, branched in decisions:
            first, combined = self.items.size(), len(items) > 1
            for item in items:
                self.items.push_back(item)
            label = -1 if combined else items[0]
            self.stages.push_back(
                Stage(first, self.items.size(), -1 in items, combined, label, list(items) == [-1], branched))


@cython.final
cdef class Actions:
    """Classes of actions; `class_tables` has the table of each decision of several items, None for the others."""

    def __init__(self, names, Stages stages not None, label_tables, class_tables, str separator not None):
        self._names, self.stages, self.separator = list(names), stages, separator[:1]
        self._tables = [*label_tables, *class_tables]
        self._chains = [FeatureMap() for _ in range(stages.stages.size())]
        self.classes.resize(stages.stages.size())
        for chain in self._chains:
            self.chains.push_back(&(<FeatureMap> chain).map)

    cdef code_t code_of(self, int32_t decision, int32_t transition, const code_t *labels) except? -2 nogil:
        """The class of an action in a decision; a class that is new gets the next code."""
        cdef const Stage *stage = &self.stages.stages[decision]
        cdef int32_t i, item, row = 0
        cdef code_t code
        if not stage.combined:
            return transition + 1 if stage.label < 0 else labels[stage.label]
        for i in range(stage.first, stage.last):
            item = self.stages.items[i]
            code = transition if item < 0 else labels[item]
            row = insert(self.chains[decision], <int64_t> (row + 1) << 32 | <int64_t> (code + 1))
            if row < 0:
                with gil:
                    raise MemoryError
        if <size_t> row < self.classes[decision].size() and self.classes[decision][row] >= 0:
            return self.classes[decision][row]
        return self.register(decision, transition, labels, row)

    cdef code_t register(self, int32_t decision, int32_t transition, const code_t *labels, int32_t row) except? -2 with gil:
        cdef const Stage *stage = &self.stages.stages[decision]
        cdef int32_t i, item
        parts = []
        for i in range(stage.first, stage.last):
            item = self.stages.items[i]
            if item >= 0 and labels[item] < 0:
                continue
            symbol = self._names[transition] if item < 0 else self._tables[item].symbol(labels[item])
            if symbol is None:
                continue
            if self.separator in symbol:
                raise UnfitLabel(item, transition if item < 0 else labels[item])
            parts.append(symbol)
        while self.classes[decision].size() <= <size_t> row:
            self.classes[decision].push_back(-1)
        table = self._tables[self.stages.labels + decision]
        self.classes[decision][row] = table.add(self.separator.join(parts)) if parts else -1
        return self.classes[decision][row]


@cython.final
cdef class Candidates:
    """The classes that were looked at, with their scores, for those who want to see them."""


@cython.final
cdef class Guide:
    """`decoded` has for each combined decision the transition and labels of every class, one after another, and is empty
    for the others. The longest list of candidates has k of them, or all for -1; `divide` is the slot of the value that
    classifiers are divided by, or -1."""

    def __init__(self, Stages stages not None, decoded, int k, bint drops_nulls, int divide):
        self.stages, self.labels, self.k, self.drops_nulls, self.divide = stages, stages.labels, k, drops_nulls, divide
        for table in decoded:
            self.decoded.push_back(list(table))
        self.lists.resize(stages.stages.size())
        self.cursor.assign(stages.stages.size(), 0)
        self.value.assign(stages.stages.size(), -1)
        self._keep_alive = []
        self.candidates = Candidates()
        self._places, self._children = FeatureMap(), FeatureMap()
        self.places, self.children = &(<FeatureMap> self._places).map, &(<FeatureMap> self._children).map

    def add_child(self, int node, int code, int child):
        """Say which node of the tree of decisions follows a class; -1 for any class."""
        place(self.children, <int64_t> node << 32 | <int64_t> (code + 1), child)

    def add_predictor(self, int node, divide, slots, FeatureMap map not None, classes, kernel not None):
        """Give a node its classifier: for one code of the divided data, or (None) for all others."""
        cdef Predictor predictor
        cdef Vector holder = Vector(slots, classes)
        cdef size_t i
        predictor.positions, predictor.width = holder.positions.data(), <int32_t> holder.positions.size()
        predictor.classes, predictor.count = holder.classes.data(), <int32_t> holder.classes.size()
        predictor.map = &map.map
        predictor.node, predictor.plain = node, False
        predictor.weights = NULL
        predictor.machine = NULL
        cdef int64_t room = predictor.count
        if isinstance(kernel, LinearWeights):
            predictor.weights = &(<LinearWeights> kernel).table
            room = predictor.weights.room
            (<LinearWeights> kernel).attach(map)
            predictor.plain = predictor.width <= MOST_ASCENDING and map.distinct
            for i in range(holder.positions.size()):
                if predictor.weights.direct != NULL and <int64_t> i + 1 < map.map.positions:
                    holder.positions[i].places = predictor.weights.direct + map.map.spans[i + 1].begin
                    holder.positions[i].codes = <uint32_t> map.map.spans[i + 1].codes
        else:
            predictor.machine = &(<SupportVectors?> kernel).machine
            if <int64_t> self.workspace.size() < predictor.machine.room:
                self.workspace.resize(predictor.machine.room)
        self._keep_alive.append((holder, map, kernel))
        place(self.places, <int64_t> node << 32 | <int64_t> (ALL_CODES if divide is None else divide + 2),
              <int32_t> self.predictors.size())
        self.predictors.push_back(predictor)
        if <int64_t> self.scores.size() < room:
            self.scores.resize(room)

    cdef const Predictor *predictor_of(self, int32_t node, Features features) noexcept nogil:
        cdef int32_t found
        if self.divide >= 0:
            found = lookup(self.places, <int64_t> node << 32 | <int64_t> (features.values[self.divide].code + 2))
            if found != NO_ROW:
                return &self.predictors[found]
        found = lookup(self.places, <int64_t> node << 32 | <int64_t> ALL_CODES)
        return &self.predictors[found] if found != NO_ROW else NULL

    cdef int score_plain(self, const Predictor *predictor, Features features) except -1 nogil:
        """The scores of all classes, where every feature is one symbol: the places of its weights say all."""
        cdef int32_t places[MOST_ASCENDING + 1]
        cdef int32_t i, place, row, count = 0
        cdef const Position *position = predictor.positions
        cdef const FeatureValue *value
        for i in range(predictor.width):
            value = &features.values[position[i].slot]
            if <uint32_t> value.code < position[i].codes:
                place = position[i].places[value.code]
            else:
                row = lookup(predictor.map, key_of(i + 1, value.code)) if value.code >= 0 else NO_ROW
                place = predictor.weights.places[row] if row >= 0 else NO_PLACE
            places[count] = place
            # no branch: whether a feature is known is hard to foresee
            count += (place >= 0) & (value.number != 0) & (not (value.null & self.drops_nulls))
            FETCH(predictor.weights.pool + ((place & ~(place >> 31)) >> 1))
        ascend(places, count)
        score(predictor.weights, places, NULL, count, self.scores.data())
        return 0

    cdef int score_all(self, const Predictor *predictor, Features features) except -1 nogil:
        """The scores of all classes: rows of features in ascending order, then one sum a class."""
        cdef int32_t i, j, row, count = 0
        cdef const FeatureValue *value
        cdef bint numbers = False
        cdef double number
        if predictor.plain and features.plain:
            return self.score_plain(predictor, features)
        self.rows.resize(predictor.width + features.many.size())
        self.values.resize(predictor.width + features.many.size())
        for i in range(predictor.width):
            value = &features.values[predictor.positions[i].slot]
            if value.number == 0 or (self.drops_nulls and value.null):
                continue
            if value.first < 0:
                if value.code < 0:
                    continue
                row = lookup(predictor.map, key_of(i + 1, value.code))
                if row >= 0:
                    self.rows[count], self.values[count] = row, value.number
                    numbers = numbers or value.number != 1
                    count += 1
                continue
            for j in range(value.first, value.last):
                if features.many[j] < 0 or (j > value.first and features.many[j] == features.many[j - 1]):
                    continue
                row = lookup(predictor.map, key_of(i + 1, features.many[j]))
                if row >= 0:
                    self.rows[count], self.values[count] = row, 1
                    count += 1
        if not numbers:
            for i in range(1, count):
                row, j = self.rows[i], i
                while j > 0 and self.rows[j - 1] > row:
                    self.rows[j] = self.rows[j - 1]
                    j -= 1
                self.rows[j] = row
        else:
            for i in range(1, count):
                row, number, j = self.rows[i], self.values[i], i
                while j > 0 and self.rows[j - 1] > row:
                    self.rows[j], self.values[j] = self.rows[j - 1], self.values[j - 1]
                    j -= 1
                self.rows[j], self.values[j] = row, number
        if predictor.weights != NULL:
            for i in range(count):
                self.rows[i] = predictor.weights.places[self.rows[i]]
            score(predictor.weights, self.rows.data(), self.values.data() if numbers else NULL, count, self.scores.data())
        else:
            vote(predictor.machine, self.rows.data(), self.values.data() if numbers else NULL, count,
                 self.workspace.data(), self.scores.data())
        return 0

    cdef int record(self, const Predictor *predictor, int32_t decision) except -1 nogil:
        """Keep the scores that were just computed."""
        cdef int32_t i
        for i in range(predictor.count):
            self.candidates.found.push_back(ScoredClass(decision, predictor.classes[i], self.scores[i]))
        return 0

    cdef int rank(self, const Predictor *predictor, int32_t most) except -1 nogil:
        """The first classes in MaltParser's order."""
        cdef int32_t i
        self.keys.resize(predictor.count)
        self.order.resize(predictor.count)
        for i in range(predictor.count):
            self.keys[i], self.order[i] = self.scores[i], predictor.classes[i]
        rank(self.keys.data(), self.order.data(), predictor.count, 0, most)
        return 0

    cdef int32_t length(self, const Predictor *predictor) noexcept nogil:
        """How many candidates there are: never the last of all classes."""
        return self.k if self.k != -1 and self.k <= predictor.count - 1 else predictor.count - 1

    cdef bint permissible(self, System system, State state, uint64_t seen, int32_t transition, const code_t *labels) noexcept nogil:
        cdef int32_t i
        if transition < 0:
            return True
        if system.dependent[transition] != NO_ARC:
            for i in range(self.labels):
                if labels[i] < 0:
                    return False
            if system.many and system.repeats(state, transition, labels):
                return False
        return system.permissible(seen, transition)

    cdef void default(self, System system, uint64_t seen, int32_t *transition, code_t *labels) noexcept nogil:
        """The transition for when no candidate is permissible; labels of -1 become those of root arcs."""
        cdef int32_t j, found = system.default_of(seen)
        for j in range(self.labels):
            labels[j] = -1
        if found >= 0:
            transition[0] = found

    cdef int decide(self, System system, State state, Features features, uint64_t seen, int32_t *transition,
                    code_t *labels) except -1 nogil:
        cdef const Predictor *predictor
        cdef int32_t i, count, found
        if self.stages.stages.size() == 1:
            features.run(state)
            predictor = self.predictor_of(0, features)
            if predictor == NULL:  # no classifier for this value: class 1
                self.value[0] = 1
                self.read_action(transition, labels)
                if not self.permissible(system, state, seen, transition[0], labels):
                    self.default(system, seen, transition, labels)
                return 0
            count = self.length(predictor)
            if count <= 0:
                self.value[0] = -1
                self.read_action(transition, labels)
                return 0
            self.score_all(predictor, features)
            if self.candidates.wanted:
                self.record(predictor, 0)
            self.value[0] = predictor.classes[best(self.scores.data(), predictor.count)]
            self.read_action(transition, labels)
            if self.permissible(system, state, seen, transition[0], labels):
                return 0
            self.rank(predictor, count)
            for i in range(1, count):
                self.value[0] = self.order[i]
                self.read_action(transition, labels)
                if self.permissible(system, state, seen, transition[0], labels):
                    return 0
            self.default(system, seen, transition, labels)
            return 0
        for i in range(<int32_t> self.stages.stages.size()):
            self.lists[i].clear()
            self.cursor[i], self.value[i] = 0, -1
        self.predict(system, state, features, 0)
        self.read_action(transition, labels)
        while not self.permissible(system, state, seen, transition[0], labels):
            if not self.advance(system, state, features, 0):
                self.default(system, seen, transition, labels)
                return 0
            self.read_action(transition, labels)
        return 0

    cdef double weigh(self, System system, State state, Features features, int32_t arc, Labelling labelling,
                      code_t *labels) except? -1 nogil:
        """The score of the best action that makes an arc of this kind, of any kind for 0, and its labels; -infinity, if there is
        no such action. Of several decisions, each takes the best class that leads there, and the scores are added."""
        cdef const Predictor *predictor
        cdef int32_t decision, node, transition
        cdef double highest, total = 0
        cdef size_t i
        features.run(state)
        for decision in range(<int32_t> self.stages.stages.size()):
            self.value[decision] = -1
        for decision in range(<int32_t> self.stages.stages.size()):
            node, highest = self.node_of(decision), -INFINITY
            predictor = self.predictor_of(node, features) if node >= 0 else NULL
            if predictor != NULL:
                highest = self.seek(predictor, system, features, decision, arc, labelling, labels)
            if highest == -INFINITY and node >= 0 and self.divide >= 0:  # what this part of the data lacks, others may have
                for i in range(self.predictors.size()):
                    if self.predictors[i].node == node and highest == -INFINITY:
                        highest = self.seek(&self.predictors[i], system, features, decision, arc, labelling, labels)
            total += highest
        self.read_action(&transition, labels)
        return total

    cdef double seek(self, const Predictor *predictor, System system, Features features, int32_t decision, int32_t arc,
                     Labelling labelling, code_t *labels) except? -1 nogil:
        """Decide for the best class of a classifier that leads to an arc of this kind; its score, -infinity if there is none."""
        cdef int32_t i, transition, found = -1
        cdef double score, highest = -INFINITY
        if predictor.count > 1:
            self.score_all(predictor, features)
        for i in range(predictor.count):
            self.value[decision] = predictor.classes[i]
            self.read_action(&transition, labels)
            if self.stages.stages[decision].transition and (
                    transition < 0 or system.arc[transition] == 0 or (arc != 0 and system.arc[transition] != arc)):
                continue
            if labelling.table >= 0 and labels[labelling.table] >= 0 and (
                    (labels[labelling.table] == labelling.label) != labelling.wanted):
                continue
            score = self.scores[i] if predictor.count > 1 else 0
            if found < 0 or score > highest:
                found, highest = predictor.classes[i], score
        self.value[decision] = found
        return highest

    cdef int32_t node_of(self, int32_t decision) noexcept nogil:
        """The node of the tree of decisions, given the classes decided so far; -1 if no classifier was there."""
        cdef int32_t node = 0, i
        for i in range(decision):
            node = lookup(self.children, <int64_t> node << 32 | <int64_t> (self.value[i] + 1 if self.stages.stages[i].branched else 0))
            if node == NO_ROW:
                return -1
        return node

    cdef int predict(self, System system, State state, Features features, int32_t decision) except -1 nogil:
        """Append the candidates of a decision to its list, and go on with the next decision if there is to be one."""
        cdef const Predictor *predictor
        cdef int32_t i, count, node = self.node_of(decision)
        features.run(state)
        predictor = self.predictor_of(node, features) if node >= 0 else NULL
        if predictor != NULL:
            count = self.length(predictor)
            if count > 0:
                self.score_all(predictor, features)
                if self.candidates.wanted:
                    self.record(predictor, decision)
                self.rank(predictor, count)
                for i in range(count):
                    if self.k >= 0 and <int32_t> self.lists[decision].size() >= self.k:
                        break
                    if self.lists[decision].size() == 0:
                        self.value[decision], self.cursor[decision] = self.order[i], 1
                    self.lists[decision].push_back(self.order[i])
        elif node >= 0 and self.lists[decision].size() == 0:
            self.value[decision], self.cursor[decision] = 1, 1
            self.lists[decision].push_back(1)
        if decision + 1 < <int32_t> self.stages.stages.size() and self.continues(system, decision):
            self.predict(system, state, features, decision + 1)
        return 0

    cdef bint continues(self, System system, int32_t decision) noexcept nogil:
        cdef int32_t transition
        if not self.stages.stages[decision].labelled_only:
            return True
        transition = self.value[decision] - 1
        return 0 <= transition < <int32_t> system.dependent.size() and system.dependent[transition] != NO_ARC

    cdef bint next(self, int32_t decision) noexcept nogil:
        if self.cursor[decision] < <int32_t> self.lists[decision].size():
            self.value[decision] = self.lists[decision][self.cursor[decision]]
            self.cursor[decision] += 1
            return True
        return False

    cdef bint advance(self, System system, State state, Features features, int32_t decision) except -1 nogil:
        """The next candidate: first of the later decisions, then of this one, for which the later ones are made again."""
        cdef bint moved = False
        cdef bint last = decision + 1 == <int32_t> self.stages.stages.size()
        if not last and self.continues(system, decision):
            moved = self.advance(system, state, features, decision + 1)
        if not moved:
            moved = self.next(decision)
            if not last and self.continues(system, decision) and (moved or self.stages.stages[decision].branched):
                self.predict(system, state, features, decision + 1)
        return moved

    cdef void read_action(self, int32_t *transition, code_t *labels) noexcept nogil:
        """The transition and the labels that the classes decided so far stand for."""
        cdef size_t i
        cdef int32_t j, code, width = self.labels + 1
        transition[0] = -1
        for j in range(self.labels):
            labels[j] = -1
        for i in range(self.stages.stages.size()):
            code = self.value[i]
            if self.stages.stages[i].combined:
                if code < 0 or <size_t> ((code + 1) * width) > self.decoded[i].size():
                    continue
                if self.stages.stages[i].transition:
                    transition[0] = self.decoded[i][code * width]
                for j in range(self.labels):
                    if self.decoded[i][code * width + 1 + j] >= 0:
                        labels[j] = self.decoded[i][code * width + 1 + j]
            elif self.stages.stages[i].transition:
                transition[0] = code - 1 if code > 0 else -1
            else:
                labels[self.stages.stages[i].label] = code


@cython.final
cdef class Vector:
    """Keeps the positions of a feature vector and the classes in place."""

    cdef vector[Position] positions
    cdef vector[int32_t] classes

    def __init__(self, slots, classes):
        for slot in slots:
            self.positions.push_back(Position(NULL, 0, slot))
        for code in classes:
            self.classes.push_back(code)
