"""Codec of the controller's orders.

Which requests carry the controller's orders, and what do their answers say?

Of the newest versions, those of Kafka 3.9.  Knows no connections.
"""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from typing import Any, Final, NamedTuple, TypeVar

from cluster.controller.orders import (
    LeaderAndIsr,
    LeaderAndIsrPartition,
    Order,
    OrderResult,
    PublishedPartition,
    StoppedPartition,
    StopReplica,
    UpdateMetadata,
)
from cluster.model.broker import SECURITY_PROTOCOLS, BrokerRegistration, Endpoint
from cluster.model.ids import TopicPartition
from cluster.model.topic_id import NO_TOPIC_ID, topic_id_bytes
from cluster.wire.api_keys import ApiKey
from cluster.wire.messages.leader_and_isr import (
    LeaderAndIsrLiveLeader,
    LeaderAndIsrPartitionState,
    LeaderAndIsrRequest,
    LeaderAndIsrResponse,
    LeaderAndIsrTopicState,
)
from cluster.wire.messages.stop_replica import (
    StopReplicaPartitionState,
    StopReplicaRequest,
    StopReplicaResponse,
    StopReplicaTopicState,
)
from cluster.wire.messages.update_metadata import (
    UpdateMetadataBroker,
    UpdateMetadataEndpoint,
    UpdateMetadataPartitionState,
    UpdateMetadataRequest,
    UpdateMetadataResponse,
    UpdateMetadataTopicState,
)

LEADER_AND_ISR_VERSION: Final = 7
LEADER_AND_ISR_VERSION_BY_NAME: Final = 4
"""The last one whose answer names topics, which is needed where one has no id."""
UPDATE_METADATA_VERSION: Final = 8
STOP_REPLICA_VERSION: Final = 4

PROTOCOL_NUMBERS: Final = {name: number for number, name in SECURITY_PROTOCOLS.items()}

P = TypeVar("P", LeaderAndIsrPartition, PublishedPartition, StoppedPartition)


class ControlRequest(NamedTuple):
    api_key: ApiKey
    version: int
    body: tuple[Any, ...]


def endpoint_of(broker: BrokerRegistration, listener: str) -> Endpoint | None:
    """Where *broker* listens to other brokers; None when it has no such listener."""
    return next((one for one in broker.endpoints if one.listener == listener), None)


def request_of(order: Order, listener: str) -> ControlRequest:
    """The request for *order*; leaders are reached by others at *listener*."""
    match order:
        case LeaderAndIsr():
            ids = ids_of(order.topic_ids)
            has_ids = all(ordered.partition.topic in ids for ordered in order.partitions)
            version = LEADER_AND_ISR_VERSION if has_ids else LEADER_AND_ISR_VERSION_BY_NAME
            body = leader_and_isr(order, ids, listener)
            return ControlRequest(ApiKey.LEADER_AND_ISR, version, body)
        case UpdateMetadata():
            return ControlRequest(
                ApiKey.UPDATE_METADATA, UPDATE_METADATA_VERSION, update_metadata(order)
            )
        case StopReplica():
            return ControlRequest(ApiKey.STOP_REPLICA, STOP_REPLICA_VERSION, stop_replica(order))


def result_of(order: Order, answer: tuple[Any, ...]) -> OrderResult:
    """What the broker's answer to *order* says."""
    match answer:
        case LeaderAndIsrResponse():
            assert isinstance(order, LeaderAndIsr)
            return OrderResult(
                error=answer.error_code, errors=dict(leader_and_isr_errors(order, answer))
            )
        case StopReplicaResponse():
            errors = {
                TopicPartition(error.topic_name, error.partition_index): error.error_code
                for error in answer.partition_errors
            }
            return OrderResult(error=answer.error_code, errors=errors)
    assert isinstance(answer, UpdateMetadataResponse)
    return OrderResult(error=answer.error_code)


def leader_and_isr(
    order: LeaderAndIsr, ids: Mapping[str, bytes], listener: str
) -> LeaderAndIsrRequest:
    leaders = ((broker, endpoint_of(broker, listener)) for broker in order.live_leaders)
    return LeaderAndIsrRequest(
        controller_id=order.controller_id,
        controller_epoch=order.controller_epoch,
        broker_epoch=order.broker_epoch,
        topic_states=[
            LeaderAndIsrTopicState(
                topic,
                ids.get(topic, NO_TOPIC_ID),
                [leader_and_isr_state(partition) for partition in partitions],
            )
            for topic, partitions in by_topic(order.partitions)
        ],
        live_leaders=[
            LeaderAndIsrLiveLeader(broker.broker_id, endpoint.host, endpoint.port)
            for broker, endpoint in leaders
            if endpoint is not None
        ],
    )


