# distutils: language = c++
# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
"""Propagation, by Python: few models use it, and the others never leave the kernel for it."""

cimport cython

from malt.kernel.state cimport NOTHING


@cython.final
cdef class Propagation:
    """`rules` have source, target, passed(symbols, known) -> symbol or None, and over(label) -> bool: see malt.propagation.

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
        if self.columns and state.head[dependent] > 0:
            self.pass_on(state, input, width, dependent)
        return 0

    cdef int pass_on(self, State state, const code_t *input, int32_t width, node_t dependent) except -1 with gil:
        cdef node_t head = state.head[dependent]
        cdef code_t code, known
        for target, rule in enumerate(self._rules):
            over = self._labels.index("DEPREL") if "DEPREL" in self._labels else -1
            if over >= 0:
                code = state.labels[dependent * state.label_tables + <int> over]
                if not rule.over(self._tables["DEPREL"].symbol(code) if code >= 0 else None):
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
