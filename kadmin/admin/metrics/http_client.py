"""Requests to metrics endpoints over HTTP, within a time and a size."""

import re
import time
from http.client import HTTPConnection, HTTPException, HTTPResponse, HTTPSConnection
from typing import Final
from urllib.parse import SplitResult, urlsplit

from kadmin.errors import UsageError

SIZE_MAX: Final = 64 * 1024**2
"""A broker with 10,000 partitions reports some 10 MB; what is read takes four times its size."""
CHUNK: Final = 256 * 1024
SCHEMES: Final = ("http", "https")
TARGET: Final = re.compile(r"[!-~]*")


class EndpointError(Exception):
    """An endpoint did not answer, or did not answer with metrics; the text is the reason."""


def parse_url(text: str, path: str) -> str:
    """Check the URL of an endpoint, and give one without a path *path*.

    Raises:
        UsageError: it is no URL of HTTP, or has a name and a password in it.
    """
    try:
        parts = urlsplit(text)
        has_port = parts.port is None or parts.port > 0
        (parts.hostname or "").encode("idna")
    except ValueError:  # Of a host with an empty part or a long one it is a UnicodeError.
        parts, has_port = SplitResult("", "", "", "", ""), False
    if parts.scheme not in SCHEMES or not parts.hostname or not has_port:
        raise UsageError(f"'{text}' is not a URL", hint="for example http://127.0.0.1:9404")
    if parts.username is not None:
        raise UsageError(
            f"{parts.hostname}: the URL has a user name in it, which others on this machine can"
            " read",
            hint="let the endpoint listen on the loopback, and reach it by a tunnel",
        )
    if TARGET.fullmatch(parts.path + parts.query) is None:
        raise UsageError(
            f"{text}: its path has characters that a URL cannot have",
            hint="write them in percent: %20 for a blank",
        )
    return parts._replace(path=path if parts.path in ("", "/") else parts.path).geturl()


def fetch(url: str, timeout_s: float, body: bytes | None = None) -> bytes:
    """Return what *url* answers within *timeout_s*; sends *body* by POST, if it is given.

    Raises:
        EndpointError: it does not, or not with status 200.
    """
    parts = urlsplit(url)
    assert parts.hostname is not None
    if timeout_s <= 0:
        # A socket would not wait at all, and fail with what is no fault of the endpoint.
        raise EndpointError("no time was left to ask it")
    make = HTTPSConnection if parts.scheme == "https" else HTTPConnection
    connection = make(parts.hostname, parts.port, timeout=timeout_s)
    end_s = time.monotonic() + timeout_s
    target = parts.path + (f"?{parts.query}" if parts.query else "")
    try:
        headers = {} if body is None else {"Content-Type": "application/json"}
        connection.request("GET" if body is None else "POST", target, body, headers)
        answer = connection.getresponse()
        if answer.status != 200:
            raise EndpointError(f"it answers {answer.status} {answer.reason}")
        return read_all(answer, end_s)
    except TimeoutError:
        raise EndpointError(f"no answer within {timeout_s:.3g} s") from None
    except (OSError, HTTPException) as error:
        reason = getattr(error, "strerror", None) or str(error) or type(error).__name__
        raise EndpointError(reason[:1].lower() + reason[1:]) from error
    finally:
        connection.close()


def read_all(answer: HTTPResponse, end_s: float) -> bytes:
    """Read *answer*, which may come in drops, until *end_s*; raises EndpointError where a part of
    it is missing."""
    size = answer.length
    content = bytearray()
    while chunk := answer.read1(CHUNK):
        content += chunk
        if len(content) > SIZE_MAX:
            raise EndpointError(f"it answers with more than {SIZE_MAX:,} bytes")
        if time.monotonic() > end_s:
            raise TimeoutError
    if size is not None and len(content) < size:
        raise EndpointError(f"its answer ends after {len(content):,} of {size:,} bytes")
    return bytes(content)
