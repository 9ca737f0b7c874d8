"""What extraction costs: the oracle's walk with the full default feature vector of every step.

    python benchmarks/instances.py [FILE ...]

Without files: the Danish and Swedish training sets of MALT_SHARED, or the built-in sample. For each transition system:
tokens a second on one core (reading left out), instances, and nanoseconds a feature value.
"""

from __future__ import annotations

import sys
import time

from data import treebanks

from malt.data.treebank import open_treebank
from malt.parsing.instances import Extraction
from malt.parsing.trainer import Trainer
from malt.settings import commandline
from malt.systems import ALGORITHMS


def main(files: list[str]) -> None:
    """Print a table per file."""
    for name, path in treebanks(files):
        print(f"{name}")
        print(f"{'system':<14}{'tokens/s':>12}{'instances':>12}{'features':>10}{'ns/value':>10}")
        for system in ALGORITHMS:
            settings, _ = commandline.read(["instances", "-a", system, path])
            trainer = Trainer(settings)
            with open_treebank(path, tables=trainer.prepare) as treebank:
                blocks = list(treebank)
            tokens = sum(len(block.heads) for block in blocks)
            times = []
            for _ in range(3):
                extraction = Extraction(trainer.machine)
                begin = time.perf_counter()
                for block in blocks:
                    extraction.add(block)
                times.append(time.perf_counter() - begin)
            count, width = extraction.sinks["odm0"].count, len(trainer.specification.features.main)
            best = min(times)
            print(f"{system:<14}{tokens / best:>12,.0f}{count:>12,}{width:>10}{best / count / width * 1e9:>10.1f}")
        print()


if __name__ == "__main__":
    main(sys.argv[1:])
