"""Files from the web: fetched whole, within a limit of bytes and of time."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import BinaryIO

from malt.errors import MaltError

PATIENCE = 60  # seconds to wait for an answer, and for the whole of a small file
LONGEST = 3600  # seconds for the whole of a treebank or a model
LARGEST = 1 << 32  # bytes; no model has more


def is_web(path: str) -> bool:
    """Whether a file is to be fetched from the web.

    >>> is_web("https://example.org/a.conll"), is_web("a.conll")
    (True, False)
    """
    return path.lower().startswith(("http://", "https://"))


@contextlib.contextmanager
def fetch(address: str, limit: int = LARGEST, seconds: float = LONGEST) -> Iterator[BinaryIO]:
    """A file from the web: a whole copy, which is gone afterwards."""
    import http.client
    import tempfile

    from malt.running.threads import ends_within, start

    with tempfile.TemporaryFile() as copy:
        # In a thread, as a server may send a byte at a time for ever; once the copy is closed, the thread ends too.
        copying = start(lambda: _copy(address, copy, limit))
        try:
            if not ends_within(copying, seconds):
                raise MaltError(f"{address}: it was not there after {seconds} seconds; save the file and give its path")
        except (OSError, http.client.HTTPException, ValueError) as error:
            reason = getattr(error, "reason", error)
            raise MaltError(f"{address}: it cannot be fetched ({getattr(reason, 'strerror', '') or reason})") from None
        copy.seek(0)
        yield copy


def _copy(address: str, copy: BinaryIO, limit: int) -> None:
    import urllib.error
    import urllib.request

    class WebOnly(urllib.request.HTTPRedirectHandler):
        """Follows addresses of the web only, and does not read what comes with them, which may have no end."""

        def redirect_request(self, req, fp, code, msg, headers, newurl):  # type: ignore[no-untyped-def]
            if not is_web(newurl):
                raise urllib.error.URLError(f"it is said to be at {newurl}, and only http: and https: are read")
            fp.close()
            return super().redirect_request(req, fp, code, msg, headers, newurl)

    with urllib.request.build_opener(WebOnly).open(address, timeout=PATIENCE) as response:
        while piece := response.read1(1 << 16):
            copy.write(piece)
            if copy.tell() > limit:
                raise MaltError(f"{address}: the file has more than {limit} bytes, which is too much")
        if response.length:
            raise MaltError(f"{address}: the connection ended {response.length} bytes before the end; try again")
