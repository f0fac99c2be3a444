"""Are passwords and certificates shown to real servers, and are refusals told as what they are?

One server does it all: digest for everybody, SASL for whom it concerns, TLS on a second port,
where it wants a certificate of the client.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from kazoo.security import make_acl, make_digest_acl

from cluster.zk.steps import read_node
from kadmin.admin.zookeeper.connection import (
    NoSuchChroot,
    ZooKeeperDenied,
    ZooKeeperUnreachable,
    connect,
)
from kadmin.errors import KadminError, UsageError
from kadmin.local.ports import free_ports
from kadmin.local.zookeeper import ZooKeeperServer
from kadmin.settings.keys import Secret, ZooKeeperAuth
from kadmin.settings.resolve import ZooKeeperSettings
from tests.support.certificates import Authority
from tests.support.cli import kadmin
from tests.support.waiting import OUTER_LIMIT_S, patiently
from tests.support.zookeeper import client_of, running_server

pytestmark = [pytest.mark.zk, pytest.mark.xdist_group("secured")]

USER = "operator"
PASSWORD = Secret("sword-fish-5454")
KEY_PASSWORD = Secret("halibut-6565")
SECRET_NODE = "/secret"

JAAS = f"""
Server {{
    org.apache.zookeeper.server.auth.DigestLoginModule required user_{USER}="{PASSWORD}";
}};
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Secured:
    """Where the server is, by both of its doors, and what opens the second."""

    plain: ZooKeeperSettings
    tls: ZooKeeperSettings
    ours: Authority
    foreign: Authority


@pytest.fixture(scope="module")
def secured(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Secured]:
    directory = tmp_path_factory.mktemp("secured")
    ours, foreign = Authority(directory, "ours"), Authority(directory, "foreign")
    certificate, key = ours.issue("127.0.0.1")
    store, jaas = directory / "server.pem", directory / "jaas.conf"
    store.write_bytes(key.read_bytes() + certificate.read_bytes())
    jaas.write_text(JAAS)
    client_certificate, client_key = ours.issue("client")
    (port,) = free_ports(1, "127.0.0.1")
    config = {
        "serverCnxnFactory": "org.apache.zookeeper.server.NettyServerCnxnFactory",
        "secureClientPort": str(port),
        "ssl.keyStore.location": str(store),
        "ssl.keyStore.type": "PEM",
        "ssl.trustStore.location": str(ours.file),
        "ssl.trustStore.type": "PEM",
        "authProvider.sasl": "org.apache.zookeeper.server.auth.SASLAuthenticationProvider",
    }
    jvm = [f"-Djava.security.auth.login.config={jaas}"]
    with running_server(
        directory / "server", extra_config=config, extra_jvm=jvm, with_netty=True
    ) as server:
        with client_of(server.connect) as client:
            acl = [make_digest_acl(USER, str(PASSWORD), all=True)]
            client.create(SECRET_NODE, b"told", acl=acl)
        plain = ZooKeeperSettings(connect=server.connect, timeout_s=OUTER_LIMIT_S)
        tls = replace(
            plain,
            connect=f"127.0.0.1:{port}",
            tls=True,
            tls_ca=str(ours.file),
            tls_cert=str(client_certificate),
            tls_key=str(client_key),
        )
        yield Secured(plain=plain, tls=tls, ours=ours, foreign=foreign)


def read(settings: ZooKeeperSettings, path: str = "/zookeeper") -> bytes | None:
    with connect(settings) as connection:
        znode = connection.read(read_node(path))
    return None if znode is None else znode.data


def refusal(settings: ZooKeeperSettings, path: str = "/zookeeper") -> KadminError:
    """The error that reading *path* ends with; it names no password."""
    with pytest.raises(KadminError) as raised:
        read(settings, path)
    for secret in (PASSWORD, KEY_PASSWORD, "wrong-password"):
        assert secret not in f"{raised.value} {raised.value.hint}"
    return raised.value


def refusal_with(text: str, settings: ZooKeeperSettings) -> KadminError:
    """As `refusal`, asked until a server has answered so that the message has *text*."""
    return patiently(
        lambda timeout_s: refusal(replace(settings, timeout_s=timeout_s)),
        lambda error: text in error.message,
    )


def test_digest_opens_what_its_acl_protects(secured: Secured) -> None:
    digest = replace(secured.plain, auth=ZooKeeperAuth.DIGEST, user=USER, password=PASSWORD)

    assert b"told" == read(digest, SECRET_NODE)


