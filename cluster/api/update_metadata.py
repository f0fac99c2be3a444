"""UpdateMetadata: what shall this broker tell clients about brokers and partitions?"""

from collections.abc import Iterator
from functools import partial
from typing import cast

from cluster.broker.context import Context
from cluster.broker.control_queue import Finished
from cluster.broker.fences import command_of, refusal
from cluster.broker.handling import Peer, Reply
from cluster.broker.metadata_cache import KnownPartition, LiveBroker, NewsOfPartition
from cluster.broker.ports import Endpoint
from cluster.model.broker import SECURITY_PROTOCOLS
from cluster.model.error_codes import ErrorCode
from cluster.model.ids import BrokerEpoch, BrokerId, TopicPartition
from cluster.model.topic_id import NO_TOPIC_ID
from cluster.statechange.broker import metadata_updated
from cluster.wire.codec import RequestFrame
from cluster.wire.messages.update_metadata import (
    UpdateMetadataBroker,
    UpdateMetadataPartitionState,
    UpdateMetadataRequest,
    UpdateMetadataResponse,
)


def handle(context: Context, request: RequestFrame, peer: Peer, reply: Reply) -> None:
    context.control_queue.enter(partial(obey, context, request, reply))


def obey(context: Context, request: RequestFrame, reply: Reply, finished: Finished) -> None:
    body = cast(UpdateMetadataRequest, request.body)
    command = command_of(context, request)
    error = refusal(context, command, "UpdateMetadata", body.broker_epoch)
    if error is ErrorCode.NONE:
        forgotten_count = context.cache.begin_registration(BrokerEpoch(body.broker_epoch))
        added_count, forgotten = context.cache.update(
            BrokerId(body.controller_id), map(live_broker, body.live_brokers), news(body)
        )
        forgotten_count += len(forgotten)
        context.ports.journal.state_change(metadata_updated(command, added_count, forgotten_count))
    reply(UpdateMetadataResponse(error_code=error))
    finished()


def live_broker(broker: UpdateMetadataBroker) -> LiveBroker:
    endpoints = {
        # Up to version 2 no listener is named: it has the name of its protocol.
        endpoint.listener or SECURITY_PROTOCOLS.get(endpoint.security_protocol, ""): Endpoint(
            endpoint.host, endpoint.port
        )
        for endpoint in broker.endpoints
    }
    if not endpoints:
        endpoints = {SECURITY_PROTOCOLS[0]: Endpoint(broker.v0_host, broker.v0_port)}
    return LiveBroker(broker.id, endpoints, broker.rack)


def news(body: UpdateMetadataRequest) -> Iterator[NewsOfPartition]:
    for state in body.ungrouped_partition_states:
        yield news_of(state.topic_name, NO_TOPIC_ID, state)
    for topic in body.topic_states:
        for state in topic.partition_states:
            yield news_of(topic.topic_name, topic.topic_id, state)


def news_of(topic: str, topic_id: bytes, state: UpdateMetadataPartitionState) -> NewsOfPartition:
    known = KnownPartition(
        state.leader, state.leader_epoch, state.isr, state.replicas, state.offline_replicas
    )
    return NewsOfPartition(TopicPartition(topic, state.partition_index), topic_id, known)
