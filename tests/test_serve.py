"""`malt serve`: UDPipe's REST interface, the page, and clients that are too large, too slow, wrong, or too many."""

from __future__ import annotations

import http.client
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from urllib.parse import quote, urlencode

import pytest

import malt
from malt.commands import malt as command
from malt.errors import UsageError
from malt.model import Model
from malt.serving.form import Refused
from malt.serving.ranges import Ranges
from malt.serving.server import ADDRESS, Server
from malt.serving.service import Service

TEXT = "La kasta domé. Mira vidé kastan."
ALL = {"tokenizer": "", "tagger": "", "parser": ""}
FORM = {"Content-Type": "application/x-www-form-urlencoded"}
Answer = tuple[int, dict[str, str], str]


@pytest.fixture(scope="module")
def model() -> Model:
    return malt.train("".join(malt.sample.text(100, "conllu")), text=True, passes=2, jackknife=2)


class Running:
    """A server in this process."""

    def __init__(
        self, model: Model, *, size: int = 100_000, wait: float = 5, connections: int = 32, seconds: float = 30
    ):
        self.service = Service([model], 2, seconds)
        self.server = Server(("127.0.0.1", 0), self.service, size, wait, connections)
        self.port = self.server.server_port
        threading.Thread(target=self.server.serve_forever, args=(0.02,), daemon=True).start()

    def ask(self, method: str, path: str, body: bytes | str | None = None, **headers: str) -> Answer:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
        connection.request(method, path, body, {name.replace("_", "-"): value for name, value in headers.items()})
        answer = connection.getresponse()
        text = answer.read().decode()
        connection.close()
        return answer.status, {name.lower(): value for name, value in answer.getheaders()}, text

    def post(self, path: str = "/process", **fields: str) -> Answer:
        return self.ask("POST", path, urlencode(fields), Content_Type=FORM["Content-Type"])

    def send(self, data: bytes) -> bytes:
        """All that comes back to bytes that need not be a request."""
        with self.connect() as connection:
            connection.sendall(data)
            return rest(connection)

    def connect(self) -> socket.socket:
        return socket.create_connection(("127.0.0.1", self.port), timeout=20)

    def end(self) -> None:
        self.server.shutdown()
        assert self.server.finish(20)


def rest(connection: socket.socket) -> bytes:
    parts = []
    while part := connection.recv(1 << 16):
        parts.append(part)
    return b"".join(parts)


def status(answer: bytes) -> int:
    return int(answer.split()[1])


@pytest.fixture(scope="module")
def running(model: Model) -> Iterator[Running]:
    found = Running(model)
    yield found
    found.end()


def test_process_gives_what_the_library_gives(running: Running, model: Model) -> None:
    code, headers, text = running.post(data=TEXT, **ALL)
    answer = json.loads(text)
    assert (code, headers["content-type"]) == (200, "application/json; charset=utf-8")
    assert list(answer) == ["model", "acknowledgements", "result"]
    assert isinstance(answer["acknowledgements"], list)
    assert answer["model"] == running.service.default
    found = malt.read(answer["result"], "conllu")
    assert [str(sentence) for sentence in found] == [str(sentence) for sentence in model(TEXT)]


def test_get_and_both_kinds_of_post_are_the_same(running: Running) -> None:
    fields = {"data": TEXT, **ALL}
    wanted = running.post(**fields)[2]
    assert running.ask("GET", f"/process?{urlencode(fields)}")[2] == wanted
    parts = [f'--xyz\r\nContent-Disposition: form-data; name="{n}"\r\n\r\n{v}\r\n' for n, v in fields.items()]
    body = f"{''.join(parts)}--xyz--\r\n".encode()
    assert running.ask("POST", "/process", body, Content_Type="multipart/form-data; boundary=xyz")[2] == wanted
    # The address may have some of them, and letters as they are.
    raw = running.send(f"GET /process?data={quote('La')}+domé.&tokenizer HTTP/1.1\r\n\r\n".encode())
    assert status(raw) == 200
    assert "domé" in raw.decode()


