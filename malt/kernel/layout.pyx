"""Where the arcs of a tree go in a picture: how high above the words each is, and the brackets of a picture in text.

Arcs are taken by their length. Each goes just above all that lies below it, which a segment tree over the spaces between
words knows: n log n, also where n arcs lie one over another.
"""

from libc.math cimport llrint
from libcpp.algorithm cimport sort, upper_bound
from libcpp.pair cimport pair
from libcpp.string cimport string
from libcpp.unordered_set cimport unordered_set

from malt.kernel.types cimport int8_t, int32_t, int64_t, uint8_t
from malt.kernel.vector cimport vector

cdef extern from "Python.h":
    const char *PyUnicode_AsUTF8AndSize(object text, Py_ssize_t *size) except NULL

cdef enum:  # where lines go from the middle of a cell; styles are above these bits, and the arrow above styles
    UP = 1
    RIGHT = 2
    DOWN = 4
    LEFT = 8
    STYLE = 16
    ARROW = 64


cdef class Tops:
    """The height of what is there already over each of some spaces, which only grows."""

    cdef int32_t size
    cdef vector[int32_t] most  # of all that is below a node of the tree
    cdef vector[int32_t] whole  # over every space below it

    def __cinit__(self, int32_t size):
        self.size = max(size, 1)
        self.most.assign(2 * <size_t> self.size, 0)
        self.whole.assign(2 * <size_t> self.size, 0)

    cdef int32_t over(self, int32_t begin, int32_t end) noexcept nogil:
        """The greatest height over the spaces begin .. end - 1."""
        cdef int32_t found = 0
        cdef int64_t one = begin + <int64_t> self.size, two = end + <int64_t> self.size, node
        if begin >= end:
            return 0
        node = one
        while node:
            found = max(found, self.whole[node])
            node >>= 1
        node = two - 1
        while node:
            found = max(found, self.whole[node])
            node >>= 1
        while one < two:
            if one & 1:
                found = max(found, self.most[one])
                one += 1
            if two & 1:
                two -= 1
                found = max(found, self.most[two])
            one >>= 1
            two >>= 1
        return found

    cdef void raise_to(self, int32_t begin, int32_t end, int32_t height) noexcept nogil:
        cdef int64_t one = begin + <int64_t> self.size, two = end + <int64_t> self.size
        cdef int64_t first = one, last = two - 1
        if begin >= end:
            return
        while one < two:
            if one & 1:
                self.most[one] = max(self.most[one], height)
                self.whole[one] = max(self.whole[one], height)
                one += 1
            if two & 1:
                two -= 1
                self.most[two] = max(self.most[two], height)
                self.whole[two] = max(self.whole[two], height)
            one >>= 1
            two >>= 1
        while first > 1:
            first >>= 1
            self.most[first] = max(self.most[first], height)
        while last > 1:
            last >>= 1
            self.most[last] = max(self.most[last], height)


cdef Tops stack_up(vector[int32_t] &left, vector[int32_t] &right, int32_t spaces, bint apart, vector[int32_t] &found):
    """Find the height of every arc, the shortest first."""
    cdef vector[pair[int64_t, int32_t]] order
    cdef unordered_set[int64_t] taken  # word << 32 | height
    cdef Tops tops = Tops(spaces)
    cdef size_t i
    cdef int32_t arc, height
    for i in range(left.size()):
        order.push_back(pair[int64_t, int32_t](<int64_t> (right[i] - left[i]) << 32 | left[i], <int32_t> i))
    sort(order.begin(), order.end())
    found.assign(left.size(), 0)
    for i in range(order.size()):
        arc = order[i].second
        height = 1 + tops.over(left[arc], right[arc])
        if apart:
            while taken.count(<int64_t> left[arc] << 32 | height) or taken.count(<int64_t> right[arc] << 32 | height):
                height += 1
            taken.insert(<int64_t> left[arc] << 32 | height)
            taken.insert(<int64_t> right[arc] << 32 | height)
        found[arc] = height
        tops.raise_to(left[arc], right[arc], height)
    return tops


