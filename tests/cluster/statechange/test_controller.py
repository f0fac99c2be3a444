"""A controller's lines are Kafka's: kadmin's parser, made from Kafka's own, reads each of them."""

from collections.abc import Iterator

import pytest

from cluster.controller.events import Requested
from cluster.controller.orders import LeaderAndIsr, Order, OrderResult
from cluster.controller.requests import ControlledShutdown
from cluster.model.error_codes import ErrorCode
from cluster.model.ids import BrokerId, ControllerEpoch, LeaderEpoch, TopicPartition, ZkVersion
from cluster.model.topic import PartitionAssignment, PartitionState
from cluster.statechange import controller as statechange
from cluster.statechange.controller import ControllerTag, OrderName
from cluster.statechange.line import Level, StateChangeLine
from cluster.zk import paths
from cluster.zk.requests import Create
from kadmin.statechange.kinds import Kind
from kadmin.statechange.parse import parse_line
from tests.cluster.controller.harness import Harness, obeyed
from tests.cluster.statechange.reading import HEAD, LOGGER, never_written, not_named_in, parsed

ME = ControllerTag(BrokerId(1), ControllerEpoch(7))
PARTITION = TopicPartition("a-topic.with_all", 12)
STATE = PartitionState(
    BrokerId(2),
    (BrokerId(2), BrokerId(3)),
    LeaderEpoch(5),
    ControllerEpoch(7),
    leader_recovery_state=1,
    zk_version=ZkVersion(9),
)
REPLICAS = (BrokerId(2), BrokerId(3), BrokerId(4))


def every_line() -> Iterator[tuple[Kind, StateChangeLine]]:
    assignment = PartitionAssignment(REPLICAS, adding=REPLICAS[2:])
    states = ("OfflinePartition", "OnlinePartition")
    replica_states = ("OnlineReplica", "OfflineReplica")
    errors = {PARTITION: int(ErrorCode.KAFKA_STORAGE_ERROR)}
    yield Kind.PARTITION_STATE, statechange.partition_created(ME, PARTITION, *states, REPLICAS)
    yield Kind.PARTITION_STATE, statechange.partition_elected(ME, PARTITION, *states, STATE)
    yield Kind.PARTITION_STATE, statechange.partition_changed(ME, PARTITION, *states)
    yield (
        Kind.TRANSITION_FAILED,
        statechange.partition_failed(ME, PARTITION, *states, "No leader for it"),
    )
    yield (
        Kind.TRANSITION_FAILED,
        statechange.partition_refused(ME, PARTITION, *states, ("NewPartition",)),
    )
    yield (
        Kind.TRANSITION_FAILED,
        statechange.no_replica_alive(ME, PARTITION, REPLICAS, (BrokerId(1), BrokerId(5))),
    )
    replica = (ME, BrokerId(3), PARTITION, *replica_states)
    yield Kind.REPLICA_STATE, statechange.replica_changed(*replica)
    yield Kind.TRANSITION_FAILED, statechange.replica_failed(*replica, "It leads already")
    yield Kind.TRANSITION_FAILED, statechange.replica_refused(*replica, ("NewReplica",))
    yield (
        Kind.ISR_CHANGE,
        statechange.replica_out_of_isr(ME, PARTITION, STATE, BrokerId(4)),
    )
    for broker in (2, 3):
        yield (
            Kind.SEND_LEADER_AND_ISR,
            statechange.sending_leader_and_isr(
                ME, BrokerId(broker), PARTITION, STATE, assignment, is_new=True
            ),
        )
    yield Kind.SUMMARY, statechange.leader_and_isr_summary(ME, BrokerId(3), 1, 2)
    yield Kind.SUMMARY, statechange.update_metadata_summary(ME, REPLICAS, 3)
    yield (
        Kind.SEND_STOP_REPLICA,
        statechange.sending_stop_replica(ME, BrokerId(3), PARTITION, LeaderEpoch(-2), True),
    )
    yield Kind.SUMMARY, statechange.stop_replica_summary(ME, BrokerId(3), 4)
    for order in OrderName:
        text = statechange.response_text(order, ErrorCode.NONE, errors)
        yield (
            Kind.RESPONSE,
            statechange.response_received(ME, order, text, 8, BrokerId(3), "h3", 9092, None),
        )
        yield (
            Kind.RESPONSE_ERROR,
            statechange.response_failed(ME, order, "STALE_BROKER_EPOCH", text, BrokerId(3)),
        )
    reassigned = (ME, PARTITION, STATE, assignment)
    yield Kind.REASSIGNMENT, statechange.sent_for_reassignment(*reassigned)
    yield (
        Kind.REASSIGNMENT,
        statechange.failed_for_reassignment(ME, PARTITION, assignment),
    )
    yield (
        Kind.OFFLINE_REPLICAS,
        statechange.replicas_offline(ME, (PARTITION, PARTITION), BrokerId(3)),
    )


