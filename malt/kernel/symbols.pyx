"""Symbol tables: the texts of a column and their codes.

A table is a plain struct, so that the reader's and the parser's loops can use it without the GIL; SymbolTable owns one
and is what Python sees. Null symbols are ordinary entries with the lowest codes, which is why a token whose text
happens to be `#null#` gets the null code, as in MaltParser.
"""

from libc.stdlib cimport calloc, free, realloc
from libc.string cimport memchr, memcmp, memcpy


cdef extern from "symbols.hpp" nogil:
    uint32_t hash_of "malt_hash"(const char *text, int64_t length) noexcept


cdef inline int32_t slot_of(const Table *table, const char *text, int64_t length, uint32_t h) noexcept nogil:
    """The slot that holds the symbol, or the free one where it belongs."""
    cdef uint32_t slot = h & table.slot_mask
    cdef int32_t i
    while table.slots[slot] != 0:
        i = table.slots[slot] - 1
        if table.hash[i] == h and table.length[i] == length and memcmp(table.arena + table.offset[i], text, length) == 0:
            break
        slot = (slot + 1) & table.slot_mask
    return <int32_t> slot


cdef code_t find(const Table *table, const char *text, int64_t length) noexcept nogil:
    """The code of a symbol, or NO_CODE."""
    cdef uint32_t h = hash_of(text, length)
    cdef int32_t slot
    while table != NULL:
        slot = slot_of(table, text, length, h)
        if table.slots[slot] != 0:
            return table.base + table.slots[slot] - 1
        table = table.parent
    return NO_CODE


cdef bint grow_slots(Table *table) noexcept nogil:
    cdef uint32_t room = (table.slot_mask + 1) * 2
    cdef int32_t *slots = <int32_t *> calloc(room, sizeof(int32_t))
    cdef uint32_t old, slot
    if slots == NULL:
        return False
    for old in range(table.slot_mask + 1):
        if table.slots[old] != 0:
            slot = table.hash[table.slots[old] - 1] & (room - 1)
            while slots[slot] != 0:
                slot = (slot + 1) & (room - 1)
            slots[slot] = table.slots[old]
    free(table.slots)
    table.slots = slots
    table.slot_mask = room - 1
    return True


cdef bint grow_codes(Table *table, int32_t needed) noexcept nogil:
    cdef int32_t room = table.room if table.room > 0 else 16
    cdef void *grown
    while room < needed:
        room *= 2
    if room == table.room:
        return True
    grown = realloc(table.offset, room * sizeof(int64_t))
    if grown == NULL:
        return False
    table.offset = <int64_t *> grown
    grown = realloc(table.length, room * sizeof(int32_t))
    if grown == NULL:
        return False
    table.length = <int32_t *> grown
    grown = realloc(table.hash, room * sizeof(uint32_t))
    if grown == NULL:
        return False
    table.hash = <uint32_t *> grown
    table.room = room
    return True


cdef bint grow_arena(Table *table, int64_t needed) noexcept nogil:
    cdef int64_t room = table.arena_room if table.arena_room > 0 else 256
    cdef void *grown
    while room < needed:
        room *= 2
    if room == table.arena_room:
        return True
    grown = realloc(table.arena, room)
    if grown == NULL:
        return False
    table.arena = <char *> grown
    table.arena_room = room
    return True


cdef code_t put(Table *table, code_t code, const char *text, int64_t length) noexcept nogil:
    """Enter a symbol that is not there yet under a code that is free; codes between are left without a symbol."""
    cdef int32_t i = code - table.base, k
    cdef uint32_t h = hash_of(text, length)
    if i < 0 or i > 0x3FFFFFFF or length > 0x7FFFFFFF:
        return NO_MEMORY
    if not grow_codes(table, i + 1) or not grow_arena(table, table.arena_used + length):
        return NO_MEMORY
    if 4 * <int64_t> (table.filled + 1) > 3 * <int64_t> (table.slot_mask + 1) and not grow_slots(table):
        return NO_MEMORY
    for k in range(table.used, i):
        table.length[k] = -1
    memcpy(table.arena + table.arena_used, text, length)
    table.offset[i] = table.arena_used
    table.length[i] = <int32_t> length
    table.hash[i] = h
    table.arena_used += length
    table.slots[slot_of(table, text, length, h)] = i + 1
    table.filled += 1
    if i >= table.used:
        table.used = i + 1
    return code