def heights(spans, bint apart=False, words=()):
    """For arcs by their ends, the height of each, from 1: above all that is inside it or crosses it and is shorter.

    With `apart`, arcs that meet at a word have different heights as well. And for each of `words`, the greatest height of
    the arcs that end there or pass over it.

    >>> heights([(1, 2), (1, 4), (2, 3), (3, 5)]), heights([(1, 2), (2, 3), (3, 4)], apart=True), heights([(1, 2)], words=[2, 3])
    (([1, 2, 1, 1], []), ([1, 2, 1], []), ([1], [1, 0]))
    """
    cdef vector[int32_t] left, right, found
    cdef int32_t last = 0, one, two, word
    cdef Tops tops
    for one, two in spans:
        if one < 0 or two < one:
            raise ValueError("expected pairs of a left and a right end")
        left.push_back(one)
        right.push_back(two)
        last = max(last, two)
    tops = stack_up(left, right, last + 1, apart, found)
    return found, [tops.over(max(word - 1, 0), min(word + 1, last + 1)) for word in words]


cdef enum:  # in pixels
    GAP = 16  # between words
    PORT = 8  # between arcs at a word
    TAIL = 24  # an arc has so much more room than its label

ctypedef pair[int64_t, int64_t] Key
ctypedef pair[Key, int64_t] Port


