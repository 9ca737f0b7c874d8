from collections.abc import Sequence
from enum import IntEnum
from typing import Final, final

from malt.charts.compiler import Tables
from malt.kernel.spanning import Decoder

class Found(IntEnum):
    CERTIFIED = 0
    CHARTED = 1
    LIMITED = 2

@final
class Chart:
    def __init__(self, tables: Tables) -> None: ...
    @property
    def touched(self) -> int: ...
    def count(
        self, words: int | Sequence[int], single_root: bool = False, limit: int = ..., memory: int = ...
    ) -> float: ...
    def derive(
        self, heads: Sequence[int], single_root: bool = False, limit: int = ..., memory: int = ...
    ) -> list[tuple[int, int, list[int], list[int]]] | None: ...

@final
class ChartDecoder(Decoder):
    certify: bool
    best_first: bool
    how: Final[int]
    score: Final[float]
    bound: Final[float]
    items: Final[int]
    certified: Final[int]
    charted: Final[int]
    limited: Final[int]
    touched: Final[int]
    furthest: Final[float]
    def __init__(self, tables: Tables, k: int, well_nested: bool, limit: int = ..., megabytes: int = ...) -> None: ...
