"""Do failures of the wire reach the operator soon, with their reason and without any secret?"""

import errno
import logging
import socket
import threading
from collections.abc import Mapping
from contextlib import AbstractContextManager, suppress
from io import StringIO
from pathlib import Path

import pytest

from kadmin.admin.wire import opening
from kadmin.admin.wire.errors import BrokersUnreachable
from kadmin.admin.wire.opening import FailureLog, connect_brokers, failure_of, logging_to
from kadmin.admin.wire.probe import Probe
from kadmin.local.ports import free_ports
from kadmin.settings.brokers import BrokerSettings
from kadmin.settings.keys import BrokerSasl
from tests.support.cli import kadmin
from tests.support.silent_servers import LOOPBACK, answering_server

speaks = pytest.mark.clients


@pytest.fixture(autouse=True)
def short_first_round(monkeypatch: pytest.MonkeyPatch) -> None:
    """Who says something wrong here says it at once; who is silent gets further rounds anyway."""
    monkeypatch.setattr(opening, "FIRST_ROUND_S", 0.3)


def server(*, hangs_up: bool) -> AbstractContextManager[str]:
    """An address that takes connections, and hangs up at the first bytes or never says a word."""
    return answering_server(lambda _: b"" if hangs_up else None)


@speaks
def test_addresses_that_all_refuse_are_told_at_once() -> None:
    one, other = free_ports(2, LOOPBACK)
    addresses = f"{LOOPBACK}:{one},{LOOPBACK}:{other}"

    outcome = kadmin("brokers", "--list", "--bootstrap-server", addresses, "--timeout", "1000")

    assert (5, "") == (outcome.exit_code, outcome.stdout)
    refused = ", ".join(f"{LOOPBACK}:{port}: connection refused" for port in (one, other))
    assert f"cannot reach the brokers at {addresses}: {refused}\n" in outcome.stderr


def other_server(answers: Mapping[bytes, bytes]) -> AbstractContextManager[str]:
    """An address that says *answers* to questions that begin so, and hangs up at any other."""
    return answering_server(
        lambda asked: next((answers[it] for it in answers if asked[:4] == it), b"")
    )


