from typing import Final, final

import numpy
from numpy.typing import NDArray

from malt.kernel.choices import Choices
from malt.kernel.symbols import SymbolTable
from malt.kernel.weights import PackedTable, WeightTable
from malt.kernel.words import Recipe

_Integers = NDArray[numpy.int32]

def word_keys(forms: SymbolTable, codes: _Integers) -> NDArray[numpy.uint64]: ...

@final
class Tagger:
    tags: Final[int]
    @property
    def updates(self) -> int: ...
    def __init__(
        self,
        weights: WeightTable | PackedTable,
        choices: Choices,
        local: Recipe,
        history: Recipe,
        parts: _Integers,
        beam: int,
    ) -> None: ...
    def tag(
        self, forms: SymbolTable, starts: _Integers, codes: _Integers, given: _Integers | None = None
    ) -> _Integers: ...
    def learn(
        self, forms: SymbolTable, starts: _Integers, codes: _Integers, gold: _Integers, order: _Integers
    ) -> None: ...
