from collections.abc import Sequence

import numpy
from numpy.typing import NDArray

from malt.kernel.symbols import SymbolTable

SKIP: int
VALUE: int
HEAD: int
LABEL: int

class LineFault(Exception):
    kind: str
    line: int
    begin: int
    end: int
    column: int
    expected: int
    found: int
    def __init__(self, kind: str, line: int, begin: int, end: int, column: int, expected: int, found: int) -> None: ...

class BlockReader:
    def __init__(self, kinds: Sequence[int], id_column: int, extra: bool) -> None: ...
    def read(
        self, text: bytes, tables: list[SymbolTable], begin: int = 0
    ) -> tuple[
        NDArray[numpy.int32], NDArray[numpy.int32], NDArray[numpy.int32], NDArray[numpy.int64], NDArray[numpy.int64]
    ]: ...

def last_boundary(text: bytes) -> tuple[int, int]: ...
def count_lines(text: bytes) -> int: ...
