from enum import IntEnum
from typing import Any

import numpy
from numpy.typing import NDArray

Tag: type[IntEnum]  # its members are in java.pyx
FIRST_HANDLE: int

def slot_order(
    hashes: NDArray[numpy.int32], dropped: NDArray[numpy.uint8] | None = None
) -> tuple[NDArray[numpy.int32], int]: ...

class Reader:
    def __init__(self, text: bytes | memoryview, name: str = "") -> None: ...
    def read(self, expected: str) -> dict[str, Any]: ...

class RowWriter:
    handle: int
    def __init__(
        self,
        first: NDArray[numpy.int64],
        count: NDArray[numpy.int32],
        length: NDArray[numpy.int32],
        places: NDArray[numpy.int32],
        numbers: NDArray[numpy.float64],
        handle: int,
        described: bytes,
        known: int,
    ) -> None: ...
    def write(self, begin: int, end: int) -> bytes: ...
