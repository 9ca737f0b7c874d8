"""Address functions: each address of a feature model is computed once a configuration, after those that it builds on.

Feature functions: one pass over the program of a feature model gives every value, each computed once.

Symbols of merged columns are found through their codes, so that texts are put together only for pairs and triples that
were never seen. Split and reading numbers is done by Python, once per symbol.

Propagation, by Python: few models use it, and the others never leave the kernel for it.
"""

cimport cython
from libc.math cimport NAN, isfinite, isnan
from libc.string cimport memmove
from libcpp.algorithm cimport sort

from malt.errors import MaltError, quoted
from malt.kernel.instances cimport NO_ROW, Slot, insert, lookup, place
from malt.kernel.symbols cimport BOOLEAN, INTEGER, NO_MEMORY, find, intern, text_of
from malt.kernel.system cimport BUFFER, LEFT, LEFT_CONTEXT, LOOKAHEAD, NOTHING, RIGHT, STACK, SWAPPED
from malt.kernel.types cimport uint8_t
from malt.mco.javanumbers import double_text


@cython.final
cdef class Addresses:
    """The addresses of a feature model; `program` has (operation, index, stack) for each."""

    def __init__(self, program):
        for operation, index, stack in program:
            self.program.push_back(CompiledAddress(operation, index, stack))
        self.nodes.assign(self.program.size(), NOTHING)

    cdef int run(self, State state) except -1 nogil:
        cdef size_t i
        cdef const CompiledAddress *address
        cdef int32_t operation, at
        cdef node_t node
        for i in range(self.program.size()):
            address = &self.program[i]
            operation, at = address.operation, address.index
            if operation == STACK:
                node = state.peek((state.active + address.stack) % state.stacks, at)
            elif operation == BUFFER:
                at += state.first
                node = state.buffer[at] if at < state.last else NOTHING
            elif operation == SWAPPED:
                node = state.buffer[state.first + at] if at < state.lookahead else NOTHING
            elif operation == LOOKAHEAD:
                at += state.first + state.lookahead
                node = state.buffer[at] if at < state.last else NOTHING
            elif operation == LEFT:
                node = state.left - at if at <= state.left else NOTHING
            elif operation == RIGHT:
                node = state.node_at(state.right + at)
            elif operation == LEFT_CONTEXT:
                node = self.context(state, at, 1)
            elif operation == RIGHT_CONTEXT:
                node = self.context(state, at, -1)
            else:
                node = self.nodes[at]
                if node != NOTHING:
                    node = self.step(state, operation, node)
            self.nodes[i] = node
        return 0

    cdef node_t step(self, State state, int32_t operation, node_t node) except? -2 nogil:
        """From a node to a relative of it. Arcs that are given beforehand may run in a circle: nothing is followed for
        longer than the sentence."""
        cdef int32_t steps = state.words
        if operation == HEAD:
            return state.H(node)
        if operation == LDEP:
            return state.L(node)
        if operation == RDEP:
            return state.R(node)
        if operation == RDEP2:
            return state.R(node) if node else NOTHING
        if operation == LSIB:
            return state.before[node]
        if operation == RSIB:
            return state.after[node]
        if operation == PRED:
            return node - 1 if node > 1 else NOTHING
        if operation == SUCC:
            return node + 1 if 0 < node < state.words else NOTHING
        if operation == ANC or operation == PANC:
            if operation == PANC and state.H(node) == NOTHING:
                return NOTHING
            while state.H(node) != NOTHING and steps > 0:
                node = state.H(node)
                steps -= 1
            return node
        if node == 0:  # MaltParser looks at the root's phrase structure here, and finds none
            return NOTHING
        return self.descend(state, operation, node)

    cdef node_t descend(self, State state, int32_t operation, node_t node) except? -2 nogil:
        cdef bint leftmost = operation == LDESC or operation == PLDESC
        cdef node_t found = self.extreme(state, node, leftmost)
        if operation == PLDESC or operation == PRDESC:
            return found
        if found == NOTHING:
            return node
        return min(found, node) if leftmost else max(found, node)

    cdef node_t extreme(self, State state, node_t node, bint leftmost) except? -2 nogil:
        """The first or the last of all proper descendants."""
        cdef node_t found = NOTHING, child
        cdef int32_t steps = state.words, right
        self.visit.clear()
        self.visit.push_back(node)
        while self.visit.size() and steps >= 0:
            steps -= 1
            node = self.visit.back()
            self.visit.pop_back()
            for right in range(2):
                child = state.R(node) if right else state.L(node)
                while child != NOTHING:
                    if found == NOTHING or (child < found if leftmost else child > found):
                        found = child
                    self.visit.push_back(child)
                    child = state.before[child] if right else state.after[child]
        return found

    cdef node_t context(self, State state, int32_t index, int32_t direction) noexcept nogil:
        """Covington's context: the nodes between left and right whose head is not from left to right."""
        cdef node_t node = state.left + 1 if direction > 0 else state.right - 1
        while state.left < node < state.right:
            if not state.left <= state.place_of(state.H(node)) <= state.right:
                if index == 0:
                    return node
                index -= 1
            node += direction
        return NOTHING


