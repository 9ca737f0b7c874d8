"""HTML and SVG as text: what is not markup already is escaped, so that a form such as <script> is only text.

>>> print(element("td", "<b>", class_="form"))
<td class="form">&lt;b&gt;</td>
"""

from __future__ import annotations

import base64
import json
import re
import unicodedata
import zlib
from collections.abc import Iterable

# Neither XML nor HTML can hold these. The pictures that Unicode has for the first 32 show what they are.
_PICTURES: dict[int, int | str] = {code: 0x2400 + code for code in range(32) if code not in (9, 10, 13)}
_PICTURES |= dict.fromkeys([*range(0x80, 0xA0), *range(0xD800, 0xE000), 0xFFFE, 0xFFFF], 0xFFFD) | {0x7F: 0x2421}
# A lone one would turn the direction of whatever comes after it.
_PICTURES |= dict.fromkeys([*range(0x202A, 0x202F), *range(0x2066, 0x206A)], 0xFFFD)
_INVISIBLE = ("Zs", "Zl", "Zp", "Cc", "Cf")  # categories of blanks, and of what only controls others
_UNSAFE = "<\u2028\u2029"  # in JSON inside a script
_HALVES = re.compile("[\ud800-\udfff]")  # of characters, which are no UTF-8 when they are alone
_ESCAPES = _PICTURES | {ord("&"): "&amp;", ord("<"): "&lt;", ord(">"): "&gt;", ord('"'): "&quot;", ord("'"): "&#39;"}


class Html(str):
    """Text that is markup already, HTML or SVG."""

    __slots__ = ()


VOID = ("br", "input", "meta")  # elements of HTML that hold nothing
PACKED = 500_000  # letters
Content = object  # Html, or anything else, which is shown as text


def escape(content: Content) -> Html:
    """Markup that shows a text; what is markup already stays as it is.

    Control characters, which no page can hold, become their pictures: U+0001 is shown as U+2401.

    >>> escape("<script>"), escape(Html("<b>bold</b>")), escape("a\\x01")
    ('&lt;script&gt;', '<b>bold</b>', 'a␁')
    """
    if isinstance(content, Html):
        return content
    text = str(content)
    return Html(text if text.isalnum() else text.translate(_ESCAPES))


def visible(text: str) -> str:
    """The text with pictures in the place of control characters, which would do something in a terminal.

    >>> visible("a\\x1b[31m")
    'a␛[31m'
    """
    return text if text.isprintable() else text.translate(_PICTURES)


def visible_word(text: str) -> str:
    """A word of which something is seen: one of blanks or of nothing but invisible characters, by their numbers.

    >>> visible_word("a\\x07"), visible_word("\\u200b"), visible_word("10\\u00a0000")
    ('a␇', 'U+200B', '10\\xa0000')
    """
    if text.isprintable() and text.strip():
        return text
    text = visible(text)
    if all(unicodedata.category(character) in _INVISIBLE for character in text):
        return " ".join(f"U+{ord(character):04X}" for character in text)
    return text


def element(name: str, /, *contents: Content, **attributes: object) -> Html:
    """An element. `_` in an attribute's name stands for `-`, one at its end is left out; None and False leave the
    attribute out, True gives it no value.

    >>> print(element("p", "a < b", Html("<br>"), class_="note", data_n=3, hidden=True, title=None))
    <p class="note" data-n="3" hidden="">a &lt; b<br></p>
    >>> print(element("path", d="M0 0"))
    <path d="M0 0"></path>
    """
    opening = name + "".join(
        f' {key.rstrip("_").replace("_", "-")}="{"" if value is True else escape(str(value))}"'
        for key, value in attributes.items()
        if value is not None and value is not False
    )
    return Html(f"<{opening}>" if name in VOID else f"<{opening}>{join(contents)}</{name}>")


def join(contents: Iterable[Content], between: str = "") -> Html:
    """Contents one after another.

    >>> join(["a", Html("<br>"), "<"])
    'a<br>&lt;'
    """
    return Html(between.join(map(escape, contents)))


def data(name: str, value: object) -> Html:
    """Something for a script to read: `JSON.parse(document.getElementById(name).textContent)`.

    >>> print(data("words", ["</script>"]))
    <script type="application/json" id="words">["\\u003c/script>"]</script>
    """
    return _script(name, _json(value))


def pack_data(name: str, value: object) -> Html:
    """The same, compressed where that is worth it; `unpack(name)` of page.js promises the value.

    Trees of a treebank take a tenth of the room.

    >>> print(pack_data("words", ["a"]))
    <script type="application/json" id="words">["a"]</script>
    """
    text = _json(value)
    if len(text) < PACKED:
        return _script(name, text)
    body = base64.b64encode(zlib.compress(text.encode(), 1)).decode()
    return Html(f'<script type="application/octet-stream" id="{escape(name)}">{body}</script>')


def _script(name: str, text: str) -> Html:
    for character in _UNSAFE:
        text = text.replace(character, f"\\u{ord(character):04x}")
    return Html(f'<script type="application/json" id="{escape(name)}">{text}</script>')


def _json(value: object) -> str:
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    try:
        text.encode()
    except UnicodeEncodeError:
        text = _HALVES.sub(lambda found: f"\\u{ord(found[0]):04x}", text)
    return text
