"""What objects show of themselves in a notebook: a part of a page with a look of its own."""

from __future__ import annotations

from collections.abc import Mapping

from malt.drawing.page.colour import FONT, variables
from malt.drawing.page.markup import Content, Html, element
from malt.drawing.page.page import table

# Notebooks have their own ideas of light and dark, so it brings its paper.
_STYLE = """\
.malt-part{background:var(--paper);color:var(--ink);font:14px/1.5 %s;border:1px solid var(--line);
border-radius:8px;padding:10px 14px;max-width:680px;overflow-x:auto}
.malt-part table{border-collapse:collapse;font-variant-numeric:tabular-nums;margin:0 0 6px;font:inherit}
.malt-part tr,.malt-part th,.malt-part td,.malt-part caption{background:none;color:var(--ink);vertical-align:baseline}
.malt-part th,.malt-part td{text-align:left;padding:3px 12px 3px 0;border:0;border-bottom:1px solid var(--line)}
.malt-part th{font-weight:400;white-space:nowrap}
.malt-part thead th{color:var(--soft);font-weight:600}
.malt-part .number{text-align:right;white-space:nowrap}
.malt-part caption{text-align:left;font-weight:650;padding:0 0 4px}
.malt-part .soft{color:var(--soft)}
.malt-part p{margin:2px 0 6px}
.malt-part svg.plot{max-width:100%%;height:auto}
"""


def snippet(*contents: Content) -> str:
    """Markup for `_repr_html_`.

    >>> snippet(element("p", "<b>")).endswith('<div class="malt-part"><p>&lt;b&gt;</p></div>')
    True
    """
    style = variables(".malt-part") + _STYLE % FONT
    return f"{element('style', Html(style))}{element('div', *contents, class_='malt-part')}"


def facts_table(facts: Mapping[str, str], caption: str) -> str:
    """Facts under their names for `_repr_html_`."""
    return snippet(table(["", ""], [[name, fact] for name, fact in facts.items()], caption=caption))
