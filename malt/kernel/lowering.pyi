from typing import Any

import numpy
from numpy.typing import NDArray

SEARCH_HEAD: int
SEARCH_PATH: int
SEARCH_BOTH: int

def deprojectivize(
    starts: Any, heads: Any, labels: Any, wanted: Any, lifted: Any, paths: Any, search_for: int, limit: int = ...
) -> NDArray[numpy.int32]: ...
