from collections.abc import Callable

import numpy
from numpy.typing import NDArray

from malt.kernel.instances import Instances

class Random:
    def __new__(cls, seed: int = 0) -> Random: ...
    @property
    def state(self) -> int: ...
    def integer(self, bound: int) -> int: ...

class DualVariables:
    def __new__(cls) -> DualVariables: ...
    @property
    def size(self) -> int: ...

def crammer_singer(
    instances: Instances,
    features: int,
    cost: float,
    tolerance: float,
    random: Random,
    progress: Callable[[int, int, float], None] | None = None,
    start: DualVariables | None = None,
    left: DualVariables | None = None,
    passes: int = ...,
) -> tuple[NDArray[numpy.int32], NDArray[numpy.int64], NDArray[numpy.uint16], NDArray[numpy.float64]]: ...
