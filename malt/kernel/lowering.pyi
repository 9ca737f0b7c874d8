from typing import Any

SEARCH_HEAD: int
SEARCH_PATH: int
SEARCH_BOTH: int

def deprojectivize(
    starts: Any, heads: Any, labels: Any, wanted: Any, lifted: Any, paths: Any, search_for: int, limit: int = ...
) -> Any: ...
