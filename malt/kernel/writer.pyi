from collections.abc import Mapping, Sequence
from typing import Any

from malt.kernel.symbols import SymbolTable

CONSTANT: int
COUNT: int
FIELD: int
SYMBOL: int
LABEL: int
HEAD: int
HEAD_ID: int
WHOLLY: int
NOWHERE: int

class BlankEdge(Exception):
    line: int
    at_end: bool
    def __init__(self, line: int, at_end: bool) -> None: ...

class BlockWriter:
    dropped_lines: int
    trimmed_lines: int
    lost: set[int]
    def __init__(
        self,
        program: Sequence[tuple[int, int, int, str]],
        layout: str,
        columns: int,
        id_column: int,
        keeps_ids: bool,
        patch: Mapping[int, int] | None = None,
        watched: Sequence[int] = (),
        fills: bool = False,
        words_only: bool = False,
    ) -> None: ...
    def write(
        self, text: bytes, starts: Any, heads: Any, values: Any, word_lines: Any, tables: Sequence[SymbolTable]
    ) -> bytes: ...
