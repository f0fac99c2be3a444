"""Does a broker obey the controller of now, and nobody else?"""

import errno
import json
import os
import weakref
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from random import Random
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cluster.broker.control_queue import (
    WAITING_MAX,
    ControlQueue,
    Obey,
    Turn,
    in_slices,
    throw_again,
)
from cluster.broker.orders import TOO_MANY
from cluster.broker.ports import ApiSettings, Outcome
from cluster.broker.refusals_log import quoted
from cluster.controller.requests import ControlledShutdown, ControlledShutdownReply
from cluster.model.config_table import REFUSED_PARTITIONS
from cluster.model.error_codes import ErrorCode
from cluster.model.ids import BrokerEpoch, BrokerId, TopicPartition
from cluster.model.topic_id import NO_TOPIC_ID, topic_id_text
from cluster.runtime.network.memory_pool import MemoryPool
from cluster.sim.disk import SimDisk
from cluster.statechange.line import StateChangeLine
from cluster.storage.log import PartitionLog
from cluster.storage.log_config import LogConfig
from cluster.storage.properties import read_topic_id
from cluster.wire.api_keys import ApiKey
from cluster.wire.messages.configs import DescribeConfigsRequest, DescribeConfigsResource
from cluster.wire.messages.controlled_shutdown import ControlledShutdownRequest
from cluster.wire.messages.leader_and_isr import (
    LeaderAndIsrPartitionState,
    LeaderAndIsrRequest,
    LeaderAndIsrTopicState,
)
from cluster.wire.messages.metadata import MetadataRequest, MetadataRequestTopic
from cluster.wire.messages.stop_replica import (
    StopReplicaPartitionState,
    StopReplicaRequest,
    StopReplicaTopicState,
)
from cluster.wire.messages.update_metadata import UpdateMetadataRequest
from kadmin.statechange.kinds import Kind
from kadmin.statechange.parse import parse_line
from tests.cluster.api.orders import DURING_DELETION, ORDERS_0, OTHER_ID, failing, outcome, stop
from tests.cluster.api.world import EPOCH, ME, TOPIC_ID, Answer, World, versions
from tests.cluster.storage.batches import batch
from tests.support.collector import collector_disabled

MIB = 1024**2

# Who is obeyed.


def test_a_controller_that_was_replaced_is_refused_by_every_order(world: World):
    world.lead(controller_epoch=1)
    world.order("orders", leader_epoch=1, controller_epoch=5)

    told = world.tell_all({"orders": {0: [2]}}, controller_epoch=4)
    ordered = world.order("orders", leader_epoch=7, controller_epoch=4)
    stopped = stop(world, controller_epoch=4)

    stale = ErrorCode.STALE_CONTROLLER_EPOCH
    assert [stale] * 3 == [told.error_code, ordered.error_code, stopped.error_code]
    assert ErrorCode.NONE == world.produced().error_code


def test_the_same_controller_may_say_more(world: World):
    world.lead(controller_epoch=3)

    assert ErrorCode.NONE == outcome(world.order("orders", leader_epoch=1, controller_epoch=3))


def test_orders_for_an_earlier_life_of_this_broker_are_refused(world: World):
    told = world.tell_all({"orders": {0: [1]}}, broker_epoch=EPOCH - 1)
    ordered = world.order("orders", broker_epoch=EPOCH - 1)
    stopped = stop(world, broker_epoch=EPOCH - 1)

    stale = ErrorCode.STALE_BROKER_EPOCH
    assert [stale] * 3 == [told.error_code, ordered.error_code, stopped.error_code]
    assert [] == list(world.logs.directories[0].logs)


@pytest.mark.parametrize("epoch", [-1, EPOCH + 1])
def test_a_controller_may_know_no_epoch_of_this_broker_or_a_newer_one(world: World, epoch: int):
    assert ErrorCode.NONE == outcome(world.order("orders", broker_epoch=epoch))


# LeaderAndIsr.


@pytest.mark.parametrize("version", versions(ApiKey.LEADER_AND_ISR))
def test_a_partition_is_led_after_an_order_of_any_version(world: World, version: int):
    answer = world.order("orders", version=version, topic_id=TOPIC_ID)

    (error,) = answer.partition_errors if version < 5 else answer.topics[0].partition_errors
    assert (ErrorCode.NONE, 0) == (error.error_code, error.partition_index)
    assert ErrorCode.NONE == world.produced().error_code