cdef enum:
    NOT_MERGED = -2
    MOST_CELLS = 1 << 17  # so many combinations of codes of one kind have a place of their own
    ALL_CELLS = 1 << 22  # and so many of all kinds: 16 megabytes for each thread
    MOST_DEPENDENTS = 64  # on each side, of those whose labels are looked at
    NEAR = 8  # so many words on each side are looked at between two that are further apart than twice that
    CLOSE = 16  # the same for words whose arcs are looked at
    MOST_MERGES = 1 << 21  # so many merged symbols are remembered while parsing, then it begins anew


class MissingValue(Exception):
    """A feature asked for a value that a word of the block does not have: which word, and which coded column."""

    def __init__(self, word, column):
        super().__init__(f"word {word} of the block has no value in column {column}")
        self.word, self.column = word, column


class UnfitValue(MaltError):
    """The value of a column, by its name, is not of the kind that a feature needs: its code."""

    def __init__(self, column, code, symbol, kind):
        super().__init__(f"column {column} has the value {quoted(symbol)} where a feature needs {kind}")
        self.column, self.code = column, code


cdef void cut_affix(const char *text, int32_t length, int32_t units, int32_t *first, int32_t *last) noexcept nogil:
    """Where the first characters of a text begin and end, or its last ones if `units` is negative. They are counted as in
    Java, in units of UTF-16; of what lies beyond U+FFFF, which has two, no half is left. If nothing is, it is all of it."""
    cdef int32_t left = units if units > 0 else -units, at, end
    first[0], last[0] = 0, length
    if units > 0:
        at = 0
        while at < length and left > 0:
            left -= 2 if <uint8_t> text[at] >= 0xF0 else 1
            if left < 0:
                break
            last[0] = at = following(text, at, length)
    else:
        end = length
        while end > 0 and left > 0:
            at = end - 1
            while at > 0 and (text[at] & 0xC0) == 0x80:
                at -= 1
            left -= 2 if <uint8_t> text[at] >= 0xF0 else 1
            if left < 0:
                break
            first[0] = end = at


cdef int32_t following(const char *text, int32_t at, int32_t length) noexcept nogil:
    """Where the next character of UTF-8 begins."""
    at += 1
    while at < length and (text[at] & 0xC0) == 0x80:
        at += 1
    return at


