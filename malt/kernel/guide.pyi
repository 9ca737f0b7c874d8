from typing import Any

from malt.kernel.featuremap import FeatureMap
from malt.kernel.linear import LinearWeights
from malt.kernel.votes import SupportVectors

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
