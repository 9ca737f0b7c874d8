from collections.abc import Callable, Iterator, Sequence
from threading import Event
from typing import Final, final

import numpy
from numpy.typing import NDArray

from malt.kernel.features import Features, Propagation
from malt.kernel.guide import Actions, Candidates, Guide
from malt.kernel.instances import FeatureMap, Instances
from malt.kernel.system import System

_Integers = NDArray[numpy.int32]
_Steps = NDArray[numpy.int8]
_Bounds = NDArray[numpy.int64]

class Policy: ...
class Observer: ...

@final
class Walk:
    steps: int
    def __init__(
        self,
        system: System,
        features: Features | None = None,
        root_labels: Sequence[int] = (),
        propagation: Propagation | None = None,
        own_label: int = -1,
        other_label: int = -1,
    ) -> None: ...
    def run(
        self,
        policy: Policy,
        starts: _Integers,
        values: _Integers | None = None,
        input_heads: _Integers | None = None,
        observer: Observer | None = None,
        given: _Integers | None = None,
        given_labels: _Integers | None = None,
        stop: Event | None = None,
    ) -> tuple[_Integers, _Integers]: ...
    def graph(self) -> tuple[_Integers, _Integers, _Integers]: ...

class TreePolicy(Policy):
    def follow(
        self,
        heads: _Integers,
        labels: _Integers | None = None,
        arc_starts: _Integers | None = None,
        arc_heads: _Integers | None = None,
        arc_labels: _Integers | None = None,
    ) -> None: ...

@final
class OraclePolicy(TreePolicy):
    cut: int
    def __init__(self, system: System, from_root: bool = True) -> None: ...

@final
class ReplayPolicy(TreePolicy):
    def __init__(self, choices: _Steps, bounds: _Bounds) -> None: ...

@final
class GuidePolicy(Policy):
    def __init__(self, guide: Guide) -> None: ...

@final
class Sink:
    instances: Final[Instances]
    map: Final[FeatureMap]
    @property
    def count(self) -> int: ...
    def __init__(self, slots: Sequence[int], drops_nulls: bool = False, as_text: bool = False) -> None: ...
    def take_text(self) -> bytes: ...

@final
class Changes:
    def __init__(self, most: int = 0x7FFFFFFF) -> None: ...
    def steps(self) -> list[tuple[int, list[int]]]: ...

@final
class Record(Observer):
    forbidden: int
    def __init__(
        self,
        actions: Actions | None = None,
        scored: Candidates | None = None,
        sink: Sink | None = None,
        changes: Changes | None = None,
    ) -> None: ...
    def derivations(self) -> tuple[_Steps, _Integers, _Bounds]: ...
    def choices_made(self) -> tuple[_Steps, _Bounds, _Integers]: ...
    def actions(self) -> Iterator[list[tuple[int, bool, list[int]]]]: ...
    def candidates(self, most: int) -> list[list[tuple[int, int, float]]]: ...

@final
class InstanceObserver(Observer):
    def __init__(
        self,
        actions: Actions,
        open_sink: Callable[[int, tuple[int, ...], int], Sink],
        slot: int = -1,
        most: int = 0x7FFFFFFF,
    ) -> None: ...

@final
class CopyObserver(Observer): ...

class LongDerivation(Exception):
    sentence: int
    def __init__(self, sentence: int) -> None: ...

class UnevenValue(Exception): ...

@final
class ColumnObserver(Observer):
    def __init__(self, slots: Sequence[int], choices: int, drops_nulls: bool) -> None: ...
    def columns(self) -> list[tuple[_Integers, _Integers, _Integers, _Integers, _Integers]]: ...