def test_steps_inputs_and_outputs(running: Running) -> None:
    def result(**fields: str) -> str:
        code, _, text = running.post(**fields)
        assert code == 200, text
        return str(json.loads(text)["result"])

    def column(text: str, place: int) -> list[str]:
        return [line.split("\t")[place] for line in text.splitlines() if line and line[0] != "#"]

    tokens = result(data=TEXT, tokenizer="")
    assert set(column(tokens, 3)) == set(column(tokens, 6)) == {"_"}
    tags = result(data=TEXT, tokenizer="", tagger="")
    assert "VERB" in column(tags, 3)
    assert set(column(tags, 6)) == {"_"}
    assert result(data=tags, parser="") == result(data=TEXT, **ALL)
    assert result(data=tokens, tagger="", parser="") == result(data=TEXT, **ALL)
    # A tagger replaces tags that there are; without it they stay.
    wrong = tags.replace("\tVERB\t", "\tX\t")
    assert result(data=wrong, tagger="") == tags
    assert result(data=wrong) == wrong
    assert "X" in column(result(data=wrong, parser=""), 3)
    assert result(data="La kasta\ndomé.", tokenizer="presegmented").count("# sent_id") == 2
    assert result(data="La kasta domé .\n", input="horizontal", output="vertical") == "La\nkasta\ndomé\n.\n\n"
    assert result(data="La\nkasta\n\ndomé\n", input="vertical", output="horizontal") == "La kasta\ndomé\n"
    assert result(data="", **ALL) == ""


def test_ranges_of_tokens(running: Running, model: Model) -> None:
    text = f"\ufeff  {TEXT}\n\n e\u0301  \U0001f600 domé.\n"
    for wish in ("ranges", "ranges;presegmented"):
        answer = json.loads(running.post(data=text, tokenizer=wish, tagger="")[2])["result"]
        words = [line.split("\t") for line in answer.splitlines() if line and line[0] != "#"]
        assert len(words) > 10
        for fields in words:
            begin, end = map(int, fields[9].split("TokenRange=")[1].split(":"))
            assert text[begin:end] == fields[1]
    plain = json.loads(running.post(data=text, tokenizer="", tagger="")[2])["result"]
    assert "TokenRange" not in plain
    rows = ["1-2 del SpaceAfter=No", "1 de _", "2 el _", "3 mar _"]
    fields = [row.split() for row in rows]
    lines = [f"{number}\t{form}{chr(9)}{chr(9).join('_' * 7)}\t{misc}" for number, form, misc in fields]
    found = Ranges("delmar").add("\n".join(lines)).splitlines()
    ends = ["SpaceAfter=No|TokenRange=0:3", "_", "_", "TokenRange=3:6"]
    assert [line.split("\t")[9] for line in found] == ends


def test_spaces_that_are_normalized(running: Running) -> None:
    text = f"  {TEXT}\n\ndomé  kastan"
    exact, plain = (
        json.loads(running.post(data=text, tokenizer=wish)[2])["result"] for wish in ("", "normalized_spaces")
    )
    assert {"SpacesBefore=\\s\\s", "SpacesAfter=\\n\\n", "SpaceAfter=No"} <= ends(exact)
    assert ends(plain) == {"_", "SpaceAfter=No"}
    assert plain.count("# newpar") == exact.count("# newpar") == 2
    both = json.loads(running.post(data=text, tokenizer="ranges;normalized_spaces")[2])["result"]
    assert "TokenRange=2:4" in ends(both)


def ends(conllu: str) -> set[str]:
    return {line.split("\t")[9] for line in conllu.splitlines() if line and line[0] != "#"}


def test_what_udpipe_understands_as_a_model_or_a_step(running: Running, model: Model) -> None:
    wanted = running.post(data=TEXT, tokenizer="")[2]
    assert running.post(data=TEXT, tokenizer="", tagger="none", parser="none", model="")[2] == wanted
    named = [replace(model, path=f"/models/{name}.mco") for name in ("tale-long-one", "tale-two", "tale")]
    service = Service(named, 1, 30)
    for asked, found in (("tale", "tale"), ("tale-long", "tale-long-one"), ("", "tale-long-one")):
        assert service.process({"data": TEXT, "tokenizer": "", "model": asked})["model"] == found
    with pytest.raises(Refused, match="there is no model 'tal'"):
        service.process({"data": TEXT, "model": "tal"})


