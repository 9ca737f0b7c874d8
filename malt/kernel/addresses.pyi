from typing import Any

ADDRESSES: tuple[str, ...]

class Addresses:
    def __init__(self, program: Any) -> None: ...
