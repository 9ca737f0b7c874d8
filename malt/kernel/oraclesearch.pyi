from typing import final

MOST_MET: int

@final
class OracleSearch:
    cut: int
