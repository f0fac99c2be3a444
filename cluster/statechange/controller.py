"""Lines of the controller in state-change.log about its decisions, as in Kafka 3.9.

Messages only: the writer of the file adds date, level and the logger's name.  States are passed by
the names that they have in the file.
"""

from collections.abc import Iterable, Mapping
from enum import StrEnum
from typing import Final, NamedTuple

from cluster.model.ids import BrokerId, ControllerEpoch, LeaderEpoch, TopicPartition
from cluster.model.topic import RECOVERING, PartitionAssignment, PartitionState
from cluster.statechange.line import Level, StateChangeLine, listed

FAILURE: Final = "kafka.common.StateChangeFailedException"
ILLEGAL: Final = "java.lang.IllegalStateException"


class ControllerTag(NamedTuple):
    """The controller that writes a line; its text begins the messages."""

    controller_id: BrokerId
    controller_epoch: ControllerEpoch

    def __str__(self) -> str:
        return f"[Controller id={self.controller_id} epoch={self.controller_epoch}]"


def partition_created(
    tag: ControllerTag,
    partition: TopicPartition,
    previous: str,
    status: str,
    replicas: Iterable[BrokerId],
) -> StateChangeLine:
    """The partition and its replicas have become known."""
    return StateChangeLine(
        Level.INFO,
        f"{tag} Changed partition {partition} state from {previous} to {status} "
        f"with assigned replicas {listed(replicas, ',')}",
    )


def partition_elected(
    tag: ControllerTag, partition: TopicPartition, previous: str, status: str, state: PartitionState
) -> StateChangeLine:
    """The partition got a leader."""
    isr = ", ".join(f"BrokerState(brokerId={replica}, brokerEpoch=-1)" for replica in state.isr)
    return StateChangeLine(
        Level.INFO,
        f"{tag} Changed partition {partition} from {previous} to {status} with state "
        f"LeaderAndIsr(leader={state.leader}, leaderEpoch={state.leader_epoch}, "
        f"isrWithBrokerEpoch=List({isr}), leaderRecoveryState={recovery(state)}, "
        f"partitionEpoch={state.zk_version})",
    )


def partition_changed(
    tag: ControllerTag, partition: TopicPartition, previous: str, status: str
) -> StateChangeLine:
    """The partition went offline, or out of existence."""
    return StateChangeLine(
        Level.INFO, f"{tag} Changed partition {partition} state from {previous} to {status}"
    )


def partition_failed(
    tag: ControllerTag, partition: TopicPartition, previous: str, status: str, reason: str
) -> StateChangeLine:
    """The partition keeps its state; *reason* stands where Kafka names its exception."""
    return StateChangeLine(
        Level.ERROR,
        f"{tag} {_again(tag)} failed to change state for partition {partition} "
        f"from {previous} to {status}\n{FAILURE}: {reason}",
    )


def partition_refused(
    tag: ControllerTag,
    partition: TopicPartition,
    previous: str,
    status: str,
    allowed: Iterable[str],
) -> StateChangeLine:
    """The partition keeps its state, since *status* may only follow on one of *allowed*."""
    return StateChangeLine(
        Level.ERROR,
        f"{tag} {_again(tag)} failed to change state for partition {partition} "
        f"from {previous} to {status}\n{ILLEGAL}: Partition {partition} should be in one of "
        f"{','.join(allowed)} states before moving to {status} state. "
        f"Instead it is in {previous} state",
    )


def no_replica_alive(
    tag: ControllerTag,
    partition: TopicPartition,
    replicas: Iterable[BrokerId],
    live_brokers: Iterable[BrokerId],
) -> StateChangeLine:
    """A new partition stays without a leader."""
    return StateChangeLine(
        Level.ERROR,
        f"{tag} {_again(tag)} encountered error during state change of partition "
        f"{partition} from New to Online, assigned replicas are [{listed(replicas, ',')}], "
        f"live brokers are [Set({listed(live_brokers)})]. No assigned replica is alive.",
    )


def replica_changed(
    tag: ControllerTag, replica: BrokerId, partition: TopicPartition, previous: str, status: str
) -> StateChangeLine:
    return StateChangeLine(
        Level.TRACE,
        f"{tag} Changed state of replica {replica} for partition {partition} "
        f"from {previous} to {status}",
    )


def replica_failed(
    tag: ControllerTag,
    replica: BrokerId,
    partition: TopicPartition,
    previous: str,
    status: str,
    reason: str,
) -> StateChangeLine:
    """The replica keeps its state; *reason* stands where Kafka names its exception."""
    return StateChangeLine(
        Level.ERROR,
        f"{tag} {_again(tag)} initiated state change of replica {replica} for partition "
        f"{partition} from {previous} to {status} failed\n{FAILURE}: {reason}",
    )


