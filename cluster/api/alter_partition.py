"""AlterPartition: changes ISRs as a leader proposes.

The controller decides; only the format of the request is handled here.
"""

from collections.abc import Mapping
from typing import Final, cast

from cluster.broker.handling import Peer, Reply
from cluster.broker.ports import ControllerPort
from cluster.controller.requests import (
    AlteredPartition,
    AlterPartition,
    AlterPartitionReply,
    AskedTopic,
    IsrMember,
    IsrProposal,
)
from cluster.model.error_codes import ErrorCode
from cluster.model.ids import BrokerEpoch, BrokerId, LeaderEpoch, ZkVersion
from cluster.model.topic_id import NO_TOPIC_ID, topic_id_bytes, topic_id_text
from cluster.wire.codec import RequestFrame
from cluster.wire.messages.alter_partition import (
    AlterPartitionRequest,
    AlterPartitionResponse,
    PartitionData,
    ResponsePartitionData,
    ResponseTopicData,
    TopicData,
)

ID_VERSION: Final = 2
"""The first version with topic ids and with INELIGIBLE_REPLICA."""
EPOCHS_VERSION: Final = 3


def handle(controller: ControllerPort, request: RequestFrame, peer: Peer, reply: Reply) -> None:
    body = cast(AlterPartitionRequest, request.body)
    version = request.api_version
    topics: dict[AskedTopic, dict[int, IsrProposal]] = {}
    for topic in body.topics:
        proposals = topics.setdefault(asked_topic(topic, version), {})
        for partition in topic.partitions:
            proposals[partition.partition_index] = proposal_of(partition, version)

    def done(outcome: AlterPartitionReply) -> None:
        results = tuple(
            topic_result(topic, partitions, version) for topic, partitions in outcome.topics.items()
        )
        reply(AlterPartitionResponse(error_code=outcome.error, topics=results))

    broker_id, broker_epoch = BrokerId(body.broker_id), BrokerEpoch(body.broker_epoch)
    controller.submit(AlterPartition(broker_id, broker_epoch, topics), done)


def asked_topic(topic: TopicData, version: int) -> AskedTopic:
    if version < ID_VERSION:
        return AskedTopic(name=topic.topic_name)
    return AskedTopic(topic_id=topic_id_text(topic.topic_id))


def proposal_of(partition: PartitionData, version: int) -> IsrProposal:
    if version < EPOCHS_VERSION:
        isr = tuple(IsrMember(BrokerId(member)) for member in partition.new_isr)
    else:
        isr = tuple(
            IsrMember(BrokerId(member.broker_id), BrokerEpoch(member.broker_epoch))
            for member in partition.new_isr_with_epochs
        )
    return IsrProposal(
        LeaderEpoch(partition.leader_epoch),
        ZkVersion(partition.partition_epoch),
        isr,
        partition.leader_recovery_state,
    )


def topic_result(
    topic: AskedTopic, partitions: Mapping[int, AlteredPartition], version: int
) -> ResponseTopicData:
    return ResponseTopicData(
        topic_name=topic.name or "",
        topic_id=NO_TOPIC_ID if topic.topic_id is None else topic_id_bytes(topic.topic_id),
        partitions=tuple(
            partition_result(number, altered, version) for number, altered in partitions.items()
        ),
    )


def partition_result(number: int, altered: AlteredPartition, version: int) -> ResponsePartitionData:
    state = altered.state
    if state is not None:
        return ResponsePartitionData(
            partition_index=number,
            leader_id=state.leader,
            leader_epoch=state.leader_epoch,
            isr=state.isr,
            leader_recovery_state=state.leader_recovery_state,
            partition_epoch=state.zk_version,
        )
    error = altered.error
    if error is ErrorCode.INELIGIBLE_REPLICA and version < ID_VERSION:
        error = ErrorCode.OPERATION_NOT_ATTEMPTED
    return ResponsePartitionData(partition_index=number, error_code=error)
