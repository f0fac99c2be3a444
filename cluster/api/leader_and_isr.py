"""LeaderAndIsr: which partitions shall this broker lead, and which follow?

What a partition's new role takes is the business of `cluster.broker.role_changes`.
"""

from collections.abc import Iterator, Mapping
from functools import partial
from typing import cast

from cluster.broker.context import Context
from cluster.broker.control_queue import Finished
from cluster.broker.fences import command_of, refusal
from cluster.broker.handling import Peer, Reply
from cluster.broker.ports import Outcome, TopicOverrides
from cluster.broker.role_changes import Part, RoleChanges
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
from cluster.statechange.broker import finished_leader_and_isr, handling
from cluster.wire.codec import RequestFrame
from cluster.wire.messages.leader_and_isr import (
    LeaderAndIsrPartitionError,
    LeaderAndIsrPartitionState,
    LeaderAndIsrRequest,
    LeaderAndIsrResponse,
    LeaderAndIsrTopicError,
)


def handle(context: Context, request: RequestFrame, peer: Peer, reply: Reply) -> None:
    """Obey; the configs of topics that are new to this broker are read before.

    While nothing can be read, the connection ends, and the controller will say it all again.  A
    topic whose configs are damaged is not served, and does not keep the others waiting.
    """
    context.control_queue.enter(partial(begin, context, request, reply))


def begin(context: Context, request: RequestFrame, reply: Reply, finished: Finished) -> None:
    body = cast(LeaderAndIsrRequest, request.body)
    parts = tuple(parts_of(body))
    unknown = {
        part.partition.topic: None
        for part in parts
        if context.partitions.find(part.partition) is None
    }

    def told(overrides: TopicOverrides | Outcome) -> None:
        if isinstance(overrides, Outcome):
            reason = f"configs of topics to lead or follow cannot be read: {overrides.message}"
            reply.close(reason)
            finished()
        else:
            context.topic_config_handler.learn(overrides)
            obey(context, request, parts, overrides, reply, finished)

    if unknown:
        context.ports.store.read_topic_overrides(tuple(unknown), told)
    else:
        told({})


def parts_of(body: LeaderAndIsrRequest) -> Iterator[Part]:
    for state in body.ungrouped_partition_states:
        yield part_of(state.topic_name, NO_TOPIC_ID, state)
    for topic in body.topic_states:
        for state in topic.partition_states:
            yield part_of(topic.topic_name, topic.topic_id, state)


def part_of(topic: str, topic_id: bytes, said: LeaderAndIsrPartitionState) -> Part:
    state = PartitionState(
        leader=BrokerId(said.leader),
        isr=tuple(map(BrokerId, said.isr)),
        leader_epoch=LeaderEpoch(said.leader_epoch),
        controller_epoch=ControllerEpoch(said.controller_epoch),
        leader_recovery_state=said.leader_recovery_state,
        zk_version=ZkVersion(said.partition_epoch),
    )
    assignment = PartitionAssignment(
        tuple(map(BrokerId, said.replicas)),
        tuple(map(BrokerId, said.adding_replicas)),
        tuple(map(BrokerId, said.removing_replicas)),
    )
    return Part(
        TopicPartition(topic, said.partition_index), topic_id, state, assignment, said.is_new
    )


def obey(
    context: Context,
    request: RequestFrame,
    parts: tuple[Part, ...],
    overrides: TopicOverrides,
    reply: Reply,
    finished: Finished,
) -> None:
    body = cast(LeaderAndIsrRequest, request.body)
    command = command_of(context, request)
    clock, journal = context.ports.clock, context.ports.journal
    began_ms = clock.now_ms()
    journal.state_change(handling(command, "LeaderAndIsr", len(parts)))
    error = refusal(context, command, "LeaderAndIsr", body.broker_epoch)
    if error is not ErrorCode.NONE:
        reply(LeaderAndIsrResponse(error_code=error))
        finished()
        return
    roles = RoleChanges(context, command, overrides)

    def done() -> None:
        context.topic_config_handler.settle(overrides)
        duration_ms = clock.now_ms() - began_ms
        journal.state_change(finished_leader_and_isr(command, duration_ms, len(parts)))
        reply(response_of(request.api_version, parts, roles.errors))
        finished()

    roles.take(parts, done)


def response_of(
    version: int, parts: tuple[Part, ...], errors: Mapping[TopicPartition, ErrorCode]
) -> LeaderAndIsrResponse:
    """Partitions are named up to version 4, and stand under their topics' ids from 5 on."""
    by_id: dict[bytes, list[LeaderAndIsrPartitionError]] = {}
    for part in parts:
        by_id.setdefault(part.topic_id, []).append(
            LeaderAndIsrPartitionError(
                part.partition.topic, part.partition.partition, errors[part.partition]
            )
        )
    if version < 5:
        return LeaderAndIsrResponse(
            partition_errors=tuple(error for group in by_id.values() for error in group)
        )
    return LeaderAndIsrResponse(
        topics=tuple(LeaderAndIsrTopicError(topic_id, group) for topic_id, group in by_id.items())
    )
