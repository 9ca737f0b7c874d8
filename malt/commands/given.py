"""The treebank that a command learns from: files, standard input, or the built-in sample."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Sequence

from malt.errors import UsageError
from malt.running.log import logger


def find_treebank(files: Sequence[str], sample: bool) -> tuple[str, ...]:
    """The files to read; none for the built-in sample, which is used where it is asked for, or where neither a file is
    named nor anything waits at standard input."""
    if sample and files:
        raise UsageError(f"--sample stands for the built-in sample; give it, or {files[0]}, not both")
    if files or sample:
        return tuple(files)
    kind = standard_input()
    if kind:
        logger.info("no treebank is named: reading it from standard input, which is a %s", kind)
        return ("-",)
    return ()


def standard_input() -> str:
    """What standard input is: a pipe or a file; nothing for a terminal, /dev/null, or if it is closed."""
    try:
        mode = os.fstat(sys.stdin.fileno()).st_mode
    except (AttributeError, OSError, ValueError):  # closed, or not that of a process
        return ""
    return "file" if stat.S_ISREG(mode) else "pipe" if stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode) else ""
