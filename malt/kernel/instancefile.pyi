from collections.abc import Callable

import numpy
from numpy.typing import NDArray

from malt.kernel.featuremap import FeatureMap
from malt.kernel.instances import Instances

def read(text: bytes | memoryview, instances: Instances, map: FeatureMap, name: str = "") -> None: ...
def write(
    instances: Instances,
    begin: int,
    end: int,
    keys: NDArray[numpy.int64],
    several: NDArray[numpy.uint8],
    format: Callable[[float], str] = ...,
) -> bytes: ...
