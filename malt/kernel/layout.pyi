from collections.abc import Iterable

def heights(
    spans: Iterable[tuple[int, int]], apart: bool = False, words: Iterable[int] = ()
) -> tuple[list[int], list[int]]: ...
def brackets(
    words: int, arcs: Iterable[tuple[int, int, int, int]], most: int
) -> tuple[bytes, bytes, int, int]: ...
