"""The writer's loop: a block -> text, by a program of one operation a column, without the GIL."""

from libc.string cimport memcmp

from malt.kernel.lines cimport (
    BLANK, COMMENT, EMPTY_NODE, Line, LineKind, RANGE, field_end, kind_of_line, take_line,
)
from malt.kernel.symbols cimport SymbolTable, Table, text_of
from malt.kernel.types cimport code_t, int32_t, int64_t, node_t, place_t
from malt.kernel.vector cimport vector


cpdef enum:  # what is written into a column; `a`, `b` and `c` are the operands
    CONSTANT  # the text a
    COUNT  # the word's position
    FIELD  # field a of the word's line; where that is missing or _, field b (if not negative); else the text c
    SYMBOL  # the symbol of coded column a; the text c where there is none
    LABEL  # the same, but the text c also where the word has no head
    HEAD  # the head's position; the text c where there is none
    HEAD_ID  # the head's field a, its id; the text c where there is none


cpdef enum:  # how a column of the source is written, other than in the place of another column
    WHOLLY = -1
    NOWHERE = -2


cdef struct Source:
    const char *text
    place_t size
    int32_t words
    int32_t width  # coded columns
    const node_t *heads
    const code_t *values
    const place_t *word_lines
    const int32_t *starts
    Table **tables


cdef struct FieldOperation:
    int32_t code
    int32_t a
    int32_t b
    int32_t c


cdef inline int append(vector[char] &out, const char *text, place_t length) except -1 nogil:
    out.insert(out.end(), text, text + length)
    return 0


cdef inline int append_number(vector[char] &out, int32_t number) except -1 nogil:
    cdef char digits[12]
    cdef int at = 12
    while True:
        at -= 1
        digits[at] = c'0' + number % 10
        number = number // 10
        if number == 0:
            break
    return append(out, digits + at, 12 - at)


cdef bint find_field(const char *text, const Line *line, int32_t j, place_t *begin, place_t *end) noexcept nogil:
    """Where field j of a line is; False if the line ends before it or it is empty."""
    begin[0] = line.begin
    while True:
        end[0] = field_end(text, begin[0], line.end)
        if j == 0:
            return end[0] > begin[0]
        if end[0] == line.end:
            return False
        begin[0] = end[0] + 1
        j -= 1


class BlankEdge(Exception):
    """A word whose line would begin or end with a blank: `line` is where it stands in the text of the block."""

    def __init__(self, line, at_end):
        super().__init__(f"the line at byte {line} would {'end' if at_end else 'begin'} with a blank")
        self.line, self.at_end = line, at_end


