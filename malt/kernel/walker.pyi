from collections.abc import Sequence

import numpy
from numpy.typing import NDArray

from malt.kernel.actions import Actions
from malt.kernel.features import Features
from malt.kernel.system import System

Integers = NDArray[numpy.int32]
Flags = NDArray[numpy.bool_]
Values = tuple[Integers, Flags, Flags, Integers]

class Walker:
    def __init__(self, system: System, starts: Integers, labels: Integers, root_labels: Sequence[int]) -> None: ...
    def derive(
        self, actions: Actions, heads: Integers, from_root: bool
    ) -> tuple[NDArray[numpy.int8], NDArray[numpy.int64], Integers]: ...
    def values(
        self,
        features: Features,
        slots: Sequence[int],
        values: Integers,
        heads: Integers,
        transitions: NDArray[numpy.int8],
        bounds: NDArray[numpy.int64],
        instances: int,
    ) -> tuple[Integers, list[Values]] | tuple[int, int] | None: ...
