from collections.abc import Sequence
from typing import final

import numpy
from numpy.typing import NDArray

from malt.kernel.choices import Choices
from malt.kernel.symbols import SymbolTable
from malt.kernel.weights import PackedTable, WeightTable
from malt.kernel.words import Recipe

_Integers = NDArray[numpy.int32]

KEEP: int
LOWER_ALL: int
UPPER_ALL: int
UPPER_FIRST: int
CASES: int

def lemma_keys(forms: SymbolTable, codes: _Integers, tags: _Integers, coarse: _Integers) -> NDArray[numpy.uint64]: ...

@final
class Lemmatizer:
    @property
    def updates(self) -> int: ...
    def __init__(
        self,
        weights: WeightTable | PackedTable,
        choices: Choices,
        recipe: Recipe,
        scripts: Sequence[tuple[int, int, int, str, str]],
    ) -> None: ...
    def lemmatize(
        self,
        forms: SymbolTable,
        lemmas: SymbolTable,
        starts: _Integers,
        codes: _Integers,
        tags: _Integers,
        coarse: _Integers,
    ) -> _Integers: ...
    def learn(
        self,
        forms: SymbolTable,
        starts: _Integers,
        codes: _Integers,
        tags: _Integers,
        coarse: _Integers,
        gold: _Integers,
        order: _Integers,
    ) -> None: ...
