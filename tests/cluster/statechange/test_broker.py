"""A broker's lines are Kafka's: kadmin's parser, made from Kafka's own, reads each of them."""

from collections.abc import Iterator

import pytest

from cluster.model.ids import (
    NO_LEADER,
    BrokerId,
    ControllerEpoch,
    LeaderEpoch,
    TopicPartition,
    ZkVersion,
)
from cluster.model.topic import PartitionAssignment, PartitionState
from cluster.model.topic_id import NO_TOPIC_ID
from cluster.statechange import broker as statechange
from cluster.statechange.broker import LEADER_AND_ISR, OrderTag
from cluster.statechange.controller import leader_and_isr_text
from cluster.statechange.line import StateChangeLine
from kadmin.statechange.kinds import Kind
from tests.cluster.statechange.reading import never_written, not_named_in, parsed

COMMAND = OrderTag(BrokerId(1), controller_id=3, controller_epoch=7, correlation_id=8)
PARTITION = TopicPartition("a-topic.with_all", 12)
TOPIC_ID = bytes(range(16))
STATE = PartitionState(
    BrokerId(2),
    (BrokerId(2), BrokerId(3)),
    LeaderEpoch(5),
    ControllerEpoch(7),
    zk_version=ZkVersion(9),
)
UNKNOWN = STATE._replace(leader=NO_LEADER, leader_epoch=LeaderEpoch(-1))
ASSIGNMENT = PartitionAssignment((BrokerId(2), BrokerId(3)), adding=(BrokerId(3),))
REASON = "disk error"


def every_line() -> Iterator[tuple[Kind, StateChangeLine]]:
    for request in ("LeaderAndIsr", "StopReplica"):
        yield Kind.SUMMARY, statechange.handling(COMMAND, request, 2)
    yield Kind.SUMMARY, statechange.finished_leader_and_isr(COMMAND, 5, 2)
    payload = leader_and_isr_text(PARTITION, STATE, ASSIGNMENT, is_new=True)
    yield (
        Kind.RECEIVED_LEADER_AND_ISR,
        statechange.received_leader_and_isr(COMMAND, payload),
    )
    for leader in (None, 2):
        yield Kind.HANDLING, statechange.transition_begins(COMMAND, PARTITION, leader)
        yield Kind.COMPLETED, statechange.transition_ends(COMMAND, PARTITION, leader)
        yield (
            Kind.SKIPPED,
            statechange.skipped_for_storage(COMMAND, PARTITION, ControllerEpoch(6), leader, REASON),
        )
    for is_leader in (True, False):
        yield Kind.SUMMARY, statechange.fetchers_stopped(COMMAND, is_leader, 2)
    for topic_id, previous, is_under in ((NO_TOPIC_ID, UNKNOWN, True), (TOPIC_ID, STATE, False)):
        yield (
            Kind.LEADER_START,
            statechange.leader_starts(
                COMMAND, PARTITION, topic_id, STATE, ASSIGNMENT, previous, 40, 30, is_under
            ),
        )
    yield Kind.FOLLOWER_START, statechange.follower_starts(COMMAND, PARTITION, STATE, 40, 30)
    yield (
        Kind.FAILED,
        statechange.leader_unavailable(COMMAND, PARTITION, ControllerEpoch(6), 2),
    )
    for request in ("LeaderAndIsr", "StopReplica", "UpdateMetadata"):
        yield Kind.REFUSED, statechange.stale_controller(COMMAND, request, ControllerEpoch(8))
    for ignored in (LEADER_AND_ISR, statechange.stop_replica(True)):
        for epoch in (4, 5):
            yield (
                Kind.REFUSED,
                statechange.stale_leader_epoch(COMMAND, ignored, PARTITION, epoch, LeaderEpoch(5)),
            )
        yield Kind.REFUSED, statechange.offline_directory(COMMAND, ignored, PARTITION)
    yield Kind.REFUSED, statechange.not_assigned(COMMAND, PARTITION, STATE.isr)
    yield (
        Kind.TOPIC_ID,
        statechange.topic_id_differs(COMMAND, PARTITION, TOPIC_ID, TOPIC_ID[::-1]),
    )
    yield (
        Kind.RECEIVED_STOP_REPLICA,
        statechange.received_stop_replica(COMMAND, PARTITION, 5, True),
    )
    yield Kind.SUMMARY, statechange.metadata_updated(COMMAND, 2, 1)


@pytest.mark.parametrize(("kind", "line"), list(every_line()))
def test_every_line_is_read_as_what_it_is(kind: Kind, line: StateChangeLine) -> None:
    change = parsed(line)

    assert (kind, 1) == (change.kind, change.broker)


def test_no_line_is_written_that_is_not_read_here() -> None:
    assert set() == not_named_in(every_line, statechange)


@pytest.mark.slow
def test_every_line_is_written_by_somebody() -> None:
    assert set() == never_written(statechange)
