"""Requests to metrics endpoints: what an answer must be."""

import socket
import time
from http.client import HTTPResponse

import pytest

from kadmin.admin.metrics.http_client import EndpointError, fetch, read_all
from tests.support.silent_servers import mute_server


def read(sent: bytes) -> bytes:
    """Return the body of the answer *sent*, behind which the connection ends."""
    ours, theirs = socket.socketpair()
    with ours:
        with theirs:
            theirs.sendall(sent)
        answer = HTTPResponse(ours)
        answer.begin()
        return read_all(answer, time.monotonic() + 60)


@pytest.mark.parametrize(
    "sent",
    [
        b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabc",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n",
        b"HTTP/1.0 200 OK\r\n\r\nabc",
    ],
)
def test_an_answer_is_read_to_its_end(sent: bytes) -> None:
    assert b"abc" == read(sent)


def test_an_answer_that_is_cut_off_is_none() -> None:
    with pytest.raises(EndpointError, match="ends after 3 of 4 bytes"):
        read(b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nabc")


def test_without_time_no_endpoint_is_asked() -> None:
    with mute_server() as address, pytest.raises(EndpointError, match="no time was left"):
        fetch(f"http://{address}/metrics", 0.0)
