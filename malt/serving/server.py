"""The HTTP server: connections, each with a thread of its own and one request, and never too many of them.

It trusts nobody: what a client sends has a size and a time, whatever it says of itself, and what is wrong is answered
by a status and one line.
"""

from __future__ import annotations

import contextlib
import io
import json
import socket
import threading
import time
from collections.abc import Iterator, Mapping
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from malt.data.source import read
from malt.drawing.reports.service import service_page
from malt.errors import printable
from malt.running.log import logger
from malt.serving.form import BUSY, Refused, bad, read_form, read_query
from malt.serving.service import CONLLU, Service
from malt.version import __version__

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

ADDRESS = 1 << 16  # bytes of the first line of a request
REFUSING = 32  # connections above the most that still are told so
LARGE, MOST_LARGE = 1 << 18, 8  # characters of a request whose answer takes much memory, and how many there may be
LINGER = 1.0  # seconds in which a client may read an answer that came before it had sent everything
HTML, JSON, PLAIN = "text/html; charset=utf-8", "application/json; charset=utf-8", "text/plain; charset=utf-8"
_SAFE = {
    "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; base-uri 'none'; "
    "frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
}


class Slow(Exception):
    """A client that takes too long."""


class Stream(io.RawIOBase):
    """What a client sends, all of it within some seconds."""

    def __init__(self, connection: socket.socket, seconds: float) -> None:
        self._connection, self._end = connection, time.monotonic() + seconds
        self.begun = False

    def readable(self) -> bool:
        """It is."""
        return True

    def readinto(self, buffer: WriteableBuffer) -> int:
        """The next bytes."""
        left = self._end - time.monotonic()
        if left <= 0:
            raise Slow
        self._connection.settimeout(left)
        try:
            count = self._connection.recv_into(buffer)
        except TimeoutError:
            raise Slow from None
        self.begun |= count > 0
        return count


class Server(HTTPServer):
    """Listens at an address, and has one thread for each connection: `connections` of them at most."""

    request_queue_size = 128

    def __init__(self, address: tuple[str, int], service: Service, size: int, wait: float, connections: int) -> None:
        """`size` is how many bytes a body may have, `wait` how many seconds a client may take."""
        self.service, self.size, self.wait = service, size, wait
        self._most, self._open, self._changed = connections, 0, threading.Condition()
        self._large = threading.BoundedSemaphore(MOST_LARGE)
        if ":" in address[0]:
            self.address_family = socket.AF_INET6
        super().__init__(address, Handler)

    def server_bind(self) -> None:
        """Bind, without asking who this machine is, as the base class does: that may take many seconds."""
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self.socket.bind(self.server_address)
        self.server_address = self.socket.getsockname()
        self.server_name, self.server_port = str(self.server_address[0]), int(self.server_address[1])

    def process_request(self, request: Any, client_address: Any) -> None:
        """Answer a connection, in a thread of its own."""
        with self._changed:
            if self._open >= self._most + REFUSING:
                self.close_request(request)
                return
            self._open += 1
            busy = self._open > self._most
        thread = threading.Thread(target=self._answer, args=(request, client_address, busy), daemon=True)
        try:
            thread.start()
        except RuntimeError:  # the system has no more threads
            self._closed(request)

    @contextlib.contextmanager
    def room(self, characters: int) -> Iterator[None]:
        """Room for an answer: CoNLL-U takes many times the memory of its text, until a client has taken it."""
        if characters <= LARGE:
            yield
            return
        if not self._large.acquire(timeout=self.wait):
            raise Refused(HTTPStatus.SERVICE_UNAVAILABLE, BUSY)
        try:
            yield
        finally:
            self._large.release()

    def _answer(self, request: socket.socket, client_address: Any, busy: bool) -> None:
        try:
            Handler(request, client_address, self, busy)
            _let_read(request)
        except OSError:
            pass  # the client has gone
        except Exception as error:
            self._tell(error)
        finally:
            self._closed(request)

    def _closed(self, request: socket.socket) -> None:
        self.close_request(request)
        with self._changed:
            self._open -= 1
            self._changed.notify_all()

    def _tell(self, error: Exception) -> None:
        logger.error("this is a bug of malt (%s: %s); please report it", type(error).__name__, printable(str(error)))

    def finish(self, seconds: float) -> bool:
        """Take no more connections, and let those that there are come to their end; whether they did in this time."""
        self.server_close()
        with self._changed:
            return self._changed.wait_for(lambda: not self._open, seconds)


