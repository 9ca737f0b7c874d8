"""The scores of an evaluation as a table, for pages and for notebooks."""

from __future__ import annotations

from collections.abc import Sequence

from malt.drawing.page.markup import Content, Html, element
from malt.drawing.page.page import table


def overview_table(scores: Sequence[tuple[str, Sequence[str]]], names: Sequence[str], caption: str) -> Html:
    """A row per score, with what each system has; `names` are those of the systems."""
    rows: list[list[Content]] = [[_indented(name), *(cell.strip() for cell in cells)] for name, cells in scores]
    return table(["", *names], rows, caption=caption, align="l" + "r" * len(names))


def _indented(name: str) -> Content:
    return element("span", name.strip(), class_="soft in") if name.startswith(" ") else name
