"""`maltopt phase2`: one phase of three, so that its choices can be changed before the next."""

from __future__ import annotations

from malt.commands.run import tune
from malt.settings.settings import Settings


def run(options: Settings) -> int:
    """Phase 2."""
    return tune(options, ("phase2",))