def arrange(list rooms not None, list arcs not None, bint mirrored=False):
    """(x of words, x of heads, x of dependents, heights, middles of labels, width, greatest height above and below).

    `rooms` is the width of each word; arcs are (head, dependent, width of its label, whether it runs below the words).
    Those from the root, or from a word to itself, come down from nowhere.

    >>> arrange([20.0, 30.0], [(0, 2, 25.0, False), (2, 1, 10.0, False)])
    ([26.0, 67.0], [71.0, 63.0], [71.0, 26.0], [2, 1], [71.0, 44.5], 98.0, 2, 0)
    """
    cdef size_t number = len(arcs), words = len(rooms), i, k, first
    cdef vector[int32_t] head, word, left, right, straight, spans, found
    cdef vector[int32_t] height, side_left, side_right, highest, crowd
    cdef vector[double] room, wide, x, begins, ends, middles, over, legs_x
    cdef vector[pair[double, int32_t]] legs
    cdef vector[int8_t] down
    cdef vector[Port] ports
    cdef Tops tops
    cdef int32_t one, two, side, last
    cdef double at, width, space
    cdef bint below, alone
    for space in rooms:
        room.push_back(space)
    for one, two, space, below in arcs:
        if not (0 <= one <= <int64_t> words and 0 < two <= <int64_t> words):
            raise ValueError("expected arcs between words, or from the root")
        head.push_back(one)
        word.push_back(two)
        left.push_back(min(one, two))
        right.push_back(max(one, two))
        alone = one == 0 or one == two
        straight.push_back(alone)
        wide.push_back(space)
        down.push_back(below)
    # Heights: those that come down from nowhere end above all that they pass.
    height.assign(number, 1)
    highest.assign(2, 0)
    for side in range(2):
        side_left.clear()
        side_right.clear()
        spans.clear()
        for i in range(number):
            if down[i] == side and not straight[i]:
                spans.push_back(<int32_t> i)
                side_left.push_back(left[i])
                side_right.push_back(right[i])
        tops = stack_up(side_left, side_right, <int32_t> words + 1, False, found)
        for i in range(spans.size()):
            height[spans[i]] = found[i]
        for i in range(number):
            if down[i] == side and straight[i]:
                height[i] = 1 + tops.over(word[i] - 1, word[i] + 1)
            if down[i] == side and height[i] > highest[side]:
                highest[side] = height[i]
    # The arcs at each word and side from left to right, so that they do not meet: to the left, the shortest first.
    for i in range(number):
        if straight[i]:
            ports.push_back(Port(Key((2 * <int64_t> word[i] + down[i]) * 3 + 1, 0), <int64_t> i))
        else:
            ports.push_back(Port(Key((2 * <int64_t> right[i] + down[i]) * 3, right[i] - left[i]), <int64_t> i))
            ports.push_back(Port(Key((2 * <int64_t> left[i] + down[i]) * 3 + 2, left[i] - right[i]), -<int64_t> i))
    sort(ports.begin(), ports.end())
    crowd.assign(words + 1, 0)
    first = 0
    for i in range(ports.size()):
        if i + 1 == ports.size() or ports[i + 1].first.first // 3 != ports[i].first.first // 3:
            one = <int32_t> (ports[i].first.first // 6)
            crowd[one] = max(crowd[one], <int32_t> (i + 1 - first))
            first = i + 1
    # The middle of each word: as far left as words, labels inside arcs, and root labels beside each other allow.
    over.assign(words + 1, -1)
    for i in range(words):
        room[i] = max(room[i], <double> (PORT * crowd[i + 1]))
    for i in range(number):
        if straight[i]:
            over[word[i]] = max(over[word[i]], wide[i])
    spans.assign(words + 2, 0)  # where the arcs begin that end at each word
    for i in range(number):
        if not straight[i]:
            spans[right[i] + 1] += 1
    for i in range(words + 1):
        spans[i + 1] += spans[i]
    found.assign(number, 0)
    side_left.assign(spans.begin(), spans.end())
    for i in range(number):
        if not straight[i]:
            found[side_left[right[i]]] = <int32_t> i
            side_left[right[i]] += 1
    last = 0  # word on the root
    for i in range(1, words + 1):
        if i == 1:
            at = GAP + max(room[0], over[1] - GAP) / 2
        else:
            at = x[i - 2] + (room[i - 2] + room[i - 1]) / 2 + GAP
        for k in range(<size_t> spans[i], <size_t> spans[i + 1]):
            at = max(at, x[left[found[k]] - 1] + wide[found[k]] + TAIL)
        if over[i] >= 0:
            at = max(at, x[last - 1] + (over[last] + over[i]) / 2 + GAP if last else over[i] / 2)
            last = <int32_t> i
        x.push_back(at)
    width = 0
    if words:
        space = room[words - 1] / 2
        for i in range(number):
            if word[i] == <int64_t> words:
                space = max(space, wide[i] / 2)
        width = x[words - 1] + space
    width += GAP
    # Where arcs come down.
    begins.assign(number, 0)
    ends.assign(number, 0)
    first = 0
    for i in range(ports.size()):
        if i + 1 == ports.size() or ports[i + 1].first.first // 3 != ports[i].first.first // 3:
            one = <int32_t> (ports[i].first.first // 6)
            at = x[one - 1] - PORT * <double> (i - first) / 2
            for k in range(first, i + 1):
                two = <int32_t> abs(ports[k].second)
                if word[two] == one:
                    ends[two] = at
                if straight[two] or head[two] == one:
                    begins[two] = at
                at += PORT
            first = i + 1
    if mirrored:
        for i in range(words):
            x[i] = width - x[i]
        for i in range(number):
            begins[i], ends[i] = width - begins[i], width - ends[i]
    # Labels: in the middle, or where a leg of a higher arc would go through it, in the widest gap.
    middles.assign(number, 0)
    for side in range(2):
        legs.clear()
        for i in range(number):
            if down[i] == side:
                legs.push_back(pair[double, int32_t](begins[i], height[i]))
                legs.push_back(pair[double, int32_t](ends[i], height[i]))
        sort(legs.begin(), legs.end())
        legs_x.clear()
        for i in range(legs.size()):
            legs_x.push_back(legs[i].first)
        for i in range(number):
            if down[i] == side:
                middles[i] = label_place(
                    legs, legs_x, min(begins[i], ends[i]), max(begins[i], ends[i]), height[i], wide[i] / 2 + 4
                )
    return x, begins, ends, height, middles, width, highest[0], highest[1]


cdef double label_place(
    vector[pair[double, int32_t]] &legs, vector[double] &places, double left, double right, int32_t level, double room
) noexcept nogil:
    """Where the label of an arc goes that has half of this room."""
    cdef double middle = (left + right) / 2, before = left, widest = -1, best = middle
    cdef size_t i
    cdef int64_t first = upper_bound(places.data(), places.data() + places.size(), left) - places.data()
    cdef bint free = True
    for i in range(first, legs.size()):
        if legs[i].first >= right:
            break
        if legs[i].second <= level:
            continue
        free = free and abs(legs[i].first - middle) > room
        if legs[i].first - before > widest:
            widest, best = legs[i].first - before, (before + legs[i].first) / 2
        before = legs[i].first
    if right - before > widest:
        best = (before + right) / 2
    return middle if free else best


def coordinate(double value):
    """A coordinate in few letters.

    >>> coordinate(2.04), coordinate(-0.26), coordinate(1e3)
    ('2', '-0.3', '1000')
    """
    cdef string out
    append_coordinate(out, value)
    return out.decode()


def bow_marks(double x1, double x2, double top, double foot, bint straight, double middle, str label not None):
    """The line of an arc from its head to the word, its tip and its label, as markup, which the label is already."""
    cdef string out
    cdef double way = 1 if top > foot else -1  # towards the top
    cdef double turn = 1 if x2 > x1 else -1
    cdef double radius = min(10.0, abs(x2 - x1) / 2, abs(top - foot) - 6)
    out.append(b'<path d="M')
    if straight:
        append_pair(out, x2, top)
    else:
        append_pair(out, x1, foot)
        out.append(b"V")
        append_coordinate(out, top - way * radius)
        out.append(b"Q")
        append_pair(out, x1, top)
        out.append(b" ")
        append_pair(out, x1 + turn * radius, top)
        out.append(b"H")
        append_coordinate(out, x2 - turn * radius)
        out.append(b"Q")
        append_pair(out, x2, top)
        out.append(b" ")
        append_pair(out, x2, top - way * radius)
    out.append(b"V")
    append_coordinate(out, foot + way * 6)
    out.append(b'"/><path class="tip" d="M')
    append_pair(out, x2, foot)
    out.append(b"l-3.6 ")
    append_coordinate(out, way * 7)
    out.append(b'h7.2z"/><text x="')
    append_coordinate(out, middle)
    out.append(b'" y="')
    append_coordinate(out, top - 4 if way < 0 else top + 12)
    out.append(b'">')
    append(out, label)
    out.append(b"</text>")
    return out.decode()


cdef inline int append_pair(string &out, double x, double y) except -1 nogil:
    append_coordinate(out, x)
    out.append(b" ")
    append_coordinate(out, y)
    return 0


cdef int append_coordinate(string &out, double value) except -1 nogil:
    """With one digit after the point, if that is not 0."""
    cdef int64_t tenths = llrint(10 * value)
    if tenths < 0:
        out.append(b"-")
        tenths = -tenths
    append_number(out, <int32_t> (tenths // 10))
    if tenths % 10:
        out.append(b".")
        append_number(out, <int32_t> (tenths % 10))
    return 0


def brackets(int32_t words, arcs, int32_t most):
    """(cells, colours, width, arcs left out): the lines of a picture in text, a row of `width` cells for each word.

    `arcs` are (head, word, style, colour), in the order in which they are drawn; those that would be higher than `most`
    are left out. A cell has bits for where lines go from it, the number of their style, and whether it is an arrow.

    >>> cells, colours, width, left_out = brackets(2, [(2, 1, 0, 7)], 9)
    >>> cells.hex(" "), colours.hex(" "), width, left_out
    ('0a 4a 0c 0a 0a 09', '07 07 07 07 07 07', 3, 0)
    """
    cdef vector[int32_t] left, right, found, dependent
    cdef vector[uint8_t] styles, colours
    cdef int32_t head, word, style, colour, row, corner, end, width = 0, left_out = 0
    cdef size_t i, at
    cdef int64_t place
    for head, word, style, colour in arcs:
        if not (0 < head <= words and 0 < word <= words and 0 <= style < 4 and 0 <= colour < 256):
            raise ValueError("expected arcs between words")
        left.push_back(min(head, word))
        right.push_back(max(head, word))
        dependent.push_back(word)
        styles.push_back(<uint8_t> (style * STYLE))
        colours.push_back(<uint8_t> colour)
    stack_up(left, right, words + 1, True, found)
    for i in range(found.size()):
        if found[i] <= most:
            width = max(width, 2 * found[i] + 1)
        else:
            left_out += 1
    cells, paints = bytearray(words * <int64_t> width), bytearray(words * <int64_t> width)
    if not width:
        return bytes(cells), bytes(paints), 0, left_out
    cdef uint8_t[::1] cell = cells, paint = paints
    for i in range(found.size()):
        if found[i] > most:
            continue
        end = 2 * found[i]
        for row in range(left[i], right[i] + 1):
            place = (row - 1) * <int64_t> width
            if left[i] < row < right[i]:
                draw(&cell[place + end], &paint[place + end], UP | DOWN, styles[i], colours[i])
                continue
            corner = DOWN if row == left[i] else UP
            for at in range(end):
                draw(&cell[place + at], &paint[place + at], LEFT | RIGHT, styles[i], colours[i])
            draw(&cell[place + end], &paint[place + end], LEFT | corner, styles[i], colours[i])
            if row == dependent[i]:
                cell[place + end - 1] |= ARROW
    return bytes(cells), bytes(paints), width, left_out


cdef inline void draw(uint8_t *cell, uint8_t *paint, int32_t lines, uint8_t style, uint8_t colour) noexcept nogil:
    """Add lines to a cell, which takes the style and the colour of the last."""
    cell[0] = <uint8_t> ((cell[0] & (ARROW | UP | RIGHT | DOWN | LEFT)) | lines | style)
    paint[0] = colour


cdef class Pen:
    """Draws trees as text.

    `characters` are those of cells, and `colours` the codes of a terminal for them, if there are to be any; arcs that
    would be higher than `most` are left out.
    """

    cdef vector[string] marks, codes
    cdef int32_t most

    def __init__(self, characters, int32_t most, colours=()):
        self.most = most
        self.marks.clear()
        self.codes.clear()
        for character in characters:
            self.marks.push_back(character.encode())
        for code in colours:
            self.codes.push_back(code.encode())
        self.marks.resize(256)
        if not self.codes.empty():
            self.codes.resize(256)

    def draw(self, list forms not None, list tags not None, list heads not None, list labels not None, arcs):
        """(lines in UTF-8, arcs left out): a line for each word, and a line end after each.

        Forms and tags come with their widths; the head is -1 where there is none. Arcs are as `brackets` has them.

        >>> pen = Pen(" " * 9 + "/-." + "," * 52 + "<" * 64, 9)
        >>> print(pen.draw([("a", 1), ("bc", 2)], [("", 0)] * 2, [2, 0], ["x", ""], [(2, 1, 0, 1)])[0].decode(), end="")
        1  a   -<,  2  x
        2  bc  --/  0
        """
        cdef string out
        cdef bytes cells, paints
        cdef const uint8_t *cell
        cdef const uint8_t *paint
        cdef int32_t words = <int32_t> len(forms), width, left_out, word, wide, colour, last, at
        cdef int32_t number_room = digits(words), form_room = widest(forms), tag_room = widest(tags), head_room = 1
        cdef int64_t place = 0
        cdef str form, tag, label
        cells, paints, width, left_out = brackets(words, arcs, self.most)
        cell, paint = cells, paints
        for at in heads:
            head_room = max(head_room, digits(at))
        for word in range(words):
            out.append(number_room - digits(word + 1), c" ")
            append_number(out, word + 1)
            form, wide = forms[word]
            out.append(b"  ")
            append(out, form)
            out.append(form_room - wide, c" ")
            if tag_room:
                tag, wide = tags[word]
                out.append(b"  ")
                append(out, tag)
                out.append(tag_room - wide, c" ")
            out.append(b"  ")
            last = 0  # the colour that is on
            for at in range(width):
                if not self.codes.empty():
                    colour = paint[place] if cell[place] else 0
                    if colour != last and last:
                        out.append(b"\x1b[0m")
                    if colour != last and colour:
                        out.append(b"\x1b[")
                        out.append(self.codes[colour])
                        out.append(b"m")
                    last = colour
                out.append(self.marks[cell[place]])
                place += 1
            if last:
                out.append(b"\x1b[0m")
            at = heads[word]
            out.append(2 + head_room - digits(at), c" ")
            append_number(out, at)
            label = labels[word]
            if label:
                out.append(b"  ")
                append(out, label)
            out.append(b"\n")
        return <bytes> out, left_out


cdef int32_t widest(list fields) except -1:
    cdef int32_t found = 0, width
    for _, width in fields:
        found = max(found, width)
    return found


cdef inline int32_t digits(int32_t number) noexcept nogil:
    """How wide a number is; one below 0 is a dash."""
    cdef int32_t found = 1
    while number >= 10:
        number //= 10
        found += 1
    return found


cdef inline int append_number(string &out, int32_t number) except -1 nogil:
    cdef char text[12]
    cdef int32_t at = 12
    if number < 0:
        out.append(b"-")
        return 0
    while True:
        at -= 1
        text[at] = <char> (c"0" + number % 10)
        number //= 10
        if not number:
            break
    out.append(&text[at], 12 - at)
    return 0


cdef inline int append(string &out, str text) except -1:
    cdef Py_ssize_t size
    cdef const char *data = PyUnicode_AsUTF8AndSize(text, &size)
    out.append(data, size)
    return 0
