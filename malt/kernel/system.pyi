from typing import Any

OPERATIONS: tuple[str, ...]

PREDICATES: tuple[str, ...]

class System:
    stacks: int
    names: tuple[str, ...]
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
        shift: int = 0,
    ) -> None: ...

QUESTIONS: tuple[str, ...]
