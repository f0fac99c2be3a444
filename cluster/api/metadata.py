"""Metadata: returns the brokers, the topics and the leaders of their partitions.

Source: Kafka's KafkaApis.handleTopicMetadataRequest and ZkMetadataCache.
"""

from collections.abc import Generator, Iterable, Iterator
from dataclasses import dataclass
from typing import Final, cast

from cluster.broker.authorizer import authorized_operations
from cluster.broker.control.metadata_updates import MetadataUpdates
from cluster.broker.delayed_metadata import when_metadata_says
from cluster.broker.handling import Peer, Reply, Steps
from cluster.broker.metadata_cache import KnownPartition, MetadataCache
from cluster.broker.ports import Ports
from cluster.broker.topics.auto_creation import AutoCreation
from cluster.model.acl import ResourceType
from cluster.model.error_codes import ErrorCode
from cluster.model.ids import INTERNAL_TOPICS, NO_LEADER
from cluster.model.topic_id import NO_TOPIC_ID
from cluster.model.topic_name import topic_name_problem
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
"""How long requests wait for the controller's first update after the start, at most."""
LISTENER_VERSION: Final = 6
"""The first version with LISTENER_NOT_FOUND."""


@dataclass(frozen=True, slots=True)
class MetadataReader:
    """Answers requests for brokers and topics."""

    ports: Ports
    cache: MetadataCache
    metadata_updates: MetadataUpdates
    auto_creation: AutoCreation

    def handle(self, request: RequestFrame, peer: Peer, reply: Reply) -> None:
        """Answer; right after the start, wait shortly for the controller's update.

        A client that receives no brokers at all may not ask again for minutes, and one that
        receives no topics takes them for deleted; a request for brokers alone need not wait for the
        topics.
        """
        body = cast(MetadataRequest, request.body)
        asks_for_topics = body.topics is None or len(body.topics) > 0 or request.api_version == 0

        def is_informed() -> bool:
            return (
                not self.metadata_updates.awaits_topics
                if asks_for_topics
                else self.cache.controller_id is not None
            )

        def answer(_: bool) -> None:
            reply.in_turns(self._answer(request, peer))

        when_metadata_says(self.cache, self.ports.clock, is_informed, PATIENCE_MS, answer)

    def _answer(self, request: RequestFrame, peer: Peer) -> Steps:
        """Return each topic once, even if it is named again: its partitions may be many."""
        body = cast(MetadataRequest, request.body)
        version = request.api_version
        operations = self._operations(
            peer, ResourceType.TOPIC, is_asked=body.include_topic_authorized_operations
        )
        topics: list[MetadataResponseTopic] = []
        seen: set[tuple[str | None, bytes]] = set()
        for asked in asked_topics(self.cache, body, version):
            # If there is a name, it alone counts: the answer is the same for any id.
            key = (None, asked.topic_id) if not asked.name else (asked.name, NO_TOPIC_ID)
            if key not in seen:
                seen.add(key)
                topics.append(
                    (yield from self._topic_of(asked, body, version, peer.listener, operations))
                )
            yield
        return MetadataResponse(
            brokers=tuple(brokers_on(self.cache, peer.listener)),
            cluster_id=self.ports.registration.cluster_id,
            controller_id=self.cache.live_controller_id,
            topics=topics,
            cluster_authorized_operations=self._operations(
                peer, ResourceType.CLUSTER, is_asked=body.include_cluster_authorized_operations
            ),
        )

    def _operations(self, peer: Peer, resource_type: ResourceType, *, is_asked: bool) -> int:
        authorizer = self.ports.authorizer
        return authorized_operations(authorizer, peer.principal, resource_type, is_asked=is_asked)

    def _topic_of(
        self,
        asked: MetadataRequestTopic,
        body: MetadataRequest,
        version: int,
        listener: str,
        operations: int,
    ) -> Generator[None, None, MetadataResponseTopic]:
        cache = self.cache
        name = asked.name
        if name is None or (asked.topic_id != NO_TOPIC_ID and not name):
            name = cache.topic_name(asked.topic_id)
            if name is None:
                error = ErrorCode.UNKNOWN_TOPIC_ID
                if self.metadata_updates.awaits_topics:
                    error = ErrorCode.LEADER_NOT_AVAILABLE
                # Up to version 11 a name cannot be null, so the empty one stands for none.
                return MetadataResponseTopic(error, None if version >= 12 else "", asked.topic_id)
        partitions = cache.partitions_of(name)
        if not partitions:
            if self.metadata_updates.awaits_topics and topic_name_problem(name) is None:
                error = ErrorCode.LEADER_NOT_AVAILABLE
            else:
                error = self.auto_creation.ask_for(name, is_allowed=body.allow_auto_topic_creation)
            return MetadataResponseTopic(error, name, is_internal=name in INTERNAL_TOPICS)
        topic_id = cache.topic_id(name)
        described: list[MetadataResponsePartition] = []
        for index, known in tuple(partitions.items()):
            described.append(partition_of(cache, index, known, version, listener))
            yield
        return MetadataResponseTopic(
            ErrorCode.NONE, name, topic_id, name in INTERNAL_TOPICS, described, operations
        )


def asked_topics(
    cache: MetadataCache, body: MetadataRequest, version: int
) -> Iterable[MetadataRequestTopic]:
    """Return the requested topics; in version 0, which has no null, an empty list means all."""
    topics = body.topics
    if topics is None or (version == 0 and not topics):
        names = tuple(cache.topics)
        # One that has been deleted by then is skipped: it would be created again.
        return (MetadataRequestTopic(name=name) for name in names if name in cache.topics)
    return topics


def brokers_on(cache: MetadataCache, listener: str) -> Iterator[MetadataResponseBroker]:
    """Yield the brokers that can be reached on the client's listener."""
    for live in cache.brokers.values():
        endpoint = live.endpoints.get(listener)
        if endpoint is not None:
            yield MetadataResponseBroker(live.broker_id, endpoint.host, endpoint.port, live.rack)


def partition_of(
    cache: MetadataCache, index: int, known: KnownPartition, version: int, listener: str
) -> MetadataResponsePartition:
    brokers = cache.brokers
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
        # The oldest clients fail on brokers in here that the list of brokers lacks.
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
