from collections.abc import Sequence

from malt.kernel.featuremap import FeatureMap
from malt.kernel.instances import Instances

class Sink:
    instances: Instances
    map: FeatureMap
    @property
    def count(self) -> int: ...
    def __init__(self, slots: Sequence[int], drops_nulls: bool = False, as_text: bool = False) -> None: ...
    def take_text(self) -> bytes: ...
