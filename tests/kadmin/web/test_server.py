"""The server: its addresses, TLS, connections that send nothing, and its end."""

import resource
import socket
import ssl
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
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
        # An answer that is not taken soon has no room.
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4096)
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


def test_an_answer_that_is_not_taken_is_not_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = b"GET /static/page.css HTTP/1.1\r\nHost: localhost\r\n\r\n"
    monkeypatch.setattr(server, "REQUEST_S_MAX", 0.1)

    with running(tmp_path) as port, socket.socket() as client:
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        client.settimeout(OUTER_LIMIT_S)
        client.connect(("127.0.0.1", port))
        with suppress(ConnectionError):
            while True:  # Until it is ended, or no more can be sent: that is a TimeoutError.
                client.sendall(asked * 100)


def test_a_connection_that_is_too_many_is_ended_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server, "CONNECTION_COUNT_MAX", 3)

    with running(tmp_path) as port, ExitStack() as stack:
        clients = [
            stack.enter_context(socket.create_connection(("127.0.0.1", port))) for _ in range(4)
        ]
        clients[-1].settimeout(OUTER_LIMIT_S)
        with suppress(ConnectionError):
            assert b"" == clients[-1].recv(1)


def test_connections_leave_files_for_clusters_and_the_audit_log() -> None:
    limits = resource.getrlimit(resource.RLIMIT_NOFILE)
    found = []
    try:
        for soft in (256, 800):
            resource.setrlimit(resource.RLIMIT_NOFILE, (soft, limits[1]))
            with_room = server.connection_count_max()
            found.append((with_room, resource.getrlimit(resource.RLIMIT_NOFILE)[0] - with_room))
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, limits)

    assert limits[1] >= 1500, "the machine that tests run on allows that"
    assert [(1000, 500)] * 2 == found


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