def test_the_topics_id_is_kept_with_the_log(world: World):
    world.lead()

    assert topic_id_text(TOPIC_ID) == read_topic_id(world.files, "/data/orders-0")


def test_an_epoch_begins_in_the_log_also_when_nothing_is_written_in_it(world: World):
    world.lead(leader_epoch=2)
    world.produced(batch(3))
    world.order("orders", leader_epoch=4)

    log = world.logs.log(ORDERS_0)

    assert log is not None
    assert [(2, 0), (4, 3)] == list(log.epochs.starts)


@pytest.mark.parametrize("epoch", [4, 5])
def test_an_order_with_an_epoch_that_is_no_higher_changes_nothing(world: World, epoch: int):
    world.lead(leader_epoch=5)

    answer = world.order("orders", leader=2, leader_epoch=epoch, replicas=[1, 2])

    assert ErrorCode.STALE_CONTROLLER_EPOCH == outcome(answer)
    assert ErrorCode.NONE == world.produced().error_code


def test_a_partition_of_other_brokers_is_not_taken(world: World):
    answer = world.order("orders", leader=2, replicas=[2, 3])

    assert ErrorCode.UNKNOWN_TOPIC_OR_PARTITION == outcome(answer)
    assert world.logs.log(ORDERS_0) is None


def test_a_topic_of_the_same_name_and_another_id_is_refused(world: World):
    world.lead()

    hosted = world.order("orders", leader_epoch=1, topic_id=OTHER_ID)
    restarted = world.restarted()
    on_disk = restarted.order("orders", leader_epoch=1, topic_id=OTHER_ID)

    assert ErrorCode.INCONSISTENT_TOPIC_ID == outcome(hosted)
    assert ErrorCode.INCONSISTENT_TOPIC_ID == outcome(on_disk)


def test_people_are_told_once_of_a_log_that_is_another_topics(world: World):
    world.lead()
    restarted = world.restarted()

    for epoch in (1, 2, 3):
        restarted.order("orders", leader_epoch=epoch, topic_id=OTHER_ID)

    (error,) = restarted.journal.errors
    assert error == (
        "orders-0 is not served: its log here is that of a topic with id"
        f" {topic_id_text(TOPIC_ID)}, and the topic's id is {topic_id_text(OTHER_ID)}"
    )
    restarted.order("orders", leader_epoch=4)
    restarted.order("orders", leader_epoch=5, topic_id=OTHER_ID)
    assert [error, error] == restarted.journal.errors


def test_a_missing_topic_id_is_taken_without_a_new_epoch(world: World):
    world.lead(topic_id=NO_TOPIC_ID)
    assert read_topic_id(world.files, "/data/orders-0") is None

    answer = world.order("orders", topic_id=TOPIC_ID)

    assert ErrorCode.NONE == outcome(answer)
    assert topic_id_text(TOPIC_ID) == read_topic_id(world.files, "/data/orders-0")


def test_a_log_of_an_older_release_gets_the_topics_id_when_it_is_led(world: World):
    world.lead(topic_id=NO_TOPIC_ID)
    restarted = world.restarted()

    restarted.lead()

    assert topic_id_text(TOPIC_ID) == read_topic_id(restarted.files, "/data/orders-0")


def test_no_file_of_a_new_log_is_opened_twice(world: World, monkeypatch: pytest.MonkeyPatch):
    """Thousands of logs may begin at once, and what was just written need not be read."""
    opened: list[str] = []
    open_file = SimDisk.open

    def note(disk: SimDisk, path: str, *, create: bool = False) -> Any:
        opened.append(path)
        return open_file(disk, path, create=create)

    monkeypatch.setattr(SimDisk, "open", note)

    assert ErrorCode.NONE == outcome(world.order("orders"))
    assert opened
    assert sorted(set(opened)) == sorted(opened)


def test_a_log_whose_topic_id_cannot_be_read_is_trusted_to_the_controller(world: World):
    world.lead()
    file = world.files.open("/data/orders-0/partition.metadata")
    file.truncate(0)
    file.write(0, b"nonsense")
    again = world.restarted()

    answer = again.order("orders", leader_epoch=1)

    assert ErrorCode.NONE == outcome(answer)
    (warning,) = again.journal.warnings
    assert "no topic id can be read" in warning
    assert topic_id_text(TOPIC_ID) == read_topic_id(again.files, "/data/orders-0")


def test_a_controller_that_has_lost_a_topics_id_is_refused(world: World):
    world.lead()

    assert ErrorCode.INCONSISTENT_TOPIC_ID == outcome(world.order("orders", topic_id=NO_TOPIC_ID))


