"""How fast the default solver learns, how much memory it takes, and how fast its weights are written, read and used.

    python benchmarks/solver.py [--copies N] FILE ...

A file is an instance file of MaltParser (.ins), or a model that was trained with -li true and has them inside (.mco);
then the weights are compared with those of the model. With --copies the instances are learned from N times over, rare
features being new in each copy, as in a larger treebank: 8 copies of Swedish are 1.5 million tokens.
"""

from __future__ import annotations

import argparse
import io
import resource
import time
import zipfile
from collections.abc import Callable
from pathlib import Path

import numpy

from malt.kernel.instances import FeatureMap, Instances, read_instances
from malt.kernel.solver import Random, crammer_singer
from malt.learning.classifier import LinearClassifier
from malt.learning.compaction import compact
from malt.learning.rows import Rows

FREQUENT = 1500  # the first features are those that every part of a treebank has


def main() -> None:
    """Print the figures of each file."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+", metavar="FILE")
    parser.add_argument("--copies", type=int, default=1, metavar="N")
    arguments = parser.parse_args()
    for path in map(Path, arguments.files):
        print(path.name)
        for name, text, recorded in instance_files(path):
            measure(name, text, recorded if arguments.copies == 1 else None, arguments.copies)


def instance_files(path: Path) -> list[tuple[str, bytes, bytes | None]]:
    """Names, instances, and the recorded classifier if there is one."""
    if path.suffix == ".ins":
        return [(path.name, path.read_bytes(), None)]
    with zipfile.ZipFile(path) as archive:
        names = sorted(name for name in archive.namelist() if name.endswith("liblinear.ins"))
        only = len(names) == 1  # of several, all but the first go on with random numbers of those before
        return [
            (name.split("/")[-1], archive.read(name), archive.read(name[:-3] + "moo") if only else None)
            for name in names
        ]


def measure(name: str, text: bytes, recorded: bytes | None, copies: int) -> None:
    """Print the figures of one classifier."""
    instances, features = Instances(), FeatureMap()
    seconds = clock(lambda: read_instances(text, instances, features))
    print(
        f"  {name}: {len(instances):,} instances, {instances.features:,} features in them, {len(features):,} different"
    )
    print(f"    read            {seconds:8.2f} s")
    rows = len(features)
    if copies > 1:
        instances, rows = multiply(instances, rows, copies), rows * copies
        print(f"    {copies} copies: {len(instances):,} instances, {instances.features:,} features, {rows:,} different")
    before, passes = memory(), 0

    def count(number: int, active: int, violation: float) -> None:
        nonlocal passes
        passes = number

    begin = time.perf_counter()
    codes, starts, places, weights = crammer_singer(instances, rows, 0.1, 0.1, Random(), count)
    seconds = time.perf_counter() - begin
    print(f"    solve           {seconds:8.2f} s, {passes} passes, {len(codes)} classes, {len(weights):,} weights")
    print(f"    peak memory     {memory():8,} MB, {memory() - before:,} of them by the solver")
    if copies > 1:
        return
    stored, table = compact(features, Rows.from_sparse(starts, places, weights))
    classifier = LinearClassifier(codes, table, stored)
    model, map = io.BytesIO(), io.BytesIO()
    seconds = clock(lambda: classifier.write_model(model)) + clock(lambda: classifier.write_map(map))
    same = "" if recorded is None else ", the bytes of MaltParser" if recorded == model.getvalue() else ", OTHER BYTES"
    print(f"    write           {seconds:8.2f} s, {len(model.getvalue()) + len(map.getvalue()):,} bytes{same}")

    def load() -> None:
        again = LinearClassifier.read(model.getvalue(), map.getvalue())
        again.map, again.kernel  # noqa: B018 - these are made when they are first asked for

    print(f"    read again      {clock(load):8.2f} s")
    whole = Rows.from_sparse(starts, places, weights)
    kernel = LinearClassifier(codes, whole, stored).kernel
    seconds = min(clock(lambda: kernel.predict(instances)) for _ in range(3))
    print(f"    predict         {seconds:8.2f} s, {1e9 * seconds / len(instances):,.0f} ns an instance", flush=True)


def multiply(instances: Instances, rows: int, copies: int) -> Instances:
    """Several copies of instances; features that are not frequent are others in each."""
    classes, starts, features = instances.classes(), instances.starts(), instances.rows()
    return Instances.of(
        numpy.tile(classes, copies),
        numpy.concatenate([[0], *(starts[1:] + copy * starts[-1] for copy in range(copies))]),
        numpy.concatenate(
            [numpy.where(features < FREQUENT, features, features + copy * rows) for copy in range(copies)]
        ).astype(numpy.int32),
    )


def clock(work: Callable[[], object]) -> float:
    """The seconds that something takes."""
    begin = time.perf_counter()
    work()
    return time.perf_counter() - begin


def memory() -> int:
    """The peak of memory so far, in megabytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024


if __name__ == "__main__":
    main()
