"""How fast `malt` parses, and how fast MaltParser does.

    [MALTPARSER_CP=...] python benchmarks/parse.py [FILE ...]

Without files: the Danish and Swedish training sets of MALT_SHARED, or the built-in sample. For nivreeager and
2planar: tokens a second of the parser itself (sentences in memory, model loaded) on one thread and on two, seconds
and peak memory of the whole command, and the size of the model. With MaltParser's class path in MALTPARSER_CP it is
run on the same model and file in the same run, and the ratios are printed.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from data import java, timed, treebanks

from malt import commandline
from malt.commands.parse import parsed
from malt.model import read_model
from malt.treebank import open_treebank

ALGORITHMS = ("nivreeager", "2planar")
MALT = [sys.executable, "-c", "import sys; from malt.commands import malt; sys.exit(malt())"]


def main(files: list[str]) -> None:
    """Print a table a file."""
    for name, path in treebanks(files):
        for algorithm in ALGORITHMS:
            with tempfile.TemporaryDirectory() as folder:
                _one(name, path, algorithm, Path(folder))


def _one(name: str, path: str, algorithm: str, folder: Path) -> None:
    subprocess.run([*MALT, "train", "-c", "model", "-a", algorithm, path, "-v", "error"], cwd=folder, check=True)
    settings, _ = commandline.read(["parse", "-c", "model"])
    model = read_model(str(folder / "model.mco"), settings)
    with open_treebank(path, model.recipe.format, "UTF-8", model.recipe.tables, frozen=True) as treebank:
        blocks = list(treebank)
    tokens = sum(len(block.heads) for block in blocks)
    rates = {}
    for jobs in (1, 2):
        best = min(_seconds(model, blocks, jobs) for _ in range(3))
        rates[jobs] = tokens / best
    size = (folder / "model.mco").stat().st_size
    seconds, memory = timed([*MALT, "parse", "-c", "model", path, "-o", "out", "-v", "error"], folder)
    print(f"{name}, {algorithm}: {tokens:,} tokens, model of {size:,} bytes")
    print(f"  the parser itself     {rates[1]:>10,.0f} tokens/s   two threads {rates[2] / rates[1]:.2f} times that")
    print(f"  the whole command     {seconds:>10.2f} s          {memory:,} MB")
    if java():
        ours = (folder / "out").read_bytes()
        command = [*java(), "-c", "model", "-i", path, "-o", "out", "-m", "parse"]
        theirs, their_memory = timed(command, folder)
        same = "the same output" if ours == (folder / "out").read_bytes() else "OTHER OUTPUT"
        print(
            f"  MaltParser's          {theirs:>10.2f} s          {their_memory:,} MB"
            f"   {theirs / seconds:.1f} times ours; {same}"
        )
    print(flush=True)


def _seconds(model: object, blocks: list[object], jobs: int) -> float:
    begin = time.perf_counter()
    for _ in parsed(model, blocks, jobs):  # type: ignore[arg-type]
        pass
    return time.perf_counter() - begin


if __name__ == "__main__":
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    main(sys.argv[1:])
