from typing import Any

import numpy
from numpy.typing import NDArray

NONE: int
IGNORE: int
LEFT: int
RIGHT: int
HEAD: int
TREE: int
NO_HEAD: int
NO_TREE: int

def projectivize(
    starts: Any, heads: Any, deepest: bool = False, covered_root: int = ..., lifting: bool = True
) -> tuple[
    NDArray[numpy.int32], NDArray[numpy.int32], NDArray[numpy.bool_], NDArray[numpy.bool_], NDArray[numpy.int32]
]: ...
def checked_starts(starts: Any, words: int) -> NDArray[numpy.int64]: ...

SEARCH_HEAD: int
SEARCH_PATH: int
SEARCH_BOTH: int

def deprojectivize(
    starts: Any, heads: Any, labels: Any, wanted: Any, lifted: Any, paths: Any, search_for: int, limit: int = ...
) -> NDArray[numpy.int32]: ...
