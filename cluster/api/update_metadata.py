"""UpdateMetadata: what shall this broker tell clients about brokers and partitions?"""

from collections.abc import Callable, Iterator
from functools import cache
from typing import TypeAlias, cast

from cluster.api.orders import sender_of, take
from cluster.broker.control.fences import Sender
from cluster.broker.control.metadata_updates import MetadataUpdates
from cluster.broker.control.orders import Orders
from cluster.broker.control.queue import LIGHT
from cluster.broker.handling import Peer, Reply
from cluster.broker.metadata_cache import KnownPartition, LiveBroker, PartitionUpdate
from cluster.broker.ports import Endpoint
from cluster.broker.procedures import Procedure
from cluster.model.broker import SECURITY_PROTOCOLS
from cluster.model.ids import TopicPartition
from cluster.model.topic_id import NO_TOPIC_ID
from cluster.model.topic_name import can_be
from cluster.wire.codec import RequestFrame
from cluster.wire.messages.update_metadata import (
    UpdateMetadataBroker,
    UpdateMetadataPartitionState,
    UpdateMetadataRequest,
    UpdateMetadataResponse,
)

KnownOf: TypeAlias = Callable[..., KnownPartition]
"""Gives the first one again of those that are equal: many partitions are, and it is kept once."""


def handle(
    orders: Orders,
    metadata_updates: MetadataUpdates,
    request: RequestFrame,
    peer: Peer,
    reply: Reply,
) -> None:
    """Obey in turn."""
    body = cast(UpdateMetadataRequest, request.body)
    take(orders, request, reply, obey(metadata_updates, sender_of(orders, request), body, reply))


def obey(
    metadata_updates: MetadataUpdates, sender: Sender, body: UpdateMetadataRequest, reply: Reply
) -> Procedure[None]:
    """Read all that is said, and only then tell clients, of all of it at once."""
    updates: list[PartitionUpdate] = []
    for update in all_updates(body):
        yield LIGHT
        # Of a partition that cannot be clients do not hear.
        if can_be(update.partition):
            updates.append(update)
    error = metadata_updates.take(sender, map(live_broker, body.live_brokers), updates)
    reply(UpdateMetadataResponse(error_code=error))


def live_broker(told: UpdateMetadataBroker) -> LiveBroker:
    endpoints = {
        # Up to version 2 no listener is named: it has the name of its protocol.
        endpoint.listener or SECURITY_PROTOCOLS.get(endpoint.security_protocol, ""): Endpoint(
            endpoint.host, endpoint.port
        )
        for endpoint in told.endpoints
    }
    if not endpoints:
        endpoints = {SECURITY_PROTOCOLS[0]: Endpoint(told.v0_host, told.v0_port)}
    return LiveBroker(told.id, endpoints, told.rack)


def all_updates(body: UpdateMetadataRequest) -> Iterator[PartitionUpdate]:
    known_of = cache(KnownPartition)
    for state in body.ungrouped_partition_states:
        yield update_of(state.topic_name, NO_TOPIC_ID, state, known_of)
    for topic in body.topic_states:
        for state in topic.partition_states:
            yield update_of(topic.topic_name, topic.topic_id, state, known_of)


def update_of(
    topic: str, topic_id: bytes, state: UpdateMetadataPartitionState, known_of: KnownOf
) -> PartitionUpdate:
    known = known_of(
        state.leader,
        state.leader_epoch,
        tuple(state.isr),
        tuple(state.replicas),
        tuple(state.offline_replicas),
    )
    return PartitionUpdate(TopicPartition(topic, state.partition_index), topic_id, known)