@cython.final
cdef class Features:
    """The program of a feature model: made by malt.features.program."""

    def __init__(self, Addresses addresses not None, program, tables, parts, thresholds, joins, labels, int columns, bint frozen):
        self.addresses, self.frozen = addresses, frozen
        self._tables, self._parts = list(tables), list(parts)
        self.part_sources = [source for _, source in self._parts]
        self.part_first.resize(len(self._parts))
        self.part_last.resize(len(self._parts))
        self.parts.resize(len(self._parts))
        self.own_parts.resize(len(self._parts))
        self._merges = []
        self.plain = True
        for operation, a, b, c, table, type, nulls in program:
            self.program.push_back(CompiledFeature(operation, a, b, c, table, type, nulls[0], nulls[1], nulls[2]))
            self.plain = self.plain and operation not in (INPUT_NUMBER, MERGE_NUMBERS, PARTS, BETWEEN, JOIN)
        self.values.resize(self.program.size())
        for limits in thresholds:
            self.thresholds.push_back(list(limits))
        for features in joins:
            self.joins.push_back(list(features))
        self.label_tables = list(labels)
        self.numbers.resize(columns)
        self.set_tables(self._tables)

    def set_tables(self, tables):
        """Use these tables from here on: those of a block, which may have symbols of their own above those of the model."""
        cdef SymbolTable table
        self._tables = list(tables)
        self.tables.clear()
        self.limits.clear()
        for table in self._tables:
            self.tables.push_back(&table.table)
            self.limits.push_back(table.parent.next_code if table.parent is not None else 0x7FFFFFFF)
        while len(self._merges) < len(self._tables):
            self._merges.append((FeatureMap(), FeatureMap()))
        self.pairs.clear()
        self.merged.clear()
        for pair, merged in self._merges:
            self.pairs.push_back(&(<FeatureMap> pair).map)
            self.merged.push_back(&(<FeatureMap> merged).map)
        if self.frozen and self.cells.size() == 0:
            self.make_cells()
        # Codes of a block's own symbols mean something else in the next.
        for which, source in enumerate(self.part_sources):
            self.own_parts[which].clear()
            if self.part_first[which].size() > <size_t> self.limits[source]:
                self.part_first[which].resize(self.limits[source])
                self.part_last[which].resize(self.limits[source])
        for column in range(self.numbers.size()):
            if self.numbers[column].size() > <size_t> self.limits[column]:
                self.numbers[column].resize(self.limits[column])

    @property
    def size(self) -> int:
        """About how many bytes it keeps from one block to the next, beside the cells."""
        cdef size_t i
        cdef int64_t found = 0
        for i in range(self.parts.size()):
            found += sizeof(int32_t) * (self.part_first[i].capacity() + self.part_last[i].capacity())
            found += sizeof(code_t) * (self.parts[i].capacity() + self.own_parts[i].capacity())
        for i in range(self.numbers.size()):
            found += sizeof(double) * self.numbers[i].capacity()
        for i in range(self.pairs.size()):
            found += sizeof(Slot) * <int64_t> (self.pairs[i].mask + self.merged[i].mask + 2)
        return found

    cdef int make_cells(self) except -1:
        """Make room for the codes of merged values where there are few: a look-up is one step then. Features that merge
        symbols of the same tables into the same one share it. A part that is itself merged is left to the maps."""
        cdef size_t i
        cdef int32_t k, part
        cdef int64_t product, used = 0
        cdef int64_t size[3]
        cdef dict shared = {}
        self.cells.resize(self.program.size())
        self.sizes.resize(self.program.size())
        for i in range(self.program.size()):
            product = 1 if self.program[i].operation == MERGE else 0
            key = [self.program[i].table]
            for k in range(3):
                part = self.program[i].a if k == 0 else self.program[i].b if k == 1 else self.program[i].c
                size[k] = 1
                if product and part >= 0:
                    key.append(self.program[part].table)
                    table = self._tables[self.program[part].table]
                    size[k] = (table.parent or table).next_code if not is_conjunction(self.program[part].operation) else 0
                product = product * size[k] if product * size[k] <= MOST_CELLS else 0
            if product and tuple(key) not in shared and used + product <= ALL_CELLS:
                used += product
                shared[tuple(key)] = i
                self.cells[i].assign(product, NOT_MERGED)
            if product and tuple(key) in shared:
                self.sizes[i] = Sizes(<uint32_t> size[0], <uint32_t> size[1], <uint32_t> size[2], shared[tuple(key)])
        return 0

    cdef void begin(self, const code_t *input, int32_t width, const node_t *input_heads, int32_t first_word) noexcept nogil:
        """Begin a sentence: where its coded columns and, for InputArc, its heads are."""
        self.input, self.width, self.input_heads, self.first_word = input, width, input_heads, first_word
        self.missing = -1

    cdef int run(self, State state) except -1 nogil:
        """Compute all values. `MissingValue` is raised where a word lacks a column that is asked for."""
        cdef size_t i
        self.addresses.run(state)
        self.many.clear()
        for i in range(self.program.size()):
            self.values[i].number = 1
            self.values[i].null = False
            self.values[i].first = -1
            self.evaluate(state, &self.program[i], &self.values[i])
        if self.missing >= 0:
            self.tell_missing()
        return 0

    cdef int tell_missing(self) except -1 with gil:
        raise MissingValue(self.first_word + self.missing_at - 1, self.missing)

    cdef int evaluate(self, State state, const CompiledFeature *feature, FeatureValue *value) except -1 nogil:
        cdef int32_t operation = feature.operation
        cdef node_t node, other
        cdef code_t code
        if operation <= EXTRA:
            node = self.addresses.nodes[feature.b]
            if node <= 0:
                value.code, value.null = (feature.root_node if node == 0 else feature.no_node), True
                return 0
            if operation == INPUT_COLUMN or operation == INPUT_NUMBER:
                code = self.input[(node - 1) * self.width + feature.a]
                if code < 0:
                    self.missing, self.missing_at = feature.a, node
                    value.code, value.null = feature.no_node, True
                    return 0
                value.code = code
                if operation == INPUT_NUMBER:
                    value.code, value.number = 1, self.number_of(feature.a, code)
                return 0
            if operation == LABEL:
                code = state.labels[node * state.label_tables + feature.a] if state.H(node) != NOTHING else -1
                value.null = code < 0
                value.code = feature.no_value if code < 0 else code
                return 0
            code = state.extras[node * state.extra_tables + feature.a]
            value.null = code < 0
            value.code = feature.no_node if code < 0 else code
            return 0
        if operation == MERGE:
            return self.merge(feature, value)
        if operation == MERGE_NUMBERS:
            return self.merge_numbers(feature, value)
        if operation == PARTS:
            return self.take_parts(feature, value)
        if operation == LABEL_SET:
            return self.list_labels(state, feature, value)
        if operation == BETWEEN:
            return self.list_between(feature, value)
        if operation == JOIN:
            return self.join_all(feature, value)
        if operation == ARC_LABEL:
            return self.label_between(state, feature, value)
        value.code = 0
        if operation == EXISTS:
            value.code = 1
            value.number = 0 if self.addresses.nodes[feature.a] == NOTHING else 1
            return 0
        if operation == ALWAYS_NULL:
            value.null = True
            return 0
        node = self.addresses.nodes[feature.a]
        if operation == NUMBER_OF:
            if node == NOTHING:
                value.null = True
                return 0
            if feature.b == HEADS:
                return self.bucket(feature, state.heads_of(node), value)
            return self.bucket(feature, (state.left_count[node] if feature.b & LDEPS else 0)
                               + (state.right_count[node] if feature.b & RDEPS else 0), value)
        if operation == ARC_DIRECTION or operation == INPUT_ARC_DIRECTION:
            if node <= 0:
                value.null = True
                return 0
            other = state.H(node) if operation == ARC_DIRECTION else self.input_head(feature.c, node)
            if other == NOTHING:
                value.null = True
            else:
                value.code = ARC_ROOT if other == 0 else ARC_LEFT if other < node else ARC_RIGHT
            return 0
        other = self.addresses.nodes[feature.b]
        if operation == DISTANCE:
            if node <= 0 or other <= 0:
                value.null = True
                return 0
            return self.bucket(feature, node - other if node > other else other - node, value)
        if operation == CROSSINGS:
            if node <= 0 or other <= 0:
                value.null = True
                return 0
            return self.bucket(feature, self.crossings(state, feature.c, min(node, other), max(node, other)), value)
        if node != NOTHING and other != NOTHING:  # ARC and INPUT_ARC
            if operation == ARC:
                if node and state.H(node) == other:
                    value.code = ARC_LEFT
                elif other and state.H(other) == node:
                    value.code = ARC_RIGHT
            elif node and self.input_head(feature.c, node) == other:
                value.code = ARC_LEFT
            elif other and self.input_head(feature.c, other) == node:
                value.code = ARC_RIGHT
        value.null = value.code == 0
        return 0

    cdef int label_between(self, State state, const CompiledFeature *feature, FeatureValue *value) except -1 nogil:
        cdef node_t head = self.addresses.nodes[feature.b], word = self.addresses.nodes[feature.c]
        cdef int32_t arc
        cdef code_t code = -1
        if head != NOTHING and word > 0:
            if state.many:
                arc = state.arc_between(head, word)
                if arc != NOTHING:
                    code = state.arc_labels[<size_t> arc * state.label_tables + feature.a]
            elif state.head[word] == head:
                code = state.labels[word * state.label_tables + feature.a]
        value.null = code < 0
        value.code = feature.no_value if code < 0 else code
        return 0

    cdef int32_t crossings(self, State state, int32_t limits, node_t left, node_t right) noexcept nogil:
        """How many arcs go from a word between two nodes to one that is not; no more are counted than matter."""
        cdef int32_t found = 0, most = self.thresholds[limits].back()
        cdef node_t node = left + 1, skipped = right - left - 1 - 2 * CLOSE, child
        while node < right and found < most:
            if node == left + 1 + CLOSE and skipped > 0:
                node += skipped
            if state.H(node) != NOTHING and not left <= state.H(node) <= right:
                found += 1
            child = state.L(node)
            while child != NOTHING and child < left and found < most:
                found += 1
                child = state.after[child]
            child = state.R(node)
            while child != NOTHING and child > right and found < most:
                found += 1
                child = state.before[child]
            node += 1
        return found

    cdef bint bucket(self, const CompiledFeature *feature, int32_t number, FeatureValue *value) noexcept nogil:
        """The greatest limit that a number reaches."""
        cdef size_t i = self.thresholds[feature.c].size()
        while i > 1 and self.thresholds[feature.c][i - 1] > number:
            i -= 1
        value.code = <code_t> i
        return False

    cdef node_t input_head(self, int32_t column, node_t node) except? -2 nogil:
        if column < 0:
            return self.input_heads[node - 1] if self.input_heads != NULL else NOTHING
        cdef code_t code = self.input[(node - 1) * self.width + column]
        return <node_t> self.number_of(column, code) if code >= 0 else NOTHING

    cdef double number_of(self, int32_t column, code_t code) except? -1 nogil:
        if <size_t> code >= self.numbers[column].size() or isnan(self.numbers[column][code]):
            self.learn_number(column, code)
        return self.numbers[column][code]

    cdef int learn_number(self, int32_t column, code_t code) except -1 with gil:
        """Read a symbol as the number that its column promises."""
        cdef bint true  # a C value: an element is a reference, which "1 if true else 0" would let point to what is gone
        cdef double number
        table = self._tables[column]
        symbol = table.symbol(code)
        if <size_t> code >= self.numbers[column].size():
            self.numbers[column].resize(code + 1, NAN)
        try:
            if table.type == BOOLEAN:
                true = symbol in ("1", "true", "#true#") or symbol.startswith("1.")
                if not true and symbol not in ("0", "false", "#false#") and not symbol.startswith("0."):
                    raise ValueError
                number = true
            else:
                number = int(symbol.split(".")[0]) if table.type == INTEGER else float(symbol)
            if not isfinite(number) or "_" in symbol:  # Python reads 3_0 as 30
                raise ValueError
            self.numbers[column][code] = number
        except (ValueError, OverflowError):
            kind = {INTEGER: "a whole number", BOOLEAN: "true or false"}.get(table.type, "a number")
            raise UnfitValue(table.name, code, symbol, kind) from None
        return 0

    cdef int merge_numbers(self, const CompiledFeature *feature, FeatureValue *value) except -1 nogil:
        """The product; of BOOLEAN values, whether all are true."""
        cdef int32_t i, argument
        cdef bint null = False
        value.code = 1
        for i in range(3):
            argument = feature.a if i == 0 else feature.b if i == 1 else feature.c
            if argument >= 0:
                null = null or self.values[argument].null
                value.number *= self.values[argument].number
        if null:
            value.number = 0
        elif feature.type == BOOLEAN and value.number != 0:
            value.number = 1
        if not null and not self.frozen and lookup(self.merged[feature.table], <int64_t> value.number) == NO_ROW:
            self.register_number(feature, value.number)
        return 0

    cdef int register_number(self, const CompiledFeature *feature, double number) except -1 with gil:
        """Nobody asks for the symbols of numbers, but MaltParser enters them into the table."""
        if feature.type == BOOLEAN:
            symbol = "true" if number else "false"
        else:
            symbol = str(int(number)) if feature.type == INTEGER and isfinite(number) else double_text(number)
        self._tables[feature.table].add(symbol)
        if number == <int64_t> number:
            place(self.merged[feature.table], <int64_t> number, 0)
        return 0

    cdef int merge(self, const CompiledFeature *feature, FeatureValue *value) except -1 nogil:
        cdef const FeatureValue *one = &self.values[feature.a]
        cdef const FeatureValue *two = &self.values[feature.b]
        cdef const FeatureValue *three = two
        cdef const Sizes *sizes
        cdef size_t index
        cdef uint32_t last = 0
        cdef code_t *cell
        if feature.c >= 0:
            three = &self.values[feature.c]
            last = <uint32_t> three.code
        if one.null and two.null and three.null:
            value.code, value.null, value.number = one.code, True, 0
            return 0
        if self.frozen:
            index = feature - self.program.data()
            sizes = &self.sizes[index]
            if <uint32_t> one.code < sizes.a and <uint32_t> two.code < sizes.b and last < sizes.c:
                cell = self.cells[sizes.cells].data() + (<size_t> one.code * sizes.b + <uint32_t> two.code) * sizes.c + last
                if cell[0] == NOT_MERGED:
                    cell[0] = self.join(feature)
                value.code = cell[0]
                return 0
        return self.merge_again(feature, value)

    cdef int merge_again(self, const CompiledFeature *feature, FeatureValue *value) except -1 nogil:
        """The same by maps of all that was merged so far."""
        cdef const FeatureValue *one = &self.values[feature.a]
        cdef const FeatureValue *two = &self.values[feature.b]
        cdef const FeatureValue *three = two
        cdef int32_t row
        cdef int64_t key
        if feature.c >= 0:
            three = &self.values[feature.c]
        # Codes of a block's own symbols mean something else in the next, and the code of a merged null value is that of
        # its first part, in another table: these are not remembered.
        if self.is_merged_null(feature.a) or self.is_merged_null(feature.b) or self.is_merged_null(feature.c) or one.code < 0 or two.code < 0 or three.code < 0 or (
                one.code >= self.limits[self.program[feature.a].table]
                or two.code >= self.limits[self.program[feature.b].table]
                or (feature.c >= 0 and three.code >= self.limits[self.program[feature.c].table])):
            value.code = self.join(feature)
            return 0
        key = <int64_t> one.code << 32 | <int64_t> two.code
        if feature.c >= 0:
            row = insert(self.pairs[feature.table], key)
            if row < 0:
                with gil:
                    raise MemoryError
            key = <int64_t> row << 32 | <int64_t> three.code
        row = lookup(self.merged[feature.table], key)
        if row == NO_ROW:
            if self.frozen and self.merged[feature.table].used > MOST_MERGES:
                self.start_anew(feature.table)
                return self.merge_again(feature, value)
            value.code = self.join(feature)
            if place(self.merged[feature.table], key, value.code + 1) < 0:
                with gil:
                    raise MemoryError
        else:
            value.code = row - 1
        return 0

    cdef int start_anew(self, int32_t table) except -1 with gil:
        pair, merged = self._merges[table] = (FeatureMap(), FeatureMap())
        self.pairs[table] = &(<FeatureMap> pair).map
        self.merged[table] = &(<FeatureMap> merged).map
        return 0

    cdef code_t join(self, const CompiledFeature *feature) except? -3 nogil:
        """The code of a merged symbol by its text."""
        self.text.clear()
        self.append_merged(feature)
        return self.code_of_text(feature)

    cdef int append_merged(self, const CompiledFeature *feature) except -1 nogil:
        """The symbols of the values that are merged."""
        self.append_symbol(feature.a)
        self.text.push_back(c'~')
        self.append_symbol(feature.b)
        if feature.c >= 0:
            self.text.push_back(c'~')
            self.append_symbol(feature.c)
        return 0

    cdef code_t code_of_text(self, const CompiledFeature *feature) except? -3 nogil:
        """The code of the text that was put together: -1 if it is new and nothing new may come."""
        cdef code_t code
        if self.frozen:
            return find(self.tables[feature.table], self.text.data(), self.text.size())
        code = intern(self.tables[feature.table], self.text.data(), self.text.size())
        if code == NO_MEMORY:
            with gil:
                raise MemoryError
        return code

    cdef int append_symbol(self, int32_t index) except -1 nogil:
        """The symbol of a value; where it is in no table, from what it was made of."""
        cdef const CompiledFeature *feature = &self.program[index]
        cdef const FeatureValue *value = &self.values[index]
        if self.is_merged_null(index):
            self.append_symbol(feature.a)
        elif value.code >= 0:
            self.append_code(feature.table, value.code)
        elif feature.operation == JOIN:
            self.append_all(feature, -1)
        elif feature.operation == MERGE:
            self.append_merged(feature)
        elif feature.operation == PARTS:
            self.append_part(feature)
        return 0

    cdef int append_code(self, int32_t table, code_t code) except -1 nogil:
        cdef int32_t length
        cdef const char *symbol = text_of(self.tables[table], code, &length)
        if symbol != NULL:
            self.text.insert(self.text.end(), symbol, symbol + length)
        return 0

    cdef int append_all(self, const CompiledFeature *feature, code_t chosen) except -1 nogil:
        """The symbols of all that is joined; `chosen` is a value of that which gives a set, or -1 if it gives none now."""
        cdef size_t i
        cdef int32_t part
        for i in range(self.joins[feature.c].size()):
            part = self.joins[feature.c][i]
            if i:
                self.text.push_back(c'~')
            if part == feature.b and chosen >= 0:
                self.append_code(self.program[part].table, chosen)
            else:
                self.append_symbol(part)
        return 0

    cdef int join_all(self, const CompiledFeature *feature, FeatureValue *value) except -1 nogil:
        """Values that are joined are found by their text: there are more of them than maps of their codes would bear. A
        symbol that is in no table was never joined with another, either."""
        cdef size_t i
        cdef int32_t j, part
        cdef bint null = True, known = True
        cdef const FeatureValue *several = NULL
        for i in range(self.joins[feature.c].size()):
            part = self.joins[feature.c][i]
            null = null and self.values[part].null
            if part == feature.b and self.values[part].first >= 0:
                several = &self.values[part]
            else:
                known = known and self.values[part].code >= 0
        if null:
            value.code, value.null, value.number = self.values[feature.a].code, True, 0
            return 0
        value.code = -1
        if several == NULL:
            if known:
                self.text.clear()
                self.append_all(feature, -1)
                value.code = self.code_of_text(feature)
            return 0
        value.first = <int32_t> self.many.size()
        for j in range(several.first, several.last):
            if not known or self.many[j] < 0 or (j > several.first and self.many[j] == self.many[j - 1]):
                continue
            self.text.clear()
            self.append_all(feature, self.many[j])
            self.many.push_back(self.code_of_text(feature))
        value.last = <int32_t> self.many.size()
        sort(self.many.begin() + value.first, self.many.end())
        return 0

    cdef int list_labels(self, State state, const CompiledFeature *feature, FeatureValue *value) except -1 nogil:
        """The labels of dependents, each once, in the order of their codes: one symbol for the whole set."""
        cdef node_t node = self.addresses.nodes[feature.b], child
        cdef int32_t right, steps
        cdef size_t i
        cdef code_t code
        if node == NOTHING:
            value.code, value.null = feature.no_node, True
            return 0
        self.found.clear()
        for right in range(2):
            if not feature.c & (RDEPS if right else LDEPS):
                continue
            child = state.R(node) if right else state.L(node)
            steps = MOST_DEPENDENTS
            while child != NOTHING and steps > 0:
                code = state.labels[child * state.label_tables + feature.a]
                if code >= 0:
                    self.found.push_back(code)
                child = state.before[child] if right else state.after[child]
                steps -= 1
        if self.found.size() == 0:
            value.code, value.null = feature.no_value, True
            return 0
        sort(self.found.begin(), self.found.end())
        self.text.clear()
        for i in range(self.found.size()):
            if i and self.found[i] == self.found[i - 1]:
                continue
            if i:
                self.text.push_back(c'|')
            self.append_code(self.label_tables[feature.a], self.found[i])
        value.code = self.code_of_text(feature)
        return 0

    cdef int list_between(self, const CompiledFeature *feature, FeatureValue *value) except -1 nogil:
        """The values of a column of the words between two words, each once."""
        cdef node_t one = self.addresses.nodes[feature.a], other = self.addresses.nodes[feature.b], node, last
        cdef code_t code
        cdef size_t i
        if one == NOTHING or other == NOTHING:
            value.code, value.null = feature.no_node, True
            return 0
        node, last = min(one, other) + 1, max(one, other) - 1
        if node > last:
            value.code, value.null = feature.no_value, True
            return 0
        self.found.clear()
        one = last - node + 1 - 2 * NEAR  # how many are left out
        other = node + NEAR
        while node <= last:
            if node == other and one > 0:
                node += one
            code = self.input[(node - 1) * self.width + feature.c]
            if code < 0:
                self.missing, self.missing_at = feature.c, node
                value.code, value.null = feature.no_node, True
                return 0
            self.found.push_back(code)
            node += 1
        sort(self.found.begin(), self.found.end())
        value.first = <int32_t> self.many.size()
        for i in range(self.found.size()):
            if i == 0 or self.found[i] != self.found[i - 1]:
                self.many.push_back(self.found[i])
        value.last = <int32_t> self.many.size()
        value.code = self.many[value.first]
        return 0

    cdef int append_part(self, const CompiledFeature *feature) except -1 nogil:
        """The first part of a symbol, which may be in no table itself."""
        cdef size_t begin = self.text.size()
        cdef int32_t first, last
        self.append_symbol(feature.a)
        if feature.b == 0:
            return self.keep_first_part(feature, begin)
        cut_affix(self.text.data() + begin, <int32_t> (self.text.size() - begin), feature.b, &first, &last)
        memmove(self.text.data() + begin, self.text.data() + begin + first, last - first)
        self.text.resize(begin + last - first)
        return 0

    cdef int keep_first_part(self, const CompiledFeature *feature, size_t begin) except -1 with gil:
        """Of a symbol that the text ends with leave what Split finds first."""
        symbol = (<bytes> self.text.data()[begin:self.text.size()]).decode()
        self.text.resize(begin)
        split, _ = self._parts[feature.c]
        for part in split(symbol)[:1]:
            for byte in part.encode():
                self.text.push_back(<char> <int> byte)
        return 0

    cdef vector[code_t] *parts_of(self, const CompiledFeature *feature, code_t code) noexcept nogil:
        """Where the parts of a code are."""
        if code < self.limits[self.program[feature.a].table]:
            return &self.parts[feature.c]
        return &self.own_parts[feature.c]

    cdef int learn_parts(self, const CompiledFeature *feature, code_t code) except -1 nogil:
        """Split a symbol that was not seen before. Prefixes and suffixes need no lock: threads would wait for it at every
        word that the model does not know."""
        cdef int32_t which = feature.c, length, first, last
        cdef vector[code_t] *parts = self.parts_of(feature, code)
        cdef const char *symbol = text_of(self.tables[self.part_sources[which]], code, &length)
        cdef code_t part
        if <size_t> code >= self.part_first[which].size():
            self.part_first[which].resize(code + 1, -1)
            self.part_last[which].resize(code + 1, -1)
        cdef int32_t before = <int32_t> parts.size()
        if feature.b == 0:
            self.split_symbol(feature, symbol, length, parts)
        else:
            cut_affix(symbol, length, feature.b, &first, &last)
            if self.frozen:
                part = find(self.tables[feature.table], symbol + first, last - first)
            else:
                part = intern(self.tables[feature.table], symbol + first, last - first)
            if part == NO_MEMORY:
                with gil:
                    raise MemoryError
            parts.push_back(part)
        self.part_first[which][code] = before
        self.part_last[which][code] = <int32_t> parts.size()
        return 0

    cdef int split_symbol(self, const CompiledFeature *feature, const char *symbol, int32_t length, vector[code_t] *parts) except -1 with gil:
        """Add the parts that Split finds."""
        table = <SymbolTable> self._tables[feature.table]
        split, _ = self._parts[feature.c]
        for part in split(symbol[:length].decode()):
            parts.push_back(<code_t> (table.code(part) if self.frozen else table.add(part)))
        return 0

    cdef int list_parts(self, int32_t index, vector[code_t] *codes) except -1 nogil:
        """The codes of the parts that Split has just found, in the order of the text."""
        cdef const CompiledFeature *feature = &self.program[index]
        cdef code_t source = self.values[feature.a].code
        cdef const vector[code_t] *parts = self.parts_of(feature, source)
        cdef int32_t i
        codes.clear()
        for i in range(self.part_first[feature.c][source], self.part_last[feature.c][source]):
            codes.push_back(parts[0][i])
        return 0

    cdef int take_parts(self, const CompiledFeature *feature, FeatureValue *value) except -1 nogil:
        """Split gives a set of codes, Prefix and Suffix (feature.b is not 0) a single one."""
        cdef const FeatureValue *source = &self.values[feature.a]
        cdef const vector[code_t] *parts
        cdef int32_t i, which = feature.c
        if source.null or source.code < 0:
            value.code, value.null = source.code, source.null
            return 0
        if <size_t> source.code >= self.part_first[which].size() or self.part_first[which][source.code] < 0:
            self.learn_parts(feature, source.code)
        parts = self.parts_of(feature, source.code)
        value.first = <int32_t> self.many.size()
        for i in range(self.part_first[which][source.code], self.part_last[which][source.code]):
            self.many.push_back(parts[0][i])
        value.last = <int32_t> self.many.size()
        if feature.b:
            value.code = self.many[value.first] if value.last > value.first else -1
            value.first = -1
        else:
            sort(self.many.begin() + value.first, self.many.end())
        return 0


