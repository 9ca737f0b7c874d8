"""Where the reference data is, for the tests that use it; and no test is skipped that could run."""

from __future__ import annotations

import os
import shutil
import signal
from importlib.util import find_spec
from pathlib import Path

import pytest
from hypothesis import settings

ROOT = Path(__file__).resolve().parent.parent
SHARED = Path(os.environ.get("MALT_SHARED") or ROOT.parent / "shared")

# What tests may do without, by the word that a reason for skipping has for it; and whether it is here.
HERE = {
    "reference data": SHARED.is_dir(),
    "chromium": bool(shutil.which("chromedriver") or shutil.which("chromium")),
    **{module: find_spec(module) is not None for module in ("dask", "nltk", "selenium", "spacy")},
    "openssl": shutil.which("openssl") is not None,
    **{path: Path(path).exists() for path in ("/dev/full", "/proc")},
    "maltparser": bool(os.environ.get("MALTPARSER_CP")),
    "windows": os.name != "nt",
}

# Programs that are started in the background may ignore interrupts, and so would those that tests start and interrupt.
for name, handler in (("SIGINT", signal.default_int_handler), ("SIGTERM", signal.SIG_DFL), ("SIGHUP", signal.SIG_DFL)):
    if hasattr(signal, name) and signal.getsignal(getattr(signal, name)) == signal.SIG_IGN:
        signal.signal(getattr(signal, name), handler)

# What tests start imports the package that is installed, which need not be the one of the folder it is started in.
os.environ["PYTHONSAFEPATH"] = "1"

# A slow machine is no reason to fail; the examples are the same in every run, so that a failure can be looked at.
settings.register_profile("project", deadline=None, derandomize=True, print_blob=True)
settings.load_profile("project")


@pytest.fixture(scope="session")
def shared() -> Path:
    """The reference data: recorded results of the original programs, and real treebanks."""
    if not (SHARED / "golden").is_dir():
        pytest.skip(f"the reference data is absent: no {SHARED} (MALT_SHARED names another place)")
    return SHARED


def skipped_needlessly(config: pytest.Config) -> list[str]:
    """Where and why tests were skipped although nothing is absent that the reason names."""
    reporter = config.pluginmanager.get_plugin("terminalreporter")
    found = []
    for report in reporter.stats.get("skipped", ()) if reporter else ():
        path, line, reason = report.longrepr
        if not any(word in reason.lower() and not here for word, here in HERE.items()):
            found.append(f"{path}:{line}: {reason}")
    return found


def pytest_sessionfinish(session: pytest.Session) -> None:
    if skipped_needlessly(session.config) and session.exitstatus == pytest.ExitCode.OK:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    if needless := skipped_needlessly(terminalreporter.config):
        terminalreporter.section("skipped although what they need is here")
        terminalreporter.write("".join(f"{line}\n" for line in needless))
