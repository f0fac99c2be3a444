"""Codec of the controller's orders: the requests that carry them, and their answers.

In the newest versions that a broker supports, up to those of Kafka 3.9.  Knows no connections.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any, Final, NamedTuple, TypeAlias, TypeVar, overload

from cluster.broker.handling import Body
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
from cluster.model.error_codes import ErrorCode
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
    StopReplicaPartitionV0,
    StopReplicaRequest,
    StopReplicaResponse,
    StopReplicaTopicState,
    StopReplicaTopicV1,
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
"""The last version whose answer has topic names, which is needed for a topic without an id."""
UPDATE_METADATA_VERSION: Final = 8
STOP_REPLICA_VERSION: Final = 4

LEADER_AND_ISR_BY_TOPIC: Final = 2
UPDATE_METADATA_BY_TOPIC: Final = 5
STOP_REPLICA_BY_TOPIC: Final = 1
"""The first versions that group partitions by topic."""
STOP_REPLICA_BY_PARTITION: Final = 3
"""The first version with a flag for each partition to delete its log."""

VersionOf: TypeAlias = Callable[[ApiKey, int], int | None]
"""The newest version of an API, up to another, that a broker serves; None for none."""

PROTOCOL_NUMBERS: Final = {name: number for number, name in SECURITY_PROTOCOLS.items()}

T = TypeVar("T")
P = TypeVar("P", LeaderAndIsrPartition, PublishedPartition, StoppedPartition)


class ControlRequest(NamedTuple):
    api_key: ApiKey
    version: int
    body: Body


def endpoint_of(broker: BrokerRegistration, listener: str) -> Endpoint | None:
    """The address of *broker* for other brokers; None when it has no such listener."""
    return next((one for one in broker.endpoints if one.listener == listener), None)


def requests_of(
    order: Order, listener: str, version_of: VersionOf
) -> tuple[ControlRequest, ...] | None:
    """The requests for *order*, to be sent one after the other; None for a broker without support.

    *listener* is that by which others reach leaders.
    """
    match order:
        case LeaderAndIsr():
            api_key, newest = ApiKey.LEADER_AND_ISR, LEADER_AND_ISR_VERSION
            ids = ids_of(order.topic_ids)
            if not all(ordered.partition.topic in ids for ordered in order.partitions):
                newest = LEADER_AND_ISR_VERSION_BY_NAME
            if (version := version_of(api_key, newest)) is None:
                return None
            bodies: tuple[Body, ...] = (leader_and_isr(order, ids, listener, version),)
        case UpdateMetadata():
            api_key = ApiKey.UPDATE_METADATA
            if (version := version_of(api_key, UPDATE_METADATA_VERSION)) is None:
                return None
            bodies = (update_metadata(order, version),)
        case StopReplica():
            api_key = ApiKey.STOP_REPLICA
            if (version := version_of(api_key, STOP_REPLICA_VERSION)) is None:
                return None
            bodies = tuple(stop_replica(order, version))
    return tuple(ControlRequest(api_key, version, body) for body in bodies)


def result_of(order: Order, answers: Iterable[Body]) -> OrderResult:
    """The result in a broker's *answers* to the requests for *order*."""
    error: int = ErrorCode.NONE
    errors: dict[TopicPartition, int] = {}
    for answer in answers:
        match answer:
            case LeaderAndIsrResponse():
                assert isinstance(order, LeaderAndIsr)
                errors.update(leader_and_isr_errors(order, answer))
            case StopReplicaResponse():
                for one in answer.partition_errors:
                    partition = TopicPartition(one.topic_name, one.partition_index)
                    errors[partition] = one.error_code
            case _:
                assert isinstance(answer, UpdateMetadataResponse)
        error = error or answer.error_code
    return OrderResult(error=error, errors=errors)