@pytest.mark.parametrize(
    ("answers", "hint"),
    [
        ({b"srvr": b"Zookeeper version: 3.8.4"}, "{0} is a ZooKeeper: --zookeeper {0} asks it"),
        (
            {b"srvr": b"srvr is not executed because it is not in the whitelist.\n"},
            "{0} is a ZooKeeper: --zookeeper {0} asks it",
        ),
        ({b"GET ": b"HTTP/1.0 404 Not Found\r\n\r\n"}, "{0} speaks HTTP; the port of brokers"),
    ],
)
@pytest.mark.parametrize("words", ["topics --list", "consume --topic t"])
@speaks
def test_who_is_no_broker_is_known(words: str, answers: Mapping[bytes, bytes], hint: str) -> None:
    with other_server(answers) as address:
        outcome = kadmin(*words.split(), "--bootstrap-server", address, "--timeout", "50")

    assert (5, "") == (outcome.exit_code, outcome.stdout)
    assert f"cannot reach the brokers at {address}: that is no broker\n" in outcome.stderr
    assert f"hint: {hint.format(address)}" in outcome.stderr


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (OSError(errno.EHOSTUNREACH, "No route to host"), "no route to host"),
        (OSError("The proxy said no"), "the proxy said no"),
    ],
)
def test_why_an_address_cannot_be_reached_is_told_without_the_systems_number(
    error: OSError, reason: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(address: tuple[str, int], timeout_s: float) -> None:
        raise error

    monkeypatch.setattr(socket, "create_connection", refuse)

    with pytest.raises(BrokersUnreachable, match=rf"b:9092: {reason}$"):
        Probe(BrokerSettings(bootstrap="b:9092", timeout_s=1)).working()


@pytest.mark.parametrize("propagates", [True, False])
@pytest.mark.parametrize("log", [None, StringIO()])
def test_loggers_of_the_client_are_left_as_they_were_found(
    log: StringIO | None, propagates: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    logger = logging.getLogger("kafka")
    monkeypatch.setattr(logger, "propagate", propagates)
    monkeypatch.setattr(logger, "level", logging.ERROR)
    handlers = list(logger.handlers)
    failures = FailureLog()

    with suppress(ZeroDivisionError), logging_to(failures, log):
        logger.warning("Bootstrap connection to bootstrap-0 failed: it is away")
        within = logger.propagate
        raise ZeroDivisionError

    assert ("it is away", False) == (failures.reason, within)
    assert (propagates, logging.ERROR) == (logger.propagate, logger.level)
    assert handlers == logger.handlers


def test_the_last_of_several_threads_leaves_the_loggers_as_they_were_found() -> None:
    logger = logging.getLogger("kafka")
    before = (logger.propagate, logger.level, list(logger.handlers))
    first, second = (logging_to(FailureLog(), None) for _ in range(2))

    # As on two threads: neither is inside of the other.
    first.__enter__()
    second.__enter__()
    first.__exit__(None, None, None)
    between = logger.propagate
    second.__exit__(None, None, None)

    assert not between
    assert before == (logger.propagate, logger.level, list(logger.handlers))


@speaks
def test_why_another_client_failed_at_the_same_time_is_not_its_reason() -> None:
    has_ended = threading.Event()
    others = []

    def fail(address: str) -> None:
        while not has_ended.is_set():
            with suppress(BrokersUnreachable):
                others.append(connect_brokers(settings_of(address)).__enter__())

    with server(hangs_up=True) as hanging_up, server(hangs_up=False) as silent:
        other = threading.Thread(target=fail, args=(hanging_up,))
        other.start()
        try:
            with pytest.raises(BrokersUnreachable, match="no answer within 1 s"):
                connect_brokers(settings_of(silent)).__enter__()
        finally:
            has_ended.set()
            other.join()

    assert [] == others


def settings_of(address: str) -> BrokerSettings:
    return BrokerSettings(bootstrap=address, timeout_s=1)


@speaks
def test_server_that_says_nothing_is_given_up_after_the_timeout() -> None:
    with server(hangs_up=False) as address:
        outcome = kadmin("brokers", "--list", "--bootstrap-server", address, "--timeout", "1")

    assert outcome.exit_code == 5
    assert f"cannot reach the brokers at {address}: no answer within 1 s" in outcome.stderr


@speaks
def test_server_that_hangs_up_is_given_up_before_a_long_timeout() -> None:
    with server(hangs_up=True) as address:
        outcome = kadmin("brokers", "--list", "--bootstrap-server", address, "--timeout", "1000")

    assert outcome.exit_code == 5
    assert f"cannot reach the brokers at {address}: " in outcome.stderr
    assert "no answer" not in outcome.stderr


@speaks
def test_server_that_hangs_up_on_a_login_is_told_with_the_user(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("KADMIN_BROKER_PASSWORD", "swordfish")
    login = ("--broker-sasl", "scram-sha-256", "--broker-user", "ann")
    with server(hangs_up=True) as address:
        outcome = kadmin("brokers", "--list", "--bootstrap-server", address, *login)

    assert outcome.exit_code == 1
    assert "denied access: they hang up on user 'ann': is the password right" in outcome.stderr
    assert "does that listener take scram-sha-256?" in outcome.stderr


def test_attempt_that_is_cut_off_does_not_hide_what_another_one_was_told() -> None:
    failures = FailureLog()

    def fail(reason: str) -> None:
        text = f"Bootstrap connection to bootstrap-0 failed: {reason} (backoff 0.05 secs)"
        failures.handle(logging.makeLogRecord({"msg": text, "levelno": logging.WARNING}))

    cut_off = "[Error 7] RequestTimedOutError: Request timed out after 45 ms"
    fail(cut_off)
    assert ("Request timed out after 45 ms", True) == (failures.reason, failures.is_silence)
    fail("KafkaConnectionError: socket disconnected")
    fail(cut_off)

    assert ("socket disconnected", False) == (failures.reason, failures.is_silence)


@pytest.mark.parametrize(
    "reason",
    [
        "KafkaTimeoutError: SASL Authentication timed out",
        "KafkaTimeoutError: I/O wait timed out",
        "KafkaConnectionError: Connection timed out",
        "RequestTimedOutError: Request timed out after 45 ms",
    ],
)
def test_what_is_not_answered_yet_is_no_answer(reason: str) -> None:
    failures = FailureLog()
    text = f"Bootstrap connection to bootstrap-0 failed: {reason}"

    failures.handle(logging.makeLogRecord({"msg": text, "levelno": logging.WARNING}))

    assert failures.is_silence


@pytest.mark.parametrize(
    ("told", "reason"),
    [
        (
            "[SSL: UNEXPECTED_EOF_WHILE_READING] EOF occurred in violation of protocol",
            "TLS: unexpected eof while reading: does that listener speak TLS?",
        ),
        (
            "[SSL: CERTIFICATE_VERIFY_FAILED] certificate verify failed: self-signed certificate",
            "TLS: the broker's certificate is not trusted: self-signed certificate",
        ),
        (
            "[SSL: SSLV3_ALERT_HANDSHAKE_FAILURE] sslv3 alert handshake failure",
            "TLS: sslv3 alert handshake failure",
        ),
    ],
)
def test_failure_of_tls_is_told_in_an_operators_words(told: str, reason: str) -> None:
    failures = FailureLog()
    text = (
        "Bootstrap connection to bootstrap-0 failed: KafkaConnectionError: Handshake failed:"
        f" {told} (_ssl.c:1006) (backoff 0.05 secs)"
    )

    failures.handle(logging.makeLogRecord({"msg": text, "levelno": logging.WARNING}))

    assert reason == failures.reason


@pytest.mark.parametrize(
    ("minor", "hint"),
    [
        ("No Kerberos credentials available (default cache: FILE:/tmp/krb5cc_0)", "kinit gets one"),
        ("Ticket expired", "kinit gets one"),
        ("Cannot contact any KDC for realm 'EXAMPLE.TEST'", "kinit gets one"),
        ("Server kafka/127.0.0.1@X not found in Kerberos database", "--broker-sasl-service"),
    ],
)
def test_failure_of_kerberos_names_what_gets_a_ticket(minor: str, hint: str) -> None:
    failures = FailureLog()
    text = (
        "Bootstrap connection to bootstrap-0 failed: Major (851968): Unspecified GSS failure. "
        f" Minor code may provide more information, Minor (2529638919): {minor} (backoff 0.05 secs)"
    )
    failures.handle(logging.makeLogRecord({"msg": text, "levelno": logging.WARNING}))

    error = failure_of(
        failures, BrokerSettings(bootstrap="b:1", timeout_s=1, sasl=BrokerSasl.GSSAPI)
    )

    assert f"no Kerberos ticket for the brokers at b:1: {minor}" == str(error)
    assert hint in str(error.hint)


def test_a_login_at_a_listener_that_takes_none_is_denied() -> None:
    failures = FailureLog()
    text = "Bootstrap connection to bootstrap-0 failed: IllegalSaslStateError (backoff 0.05 secs)"
    failures.handle(logging.makeLogRecord({"msg": text, "levelno": logging.WARNING}))

    error = failure_of(
        failures, BrokerSettings(bootstrap="b:1", timeout_s=1, sasl=BrokerSasl.PLAIN)
    )

    assert "the brokers at b:1 denied access: that listener takes no login" == str(error)


@speaks
def test_password_is_not_in_the_log(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KADMIN_BROKER_PASSWORD", "swordfish")
    with server(hangs_up=True) as address:
        outcome = kadmin(
            *("brokers", "--list", "--bootstrap-server", address, "--timeout", "1", "--debug"),
            *("--broker-sasl", "plain", "--broker-user", "ann"),
        )

    assert outcome.exit_code == 1
    assert "Attempting bootstrap" in outcome.stderr
    assert "swordfish" not in outcome.stderr


@speaks
def test_certificate_that_is_none_is_named_before_any_broker_is_asked(tmp_path: Path) -> None:
    path = tmp_path / "ca.pem"
    path.write_text("nothing\n")
    with server(hangs_up=False) as address:
        outcome = kadmin(
            *("brokers", "--list", "--bootstrap-server", address),
            *("--broker-tls", "--broker-tls-ca", str(path)),
        )

    assert outcome.exit_code == 2
    assert f"{path} holds no certificate in PEM form" in outcome.stderr
    assert "--broker-tls-ca wants the authorities as PEM" in outcome.stderr
