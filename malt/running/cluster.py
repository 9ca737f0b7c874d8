"""A Dask cluster: what all of the work needs is brought to every worker once, and then the work is sent there.

Nothing of Dask is loaded unless this module is.
"""

from __future__ import annotations

import asyncio
import logging
import pickle
import re
import signal
import socket
import threading
import zlib
from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError, Executor, Future, ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from multiprocessing import resource_tracker
from typing import Any

from joblib.parallel import ParallelBackendBase

from malt.errors import MaltError, UsageError
from malt.running.log import logger
from malt.running.threads import ends_within, start
from malt.version import __version__

try:
    import resource
except ImportError:  # Windows
    resource = None  # type: ignore[assignment]

try:
    from distributed import Client, LocalCluster, Security, WorkerPlugin, get_worker
    from distributed.comm import CommClosedError
    from distributed.core import rpc
    from distributed.scheduler import KilledWorker
    from joblib._dask import DaskDistributedBackend
except ImportError as error:
    reason = "is not installed" if error.name in ("dask", "distributed") else f"cannot be loaded ({error})"
    raise MaltError(f"Dask {reason}: pip install 'maltkit[dask]'") from None

CONNECT = 5.0  # seconds in which a scheduler has to answer
AGAIN = 1.0  # seconds after which it is asked how many workers there are
ARRIVE = 30.0  # seconds in which what is brought has to arrive, or those that have it begin without the others
LEAVE = 3.0  # seconds in which it is taken away again
TRIES = 3  # how often a piece of work is sent, if Dask gives it up; each time it has run it on several workers itself
PAUSE, PAUSES = 5.0, 60  # seconds to wait for what has not arrived yet, and how often
HANDLES, HANDLES_A_PROCESS = 48, 16  # open files that processes here need; 20 were counted, and 11 a process
LOOPBACK = "127.0.0.1"
NAME = "malt"  # what begins the names of what we bring
_ADDRESS = re.compile(r"(?:(?:tcp|tls)://)?(?:\[([0-9A-Fa-f:.]+)\]|([^\s:/\[\]]+)):([0-9]{1,5})")
_START = "; `dask scheduler` starts one"
_LOCAL = re.compile(r"local:([1-9][0-9]{0,2})")
_LOGGERS = ("distributed", "distributed.client", "distributed.scheduler", "distributed.nanny", "tornado.application")


@contextmanager
def open_cluster(address: str) -> Iterator[Cluster]:
    """Connect to a scheduler, or with `local:N` start a cluster of N processes on this machine, closed at the end.

    >>> with open_cluster("somewhere"):
    ...     pass
    Traceback (most recent call last):
    malt.errors.UsageError: --dask somewhere: expected tcp://HOST:PORT, tls://HOST:PORT, or local:N for N processes here
    """
    local, there = _LOCAL.fullmatch(address), _ADDRESS.fullmatch(address)
    if not local and (not there or address.startswith("local:")):
        raise UsageError(
            f"--dask {address}: expected tcp://HOST:PORT, tls://HOST:PORT, or local:N for N processes here"
        )
    with _quiet(), ExitStack() as opened:
        place: Any = address
        security = None
        if local:
            place = opened.enter_context(_local_cluster(int(local[1])))
            security = place.security
        elif there:
            _find_scheduler(address, there[1] or there[2], int(there[3]))
        client = opened.enter_context(Client(place, timeout=CONNECT, security=security, set_as_default=False))
        cluster = Cluster(client, address)
        opened.callback(cluster.close)
        if not cluster.threads:
            logger.warning("warning: %s: there are no workers yet; waiting for some", address)
        yield cluster


