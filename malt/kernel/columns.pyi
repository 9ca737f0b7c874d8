from typing import Any

import numpy
from numpy.typing import NDArray

from malt.kernel.instances import Instances
from malt.kernel.symbols import SymbolTable

Integers = NDArray[numpy.int32]

def pairs(
    one: Integers, two: Integers, values_one: int, values_two: int
) -> tuple[Integers, Integers, Integers, Integers]: ...
def join(
    target: SymbolTable, tables: list[SymbolTable], codes: list[Integers], alone: NDArray[numpy.uint8]
) -> Integers: ...
def gather(
    target: SymbolTable, tables: list[SymbolTable], codes: list[Integers], firsts: list[Integers]
) -> list[Integers]: ...
def size_of(table: SymbolTable) -> int: ...
def copy_symbols(source: SymbolTable, target: SymbolTable) -> None: ...
def assemble(
    classes: Integers, columns: list[tuple[NDArray[numpy.integer[Any]], Integers, Integers, Integers]]
) -> tuple[Instances, NDArray[numpy.int64]]: ...
