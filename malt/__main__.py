"""`python -m malt`, and where the programs malt and maltopt begin. Nothing is loaded here before it is called for."""

import gc
import signal
import sys

PATIENCE = 10  # seconds


def malt() -> int:
    """The program malt."""
    _end_silently()
    from malt.commands import malt

    return _end_soon(malt())


def maltopt() -> int:
    """The program maltopt."""
    _end_silently()
    from malt.commands import maltopt

    return _end_soon(maltopt())


def _end_soon(code: int) -> int:
    """Let Python end without looking through all objects for circles, which takes 12 ms: they go with the process.
    After a failure it ends in any case: a thread that had no memory to start is waited for for ever."""
    gc.freeze()
    if code and hasattr(signal, "alarm"):
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.alarm(PATIENCE)
    return code


def _end_silently() -> None:
    """Let an interrupt end the program without a word until it listens itself, and after that: Python would show where
    it was loading something."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)


if __name__ == "__main__":
    sys.exit(malt())