def test_models(running: Running) -> None:
    code, _, text = running.ask("GET", "/models")
    name = running.service.default
    assert (code, json.loads(text)) == (
        200,
        {"models": {name: ["tokenizer", "tagger", "parser"]}, "default_model": name},
    )
    assert running.post(data=TEXT, model=name, **ALL)[0] == 200


def test_page_shows_trees_and_escapes(running: Running) -> None:
    code, headers, text = running.ask("GET", "/")
    assert (code, headers["content-type"]) == (200, "text/html; charset=utf-8")
    assert "<form" in text
    assert "<svg" not in text
    code, _, text = running.post("/", data="La <script>alert(1)</script> domé. </textarea>")
    assert (code, "<svg" in text) == (200, True)
    assert "<script" not in text
    assert text.count("</textarea>") == 1
    assert "&lt;script&gt;" in text
    assert "default-src 'none'" in headers["content-security-policy"]
    assert running.ask("GET", f"/?{urlencode({'data': TEXT})}")[2].count("<svg") == 2
    assert "there is no model" in running.post("/", data=TEXT, model="<none>")[2]


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({}, "data is missing"),
        ({"data": "a", "model": "none"}, "there is no model 'none'"),
        ({"data": "a", "input": "epe"}, "input: expected conllu"),
        ({"data": "a", "output": "epe"}, "output: expected conllu"),
        ({"data": "a", "tokenizer": "x"}, "tokenizer: expected nothing or presegmented"),
        ({"data": "1\ta\t_\t_\t_\t_\tx\t_\t_\t_\n", "parser": ""}, "data, line 1"),
    ],
)
def test_wrong_parameters(running: Running, fields: dict[str, str], said: str) -> None:
    code, headers, text = running.post(**fields)
    assert (code, headers["content-type"]) == (400, "text/plain; charset=utf-8")
    assert said in text
    assert text.count("\n") == 1


LONG = b"GET /" + b"x" * (ADDRESS + 10) + b" HTTP/1.1\r\n\r\n"
HEAD = b"POST /process HTTP/1.1\r\nContent-Type: application/x-www-form-urlencoded\r\n"


