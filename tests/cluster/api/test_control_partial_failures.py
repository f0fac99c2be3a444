"""Orders of which a part cannot be obeyed: the rest of them is."""

import errno
import os
from typing import Any

import pytest

from cluster.broker.refusals_log import quoted
from cluster.broker.replica_manager.topic_config_handler import TopicConfigHandler
from cluster.model.error_codes import ErrorCode
from cluster.model.ids import TopicPartition
from cluster.storage.log.partition_log import PartitionLog
from cluster.wire.api_keys import ApiKey
from cluster.wire.messages.leader_and_isr import (
    LeaderAndIsrPartitionState,
    LeaderAndIsrRequest,
    LeaderAndIsrTopicState,
)
from cluster.wire.messages.metadata import MetadataRequest
from cluster.wire.messages.stop_replica import (
    StopReplicaPartitionState,
    StopReplicaRequest,
    StopReplicaTopicState,
)
from tests.cluster.api.controlling import many
from tests.cluster.api.orders import DURING_DELETION, OTHER_ID, outcome
from tests.cluster.api.world import EPOCH, ME, World


def orders_of(*named: tuple[str, int]) -> LeaderAndIsrRequest:
    """LeaderAndIsr for many partitions, which this broker shall lead."""
    states = [
        LeaderAndIsrTopicState(
            topic,
            bytes([number + 1]) * 16,
            [
                LeaderAndIsrPartitionState(
                    topic, index, 1, ME, leader_epoch=0, isr=[ME], replicas=[ME], is_new=True
                )
            ],
        )
        for number, (topic, index) in enumerate(named)
    ]
    return LeaderAndIsrRequest(
        controller_id=ME, controller_epoch=1, broker_epoch=EPOCH, topic_states=states
    )


def codes(answer) -> list[int]:
    return [part.error_code for topic in answer.topics for part in topic.partition_errors]


IMPOSSIBLE = ["a/../b", "n\0a", "a b", "..", "", "x" * 250, "line\nfeed"]


@pytest.mark.parametrize("name", IMPOSSIBLE)
def test_a_name_that_no_topic_can_have_never_reaches_the_disk(world: World, name: str):
    world.files.operations.clear()
    named = [(name, 0), ("orders", 0), (name, 1)]

    answer = world.ask_now(ApiKey.LEADER_AND_ISR, orders_of(*named))

    refused = ErrorCode.INVALID_TOPIC_EXCEPTION
    assert [refused, ErrorCode.NONE, refused] == codes(answer)
    assert ["mkdir /data/orders-0"] == [
        one for one in world.files.operations if one.startswith("mkdir")
    ]
    assert ErrorCode.NONE == world.produced().error_code
    assert [f"partition {index} of topic {quoted(name)}" for index in (0, 1)] == [
        line.partition(" is not served")[0] for line in world.journal.errors
    ]


def test_a_partition_with_a_number_below_zero_is_refused(world: World):
    answer = world.ask_now(ApiKey.LEADER_AND_ISR, orders_of(("orders", -1), ("orders", 0)))

    assert [ErrorCode.INVALID_TOPIC_EXCEPTION, ErrorCode.NONE] == codes(answer)


@pytest.mark.parametrize("name", IMPOSSIBLE)
def test_a_topic_that_cannot_be_stops_at_once_and_is_not_told_to_clients(world: World, name: str):
    partition = StopReplicaPartitionState(0, DURING_DELETION, delete_partition=True)
    body = StopReplicaRequest(
        controller_id=ME,
        controller_epoch=1,
        broker_epoch=EPOCH,
        topic_states=[StopReplicaTopicState(name, [partition])],
    )

    stopped = world.ask_now(ApiKey.STOP_REPLICA, body)
    world.tell_all({name: {0: [1]}, "orders": {0: [1]}})

    assert [ErrorCode.NONE] == [one.error_code for one in stopped.partition_errors]
    told = world.ask_now(ApiKey.METADATA, MetadataRequest(None))
    assert ["orders"] == [topic.name for topic in told.topics]


@pytest.mark.parametrize("number", range(10))
def test_a_mistake_with_one_partition_is_that_partitions_alone(
    world: World, number: int, monkeypatch: pytest.MonkeyPatch
):
    begin = world.logs.get_or_create

    def get_or_create(partition: TopicPartition, *args: Any, **kwargs: Any) -> PartitionLog:
        if partition == TopicPartition("orders", number):
            raise KeyError("a mistake")
        return begin(partition, *args, **kwargs)

    monkeypatch.setattr(world.logs, "get_or_create", get_or_create)
    answer = world.ask(ApiKey.LEADER_AND_ISR, orders_of(*(("orders", at) for at in range(10))))
    world.settle()
    with pytest.raises(KeyError, match="a mistake"):
        world.clock.advance(0)
    world.clock.advance(0)

    expected = [ErrorCode.NONE] * 10
    expected[number] = ErrorCode.UNKNOWN_SERVER_ERROR
    assert expected == codes(answer.body)
    assert ErrorCode.NONE == outcome(world.order("more", topic_id=OTHER_ID))