def _find_scheduler(address: str, host: str, port: int) -> None:
    """See whether there is a scheduler. A client that does not find one would try for long, and say much."""
    try:
        socket.create_connection((host, port), CONNECT).close()
    except (OSError, OverflowError, UnicodeError) as error:
        raise MaltError(f"{address}: no Dask scheduler answers there ({_line(error)}){_START}") from None

    async def ask() -> dict[str, Any]:
        async with rpc(address, connection_args=Security().get_connection_args("client")) as there:
            return await asyncio.wait_for(there.identity(), CONNECT)

    with ThreadPoolExecutor(1) as thread:  # as there may be a loop in this one, in a notebook
        try:
            found = thread.submit(lambda: asyncio.run(ask())).result()["type"]
        except (TypeError, RuntimeError, FileNotFoundError) as error:  # tls:// without certificates
            raise MaltError(f"{address}: {_line(error)}; see distributed.comm.tls in Dask's configuration") from None
        except CommClosedError:
            reason = (
                "the connection is closed at once; is it a Dask scheduler, and is tls:// right, or its certificates?"
            )
            raise MaltError(f"{address}: {reason}") from None
        except Exception as error:
            why = f"in {CONNECT:.0f} seconds" if isinstance(error, asyncio.TimeoutError) else f"({_line(error)})"
            raise MaltError(f"{address}: no Dask scheduler answers there {why}{_START}") from None
    if found != "Scheduler":
        raise MaltError(f"{address}: this is a Dask {found.lower()}; expected the address of the scheduler")


@contextmanager
def _local_cluster(processes: int) -> Iterator[LocalCluster]:
    """Processes of one thread each. Nothing is seen of them outside this machine, whatever Dask is configured to do."""
    _reserve_handles(processes)
    try:
        with _deaf():
            cluster = LocalCluster(
                n_workers=processes,
                threads_per_worker=1,
                processes=True,
                protocol="tcp",
                security=Security(require_encryption=False),
                host=LOOPBACK,
                dashboard_address=f"{LOOPBACK}:0",  # without it, there may be one on all addresses
                worker_dashboard_address=f"{LOOPBACK}:0",
                memory_limit=0,  # as without Dask
                silence_logs=logging.CRITICAL,
            )
    except Exception as error:  # Dask wraps what the system says into errors of its own
        raise MaltError(f"--dask local:{processes}: the processes cannot be started ({_line(error)})") from None
    try:
        yield cluster
    finally:
        cluster.close()


def _reserve_handles(processes: int) -> None:
    """See that there are enough file handles: with too few, Dask waits without end, or fails in words of its own."""
    if resource is None:
        return
    needed = HANDLES + HANDLES_A_PROCESS * processes
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if resource.RLIM_INFINITY != soft < needed:
        if resource.RLIM_INFINITY != hard < needed:
            reason = f"{hard} file handles are too few; allow {needed} (ulimit -n), or name fewer processes"
            raise MaltError(f"--dask local:{processes}: {reason}")
        resource.setrlimit(resource.RLIMIT_NOFILE, (needed, hard))


@contextmanager
def _deaf() -> Iterator[None]:
    """Let processes that are started now, and by threads that are started now, not hear an interrupt.

    A terminal sends it to all processes. It is for us alone: we end the others.
    """
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    resource_tracker.ensure_running()  # which would let the signal through again
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


