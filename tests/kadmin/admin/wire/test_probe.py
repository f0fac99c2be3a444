"""Of several addresses, are those taken where somebody answers, however the others are silent?"""

import socket
import struct
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from threading import Thread

import pytest

from kadmin.admin.wire.errors import BrokersUnreachable
from kadmin.admin.wire.probe import Probe
from kadmin.local.ports import free_ports
from kadmin.settings.brokers import BrokerSettings
from tests.support.silent_servers import LOOPBACK, deaf_server, mute_server

ANSWER = struct.pack(">iih", 6, 0, 0)
"""To ApiVersions, as far as anybody looks here."""

LONG_S = 1000.0
"""Nobody is waited for so long: a test would be over time before."""


@contextmanager
def server(*, says: bytes) -> Iterator[str]:
    """An address that takes one connection, reads of it, says that much, and hangs up."""
    with socket.create_server((LOOPBACK, 0)) as listening:

        def serve() -> None:
            try:
                client, _ = listening.accept()
            except OSError:  # The test was over before.
                return
            with client:
                client.recv(1000)
                client.sendall(says)

        Thread(target=serve, daemon=True).start()
        yield f"{LOOPBACK}:{listening.getsockname()[1]}"


def probe(*addresses: str, timeout_s: float = LONG_S) -> Probe:
    return Probe(BrokerSettings(bootstrap=",".join(addresses), timeout_s=timeout_s))


@pytest.fixture
def refusing() -> str:
    (port,) = free_ports(1, LOOPBACK)
    return f"{LOOPBACK}:{port}"


def test_who_answers_is_taken_and_who_does_not_is_named(refusing: str) -> None:
    with deaf_server() as deaf, mute_server() as mute, server(says=ANSWER) as working:
        found = probe(deaf, mute, refusing, working)

        assert [working] == found.working()
        assert frozenset({working}) == found.answered()
        assert {
            deaf: "no answer",
            mute: "no answer",
            refusing: "connection refused",
        } == found.down()


def test_of_those_but_some_the_next_that_answers_is_waited_for(refusing: str) -> None:
    """As where the first is a KRaft controller's."""
    with server(says=ANSWER) as first, server(says=ANSWER) as second:
        found = probe(first, refusing, second)

        assert [second] == found.working(but=[first])
        with pytest.raises(BrokersUnreachable):
            found.working(but=[first, second])


def test_a_single_address_is_asked_for_nothing() -> None:
    with mute_server() as mute:
        found = probe(mute)

        assert [mute] == found.working()
        assert {} == found.down()


def test_those_who_hang_up_count_if_nobody_answers(refusing: str) -> None:
    """As brokers do that are too old for the question."""
    with server(says=b"") as one, server(says=b"") as other:
        found = probe(refusing, one, other)

        assert [one, other] == found.working()
        assert {refusing: "connection refused"} == found.down()


def test_where_nobody_is_each_is_told_with_its_reason(refusing: str) -> None:
    with ExitStack() as stack:
        mute = stack.enter_context(mute_server())
        with pytest.raises(BrokersUnreachable) as raised:
            probe(refusing, mute, timeout_s=0.2).working()
        with pytest.raises(BrokersUnreachable, match=r": no answer within 0.2 s$"):
            probe(mute, stack.enter_context(deaf_server()), timeout_s=0.2).working()

    assert raised.value.reason == (
        f"{refusing}: connection refused, {mute}: no answer within 0.2 s"
    )


def test_what_is_no_address_is_told_beside_the_others(refusing: str) -> None:
    with pytest.raises(BrokersUnreachable) as raised:
        probe("no.such.host.invalid:9092", refusing).working()

    assert raised.value.reason.startswith("no.such.host.invalid:9092: ")
    assert raised.value.reason.endswith(f", {refusing}: connection refused")


OTHER_SERVERS = [b"HTTP/1.1 400 Bad Request\r\n\r\n", b"\x15\x03\x03\x00\x02\x02\x46", b"hello"]


@pytest.mark.parametrize("says", OTHER_SERVERS)
def test_another_server_counts_only_where_no_broker_is(says: bytes) -> None:
    with server(says=says) as other, server(says=ANSWER) as working:
        assert [working] == probe(other, working).working()
    with server(says=says) as other, server(says=b"") as old:
        assert [old] == probe(other, old).working()
    with server(says=says) as one, server(says=says) as other:
        assert [one, other] == probe(one, other).working()


def test_a_broker_that_answers_at_one_listener_is_not_missed_at_another(refusing: str) -> None:
    with (
        server(says=ANSWER) as working,
        server(says=OTHER_SERVERS[0]) as other,
        mute_server() as mute,
    ):
        addresses = (refusing, working, other, mute)
        settings = BrokerSettings(
            bootstrap=",".join(addresses),
            timeout_s=LONG_S,
            same_broker=((refusing, working, other), (mute,)),
        )
        found = Probe(settings)

        assert [working] == found.working()
        assert {mute: "no answer"} == found.down()
