from collections.abc import Sequence
from enum import IntEnum

import numpy
from numpy.typing import ArrayLike, NDArray

from malt.kernel.instances import Instances

KernelFunction: type[IntEnum]  # its members are in classifiers.pxd

class LinearWeights:
    def __new__(
        cls,
        first: NDArray[numpy.int64],
        count: NDArray[numpy.int32],
        classes: NDArray[numpy.int32],
        weights: NDArray[numpy.float64],
        n_classes: int,
    ) -> LinearWeights: ...
    def __len__(self) -> int: ...
    @property
    def classes(self) -> int: ...
    def scores(self, rows: ArrayLike, values: ArrayLike | None = None) -> NDArray[numpy.float64]: ...
    def predict(self, instances: Instances) -> NDArray[numpy.int32]: ...
    def ranked(
        self, rows: ArrayLike, codes: Sequence[int] | NDArray[numpy.int32], values: ArrayLike | None = None
    ) -> NDArray[numpy.int32]: ...

class SupportVectors:
    def __init__(
        self,
        kernel: int,
        degree: int,
        gamma: float,
        offset: float,
        sizes: Sequence[int] | NDArray[numpy.int32],
        starts: NDArray[numpy.int64],
        rows: NDArray[numpy.int32],
        values: NDArray[numpy.float64],
        first: NDArray[numpy.int64],
        count: NDArray[numpy.int32],
        places: NDArray[numpy.int32],
        numbers: NDArray[numpy.float64],
        rho: NDArray[numpy.float64],
    ) -> None: ...
    @property
    def classes(self) -> int: ...
    def votes(self, rows: ArrayLike, values: ArrayLike | None = None) -> NDArray[numpy.float64]: ...
    def ranked(
        self, rows: ArrayLike, codes: Sequence[int] | NDArray[numpy.int32], values: ArrayLike | None = None
    ) -> NDArray[numpy.int32]: ...