@pytest.mark.parametrize(
    ("request_", "code"),
    [
        (b"hello\r\n\r\n", 400),
        (b"GET /models\r\n\r\n", 400),
        (b"GET /models HTTP/7.x\r\n\r\n", 400),
        (b"GET /models HTTP/2.0\r\n\r\n", 505),
        (b"\r\n\r\nGET /models HTTP/1.1\r\n\r\n", 400),
        (b"GET /process?data=100%&tokenizer HTTP/1.1\r\n\r\n", 400),
        (HEAD + b"Content-Length: 18\r\n\r\ndata=a%zz&tokenizer", 400),
        (b"\x00\xff\xfe HTTP/1.1\r\n\r\n", 400),
        (b"GET /process?data=%ff HTTP/1.1\r\n\r\n", 400),
        (b"GET /process?data=\xff HTTP/1.1\r\n\r\n", 400),
        (b"GET /models HTTP/1.1\r\nX: " + b"x" * 70_000 + b"\r\n\r\n", 431),
        (b"GET /models HTTP/1.1\r\n" + b"X: x\r\n" * 200 + b"\r\n", 431),
        (b"GET /process?" + b"&".join(b"a=%d" % i for i in range(200)) + b" HTTP/1.1\r\n\r\n", 400),
        (HEAD + b"Content-Length: -1\r\n\r\n", 400),
        (HEAD + b"Content-Length: 1\r\nContent-Length: 2\r\n\r\nab", 400),
        (HEAD + "Content-Length: ²\r\n\r\n".encode("latin-1"), 400),
        (HEAD + b"Content-Length: 4\r\n\r\n\xff\xff\xff\xff", 400),
        (b"POST /process HTTP/1.1\r\nContent-Length: 2\r\n\r\nab", 400),
        (b"POST /process HTTP/1.1\r\nContent-Type: multipart/form-data\r\nContent-Length: 2\r\n\r\nab", 400),
        (
            b"POST /process HTTP/1.1\r\nContent-Type: multipart/form-data; boundary=b\r\nContent-Length: 3\r\n\r\n--b",
            400,
        ),
        (b"GET /other HTTP/1.1\r\n\r\n", 404),
        (b"GET /../etc/passwd HTTP/1.1\r\n\r\n", 404),
        (b"POST /other HTTP/1.1\r\n\r\n", 404),
        (b"DELETE /process HTTP/1.1\r\n\r\n", 405),
        (b"BREW / HTTP/1.1\r\n\r\n", 405),
        (HEAD + b"\r\n", 411),
        (HEAD + b"Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 411),
        (HEAD + b"Content-Length: 100001\r\n\r\n", 413),
        (HEAD + b"Content-Length: 100001\r\nExpect: 100-continue\r\n\r\n", 413),
        (HEAD + b"Content-Length: " + b"9" * 5000 + b"\r\n\r\n", 413),
        (HEAD + b"Content-Length: 3000000\r\n\r\n" + b"x" * 3_000_000, 413),
        (LONG, 414),
    ],
)
def test_what_is_wrong_gets_its_status_and_a_line(running: Running, request_: bytes, code: int) -> None:
    answer = running.send(request_)
    assert status(answer) == code
    head, _, text = answer.partition(b"\r\n\r\n")
    assert b"Connection: close" in head
    assert b"text/plain" in head
    assert text.count(b"\n") == 1
    assert b"Traceback" not in text
    assert (b"Allow: GET, HEAD, POST" in head) == (code == 405)
    assert running.post(data="domé", tokenizer="")[0] == 200


def test_an_empty_line_may_come_before_a_request(running: Running) -> None:
    assert status(running.send(b"\r\nGET /models HTTP/1.1\r\n\r\n")) == 200


def test_one_answer_for_each_connection(running: Running) -> None:
    """Clients that would send several requests are told that the connection ends."""
    for head in (b"", b"Connection: keep-alive\r\n"):
        answer = running.send((b"GET /models HTTP/1.1\r\n" + head + b"\r\n") * 3)
        assert answer.count(b"HTTP/1.1 200 OK") == 1
        assert b"Connection: close" in answer


def test_the_page_takes_a_model_that_takes_text(model: Model) -> None:
    columns = replace(malt.train("".join(malt.sample.text(50, "conllu"))), path="columns.mco")
    mixed = Running(model)
    mixed.service = mixed.server.service = Service([columns, model], 1, 30)
    assert "<svg" in mixed.post("/", data=TEXT)[2]
    mixed.end()


def test_head_has_no_body_and_a_client_may_ask_first(running: Running) -> None:
    answer = running.send(b"HEAD /models HTTP/1.1\r\n\r\n")
    assert status(answer) == 200
    assert answer.endswith(b"\r\n\r\n")
    with running.connect() as connection:
        connection.sendall(HEAD + b"Content-Length: 17\r\nExpect: 100-continue\r\n\r\n")
        assert connection.recv(1000).startswith(b"HTTP/1.1 100 ")
        connection.sendall(b"data=La&tokenizer")
        assert status(rest(connection)) == 200


@pytest.mark.parametrize("beginning", [b"GET /mod", HEAD, HEAD + b"Content-Length: 50\r\n\r\ndata="])
def test_slow_clients_get_408(model: Model, beginning: bytes) -> None:
    slow = Running(model, wait=1)
    with slow.connect() as connection:
        begin = time.monotonic()
        connection.sendall(beginning)
        for _ in range(3):  # a byte now and then does not help
            time.sleep(0.3)
            connection.sendall(b"x")
        assert status(rest(connection)) == 408
        assert time.monotonic() - begin < 4
    with slow.connect() as connection:  # who says nothing is told nothing
        assert rest(connection) == b""
    slow.end()


def test_too_many_connections_get_503(model: Model) -> None:
    few = Running(model, connections=2, wait=20)
    idle = [few.connect() for _ in range(2)]
    for connection in idle:
        connection.sendall(b"GET ")
    time.sleep(0.3)
    answer = few.send(b"GET /models HTTP/1.1\r\n\r\n")
    assert status(answer) == 503
    assert b"Retry-After" in answer
    for connection in idle:
        connection.sendall(b"/models HTTP/1.1\r\n\r\n")
        assert status(rest(connection)) == 200
        connection.close()
    time.sleep(0.3)
    assert few.ask("GET", "/models")[0] == 200
    few.end()


def test_large_answers_are_few_at_a_time(model: Model, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("malt.serving.server.LARGE", 100)
    monkeypatch.setattr("malt.serving.server.MOST_LARGE", 1)
    few = Running(model, wait=1)
    with few.server.room(101):
        assert few.post(data="La kasta domé. " * 20, **ALL)[0] == 503
        assert few.post(data="La kasta domé.", **ALL)[0] == 200
    assert few.post(data="La kasta domé. " * 20, **ALL)[0] == 200
    few.end()


def test_who_does_not_take_the_answer_is_left(model: Model) -> None:
    slow = Running(model, wait=1, size=4_000_000)
    with slow.connect() as connection:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        body = b"tokenizer&data=" + b"La+kasta+" * 200_000
        connection.sendall(HEAD + b"Content-Length: %d\r\n\r\n" % len(body) + body)
        slow.end()  # which waits for all connections


def test_work_that_takes_too_long_gets_503(model: Model) -> None:
    service = Service([model], 1, 0.0)
    with pytest.raises(Refused, match="longer than 0 seconds") as refused:
        service.process({"data": TEXT * 100, **ALL})
    assert refused.value.status == 503
    service = Service([model], 1, 60.0)
    service.ending.set()
    with pytest.raises(Refused, match="the service ends"):
        service.process({"data": TEXT, **ALL})


def test_models_that_cannot_be_served(model: Model) -> None:
    with pytest.raises(UsageError, match="a service needs models of CoNLL-U"):
        Service([malt.train(malt.sample.text(50))], 1, 1)
    with pytest.raises(UsageError, match="two models named"):
        Service([model, model], 1, 1)


def test_a_model_without_text_parses_columns() -> None:
    service = Service([malt.train("".join(malt.sample.text(50, "conllu")))], 1, 60)
    assert list(service.list()["models"].values()) == [["parser"]]  # type: ignore[attr-defined]
    text = str(service.process({"data": "1\tdomé\t_\tVERB\tVf\t_\t_\t_\t_\t_\n\n", "parser": ""})["result"])
    assert text.split("\t")[6:8] == ["0", "root"]
    for wish in ({"tokenizer": ""}, {"tagger": ""}, {"input": "horizontal"}):
        with pytest.raises(Refused, match="has no t"):
            service.process({"data": "x", **wish})


def test_many_clients_at_once(running: Running) -> None:
    texts = [" ".join(["La kasta domé."] * number) for number in range(1, 9)]
    alone = [running.post(data=text, **ALL)[2] for text in texts]
    with ThreadPoolExecutor(8) as pool:
        together = list(pool.map(lambda text: running.post(data=text, **ALL), texts * 10))
    assert {code for code, _, _ in together} == {200}
    assert [text for _, _, text in together] == alone * 10


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_it_after_what_is_under_way(model: Model, tmp_path: Path, number: signal.Signals) -> None:
    model.save(tmp_path / "sample.mco")
    words = [sys.executable, "-m", "malt", "serve", "-c", str(tmp_path / "sample"), "--port", "0"]
    with subprocess.Popen(words, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        line = process.stderr.readline()
        assert line.startswith("Serving sample at http://127.0.0.1:")
        port = int(line.split("127.0.0.1:")[1].split("/")[0])
        with socket.create_connection(("127.0.0.1", port), timeout=20) as connection:
            connection.sendall(HEAD + b"Content-Length: 17\r\n\r\ndata=La")
            time.sleep(0.3)
            os.kill(process.pid, number)
            assert process.stderr.readline().startswith("Ending")
            connection.sendall(b"&tokenizer")
            answer = rest(connection)
        assert status(answer) == 200
        assert b"# text = La" in answer.replace(b"\\n", b"\n")
        assert (process.wait(20), process.stderr.read()) == (0, "")


def test_errors_of_the_command(model: Model, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert command(["serve"]) == 2
    assert "which model? -c NAME" in capfd.readouterr().err
    model.save(tmp_path / "sample.mco")
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        assert command(["serve", "-c", str(tmp_path / "sample"), "--port", port]) == 1
    assert f"cannot listen at 127.0.0.1, port {port}: " in capfd.readouterr().err
    assert command(["serve", "-c", str(tmp_path / "sample"), "--host", "no.such.host.invalid"]) == 1
    assert "--host and --port choose another place" in capfd.readouterr().err
