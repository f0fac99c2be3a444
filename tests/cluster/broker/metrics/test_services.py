"""What makes which metric of a broker's services move, and by how much?"""

from collections.abc import Callable, Iterator, Mapping
from random import Random
from typing import Any, Final

import pytest

from cluster.broker.metrics.services import add_services
from cluster.broker.replica_manager.log_cleaner import LogCleaner
from cluster.controller.requests import AlteredPartition, AlterPartitionReply, AskedTopic
from cluster.metrics.registry import Attributes, MetricsRegistry
from cluster.model.error_codes import ErrorCode
from cluster.model.ids import BrokerId, ZkVersion
from tests.cluster.api.fetching import fetch, part
from tests.cluster.api.orders import stop
from tests.cluster.api.test_replication import Cluster
from tests.cluster.api.world import ME, World
from tests.cluster.formats.messages import message
from tests.cluster.storage.batches import batch
from tests.support.metrics import all_of

RECORDS: Final = bytes(batch(3))
OLD: Final = bytes(message(b"a", magic=1) + message(b"b", magic=1))
"""From a producer before 0.11."""
TOPIC: Final = "kafka.server:type=BrokerTopicMetrics,name={}"
OF_ORDERS: Final = f"{TOPIC},topic=orders"
MANAGER: Final = "kafka.server:type=ReplicaManager,name={}"
PARTITION: Final = "kafka.cluster:type=Partition,name={},topic=orders,partition=0"
LOG: Final = "kafka.log:type=Log,name={},topic=orders,partition=0"
WAITING: Final = "kafka.server:type=DelayedOperationPurgatory,name={},delayedOperation={}"
SESSIONS: Final = "kafka.server:type=FetchSessionCache,name={}"


@pytest.fixture
def world() -> Iterator[World]:
    made = World()
    yield made
    made.end_connections()
    made.end_sessions()


def measured(world: World) -> MetricsRegistry:
    clock = world.clock
    registry = MetricsRegistry(
        monotonic_ns=lambda: clock.now_ms() * 1_000_000, random=Random(7).random
    )
    broker = world.broker
    add_services(registry, broker, LogCleaner(broker.ports, broker.partitions, clock.wall_ms))
    return registry


def produce(world: World) -> None:
    assert world.produced(RECORDS).error_code == 0


def consume(world: World) -> None:
    produce(world)
    assert not fetch(world, part()).is_waiting


def follow(world: World) -> None:
    """Let broker 2, which is being added, fetch what is there."""
    world.order("orders", leader_epoch=1, replicas=(ME, 2), isr=(ME,), is_new=False)
    produce(world)
    hosted = world.broker.partitions.find_index("orders", 0)
    assert hosted is not None
    hosted.replica.assignment = hosted.replica.assignment._replace(adding=(BrokerId(2),))
    assert not fetch(world, part(leader_epoch=1), replica_id=2).is_waiting


def refuse_size(world: World) -> None:
    world.store.configs["small"] = {"max.message.bytes": "10"}
    world.lead("small")
    assert world.produced(RECORDS, "small").error_code == ErrorCode.MESSAGE_TOO_LARGE


def refuse_damage(world: World) -> None:
    damaged = bytearray(RECORDS)
    damaged[-1] ^= 1
    assert world.produced(damaged).error_code == ErrorCode.CORRUPT_MESSAGE


def produce_old(world: World) -> None:
    world.produce(OLD, acks=1, version=2)
    world.settle()


def refuse_old(world: World) -> None:
    world.store.configs["keyed"] = {"cleanup.policy": "compact"}
    world.lead("keyed")
    world.produce(OLD, "keyed", acks=1, version=2)
    world.settle()


def consume_old(world: World) -> None:
    produce(world)
    fetch(world, part(), version=3)
    world.settle()


def wait_for_records(world: World) -> None:
    fetch(world, part(), max_wait_ms=1000)


def wait_for_followers(world: World) -> None:
    world.order("orders", leader_epoch=1, replicas=(ME, 2), isr=(ME, 2), is_new=False)
    world.produce(RECORDS)


def begin_session(world: World) -> None:
    fetch(world, part(), session=(0, 0))


def lose_a_replica(world: World) -> None:
    world.order("orders", leader_epoch=1, replicas=(ME, 2), isr=(ME,), is_new=False)


SIZE: Final = len(RECORDS)