def test_a_mistake_with_one_replica_that_stops_is_that_replicas_alone(
    world: World, monkeypatch: pytest.MonkeyPatch
):
    many(world, 9)
    world.settle()
    world.clock.advance(0)
    delete = world.logs.delete

    def fail(partition: TopicPartition, *args: Any) -> None:
        if partition.partition == 6:
            raise KeyError("a mistake")
        delete(partition, *args)

    monkeypatch.setattr(world.logs, "delete", fail)
    states = [StopReplicaPartitionState(at, DURING_DELETION, True) for at in range(9)]
    body = StopReplicaRequest(
        controller_id=ME,
        controller_epoch=1,
        broker_epoch=EPOCH,
        topic_states=[StopReplicaTopicState("orders", states)],
    )
    answer = world.ask(ApiKey.STOP_REPLICA, body)
    with pytest.raises(KeyError, match="a mistake"):
        world.clock.advance(0)
    world.clock.advance(0)
    world.settle()

    expected = [ErrorCode.NONE] * 9
    expected[6] = ErrorCode.UNKNOWN_SERVER_ERROR
    assert expected == [one.error_code for one in answer.body.partition_errors]
    assert ErrorCode.NONE == outcome(world.order("more", topic_id=OTHER_ID))


def test_a_mistake_after_the_configs_are_read_ends_the_turn(
    world: World, monkeypatch: pytest.MonkeyPatch
):
    def learn(_self: object, _overrides: object) -> None:
        raise KeyError("a mistake")

    with monkeypatch.context() as patched:
        patched.setattr(TopicConfigHandler, "learn", learn)
        answer = world.ask(ApiKey.LEADER_AND_ISR, orders_of(("orders", 0)))
        with pytest.raises(KeyError, match="a mistake"):
            world.settle()

    assert answer.closed is not None
    assert ErrorCode.NONE == outcome(world.order("more", topic_id=OTHER_ID))


@pytest.mark.parametrize("number", [errno.ENAMETOOLONG, errno.EILSEQ], ids=errno.errorcode.get)
def test_a_name_that_the_file_system_will_not_have_is_one_partitions_trouble(
    world: World, number: int
):
    def fault(kind: str, path: str) -> OSError | None:
        is_long = kind == "mkdir" and len(path) > 100
        return OSError(number, os.strerror(number), path) if is_long else None

    world.files.fault = fault
    long = "x" * 150
    named = [(long, 0), ("orders", 0)]

    answer = world.ask_now(ApiKey.LEADER_AND_ISR, orders_of(*named))

    assert [ErrorCode.KAFKA_STORAGE_ERROR, ErrorCode.NONE] == codes(answer)
    assert world.logs.online
    assert ErrorCode.NONE == world.produced().error_code


def test_no_log_is_made_after_the_end_of_what_was_ordered(world: World):
    answer = world.ask(ApiKey.LEADER_AND_ISR, orders_of(*(("orders", at) for at in range(10))))
    waits = world.ask(ApiKey.LEADER_AND_ISR, orders_of(("more", 0)))
    world.settle()
    made = len(world.logs.directories[0].logs)

    world.broker.control_queue.close()
    world.logs.close(world.clock.now_ms(), EPOCH)
    late = world.ask(ApiKey.LEADER_AND_ISR, orders_of(("late", 0)))
    world.settle()
    world.clock.advance(0)

    assert 0 < made < 10
    assert made == len(world.logs.directories[0].logs)
    assert [True] * 3 == [one.is_waiting for one in (answer, waits, late)]
    assert World(disk=world.files).logs.directories[0].was_closed


def deletion() -> StopReplicaRequest:
    """StopReplica for orders-0."""
    state = StopReplicaPartitionState(0, DURING_DELETION, True)
    return StopReplicaRequest(
        controller_id=ME,
        controller_epoch=1,
        broker_epoch=EPOCH,
        topic_states=[StopReplicaTopicState("orders", [state])],
    )


@pytest.mark.slow
@pytest.mark.parametrize("is_midway", [True, False], ids=["midway", "idle"])
@pytest.mark.parametrize("key", [ApiKey.LEADER_AND_ISR, ApiKey.STOP_REPLICA])
def test_no_order_touches_the_disk_after_the_broker_was_stopped(
    world: World, key: ApiKey, is_midway: bool
):
    """Neither one that comes then nor one that was begun: a log that is made or renamed when all
    are closed is one that the mark of the orderly end knows nothing of."""
    world.lead(partitions=10)
    if is_midway:
        world.ask(ApiKey.LEADER_AND_ISR, orders_of(*(("more", at) for at in range(10))))
        world.store.waiting.popleft()()
    world.broker.stop()
    world.logs.close(world.clock.now_ms(), EPOCH)
    world.files.operations.clear()

    late = world.ask(key, orders_of(("late", 0)) if key is ApiKey.LEADER_AND_ISR else deletion())
    for _ in range(10):
        world.settle()
        world.clock.advance(1000)

    assert [] == world.files.operations
    assert late.is_waiting
    assert World(disk=world.files).logs.directories[0].was_closed
