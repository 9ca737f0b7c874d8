from collections.abc import Sequence
from typing import Any, Final, final

from malt.kernel.classifiers import LinearWeights, SupportVectors
from malt.kernel.instances import FeatureMap
from malt.kernel.symbols import SymbolTable

class UnfitLabel(Exception):
    table: int
    code: int
    def __init__(self, table: int, code: int) -> None: ...

@final
class Stages:
    labels: Final[int]
    def __init__(self, decisions: Sequence[tuple[Sequence[int], bool]], labels: int) -> None: ...

@final
class Actions:
    def __init__(
        self,
        names: Sequence[str],
        stages: Stages,
        label_tables: Sequence[SymbolTable],
        class_tables: Sequence[SymbolTable | None],
        separator: str,
    ) -> None: ...

@final
class Candidates: ...

@final
class Guide:
    candidates: Final[Candidates]
    def __init__(
        self, stages: Stages, decoded: Sequence[Sequence[int]], k: int, drops_nulls: bool, divide: int
    ) -> None: ...
    def add_child(self, node: int, code: int, child: int) -> None: ...
    def add_predictor(
        self,
        node: int,
        divide: int | None,
        slots: list[int],
        map: FeatureMap,
        classes: Any,
        kernel: LinearWeights | SupportVectors,
    ) -> None: ...
