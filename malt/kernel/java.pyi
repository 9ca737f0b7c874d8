from enum import IntEnum
from typing import Any

import numpy
from numpy.typing import NDArray

from malt.learning.rows import Rows

Tag: type[IntEnum]  # its members are in java.pyx
FIRST_HANDLE: int

def slot_order(
    hashes: NDArray[numpy.int32], dropped: NDArray[numpy.uint8] | None = None
) -> tuple[NDArray[numpy.int32], int]: ...

class JavaReader:
    def __init__(self, text: bytes | memoryview, name: str = "", most_rows: int = 0x7FFFFFFF) -> None: ...
    def read(self, expected: str) -> dict[str, Any]: ...

class RowWriter:
    handle: int
    def __init__(self, rows: Rows, handle: int, described: bytes, known: int) -> None: ...
    def write(self, begin: int, end: int) -> bytes: ...
