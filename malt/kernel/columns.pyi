from typing import Any

import numpy
from numpy.typing import NDArray

from malt.kernel.instances import Instances
from malt.kernel.symbols import SymbolTable

_Integers = NDArray[numpy.int32]

def gather(
    target: SymbolTable, tables: list[SymbolTable], codes: list[_Integers], firsts: list[_Integers]
) -> list[_Integers]: ...
def assemble(
    classes: _Integers, columns: list[tuple[NDArray[numpy.integer[Any]], _Integers, _Integers, _Integers]]
) -> tuple[Instances, NDArray[numpy.int64]]: ...
