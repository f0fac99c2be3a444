"""Brokers in memory ask one another, as `network` lets them."""

from typing import Any

from cluster.broker.ports import Endpoint, NoAnswer
from cluster.wire.api_keys import ApiKey
from cluster.wire.messages.fetch import FetchRequest, FetchTopic
from tests.cluster.api.fetching import BY_NAME, part
from tests.cluster.api.network import WAY_MS, Network
from tests.cluster.api.world import World

FETCH = FetchRequest(max_wait_ms=10**5, min_bytes=1, topics=[FetchTopic("orders", b"", [part()])])


def connected(network: Network, asker: World, endpoint: Endpoint) -> Any:
    heard: list[Any] = []
    asker.broker.ports.peers.connect(endpoint, "2", 1000, heard.append)
    network.clock.advance(WAY_MS)
    return heard.pop()


def test_one_broker_fetches_from_another() -> None:
    network = Network()
    leader, other = network.broker(1), network.broker(2)
    leader.lead(replicas=(1, 2), isr=(1,))
    connection = connected(network, other, Endpoint("host1", 9092))
    answers: list[Any] = []

    assert BY_NAME == connection.version(ApiKey.FETCH, BY_NAME)
    connection.send(ApiKey.FETCH, BY_NAME, FETCH, 1000, answers.append)
    network.clock.advance(2 * WAY_MS)
    assert not answers
    leader.produced()
    network.clock.advance(WAY_MS)
    assert answers.pop().responses[0].partitions[0].records

    network.silent.add(1)
    connection.send(ApiKey.FETCH, BY_NAME, FETCH, 1000, answers.append)
    network.clock.advance(1000)
    assert [NoAnswer("no response came in time")] == answers
    assert not connection.is_open
    connection.send(ApiKey.FETCH, BY_NAME, FETCH, 1000, answers.append)
    network.clock.advance(0)
    assert NoAnswer("it is over") == answers[-1]


def test_a_broker_that_is_gone_refuses_and_ends_its_connections() -> None:
    network = Network()
    leader, other = network.broker(1), network.broker(2)
    leader.lead()
    connection = connected(network, other, Endpoint("host1", 9092))
    answers: list[Any] = []
    connection.send(ApiKey.FETCH, BY_NAME, FETCH, 1000, answers.append)
    network.clock.advance(WAY_MS)
    assert 1 == leader.watcher_count

    network.end(1)
    assert [NoAnswer("it has ended the connection")] == answers
    assert 0 == leader.watcher_count
    assert NoAnswer("Connection refused") == connected(network, other, Endpoint("host1", 9092))