@pytest.mark.parametrize(("kind", "line"), list(every_line()))
def test_every_line_is_read_as_what_it_is(kind: Kind, line: StateChangeLine) -> None:
    change = parsed(line)

    assert change.kind is kind
    assert change.controller_id == 1
    says_epoch = kind not in (Kind.RESPONSE_ERROR, Kind.OFFLINE_REPLICAS)
    assert change.controller_epoch == (7 if says_epoch else None)


def test_no_line_is_written_that_is_not_read_here() -> None:
    assert not_named_in(every_line, statechange) == set()


def test_every_line_is_written_by_somebody() -> None:
    assert never_written(statechange) == set()


def test_an_election_says_leader_isr_and_epochs() -> None:
    line = statechange.partition_elected(ME, PARTITION, "NewPartition", "OnlinePartition", STATE)

    change = parsed(line)

    assert change.partitions == ((PARTITION.topic, PARTITION.partition),)
    assert (change.from_state, change.to_state) == ("NewPartition", "OnlinePartition")
    assert (change.leader, change.isr) == (2, (2, 3))
    assert (change.leader_epoch, change.zk_version) == (5, 9)


def test_a_replica_that_leaves_the_isr_is_named_with_what_remains() -> None:
    change = parsed(statechange.replica_out_of_isr(ME, PARTITION, STATE, BrokerId(4)))

    assert change.peer_broker == 4
    assert (change.leader, change.isr, change.leader_epoch) == (2, (2, 3), 5)
    assert (change.zk_version, change.to_state) == (9, "OfflineReplica")


def test_kafka_3_9_writes_the_same_texts() -> None:
    assert str(statechange.partition_created(ME, PARTITION, "A", "B", REPLICAS)) == (
        "[Controller id=1 epoch=7] Changed partition a-topic.with_all-12 state from A to B "
        "with assigned replicas 2,3,4"
    )
    assert str(statechange.partition_elected(ME, PARTITION, "A", "B", STATE)) == (
        "[Controller id=1 epoch=7] Changed partition a-topic.with_all-12 from A to B with state "
        "LeaderAndIsr(leader=2, leaderEpoch=5, isrWithBrokerEpoch=List(BrokerState(brokerId=2, "
        "brokerEpoch=-1), BrokerState(brokerId=3, brokerEpoch=-1)), "
        "leaderRecoveryState=RECOVERING, partitionEpoch=9)"
    )
    assert str(statechange.replica_out_of_isr(ME, PARTITION, STATE, BrokerId(4))) == (
        "[Controller id=1 epoch=7] Partition a-topic.with_all-12 state changed to (Leader:2,"
        "ISR:2,3,LeaderRecoveryState:RECOVERING,LeaderEpoch:5,ZkVersion:9,ControllerEpoch:7) "
        "after removing replica 4 from the ISR as part of transition to OfflineReplica"
    )


def test_all_that_a_controller_writes_in_a_life_is_understood() -> None:
    def answer(broker_id: BrokerId, order: Order) -> OrderResult | None:
        if isinstance(order, LeaderAndIsr) and broker_id == 3:
            failed = int(ErrorCode.KAFKA_STORAGE_ERROR)
            return OrderResult(errors={each.partition: failed for each in order.partitions})
        return obeyed(broker_id, order)

    harness = Harness(1, 2, 3)
    harness.register_controller()
    harness.create_topic("t", (2, 1, 3), (3,))
    harness.create_topic("nowhere", (8, 9))
    harness.settle()
    harness.unregister(2)
    harness.settle()
    harness.register(2)
    harness.settle()
    harness.answer = answer
    harness.create_topic("u", (3, 1))
    harness.settle()
    harness.step(Requested(1, ControlledShutdown(BrokerId(1), harness.broker_epoch(1))))
    harness.answer = lambda broker_id, order: OrderResult(error=ErrorCode.STALE_BROKER_EPOCH)
    harness.tool(Create(paths.delete_topic("t")))
    harness.settle()

    kinds = {
        parse_line(f"{HEAD} {Level.INFO} {line} {LOGGER}").kind for line in harness.lines_apart()
    }

    assert Kind.OTHER not in kinds
    assert kinds >= {
        Kind.PARTITION_STATE,
        Kind.REPLICA_STATE,
        Kind.ISR_CHANGE,
        Kind.TRANSITION_FAILED,
        Kind.SEND_LEADER_AND_ISR,
        Kind.SEND_STOP_REPLICA,
        Kind.SUMMARY,
        Kind.RESPONSE,
        Kind.RESPONSE_ERROR,
        Kind.OFFLINE_REPLICAS,
    }
