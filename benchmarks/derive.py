"""How fast the oracles derive, and how long derivations are.

    python benchmarks/derive.py [FILE ...]

Without files: the Danish and Swedish training sets of MALT_SHARED, or the built-in sample. For each transition system:
tokens a second on one core (reading left out), transitions per token, and the same for short and for long sentences:
where derivations are linear, these two do not differ.
"""

from __future__ import annotations

import sys
import time

import numpy
from data import treebanks

from malt.data.treebank import open_treebank
from malt.systems import ALGORITHMS, find_system
from malt.systems.oracle import Oracle


def main(files: list[str]) -> None:
    """Print a table per file."""
    for name, path in treebanks(files):
        with open_treebank(path) as treebank:
            blocks = [(numpy.maximum(block.heads, 0), block.starts) for block in treebank]
        tokens = sum(len(heads) for heads, _ in blocks)
        print(f"{name}: {tokens:,} tokens")
        print(f"{'system':<14}{'tokens/s':>12}{'transitions/token':>19}{'  <= 15 words':>13}{'  >= 30 words':>13}")
        for system in ALGORITHMS:
            oracle = Oracle(find_system(system))
            best = min(_timed(oracle, blocks) for _ in range(3))
            lengths, steps = [], []
            for heads, starts in blocks:
                lengths.append(numpy.diff(starts))
                steps.append(numpy.diff(oracle.derive(heads, starts).bounds))
            n, m = numpy.concatenate(lengths), numpy.concatenate(steps)
            ratios = [m[which].sum() / max(1, n[which].sum()) for which in (n > 0, n <= 15, n >= 30)]
            print(f"{system:<14}{tokens / best:>12,.0f}{ratios[0]:>19.3f}{ratios[1]:>13.3f}{ratios[2]:>13.3f}")
        print()


def _timed(oracle: Oracle, blocks: list[tuple[numpy.ndarray, numpy.ndarray]]) -> float:
    begin = time.perf_counter()
    for heads, starts in blocks:
        oracle.derive(heads, starts)
    return time.perf_counter() - begin


if __name__ == "__main__":
    main(sys.argv[1:])
