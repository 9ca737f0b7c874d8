"""Searches and corpora on a Dask cluster: a scheduler and two workers, each a process of its own, on this machine."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from absent import without
from test_best import TINY, VOTE

import malt
from malt.commands import malt as parser
from malt.commands import maltopt
from malt.errors import DataError, MaltError, UsageError

pytest.importorskip("distributed", reason="Dask is absent: pip install 'maltkit[dask]'")

import dask.bag
from joblib import Parallel, delayed

from malt.running.cluster import Backend, Cluster, Luggage, open_cluster

pytestmark = pytest.mark.slow

PATIENCE = 60
QUIET: dict[str, Any] = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
NO_DASHBOARD = ("--dashboard-address", "127.0.0.1:0")
PLAN = """
like: default
phase2: [{name: algorithms, tree: one, steps: [{try: stackproj}, {try: planar, else: [{try: covproj}]}]}]
phase3: [{name: tags, window: POSTAG, of: S, templates: trigrams, grow: 1}]
"""
WITHOUT = without(
    "distributed",
    """from malt.commands import malt
sys.exit(malt(["parse", "-c", "m", "--dask", "local:2", "in.conll"]))""",
)


class Processes:
    """A scheduler and its workers, started as a user starts them."""

    def __init__(self, folder: Path, *words: str) -> None:
        self.file = folder / "scheduler.json"
        self.workers: list[subprocess.Popen[bytes]] = []
        self.scheduler = self._start("scheduler", "--host", "127.0.0.1", "--port", "0", *NO_DASHBOARD, *words)
        until(lambda: self.file.exists() and self.file.read_text().rstrip().endswith("}"))
        self.address: str = json.loads(self.file.read_text())["address"]

    def _start(self, what: str, *words: str) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-m", "dask", what, "--scheduler-file", str(self.file), *words]
        return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def start_worker(self, *words: str) -> None:
        common = ("--host", "127.0.0.1", "--nthreads", "1", "--no-nanny", *NO_DASHBOARD)
        self.workers.append(self._start("worker", *common, *words))

    def fill(self) -> None:
        """Have two workers again."""
        self.workers = [worker for worker in self.workers if worker.poll() is None]
        while len(self.workers) < 2:
            self.start_worker()
        with open_cluster(self.address) as cluster:
            until(lambda: len(cluster.client.nthreads()) == 2)

    def close(self) -> None:
        for process in (*self.workers, self.scheduler):
            process.kill()
            process.wait()


def until(true: Callable[[], object]) -> None:
    end = time.monotonic() + PATIENCE
    while not true():
        assert time.monotonic() < end, "it takes too long"
        time.sleep(0.02)


@pytest.fixture(scope="module")
def processes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Processes]:
    found = Processes(tmp_path_factory.mktemp("dask"))
    try:
        yield found
    finally:
        found.close()


@pytest.fixture
def address(processes: Processes) -> str:
    processes.fill()
    return processes.address


@pytest.fixture(scope="module")
def corpus() -> str:
    return "".join(malt.sample.text(3000, seed=2))  # several parts


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, corpus: str) -> Path:
    """An empty folder with a model, something to parse, and a treebank and a plan for a search."""
    monkeypatch.chdir(tmp_path)
    malt.train(malt.sample.text(60)).save("m")
    Path("in.conll").write_text(corpus)
    Path("t.conll").write_text("".join(malt.sample.text(100, seed=4)))
    Path("plan.yaml").write_text(PLAN)
    return tmp_path


def parsed(*words: str) -> bytes:
    assert parser(["parse", "-v", "warn", "-c", "m", *words, "-o", "out"]) == 0
    return Path("out").read_bytes()


def command(program: str, *words: str, **more: Any) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-c", f"from malt.commands import {program} as run; run()", *words], **more
    )


# -- malt parse


@pytest.mark.parametrize("words", [(), ("-of", "malttab"), ("-j", "1")])
def test_the_same_bytes(words: tuple[str, ...], address: str) -> None:
    expected = parsed(*words, "in.conll") if words != ("-j", "1") else parsed("in.conll")
    assert parsed("--dask", address, *words, "in.conll") == expected
    assert len(expected) > 500_000


def test_the_same_bytes_in_another_charset(address: str, corpus: str) -> None:
    malt.train(malt.sample.text(60), outcharset="UTF-16").save("m")
    Path("in.conll").write_bytes(b"\xef\xbb\xbf" + corpus.encode())
    expected = parsed("in.conll")
    assert expected.startswith(b"\xfe\xff")
    assert expected.count(b"\xfe\xff\x00") == 1
    assert parsed("--dask", address, "in.conll") == expected


@pytest.mark.parametrize("where", [0, 40_000])
def test_the_same_error(where: int, address: str, corpus: str, capsys: pytest.CaptureFixture[str]) -> None:
    lines = corpus.splitlines(keepends=True)
    lines[where] = lines[where].replace("1\t", "x\t", 1) if where == 0 else "nonsense\n"
    Path("in.conll").write_text("".join(lines))
    said = []
    for words in ((), ("--dask", address)):
        assert parser(["parse", "-c", "m", *words, "in.conll", "-o", "out"]) == 1
        said.append(capsys.readouterr().err)
    assert said[0] == said[1]
    assert said[0].startswith(f"malt: in.conll, line {where + 1}")
    assert not Path("out").exists()


def test_nothing_to_parse(address: str, capsys: pytest.CaptureFixture[str]) -> None:
    Path("in.conll").write_text("")
    assert parsed("--dask", address, "in.conll") == b""
    assert "no sentences were found" in capsys.readouterr().err


def test_diagnostics_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert parser(["parse", "-c", "m", "--dask", "local:2", "-di", "true", "in.conll"]) == 2
    assert "-di and --dask do not go together" in capsys.readouterr().err


def test_a_worker_dies_while_it_parses(processes: Processes, address: str, corpus: str) -> None:
    expected = parsed("in.conll")
    victim, text = processes.workers[0], corpus.encode()
    with (
        command("malt", "parse", "-c", "m", "--dask", address, stdin=-1, stdout=-1, stderr=-3) as client,
        ThreadPoolExecutor(1) as thread,
    ):
        assert client.stdin is not None
        assert client.stdout is not None
        client.stdin.write(text[:600_000])
        client.stdin.flush()
        begin = client.stdout.read(1000)  # so both workers have the model
        victim.send_signal(signal.SIGSTOP)
        client.stdin.write(text[600_000:])
        client.stdin.close()
        client.stdin = None
        rest = thread.submit(client.stdout.read)
        time.sleep(0.5)
        assert not rest.done()  # something is at the worker that stands still
        victim.kill()
        assert begin + rest.result() == expected
    assert client.returncode == 0


# -- maltopt


def tuned(folder: str, *words: str) -> dict[str, object]:
    os.makedirs(folder, exist_ok=True)
    treebank = os.path.abspath("t.conll")
    assert (
        maltopt(["run", "-v", "warn", "-c", f"{folder}/s", "--plan", "plan.yaml", "--folds", "2", *words, treebank])
        == 0
    )
    return result(folder)


def result(folder: str) -> dict[str, object]:
    """All that must be the same: what was decided and why, the options, the features and the model."""
    found: dict[str, object] = {
        name: Path(folder, "s", name).read_bytes()
        for name in ("features.xml", "options.yaml", "phase1.yaml", "phase2.yaml", "phase3.yaml")
    }
    report = json.loads(Path(folder, "s", "report.json").read_text())
    for part in ("phases", "chosen", "trees", "heldout", "luck"):
        found[part] = report[part]
    found["decisions"] = report["trials"]["decisions"]
    found["model"] = malt.load(f"{folder}/s/s").options
    return found


def journal(folder: str) -> list[str]:
    try:
        lines = Path(folder, "s", "journal.jsonl").read_text().splitlines()[1:]
    except FileNotFoundError:
        return []
    return [json.dumps([line["trial"], line["fold"], line.get("rough")]) for line in map(json.loads, lines)]


def search(folder: str, address: str) -> subprocess.Popen[bytes]:
    os.makedirs(folder)
    words = ("-c", f"{folder}/s", "--plan", "plan.yaml", "--folds", "2", "--dask", address)
    return command("maltopt", "run", *words, os.path.abspath("t.conll"), stdout=-3, stderr=-3)


def test_a_search_whose_worker_dies_and_whose_client_is_killed(processes: Processes, address: str) -> None:
    expected = tuned("here", "-j", "1")
    with search("there", address) as client:
        until(lambda: len(journal("there")) >= 2)
        processes.workers[0].send_signal(signal.SIGSTOP)
        before = len(journal("there"))
        until(lambda: len(journal("there")) >= before + 2)  # the other one goes on
        processes.workers[0].kill()
        assert client.wait(PATIENCE) == 0
    assert result("there") == expected

    with search("again", address) as client:
        until(lambda: len(journal("again")) >= 2)
        client.kill()
    known = journal("again")
    assert len(known) < len(journal("here"))
    assert tuned("again", "--dask", address) == expected
    assert journal("again")[: len(known)] == known
    assert len(set(journal("again"))) == len(journal("again"))  # nothing was run twice
    with open_cluster(address) as cluster:
        assert brought(cluster) == set()  # neither of the one that ended nor of the one that was killed


def brought(cluster: Cluster) -> set[str]:
    def names(dask_worker: Any) -> list[str]:
        return [name for name in dask_worker.plugins if name.startswith("malt-")]

    return {name for found in cluster.client.run(names).values() for name in found}


def test_from_python(address: str) -> None:
    words = {"plan": "plan.yaml", "phases": ["phase1"], "folds": 2}
    here = malt.optimizer.run("t.conll", jobs=1, **words)
    there = malt.optimizer.run("t.conll", dask=address, **words)
    assert there.best == here.best
    assert there.attempts == here.attempts


# -- the cluster


class Thing:
    """What is brought to workers."""

    def __init__(self, calls: int = 0) -> None:
        self.calls = calls

    def who(self, pause: float) -> tuple[int, int, int]:
        time.sleep(pause)
        self.calls += 1
        return os.getpid(), id(self), self.calls

    def die(self) -> None:
        os._exit(1)


def test_one_object_a_worker(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import psutil

    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parent))  # the workers need this module
    with open_cluster("local:2") as cluster:
        listening = [
            connection.laddr.ip
            for process in (psutil.Process(), *psutil.Process().children(recursive=True))
            for connection in process.net_connections("inet")
            if connection.status == psutil.CONN_LISTEN
        ]
        assert set(listening) == {"127.0.0.1"}
        call = cluster.bring(Thing(), "who")
        told: list[tuple[int, int, int]] = []
        parallel = Parallel(backend=Backend(cluster, told.append), return_as="generator_unordered", pre_dispatch=2)
        found = list(parallel(delayed(call)(0.1) for _ in range(8)))
        assert sorted(found) == sorted(told)
        time.sleep(2.5)  # Dask takes scattered data away from those that do nothing for so long
        found += [future.result() for future in [cluster.submit(call, 0.1) for _ in range(2)]]
        objects = {(process, identity) for process, identity, _ in found}
        assert len(objects) == 2
        assert os.getpid() not in {process for process, _ in objects}
        assert sum(max(calls for process, _, calls in found if process == one) for one, _ in objects) == len(found)


def test_what_dask_gives_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parent))
    with dask.config.set({"distributed.scheduler.allowed-failures": 0}), open_cluster("local:3") as cluster:
        call = cluster.bring(Thing(), "die")
        parallel = Parallel(backend=Backend(cluster, print), return_as="generator_unordered", pre_dispatch=1)
        with pytest.raises(MaltError, match=r"local:3: Dask gave up the same work 3 times: 1 workers that ran it"):
            list(parallel(delayed(call)() for _ in range(2)))


def test_another_version(monkeypatch: pytest.MonkeyPatch) -> None:
    luggage = Luggage("malt-x", 1)
    luggage.version = "0.0.9"
    with pytest.raises(MaltError, match=r"a worker has maltkit .*, and here is 0.0.9"):
        luggage.setup(None)


@pytest.mark.parametrize(
    ("address", "code", "words"),
    [
        ("127.0.0.1:9", 1, "127.0.0.1:9: no Dask scheduler answers there"),
        ("tls://no.such.host.invalid:9", 1, "no Dask scheduler answers there"),
        ("127.0.0.1:99999", 1, "no Dask scheduler answers there"),
        ("gopher://127.0.0.1:70", 2, "expected tcp://HOST:PORT"),
        ("", 2, "expected tcp://HOST:PORT"),
        ("local:0", 2, "expected tcp://HOST:PORT"),
        ("nowhere", 2, "expected tcp://HOST:PORT"),
    ],
)
def test_no_scheduler(address: str, code: int, words: str, capsys: pytest.CaptureFixture[str]) -> None:
    begin = time.monotonic()
    assert parser(["parse", "-c", "m", "--dask", address, "in.conll"]) == code
    assert time.monotonic() < begin + 10
    [line] = capsys.readouterr().err.splitlines()
    assert words in line


def test_tls_without_certificates(address: str, capsys: pytest.CaptureFixture[str]) -> None:
    there = address.replace("tcp:", "tls:")
    for cert in ("", "none.pem"):
        with dask.config.set({"distributed.comm.tls.ca-file": cert or None}):
            assert parser(["parse", "-c", "m", "--dask", there, "in.conll"]) == 1
        [line] = capsys.readouterr().err.splitlines()
        assert line.endswith("see distributed.comm.tls in Dask's configuration")


def test_no_scheduler_for_a_search(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("malt.running.cluster.CONNECT", 0.5)
    assert maltopt(["run", "-c", "s", "--dask", "127.0.0.1:9", "t.conll"]) == 1
    assert len(capsys.readouterr().err.splitlines()) == 1
    assert not Path("s").exists()


@pytest.mark.skipif(not shutil.which("openssl"), reason="openssl is absent, which makes the certificate")
def test_tls(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    make = "openssl req -x509 -newkey rsa:2048 -nodes -days 1 -subj /CN=malt -keyout key.pem -out cert.pem"
    subprocess.run(make.split(), check=True, capture_output=True)
    options = ("--tls-ca-file", "cert.pem", "--tls-cert", "cert.pem", "--tls-key", "key.pem")
    expected = parsed("t.conll")
    tls = Processes(tmp_path, "--protocol", "tls", *options)
    try:
        tls.start_worker(*options)
        assert parser(["parse", "-c", "m", "--dask", tls.address.replace("tls", "tcp"), "t.conll"]) == 1
        assert "the connection is closed at once" in capsys.readouterr().err
        with dask.config.set(
            {
                "distributed.comm.tls.ca-file": "cert.pem",
                "distributed.comm.tls.client.cert": "cert.pem",
                "distributed.comm.tls.client.key": "key.pem",
            }
        ):
            assert parsed("--dask", tls.address, "t.conll") == expected
    finally:
        tls.close()


def test_a_local_cluster_whatever_is_configured() -> None:
    with dask.config.set({"distributed.comm.require-encryption": True, "distributed.comm.default-scheme": "tls"}):
        assert parsed("--dask", "local:1", "t.conll") == parsed("t.conll")


LIMITED = """import resource, sys
from malt.commands import malt
resource.setrlimit(resource.RLIMIT_NOFILE, (int(sys.argv[1]), int(sys.argv[2])))
sys.exit(malt(["parse", "-q", "-c", "m", "--dask", "local:2", "t.conll", "-o", "out"]))"""


@pytest.mark.parametrize("handles", [15, 40])
def test_too_few_file_handles(handles: int) -> None:
    words = [sys.executable, "-c", LIMITED, str(handles), str(handles)]
    done = subprocess.run(words, capture_output=True, text=True, check=False, timeout=PATIENCE)
    reason = f"{handles} file handles are too few; allow 80 (ulimit -n), or name fewer processes"
    assert (done.returncode, done.stderr) == (1, f"malt: --dask local:2: {reason}\n")
    assert not Path("out").exists()


def test_more_file_handles_are_taken_where_they_may_be() -> None:
    words = [sys.executable, "-c", LIMITED, "40", "200"]
    subprocess.run(words, check=True, timeout=PATIENCE)
    assert Path("out").read_bytes() == parsed("t.conll")


@pytest.mark.parametrize("seconds", [0.7, 2.5])
def test_an_interrupt_of_all_processes(seconds: float) -> None:
    """As a terminal sends it: to the workers, too."""
    process = command(
        "malt", "parse", "-c", "m", "--dask", "local:2", "-", "-o", "out", **QUIET, start_new_session=True
    )
    time.sleep(seconds)
    os.killpg(process.pid, signal.SIGINT)
    assert process.communicate(timeout=PATIENCE) == (b"", b"malt: interrupted\n")
    assert not Path("out").exists()


def test_a_worker_that_does_not_answer(
    processes: Processes, address: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """It is told of, and does not keep others from beginning, nor the command from ending."""
    stopped = processes.workers[0]
    stopped.send_signal(signal.SIGSTOP)
    try:
        process = command("malt", "parse", "-c", "m", "--dask", address, "in.conll", "-o", "out", **QUIET)
        time.sleep(3)
        process.send_signal(signal.SIGTERM)
        begin = time.monotonic()
        assert process.communicate(timeout=PATIENCE)[1].endswith(b"malt: stopped by SIGTERM\n")
        assert time.monotonic() < begin + 20
        monkeypatch.setattr("malt.running.cluster.ARRIVE", 0.5)
        with open_cluster(address) as cluster:
            cluster.bring(Thing(), "who")
        assert "not all workers answer; those that do begin" in caplog.text
    finally:
        stopped.kill()
        stopped.wait()


def test_no_workers_left(processes: Processes, address: str, caplog: pytest.LogCaptureFixture) -> None:
    with open_cluster(address) as cluster:
        for worker in processes.workers:
            worker.kill()
        until(lambda: "there are no workers left; waiting for others" in caplog.text)
        assert cluster.threads == 0


def test_a_worker_without_maltkit(processes: Processes, address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with open_cluster(address) as cluster:

        def fail(*_: object, **__: object) -> None:
            raise Exception("ModuleNotFoundError(\"No module named 'malt'\")")

        monkeypatch.setattr(cluster.client, "register_plugin", fail)
        with pytest.raises(MaltError, match=r"a worker has no malt; install maltkit [\d.]+ there"):
            cluster.bring(Thing(), "call")


def test_without_dask(tmp_path: Path) -> None:
    done = subprocess.run([sys.executable, "-c", WITHOUT], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (1, "malt: Dask is not installed: pip install 'maltkit[dask]'\n")


def test_dask_is_not_loaded_unless_asked_for() -> None:
    code = "import sys; from malt.commands import malt; malt(sys.argv[1:]); print('distributed' in sys.modules)"
    words = [sys.executable, "-c", code, "parse", "-c", "m", "t.conll", "-o", "out"]
    assert subprocess.run(words, capture_output=True, text=True, check=True).stdout == "False\n"


# -- the library


def test_bags(address: str) -> None:
    model, sentences = malt.load("m"), malt.read("t.conll")
    expected = [str(sentence) for sentence in model.parse(sentences)]
    texts = dask.bag.from_sequence([str(sentence) for sentence in sentences], npartitions=4)
    with open_cluster(address) as cluster:
        assert cluster.client.compute(model.parse_bag(texts)).result() == expected
    found = model.parse_bag(dask.bag.from_sequence(sentences, npartitions=4)).compute(scheduler="threads")
    assert [str(sentence) for sentence in found] == expected


def test_partitions(corpus: str) -> None:
    from malt.integrations import partitions as partition

    texts = [str(sentence) for sentence in malt.read("t.conll")] * 4
    expected = [str(sentence) for sentence in malt.load("m").parse(texts)]
    assert list(malt.parse_partition(iter(texts), "m")) == expected
    assert partition.open_model("m") is partition.open_model(Path("m.mco"))
    malt.train(malt.sample.text(70)).save("m")
    again = partition.open_model("m")
    assert len(again.tables["FORM"]) != 0
    assert again is partition.open_model("m")
    assert list(malt.parse_partition([], "m")) == []


@pytest.mark.parametrize("wrong", ["", "\n", "twice"])
def test_a_row_that_is_not_one_sentence(wrong: str) -> None:
    right = str(malt.read("t.conll")[0])
    wrong = wrong.replace("twice", 2 * right)
    with pytest.raises(DataError, match=r"sentence 2 of the partition: expected one sentence; there are [02] in it"):
        list(malt.parse_partition([right, wrong, right], "m"))
    with pytest.raises(UsageError, match="not NoneType"):
        list(malt.parse_partition([right, None], "m"))  # type: ignore[list-item]


def test_a_model_is_unpickled_once() -> None:
    import pickle

    data = pickle.dumps(malt.load("m"))
    assert pickle.loads(data) is pickle.loads(data)


def test_a_vote_on_a_cluster(address: str) -> None:
    """Structured trials, and parsers that vote: what a worker has parsed another one parses again."""
    Path("vote.yaml").write_text(TINY.rstrip() + VOTE)
    treebank, reports = os.path.abspath("t.conll"), []
    for folder, words in (("here", ("-j", "1")), ("there", ("--dask", address))):
        assert maltopt(["run", "-q", "-c", folder, "--plan", "vote.yaml", "--folds", "1", *words, treebank]) == 0
        reports.append(json.loads(Path(folder, "report.json").read_text()))
    for part in ("phases", "chosen", "heldout", "luck", "decisions"):
        assert reports[0][part] == reports[1][part]
    assert len(reports[1]["chosen"]["members"]) >= 3
