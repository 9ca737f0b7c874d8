"""The command `malt` of a checkout that was installed with `pip install -e .`: python cli.py analyze FILE."""

import sys

from malt.__main__ import malt

if __name__ == "__main__":
    sys.exit(malt())
