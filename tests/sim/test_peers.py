"""Connections between simulated brokers, in a world without faults but those that a test makes."""

from typing import Any

import pytest

from cluster.broker.ports import NoAnswer, PeerConnection
from cluster.model.ids import BrokerId
from cluster.model.topic import PartitionAssignment, TopicAssignment
from cluster.wire.api_keys import ApiKey
from cluster.wire.messages.fetch import FetchPartition, FetchRequest, FetchTopic
from cluster.wire.messages.metadata import MetadataRequest, MetadataResponse
from cluster.wire.messages.produce import (
    PartitionProduceData,
    ProduceRequest,
    ProduceResponse,
    TopicProduceData,
)
from cluster.zk import paths
from cluster.zk.requests import Create
from cluster.zk.topics import encode_assignment
from tests.sim.batches import batch_of
from tests.sim.peers import endpoint_of
from tests.sim.process import Process
from tests.sim.story import Fault, Story
from tests.sim.world import World

pytestmark = pytest.mark.sim

METADATA = (ApiKey.METADATA, 9, MetadataRequest(None))


@pytest.fixture
def world() -> World:
    """Three or four brokers that have been up for a while."""
    world = World(Story(1, without=frozenset(fault.name for fault in Fault)))
    world.run_until(1000)
    return world


class Caller:
    """What broker 0 asks of broker 1, and what it hears."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.heard: list[Any] = []
        self.asker.broker.ports.peers.connect(endpoint_of(BrokerId(1)), "0", 500, self.heard.append)

    @property
    def asker(self) -> Process:
        return self.world.process_of(BrokerId(0))

    @property
    def asked(self) -> Process:
        return self.world.process_of(BrokerId(1))

    @property
    def last(self) -> Any:
        return self.heard[-1]

    def wait(self, for_ms: int = 600) -> None:
        self.world.run_until(self.world.now_ms + for_ms)

    def opened(self) -> PeerConnection:
        self.wait()
        connection: PeerConnection = self.heard.pop()
        assert connection.is_open
        return connection


def test_brokers_ask_one_another_one_request_at_a_time(world: World) -> None:
    caller = Caller(world)
    connection = caller.opened()

    assert 9 == connection.version(ApiKey.METADATA, newest=9)
    assert connection.version(ApiKey.ALTER_CLIENT_QUOTAS, newest=9) is None
    for _ in range(2):
        connection.send(*METADATA, 500, caller.heard.append)
        assert not caller.heard
        caller.wait()
        assert isinstance(caller.heard.pop(), MetadataResponse)


def test_a_broker_that_is_down_refuses_and_one_that_is_frozen_lets_wait(world: World) -> None:
    caller = Caller(world)
    world.crash(caller.asked, is_machine=False)
    caller.wait()
    assert [NoAnswer("it refuses connections")] == caller.heard

    world.start(BrokerId(1))
    caller.wait()
    caller = Caller(world)
    caller.asked.freeze()
    caller.wait()
    assert [NoAnswer("it cannot be reached in time")] == caller.heard
    caller.asked.thaw()
    caller.wait()
    assert 1 == len(caller.heard)


def test_who_has_given_up_hears_no_late_answer(world: World) -> None:
    caller = Caller(world)
    connection = caller.opened()

    caller.asked.freeze()
    connection.send(*METADATA, 100, caller.heard.append)
    caller.wait()
    assert [NoAnswer("no response came in time")] == caller.heard
    assert not connection.is_open
    connection.send(*METADATA, 100, caller.heard.append)
    caller.wait(1)
    caller.asked.thaw()
    caller.wait()
    assert 2 * [NoAnswer("no response came in time")] == caller.heard


def test_a_connection_ends_with_the_life_of_who_is_asked(world: World) -> None:
    caller = Caller(world)
    connection = caller.opened()

    world.crash(caller.asked, is_machine=False)
    world.start(BrokerId(1))
    connection.send(*METADATA, 500, caller.heard.append)
    caller.wait()
    assert [NoAnswer("it has ended the connection")] == caller.heard


def test_a_frozen_broker_hears_when_it_goes_on_and_a_dead_one_nothing(world: World) -> None:
    caller = Caller(world)
    connection = caller.opened()

    connection.send(*METADATA, 500, caller.heard.append)
    caller.asker.freeze()
    caller.wait()
    assert not caller.heard
    caller.asker.thaw()
    assert isinstance(caller.heard.pop(), MetadataResponse)
    connection.send(*METADATA, 500, caller.heard.append)
    world.crash(caller.asker, is_machine=False)
    caller.wait()
    assert not caller.heard


def test_records_that_a_failed_disk_does_not_give_end_the_connection(world: World) -> None:
    caller = Caller(world)
    connection = caller.opened()
    assignment = TopicAssignment(partitions={0: PartitionAssignment((BrokerId(1),))})
    world.tool(Create(paths.topic("a"), encode_assignment(assignment)))
    caller.wait()
    batch = PartitionProduceData(0, batch_of(b"a", world.now_ms))
    produce = ProduceRequest(None, 1, 100, [TopicProduceData("a", [batch])])
    for _ in range(2):
        connection.send(ApiKey.PRODUCE, 9, produce, 500, caller.heard.append)
        caller.wait()
        assert isinstance(caller.heard.pop(), ProduceResponse)

    # Where the last batch begins is known without the disk.
    caller.asked.disk.fault = lambda kind, path: OSError(5, "input/output error", path)
    part = FetchPartition(0, fetch_offset=1, partition_max_bytes=1000)
    topics = [FetchTopic("a", partitions=[part])]
    fetch = FetchRequest(max_wait_ms=0, min_bytes=1, topics=topics)
    connection.send(ApiKey.FETCH, 12, fetch, 500, caller.heard.append)
    caller.wait()

    assert [NoAnswer("it has ended the connection")] == caller.heard


def test_a_request_that_is_given_up_waits_no_longer_where_it_is_served(world: World) -> None:
    caller = Caller(world)
    connection = caller.opened()
    assignment = TopicAssignment(partitions={0: PartitionAssignment((BrokerId(1),))})
    world.tool(Create(paths.topic("a"), encode_assignment(assignment)))
    caller.wait()
    part = FetchPartition(0, partition_max_bytes=1)
    topics = [FetchTopic("a", partitions=[part])]
    fetch = FetchRequest(max_wait_ms=10**5, min_bytes=1, topics=topics)
    timers = caller.asked.clock.timers

    connection.send(ApiKey.FETCH, 12, fetch, 200_000, caller.heard.append)
    caller.wait()
    assert timers + 1 == caller.asked.clock.timers
    connection.close()
    connection.close()
    caller.wait()
    assert timers == caller.asked.clock.timers
    assert not caller.heard
