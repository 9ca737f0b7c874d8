from collections.abc import Sequence

class Machine:
    def __init__(
        self,
        kernel: int,
        degree: int,
        gamma: float,
        coef0: float,
        starts: Sequence[int],
        rows: Sequence[int],
        values: Sequence[float],
        sizes: Sequence[int],
        coefficients: Sequence[Sequence[float]],
        rho: Sequence[float],
    ) -> None: ...