cdef class BlockWriter:
    """Writes blocks by a program. `layout` is "malt" for MaltParser's layout or "keep" for that of the source."""

    cdef vector[FieldOperation] program
    cdef vector[int64_t] text_ends
    cdef bytes texts  # the constant texts, one after another
    cdef const char *text_data
    cdef bint malt_layout
    cdef bint fills
    cdef bint patch  # only the columns named in the program are changed, everything else is copied
    cdef vector[int32_t] patched  # column -> its operation, or -1
    cdef int32_t columns
    cdef int32_t id_column
    cdef bint keeps_ids
    cdef bint words_only
    cdef vector[int32_t] watched  # source column -> WHOLLY, NOWHERE, or another column; the last is for further columns
    cdef int32_t unseen  # watched columns of which nothing was left out so far
    cdef readonly set lost  # watched columns of which something was left out
    cdef readonly int dropped_lines
    cdef readonly int trimmed_lines  # whose white space at either end is not written
    cdef place_t blank  # the line of a word that would begin or end with a blank; -1: none
    cdef bint blank_end

    def __init__(self, program, layout, int columns, int id_column, bint keeps_ids, patch=None, watched=(), bint fills=False,
                 bint words_only=False):
        """`columns` and `id_column` are those of the source; `keeps_ids`: the target can hold ranges and empty nodes;
        `words_only`: it holds nothing but words, no comments either.

        `watched` has an entry per source column and one for all further ones: WHOLLY, if the column is written, NOWHERE,
        if it is not, or the column in whose place it is written where that is `_`.

        With `patch`, a mapping from source column to an index in the program, lines are copied but for these columns;
        those of a word without a head only with `fills`.
        """
        texts = []
        for code, a, b, c in program:
            self.program.push_back(FieldOperation(code, a, b, len(texts)))
            texts.append(c.encode())
        end = 0
        for text in texts:
            end += len(text)
            self.text_ends.push_back(end)
        self.texts = b"".join(texts)
        self.text_data = self.texts
        self.malt_layout = {"malt": True, "keep": False}[layout]
        self.columns, self.id_column, self.keeps_ids = columns, id_column, keeps_ids
        self.patch, self.fills, self.words_only = patch is not None, fills, words_only
        for column in range(columns):
            self.patched.push_back((patch or {}).get(column, -1))
        self.lost = set()
        for column in watched:
            self.watched.push_back(column)
            self.unseen += column != WHOLLY

    def write(self, bytes text not None, int32_t[::1] starts not None, node_t[::1] heads not None,
              code_t[:, ::1] values not None, place_t[::1] word_lines not None, tables):
        """The text of a block; `BlankEdge` is raised if a word cannot be written."""
        cdef vector[char] out
        cdef vector[Table *] coded
        cdef Source source
        cdef list keep_alive = list(tables)
        if heads.shape[0] != values.shape[0] or heads.shape[0] != word_lines.shape[0]:
            raise ValueError("heads, values and lines must have one row per word")
        for table in keep_alive:
            coded.push_back(&(<SymbolTable?> table).table)
        source.text = text
        source.size = len(text)
        source.words = <int32_t> heads.shape[0]
        source.width = <int32_t> values.shape[1]
        source.heads = &heads[0] if source.words else NULL
        source.values = &values[0, 0] if source.words and source.width else NULL
        source.word_lines = &word_lines[0] if source.words else NULL
        source.starts = &starts[0]
        source.tables = coded.data()
        self.dropped_lines = self.trimmed_lines = 0
        self.blank = -1
        with nogil:
            out.reserve(source.size + 1024)
            self.run(&source, out)
        if self.blank >= 0:
            raise BlankEdge(self.blank, bool(self.blank_end))
        return out.data()[:out.size()] if out.size() else b""

    cdef int run(self, const Source *source, vector[char] &out) except -1 nogil:
        cdef place_t at = 0
        cdef Line line
        cdef LineKind kind
        cdef int32_t sentence = 0, word = 0
        cdef bint pending = False  # has something been written since the last blank line?
        if source.size >= 3 and source.text[0] == <char> 0xEF and source.text[1] == <char> 0xBB and source.text[2] == <char> 0xBF:
            at = 3
            if not self.malt_layout:
                append(out, source.text, 3)
        while at < source.size:
            take_line(source.text, source.size, at, &line)
            if word < source.words and source.word_lines[word] == at:
                while word >= source.starts[sentence + 1]:
                    sentence += 1
                self.word(source, &line, at, sentence, word, out)
                word += 1
                pending = True
            else:
                kind = kind_of_line(source.text, &line, self.columns, self.id_column)
                if self.malt_layout:
                    if kind != BLANK:
                        append(out, source.text + line.begin, line.end - line.begin)
                        out.push_back(c'\n')
                        pending = True
                    elif pending:
                        out.push_back(c'\n')
                        pending = False
                elif self.words_only and kind != BLANK:
                    self.dropped_lines += 1
                elif kind == BLANK or self.patch or (kind == COMMENT and self.keeps_ids):
                    append(out, source.text + at, line.next - at)
                elif kind == COMMENT and field_end(source.text, line.begin, line.end) == line.end:
                    append(out, source.text + at, line.next - at)
                elif (kind == RANGE or kind == EMPTY_NODE) and self.keeps_ids:
                    self.word(source, &line, at, sentence, -1, out)
                else:
                    self.dropped_lines += 1
            at = line.next
        if self.malt_layout and pending:
            out.push_back(c'\n')
        return 0

    cdef int word(self, const Source *source, const Line *line, place_t at, int32_t sentence, int32_t word,
                  vector[char] &out) except -1 nogil:
        """One line. `word` is -1 for a line that is no word: then only its own fields are used."""
        cdef size_t j, start = out.size()
        cdef int32_t column = 0
        cdef place_t begin = line.begin, end
        if self.patch:
            append(out, source.text + at, line.begin - at)
            while column < self.columns:
                end = field_end(source.text, begin, line.end) if begin <= line.end else begin
                if column:
                    out.push_back(c'\t')
                if self.patched[column] >= 0 and (source.heads[word] >= 0 or begin > line.end or self.fills):
                    self.cell(source, line, &self.program[self.patched[column]], sentence, word, out)
                elif begin <= line.end:
                    append(out, source.text + begin, end - begin)
                else:
                    out.push_back(c'_')
                begin = end + 1
                column += 1
                if begin > line.end and self.last_patched() < column:
                    break
            if begin <= line.end:
                append(out, source.text + begin - 1, line.end - begin + 1)
            append(out, source.text + line.end, line.next - line.end)
            return 0
        for j in range(self.program.size()):
            if j:
                out.push_back(c'\t')
            self.cell(source, line, &self.program[j], sentence, word, out)
        if self.malt_layout:
            out.push_back(c'\n')
            return 0
        if self.blank < 0 and (<unsigned char> out[start] <= 0x20 or <unsigned char> out[out.size() - 1] <= 0x20):
            self.blank = at
            self.blank_end = <unsigned char> out[start] > 0x20
        if self.unseen:
            self.watch(source.text, line)
        self.trimmed_lines += line.begin > at or line.end < line.stop
        append(out, source.text + line.stop, line.next - line.stop)
        return 0

    cdef int watch(self, const char *text, const Line *line) except -1 nogil:
        """Notice what of a line is not written."""
        cdef place_t begin = line.begin, end, first, last
        cdef int32_t j = 0, further = <int32_t> self.watched.size() - 1, instead
        while True:
            end = field_end(text, begin, line.end)
            instead = self.watched[min(j, further)]
            if instead != WHOLLY and (end - begin != 1 or text[begin] != c'_'):
                if instead == NOWHERE or (
                        find_field(text, line, instead, &first, &last) and not (last - first == 1 and text[first] == c'_')
                        and not (last - first == end - begin and memcmp(text + first, text + begin, end - begin) == 0)):
                    self.watched[min(j, further)] = WHOLLY  # once is enough
                    self.unseen -= 1
                    with gil:
                        self.lost.add(min(j, further))
            if end == line.end:
                return 0
            begin = end + 1
            j += 1

    cdef int32_t last_patched(self) noexcept nogil:
        cdef int32_t column = self.columns - 1
        while column >= 0 and self.patched[column] < 0:
            column -= 1
        return column

    cdef int cell(self, const Source *source, const Line *line, const FieldOperation *op, int32_t sentence, int32_t word,
                  vector[char] &out) except -1 nogil:
        cdef place_t begin, end
        cdef int32_t code = op.code, length, base = source.starts[sentence]
        cdef const char *symbol
        cdef Line other
        cdef node_t head = source.heads[word] if word >= 0 else -1
        if word < 0 and code != CONSTANT:
            if code == COUNT:
                # an id stays what it is
                if find_field(source.text, line, self.id_column, &begin, &end):
                    append(out, source.text + begin, end - begin)
                return 0
            if code != FIELD:
                out.push_back(c'_')  # it has neither head nor label
                return 0
        if code == CONSTANT:
            self.constant(op.c, out)
        elif code == COUNT:
            append_number(out, word - base + 1)
        elif code == FIELD:
            if find_field(source.text, line, op.a, &begin, &end) and (
                    op.b < 0 or end - begin != 1 or source.text[begin] != c'_'):
                append(out, source.text + begin, end - begin)
            elif op.b >= 0 and find_field(source.text, line, op.b, &begin, &end):
                append(out, source.text + begin, end - begin)
            else:
                self.constant(op.c, out)
        elif code == SYMBOL or code == LABEL:
            symbol = NULL
            if (code == SYMBOL or head >= 0) and source.values[word * source.width + op.a] >= 0:
                symbol = text_of(source.tables[op.a], source.values[word * source.width + op.a], &length)
            if symbol != NULL:
                append(out, symbol, length)
            else:
                self.constant(op.c, out)
        elif head < 0:
            self.constant(op.c, out)
        elif code == HEAD or head == 0:
            append_number(out, head)
        else:
            begin = source.word_lines[base + head - 1]
            take_line(source.text, source.size, begin, &other)
            if find_field(source.text, &other, op.a, &begin, &end):
                append(out, source.text + begin, end - begin)
        return 0

    cdef int constant(self, int32_t index, vector[char] &out) except -1 nogil:
        cdef int64_t begin = self.text_ends[index - 1] if index else 0
        append(out, self.text_data + begin, self.text_ends[index] - begin)
        return 0
