"""Metadata: which brokers are there, and who leads which partition?

Source: Kafka's KafkaApis.handleTopicMetadataRequest and ZkMetadataCache.
"""

from collections.abc import Iterator, Sequence
from typing import Final, cast

from cluster.broker.broker import Broker
from cluster.broker.delayed_metadata import when_metadata_says
from cluster.broker.handling import Peer, Reply
from cluster.broker.metadata_cache import KnownPartition
from cluster.model.acl import ResourceType
from cluster.model.error_codes import ErrorCode
from cluster.model.ids import INTERNAL_TOPICS, NO_LEADER
from cluster.model.topic_id import NO_TOPIC_ID
from cluster.wire.codec import RequestFrame
from cluster.wire.messages.metadata import (
    MetadataRequest,
    MetadataRequestTopic,
    MetadataResponse,
    MetadataResponseBroker,
    MetadataResponsePartition,
    MetadataResponseTopic,
)

PATIENCE_MS: Final = 2000
"""How long clients wait for a controller's first word, at most."""
LISTENER_VERSION: Final = 6
"""The first version whose clients know LISTENER_NOT_FOUND."""


def handle(broker: Broker, request: RequestFrame, peer: Peer, reply: Reply) -> None:
    """Answer; right after the start, wait a moment for what the controller says.

    A client that is told of no brokers at all may not ask again for minutes.
    """
    cache = broker.cache

    def told(is_informed: bool) -> None:
        answer(broker, request, peer, reply)

    when_metadata_says(broker, lambda: cache.controller_id is not None, PATIENCE_MS, told)


def answer(broker: Broker, request: RequestFrame, peer: Peer, reply: Reply) -> None:
    body = cast(MetadataRequest, request.body)
    version = request.api_version
    operations = broker.authorized_operations(
        peer, ResourceType.TOPIC, is_asked=body.include_topic_authorized_operations
    )
    topics = [
        topic_of(broker, asked, body, version, peer.listener, operations)
        for asked in asked_topics(broker, body.topics, version)
    ]
    reply(
        MetadataResponse(
            brokers=tuple(brokers_on(broker, peer.listener)),
            cluster_id=broker.ports.registration.cluster_id,
            controller_id=broker.cache.live_controller_id,
            topics=topics,
            cluster_authorized_operations=broker.authorized_operations(
                peer, ResourceType.CLUSTER, is_asked=body.include_cluster_authorized_operations
            ),
        )
    )


def asked_topics(
    broker: Broker, topics: Sequence[MetadataRequestTopic] | None, version: int
) -> Sequence[MetadataRequestTopic]:
    """What is asked for, each once; in version 0, which knows no null, no topic means all.

    Else a short request, that names a large topic again and again, would get a huge answer.
    """
    if topics is None or (version == 0 and not topics):
        return [MetadataRequestTopic(name=name) for name in broker.cache.topics]
    return tuple(dict.fromkeys(topics))


def brokers_on(broker: Broker, listener: str) -> Iterator[MetadataResponseBroker]:
    """Those that can be reached on the listener that the client came in on."""
    for live in broker.cache.brokers.values():
        endpoint = live.endpoints.get(listener)
        if endpoint is not None:
            yield MetadataResponseBroker(live.broker_id, endpoint.host, endpoint.port, live.rack)


def topic_of(
    broker: Broker,
    asked: MetadataRequestTopic,
    body: MetadataRequest,
    version: int,
    listener: str,
    operations: int,
) -> MetadataResponseTopic:
    cache = broker.cache
    name = asked.name
    if name is None or (asked.topic_id != NO_TOPIC_ID and not name):
        name = cache.topic_name(asked.topic_id)
        if name is None:
            # Up to version 11 a name cannot be null, so the empty one stands for none.
            return MetadataResponseTopic(
                ErrorCode.UNKNOWN_TOPIC_ID, None if version >= 12 else "", asked.topic_id
            )
    partitions = cache.partitions_of(name)
    if not partitions:
        error = broker.auto_creation.ask_for(name, is_allowed=body.allow_auto_topic_creation)
        return MetadataResponseTopic(error, name, is_internal=name in INTERNAL_TOPICS)
    return MetadataResponseTopic(
        ErrorCode.NONE,
        name,
        cache.topic_id(name),
        name in INTERNAL_TOPICS,
        [
            partition_of(broker, index, known, version, listener)
            for index, known in partitions.items()
        ],
        operations,
    )


def partition_of(
    broker: Broker, index: int, known: KnownPartition, version: int, listener: str
) -> MetadataResponsePartition:
    brokers = broker.cache.brokers
    leader = brokers.get(known.leader)
    leader_id: int = known.leader
    error = ErrorCode.NONE
    if leader is None:
        leader_id, error = NO_LEADER, ErrorCode.LEADER_NOT_AVAILABLE
    elif listener not in leader.endpoints:
        leader_id, error = NO_LEADER, ErrorCode.LISTENER_NOT_FOUND
        if version < LISTENER_VERSION:
            error = ErrorCode.LEADER_NOT_AVAILABLE
    replicas, isr = known.replicas, known.isr
    dead = [replica for replica in replicas if replica not in brokers]
    if version == 0 and dead:
        # The oldest clients cannot bear brokers in here that the list of brokers lacks.
        replicas = [replica for replica in replicas if replica in brokers]
        isr = [replica for replica in isr if replica in brokers]
        if error is ErrorCode.NONE:
            error = ErrorCode.REPLICA_NOT_AVAILABLE
    offline = known.offline_replicas
    if dead:
        offline = [*offline, *(replica for replica in dead if replica not in offline)]
    return MetadataResponsePartition(
        error, index, leader_id, known.leader_epoch, replicas, isr, offline
    )
