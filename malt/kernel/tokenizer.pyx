"""A tokenizer: after each character of a text, does the token go on, does it end, or does the sentence end with it?

Blanks that stand together count as one, and control characters are blanks. What is decided depends on the sentence so far
and on some characters after it, so that a text can be read bit by bit. Tokens are written as CoNLL-U; some of them are
several words.
"""

cimport cython
from libc.stdint cimport uint8_t, uint16_t
from libc.string cimport memset, strlen

import numpy

from malt.kernel.characters cimport (
    BLANK_THERE, LETTER, LOWER, NOTHING_THERE, OTHER, UPPER, is_blank, kind_of, lower, put_character, tagged, take_character,
    to_upper, with_character,
)
from malt.kernel.choices cimport Choice, Choices
from malt.kernel.instances cimport copy_of
from malt.kernel.types cimport int32_t, int64_t, uint32_t, uint64_t
from malt.kernel.vector cimport vector
from malt.kernel.weights cimport Summation, UNIT
from malt.kernel.words cimport MARGIN, Recipe


cpdef enum:  # atoms; feature_models/perceptron/text.yaml names them in lower case
    CHAR
    KIND
    SORT
    TOKEN
    TOKEN_SHAPE
    CHUNK
    REST
    NEXT
    NEXT_SHAPE
    BEFORE
    GAP
    LENGTH
    TOKEN_ATOMS

cpdef enum:  # classes
    JOIN
    BREAK
    END
    CLASSES

cdef enum:
    FAR = 24  # characters that are seen of a word
    MOST_CHARACTERS = 1000  # of a token
    MOST_LETTERS = 20000  # of a sentence
    MOST_TOKENS = 1000
    JOINER = 0x200D
    STILL = 300  # what a key is made of: two characters between which no token ends ...
    WHOLE = 301  # ... a token ...
    TAIL = 310  # ... and the end of one, of so many characters
    LONGEST_TAIL = 10

cdef enum:  # what a blank is
    PLAIN  # one character, which a token may have in it
    SEVERAL
    LINE
    PARAGRAPH

_FIRST_MARK, _LAST_MARK = 0x300, 0x12000  # among which all marks of scripts are
_marks = []
UNTIL_END = -1  # as the beginning of a part: all of the token


cdef struct Part:  # of a token that is several words
    int32_t begin  # it has the characters of the token from here on, counted from its end, or UNTIL_END ...
    int32_t end  # ... up to here ...
    vector[uint32_t] more  # ... and these


cdef struct Token:
    int64_t begin  # its characters, as places in the text without superfluous blanks
    int64_t end
    bint last  # does the sentence end here?


def _found_marks():
    """Which characters belong to the one before them, whatever that is: accents, vowel signs."""
    if not _marks:
        from unicodedata import category

        _marks.append(bytes(category(chr(c))[0] == "M" for c in range(_FIRST_MARK, _LAST_MARK)))
    return _marks[0]


cdef inline uint8_t sort_of(int kind) noexcept nogil:
    """Kinds in which alphabets do not differ."""
    return LOWER if kind == UPPER or kind == LETTER else <uint8_t> kind


def pair_key(uint64_t one, uint64_t other):
    """The key of two characters between which no token ends."""
    return tagged(one << 21 | other, STILL)


def token_key(str text not None, bint whole):
    """The key of a token, or of the end of one, in lower case."""
    cdef uint64_t hash = 0
    cdef Py_ssize_t i
    for i in range(len(text)):
        hash = with_character(hash, lower(<uint32_t> ord(text[len(text) - 1 - i])))
    return tagged(hash, WHOLE if whole else TAIL + <uint64_t> len(text))


