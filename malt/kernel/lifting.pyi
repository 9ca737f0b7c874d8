from typing import Any

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
) -> tuple[Any, Any, Any, Any, Any]: ...
def checked_starts(starts: Any, words: int) -> Any: ...