def test_a_disk_that_fails_while_a_topic_id_is_written_is_said(world: World):
    world.lead(topic_id=NO_TOPIC_ID)
    world.files.fault = failing("write", "partition.metadata")

    assert ErrorCode.KAFKA_STORAGE_ERROR == outcome(world.order("orders", topic_id=TOPIC_ID))


def test_a_disk_that_fails_while_an_id_is_read_refuses_that_partition_alone(world: World):
    world.lead("orders", partitions=1)
    again = world.restarted()
    again.files.fault = failing("read", "orders-0/partition.metadata")

    answer = again.order("orders", leader_epoch=1)

    assert ErrorCode.KAFKA_STORAGE_ERROR == outcome(answer)
    assert any("offline" in line for line in again.journal.text)


def test_a_follower_of_a_dead_leader_keeps_its_role_and_has_a_log(world: World):
    world.tell_all({"orders": {0: [2, 1]}}, brokers=[1])

    answer = world.order("orders", leader=2, replicas=[2, 1])

    assert ErrorCode.NONE == outcome(answer)
    assert world.logs.log(ORDERS_0) is not None
    assert any("since the new leader 2 is unavailable" in line for line in world.journal.text)
    assert ErrorCode.NONE == outcome(world.order("orders", leader=1, replicas=[2, 1]))


def test_on_a_failed_disk_nothing_is_led_and_the_other_disk_goes_on():
    world = World(directories=["/a", "/b"])
    world.lead(partitions=2)
    first = world.logs.directory_of(ORDERS_0)
    assert first is not None
    first.health.fail(OSError("input/output error"))

    failed = world.order("orders", 0, leader_epoch=1)
    working = world.order("orders", 1, leader_epoch=1)
    unknown = world.order("orders", 2, is_new=False)
    new = world.order("orders", 3, is_new=True)

    assert [ErrorCode.KAFKA_STORAGE_ERROR, ErrorCode.NONE] == [outcome(failed), outcome(working)]
    # It may be on the disk that has failed.
    assert [ErrorCode.KAFKA_STORAGE_ERROR, ErrorCode.NONE] == [outcome(unknown), outcome(new)]


def test_a_topic_that_cannot_be_kept_harms_no_other(world: World):
    world.store.configs["compacted"] = {"cleanup.policy": "compact"}

    refused = world.order("compacted")
    world.lead()

    assert ErrorCode.INVALID_CONFIG == outcome(refused)
    assert "cleanup.policy=compact is not supported" in world.journal.errors[0]


def test_a_topic_whose_configs_are_damaged_harms_no_other_in_the_same_order(world: World):
    world.store.configs["broken"] = Outcome(ErrorCode.UNKNOWN_SERVER_ERROR, "is not JSON")
    state = LeaderAndIsrPartitionState(leader=ME, replicas=[ME], isr=[ME], is_new=True)
    body = LeaderAndIsrRequest(
        controller_id=ME,
        controller_epoch=1,
        topic_states=[
            LeaderAndIsrTopicState("broken", OTHER_ID, [state]),
            LeaderAndIsrTopicState("orders", TOPIC_ID, [state]),
        ],
    )

    answer = world.ask_now(ApiKey.LEADER_AND_ISR, body)

    errors = {one.topic_id: one.partition_errors[0].error_code for one in answer.topics}
    assert {OTHER_ID: ErrorCode.INVALID_CONFIG, TOPIC_ID: ErrorCode.NONE} == errors
    assert "partition broken-0 is not served: is not JSON" in world.journal.errors
    assert world.logs.log(ORDERS_0) is not None
    assert world.logs.log(TopicPartition("broken", 0)) is None


def described_refusals(world: World) -> list[str]:
    """What the broker tells whoever asks it for nothing else."""
    resource = DescribeConfigsResource(4, str(ME), [REFUSED_PARTITIONS])
    body = DescribeConfigsRequest([resource])
    (result,) = world.ask_now(ApiKey.DESCRIBE_CONFIGS, body).results
    assert all(one.read_only and not one.is_sensitive for one in result.configs)
    return [one.value for one in result.configs]


