OPERATIONS: tuple[str, ...]
