from collections.abc import Iterable
from typing import final

import numpy
from numpy.typing import NDArray

from malt.kernel.structured import StructuredPolicy
from malt.kernel.system import System
from malt.kernel.walk import TreePolicy, Walk
from malt.kernel.weights import Classes, Scorer

@final
class Places:
    def __init__(self, system: System, scorer: Scorer, classes: Classes, reach: tuple[int, int, bool]) -> None: ...

@final
class EasyFirstPolicy(StructuredPolicy):
    def __init__(
        self,
        system: System,
        scorer: Scorer,
        classes: Classes,
        reach: tuple[int, int, bool],
        moves: tuple[int, int],
    ) -> None: ...

class GoldPlaces(TreePolicy):
    def __init__(self, places: Places) -> None: ...
    def costs(
        self, walk: Walk, heads: NDArray[numpy.int32], arcs: Iterable[tuple[int, int]]
    ) -> dict[tuple[int, int], int]: ...

@final
class EasyFirstTraining(GoldPlaces):
    explore: int
    updates: int
    right: int
    def start(self, seed: int) -> None: ...

@final
class EasyFirstCounter(GoldPlaces): ...