def replica_refused(
    tag: ControllerTag,
    replica: BrokerId,
    partition: TopicPartition,
    previous: str,
    status: str,
    allowed: Iterable[str],
) -> StateChangeLine:
    """The replica keeps its state, since *status* may only follow on one of *allowed*."""
    return StateChangeLine(
        Level.ERROR,
        f"{tag} {_again(tag)} initiated state change of replica {replica} for partition "
        f"{partition} from {previous} to {status} failed\n{ILLEGAL}: Replica "
        f"[Topic={partition.topic},Partition={partition.partition},Replica={replica}] should be "
        f"in the {','.join(allowed)} states before moving to {status} state. "
        f"Instead it is in {previous} state",
    )


def replica_out_of_isr(
    tag: ControllerTag, partition: TopicPartition, state: PartitionState, replica: BrokerId
) -> StateChangeLine:
    """*state* is the one without the replica; as in Kafka also if it was in no ISR before."""
    return StateChangeLine(
        Level.INFO,
        f"{tag} Partition {partition} state changed to {decided_text(state)} after removing "
        f"replica {replica} from the ISR as part of transition to OfflineReplica",
    )


def sending_leader_and_isr(
    tag: ControllerTag,
    broker: BrokerId,
    partition: TopicPartition,
    state: PartitionState,
    assignment: PartitionAssignment,
    is_new: bool,
) -> StateChangeLine:
    role = "become-leader" if state.leader == broker else "become-follower"
    return StateChangeLine(
        Level.TRACE,
        f"{tag} Sending {role} LeaderAndIsr request "
        f"{leader_and_isr_text(partition, state, assignment, is_new)} "
        f"to broker {broker} for partition {partition}",
    )


def leader_and_isr_summary(
    tag: ControllerTag, broker: BrokerId, leader_count: int, follower_count: int
) -> StateChangeLine:
    return StateChangeLine(
        Level.INFO,
        f"{tag} Sending LeaderAndIsr request to broker {broker} with {leader_count} "
        f"become-leader and {follower_count} become-follower partitions",
    )


def update_metadata_summary(
    tag: ControllerTag, brokers: Iterable[BrokerId], partition_count: int
) -> StateChangeLine:
    return StateChangeLine(
        Level.INFO,
        f"{tag} Sending UpdateMetadata request to brokers HashSet({listed(brokers)}) "
        f"for {partition_count} partitions",
    )


def sending_stop_replica(
    tag: ControllerTag,
    broker: BrokerId,
    partition: TopicPartition,
    leader_epoch: LeaderEpoch,
    is_deleted: bool,
) -> StateChangeLine:
    return StateChangeLine(
        Level.TRACE,
        f"{tag} Sending StopReplica request "
        f"{stop_replica_text(partition, leader_epoch, is_deleted)} "
        f"to broker {broker} for partition {partition}",
    )


def stop_replica_summary(
    tag: ControllerTag, broker: BrokerId, replica_count: int
) -> StateChangeLine:
    return StateChangeLine(
        Level.INFO,
        f"{tag} Sending StopReplica request for {replica_count} replicas to broker {broker}",
    )


def sent_for_reassignment(
    tag: ControllerTag,
    partition: TopicPartition,
    state: PartitionState,
    assignment: PartitionAssignment,
) -> StateChangeLine:
    """The new assignment was sent to all replicas, not the leader alone."""
    return StateChangeLine(
        Level.INFO,
        f"{tag} Sent LeaderAndIsr request {decided_text(state)} with new replica assignment "
        f"{assignment_text(assignment)} to leader {state.leader} for partition being reassigned "
        f"{partition}",
    )


def failed_for_reassignment(
    tag: ControllerTag, partition: TopicPartition, assignment: PartitionAssignment
) -> StateChangeLine:
    """The leader epoch could not be raised, so no order was sent."""
    return StateChangeLine(
        Level.ERROR,
        f"{tag} failed to send LeaderAndIsr request with new replica assignment "
        f"{assignment_text(assignment)} to leader for partition being reassigned {partition}",
    )


class OrderName(StrEnum):
    """The order that was answered; the values are the names of requests in the file."""

    LEADER_AND_ISR = "LEADER_AND_ISR"
    UPDATE_METADATA = "UPDATE_METADATA"
    STOP_REPLICA = "STOP_REPLICA"


