from collections.abc import Sequence
from typing import Final, final

import numpy
from numpy.typing import NDArray

_Keys = NDArray[numpy.uint64]
_Integers = NDArray[numpy.int32]
_Classes = NDArray[numpy.uint16]
_Weights = NDArray[numpy.int16]

UNIT: int

@final
class Classes:
    room: Final[int]
    places: Final[_Integers]
    order: Final[_Integers]
    def __init__(
        self, codes: Sequence[int], transitions: Sequence[int], labels: Sequence[Sequence[int]], width: int
    ) -> None: ...

@final
class WeightTable:
    classes: Final[int]
    learning: Final[bool]
    clock: int
    @property
    def used(self) -> int: ...
    def __new__(cls, classes: int, learning: bool = True) -> WeightTable: ...
    def change(self, key: int, klass: int, amount: int) -> None: ...
    def allow(self, keys: _Keys) -> None: ...
    def begin_with(self, keys: _Keys, counts: _Integers, classes: _Classes, weights: _Integers) -> None: ...
    def averaged(self) -> tuple[_Keys, _Integers, _Classes, _Integers]: ...

@final
class PackedTable:
    classes: Final[int]
    def __new__(
        cls, classes: int, keys: _Keys, counts: _Integers, numbers: _Classes, weights: _Weights
    ) -> PackedTable: ...

class Summation:
    postpones: bool
    def __init__(self, weights: WeightTable | PackedTable) -> None: ...
    def make_changes(self) -> None: ...

@final
class Scorer(Summation):
    @property
    def asked(self) -> int: ...
    @property
    def answered(self) -> int: ...
    def __init__(
        self,
        weights: WeightTable | PackedTable,
        templates: Sequence[Sequence[int]],
        classes: Classes | None = None,
        still: Sequence[Sequence[int]] = (),
    ) -> None: ...