cdef code_t intern(Table *table, const char *text, int64_t length) noexcept nogil:
    """The code of a symbol, which is entered under the next code if it is new; NO_MEMORY when that fails."""
    cdef code_t code = find(table, text, length)
    if code != NO_CODE:
        return code
    return put(table, table.base + table.used, text, length)


cdef const char *text_of(const Table *table, code_t code, int32_t *length) noexcept nogil:
    """The text of a code, or NULL where no symbol has it."""
    if table.parent != NULL and code < table.base:
        table = table.parent
    cdef int32_t i = code - table.base
    if i < 0 or i >= table.used or table.length[i] < 0:
        length[0] = 0
        return NULL
    length[0] = table.length[i]
    return table.arena + table.offset[i]


cdef class SymbolTable:
    """The symbols of one column.

    >>> table = SymbolTable("FORM")
    >>> table.add("the"), table.add("cat"), table.add("the")
    (1, 2, 1)
    >>> table.symbol(2), table.code("dog"), len(table)
    ('cat', -1, 2)
    """

    def __cinit__(self, str name, int category=-1, int type=STRING, str null_strategy="one", SymbolTable parent=None):
        self.name, self.category, self.type, self.null_strategy = name, category, type, null_strategy
        self.parent = parent
        self.table.slot_mask = 15
        self.table.slots = <int32_t *> calloc(16, sizeof(int32_t))
        if self.table.slots == NULL:
            raise MemoryError
        if parent is not None:
            # MaltParser skips one code between a model's symbols and those of a sentence.
            self.table.parent = &parent.table
            self.table.base = parent.next_code + 1
            return
        strategy = null_strategy.lower()
        if strategy not in ("none", "one", "rootnode", "novalue"):
            raise ValueError(f"null value strategy {null_strategy!r}: expected none, one, rootnode or novalue")
        self.nulls = 1 if strategy in ("none", "one") else 3 if strategy == "novalue" and category == DEPENDENCY_EDGE_LABEL else 2
        for symbol in ("#null#", "#rootnode#", "#novalue#")[: self.nulls]:
            self.add(symbol)

    def __dealloc__(self):
        free(self.table.arena)
        free(self.table.offset)
        free(self.table.length)
        free(self.table.hash)
        free(self.table.slots)

    @property
    def next_code(self) -> int:
        """The code that the next new symbol gets."""
        return self.table.base + self.table.used

    @property
    def no_node(self) -> int:
        """The code that stands for: the address leads to no node."""
        return 0

    @property
    def root_node(self) -> int:
        """The code that stands for: the address leads to the artificial root."""
        return 0 if self.null_strategy.lower() in ("none", "one") else 1

    @property
    def no_value(self) -> int:
        """The code that stands for: the word has no head yet, so no label either."""
        strategy = self.null_strategy.lower()
        return {"rootnode": 1, "novalue": 2 if self.category == DEPENDENCY_EDGE_LABEL else 1}.get(strategy, 0)

    def __len__(self) -> int:
        """The number of symbols, null symbols left out."""
        return self.table.filled - self.nulls

    def add(self, str symbol not None) -> int:
        """The code of a symbol, which is entered if it is new."""
        cdef bytes text = symbol.encode()
        cdef code_t code = intern(&self.table, text, len(text))
        if code == NO_MEMORY:
            raise MemoryError
        return code

    def put(self, int code, str symbol not None, bint again=False, bint shadowed=False) -> None:
        """Enter a symbol under a given code, as a model file says.

        With `again` it may have a code already; both codes then have this text, which stands for the new one, or with
        `shadowed` for the old one.
        """
        cdef bytes text = symbol.encode()
        cdef uint32_t h = hash_of(text, len(text))
        cdef code_t known = find(&self.table, text, len(text))
        if known == code:
            return
        if (known != NO_CODE and not (again and known >= self.nulls)) or code < self.table.base \
                or self.symbol(code) is not None:
            raise ValueError(f"table {self.name}: code {code} or symbol {symbol!r} is there twice")
        if code > self.table.base + 2 * <int64_t> self.table.filled + 1024:
            # Codes are handed out one by one; a far one is damage, and would ask for memory without end.
            raise ValueError(f"table {self.name}: code {code} is out of order")
        if put(&self.table, code, text, len(text)) == NO_MEMORY:
            raise MemoryError
        if shadowed and known != NO_CODE:
            self.table.slots[slot_of(&self.table, text, len(text), h)] = known - self.table.base + 1

    def load(self, bytes lines not None) -> bool:
        """Enter symbols as a model file has them, a code, a TAB and a symbol a line; False, and some may have been
        entered, where anything is unusual."""
        cdef const char *text = lines
        cdef const char *end = text + len(lines)
        cdef const char *stop
        cdef int64_t code, last = -1
        cdef code_t known
        while text < end:
            stop = text
            code = 0
            while stop < end and c'0' <= stop[0] <= c'9' and stop - text < 10:
                code = 10 * code + stop[0] - c'0'
                stop += 1
            if stop == text or stop - text > 9 or stop == end or stop[0] != c'\t':
                return False
            text = stop + 1
            stop = <const char *> memchr(text, c'\n', end - text)
            if stop == NULL:
                stop = end
            if stop == text or code <= last or code > self.table.base + 2 * <int64_t> self.table.filled + 1024:
                return False
            known = find(&self.table, text, stop - text)
            if known != code:
                if known != NO_CODE or code < self.table.base + self.table.used:
                    return False
                if put(&self.table, <code_t> code, text, stop - text) == NO_MEMORY:
                    raise MemoryError
            last, text = code, stop + 1
        return True

    def code(self, str symbol not None) -> int:
        """The code of a symbol, -1 if it is unknown."""
        cdef bytes text = symbol.encode()
        return find(&self.table, text, len(text))

    def symbol(self, int code):
        """The symbol of a code, None if there is none."""
        cdef int32_t length
        cdef const char *text = text_of(&self.table, code, &length)
        return None if text == NULL else text[:length].decode()

    def decode(self, const code_t[:] codes) -> list:
        """The symbols of codes."""
        cdef Py_ssize_t i
        cdef int32_t length
        cdef const char *text
        cdef list found = []
        for i in range(codes.shape[0]):
            text = text_of(&self.table, codes[i], &length)
            found.append(None if text == NULL else text[:length].decode())
        return found

    def symbols(self):
        """The codes and symbols in ascending order of codes, null symbols left out."""
        for code in range(self.table.base + self.nulls, self.next_code):
            symbol = self.symbol(code)
            if symbol is not None:
                yield code, symbol

    @property
    def size(self) -> int:
        """About how many bytes it takes."""
        return self.table.arena_room + 16 * <int64_t> self.table.room + 4 * <int64_t> (self.table.slot_mask + 1)

    def copy_to(self, SymbolTable target not None) -> None:
        """Enter all symbols into another table that begins with the same ones, so that codes are the same.

        >>> one, two = SymbolTable("FORM"), SymbolTable("FORM")
        >>> one.add("et"), one.copy_to(two), two.code("et")
        (1, None, 1)
        """
        cdef int32_t code, length
        cdef const char *symbol
        for code in range(self.table.base, self.table.base + self.table.used):
            symbol = text_of(&self.table, code, &length)
            if symbol == NULL or intern(&target.table, symbol, length) != code:
                raise ValueError(f"table {self.name}: code {code} would not be the same")

    def overlay(self) -> SymbolTable:
        """A table for symbols that this one lacks; this one stays as it is."""
        return SymbolTable(self.name, self.category, self.type, self.null_strategy, self)

    def __repr__(self) -> str:
        return f"SymbolTable({self.name!r}, {len(self)} symbols)"
