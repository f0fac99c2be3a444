"""The server: its addresses, TLS, connections that send nothing, and its end."""

import socket
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

from kadmin.errors import UsageError
from kadmin.web import server
from kadmin.web.access import Access, TokenFile
from kadmin.web.server import CannotListen, Server, TlsFiles, configured, listening_socket
from kadmin.web.serving import Serving
from kadmin.web.tokens import make_token_file
from tests.support.certificates import Authority
from tests.support.waiting import OUTER_LIMIT_S, wait_until

pytestmark = pytest.mark.sockets


def serving_of(directory: Path) -> Serving:
    make_token_file(directory / "tokens")
    return Serving(
        clusters={},
        access=Access(file=TokenFile(directory / "tokens")),
        hosts=frozenset({"localhost"}),
        origins=frozenset(),
    )


@contextmanager
def running(directory: Path, tls: TlsFiles | None = None) -> Iterator[int]:
    """A server of no cluster; its port."""
    serving = serving_of(directory)
    with listening_socket("127.0.0.1", 0) as listening:
        running = Server(configured(serving, tls), serving.close)
        thread = threading.Thread(target=running.run, kwargs={"sockets": [listening]})
        thread.start()
        try:
            wait_until(lambda: running.started, what="the server")
            yield listening.getsockname()[1]
        finally:
            running.should_exit = True
            thread.join()


def test_an_address_that_is_taken_is_named() -> None:
    with listening_socket("127.0.0.1", 0) as taken:
        port = taken.getsockname()[1]

        with pytest.raises(CannotListen, match=f"cannot listen on 127.0.0.1:{port}: ") as raised:
            listening_socket("127.0.0.1", port)

    assert raised.value.hint is not None


@pytest.mark.parametrize(
    "sent",
    [b"", b"GET / HT", b"POST /login HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\n"],
)
def test_a_request_that_does_not_arrive_is_not_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, sent: bytes
) -> None:
    monkeypatch.setattr(server, "REQUEST_S_MAX", 0.1)

    with running(tmp_path) as port, socket.create_connection(("127.0.0.1", port)) as client:
        client.settimeout(OUTER_LIMIT_S)
        client.sendall(sent)

        assert b"" == client.recv(1)


def test_it_serves_by_tls_and_by_nothing_else(tmp_path: Path) -> None:
    authority = Authority(tmp_path, "ours")
    cert, key = authority.issue("localhost")
    context = ssl.create_default_context(cafile=str(authority.file))

    with running(tmp_path, TlsFiles(cert=cert, key=key)) as port:
        with httpx.Client(verify=context, timeout=OUTER_LIMIT_S) as client:
            answer = client.get(f"https://localhost:{port}/login")
        with httpx.Client(timeout=OUTER_LIMIT_S) as client, pytest.raises(httpx.TransportError):
            client.get(f"http://localhost:{port}/login")

    assert 200 == answer.status_code


def test_files_that_are_no_certificate_and_key_are_named(tmp_path: Path) -> None:
    one, other = Authority(tmp_path, "one"), Authority(tmp_path, "other")
    files = TlsFiles(cert=one.issue("localhost")[0], key=other.issue("localhost")[1])

    with pytest.raises(UsageError, match=f"cannot serve by TLS with {files.cert} and {files.key}"):
        configured(serving_of(tmp_path), files)