DAMAGED = Outcome(ErrorCode.UNKNOWN_SERVER_ERROR, "is not JSON")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("invalid", "reason"),
    [
        ({"message.timestamp.type": "foo"}, "message.timestamp.type"),
        ({"min.insync.replicas": "foo"}, "min.insync.replicas"),
        ({"retention.ms": "1 day"}, "retention.ms"),
        ({"cleanup.policy": "compact"}, "cleanup.policy"),
        (DAMAGED, "is not JSON"),
    ],
)
@pytest.mark.parametrize("mended", [{}, {"retention.ms": "77"}])
@pytest.mark.parametrize("leader", [ME, ME + 1])
def test_a_topic_is_served_when_its_configs_are_mended(
    world: World, invalid: Any, reason: str, mended: dict[str, str], leader: int
):
    world.store.configs["orders"] = invalid
    said: dict[str, Any] = {"leader": leader, "replicas": (ME, ME + 1), "leader_epoch": 3}
    refused = world.order("orders", **said)
    second = world.order("orders", 1, **said)
    world.lead("others", topic_id=OTHER_ID)

    assert [ErrorCode.INVALID_CONFIG] * 2 == [outcome(refused), outcome(second)]
    assert any(reason in line for line in world.journal.errors)
    assert world.broker.partitions.find(ORDERS_0) is None
    told = world.registration.refused
    assert [ORDERS_0, TopicPartition("orders", 1)] == list(told)
    assert all(reason in each for each in told.values())
    assert {"orders-0", "orders-1"} == json.loads(described_refusals(world)[0]).keys()

    # Mended in vain first.
    if not isinstance(invalid, Outcome):
        world.broker.change_topic_configs("orders", invalid)
        world.settle()
        assert world.broker.partitions.find(ORDERS_0) is None
    world.store.configs["orders"] = mended
    world.store.failure = Outcome(ErrorCode.BROKER_NOT_AVAILABLE, "no session")
    world.broker.change_topic_configs("orders", mended)
    world.settle()
    assert world.broker.partitions.find(ORDERS_0) is None
    world.store.failure = None
    world.broker.change_topic_configs("orders", mended)
    world.settle()

    for index in (0, 1):
        hosted = world.broker.partitions.find(TopicPartition("orders", index))
        assert hosted is not None
        assert (3, leader == ME) == (hosted.replica.leader_epoch, hosted.replica.is_leader)
        assert LogConfig.parse(mended).retention_ms == hosted.log.config.retention_ms
    assert ({}, []) == (world.registration.refused, described_refusals(world))


def test_what_ended_meanwhile_is_not_served_when_configs_are_mended(world: World):
    world.store.configs["orders"] = {"message.timestamp.type": "foo"}
    world.order("orders")
    world.order("orders", 1)
    stop(world)
    world.store.configs["orders"] = {}

    world.order("orders", 1, controller_epoch=2, leader_epoch=4)
    world.broker.change_topic_configs("orders", {})
    world.settle()

    assert world.broker.partitions.find(ORDERS_0) is None
    hosted = world.broker.partitions.find(TopicPartition("orders", 1))
    assert hosted is not None
    assert 4 == hosted.replica.leader_epoch


def test_a_newer_controller_has_the_last_word_of_what_is_served_again(world: World):
    world.store.configs["orders"] = {"message.timestamp.type": "foo"}
    world.order("orders")
    world.lead("others", topic_id=OTHER_ID, controller_epoch=2)
    world.store.configs["orders"] = {}

    world.broker.change_topic_configs("orders", {})
    world.settle()

    assert world.broker.partitions.find(ORDERS_0) is None


@pytest.mark.parametrize("key", ["leader", "follower"])
def test_a_damaged_list_of_throttled_replicas_holds_nobody_back(world: World, key: str):
    name = f"{key}.replication.throttled.replicas"
    world.store.configs["orders"] = {name: "foo"}
    throttle = world.broker.throttles.leader if key == "leader" else world.broker.throttles.follower

    world.lead()
    told = [line for line in world.journal.errors if name in line]
    world.broker.change_topic_configs("orders", {name: "0:1,x"})
    assert not throttle.is_throttled("orders", 0)
    world.broker.change_topic_configs("orders", {name: f"0:{ME}"})

    assert 1 == len(told)
    assert throttle.is_throttled("orders", 0)


def test_without_the_topics_configs_the_controller_has_to_ask_again(world: World):
    world.store.failure = Outcome(ErrorCode.BROKER_NOT_AVAILABLE, "no session")
    state = LeaderAndIsrPartitionState(leader=ME, replicas=[ME], isr=[ME], is_new=True)
    body = LeaderAndIsrRequest(
        controller_id=ME,
        controller_epoch=1,
        topic_states=[LeaderAndIsrTopicState("orders", TOPIC_ID, [state])],
    )

    answer = world.ask(ApiKey.LEADER_AND_ISR, body)
    world.settle()

    assert "no session" in (answer.closed or "")
    assert world.logs.log(ORDERS_0) is None


