from typing import Any, Final

import numpy
from numpy.typing import NDArray

def slot_order(
    hashes: NDArray[numpy.int32], dropped: NDArray[numpy.uint8] | None = None
) -> tuple[NDArray[numpy.int32], int]: ...

class Reader:
    def __init__(self, text: bytes | memoryview, name: str = "") -> None: ...
    def read(self, expected: str) -> dict[str, Any]: ...

class RowWriter:
    handle: Final[int]
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
