from typing import Any

from malt.kernel.addresses import Addresses

FUNCTIONS: tuple[str, ...]

class Features:
    addresses: Addresses
    def __init__(
        self, addresses: Addresses, program: Any, tables: Any, parts: Any, thresholds: Any, columns: int, frozen: bool
    ) -> None: ...
    def set_tables(self, tables: Any) -> None: ...
