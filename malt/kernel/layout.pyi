from collections.abc import Iterable

def heights(
    spans: Iterable[tuple[int, int]], apart: bool = False, words: Iterable[int] = ()
) -> tuple[list[int], list[int]]: ...
def brackets(words: int, arcs: Iterable[tuple[int, int, int, int]], most: int) -> tuple[bytes, bytes, int, int]: ...

class Pen:
    def __init__(self, characters: Iterable[str], most: int, colours: Iterable[str] = ()) -> None: ...
    def draw(
        self,
        forms: list[tuple[str, int]],
        tags: list[tuple[str, int]],
        heads: list[int],
        labels: list[str],
        arcs: Iterable[tuple[int, int, int, int]],
    ) -> tuple[str, int]: ...
