from collections.abc import Sequence
from enum import IntEnum
from typing import Any, Final, final

from malt.errors import MaltError
from malt.kernel.symbols import SymbolTable

AddressStep: type[IntEnum]  # the members of these are in features.pxd
Computation: type[IntEnum]
Direction: type[IntEnum]
Side: type[IntEnum]

@final
class Addresses:
    def __init__(self, program: Any) -> None: ...

class MissingValue(Exception):
    word: int
    column: int
    def __init__(self, word: int, column: int) -> None: ...

class UnfitValue(MaltError):
    column: str
    code: int
    def __init__(self, column: str, code: int, symbol: str, kind: str) -> None: ...

@final
class Features:
    addresses: Final[Addresses]
    def __init__(
        self,
        addresses: Addresses,
        program: Any,
        tables: Any,
        parts: Any,
        thresholds: Any,
        joins: Any,
        labels: Any,
        columns: int,
        frozen: bool,
    ) -> None: ...
    def set_tables(self, tables: Any) -> None: ...
    @property
    def size(self) -> int: ...

@final
class Propagation:
    columns: Final[int]
    def __init__(self, rules: Sequence[Any] = (), coded: Sequence[str] = (), labels: Sequence[str] = ()) -> None: ...
    def use(self, tables: dict[str, SymbolTable]) -> None: ...
