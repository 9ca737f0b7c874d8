from collections.abc import Sequence

from malt.kernel.symbols import SymbolTable

class Actions:
    def __init__(
        self,
        names: Sequence[str],
        decisions: Sequence[Sequence[int]],
        label_tables: Sequence[SymbolTable],
        class_tables: Sequence[SymbolTable | None],
        separator: str,
    ) -> None: ...
    def start(self, transition: int) -> None: ...