CASES: Final[tuple[tuple[Callable[[World], None], Mapping[str, float]], ...]] = (
    (
        produce,
        {
            TOPIC.format("MessagesInPerSec"): 3,
            OF_ORDERS.format("MessagesInPerSec"): 3,
            TOPIC.format("BytesInPerSec"): SIZE,
            OF_ORDERS.format("BytesInPerSec"): SIZE,
            TOPIC.format("TotalProduceRequestsPerSec"): 1,
            OF_ORDERS.format("TotalProduceRequestsPerSec"): 1,
            LOG.format("Size"): SIZE,
            LOG.format("LogEndOffset"): 3,
        },
    ),
    (
        consume,
        {
            TOPIC.format("BytesOutPerSec"): SIZE,
            OF_ORDERS.format("BytesOutPerSec"): SIZE,
            OF_ORDERS.format("TotalFetchRequestsPerSec"): 1,
            TOPIC.format("ReplicationBytesOutPerSec"): 0,
        },
    ),
    (
        follow,
        {
            TOPIC.format("BytesOutPerSec"): 0,
            TOPIC.format("ReplicationBytesOutPerSec"): SIZE,
            TOPIC.format("ReassignmentBytesOutPerSec"): SIZE,
            MANAGER.format("ReassigningPartitions"): 1,
        },
    ),
    (
        refuse_size,
        {
            TOPIC.format("BytesRejectedPerSec"): SIZE,
            TOPIC.format("FailedProduceRequestsPerSec"): 0,
            MANAGER.format("LeaderCount"): 1,
        },
    ),
    (
        refuse_damage,
        {
            TOPIC.format("InvalidMessageCrcRecordsPerSec"): 1,
            TOPIC.format("MessagesInPerSec"): 0,
        },
    ),
    (
        produce_old,
        {
            TOPIC.format("MessagesInPerSec"): 2,
            TOPIC.format("TotalProduceRequestsPerSec"): 1,
            TOPIC.format("ProduceMessageConversionsPerSec"): 2,
            OF_ORDERS.format("ProduceMessageConversionsPerSec"): 2,
        },
    ),
    (
        refuse_old,
        {
            TOPIC.format("NoKeyCompactedTopicRecordsPerSec"): 2,
            TOPIC.format("TotalProduceRequestsPerSec"): 1,
            TOPIC.format("FailedProduceRequestsPerSec"): 1,
            TOPIC.format("ProduceMessageConversionsPerSec"): 0,
        },
    ),
    (
        consume_old,
        {
            TOPIC.format("FetchMessageConversionsPerSec"): 3,
            OF_ORDERS.format("FetchMessageConversionsPerSec"): 3,
        },
    ),
    (
        wait_for_records,
        {WAITING.format("NumDelayedOperations", "Fetch"): 1},
    ),
    (
        wait_for_followers,
        {
            WAITING.format("NumDelayedOperations", "Produce"): 1,
            WAITING.format("PurgatorySize", "Produce"): 1,
        },
    ),
    (
        begin_session,
        {
            SESSIONS.format("NumIncrementalFetchSessions"): 1,
            SESSIONS.format("NumIncrementalFetchPartitionsCached"): 1,
        },
    ),
    (
        lose_a_replica,
        {
            MANAGER.format("UnderReplicatedPartitions"): 1,
            PARTITION.format("UnderReplicated"): 1,
            PARTITION.format("ReplicasCount"): 1,
        },
    ),
)


def number_of(attributes: Attributes | None) -> float:
    """Return the value of a gauge or the count of a meter; 0 for one that is not there yet."""
    if attributes is None:
        return 0
    value = attributes.get("Value", attributes.get("Count"))
    assert isinstance(value, int | float)
    return value


@pytest.mark.parametrize(("act", "moves"), CASES, ids=lambda case: getattr(case, "__name__", ""))
def test_what_happens_moves_its_metrics(
    world: World, act: Callable[[World], None], moves: Mapping[str, float]
) -> None:
    world.lead()
    registry = measured(world)
    before = all_of(registry)
    act(world)
    after = all_of(registry)

    moved = {name: number_of(after.get(name)) - number_of(before.get(name)) for name in moves}
    assert moves == moved


def test_a_partition_has_its_gauges_while_it_is_here(world: World) -> None:
    world.lead()
    registry = measured(world)
    produce(world)
    there = all_of(registry)
    stop(world)
    gone = all_of(registry)

    names = ("Size", "NumLogSegments", "LogStartOffset", "LogEndOffset")
    assert [there[LOG.format(name)]["Value"] for name in names] == [SIZE, 1, 0, 3]
    names = ("InSyncReplicasCount", "ReplicasCount", "UnderReplicated", "LastStableOffsetLag")
    assert [there[PARTITION.format(name)]["Value"] for name in names] == [1, 1, 0, 0]
    assert [name for name in gone if "topic=orders" in name] == []
    # All topics together keep what was counted.
    assert gone[TOPIC.format("MessagesInPerSec")]["Count"] == 3
    assert gone[MANAGER.format("PartitionCount")]["Value"] == 0


