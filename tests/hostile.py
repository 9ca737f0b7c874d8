"""Fields that would do harm in a page, a picture, a terminal or a LaTeX file that took them for more than text."""

from __future__ import annotations

FIELDS = [
    "<script>window.harm=1</script>",
    "</script><script>window.harm=2</script>",
    '"><img src=x onerror="window.harm=3">',
    "' onmouseover='window.harm=4",
    "<svg/onload=window.harm=5>",
    "]]><b>bold</b>",
    "<!--",
    "&lt;i&gt;&amp;&#60;",
    "\x01\x02\x1b[31mred\x7f",
    "\u202egnp\u2066\u2028\ufffe",
    "\\input{/etc/passwd}%$&#_{}~^",
    "{{7*7}}${7*7}`",
]


def treebank() -> str:
    """A sentence whose every field but ID and HEAD is hostile, each of them in every column once; in CoNLL-U."""
    lines = [f"# sent_id = {FIELDS[0]}", f"# text = {FIELDS[1]}"]
    number = len(FIELDS)
    for word in range(1, number + 1):
        fields = [FIELDS[(word + column) % number] for column in range(8)]
        head = 0 if word == 1 else max(1, word - 3) if word % 4 else 1
        lines.append("\t".join([str(word), *fields[:5], str(head), *fields[5:]]))
    return "\n".join([*lines, "", ""])
