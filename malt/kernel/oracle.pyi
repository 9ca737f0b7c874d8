QUESTIONS: tuple[str, ...]
