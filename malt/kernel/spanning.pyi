from typing import Any

import numpy
from numpy.typing import NDArray

def best_tree(scores: Any, single_root: bool = False, megabytes: float = 1000) -> NDArray[numpy.int32]: ...
def best_projective_tree(scores: Any, single_root: bool = False, megabytes: float = 1000) -> NDArray[numpy.int32]: ...
def reduced_costs(
    scores: Any, single_root: bool = False, megabytes: float = 1000
) -> tuple[NDArray[numpy.int32], NDArray[numpy.float64]]: ...
