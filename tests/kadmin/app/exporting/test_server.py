"""The server of metrics: what it answers, and to how many at a time."""

import gzip
import http.client
import socket
import threading
from collections.abc import Iterator
from http import HTTPStatus

import pytest

from kadmin.app.exporting.server import CONNECTIONS_MAX, MetricsServer, NotListening
from tests.support.waiting import OUTER_LIMIT_S

pytestmark = pytest.mark.sockets

LOOPBACK = "127.0.0.1"


def scrape(is_zipped: bool) -> bytes:
    return gzip.compress(b"up 1\n") if is_zipped else b"up 1\n"


@pytest.fixture
def port() -> Iterator[int]:
    with MetricsServer((LOOPBACK, 0), "/metrics", scrape) as server:
        yield port_of(server)


def port_of(server: MetricsServer) -> int:
    return int(server.url.rpartition(":")[2].partition("/")[0])


def asked(
    port: int, path: str, method: str = "GET", **headers: str
) -> tuple[int, http.client.HTTPMessage, bytes]:
    connection = http.client.HTTPConnection(LOOPBACK, port, timeout=OUTER_LIMIT_S)
    try:
        connection.request(method, path, headers=headers)
        answer = connection.getresponse()
        return answer.status, answer.headers, answer.read()
    finally:
        connection.close()


def test_metrics_are_text_of_prometheus(port: int) -> None:
    status, headers, body = asked(port, "/metrics?name=up")

    assert (HTTPStatus.OK, b"up 1\n") == (status, body)
    assert headers["Content-Type"] == "text/plain; version=0.0.4; charset=utf-8"
    assert headers["Content-Encoding"] is None


def test_metrics_are_compressed_for_those_who_can_read_that(port: int) -> None:
    _, headers, body = asked(port, "/metrics", **{"Accept-Encoding": "deflate, gzip"})

    assert headers["Content-Encoding"] == "gzip"
    assert b"up 1\n" == gzip.decompress(body)


def test_a_head_has_no_body(port: int) -> None:
    status, headers, body = asked(port, "/metrics", "HEAD")

    assert (HTTPStatus.OK, "5", b"") == (status, headers["Content-Length"], body)


@pytest.mark.parametrize(
    ("path", "method", "status", "part"),
    [
        ("/", "GET", HTTPStatus.OK, b'href="/metrics"'),
        ("/healthz", "GET", HTTPStatus.OK, b"ok"),
        ("/metrics/", "GET", HTTPStatus.NOT_FOUND, b"404"),
        ("/../etc/passwd", "GET", HTTPStatus.NOT_FOUND, b"404"),
        ("/metrics", "POST", HTTPStatus.NOT_IMPLEMENTED, b"501"),
    ],
)
def test_other_paths_and_methods(
    port: int, path: str, method: str, status: HTTPStatus, part: bytes
) -> None:
    found, _, body = asked(port, path, method)

    assert status == found
    assert part in body


def test_more_connections_than_it_may_have_are_closed_at_once(port: int) -> None:
    kept = [socket.create_connection((LOOPBACK, port)) for _ in range(CONNECTIONS_MAX)]
    with socket.create_connection((LOOPBACK, port), timeout=OUTER_LIMIT_S) as one_more:
        closed = one_more.recv(1)
    for each in kept:
        each.close()

    assert b"" == closed


def test_a_scraper_that_goes_away_in_the_midst_of_a_page_is_no_news(
    capsys: pytest.CaptureFixture[str],
) -> None:
    is_asked = threading.Event()

    def large(_is_zipped: bool) -> bytes:
        is_asked.set()
        return b"x" * 2**24

    with MetricsServer((LOOPBACK, 0), "/metrics", large) as server:
        with socket.create_connection((LOOPBACK, port_of(server))) as one:
            one.sendall(b"GET /metrics HTTP/1.1\r\n\r\n")
            assert is_asked.wait(OUTER_LIMIT_S)
        status, _, _ = asked(port_of(server), "/healthz")

    assert HTTPStatus.OK == status
    assert "" == capsys.readouterr().err


@pytest.mark.parametrize("host", [LOOPBACK, "192.0.2.1"])
def test_an_address_that_cannot_be_had_is_named(port: int, host: str) -> None:
    with pytest.raises(NotListening, match=f"cannot listen on {host}:{port}: "):
        MetricsServer((host, port), "/metrics", scrape)
