from typing import Any

import numpy
import numpy.typing

MEASURE: numpy.dtype[numpy.void]
STATES: tuple[str, ...]

def measure(
    heads: numpy.typing.ArrayLike, starts: numpy.typing.ArrayLike, limit: int = ..., effort: int = ...
) -> tuple[numpy.typing.NDArray[Any], numpy.typing.NDArray[numpy.int64]]: ...
