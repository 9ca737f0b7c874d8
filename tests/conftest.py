"""Where the reference data is, for the tests that use it."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest
from hypothesis import settings

ROOT = Path(__file__).resolve().parent.parent

# Programs that are started in the background may ignore interrupts, and so would those that tests start and interrupt.
for name, handler in (("SIGINT", signal.default_int_handler), ("SIGTERM", signal.SIG_DFL), ("SIGHUP", signal.SIG_DFL)):
    if hasattr(signal, name) and signal.getsignal(getattr(signal, name)) == signal.SIG_IGN:
        signal.signal(getattr(signal, name), handler)

# A slow machine is no reason to fail; the examples are the same in every run, so that a failure can be looked at.
settings.register_profile("project", deadline=None, derandomize=True, print_blob=True)
settings.load_profile("project")


@pytest.fixture(scope="session")
def shared() -> Path:
    """The reference data: recorded results of the original programs, and real treebanks."""
    path = Path(os.environ.get("MALT_SHARED") or ROOT.parent / "shared")
    if not (path / "golden").is_dir():
        pytest.skip(f"the reference data is absent: no {path} (MALT_SHARED names another place)")
    return path
