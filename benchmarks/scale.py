"""Parse and search on a Dask cluster of one and of two workers on this machine, and see what travels.

python benchmarks/scale.py [--copies N] [TREEBANK]

Seconds by the clock mean something on a machine that is idle. The processor time of the busiest process is what it
would take there if each thread had a processor to itself and never waited. It is shown of the client, the scheduler
and the workers, in this order. Starting and connecting do not count. Bytes are those of the loopback interface, with
all that uses it.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
from data import treebanks

import malt
from malt.commands.parse import parse_blocks, parse_on_cluster
from malt.data.treebanks import open_treebanks
from malt.optimizer.search.run import Terms, carry_out, open_run
from malt.optimizer.trial.runners import choose_runner
from malt.parsing.textworker import Output
from malt.running.cluster import Cluster, open_cluster

WAYS = {(0, 1): "no Dask", (1, 1): "one worker", (2, 1): "two workers", (1, 2): "one worker of two threads"}


def main() -> None:
    """Print what was measured."""
    arguments = argparse.ArgumentParser()
    arguments.add_argument("treebank", nargs="*")
    arguments.add_argument("--copies", type=int, default=8, help="how long the corpus is")
    arguments.add_argument("--folds", type=int, default=2)
    given = arguments.parse_args()
    train = Path(treebanks(given.treebank)[0][1])
    with tempfile.TemporaryDirectory() as folder:
        corpus = Path(folder, "corpus.conll")
        corpus.write_bytes(given.copies * train.read_bytes())
        model = malt.train(train)
        print(f"model {len(model.content()) / 1e6:.1f} MB, corpus {corpus.stat().st_size / 1e6:.1f} MB")
        table("malt parse", "words", lambda cluster: parsing(model, corpus, cluster))
        table("maltopt phase2", "trials", lambda cluster: searching(train, given.folds, cluster))


def table(title: str, unit: str, measure: Callable[[Cluster | None], int]) -> None:
    """Each way in turn."""
    busiest: dict[tuple[int, int], float] = {}
    for way, name in WAYS.items():
        with workers(*way) as (cluster, processes):
            before, begin = loopback(), time.perf_counter()
            used = [sum(process.cpu_times()[:2]) for process in processes]
            amount = measure(cluster)
            took = time.perf_counter() - begin
            used = [sum(process.cpu_times()[:2]) - old for process, old in zip(processes, used, strict=True)]
            busiest[way] = max(*used[:2], *(one / way[1] for one in used[2:])) if used[1:] else used[0]
            shown = ", ".join(f"{one:.2f}" for one in used)
            print(f"  {title}, {name}: {amount:,} {unit}, {took:.2f} s by the clock; processor: {shown};", end=" ")
            print(f"{(loopback() - before) / 1e6:.1f} MB", flush=True)
    for way, name in WAYS.items():
        print(
            f"{title}, {name}: {busiest[way]:.2f} s of the busiest, {busiest[1, 1] / busiest[way]:.2f} times one worker"
        )


@contextlib.contextmanager
def workers(number: int, threads: int) -> Iterator[tuple[Cluster | None, list[psutil.Process]]]:
    """A scheduler and some workers of some threads each; with the processes: client, scheduler, workers."""
    if not number:
        yield None, [psutil.Process()]
        return
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder, "scheduler.json")
        common = ["--scheduler-file", str(place), "--host", "127.0.0.1", "--dashboard-address", "127.0.0.1:0"]
        words = [["scheduler", "--port", "0", *common]]
        words += [["worker", "--nthreads", str(threads), "--no-nanny", *common] for _ in range(number)]
        nowhere = subprocess.DEVNULL
        processes = [
            subprocess.Popen([sys.executable, "-m", "dask", *part], stdout=nowhere, stderr=nowhere) for part in words
        ]
        try:
            while not place.exists() or not place.read_text():
                time.sleep(0.1)
            with open_cluster(json.loads(place.read_text())["address"]) as cluster:
                while cluster.threads < number * threads:
                    time.sleep(0.1)
                yield cluster, [psutil.Process(), *(psutil.Process(process.pid) for process in processes)]
        finally:
            for process in processes:
                process.kill()
                process.wait()


def parsing(model: malt.Model, path: Path, cluster: Cluster | None) -> int:
    """How many words were parsed, and written to memory."""
    output = Output(model.format, model.format, "utf-8", as_maltparser=True)
    with open_treebanks([str(path)], model.format, "UTF-8", model.tables, frozen=True) as treebank:
        if cluster is not None:
            return sum(part.words for part in parse_on_cluster(model, treebank, cluster, 0, output))
        writer, words = output.make_writer(model), 0
        for block in parse_blocks(model, treebank):
            writer.write(block)
            words += len(block.heads)
        return words


def searching(train: Path, folds: int, cluster: Cluster | None) -> int:
    """How many trials were run."""
    with open_run(train, None, Terms(folds=folds, holdout="0")) as (found, _):
        found.study.phases = ("phase2",)
        found.runner = choose_runner(found.bench, cluster, 1 if cluster is None else 0)
        carry_out(found, None)
        return found.ran


def loopback() -> int:
    """Bytes that have gone over the loopback interface so far."""
    with contextlib.suppress(OSError):
        for line in Path("/proc/net/dev").read_text().splitlines():
            if line.strip().startswith("lo:"):
                return int(line.split(":")[1].split()[0])
    return 0


if __name__ == "__main__":
    main()
