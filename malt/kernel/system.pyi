from enum import IntEnum
from typing import Any, final

Structure: type[IntEnum]  # the members of these are in system.pxd
Operation: type[IntEnum]
Predicate: type[IntEnum]
Question: type[IntEnum]

NO_ARC: int
TOP: int
FRONT: int
SECOND: int

@final
class System:
    stacks: int
    names: tuple[str, ...]
    bottom_up: bool
    from_root: bool
    single_root: bool
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
        shift: int = -1,
        single_root: bool = False,
    ) -> None: ...
