"""Values that a model does not know, or that are missing: if there are far too many, the text is not what it is for."""

from __future__ import annotations

import threading
from collections.abc import Mapping

from malt.data.block import Block
from malt.data.symbols import Tables
from malt.errors import counted
from malt.parsing.specification import Specification
from malt.parsing.survey import EMPTY, string_columns

MANY = 4096  # words that are judged together, so that those of long ago do not count
FAR = 0.3  # how much larger than in training a share has to be. Other text of the same kind differs by 0.03 or less


class Strangers:
    """Counts them, for any number of threads, and says once what is wrong."""

    def __init__(self, specification: Specification, tables: Tables, strange: Mapping[str, float] | None) -> None:
        """`strange` are the shares that the model remembers; None for one that remembers nothing. Of such a model only
        this is known: a column that it knows no `_` in was never empty."""
        self._lock = threading.Lock()
        self._words, self._told, self._file = 0, False, ""
        self._usual: dict[str, float] = {}
        self._limits: dict[str, tuple[int, int]] = {}  # the code of what is empty, and the first that is unknown
        self._counts: dict[str, int] = {}
        for name in string_columns(specification):
            table = tables[name]
            if strange is not None and name in strange:
                self._usual[name], self._limits[name] = strange[name], (table.code(EMPTY), table.next_code)
            elif strange is None and table.code(EMPTY) < 0:
                self._usual[name], self._limits[name] = 0.0, (-1, -1)

    def add(self, block: Block) -> str:
        """Take in a block; gives one line when there are too many in its file, and nothing afterwards."""
        counts = {name: self._count(block, name) for name in self._limits}
        with self._lock:
            if block.name != self._file:  # each file is judged by itself
                self._file = block.name
                self._forget()
            self._words += len(block.heads)
            for name, number in counts.items():
                self._counts[name] = self._counts.get(name, 0) + number
            if self._told or not self._words:
                return ""
            # The fewer words there are, the more may differ by chance.
            least = FAR + self._words**-0.5
            shares = {name: number / self._words for name, number in self._counts.items()}
            far = {name: share for name, share in shares.items() if share - self._usual[name] > least}
            self._told = bool(far)
            line = self._line(far) if far else ""
            if self._words >= MANY:
                self._forget()
            return line

    def _forget(self) -> None:
        self._words = 0
        self._counts.clear()

    def _count(self, block: Block, name: str) -> int:
        codes, (empty, end) = block.codes(name), self._limits[name]
        if end < 0:
            empty, end = block.tables[name].code(EMPTY), len(codes) + (1 << 31)
        return int(((codes < 0) | (codes >= end) | (codes == empty)).sum())

    def _line(self, far: Mapping[str, float]) -> str:
        shares = ", ".join(
            f"{name} {100 * share:.0f} % ({100 * self._usual[name]:.0f} % in training)" for name, share in far.items()
        )
        return (
            f"of {counted(self._words, 'word')}, many have values that are empty or unknown to the model: {shares}; "
            "it parses by these columns, which are not filled as in its treebank, or the text is of another kind"
        )