@cython.final
cdef class Propagation:
    """`rules` have source, target, passed(symbols, known) -> symbol or None, and over(label) -> bool: see malt.features.propagation.

    `coded` and `labels` are the names of the coded columns and of the tables of arc labels, in order.
    """

    def __init__(self, rules=(), coded=(), labels=()):
        self._rules, self._coded, self._labels = tuple(rules), tuple(coded), tuple(labels)
        self._tables = {}
        self.columns = len(self._rules)

    def use(self, dict tables not None):
        """Use the tables of a block from here on."""
        self._tables = tables

    cdef int run(self, State state, const code_t *input, int32_t width, node_t dependent) except -1 nogil:
        """Pass on what a new arc allows. The artificial root gets nothing."""
        if self.columns and state.H(dependent) > 0:
            self.pass_on(state, input, width, dependent)
        return 0

    cdef int pass_on(self, State state, const code_t *input, int32_t width, node_t dependent) except -1 with gil:
        cdef node_t head = state.H(dependent)
        cdef code_t code, known
        # As in MaltParser, only arcs that have a DEPREL pass anything on.
        if "DEPREL" not in self._labels:
            return 0
        code = state.labels[dependent * state.label_tables + <int> self._labels.index("DEPREL")]
        if code < 0:
            return 0
        over = self._tables["DEPREL"].symbol(code)
        for target, rule in enumerate(self._rules):
            if not rule.over(over):
                continue
            if rule.source in self._labels:
                code = state.labels[dependent * state.label_tables + <int> self._labels.index(rule.source)]
            else:
                code = input[(dependent - 1) * width + <int> self._coded.index(rule.source)]
            if code < 0:
                continue
            known = state.extras[head * state.extra_tables + <int> target]
            table = self._tables[rule.target]
            symbol = rule.passed(self._tables[rule.source].symbol(code), table.symbol(known) if known >= 0 else None)
            if symbol is not None:
                state.extras[head * state.extra_tables + <int> target] = table.add(symbol)
        return 0
