import numpy
from numpy.typing import NDArray

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