def many(world: World, count: int, topic: str = "orders", controller_epoch: int = 1):
    """Order this broker to lead that many partitions."""
    states = [
        LeaderAndIsrPartitionState(
            partition_index=index, leader=ME, replicas=[ME], isr=[ME], is_new=True
        )
        for index in range(count)
    ]
    body = LeaderAndIsrRequest(
        controller_id=ME,
        controller_epoch=controller_epoch,
        topic_states=[LeaderAndIsrTopicState(topic, TOPIC_ID, states)],
    )
    return world.ask(ApiKey.LEADER_AND_ISR, body)


def test_orders_are_obeyed_one_after_another_while_clients_are_served(world: World):
    world.lead("served", topic_id=OTHER_ID)
    ordered = many(world, 40)
    refused = many(world, 1, "late", controller_epoch=0)
    told = world.ask(ApiKey.UPDATE_METADATA, UpdateMetadataRequest(ME, controller_epoch=2))
    stopped = world.ask(ApiKey.STOP_REPLICA, StopReplicaRequest(ME, controller_epoch=1))

    world.settle()
    served = world.produced(topic="served")
    waited = [one.is_waiting for one in (ordered, refused, told, stopped)]
    world.clock.advance(0)
    world.settle()

    assert ErrorCode.NONE == served.error_code
    assert [True] * 4 == waited
    assert [ErrorCode.NONE] * 40 == [
        one.error_code for one in ordered.body.topics[0].partition_errors
    ]
    stale = ErrorCode.STALE_CONTROLLER_EPOCH
    assert [stale, ErrorCode.NONE, stale] == [
        one.body.error_code for one in (refused, told, stopped)
    ]


def test_what_an_order_held_goes_with_it(world: World):
    """Without the collector of garbage: an order about 10,000 partitions is megabytes."""
    line = ControlQueue(MemoryPool(1, -1))
    held: list[weakref.ref[Callable[[], None]]] = []
    done_items: list[int] = []

    def obey(turn: Turn) -> None:
        done = partial(turn.finish)
        held.append(weakref.ref(done))
        in_slices(world.clock, turn, range(5), done_items.append, throw_again, done, size=2)

    with collector_disabled():
        line.enter(obey, nothing, 1)
        waited = held[0]() is not None
        world.clock.advance(0)
        is_held = held[0]() is not None

    assert list(range(5)) == done_items
    assert waited
    assert not is_held


def test_after_a_restart_the_log_goes_on_where_it_was(world: World):
    world.lead()
    world.produced(batch(3))
    world.logs.write_high_watermarks(world.broker.high_watermarks())

    again = world.restarted()
    again.lead(leader_epoch=1, replicas=[1, 2], is_new=False)

    assert {ORDERS_0: 3} == again.broker.high_watermarks()
    assert 3 == again.produced(acks=1).base_offset


def test_new_partitions_are_led_without_a_wait_for_the_disk(world: World):
    world.files.operations.clear()
    many(world, 9)
    world.settle()
    world.clock.advance(0)

    assert 9 == sum(one.startswith("mkdir") for one in world.files.operations)
    assert [] == [one for one in world.files.operations if one.startswith("sync")]
    assert ErrorCode.NONE == world.produced(index=8).error_code


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
    def learn(_overrides: object) -> None:
        raise KeyError("a mistake")

    with monkeypatch.context() as patched:
        patched.setattr(world.broker, "topic_config_handler", SimpleNamespace(learn=learn))
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


def nothing() -> None: ...