def test_a_topic_that_is_made_again_counts_from_0(world: World) -> None:
    world.lead()
    registry = measured(world)
    produce(world)
    all_of(registry)
    stop(world)
    world.lead()
    produce(world)
    found = all_of(registry)

    assert found[OF_ORDERS.format("MessagesInPerSec")]["Count"] == 3
    assert found[TOPIC.format("MessagesInPerSec")]["Count"] == 6


def test_what_no_longer_waits_does_not_count(world: World) -> None:
    world.lead()
    registry = measured(world)
    waiting = fetch(world, part(), max_wait_ms=1000)
    produce(world)
    found: Any = all_of(registry)

    assert not waiting.is_waiting
    for name in ("NumDelayedOperations", "PurgatorySize"):
        assert found[WAITING.format(name, "Fetch")]["Value"] == 0


# Between two brokers.

FETCHER: Final = "clientId=ReplicaFetcherThread-0-1"
MANAGERS: Final = "kafka.server:type=ReplicaFetcherManager,name={},clientId=Replica"


def test_a_follower_and_its_leader_count_what_is_replicated() -> None:
    cluster = Cluster(1, 2)
    cluster.lead(1)
    leader, follower = measured(cluster.worlds[1]), measured(cluster.worlds[2])
    cluster.write(1, 3)
    cluster.advance(10)
    of_leader, of_follower = all_of(leader), all_of(follower)

    size = len(cluster.content(2))
    assert size > 0
    assert of_leader[TOPIC.format("ReplicationBytesOutPerSec")]["Count"] == size
    assert of_follower[TOPIC.format("ReplicationBytesInPerSec")]["Count"] == size
    stats = f"kafka.server:type=FetcherStats,name={{}},{FETCHER},brokerHost=host1,brokerPort=9092"
    assert of_follower[stats.format("BytesPerSec")]["Count"] == size
    assert of_follower[stats.format("RequestsPerSec")]["Count"] != 0
    lag = f"kafka.server:type=FetcherLagMetrics,name=ConsumerLag,{FETCHER},topic=orders,partition=0"
    assert of_follower[lag]["Value"] == 0
    assert of_follower[MANAGERS.format("FailedPartitionsCount")]["Value"] == 0
    assert of_follower[PARTITION.format("ReplicasCount")]["Value"] == 0
    assert of_leader[PARTITION.format("ReplicasCount")]["Value"] == 2


def test_the_fetcher_of_a_leader_that_changes_has_other_metrics() -> None:
    cluster = Cluster(1, 2)
    cluster.lead(1)
    follower = measured(cluster.worlds[2])
    cluster.write(1)
    cluster.advance(10)
    all_of(follower)
    cluster.lead(2)
    cluster.advance(10)

    names = all_of(follower)
    assert [name for name in names if "type=FetcherStats" in name or "ConsumerLag" in name] == []
    assert names[TOPIC.format("ReplicationBytesInPerSec")]["Count"] != 0


def test_a_leader_counts_members_that_leave_the_isr_and_come_back(world: World) -> None:
    world.lead(replicas=(ME, 2), isr=(ME, 2))
    world.broker.start()
    registry = measured(world)
    fetch(world, part(), replica_id=2)
    world.produce(RECORDS, acks=1)
    accept(world, ME)
    world.clock.advance(2 * world.broker.ports.settings.lag_max_ms)
    without = all_of(registry)
    accept(world, ME, 2)
    fetch(world, part(3), replica_id=2)
    world.clock.advance(0)
    again = all_of(registry)

    assert without[MANAGER.format("IsrShrinksPerSec")]["Count"] == 1
    assert without[MANAGER.format("IsrExpandsPerSec")]["Count"] == 0
    assert without[MANAGER.format("UnderReplicatedPartitions")]["Value"] == 1
    assert without[PARTITION.format("InSyncReplicasCount")]["Value"] == 1
    assert again[MANAGER.format("IsrExpandsPerSec")]["Count"] == 1
    assert again[MANAGER.format("UnderReplicatedPartitions")]["Value"] == 0


def accept(world: World, *isr: int) -> None:
    """Let the controller accept *isr* when it is proposed."""
    hosted = world.broker.partitions.find_index("orders", 0)
    assert hosted is not None
    before = hosted.replica.state
    after = before._replace(
        isr=tuple(map(BrokerId, isr)), zk_version=ZkVersion(before.zk_version + 1)
    )
    world.controller.reply = AlterPartitionReply(
        ErrorCode.NONE,
        {AskedTopic(name="orders"): {0: AlteredPartition(ErrorCode.NONE, after)}},
    )
