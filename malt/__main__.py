"""`python -m malt`, and where the programs malt and maltopt begin."""

import signal

# Until the program listens itself, and after its end, an interrupt ends it without a word; Python shows a traceback.
if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
    signal.signal(signal.SIGINT, signal.SIG_DFL)

import sys

from malt.commands import malt, maltopt

__all__ = ["malt", "maltopt"]

if __name__ == "__main__":
    sys.exit(malt())