class Cluster(Executor):
    """The workers of a Dask scheduler, as an executor. What Dask gives up is sent again, a few times."""

    def __init__(self, client: Client, address: str) -> None:
        self.client, self.address = client, address
        self._sender = client.get_executor(pure=False)
        # What comes back is handled in a thread of ours, as that of Dask must not wait for anything.
        self._clerk = ThreadPoolExecutor(1, "malt-clerk")
        self._brought: dict[str, Luggage] = {}
        self._sweep()
        self.threads = sum(client.nthreads().values())  # of all workers, now or a moment ago
        self._closed = threading.Event()
        threading.Thread(target=self._watch, daemon=True).start()

    def bring(self, thing: object, method: str) -> Call:
        """Bring a thing to every worker, also to those that come later. What is returned calls a method of it there.

        It travels once to each worker and is one object there, which all threads use, until the cluster is closed.
        Scattered data would not do: Dask takes it away from workers that have nothing to do, and it is lost with the
        last worker that has it.
        """
        luggage = Luggage(f"{NAME}-{self.client.id}-{len(self._brought)}", thing)
        self._brought[luggage.name] = luggage
        self._register(luggage)
        return Call(luggage.name, method)

    def submit(self, function: Callable[..., Any], /, *arguments: Any, **named: Any) -> Future[Any]:
        """Call a function on some worker."""
        future: Future[Any] = Future()
        self._send(future, lambda: self._sender.submit(function, *arguments, **named), 1)
        return future

    def close(self) -> None:
        """Take away what was brought. Work that is under way is given up."""

        def leave() -> None:
            self._sender.shutdown(wait=False)
            for name in self._brought:
                self.client.unregister_worker_plugin(name)

        self._closed.set()
        self._clerk.shutdown(wait=False, cancel_futures=True)
        with suppress(Exception):  # whatever is wrong with the cluster, there is nothing left to be done there
            ends_within(start(leave), LEAVE)

    def _watch(self) -> None:
        """Count the threads again and again, and tell when there are none left."""
        while not self._closed.wait(AGAIN):
            with suppress(Exception):  # the last number that is known, as long as it is not connected
                before, self.threads = self.threads, sum(self.client.nthreads().values())
                if before and not self.threads and not self._closed.is_set():
                    logger.warning("warning: %s: there are no workers left; waiting for others", self.address)

    def _send(self, future: Future[Any], send: Callable[[], Future[Any]], tries: int) -> None:
        def ended(sent: Future[Any]) -> None:
            with suppress(RuntimeError):  # closed meanwhile
                self._clerk.submit(self._take, future, send, tries, sent)

        send().add_done_callback(ended)

    def _take(self, future: Future[Any], send: Callable[[], Future[Any]], tries: int, sent: Future[Any]) -> None:
        """Pass on what came of something, or send it again."""
        error = CancelledError() if sent.cancelled() else sent.exception()
        if error is None:
            future.set_result(sent.result())
        elif not isinstance(error, (KilledWorker, CancelledError, CommClosedError, Missing)):
            future.set_exception(error)
        else:
            late = isinstance(error, Missing)
            try:
                if tries >= (PAUSES if late else TRIES):
                    raise MaltError(f"{self.address}: Dask gave up the same work {tries} times: {_reason(error)}")
                if isinstance(error, CancelledError) or (late and tries == 1):
                    for luggage in self._brought.values():
                        self._register(luggage)  # the scheduler may be a new one
                if not late or tries == 1 or not self._closed.wait(PAUSE):
                    self._send(future, send, tries + 1)
            except Exception as wrong:
                gone = MaltError(f"{self.address}: the Dask scheduler is gone ({_line(wrong)})")
                future.set_exception(wrong if isinstance(wrong, MaltError) else gone)

    def _register(self, luggage: Luggage) -> None:
        for last in (False, False, True):
            try:
                sent = start(lambda: self.client.register_plugin(luggage, name=luggage.name))
                if not ends_within(sent, ARRIVE):
                    logger.warning("warning: %s: not all workers answer; those that do begin", self.address)
                return
            except MaltError:
                raise
            except Exception as error:  # a worker that dies just now, or one without maltkit
                if missing := re.search(r"No module named '([\w.]+)'", str(error)):
                    reason = f"a worker has no {missing[1]}; install maltkit {__version__} there"
                    raise MaltError(f"{self.address}: {reason}") from None
                if last:
                    raise MaltError(f"{self.address}: the cluster cannot be reached ({_line(error)})") from None

    def _sweep(self) -> None:
        """Take away what clients have left behind that were killed."""

        async def sweep(dask_scheduler: Any) -> None:  # in here, so that the scheduler need not have maltkit
            for name in list(dask_scheduler.worker_plugins):
                begin, _, rest = name.partition("-")
                if begin == "malt" and rest.rpartition("-")[0] not in dask_scheduler.clients:
                    await dask_scheduler.unregister_worker_plugin(None, name)

        with suppress(Exception):  # a scheduler may be set up to refuse it
            ends_within(start(lambda: self.client.run_on_scheduler(sweep)), LEAVE)


