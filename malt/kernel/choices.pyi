from typing import final

import numpy
from numpy.typing import NDArray

@final
class Choices:
    def __init__(
        self,
        keys: NDArray[numpy.uint64],
        counts: NDArray[numpy.int32],
        numbers: NDArray[numpy.uint16],
        limit: int,
    ) -> None: ...
