from collections.abc import Iterable
from enum import IntEnum
from typing import Any, final

import numpy
from numpy.typing import NDArray

Structure: type[IntEnum]  # the members of these are in system.pxd
Operation: type[IntEnum]
Predicate: type[IntEnum]
Question: type[IntEnum]
Costs: type[IntEnum]
Pair: type[IntEnum]
Prospect: type[IntEnum]

NO_ARC: int
TOP: int
FRONT: int
SECOND: int
FURTHER: int

@final
class System:
    stacks: int
    names: tuple[str, ...]
    bottom_up: bool
    from_root: bool
    single_root: bool
    dynamic: int
    acyclic: bool
    many: bool
    root_last: bool
    def __init__(
        self,
        stacks: int,
        left_stop: int,
        all_words: bool,
        transitions: Any,
        ends: Any,
        musts: Any,
        defaults: Any,
        oracle: Any,
        unpredicted: int = -1,
        single_root: bool = False,
        dynamic: int = 0,
        pairs: int = 0,
        acyclic: bool = False,
        root_last: bool = False,
        prospects: int = 0,
        many: bool = False,
        bottom_up: bool = False,
    ) -> None: ...
    def let_together(self, pairs: Iterable[tuple[int, int]]) -> None: ...
    def costs(self, history: Iterable[int], trees: NDArray[numpy.int32]) -> NDArray[numpy.int32]: ...