class Luggage(WorkerPlugin):  # type: ignore[misc]
    """What is brought to the workers. The scheduler keeps it for those that come later, and does not look into it."""

    def __init__(self, name: str, thing: object) -> None:
        self.name, self.version = name, __version__
        self._packed = zlib.compress(pickle.dumps(thing), 1)
        self._thing: object = None
        self._lock: threading.Lock | None = None

    def setup(self, worker: object) -> None:
        """Arrive at a worker."""
        if self.version != __version__:
            raise MaltError(f"a worker has maltkit {__version__}, and here is {self.version}; install the same there")
        self._lock = threading.Lock()

    @property
    def thing(self) -> object:
        """The thing, unpacked when it is first needed."""
        assert self._lock is not None
        with self._lock:
            if self._packed:
                self._thing, self._packed = pickle.loads(zlib.decompress(self._packed)), b""
            return self._thing


class Missing(Exception):
    """What was brought is not at this worker."""


@dataclass(frozen=True)
class Call:
    """Calls a method of what was brought to a worker."""

    name: str
    method: str

    def __call__(self, *arguments: Any) -> Any:
        luggage = get_worker().plugins.get(self.name)
        if luggage is None:
            raise Missing(self.name)
        return getattr(luggage.thing, self.method)(*arguments)


class Backend(DaskDistributedBackend):  # type: ignore[misc]
    """joblib's Dask backend, with what is submitted sent by a `Cluster`.

    joblib itself waits for ever for work that Dask gives up, and runs everything in this process if the cluster has a
    single thread. `finished` gets each result as soon as it is there, before joblib asks for more work.
    """

    def __init__(self, cluster: Cluster, finished: Callable[[Any], None]) -> None:
        super().__init__(client=cluster.client)
        self._cluster, self._finished = cluster, finished

    def effective_n_jobs(self, n_jobs: int) -> int:
        """How many pieces of work joblib takes at a time; `pre_dispatch` says how many are under way."""
        return 2

    def get_nested_backend(self) -> tuple[Any, int | None]:
        """What joblib uses on the workers, for what is parallel in itself."""
        nested: tuple[Any, int | None] = ParallelBackendBase.get_nested_backend(self)
        return nested

    def submit(self, func: Callable[[], list[Any]], callback: Callable[[Any], None]) -> Future[Any]:
        """Send a batch, and have its results or its error reported."""

        def ended(done: Future[list[Any]]) -> None:
            try:
                out: Any = done.result()
                for result in out:
                    self._finished(result)
            except BaseException as error:
                out = error
            callback(out)

        future = self._cluster.submit(func)
        future.add_done_callback(ended)
        return future


@contextmanager
def _quiet() -> Iterator[None]:
    """Keep Dask's reports to ourselves: what matters is told in one line."""
    before = {name: logging.getLogger(name).level for name in _LOGGERS}
    for name in before:
        logging.getLogger(name).setLevel(logging.CRITICAL + 1)
    try:
        yield
    finally:
        for name, level in before.items():
            logging.getLogger(name).setLevel(level)


def _reason(error: BaseException) -> str:
    """Why Dask gave something up."""
    if isinstance(error, KilledWorker):
        return f"{error.allowed_failures + 1} workers that ran it have died, maybe for lack of memory"
    return "it was lost" if isinstance(error, CancelledError) else _line(error)


def _line(error: BaseException) -> str:
    text = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    return " ".join(text.split()) or type(error).__name__
