"""Lines of brokers in state-change.log about orders of a controller, as in Kafka 3.9.

As in `cluster.statechange.controller`, messages only: the writer of the file adds date, level and
the logger's name.
"""

from collections.abc import Iterable
from typing import Final, NamedTuple

from cluster.model.ids import (
    NO_LEADER,
    BrokerId,
    ControllerEpoch,
    LeaderEpoch,
    TopicPartition,
)
from cluster.model.topic import PartitionAssignment, PartitionState
from cluster.model.topic_id import NO_TOPIC_ID, topic_id_text
from cluster.statechange.controller import stop_replica_text
from cluster.statechange.line import Level, StateChangeLine, listed

LEADER_AND_ISR: Final = "LeaderAndIsr request"
"""How the lines name an ignored LeaderAndIsr request."""


class OrderTag(NamedTuple):
    """The order and the controller that a line is about; its text begins the messages."""

    broker_id: BrokerId
    controller_id: int
    controller_epoch: int
    correlation_id: int

    def __str__(self) -> str:
        return f"[Broker id={self.broker_id}]"

    @property
    def origin(self) -> str:
        return f"from controller {self.controller_id} epoch {self.controller_epoch}"

    @property
    def full_origin(self) -> str:
        return f"correlation id {self.correlation_id} {self.origin}"


def handling(tag: OrderTag, request: str, partition_count: int) -> StateChangeLine:
    """*request* is LeaderAndIsr or StopReplica."""
    return _info(
        tag,
        f"Handling {request} request correlationId {tag.correlation_id} "
        f"from controller {tag.controller_id} for {partition_count} partitions",
    )


def finished_leader_and_isr(
    tag: OrderTag, duration_ms: int, partition_count: int
) -> StateChangeLine:
    return _info(
        tag,
        f"Finished LeaderAndIsr request in {duration_ms}ms correlationId {tag.correlation_id} "
        f"from controller {tag.controller_id} for {partition_count} partitions",
    )


def received_leader_and_isr(tag: OrderTag, payload: str) -> StateChangeLine:
    """*payload* is `leader_and_isr_text` of a partition, of `cluster.statechange.controller`."""
    return _trace(tag, f"Received LeaderAndIsr request {payload} {tag.full_origin}")


def transition_begins(
    tag: OrderTag, partition: TopicPartition, leader: int | None
) -> StateChangeLine:
    """*leader* is the leader to follow; None for a partition that this broker leads."""
    role, whom = _role(leader)
    return _trace(
        tag,
        f"Handling LeaderAndIsr request correlationId {tag.correlation_id} {tag.origin} "
        f"starting the {role} transition for partition {partition}{whom}",
    )


def transition_ends(
    tag: OrderTag, partition: TopicPartition, leader: int | None
) -> StateChangeLine:
    """As `transition_begins`."""
    role, whom = _role(leader)
    return _trace(
        tag,
        f"Completed LeaderAndIsr request correlationId {tag.correlation_id} {tag.origin} "
        f"for the {role} transition for partition {partition}{whom}",
    )


def _role(leader: int | None) -> tuple[str, str]:
    return (
        ("become-leader", "") if leader is None else ("become-follower", f" with leader {leader}")
    )


def fetchers_stopped(tag: OrderTag, is_leader: bool, partition_count: int) -> StateChangeLine:
    """Written also where nothing was fetched, as in Kafka."""
    if is_leader:
        return _info(
            tag,
            f"Stopped fetchers as part of LeaderAndIsr request correlationId "
            f"{tag.correlation_id} {tag.origin} as part of the become-leader transition "
            f"for {partition_count} partitions",
        )
    return _info(
        tag,
        f"Stopped fetchers as part of become-follower request {tag.origin} "
        f"with correlation id {tag.correlation_id} for {partition_count} partitions",
    )


def leader_starts(
    tag: OrderTag,
    partition: TopicPartition,
    topic_id: bytes,
    state: PartitionState,
    assignment: PartitionAssignment,
    previous: PartitionState,
    log_end_offset: int,
    high_watermark: int,
    is_under_min_isr: bool,
) -> StateChangeLine:
    """*previous* is the former state on this broker; the epoch of an unknown partition is -1."""
    remark = "(under-min-isr)" if is_under_min_isr else ""
    return _info(
        tag,
        f"Leader {partition} with topic id {_topic_id(topic_id)} starts at leader epoch "
        f"{state.leader_epoch} from offset {log_end_offset} with partition epoch "
        f"{state.zk_version}, high watermark {high_watermark}, ISR [{listed(state.isr, ',')}], "
        f"adding replicas [{listed(assignment.adding, ',')}] and removing replicas "
        f"[{listed(assignment.removing, ',')}] {remark}. Previous leader {_option(previous)} "
        f"and previous leader epoch was {previous.leader_epoch}.",
    )


def follower_starts(
    tag: OrderTag,
    partition: TopicPartition,
    state: PartitionState,
    log_end_offset: int,
    high_watermark: int,
) -> StateChangeLine:
    """Kafka 3.9 names the new leader and epoch as the previous ones, too; so does this."""
    return _info(
        tag,
        f"Follower {partition} starts at leader epoch {state.leader_epoch} from offset "
        f"{log_end_offset} with partition epoch {state.zk_version} and high watermark "
        f"{high_watermark}. Current leader is {state.leader}. Previous leader {_option(state)} "
        f"and previous leader epoch was {state.leader_epoch}.",
    )


