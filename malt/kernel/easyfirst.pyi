from typing import final

from malt.kernel.structured import StructuredPolicy
from malt.kernel.system import System
from malt.kernel.walk import TreePolicy
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

@final
class EasyFirstTraining(GoldPlaces):
    explore: int
    updates: int
    right: int
    def start(self, seed: int) -> None: ...

@final
class EasyFirstCounter(GoldPlaces): ...
