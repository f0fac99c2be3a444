"""LeaderAndIsr: orders this broker to lead or follow partitions."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from typing import Final, NamedTuple, cast

from cluster.api.orders import TOO_LONG, is_answer_too_long, sender_of, take
from cluster.broker.control.fences import Sender
from cluster.broker.control.orders import Orders
from cluster.broker.control.queue import LIGHT
from cluster.broker.control.role_changes import RoleChange, RoleChanger
from cluster.broker.handling import Peer, Reply, Steps
from cluster.broker.procedures import Procedure
from cluster.model.api_error import ApiError
from cluster.model.error_codes import ErrorCode
from cluster.model.ids import (
    BrokerId,
    ControllerEpoch,
    LeaderEpoch,
    TopicPartition,
    ZkVersion,
)
from cluster.model.topic import PartitionAssignment, PartitionState
from cluster.model.topic_id import NO_TOPIC_ID
from cluster.wire.codec import RequestFrame
from cluster.wire.messages.leader_and_isr import (
    LeaderAndIsrPartitionError,
    LeaderAndIsrPartitionState,
    LeaderAndIsrRequest,
    LeaderAndIsrResponse,
    LeaderAndIsrTopicError,
)

NAMED_BY_ID: Final = 5
"""From this version on an answer has the ids of topics, and no names."""


def handle(
    orders: Orders, role_changer: RoleChanger, request: RequestFrame, peer: Peer, reply: Reply
) -> None:
    """Queue the order."""
    body = cast(LeaderAndIsrRequest, request.body)
    topics = ((topic.topic_name, len(topic.partition_states)) for topic in body.topic_states)
    if request.api_version < NAMED_BY_ID and is_answer_too_long(topics):
        reply.close(TOO_LONG)
        return
    take(orders, request, reply, obey(role_changer, sender_of(orders, request), request, reply))


def obey(
    role_changer: RoleChanger, sender: Sender, request: RequestFrame, reply: Reply
) -> Procedure[None]:
    """Read the whole order, and then carry it out.

    While the configs of topics that are new to this broker cannot be read, the connection is
    closed, and the controller sends the order again.
    """
    changes: list[RoleChange] = []
    for change in changes_of(cast(LeaderAndIsrRequest, request.body)):
        yield LIGHT
        changes.append(change)
    changed = yield from role_changer.change(sender, changes)
    if isinstance(changed, ApiError):
        reply.close(f"configs of topics to lead or follow cannot be read: {changed.message}")
    elif changed.error is not ErrorCode.NONE:
        reply(LeaderAndIsrResponse(error_code=changed.error))
    else:
        reply.in_turns(answer(request.api_version, changes, changed.errors))


def changes_of(body: LeaderAndIsrRequest) -> Iterator[RoleChange]:
    """Yield the change of each partition; equal states and replicas share one object."""
    kept = Kept(cache(state_of), cache(PartitionAssignment))
    for state in body.ungrouped_partition_states:
        yield change_of(state.topic_name, NO_TOPIC_ID, state, kept)
    for topic in body.topic_states:
        for state in topic.partition_states:
            yield change_of(topic.topic_name, topic.topic_id, state, kept)


class Kept(NamedTuple):
    """Makers that return the first of equal values."""

    state_of: Callable[..., PartitionState]
    assignment_of: Callable[..., PartitionAssignment]


def state_of(
    leader: int,
    isr: tuple[BrokerId, ...],
    leader_epoch: int,
    controller_epoch: int,
    leader_recovery_state: int,
    zk_version: int,
) -> PartitionState:
    return PartitionState(
        leader=BrokerId(leader),
        isr=isr,
        leader_epoch=LeaderEpoch(leader_epoch),
        controller_epoch=ControllerEpoch(controller_epoch),
        leader_recovery_state=leader_recovery_state,
        zk_version=ZkVersion(zk_version),
    )


def change_of(
    topic: str, topic_id: bytes, said: LeaderAndIsrPartitionState, kept: Kept
) -> RoleChange:
    state = kept.state_of(
        said.leader,
        tuple(map(BrokerId, said.isr)),
        said.leader_epoch,
        said.controller_epoch,
        said.leader_recovery_state,
        said.partition_epoch,
    )
    assignment = kept.assignment_of(
        tuple(map(BrokerId, said.replicas)),
        tuple(map(BrokerId, said.adding_replicas)),
        tuple(map(BrokerId, said.removing_replicas)),
    )
    return RoleChange(
        TopicPartition(topic, said.partition_index), topic_id, state, assignment, said.is_new
    )


def answer(
    version: int, changes: Sequence[RoleChange], errors: Mapping[TopicPartition, ErrorCode]
) -> Steps:
    """Answer the partitions, which have topic names, or are grouped by topic id."""
    by_id: dict[bytes, list[LeaderAndIsrPartitionError]] = {}
    for change in changes:
        by_id.setdefault(change.topic_id, []).append(
            LeaderAndIsrPartitionError(
                change.partition.topic, change.partition.partition, errors[change.partition]
            )
        )
        yield
    if version < NAMED_BY_ID:
        return LeaderAndIsrResponse(
            partition_errors=tuple(error for group in by_id.values() for error in group)
        )
    return LeaderAndIsrResponse(
        topics=tuple(LeaderAndIsrTopicError(topic_id, group) for topic_id, group in by_id.items())
    )