class Handler(BaseHTTPRequestHandler):
    """One request."""

    server: Server
    protocol_version = "HTTP/1.1"

    def __init__(self, request: socket.socket, client_address: Any, server: Server, busy: bool = False) -> None:
        self._busy = busy
        super().__init__(request, client_address, server)

    def setup(self) -> None:
        """Streams that do not wait for ever."""
        super().setup()
        self.rfile.close()
        self._stream = Stream(self.connection, self.server.wait if not self._busy else LINGER)
        self.rfile = io.BufferedReader(self._stream)
        self.command, self.requestline, self.request_version = "", "", ""

    def handle(self) -> None:
        """Read the request and answer it."""
        self.close_connection = True
        try:
            if self._busy:
                raise Refused(HTTPStatus.SERVICE_UNAVAILABLE, BUSY)
            self._read_head()
        except Slow:
            if self._stream.begun:
                self._refuse(HTTPStatus.REQUEST_TIMEOUT, "the request takes too long")
        except Refused as refused:
            self._refuse(refused.status, refused.reason)

    def _read_head(self) -> None:
        self.raw_requestline = self.rfile.readline(ADDRESS + 1)
        if self.raw_requestline in (b"\r\n", b"\n"):  # some clients send one before a request (RFC 9112, 2.2)
            self.raw_requestline = self.rfile.readline(ADDRESS + 1)
        if not self.raw_requestline:
            return
        if not self.raw_requestline.strip():
            raise bad("expected a request, and there is an empty line")
        if len(self.raw_requestline) > ADDRESS:
            raise Refused(HTTPStatus.REQUEST_URI_TOO_LONG, "the address is too long; send the data with POST")
        if not self.parse_request():
            return  # and it was told so
        if self.request_version == "HTTP/0.9":
            raise bad("expected a request of HTTP/1.0 or HTTP/1.1")
        try:
            self._respond()
        except (Slow, Refused, OSError):
            raise
        except Exception as error:
            self.server._tell(error)
            self._refuse(HTTPStatus.INTERNAL_SERVER_ERROR, "this is a bug of the service")

    def _respond(self) -> None:
        try:
            url = urlsplit(self.path.encode("latin-1").decode())
        except ValueError:  # no UTF-8, or brackets that are no address
            raise bad("the address is not valid") from None
        answers = {"/": self._page, "/models": self._models, "/process": self._process}
        if url.path not in answers:
            raise Refused(HTTPStatus.NOT_FOUND, f"there are {', '.join(answers)}")
        if self.command not in ("GET", "HEAD", "POST"):
            raise Refused(HTTPStatus.METHOD_NOT_ALLOWED, "expected GET or POST")
        given = read_query(url.query)
        if self.command == "POST":
            given |= read_form(self.headers, self._body())
        with self.server.room(sum(map(len, given.values()))):
            self._send(HTTPStatus.OK, *answers[url.path](given))

    def _length(self) -> int:
        """How many bytes the body has."""
        lengths = set(self.headers.get_all("Content-Length", []))
        if not lengths or "Transfer-Encoding" in self.headers:
            raise Refused(HTTPStatus.LENGTH_REQUIRED, "expected a Content-Length, and no Transfer-Encoding")
        length = lengths.pop().strip()
        if lengths or not (length.isascii() and length.isdecimal()):
            raise bad("the Content-Length is no number")
        # More digits than any size has would take long to be read.
        if len(length.lstrip("0")) > 18 or int(length) > self.server.size:
            most = f"{self.server.size:,} bytes"
            raise Refused(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, f"the data is too large: at most {most} at a time")
        return int(length)

    def handle_expect_100(self) -> bool:
        """Let a client that asks first send its data, unless it is too large."""
        self._length()
        return super().handle_expect_100()

    def _body(self) -> bytes:
        length = self._length()
        body = self.rfile.read(length)
        if len(body) < length:
            raise bad("the data is shorter than its Content-Length")
        return body

    def _models(self, given: Mapping[str, str]) -> tuple[str, str]:
        return JSON, json.dumps(self.server.service.list(), ensure_ascii=False, indent=1)

    def _process(self, given: Mapping[str, str]) -> tuple[str, str]:
        return JSON, json.dumps(self.server.service.process(given), ensure_ascii=False, indent=1)

    def _page(self, given: Mapping[str, str]) -> tuple[str, str]:
        service = self.server.service
        models = [name for name, served in service.models.items() if "tokenizer" in served.steps]
        first = service.default if service.default in models else next(iter(models), "")
        model, text = given.get("model") or first, given.get("data", "")
        if not text.strip():
            return HTML, service_page(models, model)
        asked = {"data": text, "model": model, "tokenizer": "", "parser": ""}
        try:
            result = str(service.process(asked)["result"])
        except Refused as refused:
            return HTML, service_page(models, model, text, problem=refused.reason)
        return HTML, service_page(models, model, text, read(result, CONLLU) if result else ())

    def _refuse(self, status: HTTPStatus, reason: str) -> None:
        self._send(status, PLAIN, f"{printable(reason)}\n")

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        """What Python's parser of requests calls if one is malformed."""
        status = HTTPStatus(code)
        self._refuse(status, message or status.phrase)

    def _send(self, status: HTTPStatus, kind: str, text: str) -> None:
        content = text.encode()
        self.request_version = self.protocol_version  # for Python, an answer to a malformed request has no head
        self.connection.settimeout(self.server.wait)
        self.send_response(status)
        headers = {"Content-Type": kind, "Content-Length": str(len(content)), "Connection": "close", **_SAFE}
        if status == HTTPStatus.METHOD_NOT_ALLOWED:
            headers["Allow"] = "GET, HEAD, POST"
        if status == HTTPStatus.SERVICE_UNAVAILABLE:
            headers["Retry-After"] = "1"
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(content)

    def version_string(self) -> str:
        """What the service calls itself."""
        return f"maltkit/{__version__}"

    def log_message(self, format: str, *args: Any) -> None:
        """Requests are told of only to those who look for what is wrong."""
        logger.debug("%s: %s", self.client_address[0], printable(format % args))


def _let_read(connection: socket.socket) -> None:
    """End a connection so that the client can still read the answer, though not all that it sent was read: if that were
    thrown away at once, the answer would be, too."""
    connection.shutdown(socket.SHUT_WR)
    end = time.monotonic() + LINGER
    with contextlib.suppress(TimeoutError):
        while (left := end - time.monotonic()) > 0:
            connection.settimeout(left)
            if not connection.recv(1 << 16):
                return
