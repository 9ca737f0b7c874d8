from collections.abc import Sequence
from typing import final

FORM: int
LOWER: int
SHAPE: int
MARK: int
PREFIX1: int
PREFIX2: int
PREFIX3: int
PREFIX4: int
SUFFIX1: int
SUFFIX2: int
SUFFIX3: int
SUFFIX4: int
SUFFIX5: int
SUFFIX6: int
TAG: int
COARSE: int
WORD_ATOMS: int

@final
class Recipe:
    def __init__(self, templates: Sequence[Sequence[tuple[int, int]]], width: int, first: int = 0) -> None: ...

@final
class Words: ...
