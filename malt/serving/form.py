"""The parameters of a request: in its address, or in its body, in either of the two forms that browsers send."""

from __future__ import annotations

import re
from email.message import Message
from email.parser import BytesHeaderParser
from http import HTTPStatus
from urllib.parse import parse_qsl

from malt.errors import quoted

URLENCODED, MULTIPART = "application/x-www-form-urlencoded", "multipart/form-data"
MOST_FIELDS = 100
BUSY = "the service is busy; try it later"
_AS_IT_IS = ("", "7bit", "8bit", "binary")
_BAD_PERCENT = re.compile("%(?![0-9A-Fa-f]{2}).{0,2}", re.DOTALL)


class Refused(Exception):
    """A request that is not answered as it wishes: its status, and why, in one line."""

    def __init__(self, status: HTTPStatus, reason: str) -> None:
        self.status, self.reason = status, reason
        super().__init__(reason)


def bad(reason: str) -> Refused:
    """A request that is wrong."""
    return Refused(HTTPStatus.BAD_REQUEST, reason)


def read_query(query: str) -> dict[str, str]:
    """The parameters of an address, or of a body of the same form; of several with the same name, the last counts.

    >>> read_query("data=Hi+th%C3%A9re&tokenizer=")
    {'data': 'Hi thére', 'tokenizer': ''}
    """
    if wrong := _BAD_PERCENT.search(query):
        raise bad(f"{quoted(wrong[0])} in the parameters is no character; a % itself is written %25")
    try:
        return dict(parse_qsl(query, keep_blank_values=True, errors="strict", max_num_fields=MOST_FIELDS))
    except UnicodeDecodeError:
        raise bad("the parameters are not in UTF-8") from None
    except ValueError:
        raise bad(f"there are more than {MOST_FIELDS} parameters") from None


def read_form(headers: Message, body: bytes) -> dict[str, str]:
    """The parameters in a body."""
    kind = headers.get_content_type() if "Content-Type" in headers else ""
    if kind == MULTIPART:
        return dict(_parts(headers.get_boundary() or "", body))
    if kind == URLENCODED:
        return read_query(_decoded(body, "the body"))
    raise bad(f"expected the Content-Type {URLENCODED} or {MULTIPART}")


def _parts(boundary: str, body: bytes) -> list[tuple[str, str]]:
    """The names and values of multipart/form-data."""
    if not boundary:
        raise bad("multipart/form-data without a boundary")
    between = b"\r\n--" + boundary.encode("latin-1", "replace")
    if (b"\r\n" + body).count(between) > MOST_FIELDS + 1:
        raise bad(f"there are more than {MOST_FIELDS} parameters")
    _, *parts = (b"\r\n" + body).split(between)
    if not parts or not parts[-1].startswith(b"--"):
        raise bad("multipart/form-data without its end")
    found = []
    for part in parts[:-1]:
        # A part without headers begins with an empty line.
        head, end, value = part.lstrip(b" \t").partition(b"\r\n\r\n")
        headers = BytesHeaderParser().parsebytes(head.removeprefix(b"\r\n"))
        name = headers.get_param("name", header="Content-Disposition")
        if not end or not isinstance(name, str) or not name:
            raise bad("multipart/form-data with a part that has no name")
        if headers.get("Content-Transfer-Encoding", "").strip().lower() not in _AS_IT_IS:
            raise bad(f"{name}: expected it as it is (8bit), in no other Content-Transfer-Encoding")
        found.append((name, _decoded(value, name)))
    return found


def _decoded(text: bytes, name: str) -> str:
    try:
        return text.decode()
    except UnicodeDecodeError:
        raise bad(f"{name} is not in UTF-8") from None