def response_received(
    tag: ControllerTag,
    order: OrderName,
    payload: str,
    correlation_id: int,
    broker: BrokerId,
    host: str,
    port: int,
    rack: str | None,
) -> StateChangeLine:
    """*payload* is the response in the form of `response_text`."""
    return StateChangeLine(
        Level.TRACE,
        f"{tag} Received response {payload} for request {order} with correlation id "
        f"{correlation_id} sent to broker {host}:{port} (id: {broker} rack: {rack or 'null'})",
    )


def response_failed(
    tag: ControllerTag, order: OrderName, error: str, payload: str, broker: BrokerId
) -> StateChangeLine:
    """*error* is the name of Kafka's code; without the controller's epoch, as in Kafka."""
    name = {
        OrderName.LEADER_AND_ISR: "LeaderAndIsr",
        OrderName.UPDATE_METADATA: "UpdateMetadata",
        OrderName.STOP_REPLICA: "StopReplica",
    }[order]
    return StateChangeLine(
        Level.ERROR,
        f"[Controller id={tag.controller_id}] Received error {error} in {name} response "
        f"{payload} from broker {broker}",
    )


def replicas_offline(
    tag: ControllerTag, partitions: Iterable[TopicPartition], broker: BrokerId
) -> StateChangeLine:
    """Replicas are in a failed log directory; without the controller's epoch, as in Kafka."""
    named = ",".join(map(str, partitions))
    return StateChangeLine(
        Level.INFO,
        f"[Controller id={tag.controller_id}] Mark replicas {named} on broker {broker} as offline",
    )


def response_text(order: OrderName, error: int, errors: Mapping[TopicPartition, int]) -> str:
    """A response as Kafka prints it; partitions have topic names, never ids."""
    if order is OrderName.UPDATE_METADATA:
        return f"UpdateMetadataResponseData(errorCode={error})"
    name = "LeaderAndIsr" if order is OrderName.LEADER_AND_ISR else "StopReplica"
    partitions = ", ".join(
        f"{name}PartitionError(topicName='{partition.topic}', "
        f"partitionIndex={partition.partition}, errorCode={code})"
        for partition, code in errors.items()
    )
    topics = ", topics=[]" if order is OrderName.LEADER_AND_ISR else ""
    return f"{name}ResponseData(errorCode={error}, partitionErrors=[{partitions}]{topics})"


def leader_and_isr_text(
    partition: TopicPartition,
    state: PartitionState,
    assignment: PartitionAssignment,
    is_new: bool,
) -> str:
    """A partition in a LeaderAndIsr request, as Kafka prints it."""
    return (
        f"LeaderAndIsrPartitionState(topicName='{partition.topic}', "
        f"partitionIndex={partition.partition}, controllerEpoch={state.controller_epoch}, "
        f"leader={state.leader}, leaderEpoch={state.leader_epoch}, isr=[{listed(state.isr)}], "
        f"partitionEpoch={state.zk_version}, replicas=[{listed(assignment.replicas)}], "
        f"addingReplicas=[{listed(assignment.adding)}], "
        f"removingReplicas=[{listed(assignment.removing)}], isNew={str(is_new).lower()}, "
        f"leaderRecoveryState={state.leader_recovery_state})"
    )


def stop_replica_text(partition: TopicPartition, leader_epoch: int, is_deleted: bool) -> str:
    """A partition in a StopReplica request, as Kafka prints it."""
    return (
        f"StopReplicaPartitionState(partitionIndex={partition.partition}, "
        f"leaderEpoch={leader_epoch}, deletePartition={str(is_deleted).lower()})"
    )


def decided_text(state: PartitionState) -> str:
    """A state in the form that Kafka prints for decisions: its LeaderIsrAndControllerEpoch."""
    return (
        f"(Leader:{state.leader},ISR:{listed(state.isr, ',')},"
        f"LeaderRecoveryState:{recovery(state)},LeaderEpoch:{state.leader_epoch},"
        f"ZkVersion:{state.zk_version},ControllerEpoch:{state.controller_epoch})"
    )


def assignment_text(assignment: PartitionAssignment) -> str:
    """An assignment as Kafka prints its ReplicaAssignment."""
    return (
        f"ReplicaAssignment(replicas={listed(assignment.replicas, ',')}, "
        f"addingReplicas={listed(assignment.adding, ',')}, "
        f"removingReplicas={listed(assignment.removing, ',')})"
    )


def recovery(state: PartitionState) -> str:
    return "RECOVERING" if state.leader_recovery_state == RECOVERING else "RECOVERED"


def _again(tag: ControllerTag) -> str:
    """Kafka's errors name the controller a second time."""
    return f"Controller {tag.controller_id} epoch {tag.controller_epoch}"