def test_a_mistake_in_one_order_does_not_keep_the_next_one_waiting():
    line = ControlQueue(MemoryPool(1, -1))
    done: list[str] = []

    def fail(turn: Turn) -> None:
        raise AssertionError("a mistake")

    def work(turn: Turn) -> None:
        done.append("work")
        turn.finish()

    with pytest.raises(AssertionError, match="a mistake"):
        line.enter(fail, lambda: done.append("failed"), 1)
    line.enter(work, nothing, 1)

    assert ["failed", "work"] == done


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(-1, 3)), max_size=12), st.randoms())
def test_every_order_has_its_turn_whatever_becomes_of_those_before(
    lives: list[tuple[int, int]], random: Random
):
    """Each order takes so many steps, and fails in one of them, or in none."""
    line = ControlQueue(MemoryPool(1, -1))
    begun: list[int] = []
    failed: list[int] = []
    later: list[Callable[[], None]] = []
    under_way: list[int] = []
    refused: list[int] = []

    def order(number: int, step_count: int, failing: int) -> Obey:
        def step(turn: Turn, at: int) -> None:
            if at == failing:
                under_way.remove(number)
                raise KeyError(number)
            if at < step_count:
                later.append(partial(turn.step(step), turn, at + 1))
            else:
                under_way.remove(number)
                turn.finish()
                turn.finish()

        def obey(turn: Turn) -> None:
            assert not under_way
            under_way.append(number)
            begun.append(number)
            step(turn, 0)

        return obey

    for number, (step_count, fails_at) in enumerate(lives):
        with suppress(KeyError):
            obey = order(number, step_count, fails_at)
            if not line.enter(obey, partial(failed.append, number), 1):
                refused.append(number)
        while later and random.random() < 0.3:
            with suppress(KeyError):
                later.pop(0)()
    while later:
        with suppress(KeyError):
            later.pop(0)()

    taken = {at: life for at, life in enumerate(lives) if at not in refused}
    assert list(taken) == begun
    assert [at for at, (count, fails_at) in taken.items() if 0 <= fails_at <= count] == failed
    assert len(lives) > WAITING_MAX or not refused


def test_of_orders_that_end_at_once_none_is_obeyed_within_another():
    line = ControlQueue(MemoryPool(1, -1))
    first: list[Turn] = []
    depths: list[int] = []
    depth = 0

    def at_once(turn: Turn) -> None:
        nonlocal depth
        depth += 1
        depths.append(depth)
        turn.finish()
        depth -= 1

    line.enter(first.append, nothing, 1)
    for _ in range(5):
        line.enter(at_once, nothing, 1)
    first[0].finish()

    assert [1] * 5 == depths


def test_a_few_orders_wait_and_who_knows_the_brokers_epoch_goes_first():
    line = ControlQueue(MemoryPool(1, -1))
    begun: list[str] = []
    turns: list[Turn] = []

    def order(name: str) -> Obey:
        def obey(turn: Turn) -> None:
            begun.append(name)
            turns.append(turn)

        return obey

    line.enter(order("first"), nothing, 1)
    others = [
        line.enter(order(f"other {number}"), nothing, 1, knows_epoch=False)
        for number in range(1000)
    ]
    own = [line.enter(order(f"own {number}"), nothing, 1) for number in range(1000)]
    while turns:
        turns.pop().finish()

    assert WAITING_MAX == sum(others) == sum(own)
    assert [f"own {number}" for number in range(WAITING_MAX)] == begun[1 : WAITING_MAX + 1]
    assert [f"other {number}" for number in range(WAITING_MAX)] == begun[WAITING_MAX + 1 :]


@pytest.mark.parametrize("knows_epoch", [False, True])
def test_orders_that_wait_are_bounded_by_their_bytes_too(knows_epoch: bool):
    memory = MemoryPool(1, -1)
    line = ControlQueue(memory)
    turns: list[Turn] = []

    def enter(size: int) -> bool:
        return line.enter(turns.append, nothing, size, knows_epoch=knows_epoch)

    assert enter(90 * MIB), "nothing waits"
    assert enter(90 * MIB), "one alone may be of any size"
    assert not enter(1)
    assert 180 * MIB == memory.held_bytes
    turns.pop().finish()
    assert 90 * MIB == memory.held_bytes
    assert [True, True, False] == [enter(8 * MIB), enter(8 * MIB), enter(1)]
    while turns:
        turns.pop().finish()
    assert 0 == memory.held_bytes


def test_an_order_counts_as_memory_of_requests_until_it_is_obeyed(world: World):
    states = [
        LeaderAndIsrPartitionState(
            partition_index=index,
            controller_epoch=1,
            leader=ME,
            leader_epoch=0,
            isr=[ME],
            replicas=[ME],
        )
        for index in range(200)
    ]
    body = LeaderAndIsrRequest(
        controller_id=ME,
        controller_epoch=1,
        broker_epoch=EPOCH,
        topic_states=[LeaderAndIsrTopicState("orders", TOPIC_ID, states)],
    )

    answer = world.ask(ApiKey.LEADER_AND_ISR, body, 5)

    assert world.memory.held_bytes > 200 * 20
    for _ in range(200):
        world.settle()
        world.clock.advance(1)

    assert 0 == answer.body.error_code
    assert 0 == world.memory.held_bytes


