from collections.abc import Sequence
from typing import Any

from malt.kernel.symbols import SymbolTable

SKIP: int
VALUE: int
HEAD: int
LABEL: int

class BlockReader:
    def __init__(self, kinds: Sequence[int], id_column: int, extra: bool, tables: Sequence[SymbolTable]) -> None: ...
    def set_tables(self, tables: Sequence[SymbolTable]) -> None: ...
    def read(self, text: bytes, begin: int = 0) -> tuple[Any, ...]: ...

def last_boundary(text: bytes) -> tuple[int, int]: ...
def count_lines(text: bytes) -> int: ...