@pytest.mark.parametrize("password", [None, Secret("wrong-password")])
def test_no_digest_or_a_wrong_one_is_denied_by_the_znode(
    secured: Secured, password: Secret | None
) -> None:
    settings = secured.plain
    if password is not None:
        settings = replace(settings, auth=ZooKeeperAuth.DIGEST, user=USER, password=password)

    error = refusal(settings, SECRET_NODE)

    assert isinstance(error, ZooKeeperDenied)
    assert f"denied access: no permission for {SECRET_NODE}" in error.message


def test_sasl_opens_the_session(secured: Secured) -> None:
    sasl = replace(secured.plain, auth=ZooKeeperAuth.SASL_DIGEST, user=USER, password=PASSWORD)

    with connect(sasl) as connection:
        connection.client.create("/of-sasl", b"told", acl=[make_acl("sasl", USER, all=True)])
    assert b"told" == read(sasl, "/of-sasl")
    assert isinstance(refusal(secured.plain, "/of-sasl"), ZooKeeperDenied)


@pytest.mark.parametrize(("user", "password"), [(USER, "wrong-password"), ("stranger", PASSWORD)])
def test_wrong_sasl_credentials_are_denied_at_once(
    secured: Secured, user: str, password: str
) -> None:
    sasl = replace(
        secured.plain,
        auth=ZooKeeperAuth.SASL_DIGEST,
        user=user,
        password=Secret(password),
        timeout_s=3600,
    )

    error = refusal(sasl)

    assert isinstance(error, ZooKeeperDenied)
    assert "denied access: the credentials were refused" in error.message


def test_a_server_without_sasl_is_told_at_once(zookeeper: ZooKeeperServer) -> None:
    sasl = ZooKeeperSettings(
        connect=zookeeper.connect,
        timeout_s=3600,
        auth=ZooKeeperAuth.SASL_DIGEST,
        user=USER,
        password=PASSWORD,
    )

    error = refusal(sasl)

    assert isinstance(error, ZooKeeperDenied)
    assert "denied access: the server does no SASL" in error.message


def test_tls_with_certificates_of_both_sides_opens_the_session(secured: Secured) -> None:
    assert b"" == read(secured.tls)


def test_tls_takes_sasl_and_digest_along(secured: Secured) -> None:
    digest = replace(secured.tls, auth=ZooKeeperAuth.DIGEST, user=USER, password=PASSWORD)
    assert b"told" == read(digest, SECRET_NODE)
    assert b"" == read(replace(digest, auth=ZooKeeperAuth.SASL_DIGEST))


def test_locked_key_opens_with_its_password(secured: Secured) -> None:
    certificate, key = secured.ours.issue("locked", password=str(KEY_PASSWORD))
    locked = replace(secured.tls, tls_cert=str(certificate), tls_key=str(key))

    assert b"" == read(replace(locked, tls_key_password=KEY_PASSWORD))
    for password in (None, Secret("wrong-password")):
        error = refusal(replace(locked, tls_key_password=password))
        assert isinstance(error, UsageError)
        assert f"cannot use the certificate {certificate} with the key {key}" in error.message
        assert "KADMIN_ZOOKEEPER_TLS_KEY_PASSWORD" in str(error.hint)


def test_server_of_a_foreign_authority_is_not_trusted_and_not_waited_for(secured: Secured) -> None:
    error = refusal(replace(secured.tls, tls_ca=str(secured.foreign.file), timeout_s=3600))

    assert isinstance(error, ZooKeeperUnreachable)
    assert "TLS: the server's certificate is not trusted" in error.message
    assert "--zookeeper-tls-ca" in str(error.hint)


def test_host_name_that_is_not_in_the_certificate_is_not_trusted(secured: Secured) -> None:
    by_name = secured.tls.connect.replace("127.0.0.1", "localhost")

    error = refusal(replace(secured.tls, connect=by_name, timeout_s=3600))

    assert isinstance(error, ZooKeeperUnreachable)
    assert "Hostname mismatch, certificate is not valid for 'localhost'" in error.message


def test_unverified_server_may_be_anybody(secured: Secured) -> None:
    by_name = secured.tls.connect.replace("127.0.0.1", "localhost")
    careless = replace(
        secured.tls, connect=by_name, tls_ca=str(secured.foreign.file), tls_verify=False
    )

    assert b"" == read(careless)


@pytest.mark.parametrize("is_foreign", [False, True], ids=["none", "foreign"])
def test_client_certificate_that_the_server_refuses_is_told(
    secured: Secured, is_foreign: bool
) -> None:
    certificate, key = secured.foreign.issue("client") if is_foreign else (None, None)
    refused = replace(
        secured.tls,
        tls_cert=None if certificate is None else str(certificate),
        tls_key=None if key is None else str(key),
    )

    error = refusal_with("TLS: ", refused)

    assert isinstance(error, ZooKeeperUnreachable)
    assert "TLS: " in error.message
    assert "--zookeeper-tls-cert" in str(error.hint)


