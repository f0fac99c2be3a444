"""Does a broker obey the controller of now, and nobody else?"""

import json
from typing import Any

import pytest

from cluster.broker.control.orders import TOO_MANY
from cluster.broker.control.queue import WAITING_MAX
from cluster.model.api_error import ApiError
from cluster.model.config_table import REFUSED_PARTITIONS
from cluster.model.error_codes import ErrorCode
from cluster.model.ids import TopicPartition
from cluster.model.topic_id import NO_TOPIC_ID, topic_id_text
from cluster.storage.directories.properties import read_topic_id
from cluster.storage.log_config import LogConfig
from cluster.wire.api_keys import ApiKey
from cluster.wire.messages.configs import DescribeConfigsRequest, DescribeConfigsResource
from cluster.wire.messages.leader_and_isr import (
    LeaderAndIsrPartitionState,
    LeaderAndIsrRequest,
    LeaderAndIsrTopicState,
)
from cluster.wire.messages.stop_replica import (
    StopReplicaRequest,
)
from cluster.wire.messages.update_metadata import UpdateMetadataRequest
from tests.cluster.api.controlling import many
from tests.cluster.api.orders import ORDERS_0, OTHER_ID, failing, outcome, stop
from tests.cluster.api.world import EPOCH, ME, TOPIC_ID, Answer, World, versions
from tests.cluster.storage.batches import batch
from tests.sim.disk import SimDisk


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
    world.store.configs["archived"] = {"cleanup.policy": "archive"}

    refused = world.order("archived")
    world.lead()

    assert ErrorCode.INVALID_CONFIG == outcome(refused)
    assert "Invalid value archive for configuration cleanup.policy" in world.journal.errors[0]


def test_a_topic_whose_configs_are_damaged_harms_no_other_in_the_same_order(world: World):
    world.store.configs["broken"] = ApiError(ErrorCode.UNKNOWN_SERVER_ERROR, "is not JSON")
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


DAMAGED = ApiError(ErrorCode.UNKNOWN_SERVER_ERROR, "is not JSON")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("invalid", "reason"),
    [
        ({"message.timestamp.type": "foo"}, "message.timestamp.type"),
        ({"min.insync.replicas": "foo"}, "min.insync.replicas"),
        ({"retention.ms": "1 day"}, "retention.ms"),
        ({"cleanup.policy": "archive"}, "cleanup.policy"),
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
    if not isinstance(invalid, ApiError):
        world.broker.role_changer.change_topic_configs("orders", invalid)
        world.settle()
        assert world.broker.partitions.find(ORDERS_0) is None
    world.store.configs["orders"] = mended
    world.store.failure = ApiError(ErrorCode.BROKER_NOT_AVAILABLE, "no session")
    world.broker.role_changer.change_topic_configs("orders", mended)
    world.settle()
    assert world.broker.partitions.find(ORDERS_0) is None
    world.store.failure = None
    world.broker.role_changer.change_topic_configs("orders", mended)
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
    world.broker.role_changer.change_topic_configs("orders", {})
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

    world.broker.role_changer.change_topic_configs("orders", {})
    world.settle()

    assert world.broker.partitions.find(ORDERS_0) is None


@pytest.mark.parametrize("key", ["leader", "follower"])
def test_a_damaged_list_of_throttled_replicas_holds_nobody_back(world: World, key: str):
    name = f"{key}.replication.throttled.replicas"
    world.store.configs["orders"] = {name: "foo"}
    throttle = world.broker.throttles.leader if key == "leader" else world.broker.throttles.follower

    world.lead()
    told = [line for line in world.journal.errors if name in line]
    world.broker.role_changer.change_topic_configs("orders", {name: "0:1,x"})
    assert not throttle.is_throttled("orders", 0)
    world.broker.role_changer.change_topic_configs("orders", {name: f"0:{ME}"})

    assert 1 == len(told)
    assert throttle.is_throttled("orders", 0)


def test_without_the_topics_configs_the_controller_has_to_ask_again(world: World):
    world.store.failure = ApiError(ErrorCode.BROKER_NOT_AVAILABLE, "no session")
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


def test_after_a_restart_the_log_goes_on_where_it_was(world: World):
    world.lead()
    world.produced(batch(3))
    world.logs.write_high_watermarks(world.broker.partitions.high_watermarks())

    again = world.restarted()
    again.lead(leader_epoch=1, replicas=[1, 2], is_new=False)

    assert {ORDERS_0: 3} == again.broker.partitions.high_watermarks()
    assert 3 == again.produced(acks=1).base_offset


def test_new_partitions_are_led_without_a_wait_for_the_disk(world: World):
    world.files.operations.clear()
    many(world, 9)
    world.settle()
    world.clock.advance(0)

    assert 9 == sum(one.startswith("mkdir") for one in world.files.operations)
    assert [] == [one for one in world.files.operations if one.startswith("sync")]
    assert ErrorCode.NONE == world.produced(index=8).error_code


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
