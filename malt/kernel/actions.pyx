# distutils: language = c++
# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
"""Class numbers of actions: those of MaltParser, in the order in which classes are first seen."""

cimport cython

from malt.kernel.featuremap cimport FeatureMap, insert
from malt.kernel.symbols cimport SymbolTable
from malt.kernel.types cimport int64_t

from malt.errors import MaltError


@cython.final
cdef class Actions:
    """`decisions` are lists of items, -1 for the transition and otherwise the index of a table of labels;
    `class_tables` has the table of each decision of several items, None for the others."""

    def __init__(self, names, decisions, label_tables, class_tables, str separator not None):
        self._names, self.separator = list(names), separator[:1]
        self._tables = [*label_tables, *class_tables]
        self.labels = len(label_tables)
        self._chains = []
        for table in label_tables:
            self.label_tables.push_back(&(<SymbolTable?> table).table)
        for items, table in zip(decisions, class_tables, strict=True):
            first = self.items.size()
            for item in items:
                self.items.push_back(item)
            self.groups.push_back(Group(first, self.items.size(), -1, list(items) == [-1]))
            if table is not None:
                self.groups.back().table = <int32_t> self.class_tables.size()
                self.class_tables.push_back(&(<SymbolTable?> table).table)
            self._chains.append(FeatureMap())
        self.classes.resize(self.groups.size())
        for chain in self._chains:
            self.chains.push_back(&(<FeatureMap> chain).map)

    def start(self, int transition):
        """Register the class of a transition without labels before anything is learned."""
        cdef vector[code_t] none
        none.assign(self.labels + 1, -1)
        for group in range(self.groups.size()):
            items = [self.items[i] for i in range(self.groups[group].first, self.groups[group].last)]
            if self.groups[group].table >= 0 and -1 in items:
                self.code_of(group, transition, none.data())

    cdef code_t code_of(self, int32_t group, int32_t transition, const code_t *labels) except? -2 nogil:
        """The class of an action in a decision; a class that is new gets the next code."""
        cdef const Group *g = &self.groups[group]
        cdef int32_t i, item, row = 0
        cdef code_t code
        if g.table < 0:
            item = self.items[g.first]
            return transition + 1 if item < 0 else labels[item]
        for i in range(g.first, g.last):
            item = self.items[i]
            code = transition if item < 0 else labels[item]
            row = insert(self.chains[group], <int64_t> (row + 1) << 32 | <int64_t> (code + 1))
            if row < 0:
                with gil:
                    raise MemoryError
        if <size_t> row < self.classes[group].size() and self.classes[group][row] >= 0:
            return self.classes[group][row]
        return self.register(group, transition, labels, row)

    cdef code_t register(self, int32_t group, int32_t transition, const code_t *labels, int32_t row) except? -2 with gil:
        cdef const Group *g = &self.groups[group]
        cdef int32_t i, item
        parts = []
        for i in range(g.first, g.last):
            item = self.items[i]
            symbol = self._names[transition] if item < 0 else self._tables[item].symbol(labels[item]) if labels[item] >= 0 else None
            if symbol is None:
                continue
            if self.separator in symbol and g.last - g.first > 1:
                raise MaltError(
                    f"the label {symbol!r} has the character {self.separator!r}, which separates the parts of a class; "
                    "choose another with -gcs"
                )
            parts.append(symbol)
        while self.classes[group].size() <= <size_t> row:
            self.classes[group].push_back(-1)
        self.classes[group][row] = self._tables[self.labels + group].add(self.separator.join(parts)) if parts else -1
        return self.classes[group][row]
