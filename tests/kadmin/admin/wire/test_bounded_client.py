"""Does a broker that hangs, at whatever it hangs, cost no more than the budget?"""

import socket
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event
from types import SimpleNamespace
from typing import Any

import pytest
from kafka.errors import KafkaConnectionError, KafkaTimeoutError
from kafka.future import Future
from kafka.net.compat import KafkaNetClient

from cluster.model.ids import BrokerId
from kadmin.admin.wire.bounded_client import SETUP_MAX_S, client_within
from kadmin.admin.wire.connection import WireConnection
from kadmin.admin.wire.errors import BrokersUnreachable
from kadmin.admin.wire.opening import BACKOFF_MAX_MS, client_config
from kadmin.budget import Budget
from kadmin.settings.brokers import BrokerSettings
from tests.support.silent_servers import LOOPBACK, deaf_server, mute_server

LONG_S = 1000.0
"""Nobody waits for so long: a test would be over time before."""

HANGS = "hangs.invalid"


@contextmanager
def client(budget: Budget, **configs: Any) -> Iterator[KafkaNetClient]:
    """A client whose loop runs."""
    found = client_within(budget, set())(**{"bootstrap_servers": "h:1", **configs})
    found._net.start()
    try:
        yield found
    finally:
        found.close()


@pytest.fixture
def hanging_names(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A name server that says nothing of one name."""
    resolve, is_over = socket.getaddrinfo, Event()

    def look(host: str, *arguments: Any) -> Any:
        if host == HANGS:
            is_over.wait()
        return resolve(host, *arguments)

    monkeypatch.setattr(socket, "getaddrinfo", look)
    yield
    is_over.set()


@pytest.mark.parametrize(
    "tls", [{}, {"security_protocol": "SSL", "ssl_check_hostname": False}], ids=["plain", "tls"]
)
@pytest.mark.parametrize("server", [mute_server, deaf_server])
def test_a_broker_that_says_nothing_is_given_up_within_the_budget(
    server: Any, tls: dict[str, Any]
) -> None:
    with server() as address, client(Budget(0.5), bootstrap_servers=address, **tls) as found:
        with pytest.raises((KafkaTimeoutError, KafkaConnectionError)):
            found._manager.bootstrap(LONG_S * 1000)
        with pytest.raises(KafkaTimeoutError):
            found._manager.run(lambda: Future())


def test_a_name_server_that_hangs_keeps_no_other_waiting(hanging_names: None) -> None:
    node = SimpleNamespace(host=HANGS, port=1)
    with client(Budget(LONG_S)) as found:
        manager = found._manager
        waiting = manager.call_soon(manager._build_transport, node)

        assert 7 == manager.run(lambda: Future().success(7))
        assert not waiting.is_done


def test_a_name_that_cannot_be_resolved_is_told(hanging_names: None) -> None:
    budget = Budget(0.5)
    with client(budget) as found:
        manager = found._manager
        with pytest.raises(KafkaConnectionError, match="cannot be resolved"):
            manager.run(manager._build_transport, SimpleNamespace(host="none.invalid", port=1))
        with pytest.raises(KafkaTimeoutError):
            manager.run(manager._build_transport, SimpleNamespace(host=HANGS, port=1))


def test_the_next_address_of_a_name_is_tried_where_one_does_not_answer(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    resolve = socket.getaddrinfo
    with socket.create_server((LOOPBACK, 0)) as listening, client(Budget(2)) as found:
        port = listening.getsockname()[1]
        # Nobody is at the first: it is the network's own, and not routed.
        several = [*resolve("240.0.0.1", port), *resolve(LOOPBACK, port)]
        monkeypatch.setattr(
            socket,
            "getaddrinfo",
            lambda host, *others: several if host == "two" else resolve(host, *others),
        )
        manager = found._manager
        transport = manager.run(manager._build_transport, SimpleNamespace(host="two", port=port))

        assert (LOOPBACK, port) == transport.getPeer()
        manager.run(transport.close)


@pytest.mark.parametrize(("limit_s", "setup_s"), [(LONG_S, SETUP_MAX_S), (2, 1)])
def test_a_connection_leaves_time_for_others(limit_s: float, setup_s: float) -> None:
    with client(Budget(limit_s)) as found:
        assert 1000 * setup_s == found._manager.socket_connection_setup_timeout_ms("any")


def test_a_broker_that_is_back_is_asked_again_soon() -> None:
    """However often it has refused connections while it was down."""
    settings = BrokerSettings(bootstrap="h:1", timeout_s=10)
    with client(Budget(LONG_S), **client_config(settings)) as found:
        for _ in range(50):
            found._manager.update_backoff("any")

        # With kafka-python's jitter of a fifth.
        assert 1.2 * BACKOFF_MAX_MS / 1000 >= found._manager.connection_delay("any") > 0


class Brokers(WireConnection):
    """Brokers of which one has let its time pass."""

    def __init__(self) -> None:
        super().__init__(SimpleNamespace(), BrokerSettings(bootstrap="b:9092", timeout_s=10))
        self.asked: list[int | None] = []

    def send(self, request: object, broker: int | None = None, limit_s: float | None = None) -> Any:
        self.asked.append(broker)
        if broker == 2:
            raise KafkaTimeoutError
        return broker


def test_who_has_let_its_time_pass_is_not_waited_for_again_in_the_same_look() -> None:
    brokers = Brokers()
    for _ in range(3):
        with pytest.raises(BrokersUnreachable, match="broker 2: no answer"):
            brokers.ask(object(), 2)
        assert 1 == brokers.ask(object(), 1)
    assert [2, 1, 1, 1] == brokers.asked

    brokers.budget.renew()
    with pytest.raises(BrokersUnreachable):
        brokers.ask(object(), 2)
    assert [2, 1, 1, 1, 2] == brokers.asked


def test_all_are_asked_at_the_same_time() -> None:
    together = [Event(), Event()]

    def ask(broker: BrokerId) -> int:
        together[broker].set()
        for event in together:
            event.wait()
        return broker

    def refuse(broker: BrokerId) -> int:
        if broker:
            raise KafkaConnectionError
        return broker

    brokers, two = Brokers(), [BrokerId(0), BrokerId(1)]

    assert {0: 0, 1: 1} == brokers.at_once(two, ask)
    told = brokers.at_once(two, refuse)
    assert 0 == told[BrokerId(0)]
    assert isinstance(told[BrokerId(1)], KafkaConnectionError)
