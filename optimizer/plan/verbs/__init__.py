"""The verbs of plans, each a kind of step."""

from malt.optimizer.plan.step import Step
from malt.optimizer.plan.verbs.features import Add, Begin, Remove, Window
from malt.optimizer.plan.verbs.options import Choose, Set, Try
from malt.optimizer.plan.verbs.sequences import Compete, Steps, Use
from malt.optimizer.plan.verbs.templates import Select
from malt.optimizer.plan.verbs.votes import Blend

VERBS: dict[str, type[Step]] = {
    verb.__name__.lower(): verb
    for verb in (
        Steps,
        Set,
        Try,
        Choose,
        Window,
        Remove,
        Add,
        Select,
        Blend,
        Compete,
        Begin,
        Use,
    )  # as errors list them
}