def test_tls_on_the_plain_port_and_the_reverse_are_told(secured: Secured) -> None:
    error = refusal_with("TLS: ", replace(secured.tls, connect=secured.plain.connect))
    assert isinstance(error, ZooKeeperUnreachable)
    assert "TLS: " in error.message

    closed = "the server closed the connection"
    error = refusal_with(closed, replace(secured.plain, connect=secured.tls.connect))
    assert isinstance(error, ZooKeeperUnreachable)
    assert closed in error.message
    assert "--zookeeper-tls" in str(error.hint)


@pytest.mark.parametrize("field", ["tls_ca", "tls_cert", "tls_key"])
def test_missing_file_is_named_before_any_server_is_asked(
    secured: Secured, field: str, tmp_path: Path
) -> None:
    missing = str(tmp_path / "missing.pem")
    changed: Any = {field: missing}

    error = refusal(replace(secured.tls, connect="127.0.0.1:1", **changed))

    assert isinstance(error, UsageError)
    assert f"cannot read {missing}: No such file or directory" == error.message


@pytest.mark.parametrize("field", ["tls_ca", "tls_cert", "tls_key"])
def test_file_of_another_kind_is_named_before_any_server_is_asked(
    secured: Secured, field: str, tmp_path: Path
) -> None:
    other = tmp_path / "keystore.jks"
    other.write_bytes(b"\xfe\xed\xfe\xed")
    changed: Any = {field: str(other)}

    error = refusal(replace(secured.tls, connect="127.0.0.1:1", **changed))

    assert isinstance(error, UsageError)
    assert str(other) in error.message


def test_key_of_another_certificate_is_told_before_any_server_is_asked(secured: Secured) -> None:
    _, other_key = secured.ours.issue("other")

    error = refusal(replace(secured.tls, connect="127.0.0.1:1", tls_key=str(other_key)))

    assert isinstance(error, UsageError)
    assert "key values mismatch" in error.message


@pytest.mark.parametrize("door", ["plain", "tls"])
def test_chroot_that_is_not_there_is_named(secured: Secured, door: str) -> None:
    settings: ZooKeeperSettings = getattr(secured, door)

    error = refusal(replace(settings, connect=settings.connect + "/nowhere"))

    assert isinstance(error, NoSuchChroot)
    assert f"there is no /nowhere in ZooKeeper at {settings.connect}" == error.message


@pytest.mark.parametrize(
    "command",
    [("topics", "--list"), ("brokers", "--list"), ("controller",)],
    ids=lambda command: command[0],
)
@pytest.mark.parametrize("auth", ["digest", "sasl-digest"])
@pytest.mark.parametrize("is_right", [True, False], ids=["right", "wrong"])
def test_passwords_are_in_no_output_of_any_command(
    secured: Secured,
    command: tuple[str, ...],
    auth: str,
    is_right: bool,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    certificate, key = secured.ours.issue("locked", password=str(KEY_PASSWORD))
    password = str(PASSWORD) if is_right else "wrong-password"
    monkeypatch.setenv("KADMIN_ZOOKEEPER_PASSWORD", password)
    monkeypatch.setenv("KADMIN_ZOOKEEPER_TLS_KEY_PASSWORD", str(KEY_PASSWORD))

    outcome = kadmin(
        *command,
        *(
            "--debug",
            "--timeout",
            str(OUTER_LIMIT_S),
            "--zookeeper",
            secured.tls.connect,
            "--zookeeper-tls",
        ),
        *("--zookeeper-tls-ca", str(secured.tls.tls_ca)),
        *("--zookeeper-tls-cert", str(certificate), "--zookeeper-tls-key", str(key)),
        *("--zookeeper-auth", auth, "--zookeeper-user", USER),
    )

    everything = outcome.stdout + outcome.stderr
    assert "Connecting to 127.0.0.1" in everything
    for secret in (password, KEY_PASSWORD):
        assert secret not in everything


@pytest.mark.parametrize("command", [("topics", "--list"), ("brokers", "--list"), ("controller",)])
def test_every_command_names_the_chroot_that_is_not_there(
    secured: Secured, command: tuple[str, ...]
) -> None:
    outcome = kadmin(*command, "--zookeeper", secured.plain.connect + "/nowhere")

    assert 1 == outcome.exit_code
    assert "there is no /nowhere in ZooKeeper at" in outcome.stderr
