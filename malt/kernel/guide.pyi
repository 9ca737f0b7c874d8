from typing import Any

from malt.kernel.featuremap import FeatureMap
from malt.kernel.machine import Machine
from malt.kernel.weights import SparseWeights

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
        weights: SparseWeights | None = None,
        machine: Machine | None = None,
    ) -> None: ...
