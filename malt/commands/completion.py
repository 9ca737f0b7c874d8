"""`malt completion`: the script with which a shell completes command lines."""

from __future__ import annotations

import os

from malt.errors import UsageError, quoted
from malt.settings.completion import SHELLS, completion
from malt.settings.settings import Settings


def run(options: Settings) -> int:
    """Print it."""
    shell = options.files[0] if options.files else os.path.basename(os.environ.get("SHELL", ""))
    if shell not in SHELLS:
        raise UsageError(f"{quoted(shell)}: expected {', '.join(SHELLS)}, such as `malt completion bash`")
    print(completion(shell), end="")
    return 0
