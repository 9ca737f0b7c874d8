"""How fast `malt` trains, and how fast MaltParser does.

    [MALTPARSER_CP=...] python benchmarks/train.py [FILE ...]

Without files: the Danish and Swedish training sets of MALT_SHARED, or the built-in sample. For nivreeager and
2planar: seconds and peak memory of the whole command, and the size of the model. With MaltParser's class path in
MALTPARSER_CP it trains on the same file in the same run; the ratios are printed, and whether the weights are the
same.
"""

from __future__ import annotations

import sys
import tempfile
import zipfile
from pathlib import Path

from data import MALT, format_of, java, timed, treebanks


def main(files: list[str]) -> None:
    """Print the figures of each file and algorithm."""
    for name, path in treebanks(files):
        for algorithm in ("nivreeager", "2planar"):
            with tempfile.TemporaryDirectory() as folder:
                _one(name, path, algorithm, Path(folder))


def _one(name: str, path: str, algorithm: str, folder: Path) -> None:
    options = ["-m", "learn", "-i", path, "-a", algorithm, *format_of(path)]
    seconds, memory = timed([*MALT, "-c", "ours", *options, "-v", "error"], folder)
    size = (folder / "ours.mco").stat().st_size
    print(f"{name}, {algorithm}: {seconds:.2f} s, {memory:,} MB, model of {size:,} bytes")
    if java():
        command = [*java(), "-c", "theirs", *options]
        theirs, their_memory = timed(command, folder)
        same = _entries(folder / "ours.mco") == _entries(folder / "theirs.mco")
        print(
            f"  MaltParser: {theirs:.2f} s, {their_memory:,} MB: {theirs / seconds:.1f} times the time, "
            f"{their_memory / memory:.1f} times the memory; {'the same weights' if same else 'OTHER WEIGHTS'}"
        )
    print(flush=True)


def _entries(path: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(path) as archive:
        return {n.split("/")[-1]: archive.read(n) for n in archive.namelist() if n.endswith((".moo", ".map"))}


if __name__ == "__main__":
    main(sys.argv[1:])
