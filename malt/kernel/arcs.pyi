from collections.abc import Sequence
from typing import final

import numpy
from numpy.typing import NDArray

from malt.kernel.guide import Actions
from malt.kernel.spanning import Decoder
from malt.kernel.structured import Classes, StructuredPolicy
from malt.kernel.system import System
from malt.kernel.walk import TreePolicy
from malt.kernel.weights import Scorer

DIRECTIONS: int

class TooLong(Exception):
    word: int
    words: int
    megabytes: int
    def __init__(self, word: int, words: int, megabytes: int) -> None: ...

@final
class ArcModel:
    def check(self, words: int, first: int = 0) -> None: ...
    def matrix(self) -> NDArray[numpy.float64]: ...
    @property
    def scorer(self) -> Scorer: ...
    @property
    def classes(self) -> Classes: ...
    def __init__(self, system: System, scorer: Scorer, classes: Classes, decoder: Decoder, megabytes: int) -> None: ...

@final
class ArcPolicy(StructuredPolicy):
    def __init__(self, model: ArcModel) -> None: ...

@final
class ArcTraining(TreePolicy):
    updates: int
    right: int
    def __init__(self, model: ArcModel, actions: Actions, class_of: Sequence[int], margin: int) -> None: ...