def leader_and_isr_state(ordered: LeaderAndIsrPartition) -> LeaderAndIsrPartitionState:
    state, assignment = ordered.state, ordered.assignment
    return LeaderAndIsrPartitionState(
        partition_index=ordered.partition.partition,
        controller_epoch=state.controller_epoch,
        leader=state.leader,
        leader_epoch=state.leader_epoch,
        isr=state.isr,
        partition_epoch=state.zk_version,
        replicas=assignment.replicas,
        adding_replicas=assignment.adding,
        removing_replicas=assignment.removing,
        is_new=ordered.is_new,
        leader_recovery_state=state.leader_recovery_state,
    )


def leader_and_isr_errors(
    order: LeaderAndIsr, answer: LeaderAndIsrResponse
) -> Iterator[tuple[TopicPartition, int]]:
    for named in answer.partition_errors:
        yield TopicPartition(named.topic_name, named.partition_index), named.error_code
    names = {topic_id: topic for topic, topic_id in ids_of(order.topic_ids).items()}
    for topic in answer.topics:
        name = names.get(topic.topic_id)
        if name is not None:
            for error in topic.partition_errors:
                yield TopicPartition(name, error.partition_index), error.error_code


def update_metadata(order: UpdateMetadata) -> UpdateMetadataRequest:
    ids = ids_of(order.topic_ids)
    return UpdateMetadataRequest(
        controller_id=order.controller_id,
        controller_epoch=order.controller_epoch,
        broker_epoch=order.broker_epoch,
        topic_states=[
            UpdateMetadataTopicState(
                topic,
                ids.get(topic, NO_TOPIC_ID),
                [update_metadata_state(partition) for partition in partitions],
            )
            for topic, partitions in by_topic(order.partitions)
        ],
        live_brokers=[
            UpdateMetadataBroker(
                broker.broker_id, endpoints=list(endpoints_of(broker)), rack=broker.rack
            )
            for broker in order.live_brokers
        ],
    )


def update_metadata_state(published: PublishedPartition) -> UpdateMetadataPartitionState:
    state = published.state
    return UpdateMetadataPartitionState(
        partition_index=published.partition.partition,
        controller_epoch=state.controller_epoch,
        leader=state.leader,
        leader_epoch=state.leader_epoch,
        isr=state.isr,
        zk_version=state.zk_version,
        replicas=published.replicas,
        offline_replicas=published.offline_replicas,
    )


def endpoints_of(broker: BrokerRegistration) -> Iterator[UpdateMetadataEndpoint]:
    """What *broker* offers, without what speaks a protocol that Kafka has no number for."""
    for endpoint in broker.endpoints:
        number = PROTOCOL_NUMBERS.get(endpoint.security_protocol)
        if number is not None:
            yield UpdateMetadataEndpoint(endpoint.port, endpoint.host, endpoint.listener, number)


def stop_replica(order: StopReplica) -> StopReplicaRequest:
    return StopReplicaRequest(
        controller_id=order.controller_id,
        controller_epoch=order.controller_epoch,
        broker_epoch=order.broker_epoch,
        topic_states=[
            StopReplicaTopicState(
                topic,
                [
                    StopReplicaPartitionState(
                        stopped.partition.partition, stopped.leader_epoch, stopped.is_deleted
                    )
                    for stopped in partitions
                ],
            )
            for topic, partitions in by_topic(order.partitions)
        ],
    )


def by_topic(partitions: Iterable[P]) -> Iterable[tuple[str, list[P]]]:
    topics: dict[str, list[P]] = {}
    for partition in partitions:
        topics.setdefault(partition.partition.topic, []).append(partition)
    return topics.items()


def ids_of(topic_ids: Mapping[str, str]) -> dict[str, bytes]:
    """The ids as they go over the wire, without those that are no ids: a topic whose znode has been
    damaged that way is served by its name.
    """
    ids = {}
    for topic, text in topic_ids.items():
        with suppress(ValueError):
            ids[topic] = topic_id_bytes(text)
    return ids