@cython.final
cdef class Tokenizer:
    """`still` has the pairs of characters between which no token ends, `parts` the words of each kind of token that is
    several, as lists of (begin, end, text), and `words` the number of one for keys of tokens. With `blanks`, a token may
    have blanks in it."""

    cdef Summation sums
    cdef Recipe recipe
    cdef Choices still, words
    cdef vector[vector[Part]] parts
    cdef bint blanks
    cdef vector[uint32_t] text  # what is looked at, each blank once
    cdef vector[int64_t] places  # where each character begins in the bytes
    cdef vector[uint8_t] kinds
    cdef vector[uint8_t] breaks  # of blanks
    cdef vector[uint8_t] glued  # does it belong to the character before it?
    cdef bytes marks
    cdef const char *mark_data
    cdef vector[Token] tokens
    cdef vector[uint64_t] atoms
    cdef vector[uint64_t] keys
    cdef vector[int32_t] scores
    cdef uint64_t token, token_shape, before, chunk
    cdef int32_t token_kind, token_parts
    cdef int64_t token_begin, chunk_begin
    cdef int64_t length  # of the sentence in tokens
    cdef readonly int64_t updates

    def __init__(self, weights, Recipe recipe not None, Choices still not None, Choices words not None, parts, bint blanks):
        cdef vector[Part] several
        cdef Part part
        if weights.classes != CLASSES:
            raise ValueError("the weights are not those of a tokenizer")
        self.sums, self.recipe, self.still, self.words, self.blanks = Summation(weights), recipe, still, words, blanks
        for one in parts:
            several.clear()
            for begin, end, more in one:
                if not UNTIL_END <= begin < MOST_CHARACTERS or not 0 <= end < MOST_CHARACTERS or 0 <= begin < end:
                    raise ValueError("a part of a token is not in it")
                part.begin, part.end = begin, end
                part.more.clear()
                for character in more:
                    part.more.push_back(<uint32_t> ord(character))
                several.push_back(part)
            self.parts.push_back(several)
        self.marks = _found_marks()
        self.mark_data = self.marks
        self.atoms.assign((2 * <size_t> MARGIN + 1) * TOKEN_ATOMS, 0)
        self.scores.assign(self.sums.stride, 0)

    cdef int read(self, const char *data, int64_t size) except -1 nogil:
        """Take a text, with one blank for several."""
        cdef int64_t at = 0, next
        cdef uint32_t c, last = 0
        cdef int lines = 0
        cdef bint blank = False, glued
        self.text.clear()
        self.places.clear()
        self.kinds.clear()
        self.breaks.clear()
        self.glued.clear()
        while at < size:
            next = take_character(data, at, size, &c)
            if is_blank(c):
                if not blank:
                    self.text.push_back(32)
                    self.places.push_back(at)
                    self.kinds.push_back(BLANK_THERE)
                    self.glued.push_back(0)
                    self.breaks.push_back(PLAIN if c == 32 or c >= 0xA0 else SEVERAL)
                    blank, lines = True, 0
                else:
                    self.breaks[self.breaks.size() - 1] = SEVERAL
                lines += (c == 10 and last != 13) or c == 13
                if lines:
                    self.breaks[self.breaks.size() - 1] = PARAGRAPH if lines > 1 else LINE
            else:
                glued = not blank and at > 0 and (last == JOINER or self.is_mark(c))
                self.text.push_back(c)
                self.places.push_back(at)
                self.kinds.push_back(self.kinds[self.kinds.size() - 1] if glued else <uint8_t> kind_of(c))
                self.breaks.push_back(PLAIN)
                self.glued.push_back(glued)
                blank = False
            last, at = c, next
        self.places.push_back(size)
        return 0

    cdef inline bint is_mark(self, uint32_t c) noexcept nogil:
        """Whether a character belongs to the one before it: also a joiner, or the colour of an emoji's skin."""
        if c < 0x300:
            return False
        return (c < 0x12000 and self.mark_data[c - 0x300] != 0) or c == JOINER or 0x1F3FB <= c <= 0x1F3FF

    cdef int begin_sentence(self, int64_t at) noexcept nogil:
        self.before, self.length = 0, 0
        self.chunk, self.chunk_begin = 0, at
        return self.begin_token(at)

    cdef int begin_token(self, int64_t at) noexcept nogil:
        self.token, self.token_shape, self.token_begin, self.token_kind, self.token_parts = 0, 0, at, -1, 0
        return 0

    cdef inline int take(self, int64_t at) noexcept nogil:
        """The token goes on with a character."""
        cdef int kind = self.kinds[at]
        cdef uint32_t c = lower(self.text[at])
        self.token = with_character(self.token, c)
        self.chunk = with_character(self.chunk, c)
        if self.token_parts < 8 and (kind == OTHER or kind != self.token_kind):
            self.token_shape = with_character(self.token_shape, c + 16 if kind == OTHER else <uint32_t> kind)
            self.token_parts += 1
        self.token_kind = kind
        return 0

    cdef int look(self, int64_t at) except -1 nogil:
        """The keys of the place after a character."""
        cdef int64_t size = <int64_t> self.text.size(), i, next, place
        cdef uint64_t *atoms = self.atoms.data() + <size_t> MARGIN * TOKEN_ATOMS
        cdef uint64_t hash = 0, shape = 0
        cdef int kind, last = -1, parts = 0
        for i in range(-MARGIN, MARGIN + 1):
            place = at + i
            if place < 0 or place >= size:
                atoms[i * TOKEN_ATOMS + CHAR], atoms[i * TOKEN_ATOMS + KIND] = tagged(0, CHAR), tagged(NOTHING_THERE, KIND)
                atoms[i * TOKEN_ATOMS + SORT] = tagged(NOTHING_THERE, SORT)
            else:
                atoms[i * TOKEN_ATOMS + CHAR] = tagged(self.text[place] + <uint64_t> 1, CHAR)
                atoms[i * TOKEN_ATOMS + KIND] = tagged(self.kinds[place], KIND)
                atoms[i * TOKEN_ATOMS + SORT] = tagged(sort_of(self.kinds[place]), SORT)
        atoms[TOKEN], atoms[TOKEN_SHAPE] = tagged(self.token, TOKEN), tagged(self.token_shape, TOKEN_SHAPE)
        atoms[BEFORE] = tagged(self.before, BEFORE)
        atoms[CHUNK] = tagged(self.chunk, CHUNK) if at - self.chunk_begin < FAR else 0
        next = at + 1
        atoms[GAP] = tagged(next < size and self.kinds[next] == BLANK_THERE, GAP)
        i = self.length
        atoms[LENGTH] = tagged(i if i < 4 else 4 + i // 4 if i < 16 else 8 + i // 16 if i < 64 else 12, LENGTH)
        if next < size and self.kinds[next] == BLANK_THERE:
            atoms[REST] = tagged(0, REST)
            next += 1
        place = next
        while next < size and next - place < FAR and self.kinds[next] != BLANK_THERE:
            hash = with_character(hash, lower(self.text[next]))
            kind = self.kinds[next]
            if parts < 4 and (kind == OTHER or kind != last):
                shape = with_character(shape, self.text[next] + 16 if kind == OTHER else <uint32_t> kind)
                parts += 1
            last = kind
            next += 1
        if place == at + 1:
            atoms[REST] = tagged(hash, REST)
        atoms[NEXT], atoms[NEXT_SHAPE] = tagged(hash, NEXT), tagged(shape, NEXT_SHAPE)
        self.keys.clear()
        return self.recipe.make_keys(atoms, self.keys)

    cdef int32_t decide(self, int64_t at, bint lines) except -1 nogil:
        """What follows a character; the text goes on after it."""
        cdef bint gap = self.kinds[at + 1] == BLANK_THERE
        cdef bint joins = not gap or (self.blanks and self.breaks[at + 1] == PLAIN)
        cdef int32_t best = BREAK
        if gap and (self.breaks[at + 1] == PARAGRAPH or (lines and self.breaks[at + 1] == LINE)):
            return END
        if self.glued[at + 1]:
            return JOIN
        if not gap and self.still.find(tagged(<uint64_t> self.text[at] << 21 | self.text[at + 1], STILL)) != NULL \
                and at + 1 - self.token_begin < MOST_CHARACTERS:
            return JOIN
        if gap and lines and not joins:
            return BREAK
        self.look(at)
        memset(self.scores.data(), 0, self.scores.size() * sizeof(int32_t))
        self.sums.sum_up(self.keys.data(), <int64_t> self.keys.size(), self.scores.data())
        if joins and self.scores[JOIN] >= self.scores[BREAK]:
            best = JOIN
        if not lines and self.scores[END] > self.scores[best]:
            best = END
        return best

    cdef int64_t segment(self, bint final, bint lines) except -1 nogil:
        """Find the tokens. Where the text may go on, those of sentences that are over; how far that is."""
        cdef int64_t size = <int64_t> self.text.size(), at = 0, done = 0, seen, begin
        cdef size_t whole = 0
        cdef int32_t klass
        cdef Token token
        self.tokens.clear()
        if size and self.kinds[0] == BLANK_THERE:
            at = 1
        begin = at
        self.begin_sentence(at)
        while at < size:
            if not final and at + 2 * FAR + 8 >= size:
                break
            self.take(at)
            if at + 1 == size or (at + 2 == size and self.kinds[at + 1] == BLANK_THERE):
                klass = END
            else:
                klass = self.decide(at, lines)
            if klass == JOIN and at + 1 - self.token_begin >= MOST_CHARACTERS:
                klass = BREAK
            if klass == BREAK and (self.length + 1 >= MOST_TOKENS or at - begin >= MOST_LETTERS):
                klass = END
            if klass == JOIN:
                at += 1
                if self.kinds[at] == BLANK_THERE:
                    self.take(at)
                    at += 1
                continue
            token.begin, token.end, token.last = self.token_begin, at + 1, klass == END
            self.tokens.push_back(token)
            at += 1
            if at < size and self.kinds[at] == BLANK_THERE:
                at += 1
                self.chunk, self.chunk_begin = 0, at
            if klass == END:
                done, whole, begin = at, self.tokens.size(), at
                self.begin_sentence(at)
            else:
                self.before = self.token
                self.length += 1
                self.begin_token(at)
        self.tokens.resize(whole)
        return done

    def learn(self, bytes text not None, const int64_t[::1] ends not None, const uint8_t[::1] last not None,
              const int64_t[::1] order not None):
        """Learn from the sentences of a text, in this order: where each token ends, and whether it is the last one of its
        sentence. A sentence is named by the number of its first token."""
        cdef const char *data = text
        cdef int64_t size = len(text), i, t, at, stop, there
        cdef vector[int64_t] places  # of the last character of each token
        cdef int32_t klass, gold
        if last.shape[0] != ends.shape[0]:
            raise ValueError("the arrays do not fit together")
        with nogil:
            self.read(data, size)
            at = 0
            for t in range(ends.shape[0]):
                while at < <int64_t> self.text.size() and self.places[at + 1] < ends[t]:
                    at += 1
                places.push_back(at)
            for i in range(order.shape[0]):
                t = order[i]
                at = places[t - 1] + 1 if t else 0
                if at < <int64_t> self.text.size() and self.kinds[at] == BLANK_THERE:
                    at += 1
                self.begin_sentence(at)
                while at + 1 < <int64_t> self.text.size():
                    self.take(at)
                    stop = places[t]
                    gold = JOIN if at < stop else END if last[t] else BREAK
                    there = at + 1
                    klass = gold if self.kinds[at] == BLANK_THERE else self.decide(at, False)
                    if klass != gold and not (
                            self.kinds[there] == BLANK_THERE and self.breaks[there] == PARAGRAPH) and not self.keys.empty():
                        self.updates += 1
                        self.sums.change(self.keys.data(), <int64_t> self.keys.size(), gold, UNIT)
                        self.sums.change(self.keys.data(), <int64_t> self.keys.size(), klass, -UNIT)
                    self.keys.clear()
                    at += 1
                    if gold == JOIN:
                        continue
                    if self.kinds[at] == BLANK_THERE:
                        at += 1
                        self.chunk, self.chunk_begin = 0, at
                    if gold == END:
                        break
                    self.before = self.token
                    self.length += 1
                    self.begin_token(at)
                    t += 1
                self.sums.weights.clock += 1

    def pairs(self, bytes text not None, const int64_t[::1] ends not None):
        """Every two characters that stand together, as one number, and whether a token ends between them."""
        cdef const char *data = text
        cdef int64_t size = len(text), i, t = 0
        cdef vector[uint64_t] found
        cdef vector[uint8_t] ended
        self.read(data, size)
        for i in range(<int64_t> self.text.size() - 1):
            while t < ends.shape[0] and ends[t] < self.places[i + 1]:
                t += 1
            if self.kinds[i] != BLANK_THERE and self.kinds[i + 1] != BLANK_THERE:
                found.push_back(<uint64_t> self.text[i] << 21 | self.text[i + 1])
                ended.push_back(<uint8_t> 1 if t < ends.shape[0] and ends[t] == self.places[i + 1] else <uint8_t> 0)
        return copy_of(found.data(), found.size() * 8, numpy.uint64), copy_of(ended.data(), ended.size(), numpy.uint8)

    def tokenize(self, bytes text not None, bint final=True, bint lines=False, int64_t number=0, bint paragraph=True,
                 bint whole=True):
        """(CoNLL-U, bytes that were taken, sentences so far, does a paragraph begin then): the sentences of a text; if it
        is not `final`, those that are over. `number` sentences came before it, and with `lines` each line is one.
        `whole`: the text begins here, so that blanks before the first word have to be kept."""
        cdef const char *data = text
        cdef int64_t size = len(text), done
        cdef vector[char] out
        with nogil:
            self.read(data, size)
            done = self.segment(final, lines)
            number = self.write(data, out, number, &paragraph, whole)
        done = self.places[done] if done < <int64_t> self.text.size() else size
        return (out.data()[:out.size()] if out.size() else b""), done, number, bool(paragraph)

    cdef int64_t write(self, const char *data, vector[char] &out, int64_t number, bint *paragraph, bint whole) except -1 nogil:
        cdef size_t t = 0, first
        cdef int64_t i, at
        cdef int32_t id = 0
        while t < self.tokens.size():
            if id == 0:
                number += 1
                if paragraph[0]:
                    put_text(out, b"# newpar\n")
                put_text(out, b"# sent_id = ")
                put_number(out, number)
                put_text(out, b"\n# text = ")
                first = t
                while not self.tokens[t].last:
                    t += 1
                for i in range(self.tokens[first].begin, self.tokens[t].end):
                    put_character(out, self.text[i])
                out.push_back(c'\n')
                t = first
            id = self.write_token(data, &self.tokens[t], out, id, whole and t == 0)
            if self.tokens[t].last:
                out.push_back(c'\n')
                id = 0
                at = self.tokens[t].end
                paragraph[0] = at < <int64_t> self.text.size() and self.kinds[at] == BLANK_THERE \
                    and self.breaks[at] == PARAGRAPH
            t += 1
        return number

    cdef int32_t write_token(self, const char *data, const Token *token, vector[char] &out, int32_t id, bint begins) except -1 nogil:
        cdef int32_t split = self.split_of(token), count, p
        cdef int64_t i, size = token.end - token.begin
        cdef const Part *part
        cdef bint upper, capital
        if split < 0:
            put_number(out, id + 1)
            out.push_back(c'\t')
            self.put_form(data, token, out)
            self.put_rest(data, token, out, begins)
            return id + 1
        count = <int32_t> self.parts[split].size()
        put_number(out, id + 1)
        out.push_back(c'-')
        put_number(out, id + count)
        out.push_back(c'\t')
        self.put_form(data, token, out)
        self.put_rest(data, token, out, begins)
        capital = self.kinds[token.begin] == UPPER
        upper = capital and size > 1
        for i in range(token.begin, token.end):
            upper = upper and self.kinds[i] != LOWER
        for p in range(count):
            part = &self.parts[split][p]
            id += 1
            put_number(out, id)
            out.push_back(c'\t')
            for i in range(token.begin if part.begin < 0 else token.end - part.begin, token.end - part.end):
                put_character(out, self.text[i])
            for i in range(<int64_t> part.more.size()):
                if upper or (capital and p == 0 and i == 0 and part.begin == part.end):
                    put_character(out, to_upper(part.more[i]))
                else:
                    put_character(out, part.more[i])
            put_text(out, b"\t_\t_\t_\t_\t_\t_\t_\t_\n")
        return id

    cdef int32_t split_of(self, const Token *token) noexcept nogil:
        """Which words a token is; -1: one."""
        cdef uint64_t hash = 0
        cdef int64_t i, size = token.end - token.begin
        cdef const Choice *found = NULL
        cdef const Choice *other
        cdef int32_t p, split
        if self.parts.empty():
            return -1
        for i in range(size):
            hash = with_character(hash, lower(self.text[token.end - 1 - i]))
            if i < LONGEST_TAIL and i + 1 < size:
                other = self.words.find(tagged(hash, TAIL + <uint64_t> (i + 1)))
                if other != NULL:
                    found = other
        other = self.words.find(tagged(hash, WHOLE))
        if other != NULL:
            found = other
        if found == NULL or found.count == 0:
            return -1
        split = self.words.list_of(found)[0]
        for p in range(<int32_t> self.parts[split].size()):  # does each get something?
            if self.parts[split][p].begin >= size or (self.parts[split][p].begin < 0 and self.parts[split][p].end >= size):
                return -1
        return split

    cdef int put_form(self, const char *data, const Token *token, vector[char] &out) except -1 nogil:
        out.insert(out.end(), data + self.places[token.begin], data + self.places[token.end])
        return 0

    cdef int put_rest(self, const char *data, const Token *token, vector[char] &out, bint begins) except -1 nogil:
        """The further columns of a token: the last one tells of blanks."""
        cdef int64_t begin = self.places[token.end], end = begin
        put_text(out, b"\t_\t_\t_\t_\t_\t_\t_\t")
        if begins and token.begin > 0:
            put_text(out, b"SpacesBefore=")
            self.put_blanks(data, 0, self.places[token.begin], out)
            out.push_back(c'|')
        if token.end < <int64_t> self.text.size() and self.kinds[token.end] == BLANK_THERE:
            end = self.places[token.end + 1]
        if begin == end:
            put_text(out, b"SpaceAfter=No")
        elif end - begin == 1 and data[begin] == c' ':
            if begins and token.begin > 0:
                out.pop_back()
            else:
                out.push_back(c'_')
        else:
            put_text(out, b"SpacesAfter=")
            self.put_blanks(data, begin, end, out)
        out.push_back(c'\n')
        return 0

    cdef int put_blanks(self, const char *data, int64_t begin, int64_t end, vector[char] &out) except -1 nogil:
        cdef uint32_t c = 0
        cdef int64_t at = begin
        while at < end:
            at = take_character(data, at, end, &c)
            if c > 0xA0:
                put_character(out, c)
                continue
            out.push_back(c'\\')
            if c == 32:
                out.push_back(c's')
            elif c == 9:
                out.push_back(c't')
            elif c == 10:
                out.push_back(c'n')
            elif c == 13:
                out.push_back(c'r')
            else:
                out.push_back(c'x')
                out.push_back(b"0123456789ABCDEF"[c >> 4])
                out.push_back(b"0123456789ABCDEF"[c & 15])
        return 0


cdef inline int put_text(vector[char] &out, const char *text) except -1 nogil:
    out.insert(out.end(), text, text + strlen(text))
    return 0


cdef int put_number(vector[char] &out, int64_t number) except -1 nogil:
    cdef char digits[20]
    cdef int at = 20
    while True:
        at -= 1
        digits[at] = c'0' + <char> (number % 10)
        number = number // 10
        if number == 0:
            break
    out.insert(out.end(), <const char *> digits + at, <const char *> digits + 20)
    return 0
