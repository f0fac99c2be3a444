"""Does a broker stop and delete the replicas that the controller tells it to, and no others?"""

import pytest

from cluster.model.error_codes import ErrorCode
from cluster.wire.api_keys import ApiKey
from cluster.wire.messages.stop_replica import (
    StopReplicaPartitionState,
    StopReplicaRequest,
    StopReplicaTopicState,
)
from tests.cluster.api.orders import (
    DURING_DELETION,
    ORDERS_0,
    OTHER_ID,
    failing,
    outcome,
    stop,
)
from tests.cluster.api.world import EPOCH, ME, World, versions


@pytest.mark.parametrize("version", versions(ApiKey.STOP_REPLICA))
def test_a_replica_is_deleted_by_an_order_of_any_version(world: World, version: int):
    world.lead()

    answer = stop(world, version=version)

    assert [("orders", 0, ErrorCode.NONE)] == list(answer.partition_errors)
    assert world.logs.log(ORDERS_0) is None
    assert ErrorCode.NOT_LEADER_OR_FOLLOWER == world.produced().error_code


def test_a_deleted_topic_may_come_again_under_another_id(world: World):
    world.lead()
    world.produced()
    stop(world)

    world.lead(topic_id=OTHER_ID)

    assert 0 == world.produced().base_offset


def test_a_replica_that_is_only_stopped_keeps_its_data_and_its_role(world: World):
    world.lead()
    world.produced()

    answer = stop(world, is_deleted=False, leader_epoch=0)

    assert ErrorCode.NONE == answer.partition_errors[0].error_code
    assert 1 == world.produced().base_offset


def delete_all(world: World, count: int):
    """StopReplica for that many partitions of orders."""
    states = [StopReplicaPartitionState(index, DURING_DELETION, True) for index in range(count)]
    body = StopReplicaRequest(
        controller_id=ME,
        controller_epoch=1,
        topic_states=[StopReplicaTopicState("orders", states)],
    )
    return world.ask(ApiKey.STOP_REPLICA, body)


def test_many_replicas_are_deleted_for_one_wait_that_holds_up_nobody(world: World):
    world.lead(partitions=9)
    world.lead("served", topic_id=OTHER_ID)
    world.files.operations.clear()
    answer = delete_all(world, 9)
    world.clock.advance(0)
    syncs_before = [one for one in world.files.operations if one.startswith("sync")]
    is_waiting, served = answer.is_waiting, world.produced(topic="served")

    world.settle()

    assert ([], True, ErrorCode.NONE) == (syncs_before, is_waiting, served.error_code)
    assert [ErrorCode.NONE] * 9 == [one.error_code for one in answer.body.partition_errors]
    syncs = [one for one in world.files.operations if one.startswith("sync")]
    assert 0 < len(syncs) < 9


def test_a_disk_that_fails_to_make_deletions_durable_is_said():
    world = World(directories=["/a", "/b"])
    world.lead(partitions=2)
    world.files.fault = failing("sync", "/a")

    answer = delete_all(world, 2)
    world.settle()

    assert [ErrorCode.KAFKA_STORAGE_ERROR, ErrorCode.NONE] == [
        one.error_code for one in answer.body.partition_errors
    ]


def test_an_order_to_stop_from_an_earlier_epoch_is_fenced(world: World):
    world.lead(leader_epoch=3)

    answer = stop(world, leader_epoch=2)

    assert ErrorCode.FENCED_LEADER_EPOCH == answer.partition_errors[0].error_code
    assert ErrorCode.NONE == world.produced().error_code


def test_what_this_broker_has_not_is_stopped_already(world: World):
    assert ErrorCode.NONE == stop(world).partition_errors[0].error_code


def test_a_log_that_no_controller_has_spoken_of_yet_can_be_deleted(world: World):
    world.lead()
    restarted = world.restarted()

    stop(restarted)

    assert restarted.logs.log(ORDERS_0) is None


def test_a_log_that_cannot_be_opened_can_be_deleted_and_led_again(world: World):
    world.lead()
    world.logs.close(world.clock.now_ms(), EPOCH)
    world.files.open(f"/data/orders-0/{0:020}.log.swap", create=True).write(0, b"no batch")
    restarted = World(disk=world.files, unopened=1)
    assert ErrorCode.KAFKA_STORAGE_ERROR == outcome(restarted.order("orders", is_new=False))
    only_stopped = stop(restarted, is_deleted=False)
    assert ErrorCode.KAFKA_STORAGE_ERROR == only_stopped.partition_errors[0].error_code
    (reason,) = restarted.registration.refused.values()
    assert "this is not whole: byte 0: only 8 bytes are left" in reason

    assert ErrorCode.NONE == stop(restarted).partition_errors[0].error_code
    assert {} == restarted.registration.refused

    assert ["orders-0" in entry.name for entry in world.files.list("/data")].count(True) == 1
    restarted.lead(topic_id=OTHER_ID)
    assert ErrorCode.NONE == restarted.produced().error_code


def test_a_replica_on_a_failed_disk_is_not_deleted(world: World):
    world.lead()
    world.logs.directories[0].health.fail(OSError("input/output error"))

    assert ErrorCode.KAFKA_STORAGE_ERROR == stop(world).partition_errors[0].error_code


def test_a_replica_that_may_be_on_a_disk_that_has_failed_is_neither_deleted_nor_forgotten():
    world = World(directories=["/a", "/b"])
    world.tell_all({"orders": {0: [1]}})
    world.logs.directories[0].health.fail(OSError("input/output error"))
    assert ErrorCode.KAFKA_STORAGE_ERROR == outcome(world.order("orders", is_new=False))

    stopped = stop(world)

    assert ErrorCode.KAFKA_STORAGE_ERROR == stopped.partition_errors[0].error_code
    assert ErrorCode.KAFKA_STORAGE_ERROR == world.produced().error_code


def test_a_disk_that_fails_while_a_log_is_deleted_is_said(world: World):
    world.lead()
    world.files.fault = failing("rename", "orders-0")

    assert ErrorCode.KAFKA_STORAGE_ERROR == stop(world).partition_errors[0].error_code
    assert "the log of orders-0 is not deleted" in world.journal.errors[0]
