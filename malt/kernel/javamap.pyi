import numpy
from numpy.typing import NDArray

def slot_order(
    hashes: NDArray[numpy.int32], dropped: NDArray[numpy.uint8] | None = None
) -> tuple[NDArray[numpy.int32], int]: ...
