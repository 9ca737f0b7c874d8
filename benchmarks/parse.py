"""How fast `malt` parses, and how fast MaltParser does.

    [MALTPARSER_CP=...] python benchmarks/parse.py [FILE ...]

Without files: the Danish and Swedish training sets of MALT_SHARED, or the built-in sample. For nivreeager and
2planar: tokens a second of the parser itself (sentences in memory, model loaded) on one thread and on two; seconds and
peak memory of the whole command, for the file and for one sentence; and the size of the model. With MaltParser's class
path in MALTPARSER_CP it is run on the same model and files in the same run, and the ratios are printed. Its own rate is
what it needs for four copies of the file less what it needs for one, so that its start does not count. Of several runs
of ours and of its the fastest one counts.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from data import MALT, format_of, java, parse_seconds, timed, treebanks

from malt.data.treebank import open_treebank
from malt.model import read_model
from malt.settings import commandline

ALGORITHMS = ("nivreeager", "2planar")


def main(files: list[str]) -> None:
    """Print a table per file."""
    for name, path in treebanks(files):
        for algorithm in ALGORITHMS:
            with tempfile.TemporaryDirectory() as folder:
                _one(name, path, algorithm, Path(folder))


def _one(name: str, path: str, algorithm: str, folder: Path) -> None:
    learn = ["-m", "learn", "-c", "model", "-a", algorithm, "-i", path, *format_of(path), "-v", "error"]
    subprocess.run([*MALT, *learn], cwd=folder, check=True)
    settings, _ = commandline.read(["parse", "-c", "model"])
    model = read_model(str(folder / "model.mco"), settings)
    with open_treebank(path, model.format, "UTF-8", model.tables, frozen=True) as treebank:
        blocks = list(treebank)
    tokens = sum(len(block.heads) for block in blocks)
    best = {1: float("inf"), 2: float("inf")}
    for _ in range(8):
        for jobs in best:  # in turn, so that both see the same machine
            best[jobs] = min(best[jobs], parse_seconds(model, blocks, jobs))
    print(f"{name}, {algorithm}: {tokens:,} tokens, model of {(folder / 'model.mco').stat().st_size:,} bytes")
    print(
        f"  the parser itself     {tokens / best[1]:>10,.0f} tokens/s   two threads {best[1] / best[2]:.2f} times that"
    )
    text = Path(path).read_bytes()
    (folder / "four").write_bytes(text * 4)
    (folder / "one").write_bytes(text[: text.index(b"\n\n") + 2])
    ours = [*MALT, "-m", "parse", "-c", "model", "-o", "out", "-v", "error", "-i"]
    alone, _ = _fastest([*ours, "one"], folder, 6)
    seconds, memory = _fastest([*ours, path], folder, 6)
    print(f"  one sentence          {alone:>10.2f} s")
    print(f"  the whole command     {seconds:>10.2f} s          {memory:,} MB")
    if java():
        output = (folder / "out").read_bytes()
        command = [*java(), "-c", "model", "-o", "out", "-m", "parse", "-i"]
        four, _ = _fastest([*command, "four"], folder, 2)
        theirs, their_memory = _fastest([*command, path], folder, 3)
        same = "the same output" if output == (folder / "out").read_bytes() else "OTHER OUTPUT"
        rate = 3 * tokens / max(four - theirs, 1e-9)
        print(f"  MaltParser itself     {rate:>10,.0f} tokens/s   ours {tokens / best[1] / rate:.1f} times that")
        print(
            f"  its whole command     {theirs:>10.2f} s          {their_memory:,} MB"
            f"   {theirs / seconds:.1f} times ours; {same}"
        )
    print(flush=True)


def _fastest(command: list[str], folder: Path, runs: int) -> tuple[float, int]:
    return min(timed(command, folder) for _ in range(runs))


if __name__ == "__main__":
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    main(sys.argv[1:])
