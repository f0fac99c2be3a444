"""Which lines of state-change.log a broker writes about its controller's orders."""

from collections.abc import Sequence

from cluster.broker.ports import ApiSettings
from cluster.model.error_codes import ErrorCode
from cluster.statechange.line import StateChangeLine
from cluster.wire.api_keys import ApiKey
from cluster.wire.messages.leader_and_isr import (
    LeaderAndIsrPartitionState,
    LeaderAndIsrRequest,
    LeaderAndIsrTopicState,
)
from kadmin.statechange.kinds import Kind
from kadmin.statechange.parse import parse_line
from tests.cluster.api.orders import OTHER_ID, stop
from tests.cluster.api.world import EPOCH, TOPIC_ID, World
from tests.sim.disk import SimDisk


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
    world.broker.replica_stops.notice_failed_directories()
    world.clock.advance(0)

    errors = [error.error_code for error in answer.body.topics[0].partition_errors]
    assert 4 * [ErrorCode.NONE] + 2 * [ErrorCode.KAFKA_STORAGE_ERROR] == errors
