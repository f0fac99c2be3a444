"""UpdateMetadata: updates the brokers and partitions that this broker returns to clients."""

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
"""Returns the first of equal values: many partitions share one."""


def handle(
    orders: Orders,
    metadata_updates: MetadataUpdates,
    request: RequestFrame,
    peer: Peer,
    reply: Reply,
) -> None:
    """Queue the order."""
    body = cast(UpdateMetadataRequest, request.body)
    take(orders, request, reply, obey(metadata_updates, sender_of(orders, request), body, reply))


def obey(
    metadata_updates: MetadataUpdates, sender: Sender, body: UpdateMetadataRequest, reply: Reply
) -> Procedure[None]:
    """Read the whole order, and then update the metadata at once."""
    updates: list[PartitionUpdate] = []
    for update in all_updates(body):
        yield LIGHT
        # An impossible partition is not shown to clients.
        if can_be(update.partition):
            updates.append(update)
    error = metadata_updates.take(sender, map(live_broker, body.live_brokers), updates)
    reply(UpdateMetadataResponse(error_code=error))


def live_broker(broker: UpdateMetadataBroker) -> LiveBroker:
    endpoints = {
        # Up to version 2 an endpoint has no listener name: its protocol's name stands for it.
        endpoint.listener or SECURITY_PROTOCOLS.get(endpoint.security_protocol, ""): Endpoint(
            endpoint.host, endpoint.port
        )
        for endpoint in broker.endpoints
    }
    if not endpoints:
        endpoints = {SECURITY_PROTOCOLS[0]: Endpoint(broker.v0_host, broker.v0_port)}
    return LiveBroker(broker.id, endpoints, broker.rack)


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
