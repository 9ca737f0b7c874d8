from collections.abc import Sequence
from typing import final

import numpy
from numpy.typing import NDArray

from malt.kernel.choices import Choices
from malt.kernel.weights import PackedTable, WeightTable
from malt.kernel.words import Recipe

_Places = NDArray[numpy.int64]
_Bytes = NDArray[numpy.uint8]

CHAR: int
KIND: int
SORT: int
TOKEN: int
TOKEN_SHAPE: int
CHUNK: int
REST: int
NEXT: int
NEXT_SHAPE: int
BEFORE: int
GAP: int
LENGTH: int
TOKEN_ATOMS: int
JOIN: int
BREAK: int
END: int
CLASSES: int
UNTIL_END: int

def pair_key(one: int, other: int) -> int: ...
def token_key(text: str, whole: bool) -> int: ...

@final
class Tokenizer:
    @property
    def updates(self) -> int: ...
    def __init__(
        self,
        weights: WeightTable | PackedTable,
        recipe: Recipe,
        still: Choices,
        words: Choices,
        parts: Sequence[Sequence[tuple[int, int, str]]],
        blanks: bool,
    ) -> None: ...
    def learn(self, text: bytes, ends: _Places, last: _Bytes, order: _Places) -> None: ...
    def pairs(self, text: bytes, ends: _Places) -> tuple[NDArray[numpy.uint64], _Bytes]: ...
    def tokenize(
        self,
        text: bytes,
        final: bool = True,
        lines: bool = False,
        number: int = 0,
        paragraph: bool = True,
        whole: bool = True,
    ) -> tuple[bytes, int, int, bool]: ...