def test_a_controllers_order_is_taken_however_many_wait_that_somebody_else_has_sent(world: World):
    world.tell_all({"orders": {0: [1]}})

    def ask(epoch: int, leader_epoch: int) -> Answer:
        body = LeaderAndIsrRequest(
            controller_id=ME,
            controller_epoch=1,
            broker_epoch=epoch,
            topic_states=[
                LeaderAndIsrTopicState(
                    "orders",
                    TOPIC_ID,
                    [
                        LeaderAndIsrPartitionState(
                            topic_name="orders",
                            controller_epoch=1,
                            leader=ME,
                            leader_epoch=leader_epoch,
                            isr=[ME],
                            replicas=[ME],
                        )
                    ],
                )
            ],
        )
        return world.ask(ApiKey.LEADER_AND_ISR, body, 5)

    impostors = [ask(-1, 0) for _ in range(100)]
    order = ask(EPOCH, 1)
    world.settle()
    world.clock.advance(100)
    world.settle()

    assert [TOO_MANY] * (100 - 1 - WAITING_MAX) == [
        one.closed for one in impostors if one.closed is not None
    ]
    assert order.body.error_code == 0
    assert outcome(order.body) is ErrorCode.NONE
    hosted = world.broker.partitions.find_index("orders", 0)
    assert hosted is not None
    assert 1 == hosted.replica.leader_epoch


# UpdateMetadata.


@pytest.mark.parametrize("version", versions(ApiKey.UPDATE_METADATA))
def test_what_a_controller_of_any_release_says_is_told_to_clients(world: World, version: int):
    answer = world.tell_all({"orders": {0: [2, 1]}}, version=version, rack="r1")

    body = world.ask_now(ApiKey.METADATA, MetadataRequest([MetadataRequestTopic(name="orders")]))
    (topic,) = body.topics
    assert ErrorCode.NONE == answer.error_code
    assert [(0, 2, [2, 1])] == [
        (one.partition_index, one.leader_id, list(one.replica_nodes)) for one in topic.partitions
    ]
    assert {0: "host0", 1: "host1", 2: "host2"} == {one.node_id: one.host for one in body.brokers}
    assert (TOPIC_ID if version >= 7 else NO_TOPIC_ID) == topic.topic_id
    assert {"r1" if version >= 2 else None} == {one.rack for one in body.brokers}


def test_a_deleted_topic_is_forgotten_with_its_id(world: World):
    world.tell_all({"orders": {0: [1], 1: [1]}})

    world.tell_all(
        {"orders": {0: [1], 1: [1]}},
        leaders={("orders", 0): DURING_DELETION, ("orders", 1): DURING_DELETION},
    )

    asked = [MetadataRequestTopic(TOPIC_ID, None)]
    body = world.ask_now(ApiKey.METADATA, MetadataRequest(asked))
    assert ErrorCode.UNKNOWN_TOPIC_ID == body.topics[0].error_code
    assert [] == list(world.ask_now(ApiKey.METADATA, MetadataRequest(None)).topics)


def test_what_was_deleted_while_the_broker_was_away_is_forgotten(world: World):
    world.tell_all({"gone": {0: [1]}, "orders": {0: [1]}})
    world.tell_all({"orders": {0: [2]}}, broker_epoch=EPOCH + 1)
    world.tell_all({"more": {0: [2]}}, broker_epoch=EPOCH + 1)

    body = world.ask_now(ApiKey.METADATA, MetadataRequest(None))

    assert ["more", "orders"] == sorted(topic.name for topic in body.topics)
    assert "Add 1 partitions and deleted 2 partitions" in world.journal.text[1]


def test_a_topic_under_a_new_id_is_not_found_under_the_old_one(world: World):
    world.tell_all({"orders": {0: [1]}})
    world.tell_all({"orders": {0: [1]}}, ids={"orders": OTHER_ID})

    asked = [MetadataRequestTopic(TOPIC_ID, None), MetadataRequestTopic(OTHER_ID, None)]
    body = world.ask_now(ApiKey.METADATA, MetadataRequest(asked))

    assert [ErrorCode.UNKNOWN_TOPIC_ID, ErrorCode.NONE] == [one.error_code for one in body.topics]


# ControlledShutdown.


