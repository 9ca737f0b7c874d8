from collections.abc import Sequence
from typing import Any

from malt.kernel.symbols import SymbolTable

class Propagation:
    columns: int
    def __init__(self, rules: Sequence[Any] = (), coded: Sequence[str] = (), labels: Sequence[str] = ()) -> None: ...
    def use(self, tables: dict[str, SymbolTable]) -> None: ...
