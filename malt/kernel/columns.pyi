from typing import Any

import numpy
from numpy.typing import NDArray

from malt.kernel.instances import Instances
from malt.kernel.symbols import SymbolTable

Integers = NDArray[numpy.int32]

def gather(
    target: SymbolTable, tables: list[SymbolTable], codes: list[Integers], firsts: list[Integers]
) -> list[Integers]: ...
def assemble(
    classes: Integers, columns: list[tuple[NDArray[numpy.integer[Any]], Integers, Integers, Integers]]
) -> tuple[Instances, NDArray[numpy.int64]]: ...
