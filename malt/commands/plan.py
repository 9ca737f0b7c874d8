"""`maltopt plan`: print a plan of search, or list the built-in ones."""

from __future__ import annotations

import sys

from malt.optimizer.plan.reader import find_plan, plan_names
from malt.settings.settings import Settings


def run(options: Settings) -> int:
    """Print the text of a plan, which has then been checked."""
    if options.files:
        sys.stdout.write(find_plan(options.files[0]).text)
        return 0
    width = max(map(len, plan_names()))
    for name in plan_names():
        print(f"{name:{width}}  {find_plan(name).about}")
    return 0
