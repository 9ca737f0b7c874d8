from typing import Any, final

OPERATIONS: tuple[str, ...]

PREDICATES: tuple[str, ...]

@final
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
    ) -> None: ...

QUESTIONS: tuple[str, ...]
