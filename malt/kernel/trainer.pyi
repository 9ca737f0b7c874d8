from collections.abc import Callable, Sequence
from typing import Any

from malt.kernel.actions import Actions
from malt.kernel.features import Features
from malt.kernel.propagation import Propagation
from malt.kernel.sink import Sink
from malt.kernel.system import System

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
