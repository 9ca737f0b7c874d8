from typing import Any

import numpy
from numpy.typing import NDArray

from malt.kernel.instances import Instances
from malt.kernel.symbols import SymbolTable

_Integers = NDArray[numpy.int32]

def pairs(
    one: _Integers, two: _Integers, values_one: int, values_two: int
) -> tuple[_Integers, _Integers, _Integers, _Integers]: ...
def join(
    target: SymbolTable, tables: list[SymbolTable], codes: list[_Integers], alone: NDArray[numpy.uint8]
) -> _Integers: ...
def gather(
    target: SymbolTable, tables: list[SymbolTable], codes: list[_Integers], firsts: list[_Integers]
) -> list[_Integers]: ...
def size_of(table: SymbolTable) -> int: ...
def copy_symbols(source: SymbolTable, target: SymbolTable) -> None: ...
def assemble(
    classes: _Integers, columns: list[tuple[NDArray[numpy.integer[Any]], _Integers, _Integers, _Integers]]
) -> tuple[Instances, NDArray[numpy.int64]]: ...
