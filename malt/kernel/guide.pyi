from collections.abc import Sequence
from typing import Any, final

from malt.kernel.classifiers import LinearWeights, SupportVectors
from malt.kernel.instances import FeatureMap
from malt.kernel.symbols import SymbolTable

@final
class Actions:
    def __init__(
        self,
        names: Sequence[str],
        decisions: Sequence[Sequence[int]],
        label_tables: Sequence[SymbolTable],
        class_tables: Sequence[SymbolTable | None],
        separator: str,
    ) -> None: ...
    def start(self, transition: int) -> None: ...

@final
class Guide:
    def __init__(self, decisions: Any, decoded: Any, labels: int, k: int, drops_nulls: bool, divide: int) -> None: ...
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
