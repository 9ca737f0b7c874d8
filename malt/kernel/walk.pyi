from collections.abc import Callable, Iterator, Sequence
from threading import Event
from typing import Any, final

import numpy
from numpy.typing import NDArray

from malt.kernel.features import Features, Propagation
from malt.kernel.guide import Actions, Guide
from malt.kernel.instances import FeatureMap, Instances
from malt.kernel.system import System

@final
class Sink:
    instances: Instances
    map: FeatureMap
    @property
    def count(self) -> int: ...
    def __init__(self, slots: Sequence[int], drops_nulls: bool = False, as_text: bool = False) -> None: ...
    def take_text(self) -> bytes: ...

class Deriver:
    forbidden: int
    def __init__(self, system: System, from_root: bool = True) -> None: ...
    def derive(self, heads: Any, starts: Any, given: Any = None) -> tuple[Any, Any, Any, Any]: ...

class Trainer:
    steps: int
    def __init__(
        self,
        system: System,
        features: Features,
        actions: Actions,
        branched: Sequence[bool],
        root_labels: Sequence[int],
        open_sink: Callable[[int, tuple[int, ...], int], Sink],
        from_root: bool = True,
        divide: int = -1,
        propagation: Propagation | None = None,
    ) -> None: ...
    def run(
        self,
        starts: Any,
        heads: Any,
        values: Any,
        labels: Any,
        input_heads: Any,
        given: Any = None,
        given_labels: Any = None,
    ) -> tuple[int, int] | None: ...

class Parser:
    steps: int
    def __init__(
        self,
        system: System,
        features: Features,
        guide: Guide,
        root_labels: Any,
        shift: int,
        propagation: Propagation | None = None,
        recording: bool = False,
        sink: Sink | None = None,
    ) -> None: ...
    def parse(
        self,
        starts: Any,
        values: Any,
        input_heads: Any,
        given: Any = None,
        given_labels: Any = None,
        stop: Event | None = None,
    ) -> tuple[Any, Any]: ...
    def actions(self) -> Iterator[Any]: ...
    def candidates(self) -> Iterator[list[tuple[int, int, float]]]: ...

_Integers = NDArray[numpy.int32]
_Flags = NDArray[numpy.bool_]
_Values = tuple[_Integers, _Flags, _Flags, _Integers]

class Walker:
    def __init__(self, system: System, starts: _Integers, labels: _Integers, root_labels: Sequence[int]) -> None: ...
    def derive(
        self, actions: Actions, heads: _Integers, from_root: bool
    ) -> tuple[NDArray[numpy.int8], NDArray[numpy.int64], _Integers]: ...
    def values(
        self,
        features: Features,
        slots: Sequence[int],
        values: _Integers,
        heads: _Integers,
        transitions: NDArray[numpy.int8],
        bounds: NDArray[numpy.int64],
        instances: int,
    ) -> tuple[_Integers, list[_Values]] | tuple[int, int] | None: ...
