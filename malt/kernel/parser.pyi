from collections.abc import Iterator
from threading import Event
from typing import Any

from malt.kernel.features import Features
from malt.kernel.guide import Guide
from malt.kernel.propagation import Propagation
from malt.kernel.sink import Sink
from malt.kernel.system import System

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