def leader_unavailable(
    tag: OrderTag, partition: TopicPartition, controller_epoch: ControllerEpoch, leader: int
) -> StateChangeLine:
    """*controller_epoch* is that of the partition's state."""
    return StateChangeLine(
        Level.ERROR,
        f"{tag} Received LeaderAndIsrRequest with {tag.full_origin} for partition "
        f"{partition} (last update controller epoch {controller_epoch}) but cannot become "
        f"follower since the new leader {leader} is unavailable.",
    )


def skipped_for_storage(
    tag: OrderTag,
    partition: TopicPartition,
    controller_epoch: ControllerEpoch,
    leader: int | None,
    reason: str,
) -> StateChangeLine:
    role, whom = _role(leader)
    return StateChangeLine(
        Level.ERROR,
        f"{tag} Skipped the {role} state change with {tag.full_origin} for partition "
        f"{partition} (last update controller epoch {controller_epoch}){whom} since the replica "
        f"for the partition is offline due to storage error {reason}",
    )


def stale_controller(tag: OrderTag, request: str, known: ControllerEpoch) -> StateChangeLine:
    """The request comes from a controller that has been replaced; *request* names its kind."""
    if request == "UpdateMetadata":
        return _warning(
            tag,
            f"Received update metadata request with correlation id {tag.correlation_id} from "
            f"an old controller {tag.controller_id} with epoch {tag.controller_epoch}. "
            f"Latest known controller epoch is {known}",
        )
    return _warning(
        tag,
        f"Ignoring {request} request from controller {tag.controller_id} with correlation id "
        f"{tag.correlation_id} since its controller epoch {tag.controller_epoch} is old. "
        f"Latest known controller epoch is {known}",
    )


def stale_leader_epoch(
    tag: OrderTag, ignored: str, partition: TopicPartition, epoch: int, current: LeaderEpoch
) -> StateChangeLine:
    """An order with an *epoch* no higher than the *current* one; *ignored* is LEADER_AND_ISR, or
    the result of `stop_replica`.
    """
    ignoring = _ignoring(tag, ignored, partition)
    if epoch == current:
        return _info(
            tag,
            f"{ignoring} since its associated leader epoch {epoch} matches the "
            "current leader epoch",
        )
    return _warning(
        tag,
        f"{ignoring} since its associated leader epoch {epoch} is smaller than the current leader "
        f"epoch {current}",
    )


def offline_directory(tag: OrderTag, ignored: str, partition: TopicPartition) -> StateChangeLine:
    """*ignored* as for `stale_leader_epoch`."""
    return _warning(
        tag,
        f"{_ignoring(tag, ignored, partition)} as the local replica for the partition is in "
        "an offline log directory",
    )


def not_assigned(
    tag: OrderTag, partition: TopicPartition, replicas: Iterable[BrokerId]
) -> StateChangeLine:
    return _warning(
        tag,
        f"{_ignoring(tag, LEADER_AND_ISR, partition)} as itself is not in assigned replica "
        f"list {listed(replicas, ',')}",
    )


def topic_id_differs(
    tag: OrderTag, partition: TopicPartition, known: bytes, received: bytes
) -> StateChangeLine:
    return StateChangeLine(
        Level.ERROR,
        f"{tag} Topic ID in memory: {topic_id_text(known)} does not match the topic ID for "
        f"partition {partition} received: {topic_id_text(received)}.",
    )


def received_stop_replica(
    tag: OrderTag, partition: TopicPartition, epoch: int, is_deleted: bool
) -> StateChangeLine:
    return _trace(
        tag,
        f"Received StopReplica request {stop_replica_text(partition, epoch, is_deleted)} "
        f"{tag.full_origin} for partition {partition}",
    )


def metadata_updated(tag: OrderTag, added_count: int, deleted_count: int) -> StateChangeLine:
    return _info(
        tag,
        f"Add {added_count} partitions and deleted {deleted_count} partitions from metadata cache "
        f"in response to UpdateMetadata request sent by controller {tag.controller_id} "
        f"epoch {tag.controller_epoch} with correlation id {tag.correlation_id}",
    )


def stop_replica(is_deleted: bool) -> str:
    """How the lines name an ignored StopReplica request."""
    return f"StopReplica request (delete={str(is_deleted).lower()})"


def _ignoring(tag: OrderTag, ignored: str, partition: TopicPartition) -> str:
    return (
        f"Ignoring {ignored} from controller {tag.controller_id} with correlation id "
        f"{tag.correlation_id} epoch {tag.controller_epoch} for partition {partition}"
    )


def _topic_id(topic_id: bytes) -> str:
    return "None" if topic_id == NO_TOPIC_ID else f"Some({topic_id_text(topic_id)})"


def _option(state: PartitionState) -> str:
    is_unknown = state.leader == NO_LEADER and state.leader_epoch < 0
    return "None" if is_unknown else f"Some({state.leader})"


def _info(tag: OrderTag, text: str) -> StateChangeLine:
    return StateChangeLine(Level.INFO, f"{tag} {text}")


def _warning(tag: OrderTag, text: str) -> StateChangeLine:
    return StateChangeLine(Level.WARN, f"{tag} {text}")


def _trace(tag: OrderTag, text: str) -> StateChangeLine:
    return StateChangeLine(Level.TRACE, f"{tag} {text}")