@pytest.mark.parametrize("version", versions(ApiKey.CONTROLLED_SHUTDOWN))
def test_the_controller_says_whether_a_broker_may_stop(world: World, version: int):
    world.controller.reply = ControlledShutdownReply(ErrorCode.NONE, (ORDERS_0,))

    body = world.ask_now(ApiKey.CONTROLLED_SHUTDOWN, ControlledShutdownRequest(2, 77), version)

    expected = ControlledShutdown(BrokerId(2), BrokerEpoch(77 if version >= 2 else -1))
    assert [expected] == world.controller.requests
    assert (ErrorCode.NONE, [("orders", 0)]) == (
        body.error_code,
        list(map(tuple, body.remaining_partitions)),
    )


# state-change.log.


def kinds(lines: Sequence[StateChangeLine]) -> list[str]:
    """What kadmin's parser makes of the lines, as the broker writes them into its file."""
    parsed = [
        parse_line(f"[2026-11-21 16:00:00,000] {line.level} {line.message} (state.change.logger)")
        for line in lines
    ]
    return [change.kind.value for change in parsed]


def test_every_line_about_orders_is_one_of_kafkas():
    world = World(ApiSettings(traces_state_changes=True), disk=SimDisk())
    world.store.configs["orders"] = {"min.insync.replicas": "2"}
    world.lead(replicas=[1, 2], isr=[1])
    world.order("orders", leader=2, replicas=[1, 2], leader_epoch=1)
    world.order("orders", leader=9, replicas=[1, 9], leader_epoch=2)
    world.order("orders", leader_epoch=0)
    world.order("orders", leader_epoch=1)
    world.order("orders", leader_epoch=9, topic_id=OTHER_ID)
    world.order("elsewhere", replicas=[2, 3], topic_id=OTHER_ID)
    world.order("orders", controller_epoch=0)
    world.tell_all({}, controller_epoch=0)
    stop(world, controller_epoch=0)
    stop(world, leader_epoch=0)
    world.logs.directories[0].health.fail(OSError("input/output error"))
    world.order("orders", leader_epoch=9)
    world.order("new", topic_id=OTHER_ID)
    world.order("new", leader=2, replicas=[1, 2], topic_id=OTHER_ID)
    stop(world)

    found = kinds(world.journal.lines)

    assert [] == [
        line.message
        for line, kind in zip(world.journal.lines, found, strict=True)
        if kind in (Kind.OTHER.value, Kind.CONTINUATION.value, Kind.NOISE.value)
    ]
    assert {
        *(Kind.RECEIVED_LEADER_AND_ISR, Kind.HANDLING, Kind.COMPLETED, Kind.SUMMARY, Kind.SKIPPED),
        *(Kind.REFUSED, Kind.FAILED, Kind.LEADER_START, Kind.FOLLOWER_START, Kind.TOPIC_ID),
        *(Kind.RECEIVED_STOP_REPLICA,),
    } == {Kind(kind) for kind in found}


def test_a_quiet_broker_writes_no_line_for_each_partition_of_an_order(world: World):
    world.lead()

    assert {"INFO"} == {line.level.value for line in world.journal.lines}
    assert (
        "[Broker id=1] Leader orders-0 with topic id Some(AAECAwQFBgcICQoLDA0ODw) starts at "
        "leader epoch 0 from offset 0 with partition epoch 0, high watermark 0, ISR [1], adding "
        "replicas [] and removing replicas [] . Previous leader None and previous leader epoch "
        "was -1." in world.journal.text
    )


def test_a_disk_that_fails_between_two_slices_keeps_replicas_from_new_roles(world: World):
    world.lead(partitions=6, replicas=[1, 2])
    states = [
        LeaderAndIsrPartitionState(
            partition_index=index,
            controller_epoch=1,
            leader=2,
            leader_epoch=1,
            isr=[2],
            replicas=[1, 2],
        )
        for index in range(6)
    ]
    topics = [LeaderAndIsrTopicState("orders", TOPIC_ID, states)]
    body = LeaderAndIsrRequest(1, False, 1, EPOCH, topic_states=topics)

    answer = world.ask(ApiKey.LEADER_AND_ISR, body)
    world.logs.directories[0].health.fail(OSError("input/output error"))
    world.broker.notice_failed_directories()
    world.clock.advance(0)

    errors = [error.error_code for error in answer.body.topics[0].partition_errors]
    assert 4 * [ErrorCode.NONE] + 2 * [ErrorCode.KAFKA_STORAGE_ERROR] == errors
