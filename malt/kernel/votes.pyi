from enum import IntEnum
from typing import Any

import numpy
from numpy.typing import NDArray

from malt.kernel.spanning import Decoder

Roots: type[IntEnum]  # its members are in votes.pyx

def vote(
    starts: Any,
    heads: Any,
    labels: Any,
    weights: Any,
    decoder: Decoder,
    roots: int = ...,
    megabytes: int = 1000,
) -> tuple[NDArray[numpy.int32], NDArray[numpy.int32]]: ...
