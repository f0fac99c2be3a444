"""Do both clients speak TLS with servers that can be trusted, and with no other?"""

import gc
import socket
import ssl
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from tests.support.certificates import Authority
from tests.support.cli import kadmin, running_kadmin
from tests.support.waiting import OUTER_LIMIT_S, patiently, wait_until

# kafka-python leaves the socket of a failed handshake to the garbage collector.
LEFT_OPEN = "ignore:Exception ignored in. <ssl.SSLSocket:pytest.PytestUnraisableExceptionWarning"
pytestmark = [pytest.mark.clients, pytest.mark.filterwarnings(LEFT_OPEN)]

LOOPBACK = "127.0.0.1"
COMMANDS = (("consume", "--topic", "t"), ("brokers", "--list"))
"""One that goes by librdkafka, and one that goes by kafka-python."""


@dataclass
class TlsServer:
    """What a server saw of its clients before it hung up: that they spoke, and their names."""

    address: str
    first_bytes: list[bytes] = field(default_factory=list)
    names: list[str] = field(default_factory=list)


@contextmanager
def tls_server(
    authority: Authority, clients: Authority | None = None, host: str = LOOPBACK
) -> Iterator[TlsServer]:
    """A server with a certificate of *authority* for *host*; it wants one of *clients*, where
    given."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(*authority.issue(host))
    if clients is not None:
        context.load_verify_locations(clients.file)
        context.verify_mode = ssl.CERT_REQUIRED
    with socket.create_server((LOOPBACK, 0)) as listening:
        server = TlsServer(f"{LOOPBACK}:{listening.getsockname()[1]}")

        def serve() -> None:
            while True:
                try:
                    plain, _ = listening.accept()
                except OSError:
                    return
                with plain, suppress(OSError):
                    plain.settimeout(OUTER_LIMIT_S)
                    with context.wrap_socket(plain, server_side=True) as connection:
                        told: dict[str, Any] = connection.getpeercert() or {}
                        server.names += [name for _, name in told.get("subjectAltName", ())]
                        server.first_bytes.append(connection.recv(4))

        Thread(target=serve, daemon=True).start()
        yield server
        listening.shutdown(socket.SHUT_RDWR)


def way_to(address: str, timeout_s: int, file: Path) -> tuple[str, ...]:
    """The options of a command that has its properties in *file*."""
    way = ("--bootstrap-server", address, "--timeout", str(timeout_s))
    return (*way, "--command-config", str(file))


def wait_until_heard(server: TlsServer, *arguments: str) -> None:
    """Run kadmin until the server has heard it: then it would ask again and again."""
    with running_kadmin(*arguments, "--timeout", str(OUTER_LIMIT_S)):
        wait_until(lambda: any(server.first_bytes), what="the server hears kadmin")


@pytest.fixture(autouse=True)
def nothing_left_to_other_tests() -> Iterator[None]:
    yield
    gc.collect()


@pytest.fixture
def authority(tmp_path: Path) -> Authority:
    return Authority(tmp_path, "brokers")


@pytest.mark.parametrize("command", COMMANDS)
def test_server_with_a_trusted_certificate_hears_the_client(
    command: tuple[str, ...], authority: Authority
) -> None:
    with tls_server(authority) as server:
        address = ("--bootstrap-server", server.address)
        trusting = ("--broker-tls", "--broker-tls-ca", str(authority.file))
        wait_until_heard(server, *command, *address, *trusting)

    # The size of a request comes first.
    assert server.first_bytes[0][:2] == b"\x00\x00"


@pytest.mark.parametrize("command", COMMANDS)
def test_server_that_cannot_be_trusted_hears_nothing_unless_that_is_asked_for(
    command: tuple[str, ...], authority: Authority, tmp_path: Path
) -> None:
    other = Authority(tmp_path, "others")
    with tls_server(authority) as server:
        address = ("--bootstrap-server", server.address, "--broker-tls")

        outcome = kadmin(*command, *address, "--broker-tls-ca", str(other.file), "--timeout", "3")
        heard = list(server.first_bytes)
        wait_until_heard(server, *command, *address, "--broker-tls-no-verify")

    assert (5, "") == (outcome.exit_code, outcome.stdout)
    assert "certificate" in outcome.stderr
    assert [] == [data for data in heard if data]
    # The last connection may be one that was given up before anything was said.
    assert any(data[:2] == b"\x00\x00" for data in server.first_bytes)


@pytest.mark.parametrize("command", COMMANDS)
def test_client_shows_its_certificate_with_a_locked_key(
    command: tuple[str, ...],
    authority: Authority,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    clients = Authority(tmp_path, "clients")
    certificate, key = clients.issue("ann.example", password="swordfish")
    monkeypatch.setenv("KADMIN_BROKER_TLS_KEY_PASSWORD", "swordfish")
    with tls_server(authority, clients) as server:
        address = ("--bootstrap-server", server.address)
        trusting = ("--broker-tls", "--broker-tls-ca", str(authority.file))
        shown = ("--broker-tls-cert", str(certificate), "--broker-tls-key", str(key))
        wait_until_heard(server, *command, *address, *trusting, *shown)

    assert "ann.example" in server.names


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("password", [None, "swordfish"])
def test_stores_of_a_java_client_say_whom_to_trust_and_who_one_is(
    command: tuple[str, ...], password: str | None, authority: Authority, tmp_path: Path
) -> None:
    """In PEM, as Kafka's tools take them by --command-config: certificate and key in one file."""
    clients = Authority(tmp_path, "clients")
    certificate, key = clients.issue("ann.example", password=password)
    store = tmp_path / "store.pem"
    store.write_bytes(key.read_bytes() + certificate.read_bytes())
    file = tmp_path / "client.properties"
    lines = {
        "security.protocol": "SSL",
        "ssl.truststore.type": "PEM",
        "ssl.truststore.location": authority.file,
        "ssl.keystore.type": "PEM",
        "ssl.keystore.location": store,
        **({"ssl.key.password": password} if password else {}),
    }
    file.write_text("".join(f"{name}={value}\n" for name, value in lines.items()))

    with tls_server(authority, clients) as server:
        run = patiently(
            lambda timeout_s: kadmin(*command, *way_to(server.address, timeout_s, file)),
            lambda _: "ann.example" in server.names,
        )

    assert "ann.example" in server.names, run
    assert "swordfish" not in run.stderr
    assert ("others can read ssl.key.password" in run.stderr) == (password is not None)


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize(("algorithm", "is_heard"), [("", True), ("https", False)])
def test_a_certificate_of_another_host_is_taken_where_the_file_says_so(
    command: tuple[str, ...], algorithm: str, is_heard: bool, authority: Authority, tmp_path: Path
) -> None:
    file = tmp_path / "client.properties"
    file.write_text(
        f"security.protocol=SSL\nssl.truststore.type=PEM\nssl.truststore.location={authority.file}\n"
        f"ssl.endpoint.identification.algorithm={algorithm}\n"
    )

    with tls_server(authority, host="elsewhere.example") as server:
        run = patiently(
            lambda timeout_s: kadmin(*command, *way_to(server.address, timeout_s, file)),
            lambda _: is_heard == any(server.first_bytes),
        )

    assert is_heard == any(server.first_bytes), run
