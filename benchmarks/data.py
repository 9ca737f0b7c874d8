"""The treebanks that benchmarks run on."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from malt.commands.parse import parse_blocks
from malt.data.block import Block
from malt.model import Model
from malt.sample import text

# How `malt` is started, whether or not its command is installed.
MALT = [sys.executable, "-c", "import sys; from malt.commands import malt; sys.exit(malt())"]
MALTOPT = [*MALT[:2], MALT[2].replace("malt()", "maltopt()").replace("import malt", "import maltopt")]

# Installed modules are compiled to bytecode once. Here, too: each command that is timed must have run before.
BYTECODE = Path(tempfile.gettempdir()) / "malt-benchmark-bytecode"


def treebanks(files: list[str]) -> list[tuple[str, str]]:
    """Names and paths: the files given, else the training sets of MALT_SHARED, else a sample of 10,000 sentences."""
    if files:
        return [(Path(file).name, file) for file in files]
    found = [(language, reference_data() / language / "train.conll") for language in ("danish", "swedish")]
    if all(path.exists() for _, path in found):
        return [(language, str(path)) for language, path in found]
    path = Path(tempfile.mkdtemp()) / "sample.conll"
    path.write_text("".join(text(10_000)), encoding="utf-8")
    return [("sample", str(path))]


def reference_data() -> Path:
    """The treebanks of MALT_SHARED, which may be absent."""
    shared = Path(os.environ.get("MALT_SHARED") or Path(__file__).resolve().parent.parent.parent / "shared")
    return shared / "data"


def format_of(path: str) -> list[str]:
    """What tells MaltParser's command line the format of a file: it takes every one for CoNLL-X."""
    return ["-if", "conllu"] if path.endswith(".conllu") else []


def java() -> list[str]:
    """How MaltParser is started, if its class path is in MALTPARSER_CP."""
    path = os.environ.get("MALTPARSER_CP", "")
    return ["java", "-cp", path, "org.maltparser.Malt"] if path else []


def parse_seconds(model: Model, blocks: list[Block], jobs: int) -> float:
    """How long the parser itself takes."""
    begin = time.perf_counter()
    for _ in parse_blocks(model, blocks, jobs):
        pass
    return time.perf_counter() - begin


def timed(command: list[str], folder: Path) -> tuple[float, int]:
    """Seconds and peak memory (MB) of a command."""
    nowhere, environment = subprocess.DEVNULL, {**os.environ, "PYTHONPYCACHEPREFIX": str(BYTECODE)}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    begin = time.perf_counter()
    process = subprocess.Popen(command, cwd=folder, stdout=nowhere, stderr=nowhere, env=environment)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise RuntimeError(f"{' '.join(command)} failed")
    return time.perf_counter() - begin, usage.ru_maxrss // 1024
