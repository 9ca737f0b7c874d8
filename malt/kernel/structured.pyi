from collections.abc import Sequence
from enum import IntEnum
from typing import final

from malt.kernel.guide import Actions, Candidates
from malt.kernel.system import System
from malt.kernel.walk import Policy, TreePolicy
from malt.kernel.weights import Classes, Scorer

Update: type[IntEnum]  # its members are in structured.pyx
STAY: int
DEFAULT: int

class StructuredPolicy(Policy):
    @property
    def candidates(self) -> Candidates: ...
    def __init__(self, scorer: Scorer, classes: Classes) -> None: ...

@final
class GreedyPolicy(StructuredPolicy): ...

@final
class Search:
    def choices(self) -> list[list[tuple[int, int, float, int, bool]]]: ...

@final
class BeamPolicy(StructuredPolicy):
    @property
    def search(self) -> Search | None: ...
    def __init__(self, scorer: Scorer, classes: Classes, width: int, aside: int = ...) -> None: ...
    def record_search(self, further: int) -> None: ...

@final
class PathPolicy(StructuredPolicy):
    @property
    def score(self) -> int: ...
    @property
    def following(self) -> list[int]: ...
    def follow(self, path: Sequence[int]) -> None: ...

class StructuredTraining(TreePolicy):
    updates: int
    right: int
    def __init__(
        self,
        system: System,
        scorer: Scorer,
        classes: Classes,
        actions: Actions,
        class_of: Sequence[int],
        from_root: bool,
    ) -> None: ...

@final
class FeatureCounter(StructuredTraining): ...

@final
class GreedyTraining(StructuredTraining):
    explore: int
    decides: bool
    def start(self, seed: int) -> None: ...

@final
class BeamTraining(StructuredTraining):
    def __init__(
        self,
        system: System,
        scorer: Scorer,
        classes: Classes,
        actions: Actions,
        class_of: Sequence[int],
        from_root: bool,
        width: int,
        rule: int,
        idle: int = ...,
        aside: int = ...,
    ) -> None: ...
