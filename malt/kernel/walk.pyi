from collections.abc import Callable, Iterator, Sequence
from threading import Event

import numpy
from numpy.typing import NDArray

from malt.kernel.features import Features, Propagation
from malt.kernel.guide import Actions, Guide
from malt.kernel.instances import FeatureMap, Instances
from malt.kernel.system import System

Integers = NDArray[numpy.int32]
Steps = NDArray[numpy.int8]
Bounds = NDArray[numpy.int64]

class Policy: ...
class Observer: ...

class Walk:
    steps: int
    def __init__(
        self,
        system: System,
        features: Features | None = None,
        root_labels: Sequence[int] = (),
        propagation: Propagation | None = None,
    ) -> None: ...
    def run(
        self,
        policy: Policy,
        starts: Integers,
        values: Integers | None = None,
        input_heads: Integers | None = None,
        observer: Observer | None = None,
        given: Integers | None = None,
        given_labels: Integers | None = None,
        stop: Event | None = None,
    ) -> tuple[Integers, Integers]: ...

class TreePolicy(Policy):
    def follow(self, heads: Integers, labels: Integers | None = None) -> None: ...

class OraclePolicy(TreePolicy):
    def __init__(self, system: System, from_root: bool = True) -> None: ...

class ReplayPolicy(TreePolicy):
    def __init__(self, choices: Steps, bounds: Bounds) -> None: ...

class GuidePolicy(Policy):
    def __init__(self, guide: Guide) -> None: ...

class Sink:
    instances: Instances
    map: FeatureMap
    @property
    def count(self) -> int: ...
    def __init__(self, slots: Sequence[int], drops_nulls: bool = False, as_text: bool = False) -> None: ...
    def take_text(self) -> bytes: ...

class Record(Observer):
    forbidden: int
    def __init__(
        self, actions: Actions | None = None, guide: Guide | None = None, sink: Sink | None = None
    ) -> None: ...
    def derivations(self) -> tuple[Steps, Integers, Bounds]: ...
    def choices_made(self) -> tuple[Steps, Bounds, Integers]: ...
    def actions(self) -> Iterator[list[tuple[int, bool, list[int]]]]: ...
    def candidates(self) -> Iterator[list[tuple[int, int, float]]]: ...

class InstanceObserver(Observer):
    def __init__(
        self, actions: Actions, open_sink: Callable[[int, tuple[int, ...], int], Sink], slot: int = -1
    ) -> None: ...

class UnevenValue(Exception): ...

class ColumnObserver(Observer):
    def __init__(self, slots: Sequence[int], choices: int, drops_nulls: bool) -> None: ...
    def columns(self) -> list[tuple[Integers, Integers, Integers, Integers, Integers]]: ...
