"""Who runs trials, several at a time: threads of this process, or the workers of a Dask cluster."""

from __future__ import annotations

import threading
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Protocol

from malt.learning.trials import NotWanted
from malt.optimizer.trial.outcome import Outcome
from malt.optimizer.trial.setup import Trial
from malt.optimizer.trial.workbench import Workbench
from malt.running.threads import cores

if TYPE_CHECKING:
    from malt.running.cluster import Cluster

Record = Callable[[Trial, Outcome], None]
Wants = Callable[[Trial], bool]
PATIENCE = 10.0  # seconds for running trials to end


class Runner(Protocol):
    """Whoever runs trials."""

    @property
    def jobs(self) -> int:
        """How many are run at a time."""

    def run(self, trials: Iterator[Trial], record: Record, wants: Wants) -> Generator[bool, None, None]:
        """Run trials as long as there are some, or less long. Each is recorded before the next ones are asked for,
        maybe in another thread, or it may be given up where it is not wanted any more; what is yielded is whether it
        was recorded."""


class Threads:
    """Threads of this process."""

    def __init__(self, bench: Workbench, jobs: int = 0) -> None:
        self.bench, self.jobs = bench, jobs or cores()

    def run(self, trials: Iterator[Trial], record: Record, wants: Wants) -> Generator[bool, None, None]:
        """See `Runner`. When it is closed, what is running is given up."""
        from joblib import Parallel, delayed

        ended, change, busy = False, threading.Condition(), 0

        def work(trial: Trial) -> bool:
            nonlocal busy
            with change:
                busy += 1
            try:
                record(*self.bench.attempt(trial, lambda: not ended and wants(trial)))
            except NotWanted:
                return False
            finally:
                with change:
                    busy -= 1
                    change.notify_all()
            return True

        parallel = Parallel(
            self.jobs, backend="threading", return_as="generator_unordered", pre_dispatch="n_jobs", batch_size=1
        )
        try:
            yield from parallel(delayed(work)(trial) for trial in trials)
        finally:  # Python must not end while threads compute
            ended = True
            with change:
                change.wait_for(lambda: not busy, PATIENCE)


class Workers:
    """The workers of a Dask cluster. The workbench is brought to each of them, and the study stays here."""

    def __init__(self, bench: Workbench, cluster: Cluster, jobs: int = 0) -> None:
        self._cluster, self._jobs = cluster, jobs
        self._attempt = cluster.bring(bench, "attempt")

    @property
    def jobs(self) -> int:
        """As many as the workers have threads, unless it was said."""
        return self._jobs or max(1, self._cluster.threads)

    def run(self, trials: Iterator[Trial], record: Record, wants: Wants) -> Generator[bool, None, None]:
        """See `Runner`. It ends early if workers have come or gone, as joblib does not change how many it sends. What
        was sent is finished there, wanted or not."""
        from joblib import Parallel, delayed

        from malt.running.cluster import Backend

        jobs, same = self.jobs, True

        def until_change() -> Iterator[Trial]:
            while same and (trial := next(trials, None)):
                yield trial

        backend = Backend(self._cluster, lambda result: record(*result))
        parallel = Parallel(backend=backend, return_as="generator_unordered", pre_dispatch=jobs, batch_size=1)
        for _ in parallel(delayed(self._attempt)(trial) for trial in until_change()):
            yield True
            same = self.jobs == jobs


@contextmanager
def open_cluster(address: str | None) -> Iterator[Cluster | None]:
    """The Dask cluster at an address; none without it, and then nothing of Dask is loaded."""
    if address is None:
        yield None
        return
    from malt.running import cluster

    with cluster.open_cluster(address) as found:
        yield found


def choose_runner(bench: Workbench, cluster: Cluster | None, jobs: int = 0) -> Runner:
    """The workers of a cluster, or threads here; without `jobs`, as many as there is room for."""
    return Threads(bench, jobs) if cluster is None else Workers(bench, cluster, jobs)
