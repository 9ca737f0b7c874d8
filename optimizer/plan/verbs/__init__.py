"""The verbs of plans, each a kind of step."""

from malt.optimizer.plan.step import Step
from malt.optimizer.plan.verbs.features import Add, Begin, Remove, Window
from malt.optimizer.plan.verbs.options import Choose, Set, Try
from malt.optimizer.plan.verbs.sequences import Compete, Steps, Use

_EVERY: tuple[type[Step], ...] = (Steps, Set, Try, Choose, Window, Remove, Add, Compete, Begin, Use)
VERBS = {verb.__name__.lower(): verb for verb in _EVERY}  # as errors list them
