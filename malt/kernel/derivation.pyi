from typing import Any

from malt.kernel.system import System

class Deriver:
    forbidden: int
    def __init__(self, system: System, from_root: bool = True) -> None: ...
    def derive(self, heads: Any, starts: Any, given: Any = None) -> tuple[Any, Any, Any, Any]: ...