def leader_and_isr(
    order: LeaderAndIsr, ids: Mapping[str, bytes], listener: str, version: int
) -> LeaderAndIsrRequest:
    leaders = ((broker, endpoint_of(broker, listener)) for broker in order.live_leaders)
    is_grouped = version >= LEADER_AND_ISR_BY_TOPIC
    single = () if is_grouped else order.partitions
    groups = by_topic(order.partitions if is_grouped else ())
    return LeaderAndIsrRequest(
        controller_id=order.controller_id,
        controller_epoch=order.controller_epoch,
        broker_epoch=order.broker_epoch,
        ungrouped_partition_states=[leader_and_isr_state(partition) for partition in single],
        topic_states=[
            LeaderAndIsrTopicState(
                topic,
                ids.get(topic, NO_TOPIC_ID),
                Each(leader_and_isr_state, partitions),
            )
            for topic, partitions in groups
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
        topic_name=ordered.partition.topic,
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


def update_metadata(order: UpdateMetadata, version: int) -> UpdateMetadataRequest:
    ids = ids_of(order.topic_ids)
    is_grouped = version >= UPDATE_METADATA_BY_TOPIC
    single = () if is_grouped else order.partitions
    groups = by_topic(order.partitions if is_grouped else ())
    return UpdateMetadataRequest(
        controller_id=order.controller_id,
        controller_epoch=order.controller_epoch,
        broker_epoch=order.broker_epoch,
        ungrouped_partition_states=[update_metadata_state(partition) for partition in single],
        topic_states=[
            UpdateMetadataTopicState(
                topic,
                ids.get(topic, NO_TOPIC_ID),
                Each(update_metadata_state, partitions),
            )
            for topic, partitions in groups
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
        topic_name=published.partition.topic,
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
    """The endpoints of *broker*, without those of a protocol that Kafka has no number for."""
    for endpoint in broker.endpoints:
        number = PROTOCOL_NUMBERS.get(endpoint.security_protocol)
        if number is not None:
            yield UpdateMetadataEndpoint(endpoint.port, endpoint.host, endpoint.listener, number)


def stop_replica(order: StopReplica, version: int) -> Iterator[StopReplicaRequest]:
    """One request; before STOP_REPLICA_BY_PARTITION one for the logs to delete, and another."""
    base = StopReplicaRequest(
        controller_id=order.controller_id,
        controller_epoch=order.controller_epoch,
        broker_epoch=order.broker_epoch,
    )
    if version >= STOP_REPLICA_BY_PARTITION:
        yield base._replace(
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
            ]
        )
        return
    for is_deleted in (False, True):
        some = [stopped for stopped in order.partitions if stopped.is_deleted == is_deleted]
        if not some:
            continue
        deletes = base._replace(delete_partitions=is_deleted)
        if version >= STOP_REPLICA_BY_TOPIC:
            topics = [
                StopReplicaTopicV1(topic, [stopped.partition.partition for stopped in partitions])
                for topic, partitions in by_topic(some)
            ]
            yield deletes._replace(topics=topics)
        else:
            single = [
                StopReplicaPartitionV0(stopped.partition.topic, stopped.partition.partition)
                for stopped in some
            ]
            yield deletes._replace(ungrouped_partitions=single)


class Each(Sequence[T]):
    """Each of *items* converted by *make*, at each access.

    Otherwise an order of ten thousand partitions takes megabytes twice while it is encoded.
    """

    __slots__ = ("_items", "_make")

    def __init__(self, make: Callable[[Any], T], items: Sequence[Any]) -> None:
        self._make = make
        self._items = items

    def __len__(self) -> int:
        return len(self._items)

    def __iter__(self) -> Iterator[T]:
        return map(self._make, self._items)

    @overload
    def __getitem__(self, index: int) -> T: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[T]: ...
    def __getitem__(self, index: int | slice) -> T | Sequence[T]:
        if isinstance(index, slice):
            return Each(self._make, self._items[index])
        return self._make(self._items[index])

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and list(self) == list(other)


def by_topic(partitions: Iterable[P]) -> Iterable[tuple[str, list[P]]]:
    topics: dict[str, list[P]] = {}
    for partition in partitions:
        topics.setdefault(partition.partition.topic, []).append(partition)
    return topics.items()


def ids_of(topic_ids: Mapping[str, str]) -> dict[str, bytes]:
    """The ids in the form of the protocol, without invalid ones: a topic whose znode was damaged
    that way is served by its name.
    """
    ids = {}
    for topic, text in topic_ids.items():
        with suppress(ValueError):
            ids[topic] = topic_id_bytes(text)
    return ids
